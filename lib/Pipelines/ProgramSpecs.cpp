//===- ProgramSpecs.cpp - What a program says of itself -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramSpecs.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include <numeric>

using namespace fuser;
using fuser_rt::ElementType;
using fuser_rt::TensorSpec;

static RequiredAlignments findRequiredAlignments(func::FuncOp func) {
  StringRef name = fusion::FusionDialect::getAlignmentAttrName();
  RequiredAlignments required;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    required.arguments.push_back(func.getArgAttr(i, name) != nullptr);
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    required.results.push_back(func.getResultAttr(i, name) != nullptr);
  return required;
}

RequiredAlignments fuser::applyInputClasses(func::FuncOp func,
                                            const CompileOptions &options) {
  RequiredAlignments required = findRequiredAlignments(func);
  Builder b(func.getContext());
  size_t number = 0;
  for (BlockArgument arg : func.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type)
      continue;
    InputClass inputClass =
        number < options.inputs.size() ? options.inputs[number] : InputClass();
    ++number;
    unsigned index = arg.getArgNumber();
    // A stride order that the program requires stays required.
    bool isRequired =
        func.getArgAttr(
            index, fusion::FusionDialect::getStrideOrderAttrName()) != nullptr;
    if (inputClass.anyStrides && !isRequired)
      func.setArgAttr(index, fusion::FusionDialect::getLayoutAttrName(),
                      b.getStringAttr("any"));
    if (inputClass.alignment > 1 &&
        !func.getArgAttr(index, fusion::FusionDialect::getAlignmentAttrName()))
      func.setArgAttr(index, fusion::FusionDialect::getAlignmentAttrName(),
                      b.getI64IntegerAttr(inputClass.alignment));
  }
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    if (options.outputAlignment > 1 &&
        !func.getResultAttr(i, fusion::FusionDialect::getAlignmentAttrName()))
      func.setResultAttr(i, fusion::FusionDialect::getAlignmentAttrName(),
                         b.getI64IntegerAttr(options.outputAlignment));
  return required;
}

static std::optional<ElementType> convertElementType(Type type) {
  if (type.isF64())
    return ElementType::F64;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isIndex())
    return ElementType::I64;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return ElementType::I1;
    case 8:
      return ElementType::I8;
    case 16:
      return ElementType::I16;
    case 32:
      return ElementType::I32;
    case 64:
      return ElementType::I64;
    }
  return std::nullopt;
}

/// The stride order in an attribute, or row major.
static std::vector<int64_t> getOrder(DictionaryAttr attrs, StringRef name,
                                     int64_t rank) {
  if (attrs)
    if (auto order = attrs.getAs<DenseI64ArrayAttr>(name))
      return std::vector<int64_t>(order.asArrayRef());
  std::vector<int64_t> rowMajor(rank);
  std::iota(rowMajor.begin(), rowMajor.end(), 0);
  return rowMajor;
}

static uint64_t getAlignment(DictionaryAttr attrs, ElementType element) {
  uint64_t alignment = fuser_rt::elementBytes(element);
  if (attrs)
    if (auto attr = attrs.getAs<IntegerAttr>(
            fusion::FusionDialect::getAlignmentAttrName()))
      alignment = std::max<uint64_t>(alignment, attr.getInt());
  return alignment;
}

/// What is common to inputs and outputs.
static FailureOr<TensorSpec> describeTensor(Value value, DictionaryAttr attrs,
                                            const ShapeSymbols &symbols) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<ElementType> element =
      convertElementType(type.getElementType());
  if (!element)
    return emitError(value.getLoc())
           << "expected an element type that programs can take (f64, f32, f16, "
              "bf16, i1, i8, i16, i32, i64), got "
           << type.getElementType();
  TensorSpec spec;
  spec.element = *element;
  SymbolicShape shape = symbols.getShape(value);
  spec.dims.assign(shape.begin(), shape.end());
  spec.alignment = getAlignment(attrs, *element);
  spec.strideOrderRequired =
      attrs && attrs.contains(fusion::FusionDialect::getStrideOrderAttrName());
  return spec;
}

