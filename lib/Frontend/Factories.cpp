//===- Factories.cpp - Ops that make tensors of numbers, by name ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Term.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace fuser;
using namespace fuser::frontend;

/// The sizes `shape`, none of them negative, the last operands among them.
static FailureOr<SmallVector<OpFoldResult>> takeShape(Emitter &e) {
  FailureOr<SmallVector<OpFoldResult>> sizes = e.takeSizes("shape");
  if (failed(sizes) || failed(e.checkNoneLeft()))
    return failure();
  for (OpFoldResult size : *sizes)
    if (std::optional<int64_t> known = getConstantIntValue(size);
        known && *known < 0)
      return e.error() << "sizes that are not negative, got " << *known;
  return sizes;
}

/// The type of a tensor of one scalar: its own, but i64 for a size, and f32 for
/// a number that is a float, as PyTorch has it.
static Type getTypeOfAll(Emitter &e, Value scalar) {
  Type own = getElement(scalar);
  if (own.isIndex())
    return e.builder.getI64Type();
  return own.isF64() && getNumber(scalar) ? Type(e.builder.getF32Type()) : own;
}

/// A tensor without dimensions at every place.
static Results repeatElement(Emitter &e, Type type) {
  FailureOr<TypedValue<RankedTensorType>> element = e.takeTensor();
  if (failed(element))
    return failure();
  FailureOr<Value> value = e.cast(*element, type);
  FailureOr<SmallVector<OpFoldResult>> sizes = takeShape(e);
  if (failed(value) || failed(sizes))
    return failure();
  return single(e.broadcastTo(*value, {}, *sizes));
}

/// Operands are a scalar, or a tensor without dimensions, and open sizes.
/// Has the program check an integer scalar that another type of integers is to
/// hold.
static LogicalResult checkHolds(Emitter &e, Value scalar, Type element) {
  auto type = dyn_cast<IntegerType>(element);
  if (!type || type.isInteger(1) || isTensor(scalar) ||
      !isa<IntegerType>(scalar.getType()) || scalar.getType().isInteger(1))
    return e.error() << "an integer scalar and a type of integers with "
                        "'checked', got "
                     << scalar.getType() << " and " << element;
  unsigned bits = type.getWidth();
  bool isUnsigned = type.isUnsigned();
  // A scalar has no more than i64.
  APInt least = isUnsigned ? APInt(64, 0) : APInt::getSignedMinValue(bits);
  APInt most = isUnsigned && bits < 64 ? APInt::getMaxValue(bits).zext(64)
               : bits < 64             ? APInt::getSignedMaxValue(bits)
                                       : APInt::getSignedMaxValue(64);
  FailureOr<OpFoldResult> index = e.toIndex(scalar);
  if (failed(index))
    return failure();
  std::string expected =
      ("an integer that " + getElementTypeName(element) + " holds, from " +
       std::to_string(least.getSExtValue()) + " to " +
       std::to_string(most.getSExtValue()) + ", got ")
          .str();
  std::optional<int64_t> known = getConstantIntValue(*index);
  if (known && (*known < least.getSExtValue() || *known > most.getSExtValue()))
    return e.error() << expected << *known;
  if (known)
    return success();
  Value number = e.toValue(*index);
  auto compare = [&](arith::CmpIPredicate predicate, const APInt &bound) {
    Value other = e.toValue(e.builder.getIndexAttr(bound.getSExtValue()));
    return e.builder.createOrFold<arith::CmpIOp>(e.loc, predicate, number,
                                                 other);
  };
  Value isHeld = e.builder.createOrFold<arith::AndIOp>(
      e.loc, compare(arith::CmpIPredicate::sge, least),
      compare(arith::CmpIPredicate::sle, most));
  e.checkWhenRun(isHeld, "'" + e.asked + "': expected " + expected + "{0}",
                 number);
  return success();
}

