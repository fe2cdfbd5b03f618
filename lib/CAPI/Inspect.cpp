//===- Inspect.cpp - What a compilation makes on its way ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Inspect.h"
#include "Bytes.h"
#include "Executable.h"
#include "fuser-c/Inspect.h"
#include "fuser/Pipelines/CompilerUse.h"
#include "fuser/Pipelines/KernelReport.h"
#include "mlir/IR/MLIRContext.h"

using namespace fuser;

/// Asks `see` for a text about the executable's module.
template <typename See>
static FuserStatus *inspect(FuserExecutable *executable, FuserBytes **text,
                            See see) {
  *text = nullptr;
  Executable &compiled = *executable->executable;
  return compiled.useModule([&](ModuleOp module) -> FuserStatus * {
    std::string result, error;
    if (!see(module, compiled.getOptions(), result, error))
      return invalid(error);
    *text = new FuserBytes{std::move(result)};
    return nullptr;
  });
}

FuserStatus *fuser_executable_print(FuserExecutable *executable,
                                    const char *stage, FuserBytes **ir) {
  return inspect(executable, ir,
                 [&](ModuleOp module, const CompileOptions &options,
                     std::string &text, std::string &error) {
                   return printStage(module, options, stage, text, error);
                 });
}

FuserStatus *fuser_executable_explain(FuserExecutable *executable,
                                      FuserBytes **text) {
  return inspect(executable, text, explainProgram);
}

FuserStatus *fuser_executable_describe(FuserExecutable *executable,
                                       FuserBytes **json) {
  return inspect(executable, json, describeSegments);
}

FuserStatus *fuser_executable_get_ptx(FuserExecutable *executable,
                                      FuserBytes **ptx) {
  const Executable &compiled = *executable->executable;
  if (!compiled.getResult().program.variants.front().images.empty()) {
    *ptx = new FuserBytes{getPtx(compiled.getResult().program)};
    return nullptr;
  }
  return inspect(
      executable, ptx,
      [](ModuleOp module, const CompileOptions &options, std::string &text,
         std::string &error) {
        if (options.target->kernelForm != getCudaTarget().kernelForm) {
          error = "expected an executable for a GPU (the targets "
                  "cuda and sim), got one for the target " +
                  options.target->name.str() + ", whose kernels are not PTX";
          return false;
        }
        CompileOptions onGpu = options;
        onGpu.target = &getCudaTarget();
        onGpu.checkKernels = false;
        // Decisions for a simulated GPU are those for this one.
        if (auto processor = options.target->findProcessor(options.arch))
          onGpu.arch = std::string(processor->name);
        ErrorCollector collector(module.getContext(), error);
        FailureOr<CompileResult> result = compileModule(module, onGpu);
        if (failed(result))
          return false;
        text = getPtx(result->program);
        return true;
      });
}

FuserStatus *fuser_executable_report(FuserExecutable *executable,
                                     FuserContext *context,
                                     const FuserCall *call, FuserBytes **json) {
  *json = nullptr;
  CompilerUse use;
  if (FuserStatus *status = use.check())
    return status;
  ProgramCall made{ArrayRef(call->inputs, call->num_inputs),
                   ArrayRef(call->scalars, call->num_scalars),
                   ArrayRef(call->outputs, call->num_outputs)};
  std::string text;
  if (FuserStatus *status =
          reportCall(context, *executable->executable, made, text))
    return status;
  *json = new FuserBytes{std::move(text)};
  return nullptr;
}

FuserStatus *fuser_executable_replace_schedules(FuserExecutable *executable,
                                                const char *const *schedules,
                                                size_t numSchedules,
                                                FuserBytes **program) {
  std::vector<std::optional<std::string>> list(numSchedules);
  for (size_t i = 0; i < numSchedules; ++i)
    if (schedules[i])
      list[i] = schedules[i];
  return inspect(executable, program,
                 [&](ModuleOp module, const CompileOptions &options,
                     std::string &text, std::string &error) {
                   return replaceSchedules(module, options, list, text, error);
                 });
}
