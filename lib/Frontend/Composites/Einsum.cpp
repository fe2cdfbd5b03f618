//===- Einsum.cpp - Sums of products over labelled dimensions -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are multiplied from left to right, each pair by one product of
// matrices where something is summed: what both have and the rest needs is its
// batch.
//
//===----------------------------------------------------------------------===//

#include "../Term.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace fuser;
using namespace fuser::frontend;

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

namespace {
/// What a dimension is called: a letter, for what "..." stands for -1 from the
/// last of these dimensions on, or any number.
using Label = int64_t;
using Labels = SmallVector<Label>;

/// What is behind letters: numbers of dimensions.
constexpr Label kFirstNumber = 128;

/// A factor, and what its dimensions are called.
struct Factor {
  Term x;
  Labels labels;
};
} // namespace

static bool has(ArrayRef<Label> labels, Label label) {
  return llvm::is_contained(labels, label);
}

static std::string describe(Label label) {
  if (label < 0)
    return "'...'";
  if (label < kFirstNumber && llvm::isAlpha(static_cast<char>(label)))
    return std::string("'") + static_cast<char>(label) + "'";
  return "dimension " + std::to_string(label - kFirstNumber);
}

static int64_t getRank(const Term &x) { return x.isTensor() ? x.rank() : 0; }

/// The places of labels in `from`, in the order of `labels`.
static SmallVector<int64_t> findPlaces(ArrayRef<Label> from,
                                       ArrayRef<Label> labels) {
  return llvm::map_to_vector(labels, [&](Label label) -> int64_t {
    return llvm::find(from, label) - from.begin();
  });
}

