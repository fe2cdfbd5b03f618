/*===- fuser_rt.h - The runtime's C ABI -----------------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Devices, memory, streams, and the running of compiled programs. There is no
|* process-global state: all of it hangs off a context. Tensors cross as DLPack.
|* Nothing aborts on user input: every call that can fail returns a status, null
|* for success, else to be freed with fuser_status_destroy.
|*
|* In a process that is forked off, a context of the CPU goes on, with threads
|* of its own, and one of a GPU answers every call with FUSER_DEVICE_ERROR:
|* CUDA does not survive a fork. It does not matter what other threads of the
|* parent were doing, but a program whose code one of them was loading right
|* then is FUSER_BAD_PROGRAM there.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_RT_H
#define FUSER_RT_H

#include "dlpack/dlpack.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FUSER_RT_EXPORT __attribute__((visibility("default")))
#else
#define FUSER_RT_EXPORT
#endif

typedef enum FuserStatusCode {
  FUSER_OK = 0,
  FUSER_INVALID_ARGUMENT = 1, /* wrong shape, type, stride, overlap, ... */
  FUSER_OUT_OF_MEMORY = 2,
  FUSER_NO_DEVICE = 3,    /* no driver, no GPU, no such ordinal */
  FUSER_DEVICE_ERROR = 4, /* the driver refused, a kernel faulted */
  FUSER_BAD_PROGRAM = 5,  /* damaged, or of another version */
  FUSER_NO_VARIANT = 6,   /* none fits the inputs, and there is no compiler */
  FUSER_UNIMPLEMENTED = 7,
  FUSER_INTERNAL = 8,
  /* another rank failed, left or disagrees, or NCCL or MPI refused */
  FUSER_COMMUNICATION_ERROR = 9
} FuserStatusCode;

typedef struct FuserStatus FuserStatus;
FUSER_RT_EXPORT FuserStatusCode
fuser_status_code(const FuserStatus *status); /* null: FUSER_OK */
FUSER_RT_EXPORT const char *fuser_status_message(const FuserStatus *status);
FUSER_RT_EXPORT void fuser_status_destroy(FuserStatus *status);
/* For callbacks: a new status that copies `message`. */
FUSER_RT_EXPORT FuserStatus *fuser_status_create(FuserStatusCode code,
                                                 const char *message);

/* A device with its stream(s), memory and thread pool. Calls on one context and
 * its programs are not concurrent: threads that share it hold its lock. What
 * describes a program, and deleters of tensors, need none. A call of a program
 * that has to compile lets go of the lock meanwhile, as fuser_program_run
 * says. */
typedef struct FuserContext FuserContext;
/* num_threads 0: as many as the process may run on. */
FUSER_RT_EXPORT FuserStatus *fuser_context_create_cpu(int32_t num_threads,
                                                      FuserContext **context);
/* Uses (and retains) the primary context of the device, so it shares memory
 * with frameworks. */
FUSER_RT_EXPORT FuserStatus *fuser_context_create_cuda(int32_t ordinal,
                                                       FuserContext **context);
/* A GPU that is simulated on the CPU, with its memory and streams: it runs
 * programs of the target `sim`, thread by thread of the GPU. */
FUSER_RT_EXPORT FuserStatus *fuser_context_create_sim(int32_t num_threads,
                                                      FuserContext **context);
FUSER_RT_EXPORT void fuser_context_destroy(FuserContext *context);
/* Waits until no other thread holds the lock. Not recursive. In a process that
 * is forked off it is free. */
FUSER_RT_EXPORT void fuser_context_lock(FuserContext *context);
FUSER_RT_EXPORT void fuser_context_unlock(FuserContext *context);
/* Around what takes long and uses neither the context nor its programs: lets go
 * of the lock, so that calls of other threads go on, and takes it again. The
 * stream and the allocators are then as they were. The caller holds the lock,
 * or no thread does: there is nothing to let go of then, and `suspension` is
 * null, which fuser_context_resume takes. A lock of another thread is an error,
 * and so is to resume in another thread, or in one that has taken the lock
 * meanwhile: the suspension goes on. */
