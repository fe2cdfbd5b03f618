//===- RowReductionHeuristic.cpp - Schedules for rows in registers -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/RowReductionHeuristic.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

/// Registers of a thread that do not hold elements: addresses, indices, what is
/// being computed.
static constexpr int64_t kOtherRegisters = 40;
/// The same where many small blocks are what matters: softmax of 64 elements a
/// thread does not spill with 80 registers.
static constexpr int64_t kFewOtherRegisters = 16;
/// With so many elements a thread has no registers left for values that are
/// only used at the end.
static constexpr int64_t kManyElements = 32;

namespace {
/// How a row lies in registers.
struct RowSizes {
  int64_t threads = 32;     ///< A power of two.
  int64_t rowsPerBlock = 1; ///< The same.
  int64_t blocks = 1;       ///< The same: of a cluster that shares a row.
  int64_t vector = 1;
  int64_t unroll = 1;
  /// It is in shared memory, and computed with again after each reduction.
  bool isStaged = false;

  int64_t getElements() const { return vector * unroll; }
  /// Whether a warp has rows that begin and end within vectors: it waits for
  /// no other one, and is ahead of them with its reads.
  bool isCutOfWarp(const RowProblem &problem) const {
    return threads == kWarpSize && problem.lastDivisor % vector != 0;
  }
};
} // namespace

/// Aligned accesses of fewer bytes are slower than unaligned ones of 16, in
/// long rows earlier.
static constexpr int64_t kFewBytes = 4;
static constexpr int64_t kFewBytesOfLong = 8;
/// Longer rows are those of a cluster: many small blocks hide that they wait
/// for each other.
static constexpr int64_t kLongestOfBlock = 16384;
/// Shorter rows have single elements: of wider vectors too many are beyond the
/// end, and the first and the last one take more than an access.
static constexpr int64_t kShortest = 641;
/// Rows that begin and end anywhere within vectors are a warp's up to this
/// length.
static constexpr int64_t kLongestCutOfWarp = 1536;
/// Rows of narrow accesses are a warp's up to this length, so that no barrier
/// is between what is read and what is stored.
static constexpr int64_t kLongestNarrowOfWarp = 1024;

/// Neighbours of a row that may be accessed together.
static int64_t getWidestRowVector(const RowProblem &problem) {
  return std::min({getWidestAccess(problem.narrowestBytes, problem.widestBytes),
                   problem.contiguousWidth, kLeafElements});
}

int64_t fuser::schedule::chooseRowVector(const RowProblem &problem) {
  int64_t vector = getWidestRowVector(problem);
  while (vector > 1 && problem.lastDivisor % vector != 0)
    vector /= 2;
  return vector;
}

int64_t fuser::schedule::getCutRowVector(const RowProblem &problem) {
  int64_t widest = getWidestRowVector(problem);
  return problem.maxColumns <= kLongestCutOfWarp ? std::min<int64_t>(widest, 4)
                                                 : widest;
}

/// chooseRowVector, but where these are few that of rows that begin and end
/// anywhere.
static int64_t chooseAnyRowVector(const RowProblem &problem) {
  int64_t vector = chooseRowVector(problem);
  bool mayBeCut =
      problem.columnDims.size() == 1 && problem.maxColumns >= kShortest;
  int64_t few =
      problem.maxColumns > kLongestOfBlock ? kFewBytesOfLong : kFewBytes;
  if (!mayBeCut || vector * problem.narrowestBytes >= few)
    return vector;
  int64_t widest = getWidestRowVector(problem), cut = getCutRowVector(problem);
  auto countSlots = [&](int64_t width) -> int64_t {
    return llvm::alignTo(problem.maxColumns, kWarpSize * width);
  };
  int64_t slots = std::min(countSlots(cut), countSlots(widest));
  // Where nothing else is read single elements are faster than vectors of which
  // an eighth is beyond the end.
  if (problem.maxColumns <= kLongestNarrowOfWarp && problem.columnBytes == 0 &&
      8 * slots > 9 * problem.maxColumns)
    return vector;
  return slots < countSlots(widest) ? cut : widest;
}

