//===- TileIndex.cpp - Where the elements of a thread are -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileIndex.h"
#include "GpuKernel.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>
#include <numeric>

using namespace fuser;
using arith::CmpIPredicate;
using schedule::TileSchedule;

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

OpFoldResult TileSpace::emitNumBlocks(OpBuilder &b, Location loc) const {
  SmallVector<OpFoldResult> counts;
  for (const Axis &axis : axes)
    counts.push_back(axis.numTiles);
  return emitProduct(b, loc, counts);
}

/// Calls `fn` with each open size that coordinates are divided by: its axis and
/// its place in it.
template <typename Axes, typename Fn>
static void forOpenDivisors(Axes &axes, Fn fn) {
  for (auto &axis : axes)
    for (size_t i = 1; i < axis.sizes.size(); ++i)
      if (!getConstantIntValue(axis.sizes[i]))
        fn(axis, i);
}

/// In the host program. With d = 2 size and the least L for which 2^L >= d:
/// 2^(63 + L) / d, which has 64 bits, rounded up, or one more; and L - 1.
static TileSpace::Inverse emitInverse(OpBuilder &b, Location loc, Value size) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value one = constant(1), two = constant(2), none = constant(0);
  // A dimension without elements has no coordinates to divide.
  Value d = arith::MulIOp::create(
      b, loc, arith::MaxUIOp::create(b, loc, size, one), two);
  Value power = constant(std::numeric_limits<int64_t>::min());
  SmallVector<Value> first{arith::DivUIOp::create(b, loc, power, d),
                           arith::RemUIOp::create(b, loc, power, d), one,
                           constant(-1)};
  // Another bit of the quotient in each step.
  auto loop = scf::WhileOp::create(
      b, loc, ValueRange(first).getTypes(), first,
      [&](OpBuilder &b, Location loc, ValueRange state) {
        Value goesOn =
            arith::CmpIOp::create(b, loc, CmpIPredicate::ult, state[2], d);
        scf::ConditionOp::create(b, loc, goesOn, state);
      },
      [&](OpBuilder &b, Location loc, ValueRange state) {
        auto twice = [&](Value value) -> Value {
          return arith::AddIOp::create(b, loc, value, value);
        };
        Value rest = twice(state[1]);
        Value fits = arith::CmpIOp::create(b, loc, CmpIPredicate::uge, rest, d);
        auto ifFits = [&](Value value) -> Value {
          return arith::SelectOp::create(b, loc, fits, value, none);
        };
        scf::YieldOp::create(
            b, loc,
            {arith::AddIOp::create(b, loc, twice(state[0]), ifFits(one)),
             arith::SubIOp::create(b, loc, rest, ifFits(d)), twice(state[2]),
             arith::AddIOp::create(b, loc, state[3], one)});
      });
  return {arith::AddIOp::create(b, loc, loop.getResult(0), one),
          loop.getResult(3)};
}

SmallVector<Value> TileSpace::emitInverses(OpBuilder &b, Location loc) const {
  SmallVector<Value> inverses;
  forOpenDivisors(axes, [&](const Axis &axis, size_t i) {
    Inverse inverse = emitInverse(b, loc, cast<Value>(axis.sizes[i]));
    llvm::append_values(inverses, inverse.factor, inverse.shift);
  });
  return inverses;
}

SmallVector<Type> TileSpace::getInverseTypes(OpBuilder &b) const {
  SmallVector<Type> types;
  forOpenDivisors(axes, [&](const Axis &, size_t) {
    llvm::append_values(types, Type(b.getIndexType()), Type(b.getIndexType()));
  });
  return types;
}

void TileSpace::setInverses(ValueRange inverses) {
  forOpenDivisors(axes, [&](Axis &axis, size_t i) {
    axis.inverses.resize(axis.sizes.size());
    axis.inverses[i] = {inverses[0], inverses[1]};
    inverses = inverses.drop_front(2);
  });
}

