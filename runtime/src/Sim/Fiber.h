//===- Fiber.h - Stacks that take turns on one thread ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber runs from `resume` to its next `suspend`. It may be dropped while it
// is suspended: nothing on its stack is unwound.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_FIBER_H
#define FUSER_RT_SIM_FIBER_H

#include <cstddef>

namespace fuser_rt {

class Fiber {
public:
  /// Will call `main(user)`, which never returns, at the first resume. Throws
  /// std::bad_alloc if there is no memory for a stack.
  Fiber(void (*main)(void *user), void *user);
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Called by who is no fiber.
  void resume();
  /// Called by the fiber: returns at the next resume.
  void suspend();
  /// It starts again at its beginning.
  void restart();
  /// Whether `address` is on its stack.
  bool holds(const void *address) const;

private:
  char *getPattern() const;

  void *stack;
  bool isGuarded;          ///< What overflows faults.
  void *context = nullptr; ///< Of the fiber, while it is suspended.
  void *caller = nullptr;  ///< Of who resumed it.
  void (*main)(void *user);
  void *user;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_FIBER_H
