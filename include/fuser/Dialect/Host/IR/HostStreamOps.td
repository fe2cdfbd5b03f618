//===- HostStreamOps.td - Launches, copies, streams and checks --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTSTREAMOPS_TD
#define FUSER_DIALECT_HOST_IR_HOSTSTREAMOPS_TD

include "fuser/Dialect/Host/IR/HostDialect.td"
include "mlir/IR/SymbolInterfaces.td"

def Host_LaunchOp : Host_Op<"launch", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "enqueues a kernel on the current stream";
  let description = [{
    Launches `kernel` over `grid` blocks of `block` threads. On the `cpu` target the grid counts work items and the
    block is (1, 1, 1). A grid with a zero launches nothing. `writes` lists the arguments (memrefs, by position) that the kernel may
    write; it only reads the others. Without it, every memref may be written.

    The kernel's parameters are made from the arguments as the kernel's attribute `fuser.params` says, a list of
    `"ptr:A"`, `"size:A:D"`, `"stride:A:D"` and `"scalar:A"` with argument numbers `A` and dimensions `D`.
    Kernels with that attribute are the program's, numbered in the order of the text.

    Constraints:
    * `launch_c1`: `block` and `cluster` have three sizes, each at least 1.
    * `launch_c2`: arguments are memrefs, `index`, integers or floats of at most 64 bits.
    * `launch_c3`: `writes` holds positions of memref arguments, ascending.
    * `launch_c4`: if the module that the symbol's root names is there, the kernel is in it; a symbol without a root is
      found beside the function.
    * `launch_c5`: if the kernel is a function of builtin types, its arguments (on `cpu` without those that follow the launch's:
      the two `index` arguments of a range of work items, and scratch memory) are as many as the launch's, and each has its type or, for
      memrefs, its rank, its element type, and no static size or stride but those that the launch's has too. A `memref.cast` before the
      launch says more of a buffer. The kernel is given the address of the first element, so offsets do not matter, nor do strides of
      dimensions of size 1.

    ```mlir
    host.launch @f_0::@f_0 grid(%gx, %gy, %gz) block(128, 1, 1) shared %bytes
        args(%a, %b, %n : memref<?xf32>, memref<?xf32>, index) writes [1]
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel,
                       Index:$grid_x, Index:$grid_y, Index:$grid_z,
                       DenseI32ArrayAttr:$block, OptionalAttr<DenseI32ArrayAttr>:$cluster,
                       Optional<Index>:$shared_bytes, Variadic<AnyType>:$args,
                       OptionalAttr<DenseI64ArrayAttr>:$writes);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid_x `,` $grid_y `,` $grid_z `)` `block` `` custom<Extents>($block)
    (`cluster` `` custom<Extents>($cluster)^)? (`shared` $shared_bytes^)?
    `args` `(` ($args^ `:` type($args))? `)` (`writes` $writes^)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::SymbolRefAttr":$kernel, "::mlir::ValueRange":$grid,
                   "::llvm::ArrayRef<int32_t>":$block, "::mlir::ValueRange":$args,
                   CArg<"::mlir::Value", "{}">:$sharedBytes)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True if the kernel may write argument `arg`, a memref.
    bool mayWrite(unsigned arg);
  }];
}

def Host_CopyOp : Host_Op<"copy", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies a buffer on the current stream";
  let description = [{
    Copies the bytes of `src` to `dst`. Both hold their elements densely and in the same order, which the program ensures
    where the types do not show it.

    Constraints:
    * `copy_c1`: same rank and element type; static sizes are equal.
    * `copy_c2`: static strides are equal, and if all sizes and strides are static, the elements are dense.

    ```mlir
    host.copy %src, %dst : memref<?x8xf32>, memref<?x8xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `,` type($dst)";
  let hasVerifier = 1;
}

def Host_GetStreamOp : Host_Op<"get_stream", [MemoryEffects<[MemRead<Host_CurrentStream>]>]> {
  let summary = "the current stream";
  let description = [{
    ```mlir
    %s = host.get_stream
    ```
  }];
  let results = (outs Host_Stream:$stream);
  let assemblyFormat = "attr-dict";
}

def Host_SetStreamOp : Host_Op<"set_stream", [Host_Enqueues]> {
  let summary = "makes a stream the current one";
  let description = [{
    What is enqueued from now on goes to `stream`.

    ```mlir
    host.set_stream %s
    ```
  }];
  let arguments = (ins Host_Stream:$stream);
  let assemblyFormat = "$stream attr-dict";
}

def Host_StreamOp : Host_Op<"stream", [Pure]> {
  let summary = "a stream by its number";
  let description = [{
    Stream 0 is the caller's; others belong to the context, which makes them when they are first asked for. The same number gives the same
    stream.

    ```mlir
    %s = host.stream %i
    ```
  }];
  let arguments = (ins Index:$index);
  let results = (outs Host_Stream:$stream);
  let assemblyFormat = "$index attr-dict";
}

def Host_SyncOp : Host_Op<"sync", [Host_Enqueues]> {
  let summary = "the current stream waits for another";
  let description = [{
    What is enqueued on the current stream from now on starts when all that `stream` has been given so far is done. The
    host does not wait.

    ```mlir
    host.sync %s
    ```
  }];
  let arguments = (ins Host_Stream:$stream);
  let assemblyFormat = "$stream attr-dict";
}

def Host_CheckOp : Host_Op<"check", [Host_Enqueues]> {
  let summary = "fails the call if a condition does not hold";
  let description = [{
    If `condition` is false, the program ends with `FUSER_INVALID_ARGUMENT` and `message`, in which `{0}`, `{1}`, ... stand
    for `values`.

    Constraints:
    * `check_c1`: every `{k}` in the message has a value.

    ```mlir
    host.check %same, "expected %b to have {0} rows as %a has, got {1}" (%n, %m : index, index)
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message,
                       Variadic<AnySignlessIntegerOrIndex>:$values);
  let assemblyFormat = [{
    $condition `,` $message (` ` `(` $values^ `:` type($values) `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // FUSER_DIALECT_HOST_IR_HOSTSTREAMOPS_TD
