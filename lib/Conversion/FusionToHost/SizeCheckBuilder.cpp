//===- SizeCheckBuilder.cpp - What a program asks of sizes ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime checks inputs against their description: static sizes, and equal
// sizes where symbols are equal. It cannot look at sizes that are scalars or
// computed.
//
//===----------------------------------------------------------------------===//

#include "SizeCheckBuilder.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Analysis/SizeChecks.h"
#include "fuser/Support/CheckOps.h"
#include "fuser/Support/Places.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

using Kind = SizeSource::Kind;

/// The first op on tensors that takes a scalar, as a size; null if none does.
static Operation *findTaker(Value scalar) {
  Operation *first = nullptr;
  for (Operation *user : scalar.getUsers()) {
    if (!isa<TensorOpInterface>(user) ||
        user->getBlock() != scalar.getParentBlock())
      continue;
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  return first;
}

/// How messages call a size.
static std::string describe(func::FuncOp func, const SizeSource &source) {
  auto arg = dyn_cast<BlockArgument>(source.value);
  std::string dim = "dimension " + std::to_string(source.dim);
  if (source.kind == Kind::Argument)
    return dim + " of " + describeArgument(func, arg.getArgNumber());
  if (source.kind == Kind::Scalar && arg)
    return "the size in " + describeArgument(func, arg.getArgNumber());
  auto getName = [](Operation *op) {
    return op->getName().getStringRef().str();
  };
  if (source.kind != Kind::Scalar)
    return dim + " of the result of " + getName(source.value.getDefiningOp());
  // What an op takes as a size: not how that was computed is of interest.
  Operation *taker = findTaker(source.value);
  return taker
             ? "a size of " + getName(taker)
             : "the size computed by " + getName(source.value.getDefiningOp());
}

/// The place of a size that the program computes, or of the op that takes an
/// argument as one.
static Location getPlace(const SizeSource &source) {
  if (!isa<BlockArgument>(source.value))
    return source.value.getLoc();
  Operation *taker =
      source.kind == Kind::Scalar ? findTaker(source.value) : nullptr;
  return taker ? taker->getLoc() : UnknownLoc::get(source.value.getContext());
}

/// The place of the op that needs a size to be another one's: what made the
/// size knows nothing of that.
static Location getUserPlace(const SizeSource &source) {
  return source.user ? source.user->getLoc() : getPlace(source);
}

/// "fusion.add: ", of that op.
static std::string getUserName(const SizeSource &source) {
  return source.user ? nameOp(source.user) + ": " : std::string();
}

/// Sizes that come as scalars are not negative.
void SizeCheckBuilder::checkScalar(const SizeSource &source) {
  Location loc = source.value.getLoc();
  Value size = getValueOrCreateConstantIndexOp(builder, loc,
                                               sizes.get(builder, loc, source));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value condition = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, size, zero);
  add(getPlace(source), condition,
      "expected " + quoteForCheck(describe(func, source)) +
          " to be at least 0, got {0}",
      size);
}

/// `reference`: what is expected to be equal; null: `expected` is static.
void SizeCheckBuilder::checkSource(const SizeSource &source,
                                   const SizeSource *reference,
                                   OpFoldResult expected) {
  Location loc = source.value.getLoc();
  OpFoldResult got = sizes.get(builder, loc, source);
  if (got == expected)
    return;
  Value left = getValueOrCreateConstantIndexOp(builder, loc, expected);
  Value right = getValueOrCreateConstantIndexOp(builder, loc, got);
  if (left == right)
    return;
  Value condition = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, left, right);
  std::string why = reference
                        ? ", as " + quoteForCheck(describe(func, *reference))
                        : std::string();
  add(getUserPlace(source), condition,
      getUserName(source) + "expected " +
          quoteForCheck(describe(func, source)) + " to be {0}" + why +
          ", got {1}",
      {left, right});
}

