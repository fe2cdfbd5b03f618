//===- SimDevice.cpp - A GPU that is simulated ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory and streams are a CPU's. A launch has the blocks and threads of a GPU;
// groups of blocks are shared out over the thread pool.
//
//===----------------------------------------------------------------------===//

#include "Cpu/CpuDevice.h"
#include "Sim/Checker.h"
#include "Sim/Group.h"
#include "Sim/Order.h"
#include "Status.h"

#include <atomic>
#include <cinttypes>
#include <cstring>

using namespace fuser_rt;

// What the CUDA driver allows on an sm_90.
static constexpr int64_t kMaxGrid[3] = {(int64_t(1) << 31) - 1, 65535, 65535};
static constexpr int64_t kMaxBlock[3] = {1024, 1024, 64};
static constexpr int64_t kMaxThreads = 1024;
static constexpr int64_t kMaxCluster = 16;
static constexpr int64_t kMaxShared = 227 << 10;
/// An H100, for grids that are there at once: a multiprocessor's blocks,
/// threads, and shared memory, of which a block takes some for itself.
static constexpr int64_t kMultiprocessors = 132;
static constexpr int64_t kBlocksOfMultiprocessor = 32;
static constexpr int64_t kThreadsOfMultiprocessor = 2048;
static constexpr int64_t kSharedOfMultiprocessor = 228 << 10;
static constexpr int64_t kSharedOfSystem = 1 << 10;

namespace {
struct SimKernel {
  FuserSimKernel function;
  std::string name;
  size_t sharedBytes;
  uint32_t numParams;
};

struct SimKernelSet : KernelSet {
  std::vector<SimKernel> kernels;
};

class SimDevice final : public CpuDevice {
public:
  explicit SimDevice(unsigned threads) : CpuDevice(threads) {
    archName = "sim";
    deviceName = "simulated GPU on " + deviceName;
  }

  Target target() const override { return Target::Sim; }
  FuserStatus *loadKernels(const Variant &variant, void *object,
                           std::unique_ptr<KernelSet> &kernels) override;
  FuserStatus *launch(KernelSet &kernels, int32_t kernel,
                      const FuserLaunchDims &dims, void *const *params,
                      void *stream) override;

  FuserStatus *matmul(const FuserMatmul &op, void *workspace,
                      void *stream) override;

  FuserStatus *allocate(size_t bytes, void *stream, void **data) override;
  void release(void *data, void *stream) override;
  FuserStatus *copy(void *dst, const void *src, size_t bytes,
                    void *stream) override;
  FuserStatus *zero(void *data, size_t bytes, void *stream) override;
  FuserStatus *copyAndWait(void *dst, const void *src, size_t bytes,
                           void *stream) override;

  FuserStatus *setSimulation(uint32_t checks, uint64_t seed) override;
  bool isChecked() const override { return checker != nullptr; }
  void noteTensor(const DLTensor &tensor, bool isOutput) override;
  void forgetTensor(const DLTensor &tensor) override;
  FuserStatus *checkWritten(const DLTensor &tensor,
                            const std::string &name) override;
  void noteWritten(const void *data, size_t bytes) override;

private:
  FuserStatus *runGrid(const SimLaunch &launch, int64_t numGroups);
  FuserStatus *runChecked(const SimLaunch &launch, int64_t numGroups);
  template <typename Fn>
  FuserStatus *note(Fn fn, void *stream);
  std::unique_ptr<SimGroup> takeGroup();
  void giveBack(std::unique_ptr<SimGroup> group);

  uint64_t seed = 0;
  std::mutex mutex;
  // With the mutex.
  /// They keep their stacks.
  std::vector<std::unique_ptr<SimGroup>> groups;
  SimMemory buffers;
  /// Null if nothing is checked.
  std::unique_ptr<SimChecker> checker;
  uint32_t checks = 0;
};

/// What the thread pool calls back with.
struct GridRun {
  const SimLaunch &launch;
  std::function<FuserStatus *(int64_t begin, int64_t end)> runGroups;
  std::atomic<FuserStatus *> error{nullptr};

