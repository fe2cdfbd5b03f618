//===- Elements.cpp - Accesses to one element after the other -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPUs have no instructions for these ops, and the simulator could not check
// what LLVM has for them.
//
//===----------------------------------------------------------------------===//

#include "ExpandPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fuser {

/// The indices of an element whose last one is that of `indices` and `lane` of
/// `offsets`.
static SmallVector<Value> getIndices(OpBuilder &b, Location loc,
                                     ValueRange indices, Value offsets,
                                     int64_t lane) {
  SmallVector<Value> result(indices);
  Value offset = vector::ExtractOp::create(b, loc, offsets, lane);
  if (!offset.getType().isIndex())
    offset = arith::IndexCastOp::create(b, loc, b.getIndexType(), offset);
  result.back() = arith::AddIOp::create(b, loc, result.back(), offset);
  return result;
}

/// Whether `op` takes lanes of `vector` from or to a memref, and not under
/// another mask, which becomes part of its own first.
static bool isOfLanes(Operation *op, Value base, VectorType vector) {
  return isa<MemRefType>(base.getType()) && vector.getRank() == 1 &&
         !vector.isScalable() && !isa<vector::MaskOp>(op->getParentOp());
}

/// What the results are before the first lane.
static SmallVector<Value> getInitial(vector::GatherOp op) {
  return {op.getPassThru()};
}
static SmallVector<Value> getInitial(vector::ScatterOp) { return {}; }

/// Accesses the element of `lane`: what the results, `values`, become.
static SmallVector<Value> accessLane(OpBuilder &b, Location loc,
                                     vector::GatherOp op, ValueRange indices,
                                     ValueRange values, int64_t lane) {
  Value element = memref::LoadOp::create(b, loc, op.getBase(), indices);
  return {vector::InsertOp::create(b, loc, element, values.front(), lane)};
}
static SmallVector<Value> accessLane(OpBuilder &b, Location loc,
                                     vector::ScatterOp op, ValueRange indices,
                                     ValueRange, int64_t lane) {
  Value element = vector::ExtractOp::create(b, loc, op.getValueToStore(), lane);
  memref::StoreOp::create(b, loc, element, op.getBase(), indices);
  return {};
}

namespace {
// memref.copy => loops over all dimensions.
struct ExpandCopy : OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::CopyOp op,
                                PatternRewriter &rewriter) const override {
    Value source = op.getSource(), target = op.getTarget();
    auto type = dyn_cast<MemRefType>(source.getType());
    if (!type || !isa<MemRefType>(target.getType()))
      return rewriter.notifyMatchFailure(op, "no ranks");
    Location loc = op.getLoc();
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    SmallVector<Value> indices;
    for (int64_t dim = 0; dim != type.getRank(); ++dim) {
      Value size = memref::DimOp::create(rewriter, loc, source, index(dim));
      auto loop = scf::ForOp::create(rewriter, loc, index(0), size, index(1));
      indices.push_back(loop.getInductionVar());
      rewriter.setInsertionPointToStart(loop.getBody());
    }
    Value element = memref::LoadOp::create(rewriter, loc, source, indices);
    memref::StoreOp::create(rewriter, loc, element, target, indices);
    rewriter.eraseOp(op);
    return success();
  }
};

// vector.gather => a load for each lane whose mask is set; vector.scatter => a
// store, in the order of the lanes.
template <typename OpTy>
struct ExpandLanes : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!isOfLanes(op, op.getBase(), type))
      return rewriter.notifyMatchFailure(op, "masked, or no lanes of memory");
    Location loc = op.getLoc();
    SmallVector<Value> values = getInitial(op);
    for (int64_t lane = 0; lane != type.getNumElements(); ++lane) {
      Value isSet =
          vector::ExtractOp::create(rewriter, loc, op.getMask(), lane);
      auto access = [&](OpBuilder &b, Location loc) {
        SmallVector<Value> indices =
            getIndices(b, loc, op.getOffsets(), op.getIndices(), lane);
        scf::YieldOp::create(b, loc,
                             accessLane(b, loc, op, indices, values, lane));
      };
      auto keep = [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, values);
      };
      auto choice = values.empty()
                        ? scf::IfOp::create(rewriter, loc, isSet, access)
                        : scf::IfOp::create(rewriter, loc, isSet, access, keep);
      values.assign(choice.result_begin(), choice.result_end());
    }
    rewriter.replaceOp(op, values);
    return success();
  }
};
} // namespace

void populateElementPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandCopy, ExpandLanes<vector::GatherOp>,
               ExpandLanes<vector::ScatterOp>>(patterns.getContext());
}

} // namespace fuser
