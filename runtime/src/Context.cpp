//===- Context.cpp - A device in use --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "Status.h"

#include <algorithm>
#include <iterator>
#include <string_view>

using namespace fuser_rt;

static constexpr size_t memoryAlignment = 256;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FuserStatus *FuserContext::allocateForeign(size_t bytes, void *stream,
                                           Memory &memory) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    size_t padded = padForeign ? bytes + memoryAlignment - 1 : bytes;
    memory.base = allocator.alloc(allocator.user, padded, stream);
    if (!memory.base)
      return makeError(FUSER_OUT_OF_MEMORY,
                       "out of memory: the caller's allocator was asked for "
                       "%zu bytes and gave "
                       "none; %zu bytes are free on '%s'",
                       padded, device->freeBytes(), device->name().c_str());
    auto address = reinterpret_cast<uintptr_t>(memory.base);
    if (padForeign || address % memoryAlignment == 0) {
      memory.data = reinterpret_cast<void *>((address + memoryAlignment - 1) &
                                             ~uintptr_t(memoryAlignment - 1));
      return nullptr;
    }
    allocator.dealloc(allocator.user, memory.base, stream);
    padForeign = true;
  }
  return makeError(FUSER_INTERNAL, "memory could not be aligned");
}

FuserStatus *FuserContext::allocate(size_t bytes, void *stream,
                                    Memory &memory) {
  memory = {};
  if (bytes == 0)
    return nullptr;
  if (allocator.alloc)
    return allocateForeign(bytes, stream, memory);
  FUSER_RETURN_IF_ERROR(device->allocate(bytes, stream, &memory.data));
  memory.base = memory.data;
  return nullptr;
}

void FuserContext::deallocate(const Memory &memory, const FuserAllocator &from,
                              void *stream) {
  if (!memory.base)
    return;
  if (!from.alloc)
    return device->release(memory.base, stream);
  device->beforeForeignRelease(stream);
  from.dealloc(from.user, memory.base, stream);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// The event whose end the work is, if it is traced.
Trace::Event *FuserContext::beginWork(void *stream, const Work &work) {
  // A wait is what other streams' delays are to be seen against.
  if (isDelayed && work.kind != Work::Wait)
    device->delay(stream);
  Trace *traced = getTrace();
  Trace::Event *event = traced ? traced->add(*device, stream, work) : nullptr;
  if (event)
    device->stamp(stream, &event->begin);
  return event;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// A tensor and what it takes to free it; sizes and strides lie behind it.
struct OwnedTensor {
  DLManagedTensorVersioned tensor;
  FuserContext *context; // null for a view
  FuserAllocator allocator;
  Memory memory;
  void *stream;

  int64_t *numbers() { return reinterpret_cast<int64_t *>(this + 1); }
};
} // namespace

static void deleteTensor(DLManagedTensorVersioned *tensor) {
  auto *owned = static_cast<OwnedTensor *>(tensor->manager_ctx);
  if (FuserContext *context = owned->context) {
    // Where there is no device any more, there is nothing to give back.
    if (FuserStatus *lost = context->device->checkUsable()) {
      fuser_status_destroy(lost);
    } else {
      Entered entered(*context->device);
      context->deallocate(owned->memory, owned->allocator, owned->stream);
    }
    context->release();
  }
  free(owned);
}

DLManagedTensorVersioned *fuser_rt::createTensor(FuserContext &context,
                                                 const TensorRequest &request) {
  size_t rank = static_cast<size_t>(request.rank);
  void *space = malloc(sizeof(OwnedTensor) + 2 * rank * sizeof(int64_t));
  if (!space)
    throw std::bad_alloc();
  auto *owned = new (space) OwnedTensor{};
  int64_t *sizes = owned->numbers(), *strides = sizes + rank, next = 1;
  for (size_t i = rank; i-- > 0;) {
    sizes[i] = request.sizes[i];
    strides[i] = request.strides ? request.strides[i] : next;
    next *= sizes[i] > 1 ? sizes[i] : 1;
  }
  DLTensor &tensor = owned->tensor.dl_tensor;
  tensor.data = request.data;
  tensor.device = context.device->dlDevice();
  tensor.ndim = request.rank;
  tensor.dtype = request.type;
  tensor.shape = sizes;
  tensor.strides = strides;
  owned->tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  owned->tensor.manager_ctx = owned;
  owned->tensor.deleter = deleteTensor;
  if (request.memory) {
    context.retain();
    owned->context = &context;
    owned->allocator = context.allocator;
    owned->memory = *request.memory;
    owned->stream = request.stream;
  }
  return &owned->tensor;
}

/// The bytes that a tensor of these sizes and strides spans. False if that is
/// no number of bytes.
static bool spannedBytes(const TensorRequest &request, size_t &bytes) {
  int64_t elements = 1, next = 1;
  bool empty = false;
  for (int32_t i = request.rank; i-- > 0;) {
    int64_t size = request.sizes[i],
            stride = request.strides ? request.strides[i] : next, reach;
    if (size < 0 || stride < 0)
      return false;
    empty |= size == 0;
    if (size > 1 && (__builtin_mul_overflow(size - 1, stride, &reach) ||
                     __builtin_add_overflow(elements, reach, &elements) ||
                     __builtin_mul_overflow(next, size, &next)))
      return false;
  }
  int64_t bits = int64_t(request.type.bits) * request.type.lanes, total;
  if (__builtin_mul_overflow(elements, (bits + 7) / 8, &total))
    return false;
  bytes = empty ? 0 : static_cast<size_t>(total);
  return true;
}

static FuserStatus *createOwnedTensor(FuserContext &context,
                                      TensorRequest request,
                                      DLManagedTensorVersioned **tensor) {
  if (request.rank < 0 || (request.rank > 0 && !request.sizes))
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected a rank of 0 or more with its sizes, got %d",
                     request.rank);
  size_t bytes = 0;
  if (!spannedBytes(request, bytes))
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected sizes and strides of 0 or more that span less "
                     "than 2^63 bytes, got "
                     "others");
  FUSER_RETURN_IF_ERROR(context.device->checkUsable());
  Entered entered(*context.device);
  Memory memory;
  FUSER_RETURN_IF_ERROR(context.allocate(bytes, context.stream, memory));
  request.data = memory.data;
  request.memory = &memory;
  request.stream = context.stream;
  *tensor = createTensor(context, request);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The C ABI
