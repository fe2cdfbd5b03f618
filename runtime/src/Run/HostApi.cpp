//===- HostApi.cpp - What a host program calls ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Checks.h"
#include "Run/Frame.h"
#include "Status.h"

#include <algorithm>
#include <cinttypes>

using namespace fuser_rt;

/// Turns the status that `body` returns into what a host program understands.
template <typename Body>
static int32_t call(FuserFrame *frame, Body &&body) {
  FuserStatus *error = guarded(std::forward<Body>(body));
  return __builtin_expect(!error, 1) ? 0 : frame->record(error);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static int32_t hostAlloc(FuserFrame *frame, int64_t bytes, void **data) {
  return call(frame, [&]() -> FuserStatus * {
    if (bytes < 0)
      return makeError(FUSER_INTERNAL,
                       "expected 0 or more bytes to allocate, got %" PRId64,
                       bytes);
    Memory memory;
    FUSER_RETURN_IF_ERROR(
        frame->context.allocate(size_t(bytes), frame->current, memory));
    // Stream-ordered memory is there when the stream gets there.
    frame->clocks.enqueue(frame->current);
    frame->addLive(memory);
    *data = memory.data;
    return nullptr;
  });
}

static int32_t hostWorkspace(FuserFrame *frame, int32_t number, int32_t zeroed,
                             int64_t bytes, void **data) {
  return call(frame, [&]() -> FuserStatus * {
    if (bytes < 0 || number < 0)
      return makeError(FUSER_INTERNAL,
                       "expected 0 or more bytes for a workspace of a number "
                       "from 0 on, got %" PRId64 " bytes for number %d",
                       bytes, number);
    frame->clocks.enqueue(frame->current);
    return frame->variant.workspaces.get(frame->context,
                                         {number, zeroed != 0, frame->current},
                                         size_t(bytes), data);
  });
}

static int32_t hostDealloc(FuserFrame *frame, void *data) {
  return call(frame, [&]() -> FuserStatus * {
    if (!data)
      return nullptr;
    Memory memory;
    if (!frame->takeLive(data, /*exact=*/true, memory))
      return makeError(
          FUSER_INTERNAL,
          "expected to free memory that this call has allocated, got %p", data);
    frame->clocks.enqueue(frame->current);
    frame->context.deallocate(memory, frame->context.allocator, frame->current);
    return nullptr;
  });
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static std::string outputText(FuserFrame *frame, int32_t index) {
  return tensorText("output", size_t(index),
                    frame->variant.spec.outputs[index].name);
}

static std::string inputText(FuserFrame *frame, uint32_t index) {
  return tensorText("input", index, frame->variant.spec.inputs[index].name);
}

static FuserStatus *checkOutput(FuserFrame *frame, int32_t index) {
  size_t count = frame->variant.spec.outputs.size();
  if (index < 0 || size_t(index) >= count)
    return makeError(FUSER_INTERNAL,
                     "expected one of %zu outputs, got output %d", count,
                     index);
  if (frame->results[index].done)
    return makeError(FUSER_INTERNAL, "%s is produced twice",
                     outputText(frame, index).c_str());
  return nullptr;
}

/// The bytes of a new output; false if there are too many to count.
static bool outputBytes(const TensorSpec &spec, const int64_t *sizes,
                        const int64_t *strides, size_t &bytes) {
  int64_t elements = 1, reach, total;
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    if (sizes[i] == 0) {
      bytes = 0;
      return true;
    }
    if (sizes[i] < 0 || strides[i] < 0 ||
        __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
        __builtin_add_overflow(elements, reach, &elements))
      return false;
  }
  if (__builtin_mul_overflow(elements, int64_t(elementBytes(spec.element)),
                             &total))
    return false;
  bytes = size_t(total);
  return true;
}

/// Sizes and strides of the caller's tensor against what the program computes.
static FuserStatus *checkPreallocated(FuserFrame *frame, int32_t index,
                                      const int64_t *sizes,
                                      const int64_t *strides) {
  const DLTensor &given = *frame->outputs[index].preallocated;
  size_t rank = frame->variant.spec.outputs[index].dims.size();
  bool empty = false;
  for (size_t i = 0; i < rank; ++i) {
    if (given.shape[i] != sizes[i])
      return makeError(FUSER_INVALID_ARGUMENT,
                       "%s: expected dimension %zu to be %" PRId64
                       " because the program computes sizes %s, got %" PRId64,
                       outputText(frame, index).c_str(), i, sizes[i],
                       listText(sizes, rank).c_str(), given.shape[i]);
    empty |= sizes[i] == 0;
  }
  int64_t next = 1;
  for (size_t i = rank; i-- > 0 && !empty;) {
    int64_t stride = given.strides ? given.strides[i] : next;
    if (sizes[i] != 1 && stride != strides[i])
      return makeError(FUSER_INVALID_ARGUMENT,
                       "%s: expected strides %s because the program writes "
                       "them, got %" PRId64 " in dimension %zu",
                       outputText(frame, index).c_str(),
                       listText(strides, rank).c_str(), stride, i);
    next *= sizes[i];
  }
  return nullptr;
}

/// Whether a tensor that the caller's allocator made is what was asked for.
static bool isAsAsked(const DLTensor &made, const DLTensor &prototype) {
  bool isSame = made.data && made.ndim == prototype.ndim &&
                made.dtype.code == prototype.dtype.code &&
                made.dtype.bits == prototype.dtype.bits &&
                made.dtype.lanes == prototype.dtype.lanes &&
                made.device.device_type == prototype.device.device_type &&
                made.device.device_id == prototype.device.device_id;
  for (int32_t i = 0; isSame && i < made.ndim; ++i)
    isSame = made.shape[i] == prototype.shape[i];
  int64_t next = 1;
  for (int32_t i = made.ndim; isSame && made.strides && i-- > 0;) {
    isSame = made.shape[i] == 1 || made.strides[i] == next;
    next *= made.shape[i];
  }
  return isSame;
}

/// Asks the caller's allocator for an output; `*data` stays null where it makes
/// none that the program can write.
static FuserStatus *askForOutput(FuserFrame *frame, int32_t index,
                                 const int64_t *sizes, void **data) {
  const FuserOutputAllocator &from = frame->context.outputAllocator;
  const TensorSpec &spec = frame->variant.spec.outputs[index];
  size_t rank = spec.dims.size();
  DLTensor prototype{};
  prototype.device = frame->device.dlDevice();
  prototype.ndim = int32_t(rank);
  prototype.dtype = dlType(spec.element);
  // DLPack has it without const, for the allocators of others.
  prototype.shape = const_cast<int64_t *>(sizes);
  DLManagedTensorVersioned *made = nullptr;
  if (FuserStatus *error = from.alloc(from.user, &prototype, &made)) {
    error->message = outputText(frame, index) + ": " + error->message;
    return error;
  }
  size_t alignment = std::max<size_t>(spec.alignment, 16);
  if (made && isAsAsked(made->dl_tensor, prototype) &&
      reinterpret_cast<uintptr_t>(dataOf(made->dl_tensor)) % alignment == 0) {
    frame->results[index].tensor = made;
    *data = dataOf(made->dl_tensor);
  } else if (made && made->deleter) {
    made->deleter(made);
  }
  return nullptr;
}

/// Whether the caller's allocator is asked for the output.
static bool isAskedFor(FuserFrame *frame, int32_t index, const int64_t *sizes,
                       const int64_t *strides, size_t bytes) {
  if (!frame->context.outputAllocator.alloc || bytes == 0 ||
      frame->current != frame->caller || frame->device.isChecked())
    return false;
  int64_t next = 1;
  for (size_t i = frame->variant.spec.outputs[index].dims.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != next)
      return false;
    next *= sizes[i];
  }
  return true;
}

