//===- CudaMatmul.h - Matrix products by cuBLASLt -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is opened by the first product, and never closed. What it chooses
// for sizes, strides and alignments is kept.
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
  static constexpr size_t workspaceBytes = size_t(32) << 20;

  CudaMatmul();
  ~CudaMatmul();

  /// Enqueues the product on `stream` of `device`, whose context is current.
  /// The result has elements.
  FuserStatus *run(Device &device, const FuserMatmul &op, void *workspace,
                   void *stream);
  /// Before the device closes, whose context is current.
  void close();

private:
  /// A product but for its addresses, of which it has the alignments: the
  /// largest powers of two up to 256 that divide them.
  struct Key {
    FuserMatmul op;
    uint32_t alignments[4];

    bool operator<(const Key &other) const;
  };

  FuserStatus *open();
  FuserStatus *getPlan(const FuserMatmul &op, cublas::Plan *&plan);

  std::unique_ptr<cublas::Library> library;
  std::map<Key, std::unique_ptr<cublas::Plan>> plans;
};

} // namespace fuser_rt

#endif // FUSER_RT_CUDA_CUDAMATMUL_H
