//===- CollapseDimensions.cpp - Neighbours that are reduced as one --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seams of a tensor are between neighbouring dimensions: seam d between
// dimension d and d + 1. An op says which seams of its operands and results are
// one, and which have to stay. Seams that are one are closed together.
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/Accesses.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Analysis/TensorLayout.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_COLLAPSEDIMENSIONSPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// The attribute in which reductions have dimensions.
static constexpr StringRef kDimsName = "dims";

static int64_t getRank(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

static bool isRankedTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// May we, should we
//===----------------------------------------------------------------------===//

namespace {

/// The seams of all tensors of a function.
class Seams {
public:
  Seams(func::FuncOp func, const ShapeSymbols &symbols);

  /// Whether dimensions `dim` and `dim + 1` become one.
  bool isClosed(Value tensor, int64_t dim) const;
  bool isAnyClosed(Value tensor) const;

private:
  using Seam = std::pair<Value, int64_t>;

  unsigned getNumber(Value tensor, int64_t dim);
  void unite(Value a, int64_t dimOfA, Value b, int64_t dimOfB);
  void keep(Value tensor, int64_t dim) { kept.push_back({tensor, dim}); }
  void keepAll(Value tensor);

  void visitArgument(BlockArgument argument);
  void visit(Operation *op);
  void visitElementwise(Operation *op);
  bool isRepetition(IndexMapOpInterface map) const;
  void visitRepetition(IndexMapOpInterface map);
  void visitReduction(ReductionOpInterface op);
  void visitReturn(OpOperand &returned);

  const ShapeSymbols &symbols;
  DenseMap<Seam, unsigned> numbers;
  llvm::EquivalenceClasses<unsigned> classes;
  SmallVector<Seam> kept, wanted;
  DenseSet<unsigned> closed; ///< By the leader of a class.
};

} // namespace

unsigned Seams::getNumber(Value tensor, int64_t dim) {
  unsigned number =
      numbers.try_emplace({tensor, dim}, numbers.size()).first->second;
  classes.insert(number);
  return number;
}

void Seams::unite(Value a, int64_t dimOfA, Value b, int64_t dimOfB) {
  classes.unionSets(getNumber(a, dimOfA), getNumber(b, dimOfB));
}

void Seams::keepAll(Value tensor) {
  if (isRankedTensor(tensor))
    for (int64_t dim = 0; dim + 1 < getRank(tensor); ++dim)
      keep(tensor, dim);
}

/// Other layouts than the row-major one have other neighbours.
void Seams::visitArgument(BlockArgument argument) {
  if (isRankedTensor(argument) && !isRowMajor(argument))
    keepAll(argument);
}

void Seams::visitElementwise(Operation *op) {
  auto uniteWithResult = [&](Value value) {
    Value result = op->getResult(0);
    for (int64_t dim = 0; dim + 1 < getRank(result); ++dim)
      unite(result, dim, value, dim);
  };
  for (OpOperand *operand : getTensorOperands(op))
    uniteWithResult(operand->get());
  llvm::for_each(op->getResults(), uniteWithResult);
}

/// Of each dimension of the result of `map`, which repeats elements of its
/// operand in their order, the operand's that it is or repeats; -1 if it is
/// new. Those of size 1 repeat along the last dimension that is left for them.
/// Empty if there is none.
static SmallVector<int64_t> getRepeatedDims(IndexMapOpInterface map) {
  AffineMap affine = map.getAffineIndexMap(0);
  SmallVector<int64_t> repeated(affine.getNumDims(), -1);
  int64_t behind = affine.getNumDims();
  for (int64_t dim = affine.getNumResults(); dim-- > 0;) {
    auto expr = dyn_cast<AffineDimExpr>(affine.getResult(dim));
    int64_t place = expr ? int64_t(expr.getPosition()) : behind - 1;
    if (place < 0 || place >= behind)
      return {};
    repeated[place] = dim;
    behind = place;
  }
  return repeated;
}

/// Whether neighbours are neighbours still, or one element.
bool Seams::isRepetition(IndexMapOpInterface map) const {
  Value source = getOnlySource(map);
  return source &&
         isBroadcast(map.getAffineIndexMap(0), symbols.getShape(source),
                     symbols.getShape(map->getResult(0))) &&
         !getRepeatedDims(map).empty();
}

/// New dimensions are no part of others. Dimensions that are repeated together,
/// or not at all, are neighbours still; those of size 1 on both sides go with
/// either.
void Seams::visitRepetition(IndexMapOpInterface map) {
  Value input = getOnlySource(map), result = map->getResult(0);
  SmallVector<int64_t> repeated = getRepeatedDims(map);
  ArrayRef<int64_t> from = cast<RankedTensorType>(input.getType()).getShape(),
                    to = cast<RankedTensorType>(result.getType()).getShape();
  std::optional<bool> isLastRepeated;
  for (auto [dim, own] : llvm::enumerate(repeated)) {
    bool isNew = own < 0;
    if (!isNew && (from[own] != 1 || to[dim] != 1)) {
      bool isRepeated = from[own] == 1;
      if (isLastRepeated && *isLastRepeated != isRepeated)
        keep(input, own - 1);
      isLastRepeated = isRepeated;
    }
    if (dim + 1 == repeated.size())
      break;
    bool isNextNew = repeated[dim + 1] < 0;
    if (isNew != isNextNew)
      keep(result, dim);
    if (!isNew && !isNextNew)
      unite(input, own, result, dim);
    else if (!isNew && own + 1 < getRank(input))
      keep(input, own);
  }
}

/// A reduction over dimensions of which others are between.
static bool isAround(ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
  auto real = llvm::to_vector(llvm::make_filter_range(
      dims, [&](int64_t dim) { return shape[dim] != 1; }));
  for (int64_t dim = real.empty() ? 0 : real.front();
       !real.empty() && dim < real.back(); ++dim)
    if (shape[dim] != 1 && !llvm::is_contained(real, dim))
      return true;
  return false;
}

void Seams::visitReduction(ReductionOpInterface op) {
  SmallVector<int64_t> dims = op.getReductionDims();
  for (OpOperand *operand : getTensorOperands(op)) {
    Value input = operand->get();
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(input.getType()).getShape();
    bool isWanted = isAround(dims, shape);
    // A loop over one dimension is shared by threads, whatever its size is.
    bool reducesSeveral =
        llvm::count_if(dims, [&](int64_t dim) { return shape[dim] != 1; }) > 1;
    int64_t after = 0; ///< Dimensions of the result.
    for (int64_t dim = 0; dim < getRank(input); ++dim) {
      bool isReduced = llvm::is_contained(dims, dim);
      bool isLeft = !isReduced || op.getKeepsDims();
      if (dim + 1 < getRank(input)) {
        bool isNextReduced = llvm::is_contained(dims, dim + 1);
        if (isReduced != isNextReduced)
          keep(input, dim);
        else if (isWanted || (isReduced && reducesSeveral))
          wanted.push_back({input, dim});
        bool isNextLeft = !isNextReduced || op.getKeepsDims();
        for (Value result : op->getResults()) {
          if (isLeft && isNextLeft)
            unite(input, dim, result, after);
          else if (isLeft && after + 1 < getRank(result))
            keep(result, after);
        }
      }
      after += isLeft;
    }
  }
}

/// A result in memory of another shape is a view of it, if it has memory of its
/// own that is row-major.
void Seams::visitReturn(OpOperand &returned) {
  if (isRankedTensor(returned.get()) &&
      (getResultAttr(&returned, FusionDialect::getStrideOrderAttrName()) ||
       getResultAttr(&returned, FusionDialect::getStrideOrderHintAttrName()) ||
       getResultAttr(&returned, FusionDialect::getAliasAttrName())))
    keepAll(returned.get());
}

void Seams::visit(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    for (OpOperand &returned : op->getOpOperands())
      visitReturn(returned);
    return;
  }
  bool isPlain = !op->hasTrait<RequestedCopy>() &&
                 !op->hasTrait<SegmentBoundary>() &&
                 !op->hasAttr(FusionDialect::getStrideOrderHintAttrName());
  auto dim = dyn_cast<tensor::DimOp>(op);
  if (dim && isa<BlockArgument>(dim.getSource()))
    return;
  // They look at no dimension but by their sizes.
  auto map = dyn_cast<IndexMapOpInterface>(op);
  auto factory = dyn_cast<FactoryOpInterface>(op);
  if (isPlain &&
      ((map && map.keepsLinearOrder()) || (factory && factory.isUniform())))
    return;
  if (isPlain && isa<ElementwiseOpInterface>(op))
    return visitElementwise(op);
  // Of others it is not known how they say what they reduce.
  if (auto reduction = dyn_cast<ReductionOpInterface>(op);
      isPlain && reduction && op->hasAttr(kDimsName))
    return visitReduction(reduction);
  if (isPlain && map && isRepetition(map))
    return visitRepetition(map);
  for (Value operand : op->getOperands())
    keepAll(operand);
  for (Value result : op->getResults())
    keepAll(result);
}

