//===- CpuMaskedAccess.cpp - Masked accesses of CPU kernels ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM turns a masked access that the processor lacks into a branch a lane.
// Kernels ask for the first so many lanes; these are copied through a buffer
// instead.
//
//===----------------------------------------------------------------------===//

#include "CpuArithmetic.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace fuser;

//===----------------------------------------------------------------------===//
// Through a buffer
//===----------------------------------------------------------------------===//

static bool hasMaskedAccess(const CpuInfo &cpu, Type element) {
  if (element.getIntOrFloatBitWidth() < 32)
    return cpu.has("avx512bw") && cpu.has("avx512vl");
  return cpu.has("avx");
}

namespace {
/// Rewrites the accesses of one kernel.
class MaskedAccessExpander {
public:
  explicit MaskedAccessExpander(func::FuncOp kernel)
      : kernel(kernel), b(kernel.getContext()) {}
  void expand(vector::MaskedLoadOp op, Value count);
  void expand(vector::MaskedStoreOp op, Value count);

private:
  Value getBuffer(VectorType type);
  Value getZero(Location loc) {
    return arith::ConstantIndexOp::create(b, loc, 0);
  }
  void copy(Location loc, Value count, llvm::function_ref<void(Value)> one);
  SmallVector<Value> at(Location loc, ValueRange index, Value lane);

  func::FuncOp kernel;
  IRRewriter b;
  DenseMap<Type, Value> buffers;
};
} // namespace

Value MaskedAccessExpander::getBuffer(VectorType type) {
  Value &buffer = buffers[type];
  if (buffer)
    return buffer;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  return buffer = memref::AllocaOp::create(
             b, kernel.getLoc(),
             MemRefType::get(type.getShape(), type.getElementType()),
             b.getI64IntegerAttr(64));
}

SmallVector<Value> MaskedAccessExpander::at(Location loc, ValueRange index,
                                            Value lane) {
  auto moved = llvm::to_vector(index);
  moved.back() = arith::AddIOp::create(b, loc, moved.back(), lane);
  return moved;
}

void MaskedAccessExpander::copy(Location loc, Value count,
                                llvm::function_ref<void(Value)> one) {
  Value step = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, getZero(loc), count, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  one(loop.getInductionVar());
}

void MaskedAccessExpander::expand(vector::MaskedLoadOp op, Value count) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value buffer = getBuffer(op.getVectorType());
  vector::StoreOp::create(b, loc, op.getPassThru(), buffer,
                          ValueRange{getZero(loc)});
  copy(loc, count, [&](Value lane) {
    Value element = memref::LoadOp::create(b, loc, op.getBase(),
                                           at(loc, op.getIndices(), lane));
    memref::StoreOp::create(b, loc, element, buffer, lane);
  });
  b.replaceOpWithNewOp<vector::LoadOp>(op, op.getVectorType(), buffer,
                                       ValueRange{getZero(loc)});
}

void MaskedAccessExpander::expand(vector::MaskedStoreOp op, Value count) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value buffer = getBuffer(op.getVectorType());
  vector::StoreOp::create(b, loc, op.getValueToStore(), buffer,
                          ValueRange{getZero(loc)});
  copy(loc, count, [&](Value lane) {
    Value element = memref::LoadOp::create(b, loc, buffer, lane);
    memref::StoreOp::create(b, loc, element, op.getBase(),
                            at(loc, op.getIndices(), lane));
  });
  b.eraseOp(op);
}

/// The number of leading lanes that `mask` selects; null if it is no such mask.
static Value getLaneCount(Value mask) {
  auto create = mask.getDefiningOp<vector::CreateMaskOp>();
  return create && create.getNumOperands() == 1 ? create.getOperand(0)
                                                : Value();
}

void fuser::expandMaskedAccesses(Operation *root, const CpuInfo &cpu) {
  root->walk([&](func::FuncOp kernel) {
    MaskedAccessExpander expander(kernel);
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<vector::MaskedLoadOp>(op)) {
        Value count = getLaneCount(load.getMask());
        if (count &&
            !hasMaskedAccess(cpu, load.getVectorType().getElementType()))
          expander.expand(load, count);
      } else if (auto store = dyn_cast<vector::MaskedStoreOp>(op)) {
        Value count = getLaneCount(store.getMask());
        if (count &&
            !hasMaskedAccess(cpu, store.getVectorType().getElementType()))
          expander.expand(store, count);
      }
    });
  });
}

//===----------------------------------------------------------------------===//
// 16-bit floats as integers
//===----------------------------------------------------------------------===//

/// LLVM has masked accesses of 16-bit floats only where the processor computes
/// with them.
static VectorType getIntegerVector(VectorType type) {
  Type element = type.getElementType();
  if (!element.isBF16() && !element.isF16())
    return {};
  return VectorType::get(type.getShape(),
                         IntegerType::get(type.getContext(), 16));
}

namespace {
template <typename Op>
struct NarrowMaskedAccess : public ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OpAdaptor = typename ConvertOpToLLVMPattern<Op>::OpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    VectorType integers = getIntegerVector(op.getVectorType());
    if (!integers)
      return rewriter.notifyMatchFailure(op, "elements are no 16-bit floats");
    Value pointer =
        this->getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(),
                                   adaptor.getBase(), adaptor.getIndices());
    rewrite(op, adaptor, integers, pointer, rewriter);
    return success();
  }

  virtual void rewrite(Op op, OpAdaptor adaptor, VectorType integers,
                       Value pointer,
                       ConversionPatternRewriter &rewriter) const = 0;
};

struct NarrowMaskedLoad : public NarrowMaskedAccess<vector::MaskedLoadOp> {
  using NarrowMaskedAccess::NarrowMaskedAccess;
  void rewrite(vector::MaskedLoadOp op, OpAdaptor adaptor, VectorType integers,
               Value pointer,
               ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value passThru =
        LLVM::BitcastOp::create(rewriter, loc, integers, adaptor.getPassThru());
    Value loaded = LLVM::MaskedLoadOp::create(rewriter, loc, integers, pointer,
                                              adaptor.getMask(), passThru,
                                              /*alignment=*/2);
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, op.getVectorType(),
                                                 loaded);
  }
};

struct NarrowMaskedStore : public NarrowMaskedAccess<vector::MaskedStoreOp> {
  using NarrowMaskedAccess::NarrowMaskedAccess;
  void rewrite(vector::MaskedStoreOp op, OpAdaptor adaptor, VectorType integers,
               Value pointer,
               ConversionPatternRewriter &rewriter) const override {
    Value stored = LLVM::BitcastOp::create(rewriter, op.getLoc(), integers,
                                           adaptor.getValueToStore());
    rewriter.replaceOpWithNewOp<LLVM::MaskedStoreOp>(op, stored, pointer,
                                                     adaptor.getMask(),
                                                     /*alignment=*/2);
  }
};
} // namespace

void fuser::populateNarrowMaskedAccessPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<NarrowMaskedLoad, NarrowMaskedStore>(converter, /*benefit=*/2);
}
