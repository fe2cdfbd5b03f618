//===- Emitter.cpp - What the lenient ops are made with -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Term.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fuser;
using namespace fuser::frontend;

void Emitter::checkWhenRun(Value condition, const Twine &message,
                           ValueRange values) {
  fusion::CheckOp::create(builder, loc, condition, message.str(), values);
}

bool frontend::areEqual(OpFoldResult lhs, OpFoldResult rhs) {
  if (isEqualConstantIntOrValue(lhs, rhs))
    return true;
  auto get = [](OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    return value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
  };
  tensor::DimOp left = get(lhs), right = get(rhs);
  return left && right && left.getSource() == right.getSource() &&
         left.getConstantIndex() &&
         left.getConstantIndex() == right.getConstantIndex();
}

void Emitter::checkEqual(OpFoldResult expected, OpFoldResult got,
                         const Twine &message) {
  if (areEqual(expected, got))
    return;
  Value left = toValue(expected), right = toValue(got);
  Value same = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, left, right);
  checkWhenRun(same, message, {left, right});
}

//===----------------------------------------------------------------------===//
// Attributes and operands of the request
//===----------------------------------------------------------------------===//

/// What an error says was got.
static InFlightDiagnostic &operator<<(InFlightDiagnostic &&diag,
                                      Attribute got) {
  if (!got)
    return diag << "none";
  if (auto list = dyn_cast<DenseI64ArrayAttr>(got))
    return diag << "[" << list.asArrayRef() << "]";
  return diag.operator<<(got);
}

FailureOr<int64_t> Emitter::getInt(StringRef name,
                                   std::optional<int64_t> fallback) {
  Attribute attr = request.attributes.get(name);
  if (!attr && fallback)
    return *fallback;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr);
      integer && integer.getType().isInteger(64))
    return integer.getInt();
  return error() << "an integer as '" << name << "', got " << attr;
}

FailureOr<bool> Emitter::getFlag(StringRef name) {
  FailureOr<int64_t> value = getInt(name, 0);
  if (failed(value))
    return failure();
  return *value != 0;
}

FailureOr<ArrayRef<int64_t>> Emitter::getInts(StringRef name) {
  Attribute attr = request.attributes.get(name);
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return list.asArrayRef();
  return error() << "a list of integers as '" << name << "', got " << attr;
}

FailureOr<StringRef> Emitter::getString(StringRef name) {
  Attribute attr = request.attributes.get(name);
  if (auto string = dyn_cast_or_null<StringAttr>(attr))
    return string.getValue();
  return error() << "a string as '" << name << "', got " << attr;
}

FailureOr<Type> Emitter::getType(StringRef name) {
  FailureOr<StringRef> text = getString(name);
  if (failed(text))
    return failure();
  if (Type type = parseElementType(context(), *text))
    return type;
  return error() << "an element type (" << listElementTypes(/*ofTensors=*/true)
                 << ") as '" << name << "', got '" << *text << "'";
}

Value Emitter::takeOperand() {
  if (left.empty())
    return {};
  Value value = left.front();
  left = left.drop_front();
  return value;
}

FailureOr<TypedValue<RankedTensorType>> Emitter::takeTensor() {
  size_t number = request.operands.size() - left.size();
  Value value = takeOperand();
  if (!value)
    return error() << "a tensor as operand " << number << ", got "
                   << request.operands.size() << " operands";
  if (auto tensor = dyn_cast<TypedValue<RankedTensorType>>(value))
    return tensor;
  return error() << "a tensor as operand " << number << ", got a scalar of "
                 << value.getType();
}

FailureOr<Value> Emitter::takeScalar(Type element) {
  Value value = takeOperand();
  auto tensor =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  bool isPoint = tensor && tensor.getRank() == 0 && isComplexElement(element) &&
                 isComplexElement(tensor.getElementType());
  if (value && (!tensor || isPoint))
    return cast(value, element);
  InFlightDiagnostic diag = error() << "a scalar, got ";
  if (value)
    return diag << value.getType();
  return diag << "none";
}

LogicalResult Emitter::checkNoneLeft() {
  if (left.empty())
    return success();
  size_t taken = request.operands.size() - left.size();
  return error() << taken << (taken == 1 ? " operand" : " operands") << ", got "
                 << request.operands.size();
}

