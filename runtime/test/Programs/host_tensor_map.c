/*===- host_tensor_map.c - A launch with a tensor map ---------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Input x: f32 [n]. Output: f32 [32 * blocks], x and zeros behind it.
|* Kernel 0 (PTX): params tensor map of x in boxes of 32, out; a block a box.
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  (void)scalars;
  int64_t n = inputs[0].sizes[0], stride = 1;
  int64_t blocks = (n + 31) / 32, size = 32 * blocks;
  void *out;
  TRY(api->output(frame, 0, &size, &stride, &out));
  struct {
    FuserMemRef memref;
    int64_t size, stride;
  } tensor = {{inputs[0].data, inputs[0].data, 0}, n, stride}, *x = &tensor;
  FuserLaunchDims dims = {{blocks, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, 0};
  void *params[] = {&x, &out};
  return api->launch(frame, 0, &dims, params);
}
