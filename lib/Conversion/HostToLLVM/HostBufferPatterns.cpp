//===- HostBufferPatterns.cpp - Buffers and views as LLVM -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostToLLVMInternal.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser_rt/ElementTypes.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <limits>

using namespace fuser;
using namespace fuser::host;
using namespace fuser::host_to_llvm;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {
/// A size or stride: known, or an i64.
struct Extent {
  int64_t known = ShapedType::kDynamic;
  Value value;

  Value materialize(OpBuilder &builder, Location loc) const {
    return value ? value
                 : emitConstant(builder, loc, builder.getI64Type(), known);
  }
};

struct Layout {
  SmallVector<Extent> sizes, strides;
};
} // namespace

static Extent multiply(OpBuilder &builder, Location loc, const Extent &a,
                       const Extent &b) {
  if (!a.value && !b.value)
    return {a.known * b.known, nullptr};
  if (!a.value && a.known == 1)
    return b;
  if (!b.value && b.known == 1)
    return a;
  return {ShapedType::kDynamic,
          LLVM::MulOp::create(builder, loc, a.materialize(builder, loc),
                              b.materialize(builder, loc))};
}

/// `size`, or 1 if it is 0.
static Extent atLeastOne(OpBuilder &builder, Location loc, const Extent &size) {
  if (!size.value)
    return {std::max<int64_t>(size.known, 1), nullptr};
  return {ShapedType::kDynamic,
          LLVM::SMaxOp::create(
              builder, loc, size.value,
              emitConstant(builder, loc, builder.getI64Type(), 1))};
}

/// The bytes of a new buffer; the largest number where they do not fit into 64
/// bits, which no allocator gives. Sizes are not negative.
static Value emitBytes(OpBuilder &builder, Location loc, const Layout &layout,
                       int64_t elementBytes) {
  Type i64 = builder.getI64Type();
  Value largest =
      emitConstant(builder, loc, i64, std::numeric_limits<int64_t>::max());
  Type pair = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                               {i64, builder.getI1Type()});
  Value bytes = emitConstant(builder, loc, i64, elementBytes);
  for (const Extent &size : layout.sizes) {
    if (!size.value && size.known == 1)
      continue;
    Value product = LLVM::SMulWithOverflowOp::create(
        builder, loc, pair, bytes, size.materialize(builder, loc));
    Value low = LLVM::ExtractValueOp::create(builder, loc, product, 0);
    Value wraps = LLVM::ExtractValueOp::create(builder, loc, product, 1);
    bytes = LLVM::SelectOp::create(builder, loc, wraps, largest, low);
  }
  return bytes;
}

/// The layout of a new buffer of this type: dense in the stride order. Sizes of
/// 0 count as 1, as frameworks have it.
static Layout emitDenseLayout(OpBuilder &builder, Location loc, MemRefType type,
                              ValueRange dynamicSizes,
                              std::optional<ArrayRef<int64_t>> strideOrder) {
  Layout layout;
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      layout.sizes.push_back({ShapedType::kDynamic, dynamicSizes.front()});
      dynamicSizes = dynamicSizes.drop_front();
    } else {
      layout.sizes.push_back({size, nullptr});
    }
  }
  int64_t rank = type.getRank();
  layout.strides.resize(rank);
  Extent stride{1, nullptr};
  for (int64_t k = rank - 1; k >= 0; --k) {
    int64_t dim = strideOrder ? (*strideOrder)[k] : k;
    layout.strides[dim] = stride;
    if (k > 0) // No stride has the size of the slowest dimension in it.
      stride = multiply(builder, loc, stride,
                        atLeastOne(builder, loc, layout.sizes[dim]));
  }
  return layout;
}