static Results emitFull(Emitter &e) {
  if (e.request.operands.empty())
    return e.error() << "a scalar as operand 0, got 0 operands";
  Value first = e.request.operands.front();
  FailureOr<Type> element =
      e.has("type") ? e.getType("type") : getTypeOfAll(e, first);
  FailureOr<bool> isChecked = e.getFlag("checked");
  if (failed(element) || failed(isChecked) ||
      (*isChecked && failed(checkHolds(e, first, *element))))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(first.getType());
  if (tensor && tensor.getRank() == 0)
    return repeatElement(e, *element);
  FailureOr<Value> value = e.takeScalar(*element);
  if (failed(value))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> sizes = takeShape(e);
  if (failed(sizes))
    return failure();
  return single(e.fill(*element, *value, *sizes));
}

//===----------------------------------------------------------------------===//
// Iota
//===----------------------------------------------------------------------===//

/// 0, 1, ... along `dim`, of an integer type; `progression` as the op has it.
static FailureOr<Value> iota(Emitter &e, ArrayRef<OpFoldResult> sizes,
                             int64_t dim, Type element,
                             ValueRange progression = {}) {
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  auto type = RankedTensorType::get(shape, element);
  return e.verify(fusion::IotaOp::create(e.builder, e.loc, type,
                                         e.builder.getI64IntegerAttr(dim),
                                         progression, open));
}

/// Numbers that go up along `dim`; `progression` has a start and a step, or
/// one of them, or none.
static Results makeProgression(Emitter &e, ArrayRef<OpFoldResult> sizes,
                               int64_t dim, Type element,
                               ValueRange progression) {
  if (isa<IntegerType>(element) && !element.isInteger(1))
    return single(iota(e, sizes, dim, element, progression));
  if (!isa<FloatType>(element))
    return e.error() << "numbers as elements, got " << element;
  Term number(e, iota(e, sizes, dim, e.builder.getI64Type()));
  if (!progression.empty())
    number = number.castTo(e.builder.getF64Type());
  if (progression.size() > 1)
    number = number * Term(e, progression[1]);
  if (!progression.empty())
    number = number + Term(e, progression[0]);
  return finish(number.castTo(element));
}

/// Operands are a start, a step, each if it is there, and open sizes.
static Results emitIota(Emitter &e) {
  FailureOr<Type> element = e.getType("type");
  FailureOr<int64_t> dim = e.getInt("dim", 0);
  FailureOr<ArrayRef<int64_t>> shape = e.getInts("shape");
  if (failed(element) || failed(dim) || failed(shape))
    return failure();
  int64_t open = llvm::count_if(*shape, ShapedType::isDynamic);
  int64_t given = static_cast<int64_t>(e.request.operands.size()) - open;
  if (given < 0 || given > 2)
    return e.error() << "a start and a step at most, and " << open
                     << " sizes, got " << e.request.operands.size()
                     << " operands";
  bool isFloat = isa<FloatType>(*element);
  // Floats are rounded once.
  Type f64 = e.builder.getF64Type();
  SmallVector<Value> progression;
  for (int64_t i = 0; i < given; ++i) {
    FailureOr<Value> each = e.takeScalar(isFloat ? f64 : *element);
    if (failed(each))
      return failure();
    progression.push_back(*each);
  }
  FailureOr<SmallVector<OpFoldResult>> sizes = takeShape(e);
  if (failed(sizes))
    return failure();
  FailureOr<int64_t> place = e.normalizeDim(*dim, sizes->size());
  if (failed(place))
    return failure();
  return makeProgression(e, *sizes, *place, *element, progression);
}

/// How many numbers there are from a start on, below a stop, in steps: f64s
/// that are known.
static FailureOr<OpFoldResult> countNumbers(Emitter &e,
                                            ArrayRef<Value> bounds) {
  SmallVector<double, 3> numbers;
  for (Value each : bounds)
    if (auto number = dyn_cast_or_null<FloatAttr>(getNumber(each)))
      numbers.push_back(number.getValueAsDouble());
  if (numbers.size() != bounds.size())
    return e.error() << "integers beside what the program computes, got a "
                        "float";
  double start = numbers[0], stop = numbers[1], step = numbers[2];
  double count = std::ceil((stop - start) / step);
  if (step == 0)
    return e.error() << "a step that is not 0, got 0";
  if (!(std::fabs(count) <= 0x1p48)) {
    std::string text = llvm::formatv("{0}, {1} and {2}", start, stop, step);
    return e.error() << "bounds with at most 2^48 numbers between them, got "
                     << text;
  }
  return OpFoldResult(e.builder.getIndexAttr(
      std::max<int64_t>(static_cast<int64_t>(count), 0)));
}

