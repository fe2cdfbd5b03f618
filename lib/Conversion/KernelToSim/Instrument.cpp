//===- Instrument.cpp - Accesses that a simulator checks ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimThread.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser_rt/sim_abi.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  /// Of the thread's own memory; null for other memory.
  LLVM::AllocaOp buffer;
};

/// The start of the buffer that an address was computed from.
struct Base {
  Value address; ///< Null if that is not known.
  uint64_t bufferBytes = 0;
};

class Instrumenter {
public:
  Instrumenter(LLVM::LLVMFuncOp kernel, SimThread &emitter)
      : kernel(kernel), emitter(emitter), layout(DataLayout::closest(kernel)) {}

  LogicalResult run();

private:
  LogicalResult collect(Operation *op, SmallVectorImpl<Access> &accesses);
  bool staysInBuffer(const Access &access);
  void announce(const Access &access);
  Value getBytes(OpBuilder &b, LLVM::AllocaOp buffer);
  Base find(Value address, uint32_t kind);
  void completeRef(LLVM::StoreOp store);
  Value getMask(OpBuilder &b, const Access &access, uint32_t lanes,
                uint32_t first);
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

/// The first load of a loop around a compare-and-swap. What it reads is checked
/// by that.
static bool isOfUpdate(Operation *op) {
  auto named = dyn_cast<NameLoc>(op->getLoc());
  return named &&
         named.getName() == memref::GenericAtomicRMWOp::getOperationName();
}

/// Loads of what the thread is, or of a constant.
static bool isOfSimulator(LLVM::LoadOp op) { return op.getInvariant(); }

/// An argument of the kernel, or a part of shared memory, of this block or
/// another one.
static Base findBase(Value address) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(address))
      return {argument.getOwner()->isEntryBlock() ? address : Value()};
    Operation *op = address.getDefiningOp();
    if (auto bytes = op->getAttrOfType<IntegerAttr>(kBufferBytesAttrName))
      return {address, static_cast<uint64_t>(bytes.getInt())};
    if (op->hasAttr(kMapsAttrName)) {
      // What is mapped is the start of a buffer, behind the function and the
      // thread.
      Base source = findBase(op->getOperand(2));
      return source.address == op->getOperand(2)
                 ? Base{address, source.bufferBytes}
                 : Base();
    }
    if (!isa<LLVM::GEPOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op))
      return {};
    address = op->getOperand(0);
  }
}

/// The thread's own memory that `address` was computed from; null if it was
/// from other memory.
static LLVM::AllocaOp findPrivate(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (auto buffer = dyn_cast<LLVM::AllocaOp>(op))
      return buffer;
    if (!isa<LLVM::GEPOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op))
      return nullptr;
    address = op->getOperand(0);
  }
  return nullptr;
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

/// PTX's atomic instructions order nothing unless they say so, and that of
/// memref.atomic_rmw does not; kernel.counter_add has a scope.
static uint32_t getOrdering(LLVM::AtomicRMWOp op) {
  return op.getSyncscope() ? getOrdering(op.getOrdering()) : 0;
}

static uint32_t getScope(std::optional<StringRef> scope) {
  if (!scope)
    return 0;
  if (*scope == kernel::stringifyScope(kernel::Scope::Block))
    return FUSER_SIM_OF_BLOCK;
  return *scope == kernel::stringifyScope(kernel::Scope::Cluster)
             ? FUSER_SIM_OF_CLUSTER
             : 0;
}

