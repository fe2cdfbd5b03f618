//===- FusionAttrs.cpp - Attributes of the fusion dialect -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"
#include "fuser/Support/EnumSyntax.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Support/SchedulerNames.h"
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

// schedule_c1
LogicalResult fusion::verifyThreads(EmitError emitError, int64_t threads) {
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

// schedule_c6
LogicalResult fusion::verifyMinBlocks(EmitError emitError, int64_t threads,
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
                                          int64_t parts, int64_t minBlocks) {
  if (failed(verifyThreads(emitError, threads)) ||
      failed(verifyMinBlocks(emitError, threads, minBlocks)))
    return failure();
  if (parts < 1 || threads % parts != 0)
    return emitError() << "expected parts that divide the " << threads
                       << " threads, got " << parts;
  if (!llvm::isPowerOf2_64(parts))
    return emitError() << "expected parts to be a power of two, got " << parts;
  if (parts > 1 && threads % kWarpSize != 0)
    return emitError() << "expected whole warps of threads because neighbours "
                          "share an element, got "
                       << threads << " threads";
  if (parts != 1 && parts != kWarpSize && parts != threads)
    return emitError() << "expected parts to be 1, " << kWarpSize << " or all "
                       << threads << " threads, got " << parts;
  return success();
}

LogicalResult SplitReductionScheduleAttr::verify(EmitError emitError,
                                                 int64_t threads,
                                                 int64_t foldThreads,
                                                 int64_t minBlocks,
                                                 bool /*programmatic*/) {
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

LogicalResult CPUScheduleAttr::verify(EmitError emitError, StringRef kind,
                                      int64_t vector, ArrayAttr groups) {
  // schedule_c5
  if (kind != schedulers::kPointwise &&
      kind != TileScheduleAttr::kRowReduction && kind != schedulers::kGeneric)
    return emitError() << "expected kind to be pointwise, row_reduction or "
                          "generic, got \""
                       << kind << "\"";
  // schedule_c9
  for (Attribute group : groups ? groups.getValue() : ArrayRef<Attribute>())
    if (!isa<CPUFlatAttr, CPUTilesAttr, CPUSquaresAttr, CPUPartsAttr,
             CPUOrderAttr>(group))
      return emitError() << "expected groups to be #fusion.cpu_flat, "
                            "#fusion.cpu_tiles, #fusion.cpu_squares, "
                            "#fusion.cpu_parts or #fusion.cpu_order, got "
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

// schedule_c34
LogicalResult CPUPartsAttr::verify(EmitError emitError, int64_t chunk,
                                   int64_t lanes, int64_t narrow) {
  if (lanes < 1 || (lanes & (lanes - 1)) || lanes > kMaxSquareLanes)
    return emitError() << "expected lanes to be a power of two up to "
                       << kMaxSquareLanes << ", got " << lanes;
  if (chunk % lanes != 0)
    return emitError() << "expected chunk to be a multiple of the " << lanes
                       << " lanes, got " << chunk;
  if (narrow < 0 || (narrow > 0 && lanes == 1))
    return emitError() << "expected narrow to be 0 or, with several lanes, "
                          "more, got "
                       << narrow;
  return verifyChunk(emitError, chunk);
}

// schedule_c32
LogicalResult CPUOrderAttr::verify(EmitError emitError, int64_t counted,
                                   int64_t sorted, int64_t items) {
  // Each element is compared with each, and each item has memory.
  constexpr int64_t maxCounted = 1024, maxItems = 65536;
  if (counted < 0 || counted > maxCounted)
    return emitError() << "expected counted to be 0 to " << maxCounted
                       << ", got " << counted;
  if (sorted < -1)
    return emitError() << "expected sorted to be 0 or more, got " << sorted;
  if (items < 0 || items > maxItems)
    return emitError() << "expected items to be 0 to " << maxItems << ", got "
                       << items;
  return success();
}

StringRef GenericScheduleAttr::getSchedulerName() const {
  return schedulers::kGeneric;
}
StringRef SplitReductionScheduleAttr::getSchedulerName() const {
  return schedulers::kSplitReduction;
}
StringRef LibraryScheduleAttr::getSchedulerName() const {
  return schedulers::kLibrary;
}
StringRef CommunicationScheduleAttr::getSchedulerName() const {
  return schedulers::kCommunication;
}
StringRef CPUScheduleAttr::getSchedulerName() const { return getKind(); }

Operation *fusion::findReduction(Operation *segment) {
  Operation *found = nullptr;
  segment->walk([&](ReductionOpInterface op) {
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult fusion::verifyReduction(Operation *segment, StringRef kind) {
  if (findReduction(segment))
    return success();
  return segment->emitOpError()
         << "expected a reduction in a segment with a schedule of kind \""
         << kind << "\", got none";
}

LogicalResult fusion::verifyNoReduction(Operation *segment) {
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

// schedule_c33
LogicalResult CPUScheduleAttr::verifySchedule(Operation *segment) const {
  if (getKind() == TileScheduleAttr::kRowReduction)
    return verifyReduction(segment, getKind());
  return getKind() == schedulers::kPointwise ? verifyNoReduction(segment)
                                             : success();
}
