/*===- Inspect.h - What a compilation makes on its way --------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Texts about a program. Each function compiles once more to see what there is
|* to see; a program that was taken from the cache is parsed first. They need no
|* lock but fuser_executable_report, which is called with its context's, as it
|* runs the program, and lets go of it while it compiles.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_C_INSPECT_H
#define FUSER_C_INSPECT_H

#include "fuser-c/Compile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments of a call, as fuser_program_run takes them. */
typedef struct FuserCall {
  const DLTensor *const *inputs;
  size_t num_inputs;
  const FuserScalar *scalars;
  size_t num_scalars;
  const FuserOutput *outputs;
  size_t num_outputs;
} FuserCall;

/* The module after a stage: "program" (as it was given), "segments",
 * "schedules", "kernels", "host", or the name of a pass. What it prints can be
 * compiled. */
FUSER_RT_EXPORT FuserStatus *fuser_executable_print(FuserExecutable *executable,
                                                    const char *stage,
                                                    FuserBytes **ir);
/* Where the program is cut and why, which limits bound its schedules, and what
 * to change: what fuser-run --explain says. */
FUSER_RT_EXPORT FuserStatus *
fuser_executable_explain(FuserExecutable *executable, FuserBytes **text);
/* Segments and schedules as JSON:
 * {"name", "inputs": [{"id", "type"}], "nodes": [{"op", "scheduler",
 * "schedule", "ops", "operands": [id], "results": [{"id", "type"}]}],
 * "outputs": [id]}. Only segments have a scheduler and a schedule. */
FUSER_RT_EXPORT FuserStatus *
fuser_executable_describe(FuserExecutable *executable, FuserBytes **json);
/* The PTX of its kernels. Of an executable of the target `sim`, what they are
 * on the GPU that is simulated; of one of the target `cpu`, an error. */
FUSER_RT_EXPORT FuserStatus *
fuser_executable_get_ptx(FuserExecutable *executable, FuserBytes **ptx);
/* What a call takes, as JSON: what fuser-run --report says. The program is
 * compiled anew and run with these arguments, as fuser_program_run takes them,
 * some 20 times: {"target", "device", "arch", "segments", "compile_ms",
 * "stages_ms": {stage: number}, "kernels": [{"name", "schedule", "launches",
 * "us", "bytes", "gbps", "floor_us", "floor_share", ...}], "explanation",
 * "text"}; a number that is not known is left out, and so are registers, shared
 * memory and occupancy where there are none. Tensors are not made in
 * `outputs`. A trace of the context is over then. */
FUSER_RT_EXPORT FuserStatus *
fuser_executable_report(FuserExecutable *executable, FuserContext *context,
                        const FuserCall *call, FuserBytes **json);

/* The text after the stage "schedules", with these schedules in place of those
 * of its segments, in order; null: the one that is there. They are checked. It
 * is a program to compile, whose errors are at the lines of the given one. */
FUSER_RT_EXPORT FuserStatus *
fuser_executable_replace_schedules(FuserExecutable *executable,
                                   const char *const *schedules,
                                   size_t num_schedules, FuserBytes **program);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_C_INSPECT_H */
