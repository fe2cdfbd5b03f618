//===- Explain.cpp - Why schedules are what they are ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Explain.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Schedule/OrderHeuristic.h"
#include "fuser/Schedule/OuterReductionHeuristic.h"
#include "fuser/Schedule/RowReductionHeuristic.h"
#include "fuser/Support/SortTile.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fuser;
using fusion::SegmentOp;
using schedule::kUnknown;

namespace {
/// What decides how many neighbours an access takes.
struct Width {
  int64_t most; ///< Of the element types.
  int64_t lastDim;
  int64_t lastDivisor;
  int64_t contiguous;
  bool isFlat;
};

/// What there is to say of one segment.
struct Explanation {
  schedule::Segment segment;
  const schedule::Processor &processor;
  SmallVector<std::string> notes;

  void addWidth(int64_t vector, const Width &width);
  void addRowWidth(int64_t vector, const schedule::RowProblem &problem);
  void addRows();
  void addReductions();
  void add(fusion::TileScheduleAttr attr);
  void addFibres(const TileLayout &layout, fusion::TileScheduleAttr attr);
  void addStaged(const TileLayout &layout, ArrayRef<DenseI64ArrayAttr> axes);
  void addOuter(const TileLayout &layout, bool isSplit);
  void addInnerOuter(const TileLayout &layout);
  void addRow(const TileLayout &layout, int64_t elements, bool isStaged);
  void add(fusion::SplitReductionScheduleAttr attr);
  void add(fusion::GenericScheduleAttr attr);
  void add(fusion::CPUScheduleAttr attr);
};
} // namespace

