//===- HostChecks.cpp - What a host program checks of sizes ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime checks inputs against their description: static sizes, and equal
// sizes where symbols are equal. Here is what it cannot: sizes that are scalars
// or computed.
//
//===----------------------------------------------------------------------===//

#include "HostBuilder.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Analysis/ScalarDivision.h"
#include "fuser/Analysis/SizeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

using Kind = SizeSource::Kind;

/// How messages call a size.
static std::string describe(func::FuncOp func, const SizeSource &source) {
  auto arg = dyn_cast<BlockArgument>(source.value);
  std::string dim = "dimension " + std::to_string(source.dim);
  if (source.kind == Kind::Argument)
    return dim + " of " + describeArgument(func, arg.getArgNumber());
  if (source.kind == Kind::Scalar && arg)
    return "the size in " + describeArgument(func, arg.getArgNumber());
  std::string op = source.value.getDefiningOp()->getName().getStringRef().str();
  if (source.kind == Kind::Scalar)
    return "the size computed by " + op;
  return dim + " of the result of " + op;
}

void HostBuilder::addCheck(Location loc, Value condition, StringRef message,
                           ValueRange values) {
  host::CheckOp::create(builder, loc, condition, message, values);
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

/// Sizes that come as scalars are not negative.
void HostBuilder::checkScalar(const SizeSource &source) {
  Location loc = source.value.getLoc();
  Value size = getValueOrCreateConstantIndexOp(builder, loc,
                                               sizes.get(builder, loc, source));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value condition = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, size, zero);
  addCheck(loc, condition,
           "expected " + describe(func, source) + " to be at least 0, got {0}",
           size);
}

/// `reference`: what is expected to be equal; null: `expected` is static.
void HostBuilder::checkSource(const SizeSource &source,
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
  std::string why =
      reference ? ", as " + describe(func, *reference) : std::string();
  addCheck(loc, condition,
           "expected " + describe(func, source) + " to be {0}" + why +
               ", got {1}",
           {left, right});
}

void HostBuilder::checkSymbol(unsigned symbol) {
  ArrayRef<SizeSource> sources = symbols.getSources(symbol);
  for (const SizeSource &source : sources)
    if (source.kind == Kind::Scalar)
      checkScalar(source);
  std::optional<int64_t> size = symbols.getStaticSize(symbol);
  OpFoldResult expected =
      size ? OpFoldResult(builder.getIndexAttr(*size))
           : sizes.get(builder, func.getLoc(), sources.front());
  const SizeSource *reference = size ? nullptr : &sources.front();
  bool argumentsAgree = size || sources.front().kind == Kind::Argument;
  for (const SizeSource &source : sources) {
    bool isEnforced = source.kind == Kind::Argument && argumentsAgree;
    if (&source != reference && !isEnforced)
      checkSource(source, reference, expected);
  }
}

/// A result that is written into an input's buffer has the input's sizes.
void HostBuilder::checkReuse(OpOperand &returned) {
  unsigned index = returned.getOperandNumber();
  AliasAttr alias = getAlias(index);
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
    addCheck(loc, condition,
             "output " + std::to_string(index) + " '" +
                 getResultName(func, index) + "': expected dimension " +
                 std::to_string(dim) +
                 " to be {0} because it is written into the memory of " +
                 describeArgument(func, input.getArgNumber()) + ", got {1}",
             {expected, got});
  }
}

/// Where the op stands in the user's file, for what is wrong with it when the
/// program runs.
static std::string getPlace(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place)
    return {};
  return (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ": ")
      .str();
}

void HostBuilder::buildChecks() {
  for (unsigned symbol = 0; symbol < symbols.getNumSymbols(); ++symbol)
    if (symbols.isRepresentative(symbol))
      checkSymbol(symbol);
  for (OpOperand &returned : getReturn()->getOpOperands())
    checkReuse(returned);

  func.walk([&](SizeCheckOpInterface op) {
    auto add = [&](Value condition, StringRef message, ValueRange values) {
      addCheck(op.getLoc(), condition, getPlace(op.getLoc()) + message.str(),
               values);
    };
    sizes.withContext(builder, op.getLoc(),
                      [&](EmitContext &ctx) { op.emitSizeChecks(ctx, add); });
  });
}
