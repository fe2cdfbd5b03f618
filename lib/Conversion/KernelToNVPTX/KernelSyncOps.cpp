//===- KernelSyncOps.cpp - Threads that meet, on NVIDIA GPUs --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOps.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace fuser {

/// All threads of a warp; those that have ended do not count.
constexpr int64_t kWholeWarp = -1;

static NVVM::MemScopeKind getMemScope(kernel::Scope scope) {
  return scope == kernel::Scope::Block ? NVVM::MemScopeKind::CTA
                                       : NVVM::MemScopeKind::CLUSTER;
}

//===----------------------------------------------------------------------===//
// One instruction without operands
//===----------------------------------------------------------------------===//

namespace {
/// `OpTy` => `NvvmOp` with attributes only.
template <typename OpTy, typename NvvmOp>
struct PlainPattern : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NvvmOp>(op, TypeRange(), ValueRange());
    return success();
  }
};

struct ClusterArrivePattern : ConvertOpToLLVMPattern<kernel::ClusterArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::ClusterArriveOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getRelaxed())
      rewriter.replaceOpWithNewOp<NVVM::ClusterArriveRelaxedOp>(op, TypeRange(),
                                                                ValueRange());
    else
      rewriter.replaceOpWithNewOp<NVVM::ClusterArriveOp>(op, TypeRange(),
                                                         ValueRange());
    return success();
  }
};

template <typename OpTy, NVVM::GridDepActionKind kind>
struct GridDependencyPattern : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::GriddepcontrolOp>(op, kind);
    return success();
  }
};

struct FenceAsyncPattern : ConvertOpToLLVMPattern<kernel::FenceAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::FenceAsyncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getSpace() == kernel::Space::Global) {
      rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
          op, NVVM::ProxyKind::async_global, NVVM::SharedSpaceAttr());
      return success();
    }
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
        op, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(op.getContext(),
                                   NVVM::SharedSpace::shared_cluster));
    return success();
  }
};

struct BulkWaitPattern : ConvertOpToLLVMPattern<kernel::BulkWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::BulkWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, op.getGroupsAttr(), op.getReadAttr());
    return success();
  }
};

struct CopyAsyncWaitPattern : ConvertOpToLLVMPattern<kernel::CopyAsyncWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::CopyAsyncWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op,
                                                          op.getGroupsAttr());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Barriers and warps
//===----------------------------------------------------------------------===//

struct BarrierPattern : ConvertOpToLLVMPattern<kernel::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::BarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value number = LLVM::TruncOp::create(rewriter, loc, rewriter.getI32Type(),
                                         adaptor.getNumber());
    Value threads = createI32(rewriter, loc, op.getThreads());
    rewriter.replaceOpWithNewOp<NVVM::BarrierOp>(
        op, TypeRange(), number, threads, NVVM::BarrierReductionAttr(),
        Value());
    return success();
  }
};

// By the intrinsic: what nvvm.barrier.arrive becomes is inline assembly, which
// LLVM takes for an instruction that threads need not do together.
struct BarrierArrivePattern : ConvertOpToLLVMPattern<kernel::BarrierArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::BarrierArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value number = LLVM::TruncOp::create(rewriter, loc, rewriter.getI32Type(),
                                         adaptor.getNumber());
    Value threads = createI32(rewriter, loc, op.getThreads());
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op,
        rewriter.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"),
        ValueRange{number, threads});
    return success();
  }
};

struct VotePattern : ConvertOpToLLVMPattern<kernel::VoteOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::VoteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value warp = createI32(rewriter, op.getLoc(), kWholeWarp);
    rewriter.replaceOpWithNewOp<NVVM::VoteSyncOp>(
        op, rewriter.getI1Type(), warp, adaptor.getPredicate(),
        op.getKind() == kernel::Vote::Any ? NVVM::VoteSyncKind::any
                                          : NVVM::VoteSyncKind::all);
    return success();
  }
};

struct BallotPattern : ConvertOpToLLVMPattern<kernel::BallotOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::BallotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value warp = createI32(rewriter, op.getLoc(), kWholeWarp);
    rewriter.replaceOpWithNewOp<NVVM::VoteSyncOp>(op, rewriter.getI32Type(),
                                                  warp, adaptor.getPredicate(),
                                                  NVVM::VoteSyncKind::ballot);
    return success();
  }
};

struct SyncWarpPattern : ConvertOpToLLVMPattern<kernel::SyncWarpOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::SyncWarpOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(
        op, createI32(rewriter, op.getLoc(), -1));
    return success();
  }
};