/// Whether a warp has each row, however many elements a thread has then.
static bool prefersWarp(const RowProblem &problem, int64_t vector) {
  if (problem.lastDivisor % vector != 0)
    return problem.maxColumns <= kLongestCutOfWarp;
  return problem.maxColumns <= kLongestNarrowOfWarp &&
         vector * problem.narrowestBytes < kFewBytes;
}

/// Where a chunk lies takes an offset, in rows of several dimensions an address
/// of its own: BatchNorm of 256x512x7x7 f32 spilled 156 bytes a thread
/// with a register for each, and does not with two.
static int64_t countPlaceRegisters(const RowProblem &problem, int64_t unroll) {
  return problem.columnDims.size() > 1 ? 2 * unroll : unroll;
}

/// The registers of a thread that keeps `unroll` chunks of `vector` elements.
static int64_t countRegisters(const RowProblem &problem, int64_t vector,
                              int64_t unroll) {
  return std::max<int64_t>(problem.liveRegisters, 1) * vector * unroll +
         countPlaceRegisters(problem, unroll) + kOtherRegisters;
}

/// How many registers a thread of this schedule can have.
static int64_t getMaxRegisters(const Processor &processor,
                               const RowSizes &schedule) {
  return std::min(kMaxRegistersPerThread,
                  processor.registersPerMultiprocessor /
                      (schedule.threads * schedule.rowsPerBlock));
}

/// Whether the registers that a thread needs are there.
static bool fitsRegisters(const RowProblem &problem, const Processor &processor,
                          const RowSizes &schedule) {
  return countRegisters(problem, schedule.vector, schedule.unroll) <=
         getMaxRegisters(processor, schedule);
}

/// How many elements a thread should have.
static int64_t chooseElements(const RowProblem &problem) {
  if (problem.maxColumns <= 1024)
    return 8;
  if (problem.maxColumns <= 4096)
    return 32 / std::min<int64_t>(problem.liveRegisters, 2);
  // Long rows: small blocks, of which several fit.
  return problem.maxColumns <= 8192
             ? 16
             : 64 / std::max<int64_t>(problem.liveRegisters, 1);
}

/// The threads that take about `unroll` chunks each: a power of two, and fewer
/// if they are not busy for longer.
static int64_t chooseThreads(int64_t chunks, int64_t unroll, int64_t vector,
                             int64_t limit) {
  int64_t wanted = llvm::divideCeil(chunks, unroll);
  int64_t best = std::min<int64_t>(llvm::bit_ceil(uint64_t(wanted)), limit);
  auto countSlots = [&](int64_t threads) {
    return threads * llvm::divideCeil(chunks, threads);
  };
  for (int64_t fewer = best / 2;
       fewer >= kWarpSize &&
       llvm::divideCeil(chunks, fewer) * vector <= kManyElements * 5 / 4;
       fewer /= 2) {
    bool isNear = fewer < wanted && wanted < 2 * fewer;
    if (countSlots(fewer) < countSlots(best) + isNear)
      best = fewer;
  }
  return std::max(best, kWarpSize);
}

/// Whether a warp has three vectors a lane of each row: two warps with three
/// vectors of half the elements are faster. Softmax, RMSNorm and LayerNorm of
/// 768 elements of bf16 were at 0.995, 0.989 and 0.990 of a copy's speed, and
/// are at 0.997, 0.993 and 0.999.
static bool isThreeOfWarp(const RowProblem &problem, const RowSizes &sizes) {
  return sizes.threads == kWarpSize && sizes.vector == kLeafElements &&
         sizes.unroll == 3 && problem.lastDivisor % sizes.vector == 0 &&
         problem.maxColumns == kWarpSize * sizes.getElements();
}

