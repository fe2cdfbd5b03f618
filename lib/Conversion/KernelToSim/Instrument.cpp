//===- Instrument.cpp - Accesses that a simulator checks ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimThread.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser_rt/sim_abi.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace fuser;

namespace {
/// An op that touches memory.
struct Access {
  Operation *op;
  Value address;
  Type type;  ///< Of what is read or written.
  Value mask; ///< Of its lanes; null for all.
  uint64_t alignment;
  uint32_t kind;
};

class Instrumenter {
public:
  Instrumenter(LLVM::LLVMFuncOp kernel, SimThread &emitter)
      : kernel(kernel), emitter(emitter), layout(DataLayout::closest(kernel)) {}

  LogicalResult run();

private:
  LogicalResult collect(Operation *op, SmallVectorImpl<Access> &accesses);
  void announce(const Access &access);
  Value getMask(OpBuilder &b, const Access &access, uint32_t lanes);
  void describeParams();

  LLVM::LLVMFuncOp kernel;
  SimThread &emitter;
  DataLayout layout;
  /// What is done with each argument of the kernel.
  llvm::DenseMap<Value, uint32_t> touched;
  /// Something was written whose base is not known.
  bool writesAnything = false;
};
} // namespace

/// Loads of what the thread is, or of a constant.
static bool isOfSimulator(LLVM::LoadOp op) { return op.getInvariant(); }

/// The start of the buffer that `address` was computed from: an argument of the
/// kernel, or a part of shared memory. Null if that is not known.
static Value findBase(Value address) {
  while (true) {
    if (isa<BlockArgument>(address))
      return cast<BlockArgument>(address).getOwner()->isEntryBlock() ? address
                                                                     : Value();
    Operation *op = address.getDefiningOp();
    if (op->hasAttr(kBufferBytesAttrName))
      return address;
    if (isa<LLVM::GEPOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op))
      address = op->getOperand(0);
    else
      return Value();
  }
}

static bool isPrivate(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (isa<LLVM::AllocaOp>(op))
      return true;
    if (!isa<LLVM::GEPOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op))
      return false;
    address = op->getOperand(0);
  }
  return false;
}

static uint32_t getOrdering(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::acquire:
    return FUSER_SIM_ACQUIRE;
  case LLVM::AtomicOrdering::release:
    return FUSER_SIM_RELEASE;
  case LLVM::AtomicOrdering::acq_rel:
  case LLVM::AtomicOrdering::seq_cst:
    return FUSER_SIM_ACQUIRE | FUSER_SIM_RELEASE;
  default:
    return 0;
  }
}

LogicalResult Instrumenter::collect(Operation *op,
                                    SmallVectorImpl<Access> &accesses) {
  constexpr uint32_t kUpdate =
      FUSER_SIM_READ | FUSER_SIM_WRITE | FUSER_SIM_ATOMIC;
  auto add = [&](Value address, Type type, uint32_t kind,
                 std::optional<uint64_t> alignment, Value mask = {}) {
    if (!isPrivate(address))
      accesses.push_back({op, address, type, mask,
                          alignment.value_or(layout.getTypeABIAlignment(type)),
                          kind});
    return success();
  };
  auto atomic = [&](auto access, uint32_t kind) {
    bool isAtomic = access.getOrdering() != LLVM::AtomicOrdering::not_atomic;
    return kind | (isAtomic ? FUSER_SIM_ATOMIC : 0) |
           getOrdering(access.getOrdering());
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LLVM::LoadOp load) {
        if (isOfSimulator(load))
          return success();
        return add(load.getAddr(), load.getType(), atomic(load, FUSER_SIM_READ),
                   load.getAlignment());
      })
      .Case([&](LLVM::StoreOp store) {
        return add(store.getAddr(), store.getValue().getType(),
                   atomic(store, FUSER_SIM_WRITE), store.getAlignment());
      })
      .Case([&](LLVM::MaskedLoadOp load) {
        return add(load.getData(), load.getType(), FUSER_SIM_READ,
                   load.getAlignment(), load.getMask());
      })
      .Case([&](LLVM::MaskedStoreOp store) {
        return add(store.getData(), store.getValue().getType(), FUSER_SIM_WRITE,
                   store.getAlignment(), store.getMask());
      })
      .Case([&](LLVM::AtomicRMWOp rmw) {
        return add(rmw.getPtr(), rmw.getType(),
                   kUpdate | getOrdering(rmw.getOrdering()),
                   rmw.getAlignment());
      })
      .Case([&](LLVM::AtomicCmpXchgOp exchange) {
        return add(exchange.getPtr(), exchange.getVal().getType(),
                   kUpdate | getOrdering(exchange.getSuccessOrdering()),
                   exchange.getAlignment());
      })
      .Default([](Operation *op) -> LogicalResult {
        if (isa<LLVM::masked_gather, LLVM::masked_scatter, LLVM::MemcpyOp,
                LLVM::MemcpyInlineOp, LLVM::MemmoveOp, LLVM::MemsetOp,
                LLVM::masked_expandload, LLVM::masked_compressstore>(op))
          return op->emitOpError() << "is an access that cannot be checked";
        return success();
      });
}

