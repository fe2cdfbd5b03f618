//===- CpuPlan.cpp - How a segment becomes loops on a CPU -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuPlan.h"
#include "CpuAnalysis.h"
#include "SumOrder.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Conversion/SegmentFibres.h"
#include "fuser/Conversion/SegmentSizes.h"
#include "fuser/Schedule/CpuHeuristic.h"
#include "fuser/Schedule/GroupFit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
  auto type = cast<RankedTensorType>(rows.tensor.getType());
  int64_t lanes = getCpuLanes(rows.getLastSize(), vector);
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
// Work items
//===----------------------------------------------------------------------===//

Value fuser::emitSizeProduct(OpBuilder &b, Location loc,
                             ArrayRef<OpFoldResult> sizes) {
  Value product = arith::ConstantIndexOp::create(b, loc, 1);
  for (OpFoldResult size : sizes)
    product =
        b.createOrFold<arith::MulIOp>(loc, product, emitIndex(b, loc, size));
  return product;
}

static OpFoldResult divideUp(OpBuilder &b, Location loc, OpFoldResult size,
                             int64_t by) {
  if (by == 1)
    return size;
  return b.createOrFold<arith::CeilDivUIOp>(
      loc, emitIndex(b, loc, size), arith::ConstantIndexOp::create(b, loc, by));
}

SmallVector<OpFoldResult> CpuItems::emitSizes(OpBuilder &b, Location loc,
                                              SizeFn getSize) const {
  return llvm::map_to_vector(dims, [&](int64_t dim) {
    return divideUp(b, loc, getSize(dim), dim == steppedDim ? step : 1);
  });
}

Value CpuItems::emitCount(OpBuilder &b, Location loc, SizeFn getSize) const {
  return emitIndex(b, loc,
                   divideUp(b, loc, emitPoints(b, loc, getSize), chunk));
}

//===----------------------------------------------------------------------===//
// Parts of rows
//===----------------------------------------------------------------------===//

/// Whether parts of a row can be work items.
static bool canSplit(const CpuReductionPlan &rows, int64_t vector) {
  if (rows.hasColumns() || rows.stages.size() != 1 ||
      !rows.fullResults.empty() || rows.stages.front().reductions.empty() ||
      getCpuLanes(rows.getLastSize(), vector) != kSumLanes)
    return false;
  auto type = cast<RankedTensorType>(rows.tensor.getType());
  bool isOneLoop =
      llvm::all_of(ArrayRef(rows.reducedDims).drop_back(),
                   [&](int64_t dim) { return type.getDimSize(dim) == 1; });
  return isOneLoop || (!ShapedType::isDynamic(rows.getLastSize()) &&
                       rows.getLastSize() % kSumLanes == 0);
}

/// schedule::kUnknown if that is not known.
static int64_t countElements(Value tensor, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(tensor.getType());
  uint64_t elements = 1;
  for (int64_t dim : dims) {
    if (type.isDynamicDim(dim))
      return schedule::kUnknown;
    elements =
        llvm::SaturatingMultiply<uint64_t>(elements, type.getDimSize(dim));
  }
  return std::min<uint64_t>(elements, std::numeric_limits<int64_t>::max());
}

Value fuser::emitPartCount(OpBuilder &b, Location loc,
                           ArrayRef<OpFoldResult> sizes) {
  Value lanes = arith::ConstantIndexOp::create(b, loc, kSumLanes);
  Value steps = b.createOrFold<arith::DivUIOp>(
      loc, emitSizeProduct(b, loc, sizes), lanes);
  return emitIndex(b, loc, divideUp(b, loc, steps, kPartSteps));
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
  LogicalResult readParts(fusion::CPUPartsAttr attr);
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
  if (!isFlat(segment, group.results))
    return emitError() << "expected tensors that all lie in the same dense "
                          "order, and ops that keep it, for "
                       << attr;
  group.isFlat = true;
  group.items.dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  group.items.chunk = attr.getChunk();
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
  group.items.chunk = attr.getChunk();
  if (rank == 0)
    return success();
  int64_t itemDims = attr.getItemDims() < 0 ? rank - 1 : attr.getItemDims();
  group.items.dims.assign(group.order.begin(), group.order.begin() + itemDims);
  group.width = getCpuLanes(type.getShape().back(),
                            attr.getLanes() == 0 ? vector : attr.getLanes());
  group.isVectorItem = itemDims == rank && attr.getLanes() != 1;
  if (group.isVectorItem) {
    group.items.steppedDim = group.order.back();
    group.items.step = group.width;
  }
  return success();
}

