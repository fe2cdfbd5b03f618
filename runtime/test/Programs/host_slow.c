/*===- host_slow.c - An object that is slow to open -----------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* It is open when what FUSER_TEST_SLOW names, the reading end of a pipe, ends.
|* It says that it waits by setting FUSER_TEST_SLOW_WAITS.
|*
\*===----------------------------------------------------------------------===*/

#include "host_program.h"

#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void wait(void) {
  char byte;
  setenv("FUSER_TEST_SLOW_WAITS", "1", 1);
  while (read(atoi(getenv("FUSER_TEST_SLOW")), &byte, 1) > 0)
    ;
}

int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                         const FuserTensorView *inputs,
                         const int64_t *scalars) {
  (void)inputs;
  (void)scalars;
  return api->fail(frame, 7, "it did run", NULL, 0);
}
