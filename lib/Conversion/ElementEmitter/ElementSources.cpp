//===- ElementSources.cpp - Where index maps read their elements ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index map of one source that gives all elements only changes the index.
// Where a source gives some of them there is a branch around it, or it is read
// at an index that is always inside and the element selected. Where sizes do
// not say whether neighbours are neighbours in a source, the kernel looks at
// the first and the last of them.
//
//===----------------------------------------------------------------------===//

#include "ElementEmitterTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::EmitContext;
using fusion::FactoryOpInterface;
using fusion::IndexMapOpInterface;
using fusion::MappedIndex;

/// What may be computed in vain, in additions, rather than branched around.
static constexpr unsigned kMaxSelectedCost = 16;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The elements, for the result's element at `resultIndex`, of the tensors that
/// say where the sources of `op` are read.
SmallVector<Value> ElementEmitter::emitSelectors(Location loc, Operation *op,
                                                 ValueRange resultIndex) {
  SmallVector<Value> selectors;
  SmallVector<OpOperand *> tensors = fusion::getTensorOperands(op);
  for (unsigned number = cast<IndexMapOpInterface>(op).getNumSources();
       number < tensors.size(); ++number) {
    MappedIndex at = mapIndex(loc, op, number, resultIndex);
    selectors.push_back(emit(loc, tensors[number]->get(), at.index));
  }
  return selectors;
}

MappedIndex ElementEmitter::mapIndex(Location loc, Operation *op,
                                     unsigned operand, ValueRange resultIndex) {
  auto map = cast<IndexMapOpInterface>(op);
  SmallVector<Value> selectors;
  if (operand < map.getNumSources())
    selectors = emitSelectors(loc, op, resultIndex);
  auto selectorFn = [&](unsigned number) {
    return selectors[number - map.getNumSources()];
  };
  recorder->start(builder);
  MappedIndex mapped = withContext(loc, [&](EmitContext &ctx) {
    ctx.selector = selectorFn;
    return map.mapIndex(ctx, operand, resultIndex);
  });
  SmallVector<Operation *> emitted = recorder->stop(builder);
  for (Operation *newOp : emitted) {
    Value known = simplify(newOp);
    if (!known || known == newOp->getResult(0))
      continue;
    llvm::replace(mapped.index, Value(newOp->getResult(0)), known);
    if (mapped.valid == newOp->getResult(0))
      mapped.valid = known;
    newOp->getResult(0).replaceAllUsesWith(known);
    newOp->erase();
  }
  return mapped;
}

//===----------------------------------------------------------------------===//
// One source
//===----------------------------------------------------------------------===//

Value ElementEmitter::emitFill(Location loc, const Key &key) {
  auto map = cast<IndexMapOpInterface>(key.tensor.getDefiningOp());
  Type type = getComputeType(getElementTypeOrSelf(key.tensor.getType()));
  Type element = getElementTypeOrSelf(key.tensor.getType());
  Value fill = withContext(
      loc, [&](EmitContext &ctx) { return map.emitFill(ctx, type); });
  // There is no 0 among them.
  if (isa<Float8E8M0FNUType>(element))
    fill = emitToCompute(builder, loc,
                         emitToStorage(builder, loc, fill, element), element);
  return emitRepeated(builder, loc, fill, key.width);
}

ElementEmitter::Step ElementEmitter::expandSource(Location loc, const Key &key,
                                                  bool readsOnly) {
  Operation *op = key.tensor.getDefiningOp();
  auto map = cast<IndexMapOpInterface>(op);
  SmallVector<OpOperand *> tensors = fusion::getTensorOperands(op);
  // Selectors are not only read.
  if (readsOnly &&
      llvm::any_of(llvm::drop_begin(tensors), [&](OpOperand *tensor) {
        return hasUnboundReduction(tensor->get());
      }))
    return Step(Step::Nothing);
  MappedIndex mapped = mapIndex(loc, op, 0, key.index);
  if (!map.hasFill() || !mapped.valid || matchPattern(mapped.valid, m_One())) {
    bool uniform = key.width > 1 && map.isUniformInLastDim(0);
    Step step(uniform ? Step::Broadcast : Step::Same);
    step.parts.push_back(
        Key{tensors[0]->get(), llvm::to_vector<4>(mapped.index),
            uniform ? 1 : key.width, kLastDim, key.isAnywhere});
    return step;
  }
  if (matchPattern(mapped.valid, m_Zero()))
    return readsOnly ? Step(Step::Nothing) : Step::done(emitFill(loc, key));
  if (std::optional<Step> select = expandClamped(loc, key, mapped))
    return *select;
  if (readsOnly && hasUnboundReduction(key.tensor))
    return Step(Step::Nothing);
  return Step::done(emitBranches(loc, key, 0));
}