bool fuser::areArgumentsCompared(const ShapeSymbols &symbols, unsigned symbol) {
  return symbols.getStaticSize(symbol) ||
         symbols.getSources(symbol).front().kind == Kind::Argument;
}

void SizeCheckBuilder::checkSymbol(unsigned symbol) {
  ArrayRef<SizeSource> sources = symbols.getSources(symbol);
  for (const SizeSource &source : sources)
    if (source.kind == Kind::Scalar)
      checkScalar(source);
  std::optional<int64_t> size = symbols.getStaticSize(symbol);
  OpFoldResult expected =
      size ? OpFoldResult(builder.getIndexAttr(*size))
           : sizes.get(builder, func.getLoc(), sources.front());
  const SizeSource *reference = size ? nullptr : &sources.front();
  bool areCompared = leavesArguments && areArgumentsCompared(symbols, symbol);
  for (const SizeSource &source : sources) {
    bool isCompared = source.kind == Kind::Argument && areCompared;
    if (&source != reference && !isCompared)
      checkSource(source, reference, expected);
  }
}

/// A result that is written into an input's buffer has the input's sizes.
void SizeCheckBuilder::checkReuse(OpOperand &returned) {
  unsigned index = returned.getOperandNumber();
  auto alias = func.getResultAttrOfType<AliasAttr>(
      index, FusionDialect::getAliasAttrName());
  if (!alias || alias.getKind() != AliasKind::Reuse)
    return;
  BlockArgument input = func.getArgument(alias.getInput());
  Value result = returned.get();
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (symbols.getSize(input, dim) == symbols.getSize(result, dim))
      continue;
    Location loc = result.getLoc();
    Value expected = sizes.getValue(builder, loc, input, dim);
    Value got = sizes.getValue(builder, loc, result, dim);
    Value condition = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, expected, got);
    Operation *maker = result.getDefiningOp();
    add(maker ? maker->getLoc() : builder.getUnknownLoc(), condition,
        "output " + std::to_string(index) + " '" +
            quoteForCheck(getResultName(func, index)) +
            "': expected dimension " + std::to_string(dim) +
            " to be {0} because it is written into the memory of " +
            quoteForCheck(describeArgument(func, input.getArgNumber())) +
            ", got {1}",
        {expected, got});
  }
}

LogicalResult SizeCheckBuilder::verify() {
  for (const NegativeSize &negative : symbols.getNegativeSizes())
    return negative.result.getOwner()->emitOpError("expected dimension ")
           << negative.dim << " of its result to be at least 0, got "
           << negative.size;
  if (symbols.getConflicts().empty())
    return success();
  const SizeConflict &conflict = symbols.getConflicts().front();
  InFlightDiagnostic diag = conflict.op->emitOpError("expected one size of ");
  if (conflict.source)
    diag << describe(func, *conflict.source);
  else
    diag << "dimensions that are equal";
  return diag << ", got " << conflict.size << ", as ops before it need it, and "
              << conflict.other;
}

LogicalResult SizeCheckBuilder::build() {
  if (failed(verify()))
    return failure();
  for (unsigned symbol = 0; symbol < symbols.getNumSymbols(); ++symbol)
    if (symbols.isRepresentative(symbol))
      checkSymbol(symbol);
  for (OpOperand &returned :
       func.getBody().front().getTerminator()->getOpOperands())
    checkReuse(returned);

  func.walk([&](SizeCheckOpInterface op) {
    auto addOfOp = [&](Value condition, StringRef message, ValueRange values,
                       std::optional<int64_t> dim) {
      std::string of = dim ? ", dimension " + std::to_string(*dim) : "";
      add(op.getLoc(), condition, nameOp(op) + of + ": " + message.str(),
          values);
    };
    sizes.withContext(builder, op.getLoc(), [&](EmitContext &ctx) {
      op.emitSizeChecks(ctx, addOfOp);
    });
  });
  return success();
}