namespace {
/// Sizes and strides of an output as the caller sees it: of complex numbers,
/// half of what the program has, which is pairs along one more dimension.
struct CallerStrides {
  CallerStrides(const TensorSpec &spec, const int64_t *given)
      : halves(isComplex(spec.element) ? spec.dims.size() : 0), strides(given) {
    if (__builtin_expect(!isComplex(spec.element), 1))
      return;
    for (size_t i = 0; i < spec.dims.size(); ++i)
      halves[i] = given[i] / 2;
    strides = halves.data();
  }

  InlineBuffer<int64_t, 16> halves;
  const int64_t *strides;
};
} // namespace

static FuserStatus *newOutput(FuserFrame *frame, int32_t index,
                              const int64_t *sizes, const int64_t *strides,
                              void **data) {
  const TensorSpec &spec = frame->variant.spec.outputs[index];
  size_t bytes = 0;
  if (!outputBytes(spec, sizes, strides, bytes))
    return makeError(
        FUSER_OUT_OF_MEMORY,
        "%s: expected sizes that fit into memory, got %s with strides %s",
        outputText(frame, index).c_str(),
        listText(sizes, spec.dims.size()).c_str(),
        listText(strides, spec.dims.size()).c_str());
  if (isAskedFor(frame, index, sizes, strides, bytes)) {
    FUSER_RETURN_IF_ERROR(askForOutput(frame, index, sizes, data));
    frame->clocks.enqueue(frame->current);
    if (*data)
      return nullptr;
  }
  Memory memory;
  if (FuserStatus *error =
          frame->context.allocate(bytes, frame->current, memory)) {
    error->message = outputText(frame, index) + ": " + error->message;
    return error;
  }
  frame->clocks.enqueue(frame->current);
  // Should the tensor not come to be, the frame frees the memory.
  frame->addLive(memory);
  // The tensor is freed on the caller's stream: the workers' are none of the
  // caller's business.
  frame->results[index].tensor = createTensor(
      frame->context, {dlType(spec.element), int32_t(spec.dims.size()), sizes,
                       strides, memory.data, &memory, frame->caller});
  if (memory.base)
    frame->takeLive(memory.data, /*exact=*/true, memory);
  *data = memory.data;
  return nullptr;
}

