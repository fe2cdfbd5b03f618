//===- Compilation.cpp - A call asks the compiler for code ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Compilation.h"
#include <sstream>

using namespace fuser_rt;

struct FuserSuspension {
  explicit FuserSuspension(FuserContext &context)
      : context(context), thread(std::this_thread::get_id()), kept(context) {
    context.mutex.unlock();
  }
  ~FuserSuspension() { context.mutex.lock(); }

  FuserContext &context;
  std::thread::id thread;
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

static std::string print(std::thread::id thread) {
  std::ostringstream os;
  os << thread;
  return os.str();
}

FuserStatus *fuser_context_suspend(FuserContext *context,
                                   FuserSuspension **suspension) {
  if (!context || !suspension)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "fuser_context_suspend: expected a context and room for "
                     "a suspension, got null");
  *suspension = nullptr;
  std::thread::id own = std::this_thread::get_id(),
                  owner = context->mutex.getOwner();
  if (owner == own)
    *suspension = new FuserSuspension(*context);
  else if (owner != std::thread::id())
    return makeError(FUSER_INVALID_ARGUMENT,
                     "fuser_context_suspend: expected the context's lock to be "
                     "held by this thread, %s, or by none, got one that thread "
                     "%s holds",
                     print(own).c_str(), print(owner).c_str());
  return nullptr;
}

FuserStatus *fuser_context_resume(FuserSuspension *suspension) {
  if (!suspension)
    return nullptr;
  std::thread::id own = std::this_thread::get_id();
  if (suspension->thread != own)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "fuser_context_resume: expected the thread that let go of "
                     "the context's lock, %s, got thread %s",
                     print(suspension->thread).c_str(), print(own).c_str());
  if (suspension->context.mutex.isHeld())
    return makeError(FUSER_INVALID_ARGUMENT,
                     "fuser_context_resume: expected a thread that does not "
                     "hold the context's lock, got thread %s, which has taken "
                     "it again",
                     print(own).c_str());
  delete suspension;
  return nullptr;
}
