//===- CudaEmitters.cpp - The GPU emitters of the schedule attributes -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using fusion::SegmentOp;

static SmallVector<OpFoldResult> getSizes(Value tensor, unsigned numDims,
                                          TensorDimFn dimOf) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned d = 0; d < numDims; ++d)
    sizes.push_back(dimOf(tensor, d));
  return sizes;
}

static int64_t getRank(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

static LaunchDims makeLaunch(OpBuilder &b, Location loc, OpFoldResult blocks,
                             int64_t threads) {
  LaunchDims dims;
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  dims.grid = {emitIndex(b, loc, blocks), one, one};
  dims.block = {int32_t(threads), 1, 1};
  return dims;
}

namespace {
template <typename Model, typename Attr>
struct CudaModel : KernelScheduleInterface::ExternalModel<Model, Attr> {
  StringRef getTarget(Attribute) const { return "cuda"; }
};

struct GenericModel : CudaModel<GenericModel, fusion::GenericScheduleAttr> {
  LogicalResult emitKernel(Attribute, OpBuilder &b, SegmentOp segment,
                           StringRef name, const ShapeSymbols &symbols) const {
    return emitGenericKernel(b, segment, name, symbols);
  }

  LaunchDims getLaunchDims(Attribute attr, OpBuilder &b, Location loc,
                           SegmentOp segment, TensorDimFn dimOf) const {
    auto schedule = cast<fusion::GenericScheduleAttr>(attr);
    int64_t perBlock = schedule.getThreads() / schedule.getParts();
    OpFoldResult most;
    for (OpResult result : segment->getResults()) {
      OpFoldResult count =
          emitProduct(b, loc, getSizes(result, getRank(result), dimOf));
      std::optional<int64_t> known = getConstantIntValue(count);
      std::optional<int64_t> before =
          most ? getConstantIntValue(most) : std::nullopt;
      if (!most)
        most = count;
      else if (known && before)
        most = b.getIndexAttr(std::max(*known, *before));
      else
        most = Value(arith::MaxUIOp::create(b, loc, emitIndex(b, loc, most),
                                            emitIndex(b, loc, count)));
    }
    return makeLaunch(b, loc, emitCeilDiv(b, loc, most, perBlock),
                      schedule.getThreads());
  }
};

struct PointwiseModel
    : CudaModel<PointwiseModel, fusion::PointwiseScheduleAttr> {
  LogicalResult emitKernel(Attribute, OpBuilder &b, SegmentOp segment,
                           StringRef name, const ShapeSymbols &symbols) const {
    return emitPointwiseKernel(b, segment, name, symbols);
  }

  LaunchDims getLaunchDims(Attribute attr, OpBuilder &b, Location loc,
                           SegmentOp segment, TensorDimFn dimOf) const {
    auto schedule = cast<fusion::PointwiseScheduleAttr>(attr);
    int64_t perBlock = schedule.getThreads() * schedule.getUnroll();
    OpResult result = segment->getResult(0);
    SmallVector<OpFoldResult> sizes = getSizes(result, getRank(result), dimOf);
    if (isFlat(segment))
      sizes = {emitProduct(b, loc, sizes)};
    if (!sizes.empty())
      sizes.back() = emitCeilDiv(b, loc, sizes.back(), schedule.getVector());
    OpFoldResult chunks = emitProduct(b, loc, sizes);
    return makeLaunch(b, loc, emitCeilDiv(b, loc, chunks, perBlock),
                      schedule.getThreads());
  }
};

struct TransposeModel
    : CudaModel<TransposeModel, fusion::TransposeScheduleAttr> {
  LogicalResult emitKernel(Attribute, OpBuilder &b, SegmentOp segment,
                           StringRef name, const ShapeSymbols &symbols) const {
    return emitTransposeKernel(b, segment, name, symbols);
  }

  LaunchDims getLaunchDims(Attribute attr, OpBuilder &b, Location loc,
                           SegmentOp segment, TensorDimFn dimOf) const {
    auto schedule = cast<fusion::TransposeScheduleAttr>(attr);
    OpResult result = segment->getResult(0);
    SmallVector<OpFoldResult> tiles = getSizes(result, getRank(result), dimOf);
    for (int64_t dim : {schedule.getAlong(), schedule.getAcross()})
      tiles[dim] = emitCeilDiv(b, loc, tiles[dim], schedule.getTile());
    return makeLaunch(b, loc, emitProduct(b, loc, tiles),
                      schedule.getThreads());
  }
};

struct RowReductionModel
    : CudaModel<RowReductionModel, fusion::RowReductionScheduleAttr> {
  LogicalResult emitKernel(Attribute, OpBuilder &b, SegmentOp segment,
                           StringRef name, const ShapeSymbols &symbols) const {
    return emitRowReductionKernel(b, segment, name, symbols);
  }

  LaunchDims getLaunchDims(Attribute attr, OpBuilder &b, Location loc,
                           SegmentOp segment, TensorDimFn dimOf) const {
    auto schedule = cast<fusion::RowReductionScheduleAttr>(attr);
    OpFoldResult rows = emitProduct(
        b, loc, getSizes(segment->getResult(0), getNumRowDims(segment), dimOf));
    return makeLaunch(b, loc,
                      emitCeilDiv(b, loc, rows, schedule.getRowsPerBlock()),
                      schedule.getThreads() * schedule.getRowsPerBlock());
  }
};
} // namespace

void fuser::registerCudaKernelEmitters(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, fusion::FusionDialect *) {
    fusion::GenericScheduleAttr::attachInterface<GenericModel>(*context);
    fusion::PointwiseScheduleAttr::attachInterface<PointwiseModel>(*context);
    fusion::TransposeScheduleAttr::attachInterface<TransposeModel>(*context);
    fusion::RowReductionScheduleAttr::attachInterface<RowReductionModel>(
        *context);
  });
}
