//===- CudaKernels.cpp - Kernels on a GPU ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaKernels.h"

#include <algorithm>
#include <cinttypes>

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

CudaKernelSet::~CudaKernelSet() {
  if (modules.empty())
    return;
  // Kernels of these modules may still run.
  driver.ctxSynchronize();
  for (cu::Module module : modules)
    driver.moduleUnload(module);
}

/// Loads an image for the current device, PTX through the JIT. 0 registers: as
/// many as that sees fit.
FuserStatus *CudaKernelSet::compile(const std::string &image, int maxRegisters,
                                    cu::Module &module) {
  std::vector<char> log(16 << 10, '\0');
  int options[3] = {cu::jitErrorLog, cu::jitErrorLogBytes, cu::jitMaxRegisters};
  void *values[3] = {
      log.data(), reinterpret_cast<void *>(log.size()),
      reinterpret_cast<void *>(static_cast<intptr_t>(maxRegisters))};
  cu::Result result = driver.moduleLoadDataEx(
      &module, image.c_str(), maxRegisters ? 3 : 2, options, values);
  if (result == cu::success) {
    modules.push_back(module);
    return nullptr;
  }
  log.back() = '\0';
  // A device error, unless memory ran out: the program may be fine on a newer
  // driver.
  return driver.error(result,
                      format("compiling the PTX of program variant '%s': %s",
                             variant.arch.c_str(), log.data()));
}

FuserStatus *CudaKernelSet::find(cu::Module module, const KernelSpec &spec,
                                 CudaKernel &kernel) {
  CudaKernel found;
  if (cu::Result result =
          driver.moduleGetFunction(&found.function, module, spec.name.c_str()))
    return makeError(FUSER_BAD_PROGRAM,
                     "expected the PTX to define the kernel '%s', got %s",
                     spec.name.c_str(), driver.describe(result).c_str());
  FUSER_RETURN_IF_ERROR(driver.check(
      driver.funcGetAttribute(&found.maxThreads, cu::functionMaxThreads,
                              found.function),
      "asking for the largest block of " + spec.name));
  kernel = found;
  return nullptr;
}

