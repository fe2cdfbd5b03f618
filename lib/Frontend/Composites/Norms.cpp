//===- Norms.cpp - Normalisations and their gradients, by name ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements less their mean, divided by their standard deviation, over the last
// dimensions (layer norm), over all but one (batch norm), or over a group of
// channels and what is behind them (group and instance norm), times a weight,
// plus a bias. All is computed in f32, of f64 in f64; each result is rounded
// once. Means and reciprocal deviations are results, for the gradients.
//
//===----------------------------------------------------------------------===//

#include "../Term.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

namespace {
/// Weight and bias, for each element that is normalised or for each channel.
struct Affine {
  std::optional<Term> weight, bias;
};
/// Normalised elements, with what they were normalised by.
struct Normal {
  Term elements, mean, variance, deviation;
};
/// What the gradient of a norm is computed of.
struct Gradient {
  Term gradient, input, mean, deviation;
  std::optional<Term> weight;
  bool hasBias;
};
} // namespace

static SmallVector<int64_t> range(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, std::max(begin, end)));
}

static FailureOr<Affine> takeAffine(Emitter &e) {
  FailureOr<bool> hasWeight = e.getFlag("has_weight"),
                  hasBias = e.getFlag("has_bias");
  if (failed(hasWeight) || failed(hasBias))
    return failure();
  FailureOr<std::optional<Term>> weight = takeIf(e, *hasWeight);
  if (failed(weight))
    return failure();
  FailureOr<std::optional<Term>> bias = takeIf(e, *hasBias);
  if (failed(bias))
    return failure();
  return Affine{*weight, *bias};
}

static Term invert(const Term &variance, const Term &eps) {
  return (variance + eps).apply("rsqrt");
}

/// Two walks: the mean, and the mean of squares of differences from it.
static Normal normalize(const Term &x, ArrayRef<int64_t> dims,
                        const Term &eps) {
  Term mean = x.reduce("mean", dims), rest = x - mean;
  Term variance = (rest * rest).reduce("mean", dims);
  Term deviation = invert(variance, eps);
  return {rest * deviation, mean, variance, deviation};
}

static Term scale(Term y, const Affine &affine) {
  if (affine.weight)
    y = y * affine.weight->widen();
  return affine.bias ? y + affine.bias->widen() : y;
}

/// The gradient of what `normalize` does; `gradient` is that of its elements.
static Term getGradient(const Term &gradient, const Term &elements,
                        const Term &deviation, ArrayRef<int64_t> dims) {
  Term along = (gradient * elements).reduce("mean", dims);
  return deviation *
         (gradient - gradient.reduce("mean", dims) - elements * along);
}

/// The gradient is of a result that has the input's shape.
static LogicalResult demandShape(Term &gradient, Term &input) {
  int64_t rank = input.rank();
  if (gradient.rank() != rank)
    return input.emitter().error()
           << "a gradient of the input's shape, that of " << input.type()
           << ", got " << gradient.type();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (failed(demandSame(gradient, dim, input, dim)))
      return failure();
  return success();
}

/// Operands are the gradient, the input, what `others` says, and a weight.
static FailureOr<Gradient> takeGradient(Emitter &e, bool hasMean) {
  FailureOr<bool> hasWeight = e.getFlag("has_weight"),
                  hasBias = e.getFlag("has_bias");
  if (failed(hasWeight) || failed(hasBias))
    return failure();
  SmallVector<Term> given;
  for (int i = 0; i < 3 + hasMean; ++i) {
    FailureOr<Term> each = takeFloats(e);
    if (failed(each))
      return failure();
    given.push_back(*each);
  }
  FailureOr<std::optional<Term>> weight = takeIf(e, *hasWeight);
  if (failed(weight) || failed(e.checkNoneLeft()) ||
      failed(demandShape(given[0], given[1])))
    return failure();
  return Gradient{given[0],     given[1], given[hasMean ? 2 : 1],
                  given.back(), *weight,  *hasBias};
}

