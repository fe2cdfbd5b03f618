//===- CompositeCalls.cpp - Ops of builders, each with its own operands ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of builder-ops.md whose operands, options or results follow from
// something else than the sizes of one tensor. A form is a function that calls
// an op by its name; an op that is added is a line in kForms.
//
//===----------------------------------------------------------------------===//

#include "BuilderCall.h"
#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A result that has the sizes of `dims`, of which its type may know others.
static void addResult(GrowingProgram &program, Value value, ArrayRef<Dim> dims,
                      Magnitude range) {
  if (fits(getElementTypeOrSelf(value), range))
    program.add(value, program.getDimsOf(value, dims), range);
}

static void addFirst(GrowingProgram &program, Call &call, ArrayRef<Dim> dims,
                     Magnitude range) {
  SmallVector<Value> results = call.emit();
  if (!results.empty())
    addResult(program, results.front(), dims, range);
}

/// One of the same type and sizes, with small elements.
static Tensor pickSmall(GrowingProgram &program, ArrayRef<Dim> dims,
                        Type element, double limit = 4) {
  return program.tame(program.pickLike(dims, element), limit);
}

static SmallVector<int64_t> pickDims(GrowingProgram &program, const Tensor &x) {
  int64_t rank = x.getRank();
  return program.random.choose(rank, program.random.between(1, rank));
}

static double countDouble(ArrayRef<Dim> dims) {
  return static_cast<double>(countElements(dims));
}

//===----------------------------------------------------------------------===//
// What moves elements
//===----------------------------------------------------------------------===//

static void addMove(GrowingProgram &program, const Tensor &x, StringRef name) {
  SmallVector<int64_t> dims = pickDims(program, x), shifts;
  for (size_t i = 0; i < dims.size(); ++i)
    shifts.push_back(program.random.between(-9, 9));
  Call call(program, name);
  call.add(x).set("dims", dims);
  if (name == "roll")
    call.set("shifts", shifts);
  addFirst(program, call, x.dims, x.range);
}

/// Each element, or the whole, several times along dimensions.
static void addRepeat(GrowingProgram &program, const Tensor &x,
                      StringRef name) {
  Random &random = program.random;
  bool isOfElements = name == "repeat_interleave";
  SmallVector<int64_t> repeats(x.getRank(), 1);
  int64_t dim = random.between(0, x.getRank() - 1);
  repeats[dim] = random.between(1, 3);
  if (!isOfElements)
    repeats.front() = random.between(1, 2);
  Dims dims = x.dims;
  for (auto [size, count] : llvm::zip(dims, repeats))
    if (count != 1)
      size = program.makeDim(size.size * count, size.isOpen);
  if (!isSmall(dims))
    return;
  Call call(program, name);
  call.add(x);
  if (isOfElements)
    call.set("dim", dim).set("repeats", repeats[dim]);
  else
    call.set("repeats", ArrayRef<int64_t>(repeats));
  addFirst(program, call, dims, x.range);
}

/// The elements of fibres in order, or the first few, and where they are.
static void addSorted(GrowingProgram &program, const Tensor &x,
                      StringRef name) {
  // Of other elements than these the places may be any.
  if (!x.range.isExact)
    return;
  Random &random = program.random;
  int64_t dim = random.between(0, x.getRank() - 1), size = x.dims[dim].size;
  Dims dims = x.dims;
  Call call(program, name);
  call.add(x).set("dim", dim);
  if (name == "topk") {
    int64_t count = random.between(0, std::min<int64_t>(size, 9));
    dims[dim] = program.makeDim(count, false);
    call.set("k", count).set("largest", random.chance(50));
  } else {
    call.set("descending", random.chance(50));
  }
  SmallVector<Value> results = call.emit();
  if (results.empty())
    return;
  addResult(program, results[0], dims, x.range);
  double most = static_cast<double>(std::max<int64_t>(size, 1));
  addResult(program, results[1], dims, {most, true});
}

static void addTriangle(GrowingProgram &program, const Tensor &x,
                        StringRef name) {
  if (x.getRank() < 2)
    return;
  Call call(program, name);
  call.add(x);
  if (program.random.chance(60))
    call.addInteger(program.random.between(-3, 3));
  addFirst(program, call, x.dims, x.range);
}

