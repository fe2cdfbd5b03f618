//===- GpuEmitters.cpp - The GPU emitters of the schedule attributes -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "fuser/Conversion/KernelEmitters.h"

using namespace fuser;

template <typename Attr, LogicalResult lower(SegmentLowering &)>
static void attach(MLIRContext *context) {
  Attr::template attachInterface<KernelEmitter<Attr, kGpuKernels, lower>>(
      *context);
}

void fuser::registerGpuKernelEmitters(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, fusion::FusionDialect *) {
    attach<fusion::GenericScheduleAttr, lowerGeneric>(context);
    attach<fusion::TileScheduleAttr, lowerTile>(context);
    attach<fusion::SplitReductionScheduleAttr, lowerSplitReduction>(context);
  });
}
