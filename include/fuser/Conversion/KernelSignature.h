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

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuser {

/// One parameter of a lowered kernel.
struct KernelParam {
  enum class Kind { Pointer, Size, Stride, Scalar };

  Kind kind;
  /// The argument of the kernel (and of its launch) that it comes from.
  unsigned argument;
  /// The memref's dimension. Sizes and strides only.
  unsigned dim = 0;

  /// `ptr:2`, `size:2:0`, `stride:2:0` or `scalar:3`.
  std::string str() const;
  /// The inverse of `str`; failure if `text` is nothing of the kind.
  static FailureOr<KernelParam> parse(StringRef text);

  bool operator==(const KernelParam &other) const {
    return kind == other.kind && argument == other.argument && dim == other.dim;
  }
};

/// A kernel's parameters, an ArrayAttr of strings.
constexpr llvm::StringLiteral kParamsAttrName = "fuser.params";
/// On a memref argument: nothing that the kernel writes overlaps it, but for
/// itself. A unit attribute.
constexpr llvm::StringLiteral kNoAliasAttrName = "fuser.noalias";
/// On a memref argument: its base address is a multiple of so many bytes (an
/// i64).
constexpr llvm::StringLiteral kAlignmentAttrName = "fuser.alignment";

/// The parameters that a kernel has after lowerKernelSignature; `numHidden` as
/// there. A diagnostic on failure.
FailureOr<SmallVector<KernelParam>>
getAllKernelParams(FunctionOpInterface kernel, unsigned numHidden = 0);

/// The lowered kernels of a program, all ops with `fuser.params`, in the order
/// in which the program numbers them: that of the text.
SmallVector<Operation *> collectKernels(Operation *module);

/// What `fuser.params` of a lowered kernel says. A diagnostic on failure.
FailureOr<SmallVector<KernelParam>> getKernelParams(Operation *kernel);

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
///       attributes {fuser.params = ["ptr:0", "size:0:0", "stride:0:0",
///       "scalar:1"]}
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

/// Whether the parameters of `kernel`, after its lowering, take at most
/// `maxBytes`, each aligned to its size as a launch lays them out. A diagnostic
/// at the kernel's place if they take more.
LogicalResult verifyKernelParamBytes(LLVM::LLVMFuncOp kernel, int64_t maxBytes);

} // namespace fuser

#endif // FUSER_CONVERSION_KERNELSIGNATURE_H
