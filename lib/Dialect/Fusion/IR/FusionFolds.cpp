//===- FusionFolds.cpp - Folders and canonicalisation ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here changes a result, not even a bit of it: x + 0 stays (it makes +0
// of -0), and a cast goes only where it was exact.
//
//===----------------------------------------------------------------------===//

#include "EmitUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

// max(x, x) -> x
OpFoldResult MaxOp::fold(FoldAdaptor) {
  return getLhs() == getRhs() ? getLhs() : Value();
}

// min(x, x) -> x
OpFoldResult MinOp::fold(FoldAdaptor) {
  return getLhs() == getRhs() ? getLhs() : Value();
}

// neg(neg(x)) -> x
OpFoldResult NegOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<NegOp>();
  return inner ? inner.getInput() : Value();
}

// abs(abs(x)) -> abs(x)
OpFoldResult AbsOp::fold(FoldAdaptor) {
  return getInput().getDefiningOp<AbsOp>() ? getInput() : Value();
}

// not(not(x)) -> x
OpFoldResult NotOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<NotOp>();
  return inner ? inner.getInput() : Value();
}

// and(x, x) -> x
OpFoldResult AndOp::fold(FoldAdaptor) {
  return getLhs() == getRhs() ? getLhs() : Value();
}

// or(x, x) -> x
OpFoldResult OrOp::fold(FoldAdaptor) {
  return getLhs() == getRhs() ? getLhs() : Value();
}

// where(c, x, x) -> x; where(full(true), x, y) -> x
OpFoldResult WhereOp::fold(FoldAdaptor) {
  if (getTrueValue() == getFalseValue())
    return getTrueValue();
  auto full = getCondition().getDefiningOp<FullOp>();
  APInt value;
  if (!full || getScalar() ||
      !matchPattern(full.getValue(), m_ConstantInt(&value)))
    return {};
  return value.isZero() ? getFalseValue() : getTrueValue();
}

//===----------------------------------------------------------------------===//
// Index maps
//===----------------------------------------------------------------------===//

// broadcast(x) dims [] -> x
OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getDims().empty() ? getInput() : Value();
}

// expand(x) to its own type -> x. No dimension is repeated: it would be 1 in
// one of the types.
OpFoldResult ExpandOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

// permute(x) [0, 1, ..] -> x; permute(permute(x)) -> permute(x)
OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (llvm::equal(getPermutation(),
                  llvm::seq<int64_t>(0, getPermutation().size())))
    return getInput();
  auto inner = getInput().getDefiningOp<PermuteOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> permutation;
  for (int64_t dim : getPermutation())
    permutation.push_back(inner.getPermutation()[dim]);
  setPermutation(permutation);
  getInputMutable().assign(inner.getInput());
  return getResult();
}

// reshape(x) to its own type -> x, if at most one size is open;
// reshape(reshape(x)) -> reshape(x)
OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  RankedTensorType type = getType();
  // Of no elements any size will do: an open one does not follow from others.
  bool isAnySize =
      !type.hasStaticShape() && llvm::is_contained(type.getShape(), 0);
  if (getInput().getType() == type && type.getNumDynamicDims() <= 1 &&
      (!isAnySize || getSizes().empty()))
    return getInput();
  auto inner = getInput().getDefiningOp<ReshapeOp>();
  if (!inner || (isAnySize && getSizes().empty()))
    return {};
  getInputMutable().assign(inner.getInput());
  return getResult();
}

// slice(x) of all of x -> x
OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool isWhole =
      getType() == getInput().getType() && getType().hasStaticShape() &&
      getOffsets().empty() && getSteps().empty() &&
      llvm::all_of(getStaticOffsets(),
                   [](int64_t offset) { return offset == 0; }) &&
      llvm::all_of(getStaticSteps(), [](int64_t step) { return step == 1; });
  return isWhole ? getInput() : Value();
}

// cat(x) -> x
OpFoldResult CatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? getInputs().front() : Value();
}

