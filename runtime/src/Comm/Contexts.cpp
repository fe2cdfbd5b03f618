//===- Contexts.cpp - Contexts get their communicators --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Ranks.h"
#include "Context.h"
#include "Cuda/Nccl.h"
#include "Status.h"

using namespace fuser_rt;

static FuserStatus *checkRank(int64_t rank, int64_t size) {
  if (size >= 1 && rank >= 0 && rank < size)
    return nullptr;
  return makeError(FUSER_INVALID_ARGUMENT,
                   "expected a rank of 0 to %d, got %d of %d ranks",
                   int(size) - 1, int(rank), int(size));
}

static FuserStatus *checkTimeout(double seconds) {
  if (seconds >= 0 && seconds < 1e9)
    return nullptr;
  return makeError(FUSER_INVALID_ARGUMENT,
                   "expected a timeout of 0 or more seconds, got %g", seconds);
}

/// A context is on one device for all that it does; a new communicator is for
/// programs that have not started.
static FuserStatus *replace(FuserContext &context,
                            std::unique_ptr<Communicator> communicator) {
  Entered entered(*context.device);
  context.communicator = std::move(communicator);
  return nullptr;
}

static double orDefault(double seconds) { return seconds > 0 ? seconds : 600; }

FuserStatus *fuser_ranks_create(int32_t size, double timeout_seconds,
                                FuserRanks **ranks) {
  *ranks = nullptr;
  return guarded([&]() -> FuserStatus * {
    constexpr int32_t most = 4096;
    if (size < 1 || size > most)
      return makeError(FUSER_INVALID_ARGUMENT, "expected 1 to %d ranks, got %d",
                       most, size);
    FUSER_RETURN_IF_ERROR(checkTimeout(timeout_seconds));
    *ranks = new FuserRanks{
        std::make_shared<RankSet>(size, orDefault(timeout_seconds))};
    return nullptr;
  });
}

void fuser_ranks_destroy(FuserRanks *ranks) { delete ranks; }

void fuser_ranks_abort(FuserRanks *ranks, const char *message) {
  ranks->set->abort(message ? message : "");
}

FuserStatus *fuser_context_join(FuserContext *context, FuserRanks *ranks,
                                int32_t rank) {
  return guarded([&]() -> FuserStatus * {
    RankSet &set = *ranks->set;
    FUSER_RETURN_IF_ERROR(checkRank(rank, set.size));
    FUSER_RETURN_IF_ERROR(context->device->checkUsable());
    FUSER_RETURN_IF_ERROR(set.join(rank));
    if (context->device->dlDevice().device_type == kDLCPU)
      return replace(*context, createThreadCommunicator(ranks->set, rank));
    std::vector<char> id(FUSER_NCCL_ID_BYTES);
    FUSER_RETURN_IF_ERROR(
        set.shareBytes(id, [&] { return fuser_nccl_unique_id(id.data()); }));
    return fuser_context_join_nccl(context, id.data(), rank, int32_t(set.size),
                                   set.timeoutSeconds);
  });
}

FuserStatus *
fuser_context_set_communicator(FuserContext *context,
                               const FuserCommunicator *communicator) {
  return guarded([&]() -> FuserStatus * {
    if (!communicator)
      return replace(*context, createSelfCommunicator());
    FUSER_RETURN_IF_ERROR(checkRank(communicator->rank, communicator->size));
    if (!communicator->make_group || !communicator->communicate)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected functions to make groups and to communicate, "
                       "got a null pointer");
    return replace(*context, createCallbackCommunicator(*communicator));
  });
}

void fuser_context_abort(FuserContext *context, const char *message) {
  context->communicator->abort(message ? message : "");
}

int32_t fuser_context_rank(const FuserContext *context) {
  return int32_t(context->communicator->getRank());
}

int32_t fuser_context_num_ranks(const FuserContext *context) {
  return int32_t(context->communicator->getSize());
}

//===----------------------------------------------------------------------===//
// NCCL
//===----------------------------------------------------------------------===//

/// What NCCL is not needed for to know.
static FuserStatus *checkNccl(FuserContext &context, double timeoutSeconds) {
  FUSER_RETURN_IF_ERROR(checkTimeout(timeoutSeconds));
  FUSER_RETURN_IF_ERROR(context.device->checkUsable());
  if (context.device->dlDevice().device_type != kDLCUDA)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected a context of a GPU for NCCL, got one of the "
                     "CPU: its ranks are threads (fuser_context_join) or "
                     "processes with MPI");
  return nullptr;
}

static FuserStatus *openNccl(FuserContext &context, NcclRank self) {
  self.timeoutSeconds = orDefault(self.timeoutSeconds);
  Entered entered(*context.device);
  return createNcclCommunicator(*context.device, self, context.communicator);
}

FuserStatus *fuser_nccl_unique_id(void *id) {
  return guarded([&] { return makeNcclId(id); });
}

FuserStatus *fuser_context_join_nccl(FuserContext *context, const void *id,
                                     int32_t rank, int32_t size,
                                     double timeout_seconds) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(checkRank(rank, size));
    if (!id)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected the id of ranks, got a null pointer");
    FUSER_RETURN_IF_ERROR(checkNccl(*context, timeout_seconds));
    return openNccl(*context, {id, nullptr, rank, size, timeout_seconds});
  });
}

FuserStatus *fuser_context_set_nccl(FuserContext *context, void *comm,
                                    double timeout_seconds) {
  return guarded([&]() -> FuserStatus * {
    if (!comm)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected an ncclComm_t, got a null pointer");
    FUSER_RETURN_IF_ERROR(checkNccl(*context, timeout_seconds));
    int64_t rank = 0, size = 0;
    FUSER_RETURN_IF_ERROR(askNcclComm(comm, rank, size));
    return openNccl(*context, {nullptr, comm, rank, size, timeout_seconds});
  });
}
