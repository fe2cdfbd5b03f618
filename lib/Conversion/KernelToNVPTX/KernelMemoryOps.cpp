//===- KernelMemoryOps.cpp - Accesses to memory on NVIDIA GPUs ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOps.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace fuser {

static LLVM::LLVMPointerType getPointerType(MLIRContext *context,
                                            NVVM::NVVMMemorySpace space) {
  return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(space));
}

Value castPointer(OpBuilder &b, Location loc, Value pointer,
                  NVVM::NVVMMemorySpace space) {
  Type type = getPointerType(b.getContext(), space);
  if (pointer.getType() == type)
    return pointer;
  return LLVM::AddrSpaceCastOp::create(b, loc, type, pointer);
}

static Value bitcast(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(b, loc, type, value);
}

/// An instruction that accesses memory. LLVM must know that, and does not know
/// which: `~{memory}`.
static Operation *createAccess(OpBuilder &b, Location loc, Type result,
                               const Twine &instruction,
                               const Twine &constraints, ValueRange operands) {
  return LLVM::InlineAsmOp::create(
      b, loc, result ? TypeRange(result) : TypeRange(), operands,
      b.getStringAttr(instruction), b.getStringAttr(constraints + "~{memory}"),
      /*has_side_effects=*/b.getUnitAttr(), /*is_align_stack=*/UnitAttr(),
      LLVM::TailCallKindAttr(), LLVM::AsmDialectAttr(), ArrayAttr());
}

//===----------------------------------------------------------------------===//
// Values in registers
//===----------------------------------------------------------------------===//

namespace {
/// The registers that a value of 1, 2, 4, 8 or 16 bytes is moved by: one of 16
/// bits, or some of 32.
struct Registers {
  explicit Registers(Type value)
      : bits(isa<VectorType>(value)
                 ? cast<VectorType>(value).getNumElements() *
                       cast<VectorType>(value).getElementTypeBitWidth()
                 : value.getIntOrFloatBitWidth()),
        count(std::max<int64_t>(bits / 32, 1)) {}

  /// The suffix of the instruction: `.v2.b32`.
  std::string getSuffix() const {
    std::string width = ".b" + std::to_string(std::min<int64_t>(bits, 32));
    return count == 1 ? width : ".v" + std::to_string(count) + width;
  }

  /// Their numbers from `first` on: `{$0, $1}`.
  std::string getNames(int64_t first) const {
    std::string names;
    for (int64_t i = 0; i != count; ++i)
      names += (i ? ", $" : "$") + std::to_string(first + i);
    return count == 1 ? names : "{" + names + "}";
  }

  /// What inline assembly is told of them: `=r,=r,`.
  std::string getConstraints(StringRef prefix) const {
    std::string text;
    for (int64_t i = 0; i != count; ++i)
      text += (prefix + (bits < 32 ? "h," : "r,")).str();
    return text;
  }

  Type getType(Builder &b) const {
    return bits < 32 ? b.getI16Type() : b.getI32Type();
  }
  Type getResultType(Builder &b) const {
    if (count == 1)
      return getType(b);
    return LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(count, getType(b)));
  }

  SmallVector<Value> split(OpBuilder &b, Location loc, Value value) const;
  Value join(OpBuilder &b, Location loc, Value result, Type type) const;

  int64_t bits;
  int64_t count;
};
} // namespace

/// The registers that hold `value`.
SmallVector<Value> Registers::split(OpBuilder &b, Location loc,
                                    Value value) const {
  if (count == 1) {
    value = bitcast(b, loc, value, b.getIntegerType(bits));
    if (bits < 16)
      value = LLVM::ZExtOp::create(b, loc, getType(b), value);
    return {value};
  }
  Value words = bitcast(b, loc, value, VectorType::get(count, getType(b)));
  SmallVector<Value> registers;
  for (int64_t i = 0; i != count; ++i)
    registers.push_back(
        LLVM::ExtractElementOp::create(b, loc, words, createI32(b, loc, i)));
  return registers;
}