/// "1 element", "4 elements".
static std::string countElements(int64_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

static std::string countRow(const schedule::RowProblem &problem) {
  return (problem.columns == kUnknown ? "at most " : "") +
         countElements(problem.maxColumns);
}

void Explanation::addWidth(int64_t vector, const Width &width) {
  std::string text = "accesses take " + countElements(vector);
  if (vector >= width.most) {
    notes.push_back(text + ", the most for these element types");
    return;
  }
  text += " of at most " + std::to_string(width.most) + ": ";
  bool cutsRows = !width.isFlat && width.lastDivisor % (2 * vector) != 0;
  if (cutsRows && width.lastDim == kUnknown)
    text += "the size of the last dimension is open; to change that: state it "
            "in the types, or that it is a multiple of " +
            std::to_string(width.most) + " (fusion.divisors)";
  else if (cutsRows)
    text += "the last dimension has " + countElements(width.lastDim) +
            "; to change that: pad it to a multiple of " +
            std::to_string(width.most);
  else if (width.contiguous <= vector)
    text += "a tensor has no more neighbours in memory, or is not known to be "
            "aligned to more; to change that: give all tensors one order in "
            "memory (fusion.stride_order), and inputs their alignment "
            "(fusion.alignment)";
  else
    text += "the kernel computes much for an element, or is small";
  notes.push_back(text);
}

/// Why a segment with reductions has no schedule for rows.
void Explanation::addReductions() {
  if (segment.group.numReductions == 0)
    return;
  ReductionSpace rows;
  schedule::RowProblem problem;
  Decision decision = analyzeRows(segment, rows, problem);
  if (decision)
    decision = schedule::acceptsRowReduction(problem, processor);
  if (decision)
    return;
  notes.push_back("rows are not kept in registers: " +
                  decision.getReason().str());
}

void Explanation::addStaged(const TileLayout &layout,
                            ArrayRef<DenseI64ArrayAttr> axes) {
  notes.push_back("tensors lie in memory along different dimensions: tiles of "
                  "elements go through shared memory; to change that: give all "
                  "tensors one order in memory (fusion.stride_order)");
  schedule::PointwiseProblem problem = analyzePointwise(segment);
  int64_t most =
      schedule::getWidestAccess(problem.narrowestBytes, problem.widestBytes);
  SmallVector<int64_t> divisors =
      segment.symbols.getDivisors(segment.op->getResult(0));
  for (auto [number, axis] : llvm::enumerate(axes)) {
    int64_t vector = layout.getVector(number);
    if (number == 0 || axis.empty() || vector >= most)
      continue;
    int64_t dim = axis.asArrayRef().back();
    if (divisors[dim] % (2 * vector) == 0 || problem.shape[dim] != kUnknown)
      continue;
    notes.push_back("accesses along dimension " + std::to_string(dim) +
                    " take " + countElements(vector) + " of at most " +
                    std::to_string(most) +
                    ": its size is open; to change that: state it in the "
                    "types, or that it is a multiple of " +
                    std::to_string(most) + " (fusion.divisors)");
  }
}

void Explanation::addRowWidth(int64_t vector,
                              const schedule::RowProblem &problem) {
  addWidth(vector, {std::min(schedule::getWidestAccess(problem.narrowestBytes,
                                                       problem.widestBytes),
                             schedule::kLeafElements),
                    problem.lastDim, problem.lastDivisor,
                    problem.contiguousWidth, /*isFlat=*/false});
}

/// A thread has `elements` of a row.
void Explanation::addRow(const TileLayout &layout, int64_t elements,
                         bool isStaged) {
  ReductionSpace rows;
  schedule::RowProblem problem;
  if (!analyzeRows(segment, rows, problem))
    return; // The schedule was written by hand.
  int64_t vector = layout.getVector(1);
  std::string text = "a row of " + countRow(problem) +
                     " is read once and kept in " +
                     (isStaged ? "shared memory: " : "registers: ") +
                     std::to_string(layout.getExtent(1) / vector) +
                     " threads with " + countElements(elements) + " each";
  if (!isStaged)
    text += ", about " + std::to_string(problem.liveRegisters * elements) +
            " registers of the " +
            std::to_string(schedule::kMaxRegistersPerThread) +
            " that a thread can have";
  notes.push_back(text);
  addRowWidth(vector, problem);
}

/// A thread has rows of some columns.
void Explanation::addOuter(const TileLayout &layout, bool isSplit) {
  ReductionSpace space;
  schedule::OuterProblem problem;
  if (!analyzeOuter(segment, space, problem))
    return; // The schedule was written by hand.
  if (isSplit) {
    std::string text = "thread blocks share the columns, and a second kernel "
                       "adds what they have: ";
    notes.push_back(problem.rows == kUnknown
                        ? text + "the number of rows is open; to change that: "
                                 "state it in the types"
                        : text + "there are " + std::to_string(problem.rows) +
                              " rows and " + countElements(problem.columns) +
                              " of each");
  } else {
    int64_t rows = 1;
    for (const TileLayout::Field &field : layout.getRegisterFields(1))
      rows <<= field.bits;
    notes.push_back("a thread block has all " + std::to_string(problem.rows) +
                    " rows of its columns, a thread " + std::to_string(rows) +
                    " of them at a time");
  }
  int64_t bytes = schedule::getColumnBytes(problem, isSplit);
  addWidth(layout.getVector(2),
           {std::max<int64_t>(bytes / problem.narrowestBytes, 1),
            problem.lastDim, problem.lastDivisor, problem.contiguousWidth,
            /*isFlat=*/false});
}

/// Threads have a row, and sums of its columns.
void Explanation::addInnerOuter(const TileLayout &layout) {
  ReductionSpace rows, columns;
  schedule::InnerOuterProblem problem;
  if (!analyzeInnerOuter(segment, rows, columns, problem))
    return; // The schedule was written by hand.
  int64_t vector = layout.getVector(2);
  notes.push_back("rows and columns are reduced in one walk over the rows: " +
                  std::to_string(layout.getExtent(2) / vector) +
                  " threads have a row of " + countRow(problem.row) +
                  ", and a second kernel adds what thread blocks have of the "
                  "columns");
  addRowWidth(vector, problem.row);
}

/// Scans, sorts and scatters.
void Explanation::addFibres(const TileLayout &layout,
                            fusion::TileScheduleAttr attr) {
  constexpr int64_t kAxis = 1;
  int64_t elements = layout.getExtent(kAxis) *
                     (attr.getRepeat() ? attr.getRepeat()[kAxis] : 1);
  int64_t longest = segment.group.fibres.rows->maxReduced;
  bool isWhole = longest != kUnknown && longest <= elements;
  StringRef kind = attr.getKind();
  std::string text = "threads share what is scanned", rest = "in steps";
  if (kind == fusion::TileScheduleAttr::kScatter)
    text = "threads share a scatter, whose indices are sorted";
  else if (kind == fusion::TileScheduleAttr::kRowOrder)
    text = "threads share what is sorted";
  else if (kind == fusion::TileScheduleAttr::kSplitScan)
    return notes.push_back("thread blocks share what is scanned: each has a "
                           "section of " +
                           countElements(elements) +
                           ", and waits for those before it");
  bool isInRounds = kind == fusion::TileScheduleAttr::kRowOrder &&
                    schedule::isSortedInRounds(
                        schedule::getOrderProblem(segment.group), elements);
  if (isInRounds)
    rest = "and further kernels sort the first ones of each";
  else if (kind == fusion::TileScheduleAttr::kScatter ||
           kind == fusion::TileScheduleAttr::kRowOrder)
    rest = "and further kernels merge what is sorted";
  if (isSortedByDigits(layout)) {
    isWhole = false;
    rest = "and rows are put in the order of one digit after the other";
  }
  notes.push_back(text + ": a thread block has " + countElements(elements) +
                  " at a time, " + (isWhole ? "all" : rest));
}

void Explanation::add(fusion::TileScheduleAttr attr) {
  TileLayout layout = attr.getTileLayout();
  if (segment.group.hasFibres() && segment.group.fibres.rows)
    return addFibres(layout, attr);
  int64_t vector = layout.getVector(layout.getNumAxes() - 1);
  if (attr.getKind() == fusion::TileScheduleAttr::kOuterReduction)
    return addOuter(layout, !attr.getFold().empty());
  if (attr.getKind() == fusion::TileScheduleAttr::kInnerOuterReduction)
    return addInnerOuter(layout);
  if (segment.group.numReductions != 0) {
    int64_t repeat = attr.getRepeat() ? attr.getRepeat()[1] : 1;
    return addRow(layout, vector * repeat, attr.getStages() != 0);
  }
  if (!attr.getStaged().empty())
    return addStaged(layout, attr.getAxes());
  schedule::PointwiseProblem problem = analyzePointwise(segment);
  addWidth(
      vector,
      {schedule::getWidestAccess(problem.narrowestBytes, problem.widestBytes),
       problem.shape.empty() ? 1 : problem.shape.back(), problem.lastDivisor,
       problem.contiguousWidth, problem.isFlat});
}

void Explanation::add(fusion::SplitReductionScheduleAttr attr) {
  schedule::GenericProblem problem = schedule::getGenericProblem(segment.group);
  bool areFew = problem.elements != schedule::kUnknown &&
                problem.elements < processor.multiprocessors;
  std::string why = "what is reduced is likely to be more than what is left";
  if (areFew)
    why = countElements(problem.elements) +
          " of results would keep as many of " +
          std::to_string(processor.multiprocessors) + " multiprocessors busy";
  else if (problem.minReduced > 0)
    why = countElements(problem.minReduced) + " or more are reduced";
  notes.push_back(why + ": thread blocks share each reduction");
}

void Explanation::add(fusion::GenericScheduleAttr attr) {
  addReductions();
  if (!segment.group.hasFibres())
    return;
  notes.push_back("one thread has all of what is computed together");
}

void Explanation::add(fusion::CPUScheduleAttr attr) {
  notes.push_back("loops take " + countElements(attr.getVector()) + " at once");
  if (segment.group.numReductions == 0)
    return;
  ReductionSpace rows;
  schedule::RowProblem problem;
  if (Decision decision = analyzeRows(segment, rows, problem); !decision)
    notes.push_back("an element's reductions are loops of their own: " +
                    decision.getReason().str());
}

static void explain(SegmentOp segment, const ShapeSymbols &symbols,
                    const schedule::Processor &processor) {
  fusion::ScheduleAttrInterface schedule = segment.getScheduleAttr();
  if (!schedule)
    return;
  Explanation explanation{describeSegment(segment, symbols), processor, {}};
  llvm::TypeSwitch<Attribute>(schedule)
      .Case<fusion::TileScheduleAttr, fusion::SplitReductionScheduleAttr,
            fusion::GenericScheduleAttr, fusion::CPUScheduleAttr>(
          [&](auto attr) { explanation.add(attr); });
  size_t count = segment.getBody().front().getOperations().size() - 1;
  InFlightDiagnostic diag = emitRemark(segment.getLoc());
  diag << "a segment of " << count << (count == 1 ? " op" : " ops")
       << " ends here: " << schedule;
  for (const std::string &note : explanation.notes)
    diag.attachNote() << note;
}

void fuser::explainSchedules(ModuleOp module, Targets targets) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    FailureOr<ChosenTarget> chosen = chooseTarget(func, targets, "");
    if (failed(chosen))
      continue;
    ShapeSymbols symbols(func);
    func.walk([&](SegmentOp segment) {
      explain(segment, symbols, chosen->processor);
    });
  }
}
