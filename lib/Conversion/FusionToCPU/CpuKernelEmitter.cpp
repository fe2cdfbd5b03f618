//===- CpuKernelEmitter.cpp - What emitters of CPU kernels share ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuKernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace fuser;
using fusion::ReductionOpInterface;

int64_t fuser::countScattered(ValueRange tensorsAndScalars) {
  return llvm::count_if(tensorsAndScalars, [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return type && type.getRank() != 0 && type.getShape().back() != 1 &&
           !TensorAccess(value, type.getElementType()).isContiguous();
  });
}

bool fuser::hasUnknownNeighbours(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || type.getRank() == 0 || type.getShape().back() == 1)
    return false;
  return ShapedType::isDynamic(type.getStridesAndOffset().first.back());
}

Value fuser::assumeNeighbours(OpBuilder &b, Location loc, Value memref,
                              Value &condition) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      metadata.getStrides().back(), one);
  // A single element has no neighbours: any stride will do.
  if (type.isDynamicDim(type.getRank() - 1))
    isOne = arith::OrIOp::create(
        b, loc, isOne,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                              metadata.getSizes().back(), one));
  condition = condition
                  ? arith::AndIOp::create(b, loc, condition, isOne).getResult()
                  : isOne;
  auto [strides, offset] = type.getStridesAndOffset();
  strides.back() = 1;
  SmallVector<OpFoldResult> strideValues = metadata.getConstifiedMixedStrides();
  strideValues.back() = b.getIndexAttr(1);
  auto layout = StridedLayoutAttr::get(b.getContext(), offset, strides);
  return memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType(), layout),
      memref, metadata.getConstifiedMixedOffset(),
      metadata.getConstifiedMixedSizes(), strideValues);
}

CpuKernelEmitter::CpuKernelEmitter(OpBuilder &builder,
                                   fusion::SegmentOp segment,
                                   const CpuPlan &plan,
                                   const CpuKernelArguments &arguments)
    : b(builder), loc(segment.getLoc()), segment(segment), plan(plan),
      arguments(arguments),
      kernel(builder, segment, arguments.tensorsAndScalars),
      memory(builder, loc), loops(builder, loc, memory, kernel.getElements()),
      operands(kernel.getOperands()), results(kernel.getResults()) {
  kernel.getElements().setVectorFactories();
  kernel.getElements().setRunTimeWidths();
  for (auto [i, tensor] : llvm::enumerate(operands))
    if (tensor.getMemRef())
      bind(segment.getBody().getArgument(i), tensor);
  for (const SegmentKernel::View &view : kernel.getViews())
    bind(view.tensor, view.access);
  if (countScattered(arguments.tensorsAndScalars) > kMaxUnrolledTensors)
    memory.keepRolled();
}

void CpuKernelEmitter::bind(Value value, const TensorAccess &tensor) {
  kernel.getElements().bind(
      value,
      [this, tensor](OpBuilder &, Location, ValueRange index, int64_t width) {
        return memory.load(tensor, index, width);
      },
      [this, tensor](OpBuilder &, Location, ValueRange index, int64_t width,
                     int64_t dim) {
        return readsAlong ? memory.loadAlong(tensor, index, width, dim)
                          : Value();
      });
}

Type CpuKernelEmitter::getComputeTypeOf(Value tensor) const {
  return getComputeType(getElementTypeOrSelf(tensor.getType()));
}

Value CpuKernelEmitter::getScratch(Operation *op, unsigned number, Type element,
                                   int64_t elements) {
  Value &memory = scratch[{op, number, elements}];
  if (!memory)
    memory = arguments.scratch->allocate(b, loc, element, elements);
  return memory;
}

CpuKernelEmitter::Accumulators
CpuKernelEmitter::emitStart(ReductionOpInterface op, int64_t lanes) {
  Accumulators start = kernel.emitStart(op);
  for (Value &value : start)
    value = emitRepeated(b, loc, value, lanes);
  return start;
}

CpuKernelEmitter::Accumulators
CpuKernelEmitter::combineLanes(ReductionOpInterface op,
                               Accumulators accumulators) {
  for (int64_t lanes = getWidth(accumulators.front()); lanes > 1; lanes /= 2) {
    Accumulators low, high;
    for (Value value : accumulators) {
      low.push_back(emitPiece(b, loc, value, 0, lanes / 2));
      high.push_back(emitPiece(b, loc, value, lanes / 2, lanes / 2));
    }
    accumulators = kernel.emitCombine(op, low, high);
  }
  return accumulators;
}

Value CpuKernelEmitter::getCount(ReductionOpInterface op) {
  return emitSizeProduct(
      b, loc,
      kernel.getSizes().getDims(op->getOperand(0), op.getReductionDims()));
}

/// Ops finalize scalars only; lanes go through memory.
Value CpuKernelEmitter::emitFinalize(ReductionOpInterface op,
                                     ValueRange accumulators) {
  ElementEmitter &elements = kernel.getElements();
  Value count = getCount(op);
  auto type = dyn_cast<VectorType>(accumulators.front().getType());
  if (!type)
    return elements.emitReductionResult(loc, op, accumulators, count);
  int64_t lanes = type.getNumElements();
  Value zero = memory.getIndex(0);
  SmallVector<Value> in;
  for (Value value : accumulators) {
    in.push_back(
        memory.getBuffer(getElementTypeOrSelf(value), lanes, in.size() + 1));
    vector::StoreOp::create(b, loc, value, in.back(), ValueRange{zero});
  }
  Type compute = getComputeTypeOf(op->getResult(0));
  Type storage = getStorageType(compute);
  Value out = memory.getBuffer(storage, lanes, in.size() + 1);
  loops.emitLoop(
      zero, memory.getIndex(lanes), 1, {}, [&](Value lane, ValueRange) {
        SmallVector<Value> scalars;
        for (Value buffer : in)
          scalars.push_back(memref::LoadOp::create(b, loc, buffer, lane));
        Value result = elements.emitReductionResult(loc, op, scalars, count);
        memref::StoreOp::create(b, loc, emitToStorage(b, loc, result, compute),
                                out, lane);
        return SmallVector<Value>();
      });
  Value stored = vector::LoadOp::create(
      b, loc, VectorType::get({lanes}, storage), out, ValueRange{zero});
  return emitToCompute(b, loc, stored, compute);
}
