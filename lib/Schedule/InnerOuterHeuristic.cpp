//===- InnerOuterHeuristic.cpp - Schedules for rows and columns -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/InnerOuterHeuristic.h"
#include "fuser/Schedule/OuterReductionHeuristic.h"
#include "fuser/Schedule/RowReductionHeuristic.h"
#include "fuser/Support/SumOrder.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace fuser;
using namespace fuser::schedule;

/// Registers of a thread that hold no elements.
static constexpr int64_t kOtherRegisters = 32;
/// What the compiler takes beside that where it has them.
static constexpr int64_t kSpareRegisters = 8;
/// So many threads of a multiprocessor hide how long others wait: with two
/// blocks of 256, or one of 512, each has up to 128 registers.
static constexpr int64_t kEnoughThreads = 512;
/// For rows that do not fit then.
static constexpr int64_t kFewThreads = 256;
/// With more than that on a multiprocessor each has too few registers to read
/// rows again and again.
static constexpr int64_t kMostThreads = 768;
/// Threads of blocks that have several rows.
static constexpr int64_t kSmallBlock = 256;
/// With two the next row is copied while a row is reduced and finished; with
/// three a row is finished, too, while the next one is reduced. Four were 3 %
/// slower for rows of 8192 elements, and 1 % faster for 16,384.
static constexpr int64_t kFewStages = 2, kMostStages = 3;
/// Shorter rows are too few bytes to be copied to shared memory.
static constexpr int64_t kShortestStaged = 128;
/// Shorter rows are too few threads for the chains of a part.
static constexpr int64_t kShortestRow = 64;
/// How much longer accesses of half of so many bytes may take: a part of the
/// time.
static constexpr double kNarrowCost = 0.3;
static constexpr int64_t kNarrowBytes = 8;
/// Registers that are read into at a time keep memory busy with so many bytes
/// of each of `kEnoughThreads`; with fewer, rows are better read ahead.
static constexpr int64_t kEnoughBytes = 64;
/// Where more blocks share a row, as many as can: small ones, of which several
/// fit, hide that they wait for each other.
static constexpr int64_t kFewBlocks = 2;
/// Where a thread of so many blocks has more than `kManyElements`, they are
/// enough: of 132 multiprocessors 120 are in groups with room for such
/// clusters, 112 in those for sixteen blocks.
static constexpr int64_t kLargeBlocks = 8;
/// More elements of a thread were not tried there.
static constexpr int64_t kMostOfLargeBlocks = 64;
/// A block has so many columns or more of a row that it shares, however few
/// blocks there are otherwise: to exchange sums takes longer than to add them.
static constexpr int64_t kLeastShare = 1024;
/// Elements of a thread in a block that has a row of its own: of more two
/// blocks share it.
static constexpr int64_t kMostElements = 36;
/// With more elements in shared memory a thread is longer on its way through a
/// row than others wait; and by how much more time, as a part of it: with the
/// widest accesses, with narrower ones, and with more vectors than a few.
static constexpr int64_t kManyElements = 24, kManyVectors = 8;
static constexpr int64_t kWidestBytes = 16;
static constexpr double kManyCost = 0.14, kManyNarrowCost = 0.1,
                        kManyVectorsCost = 0.2;
/// What vectors of the widest accesses take longer than those of half of that
/// where the last ones of a row are not there.
static constexpr double kEndCost = 0.03;
/// Rows as long take vectors that begin and end anywhere before narrow ones.
static constexpr int64_t kLeastCut = 513;
/// Where a vector of up to four elements lies and ends takes so many registers.
static constexpr int64_t kNarrowCutRegisters = 7;
/// Of them each thread has so many elements that a multiprocessor has room for
/// few: as three blocks of 128, or as many as 256.
static constexpr int64_t kCutThreads = 256, kMoreCutThreads = 384;
/// A step of such a row takes as long as so many bytes of its rows do, and
/// these.
static constexpr double kStepBytes = 16384;
/// Sizes that are not known count as so many rows.
static constexpr int64_t kManyRows = 16384;
/// So much more than the average a multiprocessor may have to do, where more
/// blocks would share it better.
static constexpr double kMostUneven = 1.2;
/// The same, of blocks that there is one of for each multiprocessor, and how
/// much less even turns of blocks may be.
static constexpr double kMostUnevenAlone = 1.05;
/// Blocks whose turns have room for `u` times as many take this power of `u` as
/// long: those of the last turn have more of the memory's time to themselves.
static constexpr double kUnevenPower = 0.6;
/// What memory could move while it waits for the first bytes of a step.
static constexpr double kLatencyBytes = 6144;