/// Rows that need more than a warp: whole warps share each.
static RowSizes chooseLong(const RowProblem &problem,
                           const Processor &processor, int64_t vector,
                           int64_t elements) {
  int64_t chunks = llvm::divideCeil(problem.maxColumns, vector);
  int64_t unroll = std::max<int64_t>(1, elements / vector);
  RowSizes schedule;
  schedule.vector = vector;
  auto fitsWith = [&](int64_t threads) {
    schedule.threads = threads;
    schedule.unroll = llvm::divideCeil(chunks, threads);
    schedule.rowsPerBlock = threads == kWarpSize ? 4 : 1;
    return fitsRegisters(problem, processor, schedule);
  };
  if (prefersWarp(problem, vector) && fitsWith(kWarpSize))
    return schedule;
  // Fewer threads have more registers each.
  for (int64_t limit : {kMaxThreadsPerBlock, int64_t(512), int64_t(256)})
    if (fitsWith(chooseThreads(chunks, unroll, vector, limit)))
      break;
  if (isThreeOfWarp(problem, schedule)) {
    schedule.vector /= 2;
    schedule.threads *= 2;
    schedule.rowsPerBlock /= 2;
  }
  return schedule;
}

/// How many pieces of one or two elements each of so many lanes may have of a
/// row: few lanes read few bytes beside each other.
static int64_t getMostPieces(int64_t lanes) {
  if (lanes >= kWarpSize / 2)
    return 14;
  return lanes >= kWarpSize / 4 ? 8 : 6;
}

/// Rows that a warp or less can hold: several in a block.
static RowSizes chooseShort(const RowProblem &problem, int64_t vector) {
  int64_t chunks =
      std::max<int64_t>(1, llvm::divideCeil(problem.maxColumns, vector));
  RowSizes schedule;
  schedule.vector = vector;
  schedule.threads =
      std::min<int64_t>(kWarpSize, llvm::bit_ceil(uint64_t(chunks)));
  // Fewer lanes exchange less, for more rows at a time, if not all are busy.
  bool isFull = vector > 1 && chunks == schedule.threads;
  for (int64_t fewer = schedule.threads / 2; fewer >= 1 && !isFull;
       fewer /= 2) {
    int64_t pieces = llvm::divideCeil(chunks, fewer);
    if (pieces * std::max<int64_t>(vector / 2, 1) > getMostPieces(fewer))
      break;
    schedule.threads = fewer;
  }
  schedule.unroll = llvm::divideCeil(chunks, schedule.threads);
  schedule.rowsPerBlock = 128 / schedule.threads;
  return schedule;
}

/// Blocks of longer rows wait for more others. More blocks fit if what only the
/// results need is read after the reductions.
static constexpr int64_t kEarlyColumns = 32768;

static bool readsLate(const RowProblem &problem, const RowSizes &sizes) {
  if (sizes.isStaged)
    return problem.maxColumns > kEarlyColumns;
  return sizes.getElements() > kManyElements && !sizes.isCutOfWarp(problem);
}

/// What costs no more is computed again behind a reduction, instead of kept.
static constexpr double kFewOperations = 16;
static constexpr int64_t kStagedThreads = 256;
static constexpr int64_t kStagedElements = 64;

/// Bytes of an access that is wide enough for rows in shared memory.
static constexpr int64_t kWideBytes = 8;

/// Whether a row is strided, several dimensions that are not next to each other
/// (a channel of images), and accesses are wide.
static bool isStrided(const RowProblem &problem, int64_t vector) {
  return problem.columnDims.size() > 1 &&
         vector * problem.narrowestBytes >= kWideBytes;
}

/// There are few such rows as a rule, and a GPU has room for few clusters of 16
/// blocks (docs/rationale/scheduling.md, with the figures of what is chosen for
/// such rows).
static constexpr int64_t kMostStridedBlocks = 8;

