//===- Schedules.cpp - Random schedules -----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Fuzz/Schedules.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Fuzz/Random.h"
#include "fuser/Pipelines/Pipelines.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Support/SchedulerNames.h"
#include "fuser/Support/SumOrder.h"
#include "fuser/Support/TileLayout.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Schedules of GPUs
//===----------------------------------------------------------------------===//

static int64_t pickPower(Random &random, unsigned least, unsigned most) {
  return int64_t(1) << random.between(least, most);
}

/// Null if the attribute alone tells that it is none.
template <typename AttrT, typename... Args>
static Attribute make(MLIRContext *context, Args... args) {
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(context)); };
  return AttrT::getChecked(emitError, context, args...);
}

/// Of a block: mostly of whole warps.
static int64_t pickThreads(Random &random) {
  if (random.chance(15))
    return random.between(1, 1024);
  return 32 * random.between(1, 32);
}

static Attribute change(GenericScheduleAttr schedule, Random &random) {
  int64_t threads = pickThreads(random);
  if (random.chance(40))
    threads = pickPower(random, 5, 10);
  int64_t parts = random.pick<int64_t>({1, 32, threads});
  int64_t minBlocks = random.between(0, 2);
  return make<GenericScheduleAttr>(schedule.getContext(), threads, parts,
                                   minBlocks);
}

static Attribute change(SplitReductionScheduleAttr schedule, Random &random) {
  int64_t threads = pickPower(random, 5, 10);
  int64_t foldThreads = pickPower(random, 5, 8);
  int64_t minBlocks = random.between(0, 2);
  return make<SplitReductionScheduleAttr>(schedule.getContext(), threads,
                                          foldThreads, minBlocks,
                                          random.chance(50));
}

static void addRun(SmallVectorImpl<LayoutRun> &runs, int64_t axis, Place place,
                   int64_t bits) {
  if (bits > 0)
    runs.push_back({axis, place, bits});
}

/// So many bits of threads, those of lanes first.
static void addThreads(SmallVectorImpl<LayoutRun> &runs, int64_t axis,
                       int64_t bits, int64_t &lanes) {
  int64_t own = std::min(bits, lanes);
  lanes -= own;
  addRun(runs, axis, Place::Lane, own);
  addRun(runs, axis, Place::Warp, bits - own);
}

/// Some bits of threads and registers along the two last axes, in whatever
/// order: behind `vectors` of registers as many as `bits` says.
static SmallVector<LayoutRun> pickSquare(int64_t first,
                                         ArrayRef<int64_t> vectors,
                                         ArrayRef<int64_t> bits,
                                         int64_t threadBits, Random &random) {
  bool isLastFirst = random.chance(50);
  int64_t near = isLastFirst ? 1 : 0;
  int64_t own[2] = {0, 0};
  own[near] = std::min(bits[near], threadBits);
  own[1 - near] = std::min(bits[1 - near], threadBits - own[near]);
  int64_t lanes = 5;
  SmallVector<LayoutRun> runs[2];
  for (int64_t axis : {near, 1 - near}) {
    addRun(runs[axis], first + axis, Place::Register, vectors[axis]);
    addThreads(runs[axis], first + axis, own[axis], lanes);
  }
  for (int64_t axis : {0, 1})
    addRun(runs[axis], first + axis, Place::Register, bits[axis] - own[axis]);
  llvm::append_range(runs[0], runs[1]);
  return runs[0];
}

static int64_t pickStages(StringRef kind, Random &random) {
  if (kind == TileScheduleAttr::kRowReduction ||
      kind == TileScheduleAttr::kSplitScan)
    return random.between(0, 1);
  return 0;
}

static Attribute remake(TileScheduleAttr schedule, StringRef kind,
                        ArrayRef<LayoutRun> runs, ArrayRef<int64_t> repeat,
                        ArrayRef<LayoutRun> staged, Random &random) {
  int64_t numAxes = schedule.getAxes().size();
  TileLayout layout(numAxes, runs), other(numAxes, staged);
  return make<TileScheduleAttr>(
      schedule.getContext(), kind, schedule.getAxes(), layout.getRuns(),
      DenseI64ArrayAttr::get(schedule.getContext(), repeat), other.getRuns(),
      schedule.getReads(), schedule.getResults(), schedule.getFold(),
      schedule.getProgrammatic(), random.between(0, 2),
      pickStages(kind, random), random.chance(50));
}