LogicalResult Instrumenter::collect(Operation *op,
                                    SmallVectorImpl<Access> &accesses) {
  constexpr uint32_t kUpdate =
      FUSER_SIM_READ | FUSER_SIM_WRITE | FUSER_SIM_ATOMIC;
  auto add = [&](Value address, Type type, uint32_t kind,
                 std::optional<uint64_t> alignment, Value mask = {}) {
    accesses.push_back({op, address, type, mask,
                        alignment.value_or(layout.getTypeABIAlignment(type)),
                        kind, findPrivate(address)});
    return success();
  };
  auto atomic = [&](auto access, uint32_t kind) {
    bool isAtomic = access.getOrdering() != LLVM::AtomicOrdering::not_atomic;
    return kind | (isAtomic ? FUSER_SIM_ATOMIC : 0) |
           getOrdering(access.getOrdering()) | getScope(access.getSyncscope());
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LLVM::LoadOp load) {
        if (isOfSimulator(load))
          return success();
        return add(load.getAddr(), load.getType(),
                   atomic(load, FUSER_SIM_READ) |
                       (isOfUpdate(load) ? FUSER_SIM_ATOMIC : 0),
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
                   kUpdate | getOrdering(rmw) | getScope(rmw.getSyncscope()),
                   rmw.getAlignment());
      })
      .Case([&](LLVM::AtomicCmpXchgOp exchange) {
        return add(exchange.getPtr(), exchange.getVal().getType(),
                   kUpdate | getOrdering(exchange.getSuccessOrdering()) |
                       getScope(exchange.getSyncscope()),
                   exchange.getAlignment());
      })
      .Default([](Operation *op) -> LogicalResult {
        if (isa<LLVM::masked_gather, LLVM::masked_scatter, LLVM::MemcpyOp,
                LLVM::MemcpyInlineOp, LLVM::MemmoveOp, LLVM::MemsetOp,
                LLVM::masked_expandload, LLVM::masked_compressstore>(op))
          return op->emitOpError()
                 << "is an access that the simulator cannot check: expected a "
                    "load or a store of neighbours, or an atomic access";
        return success();
      });
}

/// Lanes that one call announces: those of FuserSimApi's mask.
static constexpr uint32_t kMaskLanes = 64;

/// The lanes from `first` on of a mask of i1, as bits.
Value Instrumenter::getMask(OpBuilder &b, const Access &access, uint32_t lanes,
                            uint32_t first) {
  Location loc = access.op->getLoc();
  Type i64 = b.getI64Type();
  if (!access.mask)
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(-1));
  Type all = b.getIntegerType(lanes);
  Value bits = LLVM::BitcastOp::create(b, loc, all, access.mask);
  if (first)
    bits = LLVM::LShrOp::create(
        b, loc, bits,
        LLVM::ConstantOp::create(b, loc, b.getIntegerAttr(all, first)));
  if (lanes < kMaskLanes)
    return LLVM::ZExtOp::create(b, loc, i64, bits);
  return lanes == kMaskLanes ? bits : LLVM::TruncOp::create(b, loc, i64, bits);
}

/// The base of `address`, of which something is noted: it is accessed so.
Base Instrumenter::find(Value address, uint32_t kind) {
  Base base = findBase(address);
  if (auto argument = dyn_cast_if_present<BlockArgument>(base.address))
    touched[argument] |= kind;
  else if (!base.address)
    writesAnything |= kind & FUSER_SIM_WRITE;
  return base;
}

/// Tells what accesses memory itself about the base of an address.
void Instrumenter::completeRef(LLVM::StoreOp store) {
  auto kind = store->getAttrOfType<IntegerAttr>(kRefAttrName);
  if (!kind)
    return;
  Base base = find(store.getValue(), static_cast<uint32_t>(kind.getInt()));
  if (!base.address)
    return;
  OpBuilder b(store);
  b.setInsertionPointAfter(store);
  Location loc = store.getLoc();
  auto put = [&](Value value, size_t offset) {
    Value field = LLVM::GEPOp::create(
        b, loc, store.getAddr().getType(), b.getI8Type(), store.getAddr(),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    LLVM::StoreOp::create(b, loc, value, field);
  };
  put(base.address, offsetof(FuserSimRef, base));
  put(LLVM::ConstantOp::create(
          b, loc, b.getI64IntegerAttr(static_cast<int64_t>(base.bufferBytes))),
      offsetof(FuserSimRef, buffer_bytes));
}

/// The bytes between `address` and the start of the buffer that it was computed
/// from, if that is known.
static std::optional<int64_t> findOffset(Value address,
                                         const DataLayout &layout) {
  int64_t offset = 0;
  while (auto gep = address.getDefiningOp<LLVM::GEPOp>()) {
    if (gep.getIndices().size() != 1)
      return std::nullopt;
    APInt index;
    auto first = gep.getIndices()[0];
    if (auto attr = dyn_cast<IntegerAttr>(first))
      index = attr.getValue();
    else if (!matchPattern(cast<Value>(first), m_ConstantInt(&index)))
      return std::nullopt;
    offset += index.getSExtValue() *
              static_cast<int64_t>(layout.getTypeSize(gep.getElemType()));
    address = gep.getBase();
  }
  if (!address.getDefiningOp<LLVM::AllocaOp>())
    return std::nullopt;
  return offset;
}

/// Whether that is plain of an access to the thread's own memory.
bool Instrumenter::staysInBuffer(const Access &access) {
  std::optional<int64_t> offset = findOffset(access.address, layout);
  LLVM::AllocaOp buffer = access.buffer;
  APInt count;
  if (!offset || *offset < 0 ||
      !matchPattern(buffer.getArraySize(), m_ConstantInt(&count)))
    return false;
  uint64_t bytes =
      count.getZExtValue() * layout.getTypeSize(buffer.getElemType());
  return *offset + layout.getTypeSize(access.type) <= bytes;
}

/// What messages call the thread's own memory.
static std::string getName(LLVM::AllocaOp buffer) {
  auto named = dyn_cast<NameLoc>(buffer.getLoc());
  return named ? named.getName().str() : "a buffer of the thread";
}

Value Instrumenter::getBytes(OpBuilder &b, LLVM::AllocaOp buffer) {
  Location loc = buffer.getLoc();
  auto size = static_cast<int64_t>(layout.getTypeSize(buffer.getElemType()));
  Value count = buffer.getArraySize();
  if (count.getType() != b.getI64Type())
    count = LLVM::ZExtOp::create(b, loc, b.getI64Type(), count);
  return LLVM::MulOp::create(
      b, loc, count,
      LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(size)));
}