Seams::Seams(func::FuncOp func, const ShapeSymbols &symbols)
    : symbols(symbols) {
  for (BlockArgument argument : func.getArguments())
    visitArgument(argument);
  for (Operation &op : func.getBody().front())
    visit(&op);
  auto getLeader = [&](Seam seam) {
    return classes.getLeaderValue(getNumber(seam.first, seam.second));
  };
  for (Seam seam : wanted)
    closed.insert(getLeader(seam));
  for (Seam seam : kept)
    closed.erase(getLeader(seam));
}

bool Seams::isClosed(Value tensor, int64_t dim) const {
  auto number = numbers.find({tensor, dim});
  return number != numbers.end() &&
         closed.contains(classes.getLeaderValue(number->second));
}

bool Seams::isAnyClosed(Value tensor) const {
  return isRankedTensor(tensor) && !closed.empty() &&
         llvm::any_of(
             llvm::seq<int64_t>(0, std::max<int64_t>(getRank(tensor) - 1, 0)),
             [&](int64_t dim) { return isClosed(tensor, dim); });
}

//===----------------------------------------------------------------------===//
// Do it
//===----------------------------------------------------------------------===//

namespace {

class DimensionCollapser {
public:
  explicit DimensionCollapser(func::FuncOp func)
      : func(func), symbols(func), seams(func, symbols), sizes(symbols) {}