static Attribute changeStaged(TileScheduleAttr schedule, Random &random) {
  int64_t first = schedule.getAxes().size() - 2;
  int64_t vectors[] = {random.between(0, 4), random.between(0, 4)};
  if (random.chance(30))
    vectors[0] = vectors[1] = 0;
  int64_t bits[] = {random.between(2, 7 - vectors[0]),
                    random.between(2, 7 - vectors[1])};
  int64_t threadBits = std::min(bits[0] + bits[1], random.between(5, 10));
  SmallVector<int64_t> repeat(first + 2, 1);
  if (random.chance(20))
    repeat.back() = random.between(1, 3);
  return remake(schedule, schedule.getKind(),
                pickSquare(first, vectors, bits, threadBits, random), repeat,
                pickSquare(first, vectors, bits, threadBits, random), random);
}

/// Whether blocks may share a row.
static bool hasClusters(SegmentOp segment) {
  auto name = segment->getParentOp()->getAttrOfType<StringAttr>(
      FusionDialect::getTargetAttrName());
  const GpuTarget *gpu = name ? findGpuTarget(name.getValue()) : nullptr;
  return gpu && gpu->hasClusters();
}

/// Rows that are sorted by digits. A simulated GPU takes long for the counts of
/// many rows, so that few programs have them.
static Attribute changeDigits(TileScheduleAttr schedule, Random &random) {
  SmallVector<LayoutRun> runs;
  addRun(runs, 1, Place::Lane, 5);
  addRun(runs, 1, Place::Register, random.between(1, 4));
  addRun(runs, 1, Place::Warp, 3);
  return remake(schedule, schedule.getKind(), runs, {1, 1}, {}, random);
}

static Attribute changeRows(TileScheduleAttr schedule, SegmentOp segment,
                            Random &random) {
  int64_t columns = random.between(0, 10);
  int64_t rows = random.chance(50) ? 0 : random.between(0, 5);
  int64_t lanes = 5;
  SmallVector<LayoutRun> runs, rowRuns;
  addRun(runs, 1, Place::Register, random.between(0, 3));
  addThreads(runs, 1, columns, lanes);
  if (rows == 0 && columns >= 5 && random.chance(20) && hasClusters(segment))
    addRun(runs, 1, Place::Block, random.between(1, 4));
  addThreads(rowRuns, 0, rows, lanes);
  llvm::append_range(rowRuns, runs);
  int64_t unroll = random.between(1, 64);
  if (schedule.getRepeat() && random.chance(60))
    unroll = schedule.getRepeat()[1];
  StringRef kind = schedule.getKind();
  bool isSorted =
      kind == TileScheduleAttr::kRowOrder || kind == TileScheduleAttr::kScatter;
  if (isSorted && random.chance(15))
    return changeDigits(schedule, random);
  if (isSorted)
    unroll = 1;
  if (kind == TileScheduleAttr::kSplitScan)
    kind = TileScheduleAttr::kRowScan;
  return remake(schedule, kind, rowRuns, {1, unroll}, {}, random);
}

/// Blocks share the rows of a scan, which has leaves of its own. Of integers
/// they may have several sections each.
static Attribute splitScan(TileScheduleAttr schedule, SegmentOp segment,
                           Random &random) {
  bool areIntegers = true;
  segment.walk([&](fusion::ScanOpInterface scan) {
    areIntegers &= isIntegerElement(
        getElementTypeOrSelf(fusion::getTensorOperands(scan)[0]->get()));
  });
  int64_t leaf = schedule.getTileLayout().getVector(1);
  int64_t warpBits = random.between(1, 5), lanes = 5;
  SmallVector<LayoutRun> runs;
  addRun(runs, 1, Place::Register, llvm::Log2_64(leaf));
  addThreads(runs, 1, lanes + warpBits, lanes);
  int64_t sections = areIntegers ? random.between(1, 2) : 1;
  return remake(schedule, TileScheduleAttr::kSplitScan, runs,
                {1, (kScanSegments >> warpBits) * sections}, {}, random);
}

