//===- KernelOps.cpp - Ops of the kernel dialect, simulated ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimThread.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser_rt/sim_abi.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace fuser;

static_assert(int(kernel::Scope::Block) == FUSER_SIM_SCOPE_BLOCK);
static_assert(int(kernel::Scope::Cluster) == FUSER_SIM_SCOPE_CLUSTER);
static_assert(int(kernel::Space::Shared) == FUSER_SIM_FENCE_SHARED);
static_assert(int(kernel::Space::Global) == FUSER_SIM_FENCE_GLOBAL);

namespace {
/// Lowers one op, at its place.
class KernelOpLowering {
public:
  KernelOpLowering(Operation *op, Value thread, SimThread &emitter,
                   const LLVMTypeConverter &converter)
      : b(op), op(op), loc(op->getLoc()), thread(thread), emitter(emitter),
        converter(converter) {}

  /// What stands for the result, null if there is none; failure if the
  /// simulator does not know the op.
  FailureOr<Value> lower();

private:
  Value integer(int64_t value, unsigned width) {
    return LLVM::ConstantOp::create(
        b, loc, b.getIntegerAttr(b.getIntegerType(width), value));
  }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  Value extend(Value value, unsigned width) {
    return LLVM::ZExtOp::create(b, loc, b.getIntegerType(width), value);
  }
  Value getDescriptor(Value memref);
  Value getAddress(Value memref, ValueRange indices);
  Value createSlot(Type type);
  Value createRef(Value memref, ValueRange indices, uint32_t kind);
  Operation *call(size_t function, ValueRange operands, Type result = Type()) {
    return emitter.call(b, op, thread, function, result, operands);
  }
  void callMBarrier(Value barriers, ValueRange indices, uint32_t action,
                    Value value, kernel::Scope scope);
  /// FUSER_SIM_VOTE and FUSER_SIM_ORDERS.
  Value meetWarp(Value votes);
  Value callBallot(Value predicate) { return meetWarp(extend(predicate, 32)); }

  Value lowerMapBlock(kernel::MapBlockOp op);
  void lowerArrive(kernel::MBarrierArriveOp op);
  void lowerStoreAsync(kernel::StoreAsyncOp op);
  void lowerBulkCopy(kernel::BulkCopyOp op);
  void callCopyAsync(Value source, ValueRange sourceIndices, Value target,
                     ValueRange targetIndices, int64_t bytes, Value condition);
  void lowerCopyAsync(kernel::CopyAsyncOp op);
  void lowerCopyNeighbours(kernel::CopyAsyncNeighboursOp op);
  Value lowerLoad(kernel::LoadOp op);
  void lowerStore(kernel::StoreOp op);
  Value getFirstLanes(Value count, int64_t lanes);
  Value lowerLoadNeighbours(kernel::LoadNeighboursOp op);
  void lowerStoreNeighbours(kernel::StoreNeighboursOp op);
  Value lowerCounterAdd(kernel::CounterAddOp op);
  void lowerCounterWait(kernel::CounterWaitOp op);
  Value lowerVote(kernel::VoteOp op);
  void callNamedBarrier(Value number, int32_t threads, bool waits);
  FailureOr<Value> lowerMBarrierOp();
  FailureOr<Value> lowerCopyOp();
  FailureOr<Value> lowerMemoryOp();
  FailureOr<Value> lowerMeeting();

  OpBuilder b;
  Operation *op;
  Location loc;
  Value thread;
  SimThread &emitter;
  const LLVMTypeConverter &converter;
};
} // namespace

//===----------------------------------------------------------------------===//
// Addresses and calls
//===----------------------------------------------------------------------===//

Value KernelOpLowering::getDescriptor(Value memref) {
  return UnrealizedConversionCastOp::create(
             b, loc, converter.convertType(memref.getType()), memref)
      .getResult(0);
}

Value KernelOpLowering::getAddress(Value memref, ValueRange indices) {
  SmallVector<Value> numbers =
      llvm::map_to_vector(indices, [&](Value index) { return toI64(index); });
  return LLVM::getStridedElementPtr(b, loc, converter,
                                    cast<MemRefType>(memref.getType()),
                                    getDescriptor(memref), numbers);
}

