//===- FusionTypes.td - Type constraints of the fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// A ranked tensor without an encoding: layouts are attributes of values, never types. Its number of elements, and what is
// computed with it, must not overflow.
class Fusion_TensorOf<list<Type> elements, string what>
    : Type<And<[RankedTensorOf<elements>.predicate,
                CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">,
                // tensor_c1
                CPred<"::fuser::fusion::fitsMemory(::llvm::cast<::mlir::RankedTensorType>($_self))">]>,
           "ranked tensor of at most 2^48 " # what # " elements without an encoding",
           "::mlir::RankedTensorType">;

def Fusion_Element : AnyTypeOf<[F64, F32, F16, BF16, I1, I32, I64]>;

def Fusion_FloatTensor : Fusion_TensorOf<[F64, F32, F16, BF16], "f64, f32, f16 or bf16">;
def Fusion_NumberTensor
    : Fusion_TensorOf<[F64, F32, F16, BF16, I32, I64], "f64, f32, f16, bf16, i32 or i64">;
def Fusion_IntegerTensor : Fusion_TensorOf<[I32, I64], "i32 or i64">;
def Fusion_LongTensor : Fusion_TensorOf<[I64], "i64">;
def Fusion_BitsTensor : Fusion_TensorOf<[I1, I32, I64], "i1, i32 or i64">;
def Fusion_BoolTensor : Fusion_TensorOf<[I1], "i1">;
def Fusion_Tensor
    : Fusion_TensorOf<[F64, F32, F16, BF16, I1, I32, I64], "f64, f32, f16, bf16, i1, i32 or i64">;

// What a segment takes and gives back: tensors and scalars.
def Fusion_SegmentOperand : AnyTypeOf<[Fusion_Tensor, Fusion_Element, Index]>;

#endif // FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD
