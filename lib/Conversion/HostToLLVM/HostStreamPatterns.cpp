//===- HostStreamPatterns.cpp - Launches and streams as calls -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostToLLVMInternal.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace fuser;
using namespace fuser::host;
using namespace fuser::host_to_llvm;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A call of the table: its code.
static Value emitCall(OpBuilder &builder, Location loc, const Entry &entry,
                      ApiSlot slot, ValueRange args) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address =
      emitOffset(builder, loc, entry.api, static_cast<int64_t>(slot));
  // The table does not change while the program runs.
  Value function = LLVM::LoadOp::create(
      builder, loc, pointer, address, /*alignment=*/0, /*isVolatile=*/false,
      /*isNonTemporal=*/false, /*isInvariant=*/true);
  SmallVector<Value> operands{function, entry.frame};
  llvm::append_range(operands, args);
  auto types = llvm::to_vector(ValueRange(operands).drop_front().getTypes());
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), types);
  return LLVM::CallOp::create(builder, loc, type, operands).getResult();
}

/// Compares with the constant.
static LLVM::ICmpOp emitIs(OpBuilder &builder, Location loc,
                           LLVM::ICmpPredicate predicate, Value value,
                           int64_t constant) {
  return LLVM::ICmpOp::create(
      builder, loc, predicate, value,
      emitConstant(builder, loc, value.getType(), constant));
}

void host_to_llvm::emitApiCall(OpBuilder &builder, Location loc, Entry &entry,
                               ApiSlot slot, ValueRange args) {
  Value code = emitCall(builder, loc, entry, slot, args);
  auto failed = emitIs(builder, loc, LLVM::ICmpPredicate::ne, code, 0);
  entry.exits.push_back({failed, entry.exit, code});
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
// launch -> dims = ..., slots[i] = parameter i, api.launch(index, dims, params)
struct ConvertLaunch : public HostPattern<LaunchOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(LaunchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const LaunchPlan &plan = entry.plan->launches.at(op);
    emitDims(op, adaptor, rewriter);
    int64_t tensorBytes = 0;
    for (auto [i, param] :
         llvm::enumerate(plan.params.getAsRange<ParamAttr>())) {
      Value value = emitParam(op, adaptor, param, rewriter);
      if (param.getKind() == ParamKind::TensorMap) {
        Value tensor = emitOffset(rewriter, loc, entry.tensors, tensorBytes);
        emitStore(rewriter, loc, value, tensor, 0);
        tensorBytes += getMemRefBytes(op, param);
        value = tensor;
      }
      emitStore(rewriter, loc, value, entry.slots, kSlotBytes * i);
    }
    Value index =
        emitConstant(rewriter, loc, rewriter.getI32Type(), plan.kernelIndex);
    emitApiCall(rewriter, loc, entry, ApiSlot::Launch,
                {index, entry.dims, entry.params});
    rewriter.eraseOp(op);
    return success();
  }

private:
  void emitDims(LaunchOp op, OpAdaptor adaptor, OpBuilder &builder) const {
    Location loc = op.getLoc();
    Type i32 = builder.getI32Type();
    Value grid[] = {adaptor.getGridX(), adaptor.getGridY(), adaptor.getGridZ()};
    for (int i = 0; i < 3; ++i) {
      emitStore(builder, loc, grid[i], entry.dims, kDimsGrid + 8 * i);
      int32_t block = op.getBlock()[i];
      emitStore(builder, loc, emitConstant(builder, loc, i32, block),
                entry.dims, kDimsBlock + 4 * i);
      int32_t cluster = op.getCluster() ? (*op.getCluster())[i] : 1;
      emitStore(builder, loc, emitConstant(builder, loc, i32, cluster),
                entry.dims, kDimsCluster + 4 * i);
    }
    Value shared = adaptor.getSharedBytes();
    shared = shared ? LLVM::TruncOp::create(builder, loc, i32, shared)
                    : emitConstant(builder, loc, i32, 0);
    emitStore(builder, loc, shared, entry.dims, kDimsShared);
    int32_t flags = (op.getCooperative() ? kCooperative : 0) |
                    (op.getProgrammatic() ? kProgrammatic : 0);
    emitStore(builder, loc, emitConstant(builder, loc, i32, flags), entry.dims,
              kDimsFlags);
  }

  Value emitParam(LaunchOp op, OpAdaptor adaptor, ParamAttr param,
                  OpBuilder &builder) const {
    Location loc = op.getLoc();
    Value arg = adaptor.getArgs()[param.getArgument()];
    if (param.getKind() == ParamKind::Scalar) {
      // Memory holds i1 as a byte that is 0 or 1.
      if (arg.getType().isInteger(1))
        return LLVM::ZExtOp::create(builder, loc, builder.getI8Type(), arg);
      return arg;
    }
    if (param.getKind() == ParamKind::TensorMap)
      return arg;
    MemRefDescriptor buffer(arg);
    if (param.getKind() == ParamKind::Size)
      return buffer.size(builder, loc, *param.getDim());
    if (param.getKind() == ParamKind::Stride)
      return buffer.stride(builder, loc, *param.getDim());
    auto type = cast<MemRefType>(op.getArgs()[param.getArgument()].getType());
    return buffer.bufferPtr(builder, loc, *getTypeConverter(), type);
  }
};