static int32_t hostOutput(FuserFrame *frame, int32_t index,
                          const int64_t *sizes, const int64_t *strides,
                          void **data) {
  return call(frame, [&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(checkOutput(frame, index));
    CallerStrides caller(frame->variant.spec.outputs[index], strides);
    if (const DLTensor *given = frame->outputs[index].preallocated) {
      FUSER_RETURN_IF_ERROR(
          checkPreallocated(frame, index, sizes, caller.strides));
      *data = dataOf(*given);
    } else {
      *data = nullptr;
      FUSER_RETURN_IF_ERROR(
          newOutput(frame, index, sizes, caller.strides, data));
    }
    frame->results[index].done = true;
    return nullptr;
  });
}

/// An output over an input's memory cannot be put elsewhere: what the caller
/// gives must be that.
static FuserStatus *checkPreallocatedView(FuserFrame *frame, int32_t index,
                                          const void *data,
                                          const int64_t *sizes,
                                          const int64_t *strides) {
  FUSER_RETURN_IF_ERROR(checkPreallocated(frame, index, sizes, strides));
  const DLTensor &given = *frame->outputs[index].preallocated;
  bool empty = false;
  for (int32_t i = 0; i < given.ndim; ++i)
    empty |= sizes[i] == 0;
  if (empty || dataOf(given) == data)
    return nullptr;
  return makeError(
      FUSER_INVALID_ARGUMENT,
      "%s: expected no tensor, or one over the memory of %s, because the "
      "program returns that input's memory, got other memory",
      outputText(frame, index).c_str(),
      inputText(frame, frame->variant.spec.outputs[index].aliasInput).c_str());
}

