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

// exp with fastmath<afn> => exp without, which is libdevice's: two units off at
// most. The library's fast one is off by about as many as its operand is large.
struct ApproximateExp : OpConversionPattern<math::ExpOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(math::ExpOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "no approximation is asked for");
    rewriter.replaceOpWithNewOp<math::ExpOp>(op, op.getOperand());
    return success();
  }
};

/// One op of math that is one instruction, for scalars and vectors.
template <typename SourceOp, typename TargetOp>
using InstructionPattern =
    VectorConvertToLLVMPattern<SourceOp, TargetOp,
                               arith::AttrConvertFastMathToLLVM>;

} // namespace

void populateMathToNVPTXPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<ApproximateDivision>(converter, /*benefit=*/3);
  patterns.add<ApproximateExp>(converter, patterns.getContext(),
                               /*benefit=*/3);
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
