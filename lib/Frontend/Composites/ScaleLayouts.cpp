//===- ScaleLayouts.cpp - Scales of blocks as tensor cores read them ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor cores of Blackwell read the scales of a matrix in tiles of 128 rows
// and 4 columns (cuBLAS, "1D block scaling factors layout"). In a tile, 512
// scales in a row, the rows r, r + 32, r + 64 and r + 96 are side by side.
// Tiles are in row-major order, and what is in them beyond the matrix is 0: a
// padding, then a permutation.
//
// In a matrix of groups each group begins a tile. Its rows are moved apart
// before they are swizzled, and together again when they are read.
//
//===----------------------------------------------------------------------===//

#include "ScaleLayouts.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

static constexpr int64_t kTileRows = 128, kTileColumns = 4, kLanes = 32;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// size + number * factor.
static OpFoldResult addTo(Emitter &e, OpFoldResult size, OpFoldResult number,
                          int64_t factor) {
  return e.add(size, e.multiply({number, e.builder.getIndexAttr(factor)}));
}

/// How much `size` lacks to a multiple of `divisor`.
static OpFoldResult getLack(Emitter &e, OpFoldResult size, int64_t divisor) {
  OpFoldResult one = e.builder.getIndexAttr(1);
  OpFoldResult count = e.divide(addTo(e, size, one, divisor - 1), divisor);
  return addTo(e, e.multiply({count, e.builder.getIndexAttr(divisor)}), size,
               -1);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A scale of bits, as f8E8M0FNU has no zero that padding could be.
static Term toBits(const Term &scales) {
  if (!scales || !isa<Float8E8M0FNUType>(scales.element()))
    return scales;
  Emitter &e = scales.emitter();
  return scales.apply("bitcast", {},
                      e.typeAttr(e.builder.getIntegerType(8, false)));
}

static Term fromBits(const Term &bits, Type element) {
  Emitter &e = bits.emitter();
  return isa<Float8E8M0FNUType>(element)
             ? bits.apply("bitcast", {}, e.typeAttr(element))
             : bits;
}

/// With zeros behind each row and column, to whole tiles.
static Term padToTiles(const Term &scales) {
  if (!scales)
    return scales;
  Emitter &e = scales.emitter();
  SmallVector<OpFoldResult> sizes = e.getShape(scales.get());
  SmallVector<OpFoldResult> low(sizes.size(), e.builder.getIndexAttr(0)),
      high = low;
  high.end()[-2] = getLack(e, sizes.end()[-2], kTileRows);
  high.back() = getLack(e, sizes.back(), kTileColumns);
  return {e, e.verify(fusion::PadOp::create(e.builder, e.loc,
                                            fusion::PadMode::Constant,
                                            scales.get(), low, high, Value()))};
}

/// The tensor with its last two dimensions as `last`, in the order `order`,
/// which begins behind the others; then as `sizes`.
static Term rearrange(const Term &x, ArrayRef<OpFoldResult> last,
                      ArrayRef<int64_t> order, ArrayRef<OpFoldResult> sizes) {
  int64_t batch = sizes.size() - 2;
  SmallVector<OpFoldResult> split(sizes.take_front(batch));
  llvm::append_range(split, last);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  for (int64_t dim : order)
    dims.push_back(batch + dim);
  return x.shaped("reshape", split).permute(dims).shaped("reshape", sizes);
}

/// The tiles of ... x 128 r x 4 c scales, as a tensor of that shape.
static Term swizzle(const Term &padded) {
  if (!padded)
    return padded;
  Emitter &e = padded.emitter();
  auto size = [&](int64_t number) -> OpFoldResult {
    return e.builder.getIndexAttr(number);
  };
  SmallVector<OpFoldResult> sizes = e.getShape(padded.get());
  return rearrange(padded,
                   {e.divide(sizes.end()[-2], kTileRows),
                    size(kTileRows / kLanes), size(kLanes),
                    e.divide(sizes.back(), kTileColumns), size(kTileColumns)},
                   {0, 3, 2, 1, 4}, sizes);
}

/// The inverse.
static Term unswizzle(const Term &tiles) {
  if (!tiles)
    return tiles;
  Emitter &e = tiles.emitter();
  auto size = [&](int64_t number) -> OpFoldResult {
    return e.builder.getIndexAttr(number);
  };
  SmallVector<OpFoldResult> sizes = e.getShape(tiles.get());
  return rearrange(tiles,
                   {e.divide(sizes.end()[-2], kTileRows),
                    e.divide(sizes.back(), kTileColumns), size(kLanes),
                    size(kTileRows / kLanes), size(kTileColumns)},
                   {0, 3, 2, 1, 4}, sizes);
}

/// Whether `tiles` may be tiles: its known sizes are of whole ones.
static LogicalResult checkTiles(const Term &tiles) {
  auto isWhole = [&](int64_t fromEnd, int64_t each) {
    int64_t size = tiles.type().getShape().end()[-fromEnd];
    return ShapedType::isDynamic(size) || size % each == 0;
  };
  if (tiles.rank() >= 2 && isWhole(2, kTileRows) && isWhole(1, kTileColumns))
    return success();
  return tiles.emitter().error()
         << "swizzled scales of whole tiles, ... x 128 r x 4 c, got "
         << tiles.type();
}

Term frontend::unswizzleScales(const Term &tiles, OpFoldResult rows,
                               OpFoldResult columns) {
  Emitter &e = tiles.emitter();
  if (failed(checkTiles(tiles)))
    return {e, Value()};
  Term linear = unswizzle(tiles);
  if (!linear)
    return linear;
  SmallVector<OpFoldResult> sizes = e.getShape(linear.get());
  SmallVector<OpFoldResult> offsets(sizes.size(), e.builder.getIndexAttr(0)),
      steps(sizes.size(), e.builder.getIndexAttr(1));
  sizes.end()[-2] = rows;
  sizes.back() = columns;
  return {e, e.slice(linear.get(), offsets, sizes, steps)};
}

static Results emitSwizzleScales(Emitter &e) {
  FailureOr<Term> scales = takeAny(e);
  if (failed(scales) || failed(e.checkNoneLeft()))
    return failure();
  if (scales->rank() < 2)
    return e.error() << "scales of at least two dimensions, got "
                     << scales->type();
  Term tiles = swizzle(padToTiles(toBits(*scales)));
  return finish(fromBits(tiles, scales->element()));
}

/// Operands are tiles, and open numbers of `shape`, rows and columns.
static Results emitUnswizzleScales(Emitter &e) {
  FailureOr<Term> tiles = takeAny(e);
  if (failed(tiles))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> shape = e.takeSizes("shape");
  if (failed(shape) || failed(e.checkNoneLeft()))
    return failure();
  if (shape->size() != 2)
    return e.error() << "numbers of rows and of columns as 'shape', got "
                     << shape->size() << " numbers";
  return finish(unswizzleScales(*tiles, (*shape)[0], (*shape)[1]));
}

//===----------------------------------------------------------------------===//
// Groups of rows
//===----------------------------------------------------------------------===//

FailureOr<Term> frontend::takeOffsets(Emitter &e, StringRef what) {
  FailureOr<Term> offsets = takeAny(e);
  if (failed(offsets))
    return failure();
  Type index = offsets->element();
  if (offsets->rank() != 1 || (!index.isInteger(32) && !index.isInteger(64)))
    return e.error() << what << " of i32 or i64 and one dimension, got "
                     << offsets->type();
  return offsets->castTo(e.builder.getI64Type());
}

Term frontend::countBounds(const Term &bounds, OpFoldResult size) {
  Emitter &e = bounds.emitter();
  Term places = makeRange(e, size, 0).unsqueeze(1);
  return places.compare("ge", bounds).castTo(e.builder.getI64Type()).sumOver(1);
}

/// Rows of `x` by their numbers.
static Term takeRows(const Term &x, const Term &rows) {
  return x.apply("take", rows, x.emitter().intAttr("dim", 0));
}

/// Rows of `x`, and zeros where `isThere`, one dimension, says so.
static Term takeRowsIf(const Term &isThere, const Term &x, const Term &rows) {
  Emitter &e = x.emitter();
  Term none = makeInteger(e, -1);
  Term taken = takeRows(toBits(x), choose(isThere, rows, none));
  if (!taken)
    return taken;
  auto others = llvm::to_vector(llvm::seq<int64_t>(1, x.rank()));
  Term zero = {e, e.makeNumber(taken.element(), 0)};
  return fromBits(choose(isThere.unsqueeze(others), taken, zero), x.element());
}

namespace {
/// A matrix and where its groups begin: as they are, and moved apart.
struct Groups {
  Term matrix, starts, padded;

  OpFoldResult count() const {
    return matrix.emitter().getDim(starts.get(), 0);
  }
};
} // namespace

static FailureOr<Groups> takeGroups(Emitter &e) {
  FailureOr<Term> matrix = takeAny(e);
  if (failed(matrix))
    return failure();
  FailureOr<Term> starts = takeOffsets(e, "where groups begin");
  if (failed(starts))
    return failure();
  FailureOr<Term> padded = takeOffsets(e, "where groups begin that are apart");
  if (failed(padded))
    return failure();
  if (matrix->rank() == 0)
    return e.error() << "a tensor of at least one dimension, got "
                     << matrix->type();
  if (!starts->get() || !padded->get())
    return failure();
  return Groups{*matrix, *starts, *padded};
}

/// Rows in groups of which each begins where an operand says, at a multiple of
/// `multiple`, by default 128; between them are zeros. There are as many rows
/// as any sizes of so many groups take.
static Results emitPadGroups(Emitter &e) {
  FailureOr<int64_t> multiple = e.getInt("multiple", kTileRows);
  FailureOr<Groups> groups = takeGroups(e);
  if (failed(multiple) || failed(groups) || failed(e.checkNoneLeft()))
    return failure();
  if (*multiple < 1)
    return e.error() << "a positive 'multiple', got " << *multiple;
  OpFoldResult rows = e.getDim(groups->matrix.get(), 0),
               each = e.builder.getIndexAttr(*multiple);
  OpFoldResult most = addTo(e, rows, groups->count(), *multiple - 1);
  OpFoldResult size = e.multiply({e.divide(most, *multiple), each});
  Term one = makeInteger(e, 1), zero = makeInteger(e, 0);
  Term next = countBounds(groups->padded, size), group = next - one;
  Term row = makeRange(e, size, 0) - takeRows(groups->padded, group) +
             takeRows(groups->starts, group);
  Term count(e, e.toInteger(groups->count())), all(e, e.toInteger(rows));
  Term end =
      choose(next.compare("lt", count), takeRows(groups->starts, next), all);
  Term isThere = next.compare("gt", zero).apply("and", row.compare("lt", end));
  return finish(takeRowsIf(isThere, groups->matrix, row));
}

/// The inverse, of as many rows as `shape` says.
static Results emitUnpadGroups(Emitter &e) {
  FailureOr<Groups> groups = takeGroups(e);
  if (failed(groups))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> shape = e.takeSizes("shape");
  if (failed(shape) || failed(e.checkNoneLeft()))
    return failure();
  if (shape->size() != 1)
    return e.error() << "a number of rows as 'shape', got " << shape->size()
                     << " numbers";
  return finish(unpadGroups(groups->matrix, groups->starts, groups->padded,
                            shape->front()));
}

Term frontend::unpadGroups(const Term &padded, const Term &starts,
                           const Term &paddedStarts, OpFoldResult rows) {
  Emitter &e = padded.emitter();
  Term next = countBounds(starts, rows), group = next - makeInteger(e, 1);
  Term row = makeRange(e, rows, 0) - takeRows(starts, group) +
             takeRows(paddedStarts, group);
  Term isThere = next.compare("gt", makeInteger(e, 0));
  return takeRowsIf(isThere, padded, row);
}

void frontend::addScaleLayoutOps(HandlerMap &map) {
  map["swizzle_scales"] = {emitSwizzleScales, ""};
  map["unswizzle_scales"] = {emitUnswizzleScales, "shape"};
  map["pad_groups"] = {emitPadGroups, "multiple"};
  map["unpad_groups"] = {emitUnpadGroups, "shape"};
}