static FuserStatus *viewOutput(FuserFrame *frame, int32_t index, int32_t input,
                               void *data, const int64_t *sizes,
                               const int64_t *strides) {
  const TensorSpec &spec = frame->variant.spec.outputs[index];
  bool ofInput = input >= 0;
  if (ofInput && size_t(input) >= frame->variant.spec.inputs.size())
    return makeError(FUSER_INTERNAL,
                     "%s is a view of input %d, and there are %zu inputs",
                     outputText(frame, index).c_str(), input,
                     frame->variant.spec.inputs.size());
  if (frame->outputs[index].preallocated) {
    if (ofInput)
      return checkPreallocatedView(frame, index, data, sizes, strides);
    return makeError(FUSER_INVALID_ARGUMENT,
                     "%s: expected no tensor because the program returns a "
                     "view of its own memory, "
                     "got a preallocated one",
                     outputText(frame, index).c_str());
  }
  Memory memory;
  bool owns =
      !ofInput && data && frame->takeLive(data, /*exact=*/false, memory);
  // Until the tensor owns it, the frame does.
  if (owns)
    frame->addLive(memory);
  frame->results[index].tensor = createTensor(
      frame->context, {dlType(spec.element), int32_t(spec.dims.size()), sizes,
                       strides, data, owns ? &memory : nullptr, frame->caller});
  if (owns)
    frame->takeLive(memory.data, /*exact=*/true, memory);
  return nullptr;
}

static int32_t hostOutputView(FuserFrame *frame, int32_t index, int32_t input,
                              void *data, const int64_t *sizes,
                              const int64_t *strides) {
  return call(frame, [&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(checkOutput(frame, index));
    CallerStrides caller(frame->variant.spec.outputs[index], strides);
    FUSER_RETURN_IF_ERROR(
        viewOutput(frame, index, input, data, sizes, caller.strides));
    frame->results[index].done = true;
    return nullptr;
  });
}

//===----------------------------------------------------------------------===//
// Work and streams
//===----------------------------------------------------------------------===//

/// What a trace tells of a launch.
static Work describeLaunch(FuserFrame &frame, int32_t kernel,
                           const FuserLaunchDims &dims) {
  Work work{Work::Launch,
            frame.variant.spec.kernels[size_t(kernel)].name,
            {dims.grid[0], dims.grid[1], dims.grid[2]}};
  KernelResources resources;
  if (!frame.device.describeLaunch(*frame.variant.kernels, kernel, dims,
                                   resources))
    return work;
  work.values[3] = int64_t(dims.block[0]) * dims.block[1] * dims.block[2];
  work.values[4] = resources.registers;
  work.values[5] = resources.sharedBytes;
  work.values[6] = resources.localBytes;
  work.values[7] = resources.occupancyPercent;
  return work;
}

static int32_t hostLaunch(FuserFrame *frame, int32_t kernel,
                          const FuserLaunchDims *dims, void *const *params) {
  return call(frame, [&]() -> FuserStatus * {
    size_t count = frame->variant.spec.kernels.size();
    if (kernel < 0 || size_t(kernel) >= count)
      return makeError(FUSER_INTERNAL,
                       "expected one of %zu kernels, got kernel %d", count,
                       kernel);
    frame->clocks.enqueue(frame->current);
    return frame->context.enqueue(
        frame->current, [&] { return describeLaunch(*frame, kernel, *dims); },
        [&] {
          return frame->device.launch(*frame->variant.kernels, kernel, *dims,
                                      params, frame->current);
        });
  });
}

static int32_t hostCopy(FuserFrame *frame, void *dst, const void *src,
                        int64_t bytes) {
  return call(frame, [&]() -> FuserStatus * {
    if (bytes < 0)
      return makeError(FUSER_INTERNAL,
                       "expected 0 or more bytes to copy, got %" PRId64, bytes);
    frame->clocks.enqueue(frame->current);
    return frame->context.enqueue(
        frame->current, [&] { return Work{Work::Copy, "copy", {bytes}}; },
        [&] {
          return frame->device.copy(dst, src, size_t(bytes), frame->current);
        });
  });
}