/// The gradients of input, weight and bias, each in the type of what it is the
/// gradient of. Those of weight and bias are sums over `dims`.
static Results finishGradient(const Gradient &g, const Term &ofInput,
                              const Term &elements, ArrayRef<int64_t> dims) {
  SmallVector<Term> results = {ofInput.castTo(g.input.element())};
  Term gradient = g.gradient.castTo(g.input.getWideType());
  Type own = g.weight ? g.weight->element() : g.input.element();
  if (g.weight)
    results.push_back((gradient * elements).sumOver(dims).castTo(own));
  if (g.hasBias)
    results.push_back(gradient.sumOver(dims).castTo(own));
  return finish(results);
}

//===----------------------------------------------------------------------===//
// Over the last dimensions
//===----------------------------------------------------------------------===//

/// The dimensions that are normalised: the last `ndim`, or as many as `shape`
/// has sizes.
static FailureOr<SmallVector<int64_t>> getLastDims(Emitter &e, const Term &x) {
  bool hasShape = e.has("shape");
  FailureOr<int64_t> count = e.getInt("ndim", 1);
  FailureOr<ArrayRef<int64_t>> shape =
      hasShape ? e.getInts("shape") : ArrayRef<int64_t>();
  if (failed(count) || failed(shape))
    return failure();
  if (hasShape)
    count = shape->size();
  if (*count >= 1 && *count <= x.rank())
    return range(x.rank() - *count, x.rank());
  return e.error() << "1 to " << x.rank()
                   << (hasShape ? " sizes as 'shape'" : " as 'ndim'")
                   << ", for " << x.type() << ", got " << *count;
}

/// x, whose last dimensions have the sizes of `shape` if that is given; takes
/// the operands that are left.
static FailureOr<Term> takeShape(Emitter &e, const Term &x,
                                 ArrayRef<int64_t> dims) {
  if (!e.has("shape"))
    return failed(e.checkNoneLeft()) ? FailureOr<Term>() : x;
  FailureOr<SmallVector<OpFoldResult>> shape = e.takeSizes("shape");
  if (failed(shape) || failed(e.checkNoneLeft()))
    return failure();
  Value value = x.get();
  for (auto [dim, size] : llvm::zip_equal(dims, *shape)) {
    OpFoldResult own = e.getDim(value, dim);
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known || getConstantIntValue(own)) {
      if (failed(e.expectEqual(size, own,
                               "size {0}, that of the shape, in dimension " +
                                   Twine(dim) + ", got {1}")))
        return failure();
      continue;
    }
    FailureOr<Value> closed = e.closeDim(value, dim, *known);
    if (failed(closed))
      return failure();
    value = *closed;
  }
  return Term(e, value);
}

/// Operands are the input, the number that is added to the variance, a weight
/// and a bias.
static Results emitLayerNorm(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  if (failed(x))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = getLastDims(e, *x);
  FailureOr<Term> eps = takeNumber(e);
  if (failed(dims) || failed(eps))
    return failure();
  FailureOr<Affine> affine = takeAffine(e);
  if (failed(affine))
    return failure();
  x = takeShape(e, *x, *dims);
  if (failed(x))
    return failure();
  Normal normal = normalize(x->widen(), *dims, *eps);
  Term y = scale(normal.elements, *affine);
  return finish({y.castTo(x->element()), normal.mean, normal.deviation});
}

/// The same without the mean: by the root of the mean of squares.
static Results emitRmsNorm(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  FailureOr<bool> hasWeight = e.getFlag("has_weight");
  if (failed(x) || failed(hasWeight))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = getLastDims(e, *x);
  FailureOr<Term> eps = takeNumber(e);
  if (failed(dims) || failed(eps))
    return failure();
  FailureOr<std::optional<Term>> weight = takeIf(e, *hasWeight);
  if (failed(weight))
    return failure();
  x = takeShape(e, *x, *dims);
  if (failed(x))
    return failure();
  Term wide = x->widen();
  Term deviation = invert((wide * wide).reduce("mean", *dims), *eps);
  Term y = scale(wide * deviation, {*weight, std::nullopt});
  return finish({y.castTo(x->element()), deviation});
}

