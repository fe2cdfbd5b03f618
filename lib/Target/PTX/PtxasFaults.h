//===- PtxasFaults.h - What ptxas compiles wrongly ---------------*- C++ -*===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TARGET_PTX_PTXASFAULTS_H
#define FUSER_LIB_TARGET_PTX_PTXASFAULTS_H

#include "fuser/Support/LLVM.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace fuser {

/// Makes sums of two i16 two sums. ptxas 13.0 (also in the driver 580.159),
/// from -O1 on, on sm_90 at least, makes wrong code of `add.s16x2` by a
/// constant: it computes the sum again where a half of it is extended to 64
/// bits, and takes 0 for the constant of the high half.
void splitPackedSums(llvm::Module &module);

/// Hides from ptxas that parts of words are loaded from an address that is the
/// same in all threads. ptxas 12.9 to 13.3 (also in the driver 580.159), from
/// -O2 on, on sm_90 at least, computes with such integers in uniform registers,
/// and takes the high half of another word, or of a register that was never
/// written, for that of one of several words.
void hideUniformAddresses(llvm::Module &module, llvm::TargetMachine &machine);

/// The text with each `neg.s32`, `neg.s16` and `abs.s16` as other instructions,
/// a `not` and an `add` in place of a negation. ptxas 13.0 (also in the driver
/// 580.159), from -O1 on, on sm_90 at least,
/// - makes wrong code of minima and maxima of several negated integers:
///   min(-a, min(-b, -c)) becomes a mixture of minima and maxima;
/// - takes 32768 for the opposite and the magnitude of -32768 in 16 bits, where
///   these are extended to more.
std::string withoutNegations(StringRef text);

/// The text with each `min` and `max` of 16 bits, or of two of them, in 32.
/// ptxas 13.0 to 13.3 (not 13.5), from -O1 on, for sm_90 and sm_100 at least,
/// makes wrong code where one operand is a constant and the result is compared
/// with it, as in max(x, 1) == 1: of two numbers in a word it forgets the
/// second one.
std::string withoutNarrowMinima(StringRef text);

/// The text with 0 in each register that is read and that nothing writes, as
/// which LLVM writes half of a word that does not matter. ptxas 12.9 and 13.0
/// (also in the driver 580.159), from -O1 on, on sm_90 at least, end in a
/// segmentation fault where such a word is moved to other lanes.
std::string withoutUndefinedRegisters(StringRef text);

} // namespace fuser

#endif // FUSER_LIB_TARGET_PTX_PTXASFAULTS_H
