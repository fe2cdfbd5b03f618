//===- SegmentPreparation.cpp - What comes before segmentation ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentPreparation.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Analysis/ScalarDivision.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Analysis/TensorLayout.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// True if `op` computes scalars of scalars, or the size of a tensor.
static bool isSizeArithmetic(Operation *op) {
  if (isa<tensor::DimOp>(op))
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::none_of(op->getOperands(), isTensor) &&
         llvm::none_of(op->getResults(), isTensor);
}

static std::string describeAdmitted() {
  return "a ranked tensor of " + listElementTypes(/*ofTensors=*/true, " or ") +
         " elements without an encoding";
}

static bool isAdmitted(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding())
    return false;
  return isTensorElement(tensor.getElementType());
}

/// " 'name'" for an argument that has one.
static std::string getQuotedName(func::FuncOp func, BlockArgument arg) {
  auto name = func.getArgAttrOfType<StringAttr>(
      arg.getArgNumber(), FusionDialect::getNameAttrName());
  return name ? (" '" + name.getValue() + "'").str() : std::string();
}

/// Ops of other dialects may have results that the fusion dialect has not.
static LogicalResult checkResults(Operation &op) {
  for (OpResult result : op.getResults())
    if (isTensor(result) && !isAdmitted(result.getType()))
      return op.emitOpError("expected result ")
             << result.getResultNumber() << " to be " << describeAdmitted()
             << ", got " << result.getType();
  return success();
}

/// What to do about an op that is neither of the fusion dialect nor size
/// arithmetic.
static StringRef getRemedy(Operation &op) {
  if (isa<CallOpInterface>(op))
    return "inline what it calls (fuser-opt --inline)";
  if (op.getNumRegions() != 0)
    return "make functions of its bodies, and choose among them outside";
  if (isa<arith::ConstantOp>(op))
    return "write fusion.constant";
  if (isa<tensor::CastOp>(op))
    return "state the sizes in the types of the arguments, or write "
           "fusion.reshape";
  if (OpTrait::hasElementwiseMappableTraits(&op))
    return "write it with an op of the fusion dialect";
  return "compute it outside, and pass its result as an argument";
}

static LogicalResult checkOps(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a body of one block, got ")
           << func.getBody().getBlocks().size();
  for (BlockArgument arg : func.getArguments())
    if (isTensor(arg) && !isAdmitted(arg.getType()))
      return emitError(arg.getLoc(), "expected argument ")
             << arg.getArgNumber() << getQuotedName(func, arg) << " to be "
             << describeAdmitted() << ", got " << arg.getType();
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (isa<CompositeOp>(op))
      return op.emitOpError("expected no composite in a function that is cut "
                            "into segments: run fusion-expand-composites "
                            "first");
    if (isa<CheckOp>(op))
      continue;
    if (!isa<TensorOpInterface>(op) && !isSizeArithmetic(&op))
      return op.emitOpError("expected only ops of the fusion dialect and size "
                            "arithmetic in a "
                            "function that is cut into segments: ")
             << getRemedy(op);
    if (failed(checkResults(op)))
      return failure();
    auto dim = dyn_cast<tensor::DimOp>(op);
    if (!dim) {
      if (!isa<TensorOpInterface>(op) && failed(verifySizeArithmetic(&op)))
        return failure();
      continue;
    }
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (!index || !type || *index < 0 || *index >= type.getRank())
      return op.emitOpError(
          "expected a constant dimension of a ranked tensor in a function that "
          "is cut into segments");
  }
  return success();
}

static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static AliasAttr getAlias(func::FuncOp func, unsigned result) {
  return func.getResultAttrOfType<AliasAttr>(result,
                                             FusionDialect::getAliasAttrName());
}

/// Copies the index maps between an input and a result that is a view of it, so
/// that no other op depends on them. Other results are left to whoever makes
/// views, who says what is wrong.
static void isolateView(OpOperand &returned, DenseSet<Operation *> &views) {
  SmallVector<Operation *> chain;
  Value value = returned.get();
  while (Operation *op = value.getDefiningOp()) {
    value = getOnlySource(op);
    if (!value)
      return;
    chain.push_back(op);
  }
  OpBuilder builder(returned.getOwner());
  IRMapping mapping;
  for (Operation *op : llvm::reverse(chain)) {
    Operation *clone = builder.clone(*op, mapping);
    clone->removeAttr(FusionDialect::getForwardAttrName());
    views.insert(clone);
  }
  if (!chain.empty())
    returned.set(mapping.lookup(chain.front()->getResult(0)));
}