/// Memory of the thread for a value of `type`.
Value KernelOpLowering::createSlot(Type type) {
  OpBuilder top = OpBuilder::atBlockBegin(
      &op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
  Value one = LLVM::ConstantOp::create(top, loc, top.getI64IntegerAttr(1));
  return LLVM::AllocaOp::create(
      top, loc, LLVM::LLVMPointerType::get(b.getContext()), type, one);
}

static_assert(sizeof(FuserSimRef) == 24, "another layout, look at createRef");

/// The address of a FuserSimRef, whose base the checks know later.
Value KernelOpLowering::createRef(Value memref, ValueRange indices,
                                  uint32_t kind) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer, pointer, b.getI64Type()});
  Value slot = createSlot(type);
  LLVM::StoreOp::create(b, loc, LLVM::ZeroOp::create(b, loc, type), slot);
  auto store = LLVM::StoreOp::create(b, loc, getAddress(memref, indices), slot);
  store->setAttr(kRefAttrName, b.getI32IntegerAttr(static_cast<int32_t>(kind)));
  return slot;
}

/// The result is the source's descriptor with another block's pointer.
Value KernelOpLowering::lowerMapBlock(kernel::MapBlockOp op) {
  MemRefDescriptor source(getDescriptor(op.getSource()));
  Value aligned = source.alignedPtr(b, loc);
  Operation *mapped = call(offsetof(FuserSimApi, map_block),
                           {aligned, toI64(op.getBlock())}, aligned.getType());
  mapped->setAttr(kMapsAttrName, b.getUnitAttr());
  source.setAllocatedPtr(b, loc, mapped->getResult(0));
  source.setAlignedPtr(b, loc, mapped->getResult(0));
  return UnrealizedConversionCastOp::create(b, loc, op.getType(), Value(source))
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Mbarriers and copies
//===----------------------------------------------------------------------===//

void KernelOpLowering::callMBarrier(Value barriers, ValueRange indices,
                                    uint32_t action, Value value,
                                    kernel::Scope scope) {
  Value ref = createRef(barriers, indices, FUSER_SIM_READ | FUSER_SIM_WRITE);
  call(offsetof(FuserSimApi, mbarrier),
       {ref, integer(action, 32), value,
        integer(static_cast<int64_t>(scope), 32)});
}

void KernelOpLowering::lowerArrive(kernel::MBarrierArriveOp op) {
  bool expects = static_cast<bool>(op.getBytes());
  Value value = expects         ? op.getBytes()
                : op.getCount() ? op.getCount()
                                : integer(1, 32);
  callMBarrier(op.getBarriers(), op.getIndices(),
               expects ? FUSER_SIM_MBARRIER_ARRIVE_EXPECT
                       : FUSER_SIM_MBARRIER_ARRIVE,
               value, op.getScope());
}

void KernelOpLowering::lowerStoreAsync(kernel::StoreAsyncOp op) {
  Type type = op.getValue().getType();
  Value value = createSlot(type);
  LLVM::StoreOp::create(b, loc, op.getValue(), value);
  call(offsetof(FuserSimApi, store_async),
       {createRef(op.getBase(), op.getIndices(), FUSER_SIM_WRITE), value,
        integer(kernel::countBytes(type), 32),
        createRef(op.getBarriers(), op.getBarrierIndices(), FUSER_SIM_WRITE)});
}

void KernelOpLowering::lowerBulkCopy(kernel::BulkCopyOp op) {
  auto type = cast<MemRefType>(op.getSource().getType());
  Value bytes = LLVM::MulOp::create(
      b, loc, toI64(op.getCount()),
      integer(kernel::countBytes(type.getElementType()), 64));
  Value barrier =
      op.getBarriers()
          ? createRef(op.getBarriers(), op.getBarrierIndices(), FUSER_SIM_WRITE)
          : LLVM::ZeroOp::create(b, loc,
                                 LLVM::LLVMPointerType::get(b.getContext()));
  call(offsetof(FuserSimApi, bulk_copy),
       {createRef(op.getSource(), op.getSourceIndices(), FUSER_SIM_READ),
        createRef(op.getTarget(), op.getTargetIndices(), FUSER_SIM_WRITE),
        bytes, barrier});
}

FailureOr<Value> KernelOpLowering::lowerMBarrierOp() {
  using Result = FailureOr<Value>;
  auto bulkGroup = [&](uint32_t action, uint32_t groups) {
    call(offsetof(FuserSimApi, bulk_group),
         {integer(action, 32), integer(groups, 32)});
    return Value();
  };
  auto fence = [&](uint32_t kind) {
    call(offsetof(FuserSimApi, fence), {integer(kind, 32)});
    return Value();
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](kernel::MBarrierInitOp op) {
        callMBarrier(op.getBarriers(), op.getIndices(), FUSER_SIM_MBARRIER_INIT,
                     op.getCount(), kernel::Scope::Block);
        return Value();
      })
      .Case([&](kernel::MBarrierArriveOp op) {
        lowerArrive(op);
        return Value();
      })
      .Case([&](kernel::MBarrierExpectOp op) {
        callMBarrier(op.getBarriers(), op.getIndices(),
                     FUSER_SIM_MBARRIER_EXPECT, op.getBytes(),
                     kernel::Scope::Block);
        return Value();
      })
      .Case([&](kernel::MBarrierWaitOp op) {
        callMBarrier(op.getBarriers(), op.getIndices(), FUSER_SIM_MBARRIER_WAIT,
                     extend(op.getPhase(), 32), op.getScope());
        return Value();
      })
      .Case([&](kernel::FenceMBarrierInitOp) {
        return fence(FUSER_SIM_FENCE_MBARRIERS);
      })
      .Case([&](kernel::FenceAsyncOp op) {
        return fence(static_cast<uint32_t>(op.getSpace()));
      })
      .Case([&](kernel::StoreAsyncOp op) {
        lowerStoreAsync(op);
        return Value();
      })
      .Case([&](kernel::BulkCopyOp op) {
        lowerBulkCopy(op);
        return Value();
      })
      .Case([&](kernel::BulkCommitOp) {
        return bulkGroup(FUSER_SIM_BULK_COMMIT, 0);
      })
      .Case([&](kernel::BulkWaitOp op) {
        return bulkGroup(op.getRead() ? FUSER_SIM_BULK_WAIT_READ
                                      : FUSER_SIM_BULK_WAIT,
                         op.getGroups());
      })
      .Default([](Operation *) { return failure(); });
}

