/*===- testing.h - Tests in C, run by name --------------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_TEST_CAPI_TESTING_H
#define FUSER_TEST_CAPI_TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

typedef struct Test {
  const char *name;
  void (*run)(void);
} Test;

/* What a main returns that is given the name of one of `count` tests. */
static inline int run_test(const Test *tests, size_t count, int argc,
                           char **argv) {
  for (size_t i = 0; argc == 2 && i < count; ++i)
    if (!strcmp(argv[1], tests[i].name)) {
      tests[i].run();
      return 0;
    }
  fprintf(stderr, "expected the name of a test\n");
  return 1;
}

#endif /* FUSER_TEST_CAPI_TESTING_H */
