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
#include <map>

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
                        {0, Place::Warp, 2, 0},
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

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {
/// A tile of two axes, written in one layout and read in another, in vectors.
struct HandOver {
  llvm::SmallVector<LayoutRun> first, second;
  int64_t vector, bytes;
};
} // namespace

/// Lanes that access the tile at a time have different banks, or one word.
static void expectNoConflicts(const SharedTile &tile, const TileLayout &layout,
                              const HandOver &how) {
  llvm::SmallVector<int64_t> bits = tile.getThreadBits(layout);
  int64_t lanes = std::min<int64_t>(layout.getThreads(), 32);
  int64_t bytes = how.vector * how.bytes, atATime = 128 / bytes;
  std::map<int64_t, int64_t> words; // By bank.
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (lane % atATime == 0)
      words.clear();
    int64_t position = 0;
    for (auto [bit, mask] : llvm::enumerate(bits))
      position ^= lane >> bit & 1 ? mask : 0;
    EXPECT_EQ(position % how.vector, 0);
    for (int64_t byte = 0; byte < bytes; byte += 4) {
      int64_t word = (position * how.bytes + byte) / 4;
      auto [found, isNew] = words.try_emplace(word % 32, word);
      EXPECT_TRUE(isNew || found->second == word) << "lane " << lane;
    }
  }
}

static void expectHandsOver(const HandOver &how) {
  TileLayout first(2, how.first), second(2, how.second);
  expectCovers(first);
  expectCovers(second);
  SharedTile tile(first, second, how.vector, how.bytes);
  std::vector<int> seen(first.getThreads() * first.getRegisters());
  for (int64_t i = 0; i < first.getExtent(0); ++i)
    for (int64_t j = 0; j < first.getExtent(1); ++j) {
      int64_t position = tile.getPosition({i, j});
      ASSERT_LT(position, int64_t(seen.size()));
      EXPECT_EQ(position % how.vector, j % how.vector);
      ++seen[position];
    }
  EXPECT_TRUE(llvm::all_of(seen, [](int count) { return count == 1; }));
  expectNoConflicts(tile, first, how);
  expectNoConflicts(tile, second, how);
}

/// 256 threads, a small tile each: of 16 bytes by as many elements.
TEST(SharedTile, Vectors) {
  for (int64_t bits : {1, 2, 3, 4})
    expectHandsOver({{{0, Place::Register, bits},
                      {0, Place::Lane, 1, 4},
                      {0, Place::Warp, 3},
                      {1, Place::Register, bits},
                      {1, Place::Lane, 4, 0}},
                     {{0, Place::Register, bits},
                      {0, Place::Lane, 4, 0},
                      {1, Place::Register, bits},
                      {1, Place::Lane, 1, 4},
                      {1, Place::Warp, 3}},
                     int64_t(1) << bits,
                     16 >> bits});
}

/// Narrower accesses: of a half of a warp, of all of it, of parts of a word.
TEST(SharedTile, NarrowVectors) {
  for (int64_t bits : {0, 1, 2})
    for (int64_t bytes : {1, 2, 4})
      expectHandsOver({{{0, Place::Register, bits},
                        {0, Place::Warp, 2, 0},
                        {0, Place::Register, 3},
                        {1, Place::Register, bits},
                        {1, Place::Lane, 5}},
                       {{0, Place::Register, bits},
                        {0, Place::Lane, 5},
                        {1, Place::Register, bits},
                        {1, Place::Warp, 2},
                        {1, Place::Register, 3}},
                       int64_t(1) << bits,
                       bytes});
}

/// Lanes along both axes, and some of both layouts along the same one.
TEST(SharedTile, SharedLanes) {
  for (int64_t lanes : {1, 2, 3, 4})
    expectHandsOver({{{0, Place::Lane, 5 - lanes, lanes},
                      {0, Place::Warp, lanes, 0},
                      {1, Place::Register, 1},
                      {1, Place::Lane, lanes, 0},
                      {1, Place::Warp, 5 - lanes, lanes}},
                     {{0, Place::Lane, 3, 2},
                      {0, Place::Warp, 2, 0},
                      {1, Place::Register, 1},
                      {1, Place::Lane, 2, 0},
                      {1, Place::Warp, 3, 2}},
                     2,
                     4});
}