/// How many blocks a cluster may have.
static int64_t getMostBlocks(const RowProblem &problem,
                             const Processor &processor, int64_t vector) {
  return isStrided(problem, vector)
             ? std::min(kMostStridedBlocks, processor.maxClusterBlocks)
             : processor.maxClusterBlocks;
}

/// Elements of a thread that has nothing else.
static constexpr int64_t kMostAlone = 104;

/// Rows that blocks share: as few blocks as have room for them in registers,
/// and small ones if these are enough.
static RowSizes chooseCluster(const RowProblem &problem,
                              const Processor &processor, int64_t vector) {
  RowSizes sizes;
  sizes.vector = vector;
  for (auto [threads, most] :
       {std::pair<int64_t, int64_t>(128, 8), {256, 8}, {256, 16}, {512, 16}}) {
    int64_t elements = 64 / std::max<int64_t>(problem.liveRegisters, 1);
    // Where nothing else is read, threads have room for more, unless results
    // are wider: a chunk of them takes registers of its own before it is
    // stored.
    if (problem.liveRegisters <= 1 && problem.columnBytes == 0 &&
        problem.widestBytes <= problem.narrowestBytes)
      elements = kMostAlone;
    int64_t unroll = std::max<int64_t>(1, elements / vector);
    sizes.threads = threads;
    sizes.blocks = 2;
    most = std::min(most, getMostBlocks(problem, processor, vector));
    // What threads have at a time is a round of a reduction at most.
    while (sizes.blocks < most &&
           sizes.blocks * threads * vector * unroll < problem.maxColumns &&
           2 * sizes.blocks * threads * vector <= kSectionElements / 2)
      sizes.blocks *= 2;
    sizes.unroll =
        llvm::divideCeil(problem.maxColumns, sizes.blocks * threads * vector);
    if (sizes.unroll <= unroll)
      break;
  }
  return sizes;
}

int64_t fuser::schedule::countExchangeBytes(const RowProblem &problem,
                                            int64_t threads, int64_t vector,
                                            int64_t unroll, int64_t rows) {
  int64_t warps = llvm::divideCeil(threads, kWarpSize);
  if (warps == 1)
    return 0;
  int64_t held = llvm::PowerOf2Ceil(unroll);
  constexpr int64_t kRound = kSectionElements / 2;
  if (threads * vector * held > kRound)
    held /= 2;
  constexpr int64_t kBarrierBytes = 16; // Of two rows, for each sum.
  return problem.sumRegisters * (2 * 4 * warps * held * rows + kBarrierBytes);
}

static int64_t countExchanged(const RowProblem &problem,
                              const RowSizes &sizes) {
  return countExchangeBytes(problem, sizes.threads * sizes.blocks, sizes.vector,
                            sizes.unroll, sizes.rowsPerBlock);
}

/// Of an element that has a place in shared memory.
static int64_t getStagedBytes(const RowProblem &problem,
                              const RowSizes &sizes) {
  return problem.copiedBytes +
         (readsLate(problem, sizes) ? 0 : problem.columnBytes);
}

/// How many blocks have room in shared memory.
static int64_t countStagedBlocks(const RowProblem &problem,
                                 const Processor &processor,
                                 const RowSizes &sizes) {
  int64_t elements = sizes.threads * sizes.getElements();
  return processor.sharedBytesPerBlock /
         std::max<int64_t>(elements * getStagedBytes(problem, sizes), 1);
}

/// As many blocks of rows in shared memory as have room in it, and registers
/// for where their chunks lie, of which some are spilled.
static int64_t chooseStridedMinBlocks(const RowProblem &problem,
                                      const Processor &processor,
                                      const RowSizes &schedule) {
  int64_t staged = countStagedBlocks(problem, processor, schedule);
  int64_t needed =
      countPlaceRegisters(problem, schedule.unroll) + kFewOtherRegisters;
  int64_t held =
      processor.registersPerMultiprocessor / (schedule.threads * needed);
  return std::clamp<int64_t>(std::min(staged, held), 1, 4);
}