/// A place for each bit of a row, or of a part.
static void addRows(SmallVectorImpl<LayoutRun> &runs, int64_t bits,
                    bool hasChainRows, int64_t &lanes, int64_t &warps,
                    Random &random) {
  for (int64_t bit = 0; bit < bits; ++bit) {
    bool isChainRow = hasChainRows && bit >= 4 && bit < 7;
    Place place = Place::Register;
    if (!isChainRow && lanes > 0 && random.chance(40))
      place = Place::Lane;
    else if (!isChainRow && warps > 0 && random.chance(70))
      place = Place::Warp;
    if (place != Place::Register)
      --(place == Place::Lane ? lanes : warps);
    runs.push_back({1, place, 1});
  }
}

/// Rows of so many bits; what lanes they leave is of columns.
static SmallVector<LayoutRun> pickOuter(int64_t bits, bool hasChainRows,
                                        Random &random) {
  int64_t lanes = random.between(0, 5), warps = random.between(0, 5);
  int64_t columnLanes = 5 - lanes;
  SmallVector<LayoutRun> runs;
  int64_t outerWarps = random.chance(30) ? random.between(0, 2) : 0;
  addRun(runs, 0, Place::Warp, outerWarps);
  addRows(runs, bits, hasChainRows, lanes, warps, random);
  addRun(runs, 2, Place::Register, random.between(0, 3));
  addRun(runs, 2, Place::Lane, columnLanes + lanes);
  if (random.chance(20))
    addRun(runs, 2, Place::Register, random.between(0, 1));
  return runs;
}

static Attribute changeOuter(TileScheduleAttr schedule, Random &random) {
  bool isSplit = random.chance(50);
  SmallVector<LayoutRun> fold,
      runs = pickOuter(isSplit ? random.between(4, 7) : random.between(0, 10),
                       true, random);
  if (isSplit)
    fold = pickOuter(random.between(0, 10), false, random);
  TileLayout layout(3, runs), folded(isSplit ? 3 : 0, fold);
  return make<TileScheduleAttr>(
      schedule.getContext(), schedule.getKind(), schedule.getAxes(),
      layout.getRuns(), DenseI64ArrayAttr(), ArrayRef<LayoutRun>(),
      DenseI64ArrayAttr(), DenseI64ArrayAttr(), folded.getRuns(),
      isSplit && random.chance(50), random.between(0, 2), int64_t(0), false);
}

/// Rows and columns: few threads, of rows that are short.
static Attribute changeInnerOuter(TileScheduleAttr schedule, SegmentOp segment,
                                  Random &random) {
  int64_t columns = random.between(0, 10);
  int64_t rows = random.between(0, 4), lanes = 5;
  SmallVector<LayoutRun> runs, rowRuns;
  addRun(runs, 2, Place::Register, random.between(0, 3));
  addThreads(runs, 2, columns, lanes);
  if (rows == 0 && columns >= 5 && random.chance(20) && hasClusters(segment))
    addRun(runs, 2, Place::Block, random.between(1, 4));
  if (random.chance(50))
    addRun(rowRuns, 1, Place::Register, random.between(0, 4 - rows));
  addThreads(rowRuns, 1, rows, lanes);
  llvm::append_range(rowRuns, runs);
  int64_t repeat[] = {1, 1, random.between(1, 16)};
  if (schedule.getRepeat() && random.chance(50))
    repeat[2] = schedule.getRepeat()[2];
  TileLayout layout(3, rowRuns),
      fold(3, pickOuter(random.between(8, 10), false, random));
  return make<TileScheduleAttr>(
      schedule.getContext(), schedule.getKind(), schedule.getAxes(),
      layout.getRuns(), DenseI64ArrayAttr::get(schedule.getContext(), repeat),
      ArrayRef<LayoutRun>(), DenseI64ArrayAttr(), DenseI64ArrayAttr(),
      fold.getRuns(), random.chance(50), random.between(0, 2),
      random.between(0, 4), false);
}

static Attribute change(TileScheduleAttr schedule, SegmentOp segment,
                        Random &random) {
  if (schedule.getKind() == TileScheduleAttr::kOuterReduction)
    return changeOuter(schedule, random);
  if (schedule.getKind() == TileScheduleAttr::kInnerOuterReduction)
    return changeInnerOuter(schedule, segment, random);
  bool isRowScan = schedule.getKind() == TileScheduleAttr::kRowScan ||
                   schedule.getKind() == TileScheduleAttr::kSplitScan;
  if (isRowScan && random.chance(40))
    return splitScan(schedule, segment, random);
  if (!schedule.getStaged().empty())
    return changeStaged(schedule, random);
  if (schedule.getKind() != schedulers::kPointwise)
    return changeRows(schedule, segment, random);
  int64_t last = schedule.getAxes().size() - 1, lanes = 5;
  SmallVector<LayoutRun> runs;
  addRun(runs, last, Place::Register,
         random.between(0, random.chance(80) ? 4 : 8));
  addThreads(runs, last, random.between(0, 10), lanes);
  addRun(runs, last, Place::Register, random.between(0, 2));
  SmallVector<int64_t> repeat(last + 1, 1);
  repeat.back() = random.between(1, random.chance(80) ? 8 : 32);
  return remake(schedule, schedule.getKind(), runs, repeat, {}, random);
}