LogicalResult GroupReader::readSquares(fusion::CPUSquaresAttr attr) {
  if (failed(readOrder(attr.getOrder())))
    return failure();
  int64_t rank = type.getRank();
  if (attr.getDim() >= rank - 1)
    return emitError() << "expected dim to be another dimension of " << type
                       << " than the last, got " << attr.getDim();
  group.squareDim = attr.getDim();
  group.computesAcross = getStoreDim(segment, group.results) != attr.getDim() &&
                         hasVectorsAlong(segment, group.results, attr.getDim(),
                                         ElementEmitter::Part());
  group.width = attr.getLanes();
  group.items.dims.assign(group.order.begin(), group.order.end() - 1);
  group.items.steppedDim = attr.getDim();
  group.items.step = attr.getChunk();
  return success();
}

LogicalResult GroupReader::readParts(fusion::CPUPartsAttr attr) {
  int64_t rank = type.getRank();
  if (rank >= 2)
    group.parts = findParts(segment, group.results);
  if (group.parts.empty())
    return emitError()
           << "expected two dimensions or more, and elements of a "
              "'fusion.cat' along the last one of operands of known "
              "sizes, for "
           << attr << ", got results of " << type;
  group.order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  group.width = attr.getLanes();
  group.narrow = attr.getNarrow();
  group.items.dims = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
  group.items.steppedDim = rank - 2;
  group.items.step = attr.getChunk();
  return success();
}

FailureOr<CpuGroup> GroupReader::read(Attribute attr) {
  LogicalResult result =
      llvm::TypeSwitch<Attribute, LogicalResult>(attr)
          .Case([&](fusion::CPUFlatAttr flat) { return readFlat(flat); })
          .Case([&](fusion::CPUTilesAttr tiles) { return readTiles(tiles); })
          .Case([&](fusion::CPUSquaresAttr s) { return readSquares(s); })
          .Case([&](fusion::CPUPartsAttr parts) { return readParts(parts); })
          .Default([&](Attribute other) {
            return emitError() << "expected a loop over results, got " << other;
          });
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
/// Puts into the stages of a plan what ops say is kept.
class KeptReader {
public:
  KeptReader(fusion::SegmentOp segment, CpuPlan &plan)
      : plan(plan), problem(analyzeRowsOfOps(segment, *plan.reduction)),
        ops(llvm::to_vector(llvm::make_pointer_range(
            segment.getBody().front().without_terminator()))),
        states(ops.size()) {}

  LogicalResult read();

private:
  bool isKept(unsigned op, fusion::Keep where) const;
  LogicalResult checkMemory(Operation *op);
  LogicalResult checkOp(unsigned op);
  void fillStage(unsigned stage);

  CpuPlan &plan;
  CpuRowsProblem problem;
  SmallVector<Operation *> ops;
  SmallVector<schedule::CpuOpState> states;
};
} // namespace

static fusion::KeepAttr getKeep(Operation *op) {
  return op->getAttrOfType<fusion::KeepAttr>(
      fusion::FusionDialect::getKeepAttrName());
}

bool KeptReader::isKept(unsigned op, fusion::Keep where) const {
  fusion::KeepAttr keep = getKeep(ops[op]);
  return keep && keep.getValue() == where;
}

void KeptReader::fillStage(unsigned stage) {
  CpuStage &filled = plan.reduction->stages[stage];
  collectComputed(problem, stage, states);
  if (stage + 1 == problem.stages.size())
    return; // No stage is later.
  for (unsigned op = 0; op < ops.size(); ++op)
    if (states[op].computedIn == stage && isKept(op, fusion::Keep::Scratch)) {
      filled.kept.push_back(ops[op]->getResult(0));
      states[op].isAvailable = true;
    }
  for (CpuRowsProblem::Result result : problem.stages[stage].results)
    if (isKept(result.op, fusion::Keep::Result) &&
        !states[result.op].isAvailable) {
      filled.readBack.push_back(result.number);
      states[result.op].isAvailable = true;
    }
}

static InFlightDiagnostic emitKeepError(Operation *op) {
  return op->emitOpError() << "'" << fusion::FusionDialect::getKeepAttrName()
                           << "': ";
}

/// Whether op number `op` can be in memory.
LogicalResult KeptReader::checkOp(unsigned op) {
  if (!problem.ops[op].canKeep)
    return emitKeepError(ops[op])
           << "expected an op whose elements are needed at their own positions "
              "only";
  return isKept(op, fusion::Keep::Scratch) ? checkMemory(ops[op]) : success();
}

