//===- KernelSignature.h - What a kernel takes at run time -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of the kernel stage takes memrefs and scalars. At run time it takes
// *parameters*: for each memref one pointer, and those of its dynamic sizes and
// strides that the code uses. Static sizes and strides are constants of the
// code, and what is not used is not passed.
//
// That takes two steps, one on each side of the lowering to the LLVM dialect:
//
//   lowerKernelSignature  memref -> pointer + every dynamic size + every
//                         dynamic stride; the memref is put together again at
//                         the kernel's entry, as an LLVM descriptor
//   (the lowering)        memref.dim, loads, views... take the descriptor apart
//   pruneKernelParams     takes them together: what nothing reads any more is
//                         no parameter
//
// So "used" means used by an instruction, and no list of ops that read a size
// or a stride has to be kept. The kernel's attribute `fuser.params` says after
// each step what the parameters are.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELSIGNATURE_H
#define FUSER_CONVERSION_KERNELSIGNATURE_H

#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringRef.h"

namespace fuser {

/// On a memref argument: nothing that the kernel writes overlaps it, but for
/// itself. A unit attribute.
constexpr llvm::StringLiteral kNoAliasAttrName = "fuser.noalias";
/// On a memref argument: reads of it stay where they are among what threads
/// meet at. A unit attribute.
constexpr llvm::StringLiteral kOrderedReadsAttrName = "fuser.ordered_reads";
/// On a memref argument: its base address is a multiple of so many bytes (an
/// i64).
constexpr llvm::StringLiteral kAlignmentAttrName = "fuser.alignment";

/// The parameters that a kernel has after lowerKernelSignature; `numHidden` as
/// there. A diagnostic on failure.
FailureOr<SmallVector<host::ParamAttr>>
getAllKernelParams(FunctionOpInterface kernel, unsigned numHidden = 0);

struct KernelSignatureOptions {
  /// The LLVM address space of the pointers.
  unsigned addressSpace = 0;
  /// The last so many arguments of the kernel are no arguments of its launch:
  /// they stay as they are and are in no parameter list.
  unsigned numHidden = 0;
};

/// Gives a kernel (gpu.func or func.func, before its lowering) its parameters:
///
///   gpu.func @k(%a: memref<?x8xf32, strided<[?, 1]>> {fuser.noalias,
///   fuser.alignment = 16 : i64}, %n: index)
///   =>
///   gpu.func @k(%p: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64}, %d0:
///   i64, %s0: i64, %n: i64)
///       attributes {fuser.params = [#host.param<pointer 0>, ...]}
///
/// Without `fuser.alignment` a pointer is aligned to the element type. A
/// diagnostic on failure: a memref that no bare pointer can stand for
/// (unranked, a dynamic offset, another memory space, i1 elements), or a
/// result.
LogicalResult lowerKernelSignature(FunctionOpInterface kernel,
                                   const KernelSignatureOptions &options);

/// Drops the size and stride parameters that `kernel` does not use, and what
/// else in it is dead, and brings `fuser.params` up to date. Pointers and
/// scalars stay.
LogicalResult pruneKernelParams(LLVM::LLVMFuncOp kernel);

/// Loads parameters of these types from `params`, an array of the addresses of
/// each (as cuLaunchKernel's `kernelParams`).
SmallVector<Value> loadKernelParams(OpBuilder &b, Location loc, TypeRange types,
                                    Value params);

} // namespace fuser

#endif // FUSER_CONVERSION_KERNELSIGNATURE_H