Value host_to_llvm::emitSizeProduct(OpBuilder &builder, Location loc,
                                    int64_t factor, MemRefDescriptor buffer,
                                    MemRefType type) {
  Extent product{factor, nullptr};
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    Extent extent{size, nullptr};
    if (ShapedType::isDynamic(size))
      extent.value = buffer.size(builder, loc, d);
    product = multiply(builder, loc, product, extent);
  }
  return product.materialize(builder, loc);
}

static int64_t getElementBytes(Operation *op, MemRefType type) {
  return DataLayout::closest(op).getTypeSize(type.getElementType());
}

/// The descriptor of the buffer at `data`.
static Value emitDescriptor(OpBuilder &builder, Location loc, Type type,
                            Value data, const Layout &layout) {
  auto descriptor = MemRefDescriptor::poison(builder, loc, type);
  descriptor.setAllocatedPtr(builder, loc, data);
  descriptor.setAlignedPtr(builder, loc, data);
  descriptor.setConstantOffset(builder, loc, 0);
  for (auto [d, size] : llvm::enumerate(layout.sizes))
    descriptor.setSize(builder, loc, d, size.materialize(builder, loc));
  for (auto [d, stride] : llvm::enumerate(layout.strides))
    descriptor.setStride(builder, loc, d, stride.materialize(builder, loc));
  return descriptor;
}

/// Loads the pointer that a call has given back.
static Value emitLoadPointer(OpBuilder &builder, Location loc,
                             const Entry &entry) {
  return LLVM::LoadOp::create(builder, loc,
                              LLVM::LLVMPointerType::get(builder.getContext()),
                              entry.pointer);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
// alloc -> api.alloc(bytes)
struct ConvertAlloc : public HostPattern<AllocOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(AllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getType();
    Layout layout = emitDenseLayout(rewriter, loc, type, adaptor.getSizes(),
                                    op.getStrideOrder());
    Value bytes = emitBytes(rewriter, loc, layout, getElementBytes(op, type));
    emitApiCall(rewriter, loc, entry, ApiSlot::Alloc, {bytes, entry.pointer});
    Value data = emitLoadPointer(rewriter, loc, entry);
    rewriter.replaceOp(op, emitDescriptor(rewriter, loc,
                                          typeConverter->convertType(type),
                                          data, layout));
    return success();
  }
};

// workspace i -> api.workspace(i, zeroed, bytes)
struct ConvertWorkspace : public HostPattern<WorkspaceOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(WorkspaceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getType();
    Layout layout = emitDenseLayout(rewriter, loc, type, adaptor.getSizes(),
                                    /*strideOrder=*/std::nullopt);
    Value bytes = emitBytes(rewriter, loc, layout, getElementBytes(op, type));
    Type i32 = rewriter.getI32Type();
    emitApiCall(rewriter, loc, entry, ApiSlot::Workspace,
                {emitConstant(rewriter, loc, i32, op.getNumber()),
                 emitConstant(rewriter, loc, i32, op.getZeroed()), bytes,
                 entry.pointer});
    Value data = emitLoadPointer(rewriter, loc, entry);
    rewriter.replaceOp(op, emitDescriptor(rewriter, loc,
                                          typeConverter->convertType(type),
                                          data, layout));
    return success();
  }
};

// dealloc -> api.dealloc(data)
struct ConvertDealloc : public HostPattern<DeallocOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(DeallocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefDescriptor buffer(adaptor.getBuffer());
    emitApiCall(rewriter, op.getLoc(), entry, ApiSlot::Dealloc,
                buffer.allocatedPtr(rewriter, op.getLoc()));
    rewriter.eraseOp(op);
    return success();
  }
};

