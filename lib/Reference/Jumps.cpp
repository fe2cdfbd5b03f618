//===- Jumps.cpp - Where ops jump -----------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Reference/Jumps.h"
#include "BoundArithmetic.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

#include "fuser/Reference/Jumps.cpp.inc"

using namespace fuser;
using namespace fuser::fusion;

Value JumpContext::emitConstant(double value) const {
  return reference::emitConstant(builder, loc, value);
}

Value JumpContext::emitNumber(unsigned operand) const {
  return reference::emitNumber(builder, loc, type, elements[operand]);
}

Value JumpContext::emitIsAnything(unsigned operand) const {
  return reference::emitIsAnything(builder, loc, bounds[operand]);
}

Value JumpContext::emitIsWithin(Value distance, Value bound) const {
  return reference::emitIsWithin(builder, loc, distance, bound);
}

static Value emitMagnitude(JumpContext &ctx, Value number) {
  return math::AbsFOp::create(ctx.builder, ctx.loc, number);
}

/// True where the element of an operand may be 0 or have another sign.
static Value emitIsNearZero(JumpContext &ctx, unsigned operand) {
  Value magnitude = emitMagnitude(ctx, ctx.emitNumber(operand));
  return ctx.emitIsWithin(magnitude, ctx.bounds[operand]);
}

static Value emitInfinity(JumpContext &ctx) {
  return ctx.emitConstant(std::numeric_limits<double>::infinity());
}

