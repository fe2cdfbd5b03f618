//===- MathPatterns.cpp - Arithmetic of NVIDIA GPUs -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathPatterns.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fuser {

namespace {

// rsqrt(x) => y + y/2 * (1 - x*y*y), where y is the hardware's approximation,
// which is two units off at most. One Newton step leaves less than one unit.
// Where the step is no number (x is 0, infinite or negative) y is exact.
struct RefineRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "only f32 is approximated");
    if (bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "an approximation is asked for");
    Location loc = op.getLoc();
    auto constant = [&](float value) -> Value {
      TypedAttr attr = rewriter.getFloatAttr(rewriter.getF32Type(), value);
      if (auto vector = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vector, value);
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    Value x = op.getOperand();
    Value y =
        math::RsqrtOp::create(rewriter, loc, x, arith::FastMathFlags::afn);
    Value root = arith::MulFOp::create(rewriter, loc, x, y);
    Value minusRoot = arith::NegFOp::create(rewriter, loc, root);
    Value error =
        math::FmaOp::create(rewriter, loc, minusRoot, y, constant(1.0f));
    Value half = arith::MulFOp::create(rewriter, loc, y, constant(0.5f));
    Value refined = math::FmaOp::create(rewriter, loc, half, error, y);
    Value isNumber = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::ORD, error, error);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNumber, refined, y);
    return success();
  }
};

// a / b with fastmath<afn> => div.full: two units off at most, for all numbers.
// LLVM's own choice (div.approx) gives 0 for divisors beyond 2^126.
struct ApproximateDivision : ConvertOpToLLVMPattern<arith::DivFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "no approximation is asked for");
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        (vector && (vector.getRank() != 1 || vector.isScalable())))
      return rewriter.notifyMatchFailure(op, "neither f32 nor 1-D of f32");
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    auto divide = [&](Value lhs, Value rhs) -> Value {
      return LLVM::CallIntrinsicOp::create(
                 rewriter, loc, f32,
                 rewriter.getStringAttr("llvm.nvvm.div.full"),
                 ValueRange{lhs, rhs})
          .getResult(0);
    };
    if (!vector) {
      rewriter.replaceOp(op, divide(adaptor.getLhs(), adaptor.getRhs()));
      return success();
    }
    Value result = LLVM::PoisonOp::create(rewriter, loc, vector);
    for (int64_t lane = 0; lane != vector.getNumElements(); ++lane) {
      Value index =
          LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), lane);
      Value lhs = LLVM::ExtractElementOp::create(rewriter, loc,
                                                 adaptor.getLhs(), index);
      Value rhs = LLVM::ExtractElementOp::create(rewriter, loc,
                                                 adaptor.getRhs(), index);
      result = LLVM::InsertElementOp::create(rewriter, loc, result,
                                             divide(lhs, rhs), index);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// One op of math that is one instruction, for scalars and vectors.
template <typename SourceOp, typename TargetOp>
using InstructionPattern =
    VectorConvertToLLVMPattern<SourceOp, TargetOp,
                               arith::AttrConvertFastMathToLLVM>;

} // namespace

void populatePreciseMathPatterns(RewritePatternSet &patterns) {
  patterns.add<RefineRsqrt>(patterns.getContext());
}

void populateMathToNVPTXPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<ApproximateDivision>(converter, /*benefit=*/3);
  // Calls of libdevice for these would become the same instructions, later.
  patterns.add<InstructionPattern<math::AbsFOp, LLVM::FAbsOp>,
               InstructionPattern<math::CeilOp, LLVM::FCeilOp>,
               InstructionPattern<math::CopySignOp, LLVM::CopySignOp>,
               InstructionPattern<math::FloorOp, LLVM::FFloorOp>,
               InstructionPattern<math::FmaOp, LLVM::FMAOp>,
               InstructionPattern<math::RoundEvenOp, LLVM::RoundEvenOp>,
               InstructionPattern<math::SqrtOp, LLVM::SqrtOp>,
               InstructionPattern<math::TruncOp, LLVM::FTruncOp>>(
      converter, /*benefit=*/3);
  populateLibDeviceConversionPatterns(converter, patterns, /*benefit=*/2);
  // What remains: integers and predicates.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/1);
}

} // namespace fuser
