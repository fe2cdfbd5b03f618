//===- TileScheduleAttr.cpp - The schedule of a tile ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Support/SchedulerNames.h"
#include "fuser/Support/SortTile.h"
#include "fuser/Support/SumOrder.h"
#include "mlir/IR/DialectImplementation.h"
#include <set>

using namespace fuser;
using namespace fuser::fusion;

/// Four times as many bits as heuristics choose.
static constexpr int64_t kMaxVectorBits = 8;
/// Eight times what heuristics choose; each vector has its own indices.
static constexpr int64_t kMaxVectors = 32;
/// More rows under way than there is shared memory for.
static constexpr int64_t kMaxStages = 8;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// [[0], [1, 2]]
ParseResult fusion::parseAxes(AsmParser &parser,
                              SmallVector<DenseI64ArrayAttr> &axes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    SmallVector<int64_t> dims;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(dims.emplace_back());
        }))
      return failure();
    axes.push_back(DenseI64ArrayAttr::get(parser.getContext(), dims));
    return success();
  });
}

void fusion::printAxes(AsmPrinter &printer, ArrayRef<DenseI64ArrayAttr> axes) {
  printer << '[';
  llvm::interleaveComma(axes, printer, [&](DenseI64ArrayAttr dims) {
    printer << '[';
    llvm::interleaveComma(dims.asArrayRef(), printer);
    printer << ']';
  });
  printer << ']';
}

/// Bits of a place: r3, or l1:4.
static ParseResult parseRun(AsmParser &parser, int64_t axis,
                            SmallVector<LayoutRun> &runs) {
  StringRef word;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  for (Place place : kPlaces) {
    LayoutRun run{axis, place, 0};
    if (word.front() != getPlaceLetter(place) ||
        word.drop_front().getAsInteger(10, run.bits))
      continue;
    if (succeeded(parser.parseOptionalColon()) &&
        parser.parseInteger(run.first))
      return failure();
    runs.push_back(run);
    return success();
  }
  return parser.emitError(loc)
         << "expected r, l, w or b and a number of bits, such as r3, got '"
         << word << "'";
}

/// [[w2], [r3, l5]]
ParseResult fusion::parseLayout(AsmParser &parser,
                                SmallVector<LayoutRun> &runs) {
  int64_t axis = 0;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        ParseResult result =
            parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
              return parseRun(parser, axis, runs);
            });
        ++axis;
        return result;
      }))
    return failure();
  runs = llvm::to_vector(TileLayout(axis, runs).getRuns());
  return success();
}