FailureOr<SmallVector<OpFoldResult>> Emitter::takeSizes(StringRef name) {
  FailureOr<ArrayRef<int64_t>> list = getInts(name);
  if (failed(list))
    return failure();
  SmallVector<OpFoldResult> sizes;
  for (int64_t number : *list) {
    if (!ShapedType::isDynamic(number)) {
      sizes.push_back(builder.getIndexAttr(number));
      continue;
    }
    Value operand = takeOperand();
    if (!operand)
      return error() << "an operand for each open number of '" << name
                     << "', got " << request.operands.size() << " operands";
    FailureOr<OpFoldResult> size = toIndex(operand);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

FailureOr<int64_t> Emitter::normalizeDim(int64_t dim, int64_t rank) {
  if (dim >= -rank && dim < rank)
    return dim < 0 ? dim + rank : dim;
  if (rank == 0)
    return error() << "no dimension of a tensor that has none, got " << dim;
  return error() << "a dimension of -" << rank << " to " << rank - 1
                 << ", of a tensor of " << rank << " dimensions, got " << dim;
}

FailureOr<SmallVector<int64_t>> Emitter::normalizeDims(ArrayRef<int64_t> dims,
                                                       int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t dim : dims) {
    FailureOr<int64_t> normal = normalizeDim(dim, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return error() << "each dimension once, got dimension " << *normal
                     << " twice";
    result.push_back(*normal);
  }
  llvm::sort(result);
  return result;
}

SmallVector<OpFoldResult> Emitter::getShape(Value tensor) {
  SmallVector<OpFoldResult> shape;
  int64_t rank = cast_or_null<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(getDim(tensor, dim));
  return shape;
}

FailureOr<OpFoldResult> Emitter::toIndex(Value scalar) {
  if (scalar.getType().isIndex())
    return OpFoldResult(scalar);
  if (isTensor(scalar) || !isa<IntegerType>(scalar.getType()) ||
      scalar.getType().isInteger(1))
    return error() << "an integer scalar as a size or bound, got a value of "
                   << scalar.getType();
  if (auto number = dyn_cast_or_null<IntegerAttr>(getNumber(scalar)))
    return OpFoldResult(builder.getIndexAttr(number.getInt()));
  // What was an index before needs no way back.
  if (auto before = scalar.getDefiningOp<arith::IndexCastOp>())
    return OpFoldResult(before.getIn());
  return OpFoldResult(
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), scalar)
          .getResult());
}

FailureOr<TypedValue<RankedTensorType>>
Emitter::toIndices(TypedValue<RankedTensorType> tensor) {
  Type element = tensor.getType().getElementType();
  if (!isIntegerElement(element))
    return error() << "integers as indices, got " << tensor.getType();
  if (element.isSignlessInteger(32) || element.isSignlessInteger(64))
    return tensor;
  FailureOr<Value> wide = cast(tensor, builder.getI64Type());
  if (failed(wide))
    return failure();
  return llvm::cast<TypedValue<RankedTensorType>>(*wide);
}

Value Emitter::toValue(OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(builder, loc, index);
}

Value Emitter::toInteger(OpFoldResult index) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(*number));
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    toValue(index));
}

OpFoldResult Emitter::multiply(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult product = builder.getIndexAttr(1);
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> a = getConstantIntValue(product),
                           b = getConstantIntValue(size);
    if (a && b)
      product = builder.getIndexAttr(*a * *b);
    else if (a == 1)
      product = size;
    else
      product = builder.createOrFold<arith::MulIOp>(loc, toValue(product),
                                                    toValue(size));
  }
  return product;
}

OpFoldResult Emitter::getDim(Value tensor, int64_t dim) {
  if (!sizes)
    return fusion::getTensorDim(builder, loc, tensor, dim);
  if (auto found = sizes->find({tensor, dim}); found != sizes->end())
    return found->second;
  OpFoldResult size = fusion::getTensorDim(
      builder, loc, tensor, dim, [&](Value operand, int64_t operandDim) {
        return getDim(operand, operandDim);
      });
  sizes->try_emplace({tensor, dim}, size);
  return size;
}

LogicalResult Emitter::demandSize(Value tensor, int64_t dim, int64_t size) {
  OpFoldResult source = getDim(tensor, dim);
  std::optional<int64_t> known = getConstantIntValue(source);
  if (known == size)
    return success();
  auto value = dyn_cast<Value>(source);
  auto dimOp = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
  auto argument =
      dimOp ? dyn_cast<BlockArgument>(dimOp.getSource()) : BlockArgument();
  std::optional<int64_t> argumentDim =
      dimOp ? dimOp.getConstantIndex() : std::nullopt;
  if (argument && argumentDim) {
    demand = SizeDemand{argument, *argumentDim, size};
    return failure();
  }
  // A reshape checks the size if it is the only one that is open.
  auto type = llvm::cast<RankedTensorType>(tensor.getType());
  if (!known && type.getNumDynamicDims() == 1)
    return success();
  return error()
         << "size " << size << " in dimension " << dim << " of " << type
         << ", got one that is computed, which can be asked of no input: "
            "reshape to a shape that says it";
}

