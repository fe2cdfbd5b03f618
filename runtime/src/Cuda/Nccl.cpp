//===- Nccl.cpp - Communications between GPUs by NCCL ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/Nccl.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <dlfcn.h>

using namespace fuser_rt;
using namespace fuser_rt::nccl;

/// Since when there are splits, and floats of 8 bits.
static constexpr char kOldestVersion[] = "2.18";
static constexpr int kVersionOfF8 = 22400;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

FuserStatus *Library::open(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return makeError(
        FUSER_UNIMPLEMENTED,
        "communications between GPUs: expected to open %s, NVIDIA's library of "
        "communications, got: %s: install NCCL %s or later (for Python, "
        "nvidia-nccl-cu13 or -cu12) and put its folder into LD_LIBRARY_PATH",
        name, dlerror(), kOldestVersion);
#define FUSER_NCCL_OPEN(type, name_, symbol, parameters)                       \
  name_ = reinterpret_cast<type(*) parameters>(dlsym(library, #symbol));       \
  if (!name_)                                                                  \
    return makeError(FUSER_UNIMPLEMENTED,                                      \
                     "communications between GPUs: expected %s of NCCL %s or " \
                     "later, got one without " #symbol,                        \
                     name, kOldestVersion);
  FUSER_NCCL_ENTRY_POINTS(FUSER_NCCL_OPEN)
#undef FUSER_NCCL_OPEN
  if (Result result = getVersion(&version))
    return makeError(FUSER_UNIMPLEMENTED,
                     "communications between GPUs: expected %s to say its "
                     "version, got %s",
                     name, describe(result, nullptr).c_str());
  return nullptr;
}

std::string Library::describe(Result result, Comm comm) const {
  const char *text = getErrorString(result), *more = getLastError(comm);
  std::string description = text ? text : format("status %d", result);
  return more && *more ? description + " (" + more + ")" : description;
}

FuserStatus *Library::makeStatus(Result result, Comm comm,
                                 const std::string &what) const {
  return makeError(FUSER_COMMUNICATION_ERROR, "%s: NCCL answered %s",
                   what.c_str(), describe(result, comm).c_str());
}

std::string Library::versionText() const {
  return format("%d.%d.%d", version / 10000, version / 100 % 100,
                version % 100);
}

FuserStatus *fuser_rt::makeNcclId(void *id) {
  Library library;
  FUSER_RETURN_IF_ERROR(library.open());
  UniqueId made;
  if (Result result = library.getUniqueId(&made))
    return library.makeStatus(result, nullptr, "making an id for new ranks");
  memcpy(id, &made, sizeof made);
  return nullptr;
}

FuserStatus *fuser_rt::askNcclComm(void *comm, int64_t &rank, int64_t &size) {
  Library library;
  FUSER_RETURN_IF_ERROR(library.open());
  auto *handle = static_cast<Comm>(comm);
  int theRank = 0, theSize = 0;
  Result result = library.commUserRank(handle, &theRank);
  if (result == success)
    result = library.commCount(handle, &theSize);
  if (result != success)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected an ncclComm_t, NCCL answered %s",
                     library.describe(result, nullptr).c_str());
  rank = theRank;
  size = theSize;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

NcclCommunicator::NcclCommunicator(Device &device, int64_t rank, int64_t size,
                                   double timeoutSeconds)
    : Communicator(rank, size), device(device),
      timeoutSeconds(timeoutSeconds > 0 ? timeoutSeconds : 600) {}

FuserStatus *NcclCommunicator::open(const void *id, void *comm) {
  FUSER_RETURN_IF_ERROR(driver.open());
  FUSER_RETURN_IF_ERROR(library.open());
  int ordinal = device.dlDevice().device_id;
  if (comm) {
    // Split when the first group is made, which all ranks do together.
    given = static_cast<Comm>(comm);
    int there = -1;
    FUSER_RETURN_IF_ERROR(check(library.commCuDevice(given, &there), given,
                                "asking for the communicator's GPU"));
    if (there != ordinal)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected a communicator of the context's GPU, cuda:%d, "
                       "got one of cuda:%d",
                       ordinal, there);
  } else {
    UniqueId unique;
    memcpy(&unique, id, sizeof unique);
    Config config;
    config.isBlocking = 0;
    config.isShared = 1;
    Result result = library.commInitRankConfig(&root, int(size), unique,
                                               int(rank), &config);
    FUSER_RETURN_IF_ERROR(
        check(settle(root, result), root, "meeting the other ranks"));
  }
  watcher = std::thread([this] { watch(); });
  return nullptr;
}

NcclCommunicator::~NcclCommunicator() {
  if (FuserStatus *status = device.checkUsable()) {
    // Forked off: there is neither a thread nor CUDA.
    fuser_status_destroy(status);
    if (watcher.joinable())
      watcher.detach();
    return;
  }
  if (watcher.joinable()) {
    {
      std::lock_guard<std::mutex> lock(state);
      isClosing = true;
    }
    closing.notify_all();
    watcher.join();
  } else if (root) {
    hasFailed = true; // It was not opened.
  }
  Entered entered(device);
  if (hasFailed) {
    abortAll();
    return;
  }
  for (Comm comm : comms)
    library.commDestroy(comm);
  if (root)
    library.commDestroy(root);
}

FuserStatus *
fuser_rt::createNcclCommunicator(Device &device, const NcclRank &self,
                                 std::unique_ptr<Communicator> &result) {
  int64_t rank = self.rank, size = self.size;
  if (size < 1 || size > INT32_MAX || rank < 0 || rank >= size)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected a rank from 0 to below the number of ranks, got "
                     "rank %" PRId64 " of %" PRId64,
                     rank, size);
  if (device.dlDevice().device_type != kDLCUDA)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "NCCL: expected a context of a GPU, got one of '%s'",
                     device.name().c_str());
  FUSER_RETURN_IF_ERROR(device.checkUsable());
  auto made = std::make_unique<NcclCommunicator>(device, rank, size,
                                                 self.timeoutSeconds);
  Entered entered(device);
  FUSER_RETURN_IF_ERROR(made->open(self.id, self.comm));
  result = std::move(made);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Waits for a call that went on without us. nccl::inProgress: for too long.