// get_stream -> api.get_stream(&pointer), *pointer
struct ConvertGetStream : public HostPattern<GetStreamOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(GetStreamOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitApiCall(rewriter, op.getLoc(), entry, ApiSlot::GetStream,
                entry.pointer);
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, entry.pointer.getType(),
                                              entry.pointer);
    return success();
  }
};

// stream i -> api.stream(i, &pointer), *pointer
struct ConvertStream : public HostPattern<StreamOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(StreamOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitApiCall(rewriter, op.getLoc(), entry, ApiSlot::Stream,
                {adaptor.getIndex(), entry.pointer});
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, entry.pointer.getType(),
                                              entry.pointer);
    return success();
  }
};

// set_stream s -> api.set_stream(s), sync s -> api.sync(s)
template <typename OpTy, ApiSlot slot>
struct ConvertStreamUse : public HostPattern<OpTy> {
  using HostPattern<OpTy>::HostPattern;
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitApiCall(rewriter, op.getLoc(), this->entry, slot, adaptor.getStream());
    rewriter.eraseOp(op);
    return success();
  }
};

// check c -> if (!c) return api.fail(INVALID_ARGUMENT, message, values)
struct ConvertCheck : public HostPattern<CheckOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(CheckOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LLVM::GlobalOp message = getMessage(op, rewriter);
    auto failed = emitIs(rewriter, loc, LLVM::ICmpPredicate::eq,
                         adaptor.getCondition(), 0);
    Block *failure = rewriter.createBlock(entry.exit);
    entry.exits.push_back({failed, failure, nullptr});

    Type i64 = rewriter.getI64Type();
    for (auto [i, value] : llvm::enumerate(adaptor.getValues())) {
      Value wide = value.getType() == i64
                       ? value
                       : LLVM::SExtOp::create(rewriter, loc, i64, value);
      emitStore(rewriter, loc, wide, entry.sizes, kSlotBytes * i);
    }
    Type i32 = rewriter.getI32Type();
    Value code = emitCall(
        rewriter, loc, entry, ApiSlot::Fail,
        {emitConstant(rewriter, loc, i32, kInvalidArgument),
         LLVM::AddressOfOp::create(rewriter, loc, message), entry.sizes,
         emitConstant(rewriter, loc, i32, op.getValues().size())});
    LLVM::BrOp::create(rewriter, loc, ValueRange(code), entry.exit);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The message as a constant of the module, ended by a zero.
  LLVM::GlobalOp getMessage(CheckOp op,
                            ConversionPatternRewriter &rewriter) const {
    LLVM::GlobalOp &global = entry.messages[op.getMessageAttr()];
    if (global)
      return global;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(entry.func);
    std::string text = op.getMessage().str();
    text.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), text.size());
    std::string name =
        ("fuser_host_message_" + Twine(entry.messages.size() - 1)).str();
    global = LLVM::GlobalOp::create(rewriter, op.getLoc(), type,
                                    /*isConstant=*/true, LLVM::Linkage::Private,
                                    name, rewriter.getStringAttr(text));
    return global;
  }
};
} // namespace

void host_to_llvm::populateHostToLLVMPatterns(
    const LLVMTypeConverter &converter, Entry &entry,
    RewritePatternSet &patterns) {
  populateHostBufferPatterns(converter, entry, patterns);
  populateHostCommPatterns(converter, entry, patterns);
  patterns.add<ConvertCheck, ConvertGetStream, ConvertLaunch, ConvertStream,
               ConvertStreamUse<SetStreamOp, ApiSlot::SetStream>,
               ConvertStreamUse<SyncOp, ApiSlot::Sync>>(converter, entry);
}
