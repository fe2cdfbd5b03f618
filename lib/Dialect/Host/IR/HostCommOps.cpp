//===- HostCommOps.cpp - Checks of communications -------------------------===//
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
// Shared checks
//===----------------------------------------------------------------------===//

// group_c1
static LogicalResult verifyGroup(Operation *op, ArrayRef<int64_t> group) {
  if (group.empty())
    return op->emitOpError("expected a group of at least one rank, got none");
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t rank : group) {
    if (rank < 0)
      return op->emitOpError(
                 "expected ranks of a group not to be negative, got ")
             << rank;
    if (!seen.insert(rank).second)
      return op->emitOpError("expected each rank once in a group, got ")
             << rank << " twice";
  }
  return success();
}

static bool areSizesCompatible(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Checks that the buffers have the same rank and element type, and equal
/// static sizes, save that in `dim` (if there is one) `large` has `factor`
/// times the size of `small`.
static LogicalResult verifySizes(Operation *op, MemRefType small,
                                 MemRefType large, int64_t dim = -1,
                                 int64_t factor = 1) {
  bool fits = small.getRank() == large.getRank() &&
              small.getElementType() == large.getElementType();
  for (int64_t d = 0; fits && d < small.getRank(); ++d) {
    int64_t size = small.getDimSize(d);
    if (d == dim && !ShapedType::isDynamic(size))
      size *= factor;
    fits = areSizesCompatible(size, large.getDimSize(d));
  }
  if (fits)
    return success();
  InFlightDiagnostic diag = op->emitOpError(
      "expected buffers of the same rank, element type and sizes");
  if (dim >= 0)
    diag << " (" << factor << " times in dimension " << dim << ")";
  return diag << ", got " << small << " and " << large;
}

static LogicalResult verifyDim(Operation *op, MemRefType type, int64_t dim) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return op->emitOpError("expected a dimension of ") << type << ", got " << dim;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

// all_gather_c1, all_gather_c2
LogicalResult AllGatherOp::verify() {
  if (failed(verifyGroup(*this, getGroup())) ||
      failed(verifyDim(*this, getSrc().getType(), getDim())))
    return failure();
  return verifySizes(*this, getSrc().getType(), getDst().getType(), getDim(),
                     getGroup().size());
}

// all_reduce_c1
LogicalResult AllReduceOp::verify() {
  if (failed(verifyGroup(*this, getGroup())))
    return failure();
  return verifySizes(*this, getSrc().getType(), getDst().getType());
}

// reduce_scatter_c1, reduce_scatter_c2
LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyGroup(*this, getGroup())) ||
      failed(verifyDim(*this, getSrc().getType(), getDim())))
    return failure();
  return verifySizes(*this, getDst().getType(), getSrc().getType(), getDim(),
                     getGroup().size());
}

// broadcast_c1, broadcast_c2
LogicalResult BroadcastOp::verify() {
  if (failed(verifyGroup(*this, getGroup())) ||
      failed(verifySizes(*this, getSrc().getType(), getDst().getType())))
    return failure();
  if (!llvm::is_contained(getGroup(), static_cast<int64_t>(getRoot())))
    return emitOpError("expected the root to be a member of the group [")
           << getGroup() << "], got " << getRoot();
  return success();
}

// all_to_all_c1, all_to_all_c2
LogicalResult AllToAllOp::verify() {
  MemRefType type = getSrc().getType();
  if (failed(verifyGroup(*this, getGroup())) ||
      failed(verifySizes(*this, type, getDst().getType())))
    return failure();
  if (type.getRank() == 0)
    return emitOpError("expected buffers of rank 1 at least, got ") << type;
  int64_t numMembers = getGroup().size();
  if (!type.isDynamicDim(0) && type.getDimSize(0) % numMembers != 0)
    return emitOpError("expected dimension 0 to have a part for each of ")
           << numMembers << " members, got " << type;
  return success();
}

LogicalResult SendOp::verify() { return verifyGroup(*this, getGroup()); }
LogicalResult RecvOp::verify() { return verifyGroup(*this, getGroup()); }

// permute_c1, permute_c2
LogicalResult PermuteOp::verify() {
  if (failed(verifyGroup(*this, getGroup())) ||
      failed(verifySizes(*this, getSrc().getType(), getDst().getType())))
    return failure();
  if (getFrom().size() != getTo().size())
    return emitOpError("expected as many receivers as senders, got ")
           << getTo().size() << " and " << getFrom().size();
  for (ArrayRef<int64_t> members : {getFrom(), getTo()}) {
    llvm::SmallSet<int64_t, 8> seen;
    for (int64_t member : members)
      if (!llvm::is_contained(getGroup(), member) ||
          !seen.insert(member).second)
        return emitOpError(
                   "expected senders and receivers to be members of the "
                   "group, none twice, got ")
               << member;
  }
  return success();
}
