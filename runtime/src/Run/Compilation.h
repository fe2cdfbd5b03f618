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

/// Of a context whose lock is let go of in a call: what its caller had set, for
/// the rest of the call. Others set their own meanwhile.
class KeptSettings {
public:
  explicit KeptSettings(FuserContext &context)
      : context(context), stream(context.stream), allocator(context.allocator),
        outputAllocator(context.outputAllocator) {}
  ~KeptSettings() {
    context.stream = stream;
    context.allocator = allocator;
    context.outputAllocator = outputAllocator;
  }
  KeptSettings(const KeptSettings &) = delete;
  KeptSettings &operator=(const KeptSettings &) = delete;

private:
  FuserContext &context;
  void *stream;
  FuserAllocator allocator;
  FuserOutputAllocator outputAllocator;
};

/// As long as it lives, the compiler is asked for a variant of a program. It is
/// made and ends with the context's lock, if there are other threads; what it
/// does in between may let go of that. A program has one at a time: calls that
/// lack a variant wait for its end, and then look again.
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

  /// Lets go of the context's lock, if that is held, until `takeBack`.
  void letGo();
  void takeBack();

  /// How many variants there were before it added some.
  size_t getNumBefore() const { return numBefore; }
  size_t getOutputAlignment() const { return outputAlignment; }

private:
  FuserProgram &program;
  /// Of a call that is made by the callback of another one.
  Compilation *const outer;
  size_t numBefore, outputAlignment;
  /// While the lock is let go of.
  std::optional<KeptSettings> kept;
  std::condition_variable ended;
};

} // namespace fuser_rt

#endif // FUSER_RT_COMPILATION_H
