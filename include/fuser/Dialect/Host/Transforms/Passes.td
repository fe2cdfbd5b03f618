//===- Passes.td - Passes on host programs -----------------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_TRANSFORMS_PASSES_TD
#define FUSER_DIALECT_HOST_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def HostDeallocatePass : Pass<"host-deallocate", "::mlir::func::FuncOp"> {
  let summary = "Frees buffers after their last use";
  let description = [{
    ```mlir
    %t = host.alloc (%n) : memref<?xf32>
    host.launch @a::@a ... args(%x, %t : ...) writes [1]
    host.launch @b::@b ... args(%t, %y : ...) writes [1]
    ```
    becomes
    ```mlir
    %t = host.alloc (%n) : memref<?xf32>
    host.launch @a::@a ... args(%x, %t : ...) writes [1]
    host.launch @b::@b ... args(%t, %y : ...) writes [1]
    host.dealloc %t : memref<?xf32>
    ```

    A use in a loop or a branch counts as one of the op around it that stands beside the `host.alloc`. Views and casts of a buffer are the buffer.
    What has a `host.dealloc` already, and what `host.output_view` hands to the caller, stays as it is. Memory is freed in the order of
    the stream that is current there; so a buffer that work on several streams may use (another one becomes current between the `host.alloc` and the
    last use) stays, and the runtime frees it when the program ends and all streams have met.

    Names of buffers must have been resolved (`host-resolve-aliases`): one that is not is an error.
  }];
  let statistics = [Statistic<"numFreed", "freed", "Number of buffers freed">];
}

def HostResolveAliasesPass : Pass<"host-resolve-aliases", "::mlir::func::FuncOp"> {
  let summary = "Puts buffers in place of the names that are aliased to them";
  let description = [{
    ```mlir
    %t = host.declare "t" : memref<?x8xf32>
    host.alias %t, %x : memref<?x8xf32>, memref<?x8xf32>
    host.launch ... args(%t : memref<?x8xf32>)
    ```
    becomes
    ```mlir
    host.launch ... args(%x : memref<?x8xf32>)
    ```

    Chains of names are followed. Where the types differ, a `memref.cast` goes in between. These are errors, and leave the
    function as it was: a name that no `host.alias` names; names that are aliased in a cycle; a use of a name
    where its buffer does not exist yet.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numResolved", "names-resolved", "Number of names resolved">];
}

#endif // FUSER_DIALECT_HOST_TRANSFORMS_PASSES_TD
