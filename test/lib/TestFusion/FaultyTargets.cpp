//===- FaultyTargets.cpp - Targets and decisions with faults, for tests ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Targets that make the kernels of the CPU, and something wrong of them, and
// decisions on programs that depend on where they are cut: what finds faults is
// tested with these.
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Pipelines/Targets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include <chrono>
#include <cstdlib>
#include <thread>

using namespace fuser;

namespace {
/// Runs a function on the kernels before they are lowered.
struct SpoilPass : public PassWrapper<SpoilPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpoilPass)

  explicit SpoilPass(void (*spoil)(ModuleOp)) : spoil(spoil) {}
  StringRef getArgument() const override { return "test-spoil"; }
  void runOnOperation() override { spoil(getOperation()); }

  void (*spoil)(ModuleOp);
};
} // namespace

/// Differences in place of sums.
static void spoilSums(ModuleOp module) {
  module.walk([](arith::AddFOp add) {
    OpBuilder builder(add);
    Value difference = arith::SubFOp::create(builder, add.getLoc(),
                                             add.getLhs(), add.getRhs());
    add.replaceAllUsesWith(difference);
    add.erase();
  });
}

/// Quotients by way of a reciprocal, which is near enough.
static void spoilQuotient(arith::DivFOp div) {
  OpBuilder builder(div);
  Location loc = div.getLoc();
  TypedAttr one = builder.getOneAttr(div.getType());
  Value reciprocal = arith::DivFOp::create(
      builder, loc, arith::ConstantOp::create(builder, loc, one), div.getRhs());
  Value product = arith::MulFOp::create(builder, loc, div.getLhs(), reciprocal);
  div.replaceAllUsesWith(product);
  div.erase();
}

/// But only where a kernel computes something else too.
static void spoilQuotients(ModuleOp module) {
  module.walk([](FunctionOpInterface kernel) {
    bool hasOthers = false;
    kernel.walk([&](Operation *op) {
      hasOthers |= isa<arith::MulFOp, arith::AddFOp, arith::MaximumFOp>(op);
    });
    if (hasOthers)
      kernel.walk([](arith::DivFOp div) { spoilQuotient(div); });
  });
}

/// Sums of three, which the verifier says are no sums.
static void breakSums(ModuleOp module) {
  module.walk([](arith::AddFOp add) {
    add->setOperands({add.getLhs(), add.getRhs(), add.getRhs()});
  });
}

static void crash(ModuleOp) { std::abort(); }

static void hang(ModuleOp) {
  std::this_thread::sleep_for(std::chrono::hours(1));
}

static void crashForSums(ModuleOp module) {
  WalkResult result =
      module.walk([](arith::AddFOp) { return WalkResult::interrupt(); });
  result.wasInterrupted() ? crash(module) : hang(module);
}

template <void (*spoil)(ModuleOp), typename Options>
static void buildSpoiledLowering(OpPassManager &passes, Options options) {
  passes.addPass(std::make_unique<SpoilPass>(spoil));
  getCpuTarget().buildKernelLowering(passes, options);
}

template <void (*spoil)(ModuleOp)>
static Target makeTarget(StringLiteral name) {
  Target target = getCpuTarget();
  target.name = name;
  target.buildKernelLowering = buildSpoiledLowering<spoil>;
  return target;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

namespace {
struct SpoilDecisionsPass
    : public PassWrapper<SpoilDecisionsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpoilDecisionsPass)

  StringRef getArgument() const override { return "test-spoil-decisions"; }
  void runOnOperation() override {
    auto exact =
        fusion::ExactnessAttr::get(&getContext(), fusion::Exactness::Exact);
    getOperation()->walk([&](fusion::SegmentSetOp boundary) {
      StringRef name = fusion::FusionDialect::getExactnessAttrName();
      Operation *producer = boundary.getOperand().getDefiningOp();
      if (producer && producer->hasAttr(name))
        producer->setAttr(name, exact);
    });
  }
};
} // namespace

void test::buildFaultyDecisions(OpPassManager &functions) {
  functions.addPass(fusion::createDecideExactnessPass());
  functions.addPass(std::make_unique<SpoilDecisionsPass>());
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

Targets test::getFaultyTargets() {
  static const Target kTargets[] = {makeTarget<spoilSums>("no-sums"),
                                    makeTarget<spoilQuotients>("no-quotients"),
                                    makeTarget<breakSums>("invalid-sums"),
                                    makeTarget<crash>("crash"),
                                    makeTarget<crashForSums>("crash-for-sums"),
                                    makeTarget<hang>("hang")};
  static const SmallVector<const Target *> targets = [] {
    auto all = llvm::to_vector(getAllTargets());
    for (const Target &target : kTargets)
      all.push_back(&target);
    return all;
  }();
  return targets;
}