FuserStatus *CudaKernelSet::load() {
  std::vector<cu::Module> images;
  for (const std::string &image : variant.images) {
    images.emplace_back();
    FUSER_RETURN_IF_ERROR(compile(image, 0, images.back()));
  }
  for (const KernelSpec &spec : variant.kernels) {
    kernels.emplace_back();
    tensorMaps.emplace_back(driver, spec);
    FUSER_RETURN_IF_ERROR(find(images[spec.image], spec, kernels.back()));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static int64_t product(const int32_t (&sizes)[3]) {
  return int64_t(sizes[0]) * sizes[1] * sizes[2];
}

/// Compiles the kernel again, with no more registers a thread than a block of
/// this launch has, behind the same index.
FuserStatus *CudaKernelSet::relimit(int32_t index,
                                    const FuserLaunchDims &dims) {
  const KernelSpec &spec = variant.kernels[index];
  int threads = static_cast<int>(product(dims.block));
  // The hardware allocates registers to a thread in steps of 8, at most 255.
  int registers = std::clamp(registersPerBlock / threads / 8 * 8, 16, 255);
  cu::Module module = nullptr;
  FUSER_RETURN_IF_ERROR(compile(variant.images[spec.image], registers, module));
  CudaKernel found;
  FUSER_RETURN_IF_ERROR(find(module, spec, found));
  if (threads <= found.maxThreads) {
    kernels[index] = found;
    return nullptr;
  }
  driver.moduleUnload(module);
  modules.pop_back();
  return makeError(
      FUSER_BAD_PROGRAM,
      "launching %s: expected a block of at most %d threads, which "
      "its code is made for, got %d x %d x %d",
      spec.name.c_str(), kernels[index].maxThreads, dims.block[0],
      dims.block[1], dims.block[2]);
}

/// What this launch needs beyond what the kernel is set up for.
FuserStatus *CudaKernelSet::prepare(int32_t index,
                                    const FuserLaunchDims &dims) {
  const std::string &name = variant.kernels[index].name;
  int64_t threads = product(dims.block);
  if (dims.block[0] < 1 || dims.block[1] < 1 || dims.block[2] < 1 ||
      threads > 1024)
    return makeError(
        FUSER_INTERNAL,
        "launching %s: expected a block of 1 to 1024 threads, got %d x %d x %d",
        name.c_str(), dims.block[0], dims.block[1], dims.block[2]);
  if (threads > kernels[index].maxThreads)
    FUSER_RETURN_IF_ERROR(relimit(index, dims));
  CudaKernel &kernel = kernels[index];
  if (dims.dynamic_shared_bytes > kernel.dynamicSharedBytes) {
    FUSER_RETURN_IF_ERROR(driver.check(
        driver.funcSetAttribute(kernel.function, cu::functionMaxDynamicShared,
                                dims.dynamic_shared_bytes),
        format("asking for %d bytes of shared memory for %s",
               dims.dynamic_shared_bytes, name.c_str())));
    kernel.dynamicSharedBytes = dims.dynamic_shared_bytes;
  }
  if (product(dims.cluster) > 8 && !kernel.largeClusters) {
    FUSER_RETURN_IF_ERROR(
        driver.check(driver.funcSetAttribute(kernel.function,
                                             cu::functionNonPortableCluster, 1),
                     "asking for clusters of more than 8 blocks for " + name));
    kernel.largeClusters = true;
  }
  return nullptr;
}

bool CudaKernelSet::describe(int32_t index, const FuserLaunchDims &dims,
                             int maxThreads, KernelResources &resources) const {
  auto threads = static_cast<int>(product(dims.block));
  cu::Function function = kernels[index].function;
  auto ask = [&](int &value, int attribute) {
    return driver.funcGetAttribute(&value, attribute, function) == cu::success;
  };
  int blocks = 0;
  if (!ask(resources.registers, cu::functionRegisters) ||
      !ask(resources.sharedBytes, cu::functionSharedBytes) ||
      !ask(resources.localBytes, cu::functionLocalBytes) ||
      driver.occupancy(&blocks, function, threads,
                       size_t(dims.dynamic_shared_bytes)) != cu::success)
    return false;
  resources.sharedBytes += dims.dynamic_shared_bytes;
  resources.occupancyPercent =
      static_cast<int>(int64_t(100) * blocks * threads / maxThreads);
  return true;
}

FuserStatus *CudaKernelSet::launchFailed(cu::Result result, int32_t index,
                                         const FuserLaunchDims &dims) {
  return driver.error(
      result, format("launching %s (grid %" PRId64 " x %" PRId64 " x %" PRId64
                     ", block %d x %d x %d, cluster %d x %d x %d, %d bytes of "
                     "shared memory)",
                     variant.kernels[index].name.c_str(), dims.grid[0],
                     dims.grid[1], dims.grid[2], dims.block[0], dims.block[1],
                     dims.block[2], dims.cluster[0], dims.cluster[1],
                     dims.cluster[2], dims.dynamic_shared_bytes));
}

/// What the dimensions ask for beyond a plain launch; `config` has room for two
/// attributes.
void CudaKernelSet::addAttributes(const FuserLaunchDims &dims,
                                  cu::LaunchConfig &config) const {
  if (product(dims.cluster) > 1) {
    cu::LaunchAttribute &attribute = config.attributes[config.numAttributes++];
    attribute = {};
    attribute.id = cu::launchClusterDimension;
    attribute.value.cluster = {unsigned(dims.cluster[0]),
                               unsigned(dims.cluster[1]),
                               unsigned(dims.cluster[2])};
  }
  bool isCooperative = dims.flags & FUSER_LAUNCH_COOPERATIVE;
  bool isProgrammatic = dims.flags & FUSER_LAUNCH_PROGRAMMATIC;
  if (isCooperative || (isProgrammatic && hasProgrammatic)) {
    cu::LaunchAttribute &attribute = config.attributes[config.numAttributes++];
    attribute = {};
    attribute.id =
        isCooperative ? cu::launchCooperative : cu::launchProgrammatic;
    attribute.value.flag = 1;
  }
}

FuserStatus *CudaKernelSet::launch(int32_t index, const FuserLaunchDims &dims,
                                   void *const *params, cu::Stream stream) {
  if (dims.grid[0] == 0 || dims.grid[1] == 0 || dims.grid[2] == 0)
    return nullptr;
  constexpr int64_t maxX = INT32_MAX, maxYZ = 65535;
  if (dims.grid[0] < 0 || dims.grid[0] > maxX || dims.grid[1] < 0 ||
      dims.grid[1] > maxYZ || dims.grid[2] < 0 || dims.grid[2] > maxYZ)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "launching %s: expected a grid of at most %" PRId64
                     " x %" PRId64 " x %" PRId64 " blocks, got %" PRId64
                     " x %" PRId64 " x %" PRId64,
                     variant.kernels[index].name.c_str(), maxX, maxYZ, maxYZ,
                     dims.grid[0], dims.grid[1], dims.grid[2]);
  int64_t threads = product(dims.block), cluster = product(dims.cluster);
  CudaKernel &kernel = kernels[index];
  if (threads < 1 || threads > kernel.maxThreads ||
      dims.dynamic_shared_bytes > kernel.dynamicSharedBytes ||
      (cluster > 8 && !kernel.largeClusters))
    FUSER_RETURN_IF_ERROR(prepare(index, dims));

  auto *values = const_cast<void **>(params);
  if (!tensorMaps[index].empty())
    FUSER_RETURN_IF_ERROR(tensorMaps[index].encode(params, values));

  cu::LaunchAttribute attributes[2];
  cu::LaunchConfig config{unsigned(dims.grid[0]),
                          unsigned(dims.grid[1]),
                          unsigned(dims.grid[2]),
                          unsigned(dims.block[0]),
                          unsigned(dims.block[1]),
                          unsigned(dims.block[2]),
                          unsigned(dims.dynamic_shared_bytes),
                          stream,
                          attributes,
                          0};
  addAttributes(dims, config);
  cu::Result result =
      driver.launchKernelEx(&config, kernel.function, values, nullptr);
  if (__builtin_expect(result == cu::success, 1))
    return nullptr;
  if (result == cu::errorCooperativeLaunchTooLarge)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "launching %s: expected a cooperative grid whose blocks "
                     "are all resident at once, got %" PRId64 " x %" PRId64
                     " x %" PRId64 " blocks of %" PRId64 " threads",
                     variant.kernels[index].name.c_str(), dims.grid[0],
                     dims.grid[1], dims.grid[2], threads);
  if (result != cu::errorLaunchOutOfResources)
    return launchFailed(result, index, dims);
  FUSER_RETURN_IF_ERROR(relimit(index, dims));
  FUSER_RETURN_IF_ERROR(prepare(index, dims));
  result =
      driver.launchKernelEx(&config, kernels[index].function, values, nullptr);
  return result == cu::success ? nullptr : launchFailed(result, index, dims);
}
