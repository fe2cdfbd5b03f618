/*===- host_streams.c - Work on several streams ---------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Input x: i64 [n]. Scalars: number of streams (1 to 24), fail. Output: i64
[n].
|*
|* Each stream s in 1..streams adds s to its own copy of x, slowly; the copies
|* are then summed on the caller's stream, which waits for them. Stream s also
|* waits for stream s-1 half way, and notes that it saw its result. With `fail`,
|* ends in the middle, with work in all queues.
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

#include <time.h>

static void nap(void) {
  struct timespec time = {0, 2000000};
  nanosleep(&time, NULL);
}

/* params: data, amount, previous (may be null). Adds, or spoils the result if
   the previous stream's has not been seen to be complete. */
EXPORT void addSlowly(void *const *params, int64_t begin, int64_t end,
                      void *scratch) {
  int64_t *data = *(int64_t **)params[0], amount = *(int64_t *)params[1];
  const int64_t *flag = *(const int64_t **)params[2];
  (void)scratch;
  nap();
  for (int64_t i = begin; i < end; ++i)
    data[i] += flag && *flag == 0 ? 1000000 : amount;
}

/* params: flag */
EXPORT void raise(void *const *params, int64_t begin, int64_t end,
                  void *scratch) {
  (void)scratch;
  nap();
  for (int64_t i = begin; i < end; ++i)
    **(int64_t **)params[0] = 1;
}

/* params: in, out */
EXPORT void accumulate(void *const *params, int64_t begin, int64_t end,
                       void *scratch) {
  const int64_t *in = *(const int64_t **)params[0];
  int64_t *out = *(int64_t **)params[1];
  (void)scratch;
  for (int64_t i = begin; i < end; ++i)
    out[i] += in[i];
}

enum { maxStreams = 24 };

static int32_t work(const FuserHostApi *api, FuserFrame *frame,
                    const FuserTensorView *x, int64_t s, void **copies,
                    int64_t *flags) {
  FuserLaunchDims all = cpuDims(x->sizes[0]), one = cpuDims(1);
  int64_t *flag = flags + s, *before = s > 1 ? flags + s - 1 : NULL;
  void *stream, *previous;
  TRY(api->stream(frame, s, &stream));
  TRY(api->set_stream(frame, stream));
  TRY(api->copy(frame, copies[s], x->data, 8 * x->sizes[0]));
  if (s > 1) {
    TRY(api->stream(frame, s - 1, &previous));
    TRY(api->sync(frame, previous));
  }
  /* The parameters lie on this function's stack: a queue that did not copy them
   * would read others. */
  void *addParams[] = {&copies[s], &s, &before};
  TRY(api->launch(frame, 0, &all, addParams));
  void *raiseParams[] = {&flag, &flag, &flag};
  return api->launch(frame, 1, &one, raiseParams);
}

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  int64_t n = inputs[0].sizes[0], streams = scalars[0], stride = 1;
  FuserLaunchDims all = cpuDims(n);
  void *out, *caller, *same, *flags, *copies[maxStreams + 1];
  int64_t zeros[maxStreams + 1] = {0};
  TRY(api->output(frame, 0, &n, &stride, &out));
  TRY(api->get_stream(frame, &caller));
  TRY(api->stream(frame, 0, &same));
  if (caller != same)
    return api->fail(frame, 8, "stream 0 is not the caller's", NULL, 0);
  TRY(api->alloc(frame, sizeof(zeros), &flags));
  TRY(api->copy(frame, flags, zeros, sizeof(zeros)));
  for (int64_t i = 0; i < n; ++i)
    ((int64_t *)out)[i] = 0;
  for (int64_t s = 1; s <= streams; ++s) {
    TRY(api->alloc(frame, 8 * n, &copies[s]));
    TRY(work(api, frame, &inputs[0], s, copies, flags));
  }
  if (scalars[1])
    return api->fail(frame, 8, "told to fail", NULL, 0);
  TRY(api->set_stream(frame, caller));
  for (int64_t s = 1; s <= streams; ++s) {
    void *stream;
    TRY(api->stream(frame, s, &stream));
    TRY(api->sync(frame, stream));
    void *params[] = {&copies[s], &out};
    TRY(api->launch(frame, 2, &all, params));
    /* Freed in the order of the stream that used it last. */
    TRY(api->set_stream(frame, stream));
    TRY(api->sync(frame, caller));
    TRY(api->dealloc(frame, copies[s]));
    TRY(api->set_stream(frame, caller));
  }
  return api->dealloc(frame, flags);
}
