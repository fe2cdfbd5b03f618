/*===- host_faults.c - A program that goes wrong as it is told to ---------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Input x: f32 [n]. Scalars: mode, amount. Outputs: two of f32 [n], untouched.
|*
\*===----------------------------------------------------------------------===*/

#include "host_faults.h"
#include "host_program.h"

static int32_t bothOutputs(const FuserHostApi *api, FuserFrame *frame,
                           int64_t n) {
  int64_t stride = 1;
  void *data;
  TRY(api->output(frame, 0, &n, &stride, &data));
  return api->output(frame, 1, &n, &stride, &data);
}

static int32_t misuse(const FuserHostApi *api, FuserFrame *frame, int64_t mode,
                      int64_t amount) {
  FuserLaunchDims dims = cpuDims(1);
  void *data = NULL;
  int64_t stride = 1;
  switch (mode) {
  case FaultFreesForeign:
    return api->dealloc(frame, &data);
  case FaultFreesTwice:
    TRY(api->alloc(frame, 16, &data));
    TRY(api->dealloc(frame, data));
    return api->dealloc(frame, data);
  case FaultOutputTwice:
    return api->output(frame, 1, &amount, &stride, &data);
  case FaultNoSuchOutput:
    return api->output(frame, 2, &amount, &stride, &data);
  case FaultNoSuchKernel:
    return api->launch(frame, 7, &dims, NULL);
  case FaultNoSuchStream:
    return api->stream(frame, amount, &data);
  case FaultForeignStream:
    return api->set_stream(frame, &dims);
  case FaultNegativeAlloc:
    return api->alloc(frame, -1, &data);
  case FaultAlloc:
    return api->alloc(frame, amount, &data);
  case FaultNegativeCopy:
    return api->copy(frame, data, data, -1);
  case FaultHidden:
    /* Does not pass on what it was told. */
    api->dealloc(frame, &data);
    return 0;
  }
  return 0;
}

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  int64_t n = inputs[0].sizes[0], mode = scalars[0], amount = scalars[1];
  void *data;
  if (mode == FaultMissingOutput)
    return 0;
  if (mode == FaultViewOfNoInput) {
    int64_t stride = 1;
    return api->output_view(frame, 0, (int32_t)amount, inputs[0].data, &n,
                            &stride);
  }
  TRY(bothOutputs(api, frame, n));
  /* More than the frame keeps without a heap, freed in an odd order, some of it
   * not at all. */
  void *many[40];
  for (int i = 0; i < 40; ++i)
    TRY(api->alloc(frame, 100 * i, &many[i]));
  for (int i = 0; i < 40; i += 3)
    TRY(api->dealloc(frame, many[i]));
  TRY(api->alloc(frame, 0, &data));
  TRY(api->dealloc(frame, data));
  if (mode == FaultMessage) {
    int64_t values[2] = {n, amount};
    return api->fail(frame, 1, "size {0} is not {1}, {0} {2} {x} {{1} {{{1} {",
                     values, 2);
  }
  if (mode == FaultSilent)
    return 5;
  return misuse(api, frame, mode, amount);
}
