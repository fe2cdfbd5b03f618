//===- Attention.cpp - Attention and products of groups, by name ----------===//
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

static FailureOr<Term> takeAny(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> tensor = e.takeTensor();
  if (failed(tensor))
    return failure();
  return Term(e, Value(*tensor));
}

/// The transpose of the last two of `rank` dimensions.
static Term transpose(const Term &x, int64_t rank) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(dims[rank - 1], dims[rank - 2]);
  return x.permute(dims);
}

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
      query.apply("matmul", transpose(key, rank()), e.typeAttr(getWide())) *
      scale;
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
  Term ofWeights = a.drop(multiply(gradient, transpose(a.value, rank)));
  Term along = (gradient.castTo(wide) * output).reduce("sum", last);
  Term ofScores = (weights * (ofWeights - along)).castTo(own);
  Term ofQuery = multiply(ofScores, a.key) * a.scale;
  Term ofKey = multiply(transpose(ofScores, rank), a.query) * a.scale;
  Term dropped = a.drop(weights).castTo(own);
  Term ofValue = multiply(transpose(dropped, rank), gradient);
  return finish({ofQuery.castTo(own), ofKey.castTo(own), ofValue.castTo(own)});
}

//===----------------------------------------------------------------------===//
// Products with scales, and of groups
//===----------------------------------------------------------------------===//

namespace {
/// Two factors, the result's element type, and what the product is scaled by.
struct Product {
  Term lhs, rhs;
  Type type;
  /// Numbers that the product is times.
  SmallVector<Term> after;
};
} // namespace

/// `matrix` times `scale`, which is one number, or has the dimensions of the
/// matrix, and along `dim`, what is summed over, one number for as many
/// elements in a row. One number is left for the product.
static FailureOr<Term> applyScale(Product &product, const Term &matrix,
                                  const Term &scale, int64_t dim) {
  Emitter &e = matrix.emitter();
  Type wide = matrix.getWideType();
  RankedTensorType type = scale.type();
  if (type.hasStaticShape() && type.getNumElements() == 1) {
    product.after.push_back(scale.shaped("reshape", {}).castTo(wide));
    return matrix;
  }
  int64_t size = matrix.type().getDimSize(dim),
          blocks = scale.rank() == matrix.rank() ? type.getDimSize(dim) : 0;
  bool isKnown = !ShapedType::isDynamic(size) && !ShapedType::isDynamic(blocks);
  if (blocks != 1 && (!isKnown || blocks < 1 || size % blocks != 0))
    return e.error() << "a scale of one number, or of the dimensions of "
                     << matrix.type() << " with a number of elements in "
                     << "dimension " << dim << " that divides its size, got "
                     << type;
  Term spread = scale;
  if (blocks != 1)
    spread = scale.apply(
        "repeat_interleave", {},
        {e.intAttr("dim", dim), e.intAttr("repeats", size / blocks)});
  return matrix.castTo(wide) * spread.castTo(wide);
}

/// What a library multiplies: 8-bit floats as bf16, which has them all.
static Term widenFactor(const Term &factor) {
  if (!factor || factor.element().getIntOrFloatBitWidth() > 8)
    return factor;
  return factor.castTo(factor.emitter().builder.getBF16Type());
}

/// Scales, if they are there: of the left, and of the right factor.
static LogicalResult takeScales(Emitter &e, Product &product) {
  FailureOr<bool> hasScales = e.getFlag("has_scales");
  if (failed(hasScales))
    return failure();
  if (!*hasScales)
    return success();
  std::pair<Term *, int64_t> factors[] = {
      {&product.lhs, product.lhs.rank() - 1},
      {&product.rhs, product.rhs.rank() - 2}};
  for (auto [factor, dim] : factors) {
    FailureOr<Term> scale = takeFloats(e);
    if (failed(scale))
      return failure();
    FailureOr<Term> scaled = applyScale(product, *factor, *scale, dim);
    if (failed(scaled))
      return failure();
    *factor = *scaled;
  }
  return success();
}

/// Two matrices or batches of them, of floats, and the type of the result.
static FailureOr<Product> takeProduct(Emitter &e) {
  FailureOr<Term> lhs = takeFloats(e);
  if (failed(lhs))
    return failure();
  FailureOr<Term> rhs = takeFloats(e);
  if (failed(rhs))
    return failure();
  if (lhs->rank() < 2 || rhs->rank() < 2)
    return e.error() << "tensors of at least two dimensions, got "
                     << lhs->type() << " and " << rhs->type();
  Type type = promoteOperands({lhs->get(), rhs->get()});
  if (e.has("type")) {
    FailureOr<Type> given = e.getType("type");
    if (failed(given))
      return failure();
    type = *given;
  }
  return Product{*lhs, *rhs, type, {}};
}

/// Both factors in the type that they have in common.
static LogicalResult unifyFactors(Product &product) {
  product.lhs = widenFactor(product.lhs);
  product.rhs = widenFactor(product.rhs);
  if (!product.lhs || !product.rhs)
    return failure();
  Type element = promoteOperands({product.lhs.get(), product.rhs.get()});
  product.lhs = product.lhs.castTo(element);
  product.rhs = product.rhs.castTo(element);
  return success(product.lhs && product.rhs);
}