/// value / size, of a value below 2^62: twice the value, by which the product
/// is less than 1 / d too large.
static Value emitQuotient(OpBuilder &b, Location loc, Value value, Value size,
                          const TileSpace::Inverse &inverse) {
  if (!inverse.factor)
    return b.createOrFold<arith::DivUIOp>(loc, value, size);
  Type i64 = b.getI64Type();
  auto cast = [&](Value index, Type type) -> Value {
    return arith::IndexCastUIOp::create(b, loc, type, index);
  };
  Value twice = arith::AddIOp::create(b, loc, value, value);
  auto product = arith::MulUIExtendedOp::create(b, loc, cast(twice, i64),
                                                cast(inverse.factor, i64));
  return arith::ShRUIOp::create(
      b, loc, cast(product.getHigh(), b.getIndexType()), inverse.shift);
}

SmallVector<Value> fuser::emitCoordinates(OpBuilder &b, Location loc,
                                          Value linear,
                                          const TileSpace::Axis &axis) {
  if (axis.inverses.empty())
    return emitCoordinates(b, loc, linear, axis.sizes, isNarrow(axis.extent));
  SmallVector<Value> coordinates(axis.sizes.size());
  for (size_t i = axis.sizes.size() - 1; i > 0; --i) {
    Value size = emitIndex(b, loc, axis.sizes[i]);
    Value quotient = emitQuotient(b, loc, linear, size, axis.inverses[i]);
    Value whole = arith::MulIOp::create(b, loc, quotient, size);
    coordinates[i] = arith::SubIOp::create(b, loc, linear, whole);
    linear = quotient;
  }
  coordinates[0] = linear;
  return coordinates;
}

OpFoldResult TileSpace::emitNumBlocksOfRows(OpBuilder &b, Location loc) const {
  const Axis &columns = axes.back();
  return emitProduct(b, loc,
                     {emitNumBlocks(b, loc),
                      emitCeilDiv(b, loc, columns.extent, columns.tile)});
}

/// Sets the members that follow from the sizes of the axis.
static void finishAxis(OpBuilder &b, Location loc, TileSpace::Axis &axis,
                       int64_t tile) {
  axis.extent = emitProduct(b, loc, axis.sizes);
  axis.tile = tile;
  axis.numTiles = emitCeilDiv(b, loc, axis.extent, tile);
}

/// Bounds of the product of these sizes, the last one in units.
static void addBounds(SizeFacts &product, ArrayRef<SizeFacts> sizes,
                      int64_t unit) {
  SizeFacts all{1, 1, 1};
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t by = i + 1 == sizes.size() ? unit : 1;
    int64_t least = llvm::divideCeilSigned(size.lowerBound, by);
    if (llvm::MulOverflow(all.lowerBound, least, all.lowerBound))
      return;
    int64_t most = llvm::divideCeilSigned(size.bound.value_or(0), by);
    if (!size.bound || !all.bound ||
        llvm::MulOverflow(*all.bound, most, *all.bound))
      all.bound = std::nullopt;
  }
  product.bound = all.bound;
  product.lowerBound = all.lowerBound;
}

TileSpace fuser::emitTileSpace(OpBuilder &b, Location loc,
                               ArrayRef<OpFoldResult> sizes,
                               const TileSchedule &schedule, bool cutsRows,
                               ArrayRef<SizeFacts> facts) {
  TileSpace space;
  space.lastDivisor = facts.empty() ? 1 : facts.back().divisor;
  space.rank = sizes.size();
  for (auto [number, dims] : llvm::enumerate(schedule.axes)) {
    TileSpace::Axis &axis = space.axes.emplace_back();
    axis.dims.assign(dims.begin(), dims.end());
    for (int64_t dim : dims)
      axis.sizes.push_back(sizes[dim]);
    bool isLast = number + 1 == schedule.axes.size();
    // The axis is counted in vectors where none can cross the end of its last
    // dimension. An axis without dimensions has one element.
    if (!dims.empty()) {
      if (schedule.isStaged())
        axis.unit =
            std::gcd(schedule.getVector(number), facts[dims.back()].divisor);
      else if (isLast && cutsRows)
        axis.unit = schedule.getVector();
      if (isLast)
        space.lastSize = axis.sizes.back();
      axis.sizes.back() = emitCeilDiv(b, loc, axis.sizes.back(), axis.unit);
      int64_t divisor = facts[dims.back()].divisor;
      if (divisor % axis.unit == 0)
        axis.facts.divisor = divisor / axis.unit;
    }
    if (isLast)
      addBounds(axis.facts,
                llvm::map_to_vector(dims, [&](int64_t d) { return facts[d]; }),
                axis.unit);
    finishAxis(b, loc, axis, schedule.getExtent(number) / axis.unit);
  }
  // A row without columns has a result, too.
  if (!cutsRows)
    space.axes.back().numTiles = b.getIndexAttr(1);
  return space;
}

