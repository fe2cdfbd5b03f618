//===- ElementwiseOps.cpp - Ops that compute element by element -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/PowersOfTwo.h"
#include <cmath>

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

template <typename OpT>
static Value make(GrowingProgram &program, ValueRange operands) {
  return OpT::create(program.builder, operands);
}

//===----------------------------------------------------------------------===//
// Functions of one tensor
//===----------------------------------------------------------------------===//

void fuzz::addSimpleUnary(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.isBool())
    return;
  Value value = program.random.chance(50) ? make<NegOp>(program, tensor.value)
                                          : make<AbsOp>(program, tensor.value);
  program.add(value, tensor.dims, tensor.range);
}

/// A tensor whose elements are at least `least`; if that is 0, maybe negative.
struct Positive {
  Tensor tensor;
  double least;
};

static Positive makePositive(GrowingProgram &program, const Tensor &tensor) {
  unsigned kind = program.random.below(10);
  if (kind == 0)
    return {tensor, 0};
  if (kind == 1) {
    Tensor small = program.tame(tensor);
    Value exp = make<ExpOp>(program, small.value);
    return {program.add(exp, small.dims, {std::exp(4.0), false}),
            std::exp(-4.0)};
  }
  Tensor positive = program.add(make<AbsOp>(program, tensor.value), tensor.dims,
                                tensor.range);
  if (kind == 2)
    return {positive, 0};
  Tensor half = program.addFull(tensor.dims, tensor.element, 0.5);
  Value sum = make<AddOp>(program, {positive.value, half.value});
  return {program.add(sum, tensor.dims, {tensor.range.limit + 0.5, false}),
          0.5};
}

/// Of what may be 0: nothing is known of its reciprocal but that f32 has it.
static double getReciprocalLimit(double least) {
  return least > 0 ? 1 / least : 1e25;
}

static void addFunctionOfPositive(GrowingProgram &program,
                                  const Tensor &tensor) {
  auto [positive, least] = makePositive(program, tensor);
  unsigned kind = program.random.below(3);
  double limit = std::sqrt(positive.range.limit);
  Value value;
  if (kind == 0) {
    value = make<SqrtOp>(program, positive.value);
  } else if (kind == 1) {
    limit = std::sqrt(getReciprocalLimit(least));
    value = make<RsqrtOp>(program, positive.value);
  } else {
    limit = 800;
    value = make<LogOp>(program, positive.value);
  }
  // The op is there; too great a number is nobody's operand.
  if (fits(tensor.element, {limit, false}))
    program.add(value, tensor.dims, {limit, false});
}

void fuzz::addFunction(GrowingProgram &program, const Tensor &tensor) {
  if (!tensor.isFloat())
    return;
  Value value;
  double limit = 1;
  switch (program.random.below(8)) {
  case 0:
  case 1:
    return addFunctionOfPositive(program, tensor);
  case 2:
  case 3: {
    Tensor small = program.tame(tensor);
    value = make<ExpOp>(program, small.value);
    limit = std::exp(4.0);
    break;
  }
  case 4:
    value = make<TanhOp>(program, tensor.value);
    break;
  case 5:
    value = make<SigmoidOp>(program, tensor.value);
    break;
  case 6:
    value = make<SiluOp>(program, tensor.value);
    limit = tensor.range.limit;
    break;
  default:
    return addDivision(program, tensor);
  }
  program.add(value, tensor.dims, {limit, false});
}

//===----------------------------------------------------------------------===//
// Two tensors
//===----------------------------------------------------------------------===//

void fuzz::addBinary(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.isBool())
    return addChoice(program, tensor);
  Tensor lhs = tensor, rhs = program.pickLike(tensor);
  if (program.random.chance(50))
    std::swap(lhs, rhs);
  using Make = Value (*)(GrowingProgram &, ValueRange);
  static constexpr Make kinds[] = {make<AddOp>, make<SubOp>, make<MulOp>,
                                   make<MaxOp>, make<MinOp>};
  unsigned kind = program.random.below(5);
  auto getRange = [&] {
    double a = lhs.range.limit, b = rhs.range.limit;
    bool isExact = lhs.range.isExact && rhs.range.isExact;
    if (kind > 2)
      return Magnitude{std::max(a, b), isExact};
    return Magnitude{kind == 2 ? a * b : a + b, isExact && !tensor.isFloat()};
  };
  if (!fits(tensor.element, getRange())) {
    lhs = program.tame(lhs);
    rhs = program.tame(rhs);
  }
  Magnitude range = getRange();
  if (!fits(tensor.element, range))
    return;
  Value value = kinds[kind](program, {lhs.value, rhs.value});
  program.add(value, tensor.dims, range);
}

