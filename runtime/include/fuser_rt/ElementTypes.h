//===- ElementTypes.h - The table of element types --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that compiler, runtime and the Python package know of an element type by
// itself is a row here.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_ELEMENTTYPES_H
#define FUSER_RT_ELEMENTTYPES_H

#include "dlpack/dlpack.h"

#include <cstdint>

// Enumerator, in the order of their numbers in the file format. MLIR's class of
// a float. Its name in the program's text, and in NumPy and PyTorch. Kind.
// Bits, of which memory has whole bytes. DLPack's code. What it is computed and
// summed in: of unsigned integers their bits, of which ops know the sign. Of
// floats the bits of the significand, with the implied one, and the exponent of
// the least normal number, and whether there is infinity (else NaN is the
// number after the largest). Floats whose significand has one bit are powers of
// two alone: no sign, no zero, no infinity. Whether the fusion dialect has
// tensors of it; others are elements of buffers alone. Of complex numbers the
// bits and exponents are those of a part. They are computed as two real tensors
// (docs/rationale/complex.md). Floats of less than a byte are packed: a call
// and the memory have bytes, each of several numbers, the first one in the low
// bits; they have neither infinity nor NaN.
#define FUSER_ELEMENT_TYPES(X)                                                 \
  X(F64, Float64Type, f64, float64, Float, 64, kDLFloat, F64, 53, -1022, true, \
    true)                                                                      \
  X(F32, Float32Type, f32, float32, Float, 32, kDLFloat, F32, 24, -126, true,  \
    true)                                                                      \
  X(F16, Float16Type, f16, float16, Float, 16, kDLFloat, F32, 11, -14, true,   \
    true)                                                                      \
  X(BF16, BFloat16Type, bf16, bfloat16, Float, 16, kDLBfloat, F32, 8, -126,    \
    true, true)                                                                \
  X(I1, IntegerType, i1, bool, Bool, 1, kDLBool, I1, 0, 0, false, true)        \
  X(I8, IntegerType, i8, int8, Signed, 8, kDLInt, I8, 0, 0, false, true)       \
  X(I16, IntegerType, i16, int16, Signed, 16, kDLInt, I16, 0, 0, false, true)  \
  X(I32, IntegerType, i32, int32, Signed, 32, kDLInt, I32, 0, 0, false, true)  \
  X(I64, IntegerType, i64, int64, Signed, 64, kDLInt, I64, 0, 0, false, true)  \
  X(F8E4M3FN, Float8E4M3FNType, f8E4M3FN, float8_e4m3fn, Float, 8,             \
    kDLFloat8_e4m3fn, F32, 4, -6, false, true)                                 \
  X(F8E5M2, Float8E5M2Type, f8E5M2, float8_e5m2, Float, 8, kDLFloat8_e5m2,     \
    F32, 3, -14, true, true)                                                   \
  X(UI8, IntegerType, ui8, uint8, Unsigned, 8, kDLUInt, I8, 0, 0, false, true) \
  X(UI16, IntegerType, ui16, uint16, Unsigned, 16, kDLUInt, I16, 0, 0, false,  \
    true)                                                                      \
  X(UI32, IntegerType, ui32, uint32, Unsigned, 32, kDLUInt, I32, 0, 0, false,  \
    true)                                                                      \
  X(UI64, IntegerType, ui64, uint64, Unsigned, 64, kDLUInt, I64, 0, 0, false,  \
    true)                                                                      \
  X(F8E8M0FNU, Float8E8M0FNUType, f8E8M0FNU, float8_e8m0fnu, Float, 8,         \
    kDLFloat8_e8m0fnu, F32, 1, -127, false, true)                              \
  X(C64, ComplexType, complex<f32>, complex64, Complex, 64, kDLComplex, C64,   \
    24, -126, true, true)                                                      \
  X(C128, ComplexType, complex<f64>, complex128, Complex, 128, kDLComplex,     \
    C128, 53, -1022, true, true)                                               \
  X(F4E2M1FN, Float4E2M1FNType, f4E2M1FN, float4_e2m1fn_x2, Float, 4,          \
    kDLFloat4_e2m1fn, F32, 2, 0, false, true)