TileSpace fuser::emitFlatSpace(OpBuilder &b, Location loc, OpFoldResult size,
                               const TileSchedule &schedule) {
  TileSpace space;
  space.rank = 1;
  space.lastSize = size;
  space.lastDivisor = getConstantIntValue(size).value_or(1);
  TileSpace::Axis axis;
  axis.dims = {0};
  axis.unit = schedule.getVector();
  axis.sizes = {emitCeilDiv(b, loc, size, axis.unit)};
  finishAxis(b, loc, axis, schedule.getExtent(0) / axis.unit);
  space.axes.push_back(std::move(axis));
  return space;
}

//===----------------------------------------------------------------------===//
// The block and the thread
//===----------------------------------------------------------------------===//

TileIndex::TileIndex(SegmentKernel &kernel, const TileSpace &space,
                     const TileSchedule &schedule, Value block)
    : kernel(kernel), b(kernel.builder), loc(kernel.segment.getLoc()),
      space(space), schedule(schedule), thread(emitThread(b, loc)) {
  SmallVector<OpFoldResult> counts;
  for (const TileSpace::Axis &axis : space.axes)
    counts.push_back(axis.numTiles);
  Value tile = block ? block : emitBlock(b, loc);
  if (int64_t blocks = schedule.layout.getBlocks(); blocks > 1) {
    rank = gpu::ClusterBlockIdOp::create(b, loc, gpu::Dimension::x);
    tile = arith::DivUIOp::create(
        b, loc, tile, arith::ConstantIndexOp::create(b, loc, blocks));
  }
  // A grid has fewer than 2^31 blocks.
  tiles = emitCoordinates(b, loc, tile, counts, /*narrow=*/true);
  starts = tiles;
  for (auto [start, axis] : llvm::zip(starts, space.axes))
    if (axis.tile != 1)
      start = arith::MulIOp::create(
          b, loc, start, arith::ConstantIndexOp::create(b, loc, axis.tile));
}

/// The bits that a field takes from the number of the thread, or of its block,
/// moved to their place in the coordinate.
Value TileIndex::emitField(TileLayout::Field field, const TileLayout &layout) {
  auto constant = [&](int64_t bits) {
    return arith::ConstantIndexOp::create(b, loc, int64_t(1) << bits);
  };
  bool isBlock = field.first >= TileLayout::kFirstBlockBit;
  Value number = isBlock ? rank : thread;
  int64_t numBits =
      llvm::Log2_64(isBlock ? layout.getBlocks() : layout.getThreads());
  if (isBlock)
    field.first -= TileLayout::kFirstBlockBit;
  if (field.first != 0)
    number = arith::DivUIOp::create(b, loc, number, constant(field.first));
  if (field.first + field.bits < numBits)
    number = arith::RemUIOp::create(b, loc, number, constant(field.bits));
  if (field.offset != 0)
    number = arith::MulIOp::create(b, loc, number, constant(field.offset));
  return number;
}

/// The thread's part of the coordinate, in units of the axis; null: 0.
Value TileIndex::emitThreadPart(const TileLayout &layout, int64_t axis) {
  int64_t unitBits = llvm::Log2_64(getUnit(axis));
  Value part;
  for (TileLayout::Field field : layout.getThreadFields(axis)) {
    field.offset -= unitBits;
    Value bits = emitField(field, layout);
    part = part ? arith::AddIOp::create(b, loc, part, bits) : bits;
  }
  return part;
}

Value TileIndex::emitThreadAlong(int64_t axis) {
  int64_t offset = 0;
  Value number;
  for (TileLayout::Field field : schedule.layout.getThreadFields(axis)) {
    field.offset = offset;
    offset += field.bits;
    Value bits = emitField(field, schedule.layout);
    number = number ? arith::AddIOp::create(b, loc, number, bits) : bits;
  }
  return number ? number : kernel.getElements().getIndex(loc, 0);
}

