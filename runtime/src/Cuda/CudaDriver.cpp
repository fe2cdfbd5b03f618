//===- CudaDriver.cpp - The CUDA driver, opened at run time ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaDriver.h"

#include <dlfcn.h>

using namespace fuser_rt;
using namespace fuser_rt::cu;

std::string Driver::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName)
    getErrorName(result, &name);
  if (getErrorString)
    getErrorString(result, &text);
  return format("%s (%s)",
                name ? name : format("CUDA error %d", result).c_str(),
                text ? text : "unknown");
}

FuserStatus *Driver::error(Result result, const std::string &what) const {
  return makeError(result == errorOutOfMemory ? FUSER_OUT_OF_MEMORY
                                              : FUSER_DEVICE_ERROR,
                   "%s: the CUDA driver answered %s", what.c_str(),
                   describe(result).c_str());
}

FuserStatus *Driver::open() {
  // Never closed: the driver does not survive being unloaded.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return makeError(FUSER_NO_DEVICE,
                     "no CUDA driver: expected to open libcuda.so.1, got: %s; "
                     "the targets cpu and sim need no GPU",
                     dlerror());
#define FUSER_CUDA_OPEN(name, symbol, parameters)                              \
  name = reinterpret_cast<Result(*) parameters>(dlsym(library, #symbol));      \
  if (!name)                                                                   \
    return makeError(FUSER_NO_DEVICE, "the CUDA driver is too old: expected "  \
                                      "libcuda.so.1 of CUDA 12 or later, got " \
                                      "one without " #symbol);
  FUSER_CUDA_ENTRY_POINTS(FUSER_CUDA_OPEN)
#undef FUSER_CUDA_OPEN
#define FUSER_CUDA_OPEN(name, symbol, parameters)                              \
  name = reinterpret_cast<Result(*) parameters>(dlsym(library, #symbol));
  FUSER_CUDA_OPTIONAL_ENTRY_POINTS(FUSER_CUDA_OPEN)
#undef FUSER_CUDA_OPEN
  if (Result result = init(0))
    return makeError(FUSER_NO_DEVICE,
                     "no usable GPU: expected the CUDA driver to start, got %s",
                     describe(result).c_str());
  return nullptr;
}
