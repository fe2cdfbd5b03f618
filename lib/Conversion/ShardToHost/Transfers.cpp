//===- Transfers.cpp - The shard dialect's communications -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each communication of upstream's shard dialect as one of host programs.
// fusion-normalize-collectives has put the dimension of the ranks' parts first
// and made the element types equal.
//
//===----------------------------------------------------------------------===//

#include "RankCheck.h"
#include "fuser/Analysis/ShardGroups.h"
#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/ElementStorage.h"
#include "fuser/Support/FoldIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"

using namespace fuser;
using namespace mlir;

/// The ranks that `op` communicates with.
template <typename OpT>
static FailureOr<Value> createGroup(OpBuilder &builder, OpT op) {
  FailureOr<RankLists> lists = getRankLists(op, op.getGrid(), op.getGridAxes());
  if (failed(lists))
    return failure();
  createCheckedGroup(builder, op.getLoc(), *findGrid(op, op.getGrid()));
  SmallVector<Attribute> attrs;
  for (ArrayRef<int64_t> list : *lists)
    attrs.push_back(builder.getDenseI64ArrayAttr(list));
  return Value(
      host::GroupOp::create(builder, op.getLoc(), builder.getArrayAttr(attrs)));
}

static FailureOr<host::ReduceKind> getKind(Operation *op,
                                           shard::ReductionKind kind) {
  Type element = getElementTypeOrSelf(op->getOperand(0));
  if (isa<FloatType>(element) && getStorageType(element) != element)
    return op->emitOpError("expected elements that lie in memory as they are, "
                           "to be combined, got ")
           << element << ": cast to f32 and back";
  bool isOrder = kind == shard::ReductionKind::Min ||
                 kind == shard::ReductionKind::Max ||
                 kind == shard::ReductionKind::Average;
  if (isOrder && element.isUnsignedInteger())
    return op->emitOpError("expected elements with a sign, or floats, to be "
                           "compared or averaged, got ")
           << element;
  switch (kind) {
  case shard::ReductionKind::Sum:
    return host::ReduceKind::Sum;
  case shard::ReductionKind::Product:
    return host::ReduceKind::Prod;
  case shard::ReductionKind::Min:
    return host::ReduceKind::Min;
  case shard::ReductionKind::Max:
    return host::ReduceKind::Max;
  case shard::ReductionKind::Average:
    return host::ReduceKind::Avg;
  default:
    return op->emitOpError("expected the reduction sum, product, min, max or "
                           "average, got ")
           << shard::stringifyReductionKind(kind);
  }
}

/// The number in the group of the rank whose indices along the group's axes are
/// `statics`, in which open ones are the next of `dynamics`.
template <typename OpT>
static FailureOr<Value> createPeer(OpBuilder &builder, OpT op,
                                   ArrayRef<int64_t> statics,
                                   ValueRange dynamics) {
  FailureOr<SmallVector<int64_t>> shape =
      getGridShape(op, op.getGrid(), op.getGridAxes());
  if (failed(shape))
    return failure();
  if (statics.size() != shape->size())
    return op.emitOpError("expected an index for each of the ")
           << shape->size() << " grid axes, got " << statics.size();
  OpFoldResult number = builder.getIndexAttr(0);
  Location loc = op.getLoc();
  for (auto [size, index] :
       llvm::zip_equal(*shape, getMixedValues(statics, dynamics, builder))) {
    number = foldIndex<arith::MulIOp>(builder, loc, number,
                                      builder.getIndexAttr(size));
    number = foldIndex<arith::AddIOp>(builder, loc, number, index);
  }
  return getValueOrCreateConstantIndexOp(builder, loc, number);
}

static LogicalResult expectFirst(Operation *op, uint64_t dim) {
  if (dim == 0)
    return success();
  return op->emitOpError("expected the ranks' parts along dimension 0, got ")
         << dim << ": run fusion-normalize-collectives first";
}

static LogicalResult expectEqualElements(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0));
  if (from == to)
    return success();
  return op->emitOpError("expected one element type, got ")
         << from << " and " << to << ": run fusion-normalize-collectives first";
}

