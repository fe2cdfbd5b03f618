//===- HostBuilder.cpp - A host program in the making ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBuilder.h"
#include "SizeCheckBuilder.h"
#include "fuser/Analysis/ScalarDivision.h"
#include "fuser/Support/CheckOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

HostBuilder::HostBuilder(func::FuncOp func, SymbolTableCollection &functions)
    : func(func), functions(functions), symbols(func),
      sizes(
          symbols,
          [this](OpBuilder &b, BlockArgument arg, int64_t dim) -> Value {
            return memref::DimOp::create(b, arg.getLoc(), mapping.lookup(arg),
                                         dim);
          },
          [this](Value scalar) { return mapping.lookup(scalar); }),
      builder(func.getContext()) {}

AliasAttr HostBuilder::getAlias(unsigned result) {
  return func.getResultAttrOfType<AliasAttr>(result,
                                             FusionDialect::getAliasAttrName());
}

/// The number of tensors among the arguments before `argument`.
unsigned HostBuilder::countBuffersBefore(unsigned argument) const {
  auto arguments = func::FuncOp(func).getArguments().take_front(argument);
  return llvm::count_if(arguments, isTensor);
}

//===----------------------------------------------------------------------===//
// Arguments and scalars
//===----------------------------------------------------------------------===//

void HostBuilder::addArguments() {
  Block &body = program.emplaceBlock();
  for (BlockArgument arg : func.getArguments()) {
    Type type = isTensor(arg) ? getTensorBuffer(arg).type : arg.getType();
    mapping.map(arg, body.addArgument(type, arg.getLoc()));
  }
  builder.setInsertionPointToStart(&body);
}

/// What runs the program compares the sizes of arguments, where one stands for
/// the others. Any other size is the one that its own tensor has: a check may
/// ask.
Value HostBuilder::getSize(tensor::DimOp dim) {
  Value tensor = dim.getSource();
  int64_t index = *dim.getConstantIndex();
  SymbolicSize size = symbols.getSize(tensor, index);
  if (isa<BlockArgument>(tensor) &&
      (size >= 0 || areArgumentsCompared(symbols, -1 - size)))
    return sizes.getValue(builder, dim.getLoc(), tensor, index);
  return getValueOrCreateConstantIndexOp(
      builder, dim.getLoc(),
      sizes.getOwn(builder, dim.getLoc(), tensor, index));
}

void HostBuilder::cloneScalar(Operation *op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    mapping.map(dim.getResult(), getSize(dim));
    return;
  }
  if (auto check = dyn_cast<CheckOp>(op)) {
    Value condition = mapping.lookup(check.getCondition());
    if (!matchPattern(condition, m_One()))
      addCheck(check.getLoc(), condition, check.getMessage(),
               llvm::map_to_vector(check.getValues(), [&](Value value) {
                 return mapping.lookup(value);
               }));
    return;
  }
  checkDivision(op);
  Operation *clone = builder.clone(*op, mapping);
  // Two sizes may have become one, so that a check is none.
  SmallVector<Value> folded;
  if (failed(builder.tryFold(clone, folded)) || folded.empty())
    return;
  mapping.map(op->getResults(), folded);
  clone->erase();
}

void HostBuilder::cloneScalars() {
  for (Operation &op : func.getBody().front().without_terminator())
    if (!isa<TensorOpInterface>(op))
      cloneScalar(&op);
}

/// Its message says where the user's program asks.
void HostBuilder::addCheck(Location loc, Value condition, StringRef message,
                           ValueRange values) {
  host::CheckOp::create(builder, loc, condition,
                        describeCheckPlace(loc) + message.str(), values);
  ++numChecks;
}

/// Before a division that may have a divisor of 0.
void HostBuilder::checkDivision(Operation *op) {
  std::optional<ScalarDivision> division = getScalarDivision(op);
  if (!division)
    return;
  Value dividend = mapping.lookup(op->getOperand(0));
  Value divisor = mapping.lookup(op->getOperand(1));
  Value isUndefined =
      division->emitIsUndefined(builder, op->getLoc(), dividend, divisor);
  Value no = arith::ConstantIntOp::create(builder, op->getLoc(), 0, 1);
  Value condition = arith::CmpIOp::create(
      builder, op->getLoc(), arith::CmpIPredicate::eq, isUndefined, no);
  StringRef fits = division->isSigned ? " and a quotient that fits" : "";
  addCheck(op->getLoc(), condition,
           (op->getName().getStringRef() + ": expected a divisor other than 0" +
            fits + ", got {0} / {1}")
               .str(),
           {dividend, divisor});
}