/// How few blocks on a multiprocessor are enough, so that what a thread keeps
/// of its elements is not spilled for the sake of more; 0 if nothing need be
/// said.
static int64_t chooseMinBlocks(const RowProblem &problem,
                               const Processor &processor,
                               const RowSizes &schedule) {
  // Without results as long as the row there is little to compute.
  if (schedule.isStaged && schedule.blocks == 1)
    return schedule.threads <= kStagedThreads ? 3 : 0;
  if (schedule.isStaged && isStrided(problem, schedule.vector))
    return chooseStridedMinBlocks(problem, processor, schedule);
  if (schedule.isStaged && !problem.hasFullResults)
    return 6;
  if (schedule.isStaged) {
    int64_t most = readsLate(problem, schedule) ? 4 : 3;
    int64_t fitting = countStagedBlocks(problem, processor, schedule);
    return std::clamp<int64_t>(fitting, 1, most);
  }
  if (schedule.isCutOfWarp(problem))
    return 0;
  // Blocks of long rows wait for each other and for memory: as many as there
  // are registers for.
  int64_t elements = schedule.vector * schedule.unroll;
  if (schedule.blocks > 1 || elements > 48) {
    int64_t needed = problem.liveRegisters * elements + kFewOtherRegisters;
    // Where short vectors lie takes addresses, and in a cluster where those lie
    // that may be beyond the end.
    bool isMasked = schedule.blocks > 1 && problem.columns == kUnknown &&
                    problem.maxColumns != problem.lastDivisor;
    if (schedule.vector < kLeafElements || isMasked)
      needed += countPlaceRegisters(problem, schedule.unroll);
    needed = std::max<int64_t>(needed, 80);
    return std::max<int64_t>(1, processor.registersPerMultiprocessor /
                                    (schedule.threads * needed));
  }
  // Left alone ptxas stops at 64 registers, at 32 in the largest blocks, and
  // spills the rest if it is little.
  int64_t threads = schedule.threads * schedule.rowsPerBlock;
  int64_t registers =
      countRegisters(problem, schedule.vector * schedule.unroll, 1);
  if (threads <= 512 && registers <= (threads <= 256 ? 96 : 80))
    return 0;
  int64_t enough = std::min(2 * registers, kMaxRegistersPerThread);
  return std::max<int64_t>(1, processor.registersPerMultiprocessor /
                                  (threads * enough));
}

/// Whether rows can be copied to shared memory, and computed with from there as
/// often as they are reduced.
static bool mayBeStaged(const RowProblem &problem, int64_t vector) {
  // Asynchronous copies are of whole accesses of 4 bytes and more. Of rows that
  // begin anywhere lanes copy together, which took RMSNorm of 50,257 elements
  // 4 % longer than to keep it in registers.
  bool isCopied = problem.isCopied() && problem.lastDivisor % vector == 0 &&
                  vector * problem.narrowestBytes >= kLeastCopyBytes;
  // Registers are better for rows in one place of a tensor where more is
  // computed, docs/rationale/scheduling.md.
  double operations = isStrided(problem, vector) ? problem.repeatedOperations
                                                 : problem.operations;
  return isCopied && problem.copiedBytes > 0 &&
         (!problem.hasFullResults || operations <= kFewOperations);
}

/// Rows of one tensor of 16 bits that are in shared memory, so that more of
/// them are under way than registers have room for: those of a block, and
/// longer ones of a cluster. LayerNorm of 12,288 and 16,384
/// elements was at 0.988 and 0.989 of a copy's speed in registers, and is at
/// 0.999; of 2048 at 0.989, and is at 0.993 in one job and 0.986 in another.
static constexpr int64_t kShortestStaged = 2048;
static constexpr int64_t kLongestStagedOfBlock = 8192;
static constexpr int64_t kStagedElementsOfBlock = 16;

