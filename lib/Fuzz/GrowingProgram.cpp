//===- GrowingProgram.cpp - A program that grows op by op -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrowingProgram.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Types and ranges
//===----------------------------------------------------------------------===//

int64_t fuzz::countElements(ArrayRef<Dim> dims) {
  int64_t count = 1;
  for (Dim dim : dims)
    count *= dim.size;
  return count;
}

bool fuzz::isSmall(ArrayRef<Dim> dims) {
  int64_t count = 1;
  for (Dim dim : dims)
    count *= std::max<int64_t>(dim.size, 1);
  return count <= kMaxElements;
}

bool fuzz::isAlike(Dim a, Dim b) {
  return a.size == b.size && a.isOpen == b.isOpen;
}

bool fuzz::areAlike(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return isAlike(std::get<0>(pair), std::get<1>(pair));
         });
}

double fuzz::getLargest(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return 400;
  if (element.isF16() || isa<Float8E5M2Type>(element))
    return 3e4;
  if (element.isF64())
    return 1e200;
  if (isa<FloatType>(element))
    return 1e30;
  if (element.isInteger(1))
    return 1;
  return std::min(getMost(element) / 2, 0x1p52);
}

double fuzz::getMost(Type element) {
  auto bits = static_cast<int>(element.getIntOrFloatBitWidth());
  return std::ldexp(1, isSignedElement(element) ? bits - 1 : bits);
}

bool fuzz::fits(Type element, Magnitude range) {
  if (range.isExact && isa<IntegerType>(element))
    return true;
  // What is just below 0 is far from there without a sign.
  return !element.isUnsignedInteger() && range.limit <= getLargest(element);
}

RankedTensorType GrowingProgram::getType(ArrayRef<Dim> dims,
                                         Type element) const {
  SmallVector<int64_t> shape;
  for (Dim dim : dims)
    shape.push_back(dim.isOpen ? ShapedType::kDynamic : dim.size);
  return RankedTensorType::get(shape, element);
}

Type GrowingProgram::pickFloat() {
  if (random.chance(8))
    return random.pick<Type>({Float8E4M3FNType::get(builder.getContext()),
                              Float8E5M2Type::get(builder.getContext()),
                              Float8E8M0FNUType::get(builder.getContext())});
  Type f32 = builder.getF32Type();
  return random.pick<Type>({f32, f32, builder.getBF16Type(),
                            builder.getF16Type(), builder.getF64Type()});
}

Type GrowingProgram::pickElement() {
  if (random.chance(70))
    return pickFloat();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type(),
       i1 = builder.getI1Type();
  auto getUnsigned = [&](unsigned bits) {
    return builder.getIntegerType(bits, /*isSigned=*/false);
  };
  return random.pick<Type>({i32, i32, i64, i64, i1, i1, builder.getI8Type(),
                            builder.getI16Type(), getUnsigned(8),
                            getUnsigned(16), getUnsigned(32), getUnsigned(64)});
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Long ones are few: they make programs of many sizes.
static int64_t pickSize(Random &random) {
  if (random.chance(3))
    return random.between(1000, 9000);
  if (random.chance(3))
    return 0;
  return random.pick<int64_t>(
      {1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 130});
}

GrowingProgram::GrowingProgram(uint64_t seed, const GeneratorOptions &options,
                               MLIRContext *context)
    : random(seed), statements(~seed),
      builder(UnknownLoc::get(context), context), seed(seed), options(options),
      module(ModuleOp::create(UnknownLoc::get(context))) {
  context->loadDialect<FusionDialect, func::FuncDialect, arith::ArithDialect,
                       tensor::TensorDialect>();
  builder.setInsertionPointToEnd(module->getBody());
  func = func::FuncOp::create(builder, "f", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(func.addEntryBlock());
  for (unsigned count = random.between(3, 6); count > 0; --count) {
    int64_t size = pickSize(random);
    bool isOpen = random.chance(50);
    pool.push_back(makeDim(size, isOpen));
  }
}

GeneratedProgram GrowingProgram::finish(ArrayRef<Value> results,
                                        ArrayRef<DictionaryAttr> resultAttrs) {
  func::ReturnOp::create(builder, results);
  func.setType(builder.getFunctionType(func.getBody().getArgumentTypes(),
                                       ValueRange(results).getTypes()));
  func.setAllArgAttrs(argumentAttrs);
  func.setAllResultAttrs(resultAttrs);
  GeneratedProgram program;
  for (Input &input : inputs)
    program.inputs.push_back(std::move(input.text));
  program.scalars = std::move(scalars);
  for (const Tensor &tensor : tensors)
    program.numElements += countElements(tensor.dims);
  program.module = std::move(module);
  return program;
}

static std::string writeNumber(Type type, double number) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<FloatType>(type))
    os << llvm::format("%g", number);
  else
    os << static_cast<int64_t>(number);
  return text;
}

