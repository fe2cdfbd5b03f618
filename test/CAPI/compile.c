/*===- compile.c - The C API from C ---------------------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* capi-test NAME runs the test of that name and exits with 0 if it holds.
|*
\*===----------------------------------------------------------------------===*/

#include "fuser-c/Inspect.h"
#include "fuser_rt/communicator.h"
#include "testing.h"
#include <math.h>
#include <signal.h>

static const char *const kExp =
    "func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
    "  %0 = fusion.exp %x : tensor<?x8xf32>\n"
    "  return %0 : tensor<?x8xf32>\n"
    "}\n";

static void ok(FuserStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "unexpected error: %s\n", fuser_status_message(status));
  exit(1);
}

/* Expects a status of this code whose message contains `text`. */
static void fails(FuserStatus *status, FuserStatusCode code, const char *text) {
  CHECK(status);
  fprintf(stderr, "message: %s\n", fuser_status_message(status));
  CHECK(fuser_status_code(status) == code);
  CHECK(strstr(fuser_status_message(status), text));
  fuser_status_destroy(status);
}

static void test_targets(void) {
  static const char *const names[] = {"cpu", "cuda", "sim"};
  FuserTarget target;
  for (int i = 0; i < 3; ++i) {
    ok(fuser_find_target(names[i], &target));
    CHECK(target == (FuserTarget)i);
    CHECK(strcmp(fuser_target_name(target), names[i]) == 0);
  }
  CHECK(!fuser_target_name((FuserTarget)3));
  fails(fuser_find_target("gpu", &target), FUSER_INVALID_ARGUMENT, "got 'gpu'");
  fails(fuser_find_target(NULL, &target), FUSER_INVALID_ARGUMENT, "got ''");
}

static FuserContext *cpu(void) {
  FuserContext *context = NULL;
  ok(fuser_context_create_cpu(2, &context));
  return context;
}

/* A communicator and an id that are no such thing: nothing may look at them
 * before it is known that the context can have them. */
static void test_nccl(void) {
  char id[FUSER_NCCL_ID_BYTES], *comm = id;
  FuserContext *context = cpu();
  FuserStatus *status;
  memset(id, 0x5a, sizeof(id));
  fails(fuser_context_set_nccl(context, NULL, 0), FUSER_INVALID_ARGUMENT,
        "expected an ncclComm_t, got a null pointer");
  fails(fuser_context_set_nccl(context, comm, -1), FUSER_INVALID_ARGUMENT,
        "expected a timeout of 0 or more seconds, got -1");
  fails(fuser_context_set_nccl(context, comm, 0), FUSER_INVALID_ARGUMENT,
        "expected a context of a GPU for NCCL");
  fails(fuser_context_join_nccl(context, NULL, 0, 1, 0), FUSER_INVALID_ARGUMENT,
        "the id of ranks, got a null pointer");
  fails(fuser_context_join_nccl(context, id, 2, 2, 0), FUSER_INVALID_ARGUMENT,
        "rank");
  fails(fuser_context_join_nccl(context, id, 0, 1, 0), FUSER_INVALID_ARGUMENT,
        "expected a context of a GPU for NCCL");
  CHECK(fuser_context_rank(context) == 0);
  CHECK(fuser_context_num_ranks(context) == 1);
  fuser_context_destroy(context);
  /* Where there is no NCCL, the message says so. */
  status = fuser_nccl_unique_id(id);
  if (status)
    fails(status, FUSER_UNIMPLEMENTED, "install NCCL");
}

static FuserExecutable *compile(FuserContext *context, const char *text) {
  FuserCompileOptions options;
  FuserExecutable *executable = NULL;
  fuser_compile_options_init(&options);
  ok(fuser_executable_create(context, text, strlen(text), &options,
                             &executable));
  return executable;
}

/* A 2-d f32 tensor over memory of the caller. */
static DLTensor tensor(float *data, int64_t *sizes, int64_t *strides) {
  DLTensor result;
  memset(&result, 0, sizeof(result));
  result.data = data;
  result.device.device_type = kDLCPU;
  result.ndim = 2;
  result.dtype.code = kDLFloat;
  result.dtype.bits = 32;
  result.dtype.lanes = 1;
  result.shape = sizes;
  result.strides = strides;
  return result;
}

static void fill(float *data, int count) {
  for (int i = 0; i < count; ++i)
    data[i] = (float)(i % 7) * 0.25f - 0.5f;
}

static int close_to(float got, double expected) {
  return fabs(got - expected) <= 1e-6 * fabs(expected);
}

static void destroy(FuserOutput *output) {
  if (output->tensor && output->tensor->deleter)
    output->tensor->deleter(output->tensor);
}

static void test_version(void) {
  CHECK(fuser_c_api_version() == FUSER_C_API_VERSION);
}