static bool prefersStaged(const RowProblem &problem, int64_t vector) {
  return problem.maxColumns >= kShortestStaged && vector == kLeafElements &&
         problem.copiedBytes == 2 && problem.widestBytes == 2 &&
         problem.hasFullResults && mayBeStaged(problem, vector);
}

/// Longer rows with several sums have fewer blocks, of more elements
/// (docs/rationale/scheduling.md).
static constexpr int64_t kFewBlocksColumns = 65536;

/// Elements of a thread of a cluster whose rows are in shared memory.
static int64_t chooseStagedElements(const RowProblem &problem, int64_t vector) {
  if (prefersStaged(problem, vector) && problem.sumRegisters > 1 &&
      problem.maxColumns > kFewBlocksColumns)
    return 2 * kStagedElements;
  if (!prefersStaged(problem, vector) || problem.maxColumns > kEarlyColumns)
    return kStagedElements;
  // Blocks wait for each other once for each reduction: with one, more of them
  // have fewer elements each. RMSNorm of 12,288, 16,384 and 32,768 elements was
  // at 0.991, 0.993 and 0.988, and is at 1.004, 1.001 and 1.003.
  if (problem.sumRegisters == 1)
    return kStagedElements / 4;
  return problem.maxColumns <= kLongestOfBlock ? kStagedElements / 2
                                               : kStagedElements;
}

/// Bytes of shared memory for what else a kernel has there.
static constexpr int64_t kBarrierRoom = 1024;

/// Rows of which a thread has so many elements at most. `blocks` is 0 if there
/// is no room for `fitting` blocks on a multiprocessor.
static RowSizes fillStaged(const RowProblem &problem,
                           const Processor &processor, RowSizes sizes,
                           int64_t elements, int64_t fitting) {
  sizes.isStaged = true;
  sizes.blocks = 0;
  // Of many tensors, no vector of a thread has room.
  int64_t ofBlock = sizes.threads * llvm::alignDown(elements, sizes.vector);
  if (ofBlock == 0)
    return sizes;
  sizes.blocks =
      llvm::PowerOf2Ceil(llvm::divideCeil(problem.maxColumns, ofBlock));
  sizes.unroll = llvm::divideCeil(problem.maxColumns,
                                  sizes.blocks * sizes.threads * sizes.vector);
  int64_t exchanged = countExchanged(problem, sizes);
  // A block has one of these rows, and not two.
  int64_t ofRow = exchanged / 2 + kBarrierRoom;
  // For other rows there has to be room for blocks whose threads all have as
  // many elements as they may, with which these were measured.
  int64_t held = isStrided(problem, sizes.vector)
                     ? sizes.threads * sizes.getElements()
                     : ofBlock;
  int64_t needed = fitting * held * getStagedBytes(problem, sizes);
  if (sizes.blocks > getMostBlocks(problem, processor, sizes.vector) ||
      exchanged > kMaxStaticSharedBytes ||
      needed + ofRow > processor.sharedBytesPerBlock)
    sizes.blocks = 0;
  return sizes;
}

namespace {
struct StagedBlock {
  int64_t threads, bytesOfThread, fitting;
};
} // namespace

/// The more blocks fit on a multiprocessor the better, if clusters are small.
static constexpr StagedBlock kStagedStrided[] = {
    {kStagedThreads, 256, 3}, {kStagedThreads, 512, 1}, {512, 448, 1}};

/// Rows that blocks share and that lie in their shared memory, so that
/// registers do not limit how many blocks are under way. `blocks` is 0 if these
/// are not better than registers, or do not fit.
static RowSizes chooseStaged(const RowProblem &problem,
                             const Processor &processor, int64_t vector) {
  RowSizes sizes;
  sizes.threads = kStagedThreads;
  sizes.vector = vector;
  sizes.blocks = 0;
  if (!mayBeStaged(problem, vector))
    return sizes;
  if (!isStrided(problem, vector))
    return fillStaged(problem, processor, sizes,
                      chooseStagedElements(problem, vector), /*fitting=*/2);
  for (const StagedBlock &block : kStagedStrided) {
    sizes.threads = block.threads;
    int64_t elements = block.bytesOfThread / problem.copiedBytes;
    RowSizes filled =
        fillStaged(problem, processor, sizes, elements, block.fitting);
    if (filled.blocks != 0)
      return filled;
  }
  return sizes;
}