/// alpha * product + beta * bias, of what is there.
static Results finishProduct(Emitter &e, const Product &product, Term sum) {
  FailureOr<bool> hasAlpha = e.getFlag("has_alpha"),
                  hasBias = e.getFlag("has_bias"),
                  hasBeta = e.getFlag("has_beta");
  if (failed(hasAlpha) || failed(hasBias) || failed(hasBeta))
    return failure();
  if (*hasBeta && !*hasBias)
    return e.error() << "a bias beside 'has_beta', got none";
  for (const Term &scale : product.after)
    sum = sum * scale;
  SmallVector<Term> given;
  for (bool isThere : {*hasAlpha, *hasBias, *hasBeta}) {
    Value operand = isThere ? e.takeOperand() : Value();
    if (isThere && !operand)
      return e.error() << "an operand for each of alpha, bias and beta that "
                          "is there, got "
                       << e.request.operands.size() << " operands";
    given.push_back(Term(e, operand));
  }
  if (failed(e.checkNoneLeft()))
    return failure();
  if (*hasAlpha)
    sum = sum * given[0];
  if (*hasBias)
    sum = sum + (*hasBeta ? given[1] * given[2] : given[1]);
  return finish(sum.castTo(product.type));
}

/// Operands are two matrices or batches of them, a scale of each, alpha, a bias
/// and beta.
static Results emitScaledProduct(Emitter &e) {
  FailureOr<Product> product = takeProduct(e);
  if (failed(product) || failed(takeScales(e, *product)) ||
      failed(unifyFactors(*product)))
    return failure();
  Type wide = product->lhs.getWideType();
  Term sum = product->lhs.apply("matmul", product->rhs, e.typeAttr(wide));
  return finishProduct(e, *product, sum);
}

/// Of each place along a dimension of size `size` the number of its group:
/// how many of the ends `offsets` are not beyond it.
static Term getGroups(const Term &offsets, OpFoldResult size) {
  Emitter &e = offsets.emitter();
  Term places = makeRange(e, size, 0).unsqueeze(1);
  Term isBehind = places.compare("ge", offsets);
  return isBehind.castTo(e.builder.getI64Type()).sumOver(1);
}

/// The product of all groups with all of the other factor; of each row or
/// column that of its own group, 0 behind the last group.
static Term selectGroups(const Product &product, const Term &offsets,
                         bool isRow) {
  Emitter &e = offsets.emitter();
  Type wide = product.lhs.getWideType();
  Term lhs = isRow ? product.lhs.unsqueeze(0) : product.lhs;
  Term rhs = isRow ? product.rhs : product.rhs.unsqueeze(0);
  Term all = lhs.apply("matmul", rhs, e.typeAttr(wide));
  const Term &divided = isRow ? product.lhs : product.rhs;
  Term group = getGroups(offsets, e.getDim(divided.get(), isRow ? 0 : 1));
  group = isRow ? group.unsqueeze({0, 2}) : group.unsqueeze({0, 1});
  Term count(e, e.toInteger(e.getDim(offsets.get(), 0)));
  Term chosen = all.apply("take_along_axis", group, e.intAttr("dim", 0));
  chosen = choose(group.compare("lt", count), chosen, makeFloat(e, 0));
  return chosen.squeeze(0);
}

/// Each group's part of what is summed.
static Term sumGroups(const Product &product, const Term &offsets) {
  Emitter &e = offsets.emitter();
  Type wide = product.lhs.getWideType();
  Term group = getGroups(offsets, e.getDim(product.lhs.get(), 1));
  Term number = makeRange(e, e.getDim(offsets.get(), 0), 0).unsqueeze({1, 2});
  Term isIn = group.unsqueeze({0, 1}).compare("eq", number);
  Term zero = makeFloat(e, 0);
  Term lhs = choose(isIn, product.lhs.unsqueeze(0), zero);
  Term rhs = choose(group.unsqueeze({0, 2}).compare("eq", number),
                    product.rhs.unsqueeze(0), zero);
  return lhs.apply("matmul", rhs, e.typeAttr(wide));
}

/// Operands are two factors and where groups end, then as above. With three
/// dimensions the first one of a factor counts groups.
static Results emitGroupedProduct(Emitter &e) {
  FailureOr<Product> product = takeProduct(e);
  if (failed(product))
    return failure();
  FailureOr<Term> offsets = takeAny(e);
  if (failed(offsets))
    return failure();
  Type index = offsets->element();
  if (offsets->rank() != 1 || (!index.isInteger(32) && !index.isInteger(64)))
    return e.error() << "offsets of i32 or i64 and one dimension, got "
                     << offsets->type();
  int64_t left = product->lhs.rank(), right = product->rhs.rank();
  if (left + right > 5 || left > 3 || right > 3)
    return e.error() << "two factors of two dimensions, or one of three, got "
                     << product->lhs.type() << " and " << product->rhs.type();
  if (failed(takeScales(e, *product)) || failed(unifyFactors(*product)))
    return failure();
  Term sum = left == right ? sumGroups(*product, *offsets)
                           : selectGroups(*product, *offsets, left == 2);
  return finishProduct(e, *product, sum);
}

void frontend::addAttentionOps(HandlerMap &map) {
  StringRef attention =
      "is_causal has_bias has_mask has_scale has_causal has_dropout";
  map["sdpa"] = {emitAttention, attention};
  map["sdpa_backward"] = {emitAttentionBackward, attention};
  map["scaled_mm"] = {emitScaledProduct,
                      "type has_scales has_alpha has_bias has_beta"};
  map["grouped_mm"] = {emitGroupedProduct,
                       "type has_scales has_alpha has_bias has_beta"};
}
