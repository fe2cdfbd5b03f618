//===- FusionContractionOps.td - Matrix products -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONCONTRACTIONOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONCONTRACTIONOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

class Fusion_ContractionOp<string mnemonic>
    : Fusion_TensorOp<mnemonic, [DeclareOpInterfaceMethods<Fusion_ContractionOpInterface>]> {
  let results = (outs Fusion_FactorTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = reifyDefinition # [{
    ::mlir::OpFoldResult $cppClass::reifyDim(::fuser::fusion::EmitContext &ctx, unsigned, int64_t dim) {
      return ::fuser::fusion::reifyContractionDim(ctx, *this, dim);
    }
  }];
}

def Fusion_MatmulOp : Fusion_ContractionOp<"matmul"> {
  let summary = "product of matrices, or of batches of them";
  let description = [{
    `result[..., i, j]` is the sum over `k` of `lhs[..., i, k] * rhs[..., k, j]`. All dimensions but the last two count
    matrices; nothing is broadcast.

    Products and their sums are f64 for f64 and f32 for the other floats; the sum is rounded once, to the result's element type. Its order is
    that of the library or the kernel that computes it: it may depend on sizes, types, layouts and the device, but not on time.
    Integers are multiplied and added in the result's element type, and wrap there; kernels do so, whose speed is not that of a library.
    An empty sum is 0.

    Constraints:
    - (C1) `lhs`, `rhs` and `result` have the same rank, at least 2.
    - (C2) Their shapes are B x M x K, B x K x N and B x M x N, with any dimensions for B.
    - (C3) `lhs` and `rhs` have the same element type, an integer or a float of 16 bits or more; so has `result`, or f32 if that is f16 or bf16, or i32 or i64
      if it is a narrower integer.

    Example:
    ```mlir
    func.func @f(%a: tensor<8x?x64xbf16>, %b: tensor<8x64x32xbf16>) -> tensor<8x?x32xbf16> {
      %0 = fusion.matmul %a, %b : tensor<8x?x64xbf16>, tensor<8x64x32xbf16>
      return %0 : tensor<8x?x32xbf16>
    }
    ```
  }];
  let arguments = (ins Fusion_FactorTensor:$lhs, Fusion_FactorTensor:$rhs);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) custom<MatmulType>(type($result), ref(type($lhs)), ref(type($rhs)))
  }];
}

def Fusion_LinearOp : Fusion_ContractionOp<"linear"> {
  let summary = "product with the transpose of a matrix of weights";
  let description = [{
    `result[..., j]` is the sum over `k` of `input[..., k] * weight[j, k]`. How it is summed is as in `fusion.matmul`.

    Constraints:
    - (C1) `input` has at least one dimension, `weight` two, and `result` as many as `input`.
    - (C2) Their shapes are B x K, N x K and B x N, with any dimensions for B.
    - (C3) `input` and `weight` have the same element type, an integer or a float of 16 bits or more; so has `result`, or f32 if that is f16 or bf16, or i32 or i64
      if it is a narrower integer.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x?x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x?x32xf32> {
      %0 = fusion.linear %x, %w : tensor<?x?x64xf32>, tensor<32x64xf32>
      return %0 : tensor<?x?x32xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_FactorTensor:$input, Fusion_FactorTensor:$weight);
  let assemblyFormat = [{
    $input `,` $weight `` custom<NoBias>(ref($weight)) attr-dict `:` type($input) `,` type($weight) custom<LinearType>(type($result), ref(type($input)), ref(type($weight)))
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONCONTRACTIONOPS_TD
