/*===- sum.c - Two processes add up their ranks ---------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "fuser_rt/mpi.h"

#include <stdio.h>

static int check(FuserStatus *status) {
  if (!status)
    return 0;
  fprintf(stderr, "%s\n", fuser_status_message(status));
  fuser_status_destroy(status);
  return 1;
}

int main(void) {
  FuserContext *context;
  FuserCommunicator communicator;
  FuserTransfer transfer = {0};
  int64_t ranks[] = {0, 1};
  int32_t value;
  void *group;
  if (check(fuser_context_create_cpu(1, &context)) ||
      check(fuser_mpi_communicator(60, &communicator)) ||
      check(fuser_context_set_communicator(context, &communicator)) ||
      check(communicator.make_group(communicator.user, ranks, 2, &group)))
    return 1;
  value = fuser_context_rank(context) + 1;
  transfer.kind = FUSER_ALL_REDUCE;
  transfer.type = FUSER_TYPE_I32;
  transfer.src = transfer.dst = &value;
  transfer.src_count = transfer.dst_count = 1;
  if (check(communicator.communicate(communicator.user, group, &transfer, 1,
                                     NULL)))
    return 1;
  if (fuser_context_rank(context) == 0)
    printf("%d on both ranks\n", (int)value);
  fuser_context_destroy(context);
  return value != 3;
}
