//===- KernelOps.cpp - What ops of the kernel dialect may be --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

using namespace fuser;
using namespace fuser::kernel;

//===----------------------------------------------------------------------===//
// What several ops ask
//===----------------------------------------------------------------------===//

/// An index for each dimension.
static LogicalResult verifyIndices(Operation *op, Value base,
                                   ValueRange indices) {
  int64_t rank = cast<MemRefType>(base.getType()).getRank();
  if (rank == static_cast<int64_t>(indices.size()))
    return success();
  return op->emitOpError() << "expected an index for each dimension of "
                           << base.getType() << ", got " << indices.size();
}

static LogicalResult verifyContiguous(Operation *op, Value base) {
  auto type = cast<MemRefType>(base.getType());
  if (type.isLastDimUnitStride())
    return success();
  return op->emitOpError()
         << "expected a memref whose innermost stride is 1, got " << type;
}

/// An element of `base`, or a vector of neighbours.
static LogicalResult verifyValue(Operation *op, Type value, Value base) {
  auto type = cast<MemRefType>(base.getType());
  if (isa<VectorType>(type.getElementType()))
    return op->emitOpError()
           << "expected a memref whose elements are scalars, got " << type;
  auto vector = dyn_cast<VectorType>(value);
  Type element = vector ? vector.getElementType() : value;
  if ((vector && vector.getRank() != 1) || element != type.getElementType())
    return op->emitOpError() << "expected an element of " << type
                             << " or a vector of rank 1 of them, got " << value;
  return verifyContiguous(op, base);
}

int64_t kernel::countBytes(Type value) {
  auto vector = dyn_cast<VectorType>(value);
  Type element = vector ? vector.getElementType() : value;
  if (!element.isIntOrFloat())
    return 0;
  int64_t bits = element.getIntOrFloatBitWidth();
  return bits % 8 ? 0 : bits / 8 * (vector ? vector.getNumElements() : 1);
}

static LogicalResult verifyBytes(Operation *op, Type value,
                                 ArrayRef<int64_t> allowed) {
  if (llvm::is_contained(allowed, countBytes(value)))
    return success();
  InFlightDiagnostic error = op->emitOpError() << "expected a value of ";
  llvm::interleaveComma(allowed, error);
  return error << " bytes, got " << value;
}

