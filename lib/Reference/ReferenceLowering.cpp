//===- ReferenceLowering.cpp - Functions on tensors to loops over f64 -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op at a time: its result gets a buffer, and one loop nest fills it. A
// buffer is freed after the last op that reads it.
//
// Sizes that are only known at run time may disagree. What depends on that is
// checked where it matters (operands of one shape, indices into operands,
// numbers of elements) and recorded in the status; a nest whose sizes disagree
// does nothing, an access out of range reads 0, so that nothing outside of a
// buffer is touched.
//
//===----------------------------------------------------------------------===//

#include "ReferenceLowering.h"
#include "BoundArithmetic.h"
#include "RoundToType.h"
#include "fuser/Analysis/ScalarDivision.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Reference/Passes.h"
#include "fuser/Reference/Reference.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace fuser;
using namespace fuser::reference;

namespace fuser {
#define GEN_PASS_DEF_FUSIONTOREFERENCEPASS
#include "fuser/Reference/Passes.h.inc"
} // namespace fuser

Type reference::getComputeType(Type element, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::Floats && isa<FloatType>(element))
    return Float64Type::get(element.getContext());
  return fuser::getComputeType(element);
}

/// What elements are kept in.
static Type getBufferElementType(Type element, Arithmetic arithmetic) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 64);
  if (arithmetic == Arithmetic::Ring && isa<FloatType>(element))
    return element;
  return getComputeType(element, arithmetic);
}

/// More elements than memory holds, times any static size and the bytes of an
/// element no more than fits into 64 bits.
static constexpr int64_t kMaxElements = int64_t(1) << 40; // As errors say.

static MemRefType getBufferType(RankedTensorType type, Arithmetic arithmetic) {
  return MemRefType::get(
      type.getShape(), getBufferElementType(type.getElementType(), arithmetic));
}

static bool isOnScalars(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

//===----------------------------------------------------------------------===//
// Scalars and sizes
//===----------------------------------------------------------------------===//

Value ReferenceLowering::emitIndex(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, loc, size);
}

Value ReferenceLowering::emitZero(Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

OpFoldResult ReferenceLowering::getDim(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  return memref::DimOp::create(b, loc, values.lookup(tensor), dim).getResult();
}

SmallVector<OpFoldResult> ReferenceLowering::getSizes(Value tensor) {
  SmallVector<OpFoldResult> sizes;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(getDim(tensor, dim));
  return sizes;
}

void ReferenceLowering::emitCheck(Value failed, bool isBufferSize) {
  if (locations.empty() || locations.back() != loc)
    locations.push_back(loc);
  auto ifOp = scf::IfOp::create(b, loc, failed, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  auto count = static_cast<int64_t>(locations.size());
  Value number = arith::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(isBufferSize ? -count : count));
  Value current = memref::LoadOp::create(b, loc, status, ValueRange());
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        current, emitZero(b.getI64Type()));
  Value next = arith::SelectOp::create(b, loc, isFirst, number, current);
  memref::StoreOp::create(b, loc, next, status, ValueRange());
}

OpFoldResult ReferenceLowering::emitCount(Value tensor) {
  Value count = emitIndex(b.getIndexAttr(1));
  for (OpFoldResult size : getSizes(tensor))
    count = arith::MulIOp::create(b, loc, count, emitIndex(size));
  return count;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void ReferenceLowering::allocate(TensorOpInterface op) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  EmitContext ctx = getContext();
  SmallVector<Value> sizes;
  Value zero = emitIndex(b.getIndexAttr(0));
  Value room = emitIndex(b.getIndexAttr(kMaxElements));
  Value isWrong = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value size = emitIndex(op.reifyDim(ctx, 0, dim));
    // Unsigned: a negative size is too great.
    Value wrong =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, size, room);
    emitCheck(wrong, /*isBufferSize=*/true);
    isWrong = arith::OrIOp::create(b, loc, isWrong, wrong);
    size = arith::SelectOp::create(b, loc, wrong, zero, size);
    sizes.push_back(size);
    Value one = emitIndex(b.getIndexAttr(1));
    room = arith::DivUIOp::create(b, loc, room,
                                  arith::MaxUIOp::create(b, loc, size, one));
  }
  // All of them: loops over the others would take their time.
  for (Value &size : sizes)
    size = arith::SelectOp::create(b, loc, isWrong, zero, size);
  Value buffer =
      memref::AllocOp::create(b, loc, getBufferType(type, arithmetic), sizes);
  values.map(result, buffer);
  if (withBounds && needsBound(op))
    bounds[result] = memref::AllocOp::create(
        b, loc, MemRefType::get(type.getShape(), b.getF64Type()), sizes);
}