  /// How many ops have fewer dimensions now.
  unsigned run();

private:
  SmallVector<int64_t> getFirstDims(Value tensor) const;
  int64_t getPlace(Value tensor, int64_t dim) const;
  DenseI64ArrayAttr getPlaces(Value tensor, ArrayRef<int64_t> dims) const;
  RankedTensorType getCollapsedType(Value tensor) const;
  Value emitSize(OpBuilder &b, Value tensor, int64_t first);
  SmallVector<Value> emitOpenSizes(OpBuilder &b, Value tensor,
                                   function_ref<bool(int64_t)> isAsked);
  Value collapse(OpBuilder &b, Value tensor);
  void replace(Value before, Value after);
  Value emitRepetition(OpBuilder &b, IndexMapOpInterface map);
  Value emitShaped(OpBuilder &b, Operation *op);
  void rewrite(Operation *op);
  void rewriteReturn(Operation *op);

  func::FuncOp func;
  ShapeSymbols symbols;
  Seams seams;
  SizeMaterializer sizes;
  IRMapping collapsed;
};

} // namespace

/// Of each dimension that is left the first one that it is made of.
SmallVector<int64_t> DimensionCollapser::getFirstDims(Value tensor) const {
  SmallVector<int64_t> first;
  for (int64_t dim = 0; dim < getRank(tensor); ++dim)
    if (dim == 0 || !seams.isClosed(tensor, dim - 1))
      first.push_back(dim);
  return first;
}

/// Which dimension is `dim` now.
int64_t DimensionCollapser::getPlace(Value tensor, int64_t dim) const {
  int64_t place = dim;
  for (int64_t before = 0; before < dim; ++before)
    place -= seams.isClosed(tensor, before);
  return place;
}

DenseI64ArrayAttr DimensionCollapser::getPlaces(Value tensor,
                                                ArrayRef<int64_t> dims) const {
  SmallVector<int64_t> places;
  for (int64_t dim : dims)
    if (int64_t place = getPlace(tensor, dim);
        places.empty() || places.back() != place)
      places.push_back(place);
  return DenseI64ArrayAttr::get(tensor.getContext(), places);
}

RankedTensorType DimensionCollapser::getCollapsedType(Value tensor) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim);
    if (dim == 0 || !seams.isClosed(tensor, dim - 1))
      shape.push_back(size);
    else if (ShapedType::isDynamic(size) || ShapedType::isDynamic(shape.back()))
      shape.back() = ShapedType::kDynamic;
    else
      shape.back() *= size;
  }
  return RankedTensorType::get(shape, type.getElementType());
}

/// The size of the dimension that begins with dimension `first` of `tensor`.
Value DimensionCollapser::emitSize(OpBuilder &b, Value tensor, int64_t first) {
  Location loc = tensor.getLoc();
  Value size;
  for (int64_t dim = first; dim < getRank(tensor); ++dim) {
    Value one = getValueOrCreateConstantIndexOp(
        b, loc, sizes.getOwn(b, loc, tensor, dim));
    size = size ? b.createOrFold<arith::MulIOp>(loc, size, one) : one;
    if (!seams.isClosed(tensor, dim))
      break;
  }
  return size;
}

/// The open sizes of the collapsed `tensor` for the dimensions, those of
/// `tensor` that they begin with, that are asked for.
SmallVector<Value>
DimensionCollapser::emitOpenSizes(OpBuilder &b, Value tensor,
                                  function_ref<bool(int64_t)> isAsked) {
  SmallVector<Value> open;
  RankedTensorType type = getCollapsedType(tensor);
  for (auto [place, first] : llvm::enumerate(getFirstDims(tensor)))
    if (type.isDynamicDim(place) && isAsked(first))
      open.push_back(emitSize(b, tensor, first));
  return open;
}