/// What is the same for all of the thread's elements in a layout.
void TileIndex::enter(const TileLayout &layout) {
  points.clear();
  parts.clear();
  bases.clear();
  for (int64_t axis = 0; axis < schedule.getNumAxes(); ++axis) {
    Value part = emitThreadPart(layout, axis);
    parts.push_back(part ? part : kernel.getElements().getIndex(loc, 0));
    bases.push_back(part ? arith::AddIOp::create(b, loc, starts[axis], part)
                         : starts[axis]);
  }
}

/// Whether all tiles are whole along the axis.
bool TileIndex::isDivisible(int64_t axis) const {
  const TileSpace::Axis &all = space.axes[axis];
  int64_t known = getConstantIntValue(all.extent).value_or(all.facts.divisor);
  return known % all.tile == 0;
}

Value TileIndex::emitIsWhole() {
  Value whole;
  for (auto [number, axis] : llvm::enumerate(space.axes)) {
    if (isDivisible(number))
      continue;
    Value end = kernel.getElements().addIndex(loc, starts[number], axis.tile);
    whole = emitAnd(b, loc, whole,
                    emitCompare(b, loc, CmpIPredicate::ule, end, axis.extent));
  }
  return whole;
}

Value TileIndex::emitHasColumns() {
  OpFoldResult columns = space.axes.back().extent;
  return getConstantIntValue(columns)
             ? Value()
             : emitCompare(b, loc, CmpIPredicate::ne,
                           emitIndex(b, loc, columns), b.getIndexAttr(0));
}

Value TileIndex::emitIsWholeVector(const Piece &piece) {
  if (space.lastDivisor % piece.width == 0)
    return nullptr;
  Value end =
      kernel.getElements().addIndex(loc, piece.index.back(), piece.width);
  return emitCompare(b, loc, CmpIPredicate::ule, end, space.lastSize);
}

