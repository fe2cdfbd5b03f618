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
