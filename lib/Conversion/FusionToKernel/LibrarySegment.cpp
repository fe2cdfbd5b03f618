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

#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Support/FoldIndex.h"
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
  Dim join(ArrayRef<Dim> dims, bool isDense);
  void checkJoined(const Dim &dim, const Dim &inner);

  SegmentLowering &lowering;
  ContractionOpInterface op;
  OpBuilder &builder;
  Location loc;
  bool isBatch;
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

/// Between neighbours of `dim` lie all elements of `inner`. Layouts that are
/// written by hand may be others.
void MatrixBuilder::checkJoined(const Dim &dim, const Dim &inner) {
  auto getValue = [&](OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(builder, loc, index);
  };
  Value expected = getValue(
      foldIndex<arith::MulIOp>(builder, loc, inner.size, inner.stride));
  Value got = getValue(dim.stride);
  Value isNext = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, got, expected);
  Value isOne = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sle, getValue(dim.size),
      getValue(builder.getIndexAttr(1)));
  std::string message = op->getName().getStringRef().str();
  host::CheckOp::create(
      builder, loc, builder.createOrFold<arith::OrIOp>(loc, isNext, isOne),
      message + ": expected dimensions that lie as one, the stride of the "
                "outer one to be {0}, got {1}",
      ValueRange{expected, got});
}

/// Dimensions that follow each other in memory, as one.
MatrixBuilder::Dim MatrixBuilder::join(ArrayRef<Dim> dims, bool isDense) {
  if (dims.empty())
    return {builder.getIndexAttr(1), builder.getIndexAttr(1)};
  Dim joined = dims.back();
  for (const Dim &dim : llvm::reverse(dims.drop_back())) {
    if (!isDense)
      checkJoined(dim, joined);
    joined.size = foldIndex<arith::MulIOp>(builder, loc, dim.size, joined.size);
  }
  return joined;
}

Value MatrixBuilder::build(unsigned number, DimRole row, DimRole column) {
  Value tensor = getOuter(number);
  Value buffer = lowering.getBuffer(tensor);
  SmallVector<OpFoldResult> sizes = lowering.getSizes(tensor);
  SmallVector<DimRole> wanted = {row, column};
  if (isBatch)
    wanted.insert(wanted.begin(), DimRole::Batch);
  if (llvm::equal(wanted, op.getDimRoles(number)))
    return buffer;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
  bool isDense = cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
  host::StridedView view;
  view.offset = metadata.getConstifiedMixedOffset();
  for (DimRole role : wanted) {
    auto dims = llvm::map_to_vector(op.getDims(number, role), [&](int64_t dim) {
      return Dim{sizes[dim], strides[dim]};
    });
    Dim joined = join(dims, isDense);
    view.sizes.push_back(joined.size);
    view.strides.push_back(joined.stride);
    view.shape.push_back(
        getConstantIntValue(joined.size).value_or(ShapedType::kDynamic));
  }
  return view.create(builder, loc, buffer);
}

static LogicalResult lowerLibrary(SegmentLowering &lowering) {
  auto op = cast<ContractionOpInterface>(
      lowering.getSegment().getBody().front().front());
  MatrixBuilder matrices(lowering, op);
  Value lhs = matrices.build(0, DimRole::Row, DimRole::Contracted);
  Value rhs = matrices.build(1, DimRole::Contracted, DimRole::Column);
  Value out = matrices.build(2, DimRole::Row, DimRole::Column);
  host::MatmulOp::create(lowering.getHostBuilder(), op->getLoc(), lhs, rhs,
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
    choice.schedule =
        fusion::LibraryScheduleAttr::get(segment.op->getContext());
  return decision;
}

schedule::Scheduler fuser::getLibraryScheduler() {
  return {"library", schedule::fitsLibrary, schedule::estimateSeconds,
          chooseLibrary,
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
