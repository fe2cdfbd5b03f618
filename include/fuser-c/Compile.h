/*===- Compile.h - The compiler's C API -----------------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Text in, bytes out: nothing of LLVM or MLIR shows. A program's text (or the
|* bytes of a builder) becomes either the bytes of a compiled program, for
|* fuser_program_load in any process that has the runtime, or an executable,
|* which also compiles later for inputs of a class that it has no code for yet.
|* Statuses, contexts and running are the runtime's: fuser_rt/fuser_rt.h.
|*
|* Every call that can fail returns a status: null for success, else to be freed
|* with fuser_status_destroy. Bad text is FUSER_INVALID_ARGUMENT, and the
|* message holds every diagnostic, each with its file, line and column.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_C_COMPILE_H
#define FUSER_C_COMPILE_H

#include "fuser_rt/fuser_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by one when a function or struct here changes in a way that breaks
 * callers. */
#define FUSER_C_API_VERSION 5
/* The version of the library that is linked: compare it with
 * FUSER_C_API_VERSION. */
FUSER_RT_EXPORT uint32_t fuser_c_api_version(void);

typedef enum FuserTarget {
  FUSER_TARGET_CPU = 0,
  FUSER_TARGET_CUDA = 1,
  FUSER_TARGET_SIM = 2 /* A GPU that is simulated on the CPU. */
} FuserTarget;
/* The target named `name`: "cpu", "cuda", "sim". FUSER_INVALID_ARGUMENT for any
 * other name. */
FUSER_RT_EXPORT FuserStatus *fuser_find_target(const char *name,
                                               FuserTarget *target);
/* The opposite; null for what is no target. */
FUSER_RT_EXPORT const char *fuser_target_name(FuserTarget target);

/* What is assumed of one tensor input beyond its type. */
typedef struct FuserInputClass {
  /* Not zero: any strides. Zero: dense in the input's stride order. */
  int32_t any_strides;
  /* Of the first element's address, in bytes; 0: that of the element type. */
  uint32_t alignment;
} FuserInputClass;

/* Zero-initialised, it means: the only public function, for this machine's CPU,
 * inputs dense and aligned to 16 bytes, outputs to their element type only, no
 * cache. fuser_compile_options_init sets 16 bytes for outputs too, as is
 * usual, and the cache. */
typedef struct FuserCompileOptions {
  const char *entry; /* The function to compile; null: the only public one. */
  const char *file_name; /* Named in diagnostics; null: "<text>". */
  FuserTarget target;
  const char *arch; /* sm_80, sm_90, ...; an LLVM CPU name; null: that of this
                       machine's CPU or of the context. */
  const FuserInputClass *inputs; /* One for each tensor input; those past
                                    num_inputs: dense, 16 bytes. */
  size_t num_inputs;
  uint32_t output_alignment; /* In bytes, also of outputs that the caller
                                allocates. */
  /* Not zero, for the target `sim`: kernels announce their accesses, for the
   * checks of fuser_context_set_simulation. */
  int32_t check_kernels;
  /* Not zero: a program that was compiled before, by any process of the user,
   * is taken from the folder FUSER_CACHE_DIR of the environment, else from
   * fuser in XDG_CACHE_HOME or ~/.cache, and one that is compiled is kept
   * there, FUSER_CACHE_MEGABYTES (1024) in all. An empty FUSER_CACHE_DIR, or 0
   * megabytes: nothing is. fuser_compile_options_init sets it. */
  int32_t use_cache;
  /* Called with the name of each step of a compilation before it begins, and
   * with null at the end of it, on the thread that compiles: also where a call
   * of the executable does. Null: nothing is. */
  void (*on_step)(void *user, const char *step);
  void *step_user;
} FuserCompileOptions;
FUSER_RT_EXPORT void fuser_compile_options_init(FuserCompileOptions *options);

/* Bytes that belong to the caller. */
typedef struct FuserBytes FuserBytes;
FUSER_RT_EXPORT const void *fuser_bytes_data(const FuserBytes *bytes);
FUSER_RT_EXPORT size_t fuser_bytes_size(const FuserBytes *bytes);
FUSER_RT_EXPORT void fuser_bytes_destroy(FuserBytes *bytes);

/* Compiles `text` to the bytes of a program (the content of a .fx file): code
 * for the inputs that `options` describes, and code for any strides and
 * alignment. Needs no GPU. Calls are independent of each other, on any thread.
 * In a process that was forked off while another thread compiled, nothing is
 * compiled: FUSER_INTERNAL. */
FUSER_RT_EXPORT FuserStatus *fuser_compile(const char *text, size_t text_size,
                                           const FuserCompileOptions *options,
                                           FuserBytes **program);

/* A program loaded in a context, with the compiler behind it: inputs with
 * strides or an alignment that it has no code for are compiled for when they
 * come. The context must outlive it. `options->target` is the context's. Its
 * lock is taken while the program is loaded, and not while it is compiled, so
 * that other threads call their programs meanwhile: it must not be held. A call
 * that compiles lets go of it (fuser_program_run). */
typedef struct FuserExecutable FuserExecutable;
FUSER_RT_EXPORT FuserStatus *
fuser_executable_create(FuserContext *context, const char *text,
                        size_t text_size, const FuserCompileOptions *options,
                        FuserExecutable **executable);
/* The same program in the same context, compiled first for the classes that
 * these inputs are in: their strides, alignment and, on a GPU, sizes. It takes
 * whatever the given one takes. What Inspect.h tells of a program is of the
 * code that was compiled first, so of this one it is what runs for such inputs.
 * The caller must not hold the context's lock, as above: it is taken here. */
FUSER_RT_EXPORT FuserStatus *
fuser_executable_specialize(FuserExecutable *executable, FuserContext *context,
                            const DLTensor *const *inputs, size_t num_inputs,
                            FuserExecutable **specialized);
/* The content of a .fx file: what fuser_compile makes of the text, or of the
 * bytes of a builder, that the executable was made from, so that errors are at
 * the same places. Entry, file name, target, arch and check_kernels are the
 * executable's, whatever `options` say. */
FUSER_RT_EXPORT FuserStatus *
fuser_executable_save(const FuserExecutable *executable,
                      const FuserCompileOptions *options, FuserBytes **program);
FUSER_RT_EXPORT void fuser_executable_destroy(FuserExecutable *executable);
/* Whether it was taken from the cache. */
FUSER_RT_EXPORT int32_t
fuser_executable_is_from_cache(const FuserExecutable *executable);
/* For fuser_program_run and the questions about inputs and outputs. It belongs
 * to the executable. */
FUSER_RT_EXPORT FuserProgram *
fuser_executable_program(const FuserExecutable *executable);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_C_COMPILE_H */
