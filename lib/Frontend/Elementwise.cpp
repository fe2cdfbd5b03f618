//===- Elementwise.cpp - Element-wise ops of anything that broadcasts -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are cast to one element type, then made of one shape. A number is
// the op's own (`fusion.add %x, 2.0`) where it can be, else a tensor.
//
// Of scalars alone the result is a scalar, as sizes are computed from sizes. It
// is the element of the op, as kernels would compute it, in the arith dialect;
// a function that this does not have is computed as a tensor of rank 0.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "fuser/Support/Places.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;
using fusion::CmpPredicate;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// `type` with dimensions of size 1, so that the others are those of `other`,
/// of which it has fewer, that have their sizes; null if there are no such.
static RankedTensorType spreadLike(RankedTensorType type,
                                   RankedTensorType other) {
  if (type.getRank() >= other.getRank())
    return {};
  SmallVector<int64_t> shape(other.getRank(), 1);
  ArrayRef<int64_t> left = type.getShape();
  for (auto [size, own] : llvm::zip_equal(shape, other.getShape())) {
    if (left.empty() || left.front() != own)
      continue;
    size = own;
    left = left.drop_front();
  }
  return left.empty() ? type.clone(shape) : RankedTensorType();
}

/// The reduction of whose result the elements are computed, one by one, as far
/// as that is known; where types of text are inferred it is not, and it is the
/// cast that stands for an op. Null if there is none.
static Operation *findReduction(Value value) {
  for (int steps = 0; steps < 16; ++steps) {
    Operation *op = value.getDefiningOp();
    if (!op ||
        isa<fusion::ReductionOpInterface, UnrealizedConversionCastOp>(op))
      return op;
    bool isOneByOne =
        isa<fusion::ElementwiseOpInterface, fusion::ReshapeOp>(op);
    if (!isOneByOne || op->getNumOperands() == 0)
      return nullptr;
    value = op->getOperand(0);
  }
  return nullptr;
}

/// Whether `tensor` is what a reduction has left of one of `rank` dimensions,
/// and those that are left are no longer at their places, from the end on.
static bool hasLostDims(Value tensor, int64_t rank) {
  auto reduction =
      dyn_cast_or_null<fusion::ReductionOpInterface>(findReduction(tensor));
  if (!reduction || reduction.getKeepsDims())
    return false;
  SmallVector<int64_t> dims = reduction.getReductionDims();
  int64_t left = rank - static_cast<int64_t>(dims.size());
  bool areFirst = dims == llvm::to_vector(llvm::seq<int64_t>(dims.size()));
  return left > 0 && !areFirst &&
         cast<RankedTensorType>(tensor.getType()).getRank() == left &&
         cast<RankedTensorType>(reduction->getOperand(0).getType()).getRank() ==
             rank;
}

std::string frontend::suggestShape(MisfitShape lhs, MisfitShape rhs) {
  if (lhs.type.getRank() > rhs.type.getRank())
    std::swap(lhs, rhs);
  RankedTensorType spread = spreadLike(lhs.type, rhs.type);
  if (!spread)
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "'" << spread << "' would broadcast";
  if (lhs.mayBeReduced)
    os << ", as a reduction leaves it with 'keep' (keepdims=True)";
  return text;
}

static MisfitShape describeMisfit(Value tensor) {
  return {cast<RankedTensorType>(tensor.getType()),
          findReduction(tensor) != nullptr};
}

LogicalResult Emitter::unify(Extent &extent, Value tensor, int64_t dim) {
  int64_t size =
      cast_or_null<RankedTensorType>(tensor.getType()).getDimSize(dim);
  std::optional<int64_t> known = getConstantIntValue(extent.size);
  if (size == 1 || (known && *known == size))
    return success();
  if (known == 1) {
    extent = {getDim(tensor, dim), tensor, dim};
    return success();
  }
  auto getAdvice = [&] {
    return suggestShape(describeMisfit(extent.tensor), describeMisfit(tensor));
  };
  auto addAdvice = [&] {
    if (demand)
      demand->advice = getAdvice();
    return failure();
  };
  if (ShapedType::isDynamic(size)) {
    if (!known || succeeded(demandSize(tensor, dim, *known)))
      return success();
    return addAdvice();
  }
  if (!known) {
    if (failed(demandSize(extent.tensor, extent.dim, size)))
      return addAdvice();
    extent = {getDim(tensor, dim), tensor, dim};
    return success();
  }
  std::string advice = getAdvice();
  return error() << "shapes that broadcast, got size " << *known
                 << " in dimension " << extent.dim << " of "
                 << extent.tensor.getType() << " and " << size
                 << " in dimension " << dim << " of " << tensor.getType()
                 << (advice.empty() ? "" : ": ") << advice;
}

