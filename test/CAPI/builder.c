/*===- builder.c - Programs built op by op, from C ------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* capi-builder-test NAME runs the test of that name and exits with 0 if it
|* holds.
|*
\*===----------------------------------------------------------------------===*/

#include "fuser-c/Builder.h"
#include "testing.h"
#include <math.h>

static void ok(FuserStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "unexpected error: %s\n", fuser_status_message(status));
  exit(1);
}

/* Expects an invalid argument whose message contains `text`. */
static void fails(FuserStatus *status, const char *text) {
  CHECK(status);
  fprintf(stderr, "message: %s\n", fuser_status_message(status));
  CHECK(fuser_status_code(status) == FUSER_INVALID_ARGUMENT);
  CHECK(strstr(fuser_status_message(status), text));
  fuser_status_destroy(status);
}

static FuserBuilder *create(void) {
  FuserBuilder *builder = NULL;
  ok(fuser_builder_create("f", &builder));
  return builder;
}

static FuserValue input(FuserBuilder *builder, const char *element,
                        int64_t rows, int64_t columns) {
  int64_t sizes[] = {rows, columns};
  FuserInputSpec spec = {"x", element, sizes, 2, NULL};
  FuserValue value = {0, 0};
  ok(fuser_builder_input(builder, &spec, &value));
  return value;
}

static FuserStatus *op(FuserBuilder *builder, const char *name, FuserValue a,
                       FuserValue b, FuserValue *result) {
  FuserValue operands[] = {a, b};
  FuserOpSpec spec = {name, operands, b.builder ? 2 : 1, NULL, 0};
  return fuser_builder_op(builder, &spec, result, 1, NULL);
}

static const FuserValue kNone = {0, 0};

/* rows of x less their mean: built, compiled, run. */
static void test_run(void) {
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "f32", FUSER_DYNAMIC, 4), mean, y;
  int64_t dims[] = {1};
  FuserAttribute attributes[] = {
      {.name = "kind", .kind = FUSER_ATTRIBUTE_STRING, .string = "mean"},
      {.name = "dims",
       .kind = FUSER_ATTRIBUTE_INTS,
       .integers = dims,
       .count = 1},
      {.name = "keep", .kind = FUSER_ATTRIBUTE_INT, .integer = 1}};
  FuserOpSpec spec = {"reduce", &x, 1, attributes, 3};
  size_t count = 0;
  ok(fuser_builder_op(builder, &spec, &mean, 1, &count));
  CHECK(count == 1);
  ok(op(builder, "sub", x, mean, &y));
  FuserOutputSpec output = {"y", NULL, {0, 0}};
  ok(fuser_builder_output(builder, y, &output));
  FuserBytes *bytes = NULL;
  ok(fuser_builder_finish(builder, &bytes));
  FuserContext *context = NULL;
  FuserExecutable *executable = NULL;
  FuserCompileOptions options;
  fuser_compile_options_init(&options);
  ok(fuser_context_create_cpu(1, &context));
  ok(fuser_executable_create(context, fuser_bytes_data(bytes),
                             fuser_bytes_size(bytes), &options, &executable));
  FuserProgram *program = fuser_executable_program(executable);
  CHECK(!strcmp(fuser_program_name(program), "f"));
  CHECK(!strcmp(fuser_program_input_name(program, 0), "x"));
  CHECK(!strcmp(fuser_program_output_name(program, 0), "y"));
  float data[8] = {1, 2, 3, 6, -1, -1, 1, 1};
  int64_t sizes[] = {2, 4}, strides[] = {4, 1};
  DLTensor tensor = {data,  {kDLCPU, 0}, 2, {kDLFloat, 32, 1},
                     sizes, strides,     0};
  const DLTensor *inputs[] = {&tensor};
  FuserOutput result = {NULL, NULL};
  ok(fuser_program_run(program, inputs, 1, NULL, 0, &result, 1));
  const float *got = result.tensor->dl_tensor.data;
  const float expected[8] = {-2, -1, 0, 3, -1, -1, 1, 1};
  for (int i = 0; i < 8; ++i)
    CHECK(fabsf(got[i] - expected[i]) < 1e-6f);
  result.tensor->deleter(result.tensor);
  fuser_executable_destroy(executable);
  fuser_context_destroy(context);
  fuser_bytes_destroy(bytes);
  fuser_builder_destroy(builder);
}

