/*===- communicator.h - Communications between ranks ----------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Ranks are contexts that run the same program, or programs that fit together,
|* and exchange tensors. A context has at most one communicator, which says how:
|*
|*   fuser_context_join         ranks that are threads of one process: through
|*                              memory on CPUs, through NCCL on GPUs
|*   fuser_context_join_nccl    ranks that are processes, each with a GPU
|*   fuser_context_set_communicator
|*                              anything else, by the caller's functions; the
|*                              library fuser_rt_mpi has them for MPI
|*
|* When one rank fails, or the ranks disagree about what comes next, or one does
|* not come within the timeout, all that wait get a status that says so, and so
|* does every later communication: the communicator is to be replaced. A rank
|* fails when fuser_program_run fails there, of a program that communicates, or
|* when the caller says so (fuser_context_abort). Only NCCL does not tell: there
|* the others find out by the timeout.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_RT_COMMUNICATOR_H
#define FUSER_RT_COMMUNICATOR_H

#include "fuser_rt/fuser_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the ranks of a group do together. A part is `count` elements of `src`
 * (or, where there is no `src`, of `dst`); parts are numbered by rank. */
typedef enum FuserTransferKind {
  FUSER_ALL_GATHER = 0,     /* dst of all: one part of each */
  FUSER_ALL_REDUCE = 1,     /* dst of all: the parts combined */
  FUSER_REDUCE_SCATTER = 2, /* dst of rank i: part i of all, combined */
  FUSER_BROADCAST = 3,      /* dst of all: the root's part */
  FUSER_REDUCE = 4,         /* dst of the root: the parts combined */
  FUSER_GATHER = 5,         /* dst of the root: one part of each */
  FUSER_SCATTER = 6,        /* dst of rank i: part i of the root */
  FUSER_ALL_TO_ALL = 7,     /* dst of rank i: part i of each */
  FUSER_SEND = 8,           /* src to the peer */
  FUSER_RECV = 9,           /* dst from the peer */
  FUSER_PERMUTE = 10        /* dst of rank to[k]: src of rank from[k] */
} FuserTransferKind;

typedef enum FuserReduction {
  FUSER_SUM = 0,
  FUSER_PROD = 1,
  FUSER_MIN = 2,
  FUSER_MAX = 3,
  FUSER_AVG = 4 /* The sum divided by the number of ranks. */
} FuserReduction;

/* Of the elements of a transfer. Floats are summed in f32 at least on a CPU, in
 * the order of the ranks, and rounded once; on a GPU as NCCL does it. */
typedef enum FuserTransferType {
  FUSER_TYPE_I8 = 0,
  FUSER_TYPE_U8 = 1,
  FUSER_TYPE_I32 = 2,
  FUSER_TYPE_U32 = 3,
  FUSER_TYPE_I64 = 4,
  FUSER_TYPE_U64 = 5,
  FUSER_TYPE_F16 = 6,
  FUSER_TYPE_F32 = 7,
  FUSER_TYPE_F64 = 8,
  FUSER_TYPE_BF16 = 9,
  FUSER_TYPE_F8E4M3FN = 10,
  FUSER_TYPE_F8E5M2 = 11,
  FUSER_TYPE_BITS16 = 12 /* Moved, not combined. */
} FuserTransferType;

/* One rank's side of a transfer. `src` and `dst` are dense; they may be the
 * same memory, and for parts the part's place in the other, except in
 * all_to_all and permute. */
typedef struct FuserTransfer {
  int32_t kind;      /* FuserTransferKind */
  int32_t reduction; /* FuserReduction, where parts are combined */
  int32_t type;      /* FuserTransferType */
  int32_t num_pairs; /* permute */
  const void *src;   /* not of recv */
  void *dst;         /* not of send; read only on the root of reduce, gather */
  int64_t src_count; /* elements of all of src */
  int64_t dst_count; /* elements of all of dst */
  int64_t peer;      /* the rank in the group of the root, or peer */
  /* permute: from[0], to[0], from[1], ...: ranks in the group. */
  const int64_t *pairs;
} FuserTransfer;