/// The value of `type` in the registers that `result` has.
Value Registers::join(OpBuilder &b, Location loc, Value result,
                      Type type) const {
  if (count == 1) {
    if (bits < 16)
      result = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), result);
    return bitcast(b, loc, result, type);
  }
  Type wordsType = VectorType::get(count, getType(b));
  Value words = LLVM::PoisonOp::create(b, loc, wordsType);
  for (int64_t i = 0; i != count; ++i) {
    Value word = LLVM::ExtractValueOp::create(b, loc, result, i);
    words = LLVM::InsertElementOp::create(b, loc, words, word,
                                          createI32(b, loc, i));
  }
  return bitcast(b, loc, words, type);
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

static StringRef getCacheSuffix(kernel::Cache cache) {
  switch (cache) {
  case kernel::Cache::Streaming:
    return ".cs";
  case kernel::Cache::NoAllocate:
    return ".L1::no_allocate";
  case kernel::Cache::EvictFirst:
    return ".L1::evict_first";
  case kernel::Cache::EvictLast:
    return ".L1::evict_last";
  }
  llvm_unreachable("all policies are above");
}

namespace {
struct LoadPattern : ConvertOpToLLVMPattern<kernel::LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getType());
    Registers registers(type);
    Value address =
        castPointer(rewriter, loc,
                    getStridedElementPtr(
                        rewriter, loc, cast<MemRefType>(op.getBase().getType()),
                        adaptor.getBase(), adaptor.getIndices()),
                    NVVM::NVVMMemorySpace::Global);
    Operation *load =
        createAccess(rewriter, loc, registers.getResultType(rewriter),
                     "ld.global" + getCacheSuffix(op.getCache()) +
                         registers.getSuffix() + " " + registers.getNames(0) +
                         ", [$" + std::to_string(registers.count) + "];",
                     registers.getConstraints("=") + "l,", address);
    rewriter.replaceOp(op,
                       registers.join(rewriter, loc, load->getResult(0), type));
    return success();
  }
};

struct StorePattern : ConvertOpToLLVMPattern<kernel::StoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Registers registers(adaptor.getValue().getType());
    SmallVector<Value> operands{castPointer(
        rewriter, loc,
        getStridedElementPtr(rewriter, loc,
                             cast<MemRefType>(op.getBase().getType()),
                             adaptor.getBase(), adaptor.getIndices()),
        NVVM::NVVMMemorySpace::Global)};
    llvm::append_range(operands,
                       registers.split(rewriter, loc, adaptor.getValue()));
    createAccess(rewriter, loc, Type(),
                 "st.global" + getCacheSuffix(op.getCache()) +
                     registers.getSuffix() + " [$0], " + registers.getNames(1) +
                     ";",
                 "l," + registers.getConstraints(""), operands);
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Clusters and asynchronous accesses
//===----------------------------------------------------------------------===//

// By inline assembly: the intrinsic of nvvm.mapa says that its operand does not
// escape by it, so LLVM takes memory that escapes nowhere else for other memory
// than the result's. It is the same where the block is this one.
struct MapBlockPattern : ConvertOpToLLVMPattern<kernel::MapBlockOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::MapBlockOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value block = LLVM::TruncOp::create(rewriter, loc, rewriter.getI32Type(),
                                        adaptor.getBlock());
    MemRefDescriptor source(adaptor.getSource());
    Type pointer =
        getPointerType(op.getContext(), NVVM::NVVMMemorySpace::SharedCluster);
    Value address =
        LLVM::InlineAsmOp::create(
            rewriter, loc, pointer,
            ValueRange{source.alignedPtr(rewriter, loc), block},
            rewriter.getStringAttr("mapa.shared::cluster.u64 $0, $1, $2;"),
            rewriter.getStringAttr("=l,l,r"), /*has_side_effects=*/UnitAttr(),
            /*is_align_stack=*/UnitAttr(), LLVM::TailCallKindAttr(),
            LLVM::AsmDialectAttr(), ArrayAttr())
            .getResult(0);
    auto result = MemRefDescriptor::poison(
        rewriter, loc, getTypeConverter()->convertType(op.getType()));
    result.setAllocatedPtr(rewriter, loc, address);
    result.setAlignedPtr(rewriter, loc, address);
    result.setOffset(rewriter, loc, source.offset(rewriter, loc));
    for (int64_t dim = 0; dim != op.getType().getRank(); ++dim) {
      result.setSize(rewriter, loc, dim, source.size(rewriter, loc, dim));
      result.setStride(rewriter, loc, dim, source.stride(rewriter, loc, dim));
    }
    rewriter.replaceOp(op, Value(result));
    return success();
  }
};

