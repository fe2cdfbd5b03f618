//===- FusionToKernel.h - From segments to kernels -------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment becomes kernels in two passes: `fusion-schedule` decides and
// writes the decision down, `fusion-to-kernel` obeys. What makes kernels for a
// schedule attribute, and the host function that launches them, is attached to
// it as an external model of KernelScheduleInterface: a target brings its own.
//
// The buffers behind the tensors of a function are a contract between kernels
// and host program: getTensorBuffer says for both what layout and alignment a
// tensor's buffer has.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_FUSIONTOKERNEL_H
#define FUSER_CONVERSION_FUSIONTOKERNEL_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Analysis/TensorLayout.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/LLVM.h"
#include "fuser/Target/Target.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

class SegmentLowering;

/// Alignment in bytes of buffers that the host program allocates. Those that
/// the caller brings, inputs and outputs, are aligned as the function says
/// (`fusion.alignment`), else as their elements.
constexpr int64_t kAllocationAlignment = 256;

/// The buffer that a tensor lives in.
struct TensorBuffer {
  MemRefType type;       ///< With the storage type of the elements (i8 for i1).
  int64_t alignment = 1; ///< Of the first element, in bytes.
  /// Of all elements whose coordinate along getNeighbourDim is 0, in bytes.
  int64_t rowAlignment = 1;
  /// The dimensions from slowest to fastest; none: only the caller knows.
  std::optional<SmallVector<int64_t>> order;
};

/// The dimension along which neighbours in the buffer are neighbours in memory:
/// the last one if it can be; -1: none is known to be.
int64_t getNeighbourDim(MemRefType type);

/// The buffer of `tensor`, an argument of a function or a result of a segment.
/// Requirements (`fusion.stride_order`, reuse of an input) come before hints,
/// hints before the row-major order. With `symbols` open sizes count for the
/// alignment of rows, too.
TensorBuffer getTensorBuffer(Value tensor,
                             const ShapeSymbols *symbols = nullptr);

/// The same of a tensor inside of a segment that is in memory without gaps, in
/// row-major order, from an address on that is aligned to `alignment` bytes.
TensorBuffer getDenseBuffer(Value tensor, int64_t alignment,
                            const ShapeSymbols *symbols = nullptr);

/// `memory`, of as many elements without gaps, as row-major memory of `type`,
/// whose open sizes are those of `getDim`.
mlir::Value
createDenseView(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::MemRefType type, mlir::Value memory,
                llvm::function_ref<mlir::OpFoldResult(int64_t dim)> getDim);

/// Whether a reshape in a segment is another shape of the memory of an operand,
/// which has no gaps, although its index would take quotients by open sizes.
bool isViewOfOperand(fusion::ReshapeOp op);

/// Of a tensor of this type, in bytes: as promised (`fusion.alignment`, may be
/// null), or that of an element.
int64_t getElementAlignment(RankedTensorType type, Attribute promised);

/// An argument of a kernel: of each operand of the segment, then of each
/// result.
struct KernelArgument {
  Value value; ///< The operand or result of the segment.
  Type type;   ///< A memref for a tensor, else the scalar's type.
  int64_t alignment = 1;
  int64_t rowAlignment = 1; ///< See TensorBuffer.
  /// No other argument that is written overlaps it, nor is it written and read
  /// through another one.
  bool noAlias = false;
};
SmallVector<KernelArgument>
getKernelArguments(fusion::SegmentOp segment,
                   const ShapeSymbols *symbols = nullptr);

/// Calls `visit` with each segment of `func` that `isOpen`, and with what its
/// decisions are for, of `targets`: see chooseTarget. Fails if a call does.
LogicalResult forEachOpenSegment(
    func::FuncOp func, Targets targets, StringRef target,
    llvm::function_ref<bool(fusion::SegmentOp)> isOpen,
    llvm::function_ref<LogicalResult(fusion::SegmentOp, const ChosenTarget &,
                                     const ShapeSymbols &)>
        visit);

#define GEN_PASS_DECL_FUSIONSCHEDULEPASS
#define GEN_PASS_DECL_FUSIONTOKERNELPASS
#include "fuser/Conversion/FusionToKernel.h.inc"

/// The passes, for any of `targets`; the first one is for programs of which
/// nothing is said.
std::unique_ptr<Pass>
createFusionSchedulePass(Targets targets, FusionSchedulePassOptions options);
std::unique_ptr<Pass>
createFusionToKernelPass(Targets targets, FusionToKernelPassOptions options);
void registerFusionToKernelPasses(Targets targets);

} // namespace fuser

#include "fuser/Conversion/KernelScheduleInterface.h.inc"

#endif // FUSER_CONVERSION_FUSIONTOKERNEL_H
