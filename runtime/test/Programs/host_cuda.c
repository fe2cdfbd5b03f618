/*===- host_cuda.c - A launch on a GPU ------------------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Input x: f32 [n]. Scalars: block, cluster, shared bytes, streams, flags.
|* Output: x + 1, through an intermediate of x + 0 on stream 1 if there are
streams.
|* Kernel 0 (PTX): params x, out, n; a thread an element.
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  int64_t n = inputs[0].sizes[0], stride = 1, block = scalars[0];
  int64_t cluster = scalars[1];
  void *x = inputs[0].data, *out, *copy, *caller, *worker;
  TRY(api->output(frame, 0, &n, &stride, &out));
  TRY(api->alloc(frame, 4 * n, &copy));
  TRY(api->get_stream(frame, &caller));
  if (scalars[3]) {
    TRY(api->stream(frame, 1, &worker));
    TRY(api->set_stream(frame, worker));
    TRY(api->sync(frame, caller));
  }
  TRY(api->copy(frame, copy, x, 4 * n));
  if (scalars[3]) {
    TRY(api->set_stream(frame, caller));
    TRY(api->sync(frame, worker));
  }
  int64_t blocks = (n + block - 1) / block;
  blocks = (blocks + cluster - 1) / cluster * cluster;
  FuserLaunchDims dims = {{blocks, 1, 1},
                          {(int32_t)block, 1, 1},
                          {(int32_t)cluster, 1, 1},
                          (int32_t)scalars[2],
                          (int32_t)scalars[4]};
  void *params[] = {&copy, &out, &n};
  TRY(api->launch(frame, 0, &dims, params));
  return api->dealloc(frame, copy);
}
