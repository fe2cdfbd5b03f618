//===- CutTrial.h - A program against itself, cut -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_FUZZ_CUTTRIAL_H
#define FUSER_LIB_TOOLS_FUZZ_CUTTRIAL_H

#include "Trial.h"

namespace fuser::fuzz {

/// Compares the program, whose outputs are `outputs` (none for decisions), with
/// itself, cut in the ways that `options` say. Cut programs that differ go to
/// the files of the program, with a number, if the options have a folder. Says
/// on standard error what is wrong.
Verdict runCuts(const Trial &whole, const FuzzOptions &options,
                llvm::ArrayRef<run::HostTensor> outputs, uint64_t seed);

} // namespace fuser::fuzz

#endif // FUSER_LIB_TOOLS_FUZZ_CUTTRIAL_H