/// Null if whatever reads `input` does so at the index at which `value` is
/// computed, and on the way to it: then one kernel may read the input and write
/// `value` in its place. Else an op that does not.
static Operation *findOtherReader(BlockArgument input, Value value) {
  SetVector<Operation *> ancestors, readers;
  BackwardSliceOptions options;
  options.inclusive = options.omitBlockArguments = true;
  (void)getBackwardSlice(value, &ancestors, options);
  Operation *other =
      findReaderElsewhere(input, [&](Value tensor, Operation *reader) {
        readers.insert(reader);
        return tensor == input && !ancestors.contains(reader);
      });
  if (other)
    return other;
  // None of them reads the input again elsewhere.
  for (Operation *op : readers)
    op->removeAttr(FusionDialect::getForwardAttrName());
  return nullptr;
}

/// Nothing is before a boundary behind an input. Without it who reads the input
/// is plain to see.
static void removeBoundariesOfInputs(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body))
    if (isBetweenSegments(&op) && isa<BlockArgument>(op.getOperand(0))) {
      op.getResult(0).replaceAllUsesWith(op.getOperand(0));
      op.erase();
    }
}

static bool hasAlias(func::FuncOp func, OpOperand &returned, AliasKind kind) {
  AliasAttr alias = getAlias(func, returned.getOperandNumber());
  return alias && alias.getKind() == kind;
}

/// True if another result than `input` itself is written into its buffer.
static bool isOverwritten(BlockArgument input) {
  auto func = cast<func::FuncOp>(input.getOwner()->getParentOp());
  Operation *terminator = input.getOwner()->getTerminator();
  return llvm::any_of(terminator->getOpOperands(), [&](OpOperand &returned) {
    return returned.get() != input &&
           hasAlias(func, returned, AliasKind::Reuse) &&
           getAlias(func, returned.getOperandNumber()).getInput() ==
               input.getArgNumber();
  });
}

/// A result that is written into an input's buffer is copied there by a segment
/// of its own, unless the segment that computes it may do so.
static void separateReuse(OpOperand &returned, BlockArgument input,
                          PreparedFunction &prepared) {
  if (returned.get() == input)
    return;
  // A segment that was made to overwrite the input, behind all that reads it.
  if (auto segment = returned.get().getDefiningOp<SegmentOp>();
      segment && !findReaderElsewhere(segment, input) &&
      llvm::all_of(input.getUsers(), [&](Operation *user) {
        return user == segment || user->isBeforeInBlock(segment);
      })) {
    prepared.copies[segment] = std::nullopt;
    return;
  }
  auto otherInput = dyn_cast<BlockArgument>(returned.get());
  Operation *reader = nullptr;
  if (!otherInput) {
    reader = findOtherReader(input, returned.get());
    if (!reader)
      return;
  }
  OpBuilder builder(returned.getOwner());
  Location loc = returned.get().getLoc();
  Type type = returned.get().getType();
  Value stored = returned.get();
  if (otherInput && isOverwritten(otherInput)) {
    // Kept before anything is overwritten.
    auto start = OpBuilder::atBlockBegin(otherInput.getOwner());
    stored = SetOp::create(start, loc, type, stored);
    otherInput = nullptr;
  }
  if (!otherInput)
    stored = SegmentSetOp::create(builder, loc, type, stored);
  auto copy = SetOp::create(builder, loc, type, stored);
  prepared.copies[copy] =
      reader ? std::optional(reader->getLoc()) : std::nullopt;
  returned.set(copy);
}

/// Every result becomes one of its own.
static void separateResults(func::FuncOp func, PreparedFunction &prepared) {
  Operation *terminator = func.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  DenseSet<Value> seen;
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (!isTensor(operand.get()))
      continue;
    operand.set(stripBoundaries(operand.get()));
    if (hasAlias(func, operand, AliasKind::Evaluate)) {
      isolateView(operand, prepared.views);
      continue;
    }
    bool isReused = hasAlias(func, operand, AliasKind::Reuse);
    bool isInput = isa<BlockArgument>(operand.get());
    bool isNew = seen.insert(operand.get()).second;
    if ((isInput && !isReused) || (!isInput && !isNew))
      operand.set(SetOp::create(builder, operand.get().getLoc(),
                                operand.get().getType(), operand.get()));
    if (Operation *op = operand.get().getDefiningOp())
      op->removeAttr(FusionDialect::getForwardAttrName());
  }
  // Inputs are overwritten when nothing reads them any more.
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (!hasAlias(func, operand, AliasKind::Reuse))
      continue;
    BlockArgument input =
        func.getArgument(getAlias(func, operand.getOperandNumber()).getInput());
    separateReuse(operand, input, prepared);
    prepared.overwritten.insert(input);
  }
}

/// Whether `tensor` is made of what takes more than an element to compute: of a
/// reduction, a scan, a product. Such ops have shapes that suit them.
static bool hasShapeOfItsOwn(Value tensor) {
  bool isFound = false;
  walkAccesses({{tensor, AffineMap()}}, [&](Value value, AffineMap) {
    Operation *op = value.getDefiningOp();
    isFound |=
        op &&
        !isa<ElementwiseOpInterface, IndexMapOpInterface, FactoryOpInterface>(
            op);
    return !isFound;
  });
  return isFound;
}

