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

def HostPrintTimelinePass : Pass<"host-print-timeline"> {
  let summary = "Prints what host programs do on each stream, and what can overlap";
  let description = [{
    Shows a program before it runs: what goes to which stream, what waits for what, and where memory comes and goes. It prints and changes nothing.

    ```mlir
    func.func @two_streams(%x: memref<8xf32>, %y: memref<8xf32>) -> memref<8xf32> attributes {host.program} {
      %c1 = arith.constant 1 : index
      %caller = host.get_stream
      %s = host.stream %c1
      %t = host.alloc () : memref<8xf32>
      host.set_stream %s
      host.sync %caller
      host.add %x, %y, %t : memref<8xf32>, memref<8xf32>, memref<8xf32>
      host.set_stream %caller
      %o = host.output 0 () : memref<8xf32>
      host.mul %x, %y, %o : memref<8xf32>, memref<8xf32>, memref<8xf32>
      host.sync %s
      host.mul %o, %t, %o : memref<8xf32>, memref<8xf32>, memref<8xf32>
      host.dealloc %t : memref<8xf32>
      return %o : memref<8xf32>
    }
    ```
    gives
    ```
    timeline of @two_streams
      step  stream  op
         1  caller  alloc %2 : 8xf32
         1  1       add %arg0, %arg1 -> %2   after caller:0
         1  caller  output 0 %3 : 8xf32
         1  caller  mul %arg0, %arg1 -> %3
         2  caller  mul %3, %2 -> %3   after 1:1
         2  caller  dealloc %2
         3  caller  return %3
    ```

    *Steps* are not times: the step of an op is one more than the largest step of what it must come after, which is the work before it on its stream and
    what its stream has waited for. Work of one step can overlap. `after 1:1` says that the stream waits for what stream 1 has been given up to its step 1;
    step 0 is what the caller's stream had been given before the call. Waits that add nothing, also through a third stream, are not shown, as the runtime
    does not make them; a `wait` on a line of its own is one that no work of the same loop or branch follows. What is no work of a stream takes no step: memory, groups, and
    the `return`, which names work that the caller's stream has not waited for. Checks are not shown.

    *Streams* have their numbers; those beyond the pool share streams (`host.stream`). `1..4` is the stream that a step of a loop takes of these, and
    `(%i + %k)` one whose number only the program knows, which is taken to be another one than the others. `wait for one of 1..4` is a wait of which that is all
    that one can say.

    *Loops* of at most `unroll` steps (in nests 256 of all together) are shown step by step, with the step in parentheses. Of others the body is shown once, and counts once. Of branches
    all are shown, from the same state on; what holds behind each holds behind them. Where a constant or the step of a loop decides, only the branch that is taken is
    shown.

    Values are called what the printed program calls them, and arguments what `host.name` says. A part of a buffer is `%x[2:4]`, or `%x[..]` where it is not
    constant, or another view.

    On a module it prints all its programs, in order; on a function, that one; nothing for functions that are no host programs. The text goes to standard
    error, as that of MLIR's own passes that print (`-o /dev/null` leaves the program out). With `svg` it becomes a picture in a file instead: a row for each stream, arrows for waits.

    Errors: control flow that is not structured (`cf`); a file that cannot be written.
  }];
  let options = [
    Option<"svg", "svg", "std::string", "\"\"", "File to write a picture to, instead of text (`-`: standard output)">,
    Option<"unroll", "unroll", "unsigned", "8", "Largest number of steps of a loop that are shown one by one">
  ];
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

def HostStageCommunicationsPass : Pass<"host-stage-communications", "::mlir::func::FuncOp"> {
  let summary = "Copies buffers that communications cannot take as they lie";
  let description = [{
    Communications take contiguous buffers, with the dimension of the ranks' parts first. Where the types do not show that a buffer is, it is copied
    into one that is, before (what is read) or after (what is written) the communication:

    ```mlir
    %r = host.all_gather %x, %y dim 1 in %all : memref<?x8xf32>, memref<?x32xf32>
    ```
    becomes
    ```mlir
    %a = host.alloc (%n) {stride_order = array<i64: 1, 0>} : memref<?x8xf32, strided<[1, ?]>>
    host.copy %x, %a : ...
    %b = host.alloc (%n) {stride_order = array<i64: 1, 0>} : memref<?x32xf32, strided<[1, ?]>>
    %r = host.all_gather %a, %b dim 1 in %all : ...
    host.copy %b, %y : ...
    ```

    The result of a communication that only the root writes is copied first, so that other ranks' stays. In `host.coalesce` the copies stand
    around it. What is behind the communication's request sees the copy, too: it is enqueued on the same stream.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numStaged", "staged", "Number of buffers copied">];
}

def HostStreamLoopsPass : Pass<"host-stream-loops", "::mlir::func::FuncOp"> {
  let summary = "Computes buffers with a stream dimension chunk by chunk, each on a stream of its own";
  let description = [{
    What computes a buffer that is marked `stream` becomes a loop over the chunks of that dimension. Chunk `i` is computed on stream
    `i mod streams + 1`, which waits for the stream that was current before; that one waits for all of them behind the loop.

    ```mlir
    %t = host.alloc (%n) stream <0> : memref<?x8xf32>
    %o = host.output 0 (%n) stream <0> : memref<?x8xf32>
    host.add %x, %y, %t : ...
    host.mul %t, %y, %o : ...
    ```
    becomes
    ```mlir
    %t = host.alloc (%n) : memref<?x8xf32>
    %o = host.output 0 (%n) : memref<?x8xf32>
    %caller = host.get_stream
    scf.for %i = %c0 to %n step %c1 {
      %s = host.stream ...
      host.set_stream %s
      host.sync %caller
      %x_i = host.slice %x dim 0 from %i size %c1
      ...
      host.add %x_i, %y_i, %t_i : ...
      host.mul %t_i, %y_i, %o_i : ...
    }
    host.set_stream %caller
    scf.for ... { host.sync ... }
    ```

    *Neighbours* over the same chunks share a loop, if a chunk of each needs only that chunk of the others (`TensorOpInterface` says which dimension
    of an operand goes along); one that needs more, or any other op with effects, ends the loop.

    *Communications* with as many chunks as ranks go along: of `host.all_gather`, a chunk is
    a rank's part; this rank's own comes first, while the others exchange theirs by `host.send` and `host.recv` (beside other communications: a
    `host.broadcast` from rank `i` is chunk `i`); of `host.reduce_scatter`
    of a source with a stream dimension, a `host.reduce` to rank `i`; `host.all_reduce` and `host.broadcast` are done chunk by chunk. Those that a loop begins with
    have a loop of their own before it, so that all of them are enqueued before the first kernel, which may fill the device.

    Errors: an op that does not say how its operands go along with its result (`host.call`); a marked buffer that is written through a view, which
    would split or merge the dimension.
  }];
  let options = [Option<"streams", "streams", "unsigned", "4", "Number of streams that chunks go to in turn">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numLoops", "loops", "Number of loops made">];
}

#endif // FUSER_DIALECT_HOST_TRANSFORMS_PASSES_TD
