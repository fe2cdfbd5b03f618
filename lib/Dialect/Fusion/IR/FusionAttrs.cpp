//===- FusionAttrs.cpp - Attributes of the fusion dialect -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fuser;
using namespace fuser::fusion;

#include "fuser/Dialect/Fusion/IR/FusionEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fuser/Dialect/Fusion/IR/FusionAttrs.cpp.inc"

void FusionDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fuser/Dialect/Fusion/IR/FusionAttrs.cpp.inc"
      >();
}

using EmitError = function_ref<InFlightDiagnostic()>;

// alias_c1
LogicalResult AliasAttr::verify(EmitError emitError, AliasKind kind,
                                int64_t input) {
  if (kind == AliasKind::New && input != -1)
    return emitError() << "expected no input after new, got " << input;
  if (kind != AliasKind::New && input < 0)
    return emitError() << "expected the number of an input after "
                       << stringifyAliasKind(kind) << ", got "
                       << (input == -1 ? "none" : std::to_string(input));
  return success();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Four times what heuristics choose for a CPU, 16 times what they do for a
/// GPU.
static constexpr int64_t kMaxVector = 256;
/// Twice the registers of a thread: what is more spills, and takes long to
/// compile, for the code has all of them one after the other.
static constexpr int64_t kMaxElementsPerThread = 512;
/// Eight times what heuristics choose; each vector has its own indices.
static constexpr int64_t kMaxPointwiseUnroll = 32;
/// A quarter of a warp's threads, and four times as many.
static constexpr int64_t kMinTile = 8, kMaxTile = 128;

// schedule_c1
static LogicalResult verifyThreads(EmitError emitError, int64_t threads) {
  if (threads < 1 || threads > kMaxThreadsPerBlock)
    return emitError() << "expected 1 to " << kMaxThreadsPerBlock
                       << " threads a block, got " << threads;
  return success();
}

// schedule_c2
static LogicalResult verifyVector(EmitError emitError, int64_t vector) {
  if (vector < 1 || (vector & (vector - 1)) || vector > kMaxVector)
    return emitError() << "expected vector to be a power of two up to "
                       << kMaxVector << ", got " << vector;
  return success();
}

// schedule_c3
static LogicalResult verifyUnroll(EmitError emitError, int64_t vector,
                                  int64_t unroll) {
  if (unroll < 1)
    return emitError() << "expected unroll to be at least 1, got " << unroll;
  if (unroll > kMaxElementsPerThread / vector)
    return emitError() << "expected unroll to be at most "
                       << kMaxElementsPerThread / vector
                       << " because a thread has at most "
                       << kMaxElementsPerThread << " elements in vectors of "
                       << vector << ", got " << unroll;
  return success();
}

// schedule_c6
static LogicalResult verifyMinBlocks(EmitError emitError, int64_t threads,
                                     int64_t minBlocks) {
  int64_t most = kMaxThreadsPerMultiprocessor / threads;
  if (minBlocks < 0 || minBlocks > most)
    return emitError() << "expected min_blocks to be 0 to " << most
                       << " because a block has " << threads
                       << " threads and a multiprocessor at most "
                       << kMaxThreadsPerMultiprocessor << ", got " << minBlocks;
  return success();
}

LogicalResult GenericScheduleAttr::verify(EmitError emitError, int64_t threads,
                                          int64_t parts, int64_t stride,
                                          int64_t minBlocks) {
  if (failed(verifyThreads(emitError, threads)) ||
      failed(verifyMinBlocks(emitError, threads, minBlocks)))
    return failure();
  if (parts < 1 || threads % parts != 0)
    return emitError() << "expected parts that divide the " << threads
                       << " threads, got " << parts;
  if (!llvm::isPowerOf2_64(parts))
    return emitError() << "expected parts to be a power of two, got " << parts;
  if (stride == 1 && parts > 1 && threads % kWarpSize != 0)
    return emitError() << "expected whole warps of threads because neighbours "
                          "share an element, got "
                       << threads << " threads";
  if (stride == 1 && parts != 1 && parts != kWarpSize && parts != threads)
    return emitError() << "expected parts to be 1, " << kWarpSize << " or all "
                       << threads << " threads, because stride is 1, got "
                       << parts;
  if (stride != 1 && parts > kWarpSize)
    return emitError() << "expected at most " << kWarpSize
                       << " parts because stride is not 1, got " << parts;
  if (stride != 1 && stride != threads / parts)
    return emitError() << "expected stride to be 1 or threads / parts, "
                       << threads / parts << ", got " << stride;
  return success();
}

LogicalResult SplitReductionScheduleAttr::verify(EmitError emitError,
                                                 int64_t threads,
                                                 int64_t foldThreads,
                                                 int64_t minBlocks) {
  auto verifyShared = [&](StringRef name, int64_t number, int64_t most) {
    if (llvm::isPowerOf2_64(number) && number >= kWarpSize && number <= most)
      return success();
    return LogicalResult(emitError()
                         << "expected " << name << " to be a power of two from "
                         << kWarpSize << " to " << most << ", got " << number);
  };
  return failure(
      failed(verifyShared("threads", threads, kMaxThreadsPerBlock)) ||
      failed(verifyShared("fold_threads", foldThreads, 256)) ||
      failed(verifyMinBlocks(emitError, threads, minBlocks)));
}

LogicalResult PointwiseScheduleAttr::verify(EmitError emitError,
                                            int64_t threads, int64_t vector,
                                            int64_t unroll) {
  // schedule_c3
  if (unroll > kMaxPointwiseUnroll)
    return emitError() << "expected unroll to be at most "
                       << kMaxPointwiseUnroll << " without a reduction, got "
                       << unroll;
  return failure(failed(verifyThreads(emitError, threads)) ||
                 failed(verifyVector(emitError, vector)) ||
                 failed(verifyUnroll(emitError, vector, unroll)));
}

// schedule_c18
static LogicalResult verifyNumbers(EmitError emitError, StringRef name,
                                   DenseI64ArrayAttr numbers) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t number : numbers ? numbers.asArrayRef() : ArrayRef<int64_t>())
    if (number < 0 || !seen.insert(number).second)
      return emitError() << "expected " << name
                         << " to be numbers from 0 on, each once, got "
                         << numbers;
  return success();
}