/* A function of models: five results, whose types follow. */
static void test_composite(void) {
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "f16", FUSER_DYNAMIC, 4);
  int64_t size = 4;
  FuserInputSpec spec = {"running", "f32", &size, 1, NULL};
  FuserScalar small = {.kind = FUSER_SCALAR_FLOAT, .value = {.f = 0.1}};
  FuserValue operands[5] = {x}, results[5];
  ok(fuser_builder_number(builder, &small, NULL, &operands[1]));
  ok(fuser_builder_input(builder, &spec, &operands[2]));
  operands[3] = operands[2];
  operands[4] = operands[1];
  FuserAttribute running = {
      .name = "has_running", .kind = FUSER_ATTRIBUTE_INT, .integer = 1};
  FuserOpSpec norm = {"batch_norm", operands, 5, &running, 1};
  size_t count = 0;
  fails(fuser_builder_op(builder, &norm, results, 4, NULL),
        "expected room for 5 results of 'batch_norm', or where to say how many "
        "there are, got 4");
  ok(fuser_builder_op(builder, &norm, results, 2, &count));
  CHECK(count == 5);
  FuserValue first = results[0];
  fails(fuser_builder_last_results(builder, NULL, 5, &count), "got null");
  ok(fuser_builder_last_results(builder, results, 5, &count));
  CHECK(count == 5 && !memcmp(&first, &results[0], sizeof(first)));
  const char *elements[] = {"f16", "f32", "f32", "f32", "f32"};
  for (size_t i = 0; i < count; ++i) {
    FuserValueType type;
    ok(fuser_builder_value_type(builder, results[i], &type));
    CHECK(!strcmp(type.element, elements[i]));
    CHECK(type.rank == (i ? 1 : 2) && type.sizes[type.rank - 1] == 4);
  }
  operands[0] = operands[2];
  fails(fuser_builder_op(builder, &norm, results, 5, &count),
        "'batch_norm': expected a dimension of -1 to 0");
  fuser_builder_destroy(builder);
}

/* A program that was built is what fuser_compile takes, as bytes and as text.
 */
static void test_compile(void) {
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "f32", FUSER_DYNAMIC, 4), y;
  ok(op(builder, "exp", x, kNone, &y));
  ok(fuser_builder_output(builder, y, NULL));
  FuserBytes *bytes = NULL, *text = NULL;
  fails(fuser_builder_text(builder, &text), "is finished");
  ok(fuser_builder_finish(builder, &bytes));
  ok(fuser_builder_text(builder, &text));
  FuserCompileOptions options;
  fuser_compile_options_init(&options);
  FuserBytes *programs[2] = {NULL, NULL}, *sources[2] = {bytes, text};
  for (int i = 0; i < 2; ++i) {
    ok(fuser_compile(fuser_bytes_data(sources[i]), fuser_bytes_size(sources[i]),
                     &options, &programs[i]));
    CHECK(fuser_bytes_size(programs[i]) > 0);
    fuser_bytes_destroy(programs[i]);
    fuser_bytes_destroy(sources[i]);
  }
  fuser_builder_destroy(builder);
}

static void test_elements(void) {
  FuserElementInfo info;
  ok(fuser_element_info("ui16", &info));
  CHECK(info.kind == FUSER_ELEMENT_UNSIGNED && info.bits == 16);
  ok(fuser_element_info("i1", &info));
  CHECK(info.kind == FUSER_ELEMENT_BOOL && info.bits == 1);
  ok(fuser_element_info("complex<f32>", &info));
  CHECK(info.kind == FUSER_ELEMENT_COMPLEX && info.bits == 64);
  fails(fuser_element_info("float", &info), "expected an element type (f64");
  fails(fuser_element_info(NULL, &info), "got null");
  fails(fuser_element_info("f32", NULL), "expected room");
}

static void test_types(void) {
  CHECK(strstr(fuser_builder_elementwise_names(1), "exp "));
  CHECK(!strcmp(fuser_builder_elementwise_names(3), ""));
  CHECK(strstr(fuser_builder_other_names("numpy", 2), "left_shift shl "));
  CHECK(!strcmp(fuser_builder_other_names("nvfuser", 1), "bitwise_not not"));
  CHECK(!strcmp(fuser_builder_other_names("nvfuser", 0), ""));
  CHECK(!strcmp(fuser_builder_other_names(NULL, 1), ""));
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "bf16", FUSER_DYNAMIC, 4);
  FuserValue y = input(builder, "i32", 3, 1), z, scalar, product;
  ok(op(builder, "add", x, y, &z));
  FuserValueType type;
  ok(fuser_builder_value_type(builder, z, &type));
  CHECK(!strcmp(type.element, "bf16") && !type.is_scalar && type.rank == 2);
  /* The size that y has is that of x, too, which was open. */
  CHECK(type.sizes[0] == 3 && type.sizes[1] == 4);
  ok(fuser_builder_value_type(builder, x, &type));
  CHECK(type.sizes[0] == 3);
  ok(fuser_builder_scalar_input(builder, "s", "f64", &scalar));
  ok(fuser_builder_value_type(builder, scalar, &type));
  CHECK(type.is_scalar && !strcmp(type.element, "f64"));
  ok(op(builder, "mul", z, scalar, &product));
  ok(fuser_builder_value_type(builder, product, &type));
  CHECK(!strcmp(type.element, "bf16"));
  fuser_builder_destroy(builder);
}