void fusion::printLayout(AsmPrinter &printer, ArrayRef<LayoutRun> runs) {
  int64_t numAxes = runs.empty() ? 0 : runs.back().axis + 1;
  printer << '[';
  llvm::interleaveComma(llvm::seq(numAxes), printer, [&](int64_t axis) {
    printer << '[';
    auto ofAxis = llvm::make_filter_range(llvm::enumerate(runs), [&](auto run) {
      return run.value().axis == axis;
    });
    llvm::interleaveComma(ofAxis, printer, [&](auto numbered) {
      auto [number, run] = numbered;
      printer << getPlaceLetter(run.place) << run.bits;
      if (run.first != getFirstInOrder(runs, number))
        printer << ':' << run.first;
    });
    printer << ']';
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// The attribute alone
//===----------------------------------------------------------------------===//

// schedule_c4
static LogicalResult verifyAxes(EmitError emitError,
                                ArrayRef<DenseI64ArrayAttr> axes) {
  SmallVector<int64_t> dims;
  for (DenseI64ArrayAttr axis : axes)
    llvm::append_range(dims, axis.asArrayRef());
  int64_t rank = dims.size();
  llvm::sort(dims);
  if (!axes.empty() && llvm::equal(dims, llvm::seq(rank)))
    return success();
  auto diag = emitError() << "expected axes with each dimension once, got ";
  llvm::interleaveComma(axes, diag,
                        [&](DenseI64ArrayAttr axis) { diag << axis; });
  return diag;
}

// schedule_c7
static LogicalResult verifyLayout(EmitError emitError, StringRef name,
                                  const TileLayout &layout) {
  for (const LayoutRun &run : layout.getRuns()) {
    if (run.bits < 1 || run.bits > 10)
      return emitError() << "expected 1 to 10 bits in " << name << ", got "
                         << getPlaceLetter(run.place) << run.bits;
    if (run.axis >= layout.getNumAxes())
      return emitError() << "expected " << layout.getNumAxes() << " axes in "
                         << name << ", as in axes, got " << run.axis + 1;
  }
  for (Place place : kPlaces) {
    uint64_t seen = 0, all = llvm::maskTrailingOnes<uint64_t>(
                           std::min<int64_t>(layout.countBits(place), 63));
    for (const LayoutRun &run : layout.getRuns())
      if (run.place == place && run.first >= 0 && run.first < 64)
        seen |= llvm::maskTrailingOnes<uint64_t>(run.bits) << run.first;
    if (seen != all)
      return emitError() << "expected each bit of " << getPlaceLetter(place)
                         << " once in " << name << ", from bit 0 on";
  }
  int64_t lanes = layout.countBits(Place::Lane),
          warps = layout.countBits(Place::Warp);
  if (lanes > 5 || (lanes < 5 && warps > 0) || lanes + warps > 10)
    return emitError() << "expected at most 5 bits of lanes and 10 of threads, "
                          "and warps only if lanes have 5, in "
                       << name << ", got " << lanes << " of lanes and " << warps
                       << " of warps";
  return success();
}

// schedule_c3
static LogicalResult verifyElements(EmitError emitError,
                                    const TileLayout &layout,
                                    DenseI64ArrayAttr repeat,
                                    int64_t maxVectors) {
  int64_t numAxes = layout.getNumAxes();
  auto isRepeat = [](int64_t number) {
    return number >= 1 && number <= kMaxElementsPerThread;
  };
  if (repeat && (repeat.size() != numAxes ||
                 !llvm::all_of(repeat.asArrayRef(), isRepeat)))
    return emitError() << "expected repeat to be " << numAxes
                       << " numbers from 1 to " << kMaxElementsPerThread
                       << ", one for each of axes, got " << repeat;
  // Of a thread; beyond 2^10 no number of repeats makes it right.
  int64_t elements =
      int64_t(1) << std::min<int64_t>(layout.countBits(Place::Register), 10);
  for (int64_t number : repeat ? repeat.asArrayRef() : ArrayRef<int64_t>())
    elements = std::min(elements * number, 2 * kMaxElementsPerThread);
  if (elements > kMaxElementsPerThread)
    return emitError() << "expected at most " << kMaxElementsPerThread
                       << " elements a thread, got "
                       << (elements < 2 * kMaxElementsPerThread
                               ? std::to_string(elements)
                               : "more than twice as many");
  int64_t vector = numAxes == 0 ? 1 : layout.getVector(numAxes - 1);
  if (elements / vector > maxVectors)
    return emitError() << "expected at most " << maxVectors
                       << " vectors a thread without a reduction, got "
                       << elements / vector;
  if (vector > int64_t(1) << kMaxVectorBits)
    return emitError() << "expected at most r" << kMaxVectorBits
                       << " to begin the last axis of layout, got r"
                       << llvm::Log2_64(vector);
  return success();
}

// schedule_c17
static LogicalResult verifyStaged(EmitError emitError, const TileLayout &layout,
                                  const TileLayout &staged, bool isNeeded) {
  if (!isNeeded && staged.getNumAxes() == 0)
    return success();
  if (!isNeeded || staged.getNumAxes() == 0)
    return emitError() << "expected staged together with reads or results, got "
                       << (isNeeded ? "no staged" : "neither");
  auto axes = llvm::seq(layout.getNumAxes());
  bool isSame = llvm::all_of(axes, [&](int64_t axis) {
    return layout.getExtent(axis) == staged.getExtent(axis);
  });
  if (!isSame || layout.getThreads() != staged.getThreads())
    return emitError() << "expected staged to have the bits of layout along "
                          "each axis, and its threads";
  return success();
}

// schedule_c18
static LogicalResult verifyNumbers(EmitError emitError, StringRef name,
                                   DenseI64ArrayAttr numbers) {
  std::set<int64_t> seen; // Of any number.
  for (int64_t number : numbers ? numbers.asArrayRef() : ArrayRef<int64_t>())
    if (number < 0 || !seen.insert(number).second)
      return emitError() << "expected " << name
                         << " to be numbers from 0 on, each once, got "
                         << numbers;
  return success();
}

/// The bits of an axis at a place.
static int64_t countBits(const TileLayout &layout, int64_t axis, Place place) {
  int64_t bits = 0;
  for (const LayoutRun &run : layout.getRuns())
    if (run.axis == axis && run.place == place)
      bits += run.bits;
  return bits;
}

/// The last two axes are rows and columns, and there are `numAxes`. Of rows
/// whose columns are reduced, too, the lowest bits may be r.
static bool hasRowAxes(const TileLayout &layout, DenseI64ArrayAttr repeat,
                       int64_t numAxes) {
  if (layout.getNumAxes() != numAxes)
    return false;
  for (int64_t axis = 0; axis + 1 < numAxes; ++axis) {
    int64_t first = axis == 1 ? llvm::Log2_64(layout.getVector(axis)) : 0;
    if (countBits(layout, axis, Place::Register) != first ||
        (repeat && repeat[axis] != 1))
      return false;
  }
  std::optional<Place> last;
  for (const LayoutRun &run : layout.getRuns()) {
    if (run.axis + 1 != numAxes)
      continue;
    if (last && run.place <= *last)
      return false;
    last = run.place;
  }
  return true;
}

static LogicalResult verifyRows(EmitError emitError, const TileLayout &layout,
                                DenseI64ArrayAttr repeat, int64_t numAxes) {
  int64_t columns = numAxes - 1, rows = numAxes - 2;
  // schedule_c14
  if (!hasRowAxes(layout, repeat, numAxes))
    return emitError() << "expected " << numAxes << " axes, rows without "
                       << (numAxes == 2 ? "r and repeat"
                                        : "repeat and r but at "
                                          "the begin")
                       << ", and columns of r, l, w and b in this order";
  int64_t vector = layout.getVector(columns);
  if (vector > kLeafElements)
    return emitError() << "expected vectors of at most " << kLeafElements
                       << ", the leaves of a reduction, got " << vector;
  // Half of a section: a thread has whole rounds of it.
  if (layout.getExtent(columns) > kSectionElements / 2)
    return emitError() << "expected layout to have at most "
                       << kSectionElements / 2
                       << " columns, a round of a reduction, got "
                       << layout.getExtent(columns);
  int64_t side = layout.getExtent(rows) / layout.getVector(rows);
  if (layout.getBlocks() > 1 && side > 1)
    return emitError() << "expected one row because blocks of a cluster share "
                          "it, got "
                       << side;
  // schedule_c15
  int64_t threads = layout.getExtent(columns) / vector / layout.getBlocks();
  if (threads > 1 && layout.getThreads() < kWarpSize)
    return emitError() << "expected whole warps because threads share a row, "
                          "got "
                       << layout.getThreads() << " threads";
  return success();
}

/// A thread reads what segments are combined to one after the other.
static constexpr int64_t kMaxScanSegments = 256;

/// Rows and columns, of which the threads of a row are neighbours.
static LogicalResult verifyNeighbourRows(EmitError emitError,
                                         const TileLayout &layout,
                                         DenseI64ArrayAttr repeat) {
  constexpr int64_t kColumns = 1;
  if (failed(verifyRows(emitError, layout, repeat, /*numAxes=*/2)))
    return failure();
  int64_t vectorBits = llvm::Log2_64(layout.getVector(kColumns));
  for (const TileLayout::Field &field : layout.getThreadFields(kColumns))
    if (field.first + vectorBits != field.offset)
      return emitError() << "expected the first bits of lanes and warps in "
                            "columns, because lanes have neighbours of a row";
  return success();
}

// schedule_c31
static LogicalResult verifyDigits(EmitError emitError,
                                  const TileLayout &layout) {
  int64_t lanes = llvm::Log2_64(kWarpSize), warps = kMaxDigitBits - lanes;
  int64_t elements = countBits(layout, 1, Place::Register);
  SmallVector<LayoutRun> runs = {{1, Place::Lane, lanes},
                                 {1, Place::Register, elements},
                                 {1, Place::Warp, warps}};
  if (layout == TileLayout(2, runs))
    return success();
  return emitError() << "expected a layout of [[], [l" << lanes << ", r, w"
                     << warps << "]], by which rows are sorted by digits";
}

// schedule_c28
static LogicalResult verifyRowOrder(EmitError emitError, StringRef kind,
                                    const TileLayout &layout,
                                    DenseI64ArrayAttr repeat) {
  if (failed(isSortedByDigits(layout)
                 ? verifyDigits(emitError, layout)
                 : verifyNeighbourRows(emitError, layout, repeat)))
    return failure();
  if (repeat && !llvm::all_of(repeat.asArrayRef(),
                              [](int64_t number) { return number == 1; }))
    return emitError() << "expected no repeat with kind = \"" << kind
                       << "\", got " << repeat;
  int64_t elements = layout.getExtent(0) * layout.getExtent(1);
  int64_t most =
      isSortedByDigits(layout) ? kMaxDigitElements : kMaxSortedElements;
  if (elements > most)
    return emitError() << "expected at most " << most
                       << " elements in a tile that is sorted, got "
                       << elements;
  return success();
}

// schedule_c25
static LogicalResult verifyRowScan(EmitError emitError,
                                   const TileLayout &layout,
                                   DenseI64ArrayAttr repeat) {
  constexpr int64_t kColumns = 1;
  if (failed(verifyNeighbourRows(emitError, layout, repeat)))
    return failure();
  int64_t threads = layout.getExtent(kColumns) / layout.getVector(kColumns);
  int64_t segments =
      llvm::divideCeil(threads, kWarpSize) * (repeat ? repeat[kColumns] : 1);
  if (threads < kScanLanes && segments > 1)
    return emitError() << "expected no repeat of fewer than the " << kScanLanes
                       << " lanes of a segment of a scan, got " << threads;
  if (segments > kMaxScanSegments)
    return emitError() << "expected at most " << kMaxScanSegments
                       << " segments of a scan in a tile, got " << segments;
  return success();
}

/// Of integers, of which any parts may be combined first.
static constexpr int64_t kMaxScanSections = 4;

// schedule_c30
static LogicalResult verifySplitScan(EmitError emitError,
                                     const TileLayout &layout,
                                     DenseI64ArrayAttr repeat) {
  if (failed(verifyRowScan(emitError, layout, repeat)))
    return failure();
  int64_t rows = layout.getExtent(0), leaves = layout.getExtent(1) /
                                               layout.getVector(1) *
                                               (repeat ? repeat[1] : 1);
  constexpr int64_t kSection = kScanLanes * kScanSegments;
  if (rows != 1 || leaves % kSection != 0 ||
      leaves > kSection * kMaxScanSections)
    return emitError() << "expected a tile of 1 to " << kMaxScanSections
                       << " sections of a scan, each of " << kSection
                       << " leaves of one row, got " << leaves << " leaves of "
                       << rows << " rows";
  return success();
}

/// What scans of columns exchange in shared memory, one value a leaf and
/// column.
static constexpr int64_t kMaxScanValues = kMaxStaticSharedBytes / 8;

// schedule_c27
static LogicalResult verifyOuterScan(EmitError emitError,
                                     const TileLayout &layout,
                                     DenseI64ArrayAttr repeat) {
  auto hasOrder = [&](int64_t axis) {
    bool hasThreads = false;
    for (const LayoutRun &run : layout.getRuns()) {
      if (run.axis != axis)
        continue;
      if (run.place == Place::Register && (hasThreads || axis == 0))
        return false;
      hasThreads |= run.place != Place::Register;
    }
    return true;
  };
  bool isRepeated =
      repeat && (repeat[0] != 1 || repeat.asArrayRef().back() != 1);
  if (layout.getNumAxes() != 3 || isRepeated ||
      !llvm::all_of(llvm::seq<int64_t>(3), hasOrder))
    return emitError() << "expected three axes, the first without r bits, r "
                          "bits of the others before l and w, and a repeat of "
                          "the second one only";
  if (layout.getThreads() % kWarpSize != 0)
    return emitError() << "expected whole warps, got " << layout.getThreads()
                       << " threads";
  if (layout.getVector(2) > kLeafElements)
    return emitError() << "expected vectors of at most " << kLeafElements
                       << ", got " << layout.getVector(2);
  int64_t columns = layout.getExtent(0) * layout.getExtent(2);
  int64_t leaves =
      layout.getExtent(1) / layout.getVector(1) * (repeat ? repeat[1] : 1);
  if (leaves * (columns + 1) > kMaxScanValues)
    return emitError() << "expected at most " << kMaxScanValues
                       << " leaves of scans in a tile, with one more column, "
                          "got "
                       << leaves * (columns + 1);
  return success();
}

// schedule_c22
/// A tile of rows and columns; `isFold`: of parts.
static LogicalResult verifyOuterTile(EmitError emitError, StringRef name,
                                     const TileLayout &layout, bool isFold) {
  if (layout.getNumAxes() != 3 || layout.getBlocks() != 1 ||
      countBits(layout, 0, Place::Register) != 0)
    return emitError() << "expected three axes, no b bits, and no r bits along "
                          "the first axis of "
                       << name;
  if (layout.getVector(2) > kLeafElements * 2)
    return emitError() << "expected vectors of at most " << kLeafElements * 2
                       << " in " << name << ", got " << layout.getVector(2);
  if (layout.getThreads() % kWarpSize != 0)
    return emitError() << "expected whole warps in " << name << ", got "
                       << layout.getThreads() << " threads";
  int64_t most = isFold ? kTreeParts : kSlabRows * kFewParts;
  if (layout.getExtent(1) > most)
    return emitError() << "expected at most " << most
                       << " along the second axis of " << name << ", got "
                       << layout.getExtent(1);
  for (const TileLayout::Field &field : layout.getThreadFields(1)) {
    int64_t first = std::max<int64_t>(field.offset, llvm::Log2_64(kChains));
    int64_t end =
        std::min<int64_t>(field.offset + field.bits, llvm::Log2_64(kSlabRows));
    if (!isFold && first < end)
      return emitError() << "expected bits " << llvm::Log2_64(kChains) << " to "
                         << llvm::Log2_64(kSlabRows) - 1
                         << " of the second axis of " << name
                         << ", the rows of a chain, to be r bits";
  }
  return success();
}

static LogicalResult verifyFold(EmitError emitError, const TileLayout &fold) {
  return failure(
      failed(verifyLayout(emitError, "fold", fold)) ||
      failed(verifyElements(emitError, fold, /*repeat=*/{},
                            kMaxElementsPerThread)) ||
      failed(verifyOuterTile(emitError, "fold", fold, /*isFold=*/true)));
}

// schedule_c23
static LogicalResult verifyInnerOuter(EmitError emitError,
                                      const TileLayout &layout,
                                      DenseI64ArrayAttr repeat,
                                      const TileLayout &fold) {
  if (failed(verifyRows(emitError, layout, repeat, /*numAxes=*/3)))
    return failure();
  if (layout.getExtent(0) != 1)
    return emitError() << "expected no bits along the first axis of layout, "
                          "got a tile of "
                       << layout.getExtent(0);
  if (layout.getExtent(1) > kChains)
    return emitError() << "expected at most " << kChains
                       << " rows, the chains of a part, got "
                       << layout.getExtent(1);
  if (fold.getNumAxes() == 0)
    return emitError() << "expected a fold because blocks have a part of the "
                          "rows, got none";
  return verifyFold(emitError, fold);
}

static LogicalResult verifyOuter(EmitError emitError, const TileLayout &layout,
                                 DenseI64ArrayAttr repeat,
                                 const TileLayout &fold) {
  if (repeat && !llvm::all_of(repeat.asArrayRef(),
                              [](int64_t number) { return number == 1; }))
    return emitError() << "expected no repeat with kind = \"outer_reduction\", "
                          "got "
                       << repeat;
  if (failed(verifyOuterTile(emitError, "layout", layout, /*isFold=*/false)))
    return failure();
  return fold.getNumAxes() == 0 ? success() : verifyFold(emitError, fold);
}

// schedule_c24
static LogicalResult verifyStages(EmitError emitError, StringRef kind,
                                  int64_t stages) {
  constexpr int64_t kMaxScanStages = 3;
  int64_t most = kind == TileScheduleAttr::kInnerOuterReduction ? kMaxStages
                 : kind == TileScheduleAttr::kSplitScan         ? kMaxScanStages
                 : kind == TileScheduleAttr::kRowReduction      ? 1
                                                                : 0;
  if (stages >= 0 && stages <= most)
    return success();
  return emitError() << "expected 0 to " << most << " stages with kind = \""
                     << kind << "\", got " << stages;
}

// schedule_c5
static LogicalResult verifyKind(EmitError emitError, StringRef kind) {
  constexpr StringLiteral kKinds[] = {schedulers::kPointwise,
                                      TileScheduleAttr::kRowReduction,
                                      TileScheduleAttr::kOuterReduction,
                                      TileScheduleAttr::kInnerOuterReduction,
                                      TileScheduleAttr::kRowScan,
                                      TileScheduleAttr::kSplitScan,
                                      TileScheduleAttr::kOuterScan,
                                      TileScheduleAttr::kRowOrder,
                                      TileScheduleAttr::kScatter};
  if (llvm::is_contained(kKinds, kind))
    return success();
  auto diag = emitError() << "expected kind to be ";
  llvm::interleaveComma(ArrayRef(kKinds).drop_back(), diag,
                        [&](StringRef name) { diag << '"' << name << '"'; });
  return diag << " or \"" << kKinds[std::size(kKinds) - 1] << "\", got \""
              << kind << '"';
}

/// What scans, sorts and scatters ask of a layout.
static LogicalResult verifyFibres(EmitError emitError, StringRef kind,
                                  const TileLayout &layout,
                                  DenseI64ArrayAttr repeat) {
  if (kind == TileScheduleAttr::kRowScan)
    return verifyRowScan(emitError, layout, repeat);
  if (kind == TileScheduleAttr::kSplitScan)
    return verifySplitScan(emitError, layout, repeat);
  if (kind == TileScheduleAttr::kOuterScan)
    return verifyOuterScan(emitError, layout, repeat);
  if (kind == TileScheduleAttr::kRowOrder || kind == TileScheduleAttr::kScatter)
    return verifyRowOrder(emitError, kind, layout, repeat);
  return success();
}

LogicalResult TileScheduleAttr::verify(
    EmitError emitError, StringRef kind, ArrayRef<DenseI64ArrayAttr> axes,
    ArrayRef<LayoutRun> runs, DenseI64ArrayAttr repeat,
    ArrayRef<LayoutRun> stagedRuns, DenseI64ArrayAttr reads,
    DenseI64ArrayAttr results, ArrayRef<LayoutRun> foldRuns, bool programmatic,
    int64_t minBlocks, int64_t stages, bool lateReads) {
  if (failed(verifyKind(emitError, kind)))
    return failure();
  bool isRows = kind == kRowReduction, isOuter = kind == kOuterReduction,
       isBoth = kind == kInnerOuterReduction;
  TileLayout layout(axes.size(), runs);
  TileLayout staged(stagedRuns.empty() ? 0 : axes.size(), stagedRuns);
  if (failed(verifyAxes(emitError, axes)) ||
      failed(verifyLayout(emitError, "layout", layout)) ||
      failed(verifyLayout(emitError, "staged", staged)) ||
      failed(verifyMinBlocks(emitError, layout.getThreads(), minBlocks)) ||
      failed(verifyStages(emitError, kind, stages)) ||
      failed(verifyNumbers(emitError, "reads", reads)) ||
      failed(verifyNumbers(emitError, "results", results)))
    return failure();
  TileLayout fold(foldRuns.empty() ? 0 : axes.size(), foldRuns);
  // schedule_c16
  bool hasWholeRows = isRows || isBoth;
  if (int64_t most = hasWholeRows ? kMaxClusterBlocks : 1;
      layout.getBlocks() > most)
    return emitError() << "expected at most " << most
                       << (hasWholeRows
                               ? " blocks in a cluster, got "
                               : " block without a row that blocks share, "
                                 "got ")
                       << layout.getBlocks();
  auto hasAny = [](DenseI64ArrayAttr list) { return list && !list.empty(); };
  bool isStaged = hasAny(reads) || hasAny(results);
  bool isReduction = kind != schedulers::kPointwise;
  if (isReduction && (isStaged || staged.getNumAxes() != 0))
    return emitError() << "expected nothing staged with kind = \"" << kind
                       << "\"";
  if ((isOuter || isBoth) && lateReads)
    return emitError() << "expected no late_reads with kind = \"" << kind
                       << "\"";
  if (!isOuter && !isBoth && fold.getNumAxes() != 0)
    return emitError() << "expected no fold with kind = \"" << kind << "\"";
  if (programmatic && fold.getNumAxes() == 0)
    return emitError() << "expected programmatic together with fold, got no "
                          "fold";
  int64_t maxVectors =
      isReduction || isStaged ? kMaxElementsPerThread : kMaxVectors;
  return failure(
      failed(verifyElements(emitError, layout, repeat, maxVectors)) ||
      failed(verifyStaged(emitError, layout, staged, isStaged)) ||
      (isRows &&
       failed(verifyRows(emitError, layout, repeat, /*numAxes=*/2))) ||
      failed(verifyFibres(emitError, kind, layout, repeat)) ||
      (isBoth && failed(verifyInnerOuter(emitError, layout, repeat, fold))) ||
      (isOuter && failed(verifyOuter(emitError, layout, repeat, fold))));
}

//===----------------------------------------------------------------------===//
// With its segment
//===----------------------------------------------------------------------===//

TileLayout TileScheduleAttr::getTileLayout() const {
  return TileLayout(getAxes().size(), getLayout());
}

TileLayout TileScheduleAttr::getStagedLayout() const {
  return TileLayout(getStaged().empty() ? 0 : getAxes().size(), getStaged());
}

TileLayout TileScheduleAttr::getFoldLayout() const {
  return TileLayout(getFold().empty() ? 0 : getAxes().size(), getFold());
}

StringRef TileScheduleAttr::getSchedulerName() const { return getKind(); }

// schedule_c26
static LogicalResult verifyScan(TileScheduleAttr schedule, Operation *segment) {
  auto scans = cast<SegmentOp>(segment).getBody().getOps<ScanOpInterface>();
  if (!scans.empty())
    return success();
  return segment->emitOpError()
         << "expected a scan in a segment with a schedule of kind \""
         << schedule.getKind() << "\", got none";
}

// schedule_c29
static LogicalResult verifySort(Operation *segment) {
  auto sorts = cast<SegmentOp>(segment).getBody().getOps<OrderOpInterface>();
  if (llvm::hasSingleElement(sorts))
    return success();
  return segment->emitOpError("expected one sort in a segment with a schedule "
                              "of kind \"row_order\"");
}

static LogicalResult verifyScatter(Operation *segment) {
  auto scatters =
      cast<SegmentOp>(segment).getBody().getOps<ScatterOpInterface>();
  if (llvm::hasSingleElement(scatters))
    return success();
  return segment->emitOpError("expected one scatter in a segment with a "
                              "schedule of kind \"scatter\"");
}

/// The first number of the list for which `isRight` is false.
static std::optional<int64_t> findWrong(DenseI64ArrayAttr list,
                                        function_ref<bool(int64_t)> isRight) {
  for (int64_t number : list ? list.asArrayRef() : ArrayRef<int64_t>())
    if (!isRight(number))
      return number;
  return std::nullopt;
}

// schedule_c19
static LogicalResult verifyPointwise(TileScheduleAttr schedule,
                                     Operation *segment) {
  if (failed(verifyNoReduction(segment)))
    return failure();
  int64_t rank =
      cast<RankedTensorType>(segment->getResult(0).getType()).getRank();
  int64_t numDims = 0;
  for (DenseI64ArrayAttr axis : schedule.getAxes())
    numDims += axis.size();
  if (numDims != rank)
    return segment->emitOpError()
           << "expected axes with the dimensions of results of rank " << rank
           << ", got " << numDims << " dimensions";
  if (auto wrong = findWrong(schedule.getReads(), [&](int64_t number) {
        return number < segment->getNumOperands() &&
               isTensor(segment->getOperand(number));
      }))
    return segment->emitOpError()
           << "expected reads to be numbers of operands that are tensors, got "
           << *wrong;
  if (auto wrong = findWrong(schedule.getResults(), [&](int64_t number) {
        return number < segment->getNumResults();
      }))
    return segment->emitOpError()
           << "expected results to be below the number of results, "
           << segment->getNumResults() << ", got " << *wrong;
  return success();
}

/// Whether the axes are those of its rows, an analysis of the segment shows.
LogicalResult TileScheduleAttr::verifySchedule(Operation *segment) const {
  if (getKind() == kRowScan || getKind() == kSplitScan ||
      getKind() == kOuterScan)
    return verifyScan(*this, segment);
  if (getKind() == kRowOrder)
    return verifySort(segment);
  if (getKind() == kScatter)
    return verifyScatter(segment);
  if (getKind() != kRowReduction && getKind() != kOuterReduction &&
      getKind() != kInnerOuterReduction)
    return verifyPointwise(*this, segment);
  return verifyReduction(segment, getKind());
}
