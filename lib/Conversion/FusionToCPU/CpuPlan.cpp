//===- CpuPlan.cpp - How a segment becomes loops on a CPU -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuPlan.h"
#include "GroupAnalysis.h"
#include "ReductionAnalysis.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;
using schedule::CpuRowsProblem;

/// Of a kept op: up to a gigabyte for each thread.
static constexpr int64_t kMaxKeptElements = int64_t(1) << 27;

int64_t fuser::getCpuLanes(int64_t size, int64_t vector) {
  if (ShapedType::isDynamic(size) || size >= vector)
    return vector;
  return llvm::PowerOf2Ceil(std::max<int64_t>(size, 1));
}

int64_t fuser::countKeptElements(const CpuReductionPlan &rows, int64_t vector) {
  auto type = cast<RankedTensorType>(rows.space.getType());
  int64_t lanes = getCpuLanes(type.getShape().back(), vector);
  uint64_t elements = rows.hasColumns() ? lanes : 1;
  for (int64_t dim : rows.reducedDims) {
    int64_t size = type.getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    bool isLast = dim == type.getRank() - 1;
    elements = llvm::SaturatingMultiply<uint64_t>(
        elements, isLast ? llvm::alignTo(size, lanes) : size);
  }
  return std::min<uint64_t>(elements, std::numeric_limits<int64_t>::max());
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
/// Reads an entry of `groups`.
class GroupReader {
public:
  GroupReader(fusion::SegmentOp segment, ArrayRef<unsigned> results,
              int64_t vector)
      : segment(segment), vector(vector),
        type(cast<RankedTensorType>(
            segment.getResult(results.front()).getType())) {
    group.results.assign(results.begin(), results.end());
  }

  FailureOr<CpuGroup> read(Attribute attr);

private:
  LogicalResult readFlat(fusion::CPUFlatAttr attr);
  LogicalResult readTiles(fusion::CPUTilesAttr attr);
  LogicalResult readSquares(fusion::CPUSquaresAttr attr);
  LogicalResult readOrder(DenseI64ArrayAttr order);
  InFlightDiagnostic emitError() {
    return segment.emitOpError("schedule, group of result ")
           << group.results.front() << ": ";
  }

  fusion::SegmentOp segment;
  int64_t vector;
  RankedTensorType type;
  CpuGroup group;
};
} // namespace

LogicalResult GroupReader::readOrder(DenseI64ArrayAttr order) {
  group.order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  if (!order)
    return success();
  if (order.size() != type.getRank())
    return emitError() << "expected an order of the " << type.getRank()
                       << " dimensions of " << type << ", got " << order;
  group.order = llvm::to_vector(order.asArrayRef());
  return success();
}

LogicalResult GroupReader::readFlat(fusion::CPUFlatAttr attr) {
  if (!isFlatGroup(segment, group.results))
    return emitError() << "expected tensors that all lie in the same dense "
                          "order, and ops that keep it, for "
                       << attr;
  group.isFlat = true;
  group.chunk = attr.getChunk();
  group.width = getCpuLanes(type.hasStaticShape() ? type.getNumElements()
                                                  : ShapedType::kDynamic,
                            vector);
  return success();
}

LogicalResult GroupReader::readTiles(fusion::CPUTilesAttr attr) {
  if (failed(readOrder(attr.getOrder())))
    return failure();
  int64_t rank = type.getRank();
  if (attr.getItemDims() > rank)
    return emitError() << "expected at most the " << rank << " dimensions of "
                       << type << " as item_dims, got " << attr.getItemDims();
  group.chunk = attr.getChunk();
  if (rank == 0)
    return success();
  group.numItemDims = attr.getItemDims() < 0 ? rank - 1 : attr.getItemDims();
  group.width = getCpuLanes(type.getShape().back(),
                            attr.getLanes() == 0 ? vector : attr.getLanes());
  group.isVectorItem = group.numItemDims == rank && attr.getLanes() != 1;
  return success();
}