//===----------------------------------------------------------------------===//
// One function an op
//===----------------------------------------------------------------------===//

namespace {
/// Where a communication goes, and between what.
struct Transfer {
  OpBuilder &builder;
  Location loc;
  ValueRange operands;
  Value destination;
  Value group;

  Value source() const { return operands.front(); }
};
} // namespace

static LogicalResult emit(shard::AllGatherOp op, const Transfer &t) {
  host::AllGatherOp::create(t.builder, t.loc, t.source(), t.destination,
                            uint64_t(0), t.group);
  return expectFirst(op, op.getGatherAxis().getZExtValue());
}

static LogicalResult emit(shard::AllReduceOp op, const Transfer &t) {
  FailureOr<host::ReduceKind> kind = getKind(op, op.getReduction());
  if (failed(kind))
    return failure();
  host::AllReduceOp::create(t.builder, t.loc, *kind, t.source(), t.destination,
                            t.group);
  return expectEqualElements(op);
}

static LogicalResult emit(shard::ReduceScatterOp op, const Transfer &t) {
  FailureOr<host::ReduceKind> kind = getKind(op, op.getReduction());
  if (failed(kind) || failed(expectEqualElements(op)))
    return failure();
  host::ReduceScatterOp::create(t.builder, t.loc, *kind, t.source(),
                                t.destination, uint64_t(0), t.group);
  return expectFirst(op, op.getScatterAxis().getZExtValue());
}

static LogicalResult emit(shard::AllToAllOp op, const Transfer &t) {
  host::AllToAllOp::create(t.builder, t.loc, t.source(), t.destination,
                           t.group);
  return expectFirst(op, op.getSplitAxis().getZExtValue() |
                             op.getConcatAxis().getZExtValue());
}

static LogicalResult emit(shard::BroadcastOp op, const Transfer &t) {
  FailureOr<Value> root =
      createPeer(t.builder, op, op.getRoot(), t.operands.drop_front());
  if (failed(root))
    return failure();
  host::BroadcastOp::create(t.builder, t.loc, t.source(), t.destination, *root,
                            t.group);
  return success();
}

static LogicalResult emit(shard::ReduceOp op, const Transfer &t) {
  FailureOr<host::ReduceKind> kind = getKind(op, op.getReduction());
  FailureOr<Value> root =
      createPeer(t.builder, op, op.getRoot(), t.operands.drop_front());
  if (failed(kind) || failed(root))
    return failure();
  host::ReduceOp::create(t.builder, t.loc, *kind, t.source(), t.destination,
                         *root, t.group);
  return expectEqualElements(op);
}

static LogicalResult emit(shard::GatherOp op, const Transfer &t) {
  FailureOr<Value> root =
      createPeer(t.builder, op, op.getRoot(), t.operands.drop_front());
  if (failed(root))
    return failure();
  host::GatherOp::create(t.builder, t.loc, t.source(), t.destination,
                         uint64_t(0), *root, t.group);
  return expectFirst(op, op.getGatherAxis().getZExtValue());
}

static LogicalResult emit(shard::ScatterOp op, const Transfer &t) {
  FailureOr<Value> root =
      createPeer(t.builder, op, op.getRoot(), t.operands.drop_front());
  if (failed(root))
    return failure();
  host::ScatterOp::create(t.builder, t.loc, t.source(), t.destination,
                          uint64_t(0), *root, t.group);
  return expectFirst(op, op.getScatterAxis().getZExtValue());
}

