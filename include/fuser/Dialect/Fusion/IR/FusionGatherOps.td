//===- FusionGatherOps.td - Ops that read where tensors say -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONGATHEROPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONGATHEROPS_TD

include "fuser/Dialect/Fusion/IR/FusionIndexMapOps.td"

// An index map of one source, and of `indices` that say where along `dim` it is read. Indices are not negative.
class Fusion_GatherOp<string mnemonic, list<string> methods, string resultType>
    : Fusion_IndexMapOp<mnemonic, ["getNumSources", "hasFill", "emitFill"] # methods, [
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Fusion_StoredTensor:$input, Fusion_IndexTensor:$indices, I64Attr:$dim);
  let assemblyFormat = [{
    $input `,` $indices `dim` $dim attr-dict `:` type($input) `,` type($indices)
    custom<}] # resultType # [{>(type($result), ref(type($input)), ref(type($indices)), ref($dim))
  }];
  let extraClassDefinition = reifyDefinition # [{
    unsigned $cppClass::getNumSources() { return 1; }
    bool $cppClass::hasFill() { return true; }
    ::mlir::Value $cppClass::emitFill(::fuser::fusion::EmitContext &ctx, ::mlir::Type type) {
      return ::fuser::fusion::emitOutOfRange(ctx, getType().getElementType(), type);
    }
  }];
}

def Fusion_TakeOp : Fusion_GatherOp<"take", ["getResultDim", "appendDim"], "TakenType"> {
  let summary = "slices along a dimension, by their numbers";
  let description = [{
    `result[i, j, k] = input[i, indices[j], k]`: `i` are the dimensions of `input` before `dim`, `j` all those of `indices`, `k` those of `input`
    after `dim`. It is `take` of NumPy, and PyTorch's `embedding` (`dim` 0), `index_select` (`indices` of one dimension) and `select` (of none).

    An index that is no element of dimension `dim`, a negative one too, reads nothing: the element is NaN, the least integer, or false.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) `result` has the element type of `input`, and its shape with that of `indices` in place of `dim`.

    Example:
    ```mlir
    func.func @f(%table: tensor<50257x768xbf16>, %tokens: tensor<?x1024xi64>) -> tensor<?x1024x768xbf16> {
      %r = fusion.take %table, %tokens dim 0 : tensor<50257x768xbf16>, tensor<?x1024xi64>
      return %r : tensor<?x1024x768xbf16>
    }
    ```
  }];
}

def Fusion_TakeAlongAxisOp : Fusion_GatherOp<"take_along_axis", ["getResultDim", "getEqualDims"], "TakenAlongType"> {
  let summary = "an element along a dimension for each index";
  let description = [{
    `result[i] = input[j]` with `j[dim] = indices[i]`, else `j[d] = i[d]`. It is `take_along_axis` of NumPy, and PyTorch's `gather` of equal sizes.

    An index that is no element of dimension `dim`, a negative one too, reads nothing: the element is NaN, the least integer, or false.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) `indices` has the rank of `input`, and its sizes but for `dim`.
    - (C3) `result` has the element type of `input` and the shape of `indices`.

    Example:
    ```mlir
    // The logits of the classes that the targets are.
    func.func @f(%x: tensor<?x32000xf32>, %target: tensor<?x1xi64>) -> tensor<?x1xf32> {
      %r = fusion.take_along_axis %x, %target dim 1 : tensor<?x32000xf32>, tensor<?x1xi64>
      return %r : tensor<?x1xf32>
    }
    ```
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONGATHEROPS_TD
