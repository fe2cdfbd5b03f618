//===- FusionToCPU.cpp - Kernels for CPUs ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuOrder.h"
#include "SumOrder.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace fuser;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// In a module of its own. The last argument is scratch memory.
static func::FuncOp createKernel(OpBuilder &b, SegmentLowering &lowering,
                                 ValueRange workspaces, CpuPhase phase) {
  fusion::SegmentOp segment = lowering.getSegment();
  StringRef suffix = phase == CpuPhase::Parts ? "_parts" : "";
  std::string name = (lowering.getName() + suffix).str();
  SmallVector<KernelArgument> arguments = getKernelArguments(segment);
  for (Value workspace : workspaces)
    arguments.push_back({Value(), workspace.getType(), kAllocationAlignment,
                         kAllocationAlignment, /*noAlias=*/true});
  SmallVector<Type> types;
  for (const KernelArgument &argument : arguments)
    types.push_back(argument.type);
  types.append(2, b.getIndexType());
  types.push_back(MemRefType::get({ShapedType::kDynamic}, b.getI8Type()));
  auto module =
      ModuleOp::create(lowering.getModuleBuilder(), segment.getLoc(), name);
  b.setInsertionPointToEnd(module.getBody());
  auto kernel = func::FuncOp::create(b, segment.getLoc(), name,
                                     b.getFunctionType(types, {}));
  setArgumentAttrs(kernel, arguments);
  kernel.setArgAttr(types.size() - 1, kScratchAttrName, b.getUnitAttr());
  return kernel;
}

/// How much scratch memory it takes is known once the kernel's body is there.
static LogicalResult setScratch(OpBuilder &b, func::FuncOp kernel,
                                const CpuScratch &scratch) {
  kernel->setAttr(host::kScratchBytesAttrName,
                  b.getI64IntegerAttr(scratch.getBytes()));
  if (scratch.getBytes() != 0)
    return success();
  return kernel.eraseArgument(kernel.getNumArguments() - 1);
}

static LogicalResult emitBody(OpBuilder &b, fusion::SegmentOp segment,
                              const CpuPlan &plan,
                              const CpuKernelArguments &arguments) {
  if (plan.fibres)
    return emitFibreKernel(b, segment, plan, arguments);
  return plan.reduction ? emitReductionKernel(b, segment, plan, arguments)
                        : emitElementKernel(b, segment, plan, arguments);
}

