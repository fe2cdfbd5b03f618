//===- SinkReshapes.cpp - Reshapes behind what follows a reduction --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_SINKRESHAPESPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

namespace {

/// The tensors of a function by what they are made of, as far as they have been
/// visited.
class TensorOrigins {
public:
  void visit(Operation *op);

  /// Made of a reduction's result by element-wise ops and broadcasts: what one
  /// kernel computes for a row that it has.
  bool isOfRows(Value tensor) const { return ofRows.contains(tensor); }
  /// Made of inputs by element-wise ops and index maps: any kernel computes
  /// elements of it wherever they are needed.
  bool isLight(Value tensor) const { return !heavy.contains(tensor); }

private:
  DenseSet<Value> ofRows, heavy;
};

} // namespace

static bool repeats(Operation *op) {
  return isa<ExpandOp, BroadcastOp, BroadcastInDimOp>(op);
}

void TensorOrigins::visit(Operation *op) {
  if (!isa<TensorOpInterface>(op))
    return;
  auto isAnyOf = [&](const DenseSet<Value> &tensors) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return tensors.contains(operand);
    });
  };
  bool passesOn = isa<ElementwiseOpInterface>(op) || repeats(op);
  if (isa<ReductionOpInterface>(op) || (passesOn && isAnyOf(ofRows)))
    ofRows.insert(op->result_begin(), op->result_end());
  bool isLightItself =
      isa<ElementwiseOpInterface, IndexMapOpInterface, FactoryOpInterface>(op);
  if (!isLightItself || isAnyOf(heavy))
    heavy.insert(op->result_begin(), op->result_end());
}

namespace {

class ReshapeSinker {
public:
  /// `open`: whether operands are reshaped where sizes are open, too.
  ReshapeSinker(func::FuncOp func, bool open)
      : func(func), open(open), symbols(func) {}

  /// How many ops come before a reshape now that came behind it.
  unsigned run();

private:
  SymbolicShape getShape(Value tensor) const {
    return symbols.getShape(shapeOf.lookup_or(tensor, tensor));
  }
  bool haveSameShape(Value a, Value b) const {
    return getShape(a) == getShape(b);
  }
  ReshapeOp findReshape(Operation *op) const;
  bool maySink(Operation *op, ReshapeOp reshape) const;
  bool shouldSink(Operation *op, ReshapeOp reshape) const;
  void sink(Operation *op, ReshapeOp reshape);
  Value reshapeLike(OpBuilder &builder, Value operand, Value like);

  func::FuncOp func;
  bool open;
  ShapeSymbols symbols;
  TensorOrigins origins;
  /// Of tensors that are new one that is not, of the same shape.
  DenseMap<Value, Value> shapeOf;
};

} // namespace

/// One of a tensor of rows that `op` reads.
ReshapeOp ReshapeSinker::findReshape(Operation *op) const {
  if (!isa<ElementwiseOpInterface>(op) || op->hasTrait<RequestedCopy>() ||
      op->hasTrait<SegmentBoundary>())
    return {};
  for (OpOperand *operand : getTensorOperands(op))
    if (auto reshape = operand->get().getDefiningOp<ReshapeOp>();
        reshape && origins.isOfRows(reshape.getInput()))
      return reshape;
  return {};
}

/// Whether `op` can be computed in the shape of the operand of `reshape`.
bool ReshapeSinker::maySink(Operation *op, ReshapeOp reshape) const {
  StringRef hint = FusionDialect::getStrideOrderHintAttrName();
  if (op->hasAttr(hint) || reshape->hasAttr(hint))
    return false;
  auto hasShape = [&](Value tensor) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    return !type || type.getShape() == reshape.getType().getShape();
  };
  return llvm::all_of(op->getOperands(), hasShape) &&
         llvm::all_of(op->getResults(), hasShape);
}

/// Where it is for nothing, another kernel would read what is reshaped.
bool ReshapeSinker::shouldSink(Operation *op, ReshapeOp reshape) const {
  bool mayReshape = open || (reshape.getInput().getType().hasStaticShape() &&
                             reshape.getType().hasStaticShape());
  return llvm::all_of(getTensorOperands(op), [&](OpOperand *operand) {
    auto other = operand->get().getDefiningOp<ReshapeOp>();
    return (mayReshape && origins.isLight(operand->get())) ||
           (other && haveSameShape(other.getInput(), reshape.getInput()));
  });
}

/// `operand` in the shape of `like`.
Value ReshapeSinker::reshapeLike(OpBuilder &builder, Value operand,
                                 Value like) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    return operand;
  auto shape = cast<RankedTensorType>(like.getType());
  if (auto reshape = operand.getDefiningOp<ReshapeOp>();
      reshape && haveSameShape(reshape.getInput(), like)) {
    operand = reshape.getInput();
    // Types of one shape may differ in the sizes that they say.
    if (reshape.getInput().getType().getShape() == shape.getShape())
      return operand;
  }
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < shape.getRank(); ++dim)
    if (shape.isDynamicDim(dim))
      sizes.push_back(
          tensor::DimOp::create(builder, operand.getLoc(), like, dim));
  return builder.createOrFold<ReshapeOp>(
      operand.getLoc(), shape.clone(type.getElementType()), operand, sizes);
}

void ReshapeSinker::sink(Operation *op, ReshapeOp reshape) {
  OpBuilder builder(op);
  Value like = reshape.getInput();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, reshapeLike(builder, operand, like));
  Operation *sunk = builder.clone(*op, mapping);
  origins.visit(sunk);
  for (auto [before, after] :
       llvm::zip_equal(op->getResults(), sunk->getResults())) {
    auto type = cast<RankedTensorType>(before.getType());
    after.setType(
        cast<RankedTensorType>(like.getType()).clone(type.getElementType()));
    shapeOf[after] = shapeOf.lookup_or(like, like);
    Value shaped = ReshapeOp::create(builder, op->getLoc(), type, after,
                                     reshape.getSizes());
    shapeOf[shaped] = before;
    before.replaceAllUsesWith(shaped);
    origins.visit(shaped.getDefiningOp());
  }
}

unsigned ReshapeSinker::run() {
  unsigned count = 0;
  SmallVector<Operation *> replaced;
  for (Operation &op : llvm::make_early_inc_range(
           func.getBody().front().without_terminator())) {
    ReshapeOp reshape = findReshape(&op);
    if (!reshape || !maySink(&op, reshape) || !shouldSink(&op, reshape)) {
      origins.visit(&op);
      continue;
    }
    sink(&op, reshape);
    replaced.push_back(&op);
    ++count;
  }
  // They stand for shapes until all is done.
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return count;
}

namespace {

struct SinkReshapesPass
    : public fuser::fusion::impl::SinkReshapesPassBase<SinkReshapesPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!getOperation().isExternal() && getOperation().getBody().hasOneBlock())
      numSunk += ReshapeSinker(getOperation(), open).run();
  }
};

} // namespace