struct StoreAsyncPattern : ConvertOpToLLVMPattern<kernel::StoreAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::StoreAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Registers registers(adaptor.getValue().getType());
    SmallVector<Value> operands{
        getStridedElementPtr(rewriter, loc,
                             cast<MemRefType>(op.getBase().getType()),
                             adaptor.getBase(), adaptor.getIndices()),
        getStridedElementPtr(
            rewriter, loc, cast<MemRefType>(op.getBarriers().getType()),
            adaptor.getBarriers(), adaptor.getBarrierIndices())};
    llvm::append_range(operands,
                       registers.split(rewriter, loc, adaptor.getValue()));
    createAccess(rewriter, loc, Type(),
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes" +
                     registers.getSuffix() + " [$0], " + registers.getNames(2) +
                     ", [$1];",
                 "l,l," + registers.getConstraints(""), operands);
    rewriter.eraseOp(op);
    return success();
  }
};

struct BulkCopyPattern : ConvertOpToLLVMPattern<kernel::BulkCopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::BulkCopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  Value getBytes(kernel::BulkCopyOp op, Value count, OpBuilder &b) const;
};
} // namespace

Value BulkCopyPattern::getBytes(kernel::BulkCopyOp op, Value count,
                                OpBuilder &b) const {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getSource().getType());
  Value elements = LLVM::TruncOp::create(b, loc, b.getI32Type(), count);
  int64_t bytes = kernel::countBytes(type.getElementType());
  return LLVM::MulOp::create(b, loc, elements, createI32(b, loc, bytes));
}

LogicalResult
BulkCopyPattern::matchAndRewrite(kernel::BulkCopyOp op, OpAdaptor adaptor,
                                 ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  auto getAddress = [&](Value base, Value memref, ValueRange indices) {
    return getStridedElementPtr(rewriter, loc, cast<MemRefType>(base.getType()),
                                memref, indices);
  };
  using NVVM::NVVMMemorySpace;
  auto targetType = cast<MemRefType>(op.getTarget().getType());
  Value source = getAddress(op.getSource(), adaptor.getSource(),
                            adaptor.getSourceIndices());
  Value target = getAddress(op.getTarget(), adaptor.getTarget(),
                            adaptor.getTargetIndices());
  Value bytes = getBytes(op, adaptor.getCount(), rewriter);
  if (kernel::isGlobal(targetType)) {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkSharedCTAToGlobalOp>(
        op, castPointer(rewriter, loc, target, NVVMMemorySpace::Global), source,
        bytes, /*l2CacheHint=*/Value(), /*byteMask=*/Value());
    return success();
  }
  Value barrier = getAddress(op.getBarriers(), adaptor.getBarriers(),
                             adaptor.getBarrierIndices());
  if (kernel::isShared(targetType)) {
    // To this block, by the form for any block of the cluster: that for the
    // block's own memory is of PTX 8.6.
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(
        op, castPointer(rewriter, loc, target, NVVMMemorySpace::SharedCluster),
        castPointer(rewriter, loc, source, NVVMMemorySpace::Global), barrier,
        bytes, /*multicastMask=*/Value(), /*l2CacheHint=*/Value());
    return success();
  }
  // The op of nvvm takes no mbarrier of another block.
  createAccess(rewriter, loc, Type(),
               "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_"
               "tx::bytes [$0], [$1], $2, [$3];",
               "l,l,r,l,", {target, source, bytes, barrier});
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Copies of a thread
//===----------------------------------------------------------------------===//

void createCopyAsync(OpBuilder &b, Location loc, Value target, Value source,
                     int64_t bytes, Value bytesRead) {
  NVVM::CpAsyncOp::create(b, loc, target, source, static_cast<uint32_t>(bytes),
                          bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                                      : NVVM::LoadCacheModifierKind::CA,
                          bytesRead);
}

namespace {
struct CopyAsyncPattern : ConvertOpToLLVMPattern<kernel::CopyAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::CopyAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto bytes = static_cast<int32_t>(op.getNumBytes());
    Value source = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getSource().getType()),
        adaptor.getSource(), adaptor.getSourceIndices());
    Value target = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getTarget().getType()),
        adaptor.getTarget(), adaptor.getTargetIndices());
    Value bytesRead;
    if (Value condition = adaptor.getCondition())
      bytesRead = LLVM::SelectOp::create(rewriter, loc, condition,
                                         createI32(rewriter, loc, bytes),
                                         createI32(rewriter, loc, 0));
    createCopyAsync(
        rewriter, loc, target,
        castPointer(rewriter, loc, source, NVVM::NVVMMemorySpace::Global),
        bytes, bytesRead);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// The suffix of an instruction for the address space of a pointer: `.global`;
