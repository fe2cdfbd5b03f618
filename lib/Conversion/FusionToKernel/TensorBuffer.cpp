//===- TensorBuffer.cpp - What lies behind the tensors of a function ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/ElementEmitter.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <numeric>

using namespace fuser;
using fusion::FusionDialect;
using fusion::SegmentOp;

/// What the strides of a dense buffer, but for the last dimension's, are
/// multiples of at least.
static int64_t getStrideDivisor(RankedTensorType tensor,
                                ArrayRef<int64_t> order) {
  SmallVector<int64_t> dims(order);
  if (dims.empty())
    llvm::append_range(dims, llvm::seq<int64_t>(0, tensor.getRank()));
  int64_t common = 0, stride = 1;
  for (int64_t dim : llvm::reverse(dims)) {
    int64_t size = tensor.getDimSize(dim);
    if (dim != tensor.getRank() - 1 && size != 1)
      common = std::gcd(common, stride);
    // Whatever a dynamic size is, the stride is a multiple of the static ones.
    if (!ShapedType::isDynamic(size))
      stride *= std::max<int64_t>(size, 1);
  }
  return common;
}

static TensorBuffer getDenseBuffer(RankedTensorType tensor,
                                   ArrayRef<int64_t> order, int64_t alignment) {
  int64_t bytes = getStorageBytes(tensor.getElementType());
  MemRefType type = host::getDenseBufferType(
      tensor.getShape(), getStorageType(tensor.getElementType()), order);
  return {type, alignment,
          std::gcd(alignment, bytes * getStrideDivisor(tensor, order))};
}

static MemRefType getStridedType(RankedTensorType tensor) {
  SmallVector<int64_t> strides(tensor.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(tensor.getContext(), 0, strides);
  return MemRefType::get(tensor.getShape(),
                         getStorageType(tensor.getElementType()), layout);
}

static ArrayRef<int64_t> getOrder(Attribute attr) {
  auto order = dyn_cast_or_null<DenseI64ArrayAttr>(attr);
  return order ? order.asArrayRef() : ArrayRef<int64_t>();
}

int64_t fuser::getElementAlignment(RankedTensorType type, Attribute promised) {
  int64_t alignment = getStorageBytes(type.getElementType());
  if (auto attr = dyn_cast_or_null<IntegerAttr>(promised))
    alignment = std::max(alignment, attr.getInt());
  return alignment;
}

static TensorBuffer getArgumentBuffer(BlockArgument argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!func)
    return getDenseBuffer(type, {}, getElementAlignment(type, nullptr));
  auto get = [&](StringRef name) {
    return func.getArgAttr(argument.getArgNumber(), name);
  };
  int64_t alignment =
      getElementAlignment(type, get(FusionDialect::getAlignmentAttrName()));
  auto layout =
      dyn_cast_or_null<StringAttr>(get(FusionDialect::getLayoutAttrName()));
  if (layout && layout.getValue() == "any")
    return {getStridedType(type), alignment,
            getStorageBytes(type.getElementType())};
  return getDenseBuffer(
      type, getOrder(get(FusionDialect::getStrideOrderAttrName())), alignment);
}

/// The attributes of the function's result that `value` is returned as first;
/// null if it is not returned.
static OpOperand *findReturn(Value value) {
  OpOperand *first = nullptr;
  for (OpOperand &use : value.getUses())
    if (isa<func::ReturnOp>(use.getOwner()) &&
        (!first || use.getOperandNumber() < first->getOperandNumber()))
      first = &use;
  return first;
}

static Attribute getResultAttr(OpOperand *returned, StringRef name) {
  if (!returned)
    return nullptr;
  auto func = cast<func::FuncOp>(returned->getOwner()->getParentOp());
  return func.getResultAttr(returned->getOperandNumber(), name);
}

Value fuser::getReusedInput(OpResult result) {
  OpOperand *returned = findReturn(result);
  auto alias = dyn_cast_or_null<fusion::AliasAttr>(
      getResultAttr(returned, FusionDialect::getAliasAttrName()));
  if (!alias || alias.getKind() != fusion::AliasKind::Reuse)
    return nullptr;
  return cast<func::FuncOp>(returned->getOwner()->getParentOp())
      .getArgument(alias.getInput());
}

TensorBuffer fuser::getTensorBuffer(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return getArgumentBuffer(argument);
  auto result = cast<OpResult>(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  if (Value input = getReusedInput(result))
    return getTensorBuffer(input);
  OpOperand *returned = findReturn(result);
  int64_t alignment = kAllocationAlignment;
  if (returned) // The caller may bring the buffer.
    alignment = getElementAlignment(
        type, getResultAttr(returned, FusionDialect::getAlignmentAttrName()));
  if (Attribute order =
          getResultAttr(returned, FusionDialect::getStrideOrderAttrName()))
    return getDenseBuffer(type, getOrder(order), alignment);
  auto segment = dyn_cast<SegmentOp>(result.getOwner());
  Attribute hint =
      segment ? segment.getResultHint(result.getResultNumber()) : nullptr;
  return getDenseBuffer(type, getOrder(hint), alignment);
}

SmallVector<KernelArgument> fuser::getKernelArguments(SegmentOp segment) {
  SmallVector<KernelArgument> arguments;
  llvm::SmallDenseSet<Value> reused;
  for (OpResult result : segment->getResults())
    if (Value input = getReusedInput(result))
      reused.insert(input);
  auto add = [&](Value value, bool noAlias) {
    KernelArgument argument{value, value.getType(), 1, 1, false};
    if (isa<RankedTensorType>(value.getType())) {
      TensorBuffer buffer = getTensorBuffer(value);
      argument.type = buffer.type;
      argument.alignment = buffer.alignment;
      argument.rowAlignment = buffer.rowAlignment;
      argument.noAlias = noAlias;
    }
    arguments.push_back(argument);
  };
  for (Value input : segment.getInputs())
    add(input, !reused.contains(input));
  for (OpResult result : segment->getResults()) {
    Value input = getReusedInput(result);
    add(result, !input || !llvm::is_contained(segment.getInputs(), input));
  }
  return arguments;
}