Value ReferenceLowering::copy(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, loc, buffer, dim));
  Value result = memref::AllocOp::create(b, loc, type, sizes);
  memref::CopyOp::create(b, loc, buffer, result);
  return result;
}

Value ReferenceLowering::load(Value tensor, ValueRange index) {
  Value stored = memref::LoadOp::create(b, loc, values.lookup(tensor), index);
  if (!getElementTypeOrSelf(tensor).isInteger(1)) {
    Type type = getComputeTypeOf(tensor);
    return type == stored.getType()
               ? stored
               : arith::ExtFOp::create(b, loc, type, stored).getResult();
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored,
                               emitZero(stored.getType()));
}

SmallVector<Value> ReferenceLowering::loadChecked(Value tensor,
                                                  ValueRange index,
                                                  TypeRange types) {
  Value inside = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (auto [position, size] : llvm::zip_equal(index, getSizes(tensor))) {
    // Unsigned: a negative index is too great.
    Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        position, emitIndex(size));
    inside = arith::AndIOp::create(b, loc, inside, below);
  }
  Value outside = arith::XOrIOp::create(
      b, loc, inside, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  emitCheck(outside);
  auto ifOp = scf::IfOp::create(b, loc, types, inside,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  SmallVector<Value> loaded = {load(tensor, index)};
  if (types.size() == 2)
    loaded.push_back(loadBound(tensor, index));
  scf::YieldOp::create(b, loc, loaded);
  b.setInsertionPointToStart(ifOp.elseBlock());
  scf::YieldOp::create(
      b, loc, llvm::map_to_vector(types, [&](Type t) { return emitZero(t); }));
  return ifOp.getResults();
}

/// The type to whose values the reference rounds the results of `op`, if any.
static FloatType getRoundingType(Operation *op) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  if (!element || element.isF64())
    return {};
  if (!element.isF32())
    return element;
  // Of f32 only a narrowing that the program asks for counts.
  auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
  return elementwise && elementwise.isNarrowing() ? element : FloatType();
}

Value ReferenceLowering::round(Value element, Operation *op) {
  if (arithmetic == Arithmetic::Ring) {
    Type kept = getElementTypeOrSelf(op->getResult(0));
    return isa<IntegerType>(kept) || kept == element.getType()
               ? element
               : arith::TruncFOp::create(b, loc, kept, element).getResult();
  }
  FloatType type = getRoundingType(op);
  return type ? emitRoundToType(b, loc, element, type) : element;
}

void ReferenceLowering::store(Value element, Operation *op, ValueRange index) {
  Value buffer = values.lookup(op->getResult(0));
  element = round(element, op);
  if (element.getType().isInteger(1))
    element = arith::ExtUIOp::create(b, loc, b.getI8Type(), element);
  memref::StoreOp::create(b, loc, element, buffer, index);
}

