/* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A host program that does nothing. */

#include "fuser_rt/host_abi.h"

__attribute__((visibility("default"))) int32_t
fuser_host_entry(const FuserHostApi *api, FuserFrame *frame,
                 const FuserTensorView *inputs, const int64_t *scalars) {
  (void)api, (void)frame, (void)inputs, (void)scalars;
  return 0;
}