//===----------------------------------------------------------------------===//

template <typename Create>
static FuserStatus *createContext(FuserContext **context, Create create) {
  *context = nullptr;
  return guarded([&]() -> FuserStatus * {
    std::unique_ptr<Device> device;
    FUSER_RETURN_IF_ERROR(create(device));
    *context = new FuserContext(std::move(device));
    return nullptr;
  });
}

extern "C" {

FuserStatus *fuser_context_create_cpu(int32_t num_threads,
                                      FuserContext **context) {
  return createContext(context, [&](std::unique_ptr<Device> &device) {
    return createCpuDevice(num_threads, device);
  });
}

FuserStatus *fuser_context_create_cuda(int32_t ordinal,
                                       FuserContext **context) {
  return createContext(context, [&](std::unique_ptr<Device> &device) {
    return createCudaDevice(ordinal, device);
  });
}

FuserStatus *fuser_context_create_sim(int32_t num_threads,
                                      FuserContext **context) {
  return createContext(context, [&](std::unique_ptr<Device> &device) {
    return createSimDevice(num_threads, device);
  });
}

void fuser_context_destroy(FuserContext *context) {
  if (context)
    context->release();
}

void fuser_context_lock(FuserContext *context) { context->mutex.lock(); }

void fuser_context_unlock(FuserContext *context) { context->mutex.unlock(); }

DLDevice fuser_context_device(const FuserContext *context) {
  return context->device->dlDevice();
}

const char *fuser_context_arch(const FuserContext *context) {
  return context->device->arch().c_str();
}

uint32_t fuser_context_target(const FuserContext *context) {
  return static_cast<uint32_t>(context->device->target());
}

const char *fuser_context_device_name(const FuserContext *context) {
  return context->device->name().c_str();
}

FuserStatus *fuser_context_set_stream(FuserContext *context, void *stream) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(context->device->checkUsable());
    if (!stream)
      stream = context->device->ownStream();
    FUSER_RETURN_IF_ERROR(context->device->checkStream(stream));
    context->stream = stream;
    return nullptr;
  });
}

