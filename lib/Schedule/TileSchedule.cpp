//===- TileSchedule.cpp - A thread block a tile of elements ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/TileSchedule.h"
#include "fuser/Schedule/Processor.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

int64_t TileSchedule::getVector(int64_t axis) const {
  int64_t vector = layout.getVector(axis);
  return isStaged() ? std::min(vector, staged.getVector(axis)) : vector;
}

int64_t TileSchedule::getElementsPerThread() const {
  int64_t elements = layout.getRegisters();
  for (int64_t number : repeat)
    elements *= number;
  return elements;
}

int64_t fuser::schedule::getWidestAccess(int64_t narrowestBytes,
                                         int64_t widestBytes) {
  return std::max<int64_t>(1, std::min(16 / narrowestBytes, 32 / widestBytes));
}

void fuser::schedule::addThreadBits(llvm::SmallVectorImpl<LayoutRun> &runs,
                                    int64_t axis, int64_t first, int64_t bits) {
  const int64_t laneBits = llvm::Log2_64(kWarpSize);
  int64_t lanes = std::clamp<int64_t>(laneBits - first, 0, bits);
  if (lanes > 0)
    runs.push_back({axis, Place::Lane, lanes, first});
  if (bits > lanes)
    runs.push_back({axis, Place::Warp, bits - lanes, first + lanes - laneBits});
}

void fuser::schedule::addRegisterBits(llvm::SmallVectorImpl<LayoutRun> &runs,
                                      int64_t axis, int64_t bits) {
  if (bits > 0)
    runs.push_back({axis, Place::Register, bits});
}

TileLayout fuser::schedule::getRowLayout(int64_t rows, int64_t threads,
                                         int64_t vector, int64_t blocks) {
  int64_t threadBits = llvm::Log2_64(threads);
  llvm::SmallVector<LayoutRun> runs;
  addThreadBits(runs, 0, threadBits, llvm::Log2_64(rows));
  addRegisterBits(runs, 1, llvm::Log2_64(vector));
  addThreadBits(runs, 1, 0, threadBits);
  if (blocks > 1)
    runs.push_back({1, Place::Block, int64_t(llvm::Log2_64(blocks))});
  return TileLayout(2, runs);
}
