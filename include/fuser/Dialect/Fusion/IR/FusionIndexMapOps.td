//===- FusionIndexMapOps.td - Ops that move elements -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONINDEXMAPOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONINDEXMAPOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

class Fusion_IndexMapOp<string mnemonic, list<string> methods = [], list<Trait> traits = []>
    : Fusion_TensorOp<mnemonic, traits # [
        DeclareOpInterfaceMethods<Fusion_IndexMapOpInterface, ["getContiguousWidth"] # methods>]> {
  let results = (outs Fusion_StoredTensor:$result);
  let hasVerifier = 1;
}

// One that may be a view: other strides of its operand's memory.
class Fusion_StridedIndexMapOp<string mnemonic, list<string> methods = [], list<Trait> traits = []>
    : Fusion_IndexMapOp<mnemonic, ["getStridedMap"] # methods, traits>;

def Fusion_BroadcastOp : Fusion_StridedIndexMapOp<"broadcast", ["isUniformInLastDim", "appendDim"], [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "insertion of dimensions of size 1";
  let description = [{
    The result has a new dimension of size 1 at each of the positions `dims` (counted in the result); its other dimensions
    are those of `input`, in order. `expand` gives the new dimensions another size.

    Constraints:
    - (C1) `dims` are ascending dimensions of the result, each once.
    - (C2) `result` has the element type of `input`, and its shape with size 1 inserted at `dims`.

    The type of the result can be left out.

    Example:
    ```mlir
    func.func @f(%x: tensor<8192xf32>) -> tensor<1x8192xf32> {
      %r = fusion.broadcast %x dims [0] : tensor<8192xf32> to tensor<1x8192xf32>
      return %r : tensor<1x8192xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_StoredTensor:$input, DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $input `dims` $dims attr-dict `:` type($input) custom<BroadcastType>(type($result), ref(type($input)), ref($dims))
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Fusion_BroadcastInDimOp : Fusion_StridedIndexMapOp<"broadcast_in_dim", ["isUniformInLastDim", "appendDim"]> {
  let summary = "new dimensions and repetition, in one";
  let description = [{
    Dimension `d` of `input` is dimension `dims[d]` of the result. `result[i] = input[j]`, with `j[d] = 0` where the input's dimension has the
    static size 1, else `j[d] = i[dims[d]]`. Each dynamic dimension of the result that is new, or that the input has with size 1, takes the
    next of `sizes`. It is what `broadcast` and `expand` give together, which it becomes (`canonicalize`).

    Constraints:
    - (C1) `dims` are ascending dimensions of the result, one for each dimension of `input`.
    - (C2) `input` and `result` have the same element type.
    - (C3) In each dimension the input has the static size 1 or the result's size.
    - (C4) There are as many `sizes` as dynamic dimensions of the result whose size the input does not give.

    Example:
    ```mlir
    func.func @f(%bias: tensor<8192xf32>, %n: index) -> tensor<?x8192xf32> {
      %r = fusion.broadcast_in_dim %bias dims [1] sizes(%n) : tensor<8192xf32> to tensor<?x8192xf32>
      return %r : tensor<?x8192xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_StoredTensor:$input, DenseI64ArrayAttr:$dims, Variadic<Index>:$sizes);
  let assemblyFormat = [{
    $input `dims` $dims (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($input) `to` type($result)
  }];
  let hasCanonicalizer = 1;
}

def Fusion_ExpandOp : Fusion_StridedIndexMapOp<"expand", ["isUniformInLastDim", "appendDim"]> {
  let summary = "repetition along dimensions of size 1";
  let description = [{
    `result[i] = input[j]` with `j[d] = 0` where the input's dimension `d` has the static size 1, else `j[d] = i[d]`. Each
    dynamic dimension of the result that the input has with size 1 takes the next of `sizes`.

    Constraints:
    - (C1) `input` and `result` have the same rank and element type.
    - (C2) In each dimension the input has the static size 1 or the result's size.
    - (C3) There are as many `sizes` as dimensions that are 1 in `input` and dynamic in `result`.

    Example:
    ```mlir
    func.func @f(%x: tensor<1x8192xf32>, %n: index) -> tensor<?x8192xf32> {
      %r = fusion.expand %x sizes(%n) : tensor<1x8192xf32> to tensor<?x8192xf32>
      return %r : tensor<?x8192xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_StoredTensor:$input, Variadic<Index>:$sizes);
  let assemblyFormat = [{
    $input (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($input) `to` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Fusion_PermuteOp : Fusion_StridedIndexMapOp<"permute", ["appendDim"], [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "other order of the dimensions";
  let description = [{
    Dimension `d` of the result is dimension `permutation[d]` of `input`.

    Constraints:
    - (C1) `permutation` holds each dimension of `input` once.
    - (C2) `result` has the element type of `input`, and its sizes in the order of `permutation`.

    The type of the result can be left out.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<8x?xf32> {
      %r = fusion.permute %x [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
      return %r : tensor<8x?xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_StoredTensor:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input)
    custom<PermutedType>(type($result), ref(type($input)), ref($permutation))
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Fusion_ReshapeOp : Fusion_StridedIndexMapOp<"reshape", ["keepsLinearOrder", "getResultDim", "divideResultSize", "appendDim"]> {
  let summary = "other shape for the same elements in the same order";
  let description = [{
    The elements of `input` in row-major order are those of the result in row-major order. Each dynamic dimension of the
    result takes the next of `sizes`; a single dynamic dimension needs none, its size follows from the number of
    elements (and is 0 if another dimension of the result is 0).

    Constraints:
    - (C1) `input` and `result` have the same element type.
    - (C2) They have the same number of elements, as far as sizes are static.
    - (C3) There are as many `sizes` as the result has dynamic dimensions, or none for a single one.

    Sizes that are only known at run time must agree too; a program in which they do not has no meaning.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x4096xf32>, %n: index, %m: index) -> (tensor<?x32x128xf32>, tensor<?x?xf32>) {
      %0 = fusion.reshape %x : tensor<?x4096xf32> to tensor<?x32x128xf32>
      %1 = fusion.reshape %x sizes(%n, %m) : tensor<?x4096xf32> to tensor<?x?xf32>
      return %0, %1 : tensor<?x32x128xf32>, tensor<?x?xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_StoredTensor:$input, Variadic<Index>:$sizes);
  let assemblyFormat = [{
    $input (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($input) `to` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Fusion_SliceOp : Fusion_StridedIndexMapOp<"slice", ["getResultDim", "divideResultSize", "appendDim"], [AttrSizedOperandSegments]> {
  let summary = "regular part of a tensor";
  let description = [{
    `result[i] = input[j]` with `j[d] = offsets[d] + i[d] * steps[d]`; `sizes` are those of the result. Each offset, size and
    step is an integer or a value.

    Constraints:
    - (C1) There are as many offsets, sizes and steps as `input` has dimensions.
    - (C2) Offsets and sizes are not negative, steps are positive.
    - (C3) `result` has the element type of `input` and the shape `sizes`.
    - (C4) The last element of each dimension, `offset + (size - 1) * step`, lies in `input`, as far as these are static.

    Values must keep C2 and C4 at run time; a program in which they do not has no meaning.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x128xf32>, %n: index) -> tensor<?x64xf32> {
      %r = fusion.slice %x offsets [0, 64] sizes [%n, 64] steps [1, 1] : tensor<?x128xf32>
      return %r : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_StoredTensor:$input, Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       Variadic<Index>:$steps, DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$static_steps);
  let assemblyFormat = [{
    $input `offsets` custom<DynamicIndexList>($offsets, $static_offsets)
    `sizes` custom<DynamicIndexList>($sizes, $static_sizes)
    `steps` custom<DynamicIndexList>($steps, $static_steps)
    attr-dict `:` type($input) custom<SlicedType>(type($result), ref(type($input)), ref($static_offsets), ref($static_sizes), ref($static_steps))
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$steps)>,
  ];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSteps();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Fusion_CatOp : Fusion_StridedIndexMapOp<"cat", ["getResultDim", "appendDim", "getJoinedDim"], [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "tensors one after another along a dimension";
  let description = [{
    The elements of the first input come first along dimension `dim`, then those of the second, and so on.

    Constraints:
    - (C1) There is at least one input, and `dim` is one of its dimensions.
    - (C2) All inputs have the same element type, rank, and sizes but for `dim`.
    - (C3) `result` has that type; its size in `dim` is the sum of theirs, dynamic if one of them is.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x4xf32>) -> tensor<?x12xf32> {
      %r = fusion.cat %x, %y dim 1 : tensor<?x8xf32>, tensor<?x4xf32>
      return %r : tensor<?x12xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Fusion_StoredTensor>:$inputs, I64Attr:$dim);
  let assemblyFormat = [{
    $inputs `dim` $dim attr-dict `:` type($inputs) custom<CatType>(type($result), ref(type($inputs)), ref($dim))
  }];
  let hasFolder = 1;
}

def Fusion_PadOp : Fusion_IndexMapOp<"pad", ["hasFill", "emitFill", "getResultDim", "appendDim"], [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    OptionalTypesMatchWith<"value has the element type of input", "input", "value",
                           "::fuser::getScalarType(::mlir::getElementTypeOrSelf($_self))">]> { // pad_c5
  let summary = "more elements before and behind those of a tensor";
  let description = [{
    Dimension `d` of the result is `low[d]` elements, those of `input`, and `high[d]` elements. `result[i] = input[j]` with `j[d] = i[d] - low[d]`, where
    that is an element of `input`. What the others are `mode` says:

    | mode | elsewhere, of `n` elements along `d` |
    | --- | --- |
    | `constant` | `value`, zero if there is none |
    | `replicate` | the nearest element: `j[d]` is 0 or `n - 1` |
    | `reflect` | what lies as far on the other side of the first or the last element, which is not repeated: `-j[d]` or `2 * (n - 1) - j[d]` |
    | `circular` | what is at the other end: `j[d] + n` or `j[d] - n` |

    Each number of `low` and `high` is an integer or a value.

    Constraints:
    - (C1) There are as many numbers in `low` and in `high` as `input` has dimensions.
    - (C2) They are not negative.
    - (C3) `result` has the element type of `input`, and in each dimension the sum of the three sizes, dynamic if one of them is.
    - (C4) Where something is added, `replicate` needs an element along the dimension, `reflect` more elements than are added on either side, `circular` as many.
    - (C5) `value` has the element type of `input`, and is there in the mode `constant` only.

    Values and dynamic sizes must keep C2 and C4 at run time; a program in which they do not has no meaning. The type of the result can be left out.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x30xf32>, %n: index) -> (tensor<?x32xf32>, tensor<?x31xf32>) {
      %0 = fusion.pad <reflect> %x low [0, 1] high [0, 1] : tensor<?x30xf32> to tensor<?x32xf32>
      %c = arith.constant -1.0 : f32
      %1 = fusion.pad <constant> %x low [%n, 0] high [0, 1] value %c : tensor<?x30xf32> to tensor<?x31xf32>
      return %0, %1 : tensor<?x32xf32>, tensor<?x31xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_PadModeAttr:$mode, Fusion_Tensor:$input, Variadic<Index>:$low, Variadic<Index>:$high,
                       Optional<Fusion_Scalar>:$value, DenseI64ArrayAttr:$static_low, DenseI64ArrayAttr:$static_high);
  let assemblyFormat = [{
    $mode $input `low` custom<DynamicIndexList>($low, $static_low) `high` custom<DynamicIndexList>($high, $static_high)
    (`value` $value^)? attr-dict `:` type($input)
    custom<PaddedType>(type($result), ref(type($input)), ref($static_low), ref($static_high))
  }];
  let builders = [
    OpBuilder<(ins "::fuser::fusion::PadMode":$mode, "::mlir::Value":$input,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$low,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$high,
                   CArg<"::mlir::Value", "{}">:$value)>,
  ];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedLow();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedHigh();
    /// Whether dimension `dim` may become longer.
    bool isPadded(int64_t dim);
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONINDEXMAPOPS_TD
