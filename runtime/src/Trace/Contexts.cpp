//===- Contexts.cpp - Contexts are traced ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Status.h"

#include <set>

using namespace fuser_rt;

/// Waits until all events have their times.
static FuserStatus *settle(FuserContext &context) {
  bool isDone = false;
  // With its timeout, where other ranks may not come.
  FUSER_RETURN_IF_ERROR(
      context.communicator->synchronize(context.stream, isDone));
  return context.device->settleStamps();
}

FuserStatus *fuser_context_start_trace(FuserContext *context) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(context->device->checkUsable());
    Entered entered(*context->device);
    // Streams may still be about to write times into the one before.
    if (context->getTrace())
      FUSER_RETURN_IF_ERROR(settle(*context));
    FUSER_RETURN_IF_ERROR(context->device->startClock());
    context->observe(TracePtr(new Trace));
    return nullptr;
  });
}

FuserStatus *fuser_context_stop_trace(FuserContext *context) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(context->device->checkUsable());
    Entered entered(*context->device);
    if (context->getTrace())
      FUSER_RETURN_IF_ERROR(settle(*context));
    context->observe(TracePtr());
    return nullptr;
  });
}

static FuserStatus *checkTraced(FuserContext *const *contexts, size_t count,
                                const char *path) {
  if (!path || !contexts || count == 0)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected contexts and a path to write their traces to, "
                     "got none");
  std::set<const FuserContext *> seen;
  for (size_t i = 0; i < count; ++i) {
    if (!contexts[i] || !contexts[i]->getTrace())
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected contexts whose traces were started in this "
                       "process, got one without a trace (context %zu of %zu)",
                       i, count);
    if (!seen.insert(contexts[i]).second)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected each context once, as it becomes one process "
                       "of the file, got context %zu of %zu again",
                       i, count);
  }
  return nullptr;
}

FuserStatus *fuser_context_write_trace(FuserContext *const *contexts,
                                       size_t count, const char *path) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(checkTraced(contexts, count, path));
    std::set<int64_t> numbers;
    for (size_t i = 0; i < count; ++i) {
      FUSER_RETURN_IF_ERROR(contexts[i]->device->checkUsable());
      Entered entered(*contexts[i]->device);
      FUSER_RETURN_IF_ERROR(settle(*contexts[i]));
      numbers.insert(contexts[i]->communicator->getRank());
    }
    // Contexts that are not ranks of the same program have the same number.
    bool areRanks = numbers.size() == count;
    std::vector<TracedRank> ranks;
    for (size_t i = 0; i < count; ++i) {
      int64_t number =
          areRanks ? contexts[i]->communicator->getRank() : int64_t(i);
      ranks.push_back(
          {number, (areRanks ? "rank " : "context ") + std::to_string(number),
           contexts[i]->getTrace()});
    }
    return writeTrace(ranks, path);
  });
}
