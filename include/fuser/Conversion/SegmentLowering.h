//===- SegmentLowering.h - What a segment becomes --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment becomes any number of kernels, each in a module of its own, and one
// private function of the host dialect that does with buffers what the segment
// does with tensors:
//
//   func.func private @f_0_host(%in0: memref<?xf32>, %out0: memref<f32>) {
//     ... sizes, workspaces ...
//     host.launch @f_0::@f_0 grid(...) block(...) args(...)
//     return
//   }
//
// The arithmetic of a launch stands where its kernel is made, in terms of the
// function's arguments. The host conversion inlines the function, and puts the
// sizes that it knows in place of `memref.dim`.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_SEGMENTLOWERING_H
#define FUSER_CONVERSION_SEGMENTLOWERING_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Conversion/SegmentSizes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace fuser {

/// How many blocks and threads a kernel is launched with, in one dimension. On
/// the CPU blocks are work items, and the threads are 1.
struct LaunchSize {
  OpFoldResult blocks;
  int64_t threads = 1;
  int64_t clusterBlocks = 1;
  /// It may start before the kernel before it has ended.
  bool programmatic = false;
  /// Of shared memory, beside what the kernel names.
  int64_t sharedBytes = 0;
};

class SegmentLowering {
public:
  /// Starts the host function, named `name` + "_host", behind the module's
  /// other ops. `modules` stands where modules of kernels go.
  SegmentLowering(fusion::SegmentOp segment, const ShapeSymbols &symbols,
                  StringRef name, OpBuilder &modules);

  fusion::SegmentOp getSegment() { return segment; }
  /// The sizes of the function around the segment.
  const ShapeSymbols &getSymbols() { return symbols; }
  /// What kernels are called: this, or this and a suffix.
  StringRef getName() { return name; }
  /// Stands in the host function, before its end.
  OpBuilder &getHostBuilder() { return builder; }
  Location getLoc() { return segment.getLoc(); }

  /// The buffer of an operand or result of the segment, in the host function.
  Value getBuffer(Value tensor);
  /// Its size.
  OpFoldResult getDim(Value tensor, int64_t dim);
  SmallVector<OpFoldResult> getSizes(Value tensor);
  /// The sizes of tensors inside of the segment, in the host function.
  SegmentSizes &getInnerSizes() { return innerSizes; }

  /// Where a module with one kernel goes. The kernel's module is the op that
  /// is inserted there.
  OpBuilder &getModuleBuilder() { return modules; }

  /// The host function launches `kernel`, which takes the segment's operands
  /// and results, and then `workspaces`, which it may write.
  void launch(FunctionOpInterface kernel, LaunchSize size,
              ValueRange workspaces = {});

  func::FuncOp getHostFunction() { return host; }
  /// The kernels that were launched.
  ArrayRef<FunctionOpInterface> getKernels() { return kernels; }

private:
  fusion::SegmentOp segment;
  const ShapeSymbols &symbols;
  std::string name;
  OpBuilder &modules;
  func::FuncOp host;
  OpBuilder builder;
  SegmentSizes innerSizes;
  DenseMap<std::pair<Value, int64_t>, Value> dims;
  SmallVector<FunctionOpInterface, 1> kernels;
};

/// Writes on a kernel what is known of the memory behind its first arguments.
void setArgumentAttrs(FunctionOpInterface kernel,
                      ArrayRef<KernelArgument> arguments);

/// The forms of kernels.
inline constexpr llvm::StringLiteral kGpuKernels = "gpu";
inline constexpr llvm::StringLiteral kCpuKernels = "cpu";
/// Of what calls a library instead, on any target.
inline constexpr llvm::StringLiteral kNoKernels = "none";

/// What is attached to schedules of the class `Attr`: `lower` makes kernels of
/// this form of them.
template <typename Attr, const llvm::StringLiteral &form,
          LogicalResult lower(SegmentLowering &)>
struct KernelEmitter
    : KernelScheduleInterface::ExternalModel<KernelEmitter<Attr, form, lower>,
                                             Attr> {
  StringRef getKernelForm(Attribute) const { return form; }
  LogicalResult lowerSegment(Attribute, SegmentLowering &lowering) const {
    return lower(lowering);
  }
};

/// The symbol of a kernel from outside of its module.
SymbolRefAttr getKernelSymbol(FunctionOpInterface kernel);

} // namespace fuser

#endif // FUSER_CONVERSION_SEGMENTLOWERING_H
