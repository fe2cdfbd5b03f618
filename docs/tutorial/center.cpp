//===- center.cpp - The program of the tutorial, without a compiler -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser_rt/fuser_rt.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the process if a call failed.
static void check(FuserStatus *status) {
  if (!status)
    return;
  std::fprintf(stderr, "center: %s\n", fuser_status_message(status));
  std::exit(1);
}

/// A tensor over memory of this process, described and not copied.
static DLTensor describe(float *data, int64_t *sizes, int32_t rank) {
  DLTensor tensor{};
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = rank;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = sizes; // Without strides: dense, row major.
  return tensor;
}

int main(int argc, char **argv) {
  FuserContext *context = nullptr;
  FuserProgram *program = nullptr;
  check(fuser_context_create_cpu(/*num_threads=*/0, &context));
  check(fuser_program_load_file(context, argc > 1 ? argv[1] : "", &program));

  int64_t sizes[] = {3, 512};
  std::vector<float> values(3 * 512), weights(512, 2.0f), results(3 * 512);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 512);
  DLTensor x = describe(values.data(), sizes, 2);
  DLTensor w = describe(weights.data(), sizes + 1, 1);
  DLTensor y = describe(results.data(), sizes, 2);

  // The first result goes where it belongs, the second one is new memory.
  const DLTensor *inputs[] = {&x, &w};
  FuserOutput outputs[] = {{&y, nullptr}, {nullptr, nullptr}};
  check(fuser_program_run(program, inputs, 2, nullptr, 0, outputs, 2));

  DLManagedTensorVersioned *means = outputs[1].tensor;
  std::printf("mean %g, first element %g\n",
              static_cast<const float *>(means->dl_tensor.data)[0], results[0]);
  means->deleter(means);
  fuser_program_destroy(program);
  fuser_context_destroy(context);
}
