//===- Distances.cpp - Norms of vectors, and losses of pairs, by name ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computed in f32, of f64 in f64; each result is rounded once, so that squares
// of f16 are not too large.
//
//===----------------------------------------------------------------------===//

#include "../Term.h"

using namespace fuser;
using namespace fuser::frontend;

/// The type in which results of `x` are: that of floats, or of the parts of
/// complex numbers, else f32.
static Type getRealType(const Term &x) {
  if (isComplexElement(x.element()))
    return getPartType(x.element());
  return x.isFloat() ? x.element() : x.getWideType();
}

//===----------------------------------------------------------------------===//
// Norms of vectors
//===----------------------------------------------------------------------===//

/// The order of a norm, by default 2.
static FailureOr<double> getOrder(Emitter &e) {
  Attribute attr = e.request.attributes.get("order");
  if (!attr)
    return 2.0;
  auto list = dyn_cast<DenseF64ArrayAttr>(attr);
  if (list && list.size() == 1 && !std::isnan(list[0]))
    return list[0];
  return e.error() << "a list of one number as 'order'";
}

/// Of elements in the type that is computed in. The dimensions stay, with size
/// 1.
static Term getNorm(const Term &x, double order, ArrayRef<int64_t> dims) {
  Emitter &e = x.emitter();
  Term sizes = x.apply("abs");
  if (std::isinf(order))
    return sizes.reduce(order > 0 ? "max" : "min", dims);
  if (order == 0)
    return sizes.compare("ne", makeFloat(e, 0))
        .castTo(sizes.element())
        .reduce("sum", dims);
  if (order == 1)
    return sizes.reduce("sum", dims);
  if (order == 2)
    return (sizes * sizes).reduce("sum", dims).apply("sqrt");
  Term powers = sizes.apply("pow", makeFloat(e, order));
  return powers.reduce("sum", dims).apply("pow", makeFloat(e, 1 / order));
}

static Results emitVectorNorm(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> input = e.takeTensor();
  FailureOr<double> order = getOrder(e);
  FailureOr<bool> keep = e.getFlag("keep");
  if (failed(input) || failed(order) || failed(keep) ||
      failed(e.checkNoneLeft()))
    return failure();
  Term x(e, Value(*input));
  FailureOr<SmallVector<int64_t>> dims = e.getDims(x.rank());
  if (failed(dims))
    return failure();
  Term norm = getNorm(x.widen(), *order, *dims).castTo(getRealType(x));
  return finish(*keep ? norm : norm.squeeze(*dims));
}

/// The greatest or the least, by the sign of the order, of the sums of
/// magnitudes along the first, of order 1, or the second of two dimensions.
static Results emitMatrixNorm(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> input = e.takeTensor();
  FailureOr<double> order = getOrder(e);
  FailureOr<ArrayRef<int64_t>> given = e.getInts("dims");
  FailureOr<bool> keep = e.getFlag("keep");
  if (failed(input) || failed(order) || failed(given) || failed(keep) ||
      failed(e.checkNoneLeft()))
    return failure();
  Term x(e, Value(*input));
  FailureOr<SmallVector<int64_t>> dims = e.normalizeDims(*given, x.rank());
  if (failed(dims))
    return failure();
  if (dims->size() != 2)
    return e.error() << "two dimensions, got [" << *given << "]";
  double size = std::abs(*order);
  if (size != 1 && !std::isinf(size))
    return e.error() << "1, -1, inf or -inf as the order of a norm of "
                        "matrices, got "
                     << describeNumber(*order);
  // Columns are along the first of them.
  auto [rows, columns] = std::pair((*given)[0], (*given)[1]);
  Term sums = x.widen().apply("abs").reduce("sum", size == 1 ? rows : columns);
  Term norm =
      sums.reduce(*order > 0 ? "max" : "min", size == 1 ? columns : rows);
  // Of no sums it is 0.
  if (*order > 0)
    norm = norm.apply("max", makeFloat(e, 0));
  norm = norm.castTo(getRealType(x));
  return finish(*keep ? norm : norm.squeeze(*dims));
}

/// x over its norm, which is taken to be no less than the second operand.
static Results emitNormalize(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  FailureOr<double> order = getOrder(e);
  if (failed(x) || failed(order))
    return failure();
  FailureOr<Term> least = takeNumber(e);
  FailureOr<SmallVector<int64_t>> dims = e.getDims(x->rank());
  if (failed(least) || failed(dims) || failed(e.checkNoneLeft()))
    return failure();
  Term wide = x->widen(), norm = getNorm(wide, *order, *dims);
  return finish((wide / norm.apply("max", *least)).castTo(x->element()));
}

/// Of two tensors that broadcast; norms are taken to be no less than the third
/// operand.
static Results emitCosineSimilarity(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  if (failed(x))
    return failure();
  FailureOr<Term> y = takeFloats(e);
  if (failed(y))
    return failure();
  FailureOr<Term> least = takeNumber(e);
  if (failed(least) || failed(e.checkNoneLeft()) ||
      failed(e.checkPromotion({x->get(), y->get()})))
    return failure();
  Type own = promoteOperands({x->get(), y->get()});
  Results pair = e.broadcast({x->widen().get(), y->widen().get()});
  if (failed(pair))
    return failure();
  Term left(e, (*pair)[0]), right(e, (*pair)[1]);
  FailureOr<SmallVector<int64_t>> dims = e.getDims(left.rank());
  if (failed(dims))
    return failure();
  auto size = [&](const Term &vector) {
    return getNorm(vector, 2, *dims).apply("max", *least);
  };
  Term cosine =
      (left * right).reduce("sum", *dims) / (size(left) * size(right));
  return finish(cosine.squeeze(*dims).castTo(own));
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a loss, the last of which may be a weight of each of its
/// elements.
struct Loss {
  WideOperands operands;
  std::optional<Term> weight;
};
} // namespace

