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

def Fusion_CPUScheduleAttr : Fusion_ScheduleAttr<"CPUSchedule", "cpu"> {
  let summary = "a vectorised loop over a range of rows or tiles";
  let description = [{
    `kind` names the scheduler that it belongs to (`generic`, `pointwise`, `row_reduction`), `vector` (a power of two
    up to 256) the lanes of its loops.

    Example: `#fusion.cpu<kind = "row_reduction", vector = 64>`
  }];
  let parameters = (ins StringRefParameter<"the scheduler">:$kind, "int64_t":$vector);
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONATTRS_TD
