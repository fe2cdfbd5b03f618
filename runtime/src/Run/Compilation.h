//===- Compilation.h - A call asks the compiler for code ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_COMPILATION_H
#define FUSER_RT_COMPILATION_H

#include "Loader.h"

#include <optional>

namespace fuser_rt {

/// What the caller of a call has set in a context; it is restored at the end,
/// since other callers set their own while the context is unlocked.
class SavedSettings {
public:
  explicit SavedSettings(FuserContext &context)
      : context(context), stream(context.stream), allocator(context.allocator),
        outputAllocator(context.outputAllocator) {}
  ~SavedSettings() {
    context.stream = stream;
    context.allocator = allocator;
    context.outputAllocator = outputAllocator;
  }
  SavedSettings(const SavedSettings &) = delete;
  SavedSettings &operator=(const SavedSettings &) = delete;

private:
  FuserContext &context;
  void *stream;
  FuserAllocator allocator;
  FuserOutputAllocator outputAllocator;
};

/// The compilation of a variant of a program for a call. It begins and ends
/// with the context locked, if there are other threads, and may unlock it in
/// between. A program has one at a time: other calls that lack a variant wait
/// for its end, and then look for theirs again.
class Compilation {
public:
  /// Outputs of the call are aligned to so many bytes.
  Compilation(FuserProgram &program, size_t outputAlignment);
  ~Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// The one of the program, or null.
  static Compilation *find(const FuserProgram &program);
  /// Waits for the end of that of another thread, without the lock. False if
  /// there is none.
  static bool await(FuserProgram &program);

  /// Calls the compiler.
  FuserStatus *run(const DLTensor *const *inputs, size_t numInputs);

  /// Unlocks the context, if it is locked, until `relock`.
  void unlock();
  void relock();

  /// How many variants there were before it added some.
  size_t getNumBefore() const { return numBefore; }
  size_t getOutputAlignment() const { return outputAlignment; }

private:
  FuserProgram &program;
  /// Of a call that is made by the callback of another one.
  Compilation *const outer;
  size_t numBefore, outputAlignment;
  /// While the lock is let go of.
  std::optional<SavedSettings> kept;
  std::condition_variable ended;
};

} // namespace fuser_rt

#endif // FUSER_RT_COMPILATION_H