/// Data moves up the axis by the offset; around the end if the op says so, else
/// what comes from beyond it stays undefined.
static LogicalResult emit(shard::ShiftOp op, const Transfer &t) {
  FailureOr<SmallVector<int64_t>> shape =
      getGridShape(op, op.getGrid(), op.getGridAxes());
  if (failed(shape))
    return failure();
  uint64_t along =
      llvm::find(op.getGridAxes(), op.getShiftAxis().getSExtValue()) -
      op.getGridAxes().begin();
  if (along == shape->size())
    return op.emitOpError("expected the axis to shift along among the grid "
                          "axes, got ")
           << op.getShiftAxis().getSExtValue();
  int64_t stride = 1, size = (*shape)[along];
  for (int64_t inner : ArrayRef(*shape).drop_front(along + 1))
    stride *= inner;
  SmallVector<int64_t> from, to;
  int64_t count = llvm::product_of(*shape);
  for (int64_t rank = 0; rank < count; ++rank) {
    int64_t index = rank / stride % size;
    int64_t moved = index + op.getOffset();
    if (op.getRotate())
      moved = ((moved % size) + size) % size;
    if (moved < 0 || moved >= size)
      continue;
    from.push_back(rank);
    to.push_back(rank + (moved - index) * stride);
  }
  host::PermuteOp::create(t.builder, t.loc, t.source(), t.destination, from, to,
                          t.group);
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

/// The result's size in a dimension is the operand's times the first and
/// divided by the second.
using Scale = std::pair<int64_t, int64_t>;

template <typename OpT>
static Scale getScale(OpT op, int64_t dim, int64_t ranks) {
  return {1, 1};
}
static Scale getScale(shard::AllGatherOp op, int64_t dim, int64_t ranks) {
  return {op.getGatherAxis() == dim ? ranks : 1, 1};
}
static Scale getScale(shard::GatherOp op, int64_t dim, int64_t ranks) {
  return {op.getGatherAxis() == dim ? ranks : 1, 1};
}
static Scale getScale(shard::ReduceScatterOp op, int64_t dim, int64_t ranks) {
  return {1, op.getScatterAxis() == dim ? ranks : 1};
}
static Scale getScale(shard::ScatterOp op, int64_t dim, int64_t ranks) {
  return {1, op.getScatterAxis() == dim ? ranks : 1};
}
static Scale getScale(shard::AllToAllOp op, int64_t dim, int64_t ranks) {
  return {op.getConcatAxis() == dim ? ranks : 1,
          op.getSplitAxis() == dim ? ranks : 1};
}

namespace {
template <typename OpT>
struct TensorModel
    : fusion::TensorOpInterface::ExternalModel<TensorModel<OpT>, OpT> {
  OpFoldResult reifyDim(Operation *op, fusion::EmitContext &ctx, unsigned,
                        int64_t dim) const {
    auto own = cast<OpT>(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.isDynamicDim(dim))
      return ctx.builder.getIndexAttr(type.getDimSize(dim));
    OpFoldResult size = ctx.dim(op->getOperand(0), dim);
    FailureOr<SmallVector<int64_t>> shape =
        getGridShape(own, own.getGrid(), own.getGridAxes());
    int64_t ranks = succeeded(shape) ? llvm::product_of(*shape) : 1;
    auto [factor, divisor] = getScale(own, dim, ranks);
    if (factor == divisor)
      return size;
    if (factor != 1)
      size = foldIndex<arith::MulIOp>(ctx.builder, ctx.loc, size,
                                      ctx.builder.getIndexAttr(factor));
    if (divisor != 1)
      size = foldIndex<arith::DivUIOp>(ctx.builder, ctx.loc, size,
                                       ctx.builder.getIndexAttr(divisor));
    return size;
  }
};

template <typename OpT>
struct TransferModel
    : fusion::CollectiveOpInterface::ExternalModel<TransferModel<OpT>, OpT> {
  LogicalResult emitTransfer(Operation *op, OpBuilder &builder,
                             ValueRange operands, Value destination) const {
    auto own = cast<OpT>(op);
    FailureOr<Value> group = createGroup(builder, own);
    if (failed(group))
      return failure();
    return emit(own, {builder, op->getLoc(), operands, destination, *group});
  }
};
} // namespace

template <typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<TensorModel<Ops>, TransferModel<Ops>>(
       *context),
   ...);
}

void fuser::registerShardTransfers(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, shard::ShardDialect *) {
    attach<shard::AllGatherOp, shard::AllReduceOp, shard::AllToAllOp,
           shard::BroadcastOp, shard::GatherOp, shard::ReduceOp,
           shard::ReduceScatterOp, shard::ScatterOp, shard::ShiftOp>(context);
    context->loadDialect<host::HostDialect, arith::ArithDialect>();
  });
}