/// Many tensors of unknown strides are read element by element in loops, which
/// is slow: one branch for all of them leads to whole vectors where it can.
static LogicalResult emitVersions(OpBuilder &b, fusion::SegmentOp segment,
                                  const CpuPlan &plan,
                                  const CpuKernelArguments &arguments) {
  Location loc = segment.getLoc();
  Value condition;
  auto assumed = llvm::to_vector(arguments.tensorsAndScalars);
  for (Value &value : assumed)
    if (hasUnknownNeighbours(value))
      value = assumeNeighbours(b, loc, value, condition);
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  CpuKernelArguments neighbours = arguments;
  neighbours.tensorsAndScalars = assumed;
  if (failed(emitBody(b, segment, plan, neighbours)))
    return failure();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  arguments.scratch->restart();
  return emitBody(b, segment, plan, arguments);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static Value countItems(SegmentLowering &lowering, const CpuPlan &plan) {
  OpBuilder &b = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  ResultRange results = lowering.getSegment()->getResults();
  if (plan.reduction) {
    // Every result has the kept dimensions, in order.
    const CpuReductionPlan &rows = *plan.reduction;
    auto type = cast<RankedTensorType>(results[0].getType());
    bool keepsDims = type.getRank() == rows.getRank();
    return rows.items.emitCount(b, loc, [&](int64_t dim) {
      const int64_t *place = llvm::find(rows.keptDims, dim);
      return lowering.getDim(results[0],
                             keepsDims ? dim : place - rows.keptDims.begin());
    });
  }
  Value items;
  for (const CpuGroup &group : plan.groups) {
    Value more = group.items.emitCount(b, loc, [&](int64_t dim) {
      return lowering.getDim(results[group.results.front()], dim);
    });
    items = items ? b.createOrFold<arith::AddIOp>(loc, items, more) : more;
  }
  if (!items)
    return arith::ConstantIndexOp::create(b, loc, 0);
  if (!plan.hasOrderWorkspaces())
    return items;
  return b.createOrFold<arith::MinUIOp>(
      loc, items, arith::ConstantIndexOp::create(b, loc, plan.order->items));
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static LogicalResult makeKernel(SegmentLowering &lowering, const CpuPlan &plan,
                                Value items, ValueRange workspaces,
                                CpuPhase phase = CpuPhase::Whole) {
  fusion::SegmentOp segment = lowering.getSegment();
  OpBuilder b(segment.getContext());
  func::FuncOp kernel = createKernel(b, lowering, workspaces, phase);
  Block *body = kernel.addEntryBlock();
  b.setInsertionPointToStart(body);
  ValueRange all = body->getArguments();
  size_t numShared = segment.getInputs().size() + segment.getNumResults();
  CpuScratch scratch(all.back());
  ValueRange own = all.drop_front(numShared);
  CpuKernelArguments arguments{all.take_front(numShared),
                               own.take_front(workspaces.size()),
                               own[workspaces.size()],
                               own[workspaces.size() + 1],
                               &scratch,
                               phase};
  auto end = func::ReturnOp::create(b, segment.getLoc());
  b.setInsertionPoint(end);
  ValueRange tensors = arguments.tensorsAndScalars;
  bool hasVersions = countScattered(tensors) > kMaxUnrolledTensors &&
                     llvm::any_of(tensors, hasUnknownNeighbours);
  if (failed(hasVersions ? emitVersions(b, segment, plan, arguments)
                         : emitBody(b, segment, plan, arguments)) ||
      failed(setScratch(b, kernel, scratch)))
    return failure();
  lowering.launch(kernel, {items}, workspaces);
  return success();
}

/// `rows` rows, of which many threads have parts.
static LogicalResult lowerSplit(SegmentLowering &lowering, const CpuPlan &plan,
                                Value rows) {
  OpBuilder &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  const CpuReductionPlan &space = *plan.reduction;
  Value parts = emitPartCount(
      host, loc,
      lowering.getInnerSizes().getDims(space.tensor, space.reducedDims));
  parts = host.createOrFold<arith::MulIOp>(loc, rows, parts);
  Value size = host.createOrFold<arith::MulIOp>(
      loc, parts, arith::ConstantIndexOp::create(host, loc, kSumLanes));
  SmallVector<Value> workspaces;
  for (fusion::ReductionOpInterface op : space.reductions)
    for (Type type : getAccumulatorTypes(op))
      workspaces.push_back(host::WorkspaceOp::create(
          host, loc,
          MemRefType::get({ShapedType::kDynamic}, getStorageType(type)),
          /*number=*/workspaces.size(), size, /*zeroed=*/false));
  if (failed(makeKernel(lowering, plan, parts, workspaces, CpuPhase::Parts)))
    return failure();
  return makeKernel(lowering, plan, rows, workspaces, CpuPhase::Fold);
}

static LogicalResult lowerToCpu(SegmentLowering &lowering) {
  fusion::SegmentOp segment = lowering.getSegment();
  FailureOr<CpuPlan> plan = planCpuKernel(segment, lowering.getSymbols());
  if (failed(plan))
    return failure();
  Value items = countItems(lowering, *plan);
  if (plan->reduction && plan->reduction->isSplit)
    return lowerSplit(lowering, *plan, items);
  SmallVector<Value> workspaces;
  if (plan->hasOrderWorkspaces())
    workspaces = createOrderWorkspaces(lowering, *plan->order, items);
  return makeKernel(lowering, *plan, items, workspaces);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void fuser::registerCpuKernelEmitters(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, fusion::FusionDialect *) {
    using Attr = fusion::CPUScheduleAttr;
    Attr::attachInterface<KernelEmitter<Attr, kCpuKernels, lowerToCpu>>(
        *context);
  });
}