static Results emitLayerNormBackward(Emitter &e) {
  FailureOr<Gradient> g = takeGradient(e, /*hasMean=*/true);
  if (failed(g))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = getLastDims(e, g->input);
  if (failed(dims))
    return failure();
  Term elements = (g->input.widen() - g->mean) * g->deviation;
  Term gradient = g->gradient.castTo(g->input.getWideType());
  if (g->weight)
    gradient = gradient * g->weight->widen();
  Term ofInput = getGradient(gradient, elements, g->deviation, *dims);
  return finishGradient(*g, ofInput, elements, range(0, dims->front()));
}

static Results emitRmsNormBackward(Emitter &e) {
  FailureOr<Gradient> g = takeGradient(e, /*hasMean=*/false);
  if (failed(g))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = getLastDims(e, g->input);
  if (failed(dims))
    return failure();
  Term elements = g->input.widen() * g->deviation;
  Term gradient = g->gradient.castTo(g->input.getWideType());
  if (g->weight)
    gradient = gradient * g->weight->widen();
  Term along = (gradient * elements).reduce("mean", *dims);
  Term ofInput = g->deviation * (gradient - elements * along);
  return finishGradient(*g, ofInput, elements, range(0, dims->front()));
}

//===----------------------------------------------------------------------===//
// Over all dimensions but that of channels
//===----------------------------------------------------------------------===//

namespace {
/// Which dimension counts channels, and which are the others.
struct Channels {
  int64_t dim;
  SmallVector<int64_t> others;

  /// A number for each channel, so that it is broadcast along the others.
  Term spread(const Term &each) const {
    int64_t rank = others.size() + 1;
    return each.unsqueeze(range(1, rank - dim));
  }
  std::optional<Term> spread(const std::optional<Term> &each) const {
    return each ? std::optional<Term>(spread(*each)) : std::nullopt;
  }
};
} // namespace

static FailureOr<Channels> getChannels(Emitter &e, const Term &x) {
  FailureOr<int64_t> dim = e.getInt("dim", 1);
  if (failed(dim))
    return failure();
  FailureOr<int64_t> place = e.normalizeDim(*dim, x.rank());
  if (failed(place))
    return failure();
  Channels channels{*place, range(0, x.rank())};
  channels.others.erase(channels.others.begin() + *place);
  return channels;
}

/// A running mean or variance, moved by `momentum` to that of a batch.
static Term advance(const Term &running, const Term &batch,
                    const Term &momentum) {
  Term next = running.widen() * (1 - momentum) + batch * momentum;
  return next.castTo(running.element());
}

/// The running mean and variance after a batch; of the latter without bias.
static SmallVector<Term> advanceBoth(ArrayRef<Term> running, const Term &x,
                                     ArrayRef<Term> batch,
                                     const Channels &channels) {
  Emitter &e = x.emitter();
  Term count = makeFloat(e, 1), momentum = running.back();
  for (int64_t dim : channels.others) {
    Term size(e, e.toInteger(e.getDim(x.get(), dim)));
    count = count * size.castTo(e.builder.getF64Type());
  }
  Term unbiased = batch.back() * (count / (count + -1));
  return {advance(running[0], batch[0], momentum),
          advance(running[1], unbiased, momentum)};
}

