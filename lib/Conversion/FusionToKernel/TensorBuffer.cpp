//===- TensorBuffer.cpp - What lies behind the tensors of a function ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Analysis/TensorLayout.h"
#include "fuser/Conversion/ElementEmitter.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/FoldIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <numeric>

using namespace fuser;
using fusion::FusionDialect;
using fusion::SegmentOp;

int64_t fuser::getNeighbourDim(MemRefType type) {
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    bool isLast = dim + 1 == type.getRank();
    if (strides[dim] == 1 && (isLast || type.getDimSize(dim) != 1))
      return dim;
  }
  return -1;
}

/// What the strides of a dense buffer, but for that of dimension `neighbours`,
/// are multiples of at least, as far as powers of two go that alignments can
/// be.
static int64_t getStrideDivisor(ArrayRef<int64_t> divisors,
                                RankedTensorType tensor,
                                ArrayRef<int64_t> order, int64_t neighbours) {
  constexpr int64_t kMaxAlignment = 4096; // alignment_c1
  int64_t common = 0, stride = 1;
  for (int64_t dim : llvm::reverse(order)) {
    if (dim != neighbours && tensor.getDimSize(dim) != 1)
      common = std::gcd(common, stride);
    stride *= std::gcd(divisors[dim], kMaxAlignment);
    stride = std::gcd(stride, kMaxAlignment);
  }
  return common;
}

/// Divisors of the sizes of `tensor`; if `symbols` is null, of static ones
/// only.
static SmallVector<int64_t> getDivisors(Value tensor,
                                        const ShapeSymbols *symbols) {
  auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
  SmallVector<int64_t> divisors(shape);
  for (auto [dim, divisor] : llvm::enumerate(divisors))
    if (ShapedType::isDynamic(divisor))
      divisor = symbols ? symbols->getFacts(tensor, dim).divisor : 1;
  return divisors;
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

/// The alignment of the first element. That of arguments and results of the
/// function is what its attributes say, since callers may bring them.
static int64_t getAlignment(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  StringRef name = FusionDialect::getAlignmentAttrName();
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto func =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return getElementAlignment(
        type, func ? func.getArgAttr(argument.getArgNumber(), name) : nullptr);
  }
  if (auto shape = tensor.getDefiningOp<fusion::ReshapeOp>();
      shape && !findReturn(tensor))
    return getAlignment(shape.getInput());
  OpOperand *returned = findReturnOfMemory(tensor);
  return returned ? getElementAlignment(type, getResultAttr(returned, name))
                  : kAllocationAlignment;
}

/// The buffer of a tensor without gaps.
static TensorBuffer makeDenseBuffer(Value tensor, ArrayRef<int64_t> order,
                                    int64_t alignment,
                                    const ShapeSymbols *symbols) {
  auto type = cast<RankedTensorType>(tensor.getType());
  MemRefType memref = host::getDenseBufferType(
      type.getShape(), getStorageType(type.getElementType()), order);
  int64_t stride = getStrideDivisor(getDivisors(tensor, symbols), type, order,
                                    getNeighbourDim(memref));
  int64_t bytes = getStorageBytes(type.getElementType());
  return {memref, alignment, std::gcd(alignment, bytes * stride),
          llvm::to_vector(order)};
}

TensorBuffer fuser::getTensorBuffer(Value tensor, const ShapeSymbols *symbols) {
  if (auto result = dyn_cast<OpResult>(tensor))
    if (Value input = getReusedInput(result))
      return getTensorBuffer(input, symbols);
  auto type = cast<RankedTensorType>(tensor.getType());
  TensorLayout layout = getTensorLayout(tensor);
  int64_t bytes = getStorageBytes(type.getElementType());
  int64_t alignment = getAlignment(tensor);
  if (!layout.order)
    return {getStridedType(type), alignment, bytes, std::nullopt};
  return makeDenseBuffer(tensor, *layout.order, alignment, symbols);
}

TensorBuffer fuser::getDenseBuffer(Value tensor, int64_t alignment,
                                   const ShapeSymbols *symbols) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return makeDenseBuffer(tensor, llvm::to_vector(llvm::seq(rank)), alignment,
                         symbols);
}

Value fuser::createDenseView(OpBuilder &builder, Location loc, MemRefType type,
                             Value memory,
                             function_ref<OpFoldResult(int64_t)> getDim) {
  SmallVector<OpFoldResult> shape, strides;
  OpFoldResult stride = builder.getIndexAttr(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    shape.push_back(getDim(dim));
    strides.push_back(stride);
    stride = foldIndex<arith::MulIOp>(builder, loc, stride, shape.back());
  }
  std::reverse(shape.begin(), shape.end());
  std::reverse(strides.begin(), strides.end());
  return memref::ReinterpretCastOp::create(
      builder, loc, type, memory, OpFoldResult(builder.getIndexAttr(0)), shape,
      strides);
}

bool fuser::isViewOfOperand(fusion::ReshapeOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getInput());
  auto segment = dyn_cast<SegmentOp>(op->getParentOp());
  if (!argument || !segment || op.getAffineIndexMap(0))
    return false;
  Value operand = segment.getInputs()[argument.getArgNumber()];
  return getTensorBuffer(operand).type.getLayout().isIdentity();
}

SmallVector<KernelArgument>
fuser::getKernelArguments(SegmentOp segment, const ShapeSymbols *symbols) {
  SmallVector<KernelArgument> arguments;
  llvm::SmallDenseSet<Value> reused;
  for (OpResult result : segment->getResults())
    if (Value input = getReusedInput(result))
      reused.insert(input);
  auto add = [&](Value value, bool noAlias) {
    KernelArgument argument{value, value.getType(), 1, 1, false};
    if (isa<RankedTensorType>(value.getType())) {
      TensorBuffer buffer = getTensorBuffer(value, symbols);
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