static LogicalResult describeArguments(func::FuncOp func,
                                       const RequiredAlignments &required,
                                       const ShapeSymbols &symbols,
                                       fuser_rt::Variant &variant) {
  for (BlockArgument arg : func.getArguments()) {
    DictionaryAttr attrs = func.getArgAttrDict(arg.getArgNumber());
    std::string name = getArgumentName(func, arg.getArgNumber());
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type) {
      std::optional<ElementType> element = convertElementType(arg.getType());
      if (!element)
        return emitError(arg.getLoc())
               << "expected a ranked tensor or a scalar as an argument, got "
               << arg.getType();
      variant.scalars.push_back({name, *element});
      continue;
    }
    FailureOr<TensorSpec> spec = describeTensor(arg, attrs, symbols);
    if (failed(spec))
      return failure();
    spec->name = name;
    spec->strideOrder = getOrder(
        attrs, fusion::FusionDialect::getStrideOrderAttrName(), type.getRank());
    spec->anyStrides =
        attrs &&
        attrs.getAs<StringAttr>(fusion::FusionDialect::getLayoutAttrName()) &&
        attrs.getAs<StringAttr>(fusion::FusionDialect::getLayoutAttrName())
                .getValue() == "any";
    spec->alignmentRequired = required.arguments[arg.getArgNumber()];
    variant.inputs.push_back(std::move(*spec));
  }
  return success();
}

/// The number of tensor arguments before argument `index`.
static uint32_t countTensorArguments(func::FuncOp func, int64_t index) {
  return llvm::count_if(func.getArgumentTypes().take_front(index),
                        llvm::IsaPred<RankedTensorType>);
}

static LogicalResult describeResult(func::FuncOp func, OpOperand &returned,
                                    const RequiredAlignments &required,
                                    const ShapeSymbols &symbols,
                                    fuser_rt::Variant &variant) {
  unsigned index = returned.getOperandNumber();
  DictionaryAttr attrs = func.getResultAttrDict(index);
  auto type = dyn_cast<RankedTensorType>(returned.get().getType());
  if (!type)
    return emitError(returned.getOwner()->getLoc())
           << "expected ranked tensors as results, got "
           << returned.get().getType() << " as result " << index;
  FailureOr<TensorSpec> spec = describeTensor(returned.get(), attrs, symbols);
  if (failed(spec))
    return failure();
  spec->name = getResultName(func, index);
  StringRef order =
      attrs && attrs.contains(fusion::FusionDialect::getStrideOrderAttrName())
          ? StringRef(fusion::FusionDialect::getStrideOrderAttrName())
          : StringRef(fusion::FusionDialect::getStrideOrderHintAttrName());
  spec->strideOrder = getOrder(attrs, order, type.getRank());
  spec->alignmentRequired = required.results[index];
  if (auto alias = attrs ? attrs.getAs<fusion::AliasAttr>(
                               fusion::FusionDialect::getAliasAttrName())
                         : fusion::AliasAttr()) {
    if (alias.getKind() != fusion::AliasKind::New)
      spec->aliasInput = countTensorArguments(func, alias.getInput());
    if (alias.getKind() == fusion::AliasKind::Reuse)
      spec->alias = TensorSpec::Alias::Reuse;
    if (alias.getKind() == fusion::AliasKind::Evaluate)
      spec->alias = TensorSpec::Alias::View;
  }
  variant.outputs.push_back(std::move(*spec));
  return success();
}

LogicalResult fuser::describeSignature(func::FuncOp func,
                                       const RequiredAlignments &required,
                                       fuser_rt::Variant &variant) {
  ShapeSymbols symbols(func);
  if (failed(describeArguments(func, required, symbols, variant)))
    return failure();
  Operation *terminator = func.getBody().front().getTerminator();
  for (OpOperand &returned : terminator->getOpOperands())
    if (failed(describeResult(func, returned, required, symbols, variant)))
      return failure();
  return success();
}

void fuser::takeKernels(ModuleOp module, fuser_rt::Variant &variant) {
  llvm::DenseMap<Attribute, uint32_t> images;
  for (auto op : llvm::make_early_inc_range(module.getOps<host::KernelOp>())) {
    fuser_rt::KernelSpec kernel;
    kernel.name = op.getEntryName().str();
    kernel.numParams = op.getParams().size();
    kernel.maxThreads = op.getThreads().value_or(0);
    kernel.scratchBytes = op.getScratch().value_or(0);
    if (StringAttr image = op.getImageAttr()) {
      auto [it, isNew] = images.try_emplace(image, variant.images.size());
      if (isNew)
        variant.images.push_back(image.str());
      kernel.image = it->second;
    }
    variant.kernels.push_back(std::move(kernel));
    op.erase();
  }
}
