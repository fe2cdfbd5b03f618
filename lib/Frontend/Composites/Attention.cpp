//===- Attention.cpp - Attention, by name ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In plain form: products of matrices and what stands between them. Scores and
// what follows of them are f32, of f64 f64; what a product takes is in the type
// of the operands, and each result is rounded once.
//
//===----------------------------------------------------------------------===//

#include "../Term.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace fuser;
using namespace fuser::frontend;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// What attention is computed of: ... x L x E, ... x S x E and ... x S x V.
struct Attention {
  Attention(Emitter &e, Term query, Term key, Term value)
      : e(e), query(query), key(key), value(value), scale(e, Value()) {}

  Emitter &e;
  Term query, key, value, scale;
  std::optional<Term> bias, mask;
  /// Whether a query sees the keys up to its own place alone, if that is asked
  /// for: a scalar.
  std::optional<Term> causal;
  /// The probability that a weight is dropped, a seed and an offset; or none.
  SmallVector<Term> dropout;

  int64_t rank() const { return query.rank(); }
  /// The element type of scores.
  Type getWide() const { return query.getWideType(); }
  LogicalResult verify() const;
  LogicalResult readOptions();
  Term getUsualScale() const;
  Term getScores() const;
  Term isKept(const Term &like) const;
  Term drop(const Term &x) const;
};
} // namespace

LogicalResult Attention::verify() const {
  auto isLike = [&](const Term &other) {
    return other.rank() == rank() && other.element() == query.element() &&
           succeeded(
               verifyCompatibleShape(query.type().getShape().drop_back(2),
                                     other.type().getShape().drop_back(2)));
  };
  auto isSame = [](int64_t first, int64_t second) {
    return ShapedType::isDynamic(first) || ShapedType::isDynamic(second) ||
           first == second;
  };
  if (rank() >= 2 && isLike(key) && isLike(value) &&
      isSame(query.type().getShape().back(), key.type().getShape().back()) &&
      isSame(key.type().getDimSize(rank() - 2),
             value.type().getDimSize(rank() - 2)))
    return success();
  return e.error() << "query, key and value of one element type and of shapes "
                      "... x L x E, ... x S x E and ... x S x V, got "
                   << query.type() << ", " << key.type() << " and "
                   << value.type();
}

/// A bias, a mask, the scale, whether it is causal, and the probability with
/// seed and offset.
LogicalResult Attention::readOptions() {
  FailureOr<bool> hasBias = e.getFlag("has_bias"),
                  hasMask = e.getFlag("has_mask"),
                  hasScale = e.getFlag("has_scale"),
                  hasDropout = e.getFlag("has_dropout"),
                  hasCausal = e.getFlag("has_causal"),
                  isCausal = e.getFlag("is_causal");
  if (failed(hasBias) || failed(hasMask) || failed(hasScale) ||
      failed(hasDropout) || failed(hasCausal) || failed(isCausal))
    return failure();
  FailureOr<std::optional<Term>> first = takeIf(e, *hasBias);
  if (failed(first))
    return failure();
  FailureOr<std::optional<Term>> second = takeIf(e, *hasMask);
  if (failed(second))
    return failure();
  bias = *first, mask = *second;
  FailureOr<Term> factor = *hasScale ? takeNumber(e) : getUsualScale();
  if (failed(factor))
    return failure();
  scale = *factor;
  if (*isCausal)
    causal = makeInteger(e, 1);
  if (*hasCausal) {
    FailureOr<Term> given = takeInteger(e, "whether queries are causal");
    if (failed(given))
      return failure();
    causal = *given;
  }
  if (!*hasDropout)
    return e.checkNoneLeft();
  FailureOr<Term> rate = takeRate(e);
  if (failed(rate))
    return failure();
  dropout.push_back(*rate);
  for (StringRef what : {"a seed", "an offset"}) {
    FailureOr<Term> number = takeInteger(e, what);
    if (failed(number))
      return failure();
    dropout.push_back(*number);
  }
  return e.checkNoneLeft();
}

/// 1 divided by the root of the number of elements of a query.
Term Attention::getUsualScale() const {
  OpFoldResult size = e.getDim(query.get(), rank() - 1);
  if (std::optional<int64_t> width = getConstantIntValue(size))
    return makeFloat(e, 1 / std::sqrt(double(*width)));
  Term width(e, e.toInteger(size));
  return width.castTo(e.builder.getF64Type()).apply("rsqrt").castTo(getWide());
}

