//===- GpuOps.cpp - Where a thread is and how it meets others -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimThread.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser_rt/sim_abi.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace fuser;

static_assert(int(gpu::ShuffleMode::XOR) == FUSER_SIM_SHUFFLE_XOR);
static_assert(int(gpu::ShuffleMode::DOWN) == FUSER_SIM_SHUFFLE_DOWN);
static_assert(int(gpu::ShuffleMode::UP) == FUSER_SIM_SHUFFLE_UP);
static_assert(int(gpu::ShuffleMode::IDX) == FUSER_SIM_SHUFFLE_IDX);

namespace {
/// Lowers the ops of one kernel.
class GpuOpLowering {
public:
  GpuOpLowering(Value thread, SimThread &emitter)
      : thread(thread), emitter(emitter) {}

  /// What stands for the results of `op`; failure if the simulator does not
  /// know it.
  FailureOr<SmallVector<Value>> lower(OpBuilder &b, Operation *op);

private:
  std::optional<size_t> findBlockField(Operation *op);
  Value index(OpBuilder &b, Location loc, Value number) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  }
  Value constant(OpBuilder &b, Location loc, int64_t value, unsigned width) {
    return LLVM::ConstantOp::create(
        b, loc, b.getIntegerAttr(b.getIntegerType(width), value));
  }
  /// The number of the thread in its block.
  Value loadLinear(OpBuilder &b, Location loc) {
    return emitter.loadFromThread(b, loc, thread, b.getI64Type(),
                                  offsetof(FuserSimThread, linear_id));
  }
  SmallVector<Value> lowerShuffle(OpBuilder &b, gpu::ShuffleOp op);
  Value lowerDynamicShared(OpBuilder &b, gpu::DynamicSharedMemoryOp op);

  Value thread;
  SimThread &emitter;
};
} // namespace

template <typename OpTy>
static std::optional<size_t> matchField(Operation *op, size_t field) {
  if (auto id = dyn_cast<OpTy>(op))
    return field + sizeof(int64_t) * static_cast<size_t>(id.getDimension());
  return std::nullopt;
}

/// The offset of the member of FuserSimBlock that `op` reads; none for others.
std::optional<size_t> GpuOpLowering::findBlockField(Operation *op) {
#define MATCH(OpTy, field)                                                     \
  if (auto offset = matchField<gpu::OpTy>(op, offsetof(FuserSimBlock, field))) \
  return offset
  MATCH(BlockIdOp, block_id);
  MATCH(BlockDimOp, block_dim);
  MATCH(GridDimOp, grid_dim);
  MATCH(ClusterIdOp, cluster_id);
  MATCH(ClusterDimOp, cluster_dim);
  MATCH(ClusterBlockIdOp, cluster_block_id);
  MATCH(ClusterDimBlocksOp, cluster_blocks);
#undef MATCH
  return std::nullopt;
}

SmallVector<Value> GpuOpLowering::lowerShuffle(OpBuilder &b,
                                               gpu::ShuffleOp op) {
  Location loc = op.getLoc();
  Type type = op.getValue().getType(), i64 = b.getI64Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value value = op.getValue();
  if (type != integer)
    value = LLVM::BitcastOp::create(b, loc, integer, value);
  if (bits < 64)
    value = LLVM::ZExtOp::create(b, loc, i64, value);
  Value mode = constant(b, loc, static_cast<int64_t>(op.getMode()), 32);
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, i64});
  Operation *call =
      emitter.call(b, op, thread, offsetof(FuserSimApi, shuffle), result,
                   {mode, value, op.getOffset(), op.getWidth()});
  Value moved = LLVM::ExtractValueOp::create(b, loc, call->getResult(0), 0);
  Value valid = LLVM::ExtractValueOp::create(b, loc, call->getResult(0), 1);
  if (bits < 64)
    moved = LLVM::TruncOp::create(b, loc, integer, moved);
  if (type != integer)
    moved = LLVM::BitcastOp::create(b, loc, type, moved);
  return {moved, LLVM::TruncOp::create(b, loc, b.getI1Type(), valid)};
}

Value GpuOpLowering::lowerDynamicShared(OpBuilder &b,
                                        gpu::DynamicSharedMemoryOp op) {
  Location loc = op.getLoc();
  Type i64 = b.getI64Type(),
       pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value address = emitter.loadFromBlock(
      b, loc, thread, pointer, offsetof(FuserSimBlock, dynamic_shared));
  address.getDefiningOp()->setAttr(kBufferBytesAttrName,
                                   b.getI64IntegerAttr(0));
  Type list = LLVM::LLVMArrayType::get(i64, 1);
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer, pointer, i64, list, list});
  MemRefDescriptor memref = MemRefDescriptor::poison(b, loc, type);
  memref.setAllocatedPtr(b, loc, address);
  memref.setAlignedPtr(b, loc, address);
  memref.setConstantOffset(b, loc, 0);
  memref.setSize(
      b, loc, 0,
      emitter.loadFromBlock(b, loc, thread, i64,
                            offsetof(FuserSimBlock, dynamic_shared_bytes)));
  memref.setConstantStride(b, loc, 0, 1);
  return UnrealizedConversionCastOp::create(b, loc, op.getType(), Value(memref))
      .getResult(0);
}

FailureOr<SmallVector<Value>> GpuOpLowering::lower(OpBuilder &b,
                                                   Operation *op) {
  Location loc = op->getLoc();
  using Results = FailureOr<SmallVector<Value>>;
  auto one = [](Value value) -> Results { return SmallVector<Value>{value}; };
  if (std::optional<size_t> field = findBlockField(op))
    return one(index(
        b, loc, emitter.loadFromBlock(b, loc, thread, b.getI64Type(), *field)));
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](gpu::ThreadIdOp id) {
        size_t dim = static_cast<size_t>(id.getDimension());
        return one(
            index(b, loc,
                  emitter.loadFromThread(b, loc, thread, b.getI64Type(),
                                         offsetof(FuserSimThread, thread_id) +
                                             dim * sizeof(int64_t))));
      })
      .Case([&](gpu::LaneIdOp) {
        return one(
            index(b, loc,
                  LLVM::AndOp::create(b, loc, loadLinear(b, loc),
                                      constant(b, loc, kWarpSize - 1, 64))));
      })
      .Case([&](gpu::BarrierOp) {
        emitter.call(b, op, thread, offsetof(FuserSimApi, barrier), nullptr,
                     {});
        return Results(SmallVector<Value>());
      })
      .Case([&](gpu::ShuffleOp shuffle) {
        return Results(lowerShuffle(b, shuffle));
      })
      .Case([&](gpu::DynamicSharedMemoryOp shared) {
        return one(lowerDynamicShared(b, shared));
      })
      .Default([](Operation *) { return failure(); });
}

LogicalResult fuser::lowerGpuOps(FunctionOpInterface kernel,
                                 SimThread &emitter) {
  SmallVector<Operation *> ops;
  kernel.getFunctionBody().walk([&](Operation *op) {
    if (isa<gpu::GPUDialect>(op->getDialect()))
      ops.push_back(op);
  });
  GpuOpLowering lowering(kernel.getArgument(kernel.getNumArguments() - 1),
                         emitter);
  for (Operation *op : ops) {
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> results = lowering.lower(b, op);
    if (failed(results))
      return op->emitOpError()
             << "is unknown to the simulator: expected an id or a size, "
                "gpu.barrier, gpu.shuffle or gpu.dynamic_shared_memory";
    op->replaceAllUsesWith(*results);
    op->erase();
  }
  return success();
}
