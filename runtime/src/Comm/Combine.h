//===- Combine.h - Parts of several ranks as one --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_COMM_COMBINE_H
#define FUSER_RT_COMM_COMBINE_H

#include "fuser_rt/communicator.h"

namespace fuser_rt {

/// dst[i] = the combination of parts[0][i], parts[1][i], ... for begin <= i <
/// end, by the transfer's reduction and type. In the order of the parts, in f32
/// (f64 for f64) and rounded once; integers wrap, and their average is
/// truncated; NaN stays NaN. `dst` may be one of the parts.
void combine(const FuserTransfer &transfer, const void *const *parts,
             int64_t numParts, int64_t begin, int64_t end, void *dst);

} // namespace fuser_rt

#endif // FUSER_RT_COMM_COMBINE_H
