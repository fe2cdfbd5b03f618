//===- Inspect.h - What a compilation makes on its way ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function compiles the entry of a module, which is left unchanged, once
// more and tells what there was to see. False on failure, with diagnostics in
// `error`.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_INSPECT_H
#define FUSER_PIPELINES_INSPECT_H

#include "fuser/Pipelines/Compile.h"

namespace fuser {

/// The module after a stage: "program" (as it was given), "segments",
/// "schedules", "kernels", "host", or the name of a pass.
bool printStage(ModuleOp module, const CompileOptions &options, StringRef stage,
                std::string &ir, std::string &error);

/// The remarks of CompileOptions::explain, each a line, its notes below it, and
/// how often it was made. Of open sizes the last line says that calls on a GPU
/// may run other code.
bool explainProgram(ModuleOp module, const CompileOptions &options,
                    std::string &text, std::string &error);

/// Segments with their schedules, as JSON: {"name", "inputs": [{"id", "type"}],
/// "nodes": [{"op", "scheduler", "schedule", "ops", "operands", "results"}],
/// "outputs": [id]}.
bool describeSegments(ModuleOp module, const CompileOptions &options,
                      std::string &json, std::string &error);

/// The module after the stage "schedules", with these schedules in place of
/// those of its segments, in order; none leaves what is there.
bool replaceSchedules(ModuleOp module, const CompileOptions &options,
                      ArrayRef<std::optional<std::string>> schedules,
                      std::string &ir, std::string &error);

/// The PTX of all kernels of a program for GPUs.
std::string getPtx(const fuser_rt::Program &program);

} // namespace fuser

#endif // FUSER_PIPELINES_INSPECT_H
