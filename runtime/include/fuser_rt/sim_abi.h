/*===- sim_abi.h - What simulated GPU kernels and the runtime agree on ----===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A kernel of the target `sim` is a GPU kernel compiled for the host: one
|* function (FuserSimKernel) that the runtime calls for each thread of the grid.
|* Where a thread meets others, or has an access checked, it calls a function of
|* the table that its thread carries. The compiler (lib/Conversion/KernelToSim)
|* emits code against the layout of these structs: a change of an existing field
|* is a new FUSER_HOST_ABI_VERSION.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_RT_SIM_ABI_H
#define FUSER_RT_SIM_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a thread is in a kernel: constants of its code. */
typedef struct FuserSimSite {
  const char *kernel;
  const char *op;
  const char *location;
} FuserSimSite;

/* What an access does. */
enum {
  FUSER_SIM_READ = 1,
  FUSER_SIM_WRITE = 2,
  FUSER_SIM_ATOMIC = 4,
  /* It orders what is before a write, or behind a read, of the same address. */
  FUSER_SIM_ACQUIRE = 8,
  FUSER_SIM_RELEASE = 16,
  /* Of an atomic access: only threads of the block, or of the cluster, see that
     it is one. */
  FUSER_SIM_OF_BLOCK = 32,
  FUSER_SIM_OF_CLUSTER = 64,
  /* By the asynchronous proxy. */
  FUSER_SIM_PROXY = 128
};

/* What a thread says as it meets its warp. */
enum {
  FUSER_SIM_VOTE = 1,
  /* What each did to memory before is before what all do behind it. */
  FUSER_SIM_ORDERS = 2
};

/* What is constant of an access to memory. */
typedef struct FuserSimAccess {
  FuserSimSite site;
  uint32_t kind;       /* FUSER_SIM_READ | ... */
  uint32_t lanes;      /* Neighbours that are accessed together: at most 64. */
  uint32_t lane_bytes; /* Of each. */
  uint32_t alignment;  /* Of the first, in bytes. */
  /* Of the buffer in shared memory that it is to stay in; 0 if it is in global
     memory. */
  uint64_t buffer_bytes;
  /* What names the thread's own buffer that it is to stay in; else null. */
  const char *buffer;
} FuserSimAccess;

/* A workgroup attribution. */
typedef struct FuserSimBuffer {
  const char *name;
  uint64_t offset; /* in the block's static shared memory */
  uint64_t bytes;
  uint64_t mbarrier_bytes; /* of each, if it has mbarriers; else 0 */
} FuserSimBuffer;

/* What a kernel that is checked says of one of its parameters. */
typedef struct FuserSimParam {
  int32_t argument;   /* of the kernel's source */
  uint32_t access;    /* 0, or FUSER_SIM_READ | FUSER_SIM_WRITE of a pointer */
  uint64_t alignment; /* that code relies on */
} FuserSimParam;

/* What a kernel that is checked, or has mbarriers, says of itself. */
typedef struct FuserSimInfo {
  const char *kernel;
  uint64_t num_params; /* 0 if it is not checked */
  const FuserSimParam *params;
  uint64_t num_buffers;
  const FuserSimBuffer *buffers;
  uint64_t is_checked;
} FuserSimInfo;

/* What the threads of a block have in common. Numbers of threads count x
   first. */
typedef struct FuserSimBlock {
  int64_t block_id[3];
  int64_t block_dim[3];
  int64_t grid_dim[3];
  int64_t cluster_id[3];       /* of the block's cluster in the grid */
  int64_t cluster_dim[3];      /* clusters of the grid */
  int64_t cluster_block_id[3]; /* of the block in its cluster */
  int64_t cluster_blocks[3];   /* blocks of a cluster */
  char *shared;                /* static shared memory, 16-byte aligned */
  char *dynamic_shared;        /* 128-byte aligned */
  int64_t dynamic_shared_bytes;
} FuserSimBlock;

struct FuserSimApi;

typedef struct FuserSimThread {
  const struct FuserSimApi *api;
  const FuserSimBlock *block;
  int64_t thread_id[3];
  int64_t linear_id; /* in the block */
} FuserSimThread;

/* Which lane a shuffle reads, numbered as the modes of `gpu.shuffle`. */
enum {
  FUSER_SIM_SHUFFLE_XOR = 0,
  FUSER_SIM_SHUFFLE_DOWN = 1,
  FUSER_SIM_SHUFFLE_UP = 2,
  FUSER_SIM_SHUFFLE_IDX = 3
};

typedef struct FuserSimShuffled {
  uint64_t value;
  uint64_t valid; /* 1 if there is such a lane; else the value is the own one */
} FuserSimShuffled;

/* What is done with an mbarrier, and by whom it is seen. */
enum {
  FUSER_SIM_MBARRIER_INIT = 0,          /* for `value` arrivals */
  FUSER_SIM_MBARRIER_ARRIVE = 1,        /* `value` times */
  FUSER_SIM_MBARRIER_EXPECT = 2,        /* `value` bytes */
  FUSER_SIM_MBARRIER_ARRIVE_EXPECT = 3, /* `value` bytes, and one arrival */
  FUSER_SIM_MBARRIER_WAIT = 4           /* for a phase of parity `value` */
};
enum { FUSER_SIM_SCOPE_BLOCK = 0, FUSER_SIM_SCOPE_CLUSTER = 1 };

