//===- OuterReductionHeuristic.cpp - Schedules for sums of rows -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/OuterReductionHeuristic.h"
#include "fuser/Support/SumOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

/// Registers of a thread for what it reads at once, and for what it adds up.
static constexpr int64_t kReadRegisters = 64;
static constexpr int64_t kSumRegisters = 32;
/// A block has as many threads if it can.
static constexpr int64_t kEnoughThreads = 128;
static constexpr int64_t kLaneBits = llvm::ConstantLog2<kWarpSize>();
/// So many keep all multiprocessors busy though a block has 32 of them.
static constexpr int64_t kManyColumns = 16384;
/// Neighbouring lanes read 128 bytes or more.
static constexpr int64_t kWideBytes = 128;
/// Bytes of an access where a thread needs registers for other things, too.
static constexpr int64_t kNarrowBytes = 8;
/// Elements of an access of 16 bytes where it does not.
static constexpr int64_t kFewElements = 4;

static int64_t log2Ceil(int64_t value) {
  return llvm::Log2_64_Ceil(std::max<int64_t>(value, 1));
}

namespace {
/// Bits of a tile.
struct OuterBits {
  int64_t vector = 0; ///< Neighbouring columns of a thread.
  int64_t columnLanes = 0;
  int64_t columnWarps = 0;
  int64_t columns = 0; ///< Of a thread, a warp apart.
  int64_t rowRegisters = 0, rowLanes = 0, rowWarps = 0;
  int64_t outerLanes = 0, outerWarps = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Appends bits, to the last run if that has the same axis and place.
static void addRun(llvm::SmallVectorImpl<LayoutRun> &runs, int64_t axis,
                   Place place, int64_t bits) {
  if (bits <= 0)
    return;
  if (!runs.empty() && runs.back().axis == axis && runs.back().place == place)
    runs.back().bits += bits;
  else
    runs.push_back({axis, place, bits});
}

/// Appends the bits of chains, those of the rows of a chain, which are in
/// registers, and those of parts.
static void addRowBits(llvm::SmallVectorImpl<LayoutRun> &runs,
                       const OuterBits &bits, int64_t chainRowBits) {
  llvm::SmallVector<Place> places(bits.rowLanes, Place::Lane);
  places.append(bits.rowWarps, Place::Warp);
  places.append(bits.rowRegisters, Place::Register);
  for (auto [number, place] : llvm::enumerate(places)) {
    if (number == llvm::Log2_64(kChains))
      addRun(runs, 1, Place::Register, chainRowBits);
    addRun(runs, 1, place, 1);
  }
  if (places.size() <= llvm::Log2_64(kChains))
    addRun(runs, 1, Place::Register, chainRowBits);
}

static TileLayout makeLayout(const OuterBits &bits, int64_t chainRowBits) {
  llvm::SmallVector<LayoutRun> runs;
  addRun(runs, 0, Place::Lane, bits.outerLanes);
  addRun(runs, 0, Place::Warp, bits.outerWarps);
  addRowBits(runs, bits, chainRowBits);
  addRun(runs, 2, Place::Register, bits.vector);
  addRun(runs, 2, Place::Lane, bits.columnLanes);
  addRun(runs, 2, Place::Warp, bits.columnWarps);
  addRun(runs, 2, Place::Register, bits.columns);
  return TileLayout(3, runs);
}

int64_t fuser::schedule::getOuterPosition(int64_t row, bool isFold) {
  return isFold ? row : row / kSlabRows * kChains + row % kChains;
}

int64_t fuser::schedule::countSharedBytes(const TileLayout &layout, bool isFold,
                                          int64_t bytesPerColumn) {
  uint64_t threads = 0, registers = 0, warps = 0;
  auto forPositions = [&](const TileLayout::Field &field, auto body) {
    for (int64_t bit = 0; bit < field.bits; ++bit)
      body(getOuterPosition(int64_t(1) << (field.offset + bit), isFold),
           field.first + bit >= kLaneBits);
  };
  for (const TileLayout::Field &field : layout.getThreadFields(1))
    forPositions(field, [&](int64_t position, bool isWarp) {
      threads |= position;
      warps |= isWarp ? position : 0;
    });
  for (const TileLayout::Field &field : layout.getRegisterFields(1))
    forPositions(field, [&](int64_t position, bool) { registers |= position; });
  if (warps == 0)
    return 0;
  // Bits below the first one of a warp are combined before.
  uint64_t left = (threads | registers) & ~((warps & -warps) - 1);
  int64_t columns = layout.getThreads() >> llvm::popcount(threads);
  for (const TileLayout::Field &field : layout.getRegisterFields(2))
    columns <<= field.bits;
  return columns * bytesPerColumn << llvm::popcount(left);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Neighbouring columns of a thread that reads `rows` of them at a time, of so
/// many bytes at most, and holds so many sums of each.
static int64_t chooseVector(const OuterProblem &problem, int64_t rows,
                            int64_t sums, int64_t bytes = 16) {
  int64_t vector =
      std::min(bytes / problem.narrowestBytes, problem.contiguousWidth);
  auto fits = [&](int64_t width) {
    return width == 1 ||
           (problem.lastDivisor % width == 0 &&
            rows * width * problem.totalBytes <= 4 * kReadRegisters &&
            sums * width * problem.accumulatorRegisters <= kSumRegisters);
  };
  vector = std::max<int64_t>(vector, 1);
  while (!fits(vector))
    vector /= 2;
  return llvm::Log2_64(vector);
}

int64_t fuser::schedule::getColumnBytes(const OuterProblem &problem,
                                        bool isSplit) {
  return isSplit && !problem.hasFullResults
             ? std::min<int64_t>(kFewElements * problem.narrowestBytes, 16)
             : kNarrowBytes;
}

static int64_t countVectors(const OuterProblem &problem, int64_t vectorBits) {
  return problem.maxColumns == kUnknown
             ? kMaxThreadsPerBlock
             : llvm::divideCeil(problem.maxColumns, int64_t(1) << vectorBits);
}

/// A few rows, all in registers: one thread has all rows of its columns.
static OuterBits chooseFewRows(const OuterProblem &problem) {
  OuterBits bits;
  bits.rowRegisters = log2Ceil(problem.rows);
  int64_t rows = int64_t(1) << bits.rowRegisters;
  // They are added up at once.
  bits.vector = chooseVector(problem, rows, rows / 2);
  int64_t wanted = llvm::Log2_64(kEnoughThreads);
  int64_t inColumns =
      std::min(wanted, log2Ceil(countVectors(problem, bits.vector)));
  bits.columnLanes = std::min(inColumns, kLaneBits);
  bits.columnWarps = inColumns - bits.columnLanes;
  bits.outerLanes = kLaneBits - bits.columnLanes;
  bits.outerWarps = wanted - kLaneBits - bits.columnWarps;
  return bits;
}

/// Sets where the bits of chains, and of so many parts, are: lanes that
/// columns leave, then warps, then registers.
static void placeRows(OuterBits &bits, int64_t rowBits, int64_t maxWarps) {
  bits.rowLanes = std::min(kLaneBits - bits.columnLanes, rowBits);
  bits.rowWarps = std::min(rowBits - bits.rowLanes, maxWarps);
  bits.rowRegisters = rowBits - bits.rowLanes - bits.rowWarps;
  // The other lanes have other columns, of which some may not exist.
  bits.columnLanes = kLaneBits - bits.rowLanes;
}

/// All rows in a block, the parts in warps: lanes of 128 bytes, so that many
/// blocks have something to do, or fewer if a thread would have too many rows.
static OuterBits chooseWhole(const OuterProblem &problem) {
  OuterBits bits;
  int64_t rows = std::min(problem.rows, kFewParts * kSlabRows);
  int64_t rowBits = std::min<int64_t>(log2Ceil(rows), llvm::Log2_64(kChains)) +
                    log2Ceil(llvm::divideCeil(rows, kSlabRows));
  bits.vector = chooseVector(problem, 2 * kChainRows, 2,
                             getColumnBytes(problem, /*isSplit=*/false));
  int64_t bytes = problem.totalBytes << bits.vector;
  int64_t lanes = std::min(
      {kLaneBits, log2Ceil(countVectors(problem, bits.vector)),
       log2Ceil(kWideBytes / (problem.narrowestBytes << bits.vector))});
  for (; lanes >= 0; --lanes)
    for (int64_t maxWarps : {4, 5}) {
      bits.columnLanes = lanes;
      placeRows(bits, rowBits, maxWarps);
      // A thousand threads have half of the registers.
      int64_t most = 4 * kReadRegisters / (bits.rowWarps == 5 ? 2 : 1);
      int64_t shared =
          countSharedBytes(makeLayout(bits, llvm::Log2_64(kChainRows)),
                           /*isFold=*/false, 4 * problem.accumulatorRegisters);
      if (kChainRows * bytes << bits.rowRegisters <= most &&
          shared <= kMaxStaticSharedBytes)
        return bits;
    }
  return bits;
}

/// A part of the rows in a block: warps read neighbours, of a few elements a
/// thread, so that many rows are under way. What is also written is computed
/// with, for which a thread needs registers, too.
static OuterBits choosePart(const OuterProblem &problem, int64_t chainRowBits) {
  OuterBits bits;
  bits.vector = chooseVector(problem, int64_t(1) << chainRowBits, 1,
                             getColumnBytes(problem, /*isSplit=*/true));
  int64_t vectors = countVectors(problem, bits.vector);
  int64_t bytes = problem.narrowestBytes << bits.vector;
  bits.columnLanes = std::min(kLaneBits, log2Ceil(vectors));
  placeRows(bits, llvm::Log2_64(kChains), /*maxWarps=*/4);
  // Narrow accesses: several of them are under way.
  while (bytes << bits.columns < 8 && (kWarpSize << bits.columns) < vectors &&
         (problem.accumulatorRegisters << (bits.vector + bits.columns + 1)) <=
             kSumRegisters / 2)
    ++bits.columns;
  // Lanes need no shared memory for each other.
  while (bits.columnLanes > 1 &&
         countSharedBytes(makeLayout(bits, chainRowBits), /*isFold=*/false,
                          4 * problem.accumulatorRegisters) >
             kMaxStaticSharedBytes) {
    --bits.columnLanes;
    placeRows(bits, llvm::Log2_64(kChains), /*maxWarps=*/4);
  }
  return bits;
}

/// Small blocks have several of the elements before the rows.
static void addOuter(const OuterProblem &problem, OuterBits &bits,
                     int64_t chainRowBits) {
  int64_t left = llvm::Log2_64(kEnoughThreads) - kLaneBits - bits.rowWarps;
  if (problem.outer != kUnknown)
    left = std::min(left, log2Ceil(problem.outer));
  if (problem.outerDims.empty() || left <= 0)
    return;
  bits.outerWarps = left;
  if (countSharedBytes(makeLayout(bits, chainRowBits), /*isFold=*/false,
                       4 * problem.accumulatorRegisters) >
      kMaxStaticSharedBytes)
    bits.outerWarps = 0;
}

/// Whether a block has all rows: then one kernel is enough.
static bool isWhole(const OuterProblem &problem, const Processor &processor) {
  if (problem.rows == kUnknown ||
      problem.rows > kFewParts * kSlabRows * kPartSteps)
    return false;
  if (problem.rows <= kFewParts * kSlabRows)
    return true;
  if (problem.outer == kUnknown || problem.columns == kUnknown)
    return true;
  // Else blocks that share columns are faster, but start a second kernel, which
  // takes longer than another step or two.
  int64_t lines =
      llvm::divideCeil(problem.columns * problem.narrowestBytes, kWideBytes);
  bool hasFewSteps = problem.rows <= 2 * kFewParts * kSlabRows;
  return problem.outer * lines >= (hasFewSteps ? processor.multiprocessors / 4
                                               : 2 * processor.multiprocessors);
}

TileLayout fuser::schedule::chooseFold(int64_t parts,
                                       int64_t accumulatorRegisters,
                                       int64_t columns) {
  // A thousand threads have 64 registers each.
  int64_t registers =
      std::clamp<int64_t>(4 - log2Ceil(accumulatorRegisters), 0, 3);
  // If it is not known how many there are, a few threads take them: more would
  // be idle where columns are many and parts few.
  int64_t partBits =
      parts == kUnknown ? registers + 4 : log2Ceil(std::min(parts, kTreeParts));
  registers = std::min(partBits, registers);
  // Few columns are spread over multiprocessors, 32 bytes of them each; of many
  // a warp reads 128.
  int64_t lanes = std::clamp<int64_t>(
      partBits - registers - 5, columns < kManyColumns ? 2 : 0, kLaneBits);
  lanes = std::min(partBits - registers, lanes);
  int64_t warps = partBits - registers - lanes;
  llvm::SmallVector<LayoutRun> runs;
  addRun(runs, 1, Place::Register, registers);
  addRun(runs, 1, Place::Lane, lanes);
  addRun(runs, 1, Place::Warp, warps);
  addRun(runs, 2, Place::Lane, kLaneBits - lanes);
  addRun(runs, 2, Place::Warp,
         int64_t(llvm::Log2_64(kEnoughThreads)) - kLaneBits - warps);
  return TileLayout(3, runs);
}

TileSchedule fuser::schedule::chooseOuterReduction(const OuterProblem &problem,
                                                   const Processor &processor) {
  TileSchedule schedule;
  schedule.axes = {problem.outerDims, problem.reducedDims, problem.columnDims};
  schedule.repeat.assign(3, 1);
  if (problem.rows != kUnknown && problem.rows <= kChains) {
    schedule.layout = makeLayout(chooseFewRows(problem), /*chainRowBits=*/0);
    return schedule;
  }
  bool hasAll = isWhole(problem, processor);
  int64_t chainRowBits = llvm::Log2_64(kChainRows);
  if (hasAll)
    chainRowBits =
        log2Ceil(llvm::divideCeil(std::min(problem.rows, kSlabRows), kChains));
  OuterBits bits =
      hasAll ? chooseWhole(problem) : choosePart(problem, chainRowBits);
  addOuter(problem, bits, chainRowBits);
  schedule.layout = makeLayout(bits, chainRowBits);
  if (!hasAll) {
    schedule.fold = chooseFold(
        problem.rows == kUnknown ? kUnknown : getNumParts(problem.rows),
        problem.accumulatorRegisters,
        problem.outer == kUnknown || problem.columns == kUnknown
            ? kUnknown
            : problem.outer * problem.columns);
    schedule.programmatic = processor.hasProgrammaticLaunch;
  }
  int64_t threads = hasAll ? 512 : 1024;
  schedule.minBlocks =
      std::max<int64_t>(1, threads / schedule.layout.getThreads());
  return schedule;
}
