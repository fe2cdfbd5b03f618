//===- HostBufferOps.td - Buffers, names and views ---------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTBUFFEROPS_TD
#define FUSER_DIALECT_HOST_IR_HOSTBUFFEROPS_TD

include "fuser/Dialect/Host/IR/HostAttrs.td"
include "fuser/Dialect/Host/IR/HostDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Host_AllocOp : Host_Op<"alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a new buffer, in the order of the current stream";
  let description = [{
    Allocates a buffer whose dynamic sizes are `sizes`, in order. The memory may be used by work that is
    enqueued on the current stream after this. It is dense in `stride_order`, which lists the
    dimensions from the slowest to the fastest; default: row-major. With order `o`,

        stride(o[r-1]) = 1,  stride(o[k]) = stride(o[k+1]) * size(o[k+1])

    Constraints:
    * `alloc_c1`: one size for each dynamic dimension of the result.
    * `alloc_c2`: `stride_order` is a permutation of the dimensions.
    * `alloc_c3`: a static stride of the result type is the one that the order gives; where that
      depends on a dynamic size, the type's stride is dynamic.
    * `alloc_c4`: the result type's offset is 0.
    * `alloc_c5`: `stream` names a dimension, and a number of chunks that is not negative.

    Example:

    ```mlir
    %a = host.alloc (%n, %m) : memref<?x?xf32>
    %b = host.alloc (%n) {stride_order = array<i64: 1, 0>} : memref<?x8xf32, strided<[1, ?]>>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, OptionalAttr<DenseI64ArrayAttr>:$stride_order,
                       OptionalAttr<Host_StreamDimAttr>:$stream);
  let results = (outs Host_Buffer:$buffer);
  let assemblyFormat = "` ` `(` $sizes `)` (`stream` $stream^)? attr-dict `:` type($buffer)";
  let builders = [
    OpBuilder<(ins "::mlir::MemRefType":$type, "::mlir::ValueRange":$sizes,
                   CArg<"::mlir::DenseI64ArrayAttr", "{}">:$order), [{
      build($_builder, $_state, type, sizes, order, StreamDimAttr());
    }]>];
  let hasVerifier = 1;
}

def Host_DeallocOp : Host_Op<"dealloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "frees a buffer, in the order of the current stream";
  let description = [{
    Gives back a buffer of `host.alloc`. Work that was enqueued on the current stream before may still use it.

    Constraints:
    * `dealloc_c1`: the buffer is not an input of the program, and not the result of `host.output` or `host.workspace`.

    ```mlir
    host.dealloc %a : memref<?x?xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Host_WorkspaceOp : Host_Op<"workspace", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "memory that a program keeps from call to call";
  let description = [{
    Row-major memory of the program and of the current stream. The first call that asks for it makes it, and one that needs more makes it
    larger, so that a steady call allocates nothing. It is freed with the program, not by `host.dealloc`.

    What it holds is undefined, and ops of the same `number` have the same memory on one stream: one is in use until the next is
    asked for. With `zeroed` its bytes are 0 when it is made or made larger, and what has used it leaves them so (counters that the last
    block resets); numbers of these are their own.

    Constraints:
    * `workspace_c1`, `workspace_c2`: as `alloc_c1`, `alloc_c3` and `alloc_c4`, of row-major order.
    * `workspace_c3`: `number` is at least 0.

    ```mlir
    %partial = host.workspace 0 (%sections) : memref<?xf32>
    %counter = host.workspace 0 () zeroed : memref<1xi32>
    ```
  }];
  let arguments = (ins I32Attr:$number, Variadic<Index>:$sizes, UnitAttr:$zeroed);
  let results = (outs Host_Buffer:$buffer);
  let assemblyFormat = "$number ` ` `(` $sizes `)` (`zeroed` $zeroed^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Host_OutputOp : Host_Op<"output", [Host_Enqueues]> {
  let summary = "the buffer of an output of the program";
  let description = [{
    The caller's buffer if output `index` was preallocated, else a new one. Sizes and strides as in
    `host.alloc`; a preallocated buffer that has others is an error of the call.

    Constraints:
    * `output_c1`, `output_c2`, `output_c3`, `output_c4`: as `alloc_c1`, `alloc_c2`, `alloc_c3`, `alloc_c4`.
    * `output_c5`: in a host program, `index` is the number of one of its results, and the result's type has the same
      rank and element type.
    * `output_c6`: as `alloc_c5`.

    ```mlir
    %o = host.output 0 (%n) : memref<?x8xf32>
    ```
  }];
  let arguments = (ins I32Attr:$index, Variadic<Index>:$sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$stride_order,
                       OptionalAttr<Host_StreamDimAttr>:$stream);
  let results = (outs Host_Buffer:$buffer);
  let assemblyFormat = "$index ` ` `(` $sizes `)` (`stream` $stream^)? attr-dict `:` type($buffer)";
  let builders = [
    OpBuilder<(ins "::mlir::MemRefType":$type, "int32_t":$index, "::mlir::ValueRange":$sizes,
                   CArg<"::mlir::DenseI64ArrayAttr", "{}">:$order), [{
      build($_builder, $_state, type, index, sizes, order, StreamDimAttr());
    }]>];
  let hasVerifier = 1;
}

def Host_OutputViewOp : Host_Op<"output_view", [Host_Enqueues]> {
  let summary = "an output that is existing memory";
  let description = [{
    Output `index` is `view`: a view of the memory of tensor input `input` (counting memref arguments only), or, without `input`, a
    buffer of `host.alloc` whose ownership goes to the output. Nothing is copied or launched.

    Constraints:
    * `output_view_c1`: in a host program, `index` is the number of one of its results, and the result's type has the
      same rank and element type.
    * `output_view_c2`: in a host program, `input` is the number of one of its memref arguments.

    ```mlir
    host.output_view 0, %view input 1 : memref<4x?xf32, strided<[?, 1], offset: ?>>
    host.output_view 1, %buffer : memref<8xf32>
    ```
  }];
  let arguments = (ins I32Attr:$index, Host_Buffer:$view, OptionalAttr<I32Attr>:$input);
  let assemblyFormat = "$index `,` $view (`input` $input^)? attr-dict `:` type($view)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

def Host_DeclareOp : Host_Op<"declare", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a name for a buffer that is decided later";
  let description = [{
    Declares a buffer name. `host.alias` says which buffer it is; the pass `host-resolve-aliases` puts the buffer
    in place of the name.

    Constraints:
    * `declare_c1`: at most one `host.alias` names it.

    ```mlir
    %t5 = host.declare "t5" : memref<?x8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Host_Buffer:$buffer);
  let assemblyFormat = "$name attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Host_AliasOp : Host_Op<"alias", [
    MemoryEffects<[MemWrite]>]> {
  let summary = "this name is that buffer";
  let description = [{
    From now on the declared `name` is `buffer`, which may itself be a declared name (a chain).

    Constraints:
    * `alias_c1`: `name` is the result of a `host.declare`; to name an input, or a buffer that exists already, is an error.
    * `alias_c2`: the two types have the same rank and element type, and equal static sizes and
      strides.

    ```mlir
    host.alias %t5, %x : memref<?x8xf32>, memref<?x8xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$name, Host_Buffer:$buffer);
  let assemblyFormat = "$name `,` $buffer attr-dict `:` type($name) `,` type($buffer)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def Host_SelectOp : Host_Op<"select", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>, InferTypeOpAdaptor]> {
  let summary = "the view of a buffer at one index of a dimension";
  let description = [{
    Drops dimension `dim`: element `(i..., j...)` of the result is element `(i..., index, j...)` of the buffer.
    Nothing is copied. An index outside of the dimension is undefined.

    Constraints:
    * `select_c1`: 0 <= `dim` < rank.
    * `select_c2`: the result type is the buffer's without the dimension, with a dynamic offset
      (inferred).

    ```mlir
    %v = host.select %b dim 0 at %i : memref<4x?xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$buffer, I64Attr:$dim, Index:$index);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "$buffer `dim` $dim `at` $index attr-dict `:` type($buffer)";
}

def Host_SliceOp : Host_Op<"slice", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>, InferTypeOpAdaptor]> {
  let summary = "the view of a range of one dimension of a buffer";
  let description = [{
    The view of `size` indices of dimension `dim`, from `offset` on. Nothing is copied. A range that leaves
    the dimension is undefined.

    Constraints:
    * `slice_c1`: 0 <= `dim` < rank.
    * `slice_c2`: the result type is the buffer's with the dimension's size and the offset dynamic
      (inferred).

    ```mlir
    %v = host.slice %b dim 0 from %o size %n : memref<4x?xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$buffer, I64Attr:$dim, Index:$offset, Index:$size);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = [{
    $buffer `dim` $dim `from` $offset `size` $size attr-dict `:` type($buffer)
  }];
}

def Host_RebaseOp : Host_Op<"rebase", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>, InferTypeOpAdaptor]> {
  let summary = "the same elements, counted from the first one on";
  let description = [{
    A view of a part of a buffer has an offset from where the buffer begins. This one has offset 0: its memory begins at its first element.

    ```mlir
    %r = host.rebase %v : memref<?x8xf32, strided<[8, 1], offset: ?>>
    ```
  }];
  let arguments = (ins Host_Buffer:$buffer);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

#endif // FUSER_DIALECT_HOST_IR_HOSTBUFFEROPS_TD
