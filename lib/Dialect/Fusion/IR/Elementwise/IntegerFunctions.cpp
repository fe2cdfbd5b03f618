//===- IntegerFunctions.cpp - Functions of integers ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementFunctions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;
using namespace fuser::fusion;

/// `values`, and what `body` makes of them, again and again while `counter`,
/// the last of them, is not 0 in some lane.
static SmallVector<Value>
emitWhileNotZero(EmitContext &ctx, ValueRange values,
                 llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  OpBuilder &b = ctx.builder;
  TypeRange types = values.getTypes();
  SmallVector<Location> locs(values.size(), ctx.loc);
  auto loop = scf::WhileOp::create(b, ctx.loc, types, values);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  Value counter = before->getArguments().back();
  Value goesOn = emitCompare(ctx, arith::CmpIPredicate::ne, counter,
                             emitConstant(ctx, counter.getType(), 0));
  if (isa<VectorType>(goesOn.getType()))
    goesOn = vector::ReductionOp::create(b, ctx.loc, vector::CombiningKind::OR,
                                         goesOn);
  scf::ConditionOp::create(b, ctx.loc, goesOn, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  scf::YieldOp::create(b, ctx.loc, body(after->getArguments()));
  return SmallVector<Value>(loop.getResults());
}

/// Of an integer of type `element`, as an unsigned one.
static Value emitMagnitude(EmitContext &ctx, Type element, Value value) {
  if (!isSignedElement(element))
    return value;
  Value zero = emitConstant(ctx, value.getType(), 0);
  Value isNegative = emitCompare(ctx, arith::CmpIPredicate::slt, value, zero);
  return emitSelect(ctx, isNegative,
                    arith::SubIOp::create(ctx.builder, ctx.loc, zero, value),
                    value);
}

/// Euclid's: (a, b) and (b, a mod b) have one divisor.
Value fusion::emitGcd(EmitContext &ctx, Type element, ValueRange operands) {
  SmallVector<Value> init = {emitMagnitude(ctx, element, operands[0]),
                             emitMagnitude(ctx, element, operands[1])};
  auto step = [&](ValueRange values) -> SmallVector<Value> {
    Value a = values[0], b = values[1];
    // A lane whose b is 0 stays as it is: 0 is left of a division by 1.
    Value isDone = emitCompare(ctx, arith::CmpIPredicate::eq, b,
                               emitConstant(ctx, b.getType(), 0));
    Value divisor =
        emitSelect(ctx, isDone, emitConstant(ctx, b.getType(), 1), b);
    Value rest = arith::RemUIOp::create(ctx.builder, ctx.loc, a, divisor);
    return {emitSelect(ctx, isDone, a, b), rest};
  };
  return emitWhileNotZero(ctx, init, step)[0];
}

/// A product for each bit of the exponent. To a negative power 1 and -1 are
/// themselves, or 1, and all others 0.
static Value emitIntegerPower(EmitContext &ctx, Type element, Value base,
                              Value exponent) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Type type = base.getType();
  Value zero = emitConstant(ctx, type, 0), one = emitConstant(ctx, type, 1);
  Value isNegative = emitCompare(
      ctx, getPredicate(element, arith::CmpIPredicate::slt), exponent, zero);
  Value parity = arith::AndIOp::create(b, loc, exponent, one);
  exponent = emitSelect(ctx, isNegative, parity, exponent);
  auto step = [&](ValueRange values) -> SmallVector<Value> {
    Value result = values[0], power = values[1], rest = values[2];
    Value isSet = emitCompare(ctx, arith::CmpIPredicate::ne,
                              arith::AndIOp::create(b, loc, rest, one), zero);
    Value product = arith::MulIOp::create(b, loc, result, power);
    return {emitSelect(ctx, isSet, product, result),
            arith::MulIOp::create(b, loc, power, power),
            arith::ShRUIOp::create(b, loc, rest, one)};
  };
  Value result = emitWhileNotZero(ctx, {one, base, exponent}, step)[0];
  Value isUnit = emitCompare(ctx, arith::CmpIPredicate::eq,
                             emitMagnitude(ctx, element, base), one);
  Value isFraction = arith::AndIOp::create(
      b, loc, isNegative,
      emitCompare(ctx, arith::CmpIPredicate::eq, isUnit,
                  emitConstant(ctx, isUnit.getType(), APInt(1, 0))));
  return emitSelect(ctx, isFraction, zero, result);
}

Value fusion::emitPower(EmitContext &ctx, Type element, ValueRange operands) {
  if (isFloat(operands[0]))
    return math::PowFOp::create(ctx.builder, ctx.loc, operands[0], operands[1]);
  return emitIntegerPower(ctx, element, operands[0], operands[1]);
}
