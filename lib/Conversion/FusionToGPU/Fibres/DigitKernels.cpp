//===- DigitKernels.cpp - Rows in order of a digit ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DigitKernels.h"
#include "../Reduction/PartialSums.h"
#include "../Scans/ScanOrder.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

Digits::Digits(int64_t keyBits)
    : number(int64_t(llvm::divideCeil(uint64_t(keyBits), kMaxDigitBits))),
      bits(int64_t(llvm::divideCeil(uint64_t(keyBits), uint64_t(number)))) {}

SmallVector<Value> DigitPass::getValues() const {
  SmallVector<Value> values;
  for (Value value :
       {counts, totals, keys, positions, shift, keysTo, positionsTo})
    if (value)
      values.push_back(value);
  return values;
}

DigitPass DigitPass::getArguments(const RowKernel &k) const {
  DigitPass arguments = *this;
  ArrayRef<Value> left = k.workspaces;
  for (Value *value : {&arguments.counts, &arguments.totals, &arguments.keys,
                       &arguments.positions, &arguments.shift,
                       &arguments.keysTo, &arguments.positionsTo}) {
    if (!*value)
      continue;
    *value = left.front();
    left = left.drop_front();
  }
  return arguments;
}

DigitPass DigitPass::withoutTargets() const {
  DigitPass pass = *this;
  pass.totals = pass.positions = pass.keysTo = pass.positionsTo = Value();
  return pass;
}

