/*===- host_abi.h - What a compiled host program and the runtime agree on -===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A compiled host program is native code with one exported function, its entry
|* (FuserHostEntry). It reaches the runtime solely through the function table
|* that is passed to it. The compiler (lib/Conversion/HostToLLVM) emits code
|* against the layout of these structs: a change of an existing field is a new
|* FUSER_HOST_ABI_VERSION.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_RT_HOST_ABI_H
#define FUSER_RT_HOST_ABI_H

#include "fuser_rt/communicator.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUSER_HOST_ABI_VERSION 6

/* The name of the entry in the shared object. */
#define FUSER_HOST_ENTRY_NAME "fuser_host_entry"

/* A call in flight: opaque to the host program, handed back in every call of
 * the table. */
typedef struct FuserFrame FuserFrame;

/* A tensor as the host program sees it. `data` includes the byte offset;
   strides count elements and are never null, unless the rank is 0. */
typedef struct FuserTensorView {
  void *data;
  const int64_t *sizes;
  const int64_t *strides;
} FuserTensorView;

/* A tensor as a launch gives it where the kernel takes a tensor map; MLIR's
   descriptor of a strided memref. Element 0 lies `offset` elements behind
   `aligned`. Behind this lie the sizes and then the strides, in elements:
   int64_t [rank] each. */
typedef struct FuserMemRef {
  void *allocated; /* not read */
  void *aligned;
  int64_t offset;
} FuserMemRef;

/* Flags of a launch. Cooperative: all blocks are resident at once; not on
   `cpu`. Programmatic: the kernel may start before the one before it has ended,
   and waits for that itself; a hint. */
#define FUSER_LAUNCH_COOPERATIVE 1
#define FUSER_LAUNCH_PROGRAMMATIC 2

/* Launch dimensions. On `cpu`, grid[0]*grid[1]*grid[2] work items are split
   into ranges over the thread pool and block, cluster are 1. */
typedef struct FuserLaunchDims {
  int64_t grid[3];
  int32_t block[3];
  int32_t cluster[3];
  int32_t dynamic_shared_bytes;
  int32_t flags; /* FUSER_LAUNCH_... */
} FuserLaunchDims;

/* out[i, r, c] = sum over k of a[i, r, k] * b[i, k, c] for i < batch, r < m,
   c < n. Strides count elements, of a matrix, a row and a column. `type` (of a
   and b) and `out_type` are numbers of fuser_rt::ElementType: f64 to f64, f32
   to f32, f16 and bf16 to themselves or f32. Sums are of f64, or of f32.
   Without terms (k = 0) they are 0. */
typedef struct FuserMatmul {
  const void *a;
  const void *b;
  void *out;
  int64_t batch, m, n, k;
  int64_t a_strides[3];
  int64_t b_strides[3];
  int64_t out_strides[3];
  int32_t type;
  int32_t out_type;
} FuserMatmul;

/* A kernel of the `cpu` target: handles the work items [begin, end). `params`
   holds a pointer to each parameter, as cuLaunchKernel's `kernelParams`.
   `scratch` is 64-byte aligned, private to the calling thread, and as large as
   the kernel's description asks (null if that is 0). */
typedef void (*FuserCpuKernel)(void *const *params, int64_t begin, int64_t end,
                               void *scratch);

/* Every function returns 0, or a FuserStatusCode after having recorded a
   message in the frame; the host program then returns that code at once. */
