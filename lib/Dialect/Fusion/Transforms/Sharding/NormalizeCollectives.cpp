//===- NormalizeCollectives.cpp - Communications as buffers allow them ----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ShardGroups.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Support/FoldIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_NORMALIZECOLLECTIVESPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;
using shard::GridAxis;

namespace {
/// Writes the ops around one communication.
class Normalizer {
public:
  explicit Normalizer(Operation *op) : builder(op), loc(op->getLoc()), op(op) {}

  /// Null after an error, the value itself where nothing is to be done.
  Value normalize(shard::AllSliceOp slice);
  Value normalize(shard::AllToAllOp exchange);
  /// Of an op that communicates parts of dimension `dim`.
  template <typename OpT>
  Value moveFirst(OpT communication, const APInt &dim, StringRef dimName);
  /// Of an op that computes in the result's element type.
  template <typename OpT>
  Value convert(OpT communication);

private:
  Value getSize(Value tensor, int64_t dim);
  Value reshape(Value tensor, ArrayRef<OpFoldResult> sizes);
  Value reshapeToResult(Value tensor, ArrayRef<OpFoldResult> sizes);
  Value permute(Value tensor, ArrayRef<int64_t> permutation);
  SmallVector<OpFoldResult> getSizes(Value tensor);
  Value split(Value tensor, int64_t dim, int64_t parts);
  Value getNumberInGroup(StringRef grid, ArrayRef<GridAxis> axes,
                         ArrayRef<int64_t> shape);
  LogicalResult checkParts(Value tensor, int64_t dim, ArrayRef<int64_t> shape);

  OpBuilder builder;
  Location loc;
  Operation *op;
};
} // namespace

static RankedTensorType getType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

//===----------------------------------------------------------------------===//
// Ops around it
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> Normalizer::getSizes(Value tensor) {
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(getType(tensor).getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(
          tensor::DimOp::create(builder, loc, tensor, dim).getResult());
    else
      sizes.push_back(builder.getIndexAttr(size));
  return sizes;
}

Value Normalizer::reshape(Value tensor, ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return ReshapeOp::create(builder, loc, getType(tensor).clone(shape), tensor,
                           dynamic);
}

/// The last one gives the type that the op has: it may leave sizes open that
/// are known here, or know them.
Value Normalizer::reshapeToResult(Value tensor, ArrayRef<OpFoldResult> sizes) {
  RankedTensorType type = getType(op->getResult(0));
  SmallVector<Value> dynamic;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(dim))
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return ReshapeOp::create(builder, loc, type, tensor, dynamic);
}

Value Normalizer::permute(Value tensor, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return tensor;
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(getType(tensor).getDimSize(dim));
  return PermuteOp::create(builder, loc, getType(tensor).clone(shape), tensor,
                           permutation);
}

/// Dimension `dim` as two: parts, and what is in a part. That the parts are
/// equal is checked where the size is a value: a reshape keeps all elements.
Value Normalizer::split(Value tensor, int64_t dim, int64_t parts) {
  SmallVector<OpFoldResult> sizes = getSizes(tensor);
  OpFoldResult count = builder.getIndexAttr(parts);
  sizes[dim] = foldIndex<arith::DivUIOp>(builder, loc, sizes[dim], count);
  sizes.insert(sizes.begin() + dim, count);
  return reshape(tensor, sizes);
}

/// The order in which `dim` comes first, and the one that undoes it.
static SmallVector<int64_t> getFirst(int64_t rank, int64_t dim) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  order.erase(order.begin() + dim);
  order.insert(order.begin(), dim);
  return order;
}
static SmallVector<int64_t> getBack(int64_t rank, int64_t dim) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  order.insert(order.begin() + dim, 0);
  return order;
}

/// This rank's number in its group.
Value Normalizer::getNumberInGroup(StringRef grid, ArrayRef<GridAxis> axes,
                                   ArrayRef<int64_t> shape) {
  SmallVector<Type> types(axes.size(), builder.getIndexType());
  auto index =
      shard::ProcessMultiIndexOp::create(builder, loc, types, grid, axes);
  OpFoldResult number = builder.getIndexAttr(0);
  for (auto [size, value] : llvm::zip_equal(shape, index.getResults())) {
    number = foldIndex<arith::MulIOp>(builder, loc, number,
                                      builder.getIndexAttr(size));
    number =
        foldIndex<arith::AddIOp>(builder, loc, number, OpFoldResult(value));
  }
  return getValueOrCreateConstantIndexOp(builder, loc, number);
}

/// Whether a known size of `tensor` has equal parts for a group of this shape.
LogicalResult Normalizer::checkParts(Value tensor, int64_t dim,
                                     ArrayRef<int64_t> shape) {
  RankedTensorType type = getType(tensor);
  int64_t parts = llvm::product_of(shape);
  if (dim < 0 || dim >= type.getRank())
    return op->emitOpError("expected a dimension of ")
           << type << ", got " << dim;
  if (type.isDynamicDim(dim) || type.getDimSize(dim) % parts == 0)
    return success();
  return op->emitOpError("expected ")
         << parts << " equal parts of dimension " << dim << " of " << type;
}

//===----------------------------------------------------------------------===//
// Communications
//===----------------------------------------------------------------------===//

