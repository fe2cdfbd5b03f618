//===- TimelineValues.h - What values are before the program runs -*- C++
//-*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_HOST_TRANSFORMS_TIMELINEVALUES_H
#define FUSER_LIB_DIALECT_HOST_TRANSFORMS_TIMELINEVALUES_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace fuser::host {

/// A symbol as programs write it: "@f".
std::string describeSymbol(StringAttr name);

/// What is known of the values of a program, while one goes through it in
/// order: an op that one comes to again (a loop step by step) gets new facts.
class TimelineValues {
public:
  explicit TimelineValues(func::FuncOp program);

  struct Number {
    ConstantIntRanges range;
    /// Whether it takes nothing but constants and the steps of loops, so that
    /// it goes through its range.
    bool isFromLoops;
  };

  /// Infers the numbers that an op computes.
  void infer(Operation *op);
  /// `value` is `number` from now on.
  void set(Value value, const Number &number);
  /// Nothing is known of `values` but their names.
  void forget(ValueRange values);
  /// `targets` are what `sources` are now.
  void bind(ValueRange targets, ValueRange sources);

  Number getNumber(Value value) const;
  std::optional<int64_t> getConstant(Value value) const;

  /// As the program's text calls it; arguments by `host.name`, if they have it.
  std::string getName(Value value);
  /// A number as an expression: "%i mod 4 + 1". `isAtom`: in parentheses, if it
  /// needs them.
  std::string getExpression(Value value, bool isAtom = false);
  /// A buffer: "%x", "%x[2:4]", or "%x[..]" for another part of it.
  std::string getBuffer(Value value);
  /// What an op does with which buffers: "add %x, %y -> %z".
  std::string describe(Operation *op);

private:
  std::string getOperands(ValueRange values);
  std::string getPart(Operation *view);
  std::string describeMemory(Operation *op);
  std::string describeCommunication(Operation *op);
  std::string describeOther(Operation *op);

  /// An expression, and how strongly it binds.
  struct Expression {
    std::string text;
    int strength;
  };
  Expression getExpression(Value value, unsigned depth);

  mlir::func::FuncOp program;
  mlir::AsmState names;
  llvm::DenseMap<Value, Number> numbers;
  /// Of values that are what others were.
  llvm::DenseMap<Value, std::string> texts;
};

} // namespace fuser::host

#endif // FUSER_LIB_DIALECT_HOST_TRANSFORMS_TIMELINEVALUES_H