LogicalResult TransposeScheduleAttr::verify(EmitError emitError,
                                            int64_t threads, int64_t tile,
                                            int64_t along, int64_t across,
                                            DenseI64ArrayAttr reads,
                                            DenseI64ArrayAttr results) {
  // schedule_c7
  if (tile < kMinTile || tile > kMaxTile || !llvm::isPowerOf2_64(tile))
    return emitError() << "expected tile to be a power of two from " << kMinTile
                       << " to " << kMaxTile << ", got " << tile;
  if (failed(verifyThreads(emitError, threads)))
    return failure();
  if (threads % tile != 0 || tile * tile % threads != 0)
    return emitError() << "expected threads to be a multiple of the " << tile
                       << " elements of a row that divides the " << tile * tile
                       << " of a tile, got " << threads;
  // schedule_c17
  if (along < 0 || across < 0 || along == across)
    return emitError() << "expected along and across to be two dimensions, got "
                       << along << " and " << across;
  // schedule_c18
  auto isEmpty = [](DenseI64ArrayAttr list) { return !list || list.empty(); };
  if (isEmpty(reads) && isEmpty(results))
    return emitError() << "expected reads or results that lie across, got none";
  return failure(failed(verifyNumbers(emitError, "reads", reads)) ||
                 failed(verifyNumbers(emitError, "results", results)));
}

// schedule_c15
static LogicalResult verifyRowThreads(EmitError emitError, int64_t threads,
                                      int64_t rowsPerBlock) {
  bool isShort = threads <= kWarpSize && llvm::isPowerOf2_64(threads);
  if (!isShort && (threads % kWarpSize != 0 || rowsPerBlock != 1))
    return emitError() << "expected threads to be a power of two up to "
                       << kWarpSize << ", or a multiple of " << kWarpSize
                       << " with rows_per_block = 1, got threads = " << threads
                       << ", rows_per_block = " << rowsPerBlock;
  if (threads > 1 && threads * rowsPerBlock % kWarpSize != 0)
    return emitError() << "expected threads * rows_per_block to be a multiple "
                          "of "
                       << kWarpSize << ", got " << threads * rowsPerBlock;
  return success();
}

static LogicalResult verifyRowVectors(EmitError emitError, int64_t threads,
                                      int64_t vector, int64_t unroll) {
  // schedule_c14
  if (vector > kLeafElements)
    return emitError() << "expected vector to be at most " << kLeafElements
                       << ", the leaves of a reduction, got " << vector;
  // schedule_c16
  int64_t least =
      threads <= kWarpSize ? kWarpSize : kWarpSize * kLeafElements / vector;
  if (unroll > 1 && (threads < least || !llvm::isPowerOf2_64(threads)))
    return emitError() << "expected threads to be a power of two of at least "
                       << least << " because unroll is " << unroll
                       << " and vector " << vector << ", got " << threads;
  return success();
}