FailureOr<Value> Emitter::closeDim(Value tensor, int64_t dim, int64_t size) {
  if (failed(demandSize(tensor, dim, size)))
    return failure();
  auto type = llvm::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return reshapeTo(tensor, type.clone(shape));
}

LogicalResult Emitter::demandSame(Value &tensor, int64_t dim, Value &other,
                                  int64_t otherDim) {
  auto getSize = [](Value tensor, int64_t dim) {
    return llvm::cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  };
  auto close = [&](Value &open, int64_t dim, int64_t size) {
    FailureOr<Value> closed = closeDim(open, dim, size);
    if (succeeded(closed))
      open = *closed;
    return LogicalResult(closed);
  };
  int64_t size = getSize(tensor, dim), wanted = getSize(other, otherDim);
  if (size == wanted) {
    if (ShapedType::isDynamic(size))
      checkEqual(getDim(other, otherDim), getDim(tensor, dim),
                 "expected size {0} in dimension " + Twine(dim) +
                     " of an operand, as dimension " + Twine(otherDim) +
                     " of another has, got {1}");
    return success();
  }
  if (ShapedType::isDynamic(size))
    return close(tensor, dim, wanted);
  if (ShapedType::isDynamic(wanted))
    return close(other, otherDim, size);
  return error() << "size " << wanted << " in dimension " << dim << " of "
                 << tensor.getType() << ", as dimension " << otherDim << " of "
                 << other.getType() << " has, got " << size;
}

Value frontend::createReshape(OpBuilder &builder, Location loc, Value tensor,
                              RankedTensorType type, SmallVector<Value> open) {
  // One size follows from the number of elements, unless there are none.
  if (open.size() == 1 && !llvm::is_contained(type.getShape(), 0))
    open.clear();
  return fusion::ReshapeOp::create(builder, loc, type, tensor, open);
}

Value Emitter::reshapeTo(Value tensor, RankedTensorType type) {
  SmallVector<Value> open;
  for (int64_t dim : llvm::seq(type.getRank()))
    if (type.isDynamicDim(dim))
      open.push_back(toValue(getDim(tensor, dim)));
  return createReshape(builder, loc, tensor, type, std::move(open));
}

FailureOr<Value> Emitter::broadcastTo(Value tensor, ArrayRef<int64_t> dims,
                                      ArrayRef<OpFoldResult> sizes) {
  auto input = llvm::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  for (auto [place, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    const auto *source = llvm::find(dims, static_cast<int64_t>(place));
    int64_t dim = source - dims.begin();
    if (source == dims.end() || input.getDimSize(dim) == 1) {
      shape.push_back(known ? *known : ShapedType::kDynamic);
      if (!known)
        open.push_back(llvm::cast<Value>(size));
      continue;
    }
    shape.push_back(input.getDimSize(dim));
    if (!known || *known == shape.back())
      continue;
    if (!input.isDynamicDim(dim))
      return error() << "size 1 or " << *known << " in dimension " << dim
                     << ", got " << input;
    FailureOr<Value> closed = closeDim(tensor, dim, *known);
    if (failed(closed))
      return failure();
    shape.back() = *known;
    tensor = *closed;
    input = llvm::cast<RankedTensorType>(tensor.getType());
  }
  auto type = RankedTensorType::get(shape, input.getElementType());
  if (type == input)
    return tensor;
  if (type.getRank() == input.getRank())
    return verify(fusion::ExpandOp::create(builder, loc, type, tensor, open));
  return verify(
      fusion::BroadcastInDimOp::create(builder, loc, type, tensor, dims, open));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

TypedAttr frontend::getNumber(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant ? constant.getValue() : TypedAttr();
}

FailureOr<Value> Emitter::fill(Type element, Value scalar,
                               ArrayRef<OpFoldResult> sizes) {
  if (isTensor(scalar)) // Complex, of no dimensions.
    return broadcastTo(scalar, {}, sizes);
  if (isComplexElement(element)) {
    FailureOr<Value> parts = fill(getPartType(element), scalar, sizes);
    if (failed(parts))
      return failure();
    auto type = llvm::cast<RankedTensorType>((*parts).getType());
    return create("cast", *parts, {}, type.clone(element));
  }
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  auto type = RankedTensorType::get(shape, element);
  return verify(fusion::FullOp::create(builder, loc, type, scalar, open));
}

FailureOr<Value> Emitter::verify(Operation *op) {
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false)))
    return Value(op->getResult(0));
  op->erase();
  return failure();
}

