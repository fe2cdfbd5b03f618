//===- ProgramBuilder.h - A program, built op by op -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of the fusion dialect that grows by ops that are asked for by name
// (fuser/Frontend/LenientOps.h). Values are numbers, from 0 on, in the order in
// which they were made.
//
// An op may need a size that an input's type leaves open: `x + y` has a meaning
// for x: tensor<?xf32> and y: tensor<4xf32> only if x has 4 elements. Then the
// input gets that size, which programs check when they run, and all ops before
// are emitted again: types of values that were asked for earlier may become
// more exact, and never anything else.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FRONTEND_PROGRAMBUILDER_H
#define FUSER_FRONTEND_PROGRAMBUILDER_H

#include "fuser/Frontend/LenientOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace fuser::frontend {

struct InputSpec {
  /// A tensor or scalar type of the dialect.
  mlir::Type type;
  /// For messages and callers; may be empty.
  std::string name = {};
  /// Required: the dimensions from slowest to fastest in memory. Empty: any.
  std::vector<int64_t> strideOrder = {};
  /// Its place, with those of the ops that made sizes of its type known.
  std::optional<mlir::Location> loc = {};
};

struct OutputSpec {
  std::string name = {};
  std::vector<int64_t> strideOrder = {};
  /// The input that the result is written over, as an index of an input.
  std::optional<unsigned> alias = {};
};

class ProgramBuilder {
public:
  /// `context` has to have the dialects func and fusion loaded.
  ProgramBuilder(mlir::MLIRContext *context, llvm::StringRef name);

  /// Whether errors of ops list operands: see OpRequest.
  void setListsOperands(bool lists) { listsOperands = lists; }

  // All of these leave a diagnostic on failure, and the program as it was. None
  // is called after finish.

  FailureOr<unsigned> addInput(mlir::Location loc, InputSpec spec);
  /// A number, which is a scalar that the program knows.
  unsigned addNumber(mlir::Location loc, mlir::TypedAttr number);
  /// The results of an op.
  FailureOr<llvm::SmallVector<unsigned>>
  addOp(mlir::Location loc, llvm::StringRef name,
        llvm::ArrayRef<unsigned> operands, mlir::DictionaryAttr attributes);
  LogicalResult addOutput(mlir::Location loc, unsigned value, OutputSpec spec);
  /// Ends the program, and verifies it. Ops without uses go.
  LogicalResult finish();

  bool isFinished() const { return finished; }
  unsigned getNumValues() const { return types.size(); }
  unsigned getNumInputs() const { return inputs.size(); }
  /// Which input a value is, if it is one.
  std::optional<unsigned> getInputOf(unsigned value) const;
  mlir::Type getType(unsigned value) const { return types[value]; }
  mlir::ModuleOp getModule() { return *module; }

private:
  /// What one or more values came from.
  struct Step {
    mlir::Location loc;
    /// Of an op; null for an input or a number.
    mlir::StringAttr name;
    llvm::SmallVector<unsigned> operands;
    mlir::DictionaryAttr attributes;
    mlir::TypedAttr number;
    std::optional<unsigned> input;
  };
  struct Output {
    mlir::Location loc;
    unsigned value;
    OutputSpec spec;
  };

  /// Where what a step has made begins.
  struct Emitted {
    mlir::Operation *before; ///< Null: the block begins with it.
    size_t firstValue;
  };

  /// Makes the values of the next step; on failure nothing is left of it.
  LogicalResult emit(const Step &step, std::optional<SizeDemand> &demand);
  /// Erases what the steps from `first` on have made.
  void takeBack(size_t first);
  /// Closes the size of an input; the first step that has used it, if one has,
  /// and all behind it have to be emitted again.
  size_t narrow(const SizeDemand &demand);
  /// Emits the steps from `first` on, until inputs have the sizes that these
  /// need.
  LogicalResult emitFrom(size_t first);
  /// Emits the step that was added last, which needs a size of an input; errors
  /// are at its location.
  LogicalResult emitWith(const SizeDemand &demand);
  /// Adds a step, with the sizes that it needs.
  LogicalResult add(Step step);
  LogicalResult checkStrideOrder(mlir::Location loc, mlir::Type type,
                                 llvm::ArrayRef<int64_t> order);
  void makeFunction();
  void removeUnused();

  mlir::MLIRContext *context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string name;
  std::vector<InputSpec> inputs;
  std::vector<Output> outputs;
  std::vector<Step> steps;
  /// Of each step that is in the program.
  std::vector<Emitted> emitted;
  std::vector<mlir::Value> values;
  KnownSizes sizes;
  std::vector<mlir::Type> types;
  bool listsOperands = true;
  bool finished = false;
};

} // namespace fuser::frontend

#endif // FUSER_FRONTEND_PROGRAMBUILDER_H
