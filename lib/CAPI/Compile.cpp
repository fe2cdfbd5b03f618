//===- Compile.cpp - The compiler's C API ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser-c/Compile.h"
#include "Bytes.h"
#include "Executable.h"
#include "fuser/Pipelines/Compile.h"
#include "fuser/Pipelines/CompilerUse.h"
#include "fuser/Pipelines/Executable.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;

static StringRef orEmpty(const char *text) { return text ? text : ""; }

FuserStatus *fuser::convert(const FuserCompileOptions &options,
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
  if (options.on_step)
    result.onStep = [call = options.on_step,
                     user = options.step_user](StringRef step) {
      call(user, step.empty() ? nullptr : step.str().c_str());
    };
  return nullptr;
}

FuserStatus *fuser_find_target(const char *name, FuserTarget *target) {
  const Target *found = findTarget(getAllTargets(), orEmpty(name));
  if (!found)
    return invalid("expected target " + getTargetNames(getAllTargets()) +
                   ", got '" + orEmpty(name).str() + "'");
  *target = static_cast<FuserTarget>(found->device);
  return nullptr;
}

const char *fuser_target_name(FuserTarget target) {
  const Target *found =
      findTarget(getAllTargets(), static_cast<fuser_rt::Target>(target));
  return found ? found->name.data() : nullptr;
}

static StringRef fileName(const FuserCompileOptions &options) {
  return options.file_name ? options.file_name : "<text>";
}

static std::optional<ProgramCache>
getCache(const FuserCompileOptions &options) {
  if (!options.use_cache)
    return std::nullopt;
  return ProgramCache::fromEnvironment();
}

uint32_t fuser_c_api_version(void) { return FUSER_C_API_VERSION; }

void fuser_compile_options_init(FuserCompileOptions *options) {
  *options = FuserCompileOptions();
  options->output_alignment = CompileOptions().outputAlignment;
  options->use_cache = 1;
}

const void *fuser_bytes_data(const FuserBytes *bytes) {
  return bytes->data.data();
}
size_t fuser_bytes_size(const FuserBytes *bytes) { return bytes->data.size(); }
void fuser_bytes_destroy(FuserBytes *bytes) { delete bytes; }

/// Compiles to the bytes of a program that is saved.
static FuserStatus *compileText(StringRef text, StringRef fileName,
                                const CompileOptions &options,
                                std::string &bytes) {
  CompilerUse use;
  if (FuserStatus *status = use.check())
    return status;
  std::unique_ptr<MLIRContext> mlirContext = createCompilerContext();
  std::string error;
  OwningOpRef<ModuleOp> module =
      parseProgram(text, fileName, mlirContext.get(), error);
  if (!module)
    return invalid(error);
  ErrorCollector collector(mlirContext.get(), error);
  FailureOr<CompileResult> result = compileToSave(*module, options);
  if (failed(result))
    return invalid(error);
  bytes = fuser_rt::serialize(result->program);
  return nullptr;
}

/// The same, unless `cache` has them.
static FuserStatus *save(StringRef text, StringRef fileName,
                         const CompileOptions &options,
                         const std::optional<ProgramCache> &cache,
                         FuserBytes **program) {
  CacheKey::Digest key{};
  std::optional<std::string> bytes;
  if (cache) {
    key = CacheKey().add("saved").add(text).add(fileName).add(options).get();
    bytes = cache->find(key);
  }
  if (!bytes) {
    bytes.emplace();
    if (FuserStatus *status = compileText(text, fileName, options, *bytes))
      return status;
    if (cache)
      cache->store(key, *bytes);
  }
  *program = new FuserBytes{std::move(*bytes)};
  return nullptr;
}

FuserStatus *fuser_compile(const char *text, size_t textSize,
                           const FuserCompileOptions *options,
                           FuserBytes **program) {
  *program = nullptr;
  CompileOptions converted;
  if (FuserStatus *status = convert(*options, converted))
    return status;
  return save({text, textSize}, fileName(*options), converted,
              getCache(*options), program);
}

FuserStatus *fuser_executable_save(const FuserExecutable *executable,
                                   const FuserCompileOptions *options,
                                   FuserBytes **program) {
  *program = nullptr;
  const Executable &compiled = *executable->executable;
  CompileOptions converted;
  if (FuserStatus *status = convert(*options, converted))
    return status;
  CompileOptions own = compiled.getOptions();
  own.inputs = std::move(converted.inputs);
  own.outputAlignment = converted.outputAlignment;
  own.onStep = std::move(converted.onStep);
  const ProgramText &source = compiled.getSource();
  return save(source.text, source.fileName, own, getCache(*options), program);
}

FuserStatus *fuser_executable_create(FuserContext *context, const char *text,
                                     size_t textSize,
                                     const FuserCompileOptions *options,
                                     FuserExecutable **executable) {
  *executable = nullptr;
  CompileOptions converted;
  if (FuserStatus *status = convert(*options, converted))
    return status;
  // What the context is for goes before what the options say.
  converted.target =
      findTarget(getAllTargets(),
                 static_cast<fuser_rt::Target>(fuser_context_target(context)));
  auto result = std::make_unique<FuserExecutable>();
  std::optional<ProgramCache> cache = getCache(*options);
  if (FuserStatus *status = Executable::create(
          context, {std::string(text, textSize), fileName(*options).str()},
          std::move(converted), cache ? &*cache : nullptr, result->executable,
          /*takesLock=*/true))
    return status;
  *executable = result.release();
  return nullptr;
}

FuserStatus *fuser_executable_specialize(FuserExecutable *executable,
                                         FuserContext *context,
                                         const DLTensor *const *inputs,
                                         size_t numInputs,
                                         FuserExecutable **specialized) {
  *specialized = nullptr;
  auto result = std::make_unique<FuserExecutable>();
  if (FuserStatus *status = executable->executable->specialize(
          context, ArrayRef(inputs, numInputs), result->executable))
    return status;
  *specialized = result.release();
  return nullptr;
}

int32_t fuser_executable_is_from_cache(const FuserExecutable *executable) {
  return executable->executable->isFromCache();
}

void fuser_executable_destroy(FuserExecutable *executable) {
  CompilerUse use;
  if (use.isPossible())
    delete executable;
}

FuserProgram *fuser_executable_program(const FuserExecutable *executable) {
  return executable->executable->getProgram();
}
