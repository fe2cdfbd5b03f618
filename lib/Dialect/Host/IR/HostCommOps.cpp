//===- HostCommOps.cpp - Communications between ranks ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "llvm/ADT/SmallSet.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

LogicalResult GroupOp::verify() {
  if (!getLists())
    return success();
  if (getLists()->empty())
    return emitOpError("expected a list of ranks, or nothing for all ranks, "
                       "got no list");
  llvm::SmallSet<int64_t, 8> seen;
  for (auto list : getLists()->getAsRange<DenseI64ArrayAttr>()) {
    if (list.empty())
      return emitOpError("expected at least one rank in a list, got none");
    for (int64_t rank : list.asArrayRef()) {
      if (rank < 0)
        return emitOpError("expected ranks not to be negative, got ") << rank;
      if (!seen.insert(rank).second)
        return emitOpError("expected each rank once, got ") << rank << " twice";
    }
  }
  return success();
}

int64_t GroupOp::getStaticSize() {
  if (!getLists())
    return ShapedType::kDynamic;
  auto lists = getLists()->getAsRange<DenseI64ArrayAttr>();
  int64_t size = (*lists.begin()).size();
  bool isSame = llvm::all_of(
      lists, [&](DenseI64ArrayAttr list) { return list.size() == size; });
  return isSame ? size : ShapedType::kDynamic;
}

/// The number of ranks of a group, where the text shows it.
static int64_t getGroupSize(Value group) {
  auto made = group.getDefiningOp<GroupOp>();
  return made ? made.getStaticSize() : ShapedType::kDynamic;
}

//===----------------------------------------------------------------------===//
// Rules of communications
//===----------------------------------------------------------------------===//

static bool canTravel(Type type, bool isCombined) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    return width == 8 || width == 32 || width == 64 ||
           (!isCombined && (width == 1 || width == 16));
  }
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type,
             Float8E4M3FNType, Float8E5M2Type>(type);
}

/// comm_c1
static LogicalResult verifyElement(CommunicationOpInterface op) {
  bool isCombined = op.getReduction().has_value();
  OpOperand *buffer = op.getSource() ? op.getSource() : op.getDestination();
  Type type = cast<MemRefType>(buffer->get().getType()).getElementType();
  if (canTravel(type, isCombined))
    return success();
  return op->emitOpError("expected elements that are integers of ")
         << (isCombined ? "8, 32" : "1, 8, 16, 32")
         << " or 64 bits, f64, f32, f16, bf16, f8E4M3FN or f8E5M2, got "
         << type;
}

/// Checks that `large` has the sizes of `small`, but for dimension `dim` (-1:
/// none), where it is `factor` times as large.
static LogicalResult verifySizes(Operation *op, MemRefType small,
                                 MemRefType large, int64_t dim = -1,
                                 int64_t factor = 1) {
  bool fits = small.getRank() == large.getRank() &&
              small.getElementType() == large.getElementType();
  for (int64_t d = 0; fits && d < small.getRank(); ++d) {
    int64_t size = small.getDimSize(d);
    if (d == dim)
      size = ShapedType::isDynamic(size) || ShapedType::isDynamic(factor)
                 ? ShapedType::kDynamic
                 : size * factor;
    fits = mayBeEqual(size, large.getDimSize(d));
  }
  if (fits)
    return success();
  InFlightDiagnostic diag = op->emitOpError(
      "expected buffers of the same rank, element type and sizes");
  if (dim >= 0 && ShapedType::isDynamic(factor))
    diag << " (but for dimension " << dim << ")";
  else if (dim >= 0)
    diag << " (" << factor << " times in dimension " << dim << ")";
  return diag << ", got " << small << " and " << large;
}

SmallVector<int64_t> host::getPartsOrder(int64_t rank, int64_t dim) {
  SmallVector<int64_t> order;
  if (rank > 0)
    order.push_back(dim);
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      order.push_back(d);
  return order;
}

/// The sizes of both buffers: one has a part for each rank, or both are alike.
/// What only the root uses may be of any size elsewhere.
static LogicalResult verifyBuffers(CommunicationOpInterface op) {
  auto src = cast<MemRefType>(op.getSource()->get().getType());
  auto dst = cast<MemRefType>(op.getDestination()->get().getType());
  int64_t dim = op.getPartDim(), size = getGroupSize(op.getGroup());
  TransferKind kind = op.getTransferKind();
  bool toParts =
      kind == TransferKind::ReduceScatter || kind == TransferKind::Scatter;
  bool fromParts =
      kind == TransferKind::AllGather || kind == TransferKind::Gather;
  if (!toParts && !fromParts)
    return verifySizes(op, src, dst);
  if (dim < 0 || dim >= src.getRank())
    return op->emitOpError("expected a dimension of ")
           << src << ", got " << dim;
  if (kind == TransferKind::Scatter || kind == TransferKind::Gather)
    size = ShapedType::kDynamic;
  return toParts ? verifySizes(op, dst, src, dim, size)
                 : verifySizes(op, src, dst, dim, size);
}

LogicalResult host::verifyCommunication(CommunicationOpInterface op) {
  if (failed(verifyElement(op)))
    return failure();
  return op.getSource() && op.getDestination() ? verifyBuffers(op) : success();
}

LogicalResult AllToAllOp::verify() {
  MemRefType type = getSrc().getType();
  if (type.getRank() == 0)
    return emitOpError("expected buffers of rank 1 at least, got ") << type;
  int64_t size = getGroupSize(getGroup());
  if (!type.isDynamicDim(0) && !ShapedType::isDynamic(size) &&
      type.getDimSize(0) % size != 0)
    return emitOpError("expected dimension 0 to have a part for each of ")
           << size << " ranks, got " << type;
  return success();
}

LogicalResult PermuteOp::verify() {
  if (getFrom().size() != getTo().size())
    return emitOpError("expected as many receivers as senders, got ")
           << getTo().size() << " and " << getFrom().size();
  int64_t size = getGroupSize(getGroup());
  for (ArrayRef<int64_t> ranks : {getFrom(), getTo()}) {
    llvm::SmallSet<int64_t, 8> seen;
    for (int64_t rank : ranks) {
      bool isRank = rank >= 0 && (ShapedType::isDynamic(size) || rank < size);
      if (!isRank || !seen.insert(rank).second)
        return emitOpError("expected senders and receivers to be ranks of the "
                           "group, none twice, got ")
               << rank;
    }
  }
  return success();
}

LogicalResult CoalesceOp::verify() {
  for (Operation &op : getBody().front()) {
    if (isa<CommunicationOpInterface>(op)) {
      if (!op.use_empty())
        return op.emitOpError("expected no use of its request in "
                              "host.coalesce, whose own is the one to wait "
                              "for");
      continue;
    }
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return op.emitOpError("expected only communications, and ops without "
                            "effects or regions, in host.coalesce");
  }
  return success();
}
