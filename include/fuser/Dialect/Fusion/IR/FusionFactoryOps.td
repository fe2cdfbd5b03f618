//===- FusionFactoryOps.td - Ops that make tensors of scalars -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONFACTORYOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONFACTORYOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

def Fusion_FullOp : Fusion_TensorOp<"full", [
    TypesMatchWith<"value has the element type of the result", // full_c1
                   "result", "value",
                   "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">,
    DeclareOpInterfaceMethods<Fusion_FactoryOpInterface, ["isUniform"]>]> {
  let summary = "tensor of one value";
  let description = [{
    `result[i] = value`. Each dynamic dimension of the result takes the next of `sizes`.

    Constraints:
    - (C1) `value` has the element type of the result.
    - (C2) There are as many `sizes` as the result has dynamic dimensions.

    Example:
    ```mlir
    func.func @f(%n: index) -> tensor<?x8xf32> {
      %c = arith.constant 1.0 : f32
      %r = fusion.full %c sizes(%n) : tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_Element:$value, Variadic<Index>:$sizes);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$value (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDefinition = reifyDefinition # [{
    bool $cppClass::isUniform() { return true; }
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONFACTORYOPS_TD