/// Whether nothing but `reshape` reads its operand.
static bool isOnlyReader(ReshapeOp reshape) {
  return llvm::all_of(reshape.getInput().getUsers(), [&](Operation *user) {
    return user == reshape || isa<tensor::DimOp>(user);
  });
}

/// Whether `reshape` is to be another shape of memory, which is what it may be.
static bool shouldShareMemory(ReshapeOp reshape,
                              const PreparedFunction &prepared) {
  // Of an input only as long as that is what it is.
  Value source = reshape.getInput();
  if (prepared.overwritten.contains(source))
    return false;
  // The kernel that returns a tensor may compute it in either shape.
  if (findReturn(reshape.getResult()))
    return hasShapeOfItsOwn(source);
  // A kernel reads memory once that it has in one shape.
  return llvm::all_of(reshape->getUsers(), readsMemory) ||
         isOnlyReader(reshape);
}

/// Reshapes of memory for results and for what takes tensors as they lie need
/// no segments, which would copy: `fusion-to-host` makes views of them.
static void separateShapes(Block &body, PreparedFunction &prepared) {
  for (auto reshape : body.getOps<ReshapeOp>()) {
    if (prepared.views.contains(reshape) || !mayShareMemory(reshape) ||
        !shouldShareMemory(reshape, prepared))
      continue;
    StringRef forward = FusionDialect::getForwardAttrName();
    reshape->removeAttr(forward);
    if (Operation *source = reshape.getInput().getDefiningOp())
      source->removeAttr(forward);
    prepared.shapes.insert(reshape);
  }
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Moves size arithmetic to the start, with the sizes of tensors that ops
/// compute replaced by what these are computed from. Not by a size that another
/// op only needs to be equal: nothing would compare the two any more.
static void hoistSizes(func::FuncOp func) {
  Block &body = func.getBody().front();
  ShapeSymbols symbols(func);
  SizeMaterializer sizes(symbols);

  auto isTensorOp = [](Operation &op) { return isa<TensorOpInterface>(op); };
  auto first = llvm::find_if(body, isTensorOp);
  if (first == body.end())
    return;
  OpBuilder builder(&*first);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(first, body.end()))) {
    if (isTensorOp(op) || op.hasTrait<OpTrait::IsTerminator>())
      continue;
    auto dim = dyn_cast<tensor::DimOp>(op);
    std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
    if (!index || isa<BlockArgument>(dim.getSource())) {
      op.moveBefore(&body, builder.getInsertionPoint());
      continue;
    }
    OpFoldResult size =
        sizes.getOwn(builder, op.getLoc(), dim.getSource(), *index);
    op.getResult(0).replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), size));
    op.erase();
  }
}

/// Writes on reshapes which open sizes they keep: segments do not see of their
/// sizes that they are equal.
static void noteEqualDims(func::FuncOp func) {
  ShapeSymbols symbols(func);
  for (auto op : func.getOps<IndexMapOpInterface>()) {
    if (!op.keepsLinearOrder())
      continue;
    SymbolicShape from = symbols.getShape(getTensorOperands(op)[0]->get());
    SmallVector<int64_t> equal;
    size_t next = 0;
    for (SymbolicSize size : symbols.getShape(op->getResult(0))) {
      const auto *found = std::find(from.begin() + next, from.end(), size);
      bool isEqual = size < 0 && found != from.end();
      equal.push_back(isEqual ? found - from.begin() : -1);
      if (isEqual)
        next = equal.back() + 1;
    }
    // Whatever the program says of it: kernels rely on what is proven.
    StringRef name = FusionDialect::getEqualDimsAttrName();
    if (llvm::any_of(equal, [](int64_t dim) { return dim >= 0; }))
      op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), equal));
    else
      op->removeAttr(name);
  }
}

/// What a segment by hand, a product or a communication takes is in memory, and
/// computed once.
static void keepWhatIsTaken(Block &body) {
  for (Operation &op : body)
    if (llvm::any_of(op.getUsers(), readsMemory))
      op.removeAttr(FusionDialect::getForwardAttrName());
}

FailureOr<PreparedFunction>
fuser::fusion::prepareForSegmentation(func::FuncOp func) {
  if (failed(checkOps(func)))
    return failure();
  Block &body = func.getBody().front();
  eraseDeadOps(body);
  hoistSizes(func);
  removeBoundariesOfInputs(body);
  PreparedFunction prepared;
  separateResults(func, prepared);
  layOutTakenTensors(func);
  keepWhatIsTaken(body);
  separateShapes(body, prepared);
  eraseDeadOps(body);
  noteEqualDims(func);
  return prepared;
}
