//===- CpuMatmul.cpp - Matrix products on a CPU ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops over blocks: right for every type and every stride, and no match
// for a library. Terms are added in order.
//
//===----------------------------------------------------------------------===//

#include "Cpu/CpuMatmul.h"

#include "Elements.h"
#include "fuser_rt/Program.h"

#include <algorithm>

using namespace fuser_rt;
using namespace fuser_rt::elements;

/// So many results are summed up at once, and so many terms of each are taken
/// from the right matrix, as it lies or transposed, for all of them.
static constexpr int64_t kRows = 16, kColumns = 256, kDepth = 32;

namespace {
/// Rows of one matrix, from a first one on.
template <typename In, typename Out>
struct Block {
  const FuserMatmul &op;
  const typename In::Stored *a, *b;
  typename Out::Stored *out;
  int64_t rows;

  using Sum = typename In::Sum;

  /// Terms [k, k + depth) of columns [from, from + count).
  void pack(Sum (&packed)[kDepth][kColumns], int64_t k, int64_t depth,
            int64_t from, int64_t count) const {
    const auto *first = b + k * op.b_strides[1] + from * op.b_strides[2];
    if (op.b_strides[1] == 1) {
      for (int64_t j = 0; j < count; ++j)
        for (int64_t i = 0; i < depth; ++i)
          packed[i][j] = In::load(first[i + j * op.b_strides[2]]);
      return;
    }
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t j = 0; j < count; ++j)
        packed[i][j] =
            In::load(first[i * op.b_strides[1] + j * op.b_strides[2]]);
  }

  void compute(int64_t from, int64_t count) const {
    Sum sums[kRows][kColumns] = {};
    Sum packed[kDepth][kColumns];
    for (int64_t k = 0; k < op.k; k += kDepth) {
      int64_t depth = std::min(kDepth, op.k - k);
      pack(packed, k, depth, from, count);
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t i = 0; i < depth; ++i) {
          Sum left =
              In::load(a[row * op.a_strides[1] + (k + i) * op.a_strides[2]]);
          for (int64_t j = 0; j < count; ++j)
            sums[row][j] += left * packed[i][j];
        }
    }
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t j = 0; j < count; ++j)
        out[row * op.out_strides[1] + (from + j) * op.out_strides[2]] =
            Out::store(sums[row][j]);
  }
};
} // namespace

template <typename In, typename Out>
static void computeRows(const FuserMatmul &op, int64_t begin, int64_t end) {
  for (int64_t row = begin, rows = 0; row < end; row += rows) {
    int64_t batch = row / op.m, i = row % op.m;
    rows = std::min({kRows, op.m - i, end - row});
    Block<In, Out> block{op,
                         static_cast<const typename In::Stored *>(op.a) +
                             batch * op.a_strides[0] + i * op.a_strides[1],
                         static_cast<const typename In::Stored *>(op.b) +
                             batch * op.b_strides[0],
                         static_cast<typename Out::Stored *>(op.out) +
                             batch * op.out_strides[0] + i * op.out_strides[1],
                         rows};
    for (int64_t from = 0; from < op.n; from += kColumns)
      block.compute(from, std::min(kColumns, op.n - from));
  }
}

void fuser_rt::matmulRows(const FuserMatmul &op, int64_t begin, int64_t end) {
  bool toF32 = static_cast<ElementType>(op.out_type) == ElementType::F32;
  switch (static_cast<ElementType>(op.type)) {
  case ElementType::F64:
    return computeRows<F64, F64>(op, begin, end);
  case ElementType::F16:
    return toF32 ? computeRows<F16, F32>(op, begin, end)
                 : computeRows<F16, F16>(op, begin, end);
  case ElementType::BF16:
    return toF32 ? computeRows<BF16, F32>(op, begin, end)
                 : computeRows<BF16, BF16>(op, begin, end);
  default:
    return computeRows<F32, F32>(op, begin, end);
  }
}
