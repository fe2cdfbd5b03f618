//===- LlvmFaults.h - What LLVM compiles wrongly ---------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TARGET_PTX_LLVMFAULTS_H
#define FUSER_LIB_TARGET_PTX_LLVMFAULTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace fuser {

/// Hides from LLVM's load-store vectorizer that indices are extended from
/// narrower integers. LLVM 22 takes the difference of two such indices, and its
/// product with the size of the first one's element, in the narrow type: of i8
/// indices that differ by 64, elements of 4 bytes have one address, also where
/// constants are added to what is extended
/// (https://github.com/llvm/llvm-project/pull/223500, and issue 186327).
/// Indices of 32 bits, which only constants of 2^29 elements and more are too
/// far for, are hidden by a freeze, which LLVM may drop.
void hideExtendedIndices(llvm::Module &module);

} // namespace fuser

#endif // FUSER_LIB_TARGET_PTX_LLVMFAULTS_H
