//===- HostCommPatterns.cpp - Communications as calls of the runtime ------===//
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

LLVM::LLVMStructType host_to_llvm::getGroupType(MLIRContext *context) {
  Type i64 = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(
      context, {LLVM::LLVMPointerType::get(context), i64, i64});
}

/// `numbers`, i64 each, as a constant of the module, which has at least one.
static LLVM::GlobalOp createNumbers(OpBuilder &builder, Location loc,
                                    Entry &entry, ArrayRef<int64_t> numbers) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(entry.func);
  SmallVector<int64_t> values(numbers);
  if (values.empty())
    values.push_back(0);
  auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), values.size());
  std::string name = ("fuser_host_ranks_" + Twine(entry.numRankLists++)).str();
  return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                LLVM::Linkage::Private, name,
                                builder.getI64TensorAttr(values));
}

/// A request is the stream that the communication was enqueued on.
static Value emitRequest(OpBuilder &builder, Location loc, Entry &entry,
                         Value request) {
  if (request.use_empty())
    return LLVM::ZeroOp::create(builder, loc, entry.pointer.getType());
  emitApiCall(builder, loc, entry, ApiSlot::GetStream, entry.pointer);
  return LLVM::LoadOp::create(builder, loc, entry.pointer.getType(),
                              entry.pointer);
}

namespace {
struct ConvertGroup : public HostPattern<GroupOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(GroupOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // The length of each list, and its ranks.
    SmallVector<int64_t> numbers;
    if (op.getLists())
      for (auto list : op.getLists()->getAsRange<DenseI64ArrayAttr>()) {
        numbers.push_back(list.size());
        llvm::append_range(numbers, list.asArrayRef());
      }
    Value lists = LLVM::AddressOfOp::create(
        rewriter, loc, createNumbers(rewriter, loc, entry, numbers));
    Type i64 = rewriter.getI64Type();
    emitApiCall(rewriter, loc, entry, ApiSlot::Group,
                {lists, emitConstant(rewriter, loc, i64, numbers.size()),
                 entry.pointer, entry.sizes, entry.strides});
    Value places[] = {entry.pointer, entry.sizes, entry.strides};
    LLVM::LLVMStructType type = getGroupType(getContext());
    Value group = LLVM::PoisonOp::create(rewriter, loc, type);
    for (auto [i, place] : llvm::enumerate(places)) {
      Value field =
          LLVM::LoadOp::create(rewriter, loc, type.getBody()[i], place);
      group = LLVM::InsertValueOp::create(rewriter, loc, group, field, i);
    }
    rewriter.replaceOp(op, group);
    return success();
  }
};

/// A field of a group.
template <typename OpTy, int64_t field>
struct ConvertGroupInfo : public HostPattern<OpTy> {
  using HostPattern<OpTy>::HostPattern;
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ExtractValueOp>(op, adaptor.getGroup(),
                                                      field);
    return success();
  }
};

