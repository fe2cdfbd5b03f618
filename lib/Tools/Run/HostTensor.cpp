//===- HostTensor.cpp - Tensors in host memory for fuser-run
//---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

namespace {
struct TypeInfo {
  ElementType type;
  const char *name;
  DLDataType dl;
  int mantissaBits; ///< With the implied one; 0: not a float.
  int minExponent;  ///< Of the smallest normal number.
};
} // namespace

static constexpr TypeInfo kTypes[] = {
    {ElementType::F64, "f64", {kDLFloat, 64, 1}, 53, -1022},
    {ElementType::F32, "f32", {kDLFloat, 32, 1}, 24, -126},
    {ElementType::F16, "f16", {kDLFloat, 16, 1}, 11, -14},
    {ElementType::BF16, "bf16", {kDLBfloat, 16, 1}, 8, -126},
    {ElementType::I1, "i1", {kDLBool, 8, 1}, 0, 0},
    {ElementType::I8, "i8", {kDLInt, 8, 1}, 0, 0},
    {ElementType::I16, "i16", {kDLInt, 16, 1}, 0, 0},
    {ElementType::I32, "i32", {kDLInt, 32, 1}, 0, 0},
    {ElementType::I64, "i64", {kDLInt, 64, 1}, 0, 0}};

static const TypeInfo &getInfo(ElementType type) {
  for (const TypeInfo &info : kTypes)
    if (info.type == type)
      return info;
  llvm_unreachable("every element type is in the table");
}

std::optional<ElementType> run::parseElementType(StringRef name) {
  for (const TypeInfo &info : kTypes)
    if (name == info.name)
      return info.type;
  return std::nullopt;
}

StringRef run::getName(ElementType type) { return getInfo(type).name; }
DLDataType run::getDLType(ElementType type) { return getInfo(type).dl; }
bool run::isFloat(ElementType type) { return getInfo(type).mantissaBits != 0; }

std::optional<ElementType> run::fromDLType(DLDataType type) {
  for (const TypeInfo &info : kTypes)
    if (info.dl.code == type.code && info.dl.bits == type.bits &&
        type.lanes == 1)
      return info.type;
  return std::nullopt;
}

double run::getUlp(ElementType type, double value) {
  const TypeInfo &info = getInfo(type);
  int exponent = info.minExponent;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, exponent - info.mantissaBits + 1);
}

/// Rounds to the precision of `type`, to nearest even, with gradual underflow.
/// Overflow gives infinity.
static double roundTo(ElementType type, double value) {
  if (!std::isfinite(value) || value == 0)
    return value;
  double ulp = getUlp(type, value);
  double rounded = std::nearbyint(value / ulp) * ulp;
  double largest = type == ElementType::F16
                       ? 65504.0
                       : 0x1.FEp127; // f16 or bf16: f32 and f64 are cast.
  if (std::fabs(rounded) > largest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

static uint16_t encodeHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7E00;
  double rounded = std::fabs(roundTo(ElementType::F16, value));
  if (std::isinf(rounded))
    return sign | 0x7C00;
  if (rounded < 0x1p-14)
    return sign | static_cast<uint16_t>(rounded * 0x1p24);
  int exponent = std::ilogb(rounded);
  auto mantissa = static_cast<uint16_t>(std::ldexp(rounded, 10 - exponent));
  return sign | ((exponent + 15) << 10) | (mantissa & 0x3FF);
}

static double decodeHalf(uint16_t bits) {
  double sign = bits & 0x8000 ? -1.0 : 1.0;
  int exponent = (bits >> 10) & 0x1F, mantissa = bits & 0x3FF;
  if (exponent == 0x1F)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa | 0x400, exponent - 25);
}

