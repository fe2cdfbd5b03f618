/*===- host_workspace.c - Memory that stays from call to call -------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Scalars: bytes, zeroed. Output: i64 [2], the address of the workspace and
|* what it held at first (-1 for 0 bytes), which is one more afterwards.
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  int64_t two = 2, dense = 1;
  void *workspace, *out;
  (void)inputs;
  TRY(api->output(frame, 0, &two, &dense, &out));
  TRY(api->workspace(frame, 0, scalars[1] != 0, scalars[0], &workspace));
  ((int64_t *)out)[0] = (int64_t)workspace;
  ((int64_t *)out)[1] = scalars[0] == 0 ? -1 : (*(int64_t *)workspace)++;
  return 0;
}
