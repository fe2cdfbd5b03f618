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

double run::getLargestFloat(ElementType type) {
  const ElementInfo &info = fuser_rt::getInfo(type);
  if (info.isPowers())
    return std::ldexp(1.0, -info.minExponent);
  // Without infinity there is a number for each exponent, and one less.
  int exponent = 1 - info.minExponent + !info.hasInfinity;
  int places = info.precision - 1 - !info.hasInfinity;
  return std::ldexp(2 - std::ldexp(1.0, -places), exponent);
}

double run::getUlp(ElementType type, double value) {
  const ElementInfo &info = fuser_rt::getInfo(type);
  int exponent = info.minExponent;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, exponent - info.precision + 1);
}

template <typename T>
static T read(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

/// An element as it lies in memory.
static uint64_t readBits(ElementType type, const void *data) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, fuser_rt::elementBytes(type));
  return bits;
}

double run::toNumber(ElementType type, int64_t integer) {
  bool isUnsigned = fuser_rt::getInfo(type).kind == ElementKind::Unsigned;
  return isUnsigned ? static_cast<double>(static_cast<uint64_t>(integer))
                    : static_cast<double>(integer);
}

double run::loadFloat(ElementType type, const void *data) {
  switch (type) {
  case ElementType::F64:
    return read<double>(data);
  case ElementType::F32:
    return read<float>(data);
  default:
    if (!isFloat(type))
      return toNumber(type, loadInt(type, data));
    return fuser_rt::decodeFloat(type, readBits(type, data));
  }
}

void run::storeFloat(ElementType type, void *data, double value) {
  if (!isFloat(type))
    return storeInt(type, data, static_cast<int64_t>(value));
  uint64_t bits = fuser_rt::encodeFloat(type, value);
  std::memcpy(data, &bits, fuser_rt::elementBytes(type));
}

int64_t run::loadInt(ElementType type, const void *data) {
  const ElementInfo &info = fuser_rt::getInfo(type);
  if (info.kind == ElementKind::Float)
    return static_cast<int64_t>(loadFloat(type, data));
  uint64_t bits = readBits(type, data);
  if (info.kind == ElementKind::Bool)
    return bits != 0;
  if (info.kind == ElementKind::Unsigned)
    return static_cast<int64_t>(bits);
  return llvm::SignExtend64(bits, info.bits);
}

void run::storeInt(ElementType type, void *data, int64_t value) {
  ElementKind kind = fuser_rt::getInfo(type).kind;
  if (kind == ElementKind::Float)
    return storeFloat(type, data, static_cast<double>(value));
  if (kind == ElementKind::Bool)
    value = value != 0;
  std::memcpy(data, &value, fuser_rt::elementBytes(type));
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

HostTensor HostTensor::getPairs() const {
  HostTensor pairs = *this;
  if (!fuser_rt::isComplex(element))
    return pairs;
  pairs.element = fuser_rt::partType(element);
  pairs.offset *= 2;
  for (int64_t &stride : pairs.strides)
    stride *= 2;
  pairs.sizes.push_back(2);
  pairs.strides.push_back(1);
  return pairs;
}

llvm::Expected<HostTensor> HostTensor::unpack() const {
  if (!fuser_rt::getInfo(element).isPacked())
    return *this;
  llvm::SmallVector<int64_t> columns = sizes;
  columns.back() *= 2;
  llvm::Expected<HostTensor> numbers = allocate(element, columns);
  if (numbers)
    forEachElement([&](Run run) {
      for (uint64_t i = 0; i < run.count; ++i) {
        char byte = run.data[static_cast<int64_t>(i) * run.step];
        char *pair = numbers->getData() + 2 * (run.position + i);
        pair[0] = byte & 15;
        pair[1] = byte >> 4 & 15;
      }
    });
  return numbers;
}

void HostTensor::pack(const HostTensor &numbers) {
  for (uint64_t i = 0, n = getNumElements(); i < n; ++i) {
    const char *pair = numbers.getData() + 2 * i;
    *getElement(i) = static_cast<char>((pair[0] & 15) | pair[1] << 4);
  }
}

DLTensor HostTensor::getDLTensor(DLDevice device, void *data) {
  return {data,
          device,
          static_cast<int32_t>(sizes.size()),
          fuser_rt::dlType(element),
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
