//===- Losses.cpp - Softmax, cross entropy and their gradients, by name ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computed in f32, of f64 in f64; each result is rounded once.
//
//===----------------------------------------------------------------------===//

#include "../Term.h"

using namespace fuser;
using namespace fuser::frontend;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Elements along `dims` less the greatest one, and that.
static std::pair<Term, Term> shift(const Term &x, ArrayRef<int64_t> dims) {
  Term greatest = x.reduce("max", dims);
  return {x - greatest, greatest};
}

/// The dimension that is summed over. Without dimensions there is one element
/// along one, as in PyTorch: the list is empty.
static FailureOr<SmallVector<int64_t>> getSoftmaxDims(Emitter &e,
                                                      const Term &x) {
  FailureOr<int64_t> dim = e.getInt("dim", -1);
  if (failed(dim))
    return failure();
  if (x.rank() == 0 && (*dim == 0 || *dim == -1))
    return SmallVector<int64_t>();
  return e.normalizeDims(*dim, x.rank());
}

/// A tensor of floats, or a number as one.
static FailureOr<Term> takeFloatsOrNumber(Emitter &e) {
  FailureOr<Term> x = takeTensorOrNumber(e);
  if (failed(x) || x->isFloat())
    return x;
  return e.error() << "tensors of floats, got " << x->type();
}

static Results emitSoftmax(Emitter &e) {
  FailureOr<Term> x = takeFloatsOrNumber(e);
  if (failed(x) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = getSoftmaxDims(e, *x);
  if (failed(dims))
    return failure();
  Term rest = shift(x->widen(), *dims).first, exps = rest.apply("exp");
  Term sum = exps.reduce("sum", *dims);
  Term y = e.request.name == "softmax" ? exps / sum : rest - sum.apply("log");
  return finish(y.castTo(x->element()));
}

/// Operands are the gradient and the result.
static Results emitSoftmaxBackward(Emitter &e) {
  FailureOr<Term> gradient = takeFloats(e);
  if (failed(gradient))
    return failure();
  FailureOr<Term> result = takeFloats(e);
  if (failed(result) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = getSoftmaxDims(e, *result);
  if (failed(dims))
    return failure();
  Term g = gradient->widen(), y = result->widen(), x = g;
  if (e.request.name == "softmax_backward")
    x = y * (g - (g * y).reduce("sum", *dims));
  else
    x = g - y.apply("exp") * g.reduce("sum", *dims);
  return finish(x.castTo(result->element()));
}

//===----------------------------------------------------------------------===//
// Cross entropy
//===----------------------------------------------------------------------===//

namespace {
/// Of each row of logits the loss of the class that the target says:
/// (1 - smoothing) * weight[target] * -log p[target]
///   + smoothing / classes * sum over c of weight[c] * -log p[c]
struct CrossEntropy {
  CrossEntropy(Emitter &e, const Term &logits, int64_t dim)
      : e(e), logits(logits), target(e, Value()), dim(dim) {}

  Emitter &e;
  /// In the type that is computed in.
  Term logits;
  Term target;
  int64_t dim;
  std::optional<Term> weight, smoothing;
  int64_t ignored = -100;
  StringRef reduction = "mean";

  LogicalResult read(const Term &given);
  LogicalResult readRows(StringRef what, Term &rows);
  LogicalResult readOptions();
  Term isCounted() const;
  Term getWeight() const;
  Term spreadWeight() const;
  Term getClasses() const;
  Term getDivisor() const;
  Term reduce(const Term &loss) const;
  Results getLoss(Type own) const;
  Results getGradient(const Term &gradient, Term logSum, Type own) const;
};
} // namespace

/// `rows` has to have the logits' sizes without that of the classes.
LogicalResult CrossEntropy::readRows(StringRef what, Term &rows) {
  if (rows.rank() != logits.rank() - 1)
    return e.error() << what << " of " << logits.rank() - 1
                     << " dimensions, for logits of " << logits.type()
                     << ", got " << rows.type();
  Value all = logits.get(), part = rows.get();
  for (int64_t place : llvm::seq(logits.rank() - 1))
    if (failed(e.demandSame(part, place, all, place + (place >= dim))))
      return failure();
  logits = Term(e, all);
  rows = Term(e, part);
  return success();
}

LogicalResult CrossEntropy::read(const Term &given) {
  if (!isIntegerElement(given.element()))
    return e.error() << "integers as the target, got " << given.type();
  Term rows = given;
  if (failed(readRows("a target", rows)))
    return failure();
  target = rows.castTo(e.builder.getI64Type()).unsqueeze(dim);
  return success(bool(target));
}

/// A weight for each class and a number for smoothing, the last operands.
LogicalResult CrossEntropy::readOptions() {
  FailureOr<bool> hasWeight = e.getFlag("has_weight"),
                  hasSmoothing = e.getFlag("has_smoothing");
  FailureOr<int64_t> index = e.getInt("ignore_index", ignored);
  if (failed(hasWeight) || failed(hasSmoothing) || failed(index))
    return failure();
  ignored = *index;
  if (e.has("reduction")) {
    FailureOr<StringRef> name = e.getString("reduction");
    if (failed(name))
      return failure();
    reduction = *name;
  }
  if (!llvm::is_contained({"mean", "sum", "none"}, reduction))
    return e.error() << "'mean', 'sum' or 'none' as 'reduction', got '"
                     << reduction << "'";
  FailureOr<std::optional<Term>> weights = takeIf(e, *hasWeight);
  if (failed(weights))
    return failure();
  weight = *weights;
  if (weight && weight->rank() != 1)
    return e.error() << "a weight of one dimension, got " << weight->type();
  if (weight) {
    Value given = weight->get(), all = logits.get();
    if (failed(e.demandSame(given, 0, all, dim)))
      return failure();
    logits = Term(e, all);
    weight = Term(e, given).castTo(logits.element());
    // A gather has nothing against open sizes that differ; this op has.
    if (weight->type().isDynamicDim(0)) {
      Term place = makeRange(e, e.getDim(all, dim), 0);
      weight = choose(place.compare("ge", makeInteger(e, 0)), *weight,
                      makeFloat(e, 0));
    }
    if (!*weight)
      return failure();
  }
  if (*hasSmoothing) {
    FailureOr<Term> number = takeNumber(e);
    if (failed(number))
      return failure();
    smoothing = *number;
  }
  return e.checkNoneLeft();
}

Term CrossEntropy::isCounted() const {
  return target.compare("ne", makeInteger(e, ignored));
}

/// The weight of each target; 1 without weights.
Term CrossEntropy::getWeight() const {
  if (!weight)
    return makeFloat(e, 1);
  Term place = choose(isCounted(), target, makeInteger(e, 0));
  return weight->apply("take", place, e.intAttr("dim", 0));
}

/// The weights of the classes along their dimension; 1 without weights.
Term CrossEntropy::spreadWeight() const {
  if (!weight)
    return makeFloat(e, 1);
  return weight->unsqueeze(
      llvm::to_vector(llvm::seq<int64_t>(1, logits.rank() - dim)));
}

/// Their number.
Term CrossEntropy::getClasses() const {
  Term size(e, e.toInteger(e.getDim(logits.get(), dim)));
  return size.castTo(e.builder.getF64Type());
}

/// What a mean is divided by: the weights of the targets that count.
Term CrossEntropy::getDivisor() const {
  Term counted = isCounted().castTo(logits.element());
  if (weight)
    counted = choose(isCounted(), getWeight(), makeFloat(e, 0));
  return counted.sumOver(llvm::to_vector(llvm::seq<int64_t>(0, logits.rank())));
}

/// The losses that count, as `reduction` says.
Term CrossEntropy::reduce(const Term &loss) const {
  Term losses = choose(isCounted(), loss, makeFloat(e, 0));
  if (reduction == "none")
    return losses.squeeze(dim);
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, logits.rank()));
  Term sum = losses.sumOver(all);
  return reduction == "mean" ? sum / getDivisor() : sum;
}