  static void run(void *user, int64_t begin, int64_t end, void *) {
    auto *grid = static_cast<GridRun *>(user);
    if (grid->error.load(std::memory_order_relaxed))
      return;
    FuserStatus *status = guarded([&] { return grid->runGroups(begin, end); });
    FuserStatus *none = nullptr;
    if (status && !grid->error.compare_exchange_strong(none, status))
      fuser_status_destroy(status);
  }
};
} // namespace

FuserStatus *SimDevice::loadKernels(const Variant &variant, void *object,
                                    std::unique_ptr<KernelSet> &kernels) {
  auto result = std::make_unique<SimKernelSet>();
  for (const KernelSpec &spec : variant.kernels) {
    void *symbol = nullptr;
    FUSER_RETURN_IF_ERROR(findKernel(object, spec, symbol));
    result->kernels.push_back({reinterpret_cast<FuserSimKernel>(symbol),
                               spec.name, size_t(spec.scratchBytes),
                               spec.numParams});
  }
  kernels = std::move(result);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// A number of a launch, and what it may be.
struct LaunchLimit {
  const char *what;
  int64_t least, most;
};
} // namespace

/// `dim` is the dimension that `got` belongs to; -1 if it belongs to all.
static FuserStatus *checkLimit(const SimKernel &kernel,
                               const LaunchLimit &limit, int64_t got,
                               int dim = -1) {
  if (got >= limit.least && got <= limit.most)
    return nullptr;
  std::string where;
  if (dim >= 0)
    where = format(" in dimension %c", "xyz"[dim]);
  return makeError(FUSER_DEVICE_ERROR,
                   "kernel '%s': expected %" PRId64 " to %" PRId64
                   " %s%s, got %" PRId64,
                   kernel.name.c_str(), limit.least, limit.most, limit.what,
                   where.c_str(), got);
}

static FuserStatus *checkDim(const SimKernel &kernel,
                             const FuserLaunchDims &dims, int dim) {
  int64_t grid = dims.grid[dim], cluster = dims.cluster[dim];
  FUSER_RETURN_IF_ERROR(checkLimit(
      kernel, {"threads in a block", 1, kMaxBlock[dim]}, dims.block[dim], dim));
  FUSER_RETURN_IF_ERROR(checkLimit(
      kernel, {"blocks in a cluster", 1, kMaxCluster}, cluster, dim));
  FUSER_RETURN_IF_ERROR(
      checkLimit(kernel, {"blocks in the grid", 1, kMaxGrid[dim]}, grid, dim));
  if (grid % cluster == 0)
    return nullptr;
  return makeError(
      FUSER_DEVICE_ERROR,
      "kernel '%s': expected a grid of whole clusters, got %" PRId64
      " blocks in clusters of %" PRId64 " in dimension %c",
      kernel.name.c_str(), grid, cluster, "xyz"[dim]);
}

static FuserStatus *checkDims(const SimKernel &kernel,
                              const FuserLaunchDims &dims) {
  int64_t threads = 1, cluster = 1;
  for (int dim = 0; dim < 3; ++dim) {
    FUSER_RETURN_IF_ERROR(checkDim(kernel, dims, dim));
    threads *= dims.block[dim];
    cluster *= dims.cluster[dim];
  }
  FUSER_RETURN_IF_ERROR(checkLimit(
      kernel, {"threads in a block, of all dimensions", 1, kMaxThreads},
      threads));
  FUSER_RETURN_IF_ERROR(checkLimit(
      kernel, {"blocks in a cluster, of all dimensions", 1, kMaxCluster},
      cluster));
  int64_t shared = static_cast<int64_t>(kernel.sharedBytes);
  if (shared > kMaxShared)
    return makeError(FUSER_DEVICE_ERROR,
                     "kernel '%s': expected at most %" PRId64
                     " bytes of workgroup buffers, got %" PRId64,
                     kernel.name.c_str(), kMaxShared, shared);
  if (dims.dynamic_shared_bytes < 0 ||
      dims.dynamic_shared_bytes > kMaxShared - shared)
    return makeError(FUSER_DEVICE_ERROR,
                     "kernel '%s': expected 0 to %" PRId64
                     " bytes of dynamic shared memory beside %" PRId64
                     " of the kernel's, got %" PRId32,
                     kernel.name.c_str(), kMaxShared - shared, shared,
                     dims.dynamic_shared_bytes);
  return nullptr;
}

