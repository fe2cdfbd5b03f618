//===- TestFusion.h - Ops of known families that only tests know ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TEST_LIB_TESTFUSION_TESTFUSION_H
#define FUSER_TEST_LIB_TESTFUSION_TESTFUSION_H

#include "fuser/Analysis/SizeChecks.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Reference/Jumps.h"
#include "fuser/Target/Target.h"

#include "TestFusionDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TestFusionAttrs.h.inc"

#define GET_OP_CLASSES
#include "TestFusionOps.h.inc"

namespace fuser::test {

/// `value` as a constant of `type`, a float or a vector of floats.
Value emitFloat(fusion::EmitContext &ctx, Type type, double value);

/// Those of the project, and `stub`.
Targets getTargetsWithStub();
/// Those of the project, and some that make wrong kernels: `no-sums`,
/// `no-quotients` (which are only nearly right), `crash`, `hang`.
Targets getFaultyTargets();
/// What is read across a boundary between segments is exact, which depends on
/// where a program is cut.
void buildFaultyDecisions(OpPassManager &functions);

/// `test-fusion-segment`.
void registerTestPasses();
/// `test-segment-summaries`.
void registerSummariesPass();

} // namespace fuser::test

#endif // FUSER_TEST_LIB_TESTFUSION_TESTFUSION_H