/// True if a number is made of sizes in ways that give none below 0, by a few
/// ops at most.
static bool isSize(Value value, unsigned depth = 8) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number >= 0;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp>(op))
    return true;
  return isa_and_nonnull<arith::IndexCastOp, arith::AddIOp, arith::MulIOp,
                         arith::DivUIOp, arith::MinSIOp>(op) &&
         depth != 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isSize(operand, depth - 1);
         });
}

/// The same of integers, which the program may compute.
static FailureOr<OpFoldResult> countIntegers(Emitter &e, const Term &start,
                                             const Term &stop,
                                             const Term &step) {
  auto from = getConstantIntValue(start.get()),
       to = getConstantIntValue(stop.get()),
       by = getConstantIntValue(step.get());
  if (by == 0)
    return e.error() << "a step that is not 0, got 0";
  int64_t distance;
  if (from && to && llvm::SubOverflow(*from, *to, distance))
    return e.error() << "bounds with at most 2^48 numbers between them, got "
                     << *from << " and " << *to;
  if (from == 0 && by == 1 && !to) {
    // Sizes stay what they are: others are known to be equal to them.
    Term count =
        isSize(stop.get()) ? stop : stop.apply("max", makeInteger(e, 0));
    if (!count)
      return failure();
    return e.toIndex(count.get());
  }
  // The op of sizes checks the divisor, too, in words of its own.
  if (!by) {
    Term isStep = step.compare("ne", makeInteger(e, 0));
    if (!isStep)
      return failure();
    Value got = e.builder.createOrFold<arith::IndexCastOp>(
        e.loc, e.builder.getIndexType(), step.get());
    e.checkWhenRun(isStep.get(),
                   "'" + e.asked + "': expected a step that is not 0, got {0}",
                   got);
  }
  Term back(e, e.builder.createOrFold<arith::FloorDivSIOp>(
                   e.loc, (start - stop).get(), step.get()));
  Term count = (-back).apply("max", makeInteger(e, 0));
  if (!count)
    return failure();
  return e.toIndex(count.get());
}

/// Operands are a start, a stop and a step. Without a type, f32 if one of them
/// is a float, else i64.
static Results emitArange(Emitter &e) {
  ArrayRef<Value> given = e.request.operands;
  if (given.size() != 3 || llvm::any_of(given, isTensor))
    return e.error() << "a start, a stop and a step, all scalars";
  bool hasFloats = llvm::any_of(
      given, [](Value each) { return isa<FloatType>(each.getType()); });
  Type i64 = e.builder.getI64Type();
  Type element = hasFloats ? Type(e.builder.getF32Type()) : i64;
  if (e.has("type")) {
    FailureOr<Type> asked = e.getType("type");
    if (failed(asked))
      return failure();
    element = *asked;
  }
  Type f64 = e.builder.getF64Type();
  SmallVector<Value> wide, own;
  for (Value each : given) {
    FailureOr<Value> number = e.cast(each, hasFloats ? f64 : i64);
    if (failed(number))
      return failure();
    wide.push_back(*number);
  }
  FailureOr<OpFoldResult> count =
      hasFloats ? countNumbers(e, wide)
                : countIntegers(e, Term(e, wide[0]), Term(e, wide[1]),
                                Term(e, wide[2]));
  if (failed(count))
    return failure();
  for (Value each : {wide[0], wide[2]}) {
    FailureOr<Value> number =
        e.cast(each, isa<FloatType>(element) ? f64 : element);
    if (failed(number))
      return failure();
    own.push_back(*number);
  }
  return makeProgression(e, *count, 0, element, own);
}

