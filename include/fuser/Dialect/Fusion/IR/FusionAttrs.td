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
  let assemblyFormat = "`<` custom<EnumKeyword>($kind) (`,` $input^)? `>`";
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
    A grid over the elements of the results, `threads` threads a block (1 to 1024). `parts` threads (1, 32 or a power of two that is all threads of the block) share
    an element: each reduces some of the elements that are reduced to it, if the last dimension is among those that are reduced. Other reductions each of them has alone.
    `min_blocks` is how many blocks a multiprocessor has to have room
    for: what a thread can have of its registers follows from it; 0 says nothing.

    Examples: `#fusion.generic<threads = 256>`, `#fusion.generic<threads = 256, parts = 256, min_blocks = 2>`
  }];
  let parameters = (ins "int64_t":$threads, DefaultValuedParameter<"int64_t", "1">:$parts,
                        DefaultValuedParameter<"int64_t", "0">:$min_blocks);
}

def Fusion_SplitReductionScheduleAttr : Fusion_ScheduleAttr<"SplitReductionSchedule", "split_reduction"> {
  let summary = "some thread blocks an output element";
  let description = [{
    For segments with few results, or long rows, each a reduction of many elements. Two kernels: in the first a block of
    `threads` threads (a power of two from 32 to 1024) reduces 65,536 elements of a result, in the second a block of `fold_threads` threads
    (a power of two from 32 to 256) adds up what these have found and makes the result of it. All reductions reduce the same dimensions of the same shape, among
    them the last, and none is made of another one. `min_blocks` is how many blocks of the first kernel a multiprocessor has to have
    room for; 0 says nothing. `programmatic`: the second kernel starts while blocks of the first one still run, and waits for them (compute capability 9.0 and later).

    Example: `#fusion.split_reduction<threads = 512, fold_threads = 64, min_blocks = 2, programmatic = true>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$fold_threads,
                        DefaultValuedParameter<"int64_t", "0">:$min_blocks,
                        DefaultValuedParameter<"bool", "false">:$programmatic);
}

def Fusion_TileScheduleAttr
    : Fusion_Attr<"TileSchedule", "tile",
        [DeclareAttrInterfaceMethods<Fusion_ScheduleAttrInterface>]> {
  let summary = "a thread block a tile of elements";
  let description = [{
    A grid over the elements of a *space*: those of the results, or those that reductions reduce. A thread block has a tile of it, and `layout` says
    which thread has which element.

    - `kind`: the scheduler that it belongs to, `pointwise`, `row_reduction`, `outer_reduction`, `inner_outer_reduction`, `row_scan`, `split_scan`, `outer_scan`, `row_order` or `scatter`.
    - `axes`: the dimensions of the space, each once. An axis is some of them as one, from slowest to fastest. Without reductions each vector has
      neighbours in the last dimension of the last axis, which is cut into vectors first; that is the last dimension, too, unless something is staged. With `row_reduction` there are two axes, the dimensions of rows and those of columns.
    - `layout`: of each axis the places of the bits of a coordinate, from the lowest on: `r` bits of the number of a register of the
      thread, `l` of the lane in the warp, `w` of the warp in the block, `b` of the block in a cluster. `[[w2], [r3, l5]]` is a tile of 4 x 256 elements, in which a thread has 8 neighbours along the last
      axis and a warp has a row. The bits of a place are numbered from the last axis to the first, unless the first one is named: `[[l4:0], [l1:4]]`. Bits of registers that begin the last axis
      are a *vector*, of up to 256 neighbours.
    - `repeat`: so many tiles follow each other along each axis in the registers of a block, 1 if left out.
    - `reads` and `results`, with `pointwise`: operands and results of the segment, by number, scalars counted too, that are read or written in the layout
      `staged`, of the same tile, and handed over through shared memory. A read that is staged is one at coordinates of the results as they are: one or more of each operand, each with a tile of its own. Other
      reads of the same operand, such as of the matrix beside its transpose, stay what they are. All tiles fit into the shared memory of a block (48 KiB). Where both layouts begin an axis with `r` bits, these
      are vectors, as far as they divide the axis' last dimension: a thread turns such a small tile in registers, and neighbours of either axis are accessed at once.
    - `fold`, with `outer_reduction` and always with `inner_outer_reduction`: a block has one part of the rows, and a second kernel, whose tile has this layout, adds the parts. Without it a block has all rows of its columns.
    - `programmatic`, with `fold`: the second kernel starts while blocks of the first one still run, and waits for them (compute capability 9.0 and later).
    - `min_blocks`: how many blocks, of the first kernel, a multiprocessor has to have room for: what a thread can have of its registers follows from it; 0 says nothing.
    - `stages`, with `split_scan` up to 3: see below. With `inner_outer_reduction` up to 8 and with `row_reduction` up to 1: so many rows of a block have a place in shared memory, to which each thread copies its elements asynchronously, and from which
      it reads them wherever they are used; so are what is read once for all rows, such as weights. Where rows follow each other all but one are under way, or, of three and more, all but two: then the next row is reduced, but for what other warps or blocks send of it, before one is finished, so that nobody waits for what was sent. Accesses of fewer than 4 bytes, inputs that the kernel
      writes to or whose neighbours are not next to each other in memory, and rows that begin anywhere and are shared by fewer than 8 lanes go to registers. 0, the default: all do.
    - `late_reads`, not with `outer_reduction` and `inner_outer_reduction`: what no reduction needs is read after the reductions, and has no place in shared memory. Otherwise all is read first, so that many reads are under way.

    A thread has at most 512 elements. In a `row_reduction` schedule the columns have `r` bits for at most 8 neighbours (the leaves of a reduction), then `l` bits, then `w` bits, then `b` bits, and are all in
    the tile; rows have no `r` bits and are not repeated. Threads that share a row are whole warps with those of other rows. With `b` bits the up to 16 blocks of a cluster share one row; they
    exchange sums through each other's shared memory (compute capability 9.0 and later).

    With `outer_reduction` the last dimension is not reduced. There are three axes: the kept dimensions before the last one that is reduced, those that are reduced, whose elements are *rows*, and the kept dimensions behind them. Rows are
    added [in a fixed order](../rationale/sums.md): from the lowest on, the bits of a row in the tile are 4 of its chain, 3 of the rows of a chain, which are `r` bits, and those of its part. The tile has all rows, or 1024 of at most 8192; a block goes from tile to tile. With `fold` the tile has 16 to 128 rows, and
    a block goes through those of its part; along the second axis of `fold` are parts, up to 1024, all of them at a time or some after the other. What warps exchange of a column fits into shared memory (48 KiB).

    With `inner_outer_reduction` some reductions reduce the last dimensions, the *columns*, and some all the others, the *rows*. The axes are none, rows, and columns. The tile has 1 to 16 rows, which are
    chains of a part, and all columns, whose bits are those of a `row_reduction`. A block, or a cluster if columns have `b` bits, goes through the rows of its chains, and reads each while it computes with the one before it.
    Rows begin with `r` bits for chains that come one after the other; what is added of the earlier ones waits in shared memory.

    With `row_scan` the last dimension is scanned. There are two axes, the dimensions of rows and the last one, *columns*, whose bits are `r` bits for a leaf of [the scans' order](../rationale/sums.md#scans),
    then `l` bits, then `w` bits, the first ones of each. Rows that are longer than the tile are gone through in steps; a tile that less than a warp has of a row has all of it.

    With `split_scan` several thread blocks share a row. A tile has a section of the scans' order, 64 segments of one row, or, where integers are scanned, up to 4 sections. A block tells those behind it what its tile is combined to, and waits for the tiles before.
    With `stages` it reads its tile in so many parts and one more; all but the last one wait in shared memory (48 KiB with what else is shared), so that more blocks have room for their tiles.

    With `outer_scan` another dimension is scanned. There are three axes, the dimensions before it, that one, of whose elements a thread has leaves, `r` bits, and those behind it. A tile has whole segments of the scans' order, or all of the dimension; a block goes from tile to tile.

    With `row_order` the rows of one `argsort` or `argtopk` are sorted, along any dimension; what is made of its result at the same place, by element-wise ops and takes, may be beside it. There are two axes, the other dimensions and that one, *columns*, which are up to 4096, a power of two. Of rows that are known to be longer than the tile, but of
    which no more than half a tile is asked for, the first elements of each tile are sorted again, until they are one tile. All else is sorted in tiles that further kernels merge. Where a row has several tiles, or is not of the last dimension, a tile has one row.

    Where the columns have the `l` bits first, then `r` bits, then `w` bits, rows are sorted digit by digit, of up to 8 bits of the elements' keys, from the lowest one on: blocks count the digits of their tiles, and put each element of a tile into its place. A block has 256 threads, one for each value of a digit.

    With `scatter` the indices of one `scatter` or `scatter_along_axis` are sorted in the same way; the axes are dimensions of the indices. Then a thread has all updates of one element.

    Examples: `#fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l5, w2]], repeat = [2]>`,
    `#fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[w2], [r3, l5]], repeat = [1, 3]>`,
    `#fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r3, l1, w3], [r3, l4]], staged = [[], [r3, l4:0], [r3, l1:4, w3]], reads = [0]>`,
    `#fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r3, l5]], fold = [[], [r3, w3], [l5]], min_blocks = 1>`,
    `#fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [r1, w2], [r3, l5, w1]], repeat = [1, 1, 2], fold = [[], [r3, w3], [l5]], min_blocks = 2>`,
    `#fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r2, l5, w3]], repeat = [1, 8]>`,
    `#fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r3, l5, w4]], repeat = [1, 4]>`,
    `#fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r1, l5, w3]], repeat = [1, 16], min_blocks = 3, stages = 1>`,
    `#fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [r2, w4], [l5]], repeat = [1, 4, 1]>`,
    `#fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[w2], [r2, l5]]>`,
    `#fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [l5, r4, w3]], min_blocks = 3>`,
    `#fusion.tile<kind = "scatter", axes = [[], [0]], layout = [[], [r2, l5, w5]], min_blocks = 1>`
  }];
  let parameters = (ins StringRefParameter<>:$kind,
                        ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$axes,
                        ArrayRefParameter<"::fuser::LayoutRun">:$layout,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$repeat,
                        OptionalArrayRefParameter<"::fuser::LayoutRun">:$staged,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$reads,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$results,
                        OptionalArrayRefParameter<"::fuser::LayoutRun">:$fold,
                        DefaultValuedParameter<"bool", "false">:$programmatic,
                        DefaultValuedParameter<"int64_t", "0">:$min_blocks,
                        DefaultValuedParameter<"int64_t", "0">:$stages,
                        DefaultValuedParameter<"bool", "false">:$late_reads);
  let assemblyFormat = [{
    `<` struct($kind, custom<Axes>($axes), custom<Layout>($layout), $repeat, custom<Layout>($staged), $reads, $results, custom<Layout>($fold), $programmatic, $min_blocks, $stages, $late_reads) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::fuser::TileLayout getTileLayout() const;
    /// Without axes if nothing is staged.
    ::fuser::TileLayout getStagedLayout() const;
    /// Without axes if there is no second kernel.
    ::fuser::TileLayout getFoldLayout() const;

    /// Kinds of reductions.
    static constexpr ::llvm::StringLiteral kRowReduction = "row_reduction";
    static constexpr ::llvm::StringLiteral kOuterReduction = "outer_reduction";
    static constexpr ::llvm::StringLiteral kInnerOuterReduction = "inner_outer_reduction";
    /// Of fibres.
    static constexpr ::llvm::StringLiteral kRowScan = "row_scan";
    static constexpr ::llvm::StringLiteral kSplitScan = "split_scan";
    static constexpr ::llvm::StringLiteral kOuterScan = "outer_scan";
    static constexpr ::llvm::StringLiteral kRowOrder = "row_order";
    static constexpr ::llvm::StringLiteral kScatter = "scatter";
  }];
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
    `kind` names the scheduler that it belongs to: `row_reduction`, of segments with a reduction, `pointwise`, of those without, or `generic`, of any. `vector` (a power of two
    up to 256) is how many lanes its loops have: no more than a dimension has, rounded up to a power of two.

    There are three kinds of kernels. What is left out below has the meaning given; no choice changes a bit of a result.

    *Tiles*: results of one shape are computed in one loop nest, and an element's reductions are loops inside of it. `groups` has
    an entry for each such group of results, in the order of its first result: `#fusion.cpu_flat`, `#fusion.cpu_tiles`,
    `#fusion.cpu_squares` or `#fusion.cpu_parts`. Left out for a segment without the structure of rows: `#fusion.cpu_tiles` for each.

    *Rows*, if there are no `groups` and the segment has their structure: all its reductions reduce the same dimensions of
    tensors of one shape, and what is computed with their results looks at those of the same row. A work item is a row, or a
    strip of `vector` columns if the last dimension is not reduced. It runs through its part of the space once for
    each stage: the reductions of a stage depend on those of the stages before. Later stages find the elements of an op with the
    attribute `fusion.keep` where it says: in scratch memory (`#fusion.keep<scratch>`), or where the op is stored as a result of the
    segment (`#fusion.keep<result>`). Everything else is computed again in each stage that needs it. An op can be kept
    if it is element-wise and as large as the space, and not the operand of an op that moves elements,
    such as a slice, nor computes one; what no later stage needs is not kept.

    Where strides, known or of a launch, make other elements neighbours in memory than those of the last dimension (of a transposed matrix), and there is one
    stage, in which operands are combined element by element, vectors are of those instead: of rows side by side, or of the columns of a strip one after the other.

    *Fibres*, for a segment of one op that computes them: a work item is a fibre, computed as the op does it. For one that puts them in order, `groups` may have one entry, `#fusion.cpu_order`.

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
    dimension `dim` by as many of the last one. Where the results' neighbours lie in `dim`, they are computed along the last dimension and stored
    along `dim`; else, where what is read can be read along `dim`, the other way. A work item is `chunk` (a multiple of `lanes` up to 2^30) positions of `dim`, and all of the last dimension. Work items
    follow each other in the dimensions as `order` has them, which is as in `#fusion.cpu_tiles`.

    Example: `#fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64>`
  }];
  let parameters = (ins "int64_t":$dim, "int64_t":$lanes, "int64_t":$chunk,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$order);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Fusion_CPUPartsAttr : Fusion_CPUGroupAttr<"CPUParts", "cpu_parts"> {
  let summary = "results side by side, a loop nest for each operand of a concatenation";
  let description = [{
    For results whose elements are made, element by element, of those of a `cat` along the last dimension whose operands have known sizes there: between two
    neighbouring ends of operands the elements come from the same operand, and have a loop nest of their own. A work item is `chunk` (1 to 2^30)
    positions of the last dimension but one, and all of the last. Vectors are of neighbours in the last dimension, but those of a part of at most
    `narrow` columns (left out 0), which are of `lanes` neighbours in the dimension before. `lanes` is a power of two up to 64 (left out 1), of which `chunk` is a multiple.

    Example: `#fusion.cpu_parts<chunk = 64, lanes = 16, narrow = 4>`
  }];
  let parameters = (ins "int64_t":$chunk, DefaultValuedParameter<"int64_t", "1">:$lanes,
                        DefaultValuedParameter<"int64_t", "0">:$narrow);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Fusion_CPUOrderAttr : Fusion_CPUGroupAttr<"CPUOrder", "cpu_order"> {
  let summary = "how fibres are put in order";
  let description = [{
    For a segment of one op that puts fibres in order (`argsort`, `argtopk`). Which way a fibre takes depends on how many elements it has:

    * At most `counted` (0 to 1024; left out 0): the place of an element is the number of those before it, for which vectors of elements are compared with all others.
    * At most `sorted` (left out: any number), if `items` is not 0: a sort from the lowest digit of their keys to the highest. There are `items` work items (up to
      65,536; left out 0), or as many as fibres. Each takes one fibre after the other, in memory of its own.
    * More: as the op does it, a heap in the memory of the result.

    Example: `#fusion.cpu_order<counted = 128, items = 64>`
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$counted, DefaultValuedParameter<"int64_t", "-1">:$sorted,
                        DefaultValuedParameter<"int64_t", "0">:$items);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONATTRS_TD
