//===- Nccl.h - Communications between GPUs by NCCL -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few types and entry points of libnccl that the runtime uses, declared
// here so that nothing of NCCL is needed to build, and ranks that communicate
// by it. The library is opened when first needed, and never closed.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CUDA_NCCL_H
#define FUSER_RT_CUDA_NCCL_H

#include "Comm/Communicator.h"
#include "Cuda/CudaDriver.h"
#include "Device.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace fuser_rt {

namespace nccl {

using Result = int;
using Comm = struct CommHandle *;
struct UniqueId {
  char bytes[FUSER_NCCL_ID_BYTES];
};

enum : Result { success = 0, inProgress = 7 };
enum : int { noColor = -1, typeBytes = 1, undefined = INT32_MIN };

/// The part of ncclConfig_t that version 2.18 had. It says of itself which
/// version it is of, so that later ones take their own defaults for the rest.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int isBlocking = undefined;
  int clusterSize = undefined, minBlocks = undefined, maxBlocks = undefined;
  const char *netName = nullptr;
  int isShared = undefined; ///< With communicators that are split off.
  int padding = undefined;
};
static_assert(sizeof(Config) == 48, "the layout of ncclConfig_t");

// type of the result, name here, symbol, parameters
#define FUSER_NCCL_ENTRY_POINTS(X)                                             \
  X(Result, getVersion, ncclGetVersion, (int *))                               \
  X(Result, getUniqueId, ncclGetUniqueId, (UniqueId *))                        \
  X(const char *, getErrorString, ncclGetErrorString, (Result))                \
  X(const char *, getLastError, ncclGetLastError, (Comm))                      \
  X(Result, commInitRankConfig, ncclCommInitRankConfig,                        \
    (Comm *, int size, UniqueId, int rank, Config *))                          \
  X(Result, commSplit, ncclCommSplit,                                          \
    (Comm, int color, int key, Comm *, Config *))                              \
  X(Result, commDestroy, ncclCommDestroy, (Comm))                              \
  X(Result, commAbort, ncclCommAbort, (Comm))                                  \
  X(Result, commGetAsyncError, ncclCommGetAsyncError, (Comm, Result *))        \
  X(Result, commCount, ncclCommCount, (Comm, int *))                           \
  X(Result, commUserRank, ncclCommUserRank, (Comm, int *))                     \
  X(Result, commCuDevice, ncclCommCuDevice, (Comm, int *))                     \
  X(Result, allGather, ncclAllGather,                                          \
    (const void *, void *, size_t, int type, Comm, void *stream))              \
  X(Result, allReduce, ncclAllReduce,                                          \
    (const void *, void *, size_t, int type, int op, Comm, void *stream))      \
  X(Result, reduceScatter, ncclReduceScatter,                                  \
    (const void *, void *, size_t, int type, int op, Comm, void *stream))      \
  X(Result, broadcast, ncclBroadcast,                                          \
    (const void *, void *, size_t, int type, int root, Comm, void *stream))    \
  X(Result, reduce, ncclReduce,                                                \
    (const void *, void *, size_t, int type, int op, int root, Comm,           \
     void *stream))                                                            \
  X(Result, send, ncclSend,                                                    \
    (const void *, size_t, int type, int peer, Comm, void *stream))            \
  X(Result, recv, ncclRecv,                                                    \
    (void *, size_t, int type, int peer, Comm, void *stream))                  \
  X(Result, groupStart, ncclGroupStart, ())                                    \
  X(Result, groupEnd, ncclGroupEnd, ())

/// The entry points. Opening it twice is cheap: the system keeps one library.
struct Library {
#define FUSER_NCCL_DECLARE(type, name, symbol, parameters)                     \
  type(*name) parameters = nullptr;
  FUSER_NCCL_ENTRY_POINTS(FUSER_NCCL_DECLARE)
#undef FUSER_NCCL_DECLARE
  int version = 0; ///< 22403 is 2.24.3.

