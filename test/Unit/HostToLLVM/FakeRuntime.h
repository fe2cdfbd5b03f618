//===- FakeRuntime.h - A function table that records calls ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TEST_UNIT_HOSTTOLLVM_FAKERUNTIME_H
#define FUSER_TEST_UNIT_HOSTTOLLVM_FAKERUNTIME_H

#include "fuser_rt/fuser_rt.h"
#include "fuser_rt/host_abi.h"
#include <memory>
#include <string>
#include <vector>

/// A call in flight of the fake runtime: what happened in it.
struct FuserFrame {
  /// Calls as text, e.g. "alloc 128".
  std::vector<std::string> calls;
  /// The number of 8-byte parameters of each kernel, to be written into the
  /// text.
  std::vector<int> numParams;
  /// The kernels of the cpu target, which a launch runs.
  std::vector<FuserCpuKernel> kernels;
  /// Memory given out.
  std::vector<std::unique_ptr<char[]>> memory;
  /// The call (its name) that fails with FUSER_OUT_OF_MEMORY, none if empty.
  std::string failing;
  /// The current stream.
  void *stream = nullptr;

  /// Where output `i` lies after the call.
  std::vector<void *> outputs = std::vector<void *>(4);

  int32_t record(const std::string &name, const std::string &arguments);
};

/// The address of stream `index` in a frame.
void *getFakeStream(int64_t index);

/// Memory of alloc and output starts here in the text of calls: "m0", "m1"...
/// in the order in which it was given out.
std::string nameOf(const FuserFrame &frame, const void *data);

extern const FuserHostApi kFakeApi;

#endif // FUSER_TEST_UNIT_HOSTTOLLVM_FAKERUNTIME_H