/// none for generic pointers.
static FailureOr<StringRef> getSpaceSuffix(LLVM::LLVMPointerType type) {
  switch (static_cast<NVVM::NVVMMemorySpace>(type.getAddressSpace())) {
  case NVVM::NVVMMemorySpace::Global:
    return StringRef(".global");
  case NVVM::NVVMMemorySpace::Shared:
    return StringRef(".shared");
  case NVVM::NVVMMemorySpace::SharedCluster:
    return StringRef(".shared::cluster");
  default:
    return failure();
  }
}

static StringRef getScopeSuffix(kernel::Scope scope) {
  switch (scope) {
  case kernel::Scope::Block:
    return ".cta";
  case kernel::Scope::Cluster:
    return ".cluster";
  case kernel::Scope::Device:
    return ".gpu";
  }
  llvm_unreachable("all scopes are above");
}

namespace {
/// Ops on one counter.
template <typename OpTy>
struct CounterPattern : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;

  Value getAddress(OpTy op, typename OpTy::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) const {
    auto type = cast<MemRefType>(op.getBase().getType());
    Value address = this->getStridedElementPtr(
        rewriter, op.getLoc(), type, adaptor.getBase(), adaptor.getIndices());
    if (!kernel::isGlobal(type))
      return address;
    return castPointer(rewriter, op.getLoc(), address,
                       NVVM::NVVMMemorySpace::Global);
  }
};

// By inline assembly: LLVM's NVPTX drops order and scope of llvm.atomicrmw.
struct CounterAddPattern : CounterPattern<kernel::CounterAddOp> {
  using CounterPattern::CounterPattern;

  LogicalResult
  matchAndRewrite(kernel::CounterAddOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getAddress(op, adaptor, rewriter);
    FailureOr<StringRef> space =
        getSpaceSuffix(cast<LLVM::LLVMPointerType>(address.getType()));
    if (failed(space))
      return rewriter.notifyMatchFailure(op, "no counter in this memory");
    bool isWide = op.getType().isInteger(64);
    StringRef letter = isWide ? "l" : "r";
    Operation *add = createAccess(
        rewriter, loc, op.getType(),
        "atom." + stringifyOrder(op.getOrder()) +
            getScopeSuffix(op.getScope()) + *space +
            (isWide ? ".add.u64 $0, [$1], $2;" : ".add.u32 $0, [$1], $2;"),
        "=" + letter + ",l," + letter + ",", {address, adaptor.getIncrement()});
    rewriter.replaceOp(op, add->getResults());
    return success();
  }
};

struct CounterWaitPattern : CounterPattern<kernel::CounterWaitOp> {
  using CounterPattern::CounterPattern;

  LogicalResult
  matchAndRewrite(kernel::CounterWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getAddress(op, adaptor, rewriter);
    Value bound = adaptor.getBound();
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *loop = rewriter.createBlock(after);
    Value count = LLVM::LoadOp::create(
        rewriter, loc, bound.getType(), address,
        /*alignment=*/bound.getType().getIntOrFloatBitWidth() / 8,
        /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire, "device");
    Value done = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::uge,
                                      count, bound);
    LLVM::CondBrOp::create(rewriter, loc, done, after, loop);
    rewriter.setInsertionPointToEnd(before);
    LLVM::BrOp::create(rewriter, loc, loop);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateKernelMemoryPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, MapBlockPattern, StoreAsyncPattern,
               BulkCopyPattern, CopyAsyncPattern, CounterAddPattern,
               CounterWaitPattern>(converter);
}

} // namespace fuser