Value GrowingProgram::addScalar(Type type, double number) {
  scalars.push_back(writeNumber(type, number));
  argumentAttrs.push_back(builder.getDictionaryAttr({}));
  return func.getBody().addArgument(type, builder.getLoc());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Dims GrowingProgram::getDimsOf(Value value, ArrayRef<Dim> dims) {
  Dims own(dims);
  auto type = cast<RankedTensorType>(value.getType());
  for (auto [dim, size] : llvm::zip_equal(own, type.getShape())) {
    if (dim.isOpen && !ShapedType::isDynamic(size))
      dim = makeDim(size, /*isOpen=*/false);
    dim.isOpen = ShapedType::isDynamic(size);
  }
  return own;
}

Dim GrowingProgram::makeDim(int64_t size, bool isOpen, Value value) {
  values.push_back(value);
  return {size, isOpen, static_cast<unsigned>(values.size() - 1)};
}

Dim GrowingProgram::pickDim() { return random.pick(ArrayRef<Dim>(pool)); }

Dim GrowingProgram::reopen(Dim dim) {
  dim.isOpen = random.chance(40);
  return dim;
}

Value GrowingProgram::makeConstant(int64_t number) {
  return arith::ConstantIndexOp::create(builder, number);
}

Value GrowingProgram::makeIndex(int64_t number) {
  if (random.chance(60))
    return makeConstant(number);
  Dim known = random.pick(ArrayRef<Dim>(pool));
  Value size = values[known.symbol];
  if (!size || random.chance(60))
    return addScalar(builder.getIndexType(), static_cast<double>(number));
  Value rest = makeConstant(number - known.size);
  return arith::AddIOp::create(builder, size, rest);
}

Value GrowingProgram::getSize(Dim dim) {
  if (random.chance(15))
    for (const Tensor &tensor : tensors)
      for (auto [index, other] : llvm::enumerate(tensor.dims))
        if (other.symbol == dim.symbol) {
          Value number = makeConstant(static_cast<int64_t>(index));
          return tensor::DimOp::create(builder, tensor.value, number);
        }
  if (!values[dim.symbol]) {
    Value value = makeIndex(dim.size); // It may move `values`.
    values[dim.symbol] = value;
  }
  return values[dim.symbol];
}

SmallVector<Value> GrowingProgram::getOpenSizes(ArrayRef<Dim> dims) {
  SmallVector<Value> sizes;
  for (Dim dim : dims)
    if (dim.isOpen)
      sizes.push_back(getSize(dim));
  return sizes;
}

OpFoldResult GrowingProgram::getMixedSize(Dim dim) {
  if (dim.isOpen)
    return getSize(dim);
  return builder.getIndexAttr(dim.size);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Tensor GrowingProgram::add(Value value, ArrayRef<Dim> dims, Magnitude range) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  // Wishes that any pass may drop.
  if (Operation *op = value.getDefiningOp()) {
    // A segment by hand is not computed again in another one, nor is what is
    // one by itself.
    if (random.chance(2) && !isa<SegmentOp, FibreOpInterface>(op))
      op->setAttr(FusionDialect::getForwardAttrName(), builder.getUnitAttr());
    if (random.chance(3)) {
      auto order = random.permute(static_cast<int64_t>(dims.size()));
      op->setAttr(FusionDialect::getStrideOrderHintAttrName(),
                  builder.getDenseI64ArrayAttr(order));
    }
  }
  tensors.push_back({value, Dims(dims), element, range});
  return tensors.back();
}

static std::string join(ArrayRef<int64_t> numbers) {
  return llvm::join(
      llvm::map_range(numbers,
                      [](int64_t number) { return std::to_string(number); }),
      "x");
}

/// How the elements of `tensor` are filled.
std::string GrowingProgram::chooseFill(Tensor &tensor) {
  if (isa<ComplexType>(tensor.element)) {
    tensor.range.limit = 3;
    return "random:" + std::to_string(seed + inputs.size());
  }
  if (isPackedElement(tensor.element)) {
    tensor.range.limit = kMostPacked;
    return "bits:" + std::to_string(seed + inputs.size());
  }
  bool isFloat = tensor.isFloat();
  if (isFloat && random.chance(15)) {
    tensor.range.limit = 6;
    return "normal:" + std::to_string(seed + inputs.size());
  }
  bool isUnsigned = tensor.element.isUnsignedInteger();
  bool isNew =
      isUnsigned || tensor.element.isInteger(8) || tensor.element.isInteger(16);
  // All there are: the least, the greatest, and what wraps.
  if (isNew && random.chance(50)) {
    tensor.range.limit = getMost(tensor.element);
    return "bits:" + std::to_string(seed + inputs.size());
  }
  bool isWide = !tensor.element.isInteger(1) &&
                tensor.element.getIntOrFloatBitWidth() >= 32;
  if (isWide && random.chance(5)) {
    tensor.range.limit = static_cast<double>(countElements(tensor.dims));
    return "iota";
  }
  tensor.range.limit = isFloat ? 2 : tensor.isBool() ? 1 : isUnsigned ? 16 : 8;
  return "random:" + std::to_string(seed + inputs.size());
}

/// An order of dimensions that `tensor` may have in memory, the fastest last.
SmallVector<int64_t> GrowingProgram::pickOrder(const Tensor &tensor) {
  int64_t rank = tensor.getRank();
  if (!isPackedElement(tensor.element))
    return random.permute(rank);
  SmallVector<int64_t> order = random.permute(rank - 1);
  order.push_back(rank - 1);
  return order;
}

/// Where the elements of an input lie, and what the program says of it.
std::string GrowingProgram::chooseLayout(Input &input,
                                         NamedAttrList &attributes) {
  enum { Plain, Ordered, Any, Unsaid } kind = Plain;
  kind = random.pick({Plain, Plain, Plain, Ordered, Any, Any, Unsaid});
  if (kind == Unsaid && !options.otherLayouts)
    kind = Any;
  ArrayRef<Dim> dims = input.tensor.dims;
  std::string text;
  if (!dims.empty() && kind != Plain) {
    SmallVector<int64_t> order = pickOrder(input.tensor);
    SmallVector<int64_t> strides(dims.size());
    bool isPacked = isPackedElement(input.tensor.element);
    bool isFree = kind != Ordered;
    int64_t stride = isFree ? random.pick<int64_t>({1, 1, 2}) : 1;
    for (int64_t dim : llvm::reverse(order)) {
      strides[dim] = stride;
      // Two packed elements, neighbours in the last dimension, lie in a byte.
      bool isOfPairs = isPacked && dim + 1 == input.tensor.getRank();
      stride *= std::max<int64_t>(1, dims[dim].size / (isOfPairs ? 2 : 1));
      stride += isFree ? random.pick<int64_t>({0, 0, 3}) : 0;
    }
    if (isFree && random.chance(25)) {
      uint64_t repeated = random.below(dims.size());
      strides[repeated] = 0;
      input.isWritable = dims[repeated].size <= 1;
    }
    text += ",strides=" + join(strides);
    if (kind == Ordered)
      attributes.set(FusionDialect::getStrideOrderAttrName(),
                     builder.getDenseI64ArrayAttr(order));
  }
  if (kind == Any)
    attributes.set(FusionDialect::getLayoutAttrName(),
                   builder.getStringAttr("any"));
  if (random.chance(25))
    return text + ",offset=" + std::to_string(random.between(1, 3));
  if (random.chance(10))
    attributes.set(
        FusionDialect::getAlignmentAttrName(),
        builder.getI64IntegerAttr(random.pick<int64_t>({8, 16, 64, 128})));
  return text;
}

/// What the program says of the sizes of an input: divisors and bounds that
/// they have.
void GrowingProgram::chooseStatements(ArrayRef<Dim> dims,
                                      NamedAttrList &attributes) {
  if (dims.empty() || !statements.chance(25))
    return;
  SmallVector<int64_t> divisors, bounds;
  for (Dim dim : dims) {
    int64_t divisor = statements.pick<int64_t>({1, 2, 3, 4, 8, 8});
    divisors.push_back(dim.size % divisor == 0 ? divisor : 1);
    bounds.push_back(statements.pick<int64_t>(
        {-1, dim.size, dim.size + 1, 2 * dim.size + 64}));
  }
  if (statements.chance(80))
    attributes.set(FusionDialect::getDivisorsAttrName(),
                   builder.getDenseI64ArrayAttr(divisors));
  if (statements.chance(80))
    attributes.set(FusionDialect::getBoundsAttrName(),
                   builder.getDenseI64ArrayAttr(bounds));
}

Tensor GrowingProgram::addInput(ArrayRef<Dim> dims, Type element) {
  Value value =
      func.getBody().addArgument(getType(dims, element), builder.getLoc());
  Input input;
  input.argument = cast<BlockArgument>(value).getArgNumber();
  input.tensor = {value, Dims(dims), element, {}};
  SmallVector<int64_t> sizes;
  for (Dim dim : dims)
    sizes.push_back(dim.size);
  std::string type;
  llvm::raw_string_ostream(type) << element;
  input.text = join(sizes) + (sizes.empty() ? "" : "x") + type + "=";
  input.text += chooseFill(input.tensor);
  NamedAttrList attributes;
  input.text += chooseLayout(input, attributes);
  chooseStatements(dims, attributes);
  argumentAttrs.push_back(attributes.getDictionary(builder.getContext()));
  for (auto [index, dim] : llvm::enumerate(dims))
    if (!values[dim.symbol]) {
      Value number = makeConstant(static_cast<int64_t>(index));
      values[dim.symbol] = tensor::DimOp::create(builder, value, number);
    }
  inputs.push_back(input);
  bool isApart = isa<ComplexType>(element) || isPackedElement(element);
  (isApart ? apart : tensors).push_back(input.tensor);
  return input.tensor;
}

Tensor GrowingProgram::addFull(ArrayRef<Dim> dims, Type element,
                               double number) {
  Value scalar;
  if (random.chance(40))
    scalar = addScalar(getScalarType(element), number);
  else if (isa<FloatType>(element))
    scalar = arith::ConstantOp::create(
        builder, roundNumber(cast<FloatType>(element), number));
  else
    scalar = arith::ConstantOp::create(
        builder, builder.getIntegerAttr(getScalarType(element),
                                        static_cast<int64_t>(number)));
  Value full = FullOp::create(builder, getType(dims, element), scalar,
                              getOpenSizes(dims));
  return add(full, dims, {std::fabs(number) + 1, true});
}

Tensor GrowingProgram::pick() {
  size_t recent = std::min<size_t>(tensors.size(), 4);
  size_t count = random.chance(65) ? recent : tensors.size();
  return tensors[tensors.size() - 1 - random.below(count)];
}

Tensor GrowingProgram::pickLike(const Tensor &tensor) {
  return pickLike(tensor.dims, tensor.element);
}

Tensor GrowingProgram::pickLike(ArrayRef<Dim> dims, Type element) {
  SmallVector<const Tensor *> alike;
  for (const Tensor &other : tensors)
    if (other.element == element && areAlike(other.dims, dims))
      alike.push_back(&other);
  if (!alike.empty() && !random.chance(15))
    return *random.pick(ArrayRef<const Tensor *>(alike));
  if (canAddInput() && random.chance(70))
    return addInput(dims, element);
  double number = random.pick({1.0, 3.0, 2.0, 0.0});
  if (element.isInteger(1))
    number = random.chance(50);
  else if (isa<FloatType>(element))
    number = random.pick({0.5, 0.7, 1.3, 3.1, 10.9, -2.0});
  return addFull(dims, element, number);
}

Tensor GrowingProgram::tame(const Tensor &tensor, double limit) {
  if (tensor.range.limit <= limit || !tensor.isFloat())
    return tensor;
  if (random.chance(50))
    return add(TanhOp::create(builder, tensor.value), tensor.dims, {1, false});
  return add(SigmoidOp::create(builder, tensor.value), tensor.dims, {1, false});
}