typedef struct FuserHostApi {
  uint32_t version; /* FUSER_HOST_ABI_VERSION */
  uint32_t size;    /* sizeof(FuserHostApi) */

  /* Stream-ordered memory on the program's device, 256-byte aligned; null for 0
     bytes. What is not freed when the program ends is freed then. dealloc takes
     the pointer that alloc gave, or null. */
  int32_t (*alloc)(FuserFrame *, int64_t bytes, void **data);
  int32_t (*dealloc)(FuserFrame *, void *data);

  /* The buffer of output `index`: the caller's, if it was preallocated, else a
     new one. `sizes` and `strides` (in elements) have the rank of the output.
     The buffer has exactly these strides: a caller's tensor with others, or
     with other sizes, is an error (strides of dimensions of size 1 and of empty
     tensors do not count). Each output is produced once, by this or by
     output_view. */
  int32_t (*output)(FuserFrame *, int32_t index, const int64_t *sizes,
                    const int64_t *strides, void **data);
  /* Output `index` is this view of existing memory: of input `input`, whose
     memory the caller keeps alive, or with -1 of memory from alloc (`data`
     anywhere in it), which goes over to the output. A tensor that was
     preallocated for it must be that very memory of the input. */
  int32_t (*output_view)(FuserFrame *, int32_t index, int32_t input, void *data,
                         const int64_t *sizes, const int64_t *strides);

  /* Launches kernel `kernel` (an index into the program's kernels) on the
     current stream. A grid with a zero does nothing. Each params[i] points to
     the parameter in a slot from which 8 bytes can be read; it is copied before
     this returns. The slot of a tensor map holds the address of a FuserMemRef,
     from which the map is made. */
  int32_t (*launch)(FuserFrame *, int32_t kernel, const FuserLaunchDims *dims,
                    void *const *params);

  /* Copies bytes from src to dst, both on the program's device, on the current
   * stream. */
  int32_t (*copy)(FuserFrame *, void *dst, const void *src, int64_t bytes);

  /* Streams. Stream 0 is the caller's, and current at the start. The others
     are workers of the context, a pool of 8 on a CPU and of 32 on a GPU, made
     when first needed: stream i of 1 or more is worker (i - 1) mod the size of
     the pool, so that streams of larger numbers share a worker, on which work
     is in order. Less than 0 is an error. On a CPU, what stream 0 is given is
     done when the call returns, and the others are queues with a thread each; a
     run is complete when it returns. On a GPU the program makes the caller's
     stream wait for what the others do for it. */
  int32_t (*get_stream)(FuserFrame *, void **stream);
  int32_t (*set_stream)(FuserFrame *, void *stream);
  int32_t (*stream)(FuserFrame *, int64_t index, void **stream);
  /* The current stream waits for what `stream` has been given so far; nothing
     if they are the same. */
  int32_t (*sync)(FuserFrame *, void *stream);

  /* Records an error and returns its code: of several, the first counts.
     `message` may hold {0}, {1}, ... for `values`, and {{ for {. */
  int32_t (*fail)(FuserFrame *, int32_t code, const char *message,
                  const int64_t *values, int32_t num_values);

  /* Memory that the program keeps for the current stream: the same for the same
     `number` and `zeroed` until more bytes are asked for, 256-byte aligned;
     null for 0 bytes. With `zeroed` (0 or 1) it is filled with zeros when it is
     made. */
  int32_t (*workspace)(FuserFrame *, int32_t number, int32_t zeroed,
                       int64_t bytes, void **data);

  /* A matrix product on the current stream: by cuBLASLt on a GPU, where each
     matrix must have contiguous rows or columns, by a plain loop on a CPU. */
  int32_t (*matmul)(FuserFrame *, const FuserMatmul *op);

  /* The ranks that communicate: those of the list that holds this rank. `lists`
     has the length of each list, then its ranks; without lists (count 0) all
     ranks. `rank` and `size` are this rank's in the group; -1 and 0, and a null
     group, if it is in no list. The group is the context's. */
  int32_t (*group)(FuserFrame *, const int64_t *lists, int64_t count,
                   void **group, int64_t *rank, int64_t *size);

  /* Enqueues a transfer on the current stream. A rank that is not in the group
     does nothing. Between coalesce with 1 and with 0 transfers are collected,
     to be enqueued together: those of one group, on one stream. */
  int32_t (*communicate)(FuserFrame *, void *group, const FuserTransfer *);
  int32_t (*coalesce)(FuserFrame *, int32_t begins);
} FuserHostApi;

/* Runs the program once. `inputs` has one entry for each tensor input, already
   checked against the program's description (rank, element type, device, static
   sizes, equal dynamic sizes, strides and alignment class, overlap). `scalars`
   has one 8-byte slot for each scalar input, in order: integers sign-extended
   (i1: 0 or 1); floats as the bits of the declared type in the low bytes, the
   rest 0. */
typedef int32_t (*FuserHostEntry)(const FuserHostApi *api, FuserFrame *frame,
                                  const FuserTensorView *inputs,
                                  const int64_t *scalars);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_RT_HOST_ABI_H */