/// query * transpose(key) * scale, -inf where nothing is to be looked at.
Term Attention::getScores() const {
  Term scores =
      query.apply("matmul", key.transpose(), e.typeAttr(getWide())) * scale;
  Term never = makeFloat(e, -HUGE_VAL);
  if (bias)
    scores = (scores + *bias).castTo(getWide());
  if (mask)
    scores = mask->element().isInteger(1) ? choose(*mask, scores, never)
                                          : scores + *mask;
  scores = scores.castTo(getWide());
  if (!causal)
    return scores;
  SmallVector<OpFoldResult> sizes = {e.getDim(query.get(), rank() - 2),
                                     e.getDim(key.get(), rank() - 2)};
  Term isAhead = makeRange(e, sizes, 1).compare("gt", makeRange(e, sizes, 0));
  if (!getNumber(causal->get()))
    isAhead = isAhead.apply("and", causal->compare("ne", makeInteger(e, 0)));
  else if (cast<IntegerAttr>(getNumber(causal->get())).getInt() == 0)
    return scores;
  return choose(isAhead, never, scores);
}

/// Which weights dropout keeps.
Term Attention::isKept(const Term &like) const {
  SmallVector<OpFoldResult> sizes = e.getShape(like.get());
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  SmallVector<Term> others = {makeFloat(e, 1), dropout[1], dropout[2]};
  for (Value size : open)
    others.push_back(Term(e, size));
  Term numbers = makeFloat(e, 0).apply(
      "uniform", others, {e.intsAttr("shape", shape), e.typeAttr(getWide())});
  return numbers.compare("lt", 1 - dropout[0]);
}

/// Zero where a weight is dropped, else as much more as is dropped elsewhere.
Term Attention::drop(const Term &x) const {
  if (dropout.empty() || !x)
    return x;
  return choose(isKept(x), x * (1 / (1 - dropout[0])), makeFloat(e, 0));
}

/// Results are the output, and of each row of scores the logarithm of the sum
/// of exponentials. A row that sees nothing has an output of 0.
static Results emitAttention(Emitter &e) {
  SmallVector<Term> given;
  for (int i = 0; i < 3; ++i) {
    FailureOr<Term> each = takeFloats(e);
    if (failed(each))
      return failure();
    given.push_back(*each);
  }
  Attention a(e, given[0], given[1], given[2]);
  if (failed(a.verify()) || failed(a.readOptions()))
    return failure();
  int64_t last = a.rank() - 1;
  Term scores = a.getScores(), greatest = scores.reduce("max", last);
  Term zero = makeFloat(e, 0), none = makeFloat(e, -HUGE_VAL);
  greatest = choose(greatest.compare("eq", none), zero, greatest);
  Term exps = (scores - greatest).apply("exp");
  Term sum = exps.reduce("sum", last);
  Term logSum = greatest + sum.apply("log");
  Term weights = exps / choose(sum.compare("eq", zero), makeFloat(e, 1), sum);
  Type own = a.value.element();
  Term output = a.drop(weights).castTo(own).apply("matmul", a.value);
  return finish({output, logSum.squeeze(last)});
}

/// Operands are the gradient, then as above, with output and logarithm of sums
/// behind the value. Results are the gradients of query, key and value.
static Results emitAttentionBackward(Emitter &e) {
  SmallVector<Term> given;
  for (int i = 0; i < 6; ++i) {
    FailureOr<Term> each = takeFloats(e);
    if (failed(each))
      return failure();
    given.push_back(*each);
  }
  Attention a(e, given[1], given[2], given[3]);
  if (failed(a.verify()) || failed(a.readOptions()))
    return failure();
  int64_t rank = a.rank(), last = rank - 1;
  Type own = a.query.element(), wide = a.getWide();
  Term gradient = given[0].castTo(own), output = given[4].castTo(wide);
  Term logSum = given[5].unsqueeze(last);
  logSum = choose(logSum.compare("eq", makeFloat(e, -HUGE_VAL)),
                  makeFloat(e, 0), logSum);
  Term weights = (a.getScores() - logSum).apply("exp");
  auto multiply = [&](const Term &x, const Term &y) {
    return x.apply("matmul", y, e.typeAttr(wide));
  };
  Term ofWeights = a.drop(multiply(gradient, a.value.transpose()));
  Term along = (gradient.castTo(wide) * output).reduce("sum", last);
  Term ofScores = (weights * (ofWeights - along)).castTo(own);
  Term ofQuery = multiply(ofScores, a.key) * a.scale;
  Term ofKey = multiply(ofScores.transpose(), a.query) * a.scale;
  Term dropped = a.drop(weights).castTo(own);
  Term ofValue = multiply(dropped.transpose(), gradient);
  return finish({ofQuery.castTo(own), ofKey.castTo(own), ofValue.castTo(own)});
}

void frontend::addAttentionOps(HandlerMap &map) {
  StringRef attention =
      "is_causal has_bias has_mask has_scale has_causal has_dropout";
  map["sdpa"] = {emitAttention, attention,
                 "query key value has_bias?bias has_mask?mask has_scale?scale "
                 "has_causal?causal has_dropout?rate has_dropout?seed "
                 "has_dropout?offset"};
  map["sdpa_backward"] = {
      emitAttentionBackward, attention,
      "gradient query key value output logarithm_of_sums has_bias?bias "
      "has_mask?mask has_scale?scale has_causal?causal has_dropout?rate "
      "has_dropout?seed has_dropout?offset"};
}