/// Rows, sometimes made shorter by their norm.
static void addEmbedding(GrowingProgram &program, const Tensor &x,
                         StringRef name) {
  if (x.getRank() != 2)
    return;
  Random &random = program.random;
  Dims at;
  for (int64_t rank = random.between(0, 2); rank > 0; --rank)
    at.push_back(program.pickDim());
  Dims dims = at;
  dims.push_back(x.dims.back());
  if (!isSmall(dims))
    return;
  Indices indices = makeIndices(program, at, x.dims.front().size);
  bool hasNorm = random.chance(30);
  Tensor rows = hasNorm ? program.tame(x) : x;
  Call call(program, name);
  call.add(indices.value).add(rows);
  if (hasNorm)
    call.add(1.5).add(random.pick({1.0, 2.0, 3.0}));
  Magnitude range = rows.range;
  range.isExact &= !hasNorm;
  addFirst(program, call, dims, range);
}

static void addSelection(GrowingProgram &program, const Tensor &x,
                         StringRef name) {
  int64_t dim = program.random.between(0, x.getRank() - 1);
  Dims at = {program.pickDim()}, dims = x.dims;
  dims[dim] = at.front();
  if (!isSmall(dims))
    return;
  Call call(program, name);
  call.add(x)
      .add(makeIndices(program, at, x.dims[dim].size).value)
      .set("dim", dim);
  addFirst(program, call, dims, x.range);
}