FailureOr<SmallVector<OpFoldResult>>
Emitter::unifyShapes(ArrayRef<Value> operands) {
  int64_t rank = 0;
  for (Value operand : operands)
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      rank = std::max(rank, type.getRank());
  // Of operands that were given, or what they were promoted to.
  bool isOfReduction = llvm::any_of(operands, [&](Value operand) {
    auto cast = operand.getDefiningOp<fusion::CastOp>();
    bool isGiven =
        llvm::is_contained(request.operands, operand) ||
        (cast && llvm::is_contained(request.operands, cast->getOperand(0)));
    return isGiven && hasLostDims(operand, rank);
  });
  SmallVector<Extent> extents(rank, {builder.getIndexAttr(1), Value(), 0});
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    // The last dimensions are the same, as in NumPy.
    int64_t first = rank - type.getRank();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (failed(unify(extents[first + dim], operand, dim))) {
        if (demand)
          demand->isOfReduction = isOfReduction;
        return failure();
      }
  }
  // Where sizes are open it may be wrong in a call alone.
  if (isOfReduction)
    loc = addReduced(loc);
  return llvm::map_to_vector(extents, [](Extent &e) { return e.size; });
}

Results Emitter::broadcast(ArrayRef<Value> tensors) {
  FailureOr<SmallVector<OpFoldResult>> shape = unifyShapes(tensors);
  if (failed(shape))
    return failure();
  SmallVector<Value> results;
  for (Value tensor : tensors) {
    int64_t rank = llvm::cast<RankedTensorType>(tensor.getType()).getRank();
    auto dims = llvm::to_vector(
        llvm::seq<int64_t>(shape->size() - rank, shape->size()));
    FailureOr<Value> result = broadcastTo(tensor, dims, *shape);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Which operand can be the op's own number: one of the last two, beside a
/// tensor. -1 if none can.
static int64_t findNumber(StringRef mnemonic, ArrayRef<Value> operands,
                          MLIRContext *context) {
  OperationName name(("fusion." + mnemonic).str(), context);
  size_t count = operands.size();
  if (!name.hasTrait<fusion::TakesScalar>() || count < 2)
    return -1;
  for (size_t number : {count - 1, count - 2})
    if (getNumber(operands[number]))
      return static_cast<int64_t>(number);
  return -1;
}

/// A number of the host as one of an element type.
static TypedAttr getNumberOf(Type element, Value value) {
  TypedAttr number = getNumber(value);
  auto integer = dyn_cast<IntegerAttr>(number);
  return integer && integer.getType() == getScalarType(element)
             ? IntegerAttr::get(element, integer.getValue())
             : number;
}

/// `element`: of all operands but conditions.
FailureOr<Value>
Emitter::elementwiseOfTensors(StringRef mnemonic, Type element,
                              ArrayRef<Value> operands,
                              ArrayRef<NamedAttribute> attributes) {
  FailureOr<SmallVector<OpFoldResult>> shape = unifyShapes(operands);
  if (failed(shape))
    return failure();
  SmallVector<NamedAttribute> all(attributes);
  SmallVector<Value> tensors;
  int64_t number = findNumber(mnemonic, operands, context());
  for (auto [position, operand] : llvm::enumerate(operands)) {
    if (static_cast<int64_t>(position) == number) {
      all.push_back(
          builder.getNamedAttr("scalar", getNumberOf(element, operand)));
      if (position + 1 != operands.size())
        all.push_back(
            builder.getNamedAttr("scalar_first", builder.getUnitAttr()));
      continue;
    }
    FailureOr<Value> tensor;
    if (auto type = dyn_cast<RankedTensorType>(operand.getType())) {
      auto dims = llvm::to_vector(
          llvm::seq<int64_t>(shape->size() - type.getRank(), shape->size()));
      tensor = broadcastTo(operand, dims, *shape);
    } else {
      Type own = operand.getType();
      tensor =
          fill(own == getScalarType(element) ? element : own, operand, *shape);
    }
    if (failed(tensor))
      return failure();
    tensors.push_back(*tensor);
  }
  return create(mnemonic, tensors, all);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// True if programs of the host have the op, on these types.
static bool isOnHost(Operation &op) {
  return isa<arith::ArithDialect>(op.getDialect()) && !isa<arith::RemFOp>(op);
}

/// Emits what `block` holds where the builder stands, folded; the value that
/// `result` has become.
static Value moveFolded(OpBuilder &builder, Block &block, Value result) {
  while (!block.empty()) {
    Operation *op = &block.front();
    op->remove();
    builder.insert(op);
    SmallVector<Value> folded;
    if (failed(builder.tryFold(op, folded)) || folded.empty())
      continue;
    if (result == op->getResult(0))
      result = folded[0];
    op->replaceAllUsesWith(folded);
    op->erase();
  }
  return result;
}

FailureOr<Value>
Emitter::elementwiseOfScalars(StringRef mnemonic, ArrayRef<Value> operands,
                              ArrayRef<NamedAttribute> attributes,
                              Type resultType) {
  SmallVector<Value> points;
  for (Value operand : operands) {
    FailureOr<Value> point = fill(operand.getType(), operand, {});
    if (failed(point))
      return failure();
    points.push_back(*point);
  }
  Type pointType = resultType ? RankedTensorType::get({}, resultType) : Type();
  FailureOr<Value> point = create(mnemonic, points, attributes, pointType);
  if (failed(point))
    return failure();
  auto op = (*point).getDefiningOp<fusion::ElementwiseOpInterface>();
  Type element = getElement(*point), compute = getComputeType(element);
  Block block;
  OpBuilder inner(context());
  inner.setInsertionPointToEnd(&block);
  SmallVector<Value> elements;
  for (Value operand : operands) {
    Type own = getComputeType(operand.getType());
    elements.push_back(extendScalar(inner, loc, operand, own));
  }
  auto dimOf = [](Value, int64_t) { return OpFoldResult(); };
  auto scalarOf = [](Value scalar) { return scalar; };
  fusion::EmitContext ctx{inner, loc, dimOf, scalarOf};
  Value result = op.emitElement(ctx, elements, compute);
  if (isNarrowFloat(element))
    result = arith::TruncFOp::create(inner, loc, element, result);
  if (!llvm::all_of(block, isOnHost))
    return point;
  op->erase();
  for (Value each : points)
    each.getDefiningOp()->erase();
  return moveFolded(builder, block, result);
}

//===----------------------------------------------------------------------===//
// Any operands
//===----------------------------------------------------------------------===//

FailureOr<Value> Emitter::makeNumber(Type element, double number) {
  // There are no scalars of packed elements: a tensor of one.
  if (isPackedElement(element)) {
    FailureOr<Value> wide = makeNumber(builder.getF32Type(), number);
    wide = failed(wide) ? wide : fill(builder.getF32Type(), *wide, {});
    return failed(wide) ? wide : cast(*wide, element);
  }
  TypedAttr attr;
  element = getPartType(element);
  if (auto real = dyn_cast<FloatType>(element))
    attr = roundNumber(real, number);
  else
    attr = builder.getIntegerAttr(getScalarType(element),
                                  static_cast<int64_t>(number));
  return arith::ConstantOp::create(builder, loc, attr).getResult();
}

/// The number in another type; null if that does not hold it. A negative one
/// becomes unsigned as in PyTorch, by its bits.
static TypedAttr convertNumber(TypedAttr number, Type element) {
  Builder builder(element.getContext());
  auto real = dyn_cast<FloatAttr>(number);
  auto whole = dyn_cast<IntegerAttr>(number);
  bool isTrue = whole && whole.getType().isInteger(1) && whole.getInt() != 0;
  if (auto type = dyn_cast<FloatType>(element)) {
    double value = real ? toDouble(real) : 0;
    if (whole)
      value = isTrue ? 1.0 : static_cast<double>(whole.getInt());
    return roundNumber(type, value);
  }
  if (!whole)
    return {};
  int64_t value = isTrue ? 1 : whole.getInt();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (element.isInteger(1))
    value = value != 0;
  else if (isSignedElement(element)
               ? !llvm::isIntN(bits, value)
               : !llvm::isUIntN(bits, llvm::AbsoluteValue(value)))
    return {};
  return builder.getIntegerAttr(getScalarType(element),
                                APInt(bits, static_cast<uint64_t>(value),
                                      /*isSigned=*/false,
                                      /*implicitTrunc=*/true));
}

FailureOr<Value> Emitter::cast(Value value, Type element) {
  Type from = getElement(value);
  if (from == element)
    return value;
  if (from.isIndex())
    value = toInteger(value), from = value.getType();
  if (from == element)
    return value;
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return create("cast", value, {}, type.clone(element));
  // There are no complex scalars.
  if (isComplexElement(element)) {
    FailureOr<Value> part = cast(value, getPartType(element));
    return failed(part) ? part : fill(element, *part, {});
  }
  TypedAttr number = getNumber(value);
  if (!number || (isa<FloatAttr>(number) && !isa<FloatType>(element)))
    return elementwiseOfScalars("cast", value, {}, element);
  TypedAttr converted = convertNumber(number, element);
  if (!converted)
    return error() << "a number that " << element << " holds, got " << number;
  return arith::ConstantOp::create(builder, loc, converted).getResult();
}

/// Of scales, which the dialect only moves, compares and casts, what PyTorch
/// has, too: in f32, which has all of them, and a product is rounded.
static bool takesScales(StringRef mnemonic) {
  return llvm::is_contained({"mul", "isnan", "isfinite"}, mnemonic);
}

/// Whether rounding a number, or a tensor of one, to the element type may
/// change it.
static bool isRounded(Value operand, FloatType element) {
  if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
    return tensor.getRank() == 0 && tensor.getElementType() != element &&
           !tensor.getElementType().isInteger(1);
  TypedAttr number = getNumber(operand);
  if (!number)
    return operand.getType() != element && !operand.getType().isInteger(1);
  auto real = dyn_cast<FloatAttr>(number);
  double value = real ? toDouble(real)
                      : static_cast<double>(cast<IntegerAttr>(number).getInt());
  return value == value && toDouble(roundNumber(element, value)) != value;
}

/// The type that an op of operands of `element` is computed in. As PyTorch's
/// kernels for GPUs do, arithmetic of f16 and bf16 with a number that these do
/// not hold, or with a tensor of one that is on the CPU, takes it as an f32,
/// and rounds the result: `x * 0.1` is no product with the 0.10009765625 that a
/// bf16 holds. Its other functions round the number first.
static Type getComputedType(StringRef mnemonic, Type element,
                            ArrayRef<Value> operands) {
  Type wide = Float32Type::get(element.getContext());
  if (isPowersOfTwo(element) && takesScales(mnemonic))
    return wide;
  bool isArithmetic =
      llvm::is_contained({"add", "sub", "mul", "div", "floor_div"}, mnemonic);
  if (!isArithmetic || !(element.isF16() || element.isBF16()) ||
      llvm::none_of(operands, isTensor))
    return element;
  bool takesRounded = llvm::any_of(operands, [&](Value operand) {
    return isRounded(operand, cast<FloatType>(element));
  });
  return takesRounded ? wide : element;
}

FailureOr<Value> Emitter::elementwise(StringRef mnemonic,
                                      ArrayRef<Value> operands,
                                      Promotion promotion,
                                      ArrayRef<NamedAttribute> attributes,
                                      bool condition) {
  if (failed(checkPromotion(operands.drop_front(condition))))
    return failure();
  Type element = promoteOperands(operands.drop_front(condition));
  Type boolean = builder.getI1Type();
  if (promotion == Promotion::Bool)
    element = boolean;
  else if (promotion == Promotion::Float && !isa<FloatType>(element) &&
           !isComplexElement(element))
    element = builder.getF32Type();
  Type own = element;
  element = getComputedType(mnemonic, own, operands);
  SmallVector<Value> converted;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    FailureOr<Value> each =
        cast(operand, condition && number == 0 ? boolean : element);
    if (failed(each))
      return failure();
    converted.push_back(*each);
  }
  if (llvm::none_of(converted, isTensor))
    return elementwiseOfScalars(mnemonic, converted, attributes, {});
  FailureOr<Value> result =
      elementwiseOfTensors(mnemonic, element, converted, attributes);
  bool isNarrowed =
      succeeded(result) && own != element && getElement(*result) == element;
  return isNarrowed ? cast(*result, own) : result;
}

FailureOr<Value> Emitter::compare(CmpPredicate predicate, Value lhs,
                                  Value rhs) {
  auto attr = fusion::CmpPredicateAttr::get(context(), predicate);
  return elementwise("cmp", {lhs, rhs}, Promotion::Default,
                     builder.getNamedAttr("predicate", attr));
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Value>> takeAll(Emitter &e, unsigned count) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(e.takeOperand());
    if (!operands.back())
      return e.error() << count << (count == 1 ? " operand" : " operands")
                       << ", got " << i;
  }
  if (failed(e.checkNoneLeft()))
    return failure();
  return operands;
}

/// An op of the dialect, of its name.
template <unsigned count, Promotion promotion = Promotion::Default>
static Results emitPlain(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeAll(e, count);
  if (failed(operands))
    return failure();
  return single(e.elementwise(e.request.name, *operands, promotion));
}

static Results emitBroadcastTensors(Emitter &e) {
  for (size_t i = 0; i < e.request.operands.size(); ++i)
    if (failed(e.takeTensor()))
      return failure();
  return e.broadcast(e.request.operands);
}

static Results emitAbs(Emitter &e) {
  ArrayRef<Value> operands = e.request.operands;
  if (operands.size() != 1 || !isComplexElement(getElement(operands[0])))
    return emitPlain<1>(e);
  return single(e.create("modulus", operands[0]));
}

/// The op of the dialect by which an op of this name computes integers, or
/// booleans: sums and products of those are or and and, as in NumPy.
static StringRef getNameOf(StringRef name, Type element) {
  if (!isa<IntegerType>(element))
    return name;
  name.consume_front("f");
  if (!element.isInteger(1))
    return name;
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"add", "max"}, "or")
      .Cases({"mul", "min"}, "and")
      .Case("sign", "set")
      .Default(name);
}