namespace {

/// What corners do not show: whether floats are equal, whose bounds leave out
/// terms of second order, and equality of all else.
struct CmpJumps : public JumpOpInterface::ExternalModel<CmpJumps, CmpOp> {
  Jump emitJump(Operation *op, JumpContext &ctx) const {
    auto cmp = cast<CmpOp>(op);
    bool isEquality = llvm::is_contained({CmpPredicate::Eq, CmpPredicate::Ne},
                                         cmp.getPredicate());
    bool isFloat = isa<FloatType>(ctx.elements[0].getType());
    // An element and itself are equal whatever it is.
    if (cmp.getLhs() == cmp.getRhs() || (!isEquality && !isFloat))
      return {};
    OpBuilder &b = ctx.builder;
    Value difference =
        arith::SubFOp::create(b, ctx.loc, ctx.emitNumber(0), ctx.emitNumber(1));
    Value bound =
        arith::AddFOp::create(b, ctx.loc, ctx.bounds[0], ctx.bounds[1]);
    return {ctx.emitIsWithin(emitMagnitude(ctx, difference), bound),
            ctx.emitConstant(1)};
  }
};

struct DivJumps : public JumpOpInterface::ExternalModel<DivJumps, DivOp> {
  Jump emitJump(Operation *, JumpContext &ctx) const {
    return {emitIsNearZero(ctx, 1), emitInfinity(ctx)};
  }
};

struct CastJumps : public JumpOpInterface::ExternalModel<CastJumps, CastOp> {
  Jump emitJump(Operation *op, JumpContext &ctx) const {
    if (getElementTypeOrSelf(op->getResult(0)).isInteger(1))
      return {emitIsNearZero(ctx, 0), ctx.emitConstant(1)};
    // NaN becomes an integer like any other.
    return {ctx.emitIsAnything(0), emitInfinity(ctx)};
  }
};

/// The functions that divide by what may overflow, which f64 does not, are 0
/// there.
template <typename OpT>
struct LogisticJumps
    : public JumpOpInterface::ExternalModel<LogisticJumps<OpT>, OpT> {
  Jump emitJump(Operation *op, JumpContext &ctx) const {
    if (getElementTypeOrSelf(op->getResult(0)).isF64())
      return {};
    Value magnitude = emitMagnitude(ctx, ctx.result);
    // No less than the result at -88.8.
    Value tiny = ctx.emitConstant(0x1p-121);
    Value isTiny = arith::CmpFOp::create(
        ctx.builder, ctx.loc, arith::CmpFPredicate::OLT, magnitude, tiny);
    return {isTiny, magnitude};
  }
};

/// Waves whose operand is off by more than a part of one may be anything.
template <typename OpT>
struct WaveJumps : public JumpOpInterface::ExternalModel<WaveJumps<OpT>, OpT> {
  Jump emitJump(Operation *, JumpContext &ctx) const {
    Value isFar =
        arith::CmpFOp::create(ctx.builder, ctx.loc, arith::CmpFPredicate::UGT,
                              ctx.bounds[0], ctx.emitConstant(0.5));
    return {isFar, ctx.emitConstant(2)};
  }
};

/// 1 / |tan x| is about as far as x is from a pole.
struct TanJumps : public JumpOpInterface::ExternalModel<TanJumps, TanOp> {
  Jump emitJump(Operation *, JumpContext &ctx) const {
    OpBuilder &b = ctx.builder;
    Value one = ctx.emitConstant(1);
    Value slope =
        arith::AddFOp::create(b, ctx.loc, one, emitMagnitude(ctx, ctx.result));
    Value reach = arith::MulFOp::create(b, ctx.loc, slope, ctx.bounds[0]);
    Value isFar = arith::CmpFOp::create(b, ctx.loc, arith::CmpFPredicate::UGT,
                                        reach, ctx.emitConstant(0.25));
    return {isFar, emitInfinity(ctx)};
  }
};

/// Above and below the negative half of the first axis lie pi and -pi.
struct Atan2Jumps : public JumpOpInterface::ExternalModel<Atan2Jumps, Atan2Op> {
  Jump emitJump(Operation *, JumpContext &ctx) const {
    OpBuilder &b = ctx.builder;
    auto isWithin = [&](Value distance, Value bound) -> Value {
      return arith::CmpFOp::create(b, ctx.loc, arith::CmpFPredicate::ULE,
                                   distance, bound);
    };
    Value isLeft = isWithin(ctx.elements[1], ctx.bounds[1]);
    Value isOnAxis =
        isWithin(emitMagnitude(ctx, ctx.elements[0]), ctx.bounds[0]);
    Value bound =
        arith::AddFOp::create(b, ctx.loc, ctx.bounds[0], ctx.bounds[1]);
    Value isInexact = arith::CmpFOp::create(
        b, ctx.loc, arith::CmpFPredicate::UGT, bound, ctx.emitConstant(0));
    Value isNear = arith::AndIOp::create(b, ctx.loc, isLeft, isOnAxis);
    return {arith::AndIOp::create(b, ctx.loc, isNear, isInexact),
            ctx.emitConstant(6.3)};
  }
};

/// Not positive, lgamma has poles.
struct LgammaJumps
    : public JumpOpInterface::ExternalModel<LgammaJumps, LgammaOp> {
  Jump emitJump(Operation *, JumpContext &ctx) const {
    OpBuilder &b = ctx.builder;
    Value isInexact =
        arith::CmpFOp::create(b, ctx.loc, arith::CmpFPredicate::UGT,
                              ctx.bounds[0], ctx.emitConstant(0));
    Value mayBeNegative = arith::CmpFOp::create(
        b, ctx.loc, arith::CmpFPredicate::ULE, ctx.elements[0], ctx.bounds[0]);
    return {arith::AndIOp::create(b, ctx.loc, isInexact, mayBeNegative),
            emitInfinity(ctx)};
  }
};

/// Bits say nothing of their neighbours; those of a NaN may be others.
struct BitcastJumps
    : public JumpOpInterface::ExternalModel<BitcastJumps, BitcastOp> {
  Jump emitJump(Operation *, JumpContext &ctx) const {
    OpBuilder &b = ctx.builder;
    Value element = ctx.emitNumber(0);
    Value isNaN = arith::CmpFOp::create(b, ctx.loc, arith::CmpFPredicate::UNO,
                                        element, element);
    Value isInexact =
        arith::CmpFOp::create(b, ctx.loc, arith::CmpFPredicate::UGT,
                              ctx.bounds[0], ctx.emitConstant(0));
    return {arith::OrIOp::create(b, ctx.loc, isNaN, isInexact),
            emitInfinity(ctx)};
  }
};

} // namespace

void fuser::registerJumps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, FusionDialect *) {
    CmpOp::attachInterface<CmpJumps>(*context);
    DivOp::attachInterface<DivJumps>(*context);
    CastOp::attachInterface<CastJumps>(*context);
    SigmoidOp::attachInterface<LogisticJumps<SigmoidOp>>(*context);
    SiluOp::attachInterface<LogisticJumps<SiluOp>>(*context);
    SinOp::attachInterface<WaveJumps<SinOp>>(*context);
    CosOp::attachInterface<WaveJumps<CosOp>>(*context);
    TanOp::attachInterface<TanJumps>(*context);
    Atan2Op::attachInterface<Atan2Jumps>(*context);
    LgammaOp::attachInterface<LgammaJumps>(*context);
    BitcastOp::attachInterface<BitcastJumps>(*context);
  });
}
