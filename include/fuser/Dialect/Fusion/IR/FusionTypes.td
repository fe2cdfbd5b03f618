//===- FusionTypes.td - Type constraints of the fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// Elements of some kind of the table of element types (fuser_rt/ElementTypes.h), and their names there.
class Fusion_Elements<string is, list<string> all, bit integers = false> {
  string predicate = is;
  list<string> names = all;
  bit areIntegers = integers;
}

defvar isFloat = "::fuser::isFloatElement($_self)";
defvar isInteger = "::fuser::isIntegerElement($_self)";

def Fusion_Floats : Fusion_Elements<isFloat, ["f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"]>;
def Fusion_WideFloats : Fusion_Elements<!strconcat(isFloat, " && $_self.getIntOrFloatBitWidth() >= 16"), ["f64", "f32", "f16", "bf16"]>;
def Fusion_Parts : Fusion_Elements<"$_self.isF32() || $_self.isF64()", ["f64", "f32"]>;
def Fusion_Flags : Fusion_Elements<"::fuser::isBoolElement($_self)", ["i1"]>;
def Fusion_Integers : Fusion_Elements<isInteger, ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"], true>;
// Whole words of the generator of random numbers.
def Fusion_Words : Fusion_Elements<!strconcat(isInteger, " && $_self.getIntOrFloatBitWidth() >= 32"), ["i32", "i64", "ui32", "ui64"], true>;
def Fusion_Indices : Fusion_Elements<"$_self.isSignlessInteger(32) || $_self.isSignlessInteger(64)", ["i32", "i64"], true>;
def Fusion_Longs : Fusion_Elements<"$_self.isSignlessInteger(64)", ["i64"], true>;
// Of scales, with which nothing is computed.
def Fusion_Scales : Fusion_Elements<"::llvm::isa<::mlir::Float8E8M0FNUType>($_self)", ["f8E8M0FNU"]>;
// Numbers that fusion-decompose-complex makes two real tensors of.
def Fusion_Complexes : Fusion_Elements<"::fuser::isComplexElement($_self)", ["complex<f32>", "complex<f64>"]>;
// There are casts of these and what moves them, no more: fusion-decompose-packed makes bytes of them.
def Fusion_Packed : Fusion_Elements<"::fuser::isPackedElement($_self)", ["f4E2M1FN"]>;

// "a, b or c".
class Fusion_Names<list<string> names> {
  defvar last = !sub(!size(names), 1);
  defvar others = !foldl([]<string>, !range(last), all, i, !listconcat(all, [names[i]]));
  string text = !if(!eq(last, 0), names[0], !interleave(others, ", ") # " or " # names[last]);
}

// Any of these kinds.
class Fusion_AnyOf<list<Fusion_Elements> kinds> {
  string predicate = !interleave(!foreach(kind, kinds, "(" # kind.predicate # ")"), " || ");
  string text = Fusion_Names<!foldl([]<string>, kinds, all, kind, !listconcat(all, kind.names))>.text;
}

// A ranked tensor without an encoding: layouts are attributes of values, never types. Its number of elements, and what is
// computed with it, must not overflow.
class Fusion_TensorOf<list<Fusion_Elements> kinds>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                Concat<"[](::mlir::Type type) { return ", SubstLeaves<"$_self", "type", CPred<Fusion_AnyOf<kinds>.predicate>>,
                       "; }(::llvm::cast<::mlir::ShapedType>($_self).getElementType())">,
                CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">,
                // tensor_c1
                CPred<"::fuser::fusion::fitsMemory(::llvm::cast<::mlir::RankedTensorType>($_self))">]>,
           "ranked tensor of at most 2^48 " # Fusion_AnyOf<kinds>.text # " elements without an encoding",
           "::mlir::RankedTensorType"> {
  // Builders make floats of integers for operands that are none.
  bit takesIntegers = !foldl(false, kinds, any, kind, !or(any, kind.areIntegers));
}

defvar kReal = [Fusion_Floats, Fusion_Flags, Fusion_Integers, Fusion_Scales];

// Integers of scalars have no sign: what uses them knows it. There are no complex scalars: tensors of them are made of two (`complex`).
def Fusion_Scalar
    : Type<CPred<!strconcat("(", Fusion_AnyOf<kReal>.predicate, ") && ::fuser::getScalarType($_self) == $_self")>,
           "f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2 or f8E8M0FNU">;

def Fusion_FloatTensor : Fusion_TensorOf<[Fusion_Floats]>;
// Of products: those of 8-bit floats have scales.
def Fusion_FactorTensor : Fusion_TensorOf<[Fusion_WideFloats, Fusion_Integers, Fusion_Complexes]>;
def Fusion_NumberTensor : Fusion_TensorOf<[Fusion_Floats, Fusion_Integers]>;
def Fusion_IntegerTensor : Fusion_TensorOf<[Fusion_Integers]>;
def Fusion_WordsTensor : Fusion_TensorOf<[Fusion_Words]>;
def Fusion_IndexTensor : Fusion_TensorOf<[Fusion_Indices]>;
def Fusion_LongTensor : Fusion_TensorOf<[Fusion_Longs]>;
def Fusion_BitsTensor : Fusion_TensorOf<[Fusion_Flags, Fusion_Integers]>;
def Fusion_BoolTensor : Fusion_TensorOf<[Fusion_Flags]>;
def Fusion_RealTensor : Fusion_TensorOf<kReal>;
def Fusion_Tensor : Fusion_TensorOf<!listconcat(kReal, [Fusion_Complexes])>;
def Fusion_StoredTensor : Fusion_TensorOf<!listconcat(kReal, [Fusion_Complexes, Fusion_Packed])>;
def Fusion_ComplexTensor : Fusion_TensorOf<[Fusion_Complexes]>;
def Fusion_PartTensor : Fusion_TensorOf<[Fusion_Parts]>;
// What has a meaning for complex numbers, too.
def Fusion_FieldTensor : Fusion_TensorOf<[Fusion_Floats, Fusion_Integers, Fusion_Complexes]>;
def Fusion_AnalyticTensor : Fusion_TensorOf<[Fusion_Floats, Fusion_Complexes]>;

// What a segment takes and gives back: tensors and scalars.
def Fusion_SegmentOperand : AnyTypeOf<[Fusion_RealTensor, Fusion_Scalar, Index]>;

#endif // FUSER_DIALECT_FUSION_IR_FUSIONTYPES_TD
