//===- LibrarySegment.cpp - Matrix products by a library ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment without a kernel: its host function looks at the buffers as
// matrices, or as batches of them, and calls `host.matmul`.
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/TensorLayout.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Support/FoldIndex.h"
#include "fuser/Support/SchedulerNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using fusion::ContractionOpInterface;
using fusion::DimRole;

namespace {

/// The matrices of one contraction, in its segment's host function.
class MatrixBuilder {
public:
  MatrixBuilder(SegmentLowering &lowering, ContractionOpInterface op)
      : lowering(lowering), op(op), builder(lowering.getHostBuilder()),
        loc(op->getLoc()), isBatch(!op.getDims(2, DimRole::Batch).empty()) {}

  /// The buffer of operand `number`, or for 2 of the result, with a dimension
  /// for `row` and one for `column`, behind one for the batch if there is one.
  Value build(unsigned number, DimRole row, DimRole column);

private:
  struct Dim {
    OpFoldResult size, stride;
  };

  Value getOuter(unsigned number);
  OpFoldResult joinStride(const Dim &before, int64_t dim);
  Dim join(unsigned number, DimRole role);

  SegmentLowering &lowering;
  ContractionOpInterface op;
  OpBuilder &builder;
  Location loc;
  bool isBatch;
  /// Of the tensor that is looked at.
  SmallVector<OpFoldResult> sizes, strides;
};

} // namespace

/// The segment's operand or result that the contraction's is.
Value MatrixBuilder::getOuter(unsigned number) {
  fusion::SegmentOp segment = lowering.getSegment();
  if (number == 2)
    return segment.getResult(0);
  auto inner = cast<BlockArgument>(op.getContractedTensor(number));
  return segment.getInputs()[inner.getArgNumber()];
}

/// The stride of `before` joined with dimension `dim` behind it. That of a
/// dimension of size 1 says nothing, which may be known at the call only.
OpFoldResult MatrixBuilder::joinStride(const Dim &before, int64_t dim) {
  bool isFirst = getConstantIntValue(before.size) == 1;
  if (isFirst || getConstantIntValue(sizes[dim]) ||
      before.stride == strides[dim])
    return strides[dim];
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value isOne = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]), one);
  auto getValue = [&](OpFoldResult stride) {
    return getValueOrCreateConstantIndexOp(builder, loc, stride);
  };
  return arith::SelectOp::create(builder, loc, isOne, getValue(before.stride),
                                 getValue(strides[dim]))
      .getResult();
}

/// The dimensions of this role, which follow each other in memory, as one.
MatrixBuilder::Dim MatrixBuilder::join(unsigned number, DimRole role) {
  Dim joined{builder.getIndexAttr(1), builder.getIndexAttr(1)};
  for (int64_t dim : op.getDims(number, role)) {
    if (getConstantIntValue(sizes[dim]) == 1)
      continue;
    joined.stride = joinStride(joined, dim);
    joined.size =
        foldIndex<arith::MulIOp>(builder, loc, joined.size, sizes[dim]);
  }
  return joined;
}

Value MatrixBuilder::build(unsigned number, DimRole row, DimRole column) {
  Value tensor = getOuter(number);
  Value buffer = lowering.getBuffer(tensor);
  SmallVector<DimRole> wanted = {row, column};
  if (isBatch)
    wanted.insert(wanted.begin(), DimRole::Batch);
  if (llvm::equal(wanted, op.getDimRoles(number)))
    return buffer;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  sizes = lowering.getSizes(tensor);
  strides = metadata.getConstifiedMixedStrides();
  host::StridedView view;
  view.offset = metadata.getConstifiedMixedOffset();
  for (DimRole role : wanted) {
    Dim joined = join(number, role);
    view.sizes.push_back(joined.size);
    view.strides.push_back(joined.stride);
    view.shape.push_back(
        getConstantIntValue(joined.size).value_or(ShapedType::kDynamic));
  }
  return view.create(builder, loc, buffer);
}

static LogicalResult lowerLibrary(SegmentLowering &lowering) {
  fusion::SegmentOp segment = lowering.getSegment();
  if (Decision decision = liesAsTaken(segment); !decision)
    return segment.emitOpError("expected tensors that a library takes as "
                               "matrices for ")
           << segment.getScheduleAttr() << ": " << decision.getReason();
  MatrixBuilder matrices(lowering,
                         fusion::getOnlyOp<ContractionOpInterface>(segment));
  Value lhs = matrices.build(0, DimRole::Row, DimRole::Contracted);
  Value rhs = matrices.build(1, DimRole::Contracted, DimRole::Column);
  Value out = matrices.build(2, DimRole::Row, DimRole::Column);
  host::MatmulOp::create(lowering.getHostBuilder(), lowering.getLoc(), lhs, rhs,
                         out);
  return success();
}

//===----------------------------------------------------------------------===//
// The scheduler
//===----------------------------------------------------------------------===//

static Decision chooseLibrary(const schedule::Segment &segment,
                              const schedule::Processor &processor,
                              schedule::Choice &choice) {
  Decision decision = schedule::fitsLibrary(segment.group, processor);
  if (decision)
    decision = liesAsTaken(segment.op);
  if (decision)
    choice.schedule =
        fusion::LibraryScheduleAttr::get(segment.op->getContext());
  return decision;
}

schedule::Scheduler fuser::getLibraryScheduler() {
  return {schedulers::kLibrary, schedule::fitsLibrary, chooseLibrary,
          schedule::kKernelFamilies |
              static_cast<unsigned>(fusion::Family::Contraction)};
}

void fuser::registerLibraryEmitter(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, fusion::FusionDialect *) {
    fusion::LibraryScheduleAttr::attachInterface<
        KernelEmitter<fusion::LibraryScheduleAttr, kNoKernels, lowerLibrary>>(
        *context);
  });
}
