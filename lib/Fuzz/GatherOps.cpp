//===- GatherOps.cpp - Ops that read where others say, and may find nothing ==//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Indices fuzz::makeIndices(GrowingProgram &program, ArrayRef<Dim> dims,
                          int64_t size) {
  Random &random = program.random;
  OpBuilder &builder = program.builder;
  Type element = builder.getIntegerType(random.chance(50) ? 32 : 64);
  Tensor numbers;
  if (dims.empty() || (program.canAddInput() && random.chance(50))) {
    numbers = program.pickLike(dims, element);
  } else {
    SmallVector<Value> progression;
    for (int64_t number : {random.below(20), random.below(7)})
      progression.push_back(arith::ConstantOp::create(
          program.builder, builder.getIntegerAttr(element, number)));
    int64_t dim = random.below(dims.size());
    Value iota = IotaOp::create(program.builder, program.getType(dims, element),
                                dim, progression, program.getOpenSizes(dims));
    numbers = program.add(iota, dims, {1e4, true});
  }
  int64_t more = random.chance(20) ? 2 : 0;
  int64_t count = std::max<int64_t>(size + more, 1);
  Tensor divisor = program.addFull(dims, element, static_cast<double>(count));
  Value value =
      RemainderOp::create(program.builder, {numbers.value, divisor.value});
  bool isInside = size > 0 && more == 0;
  if (random.chance(10)) {
    Tensor one = program.addFull(dims, element, 1);
    value = SubOp::create(program.builder, {value, one.value});
    isInside = false;
  }
  program.add(value, dims, {static_cast<double>(count), numbers.range.isExact});
  return {value, isInside && numbers.range.isExact};
}

/// Of what is read at `indices`: where there is no element it is NaN, or the
/// least integer.
static Magnitude getTakenRange(const Tensor &tensor, const Indices &indices) {
  Magnitude range = tensor.range;
  if (!indices.isInside && !tensor.isFloat() && !tensor.isBool())
    range.limit = getMost(tensor.element);
  return range;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void fuzz::addTake(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.dims.empty())
    return;
  Random &random = program.random;
  auto dim = static_cast<int64_t>(random.below(tensor.getRank()));
  int64_t most = std::min<int64_t>(2, kMaxRank - tensor.getRank() + 1);
  Dims at;
  for (int64_t rank = random.between(0, most); rank > 0; --rank)
    at.push_back(program.pickDim());
  Dims dims(tensor.dims.begin(), tensor.dims.begin() + dim);
  llvm::append_range(dims, at);
  dims.append(tensor.dims.begin() + dim + 1, tensor.dims.end());
  if (!isSmall(dims))
    return;
  Indices indices = makeIndices(program, at, tensor.dims[dim].size);
  Magnitude range = getTakenRange(tensor, indices);
  if (!fits(tensor.element, range))
    return;
  Value value =
      TakeOp::create(program.builder, tensor.value, indices.value, dim);
  program.add(value, dims, range);
}

void fuzz::addTakeAlongAxis(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.dims.empty())
    return;
  Random &random = program.random;
  auto dim = random.chance(70)
                 ? tensor.getRank() - 1
                 : static_cast<int64_t>(random.below(tensor.getRank()));
  Dims dims = tensor.dims;
  for (Dim &other : dims)
    other = program.reopen(other);
  dims[dim] = random.chance(50) ? program.makeDim(1, false) : program.pickDim();
  if (!isSmall(dims))
    return;
  Indices indices = makeIndices(program, dims, tensor.dims[dim].size);
  Magnitude range = getTakenRange(tensor, indices);
  if (!fits(tensor.element, range))
    return;
  Value value = TakeAlongAxisOp::create(program.builder, tensor.value,
                                        indices.value, dim);
  program.add(value, dims, range);
}

/// As many elements as a mode can add, and no more than a few.
static int64_t pickAdded(Random &random, PadMode mode, int64_t size) {
  int64_t most = 9;
  if (mode == PadMode::Replicate)
    most = size > 0 ? most : 0;
  if (mode == PadMode::Reflect)
    most = std::min(most, std::max<int64_t>(size - 1, 0));
  if (mode == PadMode::Circular)
    most = std::min(most, size);
  return random.chance(30) ? 0 : random.between(0, most);
}

void fuzz::addPad(GrowingProgram &program, const Tensor &tensor) {
  Random &random = program.random;
  PadMode mode =
      random.pick({PadMode::Constant, PadMode::Constant, PadMode::Replicate,
                   PadMode::Reflect, PadMode::Circular});
  OpBuilder &builder = program.builder;
  SmallVector<OpFoldResult> low, high;
  Dims dims = tensor.dims;
  for (Dim &dim : dims) {
    int64_t whole = dim.size;
    bool isOpen = dim.isOpen;
    for (auto *list : {&low, &high}) {
      int64_t added = random.chance(40) ? 0 : pickAdded(random, mode, dim.size);
      bool isValue = random.chance(20);
      list->push_back(isValue ? OpFoldResult(program.makeIndex(added))
                              : builder.getIndexAttr(added));
      isOpen |= isValue;
      whole += added;
    }
    if (isOpen || whole != dim.size)
      dim = program.makeDim(whole, isOpen);
  }
  if (!isSmall(dims))
    return;
  Value value;
  Magnitude range = tensor.range;
  if (mode == PadMode::Constant && random.chance(60)) {
    bool isBool = tensor.isBool();
    TypedAttr number =
        tensor.isFloat()
            ? TypedAttr(roundNumber(cast<FloatType>(tensor.element), -1.5))
            : builder.getIntegerAttr(getScalarType(tensor.element),
                                     isBool ? 1 : -2);
    value = arith::ConstantOp::create(program.builder, number);
    range.limit = std::max(range.limit, isBool ? 1.0 : 2.0);
  }
  Value padded =
      PadOp::create(program.builder, mode, tensor.value, low, high, value);
  program.add(padded, dims, range);
}
