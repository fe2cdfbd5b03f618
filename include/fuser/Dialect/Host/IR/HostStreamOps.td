//===- HostStreamOps.td - Copies, matrix products, streams, checks --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTSTREAMOPS_TD
#define FUSER_DIALECT_HOST_IR_HOSTSTREAMOPS_TD

include "fuser/Dialect/Host/IR/HostDialect.td"
include "fuser/Dialect/Host/IR/HostInterfaces.td"

def Host_MatmulOp : Host_Op<"matmul", [DeclareOpInterfaceMethods<Host_TensorOpInterface>, MemoryEffectsOpInterface]> {
  let summary = "a matrix product by a library, on the current stream";
  let description = [{
    `out[.., r, c] = sum over k of a[.., r, k] * b[.., k, c]`: by cuBLASLt on a GPU, opened when it is first needed, and by a plain loop on
    a CPU. Sums are of f64 for f64, of f32 for other types, and rounded once; without terms they are 0. On a GPU the order of a sum is
    the library's, and rows or columns of each matrix must be contiguous, which is checked at run time. Where the
    types do not show that sizes fit, that is checked at run time too.

    Constraints:
    * `matmul_c1`: all have rank 2, or all rank 3 (a batch of matrices).
    * `matmul_c2`: static sizes fit: `a` is `[B x] M x K`, `b` is `[B x] K x N`, `out` is `[B x] M x N`.
    * `matmul_c3`: `a` and `b` are of one type of f64, f32, f16 and bf16, and `out` of the same one, or of f32 for f16 and bf16.
    * `matmul_c4`: `out` is neither `a` nor `b`; its memory does not overlap theirs.

    ```mlir
    host.matmul %a, %b, %out : memref<?x64xbf16>, memref<64x128xbf16>, memref<?x128xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$a, Host_Buffer:$b, Host_Buffer:$out);
  let assemblyFormat = "$a `,` $b `,` $out attr-dict `:` type($a) `,` type($b) `,` type($out)";
  let hasVerifier = 1;
  let extraClassDeclaration = tensorOpEffects;
}

def Host_CopyOp : Host_Op<"copy", [DeclareOpInterfaceMethods<Host_TensorOpInterface>, MemoryEffectsOpInterface]> {
  let summary = "copies a buffer on the current stream";
  let description = [{
    Element by element; the buffers may have any strides. Where the types show that both hold their elements densely and in the same order, the device
    copies the bytes; otherwise `host-expand-ops` makes a kernel of it.

    Constraints:
    * `copy_c1`: same rank and element type; static sizes are equal; other sizes are checked at run time.

    ```mlir
    host.copy %src, %dst : memref<?x8xf32>, memref<?x8xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `,` type($dst)";
  let hasVerifier = 1;
  let extraClassDeclaration = tensorOpEffects # [{
    /// Whether the types show that to copy the bytes is enough.
    bool copiesBytes();
  }];
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
    Stream 0 is the caller's. Others are workers of the context, a pool of a fixed size (8 on a CPU, 32 on a GPU): number `i` of 1 or more is
    worker `(i - 1) mod size`, which is made when it is first needed. So the same number gives the same stream, a loop that takes a stream for
    each of its steps makes no more than the pool has, and numbers beyond the pool share streams, on which work is in order. A number below 0
    fails the call.

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
    for `values`, and `{{` for a brace.

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
