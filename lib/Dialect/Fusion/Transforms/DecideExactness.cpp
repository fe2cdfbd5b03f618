//===- DecideExactness.cpp - Which functions kernels approximate ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An approximation is off by a few units of f32, which are nothing in a bf16
// and show in a f32; a sum of many is off by as many anyway. What becomes of a
// value is known when all that uses it is, so ops are visited from the last to
// the first.
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_DECIDEEXACTNESSPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

namespace {
/// What is true of all that becomes of a value. By default: nothing is known of
/// who uses it.
struct Fate {
  /// It is rounded to a float of 16 bits, and on the way to a float always.
  bool isNarrowed = false;
  /// The same, or it is added to others by a sum, and in neither case does an
  /// error become larger relative to its value on the way.
  bool staysSmall = false;
  /// Each use is one or the other.
  bool isEither = false;

  static Fate small() { return {true, true, true}; }
};

class FateAnalysis {
public:
  /// Visits the ops of `block`, whose terminator's operand `i` has the fate
  /// `results[i]`.
  void visit(Block &block, ArrayRef<Fate> results);

  /// The fate of a value of a block that was visited.
  Fate lookup(Value value) const { return fates.lookup(value); }

private:
  Fate getFateOfUse(OpOperand &use, ArrayRef<Fate> results) const;
  Fate getFateOfUses(Value value, ArrayRef<Fate> results) const;
  void visitSegment(SegmentOp segment);

  DenseMap<Value, Fate> fates;
};
} // namespace

static bool isNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() <= 16;
}

/// What it gives is off by some units of f32 of all that is added.
static bool isSum(Operation *op) {
  auto reduction = dyn_cast<ReductionOpInterface>(op);
  return reduction &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32() &&
         !reduction.isIdempotent() && !reduction.isProduct() &&
         !reduction.needsPosition();
}

Fate FateAnalysis::getFateOfUse(OpOperand &use, ArrayRef<Fate> results) const {
  Operation *op = use.getOwner();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return use.getOperandNumber() < results.size()
               ? results[use.getOperandNumber()]
               : Fate();
  if (auto segment = dyn_cast<SegmentOp>(op))
    return lookup(segment.getBody().getArgument(use.getOperandNumber()));
  // Sizes say nothing of elements.
  if (isa<ShapedDimOpInterface>(op))
    return Fate::small();
  if (!isa<ElementwiseOpInterface, IndexMapOpInterface, ReductionOpInterface>(
          op) ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return {};
  Value result = op->getResult(0);
  if (isNarrowFloat(result.getType()))
    return Fate::small();
  Fate fate = lookup(result);
  if (isSum(op))
    return {fate.isNarrowed, true, true};
  if (!op->hasTrait<KeepsRelativeErrors>() && !isa<IndexMapOpInterface>(op))
    return {fate.isNarrowed, false, fate.isNarrowed};
  return fate;
}

Fate FateAnalysis::getFateOfUses(Value value, ArrayRef<Fate> results) const {
  Fate fate = Fate::small();
  for (OpOperand &use : value.getUses()) {
    Fate ofUse = getFateOfUse(use, results);
    fate.isNarrowed &= ofUse.isNarrowed;
    fate.staysSmall &= ofUse.staysSmall;
    fate.isEither &= ofUse.isEither;
  }
  return fate;
}

/// A segment hands on what it takes and gives.
void FateAnalysis::visitSegment(SegmentOp segment) {
  SmallVector<Fate> results;
  for (Value result : segment.getResults())
    results.push_back(lookup(result));
  visit(segment.getBody().front(), results);
}

void FateAnalysis::visit(Block &block, ArrayRef<Fate> results) {
  for (Operation &op : llvm::reverse(block)) {
    for (Value result : op.getResults())
      fates[result] = getFateOfUses(result, results);
    if (auto segment = dyn_cast<SegmentOp>(op))
      visitSegment(segment);
  }
  for (BlockArgument argument : block.getArguments())
    fates[argument] = getFateOfUses(argument, results);
}

/// Whether `op`, whose result has this fate, may be approximated.
static bool mayApproximate(Operation *op, Fate fate) {
  if (isNarrowFloat(op->getResult(0).getType()))
    return true;
  return op->hasTrait<EndsInQuotient>() ? fate.staysSmall : fate.isEither;
}

namespace {

struct DecideExactnessPass
    : public fuser::fusion::impl::DecideExactnessPassBase<DecideExactnessPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!llvm::hasSingleElement(getOperation().getBody()))
      return;
    FateAnalysis fates;
    fates.visit(getOperation().getBody().front(), /*results=*/{});
    StringRef name = FusionDialect::getExactnessAttrName();
    getOperation().walk([&](Operation *op) {
      if (!hasApproximateForm(op) || op->hasAttr(name))
        return;
      bool isExact =
          exact || !mayApproximate(op, fates.lookup(op->getResult(0)));
      ++(isExact ? numExact : numApproximate);
      op->setAttr(name, ExactnessAttr::get(&getContext(),
                                           isExact ? Exactness::Exact
                                                   : Exactness::Approximate));
    });
  }
};

} // namespace
