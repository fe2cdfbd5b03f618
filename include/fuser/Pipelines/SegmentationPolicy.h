//===- SegmentationPolicy.h - Which groups become one kernel ---*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What this project puts into segmentation: groups may merge if one of the
// schedulers takes them, and should if the one kernel takes less time than the
// two.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_SEGMENTATIONPOLICY_H
#define FUSER_PIPELINES_SEGMENTATIONPOLICY_H

#include "fuser/Dialect/Fusion/Transforms/Segmentation.h"
#include "fuser/Target/Target.h"

namespace fuser {

/// The policy for any of `targets`; the first one is for programs of which
/// nothing is said.
fusion::SegmentationPolicy getSegmentationPolicy(Targets targets);

} // namespace fuser

#endif // FUSER_PIPELINES_SEGMENTATIONPOLICY_H