namespace fuser_rt {

/// Element types, numbered for the file format.
enum class ElementType : uint32_t {
#define FUSER_ELEMENT_TYPE(id, ...) id,
  FUSER_ELEMENT_TYPES(FUSER_ELEMENT_TYPE)
#undef FUSER_ELEMENT_TYPE
};

enum class ElementKind : uint32_t { Float, Signed, Unsigned, Bool, Complex };

struct ElementInfo {
  ElementType type;
  const char *name;      ///< In the program's text.
  const char *numpyName; ///< In NumPy, ml_dtypes and PyTorch.
  ElementKind kind;
  unsigned bits;
  unsigned bytes; ///< In memory; of packed floats, of several numbers.
  DLDataType dl;
  ElementType computeType; ///< What it is computed and summed in.
  int precision;           ///< Of floats, with the implied bit.
  int minExponent;         ///< Of the least normal number.
  bool hasInfinity; ///< Else NaN is what the largest number overflows to.
  bool isOfTensors; ///< Of tensors of the fusion dialect.

  /// Whether its numbers are the powers of two alone.
  constexpr bool isPowers() const { return precision == 1; }
  /// Whether a byte has several numbers.
  constexpr bool isPacked() const { return dl.lanes > 1; }
};

/// Bits and lanes of DLPack's type: of packed floats a byte has several lanes.
constexpr DLDataType makeDLType(ElementKind kind, unsigned bits, int code) {
  if (kind == ElementKind::Float && bits < 8)
    return {uint8_t(code), uint8_t(bits), uint16_t(8 / bits)};
  return {uint8_t(code), uint8_t((bits + 7) / 8 * 8), 1};
}

inline constexpr ElementInfo elementInfos[] = {
#define FUSER_ELEMENT_TYPE(id, mlir, name, numpy, kind, bits, dl, compute,     \
                           precision, minExponent, hasInfinity, isOfTensors)   \
  {ElementType::id,                                                            \
   #name,                                                                      \
   #numpy,                                                                     \
   ElementKind::kind,                                                          \
   bits,                                                                       \
   (bits + 7) / 8,                                                             \
   makeDLType(ElementKind::kind, bits, dl),                                    \
   ElementType::compute,                                                       \
   precision,                                                                  \
   minExponent,                                                                \
   hasInfinity,                                                                \
   isOfTensors},
    FUSER_ELEMENT_TYPES(FUSER_ELEMENT_TYPE)
#undef FUSER_ELEMENT_TYPE
};

constexpr unsigned numElementTypes = sizeof(elementInfos) / sizeof(ElementInfo);

constexpr const ElementInfo &getInfo(ElementType type) {
  return elementInfos[static_cast<uint32_t>(type)];
}

/// The size of one element in memory, in bytes (i1 takes one; of packed floats
/// it is one of several numbers).
constexpr unsigned elementBytes(ElementType type) {
  return getInfo(type).bytes;
}

constexpr const char *elementText(ElementType type) {
  return getInfo(type).name;
}

constexpr DLDataType dlType(ElementType type) { return getInfo(type).dl; }

constexpr bool isComplex(ElementType type) {
  return getInfo(type).kind == ElementKind::Complex;
}

/// What the real and the imaginary part are; of others the type itself.
constexpr ElementType partType(ElementType type) {
  if (!isComplex(type))
    return type;
  return getInfo(type).bits == 64 ? ElementType::F32 : ElementType::F64;
}

/// The type that DLPack describes so; null if there is none.
constexpr const ElementInfo *findElement(DLDataType dl) {
  for (const ElementInfo &info : elementInfos)
    if (info.dl.code == dl.code && info.dl.bits == dl.bits &&
        info.dl.lanes == dl.lanes)
      return &info;
  return nullptr;
}

/// Numbers of a float type as they lie in memory, in the low bits: the nearest
/// one, ties to even, rounded once; beyond the largest one infinity,
/// or NaN where there is none. NaN is quiet, with its sign. In packed floats,
/// the largest one and -0. Of powers of two
/// the nearest to the size, of two as near the greater; below 2^-126 the lesser
/// of the two that there are only up to it.
uint64_t encodeFloat(ElementType type, double value);
double decodeFloat(ElementType type, uint64_t bits);

} // namespace fuser_rt

#endif // FUSER_RT_ELEMENTTYPES_H
