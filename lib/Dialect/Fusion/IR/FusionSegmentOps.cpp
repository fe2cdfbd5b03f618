//===- FusionSegmentOps.cpp - Segments ------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitUtils.h"
#include "fuser/Support/CheckOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace fuser;
using namespace fuser::fusion;

void SegmentOp::build(OpBuilder &builder, OperationState &state,
                      TypeRange results, ValueRange inputs,
                      StringRef scheduler) {
  state.addOperands(inputs);
  state.addTypes(results);
  state.getOrAddProperties<Properties>().scheduler =
      builder.getStringAttr(scheduler);
  auto body = std::make_unique<Block>();
  for (Value input : inputs)
    body->addArgument(input.getType(), input.getLoc());
  state.addRegion()->push_back(body.release());
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `(%argument = %operand : type, ...)`
static ParseResult parseBindings(OpAsmParser &parser, OperationState &state,
                                 SmallVectorImpl<OpAsmParser::Argument> &args) {
  auto parseBinding = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OpAsmParser::Argument &argument = args.emplace_back();
    return failure(
        parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operand) || parser.parseColonType(argument.type) ||
        parser.resolveOperand(operand, argument.type, state.operands));
  };
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                        parseBinding);
}

ParseResult SegmentOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr scheduler;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseAttribute(scheduler) ||
      parseBindings(parser, state, arguments) || parser.parseArrow() ||
      parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()) &&
      (parser.parseTypeList(state.types) || parser.parseRParen()))
    return failure();
  state.addAttribute(getSchedulerAttrName(state.name), scheduler);
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

void SegmentOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSchedulerAttr() << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()),
                        printer, [&](std::tuple<BlockArgument, Value> binding) {
                          printer << std::get<0>(binding) << " = "
                                  << std::get<1>(binding) << " : "
                                  << std::get<1>(binding).getType();
                        });
  printer << ") -> (" << getResultTypes() << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSchedulerAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// segment_c5
static LogicalResult verifyResultHints(SegmentOp op) {
  std::optional<ArrayAttr> hints = op.getResultHints();
  if (!hints)
    return success();
  if (hints->size() != op.getNumResults())
    return op.emitOpError()
           << "expected " << op.getNumResults()
           << " result_hints, one a result, got " << hints->size();
  for (auto [number, hint] : llvm::enumerate(*hints)) {
    if (isa<UnitAttr>(hint))
      continue;
    auto emitError = [&, n = number]() {
      return op.emitOpError() << "result_hints, result " << n << ": ";
    };
    if (failed(
            verifyStrideOrder(hint, op.getResult(number).getType(), emitError)))
      return failure();
  }
  return success();
}

