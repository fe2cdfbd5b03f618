//===- ReferenceFibres.cpp - Scans, sorts and scatters --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fibre is computed as the op emits it. Where its elements may be off, it is
// computed again, each time of other elements, as ReductionBounds.cpp has them
// for reductions of n elements x, which may each be off by b:
//
//   what grows with its operands   x + b and x - b, the ends of the range; and,
//            if it is rounded on the way, |x|, of which the kernel errs by
//            (8 + n) u, and f64 by twice that
//   product  |x|, |x| + b, and the greater of that and 1
//
// A selector of which an element may be off makes anything of a fibre.
//
//===----------------------------------------------------------------------===//

#include "BoundArithmetic.h"
#include "ReferenceLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using namespace fuser::reference;

/// One computation of a fibre: of what, and where it goes.
struct ReferenceLowering::FibreRun {
  /// What is taken for an element that may be off by a bound; null: itself.
  std::function<Value(Value element, Value bound)> change;
  /// Takes the elements as they are before they are rounded, in compute type;
  /// null: none does.
  Value buffer;
  /// Elements are stored as the op's result too, rounded.
  bool isResult = false;
};

//===----------------------------------------------------------------------===//
// A fibre
//===----------------------------------------------------------------------===//

void ReferenceLowering::emitFibre(FibreOpInterface op, ArrayRef<Value> index,
                                  const FibreRun &run) {
  Value result = op->getResult(0);
  Type type = getComputeTypeOf(result);
  SmallVector<OpOperand *> operands = getTensorOperands(op);
  bool mayDisagree = !op.getEqualDims().empty();
  auto getIndex = [&](Value position) {
    SmallVector<Value> at(index);
    at[op.getFibreDim()] = position;
    return at;
  };
  auto load = [&](unsigned number, Value position) {
    Value operand = operands[number]->get();
    SmallVector<Value> at = op.getFibreIndex(number, index, position);
    bool isChanged = run.change && !op.isSelector(number);
    SmallVector<Type> types = {getComputeTypeOf(operand)};
    if (isChanged)
      types.push_back(b.getF64Type());
    SmallVector<Value> loaded;
    if (mayDisagree)
      loaded = loadChecked(operand, at, types);
    else
      loaded = {this->load(operand, at),
                isChanged ? loadBound(operand, at) : Value()};
    return isChanged ? run.change(loaded[0], loaded[1]) : loaded[0];
  };
  auto loadResult = [&](Value position) -> Value {
    SmallVector<Value> at = getIndex(position);
    if (run.isResult)
      return this->load(result, at);
    return memref::LoadOp::create(b, loc, run.buffer, at);
  };
  auto store = [&](Value position, Value element) {
    SmallVector<Value> at = getIndex(position);
    if (run.isResult)
      this->store(element, op, at);
    if (run.buffer)
      memref::StoreOp::create(b, loc, element, run.buffer, at);
  };
  auto operandLength = [&](unsigned number) {
    return emitIndex(
        getDim(operands[number]->get(), op.getOperandFibreDim(number)));
  };
  EmitContext ctx = getContext();
  FibreContext fibre{
      ctx,           type, emitIndex(getDim(result, op.getFibreDim())),
      operandLength, load, loadResult,
      store};
  op.emitFibre(fibre);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The result, and what else is computed to say how far it may be off.
SmallVector<ReferenceLowering::FibreRun, 0>
ReferenceLowering::makeFibreRuns(FibreOpInterface op) {
  SmallVector<FibreRun, 0> runs(1);
  runs.front().isResult = true;
  Value result = op->getResult(0);
  if (!hasBound(result))
    return runs;
  auto numbers = llvm::seq<unsigned>(0, getTensorOperands(op).size());
  bool isOrder = llvm::all_of(
      numbers, [&](unsigned number) { return op.isSelector(number); });
  Type element = getElementTypeOrSelf(result);
  auto add = [&](std::function<Value(Value, Value)> change) {
    runs.emplace_back().change = std::move(change);
  };
  if (op.isProduct()) {
    for (unsigned variant = 1; variant <= 3; ++variant)
      add([this, variant, element](Value value, Value bound) {
        return getProductVariants(element, value, bound)[variant];
      });
  } else if (!isOrder) {
    for (bool upwards : {true, false})
      add([this, upwards, element](Value value, Value bound) {
        return emitMoved(b, loc, element, value, bound, upwards);
      });
    if (!op.isExactFibre())
      add([this](Value value, Value) -> Value {
        return math::AbsFOp::create(b, loc, value);
      });
  }
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(emitIndex(getDim(result, dim)));
  for (FibreRun &run : runs)
    run.buffer = memref::AllocOp::create(
        b, loc, MemRefType::get(type.getShape(), getComputeTypeOf(result)),
        sizes);
  return runs;
}

/// Whether an element of a selector of the fibre may be off; null if none has a
/// bound.
Value ReferenceLowering::emitIsVague(FibreOpInterface op,
                                     ArrayRef<Value> index) {
  Value isVague;
  for (auto [number, operand] : llvm::enumerate(getTensorOperands(op))) {
    Value tensor = operand->get();
    if (!op.isSelector(number) || !hasBound(tensor))
      continue;
    Value init = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    scf::ForOp loop =
        createLoop(getDim(tensor, op.getOperandFibreDim(number)), init);
    Value bound = loadBound(
        tensor, op.getFibreIndex(number, index, loop.getInductionVar()));
    Value isOff = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                        bound, emitZero(b.getF64Type()));
    isOff = arith::OrIOp::create(b, loc, isOff, loop.getRegionIterArg(0));
    scf::YieldOp::create(b, loc, isOff);
    b.setInsertionPointAfter(loop);
    isVague = isVague ? arith::OrIOp::create(b, loc, isVague, loop.getResult(0))
                            .getResult()
                      : loop.getResult(0);
  }
  return isVague;
}