static void test_run(void) {
  FuserContext *context = cpu();
  FuserExecutable *executable = compile(context, kExp);
  FuserProgram *program = fuser_executable_program(executable);
  CHECK(fuser_program_num_inputs(program) == 1);
  CHECK(fuser_program_num_outputs(program) == 1);
  CHECK(fuser_program_num_segments(fuser_executable_program(executable)) == 1);
  CHECK(!strcmp(fuser_program_input_type(program, 0), "tensor<?x8xf32>"));
  float data[24];
  int64_t sizes[2] = {3, 8}, strides[2] = {8, 1};
  fill(data, 24);
  DLTensor x = tensor(data, sizes, strides);
  const DLTensor *inputs[1] = {&x};
  FuserOutput output = {NULL, NULL};
  ok(fuser_program_run(program, inputs, 1, NULL, 0, &output, 1));
  CHECK(output.tensor && output.tensor->dl_tensor.ndim == 2);
  CHECK(output.tensor->dl_tensor.shape[0] == 3);
  const float *y = output.tensor->dl_tensor.data;
  for (int i = 0; i < 24; ++i)
    CHECK(close_to(y[i], exp(data[i])));
  destroy(&output);
  fuser_executable_destroy(executable);
  fuser_context_destroy(context);
}

static void test_bytes(void) {
  FuserCompileOptions options;
  FuserBytes *bytes = NULL;
  fuser_compile_options_init(&options);
  ok(fuser_compile(kExp, strlen(kExp), &options, &bytes));
  CHECK(fuser_bytes_size(bytes) > 0);
  FuserContext *context = cpu();
  FuserProgram *program = NULL;
  ok(fuser_program_load(context, fuser_bytes_data(bytes),
                        fuser_bytes_size(bytes), &program));
  CHECK(!strcmp(fuser_program_name(program), "f"));
  fuser_program_destroy(program);
  fuser_context_destroy(context);
  fuser_bytes_destroy(bytes);
}

/* Expects a text with `part` in it. */
static void shows(FuserStatus *status, FuserBytes *bytes, const char *part) {
  ok(status);
  size_t size = fuser_bytes_size(bytes);
  char *text = malloc(size + 1);
  CHECK(text);
  memcpy(text, fuser_bytes_data(bytes), size);
  text[size] = 0;
  CHECK(strstr(text, part));
  free(text);
  fuser_bytes_destroy(bytes);
}