/// All blocks of a cooperative grid are there at once.
static FuserStatus *checkCooperative(const SimKernel &kernel,
                                     const FuserLaunchDims &dims,
                                     int64_t blocks) {
  int64_t threads = int64_t(dims.block[0]) * dims.block[1] * dims.block[2];
  int64_t warps = (threads + kSimWarpSize - 1) / kSimWarpSize;
  int64_t shared = static_cast<int64_t>(kernel.sharedBytes) +
                   dims.dynamic_shared_bytes + kSharedOfSystem;
  int64_t resident =
      kMultiprocessors *
      std::min({kBlocksOfMultiprocessor,
                kThreadsOfMultiprocessor / (warps * kSimWarpSize),
                kSharedOfMultiprocessor / shared});
  if (blocks <= resident)
    return nullptr;
  return makeError(FUSER_DEVICE_ERROR,
                   "kernel '%s': expected at most %" PRId64
                   " blocks in a cooperative grid, which are there at once on "
                   "%" PRId64 " multiprocessors, got %" PRId64,
                   kernel.name.c_str(), resident, kMultiprocessors, blocks);
}

std::unique_ptr<SimGroup> SimDevice::takeGroup() {
  std::lock_guard<std::mutex> lock(mutex);
  if (groups.empty())
    return std::make_unique<SimGroup>(checker.get());
  std::unique_ptr<SimGroup> group = std::move(groups.back());
  groups.pop_back();
  return group;
}

void SimDevice::giveBack(std::unique_ptr<SimGroup> group) {
  std::lock_guard<std::mutex> lock(mutex);
  groups.push_back(std::move(group));
}

FuserStatus *SimDevice::runGrid(const SimLaunch &common, int64_t numGroups) {
  SimWorkers workers;
  SimLaunch launch = common;
  launch.workers = &workers;
  SimOrder order(numGroups, launch.seed);
  GridRun grid{launch, [&](int64_t begin, int64_t end) -> FuserStatus * {
                 std::unique_ptr<SimGroup> group = takeGroup();
                 FuserStatus *status = nullptr;
                 ++workers.active;
                 for (int64_t i = begin; i < end && !status; ++i) {
                   status = group->run(launch, order[i]);
                   ++workers.ended;
                 }
                 --workers.active;
                 giveBack(std::move(group));
                 return status;
               }};
  Scratch none;
  (void)getPool().run({GridRun::run, &grid, /*scratchBytes=*/0}, numGroups,
                      none);
  return grid.error;
}

/// Group by group: what is known of memory is known of all of them.
FuserStatus *SimDevice::runChecked(const SimLaunch &launch, int64_t numGroups) {
  std::unique_ptr<SimGroup> group = takeGroup();
  std::lock_guard<std::mutex> lock(mutex);
  checker->startKernel(launch);
  FuserStatus *status = nullptr;
  SimOrder order(numGroups, launch.seed);
  for (int64_t i = 0; i < numGroups && !status && !checker->isStopped(); ++i)
    status = group->run(launch, order[i]);
  groups.push_back(std::move(group));
  FuserStatus *found = checker->finishKernel();
  if (!found || !status)
    return found ? found : status;
  // A deadlock comes of what was found.
  fuser_status_destroy(status);
  return found;
}

