//===- Compilation.cpp - A call asks the compiler for code ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Compilation.h"

using namespace fuser_rt;

struct FuserSuspension {
  explicit FuserSuspension(FuserContext &context)
      : context(context), kept(context) {
    context.mutex.unlock();
  }
  ~FuserSuspension() { context.mutex.lock(); }

  FuserContext &context;
  SavedSettings kept;
};

Compilation::Compilation(FuserProgram &program, size_t outputAlignment)
    : program(program), outer(find(program)),
      numBefore(program.variants.size()), outputAlignment(outputAlignment) {
  program.compilation = this;
  program.compilationForks = forkCount.load(std::memory_order_relaxed);
}

Compilation::~Compilation() {
  relock();
  program.compilation = outer;
  ended.notify_all();
}

Compilation *Compilation::find(const FuserProgram &program) {
  // In a child it is on the stack of a thread that is not there.
  bool isOurs =
      program.compilationForks == forkCount.load(std::memory_order_relaxed);
  return isOurs ? program.compilation : nullptr;
}

bool Compilation::await(FuserProgram &program) {
  Compilation *running = find(program);
  // One that holds the lock itself makes this call in its callback.
  if (!running || !running->kept)
    return false;
  SavedSettings kept(program.context);
  // It may be gone when this thread has the lock again.
  while (find(program) == running)
    program.context.mutex.wait(running->ended);
  return true;
}

FuserStatus *Compilation::run(const DLTensor *const *inputs, size_t numInputs) {
  FuserStatus *status =
      program.callback(program.callbackUser, &program, inputs, numInputs);
  relock();
  return status;
}

void Compilation::unlock() {
  if (kept || !program.context.mutex.isHeld())
    return;
  kept.emplace(program.context);
  program.context.mutex.unlock();
}

void Compilation::relock() {
  if (!kept)
    return;
  program.context.mutex.lock();
  kept.reset();
  numBefore = program.variants.size();
}

FuserSuspension *fuser_context_suspend(FuserContext *context) {
  return context->mutex.isHeld() ? new FuserSuspension(*context) : nullptr;
}

void fuser_context_resume(FuserSuspension *suspension) { delete suspension; }
