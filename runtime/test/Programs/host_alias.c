/*===- host_alias.c - In place, a view, memory that changes hands ---------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Inputs x, y: f32 [n]. Outputs: x + 1 in x's memory; y[1:n:2]; 2 * y in memory
|* that was allocated as an intermediate (from its third element on).
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

/* params: data */
EXPORT void increment(void *const *params, int64_t begin, int64_t end,
                      void *scratch) {
  float *x = *(float **)params[0];
  (void)scratch;
  for (int64_t i = begin; i < end; ++i)
    x[i] += 1;
}

/* params: in, out */
EXPORT void twice(void *const *params, int64_t begin, int64_t end,
                  void *scratch) {
  const float *x = *(const float **)params[0];
  float *out = *(float **)params[1];
  (void)scratch;
  for (int64_t i = begin; i < end; ++i)
    out[i] = 2 * x[i];
}

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  int64_t n = inputs[0].sizes[0], half = n / 2, two = 2, dense = 1;
  void *x = inputs[0].data, *space;
  float *y = inputs[1].data, *out;
  FuserLaunchDims all = cpuDims(n);
  (void)scalars;
  /* Views first: they may refuse what was preallocated, and nothing is written
   * yet. */
  TRY(api->output_view(frame, 0, 0, x, &n, &dense));
  TRY(api->output_view(frame, 1, 1, y + 1, &half, &two));
  TRY(api->alloc(frame, (n + 2) * 4, &space));
  out = (float *)space + 2;
  TRY(api->output_view(frame, 2, -1, out, &n, &dense));
  void *incrementParams[] = {&x};
  TRY(api->launch(frame, 0, &all, incrementParams));
  void *twiceParams[] = {&y, &out};
  return api->launch(frame, 1, &all, twiceParams);
}
