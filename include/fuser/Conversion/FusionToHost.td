//===- FusionToHost.td - Segments to host programs -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_FUSIONTOHOST_TD
#define FUSER_CONVERSION_FUSIONTOHOST_TD

include "mlir/Pass/PassBase.td"

def FusionCheckSizesPass : Pass<"fusion-check-sizes", "::mlir::func::FuncOp"> {
  let summary = "Writes down as checks what a program asks of sizes";
  let description = [{
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.add %x, %y : tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {fusion.sizes_checked} {
      %0 = fusion.add %x, %y : tensor<?x8xf32>
      %n = tensor.dim %x, %c0 : tensor<?x8xf32>
      %m = tensor.dim %y, %c0 : tensor<?x8xf32>
      %same = arith.cmpi eq, %n, %m : index
      fusion.check %same, "expected dimension 0 of input 1 'y' to be {0}, as dimension 0 of input 0 'x', got {1}" (%n, %m : index, index)
      return %0 : tensor<?x8xf32>
    }
    ```

    So do scalars that are sizes, element counts of reshapes, bounds of slices, sums of `cat`, and sizes of results that reuse inputs. It
    runs before anything is simplified: `where(true, x, y)` is `x`, and yet `y` must have its sizes. What becomes known to hold goes
    (`canonicalize`), and so does what the description of the arguments says already (`fusion-to-host`).

    Functions that are checked, host programs, and functions without tensors that give scalars stay as they are.

    With `before-decomposition` it writes the checks of functions with complex or packed tensors alone, those with shardings left out,
    in the words of the program as it is written. What decompositions make of it is checked all the same, by the run behind them.
  }];
  let options = [
    Option<"beforeDecomposition", "before-decomposition", "bool", "false",
           "of functions with complex or packed tensors only, which stay unchecked">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::fuser::fusion::FusionDialect"];
  let statistics = [Statistic<"numChecks", "checks", "Number of size checks">];
}

def FusionToHostPass : Pass<"fusion-to-host", "::mlir::ModuleOp"> {
  let summary = "Turns functions of segments into host programs on buffers";
  let description = [{
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.segment "pointwise" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>)
          attributes {host_function = @f_0_host, schedule = ...} { ... }
      return %0 : tensor<?x8xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: memref<?x8xf32>) -> memref<?x8xf32> attributes {host.program} {
      %n = memref.dim %x, %c0 : memref<?x8xf32>
      %0 = host.output 0 (%n) : memref<?x8xf32>
      host.launch @f_0::@f_0 grid(...) block(...) args(%x, %0 : ...) writes [1]
      return %0 : memref<?x8xf32>
    }
    ```

    *Sizes.* What the program expects of sizes, and types and the symbols of the inputs (ShapeSymbols) do not enforce, is checked
    at the start by `host.check`: each `fusion.check`, divisors of size arithmetic, and, in a function that `fusion-check-sizes` has
    not seen, what that would write.

    *Segments.* The host function of a segment, which launches its kernels, is inlined and goes away; `memref.dim` of its arguments
    becomes the sizes that the program knows.

    *Buffers.* A result of the function is a `host.output`; what goes from segment to segment is a `host.alloc`, which `host-deallocate`
    frees. Layouts follow the required stride order, else the hint, else row-major.

    *Aliases.* A result of kind `reuse` is written into its input's buffer; nothing may read that input afterwards, and
    the segment that writes may read it at the same index only. A result of kind `evaluate` is a view: permutations, broadcasts,
    slices, and reshapes of dense tensors, computed on strides without a launch. A stride order that is required of such a
    result must be known to be the one that it has.

    A function without results is a program that does nothing. Functions without tensors that give scalars, and host
    programs, stay as they are.

    Errors: an op outside of segments that is no view of an input; a segment without a host function, or with one that was made for
    another layout of its tensors; a result that its alias kind
    or its stride order does not allow; `tensor.dim` of no known dimension; size arithmetic that may stop the program, other than
    divisions of integers of at most 64 bits outside of segments.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::fuser::host::HostDialect"];
  let statistics = [
    Statistic<"numLaunches", "launches", "Number of launches">,
    Statistic<"numChecks", "checks", "Number of size checks">,
  ];
}

def ShardToHostPass : Pass<"shard-to-host", "::mlir::ModuleOp"> {
  let summary = "Asks the ranks of a host program for their indices in a grid";
  let description = [{
    ```mlir
    %i:2 = shard.process_multi_index on @grid : index, index
    ```
    becomes, for a grid of 2 x 4,
    ```mlir
    %all = host.group
    %rank = host.rank %all
    %i:2 = affine.delinearize_index %rank into (2, 4)
    ```
    with divisions in place of the last op, and a check that there are as many ranks as the grid has. `shard.process_linear_index` and
    `shard.grid_shape` become what they are, too.

    Groups and checks of the number of ranks that stand in the program's first block more than once, as `fusion-to-host` puts
    them before each communication, stay once. Functions that are no host programs stay as they are. Grids that nothing names any more go.

    Errors: a grid whose sizes are not all known.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::fuser::host::HostDialect"];
}

//===----------------------------------------------------------------------===//
// Calls of functions of tensors in host programs
//===----------------------------------------------------------------------===//

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

#endif // FUSER_CONVERSION_FUSIONTOHOST_TD
