//===- MpiRanks.cpp - Ranks that are processes of MPI ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI is in a library of its own, fuser_rt_mpi, which is opened when it is
// asked for: this tool runs where there is no MPI. The first rank reads the
// program and compiles it, so that what is wrong with it is said once; the
// others get its bytes.
//
//===----------------------------------------------------------------------===//

#include "MpiRanks.h"
#include "../CommandLine.h"
#include "fuser_rt/mpi.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>
#include <dlfcn.h>
#include <numeric>
#include <sched.h>
#include <unistd.h>

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// MPI
//===----------------------------------------------------------------------===//

static llvm::Error openLibrary(decltype(&fuser_mpi_communicator) &function) {
  constexpr const char *kLibrary = "libfuser_rt_mpi.so";
  // Global: MPI libraries load parts of themselves that look for the rest.
  void *library = dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  void *symbol = library ? dlsym(library, "fuser_mpi_communicator") : nullptr;
  if (!symbol)
    return llvm::createStringError(
        "--ranks mpi: expected to open " + llvm::Twine(kLibrary) +
        ", which is built where CMake finds MPI, got: " + dlerror() +
        ": install MPI (for building: libopenmpi-dev or libmpich-dev) and "
        "build fuser again, or put the folders of both libraries into "
        "LD_LIBRARY_PATH; --ranks N needs no MPI");
  function = reinterpret_cast<decltype(function)>(symbol);
  return llvm::Error::success();
}

namespace {
/// What a launcher has told this process by the environment. To be asked before
/// MPI is initialised, which may change that.
struct Launcher {
  Launcher();
  bool exists = false;
  const char *sizeName = nullptr; ///< Null: it has not said how many.
  int size = 0;
};
} // namespace

Launcher::Launcher() {
  for (const char *name : {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    exists |= getenv(name) != nullptr;
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE",
                           "PMI_SIZE", "PALS_SIZE", "FLUX_JOB_SIZE"}) {
    const char *text = getenv(name);
    if (!text || StringRef(text).getAsInteger(10, size))
      continue;
    exists = true;
    sizeName = name;
    return;
  }
}

/// Checks that there is a launcher, and that it is of this MPI, to which `size`
/// processes are known. Without either, each process is rank 0 of 1.
static llvm::Error checkLauncher(const Launcher &launcher, int size) {
  if (size > 1)
    return llvm::Error::success();
  if (!launcher.exists)
    return usageError(
        "--ranks mpi: expected a process that MPI's launcher has started, as "
        "with 'mpirun -n 4 fuser-run program.mlir --ranks mpi', got one that "
        "was started by itself");
  if (!launcher.sizeName || launcher.size <= 1)
    return llvm::Error::success();
  return llvm::createStringError(
      "--ranks mpi: expected a launcher of the MPI that libfuser_rt_mpi.so was "
      "built with, got one that has started " +
      llvm::Twine(launcher.size) + " processes (" + launcher.sizeName +
      ") of which that MPI knows 1");
}

namespace {
/// Where a rank runs.
struct Place {
  uint64_t machine;
  cpu_set_t processors; ///< That it may use; empty: not known.
};

/// This process as one of MPI's.
class MpiJob {
public:
  static llvm::Expected<std::unique_ptr<MpiJob>> open(int timeout);
  MpiJob(const MpiJob &) = delete;
  ~MpiJob() {
    if (isOwned)
      callbacks.destroy(callbacks.user, nullptr);
  }

  int getRank() const { return callbacks.rank; }
  int getSize() const { return callbacks.size; }

  /// Ends the others' waiting.
  void abort(const std::string &message) {
    if (isOwned)
      callbacks.abort(callbacks.user, message.c_str());
  }
  /// The first rank's bytes on all.
  llvm::Error broadcast(std::string &bytes);
  /// All ranks' places.
  llvm::Expected<std::vector<Place>> gather(const Place &own);
  /// Makes the context this rank, which from then on has the communicator.
  llvm::Error handOver(FuserContext *context);

private:
  explicit MpiJob(const FuserCommunicator &callbacks) : callbacks(callbacks) {}
  llvm::Error transfer(FuserTransferKind kind, const void *src,
                       int64_t srcBytes, void *dst, int64_t dstBytes);

  FuserCommunicator callbacks;
  void *all = nullptr; ///< The group.
  bool isOwned = true;
};
} // namespace

llvm::Expected<std::unique_ptr<MpiJob>> MpiJob::open(int timeout) {
  decltype(&fuser_mpi_communicator) makeCommunicator = nullptr;
  if (llvm::Error error = openLibrary(makeCommunicator))
    return error;
  const Launcher launcher;
  FuserCommunicator callbacks;
  if (llvm::Error error = toError(makeCommunicator(timeout, &callbacks)))
    return error;
  std::unique_ptr<MpiJob> job(new MpiJob(callbacks));
  if (llvm::Error error = checkLauncher(launcher, job->getSize()))
    return error;
  std::vector<int64_t> ranks(job->getSize());
  std::iota(ranks.begin(), ranks.end(), 0);
  if (llvm::Error error = toError(callbacks.make_group(
          callbacks.user, ranks.data(), callbacks.size, &job->all)))
    return error;
  return job;
}

