//===- FusionReductionOps.td - Ops that reduce dimensions -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONREDUCTIONOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONREDUCTIONOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

def Fusion_ReduceOp : Fusion_TensorOp<"reduce", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Fusion_ReductionOpInterface, ["isIdempotent", "getPartialKind"]>]> {
  let summary = "sum, greatest, least or mean over dimensions";
  let description = [{
    The elements of `input` whose indices differ in `dims` only become one element: their sum, the greatest, the least or
    the mean (sum divided by count). With `keep` the reduced dimensions stay, with size 1; without it they go.

    NaN among the elements gives NaN. Over no elements, `sum` is 0, `max` the lowest value (-inf for floats), `min` the
    highest, `mean` NaN. The order of a sum is the emitter's; it depends on its length, the element type and the target, and
    on nothing else.

    | element types | accumulated in |
    | --- | --- |
    | f64 | f64 |
    | f32, f16, bf16 | f32, then rounded |
    | i32, i64 | themselves, wrapping |

    Constraints:
    - (C1) `dims` are ascending dimensions of `input`, each once.
    - (C2) `result` has the element type of `input`, and its shape with `dims` of size 1 (`keep`) or removed.
    - (C3) The elements of a `mean` are floats.

    The type of the result can be left out.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> (tensor<?x1xf32>, tensor<?xf32>) {
      %0 = fusion.reduce <mean> %x dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
      %1 = fusion.reduce <max> %x dims [1] : tensor<?x8xf32> to tensor<?xf32>
      return %0, %1 : tensor<?x1xf32>, tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_ReduceKindAttr:$kind, Fusion_NumberTensor:$input,
                       DenseI64ArrayAttr:$dims, UnitAttr:$keep);
  let results = (outs Fusion_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $input `dims` custom<Dims>($dims, $keep) attr-dict `:` type($input)
    custom<ReducedType>(type($result), ref(type($input)), ref($dims), ref($keep))
  }];
  let hasVerifier = 1;
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONREDUCTIONOPS_TD