LogicalResult GroupReader::readSquares(fusion::CPUSquaresAttr attr) {
  if (failed(readOrder(attr.getOrder())))
    return failure();
  int64_t rank = type.getRank();
  if (attr.getDim() >= rank - 1)
    return emitError() << "expected dim to be another dimension of " << type
                       << " than the last, got " << attr.getDim();
  group.storeDim = attr.getDim();
  group.strip = attr.getChunk();
  group.width = attr.getLanes();
  group.numItemDims = rank - 1;
  return success();
}

FailureOr<CpuGroup> GroupReader::read(Attribute attr) {
  LogicalResult result =
      llvm::TypeSwitch<Attribute, LogicalResult>(attr)
          .Case([&](fusion::CPUFlatAttr flat) { return readFlat(flat); })
          .Case([&](fusion::CPUTilesAttr tiles) { return readTiles(tiles); })
          .Case([&](fusion::CPUSquaresAttr s) { return readSquares(s); });
  if (failed(result))
    return failure();
  return group;
}

static LogicalResult planGroups(fusion::SegmentOp segment,
                                const ShapeSymbols &symbols, ArrayAttr given,
                                CpuPlan &plan) {
  SmallVector<SmallVector<unsigned>> groups = groupResults(segment, symbols);
  SmallVector<Attribute> attrs(
      groups.size(), fusion::CPUTilesAttr::getPlain(segment.getContext()));
  if (given)
    attrs = llvm::to_vector(given.getValue());
  if (attrs.size() != groups.size())
    return segment.emitOpError("schedule: expected ")
           << groups.size()
           << " groups, one for the results of each shape, got "
           << attrs.size();
  for (auto [results, attr] : llvm::zip(groups, attrs)) {
    FailureOr<CpuGroup> group =
        GroupReader(segment, results, plan.vector).read(attr);
    if (failed(group))
      return failure();
    plan.groups.push_back(*group);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What stages keep
//===----------------------------------------------------------------------===//

namespace {
/// Puts into the stages of a plan what the schedule keeps.
class KeptReader {
public:
  KeptReader(fusion::SegmentOp segment, fusion::CPUScheduleAttr schedule,
             CpuPlan &plan)
      : segment(segment), schedule(schedule), plan(plan),
        problem(analyzeRowsOfOps(segment, *plan.reduction)),
        computedIn(problem.ops.size()), isAvailable(problem.ops.size()) {}

  LogicalResult read();

private:
  LogicalResult checkMemory();
  SmallVector<Operation *> getOps();
  LogicalResult checkKept(int64_t number);
  LogicalResult checkReadBack(int64_t number);
  LogicalResult checkOp(StringRef what, int64_t number, unsigned op);
  void collectComputed(unsigned stage);
  void fillStage(unsigned stage);
  InFlightDiagnostic emitError(StringRef what) {
    return segment.emitOpError("schedule: ") << what << ": ";
  }

  fusion::SegmentOp segment;
  fusion::CPUScheduleAttr schedule;
  CpuPlan &plan;
  CpuRowsProblem problem;
  /// The first stage that computes an op.
  SmallVector<std::optional<unsigned>> computedIn;
  /// In memory, from an earlier stage.
  SmallVector<bool> isAvailable;
};
} // namespace

static ArrayRef<int64_t> getNumbers(DenseI64ArrayAttr attr) {
  return attr ? attr.asArrayRef() : ArrayRef<int64_t>();
}

/// Like the emitter, which follows element-wise ops.
void KeptReader::collectComputed(unsigned stage) {
  SmallVector<unsigned> stack(problem.stages[stage].roots);
  while (!stack.empty()) {
    unsigned op = stack.pop_back_val();
    if (!problem.ops[op].isElementwise || isAvailable[op] || computedIn[op])
      continue;
    computedIn[op] = stage;
    llvm::append_range(stack, problem.ops[op].operands);
  }
}

SmallVector<Operation *> KeptReader::getOps() {
  return llvm::to_vector(
      llvm::make_pointer_range(segment.getBody().front().without_terminator()));
}

void KeptReader::fillStage(unsigned stage) {
  SmallVector<Operation *> ops = getOps();
  CpuStage &filled = plan.reduction->stages[stage];
  collectComputed(stage);
  for (int64_t number : getNumbers(schedule.getKept()))
    if (computedIn[number] == stage) {
      filled.kept.push_back(ops[number]->getResult(0));
      isAvailable[number] = true;
    }
  for (CpuRowsProblem::Result result : problem.stages[stage].results)
    if (llvm::is_contained(getNumbers(schedule.getReadBack()), result.number)) {
      filled.readBack.push_back(result.number);
      isAvailable[result.op] = true;
    }
}

/// Whether op number `op` can be in memory; `what` calls it `number`.
LogicalResult KeptReader::checkOp(StringRef what, int64_t number, unsigned op) {
  if (!problem.ops[op].isElementwise)
    return emitError(what) << "expected element-wise ops, got " << number
                           << ", '" << getOps()[op]->getName()
                           << "' (counted when the kernel is made)";
  if (!problem.ops[op].canKeep)
    return emitError(what) << "expected ops whose elements are needed at their "
                              "own positions only, got "
                           << number;
  return success();
}

LogicalResult KeptReader::checkKept(int64_t number) {
  if (failed(checkOp("kept", number, number)))
    return failure();
  unsigned last = problem.stages.size() - 1;
  if (computedIn[number].value_or(last) == last)
    return emitError("kept") << "expected ops that are computed at each "
                                "position of a stage before the last, got "
                             << number;
  return success();
}

LogicalResult KeptReader::checkReadBack(int64_t number) {
  if (number >= segment.getNumResults())
    return emitError("read_back")
           << "expected numbers of the " << segment.getNumResults()
           << " results, got " << number;
  for (const CpuRowsProblem::Stage &stage :
       ArrayRef(problem.stages).drop_back())
    for (CpuRowsProblem::Result result : stage.results)
      if (result.number == number)
        return checkOp("read_back", number, result.op);
  return emitError("read_back")
         << "expected results that are stored in a stage before the last, got "
         << number;
}

/// Whether the numbers are some of ops, and there is memory for them.
LogicalResult KeptReader::checkMemory() {
  int64_t count = problem.ops.size();
  for (int64_t number : getNumbers(schedule.getKept()))
    if (number >= count)
      return emitError("kept") << "expected numbers of the " << count
                               << " ops of the segment, got " << number;
  int64_t elements = countKeptElements(*plan.reduction, plan.vector);
  if (ShapedType::isDynamic(elements))
    return emitError("kept") << "expected reduced dimensions of static sizes, "
                                "got "
                             << plan.reduction->space.getType();
  if (elements > kMaxKeptElements)
    return emitError("kept")
           << "expected work items of at most " << kMaxKeptElements
           << " elements, got " << elements;
  return success();
}

LogicalResult KeptReader::read() {
  if (!getNumbers(schedule.getKept()).empty() && failed(checkMemory()))
    return failure();
  for (unsigned stage = 0; stage < problem.stages.size(); ++stage)
    fillStage(stage);
  for (int64_t number : getNumbers(schedule.getKept()))
    if (failed(checkKept(number)))
      return failure();
  for (int64_t number : getNumbers(schedule.getReadBack()))
    if (failed(checkReadBack(number)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static fusion::CPUScheduleAttr getCpuSchedule(fusion::SegmentOp segment) {
  return cast<fusion::CPUScheduleAttr>(*segment.getSchedule());
}

FailureOr<CpuPlan> fuser::planCpuKernel(fusion::SegmentOp segment,
                                        const ShapeSymbols &symbols) {
  fusion::CPUScheduleAttr schedule = getCpuSchedule(segment);
  CpuPlan plan;
  plan.vector = schedule.getVector();
  if (!schedule.getGroups())
    plan.reduction = findReductionPlan(segment, symbols);
  if (!plan.reduction &&
      failed(planGroups(segment, symbols, schedule.getGroups(), plan)))
    return failure();
  if (!schedule.getKept() && !schedule.getReadBack())
    return plan;
  if (!plan.reduction)
    return segment.emitOpError("schedule: expected reductions over the same "
                               "dimensions of one shape, looked at in their "
                               "own row, for ")
           << (schedule.getKept() ? "kept" : "read_back");
  if (failed(KeptReader(segment, schedule, plan).read()))
    return failure();
  return plan;
}