static Type getElement(Value workspace) {
  return cast<MemRefType>(workspace.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// What a thread has of a tile
//===----------------------------------------------------------------------===//

namespace {
/// Elements of a thread in a tile, from a first one on in equal steps.
struct OwnElements {
  int64_t step;
  int64_t lastFirst; ///< Of all threads.
  Value first;       ///< The place in the tile of the first one.
  /// How many places the tile has from `first` on, an i32; none or less: the
  /// thread has no elements. A comparison with a constant needs no register of
  /// its own for an element.
  Value left = {};
};

/// The elements of a thread, of a warp in the order in which they are in the
/// row: lane by lane.
class DigitTile {
public:
  DigitTile(RowKernel &k, const DigitPass &pass, const Digits &digits);

protected:
  int64_t countOwn() const { return k.sorted.getTile() / threads; }
  /// The place in the tile of the thread's element.
  Value getPlace(const OwnElements &some, int64_t number) {
    return k.elements.addIndex(k.loc, some.first, number * some.step);
  }
  Value isThere(const OwnElements &some, int64_t number);
  void emitBarrier();
  void readLeft();
  Value getOwnPlaceFrom(Value start, int64_t number);
  Value emitWord(int64_t number);
  Value emitAnyWord(int64_t number);
  Value emitElement(Value word);
  Value emitDigit(Value word);

  Value getInt(int64_t value) {
    return arith::ConstantIntOp::create(k.b, k.loc, value, 32);
  }
  Value toInt(Value index) { return make<arith::IndexCastUIOp>(i32, index); }
  template <typename Op, typename... Args>
  Value make(Args... args) {
    return Op::create(k.b, k.loc, args...);
  }
  Value load(Value memory, Value at) {
    return make<memref::LoadOp>(memory, at);
  }
  void store(Value value, Value memory, Value at) {
    memref::StoreOp::create(k.b, k.loc, value, memory, at);
  }
  Value addMemory(Type element, int64_t size) {
    return addSharedMemory(k.func, k.loc, element, size);
  }
  /// `value` times `factor`, plus `offset`.
  Value emitPlace(Value value, int64_t factor, Value offset) {
    return k.add(make<arith::MulIOp>(value, k.getIndex(factor)), offset);
  }
  /// The number of the tile's count of a digit, an `index`.
  Value getCountPlace(Value digit) {
    OpFoldResult tiles = k.rows.emitTiles(k.b, k.loc, k.sorted.getTile());
    return emitLinear(
        k.b, k.loc, {tile.row, digit, tile.number},
        {k.rows.number, k.b.getIndexAttr(digits.getValues()), tiles},
        k.getIndex(0));
  }

  RowKernel &k;
  const DigitPass &pass;
  const Digits &digits;
  int64_t threads, warps;
  Type i32;
  RowTile tile;
  Value thread, warp, lane;
  /// Each tile has at least so many elements, the whole tile if all have.
  int64_t minLeft;
  Value leftMemory; ///< How many the block's tile has; null: all of it.
  OwnElements own;  ///< That are in order: lane by lane, then warp by warp.
  OwnElements even; ///< That neighbours have neighbours of.
  /// In a workspace, the number of the tile's first element.
  Value start;
};
} // namespace

static int64_t countLeast(RowKernel &k) {
  std::optional<int64_t> length = getConstantIntValue(k.rows.length);
  int64_t tile = k.sorted.getTile();
  if (!length)
    return 0;
  return *length % tile ? *length % tile : tile;
}

DigitTile::DigitTile(RowKernel &k, const DigitPass &pass, const Digits &digits)
    : k(k), pass(pass), digits(digits),
      threads(k.sorted.schedule.layout.getThreads()),
      warps(threads / kWarpSize), i32(k.b.getI32Type()),
      tile(emitOwnTile(k, k.rows.length)), thread(emitThread(k.b, k.loc)),
      warp(make<arith::DivUIOp>(thread, k.getIndex(kWarpSize))),
      lane(make<arith::RemUIOp>(thread, k.getIndex(kWarpSize))),
      minLeft(countLeast(k)),
      own{kWarpSize, (warps - 1) * countOwn() * kWarpSize + kWarpSize - 1,
          emitPlace(warp, countOwn() * kWarpSize, lane)},
      even{threads, threads - 1, thread},
      start(k.getPlace(tile.row, tile.start)) {
  if (minLeft == k.sorted.getTile())
    return;
  leftMemory = addMemory(i32, 1);
  k.ifTrue(k.compare(CmpIPredicate::eq, thread, k.getIndex(0)), [&] {
    Value left =
        k.min(k.sub(k.length, tile.start), k.getIndex(k.sorted.getTile()));
    store(toInt(left), leftMemory, k.getIndex(0));
  });
}

/// The threads read again how many elements their tile has: what is computed of
/// it, such as an offset for each element, would else be kept in registers from
/// the loads to the stores.
void DigitTile::emitBarrier() {
  gpu::BarrierOp::create(k.b, k.loc);
  readLeft();
}

void DigitTile::readLeft() {
  if (!leftMemory)
    return;
  Value left = load(leftMemory, k.getIndex(0));
  for (OwnElements *some : {&own, &even})
    some->left = k.sub(left, toInt(some->first));
}

Value DigitTile::isThere(const OwnElements &some, int64_t number) {
  int64_t place = number * some.step;
  if (place + some.lastFirst < minLeft)
    return arith::ConstantIntOp::create(k.b, k.loc, 1, 1);
  return k.compare(CmpIPredicate::slt, getInt(place), some.left);
}

/// The place of one of `own` from `start` on, or `start` where it is not there.
Value DigitTile::getOwnPlaceFrom(Value start, int64_t number) {
  Value zero = k.getIndex(0);
  Value first = k.add(start, k.select(isThere(own, 0), own.first, zero));
  Value step = k.getIndex(number * own.step);
  return k.add(first, k.select(isThere(own, number), step, zero));
}

/// What is moved. Where no element is, a key has the last digit in each pass:
/// such keys stay behind all others.
Value DigitTile::emitWord(int64_t number) {
  Value word = emitAnyWord(number);
  if (k.sorted.keepsElements)
    return word;
  Value last = make<arith::ConstantOp>(k.b.getIntegerAttr(word.getType(), -1));
  return k.select(isThere(own, number), word, last);
}

/// A key, or if elements are wanted the bits of one, as many.
Value DigitTile::emitAnyWord(int64_t number) {
  if (!pass.isFirst())
    return load(pass.keys, getOwnPlaceFrom(start, number));
  Value at = getOwnPlaceFrom(tile.start, number);
  if (!k.sorted.keepsElements)
    return k.emitKey(tile.row, at);
  Value element = emitToStorage(k.b, k.loc, k.emitElement(tile.row, at),
                                k.sorted.getElementType());
  int64_t bits = k.sorted.keyBits;
  Value word =
      emitBitcast(k.b, k.loc, k.b.getIntegerType(unsigned(bits)), element);
  return bits < 32 ? make<arith::ExtUIOp>(i32, word) : word;
}

/// The element that a word has, if words are elements.
Value DigitTile::emitElement(Value word) {
  Type type = k.sorted.getElementType();
  Type bits = k.b.getIntegerType(unsigned(k.sorted.keyBits));
  if (word.getType() != bits)
    word = make<arith::TruncIOp>(bits, word);
  word = emitBitcast(k.b, k.loc, getStorageType(type), word);
  return emitToCompute(k.b, k.loc, word, type);
}

/// An i32.
Value DigitTile::emitDigit(Value word) {
  Value key = k.sorted.keepsElements ? k.emitKey(emitElement(word)) : word;
  if (!pass.isFirst())
    key = make<arith::ShRUIOp>(
        key, make<arith::IndexCastUIOp>(key.getType(), pass.shift));
  if (key.getType() != i32)
    key = make<arith::TruncIOp>(i32, key);
  return make<arith::AndIOp>(key, getInt(digits.getValues() - 1));
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Counters of a digit, so that lanes with the same digit do not all wait for
/// each other.
static constexpr int64_t kCounters = 8;

namespace {
class DigitCounter : public DigitTile {
public:
  using DigitTile::DigitTile;

  LogicalResult run();
};
} // namespace

LogicalResult DigitCounter::run() {
  Value counters = addMemory(i32, threads * kCounters);
  for (int64_t i = 0; i < kCounters; ++i)
    store(getInt(0), counters, getPlace(even, i));
  emitBarrier();
  Value counter = make<arith::RemUIOp>(lane, k.getIndex(kCounters));
  SmallVector<Value> words;
  for (int64_t i = 0; i < countOwn(); ++i)
    words.push_back(emitWord(i));
  for (auto [number, word] : llvm::enumerate(words)) {
    Value at = emitPlace(k.toIndex(emitDigit(word)), kCounters, counter);
    k.ifTrue(isThere(own, int64_t(number)), [&] {
      memref::AtomicRMWOp::create(k.b, k.loc, arith::AtomicRMWKind::addi,
                                  getInt(1), counters, at);
    });
  }
  emitBarrier();
  Value isDigit =
      k.compare(CmpIPredicate::ult, thread, k.getIndex(digits.getValues()));
  k.ifTrue(isDigit, [&] {
    Value count = getInt(0);
    for (int64_t i = 0; i < kCounters; ++i)
      count = k.add(
          count, load(counters, emitPlace(thread, kCounters, k.getIndex(i))));
    Type type = getElement(pass.counts);
    if (type != i32)
      count = make<arith::ExtUIOp>(type, count);
    store(count, pass.counts, getCountPlace(thread));
  });
  return k.kernel.getStatus();
}

LogicalResult fuser::emitDigitCount(RowKernel &k, const DigitPass &pass,
                                    const Digits &digits) {
  return DigitCounter(k, pass, digits).run();
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

int64_t fuser::countOffsetLanes(int64_t tiles) {
  if (tiles == schedule::kUnknown)
    return kWarpSize;
  return std::clamp<int64_t>(llvm::bit_ceil(uint64_t(tiles)), 1, kWarpSize);
}

/// Counts of a lane that are read at a time.
static constexpr int64_t kOffsetsOfLane = 8;

namespace {
/// Neighbouring lanes have the tiles of a row, some steps of them at a time.
class DigitOffsets {
public:
  DigitOffsets(RowKernel &k, const Digits &digits, int64_t tiles);

  LogicalResult run();

private:
  SmallVector<Value> emitStep(Value start, Value before);

  RowKernel &k;
  const Digits &digits;
  int64_t lanes, steps;
  LaneScan scan;
  Value counts, totals, zero;
  Value end;     ///< The number of tiles.
  Value begin;   ///< The place of the counts of the thread's digit.
  Value lane;    ///< Among those of the digit.
  Value isThere; ///< Whether there is such a digit.
};
} // namespace

DigitOffsets::DigitOffsets(RowKernel &k, const Digits &digits, int64_t tiles)
    : k(k), digits(digits), lanes(countOffsetLanes(tiles)),
      steps(kOffsetsOfLane), scan(k.b, k.loc, llvm::Log2_64(lanes)),
      counts(k.workspaces[0]), totals(k.workspaces[1]),
      zero(arith::ConstantOp::create(k.b, k.loc,
                                     k.b.getZeroAttr(getElement(counts)))),
      end(emitIndex(k.b, k.loc,
                    k.rows.emitTiles(k.b, k.loc, k.sorted.getTile()))) {
  if (tiles != schedule::kUnknown)
    steps = std::clamp<int64_t>(llvm::divideCeil(tiles, lanes), 1, steps);
}

/// Counts from `start` on become what the tiles before have; `before`: those
/// before `start`. Gives what is before the next ones.
SmallVector<Value> DigitOffsets::emitStep(Value start, Value before) {
  SmallVector<Value> areThere, places, read;
  Type type = zero.getType();
  for (int64_t i = 0; i < steps; ++i) {
    Value tile = k.add(k.elements.addIndex(k.loc, start, i * lanes), lane);
    areThere.push_back(
        emitAnd(k.b, k.loc, isThere, k.compare(CmpIPredicate::ult, tile, end)));
    places.push_back(k.add(begin, tile));
    auto readCount = [&]() -> SmallVector<Value> {
      return {memref::LoadOp::create(k.b, k.loc, counts, places[i])};
    };
    llvm::append_range(
        read, k.elements.emitEither(k.loc, type, areThere[i], readCount,
                                    [&] { return SmallVector<Value>{zero}; }));
  }
  auto sum = [&](Value lhs, Value rhs) { return k.add(lhs, rhs); };
  for (int64_t i = 0; i < steps; ++i) {
    LaneScan::Result scanned = scan.emit(sum, zero, read[i]);
    k.ifTrue(areThere[i], [&] {
      memref::StoreOp::create(k.b, k.loc, k.add(before, scanned.before), counts,
                              places[i]);
    });
    before = k.add(before, scan.emitAll(scanned.upTo));
  }
  return {before};
}

LogicalResult DigitOffsets::run() {
  OpFoldResult values = k.b.getIndexAttr(digits.getValues());
  SmallVector<OpFoldResult> sizes = {k.rows.number, values,
                                     k.b.getIndexAttr(lanes)};
  forOwnElement(k, sizes, [&](ArrayRef<Value> at, Value isOwn) {
    Value digit = emitLinear(k.b, k.loc, {at[0], at[1]},
                             {k.rows.number, values}, k.getIndex(0));
    begin = arith::MulIOp::create(k.b, k.loc, digit, end);
    lane = at[2];
    isThere = isOwn;
    Value total = k.elements.emitLoop(k.loc, k.getIndex(0), end,
                                      k.getIndex(lanes * steps), zero,
                                      [&](Value start, ValueRange before) {
                                        return emitStep(start, before.front());
                                      })[0];
    Value isFirst = k.compare(CmpIPredicate::eq, lane, k.getIndex(0));
    k.ifTrue(emitAnd(k.b, k.loc, isThere, isFirst), [&] {
      memref::StoreOp::create(k.b, k.loc, total, totals, digit);
    });
  });
  return k.kernel.getStatus();
}

LogicalResult fuser::emitDigitOffsets(RowKernel &k, const Digits &digits,
                                      int64_t tiles) {
  return DigitOffsets(k, digits, tiles).run();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Enough for the elements of a warp.
static constexpr int64_t kRankBits = 16;

namespace {
class DigitPlacer : public DigitTile {
public:
  DigitPlacer(RowKernel &k, const DigitPass &pass, const Digits &digits,
              const PlaceStore *stored);

  LogicalResult run();

private:
  Value emitSame(Value digit);
  Value emitOwnDigit(size_t number);
  Value emitLast(Value same);
  Value emitAdded(Value digit, Value same);
  void emitRanks();
  SmallVector<Value> emitSumsBefore(ArrayRef<Value> values);
  void emitBases();
  void emitMoved();
  Value emitPosition(int64_t number);
  void storePosition(Value position, Value place, Value word);
  Value getCounter(Value ofWarp, Value digit) {
    return emitPlace(ofWarp, digits.getValues(), digit);
  }

  const PlaceStore *stored;
  Value lanesBefore; ///< A bit for each.
  /// The thread's elements. Those beyond the row's end have the last digit,
  /// behind all others. A rank has its digit above it: one register for both.
  SmallVector<Value> words, ranks;
  /// Of each warp and digit, in shared memory: how many of the digit the warp
  /// has so far; then where in the tile its first one goes.
  Value counters;
  /// Of each digit, in shared memory: what a place in the tile is less than the
  /// one in the row.
  Value bases;
};
} // namespace

DigitPlacer::DigitPlacer(RowKernel &k, const DigitPass &pass,
                         const Digits &digits, const PlaceStore *stored)
    : DigitTile(k, pass, digits), stored(stored),
      lanesBefore(
          k.sub(make<arith::ShLIOp>(getInt(1), toInt(lane)), getInt(1))),
      counters(addMemory(i32, warps * digits.getValues())),
      bases(addMemory(getElement(pass.counts), digits.getValues())) {}

/// The lanes that have the same in each bit.
Value DigitPlacer::emitSame(Value digit) {
  Value same;
  for (int64_t bit = 0; bit < digits.bits; ++bit) {
    Value isSet = make<arith::TruncIOp>(
        k.b.getI1Type(), make<arith::ShRUIOp>(digit, getInt(bit)));
    Value lanes = make<kernel::BallotOp>(i32, isSet);
    Value others = make<arith::XOrIOp>(lanes, getInt(-1));
    Value ofBit = k.select(isSet, lanes, others);
    same = same ? make<arith::AndIOp>(same, ofBit) : ofBit;
  }
  return same;
}

/// The number of the last one of some lanes.
Value DigitPlacer::emitLast(Value same) {
  return k.sub(getInt(kWarpSize - 1), make<math::CountLeadingZerosOp>(same));
}

/// The last one of some lanes adds them to the warp's counter, and has what it
/// was before.
Value DigitPlacer::emitAdded(Value digit, Value same) {
  Value isLast = k.compare(CmpIPredicate::eq, emitLast(same), toInt(lane));
  auto add = [&]() -> SmallVector<Value> {
    return {make<memref::AtomicRMWOp>(
        arith::AtomicRMWKind::addi, make<math::CtPopOp>(same), counters,
        ValueRange(getCounter(warp, k.toIndex(digit))))};
  };
  Value before = k.elements.emitEither(k.loc, i32, isLast, add, [&] {
    return SmallVector<Value>{getInt(0)};
  })[0];
  // The next elements' lanes come behind these.
  kernel::SyncWarpOp::create(k.b, k.loc);
  return before;
}

/// The digit of one of the thread's elements.
Value DigitPlacer::emitOwnDigit(size_t number) {
  Value digit = emitDigit(words[number]);
  if (!k.sorted.keepsElements)
    return digit;
  return k.select(isThere(own, int64_t(number)), digit,
                  getInt(digits.getValues() - 1));
}

/// How many of its digit the warp has before each element. Elements come in
/// order: lanes first, then those of each lane. Nobody waits for a counter
/// before those of some elements are under way.
void DigitPlacer::emitRanks() {
  constexpr size_t kTogether = 4;
  for (size_t first = 0; first < words.size(); first += kTogether) {
    SmallVector<Value> some, sames, before;
    readLeft();
    size_t end = std::min(words.size(), first + kTogether);
    for (size_t number = first; number < end; ++number) {
      some.push_back(emitOwnDigit(number));
      sames.push_back(emitSame(some.back()));
      before.push_back(emitAdded(some.back(), sames.back()));
    }
    for (auto [digit, same, count] : llvm::zip(some, sames, before)) {
      Value shared =
          emitShuffle(k.b, k.loc, count, emitLast(same), gpu::ShuffleMode::IDX);
      Value lanes = make<math::CtPopOp>(make<arith::AndIOp>(same, lanesBefore));
      Value high = make<arith::ShLIOp>(digit, getInt(kRankBits));
      ranks.push_back(k.add(high, k.add(shared, lanes)));
    }
  }
}

/// Of each value the sum of the threads' before.
SmallVector<Value> DigitPlacer::emitSumsBefore(ArrayRef<Value> values) {
  LaneScan scan(k.b, k.loc, llvm::Log2_64(kWarpSize));
  auto sum = [&](Value lhs, Value rhs) { return k.add(lhs, rhs); };
  SmallVector<Value> before, memory;
  Value isLast = k.compare(CmpIPredicate::eq, lane, k.getIndex(kWarpSize - 1));
  for (Value value : values) {
    Type type = value.getType();
    Value zero = make<arith::ConstantOp>(k.b.getZeroAttr(type));
    LaneScan::Result scanned = scan.emit(sum, zero, value);
    before.push_back(scanned.before);
    memory.push_back(addMemory(type, warps));
    k.ifTrue(isLast, [&] { store(scanned.upTo, memory.back(), warp); });
  }
  emitBarrier();
  for (auto [value, sums] : llvm::zip(before, memory)) {
    Value zero = make<arith::ConstantOp>(k.b.getZeroAttr(value.getType()));
    for (int64_t other = 0; other + 1 < warps; ++other) {
      Value isBefore = k.compare(CmpIPredicate::ugt, warp, k.getIndex(other));
      value =
          k.add(value, k.select(isBefore, load(sums, k.getIndex(other)), zero));
    }
  }
  return before;
}

/// A thread has a digit: where elements of it go, of each warp in the tile, and
/// of the tile in the row.
void DigitPlacer::emitBases() {
  Value last = k.getIndex(digits.getValues() - 1);
  Value digit = k.min(thread, last);
  Value isDigit = k.compare(CmpIPredicate::ule, thread, last);
  SmallVector<Value> before;
  Value inTile = getInt(0);
  for (int64_t other = 0; other < warps; ++other) {
    before.push_back(inTile);
    inTile =
        k.add(inTile, load(counters, getCounter(k.getIndex(other), digit)));
  }
  Value total =
      load(pass.totals, emitPlace(tile.row, digits.getValues(), digit));
  // Threads that have no digit are behind those that have.
  SmallVector<Value> sums = emitSumsBefore({inTile, total});
  Value start = sums[0], ofTile = load(pass.counts, getCountPlace(digit));
  Value inRow = k.add(sums[1], ofTile);
  Value moved = start;
  if (inRow.getType() != i32)
    moved = make<arith::ExtUIOp>(inRow.getType(), moved);
  k.ifTrue(isDigit, [&] {
    store(k.sub(inRow, moved), bases, digit);
    for (auto [other, count] : llvm::enumerate(before))
      store(k.add(start, count), counters,
            getCounter(k.getIndex(int64_t(other)), digit));
  });
}

LogicalResult DigitPlacer::run() {
  int64_t size = warps * digits.getValues();
  for (int64_t i = 0; i < size; i += threads) {
    Value at = k.elements.addIndex(k.loc, thread, i);
    k.ifTrue(k.compare(CmpIPredicate::ult, at, k.getIndex(size)),
             [&] { store(getInt(0), counters, at); });
  }
  emitBarrier();
  for (int64_t i = 0; i < countOwn(); ++i)
    words.push_back(emitWord(i));
  emitRanks();
  emitBarrier();
  emitBases();
  emitBarrier();
  emitMoved();
  return k.kernel.getStatus();
}

/// The position of the thread's element.
Value DigitPlacer::emitPosition(int64_t number) {
  if (!pass.isFirst())
    return load(pass.positions, getOwnPlaceFrom(start, number));
  return make<arith::IndexCastUIOp>(getElement(pass.counts),
                                    getOwnPlaceFrom(tile.start, number));
}

/// Of the element that `word` has.
void DigitPlacer::storePosition(Value position, Value place, Value word) {
  if (pass.positionsTo)
    return store(position, pass.positionsTo, k.getPlace(tile.row, place));
  Value end = emitIndex(k.b, k.loc, stored->count(k));
  k.ifTrue(k.compare(CmpIPredicate::ult, place, end), [&] {
    Value element = k.sorted.keepsElements ? emitElement(word) : Value();
    stored->store(k, tile.row, place, k.toIndex(position), element);
  });
}

/// Words go through shared memory to where they are in the tile, so that
/// neighbouring threads store neighbours of a digit.
void DigitPlacer::emitMoved() {
  Type key = words.front().getType(), position = getElement(pass.counts);
  Type word = key == i32 ? position : key;
  Value memory = addMemory(word, k.sorted.getTile());
  auto toWord = [&](Value value) {
    return value.getType() == word ? value : make<arith::ExtUIOp>(word, value);
  };
  auto fromWord = [&](Value value, Type type) {
    return type == word ? value : make<arith::TruncIOp>(type, value);
  };
  SmallVector<Value> places;
  for (Value both : ranks) {
    Value digit = make<arith::ShRUIOp>(both, getInt(kRankBits));
    Value rank = make<arith::AndIOp>(both, getInt((1 << kRankBits) - 1));
    Value before = load(counters, getCounter(warp, k.toIndex(digit)));
    places.push_back(k.toIndex(k.add(rank, before)));
  }
  for (auto [place, value] : llvm::zip(places, words))
    store(toWord(value), memory, place);
  emitBarrier();
  SmallVector<Value> targets, inOrder;
  for (int64_t i = 0; i < countOwn(); ++i) {
    Value at = getPlace(even, i);
    Value moved = fromWord(load(memory, at), key);
    inOrder.push_back(moved);
    Value base = load(bases, k.toIndex(emitDigit(moved)));
    Value place = make<arith::IndexCastUIOp>(base.getType(), at);
    targets.push_back(k.toIndex(k.add(base, place)));
    if (!pass.isLast())
      k.ifTrue(isThere(even, i), [&] {
        store(moved, pass.keysTo, k.getPlace(tile.row, targets.back()));
      });
  }
  emitBarrier();
  for (auto [number, place] : llvm::enumerate(places))
    store(toWord(emitPosition(int64_t(number))), memory, place);
  emitBarrier();
  for (int64_t i = 0; i < countOwn(); ++i) {
    k.ifTrue(isThere(even, i), [&] {
      storePosition(fromWord(load(memory, getPlace(even, i)), position),
                    targets[i], inOrder[i]);
    });
  }
}

LogicalResult fuser::emitDigitPlaces(RowKernel &k, const DigitPass &pass,
                                     const Digits &digits,
                                     const PlaceStore *store) {
  return DigitPlacer(k, pass, digits, store).run();
}