template <typename T>
static T read(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <typename T>
static void write(void *data, T value) {
  std::memcpy(data, &value, sizeof(T));
}

double run::loadFloat(ElementType type, const void *data) {
  switch (type) {
  case ElementType::F64:
    return read<double>(data);
  case ElementType::F32:
    return read<float>(data);
  case ElementType::F16:
    return decodeHalf(read<uint16_t>(data));
  case ElementType::BF16: {
    uint32_t bits = static_cast<uint32_t>(read<uint16_t>(data)) << 16;
    return read<float>(&bits);
  }
  default:
    return static_cast<double>(loadInt(type, data));
  }
}

void run::storeFloat(ElementType type, void *data, double value) {
  switch (type) {
  case ElementType::F64:
    return write(data, value);
  case ElementType::F32:
    return write(data, static_cast<float>(value));
  case ElementType::F16:
    return write(data, encodeHalf(value));
  case ElementType::BF16: {
    auto rounded = static_cast<float>(roundTo(type, value));
    return write(data, static_cast<uint16_t>(read<uint32_t>(&rounded) >> 16));
  }
  default:
    return storeInt(type, data, static_cast<int64_t>(value));
  }
}

int64_t run::loadInt(ElementType type, const void *data) {
  switch (type) {
  case ElementType::I1:
    return read<uint8_t>(data) != 0;
  case ElementType::I8:
    return read<int8_t>(data);
  case ElementType::I16:
    return read<int16_t>(data);
  case ElementType::I32:
    return read<int32_t>(data);
  case ElementType::I64:
    return read<int64_t>(data);
  default:
    return static_cast<int64_t>(loadFloat(type, data));
  }
}

void run::storeInt(ElementType type, void *data, int64_t value) {
  switch (type) {
  case ElementType::I1:
    return write(data, static_cast<uint8_t>(value != 0));
  case ElementType::I8:
    return write(data, static_cast<int8_t>(value));
  case ElementType::I16:
    return write(data, static_cast<int16_t>(value));
  case ElementType::I32:
    return write(data, static_cast<int32_t>(value));
  case ElementType::I64:
    return write(data, value);
  default:
    return storeFloat(type, data, static_cast<double>(value));
  }
}

uint64_t HostTensor::getNumElements() const {
  uint64_t count = 1;
  for (int64_t size : sizes)
    count *= static_cast<uint64_t>(size);
  return count;
}

char *HostTensor::getData() const {
  return storage.get() + offset * fuser_rt::elementBytes(element);
}

char *HostTensor::getElement(uint64_t position) const {
  int64_t at = 0;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    at += static_cast<int64_t>(position % sizes[dim]) * strides[dim];
    position /= sizes[dim];
  }
  return getData() + at * fuser_rt::elementBytes(element);
}

bool HostTensor::isRowMajor() const {
  int64_t expected = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] != 1 && strides[dim] != expected)
      return false;
    expected *= sizes[dim];
  }
  return true;
}

DLTensor HostTensor::getDLTensor(DLDevice device, void *data) {
  return {data,
          device,
          static_cast<int32_t>(sizes.size()),
          getDLType(element),
          sizes.data(),
          strides.data(),
          0};
}

HostTensor run::allocate(ElementType element, llvm::ArrayRef<int64_t> sizes,
                         llvm::ArrayRef<int64_t> strides, int64_t offset) {
  HostTensor tensor;
  tensor.element = element;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.offset = offset;
  tensor.strides.assign(strides.begin(), strides.end());
  if (strides.empty()) {
    tensor.strides.resize(sizes.size());
    int64_t stride = 1;
    for (size_t dim = sizes.size(); dim-- > 0;) {
      tensor.strides[dim] = stride;
      stride *= std::max<int64_t>(sizes[dim], 1);
    }
  }
  uint64_t extent = offset + 1;
  for (auto [size, stride] : llvm::zip_equal(tensor.sizes, tensor.strides))
    extent += static_cast<uint64_t>(std::max<int64_t>(size - 1, 0)) * stride;
  // Rounded up for aligned_alloc, with room for a vector past the end.
  tensor.storageBytes = extent * fuser_rt::elementBytes(element);
  uint64_t bytes = (tensor.storageBytes + 511) / 256 * 256;
  tensor.storage.reset(static_cast<char *>(std::aligned_alloc(256, bytes)),
                       std::free);
  return tensor;
}