LogicalResult SegmentOp::verify() {
  // segment_c7
  if (getNumResults() == 0)
    return emitOpError() << "expected at least one result because a kernel is "
                            "there for what it writes, got none";
  // segment_c4
  if (std::optional<ScheduleAttrInterface> schedule = getSchedule())
    if (schedule->getSchedulerName() != getScheduler())
      return emitOpError() << "expected a schedule of scheduler \""
                           << getScheduler() << "\", got " << *schedule
                           << " of \"" << schedule->getSchedulerName() << "\"";
  return verifyResultHints(*this);
}

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// segment_c3: true if the op may stand in a segment.
static bool isAllowedInSegment(Operation &op) {
  if (isa<SegmentOp>(op))
    return false;
  if (isa<TensorOpInterface>(op))
    return true;
  if (isa<tensor::DimOp>(op))
    return true;
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

/// Which dimension is asked for is known, and there.
static LogicalResult verifyDim(tensor::DimOp dim) {
  std::optional<int64_t> index = dim.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
  int64_t rank = type ? type.getRank() : 0;
  if (index && *index >= 0 && *index < rank)
    return success();
  InFlightDiagnostic diag =
      dim.emitOpError() << "expected a constant dimension below the rank of a "
                           "ranked tensor, "
                        << rank << ", in a segment, got ";
  if (index)
    return diag << *index;
  return diag << "one that is not constant";
}

LogicalResult SegmentOp::verifyRegions() {
  Block &body = getBody().front();
  // segment_c1
  if (body.getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "expected the operands' types for the block's "
                            "arguments, ("
                         << getInputs().getTypes() << "), got ("
                         << body.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError() << "expected 'fusion.yield' at the end, got '"
                         << body.back().getName() << "'";
  // segment_c2
  if (yield.getValues().getTypes() != getResultTypes())
    return yield.emitOpError()
           << "expected the types of the segment's results, ("
           << getResultTypes() << "), got (" << yield.getValues().getTypes()
           << ")";
  for (Operation &op : body.without_terminator()) {
    if (auto dim = dyn_cast<tensor::DimOp>(op); dim && failed(verifyDim(dim)))
      return failure();
    if (isAllowedInSegment(op))
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected an op that computes tensors, or one "
                                 "without effects and regions on scalars, in a "
                                 "segment";
    diag.attachNote(getLoc()) << "segment begins here";
    return diag;
  }
  // segment_c4
  if (std::optional<ScheduleAttrInterface> schedule = getSchedule())
    return schedule->verifySchedule(getOperation());
  return success();
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

YieldOp SegmentOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

Value SegmentOp::getOperandFor(Value inner) {
  auto argument = dyn_cast<BlockArgument>(inner);
  if (!argument || argument.getOwner() != &getBody().front())
    return {};
  return getInputs()[argument.getArgNumber()];
}

Value SegmentOp::getYielded(unsigned result) {
  return getYield().getValues()[result];
}

DenseI64ArrayAttr SegmentOp::getResultHint(unsigned result) {
  std::optional<ArrayAttr> hints = getResultHints();
  if (!hints)
    return {};
  return dyn_cast<DenseI64ArrayAttr>((*hints)[result]);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

namespace {
/// Computes sizes and scalars of a segment's region outside of it: block
/// arguments become operands, the ops between are emitted again.
class SegmentReifier {
public:
  SegmentReifier(SegmentOp segment, EmitContext &outer)
      : segment(segment), outer(outer) {}

  OpFoldResult reifyDim(Value tensor, int64_t dim) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return outer.builder.getIndexAttr(type.getDimSize(dim));
    if (Value operand = segment.getOperandFor(tensor))
      return outer.dim(operand, dim);
    auto dimOf = [&](Value value, int64_t d) { return reifyDim(value, d); };
    auto scalarOf = [&](Value value) { return reifyScalar(value); };
    EmitContext inner{outer.builder, outer.loc, dimOf, scalarOf};
    auto op = cast<TensorOpInterface>(tensor.getDefiningOp());
    return op.reifyDim(inner, cast<OpResult>(tensor).getResultNumber(), dim);
  }

private:
  Value reifyScalar(Value scalar) {
    if (Value known = scalars.lookup(scalar))
      return known;
    if (Value operand = segment.getOperandFor(scalar))
      return scalars[scalar] = outer.scalar(operand);
    Operation *op = scalar.getDefiningOp();
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      OpFoldResult size = reifyDim(dim.getSource(), *dim.getConstantIndex());
      return scalars[scalar] = emitIndex(outer, size);
    }
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, reifyScalar(operand));
    Operation *copy = outer.builder.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
      scalars[from] = to;
    return scalars[scalar];
  }

  SegmentOp segment;
  EmitContext &outer;
  DenseMap<Value, Value> scalars;
};
} // namespace

OpFoldResult SegmentOp::reifyDim(EmitContext &ctx, unsigned result,
                                 int64_t dim) {
  return SegmentReifier(*this, ctx).reifyDim(getYielded(result), dim);
}

Operation *fusion::getOnlyOp(SegmentOp segment) {
  Block &body = segment.getBody().front();
  Operation &op = body.front();
  bool isAlone =
      llvm::hasSingleElement(body.without_terminator()) &&
      llvm::equal(body.getTerminator()->getOperands(), op.getResults());
  return isAlone ? &op : nullptr;
}

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

// check_c1
LogicalResult CheckOp::verify() {
  return verifyCheckMessage(*this, getMessage(), getValues().size());
}

LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  return eraseKnownCheck(op, rewriter);
}