typedef struct FuserSuspension FuserSuspension;
FUSER_RT_EXPORT FuserStatus *
fuser_context_suspend(FuserContext *context, FuserSuspension **suspension);
FUSER_RT_EXPORT FuserStatus *fuser_context_resume(FuserSuspension *suspension);
FUSER_RT_EXPORT DLDevice fuser_context_device(const FuserContext *context);
/* "sm_90" and so on; "cpu"; "sim". */
FUSER_RT_EXPORT const char *fuser_context_arch(const FuserContext *context);
/* The target of the programs that it runs: 0 for `cpu`, 1 for `cuda`, 2 for
 * `sim`. */
FUSER_RT_EXPORT uint32_t fuser_context_target(const FuserContext *context);
FUSER_RT_EXPORT const char *
fuser_context_device_name(const FuserContext *context);
/* Work goes to this CUstream from now on. Null: the context's own stream, which
 * waits for work on CUDA's legacy default stream and is waited for by it, so
 * that a caller who works there (where frameworks do unless told otherwise)
 * need not synchronise. Memory is freed on the stream that was current when it
 * was allocated: a stream outlives the outputs that were made on it. A CPU
 * context has only its own. */
FUSER_RT_EXPORT FuserStatus *fuser_context_set_stream(FuserContext *context,
                                                      void *stream);
FUSER_RT_EXPORT void *fuser_context_stream(FuserContext *context);
FUSER_RT_EXPORT FuserStatus *fuser_context_synchronize(FuserContext *context);

/* A test of programs with several streams or ranks, for a CPU: before each
 * piece of work of every stream, the caller's too, and before each
 * communication, the stream sleeps for a pseudo-random time below
 * `microseconds`; 0: no more. What lacks a wait then gives other results
 * under some seeds. A stream's times are the same for the same seed. */
FUSER_RT_EXPORT FuserStatus *fuser_context_set_delays(FuserContext *context,
                                                      uint64_t seed,
                                                      int32_t microseconds);

/* What is looked for in the kernels of a simulated GPU. */
enum {
  FUSER_CHECK_RACES = 1,  /* accesses of two threads without an order */
  FUSER_CHECK_BOUNDS = 2, /* accesses outside of their buffer */
  FUSER_CHECK_UNINIT = 4, /* reads of what nothing has written, and outputs
                             that are not written whole */
  FUSER_CHECK_DIVERGENCE =
      8, /* threads that are to meet, at different places */
  FUSER_CHECK_ALIGNMENT = 16, /* addresses that are not aligned as they must */
  FUSER_CHECK_BARRIERS = 32,  /* barriers that not all threads come to */
  FUSER_CHECK_ALL = 63
};
/* The checks that are named, with commas between them: "races,bounds", as above
 * in lower case. FUSER_INVALID_ARGUMENT for another name. */
FUSER_RT_EXPORT FuserStatus *fuser_find_checks(const char *names,
                                               uint32_t *checks);
/* For a context of a simulated GPU, before it has memory or programs: which of
 * these are looked for in kernels that were compiled to be checked, and a seed
 * of the order in which blocks and threads take turns (0: that of their
 * numbers). What is found makes the run an error, which names each. */
FUSER_RT_EXPORT FuserStatus *fuser_context_set_simulation(FuserContext *context,
                                                          uint32_t checks,
                                                          uint64_t seed);

/* Notes from now on when each piece of work began and ended on its stream, in
 * place of what was noted before: launches, copies, matrix products,
 * communications and waits, and each run on the host. Of more than 1,000,000
 * events the rest is counted. On a GPU this waits for the GPU, then costs two
 * CUDA events a piece of work, and keeps kernels from overlapping with the one
 * before them on a stream. */
FUSER_RT_EXPORT FuserStatus *fuser_context_start_trace(FuserContext *context);
/* Notes nothing any more, and drops what was noted. Waits for the device. */
FUSER_RT_EXPORT FuserStatus *fuser_context_stop_trace(FuserContext *context);
/* Writes what contexts have noted into one file, as JSON that Perfetto
 * (https://ui.perfetto.dev) and chrome://tracing show: a process for each rank,
 * with a row for the host and for each stream. Waits for the devices. All
 * contexts are the caller's meanwhile (fuser_context_lock); they go on noting.
 */
