//===- TensorBuffer.cpp - What lies behind the tensors of a function ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/TensorLayout.h"
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
  int64_t common = 0, stride = 1;
  for (int64_t dim : llvm::reverse(order)) {
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

int64_t fuser::getElementAlignment(RankedTensorType type, Attribute promised) {
  int64_t alignment = getStorageBytes(type.getElementType());
  if (auto attr = dyn_cast_or_null<IntegerAttr>(promised))
    alignment = std::max(alignment, attr.getInt());
  return alignment;
}

/// Of the first element: the caller may bring what the function takes or
/// returns.
static int64_t getAlignment(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  StringRef name = FusionDialect::getAlignmentAttrName();
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto func =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return getElementAlignment(
        type, func ? func.getArgAttr(argument.getArgNumber(), name) : nullptr);
  }
  OpOperand *returned = findReturn(tensor);
  return returned ? getElementAlignment(type, getResultAttr(returned, name))
                  : kAllocationAlignment;
}

TensorBuffer fuser::getTensorBuffer(Value tensor) {
  if (auto result = dyn_cast<OpResult>(tensor))
    if (Value input = getReusedInput(result))
      return getTensorBuffer(input);
  auto type = cast<RankedTensorType>(tensor.getType());
  TensorLayout layout = getTensorLayout(tensor);
  if (layout.order)
    return getDenseBuffer(type, *layout.order, getAlignment(tensor));
  return {getStridedType(type), getAlignment(tensor),
          getStorageBytes(type.getElementType())};
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