//===----------------------------------------------------------------------===//
// Copies of a thread
//===----------------------------------------------------------------------===//

/// Copies zeros if `condition` does not hold; null is true.
void KernelOpLowering::callCopyAsync(Value source, ValueRange sourceIndices,
                                     Value target, ValueRange targetIndices,
                                     int64_t bytes, Value condition) {
  Value ref = createRef(source, sourceIndices, FUSER_SIM_READ);
  if (condition)
    ref = LLVM::SelectOp::create(b, loc, condition, ref,
                                 LLVM::ZeroOp::create(b, loc, ref.getType()));
  call(offsetof(FuserSimApi, copy_async),
       {ref, createRef(target, targetIndices, FUSER_SIM_WRITE),
        integer(bytes, 32)});
}

void KernelOpLowering::lowerCopyAsync(kernel::CopyAsyncOp op) {
  callCopyAsync(op.getSource(), op.getSourceIndices(), op.getTarget(),
                op.getTargetIndices(), op.getNumBytes(), op.getCondition());
}

/// Each element that is there by itself: what words hold beside them is not
/// simulated.
void KernelOpLowering::lowerCopyNeighbours(kernel::CopyAsyncNeighboursOp op) {
  callBallot(
      LLVM::ConstantOp::create(b, loc, b.getBoolAttr(true))); // Together.
  auto type = cast<MemRefType>(op.getSource().getType());
  int64_t bytes = kernel::countBytes(type.getElementType());
  auto moveLast = [&](ValueRange indices, int64_t distance) {
    auto moved = llvm::to_vector(indices);
    moved.back() = arith::AddIOp::create(
        b, loc, moved.back(), arith::ConstantIndexOp::create(b, loc, distance));
    return moved;
  };
  for (int64_t i = 0; i < int64_t(op.getWidth()); ++i) {
    Value condition = op.getCondition();
    if (Value count = op.getCount()) {
      Value isThere = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt,
                                           integer(i, 64), toI64(count));
      condition =
          condition ? LLVM::AndOp::create(b, loc, condition, isThere) : isThere;
    }
    callCopyAsync(op.getSource(), moveLast(op.getSourceIndices(), i),
                  op.getTarget(), moveLast(op.getTargetIndices(), i), bytes,
                  condition);
  }
}