void Instrumenter::announce(const Access &access) {
  OpBuilder b(access.op);
  Location loc = access.op->getLoc();
  auto vector = dyn_cast<VectorType>(access.type);
  Type element = vector ? vector.getElementType() : access.type;
  uint32_t lanes = vector ? vector.getNumElements() : 1;
  LLVM::AllocaOp buffer = access.buffer;
  Base base = buffer ? Base{buffer} : find(access.address, access.kind);
  if (!base.address)
    base.address = LLVM::ZeroOp::create(b, loc, access.address.getType());
  auto laneBytes = static_cast<uint32_t>(layout.getTypeSize(element));
  Value thread = kernel.getArgument(kernel.getNumArguments() - 1);
  for (uint32_t first = 0; first < lanes; first += kMaskLanes) {
    uint64_t alignment =
        llvm::MinAlign(access.alignment, uint64_t(first) * laneBytes);
    Value info =
        emitter.getAccess(b, access.op,
                          {access.kind, std::min(lanes - first, kMaskLanes),
                           laneBytes, static_cast<uint32_t>(alignment),
                           base.bufferBytes, buffer ? getName(buffer) : ""});
    Value address = access.address;
    if (first)
      address = LLVM::GEPOp::create(
          b, loc, address.getType(), element, address,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(first)});
    SmallVector<Value> operands{address, base.address};
    if (buffer)
      operands.push_back(getBytes(b, buffer));
    operands.append({getMask(b, access, lanes, first), info});
    emitter.callWith(b, loc, thread,
                     buffer ? offsetof(FuserSimApi, private_access)
                            : offsetof(FuserSimApi, access),
                     nullptr, operands);
  }
}

static void callBegin(LLVM::LLVMFuncOp kernel, SimThread &emitter,
                      std::optional<ArrayRef<SimParam>> params) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  Value info = emitter.createInfo(b, loc, params);
  Value thread = kernel.getArgument(kernel.getNumArguments() - 1);
  emitter.callWith(b, loc, thread, offsetof(FuserSimApi, begin), nullptr, info);
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
  callBegin(kernel, emitter, ArrayRef(described));
}

LogicalResult Instrumenter::run() {
  SmallVector<Access> accesses;
  WalkResult result = kernel.walk([&](Operation *op) {
    return failed(collect(op, accesses)) ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  llvm::erase_if(accesses, [&](const Access &access) {
    return access.buffer && staysInBuffer(access);
  });
  kernel.walk([&](LLVM::StoreOp store) { completeRef(store); });
  for (const Access &access : accesses)
    announce(access);
  describeParams();
  return success();
}

void fuser::announceBuffers(LLVM::LLVMFuncOp kernel, SimThread &emitter) {
  if (emitter.hasMBarriers())
    callBegin(kernel, emitter, std::nullopt);
}

LogicalResult fuser::instrumentAccesses(LLVM::LLVMFuncOp kernel,
                                        SimThread &emitter) {
  return Instrumenter(kernel, emitter).run();
}