Result NcclCommunicator::settle(Comm comm, Result result) const {
  auto end = Clock::now() + std::chrono::duration<double>(timeoutSeconds);
  auto pause = std::chrono::microseconds(10);
  while (result == inProgress && !hasFailed && Clock::now() < end) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(1000));
    if (Result asked = library.commGetAsyncError(comm, &result))
      return asked;
  }
  return result;
}

FuserStatus *NcclCommunicator::split(Comm from, int color, int key,
                                     Config &config, Comm &comm) {
  // The library writes to it when it is done, which may be when this function
  // has returned; whether it is done, a communicator that does not wait does
  // not always tell.
  auto made = std::make_unique<Comm>(nullptr);
  Result result = library.commSplit(from, color, key, made.get(), &config);
  result = settle(from, result);
  auto end = Clock::now() + std::chrono::duration<double>(timeoutSeconds);
  bool isMember = color != noColor;
  while (result == success && isMember &&
         !(comm = __atomic_load_n(made.get(), __ATOMIC_ACQUIRE))) {
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    Result state = success;
    result = library.commGetAsyncError(from, &state);
    if (result == success && state != inProgress)
      result = state;
    if (result == success && (hasFailed || Clock::now() >= end))
      result = inProgress;
  }
  if (comm)
    result = settle(comm, inProgress);
  if (result != success || !isMember)
    made.release();
  return check(result, from, "making a group with the other ranks");
}

/// Of the caller's communicator, which is the caller's to end.
FuserStatus *NcclCommunicator::makeRoot() {
  if (root || !given)
    return nullptr;
  Config config;
  config.isBlocking = 0;
  config.isShared = 1;
  Comm made = nullptr;
  FUSER_RETURN_IF_ERROR(split(given, 0, int(rank), config, made));
  std::lock_guard<std::mutex> lock(state);
  root = made;
  return nullptr;
}