// output i -> api.output(i, sizes, strides)
struct ConvertOutput : public HostPattern<OutputOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(OutputOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getType();
    Layout layout = emitDenseLayout(rewriter, loc, type, adaptor.getSizes(),
                                    op.getStrideOrder());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      emitStore(rewriter, loc, layout.sizes[d].materialize(rewriter, loc),
                entry.sizes, kSlotBytes * d);
      emitStore(rewriter, loc, layout.strides[d].materialize(rewriter, loc),
                entry.strides, kSlotBytes * d);
    }
    Value index =
        emitConstant(rewriter, loc, rewriter.getI32Type(), op.getIndex());
    emitApiCall(rewriter, loc, entry, ApiSlot::Output,
                {index, entry.sizes, entry.strides, entry.pointer});
    Value data = emitLoadPointer(rewriter, loc, entry);
    rewriter.replaceOp(op, emitDescriptor(rewriter, loc,
                                          typeConverter->convertType(type),
                                          data, layout));
    return success();
  }
};

// output_view i, view -> api.output_view(i, input, data, sizes, strides)
struct ConvertOutputView : public HostPattern<OutputViewOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(OutputViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getView().getType();
    MemRefDescriptor view(adaptor.getView());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      emitStore(rewriter, loc, view.size(rewriter, loc, d), entry.sizes,
                kSlotBytes * d);
      emitStore(rewriter, loc, view.stride(rewriter, loc, d), entry.strides,
                kSlotBytes * d);
    }
    Type i32 = rewriter.getI32Type();
    Value index = emitConstant(rewriter, loc, i32, op.getIndex());
    int32_t inputNumber =
        op.getInput() ? static_cast<int32_t>(*op.getInput()) : -1;
    Value input = emitConstant(rewriter, loc, i32, inputNumber);
    Value data = view.bufferPtr(rewriter, loc, *getTypeConverter(), type);
    emitApiCall(rewriter, loc, entry, ApiSlot::OutputView,
                {index, input, data, entry.sizes, entry.strides});
    rewriter.eraseOp(op);
    return success();
  }
};

// copy src, dst -> api.copy(dst, src, bytes)
struct ConvertCopy : public HostPattern<CopyOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getSrc().getType();
    MemRefDescriptor src(adaptor.getSrc()), dst(adaptor.getDst());
    Value bytes =
        emitSizeProduct(rewriter, loc, getElementBytes(op, type), src, type);
    Value to = dst.bufferPtr(rewriter, loc, *getTypeConverter(),
                             op.getDst().getType());
    Value from = src.bufferPtr(rewriter, loc, *getTypeConverter(), type);
    emitApiCall(rewriter, loc, entry, ApiSlot::Copy, {to, from, bytes});
    rewriter.eraseOp(op);
    return success();
  }
};

// matmul a, b, out -> op = ..., api.matmul(op)
struct ConvertMatmul : public HostPattern<MatmulOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(MatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t rank = op.getOut().getType().getRank();
    auto store = [&](Value value, int64_t bytes) {
      emitStore(rewriter, loc, value, entry.matmul, bytes);
    };
    MemRefDescriptor a(adaptor.getA()), b(adaptor.getB()),
        out(adaptor.getOut());
    Type i64 = rewriter.getI64Type();
    Value one = emitConstant(rewriter, loc, i64, 1);
    Value sizes[] = {rank == 3 ? out.size(rewriter, loc, 0) : one,
                     out.size(rewriter, loc, rank - 2),
                     out.size(rewriter, loc, rank - 1),
                     a.size(rewriter, loc, rank - 1)};
    for (auto [i, size] : llvm::enumerate(sizes))
      store(size, kMatmulSizes + kSlotBytes * i);
    Value zero = emitConstant(rewriter, loc, i64, 0);
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      MemRefDescriptor matrix = i == 0 ? a : i == 1 ? b : out;
      auto type = cast<MemRefType>(operand.getType());
      store(matrix.bufferPtr(rewriter, loc, *getTypeConverter(), type),
            kMatmulAddresses + kSlotBytes * i);
      int64_t at = kMatmulStrides + 3 * kSlotBytes * i;
      store(rank == 3 ? matrix.stride(rewriter, loc, 0) : zero, at);
      for (int64_t d = 1; d < 3; ++d)
        store(matrix.stride(rewriter, loc, rank - 3 + d), at + kSlotBytes * d);
    }
    Type i32 = rewriter.getI32Type();
    Value values[] = {op.getA(), op.getOut()};
    for (auto [i, value] : llvm::enumerate(values))
      store(emitConstant(rewriter, loc, i32, getElementNumber(value)),
            kMatmulTypes + 4 * i);
    emitApiCall(rewriter, loc, entry, ApiSlot::Matmul, entry.matmul);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// As fuser_rt::ElementType numbers floats.
  static int32_t getElementNumber(Value matrix) {
    Type type = cast<MemRefType>(matrix.getType()).getElementType();
    return static_cast<int32_t>(findElement(type)->type);
  }
};

} // namespace