/// The types that the op infers, with its attributes as its properties.
static LogicalResult inferTypes(OperationState &state,
                                InferTypeOpInterface::Concept &infer,
                                RegisteredOperationName info) {
  MLIRContext *context = state.getContext();
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  auto bytes = std::make_unique<char[]>(info.getOpPropertyByteSize() + 1);
  OpaqueProperties properties(bytes.get());
  if (info.getOpPropertyByteSize() > 0)
    info.initOpProperties(properties, nullptr);
  auto emitError = [&]() { return mlir::emitError(state.location); };
  LogicalResult result = success();
  if (info.getOpPropertyByteSize() > 0)
    result = info.setOpPropertiesFromAttribute(state.name, properties,
                                               attributes, emitError);
  if (succeeded(result))
    result = infer.inferReturnTypes(context, state.location, state.operands,
                                    attributes, properties, {}, state.types);
  if (info.getOpPropertyByteSize() > 0)
    info.destroyOpProperties(properties);
  return result;
}

FailureOr<Value> Emitter::create(StringRef mnemonic, ValueRange operands,
                                 ArrayRef<NamedAttribute> attributes,
                                 Type resultType) {
  OperationState state(loc, ("fusion." + mnemonic).str());
  state.addOperands(operands);
  state.addAttributes(attributes);
  std::optional<RegisteredOperationName> info = state.name.getRegisteredInfo();
  auto *infer = info ? info->getInterface<InferTypeOpInterface>() : nullptr;
  if (resultType)
    state.addTypes(resultType);
  else if (!infer || failed(inferTypes(state, *infer, *info)))
    return failure();
  return verify(builder.create(state));
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

SmallVector<Term> frontend::applyAll(StringRef name, ArrayRef<Term> operands,
                                     ArrayRef<NamedAttribute> attributes,
                                     size_t count) {
  Emitter &e = operands.front().emitter();
  SmallVector<Term> terms(count, Term(e, Value()));
  SmallVector<Value> values;
  for (const Term &operand : operands) {
    if (!operand)
      return terms;
    values.push_back(operand.get());
  }
  Results results = e.apply(name, values, attributes);
  if (failed(results))
    return terms;
  assert(results->size() == count && "as the op has");
  for (auto [term, result] : llvm::zip_equal(terms, *results))
    term = Term(e, result);
  return terms;
}

Term Term::apply(StringRef name, ArrayRef<Term> others,
                 ArrayRef<NamedAttribute> attributes) const {
  SmallVector<Term> operands = {*this};
  llvm::append_range(operands, others);
  return applyAll(name, operands, attributes, 1).front();
}

Term Term::castTo(Type element) const {
  return value ? Term(*e, e->cast(value, element)) : *this;
}

Type Term::getWideType() const {
  Type own = element();
  if (isComplexElement(own))
    return own;
  return isa<FloatType>(own) ? getComputeType(own)
                             : Type(e->builder.getF32Type());
}

Term Term::reduce(StringRef kind, ArrayRef<int64_t> dims) const {
  return apply("reduce", {},
               {e->intsAttr("dims", dims), e->intAttr("keep", 1),
                e->textAttr("kind", kind)});
}

Term Term::sumOver(ArrayRef<int64_t> dims) const {
  if (dims.empty())
    return *this;
  return apply("reduce", {},
               {e->intsAttr("dims", dims), e->textAttr("kind", "sum")});
}

Term Term::squeeze(ArrayRef<int64_t> dims) const {
  return apply("squeeze", {}, e->intsAttr("dims", dims));
}

Term Term::unsqueeze(ArrayRef<int64_t> dims) const {
  return dims.empty() ? *this
                      : apply("broadcast", {}, e->intsAttr("dims", dims));
}

Term Term::permute(ArrayRef<int64_t> dims) const {
  return apply("permute", {}, e->intsAttr("dims", dims));
}

Term Term::transpose() const {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, value ? rank() : 0));
  if (dims.size() > 1)
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return permute(dims);
}

Term Term::shaped(StringRef op, ArrayRef<OpFoldResult> sizes) const {
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  auto others =
      llvm::map_to_vector(open, [&](Value size) { return Term(*e, size); });
  return apply(op, others, e->intsAttr("shape", shape));
}