/// A mask of i1 as bits.
Value Instrumenter::getMask(OpBuilder &b, const Access &access,
                            uint32_t lanes) {
  Location loc = access.op->getLoc();
  Type i64 = b.getI64Type();
  if (!access.mask)
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(-1));
  Value bits =
      LLVM::BitcastOp::create(b, loc, b.getIntegerType(lanes), access.mask);
  return lanes == 64 ? bits : LLVM::ZExtOp::create(b, loc, i64, bits);
}

void Instrumenter::announce(const Access &access) {
  OpBuilder b(access.op);
  Location loc = access.op->getLoc();
  auto vector = dyn_cast<VectorType>(access.type);
  Type element = vector ? vector.getElementType() : access.type;
  uint32_t lanes = vector ? vector.getNumElements() : 1;
  Value base = findBase(access.address);
  uint64_t bufferBytes = 0;
  if (auto argument = dyn_cast_if_present<BlockArgument>(base))
    touched[argument] |= access.kind;
  else if (base)
    bufferBytes =
        cast<IntegerAttr>(base.getDefiningOp()->getAttr(kBufferBytesAttrName))
            .getInt();
  else
    writesAnything |= access.kind & FUSER_SIM_WRITE;
  Value info = emitter.getAccess(
      b, access.op,
      {access.kind, lanes, static_cast<uint32_t>(layout.getTypeSize(element)),
       static_cast<uint32_t>(access.alignment), bufferBytes});
  if (!base)
    base = LLVM::ZeroOp::create(b, loc, access.address.getType());
  Value thread = kernel.getArgument(kernel.getNumArguments() - 1);
  emitter.callWith(b, loc, thread, offsetof(FuserSimApi, access), nullptr,
                   {access.address, base, getMask(b, access, lanes), info});
}

/// Says at the start what is done with the parameters.
void Instrumenter::describeParams() {
  FailureOr<SmallVector<host::ParamAttr>> params =
      host::getKernelParams(kernel);
  SmallVector<SimParam> described;
  for (auto [i, param] : llvm::enumerate(*params)) {
    SimParam result{static_cast<int32_t>(param.getArgument()), 0, 1};
    if (param.getKind() == host::ParamKind::Pointer) {
      result.access = FUSER_SIM_READ;
      if (writesAnything ||
          touched.lookup(kernel.getArgument(i)) & FUSER_SIM_WRITE)
        result.access |= FUSER_SIM_WRITE;
      if (auto alignment = kernel.getArgAttrOfType<IntegerAttr>(
              i, LLVM::LLVMDialect::getAlignAttrName()))
        result.alignment = alignment.getInt();
    }
    described.push_back(result);
  }
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  Value info = emitter.createInfo(b, loc, described);
  Value thread = kernel.getArgument(kernel.getNumArguments() - 1);
  emitter.callWith(b, loc, thread, offsetof(FuserSimApi, begin), nullptr, info);
}

LogicalResult Instrumenter::run() {
  SmallVector<Access> accesses;
  WalkResult result = kernel.walk([&](Operation *op) {
    return failed(collect(op, accesses)) ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (const Access &access : accesses)
    announce(access);
  describeParams();
  return success();
}

LogicalResult fuser::instrumentAccesses(LLVM::LLVMFuncOp kernel,
                                        SimThread &emitter) {
  return Instrumenter(kernel, emitter).run();
}
