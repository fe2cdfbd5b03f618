//===- Context.h - A device in use ----------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CONTEXT_H
#define FUSER_RT_CONTEXT_H

#include "Comm/Communicator.h"
#include "Device.h"
#include "Trace/Trace.h"

#include <atomic>

namespace fuser_rt {

/// Memory, and the pointer that goes back to where it came from (they differ
/// where the caller's allocator aligns to less than 256 bytes).
struct Memory {
  void *data = nullptr;
  void *base = nullptr;
};

} // namespace fuser_rt

/// Counted: programs and tensors that are alive keep their context.
struct FuserContext {
  // Streams write into the trace, so it outlives the device.
private:
  fuser_rt::TracePtr trace;
  bool isDelayed = false;
  /// Traced or delayed.
  bool isObserved = false;

public:
  std::unique_ptr<fuser_rt::Device> device;
  /// Of fuser_context_lock.
  fuser_rt::ForkSafeMutex mutex;
  /// The current stream of the caller.
  void *stream = nullptr;
  /// The caller's allocator; `alloc` is null for the pool.
  FuserAllocator allocator{};
  /// The caller's tensors for outputs; `alloc` is null for none.
  FuserOutputAllocator outputAllocator{};
  /// The ranks that this is one of; never null. Goes before the device.
  std::unique_ptr<fuser_rt::Communicator> communicator;

  explicit FuserContext(std::unique_ptr<fuser_rt::Device> device)
      : device(std::move(device)), stream(this->device->ownStream()),
        communicator(fuser_rt::createSelfCommunicator()) {}

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  /// Enqueues a piece of work, or a communication, or a wait, on `stream`. What
  /// `describe` returns is asked for only if someone wants to know.
  template <typename Describe, typename Enqueue>
  FuserStatus *enqueue(void *stream, Describe describe, Enqueue enqueue) {
    if (__builtin_expect(!isObserved, 1))
      return enqueue();
    fuser_rt::Trace::Event *event = beginWork(stream, describe());
    FuserStatus *status = enqueue();
    if (event)
      device->stamp(stream, &event->end);
    return status;
  }

  /// The trace that was started in this process, or null.
  fuser_rt::Trace *getTrace() const {
    return __builtin_expect(!trace, 1) || !trace->isCurrent() ? nullptr
                                                              : trace.get();
  }
  void observe(fuser_rt::TracePtr started) {
    trace = std::move(started);
    isObserved = isDelayed || trace;
  }
  void setDelayed(bool delayed) {
    isDelayed = delayed;
    isObserved = isDelayed || trace;
  }

  /// Memory of at least `bytes`, aligned to 256 bytes; null for 0 bytes. The
  /// device is entered.
  FuserStatus *allocate(size_t bytes, void *stream, fuser_rt::Memory &memory);
  /// Gives it back to `allocator`, which was the context's when it was
  /// allocated.
  void deallocate(const fuser_rt::Memory &memory,
                  const FuserAllocator &allocator, void *stream);

private:
  std::atomic<int64_t> references{1};
  /// The caller's allocator was seen to align to less: ask for more at once.
  bool padForeign = false;

  fuser_rt::Trace::Event *beginWork(void *stream, const fuser_rt::Work &work);
  FuserStatus *allocateForeign(size_t bytes, void *stream,
                               fuser_rt::Memory &memory);
};

namespace fuser_rt {

/// A new DLPack tensor. With `memory` it owns that, allocated on `stream`, and
/// frees it there; without it is a view of `data`. Null strides mean row major.
struct TensorRequest {
  DLDataType type;
  int32_t rank;
  const int64_t *sizes;
  const int64_t *strides;
  void *data;
  const Memory *memory;
  void *stream;
};
DLManagedTensorVersioned *createTensor(FuserContext &context,
                                       const TensorRequest &request);

} // namespace fuser_rt

#endif // FUSER_RT_CONTEXT_H