namespace {
struct InnerOuterSizes {
  int64_t vector = 1;
  int64_t threads = 0; ///< Of a row in one block; none: it does not fit.
  int64_t blocks = 1;  ///< That share a row.
  int64_t rows = 1;    ///< Of a block, at a time.
  int64_t chains = 1;  ///< Of each of these rows, one after the other.
  int64_t unroll = 1;
  int64_t stages = 0;
  int64_t resident = kEnoughThreads; ///< Threads of a multiprocessor.

  int64_t getMinBlocks() const {
    return std::max<int64_t>(1, resident / (threads * rows));
  }
};
} // namespace

/// Whether rows begin and end within vectors.
static bool isCut(const InnerOuterProblem &problem,
                  const InnerOuterSizes &sizes) {
  return problem.row.lastDivisor % sizes.vector != 0;
}

/// Whether rows begin and end within vectors because narrower ones would be
/// slower.
static bool prefersCut(const RowProblem &row) {
  return row.columnDims.size() == 1 && row.maxColumns >= kLeastCut &&
         chooseRowVector(row) * row.narrowestBytes < kNarrowBytes &&
         getCutRowVector(row) * row.narrowestBytes >= kLeastCopyBytes;
}

/// Registers of a thread. Where rows have stages, they hold the sums of its
/// columns and everything else of one vector at a time.
static int64_t countRegisters(const InnerOuterProblem &problem,
                              const InnerOuterSizes &sizes) {
  int64_t elements = sizes.vector * sizes.unroll,
          used = problem.row.liveRegisters + problem.columnRegisters;
  int64_t read = llvm::divideCeil(problem.row.readBytes, 4);
  if (sizes.stages != 0) {
    // Where rows begin anywhere what is copied is kept as it is read first.
    int64_t kept = isCut(problem, sizes) ? read : 0;
    int64_t place = kept != 0 && sizes.vector <= 4 ? kNarrowCutRegisters : 2;
    return elements * (problem.accumulatorRegisters + kept) +
           sizes.vector * used + place * sizes.unroll + kOtherRegisters;
  }
  return elements * (used + read + problem.accumulatorRegisters) +
         kOtherRegisters;
}

/// How many registers a thread can have.
static int64_t getMaxRegisters(const Processor &processor,
                               const InnerOuterSizes &sizes) {
  return std::min(processor.registersPerMultiprocessor /
                      std::max(sizes.threads * sizes.rows, sizes.resident),
                  kMaxRegistersPerThread);
}

static TileLayout makeLayout(const InnerOuterSizes &sizes) {
  llvm::SmallVector<LayoutRun> runs;
  int64_t threadBits = llvm::Log2_64(sizes.threads);
  addRegisterBits(runs, 1, llvm::Log2_64(sizes.chains));
  addThreadBits(runs, 1, threadBits, llvm::Log2_64(sizes.rows));
  addRegisterBits(runs, 2, llvm::Log2_64(sizes.vector));
  addThreadBits(runs, 2, 0, threadBits);
  if (sizes.blocks > 1)
    runs.push_back({2, Place::Block, int64_t(llvm::Log2_64(sizes.blocks))});
  return TileLayout(3, runs);
}

/// Shared memory in which warps exchange the sums of columns at the end.
static int64_t countStaticBytes(const InnerOuterProblem &problem,
                                const InnerOuterSizes &sizes) {
  return countSharedBytes(makeLayout(sizes), /*isFold=*/false,
                          4 * problem.accumulatorRegisters * sizes.unroll);
}

static int64_t countExchangeBytes(const InnerOuterProblem &problem,
                                  const InnerOuterSizes &sizes) {
  return countExchangeBytes(problem.row, sizes.threads * sizes.blocks,
                            sizes.vector, sizes.unroll, sizes.rows);
}

/// Shared memory for sums of chains that wait for the chain beside them.
static int64_t countWaitingBytes(const InnerOuterProblem &problem,
                                 const InnerOuterSizes &sizes) {
  return llvm::Log2_64(sizes.chains) * sizes.threads * sizes.rows *
         sizes.vector * sizes.unroll * 4 * problem.accumulatorRegisters;
}