void ReferenceLowering::free(Value tensor) {
  memref::DeallocOp::create(b, loc, values.lookup(tensor));
  if (Value bound = bounds.lookup(tensor))
    memref::DeallocOp::create(b, loc, bound);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

scf::ForOp ReferenceLowering::createLoop(OpFoldResult size, ValueRange init) {
  Value zero = emitIndex(b.getIndexAttr(0));
  Value one = emitIndex(b.getIndexAttr(1));
  auto loop = scf::ForOp::create(b, loc, zero, emitIndex(size), one, init);
  b.setInsertionPointToStart(loop.getBody());
  return loop;
}

/// Leaves the builder in the body of the innermost loop.
SmallVector<Value> ReferenceLowering::enterNest(ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> index;
  for (OpFoldResult size : sizes)
    index.push_back(createLoop(size).getInductionVar());
  return index;
}

void ReferenceLowering::lowerElementwise(ElementwiseOpInterface op) {
  allocate(cast<TensorOpInterface>(op.getOperation()));
  OpBuilder::InsertionGuard guard(b);
  Value result = op->getResult(0);
  SmallVector<OpFoldResult> sizes = getSizes(result);
  SmallVector<OpOperand *> operands = getTensorOperands(op);
  Value differs;
  for (OpOperand *operand : operands)
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (isa<Attribute>(size))
        continue;
      Value other = emitIndex(getDim(operand->get(), dim));
      Value ne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, other,
                                       emitIndex(size));
      differs =
          differs ? arith::OrIOp::create(b, loc, differs, ne).getResult() : ne;
    }
  if (differs) {
    emitCheck(differs);
    Value zero = emitIndex(b.getIndexAttr(0));
    sizes.front() =
        arith::SelectOp::create(b, loc, differs, zero, emitIndex(sizes.front()))
            .getResult();
  }
  SmallVector<Value> index = enterNest(sizes);
  SmallVector<Value> elements;
  for (OpOperand *operand : operands)
    elements.push_back(load(operand->get(), index));
  EmitContext ctx = getContext();
  Type type = getComputeTypeOf(result);
  Value value = op.emitElement(ctx, elements, type);
  store(value, op, index);
  if (hasBound(result))
    storeBound(emitElementwiseBound(op, elements, value, index), op, index);
}

/// What makes an index map undefined: sizes that should be equal.
void ReferenceLowering::emitChecks(IndexMapOpInterface op) {
  SmallVector<OpOperand *> tensors = getTensorOperands(op);
  if (op.keepsLinearOrder()) {
    // Too few elements on the result's side would go unnoticed.
    Value from = emitIndex(emitCount(tensors.front()->get()));
    Value to = emitIndex(emitCount(op->getResult(0)));
    emitCheck(
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, from, to));
  }
  emitEqualDims(op, op.getEqualDims());
}

void ReferenceLowering::emitEqualDims(Operation *op, ArrayRef<EqualDims> dims) {
  SmallVector<OpOperand *> tensors = getTensorOperands(op);
  for (const EqualDims &equal : dims) {
    OpFoldResult size = getDim(tensors[equal.operand]->get(), equal.dim);
    OpFoldResult other =
        getDim(tensors[equal.otherOperand]->get(), equal.otherDim);
    if (isa<Attribute>(size) && isa<Attribute>(other))
      continue; // The verifier has looked.
    emitCheck(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                    emitIndex(size), emitIndex(other)));
  }
}

/// The elements of the selectors of `op`; and whether the error of one of them
/// may be more than nothing, null if none has a bound.
Value ReferenceLowering::loadSelectors(IndexMapOpInterface op, ValueRange index,
                                       SmallVectorImpl<Value> &elements) {
  Value isVague;
  EmitContext ctx = getContext();
  SmallVector<OpOperand *> tensors = getTensorOperands(op);
  for (unsigned number = op.getNumSources(); number < tensors.size();
       ++number) {
    Value tensor = tensors[number]->get();
    MappedIndex mapped = op.mapIndex(ctx, number, index);
    elements.push_back(load(tensor, mapped.index));
    if (!hasBound(tensor))
      continue;
    Value isOwn = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                        loadBound(tensor, mapped.index),
                                        emitZero(b.getF64Type()));
    isVague = isVague ? arith::OrIOp::create(b, loc, isVague, isOwn).getResult()
                      : isOwn;
  }
  return isVague;
}