/// What ops ask of sizes, unless that is written down.
LogicalResult HostBuilder::buildSizeChecks() {
  if (func->hasAttr(FusionDialect::getSizesCheckedAttrName()))
    return success();
  auto add = [&](Location loc, Value condition, StringRef message,
                 ValueRange values) {
    addCheck(loc, condition, message, values);
  };
  return SizeCheckBuilder(func, symbols, sizes, builder,
                          /*leavesArguments=*/true, add)
      .build();
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// The dynamic sizes of a buffer.
static SmallVector<Value> getDynamicSizes(SizeMaterializer &sizes,
                                          OpBuilder &builder, Value tensor,
                                          MemRefType type) {
  SmallVector<Value> values;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      values.push_back(sizes.getValue(builder, tensor.getLoc(), tensor, dim));
  return values;
}

/// The buffer that a segment writes `result` into.
Value HostBuilder::buildResult(OpResult result) {
  if (Value input = getReusedInput(result))
    return mapping.lookup(input);
  if (ReshapeOp shape = findReturnedShape(result))
    return buildReturnedShape(shape);
  auto segment = cast<SegmentOp>(result.getOwner());
  MemRefType type = getTensorBuffer(result).type;
  SmallVector<Value> dynamic = getDynamicSizes(sizes, builder, result, type);
  Location loc = segment.getLoc();
  DenseI64ArrayAttr order = segment.getResultHint(result.getResultNumber());
  OpOperand *returned = findReturn(result);
  if (returned)
    if (auto required = func.getResultAttrOfType<DenseI64ArrayAttr>(
            returned->getOperandNumber(),
            FusionDialect::getStrideOrderAttrName()))
      order = required;
  if (order && llvm::is_sorted(order.asArrayRef()))
    order = nullptr;
  if (returned)
    return host::OutputOp::create(builder, loc, type,
                                  returned->getOperandNumber(), dynamic, order);
  return host::AllocOp::create(builder, loc, type, dynamic, order);
}

/// `memory` in the shape of `tensor`.
Value HostBuilder::buildShape(Value tensor, Value memory) {
  Location loc = tensor.getLoc();
  return createDenseView(
      builder, loc, getTensorBuffer(tensor).type, memory,
      [&](int64_t dim) { return sizes.get(builder, loc, tensor, dim); });
}

/// The buffer of a result of the function, in the shape of what a segment
/// writes into it.
Value HostBuilder::buildReturnedShape(ReshapeOp shape) {
  Location loc = shape.getLoc();
  MemRefType type = getTensorBuffer(shape.getResult()).type;
  Value output = host::OutputOp::create(
      builder, loc, type, findReturn(shape.getResult())->getOperandNumber(),
      getDynamicSizes(sizes, builder, shape.getResult(), type),
      /*stride_order=*/nullptr);
  mapping.map(shape.getResult(), output);
  return buildShape(shape.getInput(), output);
}

/// The function that does with buffers what `segment` does with tensors; null
/// after an error.
func::FuncOp HostBuilder::getHostFunction(SegmentOp segment) {
  FlatSymbolRefAttr symbol = segment.getHostFunctionAttr();
  if (!symbol || !segment.getScheduleAttr()) {
    segment.emitOpError("expected a segment with a schedule and a host "
                        "function: run fusion-schedule and fusion-to-kernel "
                        "first");
    return nullptr;
  }
  auto host = functions.lookupNearestSymbolFrom<func::FuncOp>(segment, symbol);
  if (host && host.getBody().hasOneBlock() && host.getNumResults() == 0)
    return host;
  segment.emitOpError("expected ")
      << symbol
      << " to be a function of one block and without results, which launches "
         "the segment's kernels";
  return nullptr;
}

/// The kernels were made for the buffers that they are given now: a hint or a
/// requirement may have changed since.
LogicalResult HostBuilder::verifyArguments(SegmentOp segment, func::FuncOp host,
                                           ValueRange args) {
  return host::verifyKernelArguments(host, args.getTypes(), [&] {
    return segment.emitOpError("its tensors do not lie as its host function ")
           << segment.getHostFunctionAttr() << " takes them: ";
  });
}

/// Puts the ops of `host` where the builder stands. The sizes of its arguments
/// are those of `tensors`.
void HostBuilder::inlineHostFunction(func::FuncOp host, ValueRange tensors,
                                     ValueRange args) {
  IRMapping inlined;
  inlined.map(host.getArguments(), args);
  for (Operation &op : host.getBody().front().without_terminator()) {
    auto dim = dyn_cast<memref::DimOp>(op);
    std::optional<int64_t> number = dim ? dim.getConstantIndex() : std::nullopt;
    auto argument =
        number ? dyn_cast<BlockArgument>(dim.getSource()) : BlockArgument();
    if (!argument) {
      builder.clone(op, inlined);
      continue;
    }
    inlined.map(dim.getResult(),
                sizes.getValue(builder, op.getLoc(),
                               tensors[argument.getArgNumber()], *number));
  }
  host.walk([&](host::LaunchOp) { ++numLaunches; });
}

LogicalResult HostBuilder::buildSegment(SegmentOp segment) {
  func::FuncOp host = getHostFunction(segment);
  if (!host)
    return failure();
  for (OpResult result : segment->getResults()) {
    auto returns = llvm::count_if(result.getUsers(), [](Operation *user) {
      return isa<func::ReturnOp>(user);
    });
    if (returns > 1)
      return segment.emitOpError("expected result ")
             << result.getResultNumber()
             << " to be returned once, got it returned " << returns
             << " times; fusion-segment copies such results";
    mapping.map(result, buildResult(result));
  }
  auto tensors = llvm::to_vector_of<Value>(segment.getInputs());
  llvm::append_range(tensors, segment.getResults());
  SmallVector<Value> args;
  for (Value tensor : tensors) {
    args.push_back(mapping.lookupOrNull(tensor));
    if (!args.back())
      return segment.emitOpError("expected operands that are arguments or "
                                 "results of segments, got a result of '")
             << tensor.getDefiningOp()->getName()
             << "'; run fusion-segment first";
  }
  if (failed(verifyArguments(segment, host, args)))
    return failure();
  inlineHostFunction(host, tensors, args);
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult HostBuilder::buildReturn() {
  SmallVector<Value> results;
  for (OpOperand &returned : getReturn()->getOpOperands()) {
    unsigned index = returned.getOperandNumber();
    AliasAttr alias = getAlias(index);
    if (!alias || alias.getKind() == AliasKind::New) {
      if (Value buffer = isa_and_nonnull<SegmentOp, ReshapeOp>(
                             returned.get().getDefiningOp())
                             ? mapping.lookupOrNull(returned.get())
                             : Value()) {
        results.push_back(buffer);
        continue;
      }
      return func.emitOpError("result ")
             << index
             << ": expected a result of a segment, since it has memory of its "
                "own; run fusion-segment first";
    }
    BlockArgument input = func.getArgument(alias.getInput());
    Value buffer = mapping.lookup(input);
    if (alias.getKind() == AliasKind::Evaluate) {
      FailureOr<Value> view = buildView(returned, input);
      if (failed(view))
        return failure();
      buffer = *view;
    }
    if (failed(verifyStrideOrder(returned, input, buffer)))
      return failure();
    host::OutputViewOp::create(
        builder, getReturn().getLoc(), index, buffer,
        builder.getI32IntegerAttr(countBuffersBefore(input.getArgNumber())));
    results.push_back(buffer);
  }
  func::ReturnOp::create(builder, getReturn().getLoc(), results);
  return success();
}

/// Those that do not speak of tensors, and `more`.
static DictionaryAttr replaceFusionAttrs(DictionaryAttr attrs,
                                         DictionaryAttr more) {
  NamedAttrList kept(more);
  for (NamedAttribute attr :
       attrs ? attrs.getValue() : ArrayRef<NamedAttribute>())
    if (!attr.getName().strref().starts_with("fusion."))
      kept.append(attr);
  return kept.getDictionary(more.getContext());
}

void HostBuilder::replaceBody() {
  ArrayAttr sizes = getSizes();
  SmallVector<DictionaryAttr> args, results;
  for (BlockArgument arg : func.getArguments())
    args.push_back(replaceFusionAttrs(func.getArgAttrDict(arg.getArgNumber()),
                                      getArgumentAttrs(arg)));
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    results.push_back(
        replaceFusionAttrs(func.getResultAttrDict(i), getResultAttrs(i)));
  func.getBody().takeBody(program);
  Block &body = func.getBody().front();
  func.setFunctionType(builder.getFunctionType(
      body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  func.setAllArgAttrs(args);
  func.setAllResultAttrs(results);
  func->removeAttr(FusionDialect::getSizesCheckedAttrName());
  func->setAttr(host::kProgramAttrName, builder.getUnitAttr());
  if (!sizes.empty())
    func->setAttr(host::kSizesAttrName, sizes);
}

LogicalResult HostBuilder::run() {
  if (failed(verifyReuse()) || failed(verifyStatedSizes()))
    return failure();
  addArguments();
  cloneScalars();
  if (failed(buildSizeChecks()))
    return failure();
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (auto segment = dyn_cast<SegmentOp>(op))
      if (failed(buildSegment(segment)))
        return failure();
    auto shape = dyn_cast<ReshapeOp>(op);
    if (shape && mayShareMemory(shape) && !mapping.contains(shape.getResult()))
      if (Value memory = mapping.lookupOrNull(shape.getInput()))
        mapping.map(shape.getResult(), buildShape(shape.getResult(), memory));
  }
  if (failed(buildReturn()))
    return failure();
  replaceBody();
  return success();
}
