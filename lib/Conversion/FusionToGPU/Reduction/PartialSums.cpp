//===- PartialSums.cpp - What one kernel adds for another -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialSums.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Dialect/Host/IR/Host.h"

using namespace fuser;
using fusion::ReductionOpInterface;

PartialSums::PartialSums(ArrayRef<ReductionOpInterface> reductions)
    : reductions(reductions) {
  for (ReductionOpInterface op : reductions)
    llvm::append_range(slots, getAccumulatorTypes(op));
}

unsigned PartialSums::getFirstSlot(ReductionOpInterface op) const {
  unsigned first = 0;
  for (ReductionOpInterface other : reductions) {
    if (other == op)
      break;
    first += getAccumulatorTypes(other).size();
  }
  return first;
}

SmallVector<Type> PartialSums::getMemRefTypes() const {
  return llvm::map_to_vector(slots, [](Type type) {
    return Type(MemRefType::get({ShapedType::kDynamic}, getStorageType(type)));
  });
}

SmallVector<Value> PartialSums::createWorkspaces(SegmentLowering &lowering,
                                                 OpFoldResult size) const {
  OpBuilder &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  SmallVector<Value> workspaces;
  for (auto [number, type] : llvm::enumerate(getMemRefTypes()))
    workspaces.push_back(host::WorkspaceOp::create(
        host, loc, cast<MemRefType>(type), number, emitIndex(host, loc, size),
        /*zeroed=*/false));
  return workspaces;
}

SmallVector<TensorAccess>
PartialSums::getAccesses(gpu::GPUFuncOp kernel) const {
  auto workspaces = kernel.getArguments()
                        .take_front(kernel.getFunctionType().getNumInputs())
                        .take_back(slots.size());
  SmallVector<TensorAccess> accesses;
  for (auto [workspace, type] : llvm::zip(workspaces, slots))
    accesses.emplace_back(workspace, type, kAllocationAlignment);
  return accesses;
}

Accumulators PartialSums::load(OpBuilder &b, Location loc,
                               ArrayRef<TensorAccess> accesses, Value position,
                               int64_t width, unsigned first) const {
  Accumulators values;
  for (auto [access, type] : llvm::zip(accesses, getSlots().drop_front(first)))
    values.push_back(
        emitToCompute(b, loc, access.load(b, loc, position, width), type));
  return values;
}

void PartialSums::store(OpBuilder &b, Location loc,
                        ArrayRef<TensorAccess> accesses, ArrayRef<Value> values,
                        Value position) const {
  for (auto [value, type, access] : llvm::zip(values, slots, accesses))
    access.store(b, loc, emitToStorage(b, loc, value, type), position);
}
