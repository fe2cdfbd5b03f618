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

/// Blocks of the result, counted through all matrices of the batch, and the
/// bytes of memory that each thread needs that computes some.
int64_t countMatmulBlocks(const FuserMatmul &op);
size_t getMatmulScratch(const FuserMatmul &op);

/// Computes blocks [begin, end). Sums are of f64 in f64 and of other types in
/// f32, and do not depend on how blocks are shared.
void matmulBlocks(const FuserMatmul &op, int64_t begin, int64_t end,
                  void *scratch);

} // namespace fuser_rt

#endif // FUSER_RT_CPU_CPUMATMUL_H
