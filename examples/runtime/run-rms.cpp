//===- run-rms.cpp - A compiled program in a process without a compiler ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the program that was compiled from examples/rms.mlir, with the runtime
// alone: run-rms rms.fx
//
//===----------------------------------------------------------------------===//

#include "fuser_rt/fuser_rt.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the process if a call failed.
static void check(FuserStatus *status) {
  if (!status)
    return;
  std::fprintf(stderr, "run-rms: %s\n", fuser_status_message(status));
  std::exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return std::fputs("usage: run-rms PROGRAM.fx\n", stderr), 2;
  FuserContext *context = nullptr; // Or fuser_context_create_cuda(0, &context).
  FuserProgram *program = nullptr;
  check(fuser_context_create_cpu(/*num_threads=*/0, &context));
  check(fuser_program_load_file(context, argv[1], &program));

  // The caller's memory, described by a DLTensor.
  std::vector<float> values(3 * 1024);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i % 7) - 3;
  int64_t sizes[] = {3, 1024}, strides[] = {1024, 1};
  DLTensor x{};
  x.data = values.data();
  x.device = fuser_context_device(context);
  x.ndim = 2;
  x.dtype = {kDLFloat, 32, 1};
  x.shape = sizes;
  x.strides = strides;

  const DLTensor *inputs[] = {&x};
  FuserOutput output{}; // New memory: nothing was preallocated.
  check(fuser_program_run(program, inputs, 1, nullptr, 0, &output, 1));
  check(fuser_context_synchronize(context)); // Runs on a GPU are asynchronous.

  auto *y = static_cast<const float *>(output.tensor->dl_tensor.data);
  double squares = 0;
  for (int i = 0; i < 1024; ++i)
    squares += double(y[i]) * y[i];
  std::printf("%s: %s -> %s, the root mean square of row 0 is %.3f\n",
              fuser_program_name(program), fuser_program_input_type(program, 0),
              fuser_program_output_type(program, 0), std::sqrt(squares / 1024));

  output.tensor->deleter(output.tensor);
  fuser_program_destroy(program);
  fuser_context_destroy(context);
}
