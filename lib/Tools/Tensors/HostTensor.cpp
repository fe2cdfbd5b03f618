//===- HostTensor.cpp - Tensors in host memory for fuser-run --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
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

std::string run::listElementTypes() {
  return llvm::join(
      llvm::map_range(kTypes, [](const TypeInfo &info) { return info.name; }),
      ", ");
}

DLDataType run::getDLType(ElementType type) { return getInfo(type).dl; }
bool run::isFloat(ElementType type) { return getInfo(type).mantissaBits != 0; }

std::optional<ElementType> run::fromDLType(DLDataType type) {
  for (const TypeInfo &info : kTypes)
    if (info.dl.code == type.code && info.dl.bits == type.bits &&
        type.lanes == 1)
      return info.type;
  return std::nullopt;
}

double run::getLargestFloat(ElementType type) {
  const TypeInfo &info = getInfo(type);
  return std::ldexp(2 - std::ldexp(1.0, 1 - info.mantissaBits),
                    1 - info.minExponent);
}

double run::getUlp(ElementType type, double value) {
  const TypeInfo &info = getInfo(type);
  int exponent = info.minExponent;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, exponent - info.mantissaBits + 1);
}

/// Rounds to f16, to nearest even, with gradual underflow. Overflow gives
/// infinity.
static double roundToHalf(double value) {
  if (!std::isfinite(value) || value == 0)
    return value;
  double ulp = getUlp(ElementType::F16, value);
  double rounded = std::nearbyint(value / ulp) * ulp;
  if (std::fabs(rounded) > 65504.0)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

static uint16_t encodeHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7E00;
  double rounded = std::fabs(roundToHalf(value));
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

/// Rounds once, to nearest even. On the way through f32 the value is rounded to
/// odd, which keeps on which side of every bf16 tie it is.
static uint16_t encodeBFloat(double value) {
  auto narrow = static_cast<float>(value);
  auto bits = read<uint32_t>(&narrow);
  if (std::isnan(value))
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  if (static_cast<double>(narrow) != value) {
    bits -= std::fabs(narrow) > std::fabs(value);
    bits |= 1;
  }
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
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
  case ElementType::BF16:
    return write(data, encodeBFloat(value));
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

void HostTensor::forEachElement(llvm::function_ref<void(Run)> visit) const {
  uint64_t count = getNumElements();
  uint64_t length = sizes.empty() ? 1 : sizes.back();
  int64_t step = sizes.empty() ? 0 : strides.back();
  if (isRowMajor()) {
    length = count;
    step = 1;
  }
  if (count == 0)
    return;
  // Neither so small that starting costs, nor so large that one is left over.
  length = std::min<uint64_t>(length, 1 << 16);
  uint64_t rowLength = isRowMajor() ? count : sizes.empty() ? 1 : sizes.back();
  uint64_t pieces = llvm::divideCeil(rowLength, length);
  int64_t bytes = fuser_rt::elementBytes(element);
  auto visitPiece = [&](size_t piece) {
    uint64_t within = piece % pieces * length;
    uint64_t first = piece / pieces * rowLength + within;
    visit({getElement(first), step * bytes, first,
           std::min(length, rowLength - within)});
  };
  uint64_t total = count / rowLength * pieces;
  uint64_t group = llvm::divideCeil(total, 64);
  llvm::parallelFor(0, llvm::divideCeil(total, group), [&](size_t number) {
    for (size_t piece = number * group,
                end = std::min<size_t>(total, piece + group);
         piece < end; ++piece)
      visitPiece(piece);
  });
}

bool HostTensor::mayShareElements() const {
  llvm::SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [stride, size] : llvm::zip_equal(strides, sizes)) {
    if (size == 0)
      return false;
    if (size != 1)
      dims.push_back({stride, size});
  }
  llvm::sort(dims);
  // The distance from the first to the last element of the dimensions so far.
  int64_t span = 0;
  for (auto [stride, size] : dims) {
    if (stride <= span)
      return true;
    span += (size - 1) * stride;
  }
  return false;
}

bool HostTensor::isRowMajor() const {
  // Unsigned: without elements, sizes may multiply to more than fits.
  uint64_t expected = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] != 1 && static_cast<uint64_t>(strides[dim]) != expected)
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

/// The number of elements from the aligned address to the last one, if the
/// bytes up to there are a number that memory may have.
static std::optional<uint64_t> getExtent(const HostTensor &tensor) {
  uint64_t extent = 0;
  if (llvm::is_contained(tensor.sizes, 0))
    return extent;
  int64_t count = 1;
  for (int64_t size : tensor.sizes)
    if (__builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  if (__builtin_add_overflow(tensor.offset, 1, &extent))
    return std::nullopt;
  for (auto [size, stride] : llvm::zip_equal(tensor.sizes, tensor.strides)) {
    uint64_t span = std::max<int64_t>(size - 1, 0);
    if (__builtin_mul_overflow(span, stride, &span) ||
        __builtin_add_overflow(extent, span, &extent))
      return std::nullopt;
  }
  return extent < (uint64_t(1) << 48) ? std::optional(extent) : std::nullopt;
}

llvm::Expected<HostTensor> run::allocate(ElementType element,
                                         llvm::ArrayRef<int64_t> sizes,
                                         llvm::ArrayRef<int64_t> strides,
                                         int64_t offset) {
  HostTensor tensor;
  tensor.element = element;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.offset = offset;
  tensor.strides.assign(strides.begin(), strides.end());
  bool fits = true;
  if (strides.empty()) {
    tensor.strides.resize(sizes.size());
    int64_t stride = 1;
    for (size_t dim = sizes.size(); dim-- > 0;) {
      tensor.strides[dim] = stride;
      fits &= !__builtin_mul_overflow(stride, std::max<int64_t>(sizes[dim], 1),
                                      &stride);
    }
  }
  std::optional<uint64_t> extent = getExtent(tensor);
  if (!fits || !extent)
    return llvm::createStringError(
        "expected sizes and strides that fit into memory, got more than 2^48 "
        "elements from the first to the last, or 2^63 of them");
  // Rounded up for aligned_alloc, with room for a vector past the end.
  tensor.storageBytes = *extent * fuser_rt::elementBytes(element);
  uint64_t bytes = (tensor.storageBytes + 511) / 256 * 256;
  tensor.storage.reset(static_cast<char *>(std::aligned_alloc(256, bytes)),
                       std::free);
  if (!tensor.storage)
    return llvm::createStringError("out of memory: expected " +
                                   llvm::Twine(bytes) +
                                   " bytes for a tensor, got none");
  return tensor;
}