/// matmul_c4
static FuserStatus *checkOverlap(const FuserMatmul &op) {
  auto getExtent = [&](const void *data, const int64_t (&strides)[3],
                       int64_t rows, int64_t columns, int32_t type) {
    int64_t sizes[] = {op.batch, rows, columns};
    DLTensor tensor{};
    tensor.data = const_cast<void *>(data);
    tensor.ndim = 3;
    tensor.dtype.bits = 8 * elementBytes(static_cast<ElementType>(type));
    tensor.shape = sizes;
    tensor.strides = const_cast<int64_t *>(strides);
    return extentOf(tensor);
  };
  Extent out = getExtent(op.out, op.out_strides, op.m, op.n, op.out_type);
  bool isLeft =
      out.overlaps(getExtent(op.a, op.a_strides, op.m, op.k, op.type));
  bool isRight =
      out.overlaps(getExtent(op.b, op.b_strides, op.k, op.n, op.type));
  if (!isLeft && !isRight)
    return nullptr;
  return makeError(FUSER_INVALID_ARGUMENT,
                   "a matrix product: expected the result apart from the "
                   "operands, which are read while it is written, got it in "
                   "the memory of the %s one",
                   isLeft ? "left" : "right");
}

static int32_t hostMatmul(FuserFrame *frame, const FuserMatmul *op) {
  return call(frame, [&]() -> FuserStatus * {
    if (op->batch < 0 || op->m < 0 || op->n < 0 || op->k < 0)
      return makeError(FUSER_INTERNAL,
                       "expected a matrix product of sizes that are not "
                       "negative, got %" PRId64 " x %" PRId64 " x %" PRId64
                       " x %" PRId64,
                       op->batch, op->m, op->n, op->k);
    if (op->batch == 0 || op->m == 0 || op->n == 0)
      return nullptr;
    FUSER_RETURN_IF_ERROR(checkOverlap(*op));
    // Programs number theirs from 0 on.
    void *workspace = nullptr;
    FUSER_RETURN_IF_ERROR(frame->variant.workspaces.get(
        frame->context, {/*number=*/-1, /*zeroed=*/false, frame->current},
        frame->device.matmulWorkspaceBytes(), &workspace));
    frame->clocks.enqueue(frame->current);
    return frame->context.enqueue(
        frame->current,
        [&] {
          return Work{Work::Matmul, "matmul", {op->batch, op->m, op->n, op->k}};
        },
        [&] { return frame->device.matmul(*op, workspace, frame->current); });
  });
}

static int32_t hostGetStream(FuserFrame *frame, void **stream) {
  *stream = frame->current;
  return 0;
}

static int32_t hostSetStream(FuserFrame *frame, void *stream) {
  return call(frame, [&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(frame->device.checkStream(stream));
    frame->current = stream;
    return nullptr;
  });
}

static int32_t hostStream(FuserFrame *frame, int64_t index, void **stream) {
  return call(frame, [&]() -> FuserStatus * {
    if (index == 0) {
      *stream = frame->caller;
      return nullptr;
    }
    frame->usesWorkers |= index > 0;
    return frame->device.workerStream(index, stream);
  });
}

static int32_t hostSync(FuserFrame *frame, void *stream) {
  return call(frame, [&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(frame->device.checkStream(stream));
    if (!frame->clocks.wait(frame->current, stream))
      return nullptr;
    return frame->context.enqueue(
        frame->current,
        [&] {
          return Work{Work::Wait,
                      "wait for " + describeStream(frame->device, stream)};
        },
        [&] { return frame->device.wait(frame->current, stream); });
  });
}

//===----------------------------------------------------------------------===//
// Communications
//===----------------------------------------------------------------------===//

static int32_t hostGroup(FuserFrame *frame, const int64_t *lists, int64_t count,
                         void **group, int64_t *rank, int64_t *size) {
  return call(frame, [&]() -> FuserStatus * {
    Group *found = nullptr;
    FUSER_RETURN_IF_ERROR(
        frame->context.communicator->getGroup(lists, count, &found));
    *group = found->size ? found : nullptr;
    *rank = found->rank;
    *size = found->size;
    return nullptr;
  });
}