/* A list of sizes in which one is a value. */
static void test_open_sizes(void) {
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "f32", FUSER_DYNAMIC, 4), n, y;
  FuserAttribute dim = {.name = "dim", .kind = FUSER_ATTRIBUTE_INT};
  FuserOpSpec size = {"size", &x, 1, &dim, 1};
  ok(fuser_builder_op(builder, &size, &n, 1, NULL));
  int64_t shape[] = {2, FUSER_DYNAMIC, -1};
  FuserAttribute sizes = {.name = "shape",
                          .kind = FUSER_ATTRIBUTE_INTS,
                          .integers = shape,
                          .count = 3};
  FuserValue operands[] = {x, n};
  FuserOpSpec spec = {"reshape", operands, 2, &sizes, 1};
  ok(fuser_builder_op(builder, &spec, &y, 1, NULL));
  FuserValueType type;
  ok(fuser_builder_value_type(builder, y, &type));
  /* Open sizes that are the same cancel. */
  CHECK(type.rank == 3 && type.sizes[1] == FUSER_DYNAMIC && type.sizes[2] == 2);
  spec.num_operands = 1;
  fails(fuser_builder_op(builder, &spec, &y, 1, NULL),
        "an operand for each open number of 'shape'");
  fuser_builder_destroy(builder);
}

static void test_misuse(void) {
  FuserBuilder *builder = create(), *other = create();
  FuserValue x = input(builder, "f32", 3, 4), y = input(other, "f32", 3, 4), z;
  FuserValue later = {x.builder, 99};
  fails(op(builder, "add", x, y, &z), "a value of this builder");
  fails(op(builder, "add", x, later, &z), "a value that was made");
  fails(op(builder, "exp", kNone, kNone, &z), "got no value");
  fails(op(NULL, "exp", x, kNone, &z), "expected a builder, got null");
  FuserScalar number = {.kind = FUSER_SCALAR_FLOAT, .value = {.f = 1.0}};
  fails(fuser_builder_number(builder, NULL, NULL, &z),
        "expected a number and room for the value, got null");
  fails(fuser_builder_number(builder, &number, NULL, NULL),
        "expected a number and room for the value, got null");
  fails(fuser_builder_scalar_input(builder, "s", NULL, &z),
        "expected an element type and room for the value, got null");
  fails(fuser_builder_scalar_input(builder, "s", "f32", NULL),
        "expected an element type and room for the value, got null");
  fails(fuser_builder_value_type(builder, x, NULL),
        "expected room for the type, got null");
  fails(op(builder, NULL, x, kNone, &z), "got null");
  fails(op(builder, "exq", x, kNone, &z), "got 'exq'");
  fails(op(builder, "left_shift", x, x, &z), "; did you mean 'shl'?");
  fails(op(builder, "add", x, kNone, &z), "expected 2 operands, got 1");
  fails(fuser_builder_op(builder, NULL, &z, 1, NULL), "got null");
  FuserOpSpec exp = {"exp", &x, 1, NULL, 0};
  fails(fuser_builder_op(builder, &exp, &z, 0, NULL), "room for results");
  FuserOpSpec both = {"var_mean", &x, 1, NULL, 0};
  fails(fuser_builder_op(builder, &both, &z, 1, NULL),
        "room for 2 results of 'var_mean', or where to say how many");
  FuserAttribute wrong[] = {{.name = "dim", .kind = FUSER_ATTRIBUTE_INT},
                            {.name = "dim", .kind = (FuserAttributeKind)9},
                            {.name = NULL}};
  exp.attributes = wrong;
  exp.num_attributes = 1;
  fails(fuser_builder_op(builder, &exp, &z, 1, NULL), "no attributes, got");
  for (int i = 1; i < 3; ++i) {
    exp.attributes = wrong + i;
    fails(fuser_builder_op(builder, &exp, &z, 1, NULL), "as attribute 0");
  }
  int64_t sizes[] = {-3}, order[] = {1};
  FuserInputSpec spec = {NULL, "f32", sizes, 1, NULL};
  fails(fuser_builder_input(builder, &spec, &z), "not negative");
  spec.element = "f8";
  fails(fuser_builder_input(builder, &spec, &z), "got 'f8'");
  spec.element = NULL;
  fails(fuser_builder_input(builder, &spec, &z), "got null");
  fails(fuser_builder_input(builder, NULL, &z), "got null");
  spec.element = "f32";
  sizes[0] = 3;
  spec.stride_order = order;
  fails(fuser_builder_input(builder, &spec, &z), "expected");
  fails(fuser_builder_output(builder, y, NULL), "of this builder");
  FuserOutputSpec output = {NULL, NULL, y};
  fails(fuser_builder_output(builder, x, &output), "the alias");
  ok(op(builder, "exp", x, kNone, &z));
  output.alias = z;
  fails(fuser_builder_output(builder, x, &output), "that is an input");
  fuser_builder_destroy(builder);
  fuser_builder_destroy(other);
}