/// `tensor` with fewer dimensions: the same elements in the same order.
Value DimensionCollapser::collapse(OpBuilder &b, Value tensor) {
  if (Value known = collapsed.lookupOrNull(tensor))
    return known;
  if (!seams.isAnyClosed(tensor))
    return tensor;
  // An argument, or the result of an op that stays as it is.
  Value shaped =
      ReshapeOp::create(b, tensor.getLoc(), getCollapsedType(tensor), tensor,
                        emitOpenSizes(b, tensor, [](int64_t) { return true; }));
  collapsed.map(tensor, shaped);
  return shaped;
}

/// Whoever reads `before` reads `after`.
void DimensionCollapser::replace(Value before, Value after) {
  if (seams.isAnyClosed(before))
    collapsed.map(before, after);
  else
    before.replaceAllUsesWith(after);
}

void DimensionCollapser::rewriteReturn(Operation *op) {
  OpBuilder b(op);
  for (OpOperand &returned : op->getOpOperands()) {
    Value value = returned.get();
    if (!seams.isAnyClosed(value))
      continue;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Value> open;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        open.push_back(getValueOrCreateConstantIndexOp(
            b, op->getLoc(), sizes.getOwn(b, op->getLoc(), value, dim)));
    returned.set(
        ReshapeOp::create(b, value.getLoc(), type, collapse(b, value), open));
  }
}

/// New dimensions, and then the repetition along those of size 1.
Value DimensionCollapser::emitRepetition(OpBuilder &b,
                                         IndexMapOpInterface map) {
  Value input = getOnlySource(map), result = map->getResult(0);
  SmallVector<int64_t> repeated = getRepeatedDims(map), added;
  for (auto [place, first] : llvm::enumerate(getFirstDims(result)))
    if (repeated[first] < 0)
      added.push_back(place);
  Value shaped = collapse(b, input);
  if (!added.empty())
    shaped = BroadcastOp::create(b, map.getLoc(), shaped, added);
  RankedTensorType type = getCollapsedType(result);
  if (shaped.getType() == type)
    return shaped;
  auto from = cast<RankedTensorType>(shaped.getType());
  return ExpandOp::create(b, map.getLoc(), type, shaped,
                          emitOpenSizes(b, result, [&](int64_t first) {
                            return from.getDimSize(getPlace(result, first)) ==
                                   1;
                          }));
}

/// What has a shape of its own.
Value DimensionCollapser::emitShaped(OpBuilder &b, Operation *op) {
  Value result = op->getResult(0);
  RankedTensorType type = getCollapsedType(result);
  auto emitSizes = [&] {
    return emitOpenSizes(b, result, [](int64_t) { return true; });
  };
  if (auto factory = dyn_cast<FactoryOpInterface>(op))
    return factory.emitUniform(b, type, emitSizes());
  auto map = cast<IndexMapOpInterface>(op);
  if (!map.keepsLinearOrder())
    return emitRepetition(b, map);
  Value input = collapse(b, getTensorOperands(op).front()->get());
  return b.createOrFold<ReshapeOp>(op->getLoc(), type, input, emitSizes());
}

void DimensionCollapser::rewrite(Operation *op) {
  OpBuilder b(op);
  if (isa<FactoryOpInterface, IndexMapOpInterface>(op)) {
    replace(op->getResult(0), emitShaped(b, op));
    return;
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, collapse(b, operand));
  Operation *clone = b.clone(*op, mapping);
  for (auto [before, after] :
       llvm::zip_equal(op->getResults(), clone->getResults())) {
    after.setType(getCollapsedType(before));
    replace(before, after);
  }
  if (auto reduction = dyn_cast<ReductionOpInterface>(op)) {
    Value input = getTensorOperands(op).front()->get();
    clone->setAttr(kDimsName, getPlaces(input, reduction.getReductionDims()));
  }
}

unsigned DimensionCollapser::run() {
  unsigned count = 0;
  SmallVector<Operation *> replaced;
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      rewriteReturn(&op);
      continue;
    }
    auto isClosed = [&](Value value) { return seams.isAnyClosed(value); };
    if (isa<tensor::DimOp>(op) || (llvm::none_of(op.getOperands(), isClosed) &&
                                   llvm::none_of(op.getResults(), isClosed)))
      continue;
    rewrite(&op);
    replaced.push_back(&op);
    ++count;
  }
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return count;
}

namespace {

struct CollapseDimensionsPass
    : public fuser::fusion::impl::CollapseDimensionsPassBase<
          CollapseDimensionsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!getOperation().isExternal() && getOperation().getBody().hasOneBlock())
      numCollapsed += DimensionCollapser(getOperation()).run();
  }
};

} // namespace