/// Whether it pays to reduce the next row while one is finished: many blocks
/// take long to exchange sums, and one or two that have chains in turn, or
/// share a row, and several sums of a column, have no other that works while
/// they wait. Rows that begin anywhere would be turned to their places once
/// more.
static bool mayOverlap(const InnerOuterProblem &problem,
                       const InnerOuterSizes &sizes) {
  if (isCut(problem, sizes))
    return false;
  bool waits =
      sizes.chains > 1 || sizes.blocks > 1 || sizes.getMinBlocks() == 1;
  bool isShort =
      sizes.chains > 1 || sizes.vector * sizes.unroll < kManyElements;
  return sizes.blocks > kFewBlocks ||
         (waits && isShort && problem.accumulators > 1);
}

/// What lanes that copy such rows together have behind each piece of one.
static int64_t countTailBytes(const InnerOuterProblem &problem,
                              const InnerOuterSizes &sizes) {
  if (!isCut(problem, sizes))
    return 0;
  int64_t groups =
      sizes.rows * sizes.threads / std::min<int64_t>(sizes.threads, kWarpSize);
  int64_t tensors = problem.row.copiedBytes / problem.row.narrowestBytes;
  return groups * sizes.unroll * tensors * kMostCopyBytes;
}

/// The rows that shared memory has room for, beside what is read once: none
/// unless there are two, or if accesses are too narrow to be copied, or not all
/// that is read can be.
static int64_t chooseStages(const InnerOuterProblem &problem,
                            const Processor &processor,
                            const InnerOuterSizes &sizes) {
  if (sizes.vector * problem.row.narrowestBytes < kLeastCopyBytes ||
      !problem.row.isCopied())
    return 0;
  int64_t elements = sizes.threads * sizes.rows * sizes.vector * sizes.unroll;
  int64_t room =
      (processor.sharedBytesPerBlock + kSharedOfSystem) / sizes.getMinBlocks() -
      kSharedOfSystem -
      std::max(kOtherSharedBytes, countExchangeBytes(problem, sizes)) -
      countStaticBytes(problem, sizes) - countWaitingBytes(problem, sizes) -
      elements * problem.row.columnBytes;
  int64_t bytes =
      elements * problem.row.copiedBytes + countTailBytes(problem, sizes);
  int64_t stages = room / std::max<int64_t>(bytes, 1);
  int64_t most = mayOverlap(problem, sizes) ? kMostStages : kFewStages;
  return stages < kFewStages ? 0 : std::min(stages, most);
}

/// Whether the row is in registers, or in shared memory with `hasStages`, and
/// all of it fits.
static bool fits(const InnerOuterProblem &problem, const Processor &processor,
                 InnerOuterSizes &sizes, bool hasStages) {
  sizes.stages = hasStages ? chooseStages(problem, processor, sizes) : 0;
  return hasStages == (sizes.stages != 0) &&
         countRegisters(problem, sizes) <= getMaxRegisters(processor, sizes);
}

/// Multiprocessors in groups that have room for all blocks of a cluster: an
/// H100, some of whose groups lack a few, has 120 of 132 for clusters of 4 and
/// of 8, and 112 for 16 (cuOccupancyMaxActiveClusters).
static int64_t getUsableMultiprocessors(const Processor &processor,
                                        int64_t blocks) {
  if (blocks <= kFewBlocks)
    return processor.multiprocessors;
  return processor.multiprocessors * (blocks <= 8 ? 30 : 28) / 33;
}

/// How much more than the average the multiprocessor with the most blocks has,
/// if there are `blocks` in all.
static double getUnevenness(int64_t blocks, const Processor &processor) {
  return double(llvm::divideCeil(blocks, processor.multiprocessors) *
                processor.multiprocessors) /
         double(blocks);
}

/// The chains of all parts, and how much longer than the average the longest
/// one is.
static std::pair<int64_t, double> getChains(int64_t rows) {
  int64_t parts = getNumParts(rows);
  int64_t slabs = llvm::divideCeil(uint64_t(rows), kSlabRows);
  int64_t longest = int64_t(llvm::divideCeil(slabs, parts)) * kSlabRows * parts;
  return {parts * kChains, double(longest) / double(rows)};
}