/// Operands are the input, the number that is added to the variance, a weight,
/// a bias, and a running mean, a running variance and the momentum.
static Results emitBatchNorm(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  FailureOr<bool> hasRunning = e.getFlag("has_running");
  FailureOr<bool> isTraining = e.getFlag("training", true);
  if (failed(x) || failed(hasRunning) || failed(isTraining))
    return failure();
  if (!*isTraining && !*hasRunning)
    return e.error() << "a running mean and variance without 'training', got "
                        "none";
  FailureOr<Channels> channels = getChannels(e, *x);
  FailureOr<Term> eps = takeNumber(e);
  if (failed(channels) || failed(eps))
    return failure();
  FailureOr<Affine> affine = takeAffine(e);
  if (failed(affine))
    return failure();
  SmallVector<Term> running;
  for (int i = 0; i < (*hasRunning ? 3 : 0); ++i) {
    FailureOr<Term> each = i < 2 ? takeFloats(e) : takeNumber(e);
    if (failed(each))
      return failure();
    running.push_back(*each);
  }
  if (failed(e.checkNoneLeft()))
    return failure();
  Term wide = x->widen();
  Affine spread{channels->spread(affine->weight),
                channels->spread(affine->bias)};
  Type own = x->element();
  if (!*isTraining) {
    Term mean = running[0].castTo(x->getWideType());
    Term deviation = invert(running[1].castTo(x->getWideType()), *eps);
    Term y = (wide - channels->spread(mean)) * channels->spread(deviation);
    return finish({scale(y, spread).castTo(own), mean, deviation});
  }
  Normal normal = normalize(wide, channels->others, *eps);
  Term mean = normal.mean.squeeze(channels->others),
       deviation = normal.deviation.squeeze(channels->others);
  SmallVector<Term> results = {scale(normal.elements, spread).castTo(own), mean,
                               deviation};
  if (*hasRunning) {
    Term variance = normal.variance.squeeze(channels->others);
    llvm::append_range(results,
                       advanceBoth(running, *x, {mean, variance}, *channels));
  }
  return finish(results);
}

/// Without `training` mean and deviation are no functions of the input.
static Results emitBatchNormBackward(Emitter &e) {
  FailureOr<Gradient> g = takeGradient(e, /*hasMean=*/true);
  FailureOr<bool> isTraining = e.getFlag("training", true);
  if (failed(g) || failed(isTraining))
    return failure();
  FailureOr<Channels> channels = getChannels(e, g->input);
  if (failed(channels))
    return failure();
  Term mean = channels->spread(g->mean),
       deviation = channels->spread(g->deviation);
  Term elements = (g->input.widen() - mean) * deviation;
  Term gradient = g->gradient.castTo(g->input.getWideType());
  if (g->weight)
    gradient = gradient * channels->spread(g->weight->widen());
  Term ofInput =
      *isTraining ? getGradient(gradient, elements, deviation, channels->others)
                  : gradient * deviation;
  return finishGradient(*g, ofInput, elements, channels->others);
}

//===----------------------------------------------------------------------===//
// Over groups of channels
//===----------------------------------------------------------------------===//

namespace {
/// An input of shape N x C x ... as N x groups x channels of a group x ...
struct Groups {
  SmallVector<OpFoldResult> whole, split;

  Term divide(const Term &x) const { return x.shaped("reshape", split); }
  Term join(const Term &x) const { return x.shaped("reshape", whole); }
  /// What is normalised: channels of a group, and all that is behind.
  SmallVector<int64_t> getDims() const { return range(2, split.size()); }
  /// Numbers for each channel, broadcast along what is behind.
  std::optional<Term> spread(const std::optional<Term> &each) const {
    return each ? std::optional<Term>(
                      each->unsqueeze(range(1, whole.size() - 1)))
                : std::nullopt;
  }
};
} // namespace

