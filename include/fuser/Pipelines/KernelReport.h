//===- KernelReport.h - What each kernel of a run takes ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times are those of a trace (fuser_context_start_trace), medians of runs that
// follow each other; a kernel then overlaps with no other. The floor is what a
// copy that moves as many bytes takes, measured in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_KERNELREPORT_H
#define FUSER_PIPELINES_KERNELREPORT_H

#include "fuser/Pipelines/Executable.h"
#include "fuser/Pipelines/Launches.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace fuser {

/// A kernel, or other work of a stream.
struct WorkReport {
  std::string name, schedule;
  uint64_t launches = 0;   ///< Of one run.
  double microseconds = 0; ///< Of one launch.
  std::optional<uint64_t> bytes;
  std::optional<double> floorMicroseconds;
  /// As the trace has it: grid, registers and so on.
  llvm::json::Object details;
};

/// Runs a program, each time with the same outputs.
using RunAgain = llvm::function_ref<FuserStatus *()>;

/// Tells what the work of runs took. `notes` is what the compiler knows of
/// kernels. The context's trace is over then.
FuserStatus *measureWork(FuserContext *context, RunAgain run,
                         const LaunchNotes &notes,
                         std::vector<WorkReport> &work);

/// Fills in the floors of those whose bytes are known, of a device that
/// `options.target` is for. Nothing on a simulator, whose times say nothing of
/// a GPU's.
FuserStatus *measureFloors(FuserContext *context, const CompileOptions &options,
                           std::vector<WorkReport> &work);

void printWork(llvm::raw_ostream &os, ArrayRef<WorkReport> work);
llvm::json::Array toJson(ArrayRef<WorkReport> work);

/// A call of a program. Of outputs only what the caller provides counts.
struct ProgramCall {
  ArrayRef<const DLTensor *> inputs;
  ArrayRef<FuserScalar> scalars;
  ArrayRef<FuserOutput> outputs;
};

/// Compiles the program of `executable` again, runs `call` several times, and
/// tells as JSON what it takes: {"target", "device", "arch", "segments",
/// "compile_ms", "stages_ms", "kernels", "explanation", "text"}, the last of
/// which says all of it in lines.
FuserStatus *reportCall(FuserContext *context, Executable &executable,
                        const ProgramCall &call, std::string &json);

} // namespace fuser

#endif // FUSER_PIPELINES_KERNELREPORT_H