/// How many blocks of so many threads are on a multiprocessor at a time, if the
/// compiler takes `spare` registers beside those that are counted.
static int64_t countBeside(const InnerOuterProblem &problem,
                           const Processor &processor,
                           const InnerOuterSizes &sizes, int64_t threads,
                           int64_t spare = kSpareRegisters) {
  int64_t registers = llvm::alignTo(countRegisters(problem, sizes) + spare, 8);
  int64_t elements = threads * sizes.vector * sizes.unroll;
  int64_t bytes = elements * (problem.row.copiedBytes * sizes.stages +
                              problem.row.columnBytes) +
                  kSharedOfSystem + kOtherSharedBytes;
  int64_t room = processor.sharedBytesPerBlock + kSharedOfSystem;
  return std::max<int64_t>(
      1, std::min(processor.registersPerMultiprocessor / (registers * threads),
                  room / bytes));
}

/// So many blocks on a multiprocessor, if what rows with stages need of it is
/// there: what is made of a vector beside its sums need not be, at once.
static void makeRoom(const InnerOuterProblem &problem,
                     const Processor &processor, InnerOuterSizes &sizes,
                     int64_t blocks) {
  InnerOuterSizes more = sizes;
  more.resident = std::max(sizes.resident, blocks * sizes.threads * sizes.rows);
  more.stages = chooseStages(problem, processor, more);
  int64_t sums = sizes.vector * sizes.unroll * problem.accumulatorRegisters;
  if (sizes.stages != 0 && more.stages != 0 && more.resident <= kMostThreads &&
      sums + kOtherRegisters <= getMaxRegisters(processor, more))
    sizes = more;
}

/// If there is an even number of blocks for each multiprocessor only with room
/// for all of them, that many; false if that is too many.
static bool makeEven(const InnerOuterProblem &problem,
                     const Processor &processor, InnerOuterSizes &sizes) {
  if (problem.rows == kUnknown || problem.rows == 0)
    return true;
  int64_t blocks = getChains(problem.rows).first / sizes.rows * sizes.blocks;
  // Short rows have many, one after the other.
  int64_t each = llvm::divideCeil(blocks, processor.multiprocessors);
  if (each > 4)
    return true;
  makeRoom(problem, processor, sizes, each);
  return getUnevenness(blocks, processor) <= kMostUneven;
}

/// The turns in which blocks are on multiprocessors, `beside` at a time on
/// each.
static double getTurns(const InnerOuterProblem &problem,
                       const Processor &processor, const InnerOuterSizes &sizes,
                       int64_t beside) {
  double chains = double(getChains(problem.rows).first) / double(sizes.rows);
  return chains * double(sizes.blocks) /
         double(getUsableMultiprocessors(processor, sizes.blocks) * beside);
}

/// How much longer than needed it takes that blocks are on multiprocessors in
/// turns, the last of which is not full, that few bytes are on their way to
/// them, and that sums are left to the next kernel.
static double getGridCost(const InnerOuterProblem &problem,
                          const Processor &processor,
                          const InnerOuterSizes &sizes) {
  if (problem.rows == kUnknown || problem.rows == 0)
    return 1;
  int64_t threads = sizes.threads * sizes.rows;
  InnerOuterSizes even = sizes;
  makeEven(problem, processor, even);
  int64_t beside = std::max(countBeside(problem, processor, sizes, threads),
                            even.getMinBlocks());
  double chains = double(getChains(problem.rows).first) / double(sizes.rows);
  double turns = getTurns(problem, processor, sizes, beside);
  double bytes = double(beside * threads * sizes.vector * sizes.unroll *
                        problem.row.readBytes);
  // Written and read, beside the rows.
  double sums = 2 * chains / double(sizes.chains) *
                double(4 * problem.accumulatorRegisters) /
                double(problem.rows * problem.row.readBytes);
  return std::pow(std::ceil(turns) / turns, kUnevenPower) *
         (1 + kLatencyBytes / bytes) * (1 + sums);
}

