//===- TestSummaries.cpp - What segmentation believes of its segments -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Summaries grow by merging, without a look at ops. Here each is compared with
// the segment that it has become, looked at directly.
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Pipelines/SegmentationPolicy.h"
#include "fuser/Pipelines/Targets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassRegistry.h"
#include <map>

using namespace fuser;
using namespace fuser::fusion;

namespace {

/// What a segment reads and writes of one shape, in which all sizes that are
/// not known are one.
struct Traffic {
  int64_t inputs = 0, inputBytes = 0, results = 0, resultBytes = 0;

  bool isNothing() const { return inputs == 0 && results == 0; }
  bool operator==(const Traffic &o) const {
    return inputs == o.inputs && inputBytes == o.inputBytes &&
           results == o.results && resultBytes == o.resultBytes;
  }
};

/// What summary and segment say alike.
struct Facts {
  std::map<std::vector<int64_t>, Traffic> traffic;
  int64_t numParams = 0, numReductions = 0;
  /// Of an element of each shape, together; 0 where views make it another.
  double elementCost = 0;
  bool hasReductions = false, hasElementwise = false, hasIndexMaps = false;

  bool operator==(const Facts &o) const {
    return traffic == o.traffic && numParams == o.numParams &&
           numReductions == o.numReductions && elementCost == o.elementCost &&
           hasReductions == o.hasReductions &&
           hasElementwise == o.hasElementwise && hasIndexMaps == o.hasIndexMaps;
  }
};

struct TestSummariesPass
    : public PassWrapper<TestSummariesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSummariesPass)

  TestSummariesPass() = default;
  TestSummariesPass(const TestSummariesPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-segment-summaries"; }
  StringRef getDescription() const override {
    return "Segmentation, with each summary compared with its segment";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<FusionDialect, arith::ArithDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override;

  Option<std::string> target{*this, "target", llvm::cl::init("cuda"),
                             llvm::cl::desc("As of fusion-segment")};
};

} // namespace

static Facts describe(const GroupSummary &summary) {
  Facts facts;
  for (const SpaceSummary &space : summary.spaces) {
    std::vector<int64_t> shape;
    for (int64_t size : space.shape)
      shape.push_back(std::max<int64_t>(size, -1));
    Traffic &traffic = facts.traffic[shape];
    traffic.inputs += space.numInputs;
    traffic.inputBytes += space.inputBytes;
    traffic.results += space.numResults;
    traffic.resultBytes += space.resultBytes;
    facts.elementCost += space.elementCost;
  }
  facts.numParams = summary.numParams;
  facts.numReductions = summary.numReductions;
  facts.hasReductions = summary.has(Family::Reduction);
  facts.hasElementwise = summary.has(Family::Elementwise);
  facts.hasIndexMaps = summary.has(Family::IndexMap);
  return facts;
}

static Facts describe(SegmentOp segment, const ShapeSymbols &symbols) {
  Facts facts;
  auto add = [&](Value value, bool isInput) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    facts.numParams += type ? 1 + type.getNumDynamicDims() + type.getRank() : 1;
    if (!type)
      return;
    std::vector<int64_t> shape;
    for (int64_t size : symbols.getShape(value))
      shape.push_back(std::max<int64_t>(size, -1));
    Traffic &traffic = facts.traffic[shape];
    int64_t bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
    (isInput ? traffic.inputs : traffic.results) += 1;
    (isInput ? traffic.inputBytes : traffic.resultBytes) += bytes;
  };
  for (Value input : segment.getInputs())
    add(input, true);
  for (Value result : segment.getResults())
    add(result, false);
  for (Operation &op : segment.getBody().front()) {
    facts.numReductions += isa<ReductionOpInterface>(op);
    facts.elementCost += isa<ReductionOpInterface>(op);
    if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op))
      facts.elementCost += elementwise.getElementCost();
    // Of a random number, as the summary has it.
    auto factory = dyn_cast<FactoryOpInterface>(op);
    if (factory && !factory.isForwardable())
      facts.elementCost += 24;
    facts.hasElementwise |= isa<ElementwiseOpInterface>(op);
    facts.hasIndexMaps |= isa<IndexMapOpInterface>(op);
  }
  facts.hasReductions = facts.numReductions != 0;
  return facts;
}

static void print(InFlightDiagnostic &diag, const Facts &facts) {
  diag << facts.numParams << " parameters, " << facts.numReductions
       << " reductions, cost " << facts.elementCost;
  for (auto &[shape, traffic] : facts.traffic) {
    diag << ", [";
    llvm::interleaveComma(shape, diag, [&](int64_t size) { diag << size; });
    diag << "] in " << traffic.inputs << " (" << traffic.inputBytes
         << " bytes) out " << traffic.results << " (" << traffic.resultBytes
         << ")";
  }
}

void TestSummariesPass::runOnOperation() {
  FailureOr<SegmentationOptions> options =
      getSegmentationPolicy(getAllTargets())(getOperation(), target);
  if (failed(options))
    return signalPassFailure();
  std::vector<GroupSummary> summaries;
  options->scheduler = [&, choose =
                               options->scheduler](const GroupSummary &group) {
    summaries.push_back(group);
    return choose(group);
  };
  if (failed(segment(getOperation(), *options)))
    return signalPassFailure();
  ShapeSymbols symbols(getOperation());
  unsigned number = 0;
  for (auto segment : getOperation().getOps<SegmentOp>()) {
    Facts believed = describe(summaries[number++]);
    Facts seen = describe(segment, symbols);
    if (summaries[number - 1].maxViewGrowth != 0)
      believed.elementCost = seen.elementCost = 0;
    // What is in no memory is no traffic.
    for (auto it = believed.traffic.begin(); it != believed.traffic.end();)
      it = it->second.isNothing() ? believed.traffic.erase(it) : std::next(it);
    if (believed == seen)
      continue;
    InFlightDiagnostic diag = segment.emitError("expected the summary: ");
    print(diag, seen);
    diag << "; got: ";
    print(diag, believed);
    signalPassFailure();
  }
  emitRemark(getOperation().getLoc())
      << number << " summaries compared with their segments";
}

void fuser::test::registerSummariesPass() {
  PassRegistration<TestSummariesPass>();
}
