//===- Checks.cpp - Whether tensors fit a program -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Checks.h"
#include <algorithm>
#include <utility>

using namespace fuser_rt;

void fuser_rt::rowMajorStrides(int32_t rank, const int64_t *sizes,
                               int64_t *strides) {
  // Unsigned: beside a size of 0 the others may be anything.
  uint64_t next = 1;
  for (int32_t i = rank; i-- > 0;) {
    strides[i] = static_cast<int64_t>(next);
    next *= sizes[i] > 1 ? sizes[i] : 1;
  }
}

/// Row major where `order` is not: only if the dimensions that count are in
/// order.
static bool isRowMajorDense(const int64_t *sizes,
                            const std::vector<int64_t> &order) {
  int64_t last = -1;
  for (int64_t dim : order) {
    if (sizes[dim] == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

bool fuser_rt::isDense(const int64_t *sizes, const int64_t *strides,
                       const std::vector<int64_t> &order) {
  if (!strides)
    return isRowMajorDense(sizes, order);
  int64_t next = 1;
  for (size_t i = order.size(); i-- > 0;) {
    int64_t size = sizes[order[i]];
    if (size == 1)
      continue;
    if (strides[order[i]] != next)
      return false;
    next *= size;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// One tensor
//===----------------------------------------------------------------------===//

void *fuser_rt::dataOf(const DLTensor &tensor) {
  return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(tensor.data) +
                                  tensor.byte_offset);
}

/// What the program requires comes before what another variant can mend.
static Mismatch::Kind checkClass(int64_t size, const SizeSpec &asked,
                                 Mismatch &mismatch) {
  auto refuse = [&](Mismatch::Kind kind, int64_t expected, bool isRequired) {
    mismatch.expected = expected;
    mismatch.isRequired = isRequired;
    return kind;
  };
  auto isBeyond = [&](int64_t bound) { return bound >= 0 && size > bound; };
  if (size % asked.requiredDivisor != 0)
    return refuse(Mismatch::Divisor, asked.requiredDivisor, true);
  if (isBeyond(asked.requiredBound))
    return refuse(Mismatch::Bound, asked.requiredBound, true);
  if (size % asked.divisor != 0)
    return refuse(Mismatch::Divisor, asked.divisor, false);
  if (isBeyond(asked.bound))
    return refuse(Mismatch::Bound, asked.bound, false);
  if (size < asked.lowerBound)
    return refuse(Mismatch::LowerBound, asked.lowerBound, false);
  return Mismatch::None;
}

Mismatch::Kind TensorCheck::checkSize(size_t i, Mismatch &mismatch) const {
  int64_t size = tensor->shape[i], dim = spec.dims[i];
  mismatch.dim = i;
  if (size < 0)
    return Mismatch::NegativeSize;
  if (dim >= 0) {
    mismatch.expected = dim;
    return size == dim ? Mismatch::None : Mismatch::Size;
  }
  Symbol &symbol = symbols[-1 - dim];
  if (symbol.size >= 0) {
    mismatch.symbol = symbol;
    return symbol.size == size ? Mismatch::None : Mismatch::SymbolSize;
  }
  if (isOutput)
    return Mismatch::None;
  symbol = {size, uint32_t(index), uint32_t(i)};
  const SizeSpec *asked = sizes[-1 - dim];
  return asked ? checkClass(size, *asked, mismatch) : Mismatch::None;
}

Mismatch::Kind TensorCheck::checkSizes(Mismatch &mismatch, bool &empty) const {
  int64_t bytes = elementBytes(spec.element);
  bool tooLarge = false;
  Mismatch ofClass;
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    Mismatch::Kind kind = checkSize(i, mismatch);
    if (__builtin_expect(kind != Mismatch::None, 0)) {
      mismatch.kind = kind;
      if (!mismatch.isOfClass())
        return kind;
      ofClass = mismatch;
    }
    int64_t size = tensor->shape[i];
    empty |= size == 0;
    tooLarge |= __builtin_mul_overflow(bytes, size, &bytes);
  }
  if (tooLarge && !empty)
    return Mismatch::TooLarge;
  // Behind what no variant takes.
  if (ofClass.kind != Mismatch::None)
    mismatch = ofClass;
  return ofClass.kind;
}

Mismatch::Kind TensorCheck::findMismatch(Mismatch &mismatch) const {
  if (!tensor)
    return Mismatch::Missing;
  DLDataType expected = dlType(spec.element), got = tensor->dtype;
  bool isSame = got.code == expected.code && got.bits == expected.bits &&
                got.lanes == expected.lanes;
  // Frameworks without packed floats have bytes.
  bool isBytes = getInfo(spec.element).isPacked() && got.code == kDLUInt &&
                 got.bits == 8 && got.lanes == 1;
  if (!isSame && !isBytes)
    return Mismatch::Type;
  if (tensor->ndim != static_cast<int64_t>(spec.dims.size()) ||
      (tensor->ndim && !tensor->shape))
    return Mismatch::Rank;
  const DLDevice &here = device.dlDevice();
  if ((tensor->device.device_type != here.device_type ||
       tensor->device.device_id != here.device_id) &&
      !device.reaches(tensor->device))
    return Mismatch::WrongDevice;
  bool empty = false;
  if (Mismatch::Kind kind = checkSizes(mismatch, empty))
    return kind;
  if (empty)
    return Mismatch::None;
  if (!tensor->data)
    return Mismatch::NoData;
  // What is a view of an input has its strides and its address.
  if (isOutput && spec.alias != TensorSpec::Alias::New)
    return Mismatch::None;
  bool isAligned = (reinterpret_cast<uintptr_t>(dataOf(*tensor)) &
                    (spec.alignment - 1)) == 0;
  // What the program requires comes before what another variant can mend.
  if (!isAligned && spec.alignmentRequired)
    return Mismatch::Alignment;
  if (!spec.anyStrides &&
      !isDense(tensor->shape, tensor->strides, spec.strideOrder))
    return Mismatch::Strides;
  return isAligned ? Mismatch::None : Mismatch::Alignment;
}

bool TensorCheck::run(Mismatch &mismatch) const {
  Mismatch::Kind kind = findMismatch(mismatch);
  if (__builtin_expect(kind == Mismatch::None, 1))
    return true;
  mismatch.kind = kind;
  mismatch.isOutput = isOutput;
  mismatch.index = index;
  mismatch.isRequired =
      (mismatch.isSizeClass() && mismatch.isRequired) ||
      (kind == Mismatch::Strides && spec.strideOrderRequired) ||
      (kind == Mismatch::Alignment && spec.alignmentRequired);
  return false;
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

Extent fuser_rt::extentOf(const DLTensor &tensor) {
  // Unsigned, as wild strides may wrap around.
  uint64_t low = 0, high = 0, next = 1;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    uint64_t size = tensor.shape[i];
    if (size == 0)
      return {};
    int64_t stride = tensor.strides ? tensor.strides[i] : int64_t(next);
    (stride < 0 ? low : high) += (size - 1) * uint64_t(stride);
    next *= size;
  }
  uint64_t bytes = (tensor.dtype.bits + 7) / 8;
  auto data = reinterpret_cast<uintptr_t>(dataOf(tensor));
  return {data + low * bytes, data + (high + 1) * bytes};
}

/// Whether two elements may share memory. Rows that interleave count as such.
static bool overlapsItself(const DLTensor &tensor) {
  if (!tensor.strides)
    return false;
  InlineBuffer<std::pair<uint64_t, uint64_t>, 16> dims(tensor.ndim);
  size_t count = 0;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0)
      return false;
    int64_t stride = tensor.strides[i];
    if (tensor.shape[i] > 1)
      dims[count++] = {stride < 0 ? -uint64_t(stride) : uint64_t(stride),
                       uint64_t(tensor.shape[i])};
  }
  std::sort(dims.data(), dims.data() + count);
  uint64_t span = 1;
  for (size_t i = 0; i < count; ++i) {
    if (dims[i].first < span)
      return true;
    span += dims[i].first * (dims[i].second - 1);
  }
  return false;
}

bool fuser_rt::checkOverlap(const CallTensors &call,
                            const std::vector<bool> &writtenInputs,
                            Mismatch &mismatch) {
  size_t numInputs = call.variant.inputs.size(),
         numOutputs = call.variant.outputs.size();
  InlineBuffer<Extent, 32> extents(numInputs + numOutputs);
  for (size_t i = 0; i < numInputs; ++i)
    extents[i] = extentOf(*call.inputs[i]);
  // Outputs that are views of inputs are not written by themselves: they stay
  // empty here.
  for (size_t i = 0; i < numOutputs; ++i) {
    const DLTensor *given = call.outputs[i].preallocated;
    bool isNew = call.variant.outputs[i].alias == TensorSpec::Alias::New;
    extents[numInputs + i] = given && isNew ? extentOf(*given) : Extent{};
  }
  for (size_t written = 0; written < numInputs + numOutputs; ++written) {
    if (written < numInputs && !writtenInputs[written])
      continue;
    if (written < numInputs && overlapsItself(*call.inputs[written])) {
      mismatch.kind = Mismatch::OverlapsItself;
      mismatch.isOutput = false;
      mismatch.index = written;
      return false;
    }
    for (size_t other = 0; other < numInputs + numOutputs; ++other) {
      if (other == written || !extents[written].overlaps(extents[other]))
        continue;
      mismatch.kind = Mismatch::Overlap;
      mismatch.isOutput = other >= numInputs;
      mismatch.index = mismatch.isOutput ? other - numInputs : other;
      mismatch.otherIsOutput = written >= numInputs;
      mismatch.other = mismatch.otherIsOutput ? written - numInputs : written;
      return false;
    }
  }
  return true;
}
