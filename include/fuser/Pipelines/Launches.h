//===- Launches.h - What a program launches --------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a report says of kernels besides what a device measures: which schedule
// each has, and how many bytes it is for. Both are read from the module while
// it is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_LAUNCHES_H
#define FUSER_PIPELINES_LAUNCHES_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"
#include <optional>
#include <string>
#include <vector>

namespace fuser {

/// A kernel of a program, by the name that the runtime has for it.
struct LaunchedKernel {
  /// The attribute of its segment; empty for a kernel written by hand.
  std::string schedule;
  /// Of the buffers that its launches are given, each counted once, whole: the
  /// mean of a run's launches. Nothing where sizes are known only as it runs.
  std::optional<uint64_t> bytes;
};

/// Collects the kernels of one compilation.
class LaunchNotes {
public:
  /// `inputs`: the sizes of the tensors that the program is run with, in order.
  explicit LaunchNotes(std::vector<SmallVector<int64_t>> inputs)
      : inputs(std::move(inputs)) {}

  /// To be called as CompileOptions::afterPass.
  void note(StringRef pass, Operation *module);
  /// By name, in the order of their first launches.
  const llvm::MapVector<StringRef, LaunchedKernel> &getKernels() const {
    return kernels;
  }

private:
  void noteSchedules(Operation *module);
  void noteBytes(Operation *module);

  std::vector<SmallVector<int64_t>> inputs;
  llvm::StringMap<std::string> schedules;
  llvm::MapVector<StringRef, LaunchedKernel> kernels; ///< Keys of `schedules`.
};

} // namespace fuser

#endif // FUSER_PIPELINES_LAUNCHES_H
