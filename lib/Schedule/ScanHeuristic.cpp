//===- ScanHeuristic.cpp - Schedules for scans ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/ScanHeuristic.h"
#include "fuser/Support/SumOrder.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <optional>

using namespace fuser;
using namespace fuser::schedule;

/// What a thread has of a row at a time, in bytes of registers: enough reads
/// are under way, and several blocks fit.
static constexpr int64_t kBytesPerThread = 128;
/// The same where there are too few rows for several blocks a multiprocessor,
/// and of elements that take two registers, which would be spilled.
static constexpr int64_t kFewBytes = 64;
static constexpr int64_t kThreads = 256;
static constexpr int64_t kThreadsOfFewRows = 512;
/// Rows of fewer sections take one block no longer than several
/// (docs/rationale/scheduling.md).
static constexpr int64_t kFewSections = 4;
/// Of a block with a section that only is added up and stored: few, so that few
/// wait for what is before it.
static constexpr int64_t kThreadsOfSection = 128;
/// Blocks with a section that fit on a multiprocessor at a time if a thread has
/// its elements in so many registers. Where these take more it is one less
/// (docs/rationale/scheduling.md).
static constexpr int64_t kBlocksOfSections = 4, kRegistersOfSection = 64;
/// Bytes of a leaf of elements of 2 bytes and more.
static constexpr int64_t kLeafBytes = 16;

namespace {
/// How a row lies in registers.
struct ScanSizes {
  int64_t threads = 1;      ///< A power of two.
  int64_t rowsPerBlock = 1; ///< The same.
  int64_t leaves = 1;       ///< Of a thread, at a time.
};
} // namespace

static ScanSizes chooseSizes(const ScanProblem &problem,
                             const Processor &processor) {
  bool isFew =
      problem.outer != kUnknown && problem.outer <= processor.multiprocessors;
  int64_t registers = problem.liveRegisters * problem.leaf;
  bool isWide = problem.widestBytes > 4;
  int64_t bytes = isFew || isWide ? kFewBytes : kBytesPerThread;
  int64_t most = std::max<int64_t>(1, bytes / (4 * registers));
  int64_t maxThreads = isFew ? kThreadsOfFewRows : kThreads;
  ScanSizes sizes;
  sizes.leaves = most;
  sizes.threads = maxThreads;
  if (problem.maxLength != kUnknown) {
    int64_t leaves =
        std::max<int64_t>(1, llvm::divideCeil(problem.maxLength, problem.leaf));
    // A few leaves are spread over lanes before a thread has a second one.
    int64_t wanted =
        leaves <= kWarpSize
            ? leaves
            : std::max(kWarpSize, int64_t(llvm::divideCeil(leaves, most)));
    sizes.threads =
        std::min<int64_t>(llvm::bit_ceil(uint64_t(wanted)), maxThreads);
    sizes.leaves =
        std::min<int64_t>(most, llvm::divideCeil(leaves, sizes.threads));
  }
  if (sizes.threads <= kWarpSize)
    sizes.rowsPerBlock = kThreadsOfShortRows / sizes.threads;
  return sizes;
}

/// With rows for more than half of the multiprocessors what is saved is less
/// than it takes to wait for others.
Decision fuser::schedule::prefersSplitScan(const ScanProblem &problem,
                                           const Processor &processor) {
  if (problem.maxScans == kUnknown ||
      2 * problem.maxScans > processor.multiprocessors)
    return Decision::no("there are rows enough for a thread block each");
  int64_t section = problem.leaf * kScanLanes * kScanSegments;
  if (problem.maxLength != kUnknown &&
      problem.maxLength < kFewSections * section)
    return Decision::no("rows of " + std::to_string(problem.maxLength) +
                        " elements are too short for several thread blocks");
  return Decision::yes();
}

namespace {
/// How a block has a section, or several of integers.
struct SectionSizes {
  int64_t threads;
  int64_t leaves; ///< Of a thread.
  int64_t minBlocks = 0;
  int64_t stages = 0;
};
} // namespace

/// Tiles of so many elements, if the lengths of rows are known.
static std::optional<int64_t> countTiles(const ScanProblem &problem,
                                         int64_t tile) {
  if (problem.outer == kUnknown || problem.maxLength == kUnknown ||
      problem.lastDivisor != problem.maxLength)
    return std::nullopt;
  return problem.outer * int64_t(llvm::divideCeil(problem.maxLength, tile));
}

/// Whether that many blocks, of which so many have room at a time, are one turn
/// or two, of which the second one is nearly full.
static bool fillsTurns(int64_t tiles, int64_t room) {
  return tiles <= room || (tiles <= 2 * room && 10 * tiles >= 19 * room);
}

