/*===- host_add.c - out[i, j] = x[i, j] + y[j] * s ------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Inputs x: f32 [m, n], any strides; y: f32 [n], dense. Scalar s: f32. Goes
|* through an intermediate. A work item is a row. The output is dense, row
|* major.
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

#include <stdlib.h>

/* Whoever opens this object can be told from the environment. */
__attribute__((constructor)) static void noteOpened(void) {
  setenv("FUSER_TEST_HOST_ADD", "opened", 1);
}

/* params: y, s, out, n. One work item. */
EXPORT void scale(void *const *params, int64_t begin, int64_t end,
                  void *scratch) {
  const float *y = *(const float **)params[0];
  float s = *(float *)params[1];
  float *out = *(float **)params[2];
  int64_t n = *(int64_t *)params[3];
  (void)scratch;
  for (int64_t item = begin; item < end; ++item)
    for (int64_t j = 0; j < n; ++j)
      out[j] = y[j] * s;
}

/* params: x, row stride, column stride, scaled, out, n. Sums a row in its
   scratch of 64 bytes first, so that scratch that two threads shared would
   show. */
EXPORT void add(void *const *params, int64_t begin, int64_t end,
                void *scratch) {
  const float *x = *(const float **)params[0];
  int64_t rowStride = *(int64_t *)params[1], stride = *(int64_t *)params[2];
  const float *y = *(const float **)params[3];
  float *out = *(float **)params[4];
  int64_t n = *(int64_t *)params[5];
  volatile float *buffer = scratch;
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = 0; j < n; ++j) {
      buffer[j % 16] = x[i * rowStride + j * stride];
      out[i * n + j] = buffer[j % 16] + y[j];
    }
}

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  int64_t m = inputs[0].sizes[0], n = inputs[0].sizes[1];
  int64_t rowStride = inputs[0].strides[0], stride = inputs[0].strides[1];
  void *x = inputs[0].data, *y = inputs[1].data, *out, *scaled;
  int64_t sizes[2] = {m, n}, strides[2] = {n, 1}, s = scalars[0];
  TRY(api->output(frame, 0, sizes, strides, &out));
  TRY(api->alloc(frame, n * 4, &scaled));
  FuserLaunchDims one = cpuDims(1), rows = cpuDims(n ? m : 0);
  void *scaleParams[] = {&y, &s, &scaled, &n};
  TRY(api->launch(frame, 0, &one, scaleParams));
  void *addParams[] = {&x, &rowStride, &stride, &scaled, &out, &n};
  TRY(api->launch(frame, 1, &rows, addParams));
  return api->dealloc(frame, scaled);
}