/// How long a row takes: as many elements as its threads have, those of the
/// last vectors that are none among them, and more if vectors are narrow, or if
/// a thread is long on its way.
static double getCost(const InnerOuterProblem &problem,
                      const InnerOuterSizes &sizes, bool hasStages) {
  double cost = double(sizes.blocks * sizes.threads * sizes.vector) *
                double(sizes.unroll);
  int64_t bytes = sizes.vector * problem.row.narrowestBytes;
  int64_t enough = sizes.blocks > kFewBlocks ? kWidestBytes : kNarrowBytes;
  if (bytes < enough)
    cost *= 1 + kNarrowCost * (double(enough) / double(bytes) - 1);
  if (!hasStages)
    return cost;
  bool hasEnd = cost > double(problem.row.maxColumns);
  if (bytes >= kWidestBytes && hasEnd && sizes.blocks <= kFewBlocks)
    cost *= 1 + kEndCost;
  if (sizes.unroll > kManyVectors)
    cost *= 1 + kManyVectorsCost;
  else if (sizes.vector * sizes.unroll > kManyElements)
    cost *= 1 + (bytes < kWidestBytes ? kManyNarrowCost : kManyCost);
  return cost;
}

/// Short rows: as many chains side by side, of which the next kernel adds
/// fewer, as there is room for beside what threads of a row exchange. False if
/// not even one row fits.
static bool fitRows(const InnerOuterProblem &problem,
                    const Processor &processor, InnerOuterSizes &sizes,
                    bool hasStages) {
  int64_t most = std::clamp<int64_t>(kSmallBlock / sizes.threads, 1, kChains);
  for (sizes.rows = sizes.blocks == 1 ? most : 1;
       sizes.rows >= 1 && sizes.threads * sizes.rows >= kWarpSize;
       sizes.rows /= 2) {
    bool hasRoom =
        sizes.rows == 1 || countStaticBytes(problem, sizes) <=
                               kMaxStaticSharedBytes - kOtherSharedBytes;
    if (hasRoom && fits(problem, processor, sizes, hasStages))
      return true;
  }
  return false;
}

/// Of all numbers of threads and vectors those that take the least time, then
/// those with the widest accesses and the fewest threads.
static InnerOuterSizes chooseThreads(const InnerOuterProblem &problem,
                                     const Processor &processor,
                                     InnerOuterSizes sizes, bool hasStages) {
  InnerOuterSizes best;
  double least = 0;
  int64_t widest = chooseRowVector(problem.row);
  for (sizes.vector = widest; sizes.vector >= std::max<int64_t>(widest / 4, 1);
       sizes.vector /= 2)
    for (sizes.threads = hasStages ? 16 : 8;
         sizes.threads <= kMaxThreadsPerBlock; sizes.threads *= 2) {
      int64_t slots = sizes.blocks * sizes.threads * sizes.vector;
      sizes.unroll = llvm::divideCeil(problem.row.maxColumns, slots);
      bool isLarge = hasStages && sizes.blocks == 1 &&
                     sizes.vector * sizes.unroll > kMostElements;
      if (slots > kSectionElements / 2 || isLarge ||
          !fitRows(problem, processor, sizes, hasStages))
        continue;
      double cost = getCost(problem, sizes, hasStages) *
                    getGridCost(problem, processor, sizes);
      if (best.threads != 0 && cost >= least)
        continue;
      least = cost;
      best = sizes;
    }
  return best;
}

/// Whether registers hold rows that would better be read ahead: there is no
/// other block on the multiprocessor that works while one waits, too little is
/// read at a time, or registers are taken by what guards the end of a row.
static bool isTight(const InnerOuterProblem &problem,
                    const InnerOuterSizes &sizes) {
  if (sizes.stages != 0 || problem.row.maxColumns <= kShortestStaged)
    return false;
  int64_t elements = sizes.vector * sizes.unroll;
  bool hasEnd =
      sizes.blocks * sizes.threads * elements != problem.row.maxColumns;
  return sizes.getMinBlocks() == 1 || hasEnd ||
         elements * problem.row.readBytes * problem.accumulatorRegisters <
             kEnoughBytes;
}

