//===- CudaEmitters.cpp - The GPU emitters of the schedule attributes -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"

using namespace fuser;

namespace {
template <typename Attr, LogicalResult lower(SegmentLowering &)>
struct CudaModel
    : KernelScheduleInterface::ExternalModel<CudaModel<Attr, lower>, Attr> {
  StringRef getTarget(Attribute) const { return "cuda"; }
  LogicalResult lowerSegment(Attribute, SegmentLowering &lowering) const {
    return lower(lowering);
  }
};
} // namespace

template <typename Attr, LogicalResult lower(SegmentLowering &)>
static void attach(MLIRContext *context) {
  Attr::template attachInterface<CudaModel<Attr, lower>>(*context);
}

void fuser::registerCudaKernelEmitters(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, fusion::FusionDialect *) {
    attach<fusion::GenericScheduleAttr, lowerGeneric>(context);
    attach<fusion::PointwiseScheduleAttr, lowerPointwise>(context);
    attach<fusion::TransposeScheduleAttr, lowerTranspose>(context);
    attach<fusion::RowReductionScheduleAttr, lowerRowReduction>(context);
    attach<fusion::SplitReductionScheduleAttr, lowerSplitReduction>(context);
  });
}
