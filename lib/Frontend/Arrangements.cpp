//===- Arrangements.cpp - Tensors beside each other, and parts of them ----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Term.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

/// All operands that are left, of which there is at least one.
static FailureOr<SmallVector<Term>> takeTensors(Emitter &e) {
  SmallVector<Term> terms;
  if (e.request.operands.empty())
    return e.error() << "at least one tensor, got none";
  do {
    FailureOr<Term> term = takeTensorOrNumber(e);
    if (failed(term))
      return failure();
    terms.push_back(*term);
  } while (terms.size() < e.request.operands.size());
  return terms;
}

static SmallVector<int64_t> range(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

static Term concatenate(ArrayRef<Term> terms, int64_t dim) {
  Emitter &e = terms.front().emitter();
  return applyAll("cat", terms, e.intAttr("dim", dim), 1).front();
}

/// A matrix of each row: its elements are on a diagonal, and beside them are
/// zeros.
static Results emitDiagEmbed(Emitter &e) {
  FailureOr<Term> x = takeOnly(e);
  FailureOr<int64_t> offset = e.getInt("offset", 0);
  if (failed(x) || failed(offset))
    return failure();
  static constexpr int64_t kLast[] = {-2, -1};
  FailureOr<ArrayRef<int64_t>> dims = ArrayRef(kLast);
  if (e.has("dims"))
    dims = e.getInts("dims");
  if (failed(dims))
    return failure();
  int64_t last = x->rank() - 1;
  if (last < 0 || dims->size() != 2)
    return e.error() << "a tensor with a dimension, and two dimensions of the "
                        "result as 'dims', got "
                     << x->type() << " and [" << *dims << "]";
  Term row = *x;
  if (*offset != 0)
    row = row.apply("pad", {},
                    {e.textAttr("mode", "constant"), e.intsAttr("low", 0),
                     e.intsAttr("high", std::abs(*offset))});
  if (!row)
    return failure();
  SmallVector<OpFoldResult> sizes(2, e.getDim(row.get(), last));
  Term down = makeRange(e, sizes, 0), right = makeRange(e, sizes, 1);
  // Row i has element i at i + offset, and below the diagonal column i has it.
  Term isOn = (down + makeInteger(e, *offset)).compare("eq", right);
  Term spread = row.unsqueeze(*offset >= 0 ? last + 1 : last);
  Term zero(e, e.makeNumber(x->element(), 0));
  Term result = choose(isOn, spread, zero).castTo(x->element());
  return finish(result.apply(
      "moveaxis", {},
      {e.intsAttr("source", {-2, -1}), e.intsAttr("destination", *dims)}));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Each part is an op.
static constexpr int64_t kMostParts = 1 << 16;

/// Each time is some ops.
static constexpr int64_t kMostDifferences = 1024;

static LogicalResult checkParts(Emitter &e, StringRef name, int64_t count) {
  if (count >= 1 && count <= kMostParts)
    return success();
  return e.error() << "1 to " << kMostParts << " as '" << name << "', got "
                   << count;
}

/// The same of a number that follows from a size; there may be none.
static LogicalResult checkPartsOf(Emitter &e, int64_t count) {
  if (count <= kMostParts)
    return success();
  return e.error() << "at most " << kMostParts << " parts, got " << count;
}

/// Parts of these lengths along `dim`, one behind the other.
static Results cut(Emitter &e, Value input, int64_t dim,
                   ArrayRef<OpFoldResult> lengths) {
  SmallVector<Value> parts;
  OpFoldResult offset = e.builder.getIndexAttr(0);
  for (OpFoldResult length : lengths) {
    FailureOr<Value> part = e.sliceDim(input, dim, offset, length);
    if (failed(part))
      return failure();
    parts.push_back(*part);
    offset = e.add(offset, length);
  }
  return parts;
}

/// Lengths of `chunks` parts of an open size, which are equal, rounded up: the
/// last ones may be shorter or empty.
static SmallVector<OpFoldResult> getOpenChunks(Emitter &e, OpFoldResult size,
                                               int64_t chunks) {
  OpFoldResult length =
      e.divide(e.add(size, e.builder.getIndexAttr(chunks - 1)), chunks);
  SmallVector<OpFoldResult> lengths;
  OpFoldResult start = e.builder.getIndexAttr(0);
  for (int64_t number = 1; number <= chunks; ++number) {
    OpFoldResult stop = e.multiply({length, e.builder.getIndexAttr(number)});
    // The first part is no longer than the whole.
    if (number > 1)
      stop = e.min(stop, size);
    lengths.push_back(e.subtract(number == chunks ? size : stop, start));
    start = stop;
  }
  return lengths;
}

/// Lengths of parts of `length` elements, of which the last one may be shorter;
/// of no elements `least` parts.
static SmallVector<OpFoldResult> getPieces(Emitter &e, int64_t size,
                                           int64_t length, int64_t least) {
  SmallVector<OpFoldResult> lengths;
  for (int64_t start = 0; start < size; start += length)
    lengths.push_back(e.builder.getIndexAttr(std::min(length, size - start)));
  if (size == 0)
    lengths.assign(least, e.builder.getIndexAttr(0));
  return lengths;
}

/// Of a known size there may be fewer than `chunks`, of an open one there are
/// as many.
static Results emitChunk(Emitter &e) {
  FailureOr<Term> x = takeOnly(e);
  FailureOr<int64_t> chunks = e.getInt("chunks", std::nullopt);
  if (failed(x) || failed(chunks))
    return failure();
  FailureOr<int64_t> dim = e.getDimAttr("dim", x->rank());
  if (failed(dim) || failed(checkParts(e, "chunks", *chunks)))
    return failure();
  OpFoldResult size = e.getDim(x->get(), *dim);
  std::optional<int64_t> known = getConstantIntValue(size);
  if (!known)
    return cut(e, x->get(), *dim, getOpenChunks(e, size, *chunks));
  int64_t length = llvm::divideCeil(*known, *chunks);
  return cut(e, x->get(), *dim, getPieces(e, *known, length, *chunks));
}

/// As many parts as `sections` says: of one length or, if they may be `uneven`,
/// the first ones with one element more.
static Results splitEvenly(Emitter &e, const Term &x, int64_t dim) {
  FailureOr<int64_t> sections = e.getInt("sections", std::nullopt);
  FailureOr<bool> isUneven = e.getFlag("uneven");
  if (failed(sections) || failed(isUneven) ||
      failed(checkParts(e, "sections", *sections)))
    return failure();
  OpFoldResult size = e.getDim(x.get(), dim);
  SmallVector<OpFoldResult> lengths;
  if (*sections == 1)
    return SmallVector<Value>{x.get()};
  if (*isUneven) {
    for (int64_t number = *sections - 1; number >= 0; --number)
      lengths.push_back(
          e.divide(e.add(size, e.builder.getIndexAttr(number)), *sections));
    return cut(e, x.get(), dim, lengths);
  }
  StringRef hint = e.asked == "split" ? ": array_split takes others" : "";
  FailureOr<OpFoldResult> length =
      e.divideExactly(size, *sections,
                      "a number of parts that divides the {0} elements of "
                      "dimension " +
                          Twine(dim) + ", got {1}" + hint);
  if (failed(length))
    return failure();
  lengths.assign(*sections, *length);
  return cut(e, x.get(), dim, lengths);
}

/// Parts of the lengths `sizes`, whose sum the size has to be.
static Results splitBySizes(Emitter &e, const Term &x, int64_t dim) {
  FailureOr<SmallVector<OpFoldResult>> lengths = e.takeSizes("sizes");
  if (failed(lengths) || failed(e.checkNoneLeft()))
    return failure();
  OpFoldResult sum = e.builder.getIndexAttr(0);
  for (OpFoldResult length : *lengths) {
    if (getConstantIntValue(length).value_or(0) < 0)
      return e.error() << "'sizes' that are not negative, got "
                       << *getConstantIntValue(length);
    sum = e.add(sum, length);
  }
  Value input = x.get();
  std::optional<int64_t> known = getConstantIntValue(sum);
  if (known && x.type().isDynamicDim(dim)) {
    FailureOr<Value> closed = e.closeDim(input, dim, *known);
    if (failed(closed))
      return failure();
    input = *closed;
  } else if (failed(e.expectEqual(
                 e.getDim(input, dim), sum,
                 "sizes of parts whose sum is {0}, that of dimension " +
                     Twine(dim) + ", got {1}"))) {
    return failure();
  }
  return cut(e, input, dim, *lengths);
}

/// Has the program check an index behind another one, up to `size`: both if
/// they are not known.
static void checkIndex(Emitter &e, int64_t dim, OpFoldResult before,
                       OpFoldResult index, OpFoldResult size) {
  Value least = e.toValue(before), place = e.toValue(index),
        most = e.toValue(size);
  auto isUpTo = [&](Value value, Value bound) {
    return e.builder.createOrFold<arith::CmpIOp>(
        e.loc, arith::CmpIPredicate::ule, value, bound);
  };
  Value isRight = isUpTo(place, most);
  if (!getConstantIntValue(before) || !getConstantIntValue(index))
    isRight = e.builder.createOrFold<arith::AndIOp>(e.loc, isRight,
                                                    isUpTo(least, place));
  e.checkWhenRun(isRight,
                 "'" + e.asked +
                     "': expected indices in ascending order, up to the {0} "
                     "elements of dimension " +
                     Twine(dim) + ", got {1} behind {2}",
                 {most, place, least});
}

/// What is between `indices`, and before the first and behind the last one.
static Results splitAtIndices(Emitter &e, const Term &x, int64_t dim) {
  FailureOr<SmallVector<OpFoldResult>> indices = e.takeSizes("indices");
  if (failed(indices) || failed(e.checkNoneLeft()))
    return failure();
  OpFoldResult size = e.getDim(x.get(), dim), from = e.builder.getIndexAttr(0);
  SmallVector<OpFoldResult> places = llvm::map_to_vector(
      *indices, [&](OpFoldResult each) { return getBound(e, each, size); });
  places.push_back(size);
  SmallVector<Value> parts;
  for (OpFoldResult place : places) {
    OpFoldResult length = e.subtract(place, from);
    std::optional<int64_t> known = getConstantIntValue(length);
    if (known)
      length = e.builder.getIndexAttr(std::max<int64_t>(*known, 0));
    if (place != size && (!known || !getConstantIntValue(size)))
      checkIndex(e, dim, from, place, size);
    FailureOr<Value> part = e.sliceDim(x.get(), dim, from, length);
    if (failed(part))
      return failure();
    parts.push_back(*part);
    from = place;
  }
  return parts;
}

/// Parts of `length` elements of a known size, the last one perhaps of fewer.
static Results splitByLength(Emitter &e, const Term &x, int64_t dim) {
  FailureOr<int64_t> length = e.getInt("length", std::nullopt);
  if (failed(length))
    return failure();
  if (*length < 1)
    return e.error() << "at least 1 as 'length', got " << *length;
  if (x.type().isDynamicDim(dim))
    return e.error() << "the sizes of all parts, as that of dimension " << dim
                     << " is open, or a number of parts, got parts of "
                     << *length;
  int64_t size = x.type().getDimSize(dim);
  if (failed(checkPartsOf(e, llvm::divideCeil(size, *length))))
    return failure();
  return cut(e, x.get(), dim, getPieces(e, size, *length, 1));
}

static Results emitSplit(Emitter &e) {
  FailureOr<Term> x = takeAny(e);
  if (failed(x))
    return failure();
  FailureOr<int64_t> dim = e.getDimAttr("dim", x->rank(), 0);
  if (failed(dim))
    return failure();
  auto isGiven = [&](StringRef name) { return e.has(name); };
  if (llvm::count_if(
          ArrayRef<StringRef>{"sections", "indices", "sizes", "length"},
          isGiven) != 1)
    return e.error() << "one of 'sections', 'indices', 'sizes' and 'length'";
  if (e.has("sizes"))
    return splitBySizes(e, *x, *dim);
  if (e.has("indices"))
    return splitAtIndices(e, *x, *dim);
  if (failed(e.checkNoneLeft()))
    return failure();
  return e.has("length") ? splitByLength(e, *x, *dim)
                         : splitEvenly(e, *x, *dim);
}

/// The parts of one element along a dimension of known size, without it.
static Results emitUnstack(Emitter &e) {
  FailureOr<Term> x = takeOnly(e);
  if (failed(x))
    return failure();
  FailureOr<int64_t> dim = e.getDimAttr("dim", x->rank(), 0);
  if (failed(dim))
    return failure();
  if (x->type().isDynamicDim(*dim))
    return e.error() << "a dimension whose size is known, got dimension "
                     << *dim << " of " << x->type();
  int64_t count = x->type().getDimSize(*dim);
  if (failed(checkPartsOf(e, count)))
    return failure();
  SmallVector<Value> parts;
  for (int64_t number = 0; number < count; ++number) {
    Term part = x->apply("select", {},
                         {e.intAttr("dim", *dim), e.intsAttr("index", number)});
    if (!part)
      return failure();
    parts.push_back(part.get());
  }
  return parts;
}

/// x without its first, and without its last element along `dim`; of none both
/// have none.
static FailureOr<std::pair<Term, Term>> getNeighbours(const Term &x,
                                                      int64_t dim) {
  Emitter &e = x.emitter();
  OpFoldResult size = e.getDim(x.get(), dim), one = e.builder.getIndexAttr(1);
  OpFoldResult rest = e.subtract(size, e.min(size, one));
  // A number, so that places of differences of differences are the same ones,
  // which are read once. Where there are no elements none is read.
  FailureOr<Value> after = e.sliceDim(x.get(), dim, one, rest);
  FailureOr<Value> before =
      e.sliceDim(x.get(), dim, e.builder.getIndexAttr(0), rest);
  if (failed(after) || failed(before))
    return failure();
  return std::pair(Term(e, *after), Term(e, *before));
}

/// The differences of neighbours along `dim`, `n` times. Operands are x and, if
/// they are there, what comes before and behind it.
static Results emitDiff(Emitter &e) {
  FailureOr<Term> x = takeAny(e);
  FailureOr<int64_t> times = e.getInt("n", 1);
  FailureOr<bool> hasBefore = e.getFlag("has_prepend"),
                  hasBehind = e.getFlag("has_append");
  if (failed(x) || failed(times) || failed(hasBefore) || failed(hasBehind))
    return failure();
  FailureOr<std::optional<Term>> before = takeIf(e, *hasBefore);
  if (failed(before))
    return failure();
  FailureOr<std::optional<Term>> behind = takeIf(e, *hasBehind);
  if (failed(behind) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<int64_t> dim = e.getDimAttr("dim", x->rank(), -1);
  if (failed(dim))
    return failure();
  if (*times < 0)
    return e.error() << "n to be at least 0, got " << *times;
  if (*times == 0)
    return finish(*x);
  SmallVector<Term> parts = {*x};
  if (*before)
    parts.insert(parts.begin(), **before);
  if (*behind)
    parts.push_back(**behind);
  Term result = parts.size() > 1 ? concatenate(parts, *dim) : *x;
  if (!result)
    return failure();
  // Of nothing there is no difference.
  int64_t size = result.type().getDimSize(*dim);
  int64_t count = ShapedType::isDynamic(size) ? *times : std::min(*times, size);
  if (count > kMostDifferences)
    return e.error() << "n to be at most " << kMostDifferences << ", got "
                     << *times;
  for (int64_t number = 0; number < count && result; ++number) {
    FailureOr<std::pair<Term, Term>> pair = getNeighbours(result, *dim);
    if (failed(pair))
      return failure();
    bool isOfFlags = result.element().isInteger(1);
    result = pair->first.apply(isOfFlags ? "ne" : "sub", pair->second);
  }
  return finish(result);
}

//===----------------------------------------------------------------------===//
// Dimensions in another order
//===----------------------------------------------------------------------===//

/// Dimensions `source` at the places `destination`, the others in their order.
static Results emitMoveAxis(Emitter &e) {
  FailureOr<Term> x = takeOnly(e);
  FailureOr<ArrayRef<int64_t>> source = e.getInts("source"),
                               destination = e.getInts("destination");
  if (failed(x) || failed(source) || failed(destination))
    return failure();
  FailureOr<SmallVector<int64_t>> from = e.normalizeOrder(*source, x->rank());
  if (failed(from))
    return failure();
  FailureOr<SmallVector<int64_t>> to =
      e.normalizeOrder(*destination, x->rank());
  if (failed(to))
    return failure();
  if (from->size() != to->size())
    return e.error() << "as many places as dimensions, got [" << *source
                     << "] and [" << *destination << "]";
  SmallVector<int64_t> order(x->rank(), -1);
  llvm::SmallBitVector isMoved(x->rank());
  for (auto [dim, place] : llvm::zip_equal(*from, *to)) {
    order[place] = dim;
    isMoved.set(dim);
  }
  int64_t next = 0;
  for (int64_t &place : order) {
    if (place >= 0)
      continue;
    while (isMoved.test(next))
      ++next;
    place = next++;
  }
  return finish(x->permute(order));
}

/// x with two dimensions exchanged.
static Term swap(const Term &x, int64_t dim, int64_t other) {
  SmallVector<int64_t> order = range(0, x ? x.rank() : 0);
  if (x)
    std::swap(order[dim], order[other]);
  return x.permute(order);
}

static FailureOr<std::pair<int64_t, int64_t>> getTwoDims(Emitter &e,
                                                         int64_t rank) {
  FailureOr<ArrayRef<int64_t>> dims = e.getInts("dims");
  if (failed(dims))
    return failure();
  if (dims->size() != 2)
    return e.error() << "two dimensions, got [" << *dims << "]";
  FailureOr<int64_t> first = e.normalizeDim((*dims)[0], rank);
  if (failed(first))
    return failure();
  FailureOr<int64_t> second = e.normalizeDim((*dims)[1], rank);
  if (failed(second))
    return failure();
  return std::pair(*first, *second);
}

static Results emitSwapAxes(Emitter &e) {
  FailureOr<Term> x = takeOnly(e);
  if (failed(x))
    return failure();
  FailureOr<std::pair<int64_t, int64_t>> dims = getTwoDims(e, x->rank());
  if (failed(dims))
    return failure();
  return finish(swap(*x, dims->first, dims->second));
}

/// x turned by `k` right angles, from the first of two dimensions towards the
/// second.
static Results emitRotate90(Emitter &e) {
  FailureOr<Term> x = takeOnly(e);
  FailureOr<int64_t> k = e.getInt("k", 1);
  if (failed(x) || failed(k))
    return failure();
  FailureOr<std::pair<int64_t, int64_t>> dims = getTwoDims(e, x->rank());
  if (failed(dims))
    return failure();
  auto [first, second] = *dims;
  if (first == second)
    return e.error() << "two dimensions, got " << first << " twice";
  auto flip = [&](const Term &term, ArrayRef<int64_t> along) {
    return term.apply("flip", {}, e.intsAttr("dims", along));
  };
  switch (((*k % 4) + 4) % 4) {
  case 1:
    return finish(swap(flip(*x, second), first, second));
  case 2:
    return finish(flip(*x, {first, second}));
  case 3:
    return finish(flip(swap(*x, first, second), second));
  default:
    return finish(*x);
  }
}

//===----------------------------------------------------------------------===//
// Tensors beside each other
//===----------------------------------------------------------------------===//

/// With at least so many dimensions, as NumPy's functions of these names.
static Term raise(const Term &x, int64_t rank) {
  if (x.rank() >= rank)
    return x;
  if (rank == 3 && x.rank() == 2)
    return x.unsqueeze(2);
  if (rank == 3 && x.rank() == 1)
    return x.unsqueeze({0, 2});
  return x.unsqueeze(range(0, rank - x.rank()));
}

static Results emitAtLeast(Emitter &e) {
  FailureOr<int64_t> rank = e.getInt("rank", std::nullopt);
  FailureOr<Term> x = takeOnly(e);
  if (failed(rank) || failed(x))
    return failure();
  if (*rank < 1 || *rank > 3)
    return e.error() << "1 to 3 as 'rank', got " << *rank;
  return finish(raise(*x, *rank));
}

/// Along a new dimension.
static Results emitStack(Emitter &e) {
  FailureOr<SmallVector<Term>> terms = takeTensors(e);
  if (failed(terms))
    return failure();
  RankedTensorType first = terms->front().type();
  FailureOr<int64_t> dim = e.getDimAttr("dim", first.getRank() + 1, 0);
  if (failed(dim))
    return failure();
  for (auto [number, term] : llvm::enumerate(*terms)) {
    if (failed(verifyCompatibleShape(first, term.type())))
      return e.error() << "tensors of one shape, got " << first
                       << " and, as operand " << number << ", " << term.type();
    term = term.unsqueeze(*dim);
    if (!term)
      return failure();
  }
  return finish(concatenate(*terms, *dim));
}

/// vstack, hstack, column_stack and dstack.
static Results emitStackLike(Emitter &e) {
  FailureOr<SmallVector<Term>> terms = takeTensors(e);
  if (failed(terms))
    return failure();
  StringRef name = e.request.name;
  bool isBelow = name == "vstack", isDeep = name == "dstack",
       isOfColumns = name == "column_stack";
  for (Term &term : *terms) {
    // One of one dimension is a column.
    if (isOfColumns && term.rank() < 2)
      term = raise(term, 1).unsqueeze(1);
    else
      term = raise(term, isDeep ? 3 : isBelow ? 2 : 1);
    if (!term)
      return failure();
  }
  int64_t dim = isDeep ? 2 : isBelow ? 0 : 1;
  if (name == "hstack" && terms->front().rank() == 1)
    dim = 0;
  return finish(concatenate(*terms, dim));
}

/// Tensors of at most one dimension, each along its own dimension of all
/// results; `indexing` is "ij", or "xy" with the first two exchanged.
static Results emitMeshGrid(Emitter &e) {
  FailureOr<StringRef> indexing = e.getString("indexing");
  FailureOr<SmallVector<Term>> terms = takeTensors(e);
  if (failed(indexing) || failed(terms))
    return failure();
  if (*indexing != "xy" && *indexing != "ij")
    return e.error() << "'xy' or 'ij' as 'indexing', got '" << *indexing << "'";
  SmallVector<int64_t> places = range(0, terms->size());
  if (*indexing == "xy" && places.size() > 1)
    std::swap(places[0], places[1]);
  SmallVector<Value> spread;
  for (auto [term, place] : llvm::zip_equal(*terms, places)) {
    if (term.rank() > 1)
      return e.error() << "tensors of one dimension, got " << term.type();
    SmallVector<int64_t> others = range(0, terms->size());
    others.erase(others.begin() + place);
    Term own = raise(term, 1);
    if (own)
      own = own.unsqueeze(others);
    if (!own)
      return failure();
    spread.push_back(own.get());
  }
  return e.broadcast(spread);
}

void frontend::addArrangementOps(HandlerMap &map) {
  map["chunk"] = {emitChunk, "chunks dim"};
  map["split"] = {emitSplit, "dim sections uneven sizes indices length"};
  map["unstack"] = {emitUnstack, "dim"};
  map["diag_embed"] = {emitDiagEmbed, "offset dims"};
  map["diff"] = {emitDiff, "n dim has_prepend has_append"};
  map["moveaxis"] = {emitMoveAxis, "source destination"};
  map["swapaxes"] = {emitSwapAxes, "dims"};
  map["rot90"] = {emitRotate90, "k dims"};
  map["atleast"] = {emitAtLeast, "rank"};
  map["stack"] = {emitStack, "dim"};
  for (StringRef name : {"vstack", "hstack", "column_stack", "dstack"})
    map[name] = {emitStackLike, ""};
  map["meshgrid"] = {emitMeshGrid, "indexing"};
}
