/*===- host_slow.c - An object that is slow to open -----------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* FUSER_TEST_SLOW names two ends of pipes, "READ WRITE": it says that it waits
|* by a byte to the second, and is open when the first ends.
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void wait(void) {
  char byte = 0;
  int in = -1, out = -1;
  if (sscanf(getenv("FUSER_TEST_SLOW"), "%d %d", &in, &out) != 2 ||
      write(out, &byte, 1) != 1)
    return;
  while (read(in, &byte, 1) > 0)
    ;
}

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  (void)inputs;
  (void)scalars;
  return api->fail(frame, 7, "it did run", NULL, 0);
}