void fuzz::addDivision(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.isBool())
    return;
  Tensor divisor = program.pickLike(tensor);
  if (!tensor.isFloat()) {
    // A quotient by 0 is 0; one of integers is no greater than the dividend.
    Value value = make<DivOp>(program, {tensor.value, divisor.value});
    bool isExact = tensor.range.isExact && divisor.range.isExact;
    program.add(value, tensor.dims, {tensor.range.limit, isExact});
    return;
  }
  auto [positive, least] = makePositive(program, divisor);
  double limit = tensor.range.limit * getReciprocalLimit(least);
  if (!fits(tensor.element, {limit, false}))
    return;
  Value value = make<DivOp>(program, {tensor.value, positive.value});
  program.add(value, tensor.dims, {limit, false});
}

//===----------------------------------------------------------------------===//
// Comparisons and choices
//===----------------------------------------------------------------------===//

/// A tensor of i1 of these sizes.
static Tensor makeCondition(GrowingProgram &program, const Tensor &tensor) {
  if (program.random.chance(25))
    return program.pickLike(tensor.dims, program.builder.getI1Type());
  Tensor lhs = tensor, rhs = program.pickLike(tensor);
  auto predicate = static_cast<CmpPredicate>(program.random.below(6));
  Value value = CmpOp::create(program.builder, predicate, lhs.value, rhs.value);
  Tensor condition = program.add(value, tensor.dims,
                                 {1, lhs.range.isExact && rhs.range.isExact});
  if (!program.random.chance(15))
    return condition;
  return program.add(make<SegmentSetOp>(program, condition.value),
                     condition.dims, condition.range);
}

void fuzz::addChoice(GrowingProgram &program, const Tensor &tensor) {
  Tensor condition = makeCondition(program, tensor);
  Tensor other = program.pickLike(tensor);
  Value value =
      make<WhereOp>(program, {condition.value, tensor.value, other.value});
  program.add(
      value, tensor.dims,
      {std::max(tensor.range.limit, other.range.limit),
       tensor.range.isExact && other.range.isExact && condition.range.isExact});
}

//===----------------------------------------------------------------------===//
// Casts and copies
//===----------------------------------------------------------------------===//

/// Of a tensor of these elements, cast.
static Magnitude getCastRange(const Tensor &tensor, Type to) {
  Magnitude range = tensor.range;
  if (to.isInteger(1))
    return {1, range.isExact};
  if (isPowersOfTwo(to))
    return {2 * range.limit + 1, range.isExact};
  // The reference does not round what is not an f64 to f32.
  if (to.isF32() && !tensor.isFloat())
    range.isExact &= range.limit <= 0x1p24;
  if (isa<IntegerType>(to) && tensor.isFloat())
    range.limit = std::min({range.limit, 0x1p62, getMost(to)});
  return range;
}

static void addCastTo(GrowingProgram &program, const Tensor &tensor, Type to) {
  Magnitude range = getCastRange(tensor, to);
  // Wrapped integers have no limit.
  double limit = fits(tensor.element, {tensor.range.limit, false})
                     ? range.limit
                     : getMost(tensor.element);
  range.limit = to.isInteger(1) ? 1 : limit;
  if (!fits(to, range))
    return;
  Value value = CastOp::create(program.builder,
                               program.getType(tensor.dims, to), tensor.value);
  program.add(value, tensor.dims, range);
}

/// The bits of numbers that are known exactly, or these numbers with the other
/// sign.
static void addBits(GrowingProgram &program, const Tensor &tensor) {
  unsigned width = tensor.element.getIntOrFloatBitWidth();
  Type to = program.builder.getIntegerType(width);
  ImplicitLocOpBuilder &b = program.builder;
  Value bits =
      BitcastOp::create(b, program.getType(tensor.dims, to), tensor.value);
  if (program.random.chance(50)) {
    program.add(bits, tensor.dims, {getMost(to), true});
    return;
  }
  TypedAttr sign = IntegerAttr::get(to, APInt::getSignedMinValue(width));
  Value flipped = XorOp::create(b, bits, Value(), sign);
  program.add(BitcastOp::create(b, tensor.value.getType(), flipped),
              tensor.dims, tensor.range);
}