Value TileIndex::emitAreVectorsWhole() {
  Value whole = emitIsWhole();
  SmallVector<Piece> pieces = emitPieces(schedule.layout, /*isWhole=*/true);
  // Along one dimension only the very last vector can be cut.
  bool isOne = space.axes.size() == 1 && space.axes[0].dims.size() == 1;
  for (const Piece &piece :
       ArrayRef(pieces).take_back(isOne ? 1 : pieces.size()))
    whole = emitAnd(b, loc, whole, emitIsWholeVector(piece));
  return whole;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The vector width of pieces along the axis.
int64_t TileIndex::getVector(const TileLayout &layout, int64_t axis) const {
  return schedule.isStaged() ? getUnit(axis) : layout.getVector(axis);
}

/// From the lowest on: registers, then repeated tiles, of the last axis first.
SmallVector<TileIndex::Digit> TileIndex::getDigits(const TileLayout &layout,
                                                   int64_t along) const {
  int64_t vectorBits = llvm::Log2_64(getVector(layout, along));
  SmallVector<Digit> digits;
  auto add = [&](int64_t axis, int64_t count, int64_t distance) {
    if (count > 1)
      digits.push_back({axis, count, distance});
  };
  for (int64_t axis = schedule.getNumAxes() - 1; axis >= 0; --axis) {
    for (const TileLayout::Field &field : layout.getRegisterFields(axis)) {
      int64_t skipped = axis == along && field.offset == 0 ? vectorBits : 0;
      add(axis, int64_t(1) << (field.bits - skipped),
          int64_t(1) << (field.offset + skipped));
    }
    add(axis, schedule.repeat[axis], layout.getExtent(axis));
  }
  return digits;
}

/// The distance of each vector from the thread's first one, along each axis.
SmallVector<SmallVector<int64_t>>
TileIndex::getOffsets(const TileLayout &layout, int64_t along) const {
  SmallVector<SmallVector<int64_t>> offsets = {
      SmallVector<int64_t>(schedule.getNumAxes(), 0)};
  for (const Digit &digit : getDigits(layout, along)) {
    SmallVector<SmallVector<int64_t>> more;
    for (int64_t i = 0; i < digit.count; ++i)
      for (SmallVector<int64_t> offset : offsets) {
        offset[digit.axis] += i * digit.step;
        more.push_back(std::move(offset));
      }
    offsets = std::move(more);
  }
  return offsets;
}

/// So many units the axis has at least, if it is one tile; else 0.
static int64_t getLeastOfTile(const TileSpace::Axis &axis) {
  std::optional<int64_t> known = getConstantIntValue(axis.extent);
  std::optional<int64_t> most = known ? known : axis.facts.bound;
  return most && *most <= axis.tile ? known.value_or(axis.facts.lowerBound) : 0;
}

/// How many neighbours of a vector no row cuts.
int64_t TileIndex::getPieceWidth(int64_t offset) const {
  int64_t vector = schedule.getVector();
  const TileSpace::Axis &axis = space.axes.back();
  if (axis.unit != 1 || vector == 1)
    return vector;
  if (axis.dims.size() == 1 && vector <= space.mostCut)
    return vector;
  // Where a row is one dimension, and one tile, only its end cuts vectors.
  int64_t step = schedule.layout.getExtent(schedule.getNumAxes() - 1);
  if (axis.dims.size() == 1 &&
      offset / step * step + step <= getLeastOfTile(axis))
    return vector;
  return std::gcd(vector, space.lastDivisor);
}

/// Whether all threads' `width` neighbours from `offset` on are in the space:
/// there is one tile.
bool TileIndex::isInside(const TileLayout &layout, int64_t number,
                         int64_t offset, int64_t width) const {
  const TileSpace::Axis &axis = space.axes[number];
  int64_t last = offset / axis.unit + width - 1;
  for (const TileLayout::Field &field : layout.getThreadFields(number))
    last += (((int64_t(1) << field.bits) - 1) << field.offset) / axis.unit;
  return last < getLeastOfTile(axis);
}

/// Whether the end of a row may be between its elements.
bool TileIndex::isCut(const Piece &piece) const {
  return piece.valid.back() && space.axes.back().dims.size() == 1 &&
         piece.width <= space.mostCut && space.lastDivisor % piece.width != 0;
}

Value TileIndex::emitLeft(const Piece &piece) {
  if (!piece.valid.back() || space.axes.back().dims.size() != 1)
    return nullptr;
  return arith::SubIOp::create(b, loc, emitRowEnd(), piece.place.back());
}

Value TileIndex::emitCutCount(const Piece &piece, ArrayRef<Value> index) {
  if (!isCut(piece))
    return nullptr;
  return arith::SubIOp::create(b, loc, emitRowEnd(), index.back());
}

Value TileIndex::emitExist(const Piece &piece) {
  if (!isCut(piece))
    return piece.valid.back();
  auto type = VectorType::get({piece.width}, b.getI32Type());
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, piece.width));
  Value left = emitLeft(piece);
  // More are left of a long row than 32 bits hold.
  if (!isNarrow(space.lastSize))
    left = arith::MinSIOp::create(
        b, loc, left, arith::ConstantIndexOp::create(b, loc, piece.width));
  left = arith::IndexCastOp::create(b, loc, b.getI32Type(), left);
  return arith::CmpIOp::create(
      b, loc, CmpIPredicate::slt,
      arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers))),
      vector::BroadcastOp::create(b, loc, type, left));
}

int64_t TileIndex::countNeighbourLanes(const Piece &piece) const {
  const TileLayout &layout = schedule.layout;
  int64_t axis = schedule.getNumAxes() - 1;
  if (space.axes[axis].dims.size() != 1 || layout.getThreads() < kWarpSize)
    return 1;
  for (TileLayout::Field field : layout.getThreadFields(axis))
    if (field.first == 0 && int64_t(1) << field.offset == piece.width)
      return std::min<int64_t>(kWarpSize, int64_t(1) << field.bits);
  return 1;
}