/// Where the source is cheap and has an element to read in any case: that one,
/// or another one in vain, without a branch.
std::optional<ElementEmitter::Step>
ElementEmitter::expandClamped(Location loc, const Key &key,
                              const MappedIndex &mapped) {
  Operation *op = key.tensor.getDefiningOp();
  auto map = cast<IndexMapOpInterface>(op);
  Value source = fusion::getTensorOperands(op)[0]->get();
  auto type = cast<RankedTensorType>(source.getType());
  if (key.width > 1 && map.isUniformInLastDim(0))
    return std::nullopt;
  SmallVector<int64_t> clamped;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    // A coordinate of the result, in a dimension of this one's size.
    int64_t along = map.getResultDim(0, dim);
    if (along >= 0 && mapped.index[dim] == key.index[along])
      continue;
    if (type.isDynamicDim(dim) || type.getDimSize(dim) == 0)
      return std::nullopt;
    clamped.push_back(dim);
  }
  Key request{source, llvm::to_vector<4>(mapped.index), key.width};
  for (int64_t dim : clamped) {
    Value zero = getIndex(loc, 0);
    Operation *select = arith::SelectOp::create(builder, loc, mapped.valid,
                                                mapped.index[dim], zero);
    request.index[dim] = simplify(select);
    if (request.index[dim] != select->getResult(0))
      select->erase();
  }
  SmallVector<Key> reads;
  if (!collectReads(loc, request, reads))
    return std::nullopt;
  Step step(Step::Select);
  step.parts.push_back(std::move(request));
  step.condition = mapped.valid;
  return step;
}

//===----------------------------------------------------------------------===//
// Neighbours in any dimension
//===----------------------------------------------------------------------===//