static void test_finished(void) {
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "f32", 3, 4), y;
  FuserBytes *bytes = NULL;
  fails(fuser_builder_create("f", NULL), "expected room for a builder");
  fails(fuser_builder_finish(builder, NULL), "expected room for a program");
  fails(fuser_builder_text(builder, NULL), "expected room for a text");
  fails(fuser_builder_finish(builder, &bytes), "at least one output");
  CHECK(!bytes);
  /* What failed changed nothing. */
  ok(op(builder, "exp", x, kNone, &y));
  ok(fuser_builder_output(builder, y, NULL));
  ok(fuser_builder_finish(builder, &bytes));
  fuser_bytes_destroy(bytes);
  fails(fuser_builder_finish(builder, &bytes), "not finished");
  fails(op(builder, "exp", x, kNone, &y), "not finished");
  fails(fuser_builder_output(builder, y, NULL), "not finished");
  FuserScalar number = {.kind = FUSER_SCALAR_INT, .value = {.i = 1}};
  fails(fuser_builder_number(builder, &number, NULL, &y), "not finished");
  FuserValueType type;
  ok(fuser_builder_value_type(builder, y, &type));
  CHECK(type.rank == 2);
  fuser_builder_destroy(builder);
}

/* Messages begin with where the user's program is wrong. */
static void test_location(void) {
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "f32", 3, 4), y = input(builder, "f32", 2, 4);
  FuserValue z;
  ok(fuser_builder_set_location(builder, "user.py", 12, 0));
  fails(op(builder, "add", x, y, &z), "user.py:12: error: 'add': expected");
  ok(fuser_builder_set_location(builder, "user.py", 12, 7));
  fails(op(builder, "add", x, y, &z), "user.py:12:7: error: 'add': expected");
  ok(fuser_builder_set_location(builder, NULL, 0, 0));
  fails(op(builder, "add", x, y, &z), "error: 'add': expected");
  fuser_builder_destroy(builder);
}

/* A size that cannot be makes nothing of what was found before. */
static void test_conflict(void) {
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "f32", FUSER_DYNAMIC, FUSER_DYNAMIC);
  FuserValue y = input(builder, "f32", 2, 4), w = input(builder, "f32", 3, 5);
  FuserValue z;
  FuserValue operands[] = {x, y, w};
  FuserOpSpec spec = {"where", operands, 3, NULL, 0};
  fails(fuser_builder_op(builder, &spec, &z, 1, NULL), "broadcast");
  FuserValueType type;
  ok(fuser_builder_value_type(builder, x, &type));
  CHECK(type.sizes[0] == FUSER_DYNAMIC && type.sizes[1] == FUSER_DYNAMIC);
  ok(op(builder, "add", x, w, &z));
  ok(fuser_builder_value_type(builder, x, &type));
  CHECK(type.sizes[0] == 3 && type.sizes[1] == 5);
  fuser_builder_destroy(builder);
}

/* Expects an error that lists the op's operands, or one that does not. */
static void lists_operands(FuserStatus *status, int lists) {
  CHECK(status);
  fprintf(stderr, "message: %s\n", fuser_status_message(status));
  CHECK(strstr(fuser_status_message(status), "expected 3 operands, got 2"));
  const char *list = "; its operands are x, beta, threshold";
  CHECK(!!strstr(fuser_status_message(status), list) == lists);
  fuser_status_destroy(status);
}

static void test_operands(void) {
  FuserBuilder *builder = create();
  FuserValue x = input(builder, "f32", 3, 4), y;
  lists_operands(op(builder, "softplus", x, x, &y), 1);
  ok(fuser_builder_set_lists_operands(builder, 0));
  lists_operands(op(builder, "softplus", x, x, &y), 0);
  fails(fuser_builder_set_lists_operands(NULL, 0), "expected a builder");
  fuser_builder_destroy(builder);
}

int main(int argc, char **argv) {
  static const Test tests[] = {{"run", test_run},
                               {"compile", test_compile},
                               {"elements", test_elements},
                               {"types", test_types},
                               {"open_sizes", test_open_sizes},
                               {"misuse", test_misuse},
                               {"finished", test_finished},
                               {"location", test_location},
                               {"conflict", test_conflict},
                               {"composite", test_composite},
                               {"operands", test_operands}};
  return run_test(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