/// Results whose rows begin anywhere: lanes help each other, so that none of
/// the block's threads is left out.
void TileIndex::storeTogether(ArrayRef<unsigned> results, const Piece &piece,
                              ArrayRef<Value> values, int64_t dim) {
  if (results.empty())
    return;
  VectorEnd end{emitLeft(piece), countNeighbourLanes(piece)};
  Value hasRow;
  for (Value valid : ArrayRef(piece.valid).drop_back())
    hasRow = emitAnd(b, loc, hasRow, valid);
  ElementEmitter &elements = kernel.getElements();
  // Of a warp with several rows some may be there.
  if (hasRow && end.lanes != kWarpSize)
    end.count = arith::SelectOp::create(
        b, loc, hasRow,
        end.count ? end.count : elements.getIndex(loc, piece.width),
        elements.getIndex(loc, -piece.width));
  Value stores = end.lanes == kWarpSize ? hasRow : Value();
  // Warps beyond the end of the row have nothing to turn.
  if (end.count)
    stores =
        emitAnd(b, loc, stores,
                fuser::kernel::VoteOp::create(
                    b, loc, b.getI1Type(), fuser::kernel::Vote::Any,
                    arith::CmpIOp::create(b, loc, CmpIPredicate::sgt, end.count,
                                          elements.getIndex(loc, 0))));
  emitIf(b, loc, stores, [&] {
    for (unsigned i : results)
      kernel.storeResult(loc, i, values[i], piece.place, dim, end);
  });
}

void TileIndex::storeResults(ArrayRef<unsigned> results, const Piece &piece,
                             ArrayRef<Value> values, bool areThere, int64_t dim,
                             bool areKnown) {
  SmallVector<unsigned> together, alone;
  for (unsigned i : results) {
    bool isShared = areThere && countNeighbourLanes(piece) > 1 &&
                    kernel.getResultAccess(i).isSplit(piece.width, dim);
    (isShared ? together : alone).push_back(i);
  }
  storeTogether(together, piece, values, dim);
  if (alone.empty())
    return;
  emitIf(b, loc, piece.inside, [&] {
    ArrayRef<Value> place = piece.place;
    if (areKnown)
      place = piece.index;
    VectorEnd end{emitCutCount(piece, place)};
    for (unsigned i : alone)
      kernel.storeResult(loc, i, values[i], place, dim, end);
  });
}

/// Whether what every thread has from `offset` on is beyond the end of the
/// axis, and is not needed in shared memory.
bool TileIndex::isBeyond(int64_t number, int64_t offset) const {
  if (schedule.isStaged())
    return false;
  const TileSpace::Axis &axis = space.axes[number];
  std::optional<int64_t> known = getConstantIntValue(axis.extent);
  return known && *known <= axis.tile && offset / axis.unit >= *known;
}

/// The coordinates of the dimensions of an axis.
SmallVector<Value> TileIndex::emitDims(int64_t number, Value coordinate) {
  const TileSpace::Axis &axis = space.axes[number];
  SmallVector<Value> dims = emitCoordinates(b, loc, coordinate, axis);
  if (int64_t unit = getUnit(number); unit != 1 && !dims.empty())
    dims.back() = arith::MulIOp::create(
        b, loc, dims.back(), arith::ConstantIndexOp::create(b, loc, unit));
  return dims;
}

/// The thread's point `offset` behind its first one, of `width` units that are
/// all in the space or not at all. If they are not known to be: the axis' begin
/// where they are not.
const TilePoint &TileIndex::emitPoint(const TileLayout &layout, int64_t axis,
                                      int64_t offset, int64_t width,
                                      bool isWhole) {
  auto [found, isNew] = points.try_emplace({axis, offset});
  if (!isNew)
    return found->second;
  ElementEmitter &elements = kernel.getElements();
  if (int64_t inUnit = offset % getUnit(axis); inUnit != 0) {
    TilePoint point = emitPoint(layout, axis, offset - inUnit, width, isWhole);
    for (Value *last : {&point.index.back(), &point.place.back()})
      *last = elements.addIndex(loc, *last, inUnit);
    return points[{axis, offset}] = std::move(point);
  }
  Value value = elements.addIndex(loc, bases[axis], offset / getUnit(axis));
  TilePoint point;
  if (!isWhole && !isDivisible(axis) &&
      !isInside(layout, axis, offset, width)) {
    point.valid =
        emitCompare(b, loc, CmpIPredicate::ult, value, space.axes[axis].extent);
    // Of several dimensions divisions would be made twice, and a thread has
    // few coordinates along the other axes.
    bool isLast = axis + 1 == schedule.getNumAxes();
    if (isLast && space.axes[axis].dims.size() == 1)
      llvm::append_range(point.place, emitDims(axis, value));
    value = arith::SelectOp::create(b, loc, point.valid, value,
                                    elements.getIndex(loc, 0));
  }
  point.index = emitDims(axis, value);
  if (point.place.empty())
    llvm::append_range(point.place, point.index);
  point.at = value;
  return points[{axis, offset}] = std::move(point);
}