/// Blocks, or pairs of them that share a row, of which there is one for each
/// multiprocessor if it has two chains: so half as many sums are left to the
/// second kernel, and rows are read ahead without an end. Rows have stages. One
/// block with one sum of a column is as fast with a chain after the other.
static InnerOuterSizes chooseAlone(const InnerOuterProblem &problem,
                                   const Processor &processor) {
  if (problem.rows == kUnknown || problem.rows == 0)
    return {};
  auto [chains, unevenness] = getChains(problem.rows);
  InnerOuterSizes sizes;
  sizes.chains = 2;
  sizes.threads = sizes.resident = kEnoughThreads;
  sizes.vector = chooseRowVector(problem.row);
  for (sizes.blocks = problem.accumulators > 1 ? 1 : 2;
       sizes.blocks <= std::min(kFewBlocks, processor.maxClusterBlocks);
       sizes.blocks *= 2) {
    int64_t blocks = chains / sizes.chains * sizes.blocks;
    int64_t slots = sizes.blocks * sizes.threads * sizes.vector;
    sizes.unroll = llvm::divideCeil(problem.row.maxColumns, slots);
    bool isEven =
        blocks <= processor.multiprocessors &&
        unevenness * getUnevenness(blocks, processor) <= kMostUnevenAlone;
    if (isEven && slots * sizes.unroll == problem.row.maxColumns &&
        fits(problem, processor, sizes, /*hasStages=*/true))
      return sizes;
  }
  return {};
}

/// The longer rows are, the fewer there are, and the more sums for each of
/// their elements: blocks that share one have chains in turn, as many as there
/// is room for while the next row is reduced early, and rounds of clusters are
/// left, two for each block that a multiprocessor has beside others. Fewer
/// blocks are beside each other if there is no room for that.
static void addChains(const InnerOuterProblem &problem,
                      const Processor &processor, InnerOuterSizes &sizes) {
  if (problem.rows == kUnknown || sizes.blocks <= kFewBlocks ||
      sizes.stages == 0)
    return;
  int64_t chains = getChains(problem.rows).first;
  for (int64_t beside = sizes.getMinBlocks(); beside >= 1; --beside) {
    int64_t clusters = beside * processor.multiprocessors / sizes.blocks;
    for (int64_t inTurn : {4, 2, 1}) {
      InnerOuterSizes more = sizes;
      more.chains = inTurn;
      more.resident = beside * sizes.threads;
      if ((inTurn > 1 && chains / inTurn < 2 * beside * clusters) ||
          !fits(problem, processor, more, /*hasStages=*/true) ||
          more.stages != kMostStages)
        continue;
      if (inTurn > 1 || beside == sizes.getMinBlocks())
        sizes = more;
      return;
    }
  }
}

/// With `blocks` that share a row: in registers, from which it need not be read
/// again, or in shared memory, which is better where blocks wait for each
/// other. No threads if it does not fit.
static InnerOuterSizes chooseWithBlocks(const InnerOuterProblem &problem,
                                        const Processor &processor,
                                        int64_t blocks, int64_t resident) {
  InnerOuterSizes tight;
  for (bool hasStages : {blocks > 1, blocks == 1}) {
    InnerOuterSizes sizes;
    if (hasStages && resident == kEnoughThreads)
      sizes = chooseAlone(problem, processor);
    if (sizes.threads != 0)
      return sizes;
    sizes.resident = resident;
    sizes.blocks = blocks;
    sizes = chooseThreads(problem, processor, sizes, hasStages);
    if (sizes.threads == 0)
      continue;
    if (!isTight(problem, sizes))
      return sizes;
    tight = sizes;
  }
  return tight;
}

/// How long rows that are cut take, in bytes of a multiprocessor: their blocks
/// take turns, and each step of a turn takes what it waits for and what it
/// reads.
static double estimateCut(const InnerOuterProblem &problem,
                          const Processor &processor,
                          const InnerOuterSizes &sizes) {
  bool isKnown = problem.rows != kUnknown && problem.rows != 0;
  int64_t chains = getChains(isKnown ? problem.rows : kManyRows).first;
  int64_t clusters = llvm::divideCeil(chains, sizes.rows);
  int64_t beside = getUsableMultiprocessors(processor, sizes.blocks) *
                   sizes.getMinBlocks() / sizes.blocks;
  int64_t turns = llvm::divideCeil(clusters, std::max<int64_t>(beside, 1));
  double resident = std::min(double(sizes.getMinBlocks()),
                             double(clusters * sizes.blocks) /
                                 double(processor.multiprocessors));
  double bytes = resident * double(sizes.threads * sizes.rows) *
                 double(sizes.vector * sizes.unroll * problem.row.readBytes);
  return double(turns) * (kStepBytes + bytes);
}