void ReferenceLowering::lowerIndexMap(IndexMapOpInterface op) {
  allocate(cast<TensorOpInterface>(op.getOperation()));
  OpBuilder::InsertionGuard guard(b);
  Value result = op->getResult(0);
  emitChecks(op);
  SmallVector<Value> index = enterNest(getSizes(result));
  EmitContext ctx = getContext();
  SmallVector<Value> selectors;
  Value isVague = loadSelectors(op, index, selectors);
  SmallVector<OpOperand *> operands = getTensorOperands(op);
  unsigned numSources = op.getNumSources();
  auto selectorFn = [&](unsigned operand) {
    return selectors[operand - numSources];
  };
  ctx.selector = selectorFn;
  SmallVector<Type> types = {getComputeTypeOf(result)};
  if (hasBound(result))
    types.push_back(b.getF64Type());
  SmallVector<Value> element =
      llvm::map_to_vector(types, [&](Type type) { return emitZero(type); });
  if (op.hasFill())
    element.front() = op.emitFill(ctx, types.front());
  for (auto [number, operand] :
       llvm::enumerate(llvm::ArrayRef(operands).take_front(numSources))) {
    MappedIndex mapped = op.mapIndex(ctx, number, index);
    if (!mapped.valid) {
      element = loadChecked(operand->get(), mapped.index, types);
      continue;
    }
    auto ifOp = scf::IfOp::create(b, loc, types, mapped.valid,
                                  /*withElseRegion=*/true);
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(ifOp.elseBlock());
    scf::YieldOp::create(b, loc, element);
    b.setInsertionPointToStart(ifOp.thenBlock());
    scf::YieldOp::create(b, loc,
                         loadChecked(operand->get(), mapped.index, types));
    element = ifOp.getResults();
  }
  store(element.front(), op, index);
  if (!hasBound(result))
    return;
  Value bound = element.back();
  if (isVague) { // It may be any element.
    bool isBool = types.front().isInteger(1);
    Value any = isBool ? emitConstant(b, loc, 1) : emitInfinity(b, loc);
    bound = arith::SelectOp::create(b, loc, isVague, any, bound);
  }
  storeBound(bound, op, index);
}

/// Of the element at `index` among those that are reduced with it.
Value ReferenceLowering::emitPosition(ReductionOpInterface op,
                                      ArrayRef<Value> index) {
  Value operand = getTensorOperands(op).front()->get();
  Value position = emitIndex(b.getIndexAttr(0));
  for (int64_t dim : op.getReductionDims()) {
    Value size = emitIndex(getDim(operand, dim));
    position = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, position, size), index[dim]);
  }
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
}

SmallVector<Value> ReferenceLowering::emitReducedLoops(
    ReductionOpInterface op, MutableArrayRef<Value> index, ValueRange init,
    function_ref<SmallVector<Value>(ValueRange)> body) {
  Value operand = getTensorOperands(op).front()->get();
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> carried(init);
  SmallVector<scf::ForOp> loops;
  for (int64_t dim : op.getReductionDims()) {
    scf::ForOp loop = createLoop(getDim(operand, dim), carried);
    index[dim] = loop.getInductionVar();
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    loops.push_back(loop);
  }
  carried = body(carried);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, carried);
    carried.assign(loop.getResults().begin(), loop.getResults().end());
  }
  return carried;
}