Term frontend::makeFloat(Emitter &e, double number) {
  return {e, e.makeNumber(e.builder.getF64Type(), number)};
}

Term frontend::makeInteger(Emitter &e, int64_t number) {
  return {e, arith::ConstantOp::create(e.builder, e.loc,
                                       e.builder.getI64IntegerAttr(number))
                 .getResult()};
}

Term frontend::makeRange(Emitter &e, ArrayRef<OpFoldResult> sizes,
                         int64_t dim) {
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  Results range = e.apply("iota", open,
                          {e.intAttr("dim", dim), e.intsAttr("shape", shape),
                           e.typeAttr(e.builder.getI64Type())});
  return {e, succeeded(range) ? range->front() : Value()};
}

LogicalResult frontend::demandSame(Term &x, int64_t dim, Term &other,
                                   int64_t otherDim) {
  Emitter &e = x.emitter();
  Value tensor = x.get(), like = other.get();
  LogicalResult result = e.demandSame(tensor, dim, like, otherDim);
  x = Term(e, tensor);
  other = Term(e, like);
  return result;
}

Term frontend::choose(const Term &condition, const Term &x, const Term &y) {
  return condition.apply("where", {x, y});
}

FailureOr<Term> frontend::takeAny(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> tensor = e.takeTensor();
  if (failed(tensor))
    return failure();
  return Term(e, Value(*tensor));
}

FailureOr<Term> frontend::takeFloats(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> tensor = e.takeTensor();
  if (failed(tensor))
    return failure();
  if (isa<FloatType>(getElement(*tensor)))
    return Term(e, Value(*tensor));
  return e.error() << "tensors of floats, got " << tensor->getType();
}

FailureOr<WideOperands> frontend::takeWide(Emitter &e, size_t count) {
  ArrayRef<Value> operands = e.request.operands;
  if (operands.size() != count)
    return e.error() << count << (count == 1 ? " operand" : " operands")
                     << ", got " << operands.size();
  if (failed(e.checkPromotion(operands)))
    return failure();
  if (llvm::none_of(operands, isTensor))
    return e.error() << "a tensor, got scalars";
  Type own = promoteOperands(operands);
  if (isComplexElement(own))
    return e.error() << "numbers that are not complex, got " << own;
  if (!isa<FloatType>(own))
    own = e.builder.getF32Type();
  Type wide = own.isF64() ? own : Type(e.builder.getF32Type());
  auto terms = llvm::map_to_vector(operands, [&](Value value) {
    Term term(e, value);
    return isTensor(value) ? term.castTo(wide) : term;
  });
  while (e.takeOperand()) {
  }
  return WideOperands(terms, own);
}

FailureOr<std::optional<Term>> frontend::takeIf(Emitter &e, bool isThere) {
  if (!isThere)
    return std::optional<Term>();
  FailureOr<TypedValue<RankedTensorType>> tensor = e.takeTensor();
  if (failed(tensor))
    return failure();
  return std::optional<Term>(Term(e, Value(*tensor)));
}

FailureOr<Term> frontend::takeNumber(Emitter &e) {
  FailureOr<Value> scalar = e.takeScalar(e.builder.getF64Type());
  if (failed(scalar))
    return failure();
  return Term(e, *scalar);
}

FailureOr<Term> frontend::takeInteger(Emitter &e, StringRef what) {
  Value value = e.takeOperand();
  if (value && value.getType().isIntOrIndex()) {
    FailureOr<Value> number = e.cast(value, e.builder.getI64Type());
    if (failed(number))
      return failure();
    return Term(e, *number);
  }
  InFlightDiagnostic diag = e.error()
                            << "an integer scalar as " << what << ", got ";
  if (value)
    return diag << value.getType();
  return diag << "none";
}

FailureOr<Term> frontend::takeRate(Emitter &e) {
  FailureOr<Term> rate = takeNumber(e);
  if (failed(rate))
    return failure();
  auto number = dyn_cast_or_null<FloatAttr>(getNumber(rate->get()));
  // NaN is no rate either.
  if (number &&
      !(number.getValueAsDouble() >= 0 && number.getValueAsDouble() <= 1)) {
    std::string text = llvm::formatv("{0}", number.getValueAsDouble());
    return e.error() << "a rate from 0 to 1, got " << text;
  }
  return rate;
}

Results frontend::finish(ArrayRef<Term> terms) {
  SmallVector<Value> results;
  for (const Term &term : terms) {
    if (!term)
      return failure();
    results.push_back(term.get());
  }
  return results;
}