FailureOr<Value> KernelOpLowering::lowerCopyOp() {
  using Result = FailureOr<Value>;
  auto copyGroup = [&](uint32_t action, uint32_t groups) {
    call(offsetof(FuserSimApi, copy_group),
         {integer(action, 32), integer(groups, 32)});
    return Value();
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](kernel::CopyAsyncOp op) {
        lowerCopyAsync(op);
        return Value();
      })
      .Case([&](kernel::CopyAsyncNeighboursOp op) {
        lowerCopyNeighbours(op);
        return Value();
      })
      .Case([&](kernel::LoadCopiedOp op) {
        return LLVM::LoadOp::create(
                   b, loc, op.getType(),
                   getAddress(op.getTarget(), op.getTargetIndices()),
                   kernel::countBytes(op.getType()))
            .getResult();
      })
      .Case([&](kernel::CopyAsyncCommitOp) {
        return copyGroup(FUSER_SIM_COPY_COMMIT, 0);
      })
      .Case([&](kernel::CopyAsyncWaitOp op) {
        return copyGroup(FUSER_SIM_COPY_WAIT, op.getGroups());
      })
      .Default([](Operation *) { return failure(); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Caches are not simulated.
Value KernelOpLowering::lowerLoad(kernel::LoadOp op) {
  return LLVM::LoadOp::create(b, loc, op.getType(),
                              getAddress(op.getBase(), op.getIndices()),
                              kernel::countBytes(op.getType()));
}

void KernelOpLowering::lowerStore(kernel::StoreOp op) {
  LLVM::StoreOp::create(b, loc, op.getValue(),
                        getAddress(op.getBase(), op.getIndices()),
                        kernel::countBytes(op.getValue().getType()));
}

/// A mask of the first `count` of so many lanes; null: of all.
Value KernelOpLowering::getFirstLanes(Value count, int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI64Type());
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  Value numbers = LLVM::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(all)));
  Value end = count ? toI64(count) : integer(lanes, 64);
  Value ends = LLVM::PoisonOp::create(b, loc, type);
  for (int64_t lane : all)
    ends = LLVM::InsertElementOp::create(b, loc, ends, end, integer(lane, 64));
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, numbers, ends);
}

/// A vector of integers that are as wide as the elements of `type`: LLVM has no
/// masked accesses of narrow floats.
static VectorType getIntegers(VectorType type) {
  return VectorType::get(
      type.getShape(),
      IntegerType::get(type.getContext(), type.getElementTypeBitWidth()));
}

Value KernelOpLowering::lowerLoadNeighbours(kernel::LoadNeighboursOp op) {
  auto type = cast<VectorType>(op.getType());
  VectorType integers = getIntegers(type);
  Value zero = LLVM::ZeroOp::create(b, loc, integers);
  Value loaded = LLVM::MaskedLoadOp::create(
      b, loc, integers, getAddress(op.getBase(), op.getIndices()),
      getFirstLanes(op.getCount(), type.getNumElements()), zero,
      b.getI32IntegerAttr(static_cast<int32_t>(op.getAlignment())));
  return LLVM::BitcastOp::create(b, loc, type, loaded);
}

void KernelOpLowering::lowerStoreNeighbours(kernel::StoreNeighboursOp op) {
  auto type = cast<VectorType>(op.getValue().getType());
  if (op.getLanes() > 1) // Together.
    callBallot(LLVM::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  Value stored =
      LLVM::BitcastOp::create(b, loc, getIntegers(type), op.getValue());
  LLVM::MaskedStoreOp::create(
      b, loc, stored, getAddress(op.getBase(), op.getIndices()),
      getFirstLanes(op.getCount(), type.getNumElements()),
      b.getI32IntegerAttr(static_cast<int32_t>(op.getAlignment())));
}

static LLVM::AtomicOrdering getOrdering(kernel::Order order) {
  switch (order) {
  case kernel::Order::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case kernel::Order::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case kernel::Order::Release:
    return LLVM::AtomicOrdering::release;
  case kernel::Order::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("an order");
}

Value KernelOpLowering::lowerCounterAdd(kernel::CounterAddOp op) {
  return LLVM::AtomicRMWOp::create(
      b, loc, LLVM::AtomicBinOp::add, getAddress(op.getBase(), op.getIndices()),
      op.getIncrement(), getOrdering(op.getOrder()),
      kernel::stringifyScope(op.getScope()));
}

void KernelOpLowering::lowerCounterWait(kernel::CounterWaitOp op) {
  unsigned bits = op.getBound().getType().getIntOrFloatBitWidth();
  Value bound = bits < 64 ? extend(op.getBound(), 64) : op.getBound();
  call(offsetof(FuserSimApi, counter_wait),
       {createRef(op.getBase(), op.getIndices(), FUSER_SIM_READ), bound,
        integer(bits / 8, 32)});
}

FailureOr<Value> KernelOpLowering::lowerMemoryOp() {
  using Result = FailureOr<Value>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](kernel::MapBlockOp op) { return lowerMapBlock(op); })
      .Case([&](kernel::LoadOp op) { return lowerLoad(op); })
      .Case([&](kernel::StoreOp op) {
        lowerStore(op);
        return Value();
      })
      .Case(
          [&](kernel::LoadNeighboursOp op) { return lowerLoadNeighbours(op); })
      .Case([&](kernel::StoreNeighboursOp op) {
        lowerStoreNeighbours(op);
        return Value();
      })
      .Case([&](kernel::CounterAddOp op) { return lowerCounterAdd(op); })
      .Case([&](kernel::CounterWaitOp op) {
        lowerCounterWait(op);
        return Value();
      })
      .Default([](Operation *) { return failure(); });
}

