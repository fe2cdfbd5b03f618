//===- HostTensorOps.td - Computations on buffers ----------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTTENSOROPS_TD
#define FUSER_DIALECT_HOST_IR_HOSTTENSOROPS_TD

include "fuser/Dialect/Host/IR/HostDialect.td"
include "fuser/Dialect/Host/IR/HostCommOps.td"
include "fuser/Dialect/Host/IR/HostInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Host_CallOp : Host_Op<"call", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a function of tensors, or another host program, on the current stream";
  let description = [{
    `callee` is a function of the module: one of tensors (`fusion` ops), which is compiled for the layouts that the arguments' types show (a
    memref without a layout is row-major; others may have any strides), or a host program. Tensors are memrefs here, and scalars
    themselves. The results are new buffers, or those in `outs`, one for each: they may have any strides, and one may be an argument, where the
    callee can write it in place. Other arguments do not overlap them, which is checked at run time where the program does not show it.

    `host-specialize-calls` gives each way of calling a function of tensors a function of its own, and `host-inline-calls` puts the
    callee's program in place of the call.

    Constraints:
    * `call_c1`: the callee is a function with a body, of tensors or a host program, which the arguments fit: as many, of the same types; memrefs have
      the rank and element type, and no static size that differs.
    * `call_c2`: there are as many results as the callee has, and no `outs`, or as many `outs`, and no results; they fit likewise.

    ```mlir
    %y = host.call @rmsnorm(%x, %w : memref<?x8xf32>, memref<8xf32>) -> memref<?x8xf32>
    host.call @rmsnorm(%x, %w : memref<?x8xf32>, memref<8xf32>) outs(%z : memref<?x8xf32, strided<[?, 1], offset: ?>>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args, Variadic<Host_Buffer>:$outs);
  let results = (outs Variadic<Host_Buffer>:$results);
  let assemblyFormat = [{
    $callee `(` ($args^ `:` type($args))? `)` (`outs` `(` $outs^ `:` type($outs) `)`)? (`->` type($results)^)? attr-dict
  }];
}

// host-expand-ops turns it into a call of a function of tensors.
class Host_TensorOp<string mnemonic>
    : Host_Op<mnemonic, [DeclareOpInterfaceMethods<Host_TensorOpInterface>, MemoryEffectsOpInterface]> {
  let hasVerifier = 1;
  let extraClassDeclaration = tensorOpEffects;
}

class Host_BinaryOp<string mnemonic> : Host_TensorOp<mnemonic> {
  let description = [{
    Element by element, as the `fusion` op of this name does; buffers may have any strides, and `out` may be `a` or `b`.

    Constraints:
    * `binary_c1`: all have the same rank and element type, and equal static sizes; other sizes are checked at run time.

    ```mlir
    host.}] # mnemonic # [{ %a, %b, %out : memref<?x8xf32>, memref<?x8xf32, strided<[?, ?]>>, memref<?x8xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$a, Host_Buffer:$b, Host_Buffer:$out);
  let assemblyFormat = "$a `,` $b `,` $out attr-dict `:` type($a) `,` type($b) `,` type($out)";
}

def Host_AddOp : Host_BinaryOp<"add"> {
  let summary = "the sum of two buffers";
}
def Host_SubOp : Host_BinaryOp<"sub"> {
  let summary = "the difference of two buffers";
}
def Host_MulOp : Host_BinaryOp<"mul"> {
  let summary = "the product of two buffers";
}
def Host_DivOp : Host_BinaryOp<"div"> {
  let summary = "the quotient of two buffers";
}

def Host_ReductionOp : Host_TensorOp<"reduction"> {
  let summary = "combines the elements of some dimensions";
  let description = [{
    Over the dimensions `dims`, which `out` does not have, as `fusion.reduce` does it.

    Constraints:
    * `reduction_c1`: `dims` are dimensions of `src`, ascending, none twice.
    * `reduction_c2`: `out` has the element type of `src` and its sizes in the other dimensions.
    * `reduction_c3`: the kind is sum, min, max, or for floats avg.

    ```mlir
    host.reduction <sum> %src, %out dims [1] : memref<?x8xf32>, memref<?xf32>
    ```
  }];
  let arguments = (ins Host_ReduceKindAttr:$kind, Host_Buffer:$src, Host_Buffer:$out, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$kind $src `,` $out `dims` $dims attr-dict `:` type($src) `,` type($out)";
}

def Host_FillOp : Host_TensorOp<"fill"> {
  let summary = "sets all elements of a buffer to a value";
  let description = [{
    Constraints:
    * `fill_c1`: the value has the buffer's element type.

    ```mlir
    host.fill %zero, %out : f32, memref<?x8xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$value, Host_Buffer:$out);
  let assemblyFormat = "$value `,` $out attr-dict `:` type($value) `,` type($out)";
}

def Host_LinearOp : Host_TensorOp<"linear"> {
  let summary = "x times the transpose of a weight matrix";
  let description = [{
    `out[.., n] = sum over k of x[.., k] * weight[n, k]`, as `fusion.linear` does it: by a library where the operands lie as it takes them.

    Constraints:
    * `linear_c1`: `weight` has rank 2, `x` and `out` have the same rank of at least 1.
    * `linear_c2`: static sizes fit: `x` is `.. x K`, `weight` is `N x K`, `out` is `.. x N`; `x` and `weight` have one element type.

    ```mlir
    host.linear %x, %w, %out : memref<?x64xbf16>, memref<128x64xbf16>, memref<?x128xbf16>
    ```
  }];
  let arguments = (ins Host_Buffer:$x, Host_Buffer:$weight, Host_Buffer:$out);
  let assemblyFormat = "$x `,` $weight `,` $out attr-dict `:` type($x) `,` type($weight) `,` type($out)";
}

#endif // FUSER_DIALECT_HOST_IR_HOSTTENSOROPS_TD