void *fuser_context_stream(FuserContext *context) { return context->stream; }

FuserStatus *fuser_context_synchronize(FuserContext *context) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(context->device->checkUsable());
    Entered entered(*context->device);
    bool isDone = false;
    FUSER_RETURN_IF_ERROR(
        context->communicator->synchronize(context->stream, isDone));
    return isDone ? nullptr : context->device->synchronize(context->stream);
  });
}

FuserStatus *fuser_context_set_delays(FuserContext *context, uint64_t seed,
                                      int32_t microseconds) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(context->device->checkUsable());
    FUSER_RETURN_IF_ERROR(context->device->setDelays(seed, microseconds));
    context->setDelayed(microseconds > 0);
    return nullptr;
  });
}

static constexpr std::pair<std::string_view, uint32_t> checkNames[] = {
    {"races", FUSER_CHECK_RACES},
    {"bounds", FUSER_CHECK_BOUNDS},
    {"uninit", FUSER_CHECK_UNINIT},
    {"divergence", FUSER_CHECK_DIVERGENCE},
    {"alignment", FUSER_CHECK_ALIGNMENT},
    {"barriers", FUSER_CHECK_BARRIERS},
    {"all", FUSER_CHECK_ALL}};

static FuserStatus *refuseCheck(std::string_view name) {
  std::string known;
  for (const auto &[each, check] : checkNames) {
    const char *between = check == FUSER_CHECK_ALL        ? ", or "
                          : check == FUSER_CHECK_BARRIERS ? " and "
                                                          : ", ";
    known.append(known.empty() ? "" : between).append(each);
  }
  return makeError(FUSER_INVALID_ARGUMENT, "expected some of %s, got '%.*s'",
                   known.c_str(), int(name.size()), name.data());
}

FuserStatus *fuser_find_checks(const char *names, uint32_t *checks) {
  return guarded([&]() -> FuserStatus * {
    uint32_t found = 0;
    std::string_view left = names ? names : "";
    for (bool isLast = false; !isLast;) {
      size_t end = left.find(',');
      std::string_view name = left.substr(0, end);
      isLast = end == std::string_view::npos;
      left.remove_prefix(isLast ? left.size() : end + 1);
      const auto *it =
          std::find_if(std::begin(checkNames), std::end(checkNames),
                       [&](const auto &known) { return known.first == name; });
      if (it == std::end(checkNames))
        return refuseCheck(name);
      found |= it->second;
    }
    *checks = found;
    return nullptr;
  });
}

FuserStatus *fuser_context_set_simulation(FuserContext *context,
                                          uint32_t checks, uint64_t seed) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(context->device->checkUsable());
    return context->device->setSimulation(checks, seed);
  });
}

void fuser_context_set_allocator(FuserContext *context,
                                 const FuserAllocator *allocator) {
  context->allocator = allocator ? *allocator : FuserAllocator{};
}

void fuser_context_set_output_allocator(FuserContext *context,
                                        const FuserOutputAllocator *allocator) {
  context->outputAllocator = allocator ? *allocator : FuserOutputAllocator{};
}

FuserStatus *fuser_tensor_create(FuserContext *context, DLDataType type,
                                 int32_t rank, const int64_t *sizes,
                                 const int64_t *strides,
                                 DLManagedTensorVersioned **tensor) {
  *tensor = nullptr;
  return guarded([&] {
    return createOwnedTensor(
        *context, {type, rank, sizes, strides, nullptr, nullptr, nullptr},
        tensor);
  });
}

FuserStatus *fuser_memcpy(FuserContext *context, void *dst, const void *src,
                          size_t bytes) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(context->device->checkUsable());
    Entered entered(*context->device);
    return context->device->copyAndWait(dst, src, bytes, context->stream);
  });
}

} // extern "C"
