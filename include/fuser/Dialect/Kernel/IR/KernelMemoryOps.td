//===- KernelMemoryOps.td - Clusters' memory, caches, counters --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_KERNEL_IR_KERNELMEMORYOPS_TD
#define FUSER_DIALECT_KERNEL_IR_KERNELMEMORYOPS_TD

include "fuser/Dialect/Kernel/IR/KernelDialect.td"

def Kernel_MapBlockOp : Kernel_Op<"map_block", [Pure]> {
  let summary = "the same shared memory in another block of the cluster";
  let description = [{
    What `source` is in this block, in the block of number `block` of the cluster (x first).

    Constraints:
    * `map_block_c1`: the result is of the type of the source, but in `#kernel.cluster_memory`.

    ```mlir
    %remote = kernel.map_block %tile, %block
        : memref<64xf32, #gpu.address_space<workgroup>> to memref<64xf32, #kernel.cluster_memory>
    ```
  }];
  let arguments = (ins Kernel_SharedMemRef:$source, Index:$block);
  let results = (outs Kernel_ClusterMemRef:$result);
  let assemblyFormat = "$source `,` $block attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Kernel_LoadOp : Kernel_Op<"load"> {
  let summary = "loads from global memory with a cache policy";
  let description = [{
    An element, or a vector of neighbours. The first element is aligned to the bytes of the value.

    | policy | what |
    | --- | --- |
    | `streaming` | read once: it leaves all caches first |
    | `no_allocate` | not kept in the first-level cache |
    | `evict_first`, `evict_last` | the first-level cache drops it first, or last |

    Constraints:
    * `load_c1`: an index for each dimension.
    * `load_c2`: the value, or its elements if it is a vector of rank 1, is of the memref's element type, a scalar, and the innermost stride of the memref is 1.
    * `load_c3`: the value has 1, 2, 4, 8 or 16 bytes.

    ```mlir
    %v = kernel.load %x[%i] cache no_allocate : memref<?xf32>, vector<4xf32>
    ```
  }];
  let arguments = (ins Arg<Kernel_GlobalMemRef, "", [MemRead]>:$base, Variadic<Index>:$indices, Kernel_CacheAttr:$cache);
  let results = (outs AnyTypeOf<[AnyInteger, AnyFloat, AnyFixedVectorOfNonZeroRank]>:$result);
  let assemblyFormat = "$base `[` $indices `]` `cache` $cache attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

def Kernel_StoreOp : Kernel_Op<"store"> {
  let summary = "stores to global memory with a cache policy";
  let description = [{
    An element, or a vector of neighbours, as `kernel.load`.

    Constraints:
    * `store_c1`: an index for each dimension.
    * `store_c2`: the value, or its elements if it is a vector of rank 1, is of the memref's element type, a scalar, and the innermost stride of the memref is 1.
    * `store_c3`: the value has 1, 2, 4, 8 or 16 bytes.
    * `store_c4`: the policy is not `no_allocate`.

    ```mlir
    kernel.store %v, %y[%i] cache streaming : vector<4xf32>, memref<?xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyInteger, AnyFloat, AnyFixedVectorOfNonZeroRank]>:$value, Arg<Kernel_GlobalMemRef, "", [MemWrite]>:$base,
                   Variadic<Index>:$indices, Kernel_CacheAttr:$cache);
  let assemblyFormat = "$value `,` $base `[` $indices `]` `cache` $cache attr-dict `:` type($value) `,` type($base)";
  let hasVerifier = 1;
}

def Kernel_LoadNeighboursOp : Kernel_Op<"load_neighbours", [AttrSizedOperandSegments]> {
  let summary = "loads neighbours from global memory, at any address";
  let description = [{
    A vector whose first element is aligned to `align` bytes, at least to its own. With `count` (at least 1) only the first so many elements are there: what the others
    are is not said, but for the simulator, where they are 0.

    What is not aligned is taken from aligned words of up to 16 bytes that hold at least one byte of the vector, so that nothing is touched beyond the word of
    its last byte.

    Constraints:
    * `load_neighbours_c1`: an index for each dimension.
    * `load_neighbours_c2`: the value is a vector of rank 1 of the memref's element type, a scalar of 1, 2, 4 or 8 bytes, and the innermost stride of the memref is 1.
    * `load_neighbours_c3`: the vector has a power of two of elements, 2 to 64 bytes.
    * `load_neighbours_c4`: the alignment is a power of two.

    ```mlir
    %v = kernel.load_neighbours %x[%i] align 2 : memref<?xbf16>, vector<8xbf16>
    %w = kernel.load_neighbours %x[%i] count %left align 2 : memref<?xbf16>, vector<8xbf16>
    ```
  }];
  let arguments = (ins Arg<Kernel_GlobalMemRef, "", [MemRead]>:$base, Variadic<Index>:$indices, Optional<Index>:$count, I64Attr:$alignment);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let assemblyFormat = "$base `[` $indices `]` (`count` $count^)? `align` $alignment attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

// Lanes that store together exchange parts of words and order nothing else: the write alone keeps the op where it is, so that it is
// not of those that synchronize.
def Kernel_StoreNeighboursOp : Kernel_Op<"store_neighbours", [AttrSizedOperandSegments]> {
  let summary = "stores neighbours to global memory, at any address";
  let description = [{
    A vector, as `kernel.load_neighbours`. With `count` only the first so many elements are stored, none if it is not positive.

    With `lanes` all threads of a warp store together, and so many neighbouring lanes have neighbouring vectors of one row: the index in the last dimension grows by a
    vector from lane to lane, all others are the same, and `count`, which may be negative, is counted to one end for all of them. Each lane then stores an aligned word,
    part of which comes from the lane before; only the first and the last one of the lanes, and the last one of the row, store less. Without `lanes` what is
    not aligned is stored element by element.

    Constraints:
    * `store_neighbours_c1`: an index for each dimension.
    * `store_neighbours_c2`: the value is a vector of rank 1 of the memref's element type, a scalar of 1, 2, 4 or 8 bytes, and the innermost stride of the memref is 1.
    * `store_neighbours_c3`: the vector has a power of two of elements, 2 to 64 bytes.
    * `store_neighbours_c4`: the alignment is a power of two.
    * `store_neighbours_c5`: the lanes are a power of two, at most 32.

    ```mlir
    kernel.store_neighbours %v, %y[%i] count %left align 2 lanes 32 : vector<8xbf16>, memref<?xbf16>
    ```
  }];
  let arguments = (ins AnyFixedVectorOfNonZeroRank:$value, Arg<Kernel_GlobalMemRef, "", [MemWrite]>:$base, Variadic<Index>:$indices,
                   Optional<Index>:$count, I64Attr:$alignment, DefaultValuedAttr<I64Attr, "1">:$lanes);
  let assemblyFormat = [{
    $value `,` $base `[` $indices `]` (`count` $count^)? `align` $alignment (`lanes` $lanes^)? attr-dict `:` type($value) `,` type($base)
  }];
  let hasVerifier = 1;
}

class Kernel_IsElement<string value> : TypesMatchWith<
    "'" # value # "' is of the memref's element type", "base", value, "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">;

def Kernel_CounterAddOp : Kernel_Op<"counter_add", [Kernel_Synchronizes, Kernel_IsElement<"increment">, Kernel_IsElement<"result">]> {
  let summary = "adds to a counter in memory, at once for all threads";
  let description = [{
    Returns what it was before. With `release` (or `acq_rel`, the default) it releases what the thread did before, and with `acquire` it acquires what those
    who changed the counter before have released, within `scope`: that of all threads of the device if nothing else is said. A fold by the last block needs both.

    Constraints:
    * `counter_add_c1`: an index for each dimension.
    * `counter_add_c2`: the counter is an `i32` or `i64`, and the increment of the same type.

    ```mlir
    %before = kernel.counter_add %counters[%row], %one : memref<?xi32>
    %n = kernel.counter_add %counters[%row], %one order relaxed scope block : memref<?xi32>
    ```
  }];
  let arguments = (ins Kernel_SharedOrGlobalMemRef:$base, Variadic<Index>:$indices, AnyTypeOf<[I32, I64]>:$increment,
                   DefaultValuedAttr<Kernel_OrderAttr, "::fuser::kernel::Order::AcqRel">:$order,
                   DefaultValuedAttr<Kernel_ScopeAttr, "::fuser::kernel::Scope::Device">:$scope);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $increment (`order` $order^)? (`scope` $scope^)? attr-dict `:` type($base)
  }];
  let hasVerifier = 1;
}

def Kernel_CounterWaitOp : Kernel_Op<"counter_wait", [Kernel_Synchronizes, Kernel_IsElement<"bound">]> {
  let summary = "waits until a counter has come to a number";
  let description = [{
    Until it is at least `bound`, unsigned, and acquires what those who added to it have released, within all threads of the device. That threads
    which have not begun will add to it is certain only in a cooperative launch, or if blocks count themselves as they begin, and wait for those before them.

    Constraints:
    * `counter_wait_c1`: an index for each dimension.
    * `counter_wait_c2`: the counter is an `i32` or `i64`, and the bound of the same type.

    ```mlir
    kernel.counter_wait %counters[%c0], %blocks : memref<1xi32>
    ```
  }];
  let arguments = (ins Kernel_SharedOrGlobalMemRef:$base, Variadic<Index>:$indices, AnyTypeOf<[I32, I64]>:$bound);
  let assemblyFormat = "$base `[` $indices `]` `,` $bound attr-dict `:` type($base)";
  let hasVerifier = 1;
}

def Kernel_PhiloxOp : Kernel_Op<"philox", [Pure]> {
  let summary = "four random numbers of 32 bits";
  let description = [{
    Philox4x32 with 10 rounds (Salmon et al., Parallel random numbers: as easy as 1, 2, 3): the same numbers for the same counter and key, on
    every target.

    ```mlir
    %bits = kernel.philox %counter, %key
    ```
  }];
  let arguments = (ins VectorOfLengthAndType<[4], [I32]>:$counter, VectorOfLengthAndType<[2], [I32]>:$key);
  let results = (outs VectorOfLengthAndType<[4], [I32]>:$result);
  let assemblyFormat = "$counter `,` $key attr-dict `:` type($counter) `,` type($key) `->` type($result)";
}

#endif // FUSER_DIALECT_KERNEL_IR_KERNELMEMORYOPS_TD