struct ElectPattern : ConvertOpToLLVMPattern<kernel::ElectOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(kernel::ElectOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ElectSyncOp>(op, rewriter.getI1Type(),
                                                   Value());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

/// Ops on one mbarrier.
template <typename OpTy>
struct MBarrierPattern : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;

  Value getAddress(OpTy op, typename OpTy::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) const {
    return this->getStridedElementPtr(
        rewriter, op.getLoc(), cast<MemRefType>(op.getBarriers().getType()),
        adaptor.getBarriers(), adaptor.getIndices());
  }
};

struct InitPattern : MBarrierPattern<kernel::MBarrierInitOp> {
  using MBarrierPattern::MBarrierPattern;

  LogicalResult
  matchAndRewrite(kernel::MBarrierInitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::MBarrierInitOp>(
        op, getAddress(op, adaptor, rewriter), adaptor.getCount(), Value());
    return success();
  }
};

struct ArrivePattern : MBarrierPattern<kernel::MBarrierArriveOp> {
  using MBarrierPattern::MBarrierPattern;

  LogicalResult
  matchAndRewrite(kernel::MBarrierArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getAddress(op, adaptor, rewriter);
    NVVM::MemScopeKind scope = getMemScope(op.getScope());
    // A state comes back from the block's own memory only. Nobody uses it.
    bool isOwn = kernel::isShared(cast<MemRefType>(op.getBarriers().getType()));
    Type state = isOwn ? rewriter.getI64Type() : Type();
    if (Value bytes = adaptor.getBytes())
      NVVM::MBarrierArriveExpectTxOp::create(rewriter, loc, state, address,
                                             bytes, scope, /*relaxed=*/false,
                                             /*predicate=*/Value());
    else
      NVVM::MBarrierArriveOp::create(rewriter, loc, state, address,
                                     adaptor.getCount(), scope,
                                     /*relaxed=*/false);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ExpectPattern : MBarrierPattern<kernel::MBarrierExpectOp> {
  using MBarrierPattern::MBarrierPattern;

  LogicalResult
  matchAndRewrite(kernel::MBarrierExpectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool isOwn = kernel::isShared(cast<MemRefType>(op.getBarriers().getType()));
    rewriter.replaceOpWithNewOp<NVVM::MBarrierExpectTxOp>(
        op, getAddress(op, adaptor, rewriter), adaptor.getBytes(),
        isOwn ? NVVM::MemScopeKind::CTA : NVVM::MemScopeKind::CLUSTER);
    return success();
  }
};

// A loop in the IR, as the instruction may return before the phase is complete.
struct WaitPattern : MBarrierPattern<kernel::MBarrierWaitOp> {
  using MBarrierPattern::MBarrierPattern;

  LogicalResult
  matchAndRewrite(kernel::MBarrierWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getAddress(op, adaptor, rewriter);
    Value parity = LLVM::ZExtOp::create(rewriter, loc, rewriter.getI32Type(),
                                        adaptor.getPhase());
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *loop = rewriter.createBlock(after);
    Value done = NVVM::MBarrierTryWaitOp::create(
        rewriter, loc, rewriter.getI1Type(), address, parity,
        /*ticks=*/Value(), getMemScope(op.getScope()), /*relaxed=*/false);
    LLVM::CondBrOp::create(rewriter, loc, done, after, loop);
    rewriter.setInsertionPointToEnd(before);
    LLVM::BrOp::create(rewriter, loc, loop);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateKernelSyncPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns
      .add<PlainPattern<kernel::FenceMBarrierInitOp, NVVM::FenceMbarrierInitOp>,
           PlainPattern<kernel::BulkCommitOp, NVVM::CpAsyncBulkCommitGroupOp>,
           PlainPattern<kernel::CopyAsyncCommitOp, NVVM::CpAsyncCommitGroupOp>,
           // Without `aligned`: nothing says that whole warps come.
           ClusterArrivePattern,
           PlainPattern<kernel::ClusterWaitOp, NVVM::ClusterWaitOp>,
           GridDependencyPattern<kernel::GridDependencyWaitOp,
                                 NVVM::GridDepActionKind::wait>,
           GridDependencyPattern<kernel::GridDependencyLaunchOp,
                                 NVVM::GridDepActionKind::launch_dependents>,
           FenceAsyncPattern, BulkWaitPattern, CopyAsyncWaitPattern,
           BarrierPattern, BarrierArrivePattern, VotePattern, BallotPattern,
           SyncWarpPattern, ElectPattern, InitPattern, ArrivePattern,
           ExpectPattern, WaitPattern>(converter);
}

} // namespace fuser
