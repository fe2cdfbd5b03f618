//===- ElementEmitter.cpp - Elements of fused tensors as IR ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/ElementEmitter.h"
#include "ElementEmitterTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::EmitContext;
using fusion::FactoryOpInterface;
using fusion::IndexMapOpInterface;
using fusion::MappedIndex;
using fusion::ReductionOpInterface;

//===----------------------------------------------------------------------===//
// Construction, tables
//===----------------------------------------------------------------------===//

/// The width that static sizes and constants allow.
static int64_t getStaticWidth(IndexMapOpInterface map, int64_t width) {
  auto scalar = [](Value value) {
    std::optional<int64_t> known = getConstantIntValue(value);
    return known && *known >= 0 ? *known : 1;
  };
  auto dim = [](Value tensor, int64_t d) {
    int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(d);
    return ShapedType::isDynamic(size) ? 1 : size;
  };
  return map.getContiguousWidth(width, fusion::SizeDivisors{dim, scalar});
}

ElementEmitter::ElementEmitter(OpBuilder &builder, DimFn dim, ScalarFn scalar)
    : builder(builder), dim(std::move(dim)), scalar(std::move(scalar)),
      contiguousWidth(getStaticWidth), recorder(std::make_unique<Recorder>()) {
  scopes.push_back(std::make_unique<Tables>());
}

ElementEmitter::~ElementEmitter() = default;

ElementEmitter::Scope::Scope(ElementEmitter &emitter) : emitter(emitter) {
  emitter.scopes.push_back(std::make_unique<Tables>());
}

ElementEmitter::Scope::~Scope() { emitter.scopes.pop_back(); }

void ElementEmitter::bind(Value tensor, LoadFn load, AcrossFn across) {
  bound[tensor] = {std::move(load), std::move(across)};
  unboundReductions.clear();
  // What stopped at the tensor may go on.
  for (const std::unique_ptr<Tables> &scope : scopes)
    scope->readAhead.clear();
}

Value ElementEmitter::lookup(const Key &key) const {
  for (const std::unique_ptr<Tables> &scope : llvm::reverse(scopes))
    if (auto it = scope->elements.find(key); it != scope->elements.end())
      return it->second;
  return nullptr;
}

/// Notes that what `key` reads has been read ahead. False if that is known.
bool ElementEmitter::markReadAhead(const Key &key) {
  for (const std::unique_ptr<Tables> &scope : llvm::drop_end(scopes))
    if (scope->readAhead.contains(key))
      return false;
  return scopes.back()->readAhead.insert(key).second;
}

//===----------------------------------------------------------------------===//
// Nested blocks
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementEmitter::emitLoop(Location loc, Value begin,
                                            Value end, Value step,
                                            ValueRange init, LoopFn body) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, step, init);
  OpBuilder::InsertionGuard guard(builder);
  Scope scope(*this);
  // Without carried values it has its end already.
  if (init.empty())
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> ElementEmitter::emitEither(Location loc, TypeRange types,
                                              Value condition, BlockFn then,
                                              BlockFn otherwise) {
  auto branch =
      scf::IfOp::create(builder, loc, types, condition, /*addThenBlock=*/true,
                        /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    Scope scope(*this);
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc,
                         block == branch.thenBlock() ? then() : otherwise());
  }
  return SmallVector<Value>(branch.getResults());
}

void ElementEmitter::emitEither(Location loc, Value condition,
                                llvm::function_ref<void()> then,
                                llvm::function_ref<void()> otherwise) {
  if (!condition)
    return then();
  auto emit = [](llvm::function_ref<void()> body) {
    body();
    return SmallVector<Value>();
  };
  emitEither(
      loc, {}, condition, [&] { return emit(then); },
      [&] { return emit(otherwise); });
}

//===----------------------------------------------------------------------===//
// Index values
//===----------------------------------------------------------------------===//

Value ElementEmitter::deduplicate(Operation *op) {
  for (const std::unique_ptr<Tables> &scope : llvm::reverse(scopes))
    if (auto it = scope->indexOps.find(op);
        it != scope->indexOps.end() && *it != op)
      return (*it)->getResult(0);
  scopes.back()->indexOps.insert(op);
  return op->getResult(0);
}

