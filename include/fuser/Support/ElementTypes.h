//===- ElementTypes.h - Element types as MLIR has them ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way from MLIR's types to the table of element types, and back.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_ELEMENTTYPES_H
#define FUSER_SUPPORT_ELEMENTTYPES_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/APInt.h"
#include <cstdint>
#include <string>

// The table is in fuser_rt/ElementTypes.h; few files need it.
namespace fuser_rt {
enum class ElementKind : uint32_t;
enum class ElementType : uint32_t;
struct ElementInfo;
} // namespace fuser_rt

namespace fuser {

using fuser_rt::ElementInfo;
using fuser_rt::ElementKind;
using fuser_rt::ElementType;

/// The row of an element type; null for any other type, and for an index.
const ElementInfo *findElement(Type type);
const ElementInfo *findElement(StringRef name);

/// MLIR's type of a row.
Type getElementType(MLIRContext *context, ElementType element);

/// True for an element type of tensors of the fusion dialect; of one kind.
bool isTensorElement(Type type);
bool isFloatElement(Type type);
bool isIntegerElement(Type type);
bool isBoolElement(Type type);
bool isComplexElement(Type type);
/// Floats of which a byte has several: tensors of them are cast, and no more.
bool isPackedElement(Type type);

/// What the real and the imaginary part of a complex number are; of other types
/// the type itself.
Type getPartType(Type element);

/// Whether an integer's highest bit is its sign: not of unsigned ones, nor of
/// i1. All that depends on it asks this.
bool isSignedElement(Type type);

/// The least and the greatest number of a type of integers, as its bits.
llvm::APInt getLeastInteger(Type type);
llvm::APInt getGreatestInteger(Type type);

/// What elements are computed and summed in: f32 for narrower floats, signless
/// bits for unsigned integers, else the type itself.
Type getComputeType(Type element);
/// The type of a scalar that stands for an element: integers of SSA values have
/// no sign, which is their use's to say.
Type getScalarType(Type element);
/// True for floats, and tensors and vectors of them, that are computed in
/// another type.
bool isNarrowFloat(Type type);

/// "f64, f32, ...", of all, or of those that are of tensors; `last` stands
/// before the last one.
std::string listElementTypes(bool ofTensors, StringRef last = ", ");

} // namespace fuser

#endif // FUSER_SUPPORT_ELEMENTTYPES_H