/// Vectors that begin and end anywhere take long to be turned to their places,
/// so that a step takes as long as the elements of a thread, whatever else is
/// on the multiprocessor: few threads have many.
static InnerOuterSizes chooseCut(const InnerOuterProblem &problem,
                                 const Processor &processor) {
  InnerOuterSizes sizes, best;
  double least = 0;
  sizes.vector = getCutRowVector(problem.row);
  auto consider = [&] {
    int64_t slots = sizes.blocks * sizes.threads * sizes.vector;
    sizes.unroll = llvm::divideCeil(problem.row.maxColumns, slots);
    if (slots > kSectionElements / 2 ||
        !fits(problem, processor, sizes, /*hasStages=*/true))
      return;
    double cost = estimateCut(problem, processor, sizes);
    if (best.threads != 0 && cost >= least)
      return;
    least = cost;
    best = sizes;
  };
  for (sizes.blocks = 1; sizes.blocks <= processor.maxClusterBlocks &&
                         (sizes.blocks == 1 ||
                          problem.row.maxColumns >= sizes.blocks * kLeastShare);
       sizes.blocks *= 2)
    for (sizes.threads = kCutThreads; sizes.threads >= kWarpSize;
         sizes.threads /= 2) {
      bool isSmall = sizes.threads < kCutThreads;
      sizes.rows = std::max<int64_t>(kCutThreads / 2 / sizes.threads, 1);
      if (sizes.rows > 1 && sizes.blocks > 1)
        break;
      sizes.resident = kCutThreads;
      consider();
      sizes.resident = kMoreCutThreads;
      if (isSmall)
        consider();
    }
  return best;
}

/// Rows that are shared by `kLargeBlocks` blocks; no threads if they are too
/// short or too long, or too few for all multiprocessors. Two blocks are on one
/// if there is room, for one works while the other waits. A block that is alone
/// and has one sum of a column needs room for a chain after the other.
static InnerOuterSizes chooseLarge(const InnerOuterProblem &problem,
                                   const Processor &processor) {
  InnerOuterSizes sizes;
  sizes.vector = chooseRowVector(problem.row);
  sizes.blocks = kLargeBlocks;
  sizes.threads = sizes.resident = kFewThreads;
  sizes.unroll = llvm::divideCeil(problem.row.maxColumns,
                                  sizes.blocks * sizes.threads * sizes.vector);
  bool isKnown = problem.rows != kUnknown && problem.rows != 0;
  int64_t rows = isKnown ? problem.rows : kManyRows;
  int64_t chains = std::min(getChains(rows).first, rows);
  int64_t elements = sizes.vector * sizes.unroll;
  bool isLong = elements > kManyElements && elements <= kMostOfLargeBlocks &&
                sizes.vector * problem.row.narrowestBytes >= kWidestBytes;
  bool isEnough = chains * sizes.blocks >=
                  getUsableMultiprocessors(processor, sizes.blocks);
  if (processor.maxClusterBlocks <= kLargeBlocks || !isLong || !isEnough ||
      !fits(problem, processor, sizes, /*hasStages=*/true))
    return {};
  makeRoom(problem, processor, sizes, 2);
  if (sizes.getMinBlocks() > 1 || problem.accumulators > 1)
    return sizes;
  sizes.chains = 2;
  if (!isKnown || !fits(problem, processor, sizes, /*hasStages=*/true))
    return {};
  return sizes;
}

/// As few blocks as have room for a row, unless multiprocessors have too
/// different numbers of them.
static InnerOuterSizes chooseSizes(const InnerOuterProblem &problem,
                                   const Processor &processor) {
  if (prefersCut(problem.row))
    if (InnerOuterSizes sizes = chooseCut(problem, processor);
        sizes.threads != 0)
      return sizes;
  InnerOuterSizes narrow;
  for (int64_t resident : {kEnoughThreads, kFewThreads}) {
    InnerOuterSizes uneven;
    for (int64_t blocks :
         {int64_t(1), kFewBlocks, processor.maxClusterBlocks}) {
      if (blocks > processor.maxClusterBlocks ||
          (blocks > 1 && problem.row.maxColumns < blocks * kLeastShare))
        continue;
      InnerOuterSizes sizes;
      if (blocks > kLargeBlocks)
        sizes = chooseLarge(problem, processor);
      if (sizes.threads != 0)
        return sizes;
      sizes = chooseWithBlocks(problem, processor, blocks, resident);
      if (sizes.threads == 0)
        continue;
      // Narrow vectors, because as many threads of wider ones would have more
      // elements than a section: fewer threads are better.
      if (blocks > kFewBlocks && resident == kEnoughThreads &&
          sizes.vector < chooseRowVector(problem.row) &&
          sizes.threads >= kEnoughThreads) {
        narrow = sizes;
        continue;
      }
      bool isEven = makeEven(problem, processor, sizes);
      addChains(problem, processor, sizes);
      if (isEven)
        return sizes;
      if (uneven.threads == 0)
        uneven = sizes;
    }
    if (uneven.threads != 0)
      return uneven;
  }
  return narrow;
}

