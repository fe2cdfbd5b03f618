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
                   "::fuser::getScalarType(::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">,
    DeclareOpInterfaceMethods<Fusion_FactoryOpInterface, ["isUniform", "emitUniform"]>]> {
  let summary = "tensor of one value";
  let description = [{
    `result[i] = value`. Each dynamic dimension of the result takes the next of `sizes`.

    Constraints:
    - (C1) `value` has the element type of the result, without a sign.
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
  let arguments = (ins Fusion_Scalar:$value, Variadic<Index>:$sizes);
  let results = (outs Fusion_RealTensor:$result);
  let assemblyFormat = "$value (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDefinition = reifyDefinition # [{
    bool $cppClass::isUniform() { return true; }
  }];
}

def Fusion_IotaOp : Fusion_TensorOp<"iota", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<Fusion_FactoryOpInterface>]> {
  let summary = "numbers that go up by one step along a dimension";
  let description = [{
    `result[i] = start + i[dim] * step`, of integers, which wrap. `progression` is the start, 0 if it is not there, and behind it the step, else 1.
    Each dynamic dimension of the result takes the next of `sizes`.

    Constraints:
    - (C1) `dim` is a dimension of the result.
    - (C2) There are as many `sizes` as the result has dynamic dimensions.
    - (C3) `progression` is at most two numbers, of the element type of the result, without a sign.

    Example:
    ```mlir
    // Whether a key comes after a query.
    func.func @f() -> tensor<64x64xi1> {
      %q = fusion.iota dim 0 : tensor<64x64xi32>
      %k = fusion.iota dim 1 : tensor<64x64xi32>
      %r = fusion.cmp <gt> %k, %q : tensor<64x64xi32>
      return %r : tensor<64x64xi1>
    }
    ```
  }];
  let arguments = (ins I64Attr:$dim, Variadic<Fusion_Scalar>:$progression, Variadic<Index>:$sizes);
  let results = (outs Fusion_IntegerTensor:$result);
  let assemblyFormat = [{
    `dim` $dim (`from` `(` $progression^ `)`)? (`sizes` `(` $sizes^ `)`)? attr-dict `:`
    custom<TypeOfElements>(type($result), type($progression), ref($progression))
  }];
  let hasVerifier = 1;
}

def Fusion_ConstantOp : Fusion_TensorOp<"constant", [
    AllTypesMatch<["value", "result"]>, // constant_c1
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Fusion_FactoryOpInterface, ["isUniform", "emitUniform"]>]> {
  let summary = "tensor of numbers that the program says";
  let description = [{
    The elements of `value`: one for all, or each. Segments compute them by their index, so there are to be few.

    Constraints:
    - (C1) `value` has the type of the result.
    - (C2) `value` has one element for all, or no more than 64.

    Example:
    ```mlir
    func.func @f() -> tensor<2x2xf32> {
      %r = fusion.constant dense<[[1.0, 0.5], [0.5, 1.0]]> : tensor<2x2xf32>
      return %r : tensor<2x2xf32>
    }
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasVerifier = 1;
}

// Numbers that are made of a seed, of an offset and of where they are: the same on every target, however the program is cut.
class Fusion_RandomOp<string mnemonic, TypeConstraint tensor> : Fusion_TensorOp<mnemonic, [
    DeclareOpInterfaceMethods<Fusion_FactoryOpInterface, ["isForwardable"]>]> {
  let arguments = (ins I64:$seed, I64:$offset, Variadic<Index>:$sizes);
  let results = (outs tensor:$result);
  let assemblyFormat = "`seed` $seed `offset` $offset (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDefinition = reifyDefinition # [{
    bool $cppClass::isForwardable() { return false; }
    // random_bits_c1, uniform_c1
    ::llvm::LogicalResult $cppClass::verify() { return ::fuser::fusion::verifyStatedSizes(*this, getSizes()); }
    ::mlir::OpFoldResult $cppClass::reifyDim(::fuser::fusion::EmitContext &ctx, unsigned, int64_t dim) {
      return ::fuser::fusion::reifyStatedDim(ctx, getType(), getSizes(), dim);
    }
  }];
}

def Fusion_RandomBitsOp : Fusion_RandomOp<"random_bits", Fusion_WordsTensor> {
  let summary = "random bits";
  let description = [{
    Element number `n` of an i32 or ui32 tensor, in row-major order, is word `n mod 4` of Philox4x32-10 with the key `seed` and the counter `offset + 2^64 * (n div 4)`,
    words from the lowest on. Of an i64 or ui64 tensor it is words `2 * (n mod 2)` and the next one, which is the higher half, with `n div 2`. So each four words are
    those of cuRAND's Philox generator for the same seed, the sequence `n div 4` (`n div 2`) and its offset `4 * offset`. Programs that need several tensors give each an
    offset of its own.

    Constraints:
    - (C1) There are as many `sizes` as the result has dynamic dimensions.

    Example:
    ```mlir
    func.func @f(%seed: i64, %offset: i64, %n: index) -> tensor<?x8xi32> {
      %r = fusion.random_bits seed %seed offset %offset sizes(%n) : tensor<?x8xi32>
      return %r : tensor<?x8xi32>
    }
    ```
  }];
}

def Fusion_UniformOp : Fusion_RandomOp<"uniform", Fusion_FloatTensor> {
  let summary = "random numbers from 0 on, below 1";
  let description = [{
    Multiples of a power of two, each as likely as the others: the highest 24 bits of what `random_bits` has in an i32 tensor of this shape times 2^-24, for f32; the highest 11 for f16,
    the highest 8 for bf16; for f64 the highest 53 of an i64 tensor. No number is rounded, and 1 is none of them.

    Constraints:
    - (C1) There are as many `sizes` as the result has dynamic dimensions.

    Example:
    ```mlir
    // Dropout: one element in ten becomes 0, and what is left grows by as much.
    func.func @f(%x: tensor<?x8xf32>, %seed: i64, %offset: i64) -> tensor<?x8xf32> {
      %zero = arith.constant 0 : index
      %n = tensor.dim %x, %zero : tensor<?x8xf32>
      %u = fusion.uniform seed %seed offset %offset sizes(%n) : tensor<?x8xf32>
      %keeps = fusion.cmp <ge> %u, 0.1 : tensor<?x8xf32>
      %grown = fusion.mul %x, 1.1111111 : tensor<?x8xf32>
      %r = fusion.where %keeps, %grown, 0.0 : tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONFACTORYOPS_TD