/* Ranks of one process. Each joins with a context of its own, from a thread of
 * its own. `timeout_seconds`: how long a rank waits for another; 0: 600. */
typedef struct FuserRanks FuserRanks;
FUSER_RT_EXPORT FuserStatus *
fuser_ranks_create(int32_t size, double timeout_seconds, FuserRanks **ranks);
/* Contexts that have joined keep what they need. */
FUSER_RT_EXPORT void fuser_ranks_destroy(FuserRanks *ranks);
/* Makes the context rank `rank` of `ranks`. On GPUs all ranks join at the same
 * time, each with another GPU, and this returns when all have. When a context
 * is destroyed its rank has left: others that wait for it get a status. */
FUSER_RT_EXPORT FuserStatus *
fuser_context_join(FuserContext *context, FuserRanks *ranks, int32_t rank);
/* Ends the communications of all ranks: what waits, and what comes, gets a
 * status with `message`. From any thread. On GPUs only what joins: NCCL does
 * not hear of it. */
FUSER_RT_EXPORT void fuser_ranks_abort(FuserRanks *ranks, const char *message);

/* For ranks that are processes with a GPU each: the first makes an id, 128
 * bytes, and gives it to the others. Or `comm` is the caller's ncclComm_t,
 * which outlives the context. FUSER_UNIMPLEMENTED where there is no NCCL. */
#define FUSER_NCCL_ID_BYTES 128
FUSER_RT_EXPORT FuserStatus *fuser_nccl_unique_id(void *id);
FUSER_RT_EXPORT FuserStatus *fuser_context_join_nccl(FuserContext *context,
                                                     const void *id,
                                                     int32_t rank, int32_t size,
                                                     double timeout_seconds);
FUSER_RT_EXPORT FuserStatus *fuser_context_set_nccl(FuserContext *context,
                                                    void *comm,
                                                    double timeout_seconds);

/* Communications by functions of the caller, which are called in the order in
 * which the program asks for them and one at a time, though on a CPU perhaps by
 * another thread. */
typedef struct FuserCommunicator {
  void *user;
  int32_t rank;
  int32_t size;
  /* A group of these ranks; `count` 0: this rank is in none, and takes part in
   * the making only. All ranks make the same groups in the same order. */
  FuserStatus *(*make_group)(void *user, const int64_t *ranks, int64_t count,
                             void **group);
  /* Transfers that go on at the same time, all checked. On a CPU they are done
   * on return; on a GPU they are enqueued on `stream`, a CUstream. */
  FuserStatus *(*communicate)(void *user, void *group,
                              const FuserTransfer *transfers, size_t count,
                              void *stream);
  /* The context goes, nothing else is called after it; null message: in good
   * order, else this rank has failed. */
  void (*destroy)(void *user, const char *message);
  /* This rank has failed: what waits, here and on other ranks, is to end. From
   * any thread, also while `communicate` runs. Null: other ranks learn it from
   * `destroy`, or by waiting. */
  void (*abort)(void *user, const char *message);
} FuserCommunicator;
/* Null: none. */
FUSER_RT_EXPORT FuserStatus *
fuser_context_set_communicator(FuserContext *context,
                               const FuserCommunicator *communicator);

/* This rank has failed, for a reason of the caller's (it has no input, say):
 * what waits, and what comes, gets a status with `message`. */
FUSER_RT_EXPORT void fuser_context_abort(FuserContext *context,
                                         const char *message);

/* A context without a communicator is rank 0 of 1. */
FUSER_RT_EXPORT int32_t fuser_context_rank(const FuserContext *context);
FUSER_RT_EXPORT int32_t fuser_context_num_ranks(const FuserContext *context);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_RT_COMMUNICATOR_H */
