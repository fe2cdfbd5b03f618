//===- MathPatterns.cpp - Arithmetic of NVIDIA GPUs -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathPatterns.h"
#include "fuser/Support/FloatBuilder.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fuser {

/// An intrinsic of f32, for each lane if the operands are vectors.
static Value emitByLane(OpBuilder &b, Location loc, ValueRange operands,
                        StringRef intrinsic) {
  auto call = [&](ValueRange lanes) -> Value {
    return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(),
                                         b.getStringAttr(intrinsic), lanes)
        .getResult(0);
  };
  auto vector = dyn_cast<VectorType>(operands.front().getType());
  if (!vector)
    return call(operands);
  Value result = LLVM::PoisonOp::create(b, loc, vector);
  for (int64_t lane = 0; lane != vector.getNumElements(); ++lane) {
    Value index = LLVM::ConstantOp::create(b, loc, b.getI32Type(), lane);
    SmallVector<Value> lanes;
    for (Value operand : operands)
      lanes.push_back(LLVM::ExtractElementOp::create(b, loc, operand, index));
    result = LLVM::InsertElementOp::create(b, loc, result, call(lanes), index);
  }
  return result;
}

/// f32, or a vector of it that has lanes of a known number.
static bool isSimpleF32(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return getElementTypeOrSelf(type).isF32() &&
         (!vector || (vector.getRank() == 1 && !vector.isScalable()));
}

/// e^x = 2^t e^d, where t is x log2(e) as it is rounded, and d = x - t ln(2),
/// what that leaves out, is so small that e^d is 1 + d. Off by four units
/// at most for results that are normal numbers up to 1; below them 0.
static Value emitSummandExp(OpBuilder &b, Location loc, Value x) {
  FloatBuilder f(b, loc, x.getType());
  Value t = f.mul(x, f.constantLike(x, 1.44269504));
  Value power = emitByLane(b, loc, t, "llvm.nvvm.ex2.approx.ftz.f");
  Value d = f.fma(t, f.constantLike(x, -0.693147181), x);
  // Beyond it is 0 or infinite, and d may be no number.
  constexpr double kLargest = 88.7228394; // 128 ln(2), rounded up.
  Value isFinite = f.compare(arith::CmpFPredicate::OLT, f.abs(x),
                             f.constantLike(x, kLargest));
  return f.select(isFinite, f.fma(power, d, power), power);
}

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
    if (!isSimpleF32(op.getType()))
      return rewriter.notifyMatchFailure(op, "neither f32 nor 1-D of f32");
    rewriter.replaceOp(op,
                       emitByLane(rewriter, op.getLoc(), adaptor.getOperands(),
                                  "llvm.nvvm.div.full"));
    return success();
  }
};

// exp with fastmath<afn> => exp without, which is libdevice's: two units off at
// most. The library's fast one is off by about as many as its operand is large.
// With kSummandFlags => half as many instructions.
struct ApproximateExp : OpConversionPattern<math::ExpOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(math::ExpOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "no approximation is asked for");
    Value x = op.getOperand();
    if (bitEnumContainsAll(op.getFastmath(), kSummandFlags) &&
        isSimpleF32(op.getType()))
      rewriter.replaceOp(op, emitSummandExp(rewriter, op.getLoc(), x));
    else
      rewriter.replaceOpWithNewOp<math::ExpOp>(op, x);
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
