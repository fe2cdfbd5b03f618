//===- FusionTypes.td - Type constraints of the fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// Elements of kinds of the table of element types (fuser_rt/ElementTypes.h): the lists here are its names.
defvar isFloat = "::fuser::isFloatElement($_self)";
defvar isBool = "::fuser::isBoolElement($_self)";
defvar isInteger = "::fuser::isIntegerElement($_self)";
defvar isPacked = "::fuser::isPackedElement($_self)";
defvar isCastable = "::fuser::isTensorElement($_self)";
defvar isAny = !strconcat("(", isCastable, " && !", isPacked, ")");
defvar isComplex = "::fuser::isComplexElement($_self)";
defvar isReal = !strconcat("(", isAny, " && !", isComplex, ")");
defvar isScalar = !strconcat(isReal, " && ::fuser::getScalarType($_self) == $_self");
defvar isNumber = !strconcat("(", isFloat, " || ", isInteger, ")");
defvar isBits = !strconcat("(", isBool, " || ", isInteger, ")");

// A ranked tensor without an encoding: layouts are attributes of values, never types. Its number of elements, and what is
// computed with it, must not overflow.
class Fusion_TensorOf<string element, string what>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                Concat<"[](::mlir::Type type) { return ", SubstLeaves<"$_self", "type", CPred<element>>,
                       "; }(::llvm::cast<::mlir::ShapedType>($_self).getElementType())">,
                CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">,
                // tensor_c1
                CPred<"::fuser::fusion::fitsMemory(::llvm::cast<::mlir::RankedTensorType>($_self))">]>,
           "ranked tensor of at most 2^48 " # what # " elements without an encoding",
           "::mlir::RankedTensorType"> {
  // Whether its list has them: builders make floats of integers for operands that are none.
  bit takesIntegers = !ne(!find(what, "i64"), -1);
}

// Integers of scalars have no sign: what uses them knows it. There are no complex scalars: tensors of them are made of two (`complex`).
def Fusion_Scalar : Type<CPred<isScalar>, "f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2 or f8E8M0FNU">;

// What is computed with: not f8E8M0FNU, which is of scales.
def Fusion_FloatTensor : Fusion_TensorOf<isFloat, "f64, f32, f16, bf16, f8E4M3FN or f8E5M2">;
// Of products: those of 8-bit floats have scales.
def Fusion_FactorTensor
    : Fusion_TensorOf<!strconcat("(", isComplex, " || ", isInteger, " || (", isFloat, " && $_self.getIntOrFloatBitWidth() >= 16))"),
                      "f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64>">;
def Fusion_NumberTensor : Fusion_TensorOf<isNumber, "f64, f32, f16, bf16, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32 or ui64">;
def Fusion_IntegerTensor : Fusion_TensorOf<isInteger, "i8, i16, i32, i64, ui8, ui16, ui32 or ui64">;
// Of whole words of the generator.
def Fusion_WordsTensor : Fusion_TensorOf<!strconcat(isInteger, " && $_self.getIntOrFloatBitWidth() >= 32"), "i32, i64, ui32 or ui64">;
def Fusion_IndexTensor : Fusion_TensorOf<"$_self.isSignlessInteger(32) || $_self.isSignlessInteger(64)", "i32 or i64">;
def Fusion_LongTensor : Fusion_TensorOf<"$_self.isSignlessInteger(64)", "i64">;
def Fusion_BitsTensor : Fusion_TensorOf<isBits, "i1, i8, i16, i32, i64, ui8, ui16, ui32 or ui64">;
def Fusion_BoolTensor : Fusion_TensorOf<isBool, "i1">;
def Fusion_RealTensor : Fusion_TensorOf<isReal, "f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32, ui64 or f8E8M0FNU">;
def Fusion_Tensor : Fusion_TensorOf<isAny, "f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32, ui64, f8E8M0FNU, complex<f32> or complex<f64>">;

// Of casts and of what moves elements, which is all that there is of packed floats: fusion-decompose-packed makes bytes of them.
def Fusion_StoredTensor : Fusion_TensorOf<isCastable, "f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32, ui64, f8E8M0FNU, complex<f32>, complex<f64> or f4E2M1FN">;

// Complex numbers, which fusion-decompose-complex makes two real tensors of; what has a meaning for them, too.
def Fusion_ComplexTensor : Fusion_TensorOf<isComplex, "complex<f32> or complex<f64>">;
def Fusion_PartTensor : Fusion_TensorOf<"$_self.isF32() || $_self.isF64()", "f64 or f32">;
def Fusion_FieldTensor
    : Fusion_TensorOf<!strconcat("(", isNumber, " || ", isComplex, ")"),
                      "f64, f32, f16, bf16, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32, ui64, complex<f32> or complex<f64>">;
def Fusion_AnalyticTensor
    : Fusion_TensorOf<!strconcat("(", isFloat, " || ", isComplex, ")"), "f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64>">;

// What a segment takes and gives back: tensors and scalars.
def Fusion_SegmentOperand : AnyTypeOf<[Fusion_RealTensor, Fusion_Scalar, Index]>;

#endif // FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD
