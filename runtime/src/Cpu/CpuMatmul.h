//===- CpuMatmul.h - Matrix products on a CPU -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CPU_CPUMATMUL_H
#define FUSER_RT_CPU_CPUMATMUL_H

#include "fuser_rt/host_abi.h"

namespace fuser_rt {

/// Computes rows [begin, end) of the result, counted through all matrices of
/// the batch. Sums are of f64 in f64 and of other types in f32, in the order of
/// k, so that they do not depend on how rows are shared.
void matmulRows(const FuserMatmul &op, int64_t begin, int64_t end);

} // namespace fuser_rt

#endif // FUSER_RT_CPU_CPUMATMUL_H
