//===- CommonOps.cpp - Ops that every lowering has ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowerings would fail at all others, at ops that nobody wrote, or one of
// them would.
//
//===----------------------------------------------------------------------===//

#include "CommonOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fuser {

static bool isCommonGpuOp(Operation *op) {
  return isa<gpu::BarrierOp, gpu::BlockDimOp, gpu::BlockIdOp,
             gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp, gpu::ClusterDimOp,
             gpu::ClusterIdOp, gpu::DynamicSharedMemoryOp, gpu::GlobalIdOp,
             gpu::GridDimOp, gpu::LaneIdOp, gpu::NumSubgroupsOp, gpu::ReturnOp,
             gpu::ShuffleOp, gpu::SubgroupIdOp, gpu::SubgroupReduceOp,
             gpu::SubgroupSizeOp, gpu::ThreadIdOp>(op);
}

/// What to write instead of `op`; empty if the op can be lowered, its types
/// aside.
static StringRef findSubstitute(Operation *op) {
  if (isa<gpu::GPUDialect>(op->getDialect()))
    return isCommonGpuOp(op)
               ? ""
               : "an id or a size, gpu.barrier, gpu.shuffle, "
                 "gpu.subgroup_reduce or gpu.dynamic_shared_memory";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<scf::ForallOp, scf::ParallelOp>([](Operation *) {
        return "scf.for: what runs in parallel are the threads of a launch";
      })
      .Case<memref::DmaStartOp, memref::DmaWaitOp>(
          [](Operation *) { return "kernel.bulk_copy"; })
      .Case<vector::ContractionOp, vector::OuterProductOp>([](Operation *) {
        return "arithmetic that says what is rounded, as vector.fma and "
               "vector.reduction do";
      })
      .Case([](vector::ExpandLoadOp) { return "vector.gather"; })
      .Case([](vector::CompressStoreOp) { return "vector.scatter"; })
      .Case<vector::PrintOp, vector::VectorScaleOp, math::ClampFOp,
            math::IPowIOp, math::IsNormalOp, arith::ScalingExtFOp,
            arith::ScalingTruncFOp>(
          [](Operation *) { return "what can be said by other ops"; })
      .Default([](Operation *) { return ""; });
}

static LogicalResult verifyShuffle(gpu::ShuffleOp op) {
  Type type = op.getValue().getType();
  if (type.isF32() || type.isF64() || type.isSignlessInteger(32) ||
      type.isSignlessInteger(64))
    return success();
  return op.emitOpError() << "expected a value of i32, i64, f32 or f64, got "
                          << type;
}

static LogicalResult verifyAtomic(memref::AtomicRMWOp op) {
  Type type = op.getResult().getType();
  if (isa<FloatType>(type) && !type.isF16() && !type.isF32() && !type.isF64())
    return op.emitOpError()
           << "expected a value of integers, f16, f32 or f64, got " << type;
  arith::AtomicRMWKind kind = op.getKind();
  if (kind == arith::AtomicRMWKind::mulf || kind == arith::AtomicRMWKind::muli)
    return op.emitOpError() << "expected an atomic instruction's kind, got '"
                            << stringifyAtomicRMWKind(kind) << "'";
  return success();
}

static LogicalResult verifyUpdate(memref::GenericAtomicRMWOp op) {
  Type type = op.getResult().getType();
  if (isa<IntegerType>(type))
    return success();
  return op.emitOpError() << "expected a value of integers, got " << type;
}

/// Accesses to several rows are of ops of each.
static LogicalResult verifyRank(Operation *op, VectorType type) {
  if (type.getRank() <= 1)
    return success();
  return op->emitOpError() << "expected a vector of rank 1, got " << type;
}

/// Of an element, or a part, of a vector of type `type`.
static LogicalResult verifyPosition(Operation *op, VectorType type,
                                    bool isDynamic) {
  if (!isDynamic || type.getRank() <= 1)
    return success();
  return op->emitOpError()
         << "expected constant positions in a vector of several dimensions, "
            "got those in "
         << type;
}

/// Of a conversion between floats and integers.
static LogicalResult verifyWidth(Operation *op, Type integer) {
  unsigned width = getElementTypeOrSelf(integer).getIntOrFloatBitWidth();
  if (width <= 64)
    return success();
  return op->emitOpError() << "expected integers of at most 64 bits, got "
                           << integer;
}

static LogicalResult verifyTypes(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto vector = dyn_cast<VectorType>(type);
    if (vector && vector.isScalable())
      return op->emitOpError()
             << "expected vectors of a fixed size, got " << type;
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](gpu::ShuffleOp op) { return verifyShuffle(op); })
      .Case([](memref::AtomicRMWOp op) { return verifyAtomic(op); })
      .Case([](memref::GenericAtomicRMWOp op) { return verifyUpdate(op); })
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp>(
          [](auto op) { return verifyRank(op, op.getVectorType()); })
      .Case([](vector::ExtractOp op) {
        return verifyPosition(op, op.getSourceVectorType(),
                              op.hasDynamicPosition());
      })
      .Case([](vector::InsertOp op) {
        return verifyPosition(op, op.getDestVectorType(),
                              op.hasDynamicPosition());
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>(
          [](auto op) { return verifyWidth(op, op.getType()); })
      .Case<arith::SIToFPOp, arith::UIToFPOp>(
          [](auto op) { return verifyWidth(op, op.getIn().getType()); })
      .Default([](Operation *) { return success(); });
}

LogicalResult verifyCommonOp(Operation *op) {
  StringRef substitute = findSubstitute(op);
  if (substitute.empty())
    return verifyTypes(op);
  return op->emitOpError() << "is not one that every target has: expected "
                           << substitute;
}

} // namespace fuser
