//===- Partition.cpp - From whole tensors to those of a rank --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/Transforms/Partition.h"
#include "Resharding.h"
#include "fuser/Analysis/ShardGroups.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Support/ElementStorage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_PARTITIONPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

bool fuser::fusion::hasShardings(func::FuncOp func) {
  return func
      .walk([](Operation *op) {
        return isa<shard::ShardOp, shard::ShardingOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void fuser::fusion::dropShardings(func::FuncOp func) {
  func.walk([](shard::ShardOp op) {
    op.replaceAllUsesWith(op.getSrc());
    op.erase();
  });
  func.walk([](shard::ShardingOp op) { op.erase(); });
}

//===----------------------------------------------------------------------===//
// The function of one rank
//===----------------------------------------------------------------------===//

namespace {
class Partitioner {
public:
  explicit Partitioner(func::FuncOp func) : func(func), builder(func) {}

  FailureOr<PartitionedFunction> run();

private:
  LogicalResult findOnlyGrid();
  FailureOr<Distribution> getDistribution(shard::ShardOp op);
  FailureOr<RankedTensorType>
  getLocalType(RankedTensorType whole, const Distribution &axes, Operation *op);
  FailureOr<Distribution> getArgumentDistribution(BlockArgument argument);
  LogicalResult addArguments();
  LogicalResult visit(Operation &op);
  LogicalResult visitShard(shard::ShardOp op);
  LogicalResult visitDim(tensor::DimOp op);
  LogicalResult visitTensorOp(TensorOpInterface op);
  LogicalResult visitScalarOp(Operation &op);
  LogicalResult visitReturn(Operation &terminator);
  LogicalResult checkReuse();
  LocalTensor &getComplete(Value tensor, Location loc);
  Resharder getResharder() { return {builder, gridName, result.grid}; }

  func::FuncOp func;
  OpBuilder builder;
  Region body;
  StringRef gridName;
  PartitionedFunction result;
  /// What the rank has of each tensor.
  DenseMap<Value, LocalTensor> locals;
  IRMapping scalars;
};
} // namespace

static constexpr StringRef kOnlyFusion =
    "expected ops of the fusion dialect on the tensors of a function with "
    "shardings, and size arithmetic";

/// All shardings are of one grid.
LogicalResult Partitioner::findOnlyGrid() {
  shard::ShardingOp first;
  WalkResult walked = func.walk([&](shard::ShardingOp op) -> WalkResult {
    if (!first)
      first = op;
    if (op.getGrid() == first.getGrid())
      return WalkResult::advance();
    InFlightDiagnostic diag = op.emitOpError("expected one grid in a function, "
                                             "got @")
                              << op.getGrid();
    diag.attachNote(first.getLoc()) << "@" << first.getGrid() << " is here";
    return diag;
  });
  if (walked.wasInterrupted())
    return failure();
  if (!first)
    return func.emitOpError("expected a shard.sharding");
  FailureOr<shard::GridOp> grid = findGrid(first, first.getGrid());
  if (failed(grid))
    return failure();
  gridName = first.getGrid();
  result.grid.sizes.assign(grid->getShape().begin(), grid->getShape().end());
  return success();
}

/// How `op` wants its tensor to be distributed.
FailureOr<Distribution> Partitioner::getDistribution(shard::ShardOp op) {
  auto sharding = op.getSharding().getDefiningOp<shard::ShardingOp>();
  if (!sharding)
    return op.emitOpError("expected the result of a shard.sharding");
  if (!sharding.getStaticHaloSizes().empty() ||
      !sharding.getStaticShardedDimsOffsets().empty())
    return sharding.emitOpError("expected equal parts of tensors, without "
                                "halos or offsets");
  Distribution axes(op.getSrc().getType().getRank());
  SmallVector<GridAxis> all;
  for (auto [dim, split] : llvm::enumerate(sharding.getSplitAxes())) {
    llvm::append_range(all, split.asArrayRef());
    if (dim < axes.size())
      axes[dim].assign(split.asArrayRef().begin(), split.asArrayRef().end());
    else if (!split.empty())
      return op.emitOpError("expected axes for the ")
             << axes.size() << " dimensions of " << op.getSrc().getType()
             << ", got some for dimension " << dim;
  }
  if (failed(getGridShape(sharding, gridName, all)) ||
      failed(getLocalType(cast<RankedTensorType>(op.getSrc().getType()), axes,
                          op)))
    return failure();
  return axes;
}

/// The type of the part of a tensor that a rank has.
FailureOr<RankedTensorType> Partitioner::getLocalType(RankedTensorType whole,
                                                      const Distribution &axes,
                                                      Operation *op) {
  auto sizes = llvm::to_vector(whole.getShape());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t parts = result.grid.count(axes[dim]);
    if (ShapedType::isDynamic(size))
      continue;
    if (parts == 0 || size % parts != 0)
      return op->emitOpError("expected a size that can be cut into ")
             << parts << " equal parts, those of the ranks along the axes ["
             << axes[dim] << "] of @" << gridName << ", in dimension " << dim
             << " of " << whole << ", got " << size;
    size /= parts;
  }
  return whole.clone(sizes);
}

/// What the arguments say of themselves: those that say nothing are whole on
/// each rank.
FailureOr<Distribution>
Partitioner::getArgumentDistribution(BlockArgument argument) {
  std::optional<Distribution> found;
  for (Operation *user : argument.getUsers()) {
    auto op = dyn_cast<shard::ShardOp>(user);
    if (!op || op.getAnnotateForUsers())
      continue;
    FailureOr<Distribution> axes = getDistribution(op);
    if (failed(axes))
      return failure();
    if (found && *found != *axes)
      return op.emitOpError("expected one distribution of argument ")
             << argument.getArgNumber()
             << ", got another one: those of its users are marked "
                "annotate_for_users";
    found = *axes;
  }
  int64_t rank = cast<RankedTensorType>(argument.getType()).getRank();
  return found ? *found : Distribution(rank);
}

LogicalResult Partitioner::addArguments() {
  Block &block = body.emplaceBlock();
  for (BlockArgument argument : func.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      scalars.map(argument,
                  block.addArgument(argument.getType(), argument.getLoc()));
      result.arguments.emplace_back();
      continue;
    }
    FailureOr<Distribution> axes = getArgumentDistribution(argument);
    if (failed(axes))
      return failure();
    FailureOr<RankedTensorType> local = getLocalType(type, *axes, func);
    if (failed(local))
      return failure();
    locals[argument] = {block.addArgument(*local, argument.getLoc()),
                        *axes,
                        {},
                        type.getElementType()};
    result.arguments.push_back(*axes);
  }
  builder.setInsertionPointToStart(&block);
  return success();
}

/// What the rank has of `tensor`, with no partial results.
LocalTensor &Partitioner::getComplete(Value tensor, Location loc) {
  LocalTensor &local = locals.find(tensor)->second;
  getResharder().complete(local, loc);
  return local;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Partitioner::visitShard(shard::ShardOp op) {
  FailureOr<Distribution> axes = getDistribution(op);
  if (failed(axes))
    return failure();
  LocalTensor &source = locals.find(op.getSrc())->second;
  // Others need all of it.
  if (!source.partial.empty() && !op.getSrc().hasOneUse())
    getResharder().complete(source, op.getLoc());
  LocalTensor local = source;
  getResharder().reshard(local, *axes, op.getLoc());
  locals[op.getResult()] = local;
  return success();
}

/// Sizes that the program asks for are those of whole tensors.
LogicalResult Partitioner::visitDim(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  auto local = locals.find(op.getSource());
  if (!dim || local == locals.end() || *dim < 0 ||
      *dim >= static_cast<int64_t>(local->second.axes.size()))
    return op.emitOpError("expected a constant dimension of a ranked tensor");
  Value size =
      tensor::DimOp::create(builder, op.getLoc(), local->second.value, *dim);
  int64_t parts = result.grid.count(local->second.axes[*dim]);
  if (parts != 1)
    size = arith::MulIOp::create(
        builder, op.getLoc(), size,
        arith::ConstantIndexOp::create(builder, op.getLoc(), parts),
        arith::IntegerOverflowFlags::nuw | arith::IntegerOverflowFlags::nsw);
  scalars.map(op.getResult(), size);
  return success();
}

/// What the factors of an op make of a tensor with these dimensions.
static Distribution getDistribution(ArrayRef<unsigned> dims,
                                    ArrayRef<Axes> factors) {
  return llvm::map_to_vector(dims,
                             [&](unsigned factor) { return factors[factor]; });
}

/// Whether parts of the sums that `op` computes would be rounded, each by
/// itself. Parts that lie in memory as integers cannot be combined at all.
static bool roundsParts(const LocalTensor &local) {
  return !local.partial.empty() && isNarrowFloat(local.element) &&
         (local.reduction == shard::ReductionKind::Sum ||
          local.reduction == shard::ReductionKind::Average ||
          getStorageType(local.element) != local.element);
}

/// Makes `op`, which reduces what a rank has of a dimension, give f32, in which
/// it adds up: sums are rounded once.
static void widenResult(Operation *op) {
  OpBuilder before(op);
  Type f32 = before.getF32Type();
  auto widen = [&](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).clone(f32);
  };
  // Contractions take narrower operands.
  if (isa<ReductionOpInterface>(op))
    for (OpOperand *operand : getTensorOperands(op))
      operand->set(CastOp::create(before, op->getLoc(), widen(operand->get()),
                                  operand->get()));
  op->getResult(0).setType(widen(op->getResult(0)));
}

LogicalResult Partitioner::visitTensorOp(TensorOpInterface op) {
  if (isa<SegmentOp, CollectiveOpInterface>(*op) || op->getNumResults() != 1)
    return op.emitOpError("expected ops on whole tensors in a function with "
                          "shardings");
  Location loc = op.getLoc();
  ShardingRule rule = getShardingRule(op);
  SmallVector<Distribution> had;
  for (OpOperand *operand : getTensorOperands(op))
    had.push_back(getComplete(operand->get(), loc).axes);
  SmallVector<Axes> factors = chooseFactorAxes(op, rule, had, result.grid);
  // An op may take one tensor twice, and want it differently each time.
  SmallVector<Value> inputs;
  for (auto [operand, dims] :
       llvm::zip_equal(getTensorOperands(op), rule.operands)) {
    LocalTensor local = locals.find(operand->get())->second;
    getResharder().reshard(local, ::getDistribution(dims, factors), loc);
    inputs.push_back(local.value);
  }
  auto whole = cast<RankedTensorType>(op->getResult(0).getType());
  LocalTensor local;
  local.axes = ::getDistribution(rule.result, factors);
  local.element = whole.getElementType();
  FailureOr<RankedTensorType> type = getLocalType(whole, local.axes, op);
  if (failed(type))
    return failure();
  Operation *clone = builder.clone(*op, scalars);
  for (auto [operand, input] :
       llvm::zip_equal(getTensorOperands(clone), inputs))
    operand->set(input);
  clone->getResult(0).setType(*type);
  if (auto map = dyn_cast<IndexMapOpInterface>(clone)) {
    OpBuilder before(clone);
    for (auto [dim, axes] : llvm::enumerate(local.axes))
      if (!axes.empty())
        map.divideResultSize(before, dim, result.grid.count(axes));
  }
  for (auto [factor, axes] : llvm::zip_equal(rule.factors, factors))
    if (factor.reduction && !axes.empty()) {
      llvm::append_range(local.partial, axes);
      local.reduction = *factor.reduction;
    }
  if (roundsParts(local))
    widenResult(clone);
  local.value = clone->getResult(0);
  locals[op->getResult(0)] = local;
  return success();
}

LogicalResult Partitioner::visitScalarOp(Operation &op) {
  if (op.getNumRegions() != 0)
    return op.emitOpError("expected ops without regions in a function with "
                          "shardings");
  // What depends on the rank is no program on whole tensors.
  if (isa_and_nonnull<shard::ShardDialect>(op.getDialect()))
    return op.emitOpError("expected only shard.sharding and shard.shard of the "
                          "shard dialect in a function with shardings");
  for (Value value : op.getResults())
    if (isTensor(value))
      return op.emitOpError(kOnlyFusion);
  for (Value value : op.getOperands())
    if (!scalars.contains(value))
      return op.emitOpError(kOnlyFusion);
  builder.clone(op, scalars);
  return success();
}

LogicalResult Partitioner::visitReturn(Operation &terminator) {
  auto op = dyn_cast<func::ReturnOp>(terminator);
  if (!op)
    return terminator.emitOpError("expected func.return at the end of a "
                                  "function with shardings");
  SmallVector<Value> values;
  for (Value value : op.getOperands()) {
    if (isTensor(value)) {
      LocalTensor &local = getComplete(value, op.getLoc());
      values.push_back(local.value);
      result.results.push_back(local.axes);
    } else if (Value scalar = scalars.lookupOrNull(value)) {
      values.push_back(scalar);
      result.results.emplace_back();
    } else {
      return op.emitOpError("expected tensors and scalars as results of a "
                            "function with shardings, got ")
             << value.getType();
    }
  }
  func::ReturnOp::create(builder, op.getLoc(), values);
  return success();
}

/// A result that is written into an argument's memory is there in parts, too.
LogicalResult Partitioner::checkReuse() {
  for (auto [number, axes] : llvm::enumerate(result.results)) {
    auto alias = func.getResultAttrOfType<AliasAttr>(
        number, FusionDialect::getAliasAttrName());
    if (!alias || alias.getKind() != AliasKind::Reuse ||
        axes == result.arguments[alias.getInput()])
      continue;
    return func.emitOpError("result ")
           << number << " is written into argument " << alias.getInput()
           << ": expected both to be distributed in the same way";
  }
  return success();
}

LogicalResult Partitioner::visit(Operation &op) {
  if (auto shard = dyn_cast<shard::ShardOp>(op))
    return visitShard(shard);
  if (isa<shard::ShardingOp>(op))
    return success();
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return visitDim(dim);
  if (auto tensorOp = dyn_cast<TensorOpInterface>(op))
    return visitTensorOp(tensorOp);
  return visitScalarOp(op);
}

FailureOr<PartitionedFunction> Partitioner::run() {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a body of one block, got ")
           << func.getBody().getBlocks().size();
  if (failed(findOnlyGrid()) || failed(addArguments()))
    return failure();
  Block &block = func.getBody().front();
  for (Operation &op : block.without_terminator())
    if (failed(visit(op)))
      return failure();
  if (failed(visitReturn(*block.getTerminator())) || failed(checkReuse()))
    return failure();
  func.getBody().takeBody(body);
  Block &made = func.getBody().front();
  func.setFunctionType(builder.getFunctionType(
      made.getArgumentTypes(), made.getTerminator()->getOperandTypes()));
  return std::move(result);
}

FailureOr<PartitionedFunction>
fuser::fusion::partitionFunction(func::FuncOp func) {
  return Partitioner(func).run();
}

namespace {
struct PartitionPass
    : public fuser::fusion::impl::PartitionPassBase<PartitionPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !hasShardings(func))
      return;
    if (failed(partitionFunction(func)))
      signalPassFailure();
  }
};
} // namespace