/// One point on each axis.
Piece TileIndex::joinPoints(ArrayRef<TilePoint> points) const {
  Piece piece;
  piece.index.resize(space.rank);
  piece.place.resize(space.rank);
  for (auto [point, axis] : llvm::zip(points, space.axes)) {
    piece.at.push_back(point.at);
    piece.valid.push_back(point.valid);
    piece.inside = emitAnd(b, loc, piece.inside, point.valid);
    for (auto [dim, value, place] :
         llvm::zip(axis.dims, point.index, point.place)) {
      piece.index[dim] = value;
      piece.place[dim] = place;
    }
  }
  return piece;
}

SmallVector<Piece> TileIndex::emitPieces(const TileLayout &layout, bool isWhole,
                                         int64_t along) {
  enter(layout);
  int64_t vector = getVector(layout, along);
  SmallVector<Piece> pieces;
  for (ArrayRef<int64_t> offsets : getOffsets(layout, along)) {
    bool isUnit = getUnit(along) != 1;
    int64_t width =
        schedule.isStaged() ? vector : getPieceWidth(offsets[along]);
    for (int64_t skipped = 0; skipped < vector; skipped += width) {
      SmallVector<TilePoint> joined;
      SmallVector<int64_t, 3> at(offsets);
      at[along] += skipped;
      if (isBeyond(along, at[along]))
        continue;
      for (auto [axis, offset] : llvm::enumerate(at))
        joined.push_back(
            emitPoint(layout, axis, offset,
                      int64_t(axis) == along && !isUnit ? width : 1, isWhole));
      pieces.push_back(joinPoints(joined));
      pieces.back().width = width;
      pieces.back().offsets = at;
    }
  }
  return pieces;
}

SmallVector<Piece> TileIndex::movePieces(ArrayRef<Piece> pieces, int64_t axis,
                                         Value start, bool isWhole) {
  starts[axis] = start;
  bases[axis] = arith::AddIOp::create(b, loc, start, parts[axis]);
  DenseMap<int64_t, TilePoint> moved;
  SmallVector<Piece> result;
  for (Piece piece : pieces) {
    int64_t offset = piece.offsets[axis];
    auto [found, isNew] = moved.try_emplace(offset);
    if (isNew) {
      points.erase({axis, offset});
      found->second = emitPoint(schedule.layout, axis, offset, 1, isWhole);
    }
    const TilePoint &point = moved[offset];
    piece.at[axis] = point.at;
    piece.valid[axis] = point.valid;
    for (auto [dim, value, place] :
         llvm::zip(space.axes[axis].dims, point.index, point.place)) {
      piece.index[dim] = value;
      piece.place[dim] = place;
    }
    piece.inside = nullptr;
    for (Value valid : piece.valid)
      piece.inside = emitAnd(b, loc, piece.inside, valid);
    result.push_back(std::move(piece));
  }
  return result;
}

Piece TileIndex::emitPiece(const TileLayout &layout, Value number) {
  enter(layout);
  SmallVector<Value> coordinates = bases;
  int64_t last = schedule.getNumAxes() - 1;
  for (const Digit &digit : getDigits(layout, last)) {
    Value count = arith::ConstantIndexOp::create(b, loc, digit.count);
    Value step = arith::ConstantIndexOp::create(
        b, loc, digit.step / getUnit(digit.axis));
    Value part = arith::MulIOp::create(
        b, loc, arith::RemUIOp::create(b, loc, number, count), step);
    coordinates[digit.axis] =
        arith::AddIOp::create(b, loc, coordinates[digit.axis], part);
    number = arith::DivUIOp::create(b, loc, number, count);
  }
  SmallVector<TilePoint> joined;
  for (auto [axis, coordinate] : llvm::enumerate(coordinates)) {
    TilePoint &point = joined.emplace_back();
    point.index = emitDims(axis, coordinate);
    llvm::append_range(point.place, point.index);
    point.at = coordinate;
    point.valid = emitCompare(b, loc, CmpIPredicate::ult, coordinate,
                              space.axes[axis].extent);
  }
  Piece piece = joinPoints(joined);
  piece.width = layout.getVector(last);
  return piece;
}
