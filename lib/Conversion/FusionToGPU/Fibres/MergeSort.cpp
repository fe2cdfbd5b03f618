//===- MergeSort.cpp - Rows of any length in order ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tiles   a thread block sorts a tile of a row (TileSort.cpp): a run
//   merge   of each two neighbouring runs becomes one, in another workspace. A
//           thread has an element, and looks for its place in the other run by
//           bisection
//
// The host program launches merges until a row is one run, two of them each
// time: from one workspace into the other, and back.
//
// Elements of the first run come before equal ones of the second one, whose
// positions are greater, so that the order is stable.
//
//===----------------------------------------------------------------------===//

#include "SortedRows.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace fuser;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

namespace {
/// The other run of a row. Of equal elements those of an earlier one come
/// first.
struct Run {
  Value row, begin, end, isEarlier;
};
} // namespace

/// How many elements of the run come before one with `key`.
static Value emitCountBefore(RowKernel &k, const Run &run, Value key) {
  auto isBefore = [&](Value place) -> Value {
    Value other = k.emitKey(run.row, k.load(k.workspaces[0], run.row, place));
    Value isEqual = k.compare(CmpIPredicate::eq, other, key);
    return arith::OrIOp::create(
        k.b, k.loc, k.compare(CmpIPredicate::ult, other, key),
        arith::AndIOp::create(k.b, k.loc, isEqual, run.isEarlier));
  };
  return k.sub(emitBisection(k, run.begin, run.end, isBefore), run.begin);
}

/// Runs have 2^shift elements, the last one of a row may have fewer, or none.
static LogicalResult emitMerge(RowKernel &k) {
  Value from = k.workspaces[0], to = k.workspaces[1], shift = k.workspaces[2];
  auto getStart = [&](Value run) -> Value {
    return arith::ShLIOp::create(k.b, k.loc, run, shift);
  };
  forOwnElement(k, {k.rows.number, k.rows.length}, [&](auto at, Value isThere) {
    Value row = at[0], place = at[1];
    Value run = arith::ShRUIOp::create(k.b, k.loc, place, shift);
    Value other = arith::XOrIOp::create(k.b, k.loc, run, k.getIndex(1));
    Value next = k.add(other, k.getIndex(1));
    Run otherRun{row, k.min(getStart(other), k.length),
                 k.min(getStart(next), k.length),
                 k.compare(CmpIPredicate::ult, other, run)};
    Value position = k.load(from, row, place);
    Value before = emitCountBefore(k, otherRun, k.emitKey(row, position));
    Value inRun = k.sub(place, getStart(run));
    Value merged = k.add(getStart(k.min(run, other)), k.add(inRun, before));
    k.ifTrue(isThere, [&] { k.store(position, to, row, merged); });
  });
  return k.kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// The host program
//===----------------------------------------------------------------------===//

/// How often rows are merged twice: as long as they have more elements than a
/// run has, which becomes four times as long.
static OpFoldResult emitNumRounds(OpBuilder &host, Location loc,
                                  OpFoldResult length, int64_t columns) {
  constexpr int64_t kMost = int64_t(1) << 61;
  if (std::optional<int64_t> known = getConstantIntValue(length)) {
    int64_t rounds = 0;
    for (int64_t run = columns; run < *known; run *= 4)
      ++rounds;
    return host.getIndexAttr(rounds);
  }
  Value rounds = arith::ConstantIndexOp::create(host, loc, 0);
  for (int64_t run = columns; run < kMost; run *= 4) {
    Value isLonger = emitCompare(host, loc, CmpIPredicate::ugt,
                                 cast<Value>(length), host.getIndexAttr(run));
    Value one =
        arith::IndexCastUIOp::create(host, loc, host.getIndexType(), isLonger);
    rounds = arith::AddIOp::create(host, loc, rounds, one);
  }
  return rounds;
}

namespace {
class MergeSort : public RowSort {
public:
  using RowSort::RowSort;

  LogicalResult sortTiles(Value positions);
  LogicalResult merge(Value positions, Value other);
};
} // namespace

LogicalResult MergeSort::sortTiles(Value positions) {
  auto emit = [&](RowKernel &k) {
    auto store = [&](const RowTile &tile, Value place, Value position) {
      k.store(position, k.workspaces[0], tile.row, k.add(tile.start, place));
    };
    return emitSortedTile(
        k, {k.rows.length, Value()},
        {[&](const RowTile &tile) { return k.sub(k.length, tile.start); },
         store});
  };
  gpu::GPUFuncOp kernel = createTileKernel("_tiles", positions.getType(), emit);
  if (!kernel)
    return failure();
  launchTiles(kernel, positions, rows.length);
  return success();
}

/// `positions` has runs of a tile, then rows.
LogicalResult MergeSort::merge(Value positions, Value other) {
  Type type = positions.getType();
  gpu::GPUFuncOp kernel = createElementKernel(
      "_merge", {type, type, host.getIndexType()}, emitMerge);
  if (!kernel)
    return failure();
  int64_t tile = sorted.getTile();
  OpFoldResult rounds = emitNumRounds(host, loc, rows.length, tile);
  auto loop = scf::ForOp::create(host, loc, getIndex(0),
                                 emitIndex(host, loc, rounds), getIndex(1));
  OpBuilder::InsertionGuard guard(host);
  host.setInsertionPointToStart(loop.getBody());
  Value round = loop.getInductionVar();
  Value twice = arith::AddIOp::create(host, loc, round, round);
  Value shift =
      arith::AddIOp::create(host, loc, twice, getIndex(llvm::Log2_64(tile)));
  launchElements(lowering, kernel, elements, {positions, other, shift});
  shift = arith::AddIOp::create(host, loc, shift, getIndex(1));
  launchElements(lowering, kernel, elements, {other, positions, shift});
  return success();
}

Value fuser::emitMergeSort(SegmentLowering &lowering,
                           const SortedRows &sorted) {
  MergeSort sort(lowering, sorted);
  Value positions = sort.createPositions(0);
  if (failed(sort.sortTiles(positions)))
    return nullptr;
  if (!sorted.isOneTile() &&
      failed(sort.merge(positions, sort.createPositions(1))))
    return nullptr;
  return positions;
}
