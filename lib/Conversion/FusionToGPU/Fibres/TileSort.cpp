//===- TileSort.cpp - Tiles of rows in order ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread block sorts a tile of a row (SortNetwork.h): all of a row, or a run
// that is merged with others (MergeSort.cpp).
//
// The first `k` elements of a long row are found in rounds: those of each tile
// are sorted again as a row of their own, until that is one tile. They are in
// the order of their positions where they are equal, and so are the results.
//
//===----------------------------------------------------------------------===//

#include "../Reduction/PartialSums.h"
#include "SortNetwork.h"
#include "SortedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// Where in the row the element at `place` of a list is: beyond its end if the
/// list has none there.
static Value emitPosition(RowKernel &k, const RowList &list,
                          const RowTile &tile, Value place) {
  if (!list.positions)
    return place;
  Value length = emitIndex(k.b, k.loc, list.length);
  Value isThere = k.compare(CmpIPredicate::ult, place, length);
  Value known = k.select(isThere, place, tile.start);
  Value position = k.toIndex(memref::LoadOp::create(
      k.b, k.loc, list.positions, list.getPlace(k, tile.row, known)));
  return k.select(isThere, position, k.length);
}

Value RowList::getPlace(RowKernel &k, Value row, Value place) const {
  return emitLinear(k.b, k.loc, {row, place}, {k.rows.number, length},
                    k.getIndex(0));
}

LogicalResult fuser::emitSortedTile(RowKernel &k, const RowList &list,
                                    const TileStore &store) {
  const schedule::TileSchedule &schedule = k.sorted.schedule;
  int64_t neighbours = schedule.getVector(),
          threads = schedule.layout.getThreads();
  RowTile tile = emitOwnTile(k, list.length);
  Value thread = emitThread(k.b, k.loc), zero = k.getIndex(0);
  SortWords words(k.b, k.loc, k.sorted.keyBits,
                  llvm::Log2_64(k.sorted.getTile()));
  SmallVector<SortWords::Word> mine;
  // In whatever order: neighbouring threads read neighbours.
  for (int64_t i = 0; i < neighbours; ++i) {
    Value inTile = k.elements.addIndex(k.loc, thread, i * threads);
    Value position = emitPosition(k, list, tile, k.add(tile.start, inTile));
    Value exists = k.compare(CmpIPredicate::ult, position, k.length);
    Value known = k.select(exists, position, zero);
    SortWords::Word word = words.make(k.emitKey(tile.row, known), inTile);
    mine.push_back(words.select(exists, word, words.makeLast(inTile)));
  }
  SortNetwork(k.b, k.func, words, {neighbours, threads, 1, Value()}).emit(mine);
  Value first =
      arith::MulIOp::create(k.b, k.loc, thread, k.getIndex(neighbours));
  Value end = store.count(tile);
  for (auto numbered : llvm::enumerate(mine)) {
    Value place = k.elements.addIndex(k.loc, first, int64_t(numbered.index()));
    k.ifTrue(k.compare(CmpIPredicate::ult, place, end), [&] {
      Value inTile = k.toIndex(words.getPosition(numbered.value()));
      store.store(tile, place,
                  emitPosition(k, list, tile, k.add(tile.start, inTile)));
    });
  }
  return k.kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

namespace {
/// Of each tile of a list the first `kept` are the next round's list.
class RoundSort : public RowSort {
public:
  RoundSort(SegmentLowering &lowering, const SortedRows &sorted, int64_t kept)
      : RowSort(lowering, sorted), kept(kept) {}

  LogicalResult run(const PlaceStore &store);

private:
  OpFoldResult emitLength(OpBuilder &b, Location loc, OpFoldResult ofRow,
                          int64_t round);
  LogicalResult launch(int64_t round, Value from, Value to,
                       const PlaceStore &store);

  int64_t kept;
};
} // namespace

/// Elements of the list of a round.
OpFoldResult RoundSort::emitLength(OpBuilder &b, Location loc,
                                   OpFoldResult ofRow, int64_t round) {
  OpFoldResult length = ofRow;
  for (int64_t i = 0; i < round; ++i)
    length = emitProduct(
        b, loc,
        {emitCeilDiv(b, loc, length, sorted.getTile()), b.getIndexAttr(kept)});
  return length;
}

/// Sorts the list of positions `from`, null for all elements, in tiles. Their
/// first ones are the list `to`, null in the last round.
LogicalResult RoundSort::launch(int64_t round, Value from, Value to,
                                const PlaceStore &store) {
  SmallVector<Value> workspaces;
  for (Value list : {from, to})
    if (list)
      workspaces.push_back(list);
  auto emit = [&](RowKernel &k) {
    auto getList = [&](int64_t round, Value positions) -> RowList {
      return {emitLength(k.b, k.loc, k.rows.length, round), positions};
    };
    RowList next = to ? getList(round + 1, k.workspaces.back()) : RowList();
    auto storeFirst = [&](const RowTile &tile, Value place, Value position) {
      if (!to)
        return store.store(k, tile.row, place, position, Value());
      Value first =
          arith::MulIOp::create(k.b, k.loc, tile.number, k.getIndex(kept));
      k.storePosition(position, next.positions,
                      next.getPlace(k, tile.row, k.add(first, place)));
    };
    return emitSortedTile(
        k, getList(round, from ? k.workspaces.front() : Value()),
        {[&](const RowTile &) {
           return to ? k.getIndex(kept) : emitIndex(k.b, k.loc, store.count(k));
         },
         storeFirst});
  };
  gpu::GPUFuncOp kernel =
      createTileKernel(to ? "_round_" + std::to_string(round) : std::string(),
                       ValueRange(workspaces).getTypes(), emit);
  if (!kernel)
    return failure();
  launchTiles(kernel, workspaces, emitLength(host, loc, rows.length, round));
  return success();
}

LogicalResult RoundSort::run(const PlaceStore &store) {
  int64_t tile = sorted.getTile(), longest = sorted.problem.maxLength;
  Value from;
  int64_t round = 0;
  for (; longest > tile && kept > 0; ++round) {
    longest =
        int64_t(llvm::divideCeil(uint64_t(longest), uint64_t(tile))) * kept;
    OpFoldResult length = emitLength(host, loc, rows.length, round + 1);
    Value to = createWorkspace(round, positionType,
                               emitProduct(host, loc, {rows.number, length}));
    if (failed(launch(round, from, to, store)))
      return failure();
    from = to;
  }
  return launch(round, from, /*to=*/nullptr, store);
}

LogicalResult fuser::emitRoundSort(SegmentLowering &lowering,
                                   const SortedRows &sorted, int64_t kept,
                                   const PlaceStore &store) {
  return RoundSort(lowering, sorted, kept).run(store);
}