Value Normalizer::normalize(shard::AllSliceOp slice) {
  FailureOr<SmallVector<int64_t>> shape =
      getGridShape(slice, slice.getGrid(), slice.getGridAxes());
  if (failed(shape))
    return nullptr;
  int64_t dim = slice.getSliceAxis().getSExtValue();
  if (failed(checkParts(slice.getInput(), dim, *shape)))
    return nullptr;
  if (shape->empty()) // Each rank has all of what it has.
    return reshapeToResult(slice.getInput(), getSizes(slice.getInput()));
  Value number = getNumberInGroup(slice.getGrid(), slice.getGridAxes(), *shape);
  Value parts = split(slice.getInput(), dim, llvm::product_of(*shape));
  SmallVector<OpFoldResult> sizes = getSizes(parts);
  sizes[dim] = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  offsets[dim] = number;
  SmallVector<OpFoldResult> steps(sizes.size(), builder.getIndexAttr(1));
  auto type = llvm::to_vector(getType(parts).getShape());
  type[dim] = 1;
  Value part = SliceOp::create(builder, loc, getType(parts).clone(type), parts,
                               offsets, sizes, steps);
  sizes.erase(sizes.begin() + dim);
  return reshapeToResult(part, sizes);
}

template <typename OpT>
Value Normalizer::moveFirst(OpT communication, const APInt &axis,
                            StringRef dimName) {
  int64_t dim = axis.getSExtValue();
  Value input = communication.getInput();
  RankedTensorType type = getType(communication.getResult());
  if (dim < 0 || dim >= type.getRank()) {
    op->emitOpError("expected a dimension of ") << type << ", got " << dim;
    return nullptr;
  }
  if (dim == 0)
    return communication.getResult();
  SmallVector<int64_t> order = getFirst(type.getRank(), dim), shape;
  for (int64_t from : order)
    shape.push_back(type.getDimSize(from));
  Operation *clone = builder.clone(*op);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(clone);
  clone->setOperand(0, permute(input, order));
  clone->setAttr(dimName, builder.getIndexAttr(0));
  clone->getResult(0).setType(type.clone(shape));
  builder.setInsertionPointAfter(clone);
  return permute(clone->getResult(0), getBack(type.getRank(), dim));
}

/// Parts go first, and parts of all ranks come out first.
Value Normalizer::normalize(shard::AllToAllOp exchange) {
  int64_t from = exchange.getSplitAxis().getSExtValue();
  int64_t to = exchange.getConcatAxis().getSExtValue();
  if (from == 0 && to == 0)
    return exchange.getResult();
  FailureOr<SmallVector<int64_t>> shape =
      getGridShape(exchange, exchange.getGrid(), exchange.getGridAxes());
  if (failed(shape) || failed(checkParts(exchange.getInput(), from, *shape)))
    return nullptr;
  Value parts = split(exchange.getInput(), from, llvm::product_of(*shape));
  int64_t rank = getType(parts).getRank();
  Value sent = permute(parts, getFirst(rank, from));
  Value received = shard::AllToAllOp::create(
      builder, loc, sent.getType(), exchange.getGrid(), exchange.getGridAxes(),
      sent, APInt(64, 0), APInt(64, 0));
  Value ordered = permute(received, getBack(rank, to));
  SmallVector<OpFoldResult> sizes = getSizes(ordered);
  sizes[to] = foldIndex<arith::MulIOp>(builder, loc, sizes[to], sizes[to + 1]);
  sizes.erase(sizes.begin() + to + 1);
  return reshapeToResult(ordered, sizes);
}

template <typename OpT>
Value Normalizer::convert(OpT communication) {
  Type element = getElementTypeOrSelf(communication.getResult());
  Value input = communication.getInput();
  if (element == getElementTypeOrSelf(input))
    return communication.getResult();
  Operation *clone = builder.clone(*op);
  OpBuilder before(clone);
  clone->setOperand(
      0, CastOp::create(before, loc, getType(input).clone(element), input));
  return clone->getResult(0);
}

/// What stands for the result of `op` then; null after an error.
static Value normalize(Operation *op) {
  Normalizer normalizer(op);
  if (auto slice = dyn_cast<shard::AllSliceOp>(op))
    return normalizer.normalize(slice);
  if (auto exchange = dyn_cast<shard::AllToAllOp>(op))
    return normalizer.normalize(exchange);
  if (auto gather = dyn_cast<shard::AllGatherOp>(op))
    return normalizer.moveFirst(gather, gather.getGatherAxis(), "gather_axis");
  if (auto gather = dyn_cast<shard::GatherOp>(op))
    return normalizer.moveFirst(gather, gather.getGatherAxis(), "gather_axis");
  if (auto scatter = dyn_cast<shard::ScatterOp>(op))
    return normalizer.moveFirst(scatter, scatter.getScatterAxis(),
                                "scatter_axis");
  if (auto reduce = dyn_cast<shard::AllReduceOp>(op))
    return normalizer.convert(reduce);
  if (auto reduce = dyn_cast<shard::ReduceOp>(op))
    return normalizer.convert(reduce);
  if (auto reduce = dyn_cast<shard::ReduceScatterOp>(op)) {
    Value converted = normalizer.convert(reduce);
    if (converted != reduce.getResult())
      return converted;
    return normalizer.moveFirst(reduce, reduce.getScatterAxis(),
                                "scatter_axis");
  }
  return op->getResult(0);
}

namespace {
struct NormalizeCollectivesPass
    : public fuser::fusion::impl::NormalizeCollectivesPassBase<
          NormalizeCollectivesPass> {
  using Base::Base;

  void runOnOperation() override {
    // What is made of one op is looked at again.
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) {
      if (isa<shard::AllSliceOp, CollectiveOpInterface>(op))
        work.push_back(op);
    });
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      Operation *before = op->getPrevNode();
      Value result = normalize(op);
      if (!result)
        return signalPassFailure();
      if (result == op->getResult(0))
        continue;
      ++numNormalized;
      for (Operation *made = op->getPrevNode(); made && made != before;
           made = made->getPrevNode())
        if (isa<CollectiveOpInterface>(made))
          work.push_back(made);
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};
} // namespace
