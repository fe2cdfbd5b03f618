// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans and sorts of rows by NVIDIA's CUB, for cub.py. All functions are called as CUB's are: with no workspace they say
// in `bytes` how large one is. They return a cudaError_t.

#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <cuda_bf16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace {
struct ToFloat {
  __device__ float operator()(__nv_bfloat16 x) const { return __bfloat162float(x); }
};

/// The row of an element, or where a row begins.
struct Row {
  int64_t columns;
  __host__ __device__ int64_t operator()(int64_t element) const { return element / columns; }
};
struct Begin {
  int64_t columns;
  __host__ __device__ int64_t operator()(int64_t row) const { return row * columns; }
};

template <typename In, typename Out>
int scan(void *workspace, size_t *bytes, In in, Out *out, int64_t rows, int64_t columns, cudaStream_t stream) {
  if (rows == 1)
    return cub::DeviceScan::InclusiveSum(workspace, *bytes, in, out, columns, stream);
  auto keys = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), Row{columns});
  return cub::DeviceScan::InclusiveSumByKey(workspace, *bytes, keys, in, out, rows * columns,
                                            cuda::std::equal_to<>{}, stream);
}
} // namespace

extern "C" int scan_f32(void *workspace, size_t *bytes, const float *in, float *out, int64_t rows, int64_t columns,
                        cudaStream_t stream) {
  return scan(workspace, bytes, in, out, rows, columns, stream);
}

extern "C" int scan_bf16(void *workspace, size_t *bytes, const __nv_bfloat16 *in, __nv_bfloat16 *out, int64_t rows,
                         int64_t columns, cudaStream_t stream) {
  return scan(workspace, bytes, thrust::make_transform_iterator(in, ToFloat{}), out, rows, columns, stream);
}

/// Stable, ascending. `places` has the positions of elements in their rows.
extern "C" int sort_f32(void *workspace, size_t *bytes, const float *in, float *out, const int64_t *places,
                        int64_t *positions, int64_t rows, int64_t columns, cudaStream_t stream) {
  if (rows == 1)
    return cub::DeviceRadixSort::SortPairs(workspace, *bytes, in, out, places, positions, columns, 0, 32, stream);
  auto begins = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), Begin{columns});
  return cub::DeviceSegmentedSort::StableSortPairs(workspace, *bytes, in, out, places, positions, rows * columns, rows,
                                                   begins, begins + 1, stream);
}
