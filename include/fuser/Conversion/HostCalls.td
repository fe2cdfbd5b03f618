//===- HostCalls.td - Calls of functions of tensors in host programs -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_HOSTCALLS_TD
#define FUSER_CONVERSION_HOSTCALLS_TD

include "mlir/Pass/PassBase.td"

def HostExpandOpsPass : Pass<"host-expand-ops", "::mlir::ModuleOp"> {
  let summary = "Turns computations on buffers into calls of functions of tensors";
  let description = [{
    ```mlir
    host.add %a, %b, %out : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>
    ```
    becomes
    ```mlir
    host.call @host_add(%a, %b : memref<?x8xf32>, memref<?x8xf32>) outs(%out : memref<?x8xf32>)

    func.func private @host_add(%0: tensor<?x8xf32>, %1: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %2 = fusion.add %0, %1 : tensor<?x8xf32>
      return %2 : tensor<?x8xf32>
    }
    ```

    So do `host.sub`, `host.mul`, `host.div`, `host.reduction`, `host.fill`, `host.linear`, and each `host.copy` of which the types do not show
    that to copy bytes is enough. Ops that compute the same on the same types call one function.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect", "::fuser::fusion::FusionDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "Number of ops that became calls">];
}

def HostSpecializeCallsPass : Pass<"host-specialize-calls", "::mlir::ModuleOp"> {
  let summary = "Gives each way of calling a function of tensors a function of its own";
  let description = [{
    A function of tensors that a host program calls is compiled for how the arguments lie: the pass copies it for each combination of layouts and
    alignments that there is, and says on the copy's arguments what is known. Memrefs without a layout are row-major; others may have
    any strides. `outs` become arguments that the results are written into (`#fusion.alias<reuse N>`), or name the argument that they are.

    ```mlir
    host.call @f(%a : memref<?x8xf32>) outs(%out : memref<?x8xf32, strided<[?, ?]>>)
    ```
    becomes
    ```mlir
    %0 = host.call @f_0(%a, %out : memref<?x8xf32>, memref<?x8xf32, strided<[?, ?]>>) -> memref<?x8xf32, strided<[?, ?]>>

    func.func private @f_0(%0: tensor<?x8xf32>, %1: tensor<?x8xf32> {fusion.layout = "any"})
        -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse 1>}) { ... }
    ```

    That `outs` overlap no other argument is checked at run time, unless the program shows it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::fuser::fusion::FusionDialect"];
  let statistics = [Statistic<"numFunctions", "functions", "Number of functions made">];
}

def HostInlineCallsPass : Pass<"host-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Puts the programs that are called in place of the calls";
  let description = [{
    When `fusion-to-host` has made host programs of the functions that are called, their bodies go where the calls are: their arguments become the
    call's, each `host.output` a `host.alloc` (or the buffer in `outs`, if the sizes are right), and their workspaces get numbers of
    their own. Functions that only calls named are erased.

    Errors: a program that calls itself; a result that has another layout than the call says; an output in `outs` that the callee makes
    a view of something else, other than the same memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numInlined", "inlined", "Number of calls inlined">];
}

#endif // FUSER_CONVERSION_HOSTCALLS_TD
