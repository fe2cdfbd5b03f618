//===- TileLayoutTest.cpp - Who has which element of a tile ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/TileLayout.h"
#include "fuser/Schedule/TileSchedule.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace fuser;

using Field = TileLayout::Field;

static bool isField(const Field &field, int64_t first, int64_t offset,
                    int64_t bits) {
  return field.first == first && field.offset == offset && field.bits == bits;
}

/// The bits of `number` that fields name.
static int64_t getPart(llvm::ArrayRef<Field> fields, int64_t number) {
  int64_t part = 0;
  for (const Field &field : fields)
    part |= (number >> field.first & ((1 << field.bits) - 1)) << field.offset;
  return part;
}

/// All threads and registers have each element of the tile once.
static void expectCovers(const TileLayout &layout) {
  std::vector<int> seen(layout.getThreads() * layout.getRegisters());
  for (int64_t thread = 0; thread < layout.getThreads(); ++thread)
    for (int64_t reg = 0; reg < layout.getRegisters(); ++reg) {
      int64_t element = 0;
      for (int64_t axis = 0; axis < layout.getNumAxes(); ++axis)
        element = element * layout.getExtent(axis) +
                  (getPart(layout.getThreadFields(axis), thread) |
                   getPart(layout.getRegisterFields(axis), reg));
      ASSERT_LT(element, int64_t(seen.size()));
      ++seen[element];
    }
  EXPECT_TRUE(llvm::all_of(seen, [](int count) { return count == 1; }));
}

TEST(TileLayout, RowsOfWarps) {
  // [[w2], [r3, l5]]
  TileLayout layout(
      2, {{0, Place::Warp, 2}, {1, Place::Register, 3}, {1, Place::Lane, 5}});
  EXPECT_EQ(layout.getExtent(0), 4);
  EXPECT_EQ(layout.getExtent(1), 256);
  EXPECT_EQ(layout.getThreads(), 128);
  EXPECT_EQ(layout.getRegisters(), 8);
  EXPECT_EQ(layout.getVector(1), 8);
  EXPECT_EQ(layout.getVector(0), 1);
  ASSERT_EQ(layout.getThreadFields(0).size(), 1u);
  EXPECT_TRUE(isField(layout.getThreadFields(0)[0], 5, 0, 2));
  ASSERT_EQ(layout.getThreadFields(1).size(), 1u);
  EXPECT_TRUE(isField(layout.getThreadFields(1)[0], 0, 3, 5));
  expectCovers(layout);
}

TEST(TileLayout, NeighbouringRunsAreOneField) {
  // [[r1, l5, w3, r2]]
  TileLayout layout(1, {{0, Place::Register, 1},
                        {0, Place::Lane, 5},
                        {0, Place::Warp, 3},
                        {0, Place::Register, 2}});
  ASSERT_EQ(layout.getThreadFields(0).size(), 1u);
  EXPECT_TRUE(isField(layout.getThreadFields(0)[0], 0, 1, 8));
  ASSERT_EQ(layout.getRegisterFields(0).size(), 2u);
  EXPECT_TRUE(isField(layout.getRegisterFields(0)[1], 1, 9, 2));
  EXPECT_EQ(layout.getVector(0), 2);
  expectCovers(layout);
}

TEST(TileLayout, LastAxisHasTheFirstBits) {
  // [[l1, w2], [r3, l4]]
  TileLayout layout(2, {{0, Place::Lane, 1},
                        {0, Place::Warp, 2},
                        {1, Place::Register, 3},
                        {1, Place::Lane, 4}});
  EXPECT_TRUE(isField(layout.getThreadFields(1)[0], 0, 3, 4));
  // Lane 4 and both bits of the warp follow each other in both numbers.
  ASSERT_EQ(layout.getThreadFields(0).size(), 1u);
  EXPECT_TRUE(isField(layout.getThreadFields(0)[0], 4, 0, 3));
  expectCovers(layout);
}

TEST(TileLayout, NamedBits) {
  // [[l4:0], [l1:4, w3, r1]]
  TileLayout layout(2, {{0, Place::Lane, 4, 0},
                        {1, Place::Lane, 1, 4},
                        {1, Place::Warp, 3},
                        {1, Place::Register, 1}});
  EXPECT_TRUE(isField(layout.getThreadFields(0)[0], 0, 0, 4));
  EXPECT_TRUE(isField(layout.getThreadFields(1)[0], 4, 0, 4));
  EXPECT_EQ(getFirstInOrder(layout.getRuns(), 0), 1);
  EXPECT_EQ(getFirstInOrder(layout.getRuns(), 1), 0);
  expectCovers(layout);
}

TEST(TileLayout, NothingAtAll) {
  TileLayout layout(1, {});
  EXPECT_EQ(layout.getThreads(), 1);
  EXPECT_EQ(layout.getRegisters(), 1);
  EXPECT_EQ(layout.getVector(0), 1);
  expectCovers(layout);
  EXPECT_EQ(TileLayout().getNumAxes(), 0);
}

TEST(TileSchedule, ThreadBits) {
  llvm::SmallVector<LayoutRun> runs;
  schedule::addThreadBits(runs, 0, 3, 4);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0], (LayoutRun{0, Place::Lane, 2, 3}));
  EXPECT_EQ(runs[1], (LayoutRun{0, Place::Warp, 2, 0}));
  runs.clear();
  schedule::addThreadBits(runs, 0, 7, 2);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0], (LayoutRun{0, Place::Warp, 2, 2}));
}
