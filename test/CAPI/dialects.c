/*===- dialects.c - Dialects and passes in MLIR's C API -------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* capi-dialects-test NAME runs the test of that name and exits with 0 if it
|* holds.
|*
\*===----------------------------------------------------------------------===*/

#include "fuser-c/Dialects.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"
#include "testing.h"

/* The generic form: the dialect func is not needed to read it. */
static const char *const kProgram =
    "%0 = \"test.source\"() : () -> tensor<?x8xf32>\n"
    "%1 = fusion.exp %0 : tensor<?x8xf32>\n"
    "%2 = fusion.reduce <sum> %1 dims [1] : tensor<?x8xf32> to tensor<?xf32>\n";

static const char *const kFunction =
    "func.func @f(%x: tensor<?x8xf32>) -> tensor<?xf32> {\n"
    "  %0 = fusion.exp %x : tensor<?x8xf32>\n"
    "  %1 = fusion.reduce <sum> %0 dims [1]\n"
    "     : tensor<?x8xf32> to tensor<?xf32>\n"
    "  return %1 : tensor<?xf32>\n"
    "}\n";

/* Text that comes in pieces. */
typedef struct Text {
  char data[8192];
  size_t size;
} Text;

static void append(MlirStringRef piece, void *data) {
  Text *text = data;
  CHECK(text->size + piece.length < sizeof(text->data));
  memcpy(text->data + text->size, piece.data, piece.length);
  text->size += piece.length;
  text->data[text->size] = 0;
}

static MlirLogicalResult keep(MlirDiagnostic diagnostic, void *text) {
  mlirDiagnosticPrint(diagnostic, append, text);
  return mlirLogicalResultSuccess();
}

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static MlirModule parse(MlirContext context, const char *text) {
  return mlirModuleCreateParse(context, ref(text));
}

/* A context that knows the dialects by their handles, and no other. */
static void test_handles(void) {
  MlirContext context = mlirContextCreate();
  mlirContextSetAllowUnregisteredDialects(context, true);
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__fusion__(), context);
  MlirDialect fusion =
      mlirDialectHandleLoadDialect(mlirGetDialectHandle__fusion__(), context);
  MlirDialect host =
      mlirDialectHandleLoadDialect(mlirGetDialectHandle__host__(), context);
  MlirDialect kernel =
      mlirDialectHandleLoadDialect(mlirGetDialectHandle__kernel__(), context);
  CHECK(!mlirDialectIsNull(fusion) && !mlirDialectIsNull(host) &&
        !mlirDialectIsNull(kernel));
  CHECK(mlirStringRefEqual(mlirDialectGetNamespace(fusion), ref("fusion")));
  CHECK(mlirStringRefEqual(
      mlirDialectHandleGetNamespace(mlirGetDialectHandle__host__()),
      ref("host")));
  CHECK(mlirContextIsRegisteredOperation(context, ref("fusion.reduce")));
  CHECK(mlirContextIsRegisteredOperation(context, ref("host.launch")));
  CHECK(mlirStringRefEqual(mlirDialectGetNamespace(kernel), ref("kernel")));
  CHECK(mlirContextIsRegisteredOperation(context, ref("kernel.bulk_copy")));

  MlirModule module = parse(context, kProgram);
  CHECK(!mlirModuleIsNull(module));
  CHECK(mlirOperationVerify(mlirModuleGetOperation(module)));
  Text text = {{0}, 0};
  mlirOperationPrint(mlirModuleGetOperation(module), append, &text);
  CHECK(strstr(text.data, "fusion.reduce <sum> %1 dims [1]"));
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}

/* The dialect's verifiers speak to the context's diagnostic handlers. */
static void test_verifier(void) {
  MlirContext context = mlirContextCreate();
  mlirContextSetAllowUnregisteredDialects(context, true);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__fusion__(), context);
  Text text = {{0}, 0};
  mlirContextAttachDiagnosticHandler(context, keep, &text, NULL);
  MlirModule module =
      parse(context, "%0 = \"test.source\"() : () -> tensor<4xi1>\n"
                     "%1 = fusion.exp %0 : tensor<4xi1>\n");
  CHECK(mlirModuleIsNull(module));
  CHECK(strstr(text.data, "'fusion.exp' op operand #0 must be"));
  mlirContextDestroy(context);
}

/* All dialects, and a pipeline by its text up to the schedule of a kernel. */
static void test_passes(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  fuserInsertAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  fuserRegisterAllPasses();
  MlirModule module = parse(context, kFunction);
  CHECK(!mlirModuleIsNull(module));
  MlirPassManager passes = mlirPassManagerCreate(context);
  Text text = {{0}, 0};
  CHECK(mlirLogicalResultIsSuccess(mlirParsePassPipeline(
      mlirPassManagerGetAsOpPassManager(passes),
      ref("builtin.module(func.func(fusion-segment{target=cuda}),"
          "fusion-schedule{target=cuda})"),
      append, &text)));
  MlirOperation op = mlirModuleGetOperation(module);
  CHECK(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(passes, op)));
  mlirOperationPrint(op, append, &text);
  CHECK(strstr(text.data, "fusion.segment \"row_reduction\""));
  CHECK(strstr(text.data, "schedule = #fusion.tile<kind = \"row_reduction\""));
  mlirPassManagerDestroy(passes);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}

int main(int argc, char **argv) {
  static const Test tests[] = {
      {"handles", test_handles},
      {"verifier", test_verifier},
      {"passes", test_passes},
  };
  return run_test(tests, sizeof(tests) / sizeof(*tests), argc, argv);
}