/// An op of the dialect of its name, or of another one that is the same of such
/// elements.
template <unsigned count>
static Results emitNumbers(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeAll(e, count);
  if (failed(operands) || failed(e.checkPromotion(*operands)))
    return failure();
  StringRef name = getNameOf(e.request.name, promoteOperands(*operands));
  return single(e.elementwise(name, *operands, Promotion::Default));
}

//===----------------------------------------------------------------------===//
// By record
//===----------------------------------------------------------------------===//

namespace {
/// An op of the dialect that builders have by its name.
struct PlainOp {
  StringRef name;
  unsigned numOperands; ///< 0: it is none of these.
  OpHandler handler;
};
} // namespace

/// What the record of an op says: whether it is one of one or two tensors that
/// has no attributes and a result whose type follows, and how it promotes.
template <typename OpT>
static PlainOp describe() {
  constexpr bool isBinary = OpT::template hasTrait<fusion::TakesScalar>();
  constexpr bool isOfTensors =
      isBinary ? OpT::template hasTrait<OpTrait::AtLeastNOperands<1>::Impl>()
               : OpT::template hasTrait<OpTrait::OneOperand>();
  constexpr bool isElementwise =
      OpT::template hasTrait<fusion::ElementwiseOpInterface::Trait>() &&
      OpT::template hasTrait<InferTypeOpInterface::Trait>();
  constexpr Promotion promotion =
      OpT::template hasTrait<fusion::TakesNoIntegers>() ? Promotion::Float
                                                        : Promotion::Default;
  constexpr unsigned count = isBinary ? 2 : 1;
  // A number in place of an operand is `scalar` and `scalar_first`.
  if (!isOfTensors || !isElementwise ||
      OpT::getAttributeNames().size() != (isBinary ? 2 : 0))
    return {};
  return {OpT::getOperationName().split('.').second,
          count,
          {emitPlain<count, promotion>, ""}};
}

