//===- TileLayout.cpp - Who has which element of a tile -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/TileLayout.h"
#include "fuser/Support/GpuTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;

char fuser::getPlaceLetter(Place place) {
  switch (place) {
  case Place::Register:
    return 'r';
  case Place::Lane:
    return 'l';
  case Place::Warp:
    return 'w';
  case Place::Block:
    return 'b';
  }
  llvm_unreachable("no such place");
}

int64_t fuser::getFirstInOrder(llvm::ArrayRef<LayoutRun> runs, size_t number) {
  const LayoutRun &run = runs[number];
  int64_t first = 0;
  for (auto [other, before] : llvm::enumerate(runs))
    if (before.place == run.place &&
        (before.axis > run.axis || (before.axis == run.axis && other < number)))
      first += before.bits;
  return first;
}

TileLayout::TileLayout(int64_t numAxes, llvm::ArrayRef<LayoutRun> runs)
    : numAxes(numAxes), runs(runs) {
  for (auto [number, run] : llvm::enumerate(this->runs))
    if (run.first < 0)
      run.first = getFirstInOrder(runs, number);
}

/// Of the runs that count.
static int64_t
countRunBits(llvm::ArrayRef<LayoutRun> runs,
             llvm::function_ref<bool(const LayoutRun &)> counts) {
  int64_t bits = 0;
  for (const LayoutRun &run : runs)
    bits += counts(run) ? run.bits : 0;
  return bits;
}

int64_t TileLayout::countBits(Place place) const {
  return countRunBits(runs,
                      [&](const LayoutRun &run) { return run.place == place; });
}

int64_t TileLayout::countAxisBits(int64_t axis) const {
  return countRunBits(runs,
                      [&](const LayoutRun &run) { return run.axis == axis; });
}

int64_t TileLayout::getThreads() const {
  return int64_t(1) << (countBits(Place::Lane) + countBits(Place::Warp));
}

int64_t TileLayout::getVector(int64_t axis) const {
  for (const LayoutRun &run : runs)
    if (run.axis == axis)
      return run.place == Place::Register ? int64_t(1) << run.bits : 1;
  return 1;
}

/// The bits of a thread's number are those of the lane, and above them those
/// of the warp.
llvm::SmallVector<TileLayout::Field>
TileLayout::getFields(int64_t axis,
                      llvm::function_ref<bool(Place)> isOf) const {
  llvm::SmallVector<Field> fields;
  int64_t offset = 0;
  for (const LayoutRun &run : runs) {
    if (run.axis != axis)
      continue;
    if (isOf(run.place)) {
      int64_t first = run.first;
      if (run.place == Place::Warp)
        first += llvm::Log2_64(kWarpSize);
      if (run.place == Place::Block)
        first += kFirstBlockBit;
      bool follows = !fields.empty() &&
                     fields.back().first + fields.back().bits == first &&
                     fields.back().offset + fields.back().bits == offset;
      if (follows)
        fields.back().bits += run.bits;
      else
        fields.push_back({first, offset, run.bits});
    }
    offset += run.bits;
  }
  return fields;
}

llvm::SmallVector<TileLayout::Field>
TileLayout::getThreadFields(int64_t axis) const {
  return getFields(axis, [](Place place) { return place != Place::Register; });
}

llvm::SmallVector<TileLayout::Field>
TileLayout::getRegisterFields(int64_t axis) const {
  return getFields(axis, [](Place place) { return place == Place::Register; });
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// An axis, and a bit of its coordinate.
using CoordinateBit = std::pair<int64_t, int64_t>;

/// Those of the lane, from its lowest bit on, up to `most` of them.
static llvm::SmallVector<CoordinateBit> getLaneBits(const TileLayout &layout,
                                                    int64_t most) {
  llvm::SmallVector<CoordinateBit> lanes(
      std::min(layout.countBits(Place::Lane), most));
  for (int64_t axis = 0; axis < layout.getNumAxes(); ++axis)
    for (const TileLayout::Field &field : layout.getThreadFields(axis))
      for (int64_t bit = 0; bit < field.bits; ++bit)
        if (field.first + bit < int64_t(lanes.size()))
          lanes[field.first + bit] = {axis, field.offset + bit};
  return lanes;
}

/// Lanes of one layout differ in the bits of a bank that they have alone. Those
/// of the other, whose bits are others, change bits of banks besides, the
/// highest first: the lowest may be in one word of a bank.
SharedTile::SharedTile(const TileLayout &first, const TileLayout &second,
                       int64_t vector, int64_t bytes) {
  constexpr int64_t kBankBytes = 4, kAllBanksBytes = kBankBytes * kWarpSize;
  int64_t size = vector * bytes,
          numBanks = llvm::Log2_64(kAllBanksBytes / size);
  // Wider accesses are of a part of a warp at a time.
  int64_t atATime = std::min<int64_t>(numBanks, llvm::Log2_64(kWarpSize));
  llvm::SmallVector<CoordinateBit> order = getLaneBits(first, atATime),
                                   others = getLaneBits(second, atATime);
  auto add = [&](CoordinateBit bit) {
    if (!llvm::is_contained(order, bit))
      order.push_back(bit);
  };
  llvm::for_each(others, add);
  bits.resize(first.getNumAxes());
  for (int64_t axis = first.getNumAxes() - 1; axis >= 0; --axis) {
    bool isLast = axis + 1 == first.getNumAxes();
    bits[axis].resize(first.countAxisBits(axis));
    for (int64_t bit = 0; bit < first.countAxisBits(axis); ++bit)
      if (isLast && vector >> bit > 1)
        bits[axis][bit] = int64_t(1) << bit;
      else
        add({axis, bit});
  }
  llvm::SmallVector<int64_t> free, moved;
  for (auto [place, bit] : llvm::enumerate(order)) {
    bits[bit.first][bit.second] = vector << place;
    bool isOther = llvm::is_contained(others, bit);
    if (isOther != (int64_t(place) < numBanks))
      (isOther ? moved : free).push_back(place);
  }
  for (auto [from, to] :
       llvm::zip(moved, llvm::ArrayRef(free).take_back(moved.size())))
    bits[order[from].first][order[from].second] |= vector << to;
}

int64_t SharedTile::getPosition(llvm::ArrayRef<int64_t> coordinates) const {
  int64_t position = 0;
  for (auto [coordinate, axis] : llvm::zip(coordinates, bits))
    for (auto [bit, mask] : llvm::enumerate(axis))
      position ^= coordinate >> bit & 1 ? mask : 0;
  return position;
}

llvm::SmallVector<int64_t>
SharedTile::getThreadBits(const TileLayout &layout) const {
  llvm::SmallVector<int64_t> thread(llvm::Log2_64(layout.getThreads()));
  for (int64_t axis = 0; axis < layout.getNumAxes(); ++axis)
    for (const TileLayout::Field &field : layout.getThreadFields(axis))
      for (int64_t bit = 0; bit < field.bits; ++bit)
        thread[field.first + bit] = bits[axis][field.offset + bit];
  return thread;
}