static void test_report(FuserContext *context, FuserExecutable *executable) {
  float in[8] = {0};
  int64_t shape[] = {1, 8}, strides[] = {8, 1};
  DLTensor x = {in, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
  const DLTensor *inputs[] = {&x};
  FuserOutput output = {NULL, NULL};
  FuserCall call = {inputs, 1, NULL, 0, &output, 1};
  FuserBytes *bytes = NULL;
  FuserStatus *status =
      fuser_executable_report(executable, context, &call, &bytes);
  shows(status, bytes, "\"bytes\":64,");
  CHECK(!output.tensor);
  call.num_inputs = 0;
  fails(fuser_executable_report(executable, context, &call, &bytes),
        FUSER_INVALID_ARGUMENT, "expected 1 ");
  CHECK(!bytes);
}

/* The specialized one outlives the one that it was made of, which is destroyed.
 */
static void test_specialize(FuserContext *context,
                            FuserExecutable *executable) {
  float in[16] = {0};
  int64_t shape[] = {1, 8}, strides[] = {16, 2};
  DLTensor x = {in, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
  const DLTensor *inputs[] = {&x};
  FuserExecutable *specialized = NULL;
  FuserBytes *bytes = NULL;
  FuserStatus *status;
  fails(
      fuser_executable_specialize(executable, context, inputs, 0, &specialized),
      FUSER_INVALID_ARGUMENT, "expected 1 ");
  CHECK(!specialized);
  ok(fuser_executable_specialize(executable, context, inputs, 1, &specialized));
  fuser_executable_destroy(executable);
  status = fuser_executable_print(specialized, "kernels", &bytes);
  shows(status, bytes, "strided<[?, ?]");
  fuser_executable_destroy(specialized);
}

static void test_inspect(void) {
  FuserContext *context = NULL;
  FuserCompileOptions options;
  FuserExecutable *executable = NULL;
  FuserBytes *bytes = NULL;
  FuserStatus *status;
  fuser_compile_options_init(&options);
  options.target = FUSER_TARGET_SIM;
  ok(fuser_context_create_sim(1, &context));
  ok(fuser_executable_create(context, kExp, strlen(kExp), &options,
                             &executable));
  CHECK(!fuser_executable_is_from_cache(executable));
  status = fuser_executable_print(executable, "segments", &bytes);
  shows(status, bytes, "fusion.segment \"pointwise\"");
  status = fuser_executable_explain(executable, &bytes);
  shows(status, bytes, "a segment of 1 op");
  status = fuser_executable_describe(executable, &bytes);
  shows(status, bytes, "\"ops\":[\"exp\"]");
  status = fuser_executable_get_ptx(executable, &bytes);
  shows(status, bytes, ".target sm_90");
  fails(fuser_executable_print(executable, "no stage", &bytes),
        FUSER_INVALID_ARGUMENT, "expected the stage program");
  test_report(context, executable);
  const char *schedules[] = {"#fusion.generic<threads = 32>"};
  status = fuser_executable_replace_schedules(executable, schedules, 1, &bytes);
  shows(status, bytes, "threads = 32");
  fails(fuser_executable_replace_schedules(executable, schedules, 0, &bytes),
        FUSER_INVALID_ARGUMENT, "expected one for each of the 1 segments");
  schedules[0] = NULL;
  status = fuser_executable_replace_schedules(executable, schedules, 1, &bytes);
  shows(status, bytes, "schedule = ");
  schedules[0] = "";
  fails(fuser_executable_replace_schedules(executable, schedules, 1, &bytes),
        FUSER_INVALID_ARGUMENT, "got '': None (null in C) keeps the one");
  ok(fuser_executable_save(executable, &options, &bytes));
  CHECK(memcmp(fuser_bytes_data(bytes), "FUSERFX", 7) == 0);
  fuser_bytes_destroy(bytes);
  test_specialize(context, executable);
  fuser_context_destroy(context);
}

static void test_located_error(void) {
  const char *text = "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                     "  %0 = fusion.nonsense %x : tensor<8xf32>\n"
                     "  return %0 : tensor<8xf32>\n"
                     "}\n";
  FuserCompileOptions options;
  FuserBytes *bytes = NULL;
  fuser_compile_options_init(&options);
  options.file_name = "mine.mlir";
  fails(fuser_compile(text, strlen(text), &options, &bytes),
        FUSER_INVALID_ARGUMENT, "mine.mlir:2:8");
  CHECK(!bytes);
}

/* Parsed and verified, then refused by a pass. */
static void test_refused_error(void) {
  const char *text = "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                     "  %0 = arith.addf %x, %x : tensor<8xf32>\n"
                     "  return %0 : tensor<8xf32>\n"
                     "}\n";
  FuserContext *context = cpu();
  FuserCompileOptions options;
  FuserExecutable *executable = NULL;
  fuser_compile_options_init(&options);
  options.file_name = "mine.mlir";
  fails(fuser_executable_create(context, text, strlen(text), &options,
                                &executable),
        FUSER_INVALID_ARGUMENT, "mine.mlir:2:8: error: ");
  CHECK(!executable);
  fuser_context_destroy(context);
}

static void test_wrong_type_error(void) {
  FuserContext *context = cpu();
  FuserExecutable *executable = compile(context, kExp);
  float data[24] = {0};
  int64_t sizes[2] = {3, 8}, strides[2] = {8, 1};
  DLTensor x = tensor(data, sizes, strides);
  x.dtype.bits = 64;
  const DLTensor *inputs[1] = {&x};
  FuserOutput output = {NULL, NULL};
  fails(fuser_program_run(fuser_executable_program(executable), inputs, 1, NULL,
                          0, &output, 1),
        FUSER_INVALID_ARGUMENT, "f32");
  CHECK(!output.tensor);
  fuser_executable_destroy(executable);
  fuser_context_destroy(context);
}

/* Strides that there is no code for are compiled for when they come. */
static void test_any_strides(void) {
  FuserContext *context = cpu();
  FuserExecutable *executable = compile(context, kExp);
  FuserProgram *program = fuser_executable_program(executable);
  float data[24];
  int64_t sizes[2] = {3, 8}, strides[2] = {1, 3};
  fill(data, 24);
  DLTensor x = tensor(data, sizes, strides);
  const DLTensor *inputs[1] = {&x};
  FuserOutput output = {NULL, NULL};
  CHECK(fuser_program_num_variants(program) == 1);
  ok(fuser_program_run(program, inputs, 1, NULL, 0, &output, 1));
  CHECK(fuser_program_num_variants(program) == 2);
  const float *y = output.tensor->dl_tensor.data;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 8; ++j)
      CHECK(close_to(y[i * 8 + j], exp(data[i + j * 3])));
  destroy(&output);
  fuser_executable_destroy(executable);
  fuser_context_destroy(context);
}

/* A program compiled for any strides takes them without a compiler. */
static void test_input_classes(void) {
  FuserInputClass any = {1, 0};
  FuserCompileOptions options;
  FuserBytes *bytes = NULL;
  fuser_compile_options_init(&options);
  options.inputs = &any;
  options.num_inputs = 1;
  ok(fuser_compile(kExp, strlen(kExp), &options, &bytes));
  FuserContext *context = cpu();
  FuserProgram *program = NULL;
  ok(fuser_program_load(context, fuser_bytes_data(bytes),
                        fuser_bytes_size(bytes), &program));
  float data[25];
  int64_t sizes[2] = {3, 8}, strides[2] = {1, 3};
  fill(data, 25);
  DLTensor x = tensor(data + 1, sizes, strides);
  const DLTensor *inputs[1] = {&x};
  FuserOutput output = {NULL, NULL};
  ok(fuser_program_run(program, inputs, 1, NULL, 0, &output, 1));
  const float *y = output.tensor->dl_tensor.data;
  CHECK(close_to(y[1], exp(data[1 + 3])));
  destroy(&output);
  fuser_program_destroy(program);
  fuser_context_destroy(context);
  fuser_bytes_destroy(bytes);
}

static void test_preallocated(void) {
  FuserContext *context = cpu();
  FuserExecutable *executable = compile(context, kExp);
  float data[24], result[24] = {0};
  int64_t sizes[2] = {3, 8}, strides[2] = {8, 1};
  fill(data, 24);
  DLTensor x = tensor(data, sizes, strides), y = tensor(result, sizes, strides);
  const DLTensor *inputs[1] = {&x};
  FuserOutput output = {&y, NULL};
  ok(fuser_program_run(fuser_executable_program(executable), inputs, 1, NULL, 0,
                       &output, 1));
  CHECK(!output.tensor);
  for (int i = 0; i < 24; ++i)
    CHECK(close_to(result[i], exp(data[i])));
  fuser_executable_destroy(executable);
  fuser_context_destroy(context);
}

static void test_aliases(void) {
  const char *text = "func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>)\n"
                     "    -> (tensor<?x8xf32>, tensor<?x8xf32> {fusion.alias = "
                     "#fusion.alias<reuse, 1>}) {\n"
                     "  %0 = fusion.exp %x : tensor<?x8xf32>\n"
                     "  %1 = fusion.add %x, %y : tensor<?x8xf32>\n"
                     "  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>\n"
                     "}\n";
  FuserContext *context = cpu();
  FuserExecutable *executable = compile(context, text);
  FuserProgram *program = fuser_executable_program(executable);
  size_t input = 7;
  CHECK(fuser_program_output_alias(program, 0, &input) == FUSER_OUTPUT_NEW);
  CHECK(input == 7);
  CHECK(fuser_program_output_alias(program, 1, NULL) == FUSER_OUTPUT_REUSE);
  CHECK(fuser_program_output_alias(program, 1, &input) == FUSER_OUTPUT_REUSE);
  CHECK(input == 1);
  fuser_executable_destroy(executable);
  fuser_context_destroy(context);
}

/* Compiling for a GPU needs none. */
static void test_gpu_program(void) {
  FuserCompileOptions options;
  FuserBytes *bytes = NULL;
  fuser_compile_options_init(&options);
  options.target = FUSER_TARGET_CUDA;
  options.arch = "sm_90";
  ok(fuser_compile(kExp, strlen(kExp), &options, &bytes));
  CHECK(fuser_bytes_size(bytes) > 0);
  fuser_bytes_destroy(bytes);
  options.arch = "sm_1";
  fails(fuser_compile(kExp, strlen(kExp), &options, &bytes),
        FUSER_INVALID_ARGUMENT, "sm_1");
}

/* The process's signals are as they were. */
static void test_signals(void) {
  enum { kLast = 31 }; /* After it the C library has some for itself. */
  struct sigaction before[kLast + 1], after;
  for (int signal = 1; signal <= kLast; ++signal)
    CHECK(sigaction(signal, NULL, &before[signal]) == 0);
  FuserContext *context = cpu();
  FuserExecutable *executable = compile(context, kExp);
  fuser_executable_destroy(executable);
  fuser_context_destroy(context);
  test_gpu_program();
  for (int signal = 1; signal <= kLast; ++signal) {
    CHECK(sigaction(signal, NULL, &after) == 0);
    CHECK(after.sa_handler == before[signal].sa_handler);
    CHECK(after.sa_flags == before[signal].sa_flags);
  }
}

int main(int argc, char **argv) {
  static const Test tests[] = {
      {"version", test_version},
      {"targets", test_targets},
      {"nccl", test_nccl},
      {"run", test_run},
      {"bytes", test_bytes},
      {"inspect", test_inspect},
      {"located_error", test_located_error},
      {"refused_error", test_refused_error},
      {"wrong_type_error", test_wrong_type_error},
      {"any_strides", test_any_strides},
      {"input_classes", test_input_classes},
      {"preallocated", test_preallocated},
      {"aliases", test_aliases},
      {"gpu_program", test_gpu_program},
      {"signals", test_signals},
  };
  return run_test(tests, sizeof(tests) / sizeof(*tests), argc, argv);
}