/// A descriptor of `type` over the memory of `source`, `index` steps along
/// `dim`.
static MemRefDescriptor emitShifted(OpBuilder &builder, Location loc, Type type,
                                    MemRefDescriptor source, int64_t dim,
                                    Value index) {
  auto view = MemRefDescriptor::poison(builder, loc, type);
  view.setAllocatedPtr(builder, loc, source.allocatedPtr(builder, loc));
  view.setAlignedPtr(builder, loc, source.alignedPtr(builder, loc));
  Value shift = LLVM::MulOp::create(builder, loc, index,
                                    source.stride(builder, loc, dim));
  view.setOffset(
      builder, loc,
      LLVM::AddOp::create(builder, loc, source.offset(builder, loc), shift));
  return view;
}

namespace {
// select b dim d at i -> offset + i * stride[d], without dimension d
struct ConvertSelect : public HostPattern<SelectOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(SelectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefDescriptor source(adaptor.getBuffer());
    int64_t dim = op.getDim();
    MemRefDescriptor view =
        emitShifted(rewriter, loc, typeConverter->convertType(op.getType()),
                    source, dim, adaptor.getIndex());
    for (int64_t d = 0; d < op.getType().getRank(); ++d) {
      int64_t from = d < dim ? d : d + 1;
      view.setSize(rewriter, loc, d, source.size(rewriter, loc, from));
      view.setStride(rewriter, loc, d, source.stride(rewriter, loc, from));
    }
    rewriter.replaceOp(op, static_cast<Value>(view));
    return success();
  }
};

// slice b dim d from o size n -> offset + o * stride[d], with size[d] = n
struct ConvertSlice : public HostPattern<SliceOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefDescriptor source(adaptor.getBuffer());
    int64_t dim = op.getDim();
    MemRefDescriptor view =
        emitShifted(rewriter, loc, typeConverter->convertType(op.getType()),
                    source, dim, adaptor.getOffset());
    for (int64_t d = 0; d < op.getType().getRank(); ++d) {
      view.setSize(rewriter, loc, d,
                   d == dim ? adaptor.getSize()
                            : source.size(rewriter, loc, d));
      view.setStride(rewriter, loc, d, source.stride(rewriter, loc, d));
    }
    rewriter.replaceOp(op, static_cast<Value>(view));
    return success();
  }
};

struct ConvertRebase : public HostPattern<RebaseOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(RebaseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefDescriptor view(adaptor.getBuffer());
    Value first = view.bufferPtr(rewriter, loc, *getTypeConverter(),
                                 op.getBuffer().getType());
    view.setAlignedPtr(rewriter, loc, first);
    view.setConstantOffset(rewriter, loc, 0);
    rewriter.replaceOp(op, static_cast<Value>(view));
    return success();
  }
};
} // namespace

void host_to_llvm::populateHostBufferPatterns(
    const LLVMTypeConverter &converter, Entry &entry,
    RewritePatternSet &patterns) {
  patterns.add<ConvertAlloc, ConvertCopy, ConvertDealloc, ConvertMatmul,
               ConvertOutput, ConvertOutputView, ConvertRebase, ConvertSelect,
               ConvertSlice, ConvertWorkspace>(converter, entry);
}
