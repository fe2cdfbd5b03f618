//===- ElementTypes.cpp - Element types as MLIR has them ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/ElementTypes.h"
#include "fuser/Support/ElementStorage.h"
#include "fuser/Support/PowersOfTwo.h"
#include "fuser_rt/ElementTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace fuser;
using fuser_rt::elementInfos;

template <typename FloatT>
static FloatT makeType(MLIRContext *context, const ElementInfo &) {
  return FloatT::get(context);
}
template <>
IntegerType makeType<IntegerType>(MLIRContext *context,
                                  const ElementInfo &info) {
  bool isUnsigned = info.kind == ElementKind::Unsigned;
  return IntegerType::get(context, info.bits,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

template <typename FloatT>
static bool isType(Type type, const ElementInfo &) {
  return isa<FloatT>(type);
}
template <>
bool isType<IntegerType>(Type type, const ElementInfo &info) {
  return info.kind == ElementKind::Unsigned ? type.isUnsignedInteger(info.bits)
                                            : type.isSignlessInteger(info.bits);
}

template <>
ComplexType makeType<ComplexType>(MLIRContext *context,
                                  const ElementInfo &info) {
  return ComplexType::get(
      getElementType(context, fuser_rt::partType(info.type)));
}
template <>
bool isType<ComplexType>(Type type, const ElementInfo &info) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex && isa<FloatType>(complex.getElementType()) &&
         2 * complex.getElementType().getIntOrFloatBitWidth() == info.bits &&
         !complex.getElementType().isTF32();
}

namespace {
struct Conversion {
  bool (*is)(Type type, const ElementInfo &info);
  Type (*make)(MLIRContext *context, const ElementInfo &info);
};
} // namespace

static constexpr Conversion kConversions[] = {
#define FUSER_ELEMENT_TYPE(id, mlir, ...)                                      \
  {isType<mlir>, [](MLIRContext *context, const ElementInfo &info) -> Type {   \
     return makeType<mlir>(context, info);                                     \
   }},
    FUSER_ELEMENT_TYPES(FUSER_ELEMENT_TYPE)
#undef FUSER_ELEMENT_TYPE
};

const ElementInfo *fuser::findElement(Type type) {
  for (auto [info, conversion] : llvm::zip_equal(elementInfos, kConversions))
    if (conversion.is(type, info))
      return &info;
  return nullptr;
}

const ElementInfo *fuser::findElement(StringRef name) {
  for (const ElementInfo &info : elementInfos)
    if (name == info.name)
      return &info;
  return nullptr;
}

Type fuser::getElementType(MLIRContext *context, ElementType element) {
  return kConversions[static_cast<uint32_t>(element)].make(
      context, fuser_rt::getInfo(element));
}

bool fuser::isTensorElement(Type type) {
  const ElementInfo *info = findElement(type);
  return info && info->isOfTensors;
}

static bool isOfKind(Type type, ElementKind kind) {
  const ElementInfo *info = findElement(type);
  return info && info->isOfTensors && info->kind == kind;
}

// Powers of two alone are not computed with, nor is what is packed.
bool fuser::isFloatElement(Type type) {
  return isOfKind(type, ElementKind::Float) && !isPowersOfTwo(type) &&
         !isPackedElement(type);
}
bool fuser::isPackedElement(Type type) {
  const ElementInfo *info = findElement(type);
  return info && info->isPacked();
}
bool fuser::isIntegerElement(Type type) {
  return isOfKind(type, ElementKind::Signed) ||
         isOfKind(type, ElementKind::Unsigned);
}
bool fuser::isBoolElement(Type type) {
  return isOfKind(type, ElementKind::Bool);
}

bool fuser::isComplexElement(Type type) {
  return isOfKind(type, ElementKind::Complex);
}

Type fuser::getPartType(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

bool fuser::isSignedElement(Type type) {
  const ElementInfo *info = findElement(type);
  return info && info->kind == ElementKind::Signed;
}

APInt fuser::getLeastInteger(Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  return isSignedElement(type) ? APInt::getSignedMinValue(bits)
                               : APInt::getMinValue(bits);
}

APInt fuser::getGreatestInteger(Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  return isSignedElement(type) ? APInt::getSignedMaxValue(bits)
                               : APInt::getMaxValue(bits);
}

Type fuser::getScalarType(Type element) {
  return isa<IntegerType>(element) ? getComputeType(element) : element;
}

Type fuser::getStorageType(Type elementType) {
  const ElementInfo *info = findElement(elementType);
  return info && info->bytes == 1
             ? IntegerType::get(elementType.getContext(), 8)
             : getScalarType(elementType);
}

int64_t fuser::getStorageBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getStorageBytes(complex.getElementType());
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

Type fuser::getComputeType(Type element) {
  const ElementInfo *info = findElement(element);
  return info && info->computeType != info->type
             ? getElementType(element.getContext(), info->computeType)
             : element;
}

bool fuser::isNarrowFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && getComputeType(element) != element;
}

std::string fuser::listElementTypes(bool ofTensors, StringRef last) {
  SmallVector<StringRef> names;
  for (const ElementInfo &info : elementInfos)
    if (info.isOfTensors || !ofTensors)
      names.push_back(info.name);
  std::string list = llvm::join(ArrayRef(names).drop_back(), ", ");
  list += last;
  list += names.back();
  return list;
}