FuserStatus *SimDevice::launch(KernelSet &kernels, int32_t index,
                               const FuserLaunchDims &dims, void *const *params,
                               void *stream) {
  const SimKernel &kernel = static_cast<SimKernelSet &>(kernels).kernels[index];
  int64_t blocks = gridItems(dims);
  if (blocks < 0)
    return makeError(FUSER_INTERNAL,
                     "expected a grid of 0 to 2^62 blocks, got %" PRId64
                     " x %" PRId64 " x %" PRId64,
                     dims.grid[0], dims.grid[1], dims.grid[2]);
  if (blocks == 0)
    return nullptr;
  FUSER_RETURN_IF_ERROR(checkDims(kernel, dims));
  SimLaunch launch{};
  launch.kernel = kernel.function;
  launch.name = kernel.name.c_str();
  launch.sharedBytes = kernel.sharedBytes;
  launch.dynamicSharedBytes = size_t(dims.dynamic_shared_bytes);
  bool isCooperative = dims.flags & FUSER_LAUNCH_COOPERATIVE;
  if (isCooperative)
    FUSER_RETURN_IF_ERROR(checkCooperative(kernel, dims, blocks));
  launch.isCooperative = isCooperative;
  launch.seed = seed;
  int64_t perGroup = 1;
  for (int dim = 0; dim < 3; ++dim) {
    launch.grid[dim] = dims.grid[dim];
    launch.block[dim] = dims.block[dim];
    launch.cluster[dim] = dims.cluster[dim];
    perGroup *= dims.cluster[dim];
  }
  int64_t numGroups = isCooperative ? 1 : blocks / perGroup;
  return submit(
      [this, launch, numGroups,
       queued = QueuedParams(params, kernel.numParams)]() mutable {
        std::vector<void *> pointers = queued.pointers();
        launch.params = pointers.data();
        return checker ? runChecked(launch, numGroups)
                       : runGrid(launch, numGroups);
      },
      stream);
}

FuserStatus *SimDevice::matmul(const FuserMatmul &op, void *workspace,
                               void *stream) {
  FUSER_RETURN_IF_ERROR(CpuDevice::matmul(op, workspace, stream));
  return note(
      [this, op] {
        auto bytes = elementBytes(static_cast<ElementType>(op.out_type));
        for (int64_t i = 0; i < op.batch; ++i)
          for (int64_t row = 0; row < op.m; ++row)
            for (int64_t column = 0; column < op.n; ++column)
              buffers.markWritten(static_cast<char *>(op.out) +
                                      (i * op.out_strides[0] +
                                       row * op.out_strides[1] +
                                       column * op.out_strides[2]) *
                                          bytes,
                                  bytes);
      },
      stream);
}

//===----------------------------------------------------------------------===//
// What kernels may touch
//===----------------------------------------------------------------------===//

FuserStatus *SimDevice::setSimulation(uint32_t newChecks, uint64_t newSeed) {
  if (newChecks & ~uint32_t(FUSER_CHECK_ALL))
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected checks of FUSER_CHECK_ALL, %d, got %" PRIu32,
                     FUSER_CHECK_ALL, newChecks);
  std::lock_guard<std::mutex> lock(mutex);
  seed = newSeed;
  checks = newChecks;
  groups.clear();
  buffers = SimMemory();
  checker = checks ? std::make_unique<SimChecker>(buffers, checks) : nullptr;
  return nullptr;
}

FuserStatus *SimDevice::allocate(size_t bytes, void *stream, void **data) {
  FUSER_RETURN_IF_ERROR(CpuDevice::allocate(bytes, stream, data));
  if (checker) {
    std::lock_guard<std::mutex> lock(mutex);
    buffers.add(*data, bytes);
  }
  return nullptr;
}

void SimDevice::release(void *data, void *stream) {
  if (!checker)
    return CpuDevice::release(data, stream);
  // Work that is queued may still use it.
  fuser_status_destroy(note([this, data] { buffers.remove(data); }, stream));
  CpuDevice::release(data, stream);
}

void SimDevice::noteWritten(const void *data, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (checker)
    buffers.markWritten(data, bytes);
}

/// `fn` changes what is known of memory, when the work before it on the stream
/// has ended.
template <typename Fn>
FuserStatus *SimDevice::note(Fn fn, void *stream) {
  if (!checker)
    return nullptr;
  return submit(
      [this, fn]() -> FuserStatus * {
        std::lock_guard<std::mutex> lock(mutex);
        fn();
        return nullptr;
      },
      stream);
}

FuserStatus *SimDevice::copy(void *dst, const void *src, size_t bytes,
                             void *stream) {
  FUSER_RETURN_IF_ERROR(CpuDevice::copy(dst, src, bytes, stream));
  return note([this, dst, bytes] { buffers.markWritten(dst, bytes); }, stream);
}

FuserStatus *SimDevice::zero(void *data, size_t bytes, void *stream) {
  FUSER_RETURN_IF_ERROR(CpuDevice::zero(data, bytes, stream));
  return note([this, data, bytes] { buffers.markWritten(data, bytes); },
              stream);
}