/// `count` operands, and with `has_weight` a weight behind them.
static FailureOr<Loss> takeLoss(Emitter &e, size_t count) {
  FailureOr<bool> hasWeight = e.getFlag("has_weight");
  if (failed(hasWeight))
    return failure();
  FailureOr<WideOperands> operands = takeWide(e, count + *hasWeight);
  if (failed(operands))
    return failure();
  Loss loss{*operands, {}};
  if (!*hasWeight)
    return loss;
  loss.weight = (*operands)[count];
  if (!loss.weight->isTensor())
    return e.error() << "a tensor as the weight, got a scalar";
  return loss;
}

/// `loss` as `reduction` says: `mean`, by default, `sum` or `none`. The mean of
/// weighted squares is over the sum of weights, as in PyTorch.
static Results reduceLoss(Emitter &e, const Loss &of, Term loss) {
  FailureOr<StringRef> kind = StringRef("mean");
  if (e.has("reduction"))
    kind = e.getString("reduction");
  if (of.weight)
    loss = loss * *of.weight;
  if (failed(kind) || !loss)
    return failure();
  if (*kind == "none")
    return of.operands.finish(loss);
  if (*kind != "mean" && *kind != "sum")
    return e.error() << "'mean', 'sum' or 'none' as 'reduction', got '" << *kind
                     << "'";
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, loss.rank()));
  if (of.weight && *kind == "mean" && e.request.name == "mse_loss") {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, of.weight->rank()));
    return of.operands.finish(loss.sumOver(all) / of.weight->sumOver(dims));
  }
  return of.operands.finish(loss.reduce(*kind, all).squeeze(all));
}

/// mse_loss(x, y), l1_loss(x, y)
static Results emitDistance(Emitter &e) {
  FailureOr<Loss> of = takeLoss(e, 2);
  if (failed(of))
    return failure();
  Term rest = of->operands[0] - of->operands[1];
  bool isSquare = e.request.name == "mse_loss";
  return reduceLoss(e, *of, isSquare ? rest * rest : rest.apply("abs"));
}

/// huber_loss(x, y, delta): half a square up to a distance, a line beyond; and
/// smooth_l1_loss, which is that over delta.
static Results emitHuberLoss(Emitter &e) {
  FailureOr<Loss> of = takeLoss(e, 3);
  if (failed(of))
    return failure();
  Term distance = (of->operands[0] - of->operands[1]).apply("abs");
  Term delta = of->operands[2];
  Term near = distance * distance * 0.5, far = distance - delta * 0.5;
  if (e.request.name == "smooth_l1_loss")
    near = near / delta;
  else
    far = far * delta;
  return reduceLoss(e, *of, choose(distance.compare("lt", delta), near, far));
}

/// binary_cross_entropy_with_logits(x, y, a weight of what is true, if it is
/// there): no exponential is infinite.
static Results emitBinaryCrossEntropy(Emitter &e) {
  FailureOr<bool> hasPositive = e.getFlag("has_pos_weight");
  if (failed(hasPositive))
    return failure();
  FailureOr<Loss> of = takeLoss(e, *hasPositive ? 3 : 2);
  if (failed(of))
    return failure();
  Term x = of->operands[0], y = of->operands[1];
  Term rest = (-x.apply("abs")).apply("exp").apply("log1p") -
              x.apply("min", makeFloat(e, 0));
  if (*hasPositive)
    rest = rest * ((of->operands[2] + -1) * y + 1);
  return reduceLoss(e, *of, (1 - y) * x + rest);
}

/// kl_div(x, y): y (log(y) - x), or e^y (y - x) with `log_target`.
static Results emitDivergence(Emitter &e) {
  FailureOr<bool> isLog = e.getFlag("log_target");
  FailureOr<Loss> of = takeLoss(e, 2);
  if (failed(isLog) || failed(of))
    return failure();
  Term x = of->operands[0], y = of->operands[1];
  Term loss = *isLog ? y.apply("exp") * (y - x) : y.apply("xlogy", y) - y * x;
  return reduceLoss(e, *of, loss);
}

void frontend::addDistanceOps(HandlerMap &map) {
  map["vector_norm"] = {emitVectorNorm, "order dims keep"};
  map["matrix_norm"] = {emitMatrixNorm, "order dims keep"};
  map["normalize"] = {emitNormalize, "order dims", "x least"};
  map["cosine_similarity"] = {emitCosineSimilarity, "dims", "x y least"};
  for (StringRef name : {"mse_loss", "l1_loss"})
    map[name] = {emitDistance, "reduction has_weight", "x y has_weight?weight"};
  for (StringRef name : {"huber_loss", "smooth_l1_loss"})
    map[name] = {emitHuberLoss, "reduction has_weight",
                 "x y delta has_weight?weight"};
  map["binary_cross_entropy_with_logits"] = {
      emitBinaryCrossEntropy, "reduction has_weight has_pos_weight",
      "x y has_pos_weight?pos_weight has_weight?weight"};
  map["kl_div"] = {emitDivergence, "reduction log_target", "x y"};
}
