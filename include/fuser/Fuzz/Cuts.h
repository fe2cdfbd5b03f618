//===- Cuts.h - Programs, cut at random -----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FUZZ_CUTS_H
#define FUSER_FUZZ_CUTS_H

#include "fuser/Fuzz/Random.h"
#include "fuser/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace fuser::fuzz {

/// Makes of composites, complex and packed tensors what programs are cut
/// between.
LogicalResult prepareForCuts(ModuleOp module);

/// Puts a segment_set behind so many ops of a hundred.
void cutProgram(ModuleOp module, unsigned percent, Random &random);

/// Makes a segment of each op.
LogicalResult cutIntoOps(ModuleOp module);

/// Adds the passes that decide what kernels may approximate, on functions.
using BuildDecisions = void (*)(OpPassManager &functions);
/// Those of every pipeline.
void buildDecisions(OpPassManager &functions);

/// What is decided for each op that has two forms, in order: "div exact".
FailureOr<std::vector<std::string>> listDecisions(ModuleOp module,
                                                  BuildDecisions build);

} // namespace fuser::fuzz

#endif // FUSER_FUZZ_CUTS_H