//===----------------------------------------------------------------------===//
// Schedules of CPUs
//===----------------------------------------------------------------------===//

/// Any order whose fastest dimension is the last one.
static DenseI64ArrayAttr pickOrder(MLIRContext *context, int64_t rank,
                                   Random &random) {
  SmallVector<int64_t> order = random.permute(std::max<int64_t>(rank, 1) - 1);
  if (rank > 0)
    order.push_back(rank - 1);
  return DenseI64ArrayAttr::get(context, order);
}

/// Of results with `rank` dimensions.
static Attribute pickGroup(MLIRContext *context, int64_t rank, Random &random) {
  int64_t chunk =
      random.chance(50) ? random.between(1, 100) : pickPower(random, 0, 14);
  uint64_t kind = random.below(4);
  if (kind == 0)
    return CPUFlatAttr::get(context, chunk);
  DenseI64ArrayAttr order;
  if (random.chance(50))
    order = pickOrder(context, rank, random);
  if (kind == 1 && rank > 1) {
    int64_t lanes = pickPower(random, 1, 6);
    int64_t dim = random.between(0, rank - 2);
    return CPUSquaresAttr::get(context, dim, lanes,
                               lanes * random.between(1, 4), order);
  }
  int64_t itemDims = random.chance(30) ? -1 : random.between(0, rank);
  int64_t lanes = random.chance(50) ? 0 : pickPower(random, 0, 8);
  return CPUTilesAttr::get(context, order, itemDims, chunk, lanes);
}

/// An entry for the results of each shape.
static ArrayAttr pickGroups(SegmentOp segment, Random &random) {
  MLIRContext *context = segment.getContext();
  SmallVector<ArrayRef<int64_t>> shapes;
  SmallVector<Attribute> groups;
  for (Type type : segment.getResultTypes()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    if (llvm::is_contained(shapes, shape))
      continue;
    shapes.push_back(shape);
    groups.push_back(
        pickGroup(context, static_cast<int64_t>(shape.size()), random));
  }
  return ArrayAttr::get(context, groups);
}

/// How fibres are put in order.
static ArrayAttr pickOrderWay(MLIRContext *context, Random &random) {
  int64_t counted = random.chance(50) ? 0 : random.between(1, 1024);
  int64_t sorted = random.chance(50) ? -1 : random.between(0, 1000);
  int64_t items = random.chance(30) ? 0 : pickPower(random, 0, 7);
  return ArrayAttr::get(context,
                        CPUOrderAttr::get(context, counted, sorted, items));
}

static Attribute change(CPUScheduleAttr schedule, SegmentOp segment,
                        Random &random) {
  int64_t vector =
      random.chance(30) ? schedule.getVector() : pickPower(random, 0, 8);
  ArrayAttr groups = schedule.getGroups();
  bool isOrder = fusion::getOnlyOp<OrderOpInterface>(segment) != nullptr;
  if (random.chance(groups ? 80 : 20)) {
    groups = isOrder ? pickOrderWay(schedule.getContext(), random)
                     : pickGroups(segment, random);
    if (random.chance(15))
      groups = ArrayAttr();
  }
  return make<CPUScheduleAttr>(schedule.getContext(), schedule.getKind(),
                               vector, groups);
}