/// Integers, of whose sections a block may have several.
static SectionSizes chooseIntegers(const ScanProblem &problem,
                                   const Processor &processor,
                                   const SectionSizes &few) {
  SectionSizes large = problem.leaf * 8 == kLeafBytes
                           ? SectionSizes{512, 8, 2, 2}
                           : SectionSizes{256, 16, 4, 2};
  std::optional<int64_t> tiles =
      countTiles(problem, large.threads * large.leaves * problem.leaf);
  int64_t room = large.minBlocks * processor.multiprocessors;
  if (problem.leaf * 8 != kLeafBytes)
    return tiles && 4 * *tiles > room ? large : few;
  if (tiles && fillsTurns(*tiles, room))
    return large;
  return {few.threads, few.leaves, 6, 2};
}

/// Of a section that only is added up and stored. Where there are few of them,
/// or two full turns of blocks that have them in registers, these are fastest,
/// and nearly so where their number is open; else more blocks that have a part
/// of them in shared memory.
static SectionSizes choosePlainSection(const ScanProblem &problem,
                                       const Processor &processor) {
  int64_t leaves = kScanSegments * kScanLanes / kThreadsOfSection;
  bool isLarge =
      leaves * problem.liveRegisters * problem.leaf > kRegistersOfSection;
  SectionSizes few = {kThreadsOfSection, leaves, kBlocksOfSections - isLarge};
  if (problem.isOfIntegers)
    return problem.leaf * problem.widestBytes == kLeafBytes
               ? chooseIntegers(problem, processor, few)
               : few;
  std::optional<int64_t> tiles =
      countTiles(problem, problem.leaf * kScanSegments * kScanLanes);
  int64_t room = few.minBlocks * processor.multiprocessors;
  if (tiles &&
      (2 * *tiles <= room || (*tiles > room && fillsTurns(*tiles, room))))
    return few;
  if (isLarge)
    return {few.threads, leaves, 4, 1};
  return tiles ? SectionSizes{few.threads, leaves, 6, 2} : few;
}

TileSchedule fuser::schedule::chooseSplitScan(const ScanProblem &problem,
                                              const Processor &processor) {
  // All segments of a section, of which a thread has as much as of a row.
  int64_t registers = problem.liveRegisters * problem.leaf;
  int64_t leaves = std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(kBytesPerThread / (4 * registers))), 2, 8);
  SectionSizes sizes = {kScanSegments * kScanLanes / leaves, leaves};
  // Short accesses, and what is kept for other ops, take registers.
  bool isPlain =
      problem.numScans == 1 && problem.lastDivisor % problem.leaf == 0 &&
      problem.liveRegisters * 4 <= std::max<int64_t>(4, problem.widestBytes);
  if (isPlain)
    sizes = choosePlainSection(problem, processor);
  TileSchedule schedule;
  schedule.axes.emplace_back(problem.outerDims);
  schedule.axes.push_back({problem.dim});
  schedule.layout = getRowLayout(1, sizes.threads, problem.leaf);
  schedule.repeat = {1, sizes.leaves};
  schedule.minBlocks = sizes.minBlocks;
  schedule.stages = sizes.stages;
  return schedule;
}

