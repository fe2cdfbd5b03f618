/*===- c_api.c - The C ABI from C, linked with libfuser_rt.so alone -------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "fuser_rt/fuser_rt.h"
#include "fuser_rt/host_abi.h"

#include <stdio.h>
#include <string.h>

static int failed(const char *what) {
  fprintf(stderr, "expected %s\n", what);
  return 1;
}

int main(void) {
  FuserContext *context = NULL;
  FuserProgram *program = NULL;
  FuserStatus *status = fuser_context_create_cpu(2, &context);
  if (status)
    return failed("a CPU context");
  if (fuser_context_device(context).device_type != kDLCPU)
    return failed("a CPU device");
  status = fuser_program_load(context, "nonsense", 8, &program);
  if (fuser_status_code(status) != FUSER_BAD_PROGRAM ||
      !strstr(fuser_status_message(status), "got what looks like a text"))
    return failed("a text to be refused");
  fuser_status_destroy(status);
  status = fuser_program_load(context, "FUSERFX\n", 8, &program);
  if (fuser_status_code(status) != FUSER_BAD_PROGRAM ||
      !strstr(fuser_status_message(status), "got a file of 8 bytes"))
    return failed("a damaged program to be refused");
  fuser_status_destroy(status);
  FuserScalar scalar = {FUSER_SCALAR_INT, {.i = 3}};
  if (scalar.value.i != 3)
    return failed("a scalar of C");
  fuser_context_destroy(context);
  return 0;
}
