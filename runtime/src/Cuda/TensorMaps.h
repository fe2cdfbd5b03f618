//===- TensorMaps.h - Kernel parameters that the driver encodes -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that loads tiles by the TMA takes a tensor map, 128 bytes that the
// driver encodes from a tensor and from what the kernel says of its tiles. A
// map depends on these alone, so it is kept: a launch with a tensor that was
// seen before finds its map in a short list.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CUDA_TENSORMAPS_H
#define FUSER_RT_CUDA_TENSORMAPS_H

#include "Cuda/CudaDriver.h"
#include "fuser_rt/Program.h"
#include "fuser_rt/host_abi.h"

#include <vector>

namespace fuser_rt {

/// The tensor maps among the parameters of one kernel. Nothing is locked:
/// threads that share a context hold its lock (fuser_context_lock). A launch
/// allocates nothing, whatever its tensors.
class TensorMaps {
public:
  /// How many maps are kept for a parameter; the oldest goes for a new one.
  static constexpr size_t capacity = 16;

  /// Driver and description outlive it.
  TensorMaps(const cu::Driver &driver, const KernelSpec &kernel);

  /// The kernel takes none.
  bool empty() const { return lists.empty(); }

  /// The parameters to launch with: those of the host program, with maps in
  /// place of tensors. They are valid until the next call. The map of a tensor
  /// without elements is zeros.
  FuserStatus *encode(void *const *params, void **&encoded);

private:
  /// A tensor and its map.
  struct Entry {
    cu::TensorMap map;
    void *data;
    int64_t extents[2 * maxTensorMapRank]; ///< Sizes, strides: rank of each.
  };
  /// The maps of one parameter.
  struct List {
    const TensorMapSpec *spec;
    std::vector<Entry> entries;
    size_t oldest = 0;
  };
  struct Shape;

  FuserStatus *find(List &list, const FuserMemRef &tensor, void *&map);
  FuserStatus *add(List &list, const Entry &tensor, void *&map);
  FuserStatus *checkShape(const TensorMapSpec &spec, const Entry &tensor,
                          Shape &shape) const;
  FuserStatus *checkStride(const TensorMapSpec &spec, size_t dim,
                           int64_t stride) const;
  FuserStatus *refuse(const TensorMapSpec &spec, const std::string &expected,
                      const std::string &got) const;

  const cu::Driver *driver;
  const KernelSpec *kernel;
  std::vector<List> lists;
  std::vector<void *> values; ///< The parameters of a launch.
  cu::TensorMap none{};       ///< Of a tensor without elements.
};

} // namespace fuser_rt

#endif // FUSER_RT_CUDA_TENSORMAPS_H
