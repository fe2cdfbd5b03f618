//===- SimThread.h - What a simulated thread is and calls ------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_KERNELTOSIM_SIMTHREAD_H
#define FUSER_LIB_CONVERSION_KERNELTOSIM_SIMTHREAD_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace fuser {

/// On the address of a buffer in shared memory: its size (an i64), 0 if it is
/// the launch's.
constexpr llvm::StringLiteral kBufferBytesAttrName = "fuser.buffer_bytes";
/// On a call that maps an address to another block of the cluster (UnitAttr).
constexpr llvm::StringLiteral kMapsAttrName = "fuser.maps";
/// On a store of an address to a FuserSimRef: how it is accessed (a number of
/// FUSER_SIM_READ...; an i32).
constexpr llvm::StringLiteral kRefAttrName = "fuser.ref";

/// The fields of FuserSimAccess.
struct SimAccess {
  uint32_t kind, lanes, laneBytes, alignment;
  uint64_t bufferBytes;
  std::string buffer; ///< Empty if it is not the thread's own.
};

/// FuserSimBuffer.
struct SimBuffer {
  std::string name;
  uint64_t offset, bytes, mbarrierBytes;
};

/// FuserSimParam.
struct SimParam {
  int32_t argument;
  uint32_t access;
  uint64_t alignment;
};

/// Emits what code of a kernel asks of its thread, the argument of type
/// FuserSimThread *, and the constants that calls name their place by.
class SimThread {
public:
  /// Constants go to the start of `module`.
  SimThread(Operation *module, StringRef kernel)
      : module(module), kernel(kernel.str()) {}

  /// The field at `offset` of what the thread's block is described by, or of
  /// the thread itself.
  Value loadFromBlock(OpBuilder &b, Location loc, Value thread, Type type,
                      size_t offset);
  Value loadFromThread(OpBuilder &b, Location loc, Value thread, Type type,
                       size_t offset);

  /// Calls the function at `offset` of the thread's table, with the thread
  /// first and the place of `op` last. `result` may be null.
  Operation *call(OpBuilder &b, Operation *op, Value thread, size_t offset,
                  Type result, ValueRange operands);

  /// The same with a last operand that names the place.
  Operation *callWith(OpBuilder &b, Location loc, Value thread, size_t offset,
                      Type result, ValueRange operands);

  /// The address of a FuserSimAccess at the place of `op`.
  Value getAccess(OpBuilder &b, Operation *op, const SimAccess &access);
  /// The address of the kernel's FuserSimInfo; `params` are those of a kernel
  /// that is checked.
  Value createInfo(OpBuilder &b, Location loc,
                   std::optional<ArrayRef<SimParam>> params);

  void addBuffer(SimBuffer buffer) { buffers.push_back(std::move(buffer)); }
  bool hasMBarriers() const {
    return llvm::any_of(buffers, [](const SimBuffer &buffer) {
      return buffer.mbarrierBytes != 0;
    });
  }

private:
  Value loadField(OpBuilder &b, Location loc, Value base, Type type,
                  size_t offset);
  /// The address of a FuserSimSite.
  Value getSite(OpBuilder &b, Operation *op);
  Value getString(OpBuilder &b, Location loc, StringRef text);
  /// The fields of a FuserSimSite.
  SmallVector<Value> getSiteFields(OpBuilder &b, Operation *op);
  template <typename Item, typename Fn>
  Value createList(OpBuilder &b, Location loc, const Twine &name, Type type,
                   ArrayRef<Item> items, Fn fill);
  Value createParams(OpBuilder &b, Location loc, ArrayRef<SimParam> params);
  Value createBuffers(OpBuilder &b, Location loc);
  /// A constant struct of what `fields` returns, at the start of the module.
  LLVM::GlobalOp
  createConstant(Location loc, const Twine &name, Type type,
                 llvm::function_ref<Value(OpBuilder &)> initializer);

  Operation *module;
  std::string kernel;
  unsigned numSites = 0;
  llvm::StringMap<LLVM::GlobalOp> strings;
  SmallVector<SimBuffer> buffers;
};

/// "WHAT (memref<8xf32>, 32 bytes, FILE:LINE:COLUMN)": what messages call a
/// buffer.
std::string nameBuffer(StringRef what, MemRefType type,
                       std::optional<uint64_t> bytes, Location loc);

/// Replaces the ops of gpu in `kernel`, whose last argument is the thread. An
/// error at those that the simulator does not know.
LogicalResult lowerGpuOps(FunctionOpInterface kernel, SimThread &thread);

/// Replaces the ops of the dialect kernel in `kernel`, whose last argument is
/// the thread. `converter` says what memrefs become.
LogicalResult lowerKernelOps(FunctionOpInterface kernel, SimThread &thread,
                             const LLVMTypeConverter &converter);

/// Says what the buffers of `kernel`, which is not checked and whose last
/// argument is the thread, are called, if messages may need it.
void announceBuffers(LLVM::LLVMFuncOp kernel, SimThread &thread);

/// Announces each access of `kernel`, whose last argument is the thread, to the
/// simulator. An error at those that cannot be checked.
LogicalResult instrumentAccesses(LLVM::LLVMFuncOp kernel, SimThread &thread);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_KERNELTOSIM_SIMTHREAD_H