/// One set of accumulators for the elements, and one for each of their
/// variants.
SmallVector<SmallVector<Value>>
ReferenceLowering::emitReduceLoops(ReductionOpInterface op,
                                   MutableArrayRef<Value> index,
                                   ArrayRef<Type> accumulatorTypes) {
  EmitContext ctx = getContext();
  unsigned numSets = getNumReductionVariants(op),
           size = accumulatorTypes.size();
  SmallVector<Value> init;
  for (unsigned set = 0; set < numSets; ++set)
    llvm::append_range(init, op.emitNeutral(ctx, accumulatorTypes));
  auto body = [&](ValueRange accumulators) {
    SmallVector<Value> next;
    Value position = op.needsPosition() ? emitPosition(op, index) : Value();
    for (auto [set, element] :
         llvm::enumerate(getReductionVariants(op, index))) {
      SmallVector<Value> prepared =
          op.emitPrepare(ctx, element, position, accumulatorTypes);
      llvm::append_range(
          next,
          op.emitCombine(ctx, accumulators.slice(set * size, size), prepared));
    }
    return next;
  };
  SmallVector<SmallVector<Value>> sets(numSets);
  for (auto [number, value] :
       llvm::enumerate(emitReducedLoops(op, index, init, body)))
    sets[number / size].push_back(value);
  return sets;
}

void ReferenceLowering::lowerReduction(ReductionOpInterface op) {
  allocate(cast<TensorOpInterface>(op.getOperation()));
  OpBuilder::InsertionGuard guard(b);
  Value operand = getTensorOperands(op).front()->get();
  SmallVector<OpFoldResult> sizes = getSizes(operand);
  SmallVector<int64_t> reduced = op.getReductionDims();
  Value count = emitIndex(b.getIndexAttr(1));
  for (int64_t dim : reduced)
    count = arith::MulIOp::create(b, loc, count, emitIndex(sizes[dim]));
  SmallVector<Value> index(sizes.size()), resultIndex;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    bool isReduced = llvm::is_contained(reduced, static_cast<int64_t>(dim));
    if (!isReduced)
      index[dim] = createLoop(size).getInductionVar();
    if (!isReduced || op.getKeepsDims())
      resultIndex.push_back(isReduced ? emitIndex(b.getIndexAttr(0))
                                      : index[dim]);
  }
  Type computeType = getComputeTypeOf(operand);
  SmallVector<SmallVector<Value>> accumulators =
      emitReduceLoops(op, index, op.getAccumulatorTypes(computeType));
  EmitContext ctx = getContext();
  Type type = getComputeTypeOf(op->getResult(0));
  Value value = op.emitFinalize(ctx, accumulators.front(), count, type);
  store(value, op, resultIndex);
  if (hasBound(op->getResult(0)))
    storeBound(emitReductionBound(op, accumulators, index, count, value), op,
               resultIndex);
}

void ReferenceLowering::lowerFactory(FactoryOpInterface op) {
  allocate(cast<TensorOpInterface>(op.getOperation()));
  OpBuilder::InsertionGuard guard(b);
  Value result = op->getResult(0);
  SmallVector<Value> index = enterNest(getSizes(result));
  EmitContext ctx = getContext();
  Type type = getComputeTypeOf(result);
  store(op.emitElement(ctx, index, type), op, index);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult ReferenceLowering::lowerSegment(SegmentOp op) {
  Block &body = op.getBody().front();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op.getInputs())) {
    values.map(argument, values.lookup(operand));
    if (Value bound = bounds.lookup(operand))
      bounds[argument] = bound;
  }
  SmallVector<Result> results;
  if (failed(lowerBlock(body, results)))
    return failure();
  for (auto [result, held] : llvm::zip_equal(op.getResults(), results)) {
    values.map(result, held.value);
    if (held.bound)
      bounds[result] = held.bound;
  }
  return success();
}

/// A division that fails its check divides by 1 instead: the reference goes on.
void ReferenceLowering::lowerScalarOp(Operation *op) {
  Operation *clone = b.clone(*op, values);
  std::optional<ScalarDivision> division = getScalarDivision(op);
  if (!division)
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(clone);
  Value divisor = clone->getOperand(1);
  Value isUndefined =
      division->emitIsUndefined(b, loc, clone->getOperand(0), divisor);
  emitCheck(isUndefined);
  Value one = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getOneAttr(divisor.getType())));
  clone->setOperand(1,
                    arith::SelectOp::create(b, loc, isUndefined, one, divisor));
}

