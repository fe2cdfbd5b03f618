//===- KernelAsyncOps.td - Mbarriers and asynchronous copies --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_KERNEL_IR_KERNELASYNCOPS_TD
#define FUSER_DIALECT_KERNEL_IR_KERNELASYNCOPS_TD

include "fuser/Dialect/Kernel/IR/KernelDialect.td"

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

def Kernel_MBarrierInitOp : Kernel_Op<"mbarrier_init", [Kernel_Synchronizes]> {
  let summary = "makes an mbarrier";
  let description = [{
    In phase 0, which `count` arrivals complete: 1 to 2^20 - 1. One thread does it, once in a kernel; others use the mbarrier behind a barrier,
    other blocks and asynchronous copies behind a `kernel.fence_mbarrier_init` of that thread too.

    Constraints:
    * `mbarrier_init_c1`: an index for each dimension.

    ```mlir
    kernel.mbarrier_init %full[%stage], %count : memref<4x!kernel.mbarrier, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Kernel_OwnMBarriers:$barriers, Variadic<Index>:$indices, I32:$count);
  let assemblyFormat = "$barriers `[` $indices `]` `,` $count attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Kernel_MBarrierArriveOp : Kernel_Op<"mbarrier_arrive", [Kernel_Synchronizes, AttrSizedOperandSegments]> {
  let summary = "arrives at an mbarrier";
  let description = [{
    Counts as `count` arrivals, or one. With `expect` the phase also waits for so many bytes of asynchronous copies, counted before the arrival. What the
    thread did before is released to those who wait, within `scope`. The mbarrier may be another block's.

    Constraints:
    * `mbarrier_arrive_c1`: an index for each dimension.
    * `mbarrier_arrive_c2`: not both a count and bytes.
    * `mbarrier_arrive_c3`: the scope is `block` or `cluster`, and `cluster` for an mbarrier in the cluster's memory.

    ```mlir
    kernel.mbarrier_arrive %empty[%stage] : memref<4x!kernel.mbarrier, #gpu.address_space<workgroup>>
    kernel.mbarrier_arrive %full[%stage] expect %bytes : memref<4x!kernel.mbarrier, #gpu.address_space<workgroup>>
    kernel.mbarrier_arrive %remote[%stage] scope cluster : memref<4x!kernel.mbarrier, #kernel.cluster_memory>
    ```
  }];
  let arguments = (ins Kernel_MBarriers:$barriers, Variadic<Index>:$indices, Optional<I32>:$count, Optional<I32>:$bytes,
                   DefaultValuedAttr<Kernel_ScopeAttr, "::fuser::kernel::Scope::Block">:$scope);
  let assemblyFormat = [{
    $barriers `[` $indices `]` (`count` $count^)? (`expect` $bytes^)? (`scope` $scope^)? attr-dict `:` type($barriers)
  }];
  let hasVerifier = 1;
}

def Kernel_MBarrierExpectOp : Kernel_Op<"mbarrier_expect", [Kernel_Synchronizes]> {
  let summary = "the current phase of an mbarrier waits for more bytes";
  let description = [{
    Adds `bytes` to what asynchronous copies have to write before the phase completes. It is no arrival, so one has to come behind it.

    Constraints:
    * `mbarrier_expect_c1`: an index for each dimension.

    ```mlir
    kernel.mbarrier_expect %full[%stage], %bytes : memref<4x!kernel.mbarrier, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Kernel_MBarriers:$barriers, Variadic<Index>:$indices, I32:$bytes);
  let assemblyFormat = "$barriers `[` $indices `]` `,` $bytes attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Kernel_MBarrierWaitOp : Kernel_Op<"mbarrier_wait", [Kernel_Synchronizes]> {
  let summary = "waits until a phase of an mbarrier is complete";
  let description = [{
    Returns when the current phase is not of the parity `phase` (false for phases 0, 2, ...), so when the last one of that parity is complete. What was released
    by the arrivals of that phase within `scope`, and what its asynchronous copies have written, is visible then.

    Constraints:
    * `mbarrier_wait_c1`: an index for each dimension.
    * `mbarrier_wait_c2`: the scope is `block` or `cluster`.

    ```mlir
    kernel.mbarrier_wait %full[%stage], %phase : memref<4x!kernel.mbarrier, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Kernel_OwnMBarriers:$barriers, Variadic<Index>:$indices, I1:$phase,
                   DefaultValuedAttr<Kernel_ScopeAttr, "::fuser::kernel::Scope::Block">:$scope);
  let assemblyFormat = "$barriers `[` $indices `]` `,` $phase (`scope` $scope^)? attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Kernel_FenceMBarrierInitOp : Kernel_Op<"fence_mbarrier_init", [Kernel_Synchronizes]> {
  let summary = "makes the mbarriers that the thread has initialized visible to the cluster and to asynchronous copies";
  let description = [{
    Goes between `kernel.mbarrier_init` and the barrier behind which the mbarriers are used.

    ```mlir
    kernel.fence_mbarrier_init
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Asynchronous accesses
//===----------------------------------------------------------------------===//

def Kernel_FenceAsyncOp : Kernel_Op<"fence_async", [Kernel_Synchronizes]> {
  let summary = "orders accesses of threads before asynchronous copies";
  let description = [{
    What the thread has done and seen of shared (or global) memory is before the bulk copies that come behind the fence: its own, and those
    that others start after they have met it. Shared memory is that of all blocks of the cluster.

    ```mlir
    kernel.fence_async shared
    ```
  }];
  let arguments = (ins Kernel_SpaceAttr:$space);
  let assemblyFormat = "$space attr-dict";
}

def Kernel_StoreAsyncOp : Kernel_Op<"store_async", [Kernel_Synchronizes, AttrSizedOperandSegments]> {
  let summary = "stores to the shared memory of a block of the cluster, and counts its bytes at an mbarrier there";
  let description = [{
    The thread does not wait. Who waits for the mbarrier, which must lie in the same block, sees the value. The first element is aligned to the bytes of the value.

    Constraints:
    * `store_async_c1`: an index for each dimension.
    * `store_async_c2`: the value, or its elements if it is a vector of rank 1, is of the memref's element type, a scalar; and the innermost stride of the memref
      is 1.
    * `store_async_c3`: the value has 4, 8 or 16 bytes.
    * `store_async_c4`: the mbarrier is in the cluster's memory.

    ```mlir
    kernel.store_async %v, %tile[%i] completes %full[%c0]
        : vector<4xf32>, memref<64xf32, #kernel.cluster_memory>, memref<1x!kernel.mbarrier, #kernel.cluster_memory>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyInteger, AnyFloat, AnyFixedVectorOfNonZeroRank]>:$value, Kernel_ClusterMemRef:$base, Variadic<Index>:$indices,
                   Kernel_MBarriers:$barriers, Variadic<Index>:$barrierIndices);
  let assemblyFormat = [{
    $value `,` $base `[` $indices `]` `completes` $barriers `[` $barrierIndices `]` attr-dict
    `:` type($value) `,` type($base) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

def Kernel_BulkCopyOp : Kernel_Op<"bulk_copy", [Kernel_Synchronizes, AttrSizedOperandSegments]> {
  let summary = "copies contiguous elements between global and shared memory, without threads";
  let description = [{
    Copies `count` elements that lie one after the other, by the asynchronous proxy. One thread starts it and goes on.

    | from | to | complete |
    | --- | --- | --- |
    | global | shared | counts its bytes at the mbarrier |
    | shared | a block of the cluster | counts its bytes at the mbarrier, which lies in that block |
    | shared | global | belongs to the next group of the thread: `kernel.bulk_commit`, `kernel.bulk_wait` |

    The bytes are a multiple of 16, and both places aligned to 16.

    Constraints:
    * `bulk_copy_c1`: an index for each dimension.
    * `bulk_copy_c2`: the memrefs have one element type, of 1, 2, 4 or 8 bytes, and their innermost stride is 1.
    * `bulk_copy_c3`: from and to are as in the table, and there is an mbarrier where the table says so, in the memory of the destination.

    ```mlir
    kernel.bulk_copy %x[%i], %tile[%c0], %n completes %full[%c0]
        : memref<?xf32>, memref<1024xf32, #gpu.address_space<workgroup>>, memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
    kernel.bulk_copy %tile[%c0], %y[%i], %n : memref<1024xf32, #gpu.address_space<workgroup>>, memref<?xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$sourceIndices, AnyMemRef:$target, Variadic<Index>:$targetIndices, Index:$count,
                   Optional<Kernel_MBarriers>:$barriers, Variadic<Index>:$barrierIndices);
  let assemblyFormat = [{
    $source `[` $sourceIndices `]` `,` $target `[` $targetIndices `]` `,` $count
    (`completes` $barriers^ `[` $barrierIndices `]`)? attr-dict
    `:` type($source) `,` type($target) (`,` type($barriers)^)?
  }];
  let hasVerifier = 1;
}

def Kernel_BulkCommitOp : Kernel_Op<"bulk_commit", [Kernel_Synchronizes]> {
  let summary = "makes a group of the thread's bulk copies to global memory";
  let description = [{
    Of those that are in no group.

    ```mlir
    kernel.bulk_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Kernel_BulkWaitOp : Kernel_Op<"bulk_wait", [Kernel_Synchronizes]> {
  let summary = "waits until at most so many of the thread's last groups are under way";
  let description = [{
    With `read` only until they have read shared memory, which may then be written again.

    Constraints:
    * `bulk_wait_c1`: the number is not negative.

    ```mlir
    kernel.bulk_wait 0 read
    ```
  }];
  let arguments = (ins I32Attr:$groups, UnitAttr:$read);
  let assemblyFormat = "$groups (`read` $read^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Copies of a thread
//===----------------------------------------------------------------------===//

def Kernel_CopyAsyncOp : Kernel_Op<"copy_async", [Kernel_Synchronizes, AttrSizedOperandSegments]> {
  let summary = "starts a copy of 4, 8 or 16 bytes from global to shared memory, which belongs to the thread";
  let description = [{
    Copies `width` elements that lie one after the other. The thread goes on, and the copy belongs to its next group: `kernel.copy_async_commit`. It reads
    and writes at some time before a `kernel.copy_async_wait` of the thread for that group. Until then nobody may write what it reads, or access what it writes; copies
    that are under way have no order among each other either. The thread must have waited for it before it ends.

    If `condition` is false, zeros are written and the source is not read: it may be anywhere.

    It is no access by the asynchronous proxy, so it needs no fence. Both places are aligned to the bytes of the copy (the source if it is read). Caches of a
    multiprocessor (L1) keep nothing of a copy of 16 bytes.

    Constraints:
    * `copy_async_c1`: an index for each dimension.
    * `copy_async_c2`: the memrefs have one element type, of integers or floats, and their innermost stride is 1.
    * `copy_async_c3`: the elements have 4, 8 or 16 bytes.
    * `copy_async_c4`: the source is in global memory, the target in the block's shared memory.

    ```mlir
    kernel.copy_async %x[%i], %tile[%stage, %j], 4 : memref<?xf32>, memref<3x1024xf32, #gpu.address_space<workgroup>>
    kernel.copy_async %y[%i], %rows[%j], 8 if %isInside : memref<?xbf16>, memref<1024xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Kernel_GlobalMemRef:$source, Variadic<Index>:$sourceIndices, Kernel_SharedMemRef:$target, Variadic<Index>:$targetIndices,
                   I32Attr:$width, Optional<I1>:$condition);
  let assemblyFormat = [{
    $source `[` $sourceIndices `]` `,` $target `[` $targetIndices `]` `,` $width (`if` $condition^)? attr-dict
    `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Of the copy.
    int64_t getNumBytes();
  }];
}

def Kernel_CopyAsyncNeighboursOp : Kernel_Op<"copy_async_neighbours", [Kernel_Synchronizes, AttrSizedOperandSegments]> {
  let summary = "starts a copy of neighbours at any address from global to shared memory, by lanes that help each other";
  let description = [{
    All threads of a warp do it together, as `kernel.store_neighbours` with `lanes`: so many neighbouring lanes copy neighbouring vectors of `width` elements of one row.
    The index in the last dimension, and in that of the target, grows by a vector from lane to lane, and all others are the same. A lane copies the aligned words (of up to
    16 bytes) that its vector begins in, and the last one of the lanes also the word that its vector ends in, so that nothing is read twice. The target is aligned to 16 bytes and
    has 16 more bytes behind what the last lane has. `kernel.load_copied` finds the vector there.

    The copies belong to the thread's next group, as those of `kernel.copy_async`. Since a vector may lie in what the next lane has copied, `kernel.sync_warp` has
    to come between the wait and the load, and between the last load and the next copy to the same place.

    With `count`, which may be negative and is counted to one end for all of the lanes, only the first so many elements are there. If `condition` is false, none are. It is the same for all of the
    lanes. Nothing is touched beyond the word of the last byte that is there. What is not there is not said, but for the simulator, where it is 0.

    Constraints:
    * `copy_async_neighbours_c1`: an index for each dimension.
    * `copy_async_neighbours_c2`: the memrefs have one element type, an integer or float of 1, 2, 4 or 8 bytes, and their innermost stride is 1.
    * `copy_async_neighbours_c3`: the vector has 4, 8 or 16 bytes.
    * `copy_async_neighbours_c4`: the source is in global memory, the target in the block's shared memory.
    * `copy_async_neighbours_c5`: the alignment is a power of two.
    * `copy_async_neighbours_c6`: the lanes are a power of two, at most 32.

    ```mlir
    kernel.copy_async_neighbours %x[%i], %tile[%stage, %j], 8 count %left if %isInside align 2 lanes 32
        : memref<?xbf16>, memref<3x1032xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Kernel_GlobalMemRef:$source, Variadic<Index>:$sourceIndices, Kernel_SharedMemRef:$target, Variadic<Index>:$targetIndices,
                   I32Attr:$width, Optional<Index>:$count, Optional<I1>:$condition, I64Attr:$alignment, I64Attr:$lanes);
  let assemblyFormat = [{
    $source `[` $sourceIndices `]` `,` $target `[` $targetIndices `]` `,` $width (`count` $count^)? (`if` $condition^)?
    `align` $alignment `lanes` $lanes attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Kernel_LoadCopiedOp : Kernel_Op<"load_copied", [Kernel_Synchronizes, AttrSizedOperandSegments]> {
  let summary = "loads what kernel.copy_async_neighbours has copied";
  let description = [{
    The vector that the thread has copied from `source` to `target` with this alignment. The source is not read: where its element lies says where the vector begins in the words
    that were copied.

    Constraints:
    * `load_copied_c1`: an index for each dimension.
    * `load_copied_c2`: the memrefs have the vector's element type, an integer or float of 1, 2, 4 or 8 bytes, and their innermost stride is 1.
    * `load_copied_c3`: the vector has rank 1 and 4, 8 or 16 bytes.
    * `load_copied_c4`: the alignment is a power of two.

    ```mlir
    %v = kernel.load_copied %tile[%stage, %j] of %x[%i] align 2
        : memref<3x1032xbf16, #gpu.address_space<workgroup>>, memref<?xbf16>, vector<8xbf16>
    ```
  }];
  let arguments = (ins Kernel_SharedMemRef:$target, Variadic<Index>:$targetIndices, Kernel_GlobalMemRef:$source, Variadic<Index>:$sourceIndices,
                   I64Attr:$alignment);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $target `[` $targetIndices `]` `of` $source `[` $sourceIndices `]` `align` $alignment attr-dict `:` type($target) `,` type($source) `,` type($result)
  }];
  let hasVerifier = 1;
}

def Kernel_CopyAsyncCommitOp : Kernel_Op<"copy_async_commit", [Kernel_Synchronizes]> {
  let summary = "makes a group of the copies that the thread has started";
  let description = [{
    Of those of `kernel.copy_async` and `kernel.copy_async_neighbours` that are in no group. It may have none.

    ```mlir
    kernel.copy_async_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Kernel_CopyAsyncWaitOp : Kernel_Op<"copy_async_wait", [Kernel_Synchronizes]> {
  let summary = "waits until at most so many of the thread's last groups of copies are under way";
  let description = [{
    Then the thread sees what the others have written, and may write what they have read. Other threads do behind a barrier, as with stores of the thread. Copies
    in no group are not waited for.

    Constraints:
    * `copy_async_wait_c1`: the number is not negative.

    ```mlir
    kernel.copy_async_wait 1
    ```
  }];
  let arguments = (ins I32Attr:$groups);
  let assemblyFormat = "$groups attr-dict";
  let hasVerifier = 1;
}

#endif // FUSER_DIALECT_KERNEL_IR_KERNELASYNCOPS_TD
