//===- FloatToInteger.cpp - Floats as integers of any width ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

namespace fuser {

/// PTX's cvt has results of 16, 32 and 64 bits.
static unsigned getConvertedWidth(unsigned width) {
  return std::max<unsigned>(16, llvm::PowerOf2Ceil(width));
}

namespace {
// A float as an integer of iN => one of the next width that GPUs have, without
// its upper bits. What that is for a float beyond iN is what LLVM makes of it
// for PTX; but of i1, for which LLVM's instructions answer whether the float's
// bits are all 0.
template <typename OpTy>
struct WidenConversion : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    unsigned converted = getConvertedWidth(width);
    if (converted == width || converted > 64)
      return rewriter.notifyMatchFailure(op, "no other width to convert to");
    Type wide = rewriter.getIntegerType(converted);
    if (auto shaped = dyn_cast<ShapedType>(type))
      wide = shaped.clone(wide);
    Value result = OpTy::create(rewriter, op.getLoc(), wide, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, result);
    return success();
  }
};
} // namespace

void populateFloatToIntegerPatterns(RewritePatternSet &patterns) {
  patterns
      .add<WidenConversion<arith::FPToSIOp>, WidenConversion<arith::FPToUIOp>>(
          patterns.getContext());
}

} // namespace fuser