FUSER_RT_EXPORT FuserStatus *
fuser_context_write_trace(FuserContext *const *contexts, size_t count,
                          const char *path);

/* The caller's memory, used for intermediates and new outputs instead of the
 * context's pool. */
typedef struct FuserAllocator {
  void *user;
  /* Returns null when there is no memory. Stream-ordered on `stream`. Memory
   * that is aligned to less than 256 bytes is given back, and larger pieces
   * asked for from then on. */
  void *(*alloc)(void *user, size_t bytes, void *stream);
  void (*dealloc)(void *user, void *data, void *stream);
} FuserAllocator;
FUSER_RT_EXPORT void
fuser_context_set_allocator(FuserContext *context,
                            const FuserAllocator *allocator /* null: pool */);

/* The caller's tensors for new outputs, before the allocator and the pool are
 * asked. */
typedef struct FuserOutputAllocator {
  void *user;
  /* Makes a tensor, row major, of the type, sizes and device of `prototype`,
   * ordered with the context's current stream. What is not that, or not aligned
   * to 16 bytes, is given back, and the output is allocated as without this. */
  FuserStatus *(*alloc)(void *user, const DLTensor *prototype,
                        DLManagedTensorVersioned **tensor);
} FuserOutputAllocator;
/* For the runs that follow. It is not asked for outputs without elements, with
 * other strides, or of a stream of the program's own, nor where kernels are
 * checked. */
FUSER_RT_EXPORT void fuser_context_set_output_allocator(
    FuserContext *context,
    const FuserOutputAllocator *allocator /* null: none */);

/* A tensor of the context, row major or with these strides, in elements. */
FUSER_RT_EXPORT FuserStatus *
fuser_tensor_create(FuserContext *context, DLDataType type, int32_t rank,
                    const int64_t *sizes, const int64_t *strides,
                    DLManagedTensorVersioned **tensor);
/* Copies bytes; either side may be host or device memory of the context;
 * complete on return. */
FUSER_RT_EXPORT FuserStatus *fuser_memcpy(FuserContext *context, void *dst,
                                          const void *src, size_t bytes);

/* A program on a device. */
typedef struct FuserProgram FuserProgram;
FUSER_RT_EXPORT FuserStatus *fuser_program_load(FuserContext *context,
                                                const void *bytes,
                                                size_t num_bytes,
                                                FuserProgram **program);
FUSER_RT_EXPORT FuserStatus *fuser_program_load_file(FuserContext *context,
                                                     const char *path,
                                                     FuserProgram **program);
FUSER_RT_EXPORT void fuser_program_destroy(FuserProgram *program);
FUSER_RT_EXPORT const char *fuser_program_name(const FuserProgram *program);
/* How many segments the compiler cut it into. */
FUSER_RT_EXPORT size_t fuser_program_num_segments(const FuserProgram *program);
/* Grows while the program compiles what it lacks: with the context's lock. */
FUSER_RT_EXPORT size_t fuser_program_num_variants(const FuserProgram *program);
/* Inputs are tensors; scalars are counted on their own. */
FUSER_RT_EXPORT size_t fuser_program_num_inputs(const FuserProgram *program);
FUSER_RT_EXPORT size_t fuser_program_num_scalars(const FuserProgram *program);
FUSER_RT_EXPORT size_t fuser_program_num_outputs(const FuserProgram *program);
/* The names that messages use: those that the program gives, where it does. */
FUSER_RT_EXPORT const char *
fuser_program_input_name(const FuserProgram *program, size_t index);
FUSER_RT_EXPORT const char *
fuser_program_scalar_name(const FuserProgram *program, size_t index);
FUSER_RT_EXPORT const char *
fuser_program_output_name(const FuserProgram *program, size_t index);
/* A description such as "tensor<?x4096xbf16>" of an input or output. */
FUSER_RT_EXPORT const char *
fuser_program_input_type(const FuserProgram *program, size_t index);
FUSER_RT_EXPORT const char *
fuser_program_output_type(const FuserProgram *program, size_t index);