/// All communications: the runtime tells them apart.
struct ConvertCommunication
    : public OpInterfaceConversionPattern<CommunicationOpInterface> {
  ConvertCommunication(const LLVMTypeConverter &converter, Entry &entry)
      : OpInterfaceConversionPattern(converter, &converter.getContext()),
        entry(entry) {}

  LogicalResult
  matchAndRewrite(CommunicationOpInterface op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    emitWhat(op, rewriter);
    emitBuffer(op, op.getSource(), kTransferSource, kTransferSourceCount,
               rewriter);
    emitBuffer(op, op.getDestination(), kTransferDestination,
               kTransferDestinationCount, rewriter);
    Value peer = op.getPeerRank();
    store(rewriter, loc,
          peer ? rewriter.getRemappedValue(peer)
               : emitConstant(rewriter, loc, rewriter.getI64Type(), 0),
          kTransferPeer);
    Value group = LLVM::ExtractValueOp::create(
        rewriter, loc, rewriter.getRemappedValue(op.getGroup()), 0);
    emitApiCall(rewriter, loc, entry, ApiSlot::Communicate,
                {group, entry.transfer});
    rewriter.replaceOp(op, emitRequest(rewriter, loc, entry, op->getResult(0)));
    return success();
  }

private:
  void store(OpBuilder &builder, Location loc, Value value,
             int64_t bytes) const {
    emitStore(builder, loc, value, entry.transfer, bytes);
  }

  /// The kind, the reduction, the type, and the pairs of a permutation.
  void emitWhat(CommunicationOpInterface op, OpBuilder &builder) const {
    Location loc = op.getLoc();
    auto storeNumber = [&](int64_t number, int64_t bytes) {
      store(builder, loc,
            emitConstant(builder, loc, builder.getI32Type(), number), bytes);
    };
    storeNumber(static_cast<int64_t>(op.getTransferKind()), kTransferKind);
    storeNumber(
        static_cast<int64_t>(op.getReduction().value_or(host::ReduceKind::Sum)),
        kTransferReduction);
    OpOperand *buffer = op.getSource() ? op.getSource() : op.getDestination();
    storeNumber(getTransferType(
                    cast<MemRefType>(buffer->get().getType()).getElementType()),
                kTransferType);
    auto permute = dyn_cast<PermuteOp>(op.getOperation());
    storeNumber(permute ? permute.getFrom().size() : 0, kTransferNumPairs);
    if (!permute)
      return;
    SmallVector<int64_t> pairs;
    for (auto [from, to] : llvm::zip_equal(permute.getFrom(), permute.getTo()))
      pairs.append({from, to});
    store(builder, loc,
          LLVM::AddressOfOp::create(builder, loc,
                                    createNumbers(builder, loc, entry, pairs)),
          kTransferPairs);
  }

  void emitBuffer(CommunicationOpInterface op, OpOperand *buffer,
                  int64_t address, int64_t count,
                  ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    if (!buffer) {
      store(rewriter, loc,
            LLVM::ZeroOp::create(rewriter, loc, entry.pointer.getType()),
            address);
      store(rewriter, loc,
            emitConstant(rewriter, loc, rewriter.getI64Type(), 0), count);
      return;
    }
    auto type = cast<MemRefType>(buffer->get().getType());
    MemRefDescriptor memory(rewriter.getRemappedValue(buffer->get()));
    auto *converter = getTypeConverter<LLVMTypeConverter>();
    store(rewriter, loc, memory.bufferPtr(rewriter, loc, *converter, type),
          address);
    store(rewriter, loc, emitSizeProduct(rewriter, loc, 1, memory, type),
          count);
  }

  Entry &entry;
};

struct ConvertCoalesce : public HostPattern<CoalesceOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(CoalesceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    emitApiCall(rewriter, loc, entry, ApiSlot::Coalesce,
                emitConstant(rewriter, loc, i32, 1));
    rewriter.inlineBlockBefore(&op.getBody().front(), op);
    rewriter.setInsertionPoint(op);
    emitApiCall(rewriter, loc, entry, ApiSlot::Coalesce,
                emitConstant(rewriter, loc, i32, 0));
    rewriter.replaceOp(op, emitRequest(rewriter, loc, entry, op.getRequest()));
    return success();
  }
};

/// To wait for a communication is to wait for its stream.
struct ConvertWait : public HostPattern<WaitOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(WaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitApiCall(rewriter, op.getLoc(), entry, ApiSlot::Sync,
                adaptor.getRequest());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void host_to_llvm::populateHostCommPatterns(const LLVMTypeConverter &converter,
                                            Entry &entry,
                                            RewritePatternSet &patterns) {
  patterns.add<ConvertCoalesce, ConvertCommunication, ConvertGroup,
               ConvertGroupInfo<RankOp, 1>, ConvertGroupInfo<SizeOp, 2>,
               ConvertWait>(converter, entry);
}
