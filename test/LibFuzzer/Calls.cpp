//===- Calls.cpp - Random calls of a program ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "Run/Checks.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sys/mman.h>

using namespace fuser;
using namespace fuser::fuzzers;
using namespace fuser_rt;

Arena::Arena() {
  constexpr size_t kGuard = size_t(1) << 16;
  void *all = mmap(nullptr, kBytes + 2 * kGuard, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    abort();
  memory = static_cast<char *>(all) + kGuard;
  mprotect(memory, kBytes, PROT_READ | PROT_WRITE);
}

FuserStatus *Call::run(FuserProgram *program) {
  return fuser_program_run(
      program, hasNoInputs ? nullptr : inputs.data(), inputs.size(),
      hasNoScalars ? nullptr : scalars.data(), scalars.size(),
      hasNoOutputs ? nullptr : outputs.data(), outputs.size());
}

//===----------------------------------------------------------------------===//
// Making a call
//===----------------------------------------------------------------------===//

namespace {
class CallMaker {
public:
  CallMaker(const Variant &spec, const Arena &arena, FuzzedDataProvider &data)
      : spec(spec), data(data), next(arena.data()),
        end(arena.data() + Arena::kBytes) {}

  Call make();

private:
  int64_t number();
  CallTensor &addTensor(const TensorSpec &spec);
  void relayout(CallTensor &tensor);
  bool hasRank(int32_t rank) const;
  void damage(CallTensor &tensor);
  void damageLists();
  FuserScalar makeScalar();

  const Variant &spec;
  FuzzedDataProvider &data;
  /// What is left of the arena: tensors do not overlap.
  char *next, *end;
  std::map<Dim, int64_t> symbols;
  Call call;
};
} // namespace

int64_t CallMaker::number() {
  static constexpr int64_t interesting[] = {
      0,         1,         2,   3,         -1,        -2,
      7,         8,         9,   64,        1ll << 31, 1ll << 32,
      1ll << 61, 1ll << 62, -64, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  if (data.ConsumeBool())
    return data.PickValueInArray(interesting);
  return data.ConsumeBool() ? data.ConsumeIntegralInRange<int64_t>(-20, 20)
                            : data.ConsumeIntegral<int64_t>();
}

/// A tensor that fits, row major or in the order that is asked for, in memory
/// of its own; at the end of what is left of it, or at the beginning.
CallTensor &CallMaker::addTensor(const TensorSpec &tensorSpec) {
  call.tensors.push_back(std::make_unique<CallTensor>());
  CallTensor &result = *call.tensors.back();
  size_t rank = tensorSpec.dims.size();
  result.rank = int32_t(rank);
  result.sizes.reset(new int64_t[rank]);
  result.strides.reset(new int64_t[rank]);
  int64_t elements = 1;
  for (size_t i = 0; i < rank; ++i) {
    Dim dim = tensorSpec.dims[i];
    if (dim < 0 && !symbols.count(dim))
      symbols[dim] = data.ConsumeIntegralInRange<int64_t>(0, 9);
    result.sizes[i] = dim < 0 ? symbols[dim] : dim;
  }
  for (size_t i = rank; i-- > 0;) {
    size_t dim = tensorSpec.strideOrder.empty() ? i : tensorSpec.strideOrder[i];
    result.strides[dim] = elements;
    elements *= std::max<int64_t>(result.sizes[dim], 1);
  }
  size_t bytes = size_t(elements) * elementBytes(tensorSpec.element);
  bytes = (bytes + 63) / 64 * 64;
  bool isAtEnd = data.ConsumeBool();
  if (isAtEnd)
    end -= bytes;
  result.tensor = {isAtEnd ? end : next,
                   {kDLCPU, 0},
                   int32_t(rank),
                   dlType(tensorSpec.element),
                   result.sizes.get(),
                   result.strides.get(),
                   0};
  if (!isAtEnd)
    next += bytes;
  return result;
}

/// In numbers: it may be no pointer.
static void moveData(DLTensor &tensor, uint64_t bytes) {
  tensor.data = reinterpret_cast<void *>(
      reinterpret_cast<uintptr_t>(tensor.data) + bytes);
}

/// Other strides, or another address, in the same memory or not.
void CallMaker::relayout(CallTensor &tensor) {
  DLTensor &dl = tensor.tensor;
  switch (data.ConsumeIntegralInRange(0, 4)) {
  case 0:
    dl.strides = nullptr;
    return;
  case 1:
    for (int32_t i = 0; i < tensor.rank; ++i)
      tensor.strides[i] = data.ConsumeIntegralInRange<int64_t>(-3, 40);
    return;
  case 2:
    moveData(dl, data.ConsumeIntegralInRange<uint64_t>(0, 64));
    return;
  case 3:
    dl.byte_offset = data.ConsumeIntegralInRange<uint64_t>(0, 256);
    moveData(dl, -dl.byte_offset);
    return;
  default:
    if (tensor.rank > 1)
      std::swap(tensor.strides[0], tensor.strides[tensor.rank - 1]);
  }
}

/// Whether a tensor of the program has it.
bool CallMaker::hasRank(int32_t rank) const {
  auto has = [&](const TensorSpec &tensor) {
    return rank == int64_t(tensor.dims.size());
  };
  return llvm::any_of(spec.inputs, has) || llvm::any_of(spec.outputs, has);
}

void CallMaker::damage(CallTensor &tensor) {
  DLTensor &dl = tensor.tensor;
  switch (data.ConsumeIntegralInRange(0, 10)) {
  case 0:
    dl.data = data.ConsumeBool() ? nullptr : reinterpret_cast<void *>(number());
    return;
  case 1:
    dl.device = {static_cast<DLDeviceType>(data.ConsumeIntegralInRange(0, 15)),
                 int32_t(number())};
    return;
  case 2:
    dl.dtype = {data.ConsumeIntegral<uint8_t>(),
                data.ConsumeIntegral<uint8_t>(),
                data.ConsumeIntegralInRange<uint16_t>(0, 2)};
    return;
  case 3:
    // The lists keep their lengths: nothing may read them. So not a rank that
    // fits another tensor, whose place this one may take.
    dl.ndim = int32_t(number());
    if (hasRank(dl.ndim))
      dl.ndim = -1;
    return;
  case 4:
    dl.shape = nullptr;
    return;
  case 5:
    dl.strides = nullptr;
    return;
  case 6:
    dl.byte_offset = uint64_t(number());
    return;
  case 7:
  case 8:
    if (tensor.rank > 0)
      tensor.strides[data.ConsumeIntegralInRange(0, tensor.rank - 1)] =
          number();
    return;
  default:
    if (tensor.rank > 0)
      tensor.sizes[data.ConsumeIntegralInRange(0, tensor.rank - 1)] = number();
  }
}

void CallMaker::damageLists() {
  auto resize = [&](auto &list) {
    list.resize(data.ConsumeIntegralInRange<size_t>(0, list.size() + 2));
  };
  switch (data.ConsumeIntegralInRange(0, 6)) {
  case 0:
    return resize(call.inputs);
  case 1:
    return resize(call.scalars);
  case 2:
    return resize(call.outputs);
  case 3:
    call.hasNoInputs = true;
    return;
  case 4:
    call.hasNoScalars = true;
    return;
  case 5:
    call.hasNoOutputs = true;
    return;
  default:
    // One tensor for all.
    if (!call.inputs.empty())
      llvm::fill(call.inputs, data.ConsumeBool() ? nullptr : call.inputs[0]);
  }
}

FuserScalar CallMaker::makeScalar() {
  FuserScalar scalar;
  bool isFloat = data.ConsumeIntegralInRange(0, 3) == 0;
  scalar.kind =
      isFloat ? FuserScalar::FUSER_SCALAR_FLOAT : FuserScalar::FUSER_SCALAR_INT;
  scalar.value.i = data.ConsumeIntegralInRange<int64_t>(0, 9);
  if (isFloat)
    scalar.value.f = data.ConsumeFloatingPoint<double>();
  else if (data.ConsumeBool())
    scalar.value.i = number();
  return scalar;
}

Call CallMaker::make() {
  for (const TensorSpec &input : spec.inputs)
    call.inputs.push_back(&addTensor(input).tensor);
  for (size_t i = 0; i < spec.scalars.size(); ++i)
    call.scalars.push_back(makeScalar());
  // A size that is given by a scalar is to be another's.
  call.isPlain = spec.scalars.empty();
  // What a failed call has to overwrite.
  auto *garbage = reinterpret_cast<DLManagedTensorVersioned *>(uintptr_t(1));
  for (const TensorSpec &output : spec.outputs) {
    bool isGiven = data.ConsumeIntegralInRange(0, 3) == 0;
    call.outputs.push_back(
        {isGiven ? &addTensor(output).tensor : nullptr, garbage});
    // Its sizes are known to the program only, and its memory to the caller.
    call.isPlain &= !isGiven;
  }
  if (data.ConsumeBool())
    return std::move(call);
  call.isPlain = false;
  unsigned faults = data.ConsumeIntegralInRange(1, 3);
  for (unsigned i = 0; i < faults; ++i) {
    unsigned kind = data.ConsumeIntegralInRange(0, 7);
    if (kind == 0 || call.tensors.empty()) {
      damageLists();
      continue;
    }
    CallTensor &tensor = *call.tensors[data.ConsumeIntegralInRange<size_t>(
        0, call.tensors.size() - 1)];
    kind < 4 ? relayout(tensor) : damage(tensor);
  }
  return std::move(call);
}

Call fuser::fuzzers::makeCall(const Variant &spec, const Arena &arena,
                              FuzzedDataProvider &data) {
  return CallMaker(spec, arena, data).make();
}

//===----------------------------------------------------------------------===//
// What is right about it
//===----------------------------------------------------------------------===//

static bool isEmpty(const DLTensor &tensor) {
  return std::any_of(tensor.shape, tensor.shape + tensor.ndim,
                     [](int64_t size) { return size == 0; });
}

/// Symbols get their sizes from inputs; what only outputs have is known to the
/// program.
static bool isAsDescribed(const DLTensor *tensor, const TensorSpec &spec,
                          std::map<Dim, int64_t> &symbols, bool isInput) {
  if (!tensor || tensor->ndim != int64_t(spec.dims.size()))
    return false;
  DLDataType type = dlType(spec.element);
  if (tensor->dtype.code != type.code || tensor->dtype.bits != type.bits ||
      tensor->dtype.lanes != type.lanes)
    return false;
  DLDeviceType device = tensor->device.device_type;
  if (device != kDLCPU && device != kDLCUDAHost && device != kDLCUDAManaged)
    return false;
  if (!tensor->shape && tensor->ndim)
    return false;
  for (int32_t i = 0; i < tensor->ndim; ++i) {
    Dim dim = spec.dims[i];
    int64_t size = tensor->shape[i], expected = dim;
    if (dim < 0 && isInput)
      expected = symbols.try_emplace(dim, size).first->second;
    else if (dim < 0)
      expected = symbols.count(dim) ? symbols[dim] : size;
    if (size < 0 || size != expected)
      return false;
  }
  return tensor->data || isEmpty(*tensor);
}

bool fuser::fuzzers::isAsDescribed(const Call &call, const Variant &spec) {
  if (call.inputs.size() != spec.inputs.size() ||
      call.outputs.size() != spec.outputs.size() ||
      call.scalars.size() != spec.scalars.size() ||
      (call.hasNoInputs && !spec.inputs.empty()) ||
      (call.hasNoOutputs && !spec.outputs.empty()) ||
      (call.hasNoScalars && !spec.scalars.empty()))
    return false;
  std::map<Dim, int64_t> symbols;
  for (size_t i = 0; i < spec.inputs.size(); ++i)
    if (!::isAsDescribed(call.inputs[i], spec.inputs[i], symbols, true))
      return false;
  for (size_t i = 0; i < spec.outputs.size(); ++i)
    if (const DLTensor *given = call.outputs[i].preallocated)
      if (!::isAsDescribed(given, spec.outputs[i], symbols, false))
        return false;
  return true;
}

/// Whether all elements of a tensor as described lie in the arena.
static bool isInside(const DLTensor &tensor, const Arena &arena) {
  // Code of a CPU may go through rows without elements.
  if (isEmpty(tensor))
    return std::all_of(
        tensor.shape, tensor.shape + tensor.ndim,
        [](int64_t size) { return size <= int64_t(Arena::kBytes); });
  // Beyond this, sums of offsets may overflow. Few elements, so that a program
  // soon ends.
  constexpr int64_t kMost = int64_t(1) << 40;
  constexpr __int128 kMostElements = Arena::kBytes;
  __int128 low = 0, high = 0, elements = 1;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    __int128 size = tensor.shape[i];
    __int128 stride = tensor.strides ? __int128(tensor.strides[i]) : elements;
    if (size > kMost || stride > kMost || stride < -kMost)
      return false;
    (stride < 0 ? low : high) += (size - 1) * stride;
    elements *= size;
    if (elements > kMostElements)
      return false;
  }
  __int128 bytes = (tensor.dtype.bits + 7) / 8;
  // As the runtime adds them up.
  auto address =
      __int128(reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset);
  auto begin = __int128(reinterpret_cast<uintptr_t>(arena.data()));
  return address + low * bytes >= begin &&
         address + (high + 1) * bytes <= begin + __int128(Arena::kBytes);
}

bool fuser::fuzzers::canRun(const Call &call, const Variant &spec,
                            const Arena &arena) {
  if (!isAsDescribed(call, spec))
    return false;
  return llvm::all_of(
      call.tensors, [&](const std::unique_ptr<CallTensor> &tensor) {
        const DLTensor &dl = tensor->tensor;
        return dl.shape && dl.ndim == tensor->rank && isInside(dl, arena);
      });
}