/// Whether a map has as many elements as it says, whatever its sizes are:
/// else it checks that when the program runs.
static bool keepsCount(Operation *) { return true; }
static bool keepsCount(ReshapeOp op) {
  auto countKnown = [](RankedTensorType type) {
    int64_t count = 1;
    for (int64_t size : type.getShape())
      count *= ShapedType::isDynamic(size) ? 1 : size;
    return count;
  };
  // The one size that it does not state is that of all open ones.
  return op.getSizes().empty() &&
         countKnown(op.getInput().getType()) == countKnown(op.getType());
}

namespace {
// map(full(v)) -> full(v)
template <typename OpT>
struct MapOfFull : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto full = op.getInput().template getDefiningOp<FullOp>();
    if (!full)
      return rewriter.notifyMatchFailure(op, "input is no full");
    if (!keepsCount(op))
      return rewriter.notifyMatchFailure(op, "it checks its sizes");
    auto scalarOf = [](Value scalar) { return scalar; };
    auto unknownDim = [](Value, int64_t) { return OpFoldResult(); };
    EmitContext fullContext{rewriter, op.getLoc(), unknownDim, scalarOf};
    auto dimOf = [&](Value, int64_t dim) {
      return full.reifyDim(fullContext, 0, dim);
    };
    EmitContext ctx{rewriter, op.getLoc(), dimOf, scalarOf};
    SmallVector<Value> sizes;
    RankedTensorType type = op.getType();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(emitIndex(ctx, op.reifyDim(ctx, 0, dim)));
    rewriter.replaceOpWithNewOp<FullOp>(op, type, full.getValue(), sizes);
    return success();
  }
};
} // namespace

namespace {
// broadcast_in_dim(x) -> expand(broadcast(x))
struct SplitBroadcast : OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> added;
    for (int64_t dim = 0; dim < op.getType().getRank(); ++dim)
      if (!llvm::is_contained(op.getDims(), dim))
        added.push_back(dim);
    Value input = op.getInput();
    if (!added.empty())
      input = BroadcastOp::create(rewriter, op.getLoc(), input,
                                  rewriter.getDenseI64ArrayAttr(added));
    rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), input,
                                          op.getSizes());
    return success();
  }
};
} // namespace

void BroadcastInDimOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<SplitBroadcast>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MapOfFull<BroadcastOp>>(context);
}

void ExpandOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<MapOfFull<ExpandOp>>(context);
}

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MapOfFull<PermuteOp>>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MapOfFull<ReshapeOp>>(context);
}

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<MapOfFull<SliceOp>>(context);
}

//===----------------------------------------------------------------------===//
// Segment
//===----------------------------------------------------------------------===//

namespace {
// An operand that the region does not use, or that it has twice, goes. Once
// there is a kernel its signature is fixed.
struct DropSegmentOperands : OpRewritePattern<SegmentOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SegmentOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getHostFunction())
      return rewriter.notifyMatchFailure(op, "it has a kernel");
    Block &body = op.getBody().front();
    llvm::SmallDenseMap<Value, BlockArgument> first;
    BitVector drop(op.getInputs().size());
    for (auto [operand, argument] :
         llvm::zip(op.getInputs(), body.getArguments()))
      if (argument.use_empty() || !first.try_emplace(operand, argument).second)
        drop.set(argument.getArgNumber());
    if (drop.none())
      return rewriter.notifyMatchFailure(op, "all operands are used");
    rewriter.modifyOpInPlace(op, [&]() {
      for (unsigned number : drop.set_bits()) {
        BlockArgument argument = body.getArgument(number);
        BlockArgument same = first.lookup(op.getInputs()[number]);
        if (!argument.use_empty())
          rewriter.replaceAllUsesWith(argument, same);
      }
      body.eraseArguments(drop);
      op->eraseOperands(drop);
    });
    return success();
  }
};
} // namespace

void SegmentOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropSegmentOperands>(context);
}
