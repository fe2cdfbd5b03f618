//===- Philox.cpp - Random numbers of kernels -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/Philox.h"
#include "ExpandPatterns.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fuser {

namespace {
struct ExpandPhilox : OpRewritePattern<kernel::PhiloxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::PhiloxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto element = [&](Value vector, int64_t index) -> Value {
      return vector::ExtractOp::create(rewriter, loc, vector, index);
    };
    std::array<Value, 2> key;
    std::array<Value, 4> counter;
    for (int64_t i = 0; i != 2; ++i)
      key[i] = element(op.getKey(), i);
    for (int64_t i = 0; i != 4; ++i)
      counter[i] = element(op.getCounter(), i);
    std::array<Value, 4> words = emitPhilox(rewriter, loc, key, counter);
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, op.getType(),
                                                        ValueRange(words));
    return success();
  }
};
} // namespace

void populatePhiloxPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandPhilox>(patterns.getContext());
}

} // namespace fuser