  /// FUSER_UNIMPLEMENTED where there is none, or too old a one.
  FuserStatus *open(const char *name = "libnccl.so.2");
  /// "what it means (the last message of the library)".
  std::string describe(Result result, Comm comm) const;
  /// What a call did that was not successful: `what` says which it was.
  FuserStatus *makeStatus(Result result, Comm comm,
                          const std::string &what) const;
  std::string versionText() const;
};

} // namespace nccl

class NcclGroup : public Group {
public:
  NcclGroup(int64_t rank, int64_t size, nccl::Comm comm)
      : Group(rank, size), comm(comm) {}
  const nccl::Comm comm; ///< Null if this rank is not in the group.
};

/// A rank on a GPU.
///
/// The library's own waits have no end; here all end after a timeout. Kernels
/// wait for other ranks: `synchronize` looks after them. Calls do, too, when
/// they first connect to a rank. The library has a mode for that ("not
/// blocking") in which calls return at once, but then every call starts a
/// thread, which costs more than most transfers. So groups are communicators
/// whose calls wait, and they are split off from one that does not wait and
/// that nothing is sent through, the root. They share its flag for ending, so
/// that to end it, which a thread does that looks after calls, ends a call in
/// any of them, and nothing is freed that the call uses.
class NcclCommunicator : public Communicator {
public:
  NcclCommunicator(Device &device, int64_t rank, int64_t size,
                   double timeoutSeconds);
  ~NcclCommunicator() override;

  /// `comm` as for createNcclCommunicator; the device is entered.
  FuserStatus *open(const void *id, void *comm);

  FuserStatus *post(Group &group, const FuserTransfer *transfers, size_t count,
                    Device &device, void *stream) override;
  FuserStatus *synchronize(void *stream, bool &done) override;
  void abort(const std::string &message) override;

  const nccl::Library &getLibrary() const { return library; }

protected:
  FuserStatus *makeGroup(const std::vector<int64_t> &members,
                         std::unique_ptr<Group> &group) override;

private:
  using Clock = std::chrono::steady_clock;

  FuserStatus *makeRoot();
  FuserStatus *split(nccl::Comm from, int color, int key, nccl::Config &config,
                     nccl::Comm &comm);
  nccl::Result settle(nccl::Comm comm, nccl::Result result) const;

  FuserStatus *checkTypes(const FuserTransfer *transfers, size_t count) const;
  FuserStatus *enqueueAll(const NcclGroup &group,
                          const FuserTransfer *transfers, size_t count,
                          void *stream);
  nccl::Result enqueue(const NcclGroup &group, const FuserTransfer &transfer,
                       void *stream);
  nccl::Result enqueueMessages(const NcclGroup &group,
                               const FuserTransfer &transfer, void *stream);

  FuserStatus *check(nccl::Result result, nccl::Comm comm,
                     const std::string &what) const;
  FuserStatus *checkAsync();
  FuserStatus *waitFor(void *stream);
  FuserStatus *end(FuserStatus *status);
  FuserStatus *failed();
  void fail(const std::string &message);
  void abortAll();
  void watch();
  std::string rankText() const;
  std::string lastText() const;

  Device &device;
  const double timeoutSeconds;
  cu::Driver driver;
  nccl::Library library;
  nccl::Comm given = nullptr;    // The caller's.
  std::vector<Message> messages; // Kept, so that its memory is.

  /// Held while the library is called with one of the communicators, but for
  /// ending the root.
  std::mutex inUse;
  /// Odd while a transfer is given to the library, which may wait for others.
  std::atomic<uint64_t> posts{0};
  // What the last post was of.
  FuserTransfer last{};
  int64_t lastGroupSize = 0;
  bool hasPosted = false;

  /// Of what follows.
  std::mutex state;
  std::condition_variable closing;
  bool isClosing = false;
  nccl::Comm root = nullptr;
  std::vector<nccl::Comm> comms; // Split off from the root.
  std::string failure;
  std::atomic<bool> hasFailed{false};
  std::thread watcher;
};

/// Makes an id of FUSER_NCCL_ID_BYTES.
FuserStatus *makeNcclId(void *id);

/// Which rank an ncclComm_t is, and of how many.
FuserStatus *askNcclComm(void *comm, int64_t &rank, int64_t &size);

} // namespace fuser_rt

#endif // FUSER_RT_CUDA_NCCL_H
