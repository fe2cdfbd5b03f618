//===- Promotion.cpp - PyTorch's promotion of element types ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "fuser_rt/ElementTypes.h"

using namespace fuser;
using namespace fuser::frontend;

Type frontend::parseElementType(MLIRContext *context, StringRef name) {
  const ElementInfo *info = findElement(name);
  return info && info->isOfTensors ? getElementType(context, info->type)
                                   : Type();
}

StringRef frontend::getElementTypeName(Type type) {
  const ElementInfo *info = findElement(type);
  return info ? info->name : "index";
}

/// Bool, integer, float, complex: each is less than the next.
static int getCategory(Type type) {
  if (isComplexElement(type))
    return 3;
  if (type.isInteger(1))
    return 0;
  return isa<FloatType>(type) ? 2 : 1;
}

/// Complex numbers with parts that are wide enough for a float as well.
static Type makeComplex(Type complex, Type other, bool hasPriority) {
  Type wide = Float64Type::get(complex.getContext());
  bool isWide = other == wide;
  if (!hasPriority)
    isWide |= getPartType(complex) == wide;
  return ComplexType::get(isWide ? wide
                                 : Float32Type::get(complex.getContext()));
}

/// The type that holds what both are for; either may be null.
static Type promoteTypes(Type lhs, Type rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  if (lhs == rhs)
    return lhs;
  int left = getCategory(lhs), right = getCategory(rhs);
  if (left == 3 || right == 3)
    return left == 3 ? makeComplex(lhs, getPartType(rhs), false)
                     : makeComplex(rhs, lhs, false);
  if (left != right)
    return left > right ? lhs : rhs;
  unsigned leftWidth = lhs.getIntOrFloatBitWidth();
  unsigned rightWidth = rhs.getIntOrFloatBitWidth();
  if (isSignedElement(lhs) != isSignedElement(rhs) && left == 1) {
    // A sign and as many bits as the unsigned one has.
    Type isSigned = isSignedElement(lhs) ? lhs : rhs;
    unsigned bits = isSigned == lhs ? rightWidth : leftWidth;
    if (isSigned.getIntOrFloatBitWidth() > bits)
      return isSigned;
    return IntegerType::get(lhs.getContext(), std::min(2 * bits, 64u));
  }
  // f16 and bf16: neither holds the other.
  if (leftWidth == rightWidth)
    return Float32Type::get(lhs.getContext());
  return leftWidth > rightWidth ? lhs : rhs;
}

/// The type of operands of which those of `higher` come first: the others count
/// only if they are of a greater category.
static Type combine(Type higher, Type lower) {
  if (!higher || !lower)
    return higher ? higher : lower;
  if (getCategory(lower) <= getCategory(higher))
    return higher;
  return getCategory(lower) == 3 && isa<FloatType>(higher)
             ? makeComplex(lower, higher, /*hasPriority=*/true)
             : lower;
}

/// An index is an i64 to promotion.
static Type getPromotedElement(Value value) {
  Type type = getElement(value);
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

/// Whether the type is promoted to none beside `other`: 8-bit floats, as in
/// PyTorch, and ui64 beside a type with a sign, of which none has all numbers.
static bool isAlone(Type type, Type other) {
  if (isNarrowFloat(type) && type.getIntOrFloatBitWidth() <= 8)
    return other != type;
  return type.isUnsignedInteger(64) && isSignedElement(other);
}

LogicalResult Emitter::checkPromotion(ArrayRef<Value> operands) {
  auto isTensor = [](Value operand) {
    return isa<RankedTensorType>(operand.getType());
  };
  for (Value narrow : operands) {
    if (!isTensor(narrow))
      continue;
    for (Value other : operands)
      if (isTensor(other) && isAlone(getElement(narrow), getElement(other)))
        return error() << "tensors of one element type beside one of "
                       << getElement(narrow)
                       << ", which is not promoted, got one of "
                       << getElement(other) << ": cast one of them";
  }
  return success();
}

Type frontend::promoteOperands(ArrayRef<Value> operands) {
  Type dimensioned, pointlike, scalars;
  for (Value operand : operands) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    Type &own = !tensor                 ? scalars
                : tensor.getRank() == 0 ? pointlike
                                        : dimensioned;
    own = promoteTypes(own, getPromotedElement(operand));
  }
  if (!dimensioned && !pointlike)
    return scalars;
  // Numbers of Python are f64, but with tensors they count as the default type.
  if (isa_and_nonnull<FloatType>(scalars))
    scalars = Float32Type::get(scalars.getContext());
  return combine(combine(dimensioned, pointlike), scalars);
}