/// Operands are a start, an end, and how many numbers: from the start to the
/// end, which is the last one, unless `endpoint` is 0. Computed in f64;
/// integers are rounded down.
static Results emitLinspace(Emitter &e) {
  FailureOr<Type> element = e.getType("type");
  FailureOr<bool> hasEnd = e.getFlag("endpoint", true);
  if (failed(element) || failed(hasEnd))
    return failure();
  FailureOr<Term> start = takeNumber(e);
  if (failed(start))
    return failure();
  FailureOr<Term> end = takeNumber(e);
  if (failed(end))
    return failure();
  FailureOr<Term> count = takeInteger(e, "a number of elements");
  if (failed(count) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<OpFoldResult> size = e.toIndex(count->get());
  if (failed(size))
    return failure();
  Term place = makeRange(e, *size, 0), one = makeInteger(e, 1);
  Term last = *count - one, steps = *hasEnd ? last : *count;
  Type f64 = e.builder.getF64Type();
  Term step = (*end - *start) / steps.apply("max", one).castTo(f64);
  Term number = place.castTo(f64) * step + *start;
  if (*hasEnd) {
    // The last one is exact, of several.
    Term isLast = place.compare("eq", last)
                      .apply("and", place.compare("gt", makeInteger(e, 0)));
    number = choose(isLast, *end, number);
  }
  if (isa<IntegerType>(*element))
    number = number.apply("floor");
  return finish(number.castTo(*element));
}

/// The elements on and above a diagonal of the last two dimensions, the others
/// 0. A second operand says which diagonal.
/// Columns that compare as `kept` with that of the diagonal stay.
template <fusion::CmpPredicate kept>
static Results emitTriangle(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> input = e.takeTensor();
  if (failed(input))
    return failure();
  int64_t rank = input->getType().getRank();
  if (rank < 2)
    return e.error() << "a tensor of at least two dimensions, got "
                     << input->getType();
  Type integer = e.builder.getI64Type();
  FailureOr<Term> diagonal = makeInteger(e, 0);
  if (e.request.operands.size() > 1)
    diagonal = takeInteger(e, "a diagonal");
  if (failed(diagonal) || failed(e.checkNoneLeft()))
    return failure();
  SmallVector<OpFoldResult> sizes = e.getShape(*input);
  ArrayRef<OpFoldResult> matrix = ArrayRef(sizes).take_back(2);
  FailureOr<Value> rows = iota(e, matrix, 0, integer),
                   columns = iota(e, matrix, 1, integer);
  if (failed(rows) || failed(columns))
    return failure();
  FailureOr<Value> place = e.elementwise("add", {*rows, diagonal->get()});
  if (failed(place))
    return failure();
  FailureOr<Value> isKept = e.compare(kept, *columns, *place);
  FailureOr<Value> zero = e.makeNumber(input->getType().getElementType(), 0);
  if (failed(isKept) || failed(zero))
    return failure();
  return single(e.where(*isKept, *input, *zero));
}

/// Ones on a diagonal of a matrix, zeros elsewhere. An operand before the sizes
/// says which diagonal.
static Results emitEye(Emitter &e) {
  FailureOr<Type> element = e.getType("type");
  FailureOr<ArrayRef<int64_t>> shape = e.getInts("shape");
  if (failed(element) || failed(shape))
    return failure();
  if (shape->size() != 2)
    return e.error() << "two sizes as 'shape', got " << shape->size();
  size_t open = llvm::count_if(*shape, ShapedType::isDynamic);
  FailureOr<Term> diagonal = makeInteger(e, 0);
  if (e.request.operands.size() > open)
    diagonal = takeInteger(e, "a diagonal");
  if (failed(diagonal))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> sizes = takeShape(e);
  if (failed(sizes))
    return failure();
  Term place = makeRange(e, *sizes, 0) + *diagonal;
  Term isOn = makeRange(e, *sizes, 1).compare("eq", place);
  return finish(isOn.castTo(*element));
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// The last operands are a seed, an offset and sizes.
template <typename OpTy>
static FailureOr<Value> makeRandom(Emitter &e, Type element) {
  FailureOr<Term> seed = takeInteger(e, "a seed");
  if (failed(seed))
    return failure();
  FailureOr<Term> offset = takeInteger(e, "an offset");
  if (failed(offset))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> sizes = takeShape(e);
  if (failed(sizes))
    return failure();
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(*sizes, open, shape);
  auto type = RankedTensorType::get(shape, element);
  return e.verify(
      OpTy::create(e.builder, e.loc, type, seed->get(), offset->get(), open));
}

static Results emitRandomBits(Emitter &e) {
  FailureOr<Type> element = e.getType("type");
  if (failed(element))
    return failure();
  return single(makeRandom<fusion::RandomBitsOp>(e, *element));
}

static bool isNumber(Value value, double number) {
  auto attr = dyn_cast_or_null<FloatAttr>(getNumber(value));
  return attr && attr.getValueAsDouble() == number;
}

/// The parts of complex numbers of this type, along a last dimension: random
/// numbers that are neighbours.
static FailureOr<Term> makeParts(Emitter &e, ComplexType type,
                                 ArrayRef<Value> operands) {
  FailureOr<ArrayRef<int64_t>> shape = e.getInts("shape");
  if (failed(shape))
    return failure();
  SmallVector<int64_t> sizes(*shape);
  sizes.push_back(2);
  Results parts =
      e.apply(e.request.name, operands,
              {e.intsAttr("shape", sizes), e.typeAttr(type.getElementType())});
  if (failed(parts))
    return failure();
  return Term(e, parts->front());
}

/// Numbers from the first operand on, below the second; complex ones have such
/// parts.
static Results emitUniform(Emitter &e) {
  FailureOr<Type> element = e.getType("type");
  if (failed(element))
    return failure();
  if (auto complex = dyn_cast<ComplexType>(*element)) {
    FailureOr<Term> parts = makeParts(e, complex, e.request.operands);
    return failed(parts) ? Results(failure())
                         : finish(parts->apply("view_as_complex"));
  }
  if (!isa<FloatType>(*element))
    return e.error() << "floats or complex numbers as elements, got "
                     << *element;
  FailureOr<Value> low = e.takeScalar(*element);
  if (failed(low))
    return failure();
  FailureOr<Value> high = e.takeScalar(*element);
  if (failed(high))
    return failure();
  FailureOr<Value> result = makeRandom<fusion::UniformOp>(e, *element);
  if (failed(result) || (isNumber(*low, 0) && isNumber(*high, 1)))
    return single(result);
  FailureOr<Value> width = e.elementwise("sub", {*high, *low});
  if (failed(width))
    return failure();
  result = e.elementwise("mul", {*result, *width});
  if (failed(result))
    return failure();
  // Rounding may reach the upper bound, which as in PyTorch is the lower one.
  Term number(e, e.elementwise("add", {*result, *low})), bottom(e, *low);
  return finish(choose(number.compare("eq", Term(e, *high)), bottom, number));
}

/// Normal random numbers, by Box and Muller, of 64 random bits each, or of 128
/// for f64. `parts` are two integers of as many bits as `digits`.
static Term transformBoxMuller(ArrayRef<Term> parts, int64_t digits,
                               Type element) {
  Emitter &e = parts[0].emitter();
  double unit = std::ldexp(1.0, -int(digits));
  // Above 0, so that it has a logarithm.
  Term first = (parts[0] + makeInteger(e, 1)).castTo(element) * unit;
  Term angle = parts[1].castTo(element) * (unit * 2 * M_PI);
  // log2, which has the same bits on every target in f32.
  Term radius = (first.apply("log2") * (-2 * M_LN2)).apply("sqrt");
  return radius * angle.apply("cos");
}

/// Two integers of 32 bits for each element, of `random_bits` of i64; or of 53
/// bits, of two of its elements.
static SmallVector<Term> splitBits(Emitter &e, const Term &bits, bool isWide) {
  if (!isWide)
    return {bits.apply("and", makeInteger(e, 0xffffffff)),
            bits.apply("shru", makeInteger(e, 32))};
  SmallVector<Term> parts;
  int64_t last = bits.rank() - 1;
  for (int64_t number : {0, 1})
    parts.push_back(
        bits.apply("select", {},
                   {e.intAttr("dim", last), e.intsAttr("index", number)})
            .apply("shru", makeInteger(e, 11)));
  return parts;
}

/// Complex numbers around the first operand, with the second as the root of the
/// sum of both parts' variances.
static Results emitComplexNormal(Emitter &e, ComplexType type) {
  ArrayRef<Value> operands = e.request.operands;
  if (operands.empty())
    return e.error() << "a mean, got no operand";
  Term mean(e, operands.front());
  SmallVector<Value> others = {makeFloat(e, 0).get()};
  llvm::append_range(others, operands.drop_front());
  FailureOr<Term> parts = makeParts(e, type, others);
  if (failed(parts))
    return failure();
  Term result = (*parts * std::sqrt(0.5)).apply("view_as_complex");
  if (!isNumber(mean.get(), 0))
    result = result + mean;
  return finish(result);
}

/// Numbers around the first operand, with the second as standard deviation.
static Results emitNormal(Emitter &e) {
  FailureOr<Type> element = e.getType("type");
  FailureOr<ArrayRef<int64_t>> shape = e.getInts("shape");
  if (failed(element) || failed(shape))
    return failure();
  if (auto complex = dyn_cast<ComplexType>(*element))
    return emitComplexNormal(e, complex);
  if (!isa<FloatType>(*element))
    return e.error() << "floats or complex numbers as elements, got "
                     << *element;
  FailureOr<Term> mean = takeNumber(e);
  if (failed(mean))
    return failure();
  FailureOr<Term> deviation = takeNumber(e);
  if (failed(deviation))
    return failure();
  bool isWide = element->isF64();
  SmallVector<int64_t> sizes(*shape);
  if (isWide)
    sizes.push_back(2);
  Results bits =
      e.apply("random_bits", e.request.operands.drop_front(2),
              {e.intsAttr("shape", sizes), e.typeAttr(e.builder.getI64Type())});
  if (failed(bits))
    return failure();
  Term result = transformBoxMuller(splitBits(e, Term(e, bits->front()), isWide),
                                   isWide ? 53 : 32, getComputeType(*element));
  if (!isNumber(deviation->get(), 1))
    result = result * *deviation;
  if (!isNumber(mean->get(), 0))
    result = result + *mean;
  return finish(result.castTo(*element));
}

/// Elements of x, each dropped with a probability; those that are left are as
/// much greater, and which they are is the second result.
static Results emitDropout(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  if (failed(x))
    return failure();
  FailureOr<Term> rate = takeRate(e);
  if (failed(rate))
    return failure();
  SmallVector<Term> others = {makeFloat(e, 1)};
  for (StringRef what : {"a seed", "an offset"}) {
    FailureOr<Term> state = takeInteger(e, what);
    if (failed(state))
      return failure();
    others.push_back(*state);
  }
  if (failed(e.checkNoneLeft()))
    return failure();
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(e.getShape(x->get()), open, shape);
  for (Value size : open)
    others.push_back(Term(e, size));
  Term numbers = makeFloat(e, 0).apply(
      "uniform", others,
      {e.intsAttr("shape", shape), e.typeAttr(x->getWideType())});
  Term rest = 1 - *rate, isKept = numbers.compare("lt", rest);
  Term y = choose(isKept, x->widen() * (1 / rest), makeFloat(e, 0));
  return finish({y.castTo(x->element()), isKept});
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// `values`, which are floats or integers, as elements of `element`. Complex
/// ones have two values each if there are as many (the real part first).
static FailureOr<SmallVector<Attribute>> getElements(Emitter &e, Type element,
                                                     int64_t count) {
  if (auto complex = dyn_cast<ComplexType>(element)) {
    FailureOr<SmallVector<Attribute>> parts =
        getElements(e, complex.getElementType(), 2 * count);
    if (failed(parts))
      return failure();
    bool isPaired = static_cast<int64_t>(parts->size()) == 2 * count;
    TypedAttr zero = e.builder.getZeroAttr(complex.getElementType());
    SmallVector<Attribute> elements;
    for (size_t i = 0; i < parts->size(); i += isPaired ? 2 : 1)
      elements.push_back(e.builder.getArrayAttr(
          {(*parts)[i], isPaired ? (*parts)[i + 1] : zero}));
    return elements;
  }
  Attribute values = e.request.attributes.get("values");
  SmallVector<double> numbers;
  SmallVector<int64_t> integers;
  if (auto floats = dyn_cast_or_null<DenseF64ArrayAttr>(values))
    numbers.assign(floats.asArrayRef().begin(), floats.asArrayRef().end());
  else if (auto ints = dyn_cast_or_null<DenseI64ArrayAttr>(values))
    integers.assign(ints.asArrayRef().begin(), ints.asArrayRef().end());
  else
    return e.error() << "a list of numbers as 'values'";
  if (!numbers.empty() && !isa<FloatType>(element))
    return e.error() << "integers as 'values' of " << element << ", got floats";
  SmallVector<Attribute> elements;
  auto *context = e.context();
  Type wide = numbers.empty() ? Type(IntegerType::get(context, 64))
                              : Type(Float64Type::get(context));
  for (size_t i = 0; i < std::max(numbers.size(), integers.size()); ++i) {
    TypedAttr number;
    if (numbers.empty())
      number = e.builder.getIntegerAttr(wide, integers[i]);
    else
      number = e.builder.getFloatAttr(wide, numbers[i]);
    Value scalar = arith::ConstantOp::create(e.builder, e.loc, number);
    FailureOr<Value> converted = e.cast(scalar, element);
    if (failed(converted))
      return failure();
    TypedAttr attr = getNumber(*converted);
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      attr = IntegerAttr::get(element, integer.getValue());
    elements.push_back(attr);
  }
  return elements;
}

static Results emitConstant(Emitter &e) {
  FailureOr<Type> element = e.getType("type");
  FailureOr<ArrayRef<int64_t>> shape = e.getInts("shape");
  if (failed(element) || failed(shape) || failed(e.checkNoneLeft()))
    return failure();
  int64_t count = 1;
  for (int64_t size : *shape) {
    if (size < 0 || size > 64)
      return e.error() << "at most 64 elements, got shape [" << *shape << "]";
    count = std::min<int64_t>(count * size, 65);
  }
  FailureOr<SmallVector<Attribute>> elements = getElements(e, *element, count);
  if (failed(elements))
    return failure();
  if (static_cast<int64_t>(elements->size()) != count || count > 64)
    return e.error() << "a value for each of the at most 64 elements of shape ["
                     << *shape << "], got " << elements->size();
  auto type = RankedTensorType::get(*shape, *element);
  auto value = DenseElementsAttr::get(type, *elements);
  return single(
      e.verify(fusion::ConstantOp::create(e.builder, e.loc, type, value)));
}

void frontend::addFactoryOps(HandlerMap &map) {
  map["full"] = {emitFull, "shape type checked"};
  map["iota"] = {emitIota, "shape dim type"};
  map["arange"] = {emitArange, "type"};
  map["linspace"] = {emitLinspace, "endpoint type"};
  map["triu"] = {emitTriangle<fusion::CmpPredicate::Ge>, ""};
  map["tril"] = {emitTriangle<fusion::CmpPredicate::Le>, ""};
  map["random_bits"] = {emitRandomBits, "shape type"};
  map["uniform"] = {emitUniform, "shape type"};
  map["normal"] = {emitNormal, "shape type"};
  map["dropout"] = {emitDropout, ""};
  map["eye"] = {emitEye, "shape type"};
  map["constant"] = {emitConstant, "values shape type"};
}
