//===- ProgramRules.cpp - What holds of a whole host program --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/ProgramRules.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/ElementTypes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// Arguments and views
//===----------------------------------------------------------------------===//

/// A tensor's data pointer includes its offset, so the descriptor's offset is
/// 0.
static LogicalResult checkArguments(func::FuncOp program) {
  for (BlockArgument arg : program.getArguments()) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type)
      continue;
    if (!type.isStrided())
      return emitError(arg.getLoc(), "expected input ")
             << arg.getArgNumber() << " to have a strided layout, got " << type;
    int64_t offset = type.getStridesAndOffset().second;
    if (offset != 0 && !ShapedType::isDynamic(offset))
      return emitError(arg.getLoc(), "expected input ")
             << arg.getArgNumber() << " to have offset 0 or a dynamic one, got "
             << type;
  }
  for (Type type : program.getResultTypes())
    if (!cast<MemRefType>(type).isStrided())
      return program.emitOpError("expected results to have a strided layout, "
                                 "got ")
             << type;
  return success();
}

bool host::isView(Operation *op) {
  return isa<memref::AssumeAlignmentOp, memref::CastOp, memref::CollapseShapeOp,
             memref::DimOp, memref::ExpandShapeOp,
             memref::ExtractAlignedPointerAsIndexOp,
             memref::ExtractStridedMetadataOp, memref::MemorySpaceCastOp,
             memref::RankOp, memref::ReinterpretCastOp, memref::SubViewOp,
             memref::TransposeOp, memref::ViewOp>(op);
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

/// Buffers that the program has given away, by freeing them or to an output,
/// and where.
using GoneBuffers = llvm::SmallDenseMap<Value, Operation *>;

static bool isOnlyView(Operation *op) {
  return isView(op) || isa<ViewLikeOpInterface>(op);
}

Value host::getRootBuffer(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto view = dyn_cast<ViewLikeOpInterface>(result.getOwner());
    if (view)
      value = view.getViewSource();
    else if (isa<memref::ExtractStridedMetadataOp>(result.getOwner()))
      value = result.getOwner()->getOperand(0);
    else
      break;
  }
  return value;
}

static LogicalResult checkNotGone(Operation *op, const GoneBuffers &gone) {
  bool frees = isa<DeallocOp>(op);
  for (Value operand : op->getOperands()) {
    Operation *end = isa<MemRefType>(operand.getType())
                         ? gone.lookup(getRootBuffer(operand))
                         : nullptr;
    if (!end)
      continue;
    bool isFreed = isa<DeallocOp>(end);
    // An output may be used on.
    if (!isFreed && !frees)
      continue;
    StringRef message =
        !isFreed ? "expected a buffer of the program, got one that was given "
                   "to an output"
        : frees  ? "expected to free a buffer once, got it twice"
                 : "expected to use a buffer before it is freed, got a use "
                   "after that";
    InFlightDiagnostic diag = op->emitOpError(message);
    diag.attachNote(end->getLoc())
        << (isFreed ? "it is freed here" : "it is given here");
    return diag;
  }
  return success();
}

/// No op of the block, or inside of one, uses a buffer that was freed before
/// it. What a nested block frees is not known behind it.
static LogicalResult checkLifetimes(Block &block, GoneBuffers gone) {
  for (Operation &op : block) {
    if (!isOnlyView(&op) && failed(checkNotGone(&op, gone)))
      return failure();
    if (auto dealloc = dyn_cast<DeallocOp>(op))
      gone[getRootBuffer(dealloc.getBuffer())] = dealloc;
    if (auto view = dyn_cast<OutputViewOp>(op); view && !view.getInput())
      gone[getRootBuffer(view.getView())] = view;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (failed(checkLifetimes(nested, gone)))
          return failure();
  }
  return success();
}

