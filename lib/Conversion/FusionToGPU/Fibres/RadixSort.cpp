//===- RadixSort.cpp - Rows in order, digit by digit ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass for each digit of keys, from the lowest one on (DigitKernels.h): the
// first one makes keys of the input, and positions; the others move both from
// one workspace into the other, and back; the last one stores positions. Where
// elements are wanted, too, they are moved instead of keys.
//
// Each pass keeps the order of equal digits, so that the sort is stable.
//
//===----------------------------------------------------------------------===//

#include "DigitKernels.h"

using namespace fuser;

namespace {
class RadixSort : public RowSort {
public:
  /// `store` takes the result; null: a workspace does.
  RadixSort(SegmentLowering &lowering, const SortedRows &sorted,
            const PlaceStore *store);

  LogicalResult run();
  Value getPositions() const { return positions; }

private:
  /// Workspaces of keys and positions.
  struct Words {
    Value keys, positions;
  };

  DigitPass createPass(int64_t number);
  Words getWords(int64_t number);
  LogicalResult launch(const DigitPass &pass);
  LogicalResult launchCount(const DigitPass &pass);
  LogicalResult launchOffsets(const DigitPass &pass);
  LogicalResult launchPlaces(const DigitPass &pass);

  Digits digits;
  const PlaceStore *store;
  Type keyType;
  Value counts, totals, positions;
  int64_t numWorkspaces = 0;
  SmallVector<Words> words;
  /// Of passes that are neither first nor last there is one kernel of each
  /// kind.
  gpu::GPUFuncOp count, offsets, places;
};
} // namespace

RadixSort::RadixSort(SegmentLowering &lowering, const SortedRows &sorted,
                     const PlaceStore *store)
    : RowSort(lowering, sorted), digits(sorted.keyBits), store(store),
      keyType(host.getIntegerType(sorted.keyBits <= 32 ? 32 : 64)) {
  OpFoldResult ofRows = emitProduct(
      host, loc, {rows.number, host.getIndexAttr(digits.getValues())});
  OpFoldResult ofTiles = emitProduct(
      host, loc, {ofRows, rows.emitTiles(host, loc, sorted.getTile())});
  counts = createWorkspace(numWorkspaces++, positionType, ofTiles);
  totals = createWorkspace(numWorkspaces++, positionType, ofRows);
  if (!store)
    positions = createPositions(numWorkspaces++);
}

/// Two are there at a time.
RadixSort::Words RadixSort::getWords(int64_t number) {
  if (number >= 2)
    return words[number % 2];
  words.push_back({createWorkspace(numWorkspaces, keyType, elements),
                   createPositions(numWorkspaces + 1)});
  numWorkspaces += 2;
  return words.back();
}

/// The one of this number: it reads what the one before has written.
DigitPass RadixSort::createPass(int64_t number) {
  DigitPass pass;
  pass.counts = counts;
  pass.totals = totals;
  if (number > 0) {
    pass.keys = words[(number - 1) % 2].keys;
    pass.positions = words[(number - 1) % 2].positions;
    pass.shift = getIndex(number * digits.bits);
  }
  pass.positionsTo = positions;
  if (number + 1 < digits.number) {
    Words target = getWords(number);
    pass.keysTo = target.keys;
    pass.positionsTo = target.positions;
  }
  return pass;
}

LogicalResult RadixSort::launchCount(const DigitPass &pass) {
  DigitPass counted = pass.withoutTargets();
  SmallVector<Value> values = counted.getValues();
  gpu::GPUFuncOp kernel = pass.isFirst() ? nullptr : count;
  if (!kernel)
    kernel = createTileKernel(pass.isFirst() ? "_first_count" : "_count",
                              ValueRange(values).getTypes(), [&](RowKernel &k) {
                                return emitDigitCount(
                                    k, counted.getArguments(k), digits);
                              });
  if (!kernel)
    return failure();
  if (!pass.isFirst())
    count = kernel;
  launchTiles(kernel, values, rows.length);
  return success();
}

LogicalResult RadixSort::launchOffsets(const DigitPass &pass) {
  int64_t length = sorted.problem.maxLength;
  int64_t tiles = length == schedule::kUnknown
                      ? schedule::kUnknown
                      : int64_t(llvm::divideCeil(uint64_t(length),
                                                 uint64_t(sorted.getTile())));
  Value values[] = {pass.counts, pass.totals};
  if (!offsets)
    offsets = createElementKernel(
        "_offsets", ValueRange(values).getTypes(),
        [&](RowKernel &k) { return emitDigitOffsets(k, digits, tiles); });
  if (!offsets)
    return failure();
  OpFoldResult threads =
      emitProduct(host, loc,
                  {rows.number, host.getIndexAttr(digits.getValues() *
                                                  countOffsetLanes(tiles))});
  launchElements(lowering, offsets, threads, values);
  return success();
}

LogicalResult RadixSort::launchPlaces(const DigitPass &pass) {
  SmallVector<Value> values = pass.getValues();
  bool isMiddle = !pass.isFirst() && !pass.isLast();
  StringRef suffix = isMiddle         ? "_digit"
                     : !pass.isLast() ? "_first_digit"
                                      : "_last_digit";
  gpu::GPUFuncOp kernel = isMiddle ? places : nullptr;
  if (!kernel)
    kernel = createTileKernel(
        suffix, ValueRange(values).getTypes(), [&](RowKernel &k) {
          return emitDigitPlaces(k, pass.getArguments(k), digits, store);
        });
  if (!kernel)
    return failure();
  if (isMiddle)
    places = kernel;
  launchTiles(kernel, values, rows.length);
  return success();
}

LogicalResult RadixSort::launch(const DigitPass &pass) {
  return failure(failed(launchCount(pass)) || failed(launchOffsets(pass)) ||
                 failed(launchPlaces(pass)));
}

LogicalResult RadixSort::run() {
  for (int64_t number = 0; number < digits.number; ++number)
    if (failed(launch(createPass(number))))
      return failure();
  return success();
}

Value fuser::emitRadixSort(SegmentLowering &lowering,
                           const SortedRows &sorted) {
  RadixSort sort(lowering, sorted, /*store=*/nullptr);
  return failed(sort.run()) ? Value() : sort.getPositions();
}

LogicalResult fuser::emitRadixSort(SegmentLowering &lowering,
                                   const SortedRows &sorted,
                                   const PlaceStore &store) {
  return RadixSort(lowering, sorted, &store).run();
}
