//===- HostAttrs.td - What a program says of its tensors --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTATTRS_TD
#define FUSER_DIALECT_HOST_IR_HOSTATTRS_TD

include "fuser/Dialect/Host/IR/HostDialect.td"

def Host_AliasKind : I32EnumAttr<"AliasKind", "where the memory of an output comes from", [
    I32EnumAttrCase<"New", 0, "new">, I32EnumAttrCase<"Reuse", 1, "reuse">,
    I32EnumAttrCase<"View", 2, "view">]> {
  let cppNamespace = "::fuser::host";
  let genSpecializedAttr = 0;
}

def Host_TensorAttr : AttrDef<Host_Dialect, "Tensor"> {
  let mnemonic = "tensor";
  let summary = "what a program asks of an input, or promises of an output";
  let description = [{
    More than the type of the memref says: the element type (`i1` lies in memory as `i8`), sizes that must be equal (the same symbol `sK`),
    the dimensions from the slowest to the fastest, or `any` strides, the alignment in bytes, `required` where the program itself asks for
    the order or the alignment and no other variant of it takes another one, and for an output the input whose memory it is: written (`reuse`), or
    a `view` of it.

    `fusion-to-host` writes it, and the compiled program is described by it. Without it, sizes that are open may all differ, and the rest is
    what the type says.

    Constraints:
    * `tensor_c1`: elements are integers or floats.
    * `tensor_c2`: the order names each dimension once.
    * `tensor_c3`: the alignment is a power of two.

    ```mlir
    #host.tensor<bf16 [s0, 4096] order [0, 1] align 16>
    #host.tensor<i1 [s0, s0] any align 1>
    #host.tensor<f32 [s0] order [0] align 4 required reuse 0>
    ```
  }];
  let parameters = (ins "::mlir::Type":$element, ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$order, "bool":$orderRequired,
                        "int64_t":$alignment, "bool":$alignmentRequired,
                        "AliasKind":$alias, "unsigned":$input);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Any strides are taken. A tensor without dimensions has no strides.
    bool takesAnyStrides() const { return getOrder().empty() && !getSizes().empty(); }
  }];
}

def Host_SizeAttr : AttrDef<Host_Dialect, "Size"> {
  let mnemonic = "size";
  let summary = "what a program asks of a size that is a symbol";
  let description = [{
    The size that is symbol `symbol` of `#host.tensor` is a multiple of `divisor`, at most `bound` (-1: as large as it likes) and at least
    `lowerBound`: kernels count on that. `requiredDivisor` and `requiredBound` are what the program itself asks for, so that no other variant of it takes a size
    that breaks them.

    The function has a list of them, `host.sizes`. `fusion-to-host` writes it, and the compiled program is described by it.

    Constraints:
    * `size_c1`: the symbol and the lower bound are not negative, divisors are at least 1, and bounds at least -1.
    * `size_c2`: the divisor is a multiple of the required one, and the bound within the required one.
    * `sizes_c1`: a function carries `host.sizes`, an array of sizes, each of another symbol.

    ```mlir
    #host.size<symbol = 1, divisor = 8, bound = 4096, requiredBound = 16384>
    ```
  }];
  let parameters = (ins "int64_t":$symbol, DefaultValuedParameter<"int64_t", "1">:$divisor,
                        DefaultValuedParameter<"int64_t", "-1">:$bound,
                        DefaultValuedParameter<"int64_t", "1">:$requiredDivisor,
                        DefaultValuedParameter<"int64_t", "-1">:$requiredBound,
                        DefaultValuedParameter<"int64_t", "0">:$lowerBound);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Host_StreamDimAttr : AttrDef<Host_Dialect, "StreamDim"> {
  let mnemonic = "stream_dim";
  let summary = "a dimension of a buffer that is computed chunk by chunk, each on a stream";
  let description = [{
    What computes the buffer becomes a loop over the chunks of dimension `dim`, by `host-stream-loops`. `chunks` is how many there are,
    the last one perhaps smaller; without it each index is a chunk.

    ```mlir
    %o = host.output 0 (%n) stream <0> : memref<?x8xf32>
    %t = host.alloc (%n) stream <1 chunks 4> : memref<8x?xf32>
    ```
  }];
  let parameters = (ins "int64_t":$dim, DefaultValuedParameter<"int64_t", "0">:$chunks);
  let assemblyFormat = "`<` $dim (`chunks` $chunks^)? `>`";
}

#endif // FUSER_DIALECT_HOST_IR_HOSTATTRS_TD