static LogicalResult checkLifetimes(func::FuncOp program) {
  for (Block &block : program.getBody())
    if (failed(checkLifetimes(block, GoneBuffers())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// For each result, the ops that make it.
using OutputOps = SmallVector<SmallVector<Operation *, 1>>;

static OutputOps collectOutputs(func::FuncOp program) {
  OutputOps outputs(program.getNumResults());
  program.walk([&](Operation *op) {
    if (auto output = dyn_cast<OutputOp>(op))
      outputs[output.getIndex()].push_back(op);
    if (auto view = dyn_cast<OutputViewOp>(op))
      outputs[view.getIndex()].push_back(op);
  });
  return outputs;
}

/// Every output is made once. (Ops in different blocks may be alternatives.)
static LogicalResult checkOutputsMadeOnce(func::FuncOp program,
                                          const OutputOps &outputs) {
  for (auto [i, ops] : llvm::enumerate(outputs)) {
    if (ops.empty())
      return program.emitOpError(
                 "expected host.output or host.output_view for output ")
             << i << ", got none";
    llvm::SmallDenseMap<Block *, Operation *> seen;
    for (Operation *op : ops) {
      auto [it, isNew] = seen.try_emplace(op->getBlock(), op);
      if (isNew)
        continue;
      InFlightDiagnostic diag = op->emitOpError("expected output ")
                                << i << " to be made once, got it twice";
      diag.attachNote(it->second->getLoc()) << "it was made here";
      return diag;
    }
  }
  return success();
}

static Value lookThroughCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

/// What is returned as result `index` is what was made to be output `index`, as
/// far as one sees.
static LogicalResult checkReturned(func::ReturnOp op, unsigned index,
                                   ArrayRef<Operation *> makers) {
  Value value = lookThroughCasts(op.getOperand(index));
  auto arg = dyn_cast<BlockArgument>(value);
  bool isKnown = arg ? isa<func::FuncOp>(arg.getOwner()->getParentOp()) &&
                           arg.getOwner()->isEntryBlock()
                     : isa<OutputOp, AllocOp>(value.getDefiningOp());
  if (!isKnown)
    return success();
  for (Operation *maker : makers) {
    if (maker == value.getDefiningOp())
      return success();
    auto view = dyn_cast<OutputViewOp>(maker);
    if (view && lookThroughCasts(view.getView()) == value)
      return success();
  }
  InFlightDiagnostic diag = op.emitOpError("expected result ")
                            << index << " to be what makes output " << index
                            << ", got another buffer";
  diag.attachNote(makers.front()->getLoc()) << "the output is made here";
  diag.attachNote(value.getLoc()) << "the returned buffer comes from here";
  return diag;
}

/// Buffers are of what kernels compute with.
static LogicalResult refuseOtherBuffers(func::FuncOp program) {
  bool isPacked = false;
  auto isOther = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    isPacked = isPackedElement(element);
    return isa<MemRefType>(type) && (isPacked || isComplexElement(element));
  };
  WalkResult result = program.walk([&](Operation *op) {
    auto func = dyn_cast<func::FuncOp>(op);
    if (!llvm::any_of(op->getOperandTypes(), isOther) &&
        !llvm::any_of(op->getResultTypes(), isOther) &&
        !(func && llvm::any_of(func.getArgumentTypes(), isOther)))
      return WalkResult::advance();
    if (isPacked)
      op->emitError("expected no packed buffers in a host program: ui8 with "
                    "half as many columns is the same memory");
    else
      op->emitError(
          "expected no complex buffers in a host program: pairs of "
          "real numbers along one more dimension are the same memory");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult host::verifyProgram(func::FuncOp program) {
  if (program.isExternal())
    return program.emitOpError(
        "expected a host program to have a body, got a declaration");
  if (failed(refuseOtherBuffers(program)) || failed(checkArguments(program)) ||
      failed(checkLifetimes(program)))
    return failure();
  OutputOps outputs = collectOutputs(program);
  if (failed(checkOutputsMadeOnce(program, outputs)))
    return failure();
  for (auto op : program.getOps<func::ReturnOp>())
    for (unsigned i = 0; i < op.getNumOperands(); ++i)
      if (failed(checkReturned(op, i, outputs[i])))
        return failure();
  return success();
}
