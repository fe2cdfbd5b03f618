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

// vector.gather => a load for each lane whose mask is set.
struct ExpandGather : OpRewritePattern<vector::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::GatherOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!isOfLanes(op, op.getBase(), type))
      return rewriter.notifyMatchFailure(op, "masked, or no lanes of memory");
    Location loc = op.getLoc();
    Value result = op.getPassThru();
    for (int64_t lane = 0; lane != type.getNumElements(); ++lane) {
      Value isSet =
          vector::ExtractOp::create(rewriter, loc, op.getMask(), lane);
      auto choice = scf::IfOp::create(
          rewriter, loc, isSet,
          [&](OpBuilder &b, Location loc) {
            Value element = memref::LoadOp::create(
                b, loc, op.getBase(),
                getIndices(b, loc, op.getOffsets(), op.getIndices(), lane));
            scf::YieldOp::create(
                b, loc,
                vector::InsertOp::create(b, loc, element, result, lane)
                    .getResult());
          },
          [&](OpBuilder &b, Location loc) {
            scf::YieldOp::create(b, loc, result);
          });
      result = choice.getResult(0);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

// vector.scatter => a store for each lane whose mask is set, in their order.
struct ExpandScatter : OpRewritePattern<vector::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!isOfLanes(op, op.getBase(), type))
      return rewriter.notifyMatchFailure(op, "masked, or no lanes of memory");
    Location loc = op.getLoc();
    for (int64_t lane = 0; lane != type.getNumElements(); ++lane) {
      Value isSet =
          vector::ExtractOp::create(rewriter, loc, op.getMask(), lane);
      scf::IfOp::create(rewriter, loc, isSet, [&](OpBuilder &b, Location loc) {
        Value element =
            vector::ExtractOp::create(b, loc, op.getValueToStore(), lane);
        memref::StoreOp::create(
            b, loc, element, op.getBase(),
            getIndices(b, loc, op.getOffsets(), op.getIndices(), lane));
        scf::YieldOp::create(b, loc);
      });
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateElementPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandCopy, ExpandGather, ExpandScatter>(patterns.getContext());
}

} // namespace fuser
