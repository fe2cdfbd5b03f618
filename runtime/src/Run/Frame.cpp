//===- Frame.cpp - A call in flight ---------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Frame.h"

#include "Status.h"

using namespace fuser_rt;

FuserFrame::FuserFrame(FuserContext &context, LoadedVariant &variant,
                       const DLTensor *const *inputs, FuserOutput *outputs,
                       bool communicates)
    : context(context), device(*context.device), variant(variant),
      inputs(inputs), outputs(outputs), caller(context.stream),
      current(context.stream), communicates(communicates),
      results(variant.spec.outputs.size()) {
  for (size_t i = 0; i < variant.spec.outputs.size(); ++i)
    results[i] = {};
}

FuserFrame::~FuserFrame() {
  freeLive();
  dropResults();
  fuser_status_destroy(status);
}

int32_t FuserFrame::record(FuserStatus *error) {
  if (status)
    fuser_status_destroy(error);
  else
    status = error;
  return status->code;
}

void FuserFrame::addLive(const Memory &memory) {
  if (!memory.base)
    return;
  if (numLive < inlineLive)
    live[numLive++] = memory;
  else
    moreLive.push_back(memory);
}

bool FuserFrame::takeLive(const void *data, bool exact, Memory &memory) {
  // The last whose start is not above `data` is the one that it points into.
  Memory *best = nullptr;
  auto look = [&](Memory &entry) {
    if (exact ? entry.data == data
              : entry.data <= data && (!best || entry.data > best->data))
      best = &entry;
  };
  for (size_t i = 0; i < numLive; ++i)
    look(live[i]);
  for (Memory &entry : moreLive)
    look(entry);
  if (!best)
    return false;
  memory = *best;
  bool isInline = best >= live && best < live + numLive;
  if (!isInline) {
    *best = moreLive.back();
    moreLive.pop_back();
    return true;
  }
  *best = live[--numLive];
  if (!moreLive.empty()) {
    live[numLive++] = moreLive.back();
    moreLive.pop_back();
  }
  return true;
}

void FuserFrame::freeLive() {
  for (size_t i = 0; i < numLive; ++i)
    context.deallocate(live[i], context.allocator, caller);
  for (const Memory &memory : moreLive)
    context.deallocate(memory, context.allocator, caller);
  numLive = 0;
  moreLive.clear();
}

void FuserFrame::dropResults() {
  for (size_t i = 0; i < variant.spec.outputs.size(); ++i)
    if (DLManagedTensorVersioned *tensor = results[i].tensor) {
      if (tensor->deleter)
        tensor->deleter(tensor);
      results[i].tensor = nullptr;
    }
}

FuserStatus *FuserFrame::finish(int32_t returned) {
  if (returned != 0 && !status)
    record(makeError(FUSER_INTERNAL,
                     "the host program returned %d and no message", returned));
  for (size_t i = 0; i < variant.spec.outputs.size() && !status; ++i)
    if (!results[i].done)
      record(makeError(FUSER_INTERNAL,
                       "the host program ended without output %zu '%s'", i,
                       variant.spec.outputs[i].name.c_str()));
  // The others first: what this rank's workers wait for may wait for this rank.
  if (status && communicates)
    context.communicator->abort(status->message);
  // Memory is freed on the caller's stream: nothing may still use it elsewhere.
  if (usesWorkers && (device.isSynchronous() || status || numLive))
    if (FuserStatus *error = context.enqueue(
            caller, [] { return Work{Work::Wait, "wait for all streams"}; },
            [&] { return device.joinWorkers(caller); }))
      record(error);
  freeLive();
  if (status) {
    dropResults();
    FuserStatus *result = status;
    status = nullptr;
    return result;
  }
  for (size_t i = 0; i < variant.spec.outputs.size(); ++i) {
    outputs[i].tensor = results[i].tensor;
    results[i].tensor = nullptr;
  }
  return nullptr;
}