/// Those of `labels` that `isWanted`.
static Labels select(ArrayRef<Label> labels,
                     llvm::function_ref<bool(Label)> isWanted) {
  Labels result;
  llvm::copy_if(labels, std::back_inserter(result), isWanted);
  return result;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Fails unless two dimensions of one label have one size; afterwards both
/// types say it if one did.
static LogicalResult unify(Emitter &e, Label label, Term &x, int64_t dim,
                           Term &y, int64_t otherDim) {
  int64_t size = x.type().getDimSize(dim),
          other = y.type().getDimSize(otherDim);
  if (ShapedType::isDynamic(size) == ShapedType::isDynamic(other))
    return e.expectEqual(e.getDim(x.get(), dim), e.getDim(y.get(), otherDim),
                         "one size of " + describe(label) +
                             ", got {0} and {1}");
  return demandSame(x, dim, y, otherDim);
}

/// Dimensions of one label as one, the diagonal, in front of the others.
static LogicalResult takeDiagonal(Factor &factor, Label label) {
  Emitter &e = factor.x.emitter();
  SmallVector<int64_t> places, rest;
  for (auto [dim, each] : llvm::enumerate(factor.labels))
    (each == label ? places : rest).push_back(dim);
  int64_t count = places.size();
  if (count < 2)
    return success();
  for (int64_t place : ArrayRef(places).drop_front())
    if (failed(e.expectEqual(e.getDim(factor.x.get(), places[0]),
                             e.getDim(factor.x.get(), place),
                             "one size of " + describe(label) +
                                 ", got {0} and {1}")))
      return failure();
  Labels labels = {label};
  for (int64_t dim : rest)
    labels.push_back(factor.labels[dim]);
  llvm::append_range(places, rest);
  Term x = factor.x.permute(places);
  if (!x)
    return failure();
  Term index = makeRange(e, e.getDim(x.get(), 0), 0);
  factor.x = x.apply("index", SmallVector<Term>(count, index),
                     e.intsAttr("dims", llvm::to_vector(llvm::seq(count))));
  factor.labels = labels;
  return success(bool(factor.x));
}

/// The sum over dimensions whose labels are not among `kept`, in its own type.
static Factor sumOthers(const Factor &factor, ArrayRef<Label> kept) {
  Labels gone = select(factor.labels, [&](Label l) { return !has(kept, l); });
  if (gone.empty() || !factor.x)
    return factor;
  Emitter &e = factor.x.emitter();
  Type own = factor.x.element();
  SmallVector<NamedAttribute> attributes = {
      e.intsAttr("dims", findPlaces(factor.labels, gone)),
      e.textAttr("kind", own.isInteger(1) ? "any" : "sum")};
  if (!own.isInteger(1))
    attributes.push_back(e.typeAttr(own));
  return {factor.x.apply("reduce", {}, attributes),
          select(factor.labels, [&](Label l) { return has(kept, l); })};
}

/// Dimensions in the order of `labels`, with one of size 1 for each that it has
/// not; a number as it is.
static Term spread(const Factor &factor, ArrayRef<Label> labels) {
  if (factor.labels.empty())
    return factor.x;
  Labels own = select(labels, [&](Label l) { return has(factor.labels, l); });
  SmallVector<int64_t> added;
  for (auto [dim, label] : llvm::enumerate(labels))
    if (!has(factor.labels, label))
      added.push_back(dim);
  return factor.x.permute(findPlaces(factor.labels, own)).unsqueeze(added);
}

static Labels concat(std::initializer_list<ArrayRef<Label>> lists) {
  Labels all;
  for (ArrayRef<Label> list : lists)
    llvm::append_range(all, list);
  return all;
}

/// The product of matrices whose rows, columns and sums are all dimensions of a
/// kind.
static Factor multiplyMatrices(const Factor &lhs, const Factor &rhs,
                               ArrayRef<Label> batch, ArrayRef<Label> summed) {
  Labels rows =
      select(lhs.labels, [&](Label l) { return !has(rhs.labels, l); });
  Labels columns =
      select(rhs.labels, [&](Label l) { return !has(lhs.labels, l); });
  Labels order = concat({batch, rows, columns});
  Emitter &e = lhs.x.emitter();
  Term left =
      lhs.x.permute(findPlaces(lhs.labels, concat({batch, rows, summed})));
  Term right =
      rhs.x.permute(findPlaces(rhs.labels, concat({batch, summed, columns})));
  if (!left || !right)
    return {Term(e, Value()), order};
  SmallVector<OpFoldResult> sizes = e.getShape(left.get()),
                            last = e.getShape(right.get());
  ArrayRef<OpFoldResult> shape = ArrayRef(sizes).take_front(batch.size()),
                         height =
                             ArrayRef(sizes).slice(batch.size(), rows.size()),
                         inner = ArrayRef(sizes).take_back(summed.size()),
                         width = ArrayRef(last).take_back(columns.size());
  auto flatten = [&](const Term &x, ArrayRef<OpFoldResult> first,
                     ArrayRef<OpFoldResult> second) {
    SmallVector<OpFoldResult> flat(shape);
    flat.push_back(e.multiply(first));
    flat.push_back(e.multiply(second));
    return x.shaped("reshape", flat);
  };
  Term product = flatten(left, height, inner)
                     .apply("matmul", flatten(right, inner, width));
  SmallVector<OpFoldResult> whole(shape);
  llvm::append_range(whole, height);
  llvm::append_range(whole, width);
  return {product.shaped("reshape", whole), order};
}

/// The product, summed over labels of both that are not among `kept`.
static Factor multiply(const Factor &first, const Factor &second,
                       ArrayRef<Label> kept) {
  Factor lhs = sumOthers(first, concat({kept, second.labels})),
         rhs = sumOthers(second, concat({kept, first.labels}));
  if (!lhs.x || !rhs.x)
    return lhs.x ? rhs : lhs;
  auto isShared = [&](Label l) { return has(rhs.labels, l); };
  Labels shared = select(lhs.labels, isShared);
  Labels summed = select(shared, [&](Label l) { return !has(kept, l); });
  Labels batch = select(shared, [&](Label l) { return has(kept, l); });
  if (!summed.empty())
    return multiplyMatrices(lhs, rhs, batch, summed);
  Labels order = concat(
      {batch, select(lhs.labels, [&](Label l) { return !isShared(l); }),
       select(rhs.labels, [&](Label l) { return !has(lhs.labels, l); })});
  return {spread(lhs, order) * spread(rhs, order), order};
}

/// Whether dimension `dim` is repeated to the size of another one: an open size
/// is never taken for 1.
static bool isRepeated(const Factor &factor, int64_t dim, const Factor &other,
                       int64_t otherDim) {
  return factor.x.type().getDimSize(dim) == 1 &&
         other.x.type().getDimSize(otherDim) != 1;
}

/// The factor without a dimension that is repeated.
static Factor drop(const Factor &factor, int64_t dim) {
  Factor result{factor.x.squeeze(dim), factor.labels};
  result.labels.erase(result.labels.begin() + dim);
  return result;
}

/// Dimensions that both have become of one size; what is repeated goes.
static LogicalResult unifyLabels(Emitter &e, Factor &lhs, Factor &rhs) {
  for (Label label : Labels(rhs.labels)) {
    if (!has(lhs.labels, label))
      continue;
    int64_t place = findPlaces(lhs.labels, label).front(),
            other = findPlaces(rhs.labels, label).front();
    if (isRepeated(lhs, place, rhs, other))
      lhs = drop(lhs, place);
    else if (isRepeated(rhs, other, lhs, place))
      rhs = drop(rhs, other);
    else if (failed(unify(e, label, lhs.x, place, rhs.x, other)))
      return failure();
    if (!lhs.x || !rhs.x)
      return failure();
  }
  return success();
}

/// The sum of products of all factors, with dimensions of these labels.
static Results contract(Emitter &e, MutableArrayRef<Factor> factors,
                        ArrayRef<Label> result) {
  for (Factor &factor : factors)
    for (Label label : Labels(factor.labels))
      if (llvm::count(factor.labels, label) > 1 &&
          failed(takeDiagonal(factor, label)))
        return failure();
  Factor product = factors.front();
  for (size_t number = 1; number < factors.size(); ++number) {
    Factor &next = factors[number];
    if (failed(unifyLabels(e, product, next)))
      return failure();
    Labels kept(result);
    for (const Factor &later : factors.drop_front(number + 1))
      llvm::append_range(kept, later.labels);
    product = multiply(product, next, kept);
    if (!product.x)
      return failure();
  }
  product = sumOthers(product, result);
  if (!product.x || product.labels == result)
    return finish(product.x);
  return finish(product.x.permute(findPlaces(product.labels, result)));
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

/// What a text calls `count` dimensions.
static FailureOr<Labels> readTerm(Emitter &e, StringRef term, int64_t rank) {
  auto [before, behind] = term.split("...");
  bool hasDots = term.contains("...");
  int64_t count = rank - int64_t(before.size() + behind.size());
  bool isOfLetters = llvm::all_of(before, llvm::isAlpha) &&
                     llvm::all_of(behind, llvm::isAlpha);
  if ((hasDots ? count < 0 : count != 0) || !isOfLetters)
    return e.error() << "a letter for each dimension, got '" << term
                     << "' for an array of " << rank;
  Labels labels(before.begin(), before.end());
  for (int64_t place = hasDots ? count : 0; place > 0; --place)
    labels.push_back(-place);
  labels.append(behind.begin(), behind.end());
  return labels;
}

/// What "..." stands for in all factors: the dimensions of the one that has
/// most.
static Labels getOthers(ArrayRef<Factor> factors) {
  int64_t most = 0;
  for (const Factor &factor : factors)
    most = std::max<int64_t>(
        most, llvm::count_if(factor.labels, [](Label l) { return l < 0; }));
  Labels others;
  for (int64_t place = most; place > 0; --place)
    others.push_back(-place);
  return others;
}

/// The labels of a result that the text does not name: what is there once, in
/// alphabetic order.
static Labels inferResult(ArrayRef<Factor> factors) {
  Labels all, result = getOthers(factors), letters;
  for (const Factor &factor : factors)
    llvm::append_range(all, factor.labels);
  for (Label label : all)
    if (label >= 0 && llvm::count(all, label) == 1)
      letters.push_back(label);
  llvm::sort(letters);
  llvm::append_range(result, letters);
  return result;
}

static FailureOr<Labels> readResult(Emitter &e, StringRef text,
                                    ArrayRef<Factor> factors) {
  auto [before, behind] = text.split("...");
  Labels labels(before.begin(), before.end());
  if (text.contains("..."))
    llvm::append_range(labels, getOthers(factors));
  labels.append(behind.begin(), behind.end());
  for (Label label : labels) {
    bool isThere = llvm::any_of(
        factors, [&](const Factor &each) { return has(each.labels, label); });
    if (!isThere || llvm::count(labels, label) > 1)
      return e.error() << "each letter of the result once, and in an operand, "
                          "got '"
                       << text << "'";
  }
  return labels;
}

static Results emitEinsum(Emitter &e) {
  FailureOr<StringRef> equation = e.getString("equation");
  if (failed(equation))
    return failure();
  std::string text = equation->str();
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != e.request.operands.size())
    return e.error() << terms.size() << " operands for '" << left << "', got "
                     << e.request.operands.size();
  if (failed(e.checkPromotion(e.request.operands)))
    return failure();
  SmallVector<Factor> factors;
  for (auto [operand, term] : llvm::zip_equal(e.request.operands, terms)) {
    Term x(e, operand);
    FailureOr<Labels> labels = readTerm(e, term, getRank(x));
    if (failed(labels))
      return failure();
    factors.push_back({x, *labels});
  }
  if (!StringRef(text).contains("->"))
    return contract(e, factors, inferResult(factors));
  FailureOr<Labels> result = readResult(e, right, factors);
  if (failed(result))
    return failure();
  return contract(e, factors, *result);
}

//===----------------------------------------------------------------------===//
// Products over dimensions by their numbers
//===----------------------------------------------------------------------===//

/// The sum of products over `dims` of x and, one for each, `otherDims` of y,
/// with all others in the result.
static Results contractDims(Emitter &e, const Term &x, const Term &y,
                            ArrayRef<int64_t> dims,
                            ArrayRef<int64_t> otherDims) {
  Factor factors[] = {{x, {}}, {y, {}}};
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    factors[0].labels.push_back(kFirstNumber + dim);
  for (int64_t dim = 0; dim < y.rank(); ++dim)
    factors[1].labels.push_back(kFirstNumber + x.rank() + dim);
  for (auto [dim, other] : llvm::zip_equal(dims, otherDims))
    factors[1].labels[other] = kFirstNumber + dim;
  Labels result;
  for (const Factor &factor : factors)
    for (Label label : factor.labels)
      if (!llvm::is_contained(dims, label - kFirstNumber))
        result.push_back(label);
  return contract(e, factors, result);
}

/// Dimensions in the order of the list `name`, each once.
static FailureOr<SmallVector<int64_t>> getOrder(Emitter &e, StringRef name,
                                                int64_t rank) {
  FailureOr<ArrayRef<int64_t>> given = e.getInts(name);
  if (failed(given))
    return failure();
  return e.normalizeOrder(*given, rank);
}

/// Over the last `axes` dimensions of x and the first ones of y, or over
/// `lhs_dims` and `rhs_dims`.
static Results emitTensorDot(Emitter &e) {
  FailureOr<std::pair<Term, Term>> factors = takePair(e);
  if (failed(factors))
    return failure();
  auto [x, y] = *factors;
  if (e.has("axes")) {
    FailureOr<int64_t> count = e.getInt("axes", std::nullopt);
    if (failed(count))
      return failure();
    int64_t most = std::min(x.rank(), y.rank());
    if (*count < 0 || *count > most)
      return e.error() << "0 to " << most << " as axes, got " << *count;
    return contractDims(e, x, y,
                        llvm::to_vector(llvm::seq(x.rank() - *count, x.rank())),
                        llvm::to_vector(llvm::seq<int64_t>(0, *count)));
  }
  FailureOr<SmallVector<int64_t>> dims = getOrder(e, "lhs_dims", x.rank());
  if (failed(dims))
    return failure();
  FailureOr<SmallVector<int64_t>> others = getOrder(e, "rhs_dims", y.rank());
  if (failed(others))
    return failure();
  if (dims->size() != others->size())
    return e.error() << "as many dimensions of both, got [" << *dims
                     << "] and [" << *others << "]";
  return contractDims(e, x, y, *dims, *others);
}

/// NumPy's `dot` and `inner`: over the last dimension of x and, of y, the one
/// before the last, or the last; a product with a number where there is one.
static Results emitDot(Emitter &e) {
  ArrayRef<Value> operands = e.request.operands;
  auto hasDims = [](Value each) {
    return isTensor(each) && cast<RankedTensorType>(each.getType()).getRank();
  };
  if (operands.size() == 2 && !llvm::all_of(operands, hasDims))
    return e.apply("mul", operands);
  FailureOr<std::pair<Term, Term>> factors = takePair(e);
  if (failed(factors))
    return failure();
  auto [x, y] = *factors;
  bool isInner = e.request.name == "inner";
  if (y.rank() > 2)
    return contractDims(e, x, y, x.rank() - 1, y.rank() - (isInner ? 1 : 2));
  return finish(x.apply("matmul", isInner ? y.transpose() : y));
}

void frontend::addEinsumOps(HandlerMap &map) {
  map["einsum"] = {emitEinsum, "equation"};
  map["tensordot"] = {emitTensorDot, "axes lhs_dims rhs_dims"};
  for (StringRef name : {"dot", "inner"})
    map[name] = {emitDot, ""};
}
