/*===- host_race.c - A wait that may be missing ---------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Input x: i64 [n]. Scalar: waits. Output: i64 [n], x if all is well, else 0 in
|* part.
|*
|* Stream 1 copies x in a few steps; stream 2 takes a nap, then copies what
|* stream 1 has made. If it `waits`, that is right. If not, the nap hides it:
|* stream 1 is done long before, unless it is delayed.
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

#include <string.h>
#include <time.h>

EXPORT void nap(void *const *params, int64_t begin, int64_t end,
                void *scratch) {
  struct timespec time = {0, 4000000};
  (void)params, (void)begin, (void)end, (void)scratch;
  nanosleep(&time, NULL);
}

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  enum { steps = 8 };
  int64_t n = inputs[0].sizes[0], stride = 1, bytes = 8 * n;
  FuserLaunchDims one = cpuDims(1);
  void *out, *caller, *producer, *consumer, *made[steps];
  const void *from = inputs[0].data;
  TRY(api->output(frame, 0, &n, &stride, &out));
  TRY(api->get_stream(frame, &caller));
  TRY(api->stream(frame, 1, &producer));
  TRY(api->stream(frame, 2, &consumer));
  for (int i = 0; i < steps; ++i) {
    TRY(api->alloc(frame, bytes, &made[i]));
    memset(made[i], 0, (size_t)bytes);
  }
  TRY(api->set_stream(frame, producer));
  for (int i = 0; i < steps; ++i) {
    TRY(api->copy(frame, made[i], from, bytes));
    from = made[i];
  }
  TRY(api->set_stream(frame, consumer));
  TRY(api->launch(frame, 0, &one, NULL));
  if (scalars[0])
    TRY(api->sync(frame, producer));
  TRY(api->copy(frame, out, from, bytes));
  TRY(api->set_stream(frame, caller));
  TRY(api->sync(frame, producer));
  TRY(api->sync(frame, consumer));
  for (int i = 0; i < steps; ++i)
    TRY(api->dealloc(frame, made[i]));
  return 0;
}