TileSchedule fuser::schedule::chooseRowScan(const ScanProblem &problem,
                                            const Processor &processor) {
  ScanSizes sizes = chooseSizes(problem, processor);
  TileSchedule schedule;
  schedule.axes.emplace_back(problem.outerDims);
  schedule.axes.push_back({problem.dim});
  schedule.layout =
      getRowLayout(sizes.rowsPerBlock, sizes.threads, problem.leaf);
  schedule.repeat = {1, sizes.leaves};
  return schedule;
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// Of neighbouring columns that a block reads at a time: a whole line of the
/// caches, and a whole sector at least.
static constexpr int64_t kBytesOfColumns = 128;
static constexpr int64_t kLeastBytesOfColumns = 32;
/// A thread's neighbours: so many bytes of them.
static constexpr int64_t kBytesOfVector = 4;
static constexpr int64_t kThreadsOfColumns = 512;
static constexpr int64_t kElementsOfThread = 16;

namespace {
/// How a block's columns lie in its threads.
struct ColumnSizes {
  int64_t vector = 1;
  int64_t lanes = 1; ///< Threads of neighbouring vectors.
  int64_t outer = 1; ///< Threads along the dimensions before.
  int64_t rows = 1;  ///< Threads along what is scanned.
  int64_t leaves = 1;
};
} // namespace

/// As many columns as a line has, or fewer if there are too few blocks.
static int64_t chooseColumns(const ScanProblem &problem,
                             const Processor &processor) {
  int64_t columns = kBytesOfColumns / problem.narrowestBytes;
  if (problem.maxColumns == kUnknown)
    return columns;
  int64_t there =
      llvm::bit_ceil(uint64_t(std::max<int64_t>(problem.maxColumns, 1)));
  if (problem.columns == kUnknown)
    return std::min(columns, there);
  int64_t least = kLeastBytesOfColumns / problem.narrowestBytes;
  int64_t outer =
      problem.outer == kUnknown ? processor.multiprocessors : problem.outer;
  while (columns > least &&
         outer * int64_t(llvm::divideCeil(problem.columns, columns)) <
             processor.multiprocessors)
    columns /= 2;
  return std::min(columns, there);
}

/// Shared memory in which threads exchange a value for each leaf and column.
/// Scans of one width share it. One column is added, so that the accesses of
/// lanes have no bank conflicts.
static int64_t countSharedBytes(const ScanProblem &problem,
                                const ColumnSizes &sizes) {
  int64_t columns = sizes.outer * sizes.lanes * sizes.vector;
  int64_t bytes = problem.widestBytes <= 4      ? 4
                  : problem.narrowestBytes == 8 ? 8
                                                : 4 + 8;
  return sizes.rows * sizes.leaves * (columns + 1) * bytes;
}

static ColumnSizes chooseColumnSizes(const ScanProblem &problem,
                                     const Processor &processor) {
  ColumnSizes sizes;
  int64_t columns = chooseColumns(problem, processor);
  sizes.vector =
      std::max<int64_t>(1, std::min({kBytesOfVector / problem.narrowestBytes,
                                     columns, problem.contiguousWidth}));
  while (problem.lastDivisor % sizes.vector != 0)
    sizes.vector /= 2;
  sizes.lanes = std::min<int64_t>(columns / sizes.vector, kWarpSize);
  int64_t threads = kThreadsOfColumns / sizes.lanes;
  int64_t leaves = threads * kScanLanes;
  if (problem.maxLength != kUnknown)
    leaves =
        std::max<int64_t>(1, llvm::divideCeil(problem.maxLength, problem.leaf));
  sizes.rows = std::min<int64_t>(llvm::bit_ceil(uint64_t(leaves)), threads);
  int64_t most =
      kElementsOfThread / (problem.leaf * sizes.vector * problem.liveRegisters);
  // Whole segments at least.
  most = std::max({most, kScanLanes / sizes.rows, int64_t(1)});
  sizes.leaves = std::min<int64_t>(most, llvm::divideCeil(leaves, sizes.rows));
  if (sizes.leaves > 1)
    sizes.leaves = llvm::alignTo(sizes.leaves,
                                 std::max<int64_t>(kScanLanes / sizes.rows, 1));
  // A block has several columns if they are short.
  int64_t busy = sizes.rows * sizes.lanes;
  if (busy < kWarpSize)
    sizes.outer = kWarpSize / busy;
  // The rest in more steps, each of whole segments.
  while (countSharedBytes(problem, sizes) > kMaxStaticSharedBytes &&
         sizes.rows * sizes.leaves > kScanLanes) {
    int64_t least = std::max<int64_t>(kScanLanes / sizes.rows, 1);
    if (sizes.leaves > least)
      sizes.leaves = llvm::alignTo(llvm::divideCeil(sizes.leaves, 2), least);
    else
      sizes.rows /= 2;
  }
  return sizes;
}

TileSchedule fuser::schedule::chooseOuterScan(const ScanProblem &problem,
                                              const Processor &processor) {
  ColumnSizes sizes = chooseColumnSizes(problem, processor);
  TileSchedule schedule;
  schedule.axes.emplace_back(problem.outerDims);
  schedule.axes.push_back({problem.dim});
  schedule.axes.emplace_back(problem.columnDims);
  int64_t laneBits = llvm::Log2_64(sizes.lanes);
  int64_t rowBits = llvm::Log2_64(sizes.rows);
  llvm::SmallVector<LayoutRun> runs;
  addThreadBits(runs, 0, laneBits + rowBits, llvm::Log2_64(sizes.outer));
  addRegisterBits(runs, 1, llvm::Log2_64(problem.leaf));
  addThreadBits(runs, 1, laneBits, rowBits);
  addRegisterBits(runs, 2, llvm::Log2_64(sizes.vector));
  addThreadBits(runs, 2, 0, laneBits);
  schedule.layout = TileLayout(3, runs);
  schedule.repeat = {1, sizes.leaves, 1};
  // Left alone ptxas stops at 64 registers, and spills.
  if (problem.widestBytes > 4)
    schedule.minBlocks = 1;
  return schedule;
}