/// Updates at places of one dimension, or of two neighbours.
static void addIndexPut(GrowingProgram &program, const Tensor &x,
                        StringRef name) {
  Random &random = program.random;
  bool isOfMany = name == "index_put";
  int64_t rank = x.getRank(),
          count = isOfMany && rank > 1 && random.chance(30) ? 2 : 1;
  int64_t first = random.between(0, rank - count);
  Dims at = {program.pickDim()}, dims(x.dims.begin(), x.dims.begin() + first);
  llvm::append_range(dims, at);
  dims.append(x.dims.begin() + first + count, x.dims.end());
  if (!isSmall(dims))
    return;
  Call call(program, name);
  call.add(x);
  for (int64_t dim = first; dim < first + count; ++dim)
    call.add(makeIndices(program, at, x.dims[dim].size).value);
  Tensor updates = program.pickLike(dims, x.element);
  call.add(updates);
  if (isOfMany)
    call.set("dims", llvm::to_vector(llvm::seq<int64_t>(first, first + count)));
  else
    call.set("dim", first);
  Magnitude range{std::max(x.range.limit, updates.range.limit),
                  x.range.isExact && updates.range.isExact};
  if (name == "index_add" || (isOfMany && random.chance(40))) {
    if (isOfMany)
      call.set("accumulate");
    range = {x.range.limit + updates.range.limit * countDouble(at), false};
  }
  addFirst(program, call, x.dims, range);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static Dims getReducedDims(GrowingProgram &program, const Tensor &x,
                           ArrayRef<int64_t> reduced, bool keep) {
  Dims dims;
  for (auto [place, dim] : llvm::enumerate(x.dims))
    if (!llvm::is_contained(reduced, place))
      dims.push_back(dim);
    else if (keep)
      dims.push_back(program.makeDim(1, false));
  return dims;
}

static double countReduced(const Tensor &x, ArrayRef<int64_t> reduced) {
  double count = 1;
  for (int64_t dim : reduced)
    count *= static_cast<double>(x.dims[dim].size);
  return count;
}

/// Variances and deviations, with the mean beside them or not; or the parts of
/// them.
static void addDeviation(GrowingProgram &program, const Tensor &x,
                         StringRef name) {
  if (countElements(x.dims) == 0)
    return;
  Random &random = program.random;
  Tensor source = program.tame(x, 10);
  SmallVector<int64_t> reduced = pickDims(program, source);
  double count = countReduced(source, reduced), most = source.range.limit;
  bool keep = random.chance(50), isParts = name == "welford";
  Call call(program, name);
  call.add(source).set("dims", reduced).set("keep", keep);
  // Of one element nothing is left to divide by.
  if (!isParts)
    call.set("correction", count > 1 && random.chance(60));
  Dims dims = getReducedDims(program, source, reduced, keep);
  double squares = 4 * most * most * (isParts ? count : 2);
  double first = name.starts_with("std") ? 3 * most : squares;
  SmallVector<double> limits = {first, most};
  if (isParts)
    limits = {most, squares, count};
  for (auto [value, limit] : llvm::zip(call.emit(), limits)) {
    bool isCount = !isa<FloatType>(getElementTypeOrSelf(value.getType()));
    addResult(program, value, dims, {limit, isCount});
  }
}

static void addRowNorm(GrowingProgram &program, const Tensor &x,
                       StringRef name) {
  if (countElements(x.dims) == 0)
    return;
  Tensor source = program.tame(x);
  SmallVector<int64_t> reduced = pickDims(program, source);
  bool isReduced = name != "normalize", isCosine = name == "cosine_similarity";
  bool keep = isReduced && !isCosine && program.random.chance(50);
  double limit = 1.5;
  if (name == "logsumexp")
    limit = source.range.limit + kLogOfMost;
  if (name == "nansum")
    limit = source.range.limit * countReduced(source, reduced);
  if (name == "nanmean")
    limit = source.range.limit;
  if (name == "vector_norm")
    limit = source.range.limit * kRootOfMost;
  Call call(program, name);
  call.add(source).set("dims", reduced);
  if (isCosine)
    call.add(pickSmall(program, source.dims, source.element));
  if (isCosine || !isReduced)
    call.add(1e-3);
  if (keep)
    call.set("keep");
  Dims dims =
      isReduced ? getReducedDims(program, source, reduced, keep) : source.dims;
  addFirst(program, call, dims, {limit, false});
}

//===----------------------------------------------------------------------===//
// Functions and random numbers
//===----------------------------------------------------------------------===//

/// Of what lies between -0.8 and 0.8, or that much around 1.
static void addErfInverse(GrowingProgram &program, const Tensor &x,
                          StringRef name) {
  Tensor source = program.tame(x);
  Call scaled(program, "mul");
  SmallVector<Value> values = scaled.add(source).add(0.2).emit();
  if (!values.empty() && name == "erfcinv")
    values = Call(program, "add").add(values.front()).add(1.0).emit();
  if (values.empty())
    return;
  Call call(program, name);
  call.add(values.front());
  addFirst(program, call, source.dims, {1, false});
}

static void addDropout(GrowingProgram &program, const Tensor &x,
                       StringRef name) {
  double rate = program.random.pick({0.25, 0.5, 0.1}), factor = 1 / (1 - rate);
  Tensor source = program.tame(x, 100);
  Call call(program, name);
  SmallVector<Value> results = call.add(source).add(rate).addSeed().emit();
  if (results.empty())
    return;
  Magnitude range{2 * source.range.limit, false};
  addResult(program, results[0], source.dims, range);
  addResult(program, results[1], source.dims, {1, true});
  if (program.random.chance(50))
    return;
  Tensor gradient = pickSmall(program, source.dims, source.element);
  Call backward(program, name + "_backward");
  backward.add(gradient).add(results[1]).add(factor);
  addFirst(program, backward, source.dims, {2 * gradient.range.limit, false});
}

/// Numbers with the sizes of `x`.
static void addNormal(GrowingProgram &program, const Tensor &x,
                      StringRef name) {
  Random &random = program.random;
  double mean = random.pick({0.0, 1.5}), deviation = random.pick({1.0, 0.5});
  Call call(program, name);
  call.add(mean).add(deviation).addRandom(x.dims, x.element);
  // The logarithm of 2^-53 is the greatest.
  addFirst(program, call, x.dims, {9 * deviation + mean, false});
}

//===----------------------------------------------------------------------===//
// Norms, losses and attention, with their gradients
//===----------------------------------------------------------------------===//

static void addSoftmaxGradient(GrowingProgram &program, const Tensor &x,
                               StringRef name) {
  if (countElements(x.dims) == 0)
    return;
  Tensor source = program.tame(x);
  int64_t dim = program.random.between(0, x.getRank() - 1);
  Call call(program, name);
  SmallVector<Value> results = call.add(source).set("dim", dim).emit();
  if (results.empty())
    return;
  bool isLog = name == "log_softmax";
  double most = isLog ? 2 * source.range.limit + kLogOfMost : 1;
  addResult(program, results.front(), source.dims, {most, false});
  Tensor gradient = pickSmall(program, source.dims, source.element);
  Call backward(program, name + "_backward");
  backward.add(gradient).add(results.front()).set("dim", dim);
  double terms = isLog ? static_cast<double>(source.dims[dim].size) : 1;
  addFirst(program, backward, source.dims,
           {gradient.range.limit * (1 + terms), false});
}

/// Of what is added to a variance the reciprocal of the root is no greater.
static constexpr double kEpsilon = 1e-3, kLeastRoot = 32;

namespace {
/// A norm by its name, with what its gradient takes as well.
struct Norm {
  Tensor source;
  /// Those of weight and bias.
  Dims channels;
  std::optional<Tensor> weight;
  double bias = 0;
  NamedAttrList options;
  /// The mean, which an RMS norm has none of, and the reciprocal of the root.
  SmallVector<Value> statistics;

  double getWeight() const { return weight ? weight->range.limit : 1; }
};
} // namespace

static std::optional<Norm> chooseNorm(GrowingProgram &program, const Tensor &x,
                                      StringRef name) {
  Random &random = program.random;
  Norm norm;
  int64_t rank = x.getRank();
  norm.source = program.tame(x);
  if (name.starts_with("layer") || name.starts_with("rms")) {
    int64_t count = random.between(1, std::min<int64_t>(2, rank));
    norm.options.set("ndim", program.builder.getI64IntegerAttr(count));
    norm.channels.assign(x.dims.end() - count, x.dims.end());
    return norm;
  }
  if (rank < 2)
    return std::nullopt;
  norm.channels = {x.dims[1]};
  if (name != "group_norm")
    return norm;
  SmallVector<int64_t> divisors;
  for (int64_t count = 1; count <= x.dims[1].size; ++count)
    if (x.dims[1].size % count == 0)
      divisors.push_back(count);
  int64_t groups = random.pick(ArrayRef<int64_t>(divisors));
  norm.options.set("groups", program.builder.getI64IntegerAttr(groups));
  return norm;
}

/// A running mean and variance, moved if the norm is by those of the batch.
static void addRunning(GrowingProgram &program, const Norm &norm, Call &call) {
  bool isTraining =
      countElements(norm.source.dims) > countElements(norm.channels) &&
      program.random.chance(60);
  // The running variance takes n / (n - 1) of its n elements.
  bool isOpen =
      llvm::any_of(norm.source.dims, [](const Dim &dim) { return dim.isOpen; });
  isTraining &= !isOpen || program.hasFloatsOfSizes();
  Type element = norm.source.element;
  call.add(pickSmall(program, norm.channels, element));
  Tensor any = pickSmall(program, norm.channels, element);
  call.add(AbsOp::create(program.builder, any.value)).add(0.1);
  call.set("has_running").set("training", isTraining);
}

static void addNormGradient(GrowingProgram &program, const Norm &norm,
                            StringRef name) {
  const Tensor &x = norm.source;
  Tensor gradient = pickSmall(program, x.dims, x.element, 1);
  Call call(program, name + "_backward");
  call.add(gradient).add(x);
  for (Value value : norm.statistics)
    call.add(value);
  if (norm.weight)
    call.add(*norm.weight);
  call.options = norm.options;
  call.options.erase("has_running");
  SmallVector<Value> results = call.emit();
  if (results.empty())
    return;
  double most = gradient.range.limit,
         rows = countDouble(x.dims) / countDouble(norm.channels);
  addResult(program, results.front(), x.dims,
            {kLeastRoot * most * norm.getWeight() * (2 + kRootOfMost), false});
  for (Value value : ArrayRef(results).drop_front())
    addResult(program, value, norm.channels,
              {rows * most * 2 * kRootOfMost, false});
}

static void addNorm(GrowingProgram &program, const Tensor &x, StringRef name) {
  if (countElements(x.dims) == 0)
    return;
  std::optional<Norm> norm = chooseNorm(program, x, name);
  if (!norm)
    return;
  Random &random = program.random;
  Call call(program, name);
  call.options = norm->options;
  call.add(norm->source).add(kEpsilon);
  if (random.chance(50)) {
    norm->weight = pickSmall(program, norm->channels, x.element);
    call.add(*norm->weight).set("has_weight");
  }
  bool isRootOnly = name == "rms_norm";
  if (!isRootOnly && random.chance(50)) {
    Tensor bias = pickSmall(program, norm->channels, x.element);
    norm->bias = bias.range.limit;
    call.add(bias).set("has_bias");
  }
  if (name == "batch_norm" && random.chance(40))
    addRunning(program, *norm, call);
  SmallVector<Value> results = call.emit();
  if (results.empty())
    return;
  // By a running variance elements may be greater than by their own.
  double most = std::max(kRootOfMost, 8 * kLeastRoot);
  addResult(program, results.front(), norm->source.dims,
            {most * norm->getWeight() + norm->bias, false});
  norm->options = call.options;
  norm->statistics.assign(results.begin() + 1,
                          results.begin() + (isRootOnly ? 2 : 3));
  // Running numbers are no greater than those that they are moved to.
  for (Value value : ArrayRef(results).drop_front(isRootOnly ? 2 : 3))
    addResult(program, value, norm->channels, {200, false});
  if (random.chance(60))
    addNormGradient(program, *norm, name);
}

/// The loss, what it has beside it, and the gradient of the logits.
static void addCrossEntropy(GrowingProgram &program, const Tensor &x,
                            StringRef name) {
  if (countElements(x.dims) == 0)
    return;
  Random &random = program.random;
  Tensor logits = program.tame(x);
  int64_t dim = random.between(0, x.getRank() - 1);
  Dims rows = logits.dims, classes = {logits.dims[dim]};
  rows.erase(rows.begin() + dim);
  Value target = makeIndices(program, rows, classes.front().size).value;
  StringRef reduction = random.pick<StringRef>({"none", "mean", "sum"});
  Call call(program, name), backward(program, name + "_backward");
  call.add(logits)
      .add(target)
      .set("dim", dim)
      .set("reduction", program.builder.getStringAttr(reduction));
  double weight = 1;
  // A mean is over the sum of weights, which may be near 0.
  if (reduction != "mean" && random.chance(40)) {
    Tensor weights = pickSmall(program, classes, logits.element);
    weight = weights.range.limit;
    call.add(weights).set("has_weight");
  }
  if (random.chance(40))
    call.add(0.1).set("has_smoothing");
  SmallVector<Value> results = call.emit();
  if (results.empty())
    return;
  double most = logits.range.limit + kLogOfMost,
         loss = (most + logits.range.limit) * weight;
  bool isEach = reduction == "none";
  Dims dims = isEach ? rows : Dims{};
  addResult(program, results[0], dims,
            {reduction == "sum" ? loss * countDouble(rows) : loss, false});
  addResult(program, results[1], rows, {most, false});
  Tensor gradient = pickSmall(program, dims, logits.element);
  backward.add(gradient).add(logits).add(target).add(results[1]);
  backward.operands.append(call.operands.begin() + 2, call.operands.end());
  backward.options = call.options;
  addFirst(program, backward, logits.dims,
           {3 * weight * gradient.range.limit, false});
}

namespace {
/// The sizes of an attention: queries, keys, and elements of a query and of a
/// value.
struct AttentionSizes {
  Dims batch;
  Dim queries, keys, width, values;

  Dims get(Dim rows, Dim columns) const {
    Dims dims = batch;
    dims.append({rows, columns});
    return dims;
  }
  bool areSmall() const {
    return keys.size > 0 && values.size > 0 && isSmall(get(keys, width)) &&
           isSmall(get(keys, values)) && isSmall(get(queries, keys)) &&
           isSmall(get(queries, values));
  }
};
} // namespace

/// A bias, the scale, whether it is causal, and dropout; how great the bias is.
static double chooseAttention(GrowingProgram &program,
                              const AttentionSizes &sizes, Type element,
                              Call &call) {
  Random &random = program.random;
  double limit = 0;
  if (random.chance(30)) {
    Tensor bias = pickSmall(program, {sizes.queries, sizes.keys}, element);
    limit = bias.range.limit;
    call.add(bias).set("has_bias");
  }
  if (random.chance(30))
    call.add(0.25).set("has_scale");
  if (random.chance(40))
    call.set("is_causal");
  if (random.chance(20))
    call.add(0.5).addSeed().set("has_dropout");
  return limit;
}

static void addAttention(GrowingProgram &program, const Tensor &x,
                         StringRef name) {
  if (!program.hasProducts() || x.getRank() < 2 || countElements(x.dims) == 0)
    return;
  ArrayRef<Dim> dims = x.dims;
  AttentionSizes sizes{Dims(dims.drop_back(2)), dims.drop_back().back(),
                       program.pickDim(), dims.back(), program.pickDim()};
  if (!sizes.areSmall())
    return;
  constexpr double kMost = 2;
  Type element = x.element;
  SmallVector<Tensor> inputs = {program.tame(x, kMost)};
  for (Dim columns : {sizes.width, sizes.values})
    inputs.push_back(
        pickSmall(program, sizes.get(sizes.keys, columns), element, kMost));
  Call call(program, name), backward(program, name + "_backward");
  for (const Tensor &input : inputs)
    call.add(input);
  double bias = chooseAttention(program, sizes, element, call);
  SmallVector<Value> results = call.emit();
  if (results.empty())
    return;
  Dims ofOutput = sizes.get(sizes.queries, sizes.values), ofRows = sizes.batch;
  ofRows.push_back(sizes.queries);
  auto count = [](Dim dim) { return static_cast<double>(dim.size); };
  addResult(program, results[0], ofOutput, {2 * kMost, false});
  addResult(program, results[1], ofRows,
            {kMost * kMost * count(sizes.width) + bias + kLogOfMost, false});
  Tensor gradient = pickSmall(program, ofOutput, element, 1);
  // Each gradient of a score, of which each key has one for each query.
  Magnitude range{
      4 * count(sizes.values) * kMost * kMost * count(sizes.queries), false};
  if (!fits(element, range) || program.random.chance(40))
    return;
  backward.add(gradient);
  backward.operands.append(call.operands.begin(), call.operands.begin() + 3);
  backward.operands.append(results);
  backward.operands.append(call.operands.begin() + 3, call.operands.end());
  backward.options = call.options;
  for (auto [value, input] : llvm::zip(backward.emit(), inputs))
    addResult(program, value, input.dims, range);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

namespace {
/// How an op, with its gradient, is called.
struct Form {
  StringRef name;
  void (*add)(GrowingProgram &program, const Tensor &x, StringRef name);
};
} // namespace

static constexpr Form kForms[] = {
    {"roll", addMove},
    {"flip", addMove},
    {"repeat", addRepeat},
    {"repeat_interleave", addRepeat},
    {"sort", addSorted},
    {"topk", addSorted},
    {"triu", addTriangle},
    {"tril", addTriangle},
    {"embedding", addEmbedding},
    {"index_select", addSelection},
    {"index_put", addIndexPut},
    {"index_add", addIndexPut},
    {"index_copy", addIndexPut},
    {"var", addDeviation},
    {"std", addDeviation},
    {"var_mean", addDeviation},
    {"std_mean", addDeviation},
    {"welford", addDeviation},
    {"logsumexp", addRowNorm},
    {"nansum", addRowNorm},
    {"nanmean", addRowNorm},
    {"vector_norm", addRowNorm},
    {"normalize", addRowNorm},
    {"cosine_similarity", addRowNorm},
    {"erfinv", addErfInverse},
    {"erfcinv", addErfInverse},
    {"dropout", addDropout},
    {"normal", addNormal},
    {"softmax", addSoftmaxGradient},
    {"log_softmax", addSoftmaxGradient},
    {"layer_norm", addNorm},
    {"rms_norm", addNorm},
    {"batch_norm", addNorm},
    {"group_norm", addNorm},
    {"instance_norm", addNorm},
    {"cross_entropy", addCrossEntropy},
    {"sdpa", addAttention},
};

void fuzz::addCompositeCall(GrowingProgram &program, const Tensor &tensor) {
  // 8-bit floats are not promoted, which the parts of most of these are.
  if (!tensor.isFloat() || tensor.element.getIntOrFloatBitWidth() < 16 ||
      tensor.dims.empty())
    return;
  const Form &form = program.random.pick(ArrayRef<Form>(kForms));
  form.add(program, tensor, form.name);
}