LogicalResult ReferenceLowering::lowerOp(Operation *op) {
  loc = op->getLoc();
  if (auto segment = dyn_cast<SegmentOp>(op))
    return lowerSegment(segment);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    values.map(dim.getResult(),
               memref::DimOp::create(b, loc, values.lookup(dim.getSource()),
                                     values.lookup(dim.getIndex()))
                   .getResult());
    return success();
  }
  if (auto check = dyn_cast<CheckOp>(op)) {
    Value no = arith::ConstantIntOp::create(b, loc, 0, 1);
    emitCheck(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                    values.lookup(check.getCondition()), no));
    return success();
  }
  if (isOnScalars(op)) {
    lowerScalarOp(op);
    return success();
  }
  if (isa<TensorOpInterface>(op) && op->getNumResults() == 1) {
    if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op))
      return lowerElementwise(elementwise), success();
    if (auto indexMap = dyn_cast<IndexMapOpInterface>(op))
      return lowerIndexMap(indexMap), success();
    if (auto reduction = dyn_cast<ReductionOpInterface>(op))
      return lowerReduction(reduction), success();
    if (auto factory = dyn_cast<FactoryOpInterface>(op))
      return lowerFactory(factory), success();
    if (auto fibres = dyn_cast<FibreOpInterface>(op))
      return lowerFibres(fibres), success();
    if (auto contraction = dyn_cast<ContractionOpInterface>(op))
      return lowerContraction(contraction), success();
  }
  return op->emitOpError()
         << "expected an op of one of the families of the fusion dialect, or "
            "one without effects and regions on scalars, in the reference";
}

/// For each op of the block, the tensors made in it that nothing after needs.
static DenseMap<Operation *, SmallVector<Value>> findLastUses(Block &block) {
  DenseMap<Operation *, SmallVector<Value>> lastUses;
  for (Operation &op : block) {
    for (Value result : op.getResults()) {
      if (!isTensor(result))
        continue;
      Operation *last = &op;
      for (Operation *user : result.getUsers()) {
        Operation *here = block.findAncestorOpInBlock(*user);
        last = last->isBeforeInBlock(here) ? here : last;
      }
      lastUses[last].push_back(result);
    }
  }
  return lastUses;
}

