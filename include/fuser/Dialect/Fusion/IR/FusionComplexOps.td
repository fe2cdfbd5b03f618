//===- FusionComplexOps.td - Complex numbers and their parts -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They are computed as two real tensors: fusion-decompose-complex replaces these ops, and all others of complex tensors, before anything else is
// done with a program. So none has an element that could be emitted.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONCOMPLEXOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONCOMPLEXOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

class Fusion_ComplexOpBase<string mnemonic, list<Trait> traits> : Fusion_TensorOp<mnemonic, traits # [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  code complexDefinition = reifyDefinition # [{
    ::mlir::OpFoldResult $cppClass::reifyDim(::fuser::fusion::EmitContext &ctx, unsigned, int64_t dim) {
      return ::fuser::fusion::reifyDimOfOperand(ctx, getOperation(), dim);
    }
  }];
  let extraClassDefinition = complexDefinition;
}

def Fusion_ComplexOp : Fusion_ComplexOpBase<"complex", [
    AllTypesMatch<["real", "imag"]>, // complex_c1
    TypesMatchWith<"result has the shape of the parts and complex numbers of them", // complex_c2
                   "real", "result", "::fuser::fusion::getComplexTensorLike($_self)">]> {
  let summary = "complex numbers of their parts";
  let description = [{
    `result[i]` is the complex number with the parts `real[i]` and `imag[i]`. A tensor of one complex number is `complex` of two `full`.

    Constraints:
    - (C1) `real` and `imag` have the same type.
    - (C2) `result` has their shape, and complex numbers of their elements, which are f32 or f64.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xcomplex<f32>> {
      %r = fusion.complex %x, %y : tensor<?x8xf32>
      return %r : tensor<?x8xcomplex<f32>>
    }
    ```
  }];
  let arguments = (ins Fusion_PartTensor:$real, Fusion_PartTensor:$imag);
  let results = (outs Fusion_ComplexTensor:$result);
  let assemblyFormat = "$real `,` $imag attr-dict `:` type($real)";
}

// A real number of a complex one.
class Fusion_PartOp<string mnemonic> : Fusion_ComplexOpBase<mnemonic, [
    TypesMatchWith<"result has the shape of the input and elements of the type of its parts", // part_c1
                   "input", "result", "::fuser::fusion::getPartTensorLike($_self)">]> {
  let arguments = (ins Fusion_ComplexTensor:$input); // part_c2
  let results = (outs Fusion_PartTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  string constraints = [{

    Constraints:
    - (C1) `result` has the shape of `input`, and elements of the type of its parts.
    - (C2) Elements of `input` are complex numbers.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xcomplex<f32>>) -> tensor<?x8xf32> {
      %r = fusion.}] # mnemonic # [{ %x : tensor<?x8xcomplex<f32>>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
}

def Fusion_RealOp : Fusion_PartOp<"real"> {
  let summary = "real part";
  let description = "`result[i]` is the real part of `input[i]`." # constraints;
}

def Fusion_ImagOp : Fusion_PartOp<"imag"> {
  let summary = "imaginary part";
  let description = "`result[i]` is the imaginary part of `input[i]`." # constraints;
}

def Fusion_ModulusOp : Fusion_PartOp<"modulus"> {
  let summary = "absolute value of complex numbers";
  let description = [{
    `result[i]` is the distance of `input[i]` from 0, without overflow on the way: inf if a part is infinite, also where the other is NaN.
  }] # constraints;
}

def Fusion_AngleOp : Fusion_PartOp<"angle"> {
  let summary = "angle of complex numbers";
  let description = [{
    `result[i]` is the angle in [-pi, pi] between the first axis and `input[i]`: `atan2` of the imaginary and the real part.
  }] # constraints;
}

def Fusion_ConjOp : Fusion_ComplexOpBase<"conj", [AllTypesMatch<["input", "result"]>]> {
  let summary = "conjugate";
  let description = [{
    `result[i]` is `input[i]` with the other sign of the imaginary part.

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are complex numbers.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xcomplex<f32>>) -> tensor<?x8xcomplex<f32>> {
      %r = fusion.conj %x : tensor<?x8xcomplex<f32>>
      return %r : tensor<?x8xcomplex<f32>>
    }
    ```
  }];
  let arguments = (ins Fusion_ComplexTensor:$input);   // unary_c2
  let results = (outs Fusion_ComplexTensor:$result);   // unary_c1
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONCOMPLEXOPS_TD