template <typename... Ops>
static SmallVector<PlainOp> describeAll() {
  SmallVector<PlainOp> ops = {describe<Ops>()...};
  llvm::erase_if(ops, [](const PlainOp &op) { return op.numOperands == 0; });
  return ops;
}

/// Those among all that the dialect registers.
static ArrayRef<PlainOp> getPlainOps() {
  static const SmallVector<PlainOp> ops = describeAll<
#define GET_OP_LIST
#include "fuser/Dialect/Fusion/IR/FusionOps.cpp.inc"
      >();
  return ops;
}

SmallVector<StringRef> frontend::getElementwiseNames(unsigned numOperands) {
  SmallVector<StringRef> names;
  for (const PlainOp &op : getPlainOps())
    if (op.numOperands == numOperands)
      names.push_back(op.name);
  llvm::sort(names);
  return names;
}

void frontend::addElementwiseOps(HandlerMap &map) {
  for (const PlainOp &op : getPlainOps())
    map[op.name] = op.handler;
  // Of some elements these are others. What is more than its record says in
  // other files (`ceil`, `pow`) takes its place there.
  map["abs"] = {emitAbs, ""};
  map["sign"] = {emitNumbers<1>, ""};
  for (StringRef name : {"add", "mul", "max", "min", "fmax", "fmin"})
    map[name] = {emitNumbers<2>, ""};
  map["broadcast_tensors"] = {emitBroadcastTensors, ""};
}
