//===- CudaMatmul.h - Matrix products by cuBLASLt -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is opened by the first product, and never closed. What it chooses
// for a shape is kept, and so is its workspace, one a stream: a product that
// was computed before allocates nothing and asks for nothing.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CUDA_CUDAMATMUL_H
#define FUSER_RT_CUDA_CUDAMATMUL_H

#include "Device.h"
#include "fuser_rt/host_abi.h"

#include <map>
#include <memory>

namespace fuser_rt {

namespace cublas {
struct Library;
struct Plan;
} // namespace cublas

class CudaMatmul {
public:
  CudaMatmul();
  ~CudaMatmul();

  /// Enqueues the product on `stream` of `device`, whose context is current.
  /// None of its sizes is 0.
  FuserStatus *run(Device &device, const FuserMatmul &op, void *stream);
  /// Waits for all products, and frees the workspaces on `stream`. Before the
  /// device closes.
  void close(Device &device, void *stream);

private:
  FuserStatus *open();
  FuserStatus *getPlan(const FuserMatmul &op, cublas::Plan *&plan);
  FuserStatus *getWorkspace(Device &device, void *stream, void *&workspace);

  std::unique_ptr<cublas::Library> library;
  /// By the product without its addresses, as bytes.
  std::map<std::string, std::unique_ptr<cublas::Plan>> plans;
  std::map<void *, void *> workspaces;
};

} // namespace fuser_rt

#endif // FUSER_RT_CUDA_CUDAMATMUL_H
