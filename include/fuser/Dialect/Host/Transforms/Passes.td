//===- Passes.td - Passes on host programs -----------------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_TRANSFORMS_PASSES_TD
#define FUSER_DIALECT_HOST_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

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