llvm::Error MpiJob::transfer(FuserTransferKind kind, const void *src,
                             int64_t srcBytes, void *dst, int64_t dstBytes) {
  FuserTransfer transfer{};
  transfer.kind = kind;
  transfer.type = FUSER_TYPE_U8;
  transfer.src = src;
  transfer.dst = dst;
  transfer.src_count = srcBytes;
  transfer.dst_count = dstBytes;
  return toError(
      callbacks.communicate(callbacks.user, all, &transfer, 1, nullptr));
}

llvm::Error MpiJob::broadcast(std::string &bytes) {
  uint64_t size = bytes.size();
  if (llvm::Error error =
          transfer(FUSER_BROADCAST, &size, sizeof(size), &size, sizeof(size)))
    return error;
  bytes.resize(size);
  return transfer(FUSER_BROADCAST, bytes.data(), size, bytes.data(), size);
}

llvm::Expected<std::vector<Place>> MpiJob::gather(const Place &own) {
  std::vector<Place> places(getSize());
  if (llvm::Error error =
          transfer(FUSER_ALL_GATHER, &own, sizeof(Place), places.data(),
                   sizeof(Place) * places.size()))
    return error;
  return places;
}

llvm::Error MpiJob::handOver(FuserContext *context) {
  if (llvm::Error error =
          toError(fuser_context_set_communicator(context, &callbacks)))
    return error;
  isOwned = false;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static Place findPlace() {
  Place place{};
  // Also the same for all containers of a machine.
  auto bootId =
      llvm::MemoryBuffer::getFileAsStream("/proc/sys/kernel/random/boot_id");
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  place.machine = llvm::xxh3_64bits(bootId ? (*bootId)->getBuffer() : name);
  if (sched_getaffinity(0, sizeof(place.processors), &place.processors))
    CPU_ZERO(&place.processors);
  return place;
}

/// The rank among those of its machine: its GPU, unless one was named.
static int getLocalRank(llvm::ArrayRef<Place> places, int rank) {
  return llvm::count_if(places.take_front(rank), [&](const Place &other) {
    return other.machine == places[rank].machine;
  });
}

/// Its share of the processors, each of which it shares with the ranks of its
/// machine that may use it, too. Launchers bind ranks to processors, or not.
static int getThreads(llvm::ArrayRef<Place> places, int rank) {
  double share = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &places[rank].processors))
      share += 1.0 / llvm::count_if(places, [&](const Place &other) {
                 return other.machine == places[rank].machine &&
                        CPU_ISSET(cpu, &other.processors);
               });
  // Thirds may not add up to a whole.
  return std::max(1, static_cast<int>(share + 1e-6));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Makes the context of a GPU a rank of NCCL's, by an id that MPI brings.
static llvm::Error joinNccl(MpiJob &job, FuserContext *context, int timeout) {
  std::string id(FUSER_NCCL_ID_BYTES, '\0');
  if (job.getRank() == 0)
    if (llvm::Error error = toError(fuser_nccl_unique_id(id.data())))
      return error;
  if (llvm::Error error = job.broadcast(id))
    return error;
  return toError(fuser_context_join_nccl(context, id.data(), job.getRank(),
                                         job.getSize(), timeout));
}

static llvm::Error
runJob(MpiJob &job, const RunOptions &all,
       llvm::function_ref<llvm::Expected<std::string>()> compile,
       RankResult &result) {
  std::string bytes;
  if (job.getRank() == 0) {
    llvm::Expected<std::string> compiled = compile();
    if (!compiled)
      return compiled.takeError();
    bytes = std::move(*compiled);
  }
  if (llvm::Error error = job.broadcast(bytes))
    return error;
  llvm::Expected<RankProgram> program = makeRankProgram(bytes);
  if (!program)
    return program.takeError();
  llvm::Expected<std::vector<Place>> places = job.gather(findPlace());
  if (!places)
    return places.takeError();
  RunOptions options = getRankOptions(all, job.getRank());
  bool isCuda = options.target->device == fuser_rt::Target::Cuda;
  if (isCuda && !options.device)
    options.device = getLocalRank(*places, job.getRank());
  if (!isCuda && !options.threads)
    options.threads = getThreads(*places, job.getRank());
  if (llvm::Error error = runRank(
          options, *program, job.getRank(),
          [&](FuserContext *context) {
            return isCuda ? joinNccl(job, context, options.timeout)
                          : job.handOver(context);
          },
          result))
    return error;
  if (options.trace.empty())
    return llvm::Error::success();
  return writeTrace(result.context.get(), options.trace);
}

llvm::Expected<int>
run::runOnMpi(const RunOptions &options,
              llvm::function_ref<llvm::Expected<std::string>()> compile,
              Report &report) {
  auto job = MpiJob::open(options.timeout);
  if (!job)
    return job.takeError();
  int rank = (*job)->getRank();
  if (llvm::Error error = checkRankFiles(options, (*job)->getSize()))
    return error;
  RankResult result;
  if (llvm::Error error = runJob(**job, options, compile, result)) {
    std::string message = takeFailure(std::move(error)).message;
    (*job)->abort(message);
    if (result.context)
      fuser_context_abort(result.context.get(), message.c_str());
    return llvm::createStringError("rank " + llvm::Twine(rank) + ": " +
                                   message);
  }
  report.device = result.device;
  report.bench = result.bench;
  return rank;
}
