//===- GrowingProgram.h - A program that grows op by op -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_FUZZ_GROWINGPROGRAM_H
#define FUSER_LIB_FUZZ_GROWINGPROGRAM_H

#include "fuser/Fuzz/Generator.h"
#include "fuser/Fuzz/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fuser::fuzz {

/// A dimension: its size when the program runs, and whether its type says it.
/// Dimensions of the same `symbol` have the same size by one value.
struct Dim {
  int64_t size = 1;
  bool isOpen = false;
  unsigned symbol = 0;
};
using Dims = SmallVector<Dim>;

/// What is known of a tensor's elements.
struct Magnitude {
  /// No magnitude is greater.
  double limit = 0;
  /// Every kernel computes the same bits, and the reference the same numbers.
  bool isExact = true;
};

struct Tensor {
  Value value;
  Dims dims;
  Type element;
  Magnitude range;

  int64_t getRank() const { return static_cast<int64_t>(dims.size()); }
  bool isBool() const { return element.isInteger(1); }
  bool isFloat() const { return isa<FloatType>(element); }
};

/// A tensor argument.
struct Input {
  /// As fuser-run's --input has it.
  std::string text;
  unsigned argument;
  Tensor tensor;
  /// Whether each element has memory of its own, so that results can go there.
  bool isWritable = true;
};

/// Tensors have at most so many dimensions and elements.
constexpr int64_t kMaxRank = 5, kMaxElements = 20000;
constexpr unsigned kMaxInputs = 8;
/// Sums of up to kMaxElements exponentials are in logarithms.
constexpr double kLogOfMost = 10;
/// One of so many elements over the root of their mean square.
constexpr double kRootOfMost = 150;
/// The greatest number of f4E2M1FN.
constexpr double kMostPacked = 6;

int64_t countElements(ArrayRef<Dim> dims);
/// Whether a tensor may have these sizes, also beside one of 0.
bool isSmall(ArrayRef<Dim> dims);
/// Whether they are the same in a type, and at run time.
bool areAlike(ArrayRef<Dim> a, ArrayRef<Dim> b);
bool isAlike(Dim a, Dim b);
/// The greatest magnitude that programs have in an element type. Integers whose
/// bits are certain may be any.
double getLargest(Type element);
/// No magnitude of an integer type is greater.
double getMost(Type element);
/// Whether elements of the type may be such.
bool fits(Type element, Magnitude range);

class GrowingProgram {
public:
  GrowingProgram(uint64_t seed, const GeneratorOptions &options,
                 MLIRContext *context);

  /// Ends the function with the chosen results; `resultAttrs` has one for each.
  GeneratedProgram finish(ArrayRef<Value> results,
                          ArrayRef<DictionaryAttr> resultAttrs);

  // Types.
  RankedTensorType getType(ArrayRef<Dim> dims, Type element) const;
  Type pickElement();
  Type pickFloat();

  // Sizes.
  Dim makeDim(int64_t size, bool isOpen, Value value = {});
  /// `dims` of `value`, whose type may know more of them, or fewer.
  Dims getDimsOf(Value value, ArrayRef<Dim> dims);
  /// One of those that the program began with.
  Dim pickDim();
  /// The same size; another type may say it or not.
  Dim reopen(Dim dim);
  Value makeConstant(int64_t number);
  /// A constant, an argument, or arithmetic with a size.
  Value makeIndex(int64_t number);
  Value getSize(Dim dim);
  /// Of those that are open.
  SmallVector<Value> getOpenSizes(ArrayRef<Dim> dims);
  /// The value of an open one, the number of another.
  OpFoldResult getMixedSize(Dim dim);

  // Tensors.
  Tensor add(Value value, ArrayRef<Dim> dims, Magnitude range);
  Tensor addInput(ArrayRef<Dim> dims, Type element);
  Tensor addFull(ArrayRef<Dim> dims, Type element, double number);
  bool canAddInput() const { return inputs.size() < kMaxInputs; }
  SmallVector<int64_t> pickOrder(const Tensor &tensor);
  /// Recent ones are more likely.
  Tensor pick();
  /// One of the same type and sizes, maybe the same, maybe a new one.
  Tensor pickLike(const Tensor &tensor);
  Tensor pickLike(ArrayRef<Dim> dims, Type element);
  /// The same, smaller if its magnitudes exceed `limit`.
  Tensor tame(const Tensor &tensor, double limit = 4);

  ArrayRef<Input> getInputs() const { return inputs; }
  ArrayRef<Tensor> getTensors() const { return tensors; }
  /// Complex and packed ones, which only their own families know.
  ArrayRef<Tensor> getApart() const { return apart; }
  void addApart(const Tensor &tensor) { apart.push_back(tensor); }
  /// Whether there may be matrix products.
  bool hasProducts() const { return options.products; }
  bool hasFloatsOfSizes() const { return options.floatsOfSizes; }

  Random random;
  /// Of what changes no op: a seed keeps its program.
  Random statements;
  ImplicitLocOpBuilder builder;

private:
  Value addScalar(Type type, double number);
  std::string chooseFill(Tensor &tensor);
  std::string chooseLayout(Input &input, NamedAttrList &attributes);
  void chooseStatements(ArrayRef<Dim> dims, NamedAttrList &attributes);

  uint64_t seed;
  const GeneratorOptions &options;
  func::FuncOp func;
  OwningOpRef<ModuleOp> module;
  SmallVector<DictionaryAttr> argumentAttrs;
  std::vector<Input> inputs;
  std::vector<std::string> scalars;
  std::vector<Tensor> tensors, apart;
  SmallVector<Dim> pool;
  /// Of each symbol, once it is needed.
  std::vector<Value> values;
};

} // namespace fuser::fuzz

#endif // FUSER_LIB_FUZZ_GROWINGPROGRAM_H