FuserStatus *SimDevice::copyAndWait(void *dst, const void *src, size_t bytes,
                                    void *stream) {
  FUSER_RETURN_IF_ERROR(CpuDevice::copyAndWait(dst, src, bytes, stream));
  noteWritten(dst, bytes);
  return nullptr;
}

/// Calls `fn` with the address of each element, until it returns false.
template <typename Fn>
static void forEachElement(const DLTensor &tensor, Fn fn) {
  std::vector<int64_t> index(tensor.ndim, 0);
  int64_t bytes = (tensor.dtype.bits + 7) / 8;
  for (int32_t dim = 0; dim < tensor.ndim; ++dim)
    if (tensor.shape[dim] == 0)
      return;
  while (true) {
    int64_t offset = 0, stride = 1;
    for (int32_t dim = tensor.ndim; dim-- > 0;) {
      offset += index[dim] * (tensor.strides ? tensor.strides[dim] : stride);
      stride *= tensor.shape[dim];
    }
    if (!fn(static_cast<char *>(tensor.data) + tensor.byte_offset +
            offset * bytes))
      return;
    int32_t dim = tensor.ndim;
    while (dim > 0 && ++index[dim - 1] == tensor.shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// Where the elements lie: the first byte, and how many there are to the end of
/// the last one; none of a tensor without elements.
static std::pair<const char *, size_t> findSpan(const DLTensor &tensor) {
  int64_t least = 0, most = 0, stride = 1;
  for (int32_t dim = tensor.ndim; dim-- > 0;) {
    int64_t size = tensor.shape[dim];
    if (size == 0)
      return {nullptr, 0};
    int64_t reach =
        (size - 1) * (tensor.strides ? tensor.strides[dim] : stride);
    (reach < 0 ? least : most) += reach;
    stride *= size;
  }
  int64_t bytes = (tensor.dtype.bits + 7) / 8;
  return {static_cast<const char *>(tensor.data) + tensor.byte_offset +
              least * bytes,
          static_cast<size_t>((most - least + 1) * bytes)};
}

/// Memory of the caller's that this device has not given is live as long as the
/// run; where it lies is known by the elements.
void SimDevice::noteTensor(const DLTensor &tensor, bool isOutput) {
  auto [begin, size] = findSpan(tensor);
  if (!begin)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  SimBuffer *own = buffers.find(begin);
  if (!own || own->isForeign)
    buffers.addForeign(begin, size);
  size_t bytes = (tensor.dtype.bits + 7) / 8;
  if (isOutput)
    forEachElement(tensor, [&](char *element) {
      buffers.markUnwritten(element, bytes);
      return true;
    });
}

void SimDevice::forgetTensor(const DLTensor &tensor) {
  auto [begin, size] = findSpan(tensor);
  std::lock_guard<std::mutex> lock(mutex);
  if (begin)
    buffers.removeForeign(begin, size);
}

FuserStatus *SimDevice::checkWritten(const DLTensor &tensor,
                                     const std::string &name) {
  if (!(checks & FUSER_CHECK_UNINIT))
    return nullptr;
  size_t bytes = (tensor.dtype.bits + 7) / 8;
  int64_t element = 0, unwritten = -1;
  std::lock_guard<std::mutex> lock(mutex);
  forEachElement(tensor, [&](char *address) {
    SimBuffer *buffer = buffers.find(address);
    if (buffer && buffer->findUnwritten(address, bytes) >= 0)
      unwritten = element;
    ++element;
    return unwritten < 0;
  });
  if (unwritten < 0)
    return nullptr;
  return makeError(FUSER_DEVICE_ERROR,
                   "uninit: element %" PRId64
                   " of output '%s', in row-major order, was not written",
                   unwritten, name.c_str());
}

FuserStatus *fuser_rt::createSimDevice(int32_t numThreads,
                                       std::unique_ptr<Device> &device) {
  unsigned threads = 0;
  FUSER_RETURN_IF_ERROR(checkThreads(numThreads, threads));
  device = std::make_unique<SimDevice>(threads);
  return nullptr;
}