/// Whether there is memory for what is kept.
LogicalResult KeptReader::checkMemory(Operation *op) {
  int64_t elements = countKeptElements(*plan.reduction, plan.vector);
  if (ShapedType::isDynamic(elements))
    return emitKeepError(op)
           << "expected reduced dimensions of static sizes, got "
           << plan.reduction->tensor.getType();
  if (elements > kMaxKeptElements)
    return emitKeepError(op)
           << "expected work items of at most " << kMaxKeptElements
           << " elements, got " << elements;
  return success();
}

LogicalResult KeptReader::read() {
  for (unsigned op = 0; op < ops.size(); ++op)
    if (getKeep(ops[op]) && failed(checkOp(op)))
      return failure();
  for (unsigned stage = 0; stage < problem.stages.size(); ++stage)
    fillStage(stage);
  return success();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static fusion::CPUScheduleAttr getCpuSchedule(fusion::SegmentOp segment) {
  return cast<fusion::CPUScheduleAttr>(*segment.getSchedule());
}

static LogicalResult planOrder(fusion::SegmentOp segment, ArrayAttr given,
                               const ShapeSymbols &symbols, CpuPlan &plan) {
  auto op = dyn_cast<fusion::OrderOpInterface>(*plan.fibres);
  auto attr = given.size() == 1 ? dyn_cast<fusion::CPUOrderAttr>(given[0])
                                : fusion::CPUOrderAttr();
  if (!op || !attr)
    return segment.emitOpError("schedule: expected no groups for an op that "
                               "computes fibres, or #fusion.cpu_order for one "
                               "that puts them in order, got ")
           << given;
  fusion::GroupSummary group = describeSegment(segment, symbols).group;
  if (group.fibres.areInRing)
    return segment.emitOpError("schedule: expected no #fusion.cpu_order, "
                               "because integers that stand for floats have no "
                               "keys");
  schedule::OrderProblem problem = schedule::getOrderProblem(group);
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  plan.order = {op,
                input.getElementType(),
                int64_t(input.getElementTypeBitWidth()),
                attr.getCounted(),
                attr.getItems() == 0 ? 0 : attr.getSorted(),
                attr.getItems(),
                problem.minLength,
                problem.maxLength,
                input.getShape() == result.getShape()};
  return success();
}

static LogicalResult planFibres(fusion::SegmentOp segment, ArrayAttr given,
                                const ShapeSymbols &symbols, CpuPlan &plan) {
  plan.fibres = getFibreOp(segment);
  if (given && failed(planOrder(segment, given, symbols, plan)))
    return failure();
  plan.groups.emplace_back();
  plan.groups.back().results = {0};
  plan.groups.back().items.dims = getFibreNumberDims(plan.fibres);
  return success();
}

FailureOr<CpuPlan> fuser::planCpuKernel(fusion::SegmentOp segment,
                                        const ShapeSymbols &symbols) {
  fusion::CPUScheduleAttr schedule = getCpuSchedule(segment);
  CpuPlan plan;
  plan.vector = schedule.getVector();
  if (getFibreOp(segment)) {
    if (failed(planFibres(segment, schedule.getGroups(), symbols, plan)))
      return failure();
    return plan;
  }
  if (!schedule.getGroups())
    plan.reduction = findReductionPlan(segment, symbols);
  if (!plan.reduction &&
      failed(planGroups(segment, symbols, schedule.getGroups(), plan)))
    return failure();
  for (Operation &op : segment.getBody().front())
    if (getKeep(&op) && !plan.reduction)
      return emitKeepError(&op)
             << "expected reductions over the same dimensions "
                "of one shape, looked at in their own row, "
                "and no groups in the schedule";
  if (!plan.reduction)
    return plan;
  CpuReductionPlan &rows = *plan.reduction;
  rows.items.dims = rows.keptDims;
  if (rows.hasColumns()) {
    rows.items.steppedDim = rows.getRank() - 1;
    rows.items.step = plan.getLanes(rows.getLastSize());
  }
  if (failed(KeptReader(segment, plan).read()))
    return failure();
  rows.isSplit =
      canSplit(rows, plan.vector) &&
      schedule::wantsSplit(countElements(rows.tensor, rows.keptDims),
                           countElements(rows.tensor, rows.reducedDims));
  return plan;
}