/// The largest schedule, for rows that do not fit, such as with narrow
/// accesses: the rest is spilled.
static InnerOuterSizes chooseLargest(const InnerOuterProblem &problem,
                                     const Processor &processor) {
  InnerOuterSizes sizes;
  sizes.vector = chooseRowVector(problem.row);
  sizes.blocks = processor.maxClusterBlocks;
  sizes.threads = kMaxThreadsPerBlock;
  auto countSlots = [&] { return sizes.blocks * sizes.threads * sizes.vector; };
  while (countSlots() > kSectionElements / 2)
    sizes.threads /= 2;
  sizes.unroll = llvm::divideCeil(problem.row.maxColumns, countSlots());
  return sizes;
}

Decision fuser::schedule::acceptsInnerOuter(const InnerOuterProblem &problem,
                                            const Processor &processor) {
  if (problem.row.maxColumns == kUnknown)
    return Decision::no("the length of its rows is not known, nor a bound of "
                        "it");
  if (problem.row.maxColumns < kShortestRow)
    return Decision::no(
        "its rows have " + std::to_string(problem.row.maxColumns) +
        " elements, fewer than " + std::to_string(kShortestRow));
  if (chooseSizes(problem, processor).threads != 0)
    return Decision::yes();
  return Decision::no("rows of " + std::to_string(problem.row.maxColumns) +
                      " elements, with " +
                      std::to_string(problem.accumulatorRegisters) +
                      " registers for each, do not fit into registers");
}

/// Blocks of a multiprocessor, which say how many registers the compiler may
/// take: it would take a few more than rows with stages need, and leave room
/// for one block less. Not if one more than that may fit then and leaves more
/// of the last turn of blocks unused.
static int64_t chooseMinBlocks(const InnerOuterProblem &problem,
                               const Processor &processor,
                               const InnerOuterSizes &sizes) {
  int64_t blocks = sizes.getMinBlocks();
  if (sizes.stages == 0 || isCut(problem, sizes) || problem.rows == kUnknown ||
      problem.rows == 0)
    return blocks;
  auto getUnused = [&](int64_t beside) {
    double turns = getTurns(problem, processor, sizes, beside);
    return std::ceil(turns) / turns;
  };
  int64_t threads = sizes.threads * sizes.rows;
  int64_t beside = countBeside(problem, processor, sizes, threads);
  int64_t most = countBeside(problem, processor, sizes, threads, /*spare=*/0);
  bool isFull = getUnused(beside) <= getUnused(std::max(blocks, beside - 1)) &&
                getUnused(most) <= kMostUnevenAlone * getUnused(beside);
  return isFull ? std::max(blocks, beside) : blocks;
}

TileSchedule fuser::schedule::chooseInnerOuter(const InnerOuterProblem &problem,
                                               const Processor &processor) {
  InnerOuterSizes sizes = chooseSizes(problem, processor);
  if (sizes.threads == 0)
    sizes = chooseLargest(problem, processor);
  TileSchedule schedule;
  schedule.axes.emplace_back();
  llvm::append_range(schedule.axes, getRowAxes(problem.row));
  schedule.layout = makeLayout(sizes);
  schedule.repeat = {1, 1, sizes.unroll};
  int64_t parts =
      problem.rows == kUnknown
          ? kUnknown
          : getNumParts(problem.rows) * (kChains / (sizes.rows * sizes.chains));
  schedule.fold =
      chooseFold(parts, problem.accumulatorRegisters, problem.row.maxColumns);
  schedule.programmatic = processor.hasProgrammaticLaunch;
  schedule.minBlocks = chooseMinBlocks(problem, processor, sizes);
  schedule.stages = sizes.stages;
  return schedule;
}
