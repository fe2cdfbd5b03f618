//===- StageCommunications.cpp - Contiguous buffers for communications ----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fuser::host {
#define GEN_PASS_DEF_HOSTSTAGECOMMUNICATIONSPASS
#include "fuser/Dialect/Host/Transforms/Passes.h.inc"
} // namespace fuser::host

using namespace fuser;
using namespace fuser::host;

namespace {
struct StageCommunications
    : public fuser::host::impl::HostStageCommunicationsPassBase<
          StageCommunications> {
  using Base::Base;
  void runOnOperation() override;

private:
  void stage(CommunicationOpInterface op, OpOperand &operand);
};
} // namespace

/// A buffer of the sizes of `like` that is contiguous in `order`.
static Value createContiguous(OpBuilder &b, Location loc, Value like,
                              ArrayRef<int64_t> order) {
  auto type = cast<MemRefType>(like.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(b, loc, like, d));
  DenseI64ArrayAttr strideOrder;
  if (!llvm::is_sorted(order))
    strideOrder = b.getDenseI64ArrayAttr(order);
  return AllocOp::create(
      b, loc, getDenseBufferType(type.getShape(), type.getElementType(), order),
      sizes, strideOrder);
}

void StageCommunications::stage(CommunicationOpInterface op,
                                OpOperand &operand) {
  auto type = cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> order = getPartsOrder(type.getRank(), op.getPartDim());
  if (isContiguous(type, order) == true)
    return;
  // Copies do not stand in host.coalesce.
  Operation *whole = op;
  if (auto coalesce = op->getParentOfType<CoalesceOp>()) {
    whole = coalesce;
    for (Operation &inner :
         llvm::make_early_inc_range(coalesce.getBody().front()))
      if (!isa<CommunicationOpInterface>(inner))
        inner.moveBefore(coalesce);
  }
  OpBuilder b(whole);
  Location loc = op.getLoc();
  Value buffer = operand.get();
  Value staged = createContiguous(b, loc, buffer, order);
  TransferKind kind = op.getTransferKind();
  bool isWritten = &operand == op.getDestination();
  // Not all ranks write theirs, or no list may hold this rank.
  auto group = op.getGroup().getDefiningOp<GroupOp>();
  bool isPartly = kind == TransferKind::Reduce ||
                  kind == TransferKind::Gather ||
                  kind == TransferKind::Permute || !group || group.getLists();
  if (!isWritten || isPartly)
    CopyOp::create(b, loc, buffer, staged);
  if (isWritten) {
    b.setInsertionPointAfter(whole);
    CopyOp::create(b, loc, staged, buffer);
  }
  operand.set(staged);
  ++numStaged;
}

void StageCommunications::runOnOperation() {
  getOperation().walk([&](CommunicationOpInterface op) {
    if (op.getSource())
      stage(op, *op.getSource());
    if (op.getDestination())
      stage(op, *op.getDestination());
  });
}
