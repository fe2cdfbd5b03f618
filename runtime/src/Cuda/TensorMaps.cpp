//===- TensorMaps.cpp - Kernel parameters that the driver encodes ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/TensorMaps.h"

#include <algorithm>
#include <cinttypes>

using namespace fuser_rt;

// What the driver asks for (cuda.h, at cuTensorMapEncodeTiled).
static constexpr int64_t maxSize = int64_t(1) << 32;
static constexpr int64_t endOfStrides = int64_t(1) << 40;

/// Of what addresses and strides are multiples, in bytes.
static int64_t alignmentOf(const TensorMapSpec &spec) {
  return spec.interleave == 2 ? 32 : 16;
}

/// A tensor's dimensions as the driver takes them: the last one first, strides
/// in bytes, without that of the first.
struct TensorMaps::Shape {
  uint64_t sizes[maxTensorMapRank];
  uint64_t strides[maxTensorMapRank];
  unsigned box[maxTensorMapRank];
};

TensorMaps::TensorMaps(const cu::Driver &driver, const KernelSpec &kernel)
    : driver(&driver), kernel(&kernel) {
  for (const TensorMapSpec &spec : kernel.tensorMaps) {
    lists.push_back({&spec, {}});
    lists.back().entries.reserve(capacity);
  }
  if (!lists.empty())
    values.resize(kernel.numParams);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

// The driver has one answer to all that is wrong, CUDA_ERROR_INVALID_VALUE.

FuserStatus *TensorMaps::refuse(const TensorMapSpec &spec,
                                const std::string &expected,
                                const std::string &got) const {
  return makeError(FUSER_INVALID_ARGUMENT,
                   "launching %s: argument %" PRIu32
                   ": expected %s because the kernel takes a tensor map of it, "
                   "got %s",
                   kernel->name.c_str(), spec.argument, expected.c_str(),
                   got.c_str());
}

FuserStatus *TensorMaps::checkStride(const TensorMapSpec &spec, size_t dim,
                                     int64_t stride) const {
  int64_t bytes = elementBytes(spec.element), alignment = alignmentOf(spec);
  if (stride >= 0 && stride <= (endOfStrides - 1) / bytes &&
      stride * bytes % alignment == 0)
    return nullptr;
  return refuse(
      spec,
      format("a stride of dimension %zu that is a multiple of %" PRId64
             " bytes and less than 2^40 bytes",
             dim, alignment),
      format("%" PRId64 " elements of %" PRId64 " bytes", stride, bytes));
}

FuserStatus *TensorMaps::checkShape(const TensorMapSpec &spec,
                                    const Entry &tensor, Shape &shape) const {
  size_t rank = spec.box.size();
  const int64_t *sizes = tensor.extents, *strides = sizes + rank;
  int64_t bytes = elementBytes(spec.element), alignment = alignmentOf(spec);
  if (reinterpret_cast<uintptr_t>(tensor.data) % alignment != 0)
    return refuse(
        spec, format("an address that is a multiple of %" PRId64, alignment),
        format("%p", tensor.data));
  for (size_t i = 0; i < rank; ++i) {
    size_t dim = rank - 1 - i;
    int64_t size = sizes[dim], stride = strides[dim];
    if (size < 0 || size > maxSize)
      return refuse(spec, format("at most 2^32 elements in dimension %zu", dim),
                    format("%" PRId64, size));
    shape.sizes[i] = uint64_t(size);
    shape.box[i] = spec.box[dim];
    if (i == 0) {
      if (stride != 1 && size != 1)
        return refuse(spec,
                      format("elements of dimension %zu side by side", dim),
                      format("a stride of %" PRId64, stride));
    } else if (size == 1) {
      // No address depends on it, but the driver looks at it.
      int64_t row = (sizes[rank - 1] * bytes + alignment - 1) / alignment;
      shape.strides[i - 1] =
          i == 1 ? uint64_t(row * alignment) : shape.strides[i - 2];
    } else {
      FUSER_RETURN_IF_ERROR(checkStride(spec, dim, stride));
      shape.strides[i - 1] = uint64_t(stride * bytes);
    }
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Encodes the map of a tensor that is not in the list.
FuserStatus *TensorMaps::add(List &list, const Entry &tensor, void *&map) {
  const TensorMapSpec &spec = *list.spec;
  if (!driver->tensorMapEncodeTiled)
    return makeError(FUSER_DEVICE_ERROR,
                     "launching %s: expected a CUDA driver with "
                     "cuTensorMapEncodeTiled because the kernel takes a tensor "
                     "map of argument %" PRIu32 ", got an older one without",
                     kernel->name.c_str(), spec.argument);
  Shape shape;
  FUSER_RETURN_IF_ERROR(checkShape(spec, tensor, shape));
  static constexpr unsigned steps[maxTensorMapRank] = {1, 1, 1, 1, 1};
  Entry entry = tensor;
  cu::Result result = driver->tensorMapEncodeTiled(
      &entry.map, int(spec.element), unsigned(spec.box.size()), tensor.data,
      shape.sizes, shape.strides, shape.box, steps, int(spec.interleave),
      int(spec.swizzle), int(spec.l2Promotion), spec.fillsNan);
  if (result != cu::success)
    return driver->error(result, format("launching %s: encoding the tensor map "
                                        "of argument %" PRIu32,
                                        kernel->name.c_str(), spec.argument));
  size_t place = list.entries.size();
  if (place < capacity) {
    list.entries.push_back(entry);
  } else {
    place = list.oldest;
    list.entries[place] = entry;
    list.oldest = (place + 1) % capacity;
  }
  map = &list.entries[place].map;
  return nullptr;
}

FuserStatus *TensorMaps::find(List &list, const FuserMemRef &tensor,
                              void *&map) {
  const TensorMapSpec &spec = *list.spec;
  size_t rank = spec.box.size();
  const auto *extents = reinterpret_cast<const int64_t *>(&tensor + 1);
  if (std::find(extents, extents + rank, 0) != extents + rank) {
    // There is nothing to encode, and nothing for the kernel to read.
    map = &none;
    return nullptr;
  }
  void *data = static_cast<char *>(tensor.aligned) +
               tensor.offset * int64_t(elementBytes(spec.element));
  for (Entry &entry : list.entries)
    if (entry.data == data &&
        std::equal(extents, extents + 2 * rank, entry.extents)) {
      map = &entry.map;
      return nullptr;
    }
  Entry entry{};
  entry.data = data;
  std::copy(extents, extents + 2 * rank, entry.extents);
  return add(list, entry, map);
}

FuserStatus *TensorMaps::encode(void *const *params, void **&encoded) {
  std::copy(params, params + values.size(), values.begin());
  for (List &list : lists) {
    uint32_t param = list.spec->param;
    const auto *tensor =
        *static_cast<const FuserMemRef *const *>(params[param]);
    FUSER_RETURN_IF_ERROR(find(list, *tensor, values[param]));
  }
  encoded = values.data();
  return nullptr;
}
