//===- HostToLLVMInternal.h - Parts of the lowering of host programs ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_HOSTTOLLVM_HOSTTOLLVMINTERNAL_H
#define FUSER_LIB_CONVERSION_HOSTTOLLVM_HOSTTOLLVMINTERNAL_H

#include "fuser/Conversion/HostToLLVM.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fuser::host_to_llvm {

//===----------------------------------------------------------------------===//
// The layout of fuser_rt/host_abi.h, in bytes. HostAbi.cpp holds it against the
// header.
//===----------------------------------------------------------------------===//

/// Where the function table has its functions.
enum class ApiSlot : int32_t {
  Alloc = 8,
  Dealloc = 16,
  Output = 24,
  OutputView = 32,
  Launch = 40,
  Copy = 48,
  GetStream = 56,
  SetStream = 64,
  Stream = 72,
  Sync = 80,
  Fail = 88,
  Workspace = 96,
  Matmul = 104,
  Group = 112,
  Communicate = 120,
  Coalesce = 128
};

/// FuserTensorView.
constexpr int32_t kViewBytes = 24;
constexpr int32_t kViewData = 0;
constexpr int32_t kViewSizes = 8;
constexpr int32_t kViewStrides = 16;

/// FuserMemRef, without the sizes and strides behind it.
constexpr int32_t kMemRefBytes = 24;

/// FuserLaunchDims.
constexpr int32_t kDimsBytes = 56;
constexpr int32_t kDimsGrid = 0;
constexpr int32_t kDimsBlock = 24;
constexpr int32_t kDimsCluster = 36;
constexpr int32_t kDimsShared = 48;
constexpr int32_t kDimsFlags = 52;
constexpr int32_t kCooperative = 1;
constexpr int32_t kProgrammatic = 2;

/// FuserMatmul: addresses, sizes, strides of three dimensions, element types.
constexpr int32_t kMatmulBytes = 136;
constexpr int32_t kMatmulAddresses = 0;
constexpr int32_t kMatmulSizes = 24;
constexpr int32_t kMatmulStrides = 56;
constexpr int32_t kMatmulTypes = 128;

/// FuserTransfer.
constexpr int32_t kTransferBytes = 64;
constexpr int32_t kTransferKind = 0;
constexpr int32_t kTransferReduction = 4;
constexpr int32_t kTransferType = 8;
constexpr int32_t kTransferNumPairs = 12;
constexpr int32_t kTransferSource = 16;
constexpr int32_t kTransferDestination = 24;
constexpr int32_t kTransferSourceCount = 32;
constexpr int32_t kTransferDestinationCount = 40;
constexpr int32_t kTransferPeer = 48;
constexpr int32_t kTransferPairs = 56;

/// FUSER_INVALID_ARGUMENT.
constexpr int32_t kInvalidArgument = 1;

/// A scalar input, and a kernel parameter, takes a slot of so many bytes.
constexpr int32_t kSlotBytes = 8;

llvm::StringRef getEntryName();

/// The FuserTransferType of elements of communications.
int32_t getTransferType(Type element);

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// What a launch needs to know of its kernel.
struct LaunchPlan {
  int32_t kernelIndex;
  mlir::ArrayAttr params;
};

/// What the lowering needs to know of a program before it starts.
struct ProgramPlan {
  llvm::DenseMap<Operation *, LaunchPlan> launches;
  /// The largest number of parameters of a launch, of dimensions of an output,
  /// and of values of a check.
  int64_t maxParams = 0;
  int64_t maxRank = 0;
  int64_t maxValues = 0;
  /// The most bytes of tensors that become tensor maps in a launch.
  int64_t maxTensorBytes = 0;
  bool hasMatmul = false;
  bool hasTransfer = false;
};

/// Reports ops that have no native form. For a program before its control flow
/// is lowered.
LogicalResult checkOps(func::FuncOp program);

/// Puts checks before ops with rules about sizes and strides that the types do
/// not show. What the types show to be broken is a diagnostic.
LogicalResult emitRunTimeChecks(func::FuncOp program);

/// The bytes of the descriptor that a tensor map is made from.
int64_t getMemRefBytes(host::LaunchOp launch, host::ParamAttr param);

/// Looks up kernels and measures the program. Diagnostics on failure. For a
/// program whose control flow is lowered.
FailureOr<ProgramPlan> planProgram(func::FuncOp program);

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

/// Where the entry may leave its straight way: behind `failed`, if that is
/// true, for `target`, which takes `code`, if any.
struct EarlyExit {
  LLVM::ICmpOp failed;
  Block *target;
  Value code;
};

/// The entry function while its body is lowered.
struct Entry {
  LLVM::LLVMFuncOp func;
  Value api, frame;
  /// Returns its argument, the code of a call that failed.
  Block *exit = nullptr;
  /// Memory of the entry's frame that all calls share: launch dimensions,
  /// parameter slots and the pointers to them, tensors of tensor maps, sizes
  /// and strides of an output or values of a check, a pointer that a call gives
  /// back, a matrix product, a transfer.
  Value dims, slots, params, tensors, sizes, strides, pointer, matmul, transfer;
  const ProgramPlan *plan = nullptr;
  /// Become branches when the body is lowered: a conversion that splits a block
  /// pays for every op behind the place.
  SmallVector<EarlyExit> exits;
  /// Constants that list ranks.
  int64_t numRankLists = 0;
  /// Messages of checks.
  llvm::DenseMap<StringAttr, LLVM::GlobalOp> messages;
};

/// Makes the entry with the body of `program`, which goes away. The memrefs of
/// the program become casts of descriptors that are built from the entry's
/// arguments.
Entry createEntry(func::FuncOp program, const ProgramPlan &plan,
                  const LLVMTypeConverter &converter);

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

/// `base` plus so many bytes.
Value emitOffset(OpBuilder &builder, Location loc, Value base, int64_t bytes);
Value emitConstant(OpBuilder &builder, Location loc, Type type, int64_t value);
/// Stores `value` at `base` plus so many bytes.
void emitStore(OpBuilder &builder, Location loc, Value value, Value base,
               int64_t bytes);
/// `factor` times the number of elements of a buffer.
Value emitSizeProduct(OpBuilder &builder, Location loc, int64_t factor,
                      MemRefDescriptor buffer, MemRefType type);

/// A conversion of an op of the host dialect inside of the entry.
template <typename OpTy>
struct HostPattern : public ConvertOpToLLVMPattern<OpTy> {
  HostPattern(const LLVMTypeConverter &converter, Entry &entry)
      : ConvertOpToLLVMPattern<OpTy>(converter), entry(entry) {}
  Entry &entry;
};

/// The conversions of all ops of the host dialect but communications.
void populateHostToLLVMPatterns(const LLVMTypeConverter &converter,
                                Entry &entry, RewritePatternSet &patterns);
void populateHostBufferPatterns(const LLVMTypeConverter &converter,
                                Entry &entry, RewritePatternSet &patterns);
void populateHostCommPatterns(const LLVMTypeConverter &converter, Entry &entry,
                              RewritePatternSet &patterns);

/// A group lowered: its handle, this rank's number in it, and its size.
LLVM::LLVMStructType getGroupType(MLIRContext *context);

/// Calls a function of the table with the frame and `args`, and notes that the
/// entry returns its code if it is not 0.
void emitApiCall(OpBuilder &builder, Location loc, Entry &entry, ApiSlot slot,
                 ValueRange args);

} // namespace fuser::host_to_llvm

#endif // FUSER_LIB_CONVERSION_HOSTTOLLVM_HOSTTOLLVMINTERNAL_H