LogicalResult ReferenceLowering::lowerBlock(Block &block,
                                            SmallVectorImpl<Result> &results) {
  DenseMap<Operation *, SmallVector<Value>> lastUses = findLastUses(block);
  for (Operation &op : block.without_terminator()) {
    if (failed(lowerOp(&op)))
      return failure();
    for (Value tensor : lastUses.lookup(&op))
      free(tensor);
  }
  Operation *terminator = block.getTerminator();
  loc = terminator->getLoc();
  SmallVector<Value> owned = lastUses.lookup(terminator);
  for (Value operand : terminator->getOperands()) {
    Result result{values.lookup(operand), bounds.lookup(operand)};
    auto *owner = llvm::find(owned, operand);
    if (owner != owned.end()) {
      owned.erase(owner);
    } else if (isTensor(operand)) {
      result.value = copy(result.value);
      result.bound = result.bound ? copy(result.bound) : Value();
    }
    results.push_back(result);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A scalar result in a buffer of rank 0.
static Value emitBoxed(OpBuilder &b, Location loc, Value scalar,
                       Arithmetic arithmetic) {
  Type type = getBufferElementType(scalar.getType(), arithmetic);
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(b, loc, type, scalar);
  else if (scalar.getType().isInteger(1))
    scalar = arith::ExtUIOp::create(b, loc, type, scalar);
  else if (scalar.getType() != type)
    scalar = extendScalar(b, loc, scalar, type);
  Value box = memref::AllocOp::create(b, loc, MemRefType::get({}, type));
  memref::StoreOp::create(b, loc, scalar, box, ValueRange());
  return box;
}

static LogicalResult verifySignature(func::FuncOp function) {
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.getElementType().isIntOrFloat()
                  : type.isSignlessIntOrIndexOrFloat();
  };
  FunctionType type = function.getFunctionType();
  for (Type part :
       llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (!isKnown(part))
      return function.emitOpError()
             << "expected tensors and scalars in a function for the "
                "reference, got "
             << part;
  if (!function.getBody().hasOneBlock())
    return function.emitOpError()
           << "expected a body of one block for the reference, got "
           << function.getBody().getBlocks().size();
  return success();
}

/// Folds arithmetic on scalars that are constant, as compilers do: with floats.
/// In the ring, where 1.5 + 2.5 is not 4, that counts.
static void foldScalars(func::FuncOp function) {
  SmallVector<Operation *> scalars;
  function.walk([&](Operation *op) {
    if (isOnScalars(op) && !op->hasTrait<OpTrait::ConstantLike>())
      scalars.push_back(op);
  });
  OpBuilder b(function.getContext());
  for (Operation *op : scalars) {
    SmallVector<Value> results;
    b.setInsertionPoint(op);
    // Without results it was folded in place, perhaps to what folds again.
    for (int round = 0; round < 4 && results.empty(); ++round)
      if (failed(b.tryFold(op, results)))
        break;
    if (results.empty())
      continue;
    op->replaceAllUsesWith(results);
    op->erase();
  }
}

LogicalResult fuser::lowerToReference(func::FuncOp function,
                                      SmallVectorImpl<Location> &locations,
                                      SmallVectorImpl<bool> *hasBounds,
                                      Arithmetic arithmetic) {
  if (failed(fusion::decomposeComplex(function)) ||
      failed(verifySignature(function)))
    return failure();
  if (arithmetic == Arithmetic::Ring)
    foldScalars(function);
  Location loc = function.getLoc();
  Block *source = &function.getBody().front();
  Block *target = new Block;
  function.getBody().push_back(target);
  IRMapping values;
  for (BlockArgument argument : source->getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    Type type =
        tensor ? Type(getBufferType(tensor, arithmetic)) : argument.getType();
    values.map(argument, target->addArgument(type, argument.getLoc()));
  }
  OpBuilder b = OpBuilder::atBlockBegin(target);
  Value status = target->addArgument(MemRefType::get({}, b.getI64Type()), loc);
  SmallVector<ReferenceLowering::Result> held;
  ReferenceLowering lowering(b, status, std::move(values), locations,
                             hasBounds != nullptr, arithmetic);
  LogicalResult lowered = lowering.lowerBlock(*source, held);
  if (failed(lowered)) {
    target->dropAllDefinedValueUses();
    target->erase();
    return failure();
  }
  SmallVector<Value> results;
  for (const ReferenceLowering::Result &result : held)
    results.push_back(isa<MemRefType>(result.value.getType())
                          ? result.value
                          : emitBoxed(b, loc, result.value, arithmetic));
  for (const ReferenceLowering::Result &result : held) {
    if (hasBounds)
      hasBounds->push_back(result.bound != nullptr);
    if (result.bound)
      results.push_back(result.bound);
  }
  func::ReturnOp::create(b, loc, results);
  source->dropAllUses();
  source->erase();
  function.setType(b.getFunctionType(target->getArgumentTypes(),
                                     ValueRange(results).getTypes()));
  // What the attributes say of arguments and results is about tensors.
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  return success();
}

namespace {
struct FusionToReferencePass
    : fuser::impl::FusionToReferencePassBase<FusionToReferencePass> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

void FusionToReferencePass::runOnOperation() {
  SmallVector<Location> locations;
  if (!getOperation().isExternal() &&
      failed(lowerToReference(getOperation(), locations, /*hasBounds=*/nullptr,
                              isInRing(getOperation()) ? Arithmetic::Ring
                                                       : Arithmetic::Floats)))
    signalPassFailure();
}
