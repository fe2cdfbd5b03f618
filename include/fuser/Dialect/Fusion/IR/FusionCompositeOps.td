//===- FusionCompositeOps.td - Functions of several ops, by name -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONCOMPOSITEOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONCOMPOSITEOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

def Fusion_CompositeOp : Op<Fusion_Dialect, "composite", [Pure]> {
  let summary = "an op of builders by its name, such as layer_norm";
  let description = [{
    What Python's builder calls by a name, in text: `name` is one of docs/spec/builder-ops.md, with operands and attributes as they are written there. It
    takes any operands that PyTorch would take: types are promoted and shapes broadcast. `fusion-expand-composites`, which all tools run when they have read
    a program, makes other ops of it, so that passes, schedulers and the reference know nothing of it.
    The results that are written have the types of the results of the op of builders, or of the first ones of them: only the expansion knows these.

    Operands are tensors, scalars, indices (sizes, which count as `i64`) and numbers that are written where they are used: `numbers`, at `positions` among
    all operands. As in Python, a number does not change the type of a float tensor. `options` may be flags without a value (`has_bias`), integers,
    element types (`type = bf16`), strings, or lists of numbers, in
    which `unit` stands for the next of the op's last operands (`shape = [unit, 4]`).

    Constraints:
    - (C1) There are as many `positions` as `numbers`; they ascend, and each is less than the number of all operands.
    - (C2) Each number is an f64, an i64 or an i1.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x64x28x28xbf16>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<8x64x28x28xbf16> {
      %0 = fusion.composite "group_norm"(%x, 1.0e-5, %w, %b) {groups = 32, has_weight, has_bias}
          : (tensor<8x64x28x28xbf16>, tensor<64xf32>, tensor<64xf32>) -> tensor<8x64x28x28xbf16>
      return %0 : tensor<8x64x28x28xbf16>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Fusion_SegmentOperand>:$operands, DenseI64ArrayAttr:$positions,
                       ArrayAttr:$numbers, DictionaryAttr:$options);
  let results = (outs Variadic<Fusion_SegmentOperand>:$results);
  let assemblyFormat = [{
    $name `(` custom<MixedOperands>($operands, $positions, $numbers) `)` custom<PlainAttributes>($options) attr-dict-with-keyword `:`
    functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// All operands in order: a value, or a number.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOperands();
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONCOMPOSITEOPS_TD