/// The value that stands for the result of the new op `op`: of an equal op
/// before it or of what it folds to. (That a division may be by zero does not
/// matter: neither moves it.)
Value ElementEmitter::simplify(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op))
    return op->getNumResults() ? op->getResult(0) : Value();
  SmallVector<Value> folded;
  SmallVector<Operation *> constants;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    if (failed(builder.tryFold(op, folded, &constants)))
      folded.clear();
  }
  if (folded.size() != 1)
    return deduplicate(op);
  if (constants.empty())
    return folded.front();
  Value known = deduplicate(constants.front());
  if (known != folded.front())
    constants.front()->erase();
  return known;
}

Value ElementEmitter::getIndex(Location loc, int64_t value) {
  Operation *op = arith::ConstantIndexOp::create(builder, loc, value);
  Value known = deduplicate(op);
  if (known != op->getResult(0))
    op->erase();
  return known;
}

Value ElementEmitter::addIndex(Location loc, Value index, int64_t offset) {
  if (offset == 0)
    return index;
  Value step = getIndex(loc, offset);
  Operation *op = arith::AddIOp::create(builder, loc, index, step);
  Value known = simplify(op);
  if (known != op->getResult(0))
    op->erase();
  return known;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

ElementEmitter::Key ElementEmitter::makeKey(Value tensor, ValueRange index,
                                            int64_t width, int64_t dim) {
  if (width == 1 || dim + 1 == int64_t(index.size()))
    dim = kLastDim;
  return Key{tensor, SmallVector<Value, 4>(index), width, dim};
}

Value ElementEmitter::emit(Location loc, Value tensor, ValueRange index,
                           int64_t width, int64_t dim) {
  Key key = makeKey(tensor, index, width, dim);
  key.isAnywhere = part && dim == kLastDim && part->begin % width != 0;
  return emit(loc, key);
}

Value ElementEmitter::emit(Location loc, const Key &key) {
  if (run(loc, key, /*readsOnly=*/false))
    return lookup(key);
  Type element = getElementTypeOrSelf(key.tensor.getType());
  return ub::PoisonOp::create(builder, loc,
                              getWideType(getComputeType(element), key.width));
}

void ElementEmitter::prefetch(Location loc, Value tensor, ValueRange index,
                              int64_t width, int64_t dim) {
  run(loc, makeKey(tensor, index, width, dim), /*readsOnly=*/true);
}

/// Depth first, on a stack of our own. A request is expanded into its parts
/// when it is met first and finished when they are known. Reads are emitted
/// when they are expanded. False after an error.
bool ElementEmitter::run(Location loc, const Key &root, bool readsOnly) {
  SmallVector<std::pair<Key, std::optional<Step>>, 4> stack;
  stack.emplace_back(root, std::nullopt);
  while (!stack.empty() && !sawError) {
    if (stack.back().second) {
      auto [key, step] = stack.pop_back_val();
      scopes.back()->elements[key] = finish(loc, key, *step);
      continue;
    }
    Key key = stack.back().first;
    if (lookup(key) || (readsOnly && !markReadAhead(key))) {
      stack.pop_back();
      continue;
    }
    Step step = expand(loc, key, readsOnly);
    sawError |= step.kind == Step::Failed;
    SmallVector<Key, 2> parts = step.parts;
    if (step.value)
      scopes.back()->elements[key] = step.value;
    if (step.value || readsOnly)
      stack.pop_back();
    else
      stack.back().second = std::move(step);
    for (Key &part : llvm::reverse(parts))
      stack.emplace_back(std::move(part), std::nullopt);
  }
  return !sawError;
}

ElementEmitter::Step ElementEmitter::expandBound(Location loc, const Key &key,
                                                 const Bound &tensor,
                                                 bool readsOnly) {
  if (readsOnly && !tensor.load)
    return Step(Step::Nothing);
  // What computes it may be loops, which say nothing about the vector that it
  // is a part of.
  llvm::SaveAndRestore<Value *> nothingElse(found, nullptr);
  if (key.dim != kLastDim) {
    Value across;
    if (tensor.across && !hasRead)
      across = tensor.across(builder, loc, key.index, key.width, key.dim);
    return across ? Step::done(across) : splitRequest(loc, key, 1);
  }
  if (!hasRead)
    return Step::done(tensor.load(builder, loc, key.index, key.width));
  mlir::emitError(loc, "expected the same elements when they are selected as "
                       "when they are read");
  return Step(Step::Failed);
}

ElementEmitter::Step ElementEmitter::expand(Location loc, const Key &key,
                                            bool readsOnly) {
  if (auto it = bound.find(key.tensor); it != bound.end())
    return expandBound(loc, key, it->second, readsOnly);
  Operation *op = key.tensor.getDefiningOp();
  if (auto elementwise = dyn_cast_or_null<ElementwiseOpInterface>(op)) {
    Step step(Step::Elementwise);
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        step.parts.push_back(
            Key{operand, key.index, key.width, key.dim, key.isAnywhere});
    return step;
  }
  if (isa_and_nonnull<IndexMapOpInterface>(op))
    return expandIndexMap(loc, key, readsOnly);
  if (isa_and_nonnull<FactoryOpInterface>(op))
    return readsOnly ? Step(Step::Nothing) : Step::done(emitFactory(loc, key));
  if (isa_and_nonnull<ReductionOpInterface>(op)) {
    if (readsOnly)
      return Step(Step::Nothing);
    return key.width > 1 ? splitRequest(loc, key, 1)
                         : Step::done(emitReduction(loc, key));
  }
  if (isa_and_nonnull<fusion::FibreOpInterface>(op))
    op->emitError("expected a segment of its own for '")
        << op->getName() << "', which computes fibres, got one with other ops";
  else if (op)
    op->emitError("expected an op of a known family (elementwise, index map, "
                  "reduction, factory), got '")
        << op->getName() << "'";
  else
    mlir::emitError(loc, "expected the tensor to be bound to memory");
  return Step(Step::Failed);
}

/// How many of the neighbours lie together by what sizes say. Between multiples
/// of the width parts of a source, or rows of it, may end anywhere.
int64_t ElementEmitter::getKnownWidth(const Key &key) {
  auto map = cast<IndexMapOpInterface>(key.tensor.getDefiningOp());
  bool hasParts =
      map.getNumSources() != 1 || map.hasFill() || map.keepsLinearOrder();
  if (key.width == 1 || key.dim != kLastDim || (key.isAnywhere && hasParts))
    return 1;
  return contiguousWidth(map, key.width);
}

ElementEmitter::Step
ElementEmitter::expandIndexMap(Location loc, const Key &key, bool readsOnly) {
  Operation *op = key.tensor.getDefiningOp();
  auto map = cast<IndexMapOpInterface>(op);
  if (key.width > 1)
    if (SmallVector<int64_t> dims = getPermutation(map); !dims.empty())
      return expandPermuted(loc, key, dims);
  if (part) {
    auto source = part->sources.find(op);
    if (source != part->sources.end())
      return expandPart(loc, key, source->second);
    if (std::optional<Step> along = expandAlong(loc, key))
      return *along;
  }
  int64_t width = getKnownWidth(key);
  if (width < key.width && !readsOnly && mayLieTogether(key))
    return Step::done(emitIfTogether(loc, key, width));
  if (width < key.width)
    return splitRequest(loc, key, width);
  if (map.getNumSources() == 1)
    return expandSource(loc, key, readsOnly);
  // Branches end with computed elements, which serial reductions would be
  // part of.
  if (readsOnly && hasUnboundReduction(key.tensor))
    return Step(Step::Nothing);
  if (Value selected = emitSelected(loc, key))
    return Step::done(selected);
  return Step::done(emitBranches(loc, key, 0));
}

/// Neighbours of the result are some of the operand, along another dimension.
ElementEmitter::Step ElementEmitter::expandPermuted(Location loc,
                                                    const Key &key,
                                                    ArrayRef<int64_t> dims) {
  Operation *op = key.tensor.getDefiningOp();
  MappedIndex mapped = mapIndex(loc, op, 0, key.index);
  int64_t dim = key.dim == kLastDim ? dims.back() : dims[key.dim];
  Step step(Step::Same);
  step.parts.push_back(
      makeKey(op->getOperand(0), mapped.index, key.width, dim));
  step.parts.back().isAnywhere = key.isAnywhere;
  return step;
}

ElementEmitter::Step ElementEmitter::splitRequest(Location loc, const Key &key,
                                                  int64_t width) {
  Step step(Step::Concat);
  for (int64_t offset = 0; offset < key.width; offset += width) {
    Key part = key;
    part.width = width;
    part.along() = addIndex(loc, part.along(), offset);
    if (width == 1)
      part.dim = kLastDim;
    step.parts.push_back(std::move(part));
  }
  return step;
}

Value ElementEmitter::finish(Location loc, const Key &key, const Step &step) {
  switch (step.kind) {
  case Step::Same:
    return lookup(step.parts.front());
  case Step::Broadcast:
    return emitRepeated(builder, loc, lookup(step.parts.front()), key.width);
  case Step::Concat: {
    SmallVector<Value> pieces;
    for (const Key &part : step.parts)
      pieces.push_back(lookup(part));
    return emitConcat(builder, loc, pieces);
  }
  case Step::Elementwise:
    return finishElementwise(loc, key, step);
  case Step::Select:
    return arith::SelectOp::create(builder, loc, step.condition,
                                   lookup(step.parts.front()),
                                   emitFill(loc, key));
  case Step::Nothing:
  case Step::Failed:
    break;
  }
  llvm_unreachable("a request that has nothing to finish");
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// In a ring the opposite of the least integer is none of its type.
static bool needsRounding(ElementwiseOpInterface op) {
  return isNarrowFloat(op->getResult(0).getType()) &&
         (!op.isExact() || isInRing(op));
}

/// The scalar that `vector` repeats, or null.
static Value getRepeatedScalar(Value vector) {
  auto broadcast = vector.getDefiningOp<vector::BroadcastOp>();
  return broadcast && !isa<VectorType>(broadcast.getSourceType())
             ? broadcast.getSource()
             : Value();
}

Value ElementEmitter::finishElementwise(Location loc, const Key &key,
                                        const Step &step) {
  auto op = cast<ElementwiseOpInterface>(key.tensor.getDefiningOp());
  SmallVector<Value> operands;
  for (const Key &part : step.parts)
    operands.push_back(lookup(part));
  bool uniform = key.width > 1 && llvm::all_of(operands, getRepeatedScalar);
  if (uniform)
    llvm::transform(operands, operands.begin(), getRepeatedScalar);

  Type element = getElementTypeOrSelf(key.tensor.getType());
  Type compute = getWideType(getComputeType(element), uniform ? 1 : key.width);
  Value result = withContext(loc, [&](EmitContext &ctx) {
    return op.emitElement(ctx, operands, compute);
  });
  if (needsRounding(op)) {
    Type narrow = getWideType(element, uniform ? 1 : key.width);
    result = arith::TruncFOp::create(builder, loc, narrow, result);
    result = arith::ExtFOp::create(builder, loc, compute, result);
  }
  return uniform ? emitRepeated(builder, loc, result, key.width) : result;
}

//===----------------------------------------------------------------------===//
// Factories
//===----------------------------------------------------------------------===//

Value ElementEmitter::emitFactory(Location loc, const Key &key) {
  auto op = cast<FactoryOpInterface>(key.tensor.getDefiningOp());
  Type type = getComputeType(getElementTypeOrSelf(key.tensor.getType()));
  auto emitAt = [&](int64_t lane) {
    Key element = key;
    if (lane != 0)
      element.along() = addIndex(loc, element.along(), lane);
    return withContext(loc, [&](EmitContext &ctx) {
      return op.emitElement(ctx, element.index, type);
    });
  };
  if (key.width == 1)
    return emitAt(0);
  if (op.isUniform())
    return emitRepeated(builder, loc, emitAt(0), key.width);
  if (hasVectorFactories)
    return emitFactoryVector(loc, key, type);
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < key.width; ++lane)
    lanes.push_back(emitAt(lane));
  return emitConcat(builder, loc, lanes);
}

Value ElementEmitter::emitFactoryVector(Location loc, Key key, Type type) {
  auto indices = VectorType::get({key.width}, builder.getIndexType());
  Value first = vector::BroadcastOp::create(builder, loc, indices, key.along());
  auto numbers = llvm::to_vector(llvm::seq<int64_t>(0, key.width));
  Value lanes = arith::ConstantOp::create(builder, loc,
                                          builder.getIndexVectorAttr(numbers));
  key.along() = arith::AddIOp::create(builder, loc, first, lanes);
  return withContext(loc, [&](EmitContext &ctx) {
    return cast<FactoryOpInterface>(key.tensor.getDefiningOp())
        .emitElement(ctx, key.index, VectorType::get({key.width}, type));
  });
}

//===----------------------------------------------------------------------===//
// Reductions that nobody has bound
//===----------------------------------------------------------------------===//

SmallVector<Value> fuser::getReducedIndex(ReductionOpInterface op,
                                          ValueRange resultIndex) {
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  SmallVector<int64_t> dims = op.getReductionDims();
  SmallVector<Value> index(rank);
  for (int64_t d = 0, next = 0; d < rank; ++d) {
    bool isReduced = llvm::is_contained(dims, d);
    if (!isReduced)
      index[d] = resultIndex[next];
    if (!isReduced || op.getKeepsDims())
      ++next;
  }
  return index;
}

ElementEmitter::ReductionRequest
ElementEmitter::makeReductionRequest(Location loc, ReductionOpInterface op,
                                     SmallVector<Value> index) {
  Value operand = op->getOperand(0);
  SmallVector<Type> types = op.getAccumulatorTypes(
      getComputeType(getElementTypeOrSelf(operand.getType())));
  SmallVector<Value> neutral = withContext(
      loc, [&](EmitContext &ctx) { return op.emitNeutral(ctx, types); });
  return {op,      operand,          op.getReductionDims(),       types,
          neutral, std::move(index), /*isOutermost=*/nesting == 0};
}

Value ElementEmitter::emitReduction(Location loc, const Key &key) {
  auto op = cast<ReductionOpInterface>(key.tensor.getDefiningOp());
  if (!reducer) {
    op.emitOpError()
        << "expected a kernel that binds it or says how it is made";
    return nullptr;
  }
  ReductionRequest r =
      makeReductionRequest(loc, op, getReducedIndex(op, key.index));
  ++nesting;
  llvm::SaveAndRestore<Value *> nothingElse(found, nullptr);
  SmallVector<Value> sum = reducer(r);
  --nesting;
  Value count = getIndex(loc, 1);
  for (int64_t d : r.dims)
    count = builder.createOrFold<arith::MulIOp>(
        loc, count,
        getValueOrCreateConstantIndexOp(builder, loc, dim(r.operand, d)));
  return emitReductionResult(loc, op, sum, count);
}

Value ElementEmitter::emitReductionResult(Location loc, ReductionOpInterface op,
                                          ValueRange accumulators,
                                          Value count) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Type compute = getComputeType(element);
  Value result = withContext(loc, [&](EmitContext &ctx) {
    return op.emitFinalize(ctx, accumulators, count, compute);
  });
  if (!isNarrowFloat(element))
    return result;
  result = arith::TruncFOp::create(builder, loc, element, result);
  return arith::ExtFOp::create(builder, loc, compute, result);
}

bool ElementEmitter::hasUnboundReduction(Value tensor) {
  SmallVector<Value> stack{tensor};
  while (!stack.empty()) {
    Value value = stack.back();
    Operation *op = value.getDefiningOp();
    if (unboundReductions.count(value)) {
      stack.pop_back();
      continue;
    }
    // What is not to be read yet waits for something too.
    if (auto it = bound.find(value);
        it != bound.end() || !op || isa<ReductionOpInterface>(op)) {
      unboundReductions[value] =
          it != bound.end() ? !it->second.load : op != nullptr;
      continue;
    }
    bool complete = true, found = false;
    for (Value operand : op->getOperands()) {
      auto it = unboundReductions.find(operand);
      if (it == unboundReductions.end()) {
        stack.push_back(operand);
        complete = false;
      } else {
        found |= it->second;
      }
    }
    if (complete)
      unboundReductions[value] = found;
  }
  return unboundReductions[tensor];
}