/* What a fence is for. */
enum {
  FUSER_SIM_FENCE_SHARED = 0, /* asynchronous copies of shared memory */
  FUSER_SIM_FENCE_GLOBAL = 1, /* of global memory */
  FUSER_SIM_FENCE_MBARRIERS = 2
};

/* What is done with groups of bulk copies. */
enum {
  FUSER_SIM_BULK_COMMIT = 0,
  FUSER_SIM_BULK_WAIT = 1,
  FUSER_SIM_BULK_WAIT_READ = 2
};

/* The same of the other copies of a thread. */
enum { FUSER_SIM_COPY_COMMIT = 0, FUSER_SIM_COPY_WAIT = 1 };

/* Memory that a function of the table accesses. */
typedef struct FuserSimRef {
  void *address;
  /* The pointer that it was computed from, where that is known, else null; and
     the bytes of the buffer in shared memory that the access is to stay in, 0
     if there is none. Without checks they are not filled in. */
  const void *base;
  uint64_t buffer_bytes;
} FuserSimRef;

typedef struct FuserSimApi {
  /* Returns when all threads of the block have called it. */
  void (*barrier)(FuserSimThread *, const FuserSimSite *);
  /* Returns when the threads of the warp have called it: the value of the lane
     that `mode` and `offset` name, within parts of `width` lanes. */
  FuserSimShuffled (*shuffle)(FuserSimThread *, uint32_t mode, uint64_t value,
                              uint32_t offset, uint32_t width,
                              const FuserSimSite *);
  /* Called first by each thread of a kernel that has something to say. */
  void (*begin)(FuserSimThread *, const FuserSimInfo *);
  /* Called before an access. `base` is the pointer that `address` was computed
     from, where that is known, else null; bit i of `mask` is set if lane i is
     accessed. Does not return from an access out of bounds, if
     bounds are checked. */
  void (*access)(FuserSimThread *, const void *address, const void *base,
                 uint64_t mask, const FuserSimAccess *);

  /* Barrier `number` of the block, of `threads` threads; returns at once unless
     `waits`. */
  void (*named_barrier)(FuserSimThread *, int64_t number, uint32_t threads,
                        uint32_t waits, const FuserSimSite *);
  /* Arrives at the cluster's barrier, or waits for those who have to. */
  void (*cluster_barrier)(FuserSimThread *, uint32_t waits,
                          const FuserSimSite *);
  /* Returns when the threads of the warp have called it: a bit for each lane
     that called it with FUSER_SIM_VOTE, and from bit 32 on for each that called
     it. */
  uint64_t (*ballot)(FuserSimThread *, uint32_t votes, const FuserSimSite *);
  /* The same, and 1 for one of them. */
  uint32_t (*elect)(FuserSimThread *, const FuserSimSite *);
  /* The same place in the shared memory of block `block` of the cluster. */
  void *(*map_block)(FuserSimThread *, void *address, int64_t block,
                     const FuserSimSite *);
  void (*mbarrier)(FuserSimThread *, const FuserSimRef *, uint32_t action,
                   uint32_t value, uint32_t scope, const FuserSimSite *);
  void (*fence)(FuserSimThread *, uint32_t kind, const FuserSimSite *);
  /* Some time later, the `bytes` (4, 8 or 16) of `value` are stored and counted
     at the mbarrier. */
  void (*store_async)(FuserSimThread *, const FuserSimRef *target,
                      const void *value, uint32_t bytes,
                      const FuserSimRef *mbarrier, const FuserSimSite *);
  /* Some time later, `bytes` are copied. Without an mbarrier (null) the copy
     belongs to the thread's next group. */
  void (*bulk_copy)(FuserSimThread *, const FuserSimRef *source,
                    const FuserSimRef *target, uint64_t bytes,
                    const FuserSimRef *mbarrier, const FuserSimSite *);
  void (*bulk_group)(FuserSimThread *, uint32_t action, uint32_t groups,
                     const FuserSimSite *);
  /* Returns when the counter of `bytes` is at least `bound`. */
  void (*counter_wait)(FuserSimThread *, const FuserSimRef *, uint64_t bound,
                       uint32_t bytes, const FuserSimSite *);
  /* Called behind an atomic access, so that a thread which loops over them
     until another one has written lets that one go on. `changed` is 0 if the
     memory is what it was. */
  void (*pause)(FuserSimThread *, uint32_t changed, const FuserSimSite *);
  /* As `access`, of the thread's own memory: of the buffer of `bytes` at
     `base`. */
  void (*private_access)(FuserSimThread *, const void *address,
                         const void *base, uint64_t bytes, uint64_t mask,
                         const FuserSimAccess *);
  /* Some time before the thread waits for its next group, `bytes` (up to
     16) are copied; without a source (null) they are zeros. */
  void (*copy_async)(FuserSimThread *, const FuserSimRef *source,
                     const FuserSimRef *target, uint32_t bytes,
                     const FuserSimSite *);
  void (*copy_group)(FuserSimThread *, uint32_t action, uint32_t groups,
                     const FuserSimSite *);
} FuserSimApi;

/* `params` holds a pointer to each parameter, as cuLaunchKernel's
   `kernelParams`. */
typedef void (*FuserSimKernel)(FuserSimThread *, void *const *params);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_RT_SIM_ABI_H */
