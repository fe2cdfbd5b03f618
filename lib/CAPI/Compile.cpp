//===- Compile.cpp - The compiler's C API ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser-c/Compile.h"
#include "Bytes.h"
#include "fuser/Pipelines/Compile.h"
#include "fuser/Pipelines/CompilerUse.h"
#include "fuser/Pipelines/Executable.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;

struct FuserExecutable {
  // The executable's module lives in the context, so it goes first.
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<Executable> executable;
};

static StringRef orEmpty(const char *text) { return text ? text : ""; }

static FuserStatus *invalid(const std::string &message) {
  return fuser_status_create(FUSER_INVALID_ARGUMENT, message.c_str());
}

/// The numbers are those of the runtime.
static FuserStatus *convert(const FuserCompileOptions &options,
                            CompileOptions &result) {
  result.target = findTarget(getAllTargets(),
                             static_cast<fuser_rt::Target>(options.target));
  if (!result.target)
    return invalid("expected a target (FUSER_TARGET_...), got " +
                   std::to_string(options.target));
  result.entry = orEmpty(options.entry).str();
  result.arch = orEmpty(options.arch).str();
  for (size_t i = 0; i < options.num_inputs; ++i)
    result.inputs.push_back(
        {options.inputs[i].any_strides != 0, options.inputs[i].alignment});
  result.outputAlignment = options.output_alignment;
  result.checkKernels = options.check_kernels != 0;
  return nullptr;
}

FuserStatus *fuser_find_target(const char *name, FuserTarget *target) {
  const Target *found = findTarget(getAllTargets(), name);
  if (!found)
    return invalid("expected target " + getTargetNames(getAllTargets()) +
                   ", got '" + name + "'");
  *target = static_cast<FuserTarget>(found->device);
  return nullptr;
}

static StringRef fileName(const FuserCompileOptions &options) {
  return options.file_name ? options.file_name : "<text>";
}

/// Parses `text`; null on failure, with the diagnostics in `error`.
static OwningOpRef<ModuleOp> parseText(MLIRContext &context, StringRef text,
                                       StringRef name, std::string &error) {
  llvm::raw_string_ostream os(error);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context, os);
  return parseProgram(sources, &context);
}

uint32_t fuser_c_api_version(void) { return FUSER_C_API_VERSION; }

void fuser_compile_options_init(FuserCompileOptions *options) {
  *options = FuserCompileOptions();
  options->output_alignment = CompileOptions().outputAlignment;
}

const void *fuser_bytes_data(const FuserBytes *bytes) {
  return bytes->data.data();
}
size_t fuser_bytes_size(const FuserBytes *bytes) { return bytes->data.size(); }
void fuser_bytes_destroy(FuserBytes *bytes) { delete bytes; }

FuserStatus *fuser_compile(const char *text, size_t textSize,
                           const FuserCompileOptions *options,
                           FuserBytes **program) {
  *program = nullptr;
  CompilerUse use;
  if (FuserStatus *status = use.check())
    return status;
  CompileOptions converted;
  if (FuserStatus *status = convert(*options, converted))
    return status;
  std::unique_ptr<MLIRContext> mlirContext = createCompilerContext();
  std::string error;
  OwningOpRef<ModuleOp> module = parseText(
      *mlirContext, StringRef(text, textSize), fileName(*options), error);
  if (!module)
    return invalid(error);
  ErrorCollector collector(mlirContext.get(), error);
  FailureOr<CompileResult> result = compileToSave(*module, converted);
  if (failed(result))
    return invalid(error);
  *program = new FuserBytes{fuser_rt::serialize(result->program)};
  return nullptr;
}

FuserStatus *fuser_executable_create(FuserContext *context, const char *text,
                                     size_t textSize,
                                     const FuserCompileOptions *options,
                                     FuserExecutable **executable) {
  *executable = nullptr;
  CompilerUse use;
  if (FuserStatus *status = use.check())
    return status;
  auto result = std::make_unique<FuserExecutable>();
  result->context = createCompilerContext();
  std::string error;
  OwningOpRef<ModuleOp> module = parseText(
      *result->context, StringRef(text, textSize), fileName(*options), error);
  if (!module)
    return invalid(error);
  CompileOptions converted;
  if (FuserStatus *status = convert(*options, converted))
    return status;
  // What the context is for goes before what the options say.
  converted.target =
      findTarget(getAllTargets(),
                 static_cast<fuser_rt::Target>(fuser_context_target(context)));
  if (FuserStatus *status = Executable::create(
          context, std::move(module), std::move(converted), result->executable))
    return status;
  *executable = result.release();
  return nullptr;
}

void fuser_executable_destroy(FuserExecutable *executable) {
  CompilerUse use;
  if (use.isPossible())
    delete executable;
}

FuserProgram *fuser_executable_program(const FuserExecutable *executable) {
  return executable->executable->getProgram();
}
