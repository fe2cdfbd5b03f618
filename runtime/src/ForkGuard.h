//===- ForkGuard.h - State in processes that are forked off ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that is forked off has the memory of its parent and one thread.
// What the other threads were changing stays half changed there, and what they
// had locked stays locked. So state that several threads share has a guard,
// which is asked before the state is used, and on the first use in such a
// process the state starts anew.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_FORKGUARD_H
#define FUSER_RT_FORKGUARD_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>

namespace fuser_rt {

/// How many times this process and those before it were forked off, since the
/// library was loaded.
extern std::atomic<uint64_t> forkCount;

class ForkGuard {
public:
  /// Whether the state is this process's own.
  bool isCurrent() const {
    return seen.load(std::memory_order_acquire) ==
           forkCount.load(std::memory_order_relaxed);
  }

  /// Calls `startAnew` unless the state is this process's own. Of several
  /// threads one does, and the others wait for it.
  template <typename Fn>
  void ensure(Fn startAnew) {
    uint64_t now = forkCount.load(std::memory_order_relaxed);
    uint64_t last = seen.load(std::memory_order_acquire);
    while (last != now) {
      // A process that was forked off in the middle of this starts it again.
      if (last == (now | busy))
        std::this_thread::yield();
      else if (seen.compare_exchange_weak(last, now | busy)) {
        startAnew();
        seen.store(now, std::memory_order_release);
        return;
      }
      last = seen.load(std::memory_order_acquire);
    }
  }

private:
  static constexpr uint64_t busy = uint64_t(1) << 63;
  std::atomic<uint64_t> seen{forkCount.load(std::memory_order_relaxed)};
};

/// A mutex that is free in a process that was forked off, whoever held it.
class ForkSafeMutex {
public:
  void lock() {
    if (__builtin_expect(!guard.isCurrent(), 0))
      guard.ensure([this] {
        new (&mutex) std::mutex;
        setOwner({});
      });
    mutex.lock();
    setOwner(std::this_thread::get_id());
  }
  void unlock() {
    setOwner({});
    mutex.unlock();
  }
  /// Lets go of it until `condition` may hold.
  void wait(std::condition_variable &condition) {
    setOwner({});
    std::unique_lock<std::mutex> lock(mutex, std::adopt_lock);
    condition.wait(lock);
    lock.release();
    setOwner(std::this_thread::get_id());
  }

  /// The thread that holds it; none (`{}`) if it is free.
  std::thread::id getOwner() const {
    return guard.isCurrent() ? owner.load(std::memory_order_relaxed)
                             : std::thread::id();
  }
  /// Whether this thread does.
  bool isHeld() const { return getOwner() == std::this_thread::get_id(); }

private:
  void setOwner(std::thread::id thread) {
    owner.store(thread, std::memory_order_relaxed);
  }

  ForkGuard guard;
  std::mutex mutex;
  std::atomic<std::thread::id> owner{};
};

} // namespace fuser_rt

#endif // FUSER_RT_FORKGUARD_H