static FuserStatus *coalesce(FuserFrame *frame, Group &group,
                             const FuserTransfer &transfer) {
  if (frame->coalescedGroup && frame->coalescedGroup != &group)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "host.coalesce: expected communications of one group, got "
                     "a second group");
  frame->coalescedGroup = &group;
  frame->coalesced.push_back(transfer);
  return nullptr;
}

/// Transfers that go on at the same time, on the current stream.
static FuserStatus *post(FuserFrame *frame, Group &group,
                         const FuserTransfer *transfers, size_t count) {
  auto describeAll = [&] {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i == 0 ? "" : ", ") + describe(transfers[i]);
    return Work{Work::Communication, text, {int64_t(count)}};
  };
  FUSER_RETURN_IF_ERROR(
      frame->context.enqueue(frame->current, describeAll, [&] {
        return frame->context.communicator->post(group, transfers, count,
                                                 frame->device, frame->current);
      }));
  if (__builtin_expect(!frame->device.isChecked(), 1))
    return nullptr;
  for (size_t i = 0; i < count; ++i)
    if (const FuserTransfer &transfer = transfers[i]; transfer.dst)
      frame->device.noteWritten(
          transfer.dst,
          size_t(transfer.dst_count) *
              elementBytes(static_cast<FuserTransferType>(transfer.type)));
  return nullptr;
}

static int32_t hostCommunicate(FuserFrame *frame, void *group,
                               const FuserTransfer *transfer) {
  return call(frame, [&]() -> FuserStatus * {
    if (!group)
      return nullptr;
    auto &ranks = *static_cast<Group *>(group);
    FUSER_RETURN_IF_ERROR(checkTransfer(*transfer, ranks.rank, ranks.size));
    frame->clocks.enqueue(frame->current);
    if (frame->coalesces)
      return coalesce(frame, ranks, *transfer);
    return post(frame, ranks, transfer, 1);
  });
}

static int32_t hostCoalesce(FuserFrame *frame, int32_t begins) {
  return call(frame, [&]() -> FuserStatus * {
    frame->coalesces = begins;
    if (begins || frame->coalesced.empty())
      return nullptr;
    // Errors leave nothing for the next one.
    std::vector<FuserTransfer> transfers = std::move(frame->coalesced);
    frame->coalesced.clear();
    Group &group = *std::exchange(frame->coalescedGroup, nullptr);
    return post(frame, group, transfers.data(), transfers.size());
  });
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Puts values[i] where the message says {i}, and { where it says {{.
static std::string fillIn(const char *message, const int64_t *values,
                          int32_t numValues) {
  std::string result;
  for (const char *at = message ? message : ""; *at; ++at) {
    int32_t index = 0;
    const char *end = at + 1;
    while (*at == '{' && *end >= '0' && *end <= '9' && index < numValues)
      index = 10 * index + (*end++ - '0');
    if (at[0] == '{' && at[1] == '{') {
      result += *at++;
    } else if (*at == '{' && end > at + 1 && *end == '}' && index < numValues) {
      result += format("%" PRId64, values[index]);
      at = end;
    } else {
      result += *at;
    }
  }
  return result;
}

static int32_t hostFail(FuserFrame *frame, int32_t code, const char *message,
                        const int64_t *values, int32_t num_values) {
  return call(frame, [&]() -> FuserStatus * {
    bool known = code >= FUSER_INVALID_ARGUMENT && code <= FUSER_INTERNAL;
    return makeError(known ? FuserStatusCode(code) : FUSER_INTERNAL,
                     fillIn(message, values, num_values));
  });
}

const FuserHostApi fuser_rt::hostApi = {
    FUSER_HOST_ABI_VERSION,
    sizeof(FuserHostApi),
    hostAlloc,
    hostDealloc,
    hostOutput,
    hostOutputView,
    hostLaunch,
    hostCopy,
    hostGetStream,
    hostSetStream,
    hostStream,
    hostSync,
    hostFail,
    hostWorkspace,
    hostMatmul,
    hostGroup,
    hostCommunicate,
    hostCoalesce,
};
