//===- FusionAttrs.td - Attributes of the fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONATTRS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONATTRS_TD

include "fuser/Dialect/Fusion/IR/FusionEnums.td"
include "fuser/Dialect/Fusion/IR/FusionInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

class Fusion_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Fusion_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Fusion_AliasAttr : Fusion_Attr<"Alias", "alias"> {
  let summary = "where a result of a function lives";
  let description = [{
    - `<new>`: in a buffer of its own.
    - `<reuse, 0>`: written into the buffer of input 0, which has the same type. Also in place.
    - `<evaluate, 0>`: a view of input 0; pure pointer arithmetic, no kernel.

    Inputs are counted among all arguments of the function.

    ```mlir
    func.func @inc(%x: tensor<?xf32>, %y: tensor<?xf32>)
        -> (tensor<?xf32> {fusion.alias = #fusion.alias<reuse, 0>})
    ```
  }];
  let parameters = (ins
    EnumParameter<Fusion_AliasKind>:$kind,
    DefaultValuedParameter<"int64_t", "-1">:$input
  );
  let assemblyFormat = "`<` $kind (`,` $input^)? `>`";
  let genVerifyDecl = 1;
}

class Fusion_ScheduleAttr<string name, string attrMnemonic>
    : Fusion_Attr<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<Fusion_ScheduleAttrInterface>]> {
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Fusion_GenericScheduleAttr : Fusion_ScheduleAttr<"GenericSchedule", "generic"> {
  let summary = "some threads an output element";
  let description = [{
    A grid over the elements of the results, `threads` threads a block (1 to 1024). `parts` threads (a power of two) share
    an element: each reduces some of the elements that are reduced to it. They are `stride` threads apart: 1 where
    neighbours in memory are reduced (then `parts` is 1, 32 or all threads of the block), `threads / parts` where neighbours
    in memory are different results (then `parts` is at most 32). `min_blocks` is how many blocks a multiprocessor has to have room
    for: what a thread can have of its registers follows from it; 0 says nothing.

    Examples: `#fusion.generic<threads = 256>`, `#fusion.generic<threads = 256, parts = 256>`,
    `#fusion.generic<threads = 1024, parts = 32, stride = 32, min_blocks = 1>`
  }];
  let parameters = (ins "int64_t":$threads, DefaultValuedParameter<"int64_t", "1">:$parts,
                        DefaultValuedParameter<"int64_t", "1">:$stride,
                        DefaultValuedParameter<"int64_t", "0">:$min_blocks);
}

def Fusion_SplitReductionScheduleAttr : Fusion_ScheduleAttr<"SplitReductionSchedule", "split_reduction"> {
  let summary = "some thread blocks an output element";
  let description = [{
    For segments with few results, each a reduction of many elements. Two kernels: in the first a block of
    `threads` threads (a power of two from 32 to 1024) reduces 65,536 elements of a result, in the second a block of `fold_threads` threads
    (a power of two from 32 to 256) adds up what these have found and makes the result of it. All reductions reduce the same dimensions of the same shape, among
    them the last, and none is made of another one. `min_blocks` is how many blocks of the first kernel a multiprocessor has to have
    room for; 0 says nothing.

    Example: `#fusion.split_reduction<threads = 512, fold_threads = 64, min_blocks = 2>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$fold_threads,
                        DefaultValuedParameter<"int64_t", "0">:$min_blocks);
}

def Fusion_PointwiseScheduleAttr : Fusion_ScheduleAttr<"PointwiseSchedule", "pointwise"> {
  let summary = "a thread some vectors of neighbouring elements";
  let description = [{
    A block of `threads` threads covers `threads * vector * unroll` neighbouring elements: each thread has `unroll`
    vectors of `vector` elements (a power of two up to 256), a block's width apart. `unroll` is at most 32 and
    `vector * unroll` at most 512. The segment holds no reduction.

    Example: `#fusion.pointwise<threads = 128, vector = 8, unroll = 2>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector, "int64_t":$unroll);
}

def Fusion_TransposeScheduleAttr : Fusion_ScheduleAttr<"TransposeSchedule", "transpose"> {
  let summary = "a square of elements, handed through shared memory";
  let description = [{
    For segments of the scheduler `pointwise` whose tensors lie in memory along two dimensions of the results: `along` and `across`. A
    block of `threads` threads has a square of `tile` elements (a power of two from 8 to 128) in each of the two. Elements are computed,
    read and written by threads that follow each other along `along`, unless they are listed:

    - `reads`: operands of the segment, by number, scalars counted too. They are read by threads that follow each other along `across`,
      and handed over through a square of shared memory. This means reads at coordinates of the results as they are, that run through
      memory along `across` and depend on `along`: one or more of each operand, each with a square of its own. Other
      reads of the same operand, such as of the matrix beside its transpose, stay what they are.
    - `results`: results of the segment, by number, that lie in memory along `across`. They are handed over before they are written.

    At least one is listed, and all squares fit into the shared memory of a block (48 KiB). A thread has `tile * tile / threads` elements;
    `threads` is a multiple of `tile` that divides `tile * tile`.

    Examples: `#fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, reads = [0]>`,
    `#fusion.transpose<threads = 256, tile = 64, along = 2, across = 0, reads = [0, 2], results = [1]>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$tile, "int64_t":$along, "int64_t":$across,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$reads,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$results);
}

def Fusion_RowReductionScheduleAttr : Fusion_ScheduleAttr<"RowReductionSchedule", "row_reduction"> {
  let summary = "a row in the registers of some threads";
  let description = [{
    `threads` threads share a row and a block has `rows_per_block` rows, so it has `threads * rows_per_block` threads
    (at most 1024). A thread keeps `unroll` vectors of `vector` elements (a power of two up to 8: the leaves of a
    reduction) of each row, `vector * unroll` at most 512. More than one vector a thread asks for a power of two of threads:
    at least 32, and `256 / vector` if it is more than 32.

    `min_blocks` is as in `#fusion.generic`. A kernel reads all it needs of a row first, so that many reads are under way; with
    `late_reads` what no reduction needs is read after the reductions.

    Example: `#fusion.row_reduction<threads = 256, rows_per_block = 1, vector = 8, unroll = 4>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$rows_per_block, "int64_t":$vector,
                        "int64_t":$unroll, DefaultValuedParameter<"int64_t", "0">:$min_blocks,
                        DefaultValuedParameter<"bool", "false">:$late_reads);
}

def Fusion_LibraryScheduleAttr
    : Fusion_Attr<"LibrarySchedule", "library",
        [DeclareAttrInterfaceMethods<Fusion_ScheduleAttrInterface>]> {
  let summary = "a matrix product that a library computes";
  let description = [{
    For segments of one op, a contraction, on every target. It becomes `host.matmul`, and no kernel.

    Each operand and the result have to lie in memory as a matrix or a batch of evenly spaced ones: dimensions of one role are next to each other and in order, so
    that they are one dimension, and neighbours in memory are rows, columns or contracted. `fusion-segment` copies what does not; a segment
    by hand whose tensors do not goes to `generic`.

    Example: `#fusion.library`
  }];
}

def Fusion_CommunicationScheduleAttr
    : Fusion_Attr<"CommunicationSchedule", "communication",
        [DeclareAttrInterfaceMethods<Fusion_ScheduleAttrInterface>]> {
  let summary = "a communication between ranks";
  let description = [{
    For segments of one op, a communication, on every target. It becomes a communication of the host program, and no kernel. The
    operand and the result are row-major in memory; `fusion-segment` copies what is not.

    Example: `#fusion.communication`
  }];
}

def Fusion_CPUScheduleAttr : Fusion_ScheduleAttr<"CPUSchedule", "cpu"> {
  let summary = "a vectorised loop over a range of rows or tiles";
  let description = [{
    `kind` names the scheduler that it belongs to (`generic`, `pointwise`, `row_reduction`), `vector` (a power of two
    up to 256) the lanes of its loops: no more than a dimension has, rounded up to a power of two.

    There are two kinds of kernels. What is left out below has the meaning given; no choice changes a bit of a result.

    *Tiles*: results of one shape are computed in one loop nest, and an element's reductions are loops inside of it. `groups` has
    an entry for each such group of results, in the order of its first result: `#fusion.cpu_flat`, `#fusion.cpu_tiles` or
    `#fusion.cpu_squares`. Left out for a segment without the structure of rows: `#fusion.cpu_tiles` for each.

    *Rows*, if there are no `groups` and the segment has their structure: all its reductions reduce the same dimensions of
    tensors of one shape, and what is computed with their results looks at those of the same row. A work item is a row, or a
    strip of `vector` columns if the last dimension is not reduced. It runs through its part of the space once for
    each stage: the reductions of a stage depend on those of the stages before. Later stages find the elements of an op with the
    attribute `fusion.keep` where it says: in scratch memory (`#fusion.keep<scratch>`), or where the op is stored as a result of the
    segment (`#fusion.keep<result>`). Everything else is computed again in each stage that needs it. An op can be kept
    if it is element-wise and as large as the space, and not the operand of an op that moves elements,
    such as a slice, nor computes one; what no later stage needs is not kept.

    Examples: `#fusion.cpu<kind = "row_reduction", vector = 64>`,
    `#fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_flat<chunk = 4096>]>`
  }];
  let parameters = (ins StringRefParameter<"the scheduler">:$kind, "int64_t":$vector,
                        OptionalParameter<"::mlir::ArrayAttr">:$groups);
}

// How results of one shape become work items of a CPU kernel: entries of `groups` of `#fusion.cpu`.
class Fusion_CPUGroupAttr<string name, string attrMnemonic> : Fusion_Attr<name, attrMnemonic> {
  let genVerifyDecl = 1;
}

def Fusion_CPUFlatAttr : Fusion_CPUGroupAttr<"CPUFlat", "cpu_flat"> {
  let summary = "results as one row of their memory";
  let description = [{
    One loop over positions in memory instead of indices; a work item is `chunk` (1 to 2^30) neighbours. All tensors that the
    results are computed with lie in the same dense order, and no op asks where an element is.

    Example: `#fusion.cpu_flat<chunk = 4096>`
  }];
  let parameters = (ins "int64_t":$chunk);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Fusion_CPUTilesAttr : Fusion_CPUGroupAttr<"CPUTiles", "cpu_tiles"> {
  let summary = "results as a loop nest";
  let description = [{
    A loop for each dimension. `order` has all of them, from the slowest loop to the fastest, which is the last dimension; left
    out, they are in order. A work item is `chunk` (1 to 2^30; left out 1) neighbours in the space of the first `item_dims` dimensions of
    the order, and all of the others; left out, all dimensions but the last. If `item_dims` is all dimensions, neighbours in the last one are
    vectors of `lanes`. Those are a power of two up to 256, or, left out, the `vector` of the schedule.

    Examples: `#fusion.cpu_tiles`, `#fusion.cpu_tiles<order = [1, 0, 2], item_dims = 1, chunk = 4>`
  }];
  let parameters = (ins OptionalParameter<"::mlir::DenseI64ArrayAttr">:$order,
                        DefaultValuedParameter<"int64_t", "-1">:$item_dims,
                        DefaultValuedParameter<"int64_t", "1">:$chunk,
                        DefaultValuedParameter<"int64_t", "0">:$lanes);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let extraClassDeclaration = [{
    /// With nothing said.
    static CPUTilesAttr getPlain(::mlir::MLIRContext *context) { return get(context, {}, -1, 1, 0); }
  }];
}

def Fusion_CPUSquaresAttr : Fusion_CPUGroupAttr<"CPUSquares", "cpu_squares"> {
  let summary = "results in squares that are transposed";
  let description = [{
    For results whose neighbours in memory are not those of what is read: squares of `lanes` (a power of two from 2 to 64) positions of
    dimension `dim`, in which the results' neighbours lie, by as many of the last one are computed along the last dimension and stored
    along `dim`. A work item is `chunk` (a multiple of `lanes` up to 2^30) positions of `dim`, and all of the last dimension. Work items
    follow each other in the dimensions as `order` has them, which is as in `#fusion.cpu_tiles`.

    Example: `#fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64>`
  }];
  let parameters = (ins "int64_t":$dim, "int64_t":$lanes, "int64_t":$chunk,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$order);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONATTRS_TD
