//===- Philox.cpp - Random numbers as arithmetic --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandPatterns.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fuser {

// As Random123 has them: its known answers are our tests.
constexpr uint32_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t kKeySteps[2] = {0x9E3779B9, 0xBB67AE85};
constexpr int kRounds = 10;

namespace {
struct ExpandPhilox : OpRewritePattern<kernel::PhiloxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::PhiloxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto element = [&](Value vector, int64_t index) -> Value {
      return vector::ExtractOp::create(rewriter, loc, vector, index);
    };
    auto constant = [&](uint32_t value) -> Value {
      return arith::ConstantOp::create(
          rewriter, loc,
          rewriter.getI32IntegerAttr(static_cast<int32_t>(value)));
    };
    Value key[2], counter[4];
    for (int64_t i = 0; i != 2; ++i)
      key[i] = element(op.getKey(), i);
    for (int64_t i = 0; i != 4; ++i)
      counter[i] = element(op.getCounter(), i);
    for (int round = 0; round != kRounds; ++round) {
      Value words[4];
      for (int i : {0, 1}) {
        // The low word by an op of its own: that of the long product makes
        // LLVM go on with 64 bits.
        Value multiplier = constant(kMultipliers[i]);
        Value low =
            arith::MulIOp::create(rewriter, loc, counter[2 * i], multiplier);
        auto product = arith::MulUIExtendedOp::create(
            rewriter, loc, counter[2 * i], multiplier);
        int to = 2 - 2 * i;
        Value mixed = arith::XOrIOp::create(rewriter, loc, product.getHigh(),
                                            counter[to + 1]);
        words[to] = arith::XOrIOp::create(rewriter, loc, mixed, key[1 - i]);
        words[to + 1] = low;
      }
      llvm::copy(words, counter);
      for (int i : {0, 1})
        key[i] = arith::AddIOp::create(rewriter, loc, key[i],
                                       constant(kKeySteps[i]));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, op.getType(),
                                                        ValueRange(counter));
    return success();
  }
};
} // namespace

void populatePhiloxPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandPhilox>(patterns.getContext());
}

} // namespace fuser