FuserStatus *NcclCommunicator::makeGroup(const std::vector<int64_t> &members,
                                         std::unique_ptr<Group> &group) {
  auto here = std::find(members.begin(), members.end(), rank);
  bool isMember = here != members.end();
  int key = isMember ? int(here - members.begin()) : 0;
  int color = isMember ? int(members.front()) : noColor;
  Comm comm = nullptr;
  FuserStatus *status = nullptr;
  {
    std::lock_guard<std::mutex> lock(inUse);
    if (hasFailed)
      return failed();
    Config config;
    config.isBlocking = 1;
    status = makeRoot();
    if (!status)
      status = split(root, color, key, config, comm);
    if (comm) {
      std::lock_guard<std::mutex> stateLock(state);
      comms.push_back(comm);
    }
  }
  if (status || hasFailed)
    return end(status);
  group = std::make_unique<NcclGroup>(
      isMember ? key : -1, isMember ? int64_t(members.size()) : 0, comm);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

namespace {
/// Elements as the library has them: each of ours is `count` of theirs.
struct WireType {
  int type;
  size_t count;
};
} // namespace

static bool isF8(int32_t type) {
  return type == FUSER_TYPE_F8E4M3FN || type == FUSER_TYPE_F8E5M2;
}

/// FuserTransferType has the library's numbers. What the library may not have
/// goes as bytes where it is only moved.
static WireType getWireType(const FuserTransfer &transfer) {
  if (transfer.type == FUSER_TYPE_BITS16)
    return {typeBytes, 2};
  if (isF8(transfer.type) && !isReduction(transfer))
    return {typeBytes, 1};
  return {transfer.type, 1};
}

static int getOperator(int32_t reduction) {
  // Sum, product, minimum, maximum, average.
  static constexpr int operators[] = {0, 1, 3, 2, 4};
  return operators[reduction];
}

FuserStatus *NcclCommunicator::checkTypes(const FuserTransfer *transfers,
                                          size_t count) const {
  if (__builtin_expect(library.version >= kVersionOfF8, 1))
    return nullptr;
  for (size_t i = 0; i < count; ++i)
    if (isF8(transfers[i].type) && isReduction(transfers[i]))
      return makeError(FUSER_UNIMPLEMENTED,
                       "%s: expected NCCL 2.24 or later, which combines floats "
                       "of 8 bits, got NCCL %s",
                       fuser_rt::describe(transfers[i]).c_str(),
                       library.versionText().c_str());
  return nullptr;
}

Result NcclCommunicator::enqueueMessages(const NcclGroup &group,
                                         const FuserTransfer &transfer,
                                         void *stream) {
  WireType wire = getWireType(transfer);
  messages.clear();
  appendMessages(transfer, group.rank, group.size, messages);
  Result result = success;
  for (const Message &message : messages) {
    size_t count = size_t(message.count) * wire.count;
    if (count == 0)
      continue;
    auto peer = int(message.peer);
    result = message.isSend ? library.send(message.src, count, wire.type, peer,
                                           group.comm, stream)
                            : library.recv(message.dst, count, wire.type, peer,
                                           group.comm, stream);
    if (result != success && result != inProgress)
      break;
  }
  return result;
}

Result NcclCommunicator::enqueue(const NcclGroup &group,
                                 const FuserTransfer &transfer, void *stream) {
  WireType wire = getWireType(transfer);
  const void *src = transfer.src;
  void *dst = transfer.dst;
  Comm comm = group.comm;
  auto peer = int(transfer.peer);
  size_t sent = size_t(transfer.src_count) * wire.count;
  size_t received = size_t(transfer.dst_count) * wire.count;
  switch (transfer.kind) {
  case FUSER_ALL_GATHER:
    return sent ? library.allGather(src, dst, sent, wire.type, comm, stream)
                : success;
  case FUSER_ALL_REDUCE:
    return sent ? library.allReduce(src, dst, sent, wire.type,
                                    getOperator(transfer.reduction), comm,
                                    stream)
                : success;
  case FUSER_REDUCE_SCATTER:
    return received ? library.reduceScatter(src, dst, received, wire.type,
                                            getOperator(transfer.reduction),
                                            comm, stream)
                    : success;
  case FUSER_BROADCAST:
    return received ? library.broadcast(src, dst, received, wire.type, peer,
                                        comm, stream)
                    : success;
  case FUSER_REDUCE:
    return sent ? library.reduce(src, dst, sent, wire.type,
                                 getOperator(transfer.reduction), peer, comm,
                                 stream)
                : success;
  default:
    return enqueueMessages(group, transfer, stream);
  }
}

/// Whether it may be more than one call of the library, which then have to be
/// one step: each alone would wait for its peer.
static bool isManyCalls(const FuserTransfer &transfer) {
  return transfer.kind == FUSER_GATHER || transfer.kind == FUSER_SCATTER ||
         transfer.kind == FUSER_ALL_TO_ALL || transfer.kind == FUSER_PERMUTE;
}

FuserStatus *NcclCommunicator::enqueueAll(const NcclGroup &group,
                                          const FuserTransfer *transfers,
                                          size_t count, void *stream) {
  bool isStep = count > 1 || isManyCalls(transfers[0]);
  Result result = isStep ? library.groupStart() : success;
  bool isStarted = isStep && result == success;
  auto isFine = [&] { return result == success || result == inProgress; };
  for (size_t i = 0; i < count && isFine(); ++i)
    result = enqueue(group, transfers[i], stream);
  if (isStarted) {
    Result ended = library.groupEnd();
    result = isFine() ? ended : result;
  }
  if (__builtin_expect(result == success, 1))
    return nullptr;
  return check(settle(group.comm, result), group.comm, lastText());
}

FuserStatus *NcclCommunicator::post(Group &group,
                                    const FuserTransfer *transfers,
                                    size_t count, Device &, void *stream) {
  if (count == 0)
    return nullptr;
  FUSER_RETURN_IF_ERROR(checkTypes(transfers, count));
  FuserStatus *status = nullptr;
  {
    std::lock_guard<std::mutex> lock(inUse);
    if (__builtin_expect(hasFailed, 0))
      return failed();
    last = transfers[count - 1];
    lastGroupSize = group.size;
    hasPosted = true;
    // Only this function writes it.
    uint64_t number = posts.load(std::memory_order_relaxed);
    posts.store(number + 1, std::memory_order_release);
    status =
        enqueueAll(static_cast<NcclGroup &>(group), transfers, count, stream);
    posts.store(number + 2, std::memory_order_release);
  }
  if (__builtin_expect(!status && !hasFailed, 1))
    return nullptr;
  return end(status);
}

//===----------------------------------------------------------------------===//
// Waiting and failing
//===----------------------------------------------------------------------===//

std::string NcclCommunicator::rankText() const {
  return format("rank %" PRId64 " of %" PRId64, rank, size);
}

std::string NcclCommunicator::lastText() const {
  FuserTransfer shown = last;
  // The pairs may be gone.
  shown.num_pairs = 0;
  shown.pairs = nullptr;
  return format("%s in a group of %" PRId64, fuser_rt::describe(shown).c_str(),
                lastGroupSize);
}

FuserStatus *NcclCommunicator::check(Result result, Comm comm,
                                     const std::string &what) const {
  if (result == success)
    return nullptr;
  std::string where = rankText() + ", " + what;
  if (result == inProgress)
    return makeError(FUSER_COMMUNICATION_ERROR,
                     "%s: expected all ranks to take part, got no answer "
                     "for %g s",
                     where.c_str(), timeoutSeconds);
  return library.makeStatus(result, comm, where);
}

FuserStatus *NcclCommunicator::failed() {
  std::lock_guard<std::mutex> lock(state);
  return makeError(FUSER_COMMUNICATION_ERROR,
                   "the communications have ended: " + failure);
}

/// Under `inUse`, or when there is only one thread.
void NcclCommunicator::abortAll() {
  std::vector<Comm> all;
  {
    std::lock_guard<std::mutex> lock(state);
    all = std::move(comms);
    comms.clear();
    if (root)
      all.push_back(root);
    root = nullptr;
  }
  for (Comm comm : all)
    library.commAbort(comm);
}

/// From any thread. The first message is kept.
void NcclCommunicator::fail(const std::string &message) {
  {
    std::lock_guard<std::mutex> lock(state);
    if (!hasFailed)
      failure = message;
    hasFailed = true;
  }
  for (int i = 0; i < 200; ++i) {
    std::unique_lock<std::mutex> lock(inUse, std::try_to_lock);
    if (lock) {
      abortAll();
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Another thread is in a call. It ends the communicators when it is out, and
  // if the call waits for other ranks, the root's end gets it out. In no other
  // call is the root left to itself.
  if (posts % 2 == 0)
    return;
  Comm ended = nullptr;
  {
    std::lock_guard<std::mutex> stateLock(state);
    std::swap(ended, root);
  }
  if (ended)
    library.commAbort(ended);
}

/// After a failure of this rank, null if it is another's: the ranks no longer
/// agree about what comes next. What ended the communications first, if
/// something did, says more than what followed from it.
FuserStatus *NcclCommunicator::end(FuserStatus *status) {
  bool isFirst = status && !hasFailed;
  fail(status ? status->message : std::string());
  if (isFirst)
    return status;
  fuser_status_destroy(status);
  return failed();
}

void NcclCommunicator::abort(const std::string &message) { fail(message); }

/// Ends a call that waits for other ranks for longer than the timeout.
void NcclCommunicator::watch() {
  auto timeout = std::chrono::duration<double>(timeoutSeconds);
  auto period = std::min<std::chrono::duration<double>>(
      timeout / 8, std::chrono::milliseconds(500));
  uint64_t seen = 0;
  auto since = Clock::now();
  std::unique_lock<std::mutex> lock(state);
  while (!closing.wait_for(lock, period, [&] { return isClosing; })) {
    uint64_t number = posts.load(std::memory_order_acquire);
    if (number % 2 == 0 || number != seen) {
      seen = number;
      since = Clock::now();
    } else if (!hasFailed && Clock::now() - since >= timeout) {
      lock.unlock();
      fail(format("%s, %s: expected the other ranks to come within %g s, got "
                  "none to connect to",
                  rankText().c_str(), lastText().c_str(), timeoutSeconds));
      lock.lock();
    }
  }
}

FuserStatus *NcclCommunicator::checkAsync() {
  std::lock_guard<std::mutex> lock(inUse);
  if (hasFailed)
    return failed();
  // Only this thread adds to them.
  for (Comm comm : comms) {
    Result result = success;
    Result asked = library.commGetAsyncError(comm, &result);
    result = asked == success ? result : asked;
    if (result != success && result != inProgress)
      return check(result, comm, "after " + lastText());
  }
  return nullptr;
}

FuserStatus *NcclCommunicator::waitFor(void *stream) {
  using namespace std::chrono;
  auto start = Clock::now();
  auto nextCheck = milliseconds(1);
  for (;;) {
    cu::Result ready = driver.streamQuery(static_cast<cu::Stream>(stream));
    if (ready != cu::errorNotReady)
      return driver.check(ready, "waiting for the GPU");
    auto waited = Clock::now() - start;
    // Most waits are short: those are not to last longer than they must.
    if (waited < milliseconds(2))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(
          waited < milliseconds(200) ? microseconds(20) : microseconds(500));
    if (waited < nextCheck)
      continue;
    nextCheck = duration_cast<milliseconds>(waited) + milliseconds(10);
    FUSER_RETURN_IF_ERROR(checkAsync());
    if (duration<double>(waited).count() >= timeoutSeconds)
      return makeError(
          FUSER_COMMUNICATION_ERROR,
          "%s waited for %g s, longer than the timeout, for other ranks or its "
          "GPU: the last transfer was %s",
          rankText().c_str(), duration<double>(waited).count(),
          lastText().c_str());
  }
}

FuserStatus *NcclCommunicator::synchronize(void *stream, bool &done) {
  // Also when all that was posted on this stream is complete: it may wait for
  // another one.
  done = hasPosted;
  if (!done)
    return nullptr;
  if (hasFailed)
    return failed();
  FuserStatus *status = waitFor(stream);
  // What is ended is complete for the GPU, too.
  return status || hasFailed ? end(status) : nullptr;
}