/// Whether it may be cast to f4E2M1FN, two of which lie in a byte. Where
/// kernels round an element to another number, the reference may find the next
/// one.
static bool canPack(const Tensor &tensor) {
  Type element = tensor.element;
  return (element.isF32() || element.isF16() || element.isBF16()) &&
         tensor.range.isExact && !tensor.dims.empty() &&
         tensor.dims.back().size % 2 == 0;
}

/// Packed elements, of `tensor` or of an input, and what they are as floats.
static void addPacked(GrowingProgram &program, const Tensor &tensor) {
  ImplicitLocOpBuilder &b = program.builder;
  auto element = Float4E2M1FNType::get(b.getContext());
  Tensor packed{Value(), tensor.dims, element, {kMostPacked, true}};
  if (program.canAddInput() && program.random.chance(30)) {
    packed = program.addInput(tensor.dims, element);
  } else {
    packed.value =
        CastOp::create(b, program.getType(tensor.dims, element), tensor.value);
    program.addApart(packed);
  }
  Type to = program.random.pick<Type>(
      {b.getF32Type(), b.getF16Type(), b.getBF16Type()});
  Value value =
      CastOp::create(b, program.getType(tensor.dims, to), packed.value);
  program.add(value, tensor.dims, packed.range);
}

void fuzz::addCast(GrowingProgram &program, const Tensor &tensor) {
  if (canPack(tensor) && program.random.chance(15))
    return addPacked(program, tensor);
  if (tensor.isFloat() && tensor.range.isExact && program.random.chance(20))
    return addBits(program, tensor);
  Type to = program.pickElement();
  if (to != tensor.element || program.random.chance(5))
    addCastTo(program, tensor, to);
}

void fuzz::addNarrowing(GrowingProgram &program, const Tensor &tensor) {
  bool isBrain = program.random.chance(70) && !tensor.element.isBF16();
  Type to = isBrain ? Type(program.builder.getBF16Type())
                    : Type(program.builder.getF16Type());
  if (tensor.isFloat())
    addCastTo(program, tensor, to);
}

void fuzz::addCopy(GrowingProgram &program, const Tensor &tensor) {
  Value value = program.random.chance(70)
                    ? make<SegmentSetOp>(program, tensor.value)
                    : make<SetOp>(program, tensor.value);
  program.add(value, tensor.dims, tensor.range);
}

void fuzz::addConstant(GrowingProgram &program, const Tensor &tensor) {
  double number = program.random.pick({1.0, 3.0, -2.0, 0.0, 7.0});
  if (tensor.isBool())
    number = program.random.chance(50);
  else if (tensor.isFloat())
    number = program.random.pick({0.5, 0.7, 1.3, 3.1, 10.9, -2.0, 0.0});
  Tensor full = program.addFull(tensor.dims, tensor.element, number);
  if (program.random.chance(20))
    return addFunction(program, full);
  addBinary(program, full);
}

void fuzz::addRandom(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.isBool())
    return addConstant(program, tensor);
  OpBuilder &b = program.builder;
  Location loc = program.builder.getLoc();
  auto makeNumber = [&]() -> Value {
    return arith::ConstantIntOp::create(b, loc, program.random.between(-9, 9),
                                        64);
  };
  bool isWide = tensor.element.getIntOrFloatBitWidth() >= 32;
  if (!tensor.isFloat() && !isWide)
    return addConstant(program, tensor);
  Type type = program.getType(tensor.dims, tensor.element);
  Value seed = makeNumber(), offset = makeNumber();
  SmallVector<Value> sizes = program.getOpenSizes(tensor.dims);
  if (tensor.isFloat()) {
    Value uniform = UniformOp::create(b, loc, type, seed, offset, sizes);
    return addBinary(program, program.add(uniform, tensor.dims, {1, true}));
  }
  Value bits = RandomBitsOp::create(b, loc, type, seed, offset, sizes);
  constexpr int64_t kMask = 255;
  Tensor mask = program.addFull(tensor.dims, tensor.element, kMask);
  Value some = AndOp::create(b, loc, bits, mask.value);
  addBinary(program, program.add(some, tensor.dims, {kMask, true}));
}
