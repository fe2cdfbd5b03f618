//===- Emitter.cpp - What the lenient ops are made with -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Term.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Format.h"

using namespace fuser;
using namespace fuser::frontend;

//===----------------------------------------------------------------------===//
// Attributes and operands of the request
//===----------------------------------------------------------------------===//

/// What an error says was got.
static InFlightDiagnostic &operator<<(InFlightDiagnostic &&diag,
                                      Attribute got) {
  if (!got)
    return diag << "none";
  if (isa<UnitAttr>(got))
    return diag << "a flag";
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

FailureOr<bool> Emitter::getFlag(StringRef name, bool fallback) {
  Attribute attr = request.attributes.get(name);
  if (!attr)
    return fallback;
  if (isa<UnitAttr>(attr))
    return true;
  if (auto integer = dyn_cast<IntegerAttr>(attr);
      integer &&
      (integer.getType().isInteger(1) || integer.getType().isInteger(64)))
    return !integer.getValue().isZero();
  return error() << "a flag as '" << name << "', got " << attr;
}

FailureOr<ArrayRef<int64_t>> Emitter::getInts(StringRef name) {
  Attribute attr = request.attributes.get(name);
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return list.asArrayRef();
  return error() << "a list of integers as '" << name << "', got " << attr;
}

FailureOr<ArrayRef<double>> Emitter::getNumbers(StringRef name) {
  Attribute attr = request.attributes.get(name);
  if (auto list = dyn_cast_or_null<DenseF64ArrayAttr>(attr))
    return list.asArrayRef();
  return error() << "a list of numbers as '" << name << "', got " << attr;
}

FailureOr<StringRef> Emitter::getString(StringRef name) {
  Attribute attr = request.attributes.get(name);
  if (auto string = dyn_cast_or_null<StringAttr>(attr))
    return string.getValue();
  return error() << "a string as '" << name << "', got " << attr;
}

FailureOr<Type> Emitter::getType(StringRef name) {
  Attribute attr = request.attributes.get(name);
  auto text = dyn_cast_or_null<StringAttr>(attr);
  if (text)
    if (Type type = parseElementType(context(), text.getValue()))
      return type;
  InFlightDiagnostic diag = error() << "an element type ("
                                    << listElementTypes(/*ofTensors=*/true)
                                    << ") as '" << name << "', got ";
  if (text)
    return diag << "'" << text.getValue() << "'";
  return std::move(diag) << attr;
}

namespace {
/// An operand as a handler names it.
struct NamedOperand {
  StringRef name, flag;
  bool areMany; ///< None, or several.
};
} // namespace

static SmallVector<NamedOperand> readNames(StringRef names) {
  SmallVector<StringRef> parts;
  names.split(parts, ' ', -1, /*KeepEmpty=*/false);
  return llvm::map_to_vector(parts, [](StringRef part) {
    bool areMany = part.consume_back("...");
    auto [flag, name] = part.split('?');
    return name.empty() ? NamedOperand{part, "", areMany}
                        : NamedOperand{name, flag, areMany};
  });
}

/// Those that the flags of the request say there are.
static SmallVector<NamedOperand> getNames(Emitter &e) {
  SmallVector<NamedOperand> names = readNames(e.operandNames);
  llvm::erase_if(names, [&](const NamedOperand &operand) {
    if (operand.flag.empty())
      return false;
    Attribute flag = e.request.attributes.get(operand.flag);
    auto integer = dyn_cast_or_null<IntegerAttr>(flag);
    return !flag || (integer && integer.getValue().isZero());
  });
  return names;
}

/// "1 operand", "2 operands".
static std::string count(size_t number) {
  return std::to_string(number) + (number == 1 ? " operand" : " operands");
}

std::string Emitter::countOperands() { return count(request.operands.size()); }

std::string Emitter::nameOperand(size_t number) {
  SmallVector<NamedOperand> names = getNames(*this);
  std::string text = "operand " + std::to_string(number) + ",";
  if (number < names.size() && !names[number].areMany)
    text += (" " + names[number].name + ",").str();
  return text;
}

std::string Emitter::listOperands() {
  SmallVector<NamedOperand> names = getNames(*this);
  bool areOpen = !names.empty() && names.back().areMany;
  size_t given = request.operands.size(), least = names.size() - areOpen;
  if (names.empty() || !request.listsOperands)
    return "";
  bool isFull = given == least || (areOpen && given > least);
  SmallVector<NamedOperand> all = readNames(operandNames);
  if (isFull && all.size() == names.size())
    return "";
  auto print = [](const NamedOperand &operand) {
    std::string text = operand.name.str();
    if (!operand.flag.empty())
      text += (" (with '" + operand.flag + "')").str();
    return text;
  };
  return (all.size() == 1 ? "; its operand is " : "; its operands are ") +
         llvm::join(llvm::map_range(all, print), ", ");
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
    return error() << "a tensor as " << nameOperand(number) << " got "
                   << countOperands() << listOperands();
  if (auto tensor = dyn_cast<TypedValue<RankedTensorType>>(value))
    return tensor;
  return error() << "a tensor as " << nameOperand(number) << " got a scalar of "
                 << value.getType() << listOperands();
}

FailureOr<TypedValue<RankedTensorType>> Emitter::takeOnlyTensor() {
  FailureOr<TypedValue<RankedTensorType>> tensor = takeTensor();
  if (failed(tensor) || failed(checkNoneLeft()))
    return failure();
  return tensor;
}

FailureOr<Value> Emitter::takeScalar(Type element) {
  size_t number = request.operands.size() - left.size();
  Value value = takeOperand();
  auto tensor =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  bool isPoint = tensor && tensor.getRank() == 0 && isComplexElement(element) &&
                 isComplexElement(tensor.getElementType());
  if (value && (!tensor || isPoint))
    return cast(value, element);
  InFlightDiagnostic diag = error()
                            << "a scalar as " << nameOperand(number) << " got ";
  if (value)
    return diag << value.getType() << listOperands();
  return diag << countOperands() << listOperands();
}

LogicalResult Emitter::checkNoneLeft() {
  if (left.empty())
    return success();
  size_t taken = request.operands.size() - left.size();
  return error() << count(taken) << ", got " << request.operands.size()
                 << listOperands();
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
                     << "', got " << countOperands();
    FailureOr<OpFoldResult> size = toIndex(operand);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
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

std::string frontend::describeNumber(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
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

FailureOr<Term> frontend::takeTensorOrNumber(Emitter &e) {
  Value value = e.takeOperand();
  if (!value)
    return e.error() << "a tensor or a number as "
                     << e.nameOperand(e.request.operands.size()) << " got "
                     << e.countOperands() << e.listOperands();
  if (isTensor(value))
    return Term(e, value);
  return Term(e, e.fill(value.getType(), value, {}));
}

FailureOr<Term> frontend::takeOnly(Emitter &e) {
  FailureOr<Term> x = takeTensorOrNumber(e);
  return succeeded(x) && succeeded(e.checkNoneLeft()) ? x : FailureOr<Term>();
}

FailureOr<std::pair<Term, Term>> frontend::takePair(Emitter &e) {
  FailureOr<Term> x = takeTensorOrNumber(e);
  if (failed(x))
    return failure();
  FailureOr<Term> y = takeTensorOrNumber(e);
  if (failed(y) || failed(e.checkNoneLeft()) ||
      failed(e.checkPromotion(e.request.operands)))
    return failure();
  return std::pair(*x, *y);
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
                     << ", got " << operands.size() << e.listOperands();
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
      !(number.getValueAsDouble() >= 0 && number.getValueAsDouble() <= 1))
    return e.error() << "a rate from 0 to 1, got "
                     << describeNumber(number.getValueAsDouble());
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