std::optional<int64_t> fuser::getNeighbourDim(IndexMapOpInterface op,
                                              int64_t dim) {
  AffineMap map =
      fusion::getOnlySource(op) ? op.getAffineIndexMap(0) : AffineMap();
  if (!map)
    return std::nullopt;
  AffineExpr along = getAffineDimExpr(dim, op->getContext());
  int64_t found = -1;
  for (auto [number, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    AffineExpr rest = simplifyAffineExpr(expr - along, map.getNumDims(), 0);
    if (found >= 0 || rest.isFunctionOfDim(dim))
      return std::nullopt;
    found = number;
  }
  return found;
}

SmallVector<int64_t> fuser::getPermutation(IndexMapOpInterface op) {
  AffineMap map =
      fusion::getOnlySource(op) ? op.getAffineIndexMap(0) : AffineMap();
  // A part of the source may be where it is, too.
  if (!map || !map.isPermutation() || map.isIdentity())
    return {};
  SmallVector<int64_t> dims(map.getNumDims());
  for (unsigned dim : llvm::seq(map.getNumResults()))
    dims[map.getDimPosition(dim)] = dim;
  return dims;
}

/// Neighbours of the result as neighbours of the source, in whichever dimension
/// they are that, or as one element of it.
std::optional<ElementEmitter::Step>
ElementEmitter::expandAlong(Location loc, const Key &key) {
  auto map = cast<IndexMapOpInterface>(key.tensor.getDefiningOp());
  int64_t rank = key.index.size();
  bool isLast = key.dim == kLastDim;
  if (key.width == 1)
    return std::nullopt;
  std::optional<int64_t> dim =
      getNeighbourDim(map, isLast ? rank - 1 : key.dim);
  Value source = fusion::getOnlySource(map);
  // As it is done for all vectors.
  if (!dim || (isLast &&
               *dim + 1 == cast<RankedTensorType>(source.getType()).getRank()))
    return std::nullopt;
  MappedIndex mapped = mapIndex(loc, map, 0, key.index);
  bool isOne = *dim < 0;
  Step step(isOne ? Step::Broadcast : Step::Same);
  step.parts.push_back(makeKey(source, mapped.index, isOne ? 1 : key.width,
                               isOne ? kLastDim : *dim));
  step.parts.back().isAnywhere = true;
  return step;
}

/// The elements of the one source that the whole part is read from.
ElementEmitter::Step ElementEmitter::expandPart(Location loc, const Key &key,
                                                const Part::Source &source) {
  Operation *op = key.tensor.getDefiningOp();
  MappedIndex mapped = mapIndex(loc, op, source.operand, key.index);
  Step step(Step::Same);
  step.parts.push_back(
      makeKey(fusion::getTensorOperands(op)[source.operand]->get(),
              mapped.index, key.width, key.dim));
  step.parts.back().isAnywhere =
      key.dim == kLastDim && source.first % key.width != 0;
  return step;
}

//===----------------------------------------------------------------------===//
// Several sources
//===----------------------------------------------------------------------===//

/// Collects into `leaves` what `root` reads from bound tensors. False if it is
/// not simply made of such reads by a few cheap ops.
bool ElementEmitter::collectReads(Location loc, const Key &root,
                                  SmallVectorImpl<Key> &leaves) {
  SmallVector<Key> stack{root};
  llvm::DenseSet<Key, KeyInfo> visited;
  unsigned cost = 0;
  while (!stack.empty()) {
    Key key = stack.pop_back_val();
    if (lookup(key) || !visited.insert(key).second)
      continue;
    if (bound.contains(key.tensor)) {
      if (key.dim == kLastDim)
        leaves.push_back(key);
      else
        llvm::append_range(stack, splitRequest(loc, key, 1).parts);
      continue;
    }
    Operation *op = key.tensor.getDefiningOp();
    if (auto factory = dyn_cast_or_null<FactoryOpInterface>(op);
        factory && factory.isUniform())
      continue;
    if (auto elementwise = dyn_cast_or_null<ElementwiseOpInterface>(op))
      cost += elementwise.getElementCost();
    else if (!op || !fusion::getOnlySource(op))
      return false;
    if (cost > kMaxSelectedCost)
      return false;
    llvm::append_range(stack, expand(loc, key, /*readsOnly=*/true).parts);
  }
  return true;
}

/// A tensor operand of an op with several: where it is looked at, and what is
/// read for that.
struct ElementEmitter::Source {
  Key request;
  Value valid;
  SmallVector<Key> leaves;
};

/// The sources of `key` if all of them are made alike of reads of the same
/// tensors; else none.
SmallVector<ElementEmitter::Source, 0>
ElementEmitter::getAlikeSources(Location loc, const Key &key) {
  Operation *op = key.tensor.getDefiningOp();
  auto map = cast<IndexMapOpInterface>(op);
  unsigned numSources = map.getNumSources();
  if (map.hasFill() || fusion::getTensorOperands(op).size() != numSources)
    return {};
  auto isLike = [](const Key &a, const Key &b) {
    return a.tensor == b.tensor && a.width == b.width;
  };
  SmallVector<Source, 0> sources;
  for (unsigned i = 0; i < numSources; ++i) {
    MappedIndex mapped = mapIndex(loc, op, i, key.index);
    Source source{{fusion::getTensorOperands(op)[i]->get(),
                   llvm::to_vector<4>(mapped.index), key.width},
                  mapped.valid,
                  {}};
    bool uniform = key.width > 1 && map.isUniformInLastDim(i);
    bool isLast = i + 1 == numSources;
    if (uniform || (!isLast && !source.valid) ||
        !collectReads(loc, source.request, source.leaves))
      return {};
    sources.push_back(std::move(source));
    if (!std::equal(sources.back().leaves.begin(), sources.back().leaves.end(),
                    sources[0].leaves.begin(), sources[0].leaves.end(), isLike))
      return {};
  }
  return sources;
}

/// Where all operands are made alike of reads of the same tensors (halves of
/// one tensor, one of them negated), the read is done once, at the index that
/// counts, and what is computed of it selected: no branch. Null if not.
Value ElementEmitter::emitSelected(Location loc, const Key &key) {
  SmallVector<Source, 0> sources = getAlikeSources(loc, key);
  if (sources.empty())
    return nullptr;
  auto select = [&](Value condition, Value lhs, Value rhs) {
    return lhs == rhs ? lhs
                      : Value(arith::SelectOp::create(builder, loc, condition,
                                                      lhs, rhs));
  };
  SmallVector<Value> reads;
  for (auto [number, leaf] : llvm::enumerate(sources.back().leaves)) {
    SmallVector<Value, 4> index = leaf.index;
    for (const Source &source : llvm::reverse(llvm::drop_end(sources)))
      for (auto [value, other] : llvm::zip(index, source.leaves[number].index))
        value = select(source.valid, other, value);
    reads.push_back(bound[leaf.tensor].load(builder, loc, index, leaf.width));
  }
  Value result;
  for (const Source &source : llvm::reverse(sources)) {
    Scope scope(*this);
    for (auto [leaf, read] : llvm::zip(source.leaves, reads))
      scopes.back()->elements[leaf] = read;
    // Anything else it read would be read where it may not be.
    hasRead = true;
    Value element =
        emit(loc, source.request.tensor, source.request.index, key.width);
    hasRead = false;
    result = result ? select(source.valid, element, result) : element;
  }
  return result;
}

/// The elements where one of the sources from `operand` on provides them, or
/// none does.
Value ElementEmitter::emitBranches(Location loc, const Key &key,
                                   unsigned operand) {
  Operation *op = key.tensor.getDefiningOp();
  auto map = cast<IndexMapOpInterface>(op);
  if (operand == map.getNumSources())
    return emitFill(loc, key);
  MappedIndex mapped = mapIndex(loc, op, operand, key.index);
  auto emitOperand = [&]() -> Value {
    bool uniform = key.width > 1 && map.isUniformInLastDim(operand);
    Value element = emit(loc, fusion::getTensorOperands(op)[operand]->get(),
                         mapped.index, uniform ? 1 : key.width);
    return uniform ? emitRepeated(builder, loc, element, key.width) : element;
  };
  bool isLast = operand + 1 == map.getNumSources() && !map.hasFill();
  if (isLast || !mapped.valid || matchPattern(mapped.valid, m_One()))
    return emitOperand();
  if (matchPattern(mapped.valid, m_Zero()))
    return emitBranches(loc, key, operand + 1);

  return emitEitherSource(loc, key, mapped.valid, emitOperand,
                          [&] { return emitBranches(loc, key, operand + 1); });
}

/// The elements from one of two branches.
Value ElementEmitter::emitEitherSource(Location loc, const Key &key,
                                       Value condition,
                                       llvm::function_ref<Value()> then,
                                       llvm::function_ref<Value()> otherwise) {
  Type element = getElementTypeOrSelf(key.tensor.getType());
  SmallVector<Type> types{getWideType(getComputeType(element), key.width)};
  if (found)
    types.push_back(builder.getI1Type());
  auto emitBlock = [&](llvm::function_ref<Value()> emitElements) {
    Value isFound;
    llvm::SaveAndRestore inBlock(found, found ? &isFound : nullptr);
    SmallVector<Value> values{emitElements()};
    if (found)
      values.push_back(
          isFound ? isFound : arith::ConstantIntOp::create(builder, loc, 1, 1));
    return values;
  };
  ++nesting;
  SmallVector<Value> values = emitEither(
      loc, types, condition, [&] { return emitBlock(then); },
      [&] { return emitBlock(otherwise); });
  --nesting;
  if (found)
    *found =
        *found ? builder.createOrFold<arith::AndIOp>(loc, *found, values.back())
               : values.back();
  return values.front();
}

//===----------------------------------------------------------------------===//
// Neighbours that a kernel looks for
//===----------------------------------------------------------------------===//

/// True if neighbours may lie side by side in a source where sizes do not say
/// it: of rows that are no multiples of vectors, or open. (What is read at
/// indices that are elements themselves lies anywhere.)
bool ElementEmitter::mayLieTogether(const Key &key) {
  Operation *op = key.tensor.getDefiningOp();
  SmallVector<OpOperand *> tensors = fusion::getTensorOperands(op);
  return hasRunTimeWidths && !hasRead && key.dim == kLastDim &&
         cast<IndexMapOpInterface>(op).getNumSources() == tensors.size() &&
         llvm::all_of(tensors, [](OpOperand *tensor) {
           return cast<RankedTensorType>(tensor->get().getType()).getRank();
         });
}

/// The condition that all elements from the `first` to the `last` are
/// neighbours in the source. From one element to the next an index map moves by
/// the same distance everywhere (a slice), or forward by at most one, or it
/// leaves the row: if as many steps lead as far within one row, each was of
/// one.
static Value areTogether(OpBuilder &b, Location loc, const MappedIndex &first,
                         const MappedIndex &last, Value distance) {
  Value end = b.createOrFold<arith::AddIOp>(loc, first.index.back(), distance);
  Value together = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                 end, last.index.back());
  for (auto [from, to] : llvm::zip(llvm::ArrayRef(first.index).drop_back(),
                                   llvm::ArrayRef(last.index).drop_back()))
    if (from != to)
      together = b.createOrFold<arith::AndIOp>(
          loc, together,
          b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, from,
                                        to));
  for (Value valid : {first.valid, last.valid})
    if (valid)
      together = b.createOrFold<arith::AndIOp>(loc, together, valid);
  return together;
}

