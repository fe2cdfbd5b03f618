//===- TimelineValues.cpp - What values are before the program runs -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimelineValues.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fuser;
using namespace fuser::host;

TimelineValues::TimelineValues(func::FuncOp program)
    : program(program), names(program) {}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void TimelineValues::infer(Operation *op) {
  auto inferable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferable)
    return;
  SmallVector<ConstantIntRanges> operands;
  // Another kind of leaf is not.
  bool isFromLoops =
      op->hasTrait<OpTrait::ConstantLike>() || op->getNumOperands() > 0;
  for (Value operand : op->getOperands()) {
    Number number = getNumber(operand);
    isFromLoops &= number.isFromLoops;
    operands.push_back(number.range);
  }
  inferable.inferResultRanges(
      operands, [&](Value result, const ConstantIntRanges &range) {
        set(result, {range, isFromLoops});
      });
}

void TimelineValues::set(Value value, const Number &number) {
  numbers.insert_or_assign(value, number);
  texts.erase(value);
}

void TimelineValues::forget(ValueRange values) {
  for (Value value : values) {
    numbers.erase(value);
    texts.erase(value);
  }
}

void TimelineValues::bind(ValueRange targets, ValueRange sources) {
  // All at once: some may be exchanged.
  SmallVector<std::pair<Number, std::string>> facts;
  for (Value source : sources)
    facts.emplace_back(getNumber(source), isa<MemRefType>(source.getType())
                                              ? getBuffer(source)
                                              : getExpression(source));
  for (auto [target, fact] : llvm::zip(targets, facts)) {
    set(target, fact.first);
    texts[target] = fact.second;
  }
}

TimelineValues::Number TimelineValues::getNumber(Value value) const {
  auto found = numbers.find(value);
  if (found != numbers.end())
    return found->second;
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  return {ConstantIntRanges::maxRange(width), false};
}

std::optional<int64_t> TimelineValues::getConstant(Value value) const {
  auto found = numbers.find(value);
  if (found == numbers.end())
    return std::nullopt;
  std::optional<APInt> constant = found->second.range.getConstantValue();
  if (!constant || constant->getBitWidth() == 0 ||
      constant->getSignificantBits() > 64)
    return std::nullopt;
  return constant->getBitWidth() == 1 ? int64_t(constant->getZExtValue())
                                      : constant->getSExtValue();
}

//===----------------------------------------------------------------------===//
// Names and expressions
//===----------------------------------------------------------------------===//

std::string TimelineValues::getName(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner()->getParentOp() == program)
    if (auto name = program.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), kNameAttrName))
      return name.str();
  std::string name;
  llvm::raw_string_ostream os(name);
  value.printAsOperand(os, names);
  return name;
}

namespace {
/// How an op on two numbers is written.
struct Notation {
  StringRef sign;
  int strength;
};
} // namespace

static constexpr int kWeakest = 0, kSum = 2, kProduct = 3, kAtom = 4;

static Notation getNotation(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    StringRef name = stringifyCmpIPredicate(compare.getPredicate());
    StringRef sign = llvm::StringSwitch<StringRef>(name)
                         .Case("eq", "==")
                         .Case("ne", "!=")
                         .Cases({"slt", "ult"}, "<")
                         .Cases({"sle", "ule"}, "<=")
                         .Cases({"sgt", "ugt"}, ">")
                         .Default(">=");
    return {sign, kWeakest + 1};
  }
  bool isLogical =
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
  return llvm::StringSwitch<Notation>(op->getName().getStringRef())
      .Case("arith.addi", {"+", kSum})
      .Case("arith.subi", {"-", kSum})
      .Case("arith.muli", {"*", kProduct})
      .Cases({"arith.divui", "arith.divsi"}, {"/", kProduct})
      .Cases({"arith.remui", "arith.remsi"}, {"mod", kProduct})
      .Cases({"arith.minui", "arith.minsi"}, {"min", kAtom})
      .Cases({"arith.maxui", "arith.maxsi"}, {"max", kAtom})
      .Case("arith.andi", {isLogical ? "and" : "", kWeakest})
      .Case("arith.ori", {isLogical ? "or" : "", kWeakest})
      .Default({"", kAtom});
}

TimelineValues::Expression TimelineValues::getExpression(Value value,
                                                         unsigned depth) {
  if (std::optional<int64_t> constant = getConstant(value))
    return {std::to_string(*constant), kAtom};
  if (auto found = texts.find(value); found != texts.end())
    return {found->second, kWeakest - 1};
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<RankOp, SizeOp>(op))
    return {
        (op->getName().stripDialect() + "(" + getName(op->getOperand(0)) + ")")
            .str(),
        kAtom};
  Notation notation = op ? getNotation(op) : Notation{"", kAtom};
  // What is longer than a few signs says less than a name.
  if (notation.sign.empty() || depth == 0)
    return {getName(value), kAtom};
  // What a step of a loop makes of sums and conditions.
  bool isSum = notation.strength == kSum;
  std::optional<int64_t> first = getConstant(op->getOperand(0));
  std::optional<int64_t> second = getConstant(op->getOperand(1));
  if ((isSum && second == 0) || (notation.sign == "and" && second == 1))
    return getExpression(op->getOperand(0), depth - 1);
  if ((notation.sign == "+" && first == 0) ||
      (notation.sign == "and" && first == 1))
    return getExpression(op->getOperand(1), depth - 1);
  Expression left = getExpression(op->getOperand(0), depth - 1);
  Expression right = getExpression(op->getOperand(1), depth - 1);
  std::string sign = notation.sign.str();
  if (notation.strength == kAtom)
    return {sign + "(" + left.text + ", " + right.text + ")", kAtom};
  // a - (b - c), and "and" beside "or".
  bool isLogical = notation.strength == kWeakest;
  if (left.strength < notation.strength + int(isLogical))
    left.text = "(" + left.text + ")";
  if (right.strength <= notation.strength)
    right.text = "(" + right.text + ")";
  return {left.text + " " + sign + " " + right.text, notation.strength};
}

std::string TimelineValues::getExpression(Value value, bool isAtom) {
  Expression expression = getExpression(value, /*depth=*/3u);
  bool isBare = expression.strength == kAtom ||
                StringRef(expression.text).find(' ') == StringRef::npos;
  return isAtom && !isBare ? "(" + expression.text + ")" : expression.text;
}
