//===- Session.h - A program and its tensors on a device ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_SESSION_H
#define FUSER_LIB_TOOLS_RUN_SESSION_H

#include "../GuardedMemory.h"
#include "../Tensors/HostTensor.h"
#include "RunOptions.h"
#include "fuser_rt/fuser_rt.h"

namespace fuser::run {

/// A failed status as an error; success for null. Takes ownership. Failures of
/// communications have a code of their own.
llvm::Error toError(FuserStatus *status);
constexpr std::errc kCommunicationError = std::errc::connection_aborted;

/// The runtime context that the options name.
struct ContextDeleter {
  void operator()(FuserContext *context) const {
    fuser_context_destroy(context);
  }
};
using ContextPtr = std::unique_ptr<FuserContext, ContextDeleter>;
llvm::Expected<ContextPtr> createContext(const RunOptions &options);

/// Writes what contexts have done since `Session::startTrace` to a file.
llvm::Error writeTrace(llvm::ArrayRef<FuserContext *> contexts,
                       llvm::StringRef path);

/// What a program requires of addresses, in bytes.
struct Alignments {
  llvm::SmallVector<uint64_t> inputs, outputs;
};

/// Inputs and outputs of a program in the memory of a context's device.
class Session {
public:
  Session(FuserContext *context, FuserProgram *program)
      : context(context), program(program) {}
  Session(const Session &) = delete;
  ~Session();

  /// From now on tensors lie where `memory`, the context's, guards them. The
  /// program wants `alignments` of its inputs and outputs.
  void guard(GuardedMemory &memory, Alignments alignments) {
    guards = &memory;
    required = std::move(alignments);
  }
  /// Copies the inputs to the device.
  llvm::Error bindInputs(llvm::MutableArrayRef<HostTensor> inputs);
  /// Copies the same inputs again, which a program may have written to.
  llvm::Error copyInputs(llvm::ArrayRef<HostTensor> inputs);
  /// `specs`: the program's scalars.
  llvm::Error bindScalars(llvm::ArrayRef<std::string> scalars,
                          llvm::ArrayRef<fuser_rt::ScalarSpec> specs);
  /// Notes from now on when the context's work runs.
  llvm::Error startTrace();
  /// Runs once, with new outputs unless some were kept by keepOutputs.
  llvm::Error run() { return toError(enqueue()); }
  FuserStatus *enqueue();
  /// Hands the outputs of the last run to further runs as preallocated ones.
  void keepOutputs();
  llvm::Error synchronize();
  llvm::Expected<llvm::SmallVector<HostTensor>> fetchOutputs();
  /// The bytes of all inputs and outputs.
  uint64_t getBytesMoved() const;

private:
  void releaseOutputs();

  FuserContext *context;
  FuserProgram *program;
  GuardedMemory *guards = nullptr;
  Alignments required;
  llvm::SmallVector<DLManagedTensorVersioned *> inputMemory;
  llvm::SmallVector<DLTensor> inputs;
  llvm::SmallVector<const DLTensor *> inputPointers;
  llvm::SmallVector<FuserScalar> scalars;
  llvm::SmallVector<FuserOutput> outputs;
  llvm::SmallVector<DLManagedTensorVersioned *> kept;
};

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_SESSION_H
