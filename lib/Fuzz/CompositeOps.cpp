//===- CompositeOps.cpp - Ops of builders, and others that are replaced ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuilderCall.h"
#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include <cmath>

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

namespace {
/// How the magnitudes of a composite follow from the greatest `x` of its
/// operands.
using Bound = double (*)(double x);

/// A composite of floats whose result has the type of its operands, as tensors.
struct Composite {
  StringRef name;
  unsigned numTensors;
  Bound bound;
};
} // namespace

static double keep(double x) { return x; }

static constexpr Composite kComposites[] = {
    {"relu", 1, keep},
    {"frac", 1, [](double) { return 1.0; }},
    {"gelu", 1, keep},
    {"leaky_relu", 1, keep},
    {"softplus", 1, [](double x) { return x + 1; }},
    {"clamp", 1, [](double) { return 1.5; }},
    {"softmax", 1, [](double) { return 1.0; }},
    {"log_softmax", 1, [](double x) { return 2 * x + kLogOfMost; }},
    {"hypot", 2, [](double x) { return 2 * x; }},
    {"logaddexp", 2, [](double x) { return x + 1; }},
    {"copysign", 2, keep},
    {"elu", 1, [](double x) { return x + 1; }},
    {"mish", 1, keep},
    {"hardsigmoid", 1, [](double) { return 1.0; }},
    {"hardswish", 1, keep},
    {"softsign", 1, [](double) { return 1.0; }},
    {"tanhshrink", 1, keep},
    {"softshrink", 1, keep},
    {"log_sigmoid", 1, [](double x) { return x + 1; }},
    {"layer_norm", 1, [](double) { return kRootOfMost; }},
    {"rms_norm", 1, [](double) { return kRootOfMost; }},
    {"mse_loss", 2, [](double x) { return 4 * x * x; }},
    {"l1_loss", 2, [](double x) { return 2 * x; }},
    {"huber_loss", 2, [](double x) { return 2 * x; }},
    {"smooth_l1_loss", 2, [](double x) { return 2 * x; }},
    {"silu_backward", 2, [](double x) { return 2 * x; }},
    {"gelu_backward", 2, [](double x) { return 2 * x; }},
    {"sigmoid_backward", 2, [](double x) { return x * x * (1 + x); }},
    {"tanh_backward", 2, [](double x) { return x * (1 + x * x); }},
    {"binary_cross_entropy_with_logits", 2,
     [](double x) { return (x + 1) * (2 * x + 1); }},
    {"kl_div", 2, [](double x) { return std::exp(x) * 2 * x; }},
    {"celu", 1, [](double x) { return x + 1; }},
    {"selu", 1, [](double x) { return 2 * x + 2; }},
    {"hardshrink", 1, keep},
    {"nan_to_num", 1, keep},
    {"lstm", 5, [](double x) { return x + 1; }},
    {"lerp", 2, [](double x) { return 3 * x; }},
    {"addcmul", 3, [](double x) { return x + x * x; }},
    {"where", 3, keep},
};

namespace {
/// The numbers behind the tensors of a composite, and its options.
struct Details {
  SmallVector<double> numbers;
  NamedAttrList options;
};
} // namespace

static Details chooseDetails(GrowingProgram &program, StringRef name,
                             int64_t rank) {
  Builder &b = program.builder;
  Details details;
  if (name == "lerp" || name == "leaky_relu" || name == "softshrink" ||
      name == "hardshrink")
    details.numbers = {0.25};
  if (name == "elu" || name == "celu" || name == "huber_loss" ||
      name == "smooth_l1_loss")
    details.numbers = {1};
  if (name.ends_with("_norm"))
    details.numbers = {1e-3};
  if (name == "kl_div")
    details.options.set("log_target", b.getI64IntegerAttr(1));
  if (name.ends_with("_loss") || name == "kl_div" ||
      name.starts_with("binary_cross_entropy"))
    details.options.set("reduction", b.getStringAttr("none"));
  if (name == "addcmul")
    details.numbers = {0.5};
  if (name == "softplus")
    details.numbers = {1, 20};
  if (name == "clamp") {
    details.numbers = {-0.75, 1.5};
    details.options.set("has_min", b.getI64IntegerAttr(1));
    details.options.set("has_max", b.getI64IntegerAttr(1));
  }
  if (name.starts_with("gelu") && program.random.chance(50))
    details.options.set("approximate", b.getStringAttr("tanh"));
  if (name.ends_with("softmax"))
    details.options.set(
        "dim", b.getI64IntegerAttr(program.random.between(-rank, rank - 1)));
  return details;
}

void fuzz::addComposite(GrowingProgram &program, const Tensor &tensor) {
  const Composite &composite =
      program.random.pick(ArrayRef<Composite>(kComposites));
  bool isRowwise =
      composite.name.ends_with("softmax") || composite.name.ends_with("_norm");
  if (!tensor.isFloat() ||
      (isRowwise && (tensor.dims.empty() || countElements(tensor.dims) == 0)))
    return;
  Tensor source = program.tame(tensor);
  Call call(program, composite.name);
  call.add(source);
  double limit = source.range.limit;
  for (unsigned i = 1; i < composite.numTensors; ++i) {
    Tensor other = program.tame(program.pickLike(source));
    limit = std::max(limit, other.range.limit);
    call.add(other);
  }
  Magnitude range{composite.bound(limit), /*isExact=*/false};
  if (!fits(tensor.element, range))
    return;
  Details details = chooseDetails(program, composite.name, source.getRank());
  for (double number : details.numbers)
    call.add(number);
  call.options = details.options;
  SmallVector<Value> results = call.emit();
  if (!results.empty())
    program.add(results.front(),
                program.getDimsOf(results.front(), source.dims), range);
}

void fuzz::addDense(GrowingProgram &program, const Tensor &tensor) {
  // Its type says its sizes, and has few elements.
  int64_t count = countElements(tensor.dims);
  bool isOpen =
      llvm::any_of(tensor.dims, [](const Dim &dim) { return dim.isOpen; });
  if (isOpen || count == 0 || count > 64 || !tensor.isFloat())
    return addConstant(program, tensor);
  ImplicitLocOpBuilder &b = program.builder;
  auto type = program.getType(tensor.dims, tensor.element);
  SmallVector<Attribute> numbers;
  // Any float type has halves up to 2.
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(b.getFloatAttr(
        tensor.element, double(program.random.between(-4, 4)) / 2));
  Value value =
      ConstantOp::create(b, type, DenseElementsAttr::get(type, numbers));
  addBinary(program, program.add(value, tensor.dims, {2, true}));
}
