//===- ForkTest.cpp - Processes that are forked off -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace fuser_rt;
using namespace fuser_rt::test;

static bool isOk(FuserStatus *status) {
  Status owned(status);
  if (owned.code() != FUSER_OK)
    fprintf(stderr, "in the child: %s\n", owned.message().c_str());
  return owned.code() == FUSER_OK;
}

namespace {
/// Repeats something in a thread as long as it lives.
class Background {
public:
  explicit Background(std::function<void()> work)
      : thread([this, work = std::move(work)] {
          while (!stop) {
            work();
            ++turns;
          }
        }) {
    while (turns == 0)
      std::this_thread::yield();
  }
  ~Background() {
    stop = true;
    thread.join();
  }

private:
  std::atomic<bool> stop{false};
  std::atomic<int> turns{0};
  std::thread thread;
};

class ForkTest : public RuntimeTest {
protected:
  /// One call of addProgram; true if its result is right.
  bool callAdd(int64_t rows = 64) {
    FloatTensor x({rows, 8}, ElementType::F32), y({8}, ElementType::F32);
    if (!isOk(run({&x.tensor, &y.tensor}, {floatScalar(2)})))
      return false;
    auto *z = static_cast<float *>(outputs[0].tensor->dl_tensor.data);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < 8; ++j)
        if (z[i * 8 + j] != float(i * 8 + j + 2 * j))
          return false;
    return true;
  }

  /// A call of another program than what a thread of this process calls.
  bool callInChild(FuserProgram *other) {
    return holdsInChild([&] {
      // What that thread was using is not this one's to look at.
      new std::vector<FuserOutput>(std::move(outputs));
      outputs.assign(1, {nullptr, nullptr});
      program = other;
      return callAdd(2000);
    });
  }

  DLManagedTensorVersioned *create(int64_t size) {
    DLManagedTensorVersioned *tensor = nullptr;
    isOk(fuser_tensor_create(context, dlType(ElementType::F32), 1, &size,
                             nullptr, &tensor));
    return tensor;
  }
};
} // namespace

static size_t countThreads() {
  using Iterator = std::filesystem::directory_iterator;
  return size_t(std::distance(Iterator("/proc/self/task"), Iterator()));
}

TEST_F(ForkTest, AChildHasThreadsOfItsOwn) {
  load(addProgram());
  ASSERT_TRUE(callAdd());
  EXPECT_TRUE(holdsInChild([&] {
    if (countThreads() != 1 || !callAdd() || countThreads() != 3)
      return false;
    // And its children.
    return holdsInChild([&] { return callAdd() && countThreads() == 3; });
  }));
  EXPECT_TRUE(callAdd());
}

TEST_F(ForkTest, TheContextCanBeDestroyed) {
  load(addProgram());
  ASSERT_TRUE(callAdd());
  EXPECT_TRUE(holdsInChild([&] {
    TearDown();
    return countThreads() == 1;
  }));
}

TEST_F(ForkTest, WhileAnotherThreadCalls) {
  load(addProgram());
  FuserProgram *mine = std::exchange(program, nullptr);
  load(addProgram());
  {
    Background calls([&] { callAdd(20000); });
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(callInChild(mine));
  }
  fuser_program_destroy(mine);
}

TEST_F(ForkTest, WhileAnotherThreadAllocates) {
  // FUSER_SANITIZE: the sanitizer's allocator is in its symbols.
  if (dlsym(RTLD_DEFAULT, "__asan_init"))
    GTEST_SKIP() << "AddressSanitizer's own allocator does not survive a fork";
  DLManagedTensorVersioned *kept = create(1000);
  // Each another size class, so that the pool is changed all the time.
  int64_t size = 1;
  Background allocations([&] {
    DLManagedTensorVersioned *a = create(size), *b = create(3 * size);
    a->deleter(a);
    b->deleter(b);
    size = size < 100000 ? size * 2 : 1;
  });
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(holdsInChild([&] {
      // Memory of the parent comes back here.
      kept->deleter(kept);
      for (int64_t bytes = 1; bytes < 100000; bytes *= 3) {
        DLManagedTensorVersioned *tensor = create(bytes);
        memset(tensor->dl_tensor.data, 1, size_t(bytes));
        tensor->deleter(tensor);
      }
      return true;
    }));
  kept->deleter(kept);
}

TEST_F(ForkTest, WhileAnotherThreadHoldsTheLock) {
  std::atomic<bool> isHeld{false}, stop{false};
  std::thread holder([&] {
    fuser_context_lock(context);
    isHeld = true;
    while (!stop)
      std::this_thread::yield();
    fuser_context_unlock(context);
  });
  while (!isHeld)
    std::this_thread::yield();
  EXPECT_TRUE(holdsInChild([&] {
    fuser_context_lock(context);
    fuser_context_unlock(context);
    return true;
  }));
  stop = true;
  holder.join();
}

TEST_F(ForkTest, WhileAnotherThreadLoadsCode) {
  Program value = addProgram();
  value.variants[0].inputs[0].anyStrides = false;
  value.variants.push_back(value.variants[0]);
  value.variants[1].inputs[0].anyStrides = true;
  value.variants[1].object = readHostObject("slow");
  value.variants[1].kernels.clear();
  load(value);
  FuserProgram *mine = program;
  int ends[2], waits[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(pipe(waits), 0);
  std::string both = std::to_string(ends[0]) + " " + std::to_string(waits[1]);
  setenv("FUSER_TEST_SLOW", both.c_str(), 1);
  std::thread loading([&] {
    FloatTensor x({3, 8}, ElementType::F32), y({8}, ElementType::F32);
    x.strides = {1, 3};
    const DLTensor *inputs[] = {&x.tensor, &y.tensor};
    FuserScalar scalar = floatScalar(1);
    FuserOutput output{nullptr, nullptr};
    EXPECT_FAILS(fuser_program_run(mine, inputs, 2, &scalar, 1, &output, 1),
                 FUSER_UNIMPLEMENTED, "it did run");
  });
  char byte;
  ASSERT_EQ(read(waits[0], &byte, 1), 1);
  EXPECT_TRUE(holdsInChild([&] {
    FloatTensor x({3, 8}, ElementType::F32), y({8}, ElementType::F32);
    Status status = run({&x.tensor, &y.tensor}, {floatScalar(2)});
    if (status.code() != FUSER_BAD_PROGRAM ||
        status.message().find("program 'add': expected a process that was not "
                              "forked off while another thread loaded code of "
                              "the program") != 0)
      return false;
    // Destroys it, and loads another one.
    load(addProgram());
    return callAdd();
  }));
  close(ends[1]);
  loading.join();
  for (int end : {ends[0], waits[0], waits[1]})
    close(end);
}
