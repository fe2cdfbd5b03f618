//===- Frame.h - A call in flight -----------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_FRAME_H
#define FUSER_RT_FRAME_H

#include "Loader.h"
#include "Run/InlineBuffer.h"
#include "Run/StreamClocks.h"

/// What a host program's calls act on. Lives on the stack of fuser_program_run;
/// owns what the program has allocated until that is freed or handed to the
/// caller.
struct FuserFrame {
  /// What has become of an output.
  struct Output {
    bool done = false;
    DLManagedTensorVersioned *tensor = nullptr; // null where preallocated
  };

  FuserFrame(FuserContext &context, fuser_rt::LoadedVariant &variant,
             const DLTensor *const *inputs, FuserOutput *outputs,
             bool communicates);
  ~FuserFrame();
  FuserFrame(const FuserFrame &) = delete;
  FuserFrame &operator=(const FuserFrame &) = delete;

  /// Ends the call with what the entry returned: frees what is left, and on
  /// success hands the outputs to the caller.
  FuserStatus *finish(int32_t returned);

  /// Keeps the first error. Returns its code, for the host program.
  int32_t record(FuserStatus *error);

  // Memory of the program; a list, as there is rarely more than a few.
  void addLive(const fuser_rt::Memory &memory);
  /// Takes the memory that `data` points into (`exact`: to the start of) off
  /// the list.
  bool takeLive(const void *data, bool exact, fuser_rt::Memory &memory);

  FuserContext &context;
  fuser_rt::Device &device;
  fuser_rt::LoadedVariant &variant;
  const DLTensor *const *inputs;
  FuserOutput *outputs;
  void *const caller; ///< Stream 0.
  void *current;
  bool usesWorkers = false;
  fuser_rt::StreamClocks clocks;
  /// Other ranks may wait for this one.
  bool communicates;
  /// Transfers that are to be enqueued together.
  bool coalesces = false;
  fuser_rt::Group *coalescedGroup = nullptr;
  std::vector<FuserTransfer> coalesced;
  fuser_rt::InlineBuffer<Output, 16> results;

private:
  void freeLive();
  void dropResults();

  FuserStatus *status = nullptr;
  static constexpr size_t inlineLive = 16;
  fuser_rt::Memory live[inlineLive];
  size_t numLive = 0;
  std::vector<fuser_rt::Memory> moreLive; // used when `live` is full
};

namespace fuser_rt {

/// The functions that a host program calls.
extern const FuserHostApi hostApi;

} // namespace fuser_rt

#endif // FUSER_RT_FRAME_H