/// What stages of a kernel of rows keep.
static void changeKeeps(SegmentOp segment, Random &random) {
  segment.getBody().walk([&](ElementwiseOpInterface op) {
    StringRef name = FusionDialect::getKeepAttrName();
    if (op->hasAttr(name) && random.chance(50))
      op->removeAttr(name);
    else if (random.chance(15))
      op->setAttr(name, KeepAttr::get(op->getContext(), random.chance(70)
                                                            ? Keep::Scratch
                                                            : Keep::Result));
  });
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

static Attribute changeAny(SegmentOp segment, Random &random) {
  return llvm::TypeSwitch<Attribute, Attribute>(segment.getScheduleAttr())
      .Case<GenericScheduleAttr, SplitReductionScheduleAttr>(
          [&](auto schedule) { return change(schedule, random); })
      .Case<TileScheduleAttr, CPUScheduleAttr>(
          [&](auto schedule) { return change(schedule, segment, random); })
      .Default([](Attribute schedule) { return schedule; });
}

/// The first of some schedules that fits.
static void changeSchedule(SegmentOp segment, Random &random) {
  auto before = segment.getScheduleAttr();
  if (!before)
    return;
  for (unsigned attempt = 0; attempt < 12; ++attempt) {
    Attribute changed = changeAny(segment, random);
    if (!changed)
      continue;
    segment.setScheduleAttr(cast<ScheduleAttrInterface>(changed));
    if (succeeded(verify(segment, /*verifyRecursively=*/false)))
      break;
    segment.setScheduleAttr(before);
  }
  if (isa<CPUScheduleAttr>(before) && random.chance(30))
    changeKeeps(segment, random);
}

/// Marks a module that is compiled in the ring.
static PipelineOptions prepare(ModuleOp module, const Target &target,
                               StringRef arch, Arithmetic arithmetic) {
  PipelineOptions options{&target, arch.str()};
  options.arithmetic = arithmetic;
  StringRef ring = FusionDialect::getRingAttrName();
  if (arithmetic == Arithmetic::Ring)
    module->setAttr(ring, UnitAttr::get(module.getContext()));
  return options;
}

void fuzz::changeSchedules(ModuleOp module, uint64_t seed, const Target &target,
                           StringRef arch, Arithmetic arithmetic) {
  // What does not fit is nobody's error.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> scheduled = module.clone();
  PassManager passes(module.getContext());
  buildFusionPipeline(passes, prepare(*scheduled, target, arch, arithmetic));
  passes.addPass(
      createFusionSchedulePass(&target, {getTargetSpec(target, arch)}));
  if (failed(passes.run(*scheduled)))
    return;
  Random random(seed ^ 0x5EED);
  scheduled->walk([&](SegmentOp segment) {
    if (random.chance(75))
      changeSchedule(segment, random);
  });
  module.getBodyRegion().takeBody(scheduled->getBodyRegion());
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

namespace {
/// Where a program says how kernels are made.
struct ScheduledPlaces {
  explicit ScheduledPlaces(ModuleOp module);
  bool refuses(Diagnostic &error) const;

  llvm::SmallDenseSet<Location> segments, kept;
};
} // namespace

ScheduledPlaces::ScheduledPlaces(ModuleOp module) {
  module.walk([&](SegmentOp segment) {
    if (!segment.getScheduleAttr())
      return;
    segments.insert(segment.getLoc());
    for (Operation &op : segment.getBody().front())
      if (op.hasAttr(FusionDialect::getKeepAttrName()))
        kept.insert(op.getLoc());
  });
}

/// Whether an error says what a schedule would have to be. What is made of a
/// segment lies at its place too, but is another op.
bool ScheduledPlaces::refuses(Diagnostic &error) const {
  std::string message = error.str();
  StringRef text = message;
  if (!text.contains("expected") && !text.contains("does not fit"))
    return false;
  if (text.starts_with(("'" + SegmentOp::getOperationName() + "' op ").str()))
    return segments.contains(error.getLocation());
  StringRef keep = FusionDialect::getKeepAttrName();
  return text.contains(("' op '" + keep + "': ").str()) &&
         kept.contains(error.getLocation());
}

bool fuzz::refusesSchedules(ModuleOp module, const Target &target,
                            StringRef arch, Arithmetic arithmetic) {
  ScheduledPlaces places(module);
  if (places.segments.empty())
    return false;
  OwningOpRef<ModuleOp> lowered = module.clone();
  PipelineOptions options = prepare(*lowered, target, arch, arithmetic);
  bool isRefused = true;
  ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error)
      isRefused &= places.refuses(diag);
    return success();
  });
  PassManager fusion(module.getContext()), kernels(module.getContext());
  buildFusionPipeline(fusion, options);
  if (failed(fusion.run(*lowered)))
    return false;
  // Only what emitters say counts, and not the verifier about what they make.
  kernels.enableVerifier(false);
  buildKernelPipeline(kernels, options);
  return failed(kernels.run(*lowered)) && isRefused;
}