static LogicalResult verifyScope(Operation *op, Scope scope) {
  if (scope != Scope::Device)
    return success();
  return op->emitOpError()
         << "expected the scope 'block' or 'cluster', got 'device'";
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

LogicalResult MBarrierInitOp::verify() {
  // mbarrier_init_c1
  return verifyIndices(*this, getBarriers(), getIndices());
}

LogicalResult MBarrierArriveOp::verify() {
  // mbarrier_arrive_c1
  if (failed(verifyIndices(*this, getBarriers(), getIndices())))
    return failure();
  // mbarrier_arrive_c2
  if (getCount() && getBytes())
    return emitOpError() << "expected a count of arrivals or bytes, got both: "
                            "with bytes it is one arrival";
  // mbarrier_arrive_c3
  bool isRemote = isCluster(cast<MemRefType>(getBarriers().getType()));
  if (isRemote && getScope() != Scope::Cluster)
    return emitOpError() << "expected the scope 'cluster' for an mbarrier in "
                            "the cluster's memory, got '"
                         << stringifyScope(getScope()) << "'";
  return verifyScope(*this, getScope());
}

LogicalResult MBarrierExpectOp::verify() {
  // mbarrier_expect_c1
  return verifyIndices(*this, getBarriers(), getIndices());
}

LogicalResult MBarrierWaitOp::verify() {
  // mbarrier_wait_c1
  if (failed(verifyIndices(*this, getBarriers(), getIndices())))
    return failure();
  // mbarrier_wait_c2
  return verifyScope(*this, getScope());
}

//===----------------------------------------------------------------------===//
// Asynchronous accesses
//===----------------------------------------------------------------------===//

LogicalResult StoreAsyncOp::verify() {
  // store_async_c1
  if (failed(verifyIndices(*this, getBase(), getIndices())) ||
      failed(verifyIndices(*this, getBarriers(), getBarrierIndices())))
    return failure();
  // store_async_c2
  Type value = getValue().getType();
  if (failed(verifyValue(*this, value, getBase())))
    return failure();
  // store_async_c3
  if (failed(verifyBytes(*this, value, {4, 8, 16})))
    return failure();
  // store_async_c4
  if (isCluster(cast<MemRefType>(getBarriers().getType())))
    return success();
  return emitOpError()
         << "expected an mbarrier in the cluster's memory, as the value, got "
         << getBarriers().getType();
}

namespace {
enum class BulkKind { ToShared, ToCluster, ToGlobal };
} // namespace

/// The row of the table in the op's description, if there is one.
static std::optional<BulkKind> findBulkKind(MemRefType source,
                                            MemRefType target) {
  if (isGlobal(source) && isShared(target))
    return BulkKind::ToShared;
  if (isShared(source) && isCluster(target))
    return BulkKind::ToCluster;
  if (isShared(source) && isGlobal(target))
    return BulkKind::ToGlobal;
  return std::nullopt;
}

/// Which mbarrier a copy to `target` counts its bytes at.
static LogicalResult verifyBulkBarrier(BulkCopyOp op, BulkKind kind) {
  if (kind == BulkKind::ToGlobal) {
    if (!op.getBarriers())
      return success();
    return op.emitOpError() << "expected no mbarrier in a copy to global "
                               "memory, which is waited for by its group";
  }
  if (!op.getBarriers())
    return op.emitOpError()
           << "expected an mbarrier that counts the bytes of a copy to "
           << op.getTarget().getType();
  auto type = cast<MemRefType>(op.getBarriers().getType());
  bool isRemote = kind == BulkKind::ToCluster;
  if (isRemote == isCluster(type))
    return success();
  return op.emitOpError()
         << "expected an mbarrier in the memory of the destination, "
         << op.getTarget().getType() << ", got " << type;
}

LogicalResult BulkCopyOp::verify() {
  // bulk_copy_c1
  if (failed(verifyIndices(*this, getSource(), getSourceIndices())) ||
      failed(verifyIndices(*this, getTarget(), getTargetIndices())))
    return failure();
  if (getBarriers() &&
      failed(verifyIndices(*this, getBarriers(), getBarrierIndices())))
    return failure();
  // bulk_copy_c2
  auto source = cast<MemRefType>(getSource().getType());
  auto target = cast<MemRefType>(getTarget().getType());
  Type element = source.getElementType();
  if (element != target.getElementType() || !element.isIntOrFloat() ||
      !llvm::is_contained({8, 16, 32, 64}, element.getIntOrFloatBitWidth()))
    return emitOpError() << "expected memrefs of one type of integers or "
                            "floats of 1, 2, 4 or 8 bytes, got "
                         << source << " and " << target;
  if (failed(verifyContiguous(*this, getSource())) ||
      failed(verifyContiguous(*this, getTarget())))
    return failure();
  // bulk_copy_c3
  std::optional<BulkKind> kind = findBulkKind(source, target);
  if (!kind)
    return emitOpError()
           << "expected a copy from global to shared memory, or from shared "
              "to global or the cluster's memory, got "
           << source << " to " << target;
  return verifyBulkBarrier(*this, *kind);
}

static LogicalResult verifyGroups(Operation *op, int32_t groups) {
  if (groups >= 0)
    return success();
  return op->emitOpError() << "expected 0 groups or more, got " << groups;
}

LogicalResult BulkWaitOp::verify() {
  // bulk_wait_c1
  return verifyGroups(*this, getGroups());
}

int64_t CopyAsyncOp::getNumBytes() {
  return int64_t(static_cast<int32_t>(getWidth())) *
         countBytes(cast<MemRefType>(getSource().getType()).getElementType());
}

/// Of a source and the target of its copies: one type of elements, side by
/// side.
static LogicalResult verifyCopied(Operation *op, Value source, Value target) {
  auto sourceType = cast<MemRefType>(source.getType());
  auto targetType = cast<MemRefType>(target.getType());
  Type element = sourceType.getElementType();
  if (element != targetType.getElementType() || !element.isIntOrFloat())
    return op->emitOpError()
           << "expected memrefs of one type of integers or floats, got "
           << sourceType << " and " << targetType;
  return success(succeeded(verifyContiguous(op, source)) &&
                 succeeded(verifyContiguous(op, target)));
}

static LogicalResult verifyCopiedBytes(Operation *op, int64_t width,
                                       Type element) {
  if (llvm::is_contained({4, 8, 16}, width * countBytes(element)))
    return success();
  return op->emitOpError() << "expected elements of 4, 8 or 16 bytes, got "
                           << width << " of " << element;
}

LogicalResult CopyAsyncOp::verify() {
  // copy_async_c1
  if (failed(verifyIndices(*this, getSource(), getSourceIndices())) ||
      failed(verifyIndices(*this, getTarget(), getTargetIndices())))
    return failure();
  // copy_async_c2
  if (failed(verifyCopied(*this, getSource(), getTarget())))
    return failure();
  // copy_async_c3; copy_async_c4 is checked by traits.
  return verifyCopiedBytes(
      *this, static_cast<int32_t>(getWidth()),
      cast<MemRefType>(getSource().getType()).getElementType());
}

/// Of accesses that begin anywhere.
static LogicalResult verifyAlignment(Operation *op, uint64_t alignment) {
  if (llvm::isPowerOf2_64(alignment))
    return success();
  return op->emitOpError() << "expected a power of two as the alignment, got "
                           << static_cast<int64_t>(alignment);
}

static LogicalResult verifyLanes(Operation *op, uint64_t lanes) {
  if (llvm::isPowerOf2_64(lanes) && lanes <= kWarpSize)
    return success();
  return op->emitOpError() << "expected a power of two of lanes, at most "
                           << kWarpSize << ", got "
                           << static_cast<int64_t>(lanes);
}

static LogicalResult verifyNeighbourBytes(Operation *op, Type element) {
  if (llvm::is_contained({1, 2, 4, 8}, countBytes(element)))
    return success();
  return op->emitOpError() << "expected elements of 1, 2, 4 or 8 bytes, got "
                           << element;
}

LogicalResult CopyAsyncNeighboursOp::verify() {
  // copy_async_neighbours_c1
  if (failed(verifyIndices(*this, getSource(), getSourceIndices())) ||
      failed(verifyIndices(*this, getTarget(), getTargetIndices())))
    return failure();
  // copy_async_neighbours_c2
  Type element = cast<MemRefType>(getSource().getType()).getElementType();
  if (failed(verifyCopied(*this, getSource(), getTarget())) ||
      failed(verifyNeighbourBytes(*this, element)))
    return failure();
  // copy_async_neighbours_c3; copy_async_neighbours_c4 is checked by traits.
  if (failed(
          verifyCopiedBytes(*this, static_cast<int32_t>(getWidth()), element)))
    return failure();
  // copy_async_neighbours_c5, copy_async_neighbours_c6
  return success(succeeded(verifyAlignment(*this, getAlignment())) &&
                 succeeded(verifyLanes(*this, getLanes())));
}

LogicalResult LoadCopiedOp::verify() {
  // load_copied_c1
  if (failed(verifyIndices(*this, getTarget(), getTargetIndices())) ||
      failed(verifyIndices(*this, getSource(), getSourceIndices())))
    return failure();
  // load_copied_c2
  auto type = cast<VectorType>(getResult().getType());
  if (failed(verifyCopied(*this, getSource(), getTarget())) ||
      failed(verifyValue(*this, type, getSource())) ||
      failed(verifyNeighbourBytes(*this, type.getElementType())))
    return failure();
  // load_copied_c3
  if (failed(verifyCopiedBytes(*this, type.getNumElements(),
                               type.getElementType())))
    return failure();
  // load_copied_c4
  return verifyAlignment(*this, getAlignment());
}

LogicalResult CopyAsyncWaitOp::verify() {
  // copy_async_wait_c1
  return verifyGroups(*this, getGroups());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult MapBlockOp::verify() {
  // map_block_c1
  auto source = cast<MemRefType>(getSource().getType());
  Type expected = MemRefType::Builder(source).setMemorySpace(
      ClusterMemoryAttr::get(getContext()));
  if (getResult().getType() == expected)
    return success();
  return emitOpError() << "expected a result of type " << expected << ", got "
                       << getResult().getType();
}

LogicalResult kernel::LoadOp::verify() {
  // load_c1
  if (failed(verifyIndices(*this, getBase(), getIndices())))
    return failure();
  // load_c2
  if (failed(verifyValue(*this, getResult().getType(), getBase())))
    return failure();
  // load_c3
  return verifyBytes(*this, getResult().getType(), {1, 2, 4, 8, 16});
}

LogicalResult kernel::StoreOp::verify() {
  // store_c1
  if (failed(verifyIndices(*this, getBase(), getIndices())))
    return failure();
  // store_c2
  if (failed(verifyValue(*this, getValue().getType(), getBase())))
    return failure();
  // store_c3
  if (failed(verifyBytes(*this, getValue().getType(), {1, 2, 4, 8, 16})))
    return failure();
  // store_c4
  if (getCache() != Cache::NoAllocate)
    return success();
  return emitOpError() << "expected a policy for stores, got 'no_allocate', "
                          "which is for loads";
}

/// A vector of neighbours in `base`, of a power of two of bytes.
static LogicalResult verifyNeighbours(Operation *op, Type value, Value base,
                                      uint64_t alignment) {
  // load_neighbours_c2, store_neighbours_c2
  if (failed(verifyValue(op, value, base)))
    return failure();
  Type element = cast<VectorType>(value).getElementType();
  if (failed(verifyNeighbourBytes(op, element)))
    return failure();
  // load_neighbours_c3, store_neighbours_c3
  int64_t all = countBytes(value);
  if (all == countBytes(element) || all > 64 || !llvm::isPowerOf2_64(all))
    return op->emitOpError() << "expected a vector of 2, 4, 8, ... elements, "
                                "64 bytes at most, got "
                             << value;
  // load_neighbours_c4, store_neighbours_c4
  return verifyAlignment(op, alignment);
}

LogicalResult LoadNeighboursOp::verify() {
  // load_neighbours_c1
  if (failed(verifyIndices(*this, getBase(), getIndices())))
    return failure();
  return verifyNeighbours(*this, getResult().getType(), getBase(),
                          getAlignment());
}

LogicalResult StoreNeighboursOp::verify() {
  // store_neighbours_c1
  if (failed(verifyIndices(*this, getBase(), getIndices())))
    return failure();
  if (failed(verifyNeighbours(*this, getValue().getType(), getBase(),
                              getAlignment())))
    return failure();
  // store_neighbours_c5
  return verifyLanes(*this, getLanes());
}

LogicalResult CounterAddOp::verify() {
  // counter_add_c1; counter_add_c2 is checked by traits.
  return verifyIndices(*this, getBase(), getIndices());
}

LogicalResult CounterWaitOp::verify() {
  // counter_wait_c1; counter_wait_c2 is checked by traits.
  return verifyIndices(*this, getBase(), getIndices());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static LogicalResult verifyThreads(Operation *op, int32_t threads) {
  if (threads > 0 && threads <= kMaxThreadsPerBlock && threads % kWarpSize == 0)
    return success();
  return op->emitOpError() << "expected a multiple of " << kWarpSize
                           << " threads, at most " << kMaxThreadsPerBlock
                           << ", got " << threads;
}

static LogicalResult verifyNumber(Operation *op, Value number) {
  APInt constant;
  if (!matchPattern(number, m_ConstantInt(&constant)))
    return success();
  int64_t value = constant.getSExtValue();
  if (value >= 1 && value <= kMaxBarrierNumber)
    return success();
  return op->emitOpError() << "expected a barrier from 1 to "
                           << kMaxBarrierNumber
                           << " (0 is that of gpu.barrier), got " << value;
}

LogicalResult BarrierOp::verify() {
  // barrier_c1
  if (failed(verifyThreads(*this, getThreads())))
    return failure();
  // barrier_c2
  return verifyNumber(*this, getNumber());
}

LogicalResult BarrierArriveOp::verify() {
  // barrier_arrive_c1
  if (failed(verifyThreads(*this, getThreads())))
    return failure();
  // barrier_arrive_c2
  return verifyNumber(*this, getNumber());
}

#define GET_OP_CLASSES
#include "fuser/Dialect/Kernel/IR/KernelOps.cpp.inc"