/// The elements as a vector of a source if they lie there side by side, else in
/// pieces of `width`. What this is made of may be vectors that the kernel looks
/// for, too: if one of them is not there, neither is this one, so that pieces
/// are emitted once, whatever lies below.
Value ElementEmitter::emitIfTogether(Location loc, const Key &key,
                                     int64_t width) {
  if (found)
    return emitTogether(loc, key, 0);
  Value isFound, vector;
  {
    llvm::SaveAndRestore looking(found, &isFound);
    vector = emitTogether(loc, key, 0);
  }
  return emitEitherSource(
      loc, key, isFound, [&] { return vector; },
      [&] {
        SmallVector<Value> pieces;
        for (const Key &part : splitRequest(loc, key, width).parts)
          pieces.push_back(emit(loc, part));
        return emitConcat(builder, loc, pieces);
      });
}

/// The elements as a vector of a source from `operand` on; not found if they
/// lie side by side in none.
Value ElementEmitter::emitTogether(Location loc, const Key &key,
                                   unsigned operand) {
  Operation *op = key.tensor.getDefiningOp();
  auto map = cast<IndexMapOpInterface>(op);
  if (operand == map.getNumSources()) {
    *found = arith::ConstantIntOp::create(builder, loc, 0, 1);
    // What is made of it in vain must not depend on poison.
    Type element = getElementTypeOrSelf(key.tensor.getType());
    Type type = getWideType(getComputeType(element), key.width);
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  if (map.isUniformInLastDim(operand))
    return emitTogether(loc, key, operand + 1);
  SmallVector<Value, 4> end = key.index;
  end.back() = addIndex(loc, end.back(), key.width - 1);
  MappedIndex first = mapIndex(loc, op, operand, key.index);
  MappedIndex last = mapIndex(loc, op, operand, end);
  Value together =
      areTogether(builder, loc, first, last, getIndex(loc, key.width - 1));
  Key source{fusion::getTensorOperands(op)[operand]->get(),
             llvm::to_vector<4>(first.index), key.width, kLastDim,
             /*isAnywhere=*/true};
  return emitEitherSource(
      loc, key, together, [&] { return emit(loc, source); },
      [&] { return emitTogether(loc, key, operand + 1); });
}
