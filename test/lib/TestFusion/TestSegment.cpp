//===- TestSegment.cpp - Segmentation with functions of a test's choice ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Dialect/Fusion/Transforms/Segmentation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassRegistry.h"

using namespace fuser;
using namespace fuser::fusion;

namespace {

struct TestSegmentPass
    : public PassWrapper<TestSegmentPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSegmentPass)

  TestSegmentPass() = default;
  TestSegmentPass(const TestSegmentPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-fusion-segment"; }
  StringRef getDescription() const override {
    return "Segmentation with functions of a test's choice";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<FusionDialect, arith::ArithDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override;

  Option<unsigned> maxOps{*this, "max-ops", llvm::cl::init(~0u),
                          llvm::cl::desc("May: at most so many ops")};
  Option<unsigned> maxReductions{
      *this, "max-reductions", llvm::cl::init(~0u),
      llvm::cl::desc("May: at most so many of them")};
  Option<unsigned> minBytes{
      *this, "min-bytes", llvm::cl::init(0),
      llvm::cl::desc("Should: saves at least so many bytes an element")};
  Option<std::string> scheduler{*this, "scheduler", llvm::cl::init(""),
                                llvm::cl::desc("Of every group")};
  Option<bool> print{*this, "print", llvm::cl::init(false),
                     llvm::cl::desc("Say what the functions are asked")};
};

} // namespace

static unsigned countBytes(ArrayRef<EdgeTensor> tensors) {
  unsigned bytes = 0;
  for (const EdgeTensor &tensor : tensors)
    bytes += tensor.bytes;
  return bytes;
}

static void describe(InFlightDiagnostic diag, const MergeCandidate &candidate) {
  auto group = [&](const GroupSummary &summary) {
    diag << summary.numOps << " ops (" << summary.getNumInputs() << " in, "
         << summary.getNumResults() << " out)";
  };
  group(candidate.producer);
  diag << " with ";
  group(candidate.consumer);
  diag << ": ";
  group(candidate.merged);
  diag << ", " << candidate.merged.numReductions << " reductions";
}

void TestSegmentPass::runOnOperation() {
  SegmentationOptions options;
  options.explain = true;
  options.may = [this](const MergeCandidate &candidate) {
    if (print)
      describe(getOperation().emitRemark(), candidate);
    if (candidate.merged.numOps > maxOps)
      return Decision::no("too many ops");
    if (candidate.merged.numReductions > maxReductions)
      return Decision::no("too many reductions");
    return Decision::yes();
  };
  options.should = [this](const MergeCandidate &candidate) {
    // Once written and once read; once read; once read.
    unsigned saved = 2 * countBytes(candidate.edges.absorbed) +
                     countBytes(candidate.edges.forwarded) +
                     countBytes(candidate.edges.shared);
    return saved >= minBytes ? Decision::yes() : Decision::no("too few bytes");
  };
  if (!scheduler.empty())
    options.scheduler = [this](const GroupSummary &) {
      return scheduler.getValue();
    };
  if (failed(segment(getOperation(), options)))
    signalPassFailure();
}

void fuser::test::registerTestPasses() { PassRegistration<TestSegmentPass>(); }