static RowSizes chooseSizes(const RowProblem &problem,
                            const Processor &processor) {
  int64_t vector = chooseAnyRowVector(problem);
  if (problem.maxColumns <= kWarpSize * kLeafElements)
    return chooseShort(problem, vector);
  bool isStaged = prefersStaged(problem, vector);
  int64_t bytes =
      problem.maxColumns * (problem.copiedBytes + problem.columnBytes);
  bool isOfBlock = isStaged && problem.maxColumns <= kLongestStagedOfBlock &&
                   2 * bytes <= processor.sharedBytesPerBlock;
  RowSizes sizes =
      chooseLong(problem, processor, vector,
                 isOfBlock ? kStagedElementsOfBlock : chooseElements(problem));
  sizes.isStaged = isOfBlock;
  bool fits = problem.maxColumns <= kLongestOfBlock &&
              fitsRegisters(problem, processor, sizes);
  if (isOfBlock || (fits && !isStaged) || processor.maxClusterBlocks == 1)
    return sizes;
  RowSizes staged = chooseStaged(problem, processor, vector);
  if (staged.blocks != 0)
    return staged;
  return fits ? sizes : chooseCluster(problem, processor, vector);
}

llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 3>
fuser::schedule::getRowAxes(const RowProblem &problem) {
  return {problem.rowDims, problem.columnDims};
}

TileSchedule fuser::schedule::chooseRowReduction(const RowProblem &problem,
                                                 const Processor &processor) {
  RowSizes sizes = chooseSizes(problem, processor);
  TileSchedule schedule;
  schedule.axes = getRowAxes(problem);
  schedule.layout = getRowLayout(sizes.rowsPerBlock, sizes.threads,
                                 sizes.vector, sizes.blocks);
  schedule.repeat = {1, sizes.unroll};
  schedule.minBlocks = chooseMinBlocks(problem, processor, sizes);
  schedule.lateReads = readsLate(problem, sizes);
  schedule.stages = sizes.isStaged;
  return schedule;
}

Decision fuser::schedule::canExchangeSums(const RowProblem &problem,
                                          const Processor &processor) {
  RowSizes schedule = chooseSizes(problem, processor);
  int64_t bytes = countExchanged(problem, schedule);
  if (bytes <= kMaxStaticSharedBytes)
    return Decision::yes();
  return Decision::no("rows of " + std::to_string(problem.maxColumns) +
                      " elements, read " + std::to_string(schedule.vector) +
                      " at a time, need " + std::to_string(bytes) +
                      " bytes of shared memory for what threads exchange of "
                      "their sums, of " +
                      std::to_string(kMaxStaticSharedBytes));
}

Decision fuser::schedule::acceptsRowReduction(const RowProblem &problem,
                                              const Processor &processor) {
  if (problem.maxColumns == kUnknown)
    return Decision::no("the length of its rows is not known, nor a bound of "
                        "it");
  if (Decision decision = canExchangeSums(problem, processor); !decision)
    return decision;
  RowSizes schedule = chooseSizes(problem, processor);
  if (schedule.isStaged || fitsRegisters(problem, processor, schedule))
    return Decision::yes();
  return Decision::no(
      "rows of " + std::to_string(problem.maxColumns) + " elements need " +
      std::to_string(
          countRegisters(problem, schedule.vector, schedule.unroll)) +
      " registers a thread with " + std::to_string(schedule.threads) +
      " threads, of " + std::to_string(getMaxRegisters(processor, schedule)));
}
