//===- DecomposeComplex.cpp - Complex tensors as real ones ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are visited in order, so that what an operand is made of is known. They
// are erased at the end, the last ones first.
//
//===----------------------------------------------------------------------===//

#include "Decomposer.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_DECOMPOSECOMPLEXPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

bool fusion::isComplexTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isComplexElement(tensor.getElementType());
}

RankedTensorType fusion::getPairsType(Type complexTensor) {
  auto type = cast<RankedTensorType>(complexTensor);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  return RankedTensorType::get(shape, getPartType(type.getElementType()));
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

/// `attr`, an array with an entry a dimension, with `entry` for one more.
static Attribute append(Attribute attr, int64_t entry) {
  SmallVector<int64_t> all(cast<DenseI64ArrayAttr>(attr).asArrayRef());
  all.push_back(entry);
  return DenseI64ArrayAttr::get(attr.getContext(), all);
}

/// The attributes of an argument or a result of that many complex dimensions.
static NamedAttrList convertAttrs(DictionaryAttr attrs, int64_t rank,
                                  MLIRContext *context) {
  using D = FusionDialect;
  const std::pair<StringRef, int64_t> entries[] = {
      {D::getStrideOrderAttrName(), rank},
      {D::getClassStrideOrderAttrName(), rank},
      {D::getDivisorsAttrName(), 1},
      {D::getClassDivisorsAttrName(), 1},
      {D::getBoundsAttrName(), -1},
      {D::getClassBoundsAttrName(), -1},
      {D::getClassLowerBoundsAttrName(), 0},
  };
  NamedAttrList converted(attrs);
  for (auto [name, entry] : entries)
    if (Attribute attr = converted.get(name))
      converted.set(name, append(attr, entry));
  converted.erase(D::getStrideOrderHintAttrName());
  converted.set(D::getComplexAttrName(), UnitAttr::get(context));
  return converted;
}

LogicalResult Decomposer::decomposeSignature() {
  MLIRContext *context = function.getContext();
  SmallVector<Type> inputs(function.getArgumentTypes()),
      results(function.getResultTypes());
  for (auto [number, type] : llvm::enumerate(inputs)) {
    if (!isComplexTensor(type))
      continue;
    int64_t rank = cast<RankedTensorType>(type).getRank();
    type = getPairsType(type);
    NamedAttrList attrs =
        convertAttrs(function.getArgAttrDict(number), rank, context);
    function.setArgAttrs(number, attrs.getDictionary(context));
    if (function.isExternal())
      continue;
    BlockArgument arg = function.getArgument(number);
    arg.setType(type);
    tensors[arg] = {arg, Value(), Value()};
  }
  for (auto [number, type] : llvm::enumerate(results)) {
    if (!isComplexTensor(type))
      continue;
    int64_t rank = cast<RankedTensorType>(type).getRank();
    type = getPairsType(type);
    NamedAttrList attrs =
        convertAttrs(function.getResultAttrDict(number), rank, context);
    requireOrder(attrs, rank + 1, context);
    function.setResultAttrs(number, attrs.getDictionary(context));
  }
  function.setFunctionType(FunctionType::get(context, inputs, results));
  return success();
}

//===----------------------------------------------------------------------===//
// Pairs and parts
//===----------------------------------------------------------------------===//

Complex Decomposer::getParts(Value tensor) {
  Tensors &all = tensors[tensor];
  if (!all.re)
    all.re = extractLast(place, all.pairs, 0);
  if (!all.im)
    all.im = extractLast(place, all.pairs, 1);
  return {real(all.re), real(all.im)};
}

Value Decomposer::joinParts(Complex parts) {
  int64_t rank = cast<RankedTensorType>(parts.re.value.getType()).getRank();
  auto append = [&](Value part) -> Value {
    return BroadcastOp::create(builder, place.loc, part,
                               ArrayRef<int64_t>(rank));
  };
  SmallVector<Value> columns = {append(parts.re.value), append(parts.im.value)};
  return CatOp::create(builder, place.loc, columns, rank);
}

Value Decomposer::getPairs(Value tensor) {
  Tensors &all = tensors[tensor];
  if (!all.pairs)
    all.pairs = joinParts({real(all.re), real(all.im)});
  return all.pairs;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Of any element type with parts in the type `element`: 0 is added.
bool Decomposer::decomposeCast(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  if (!cast)
    return false;
  auto createCast = [&](Value value, Type element) -> Value {
    auto type = llvm::cast<RankedTensorType>(value.getType()).clone(element);
    return value.getType() == type
               ? value
               : CastOp::create(builder, place.loc, type, value);
  };
  Type element = cast.getType().getElementType();
  Type part = getPartType(element);
  bool isFromComplex = tensors.contains(cast.getInput());
  if (!isFromComplex) {
    Real re = real(createCast(cast.getInput(), part));
    setParts(cast, {re, makeFull(re, 0)});
    return true;
  }
  Complex z = getParts(cast.getInput());
  Value re = createCast(z.re.value, part), im = createCast(z.im.value, part);
  if (isComplexElement(element))
    setParts(cast, {real(re), real(im)});
  else // i1
    cast.replaceAllUsesWith(
        OrOp::create(builder, place.loc, re, im).getResult());
  return true;
}

bool Decomposer::decomposeConstant(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  if (!constant)
    return false;
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  SmallVector<APFloat> re, im;
  if (elements.isSplat()) {
    auto value = elements.getSplatValue<std::complex<APFloat>>();
    re.push_back(value.real());
    im.push_back(value.imag());
  } else {
    for (std::complex<APFloat> value :
         elements.getValues<std::complex<APFloat>>()) {
      re.push_back(value.real());
      im.push_back(value.imag());
    }
  }
  auto type = cast<RankedTensorType>(getPartTensorLike(constant.getType()));
  auto create = [&](ArrayRef<APFloat> numbers) {
    return real(ConstantOp::create(builder, place.loc, type,
                                   DenseElementsAttr::get(type, numbers)));
  };
  setParts(constant, {create(re), create(im)});
  return true;
}

LogicalResult Decomposer::decomposeReturn(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isComplexTensor(operand.get().getType()) ||
        tensors.contains(operand.get()))
      operand.set(getPairs(operand.get()));
  return success();
}

/// Ops that compute with the parts of all their operands.
LogicalResult Decomposer::decomposeOfParts(Operation *op) {
  SmallVector<Complex> operands;
  bool isKnown = isa_and_nonnull<FusionDialect>(op->getDialect());
  for (Value operand : op->getOperands())
    if (isKnown && tensors.contains(operand))
      operands.push_back(getParts(operand));
  bool areComplex =
      !operands.empty() && operands.size() == op->getNumOperands();
  if (areComplex && op->getNumResults() == 1) {
    if (!isComplexTensor(op->getResult(0).getType())) {
      if (Value value = emitRealFunction(op, operands)) {
        op->getResult(0).replaceAllUsesWith(value);
        return success();
      }
    } else if (auto parts = emitComplexFunction(op, operands)) {
      setParts(op->getResult(0), *parts);
      return success();
    }
  }
  return op->emitOpError("is not supported on complex tensors");
}

LogicalResult Decomposer::decompose(Operation *op) {
  builder.setInsertionPoint(op);
  place.loc = op->getLoc();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return decomposeReturn(op);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    const Tensors &source = tensors[dim.getSource()];
    dim.replaceAllUsesWith(
        tensor::DimOp::create(builder, place.loc,
                              source.pairs ? source.pairs : source.re,
                              dim.getIndex())
            .getResult());
    return success();
  }
  if (auto complex = dyn_cast<ComplexOp>(op)) {
    setParts(complex, {real(complex.getReal()), real(complex.getImag())});
    return success();
  }
  if (decomposeCast(op) || decomposeConstant(op) || decomposeContraction(op) ||
      decomposeProduct(op) || movePairs(op) || applyToParts(op))
    return success();
  return decomposeOfParts(op);
}

LogicalResult Decomposer::run() {
  FailureOr<SmallVector<Operation *>> ops = collectOps(function, kComplex);
  if (failed(ops) || failed(decomposeSignature()))
    return failure();
  for (Operation *op : *ops)
    if (failed(decompose(op)))
      return failure();
  eraseOps(*ops);
  return success();
}

LogicalResult fusion::decomposeComplex(func::FuncOp function) {
  return findTensor(function, kComplex) ? Decomposer(function).run()
                                        : success();
}

namespace {
struct DecomposeComplexPass
    : public fuser::fusion::impl::DecomposeComplexPassBase<
          DecomposeComplexPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(decomposeComplex(getOperation())))
      signalPassFailure();
  }
};
} // namespace