/// The most elements that one of the result is made of.
Value ReferenceLowering::emitFibreLengths(FibreOpInterface op) {
  Value count = emitIndex(b.getIndexAttr(0));
  for (auto [number, operand] : llvm::enumerate(getTensorOperands(op)))
    count = arith::AddIOp::create(
        b, loc, count,
        emitIndex(getDim(operand->get(), op.getOperandFibreDim(number))));
  return count;
}

/// Of the element at `at`, of what the runs have given.
Value ReferenceLowering::emitFibreBound(FibreOpInterface op,
                                        ArrayRef<FibreRun> runs,
                                        ValueRange at) {
  auto get = [&](unsigned run) -> Value {
    return memref::LoadOp::create(b, loc, runs[run].buffer, at);
  };
  if (runs.size() == 1) // Positions, which errors of selectors decide on.
    return emitConstant(b, loc, 0);
  Type type = getElementTypeOrSelf(op->getResult(0));
  Value number = emitNumElements(emitFibreLengths(op));
  if (op.isProduct())
    return emitProductBound(type, op.isExactFibre(), {get(1), get(2), get(3)},
                            number);
  Value bound = emitMax(b, loc, emitDistance(b, loc, type, get(1), get(0)),
                        emitDistance(b, loc, type, get(2), get(0)));
  if (op.isExactFibre())
    return bound;
  Value units = arith::AddFOp::create(b, loc, number, emitConstant(b, loc, 8));
  if (type.isF64())
    units = arith::AddFOp::create(b, loc, units, units);
  bound = arith::AddFOp::create(b, loc, bound, emitUnits(type, units, get(3)));
  // As of a sum, of which a part may be infinite.
  return arith::SelectOp::create(b, loc, emitOverflows(get(3), type.isF64()),
                                 emitInfinity(b, loc), bound);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ReferenceLowering::lowerFibres(FibreOpInterface op) {
  allocate(cast<TensorOpInterface>(op.getOperation()));
  emitEqualDims(op, op.getEqualDims());
  Value result = op->getResult(0);
  SmallVector<FibreRun, 0> runs = makeFibreRuns(op);
  int64_t dim = op.getFibreDim();
  SmallVector<OpFoldResult> sizes = getSizes(result);
  OpFoldResult length = sizes[dim];
  sizes.erase(sizes.begin() + dim);
  {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> index = enterNest(sizes);
    index.insert(index.begin() + dim, Value());
    for (const FibreRun &run : runs)
      emitFibre(op, index, run);
    if (hasBound(result)) {
      Value isVague = emitIsVague(op, index);
      index[dim] = createLoop(length).getInductionVar();
      Value value = memref::LoadOp::create(b, loc, runs.front().buffer, index);
      Value bound =
          emitRoundedBound(op, value, emitFibreBound(op, runs, index));
      if (isVague) { // It may be any element.
        bool isBool = value.getType().isInteger(1);
        Value any = isBool ? emitConstant(b, loc, 1) : emitInfinity(b, loc);
        bound = arith::SelectOp::create(b, loc, isVague, any, bound);
      }
      storeBound(bound, op, index);
    }
  }
  for (const FibreRun &run : runs)
    if (run.buffer)
      memref::DeallocOp::create(b, loc, run.buffer);
}
