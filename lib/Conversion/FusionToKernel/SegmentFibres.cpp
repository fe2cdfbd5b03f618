//===- SegmentFibres.cpp - A segment that computes fibres -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/SegmentFibres.h"

using namespace fuser;
using fusion::FibreOpInterface;

FibreOpInterface fuser::getFibreOp(fusion::SegmentOp segment) {
  return fusion::getOnlyOp<FibreOpInterface>(segment);
}

SmallVector<int64_t> fuser::getFibreNumberDims(FibreOpInterface op) {
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  dims.erase(dims.begin() + op.getFibreDim());
  return dims;
}

void fuser::emitFibre(SegmentKernel &kernel, FibreOpInterface op, Value number,
                      bool narrow,
                      function_ref<void(fusion::FibreContext &)> emit) {
  OpBuilder &b = kernel.builder;
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  int64_t dim = op.getFibreDim();
  SmallVector<OpFoldResult> sizes =
      kernel.getSizes().getDims(result, getFibreNumberDims(op));
  SmallVector<Value> index = emitCoordinates(b, loc, number, sizes, narrow);
  index.insert(index.begin() + dim, Value());
  Type element = getElementTypeOrSelf(result.getType());
  const TensorAccess &access = kernel.getResultAccess(0);
  auto getIndex = [&](Value position) {
    SmallVector<Value> at(index);
    at[dim] = position;
    return at;
  };
  SmallVector<OpOperand *> operands = fusion::getTensorOperands(op);
  auto operandLength = [&](unsigned operand) {
    return kernel.getSizes().getDimValue(operands[operand]->get(),
                                         op.getOperandFibreDim(operand));
  };
  // What is read once is not remembered: the result may be stored between.
  auto load = [&](unsigned operand, Value position) {
    ElementEmitter::Scope scope(kernel.getElements());
    return kernel.getElements().emit(
        loc, operands[operand]->get(),
        op.getFibreIndex(operand, index, position));
  };
  auto loadResult = [&](Value position) {
    Value stored = access.load(b, loc, getIndex(position), /*width=*/1);
    return emitToCompute(b, loc, stored, element);
  };
  auto store = [&](Value position, Value value) {
    kernel.storeResult(loc, /*result=*/0, value, getIndex(position));
  };
  kernel.withContext(loc, [&](fusion::EmitContext &ctx) {
    fusion::FibreContext fibre{ctx,
                               getComputeType(element),
                               kernel.getSizes().getDimValue(result, dim),
                               operandLength,
                               load,
                               loadResult,
                               store};
    emit ? emit(fibre) : op.emitFibre(fibre);
  });
}