//===----------------------------------------------------------------------===//
// Threads that meet
//===----------------------------------------------------------------------===//

Value KernelOpLowering::meetWarp(Value votes) {
  return call(offsetof(FuserSimApi, ballot), votes, b.getI64Type())
      ->getResult(0);
}

/// The ballot has who voted in its upper half.
Value KernelOpLowering::lowerVote(kernel::VoteOp op) {
  Value ballot = callBallot(op.getPredicate());
  Type i32 = b.getI32Type();
  Value bits = LLVM::TruncOp::create(b, loc, i32, ballot);
  if (op.getKind() == kernel::Vote::Any)
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, bits,
                                integer(0, 32));
  Value lanes = LLVM::TruncOp::create(
      b, loc, i32, LLVM::LShrOp::create(b, loc, ballot, integer(32, 64)));
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, bits, lanes);
}

void KernelOpLowering::callNamedBarrier(Value number, int32_t threads,
                                        bool waits) {
  call(offsetof(FuserSimApi, named_barrier),
       {toI64(number), integer(threads, 32), integer(waits, 32)});
}

FailureOr<Value> KernelOpLowering::lowerMeeting() {
  using Result = FailureOr<Value>;
  auto cluster = [&](bool waits) {
    call(offsetof(FuserSimApi, cluster_barrier), {integer(waits, 32)});
    return Value();
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](kernel::ClusterArriveOp) { return cluster(false); })
      .Case([&](kernel::ClusterWaitOp) { return cluster(true); })
      .Case([&](kernel::BarrierOp op) {
        callNamedBarrier(op.getNumber(), op.getThreads(), true);
        return Value();
      })
      .Case([&](kernel::BarrierArriveOp op) {
        callNamedBarrier(op.getNumber(), op.getThreads(), false);
        return Value();
      })
      .Case([&](kernel::VoteOp op) { return lowerVote(op); })
      .Case([&](kernel::BallotOp op) {
        return LLVM::TruncOp::create(b, loc, b.getI32Type(),
                                     callBallot(op.getPredicate()))
            .getResult();
      })
      .Case([&](kernel::SyncWarpOp) {
        meetWarp(integer(FUSER_SIM_VOTE | FUSER_SIM_ORDERS, 32));
        return Value();
      })
      .Case([&](kernel::ElectOp) {
        Value isLeader = call(offsetof(FuserSimApi, elect), {}, b.getI32Type())
                             ->getResult(0);
        return LLVM::TruncOp::create(b, loc, b.getI1Type(), isLeader)
            .getResult();
      })
      // Launches of a stream are simulated one after the other.
      .Case<kernel::GridDependencyWaitOp, kernel::GridDependencyLaunchOp>(
          [](Operation *) { return Value(); })
      .Default([](Operation *) { return failure(); });
}

FailureOr<Value> KernelOpLowering::lower() {
  for (auto family :
       {&KernelOpLowering::lowerMBarrierOp, &KernelOpLowering::lowerCopyOp,
        &KernelOpLowering::lowerMemoryOp, &KernelOpLowering::lowerMeeting})
    if (FailureOr<Value> result = (this->*family)(); succeeded(result))
      return result;
  return failure();
}

LogicalResult fuser::lowerKernelOps(FunctionOpInterface kernel,
                                    SimThread &emitter,
                                    const LLVMTypeConverter &converter) {
  SmallVector<Operation *> ops;
  kernel.getFunctionBody().walk([&](Operation *op) {
    if (isa<kernel::KernelDialect>(op->getDialect()))
      ops.push_back(op);
  });
  Value thread = kernel.getArgument(kernel.getNumArguments() - 1);
  for (Operation *op : ops) {
    FailureOr<Value> result =
        KernelOpLowering(op, thread, emitter, converter).lower();
    if (failed(result))
      return op->emitOpError()
             << "is unknown to the simulator: expected an op of kernel for an "
                "mbarrier, memory or a meeting of threads";
    if (*result)
      op->replaceAllUsesWith(ValueRange(*result));
    op->erase();
  }
  return success();
}