LogicalResult RowReductionScheduleAttr::verify(EmitError emitError,
                                               int64_t threads,
                                               int64_t rowsPerBlock,
                                               int64_t vector, int64_t unroll,
                                               int64_t minBlocks, bool) {
  // schedule_c4
  if (rowsPerBlock < 1 || rowsPerBlock > kMaxThreadsPerBlock)
    return emitError() << "expected 1 to " << kMaxThreadsPerBlock
                       << " rows a block, got " << rowsPerBlock;
  return failure(
      failed(verifyThreads(emitError, threads)) ||
      failed(verifyThreads(emitError, threads * rowsPerBlock)) ||
      failed(verifyMinBlocks(emitError, threads * rowsPerBlock, minBlocks)) ||
      failed(verifyVector(emitError, vector)) ||
      failed(verifyUnroll(emitError, vector, unroll)) ||
      failed(verifyRowThreads(emitError, threads, rowsPerBlock)) ||
      failed(verifyRowVectors(emitError, threads, vector, unroll)));
}

LogicalResult CPUScheduleAttr::verify(EmitError emitError, StringRef kind,
                                      int64_t vector, ArrayAttr groups) {
  // schedule_c5
  if (kind.empty())
    return emitError()
           << "expected kind to be the name of a scheduler, got \"\"";
  // schedule_c9
  for (Attribute group : groups ? groups.getValue() : ArrayRef<Attribute>())
    if (!isa<CPUFlatAttr, CPUTilesAttr, CPUSquaresAttr>(group))
      return emitError() << "expected groups to be #fusion.cpu_flat, "
                            "#fusion.cpu_tiles or #fusion.cpu_squares, got "
                         << group;
  return verifyVector(emitError, vector);
}

/// So large that work items are too few, and far from overflows.
static constexpr int64_t kMaxChunk = int64_t(1) << 30;
/// A square has as many vectors as lanes, all in one block of code.
static constexpr int64_t kMaxSquareLanes = 64;

// schedule_c10
static LogicalResult verifyChunk(EmitError emitError, int64_t chunk) {
  if (chunk < 1 || chunk > kMaxChunk)
    return emitError() << "expected chunk to be 1 to " << kMaxChunk << ", got "
                       << chunk;
  return success();
}

// schedule_c11
static LogicalResult verifyOrder(EmitError emitError, DenseI64ArrayAttr order) {
  if (!order)
    return success();
  auto sorted = llvm::to_vector(order.asArrayRef());
  llvm::sort(sorted);
  int64_t rank = sorted.size();
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return emitError() << "expected order to have each dimension once, got "
                       << order;
  if (rank != 0 && order[rank - 1] != rank - 1)
    return emitError() << "expected the last dimension, " << rank - 1
                       << ", to be the last of the order, because lanes are "
                          "its neighbours, got "
                       << order;
  return success();
}

LogicalResult CPUFlatAttr::verify(EmitError emitError, int64_t chunk) {
  return verifyChunk(emitError, chunk);
}

LogicalResult CPUTilesAttr::verify(EmitError emitError, DenseI64ArrayAttr order,
                                   int64_t itemDims, int64_t chunk,
                                   int64_t lanes) {
  // schedule_c12
  if (itemDims < -1 || (order && itemDims > order.size()))
    return emitError() << "expected item_dims to be a number of dimensions, "
                          "got "
                       << itemDims;
  if (lanes < 0 || (lanes & (lanes - 1)) || lanes > kMaxVector)
    return emitError() << "expected lanes to be a power of two up to "
                       << kMaxVector << ", got " << lanes;
  return failure(failed(verifyChunk(emitError, chunk)) ||
                 failed(verifyOrder(emitError, order)));
}

LogicalResult CPUSquaresAttr::verify(EmitError emitError, int64_t dim,
                                     int64_t lanes, int64_t chunk,
                                     DenseI64ArrayAttr order) {
  // schedule_c13
  if (lanes < 2 || (lanes & (lanes - 1)) || lanes > kMaxSquareLanes)
    return emitError() << "expected lanes to be a power of two from 2 to "
                       << kMaxSquareLanes << ", got " << lanes;
  if (chunk % lanes != 0)
    return emitError() << "expected chunk to be a multiple of the " << lanes
                       << " lanes, got " << chunk;
  if (dim < 0 || (order && dim >= order.size() - 1))
    return emitError() << "expected dim to be another dimension than the last, "
                          "got "
                       << dim;
  return failure(failed(verifyChunk(emitError, chunk)) ||
                 failed(verifyOrder(emitError, order)));
}

