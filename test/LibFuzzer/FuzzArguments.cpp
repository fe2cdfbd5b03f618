//===- FuzzArguments.cpp - Calls with wrong arguments ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls compiled programs on the CPU. Each call gives a status: of what is not
// as the program describes it an error, and of a plain call none. Calls whose
// memory is not there go to a copy of the program without code, so that the
// checks before it are all that runs.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "fuser/Pipelines/Compile.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace fuser;
using namespace fuser::fuzzers;

static constexpr const char *kSources[] = {
    // Sizes that have to be equal, two results.
    R"(func.func @two(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>)
        -> (tensor<?x8xf32>, tensor<?x1xf32>) {
      %0 = fusion.add %x, %y : tensor<?x8xf32>
      %1 = fusion.reduce <sum> %0 dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
      return %0, %1 : tensor<?x8xf32>, tensor<?x1xf32>
    })",
    // A result in an input's memory.
    R"(func.func @reuse(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>)
        -> (tensor<?x?xbf16> {fusion.alias = #fusion.alias<reuse, 0>}) {
      %0 = fusion.mul %x, %y : tensor<?x?xbf16>
      return %0 : tensor<?x?xbf16>
    })",
    // A result that is a view of an input, and one that is not.
    R"(func.func @view(%x: tensor<?x4x6xf16>)
        -> (tensor<4x?x6xf16> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<?x4x6xf16>) {
      %0 = fusion.permute %x [1, 0, 2] : tensor<?x4x6xf16> to tensor<4x?x6xf16>
      %1 = fusion.neg %x : tensor<?x4x6xf16>
      return %0, %1 : tensor<4x?x6xf16>, tensor<?x4x6xf16>
    })",
    // Scalars, and any layout.
    R"(func.func @scalars(%x: tensor<?xf32> {fusion.layout = "any"}, %n: index, %v: f32)
        -> tensor<?xf32> {
      %r = fusion.full %v sizes(%n) : tensor<?xf32>
      %s = fusion.add %x, %r : tensor<?xf32>
      return %s : tensor<?xf32>
    })",
    // Layouts that are required; no dimensions; other types.
    R"(func.func @layouts(%x: tensor<?x?xi64> {fusion.stride_order = array<i64: 1, 0>}, %s: tensor<i1>,
                          %y: tensor<3x0xf64>, %z: tensor<?xi32> {fusion.alignment = 32 : i64})
        -> (tensor<?x?xi64> {fusion.stride_order = array<i64: 1, 0>}, tensor<i1>, tensor<3x0xf64>, tensor<?xi32>) {
      %0 = fusion.neg %x : tensor<?x?xi64>
      %1 = fusion.set %s : tensor<i1>
      %2 = fusion.neg %y : tensor<3x0xf64>
      %3 = fusion.neg %z : tensor<?xi32>
      return %0, %1, %2, %3 : tensor<?x?xi64>, tensor<i1>, tensor<3x0xf64>, tensor<?xi32>
    })",
};

namespace {
/// A program that is called.
struct CompiledProgram {
  fuser_rt::Variant spec;
  FuserProgram *withCode = nullptr;
  FuserProgram *withoutCode = nullptr;
};
} // namespace

[[noreturn]] static void fail(const std::string &what) {
  llvm::errs() << what << "\n";
  abort();
}

static FuserProgram *load(FuserContext *context,
                          const fuser_rt::Program &program) {
  std::string bytes = fuser_rt::serialize(program);
  FuserProgram *result = nullptr;
  if (FuserStatus *status =
          fuser_program_load(context, bytes.data(), bytes.size(), &result))
    fail(fuser_status_message(status));
  return result;
}

static std::string readNoCode() {
  auto file = llvm::MemoryBuffer::getFile(FUSER_NO_CODE);
  if (!file)
    fail("cannot read " FUSER_NO_CODE);
  return (*file)->getBuffer().str();
}

static CompiledProgram compile(FuserContext *context, const char *source) {
  std::unique_ptr<MLIRContext> mlirContext = createCompilerContext();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source), {});
  SourceMgrDiagnosticHandler handler(sources, mlirContext.get());
  OwningOpRef<ModuleOp> module = parseProgram(sources, mlirContext.get());
  if (!module)
    fail("expected a program");
  FailureOr<CompileResult> compiled = compileToSave(*module, CompileOptions());
  if (failed(compiled))
    fail("expected a program that compiles");
  fuser_rt::Program program = compiled->program;
  CompiledProgram result;
  result.spec = program.variants.front();
  result.withCode = load(context, program);
  for (fuser_rt::Variant &variant : program.variants) {
    variant.kernels.clear();
    variant.object = readNoCode();
  }
  result.withoutCode = load(context, program);
  return result;
}

/// What a random call may take: 1 MiB, so that none takes long.
static void limitMemory(FuserContext *context) {
  constexpr size_t kMostBytes = size_t(1) << 20;
  FuserAllocator allocator{nullptr,
                           [](void *, size_t bytes, void *) -> void * {
                             return bytes > kMostBytes
                                        ? nullptr
                                        : aligned_alloc(256, (bytes + 255) /
                                                                 256 * 256);
                           },
                           [](void *, void *data, void *) { free(data); }};
  fuser_context_set_allocator(context, &allocator);
}

static const std::vector<CompiledProgram> &getPrograms() {
  // They live as long as the process.
  static auto &programs = *new std::vector<CompiledProgram>;
  if (!programs.empty())
    return programs;
  FuserContext *context = nullptr;
  if (FuserStatus *status = fuser_context_create_cpu(1, &context))
    fail(fuser_status_message(status));
  limitMemory(context);
  for (const char *source : kSources)
    programs.push_back(compile(context, source));
  return programs;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  getPrograms();
  return 0;
}

/// Reads and frees what a call gave, and says how it ended.
static FuserStatusCode finish(FuserStatus *status, const Call &call) {
  FuserStatusCode code = fuser_status_code(status);
  std::string message = status ? fuser_status_message(status) : "";
  fuser_status_destroy(status);
  if (code != FUSER_OK && message.empty())
    fail("expected a message");
  if (call.hasNoOutputs)
    return code;
  for (const FuserOutput &output : call.outputs) {
    if (code != FUSER_OK && output.tensor)
      fail("expected no tensor of a call that failed: " + message);
    if (code == FUSER_OK && !output.tensor && !output.preallocated)
      fail("expected a tensor");
    if (output.tensor)
      output.tensor->deleter(output.tensor);
  }
  return code;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static Arena arena;
  FuzzedDataProvider data(bytes, size);
  const CompiledProgram &program =
      getPrograms()[data.ConsumeIntegralInRange<size_t>(0, std::size(kSources) -
                                                               1)];
  Call call = makeCall(program.spec, arena, data);
  bool hasMemory = canRun(call, program.spec, arena);
  FuserStatusCode code = finish(
      call.run(hasMemory ? program.withCode : program.withoutCode), call);
  // What does nothing lacks the outputs, which is a program's fault.
  bool isAccepted = code == (hasMemory ? FUSER_OK : FUSER_INTERNAL);
  if (code == FUSER_INTERNAL && hasMemory)
    fail("expected no fault of the program");
  if (isAccepted && !isAsDescribed(call, program.spec))
    fail("expected an error for arguments that are not as described");
  if (code != FUSER_OK && call.isPlain)
    fail("expected no error for a plain call");
  return 0;
}