/// The loss, and the logarithm of the sum of exponentials of each row.
Results CrossEntropy::getLoss(Type own) const {
  auto [rest, greatest] = shift(logits, dim);
  Term logSum = rest.apply("exp").reduce("sum", dim).apply("log") + greatest;
  Term place = choose(isCounted(), target, makeInteger(e, 0));
  Term chosen = logits.apply("take_along_axis", place, e.intAttr("dim", dim));
  Term loss = (logSum - chosen) * getWeight();
  if (smoothing) {
    Term all = ((logSum - logits) * spreadWeight()).reduce("sum", dim);
    loss = loss * (1 - *smoothing) + all * (*smoothing / getClasses());
  }
  return finish({reduce(loss).castTo(own), logSum.squeeze(dim)});
}

/// The gradient of the logits: p * (sum over c of a[c]) - a, where a[c] is what
/// -log p[c] is multiplied by.
Results CrossEntropy::getGradient(const Term &gradient, Term logSum,
                                  Type own) const {
  Term p = (logits - logSum.unsqueeze(dim)).apply("exp");
  Term classes = makeRange(e, e.getShape(logits.get()), dim);
  Term isTarget = classes.compare("eq", target), zero = makeFloat(e, 0);
  Term chosen = getWeight();
  if (smoothing)
    chosen = chosen * (1 - *smoothing);
  Term factor = choose(isTarget, chosen, zero).castTo(logits.element());
  Term total = chosen;
  if (smoothing) {
    Term part = *smoothing / getClasses();
    factor = factor + spreadWeight() * part;
    total = total + (weight ? weight->sumOver(0) * part : *smoothing);
  }
  Term row = gradient.castTo(logits.element());
  if (reduction == "none")
    row = row.unsqueeze(dim);
  else if (reduction == "mean")
    row = row / getDivisor();
  row = choose(isCounted(), row, zero);
  return finish(((p * total - factor) * row).castTo(own));
}

/// The dimension of classes: the second one, if there is one.
static FailureOr<int64_t> getClassDim(Emitter &e, const Term &logits) {
  FailureOr<int64_t> dim = e.getInt("dim", logits.rank() == 1 ? 0 : 1);
  if (failed(dim))
    return failure();
  return e.normalizeDim(*dim, logits.rank());
}