StringRef GenericScheduleAttr::getSchedulerName() const { return "generic"; }
StringRef SplitReductionScheduleAttr::getSchedulerName() const {
  return "split_reduction";
}
StringRef PointwiseScheduleAttr::getSchedulerName() const {
  return "pointwise";
}
StringRef TransposeScheduleAttr::getSchedulerName() const {
  return "pointwise";
}
StringRef RowReductionScheduleAttr::getSchedulerName() const {
  return "row_reduction";
}
StringRef LibraryScheduleAttr::getSchedulerName() const { return "library"; }
StringRef CommunicationScheduleAttr::getSchedulerName() const {
  return "communication";
}
StringRef CPUScheduleAttr::getSchedulerName() const { return getKind(); }

static Operation *findReduction(Operation *segment) {
  Operation *found = nullptr;
  segment->walk([&](ReductionOpInterface op) {
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static LogicalResult verifyNoReduction(Operation *segment) {
  Operation *reduction = findReduction(segment);
  if (!reduction)
    return success();
  InFlightDiagnostic diag =
      segment->emitOpError()
      << "expected no reduction in a segment with a pointwise schedule, got '"
      << reduction->getName() << "'";
  diag.attachNote(reduction->getLoc()) << "reduced here";
  return diag;
}

static LogicalResult verifyHasReduction(Operation *segment) {
  if (findReduction(segment))
    return success();
  return segment->emitOpError() << "expected a reduction in a segment with a "
                                   "row_reduction schedule, got none";
}

LogicalResult GenericScheduleAttr::verifySchedule(Operation *segment) const {
  return success();
}

/// Which reductions they have to be, an analysis of the segment shows.
LogicalResult
SplitReductionScheduleAttr::verifySchedule(Operation *segment) const {
  if (findReduction(segment))
    return success();
  return segment->emitOpError("expected a reduction in the segment of a "
                              "split_reduction schedule, got none");
}

LogicalResult PointwiseScheduleAttr::verifySchedule(Operation *segment) const {
  return verifyNoReduction(segment);
}

/// Null, or the first number of the list for which `isRight` is false.
static std::optional<int64_t> findWrong(DenseI64ArrayAttr list,
                                        function_ref<bool(int64_t)> isRight) {
  for (int64_t number : list ? list.asArrayRef() : ArrayRef<int64_t>())
    if (!isRight(number))
      return number;
  return std::nullopt;
}

LogicalResult TransposeScheduleAttr::verifySchedule(Operation *segment) const {
  if (failed(verifyNoReduction(segment)))
    return failure();
  // schedule_c19
  int64_t rank =
      cast<RankedTensorType>(segment->getResult(0).getType()).getRank();
  if (getAlong() >= rank || getAcross() >= rank)
    return segment->emitOpError()
           << "expected along and across to be dimensions of results of rank "
           << rank << ", got " << getAlong() << " and " << getAcross();
  if (auto wrong = findWrong(getReads(), [&](int64_t number) {
        return number < segment->getNumOperands() &&
               isTensor(segment->getOperand(number));
      }))
    return segment->emitOpError()
           << "expected reads to be numbers of operands that are tensors, got "
           << *wrong;
  if (auto wrong = findWrong(getResults(), [&](int64_t number) {
        return number < segment->getNumResults();
      }))
    return segment->emitOpError()
           << "expected results to be below the number of results, "
           << segment->getNumResults() << ", got " << *wrong;
  return success();
}

LogicalResult
RowReductionScheduleAttr::verifySchedule(Operation *segment) const {
  return verifyHasReduction(segment);
}

// schedule_c21
LogicalResult
CommunicationScheduleAttr::verifySchedule(Operation *segment) const {
  if (getOnlyOp<CollectiveOpInterface>(cast<SegmentOp>(segment)))
    return success();
  return segment->emitOpError(
      "expected one communication, whose result is the segment's, and nothing "
      "else in a segment with a communication schedule");
}

// schedule_c20
LogicalResult LibraryScheduleAttr::verifySchedule(Operation *segment) const {
  if (getOnlyOp<ContractionOpInterface>(cast<SegmentOp>(segment)))
    return success();
  return segment->emitOpError(
      "expected one matrix product, whose result is the "
      "segment's, and nothing else in a segment with a "
      "library schedule");
}

/// What an analysis of the segment shows, it does not need.
LogicalResult CPUScheduleAttr::verifySchedule(Operation *) const {
  return success();
}
