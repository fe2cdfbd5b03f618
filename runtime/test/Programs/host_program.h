/*===- host_program.h - For host programs written by hand -----------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The tests' host programs: what the compiler would emit, in C. Each host_*.c
|* becomes a shared object, the `object` of a variant.
|*
\*===----------------------------------------------------------------------===*/

#ifndef HOST_PROGRAM_H
#define HOST_PROGRAM_H

#include "fuser_rt/host_abi.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* Returns from the entry with the code of a call that failed. */
#define TRY(call)                                                              \
  do {                                                                         \
    int32_t tryCode = (call);                                                  \
    if (tryCode)                                                               \
      return tryCode;                                                          \
  } while (0)

EXPORT int32_t fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                                const FuserTensorView *inputs,
                                const int64_t *scalars);

/* Launch dimensions of `items` work items on a CPU. */
static inline FuserLaunchDims cpuDims(int64_t items) {
  FuserLaunchDims dims = {{items, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, 0};
  return dims;
}

#endif