static FailureOr<Term> takeTarget(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> target = e.takeTensor();
  if (failed(target))
    return failure();
  return Term(e, Value(*target));
}

/// Operands are logits, a target, a weight and a number for smoothing.
static Results emitCrossEntropy(Emitter &e) {
  FailureOr<Term> logits = takeFloats(e);
  if (failed(logits))
    return failure();
  FailureOr<int64_t> dim = getClassDim(e, *logits);
  FailureOr<Term> target = takeTarget(e);
  Term wide = logits->widen();
  if (failed(dim) || failed(target) || !wide)
    return failure();
  CrossEntropy loss(e, wide, *dim);
  if (failed(loss.read(*target)) || failed(loss.readOptions()))
    return failure();
  return loss.getLoss(logits->element());
}

/// Operands are the gradient of the loss, logits, target, and the logarithm of
/// sums that the loss has beside it; then as above.
static Results emitCrossEntropyBackward(Emitter &e) {
  FailureOr<Term> gradient = takeFloats(e);
  if (failed(gradient))
    return failure();
  FailureOr<Term> logits = takeFloats(e);
  if (failed(logits))
    return failure();
  FailureOr<int64_t> dim = getClassDim(e, *logits);
  FailureOr<Term> target = takeTarget(e);
  if (failed(dim) || failed(target))
    return failure();
  FailureOr<Term> logSum = takeFloats(e);
  Term wide = logits->widen();
  if (failed(logSum) || !wide)
    return failure();
  CrossEntropy loss(e, wide, *dim);
  if (failed(loss.read(*target)) || failed(loss.readOptions()) ||
      failed(loss.readRows("a logarithm of sums", *logSum)) ||
      (loss.reduction == "none" &&
       failed(loss.readRows("a gradient", *gradient))))
    return failure();
  return loss.getGradient(*gradient, *logSum, logits->element());
}

/// Of logits that are a product: operands are x, the matrix of the last layer,
/// a target, the layer's bias, a weight and a number for smoothing.
static Results emitLinearCrossEntropy(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  FailureOr<bool> hasBias = e.getFlag("has_bias");
  if (failed(x) || failed(hasBias))
    return failure();
  FailureOr<Term> matrix = takeFloats(e);
  if (failed(matrix))
    return failure();
  FailureOr<Term> target = takeTarget(e);
  FailureOr<std::optional<Term>> bias = takeIf(e, *hasBias);
  if (failed(target) || failed(bias))
    return failure();
  if (x->rank() < 1 || x->rank() > 2)
    return e.error() << "one or two dimensions, got " << x->type();
  Type wide = x->getWideType();
  Term logits = x->apply("linear", *matrix, e.typeAttr(wide));
  if (*bias)
    logits = logits + **bias;
  logits = logits.castTo(wide);
  if (!logits)
    return failure();
  CrossEntropy loss(e, logits, x->rank() - 1);
  if (failed(loss.read(*target)) || failed(loss.readOptions()))
    return failure();
  return loss.getLoss(x->element());
}

/// Operands are logarithms of probabilities, a target and a weight. Each op is
/// rounded, as PyTorch's are.
static Results emitNllLoss(Emitter &e) {
  FailureOr<Term> logs = takeFloats(e);
  if (failed(logs))
    return failure();
  FailureOr<int64_t> dim = getClassDim(e, *logs);
  FailureOr<Term> target = takeTarget(e);
  if (failed(dim) || failed(target))
    return failure();
  CrossEntropy of(e, *logs, *dim);
  if (failed(of.read(*target)) || failed(of.readOptions()))
    return failure();
  Term place = choose(of.isCounted(), of.target, makeInteger(e, 0));
  Term chosen =
      of.logits.apply("take_along_axis", place, e.intAttr("dim", *dim));
  return finish(of.reduce(-chosen * of.getWeight()));
}

void frontend::addLossOps(HandlerMap &map) {
  for (StringRef name : {"softmax", "log_softmax"})
    map[name] = {emitSoftmax, "dim", "x"};
  for (StringRef name : {"softmax_backward", "log_softmax_backward"})
    map[name] = {emitSoftmaxBackward, "dim", "gradient y"};
  map["cross_entropy"] = {
      emitCrossEntropy, "dim ignore_index reduction has_weight has_smoothing",
      "logits target has_weight?weight has_smoothing?smoothing"};
  map["cross_entropy_backward"] = {
      emitCrossEntropyBackward,
      "dim ignore_index reduction has_weight has_smoothing",
      "gradient logits target logarithm_of_sums has_weight?weight "
      "has_smoothing?smoothing"};
  map["nll_loss"] = {emitNllLoss, "dim ignore_index reduction has_weight",
                     "x target has_weight?weight"};
  map["linear_cross_entropy"] = {
      emitLinearCrossEntropy,
      "ignore_index reduction has_bias has_weight has_smoothing",
      "x matrix target has_bias?bias has_weight?weight "
      "has_smoothing?smoothing"};
}