/// `groups`; for an instance norm each channel is one.
static FailureOr<Groups> getGroups(Emitter &e, const Term &x) {
  if (x.rank() < 2)
    return e.error() << "a tensor of at least two dimensions, got " << x.type();
  Groups groups{e.getShape(x.get()), {}};
  OpFoldResult count = groups.whole[1], each = e.builder.getIndexAttr(1);
  if (!e.request.name.starts_with("instance")) {
    FailureOr<int64_t> given = e.getInt("groups", std::nullopt);
    if (failed(given))
      return failure();
    if (*given < 1)
      return e.error() << "at least 1 as 'groups', got " << *given;
    FailureOr<OpFoldResult> part = e.divideExactly(
        count, *given,
        "a number of groups that divides the {0} channels, got {1}");
    if (failed(part))
      return failure();
    each = *part;
    count = e.builder.getIndexAttr(*given);
  }
  groups.split = groups.whole;
  groups.split[1] = count;
  groups.split.insert(groups.split.begin() + 2, each);
  return groups;
}

/// Operands as of `layer_norm`, with a weight and a bias for each channel.
static Results emitGroupNorm(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  if (failed(x))
    return failure();
  FailureOr<Groups> groups = getGroups(e, *x);
  FailureOr<Term> eps = takeNumber(e);
  if (failed(groups) || failed(eps))
    return failure();
  FailureOr<Affine> affine = takeAffine(e);
  if (failed(affine) || failed(e.checkNoneLeft()))
    return failure();
  Normal normal =
      normalize(groups->divide(x->widen()), groups->getDims(), *eps);
  Term y = scale(groups->join(normal.elements), {groups->spread(affine->weight),
                                                 groups->spread(affine->bias)});
  return finish({y.castTo(x->element()), normal.mean.squeeze(groups->getDims()),
                 normal.deviation.squeeze(groups->getDims())});
}

static Results emitGroupNormBackward(Emitter &e) {
  FailureOr<Gradient> g = takeGradient(e, /*hasMean=*/true);
  if (failed(g))
    return failure();
  FailureOr<Groups> groups = getGroups(e, g->input);
  if (failed(groups))
    return failure();
  SmallVector<int64_t> dims = groups->getDims();
  Term mean = g->mean.unsqueeze(dims), deviation = g->deviation.unsqueeze(dims);
  Term elements = (groups->divide(g->input.widen()) - mean) * deviation;
  Term gradient = g->gradient.castTo(g->input.getWideType());
  if (g->weight)
    gradient = gradient * groups->spread(g->weight)->widen();
  Term ofInput =
      getGradient(groups->divide(gradient), elements, deviation, dims);
  SmallVector<int64_t> others = range(0, groups->whole.size());
  others.erase(others.begin() + 1);
  return finishGradient(*g, groups->join(ofInput), groups->join(elements),
                        others);
}

void frontend::addNormOps(HandlerMap &map) {
  StringRef affine = "x eps has_weight?weight has_bias?bias";
  StringRef gradient = "gradient x mean rstd has_weight?weight";
  map["layer_norm"] = {emitLayerNorm, "ndim shape has_weight has_bias",
                       "x eps has_weight?weight has_bias?bias sizes..."};
  map["layer_norm_backward"] = {emitLayerNormBackward,
                                "ndim has_weight has_bias", gradient};
  map["rms_norm"] = {emitRmsNorm, "ndim shape has_weight",
                     "x eps has_weight?weight sizes..."};
  map["rms_norm_backward"] = {emitRmsNormBackward, "ndim has_weight",
                              "gradient x rrms has_weight?weight"};
  map["batch_norm"] = {
      emitBatchNorm, "dim training has_weight has_bias has_running",
      "x eps has_weight?weight has_bias?bias has_running?running_mean "
      "has_running?running_var has_running?momentum"};
  map["batch_norm_backward"] = {emitBatchNormBackward,
                                "dim training has_weight has_bias", gradient};
  map["group_norm"] = {emitGroupNorm, "groups has_weight has_bias", affine};
  map["group_norm_backward"] = {emitGroupNormBackward,
                                "groups has_weight has_bias", gradient};
  map["instance_norm"] = {emitGroupNorm, "has_weight has_bias", affine};
  map["instance_norm_backward"] = {emitGroupNormBackward, "has_weight has_bias",
                                   gradient};
}
