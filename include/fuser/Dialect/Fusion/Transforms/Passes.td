//===- Passes.td - Passes on fusion programs - -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_TRANSFORMS_PASSES_TD
#define FUSER_DIALECT_FUSION_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CollapseDimensionsPass : Pass<"fusion-collapse-dimensions", "::mlir::func::FuncOp"> {
  let summary = "Makes one dimension of neighbours that a reduction treats alike";
  let description = [{
    ```mlir
    func.func @f(%x: tensor<?x64x7x7xf32>) -> tensor<?x64x7x7xf32> {
      %0 = fusion.reduce <sum> %x dims [0, 2, 3] keep : tensor<?x64x7x7xf32> to tensor<1x64x1x1xf32>
      %1 = fusion.expand %0 sizes(%n) : tensor<1x64x1x1xf32> to tensor<?x64x7x7xf32>
      %2 = fusion.div %x, %1 : tensor<?x64x7x7xf32>
      return %2 : tensor<?x64x7x7xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<?x64x7x7xf32>) -> tensor<?x64x7x7xf32> {
      %a = fusion.reshape %x sizes(%n) : tensor<?x64x7x7xf32> to tensor<?x64x49xf32>
      %0 = fusion.reduce <sum> %a dims [0, 2] keep : tensor<?x64x49xf32> to tensor<1x64x1xf32>
      %1 = fusion.expand %0 sizes(%n) : tensor<1x64x1xf32> to tensor<?x64x49xf32>
      %2 = fusion.div %a, %1 : tensor<?x64x49xf32>
      %3 = fusion.reshape %2 sizes(%n) : tensor<?x64x49xf32> to tensor<?x64x7x7xf32>
      return %3 : tensor<?x64x7x7xf32>
    }
    ```

    Kernels find an element by dividing a position by sizes, and read as many neighbours at once as the last dimension has: with fewer and longer
    dimensions they divide less and read more. The reshapes are views of inputs, and of results that a reduction leads to (`fusion-segment`).

    Two neighbouring dimensions become one if a reduction reduces both, or, with others between those that it reduces, keeps both, and if so does
    every op that their elements go to or come from, as far as these are element-wise, repetitions or reductions. Other
    ops, sizes that are asked of what ops compute (`tensor.dim`), layouts other than row-major, requested copies and results with an alias keep their dimensions, and so does what is joined to them. What ends at a reshape ends there.

    Sums keep their order: elements are counted in the same one.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect", "::fuser::fusion::FusionDialect"];
  let statistics = [Statistic<"numCollapsed", "ops-collapsed", "Number of ops that have fewer dimensions">];
}

def DecideExactnessPass : Pass<"fusion-decide-exactness", "::mlir::func::FuncOp"> {
  let summary = "Decides which functions and quotients of f32 kernels approximate";
  let description = [{
    ```mlir
    %0 = fusion.rsqrt %x : tensor<?x8xf32>
    %1 = fusion.mul %0, %w : tensor<?x8xf32>
    %2 = fusion.cast %1 : tensor<?x8xf32> to tensor<?x8xbf16>
    ```
    becomes
    ```mlir
    %0 = fusion.rsqrt %x {fusion.exactness = #fusion.exactness<approximate>} : tensor<?x8xf32>
    ```
    and so on, because a bf16 is all that becomes of the result; where the program returns it as f32, `exact`.

    Some ops have two forms in kernels of GPUs (trait `HasApproximateForm`): one that is off by less than one unit in the last
    place of f32, and one that is off by a few and costs less. Each of them that computes in f32 gets the attribute. It is
    approximated

    * if its result is f16 or bf16; or
    * if all that becomes of its result is rounded to f16 or bf16, by way of whatever floats: what is compared, becomes an
      integer or is returned as f32 or f64 is exact. Of an op that ends in a quotient (`EndsInQuotient`) all ops on the way must
      keep relative errors (`KeepsRelativeErrors`, and index maps) besides, as `x / x - 1` is 0; or
    * if all that becomes of its result is added by a sum or a mean, by way of ops that keep relative errors: a sum of f32 is off by some units of
      the sum of magnitudes itself. Uses may differ in which of these holds.

    The program alone decides, before anything is simplified: where it is cut into kernels, by the compiler, by `segment_set` or by
    segments that it has, changes no decision. Hence the pass comes first.

    An op that has the attribute keeps it. Changes nothing else, and nothing that is computed in f64 or in the reference.
  }];
  let options = [
    Option<"exact", "exact", "bool", "false", "Decide for the exact form everywhere">,
  ];
  let statistics = [
    Statistic<"numExact", "ops-exact", "Number of ops decided to be exact">,
    Statistic<"numApproximate", "ops-approximate", "Number of ops decided to be approximated">,
  ];
}

def DecomposeComplexPass : Pass<"fusion-decompose-complex", "::mlir::func::FuncOp"> {
  let summary = "Makes real tensors of complex ones";
  let description = [{
    A complex tensor lies in memory as a real one does that has one more dimension, of 2, behind its own. Arguments and results become such tensors, with
    the mark `fusion.complex`, by which the program's signature has complex numbers again.

    ```mlir
    func.func @f(%x: tensor<?xcomplex<f32>>) -> (tensor<?xcomplex<f32>>, tensor<?xf32>) {
      %0 = fusion.conj %x : tensor<?xcomplex<f32>>
      %1 = fusion.imag %0 : tensor<?xcomplex<f32>>
      return %0, %1 : tensor<?xcomplex<f32>>, tensor<?xf32>
    }
    // =>
    func.func @f(%x: tensor<?x2xf32> {fusion.complex}) -> (tensor<?x2xf32> {fusion.complex, ...}, tensor<?xf32>) {
      %re = ... // [:, 0] of %x, by a slice and a reshape
      %im = ... // [:, 1] of %x
      %1 = fusion.neg %im : tensor<?xf32>
      %0 = ...  // %re and %1, by a cat along the new dimension
      return %0, %1 : tensor<?x2xf32>, tensor<?xf32>
    }
    ```

    An op on complex numbers becomes ops on their parts. One that moves elements moves pairs as long as its operands are arguments, or were moved
    themselves, and else each part. Attributes of arguments and results get an entry for the new dimension: it is the fastest one of an order. A result that says
    nothing of its order lies row-major.

    A function without complex tensors stays as it is.

    Errors: complex tensors of ops that are not of this dialect (communications), or that have no meaning for them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::fuser::fusion::FusionDialect"];
}

def DecomposePackedPass : Pass<"fusion-decompose-packed", "::mlir::func::FuncOp"> {
  let summary = "Makes tensors of bytes of packed ones";
  let description = [{
    Two elements of `f4E2M1FN`, neighbours in the last dimension, lie in a byte, the first one in its low half. Arguments and results of that type become tensors of
    `ui8` with half as many columns and the mark `fusion.packed`, by which the program's signature has the type again. Casts become arithmetic.

    ```mlir
    func.func @f(%x: tensor<?x32xf4E2M1FN>) -> tensor<?x32xf32> {
      %0 = fusion.cast %x : tensor<?x32xf4E2M1FN> to f32
      return %0 : tensor<?x32xf32>
    }
    // =>
    func.func @f(%x: tensor<?x16xui8> {fusion.packed = f4E2M1FN}) -> tensor<?x32xf32> {
      %code = ... // %x along one more dimension of 2, shifted right by 0 and 4, and joined to 32 columns
      %k = fusion.cast %code ... to f32
      %size = ... // the greatest of 0.5 k, k - 2 and 2 k - 8, for k without the bit of the sign
      ...
    }
    ```

    A result is the sum of such codes, two and two, of which the second one is shifted left by 4. A result that says nothing of its order lies row-major.
    An open number of columns that is not even fails when the program is called.

    A function without packed tensors stays as it is.

    Ops that move elements move codes.

    Errors: packed tensors of ops that neither move nor cast them, without dimensions, or with an odd number of columns; a stride order in which the last
    dimension is not the fastest.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::fuser::fusion::FusionDialect"];
}

def DropHintsPass : Pass<"fusion-drop-hints", "::mlir::func::FuncOp"> {
  let summary = "Removes every hint of a stride order";
  let description = [{
    Removes `fusion.stride_order_hint` from results of functions and from ops, and `result_hints` from segments. Requirements
    (`fusion.stride_order`) stay. No result of a program depends on a hint, so this pass changes no value.

    A schedule is chosen for a layout. With the hints go the schedules of segments that read or write a tensor with a hint,
    and `fusion-schedule` chooses again; a schedule written by hand is lost there. A kernel is made for a layout, so from
    `fusion-to-kernel` on hints are fixed:

    Errors: a segment with a kernel that reads or writes a tensor with a hint.
  }];
  let statistics = [
    Statistic<"numDropped", "hints-dropped", "Number of hints removed">,
    Statistic<"numSchedules", "schedules-dropped", "Number of schedules removed">,
  ];
}

def ExpandContractionsPass : Pass<"fusion-expand-contractions", "::mlir::func::FuncOp"> {
  let summary = "Makes matrix products of element-wise ops and a sum";
  let description = [{
    Each contraction becomes a product of its operands, expanded to the space of all its dimensions, and a sum of that over the contracted ones, in f32 (f64 for
    f64, the result's type for integers), which is rounded to the result's type. Emitters of kernels do so with the contractions that they are given: `#fusion.generic` computes
    any product, slowly and whatever its layouts. The order of the sum is that of `fusion.reduce`.

    ```mlir
    %r = fusion.matmul %a, %b : tensor<4x8xf32>, tensor<8x6xf32> to tensor<4x6xf32>
    // =>
    %0 = fusion.broadcast %a dims [1] : tensor<4x8xf32> to tensor<4x1x8xf32>
    %1 = fusion.expand %0 : tensor<4x1x8xf32> to tensor<4x6x8xf32>
    %2 = fusion.permute %b [1, 0] : tensor<8x6xf32> to tensor<6x8xf32>
    %3 = fusion.broadcast %2 dims [0] : tensor<6x8xf32> to tensor<1x6x8xf32>
    %4 = fusion.expand %3 : tensor<1x6x8xf32> to tensor<4x6x8xf32>
    %5 = fusion.mul %1, %4 : tensor<4x6x8xf32>
    %r = fusion.reduce <sum> %5 dims [2] : tensor<4x6x8xf32> to tensor<4x6xf32>
    ```
  }];
}

def ForwardFactoriesPass : Pass<"fusion-forward-factories", "::mlir::func::FuncOp"> {
  let summary = "Marks cheap producers that are computed again where they are used";
  let description = [{
    ```mlir
    %f = fusion.full %c sizes(%n) : tensor<?x8xf32>
    ```
    becomes
    ```mlir
    %f = fusion.full %c sizes(%n) {fusion.forward} : tensor<?x8xf32>
    ```

    `fusion-segment` puts a copy of a marked op into each segment that uses its result, which therefore never goes through
    memory. These are marked:

    * factories that are forwardable (`full`; never random numbers);
    * ops with one tensor operand that cost next to nothing an element and read no more than they give: casts to
      a wider type, negations, and the like, if their operand is an input of the function or is marked;
    * index maps of an input of the function or of a marked op; and of any tensor, if they repeat its elements (`broadcast`,
      `expand`) or widen them (`cast` to a wider type): it is better to pass the smaller tensor.

    Never marked is what a `segment_set` takes or the function returns.
  }];
  let statistics = [Statistic<"numMarked", "ops-marked", "Number of ops marked">];
}

def InferAllocationOrderPass : Pass<"fusion-infer-allocation-order", "::mlir::func::FuncOp"> {
  let summary = "Proposes the memory order of results from that of the inputs";
  let description = [{
    Adds the hint `fusion.stride_order_hint` to ops, and to results of the function that have no requirement and own their
    memory, so that a program on permuted (channels-last) inputs gives permuted results and intermediates:

    ```mlir
    func.func @f(%x: tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 2, 1>}) -> tensor<2x3x4xf32> {
      %0 = fusion.neg %x : tensor<2x3x4xf32>
    ```
    becomes
    ```mlir
        -> (tensor<2x3x4xf32> {fusion.stride_order_hint = array<i64: 0, 2, 1>}) {
      %0 = fusion.neg %x {fusion.stride_order_hint = array<i64: 0, 2, 1>} : tensor<2x3x4xf32>
    ```

    An op takes the order of the tensor operand with the most dimensions that are neither of size 1 nor repetitions; if
    several have as many, they must agree. Index maps and reductions carry the order of the dimensions that they keep, and new
    dimensions are the slowest. Hints come from inputs that are required to have another order than row-major: a program that
    permutes a row-major input gives a row-major result. The row-major order is no hint. A requirement
    (`fusion.stride_order`) is never touched. Segments keep the hints that they have.
  }];
  let statistics = [Statistic<"numHints", "hints-added", "Number of hints added">];
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

def PartitionPass : Pass<"fusion-partition", "::mlir::func::FuncOp"> {
  let summary = "Makes of a program on whole tensors that of one rank";
  let description = [{
    Upstream's `shard` dialect says how tensors are distributed over a grid of ranks:

    ```mlir
    shard.grid @ranks(shape = 4)

    func.func @bias_grad(%dy: tensor<64x256xf32>) -> tensor<256xf32> {
      %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
      %0 = shard.shard %dy to %rows : tensor<64x256xf32>
      %1 = fusion.reduce <sum> %0 dims [0] : tensor<64x256xf32> to tensor<256xf32>
      return %1 : tensor<256xf32>
    }
    ```
    becomes
    ```mlir
    func.func @bias_grad(%dy: tensor<16x256xf32>) -> tensor<256xf32> {
      %0 = fusion.reduce <sum> %dy dims [0] : tensor<16x256xf32> to tensor<256xf32>
      %1 = shard.all_reduce %0 on @ranks grid_axes = [0] : tensor<256xf32> -> tensor<256xf32>
      return %1 : tensor<256xf32>
    }
    ```

    An argument is distributed as its `shard.shard` says; without one, each rank has all of it. What an op computes is distributed as its
    operands are. Where these disagree, the largest has its way (an open size counts as 4096), and the others are sliced (which costs no
    communication) or communicated. `shard.shard` on anything else distributes it anew. Ranks have equal parts.

    * Sums, greatest and least values and means over a dimension that ranks have parts of, and matrix products over such a contracted one, are
      completed by `shard.all_reduce`, or by `shard.reduce_scatter` where a `shard.shard` cuts the result along the same axes. Sums of f16 and
      bf16 are exchanged as f32, and rounded once, as the program says.
    * A rank takes its part of what it has by `shard.all_slice`; a dimension becomes whole by `shard.all_gather`; an axis that moves
      to another dimension is a `shard.all_to_all`.
    * `tensor.dim` gives the size of the whole tensor.

    Functions without `shard.shard` stay as they are, with the communications that they have.

    Errors: a size that is known and no multiple of the number of parts; more than one grid, or one whose sizes are not all known; halos and
    offsets; segments, communications and ops of other dialects on tensors in a function with `shard.shard`.
  }];
  let dependentDialects = [
    "::mlir::shard::ShardDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::fuser::fusion::FusionDialect"];
}

def NormalizeCollectivesPass : Pass<"fusion-normalize-collectives", "::mlir::func::FuncOp"> {
  let summary = "Brings communications of the shard dialect into the form that buffers allow";
  let description = [{
    A communication sends and receives memory from one end to the other. So the dimension of which the ranks have parts comes first: the ops
    before and behind it write and read it so, as these are fused with the permutations.

    ```mlir
    %1 = shard.all_gather %0 on @ranks grid_axes = [0] gather_axis = 1 : tensor<?x8xf32> -> tensor<?x32xf32>
    ```
    becomes
    ```mlir
    %1 = fusion.permute %0 [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
    %2 = shard.all_gather %1 on @ranks grid_axes = [0] gather_axis = 0 : tensor<8x?xf32> -> tensor<32x?xf32>
    %3 = fusion.permute %2 [1, 0] : tensor<32x?xf32> to tensor<?x32xf32>
    ```

    `shard.all_to_all` sends the parts of a new first dimension. Where a reduction has another element type than its
    operand, that is cast before. `shard.all_slice`, which communicates nothing, becomes a `fusion.slice`.

    Errors: grids whose sizes are not all known, axes that a grid has not.
  }];
  let dependentDialects = [
    "::mlir::shard::ShardDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::fuser::fusion::FusionDialect"];
  let statistics = [Statistic<"numNormalized", "normalized", "Number of communications changed">];
}

def RemoveEmptyPass : Pass<"fusion-remove-empty", "::mlir::func::FuncOp"> {
  let summary = "Computes nothing for tensors without elements";
  let description = [{
    ```mlir
    %1 = fusion.exp %0 : tensor<0x8xf32>
    %2 = fusion.add %1, %1 : tensor<0x8xf32>
    ```
    becomes
    ```mlir
    %c = arith.constant 0.0 : f32
    %1 = fusion.full %c : tensor<0x8xf32>
    %2 = fusion.full %c : tensor<0x8xf32>
    ```

    Whoever has no elements reads none: what only led to it is dead afterwards, and `canonicalize` removes it. Segments of such ops
    would be kernels of no threads.

    Only ops whose operands and result have static sizes are replaced, and only if the same holds for all that leads to them, so
    that no check of sizes is lost. Left alone are segments and what is in them, `set` and `segment_set`, which the program asks for; index maps of one tensor, which cost nothing and may be views; and reductions
    of empty tensors to results that are not empty (the sum of nothing is 0 and has to be written).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numRemoved", "ops-removed", "Number of ops replaced">];
}

def SinkReshapesPass : Pass<"fusion-sink-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Computes what follows a reduction in the shape of its rows";
  let description = [{
    ```mlir
    %y = fusion.mul %x, %r : tensor<8x32x6272xf32>  // %r: of a reduction of the last dimension
    %0 = fusion.reshape %y : tensor<8x32x6272xf32> to tensor<8x64x56x56xf32>
    %1 = fusion.mul %0, %w : tensor<8x64x56x56xf32>
    return %1 : tensor<8x64x56x56xf32>
    ```
    becomes
    ```mlir
    %y = fusion.mul %x, %r : tensor<8x32x6272xf32>
    %0 = fusion.reshape %w : tensor<8x64x56x56xf32> to tensor<8x32x6272xf32>
    %1 = fusion.mul %y, %0 : tensor<8x32x6272xf32>
    %2 = fusion.reshape %1 : tensor<8x32x6272xf32> to tensor<8x64x56x56xf32>
    return %2 : tensor<8x64x56x56xf32>
    ```

    The kernel that has the rows has all of `%1` so: a reshape would end it, since other rows look at what depends on a reduction. What
    is left is a reshape that is returned, which costs no kernel (`fusion-segment`), or one that some other kernel reads through.

    An element-wise op is moved if one of its operands is the reshape of what reductions, element-wise ops and broadcasts make, and if
    each other operand is a reshape of that shape, too, or made without reductions, scans, sorts and products: an element of it
    is computed wherever it is needed. Requested copies and ops with a stride order stay.

    Where sizes are open, places in the other shape are quotients by sizes that no constant is. Kernels of GPUs have the reciprocals
    from the host program; for those of CPUs `open=false` leaves such ops where they are.
  }];
  let options = [
    Option<"open", "open", "bool", "true", "Reshape other operands also to and from shapes with open sizes">,
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect", "::fuser::fusion::FusionDialect"];
  let statistics = [Statistic<"numSunk", "ops-sunk", "Number of ops that a reshape follows now">];
}

def SegmentPass : Pass<"fusion-segment", "::mlir::func::FuncOp"> {
  let summary = "Cuts a function into segments, each of which becomes one kernel";
  let description = [{
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.exp %x : tensor<?x8xf32>
      %1 = fusion.neg %0 : tensor<?x8xf32>
      return %1 : tensor<?x8xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.segment "pointwise" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) {
        %1 = fusion.exp %a : tensor<?x8xf32>
        %2 = fusion.neg %1 : tensor<?x8xf32>
        fusion.yield %2 : tensor<?x8xf32>
      }
      return %0 : tensor<?x8xf32>
    }
    ```

    A producer and a consumer, or two that read the same tensor, share a segment if the injected predicate says that they may, the
    injected cost model that they should, and no cycle between segments arises. Groups without a tensor in common stay apart. Ops marked
    `fusion.forward` are copied into each segment that uses them, and so are chains of element-wise ops whose result would
    go from segment to segment, if the cost model says that to compute it again takes less time than memory. A `segment_set` is a boundary and disappears.

    Size arithmetic never forces a segment: it moves to the start of the function, with sizes taken from the function's arguments,
    and enters segments as operands; constants are copied into them.

    A returned input is copied by a segment, unless its alias kind is `evaluate` or `reuse`. What is between an input and a result
    that is a view of it (`evaluate`) stays outside of segments. So does a reshape that is another shape of memory: of a result that a
    reduction, a scan or a product leads to, or of what only matrix products, communications and segments read. A value that is returned twice is copied too, and so is a result
    that overwrites an input (`reuse`) which some op reads elsewhere than at the element that is written.

    The function's attribute `fusion.target` says for which processor all this was decided.

    Without a policy (a pass made by its default constructor) everything merges that makes no cycle, and the scheduler is `generic`.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "Passed to the policy: what to decide for, a target (cpu, cuda) or a processor (sm_80)">,
    Option<"explain", "explain", "bool", "false", "Say in a remark why a tensor goes through memory, and in a note what would change that">,
  ];
  let statistics = [
    Statistic<"numSegments", "segments", "Number of segments made">,
  ];
  let dependentDialects = ["::fuser::fusion::FusionDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // FUSER_DIALECT_FUSION_TRANSFORMS_PASSES_TD
