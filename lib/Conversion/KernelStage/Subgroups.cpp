//===- Subgroups.cpp - The warps of a block -------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandPatterns.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

namespace {
// gpu.subgroup_size => 32.
struct GetSubgroupSize : OpRewritePattern<gpu::SubgroupSizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::SubgroupSizeOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, kWarpSize);
    return success();
  }
};

// gpu.num_subgroups => the block's threads in warps, the last of which need not
// be whole.
struct CountSubgroups : OpRewritePattern<gpu::NumSubgroupsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::NumSubgroupsOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto getSize = [&](gpu::Dimension dimension) -> Value {
      return gpu::BlockDimOp::create(rewriter, loc, dimension);
    };
    Value threads = getSize(gpu::Dimension::x);
    for (gpu::Dimension dimension : {gpu::Dimension::y, gpu::Dimension::z})
      threads =
          arith::MulIOp::create(rewriter, loc, threads, getSize(dimension));
    Value warp = arith::ConstantIndexOp::create(rewriter, loc, kWarpSize);
    rewriter.replaceOpWithNewOp<arith::CeilDivUIOp>(op, threads, warp);
    return success();
  }
};
} // namespace

void populateSubgroupPatterns(RewritePatternSet &patterns) {
  patterns.add<CountSubgroups, GetSubgroupSize>(patterns.getContext());
}

} // namespace fuser
