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
  /// The dimensions, bit by bit, along which all uses add it up as it is: all
  /// if there are none, none if one does anything else.
  uint64_t addedDims = 0;

  static Fate small(uint64_t addedDims = 0) {
    return {true, true, true, addedDims};
  }
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

/// What it gives is off by some units of f32 of all that is added.
static bool isSum(Operation *op) {
  auto reduction = dyn_cast<ReductionOpInterface>(op);
  return reduction &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32() &&
         !reduction.isIdempotent() && !reduction.isProduct() &&
         !reduction.needsPosition();
}

/// Bit by bit; none of more dimensions than there are bits.
static uint64_t getReducedDims(Operation *op) {
  uint64_t dims = 0;
  for (int64_t dim : cast<ReductionOpInterface>(op).getReductionDims())
    dims |= dim < 64 ? uint64_t(1) << dim : 0;
  return dims;
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
    return {fate.isNarrowed, true, true, getReducedDims(op)};
  if (!op->hasTrait<KeepsRelativeErrors>() && !isa<IndexMapOpInterface>(op))
    return {fate.isNarrowed, false, fate.isNarrowed};
  if (!isa<SegmentSetOp>(op))
    fate.addedDims = 0;
  return fate;
}

Fate FateAnalysis::getFateOfUses(Value value, ArrayRef<Fate> results) const {
  Fate fate = Fate::small(/*addedDims=*/~uint64_t(0));
  for (OpOperand &use : value.getUses()) {
    Fate ofUse = getFateOfUse(use, results);
    fate.addedDims &= ofUse.addedDims;
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

//===----------------------------------------------------------------------===//
// Summands
//===----------------------------------------------------------------------===//

/// What a value is that boundaries of segments hand on.
static Value getSource(Value value) {
  while (true) {
    Operation *op = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto segment =
          dyn_cast_or_null<SegmentOp>(argument.getOwner()->getParentOp());
      if (!segment)
        return value;
      value = segment->getOperand(argument.getArgNumber());
    } else if (auto segment = dyn_cast_or_null<SegmentOp>(op)) {
      value = segment.getYielded(cast<OpResult>(value).getResultNumber());
    } else if (isa_and_nonnull<SegmentSetOp>(op)) {
      value = op->getOperand(0);
    } else {
      return value;
    }
  }
}

/// The dimensions, bit by bit, along which `shift` has the greatest elements of
/// `value`, each beside what it is the greatest of; none if it is anything
/// else.
static uint64_t getMaximumDims(Value value, Value shift) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, value.getContext());
  shift = getSource(shift);
  while (auto op = shift.getDefiningOp<IndexMapOpInterface>()) {
    AffineMap own = op.getNumSources() == 1 && !op.hasFill()
                        ? op.getAffineIndexMap(0)
                        : AffineMap();
    if (!own)
      return 0;
    map = own.compose(map);
    shift = getSource(getTensorOperands(op).front()->get());
  }
  auto maximum = shift.getDefiningOp<ReduceOp>();
  if (!maximum || maximum.getKind() != ReduceKind::Max ||
      getSource(maximum.getInput()) != getSource(value))
    return 0;
  uint64_t dims = getReducedDims(maximum);
  ArrayRef<AffineExpr> at = map.getResults();
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isReduced = llvm::is_contained(maximum.getDims(), dim);
    if (isReduced && !maximum.getKeep())
      continue;
    if (!isReduced && at.front() != getAffineDimExpr(dim, map.getContext()))
      return 0;
    at = at.drop_front();
  }
  return dims;
}

/// Whether all that becomes of `op` is a part of sums that are no less than 1:
/// what is far below shows in none of them.
static bool isSummand(Operation *op, Fate fate) {
  auto power = dyn_cast<ExpOp>(op);
  auto difference =
      power ? getSource(power.getInput()).getDefiningOp<SubOp>() : SubOp();
  if (!difference || !difference.getRhs())
    return false;
  uint64_t dims = getMaximumDims(difference.getLhs(), difference.getRhs());
  return dims != 0 && (dims & ~fate.addedDims) == 0;
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
      Fate fate = fates.lookup(op->getResult(0));
      bool isExact = exact || !mayApproximate(op, fate);
      ++(isExact ? numExact : numApproximate);
      op->setAttr(name, ExactnessAttr::get(&getContext(),
                                           isExact ? Exactness::Exact
                                           : isSummand(op, fate)
                                               ? Exactness::Summand
                                               : Exactness::Approximate));
    });
  }
};

} // namespace