typedef enum FuserOutputAlias {
  FUSER_OUTPUT_NEW = 0,   /* Its own memory. */
  FUSER_OUTPUT_REUSE = 1, /* Written into an input's buffer. */
  FUSER_OUTPUT_VIEW = 2   /* A view of an input. */
} FuserOutputAlias;
/* Where output `index` lives. Unless it has its own memory, `input`, which may
 * be null, receives the tensor input that it shares memory with. */
FUSER_RT_EXPORT FuserOutputAlias fuser_program_output_alias(
    const FuserProgram *program, size_t index, size_t *input);

/* Whether the program may write into the memory of input `index`: for an output
 * that lives there, or because one of its ops does. */
FUSER_RT_EXPORT int32_t fuser_program_writes_input(const FuserProgram *program,
                                                   size_t index);

/* A scalar input. An integer can be given for any type, and must lie in its
 * range; a float for float types, to which it is rounded. */
typedef struct FuserScalar {
  enum { FUSER_SCALAR_INT, FUSER_SCALAR_FLOAT } kind;
  union {
    int64_t i;
    double f;
  } value;
} FuserScalar;

/* An output. In: `preallocated`, null or the caller's tensor, of the output's
 * type, sizes and strides. Out: `tensor`, owned by the caller, null where it
 * was preallocated. A view or in-place output is a tensor over the input's
 * memory, which the caller keeps alive. A tensor's deleter can be called on any
 * thread, also after the context was destroyed. */
typedef struct FuserOutput {
  const DLTensor *preallocated;
  DLManagedTensorVersioned *tensor;
} FuserOutput;

/* Called when the inputs are right in type and shape and have the layouts that
 * the program itself requires, and no variant fits their strides and alignment,
 * or none that fits is for the classes of their sizes: compiles one for these
 * inputs and hands its bytes (a program of one variant) to
 * fuser_program_add_variants, then returns null. What it adds is kept if a
 * variant of it fits. A program asks for one variant at a time. */
typedef FuserStatus *(*FuserCompileCallback)(void *user, FuserProgram *program,
                                             const DLTensor *const *inputs,
                                             size_t num_inputs);
FUSER_RT_EXPORT void
fuser_program_set_compile_callback(FuserProgram *program,
                                   FuserCompileCallback callback, void *user);
FUSER_RT_EXPORT FuserStatus *fuser_program_add_variants(FuserProgram *program,
                                                        const void *bytes,
                                                        size_t num_bytes);
/* In a compile callback: the bytes that the new variant may count on outputs to
 * be aligned to. 16 if a variant fits, another one would make more of the
 * sizes, and the outputs of the call are; else 1. */
FUSER_RT_EXPORT size_t
fuser_program_output_alignment(const FuserProgram *program);
/* In a compile callback, on its thread, around what takes long and uses neither
 * the context nor the program: if the context's lock is held, it is let go of
 * in between, and calls of other threads go on. */
FUSER_RT_EXPORT void fuser_program_begin_compile(FuserProgram *program);
FUSER_RT_EXPORT void fuser_program_end_compile(FuserProgram *program);

/* Whether the program takes such inputs, or would with code for their class:
 * null, or what is wrong with them. Nothing runs. */
FUSER_RT_EXPORT FuserStatus *
fuser_program_check_inputs(FuserProgram *program, const DLTensor *const *inputs,
                           size_t num_inputs);

/* Runs the program on the context's current stream; asynchronous on a GPU,
 * complete on return on a CPU. Inputs may overlap each other; what is written
 * (preallocated outputs, and inputs that the program may write into) overlaps
 * nothing else. On failure every `tensor` is null and nothing is leaked; all
 * that can be checked is checked before anything is written.
 * Where no variant is for the inputs, and the callback or another thread's call
 * is compiling one, the context's lock is not held meanwhile. Others may use
 * the context then; its stream and its allocators are again those of this call
 * when it goes on. A program is destroyed when all its calls have returned. */
FUSER_RT_EXPORT FuserStatus *
fuser_program_run(FuserProgram *program, const DLTensor *const *inputs,
                  size_t num_inputs, const FuserScalar *scalars,
                  size_t num_scalars, FuserOutput *outputs, size_t num_outputs);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_RT_H */
