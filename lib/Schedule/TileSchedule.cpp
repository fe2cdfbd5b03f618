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
