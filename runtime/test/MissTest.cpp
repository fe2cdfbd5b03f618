//===- MissTest.cpp - Threads go on while one compiles --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "TestUtil.h"

#include <atomic>
#include <chrono>
#include <future>
#include <sstream>
#include <thread>

using namespace fuser_rt;
using namespace fuser_rt::test;

template <typename Result>
static bool endsSoon(const std::future<Result> &future) {
  return future.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
}

namespace {
/// A call of the program of host_add.c, with tensors and an allocator of its
/// own.
struct AddCall {
  FloatTensor x{{3, 8}, ElementType::F32}, y{{8}, ElementType::F32};
  FuserOutput output{nullptr, nullptr};
  CountingAllocator allocator;
  std::promise<void> hasLock;

  /// With columns, which are of another class than rows.
  explicit AddCall(bool hasColumns) {
    if (hasColumns)
      x.strides = {1, 3};
  }
  ~AddCall() {
    if (output.tensor)
      output.tensor->deleter(output.tensor);
  }

  Status run(FuserContext *context, FuserProgram *program) {
    fuser_context_lock(context);
    FuserAllocator table = allocator.table();
    fuser_context_set_allocator(context, &table);
    hasLock.set_value();
    Status status = runWithoutLock(program);
    EXPECT_EQ(context->allocator.user, &allocator);
    fuser_context_set_allocator(context, nullptr);
    fuser_context_unlock(context);
    return status;
  }
  FuserStatus *runWithoutLock(FuserProgram *program) {
    const DLTensor *inputs[] = {&x.tensor, &y.tensor};
    FuserScalar scalar = intScalar(2);
    return fuser_program_run(program, inputs, 2, &scalar, 1, &output, 1);
  }
  std::future<Status> start(FuserContext *context, FuserProgram *program) {
    return std::async(std::launch::async,
                      [=] { return run(context, program); });
  }

  /// Whether the output has the program's numbers.
  bool isRight() const {
    if (!output.tensor)
      return false;
    auto *z = static_cast<const float *>(output.tensor->dl_tensor.data);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 8; ++j)
        if (z[i * 8 + j] != float(i * x.strides[0] + j * x.strides[1] + 2 * j))
          return false;
    return true;
  }
};

/// A program for rows, whose compiler makes code for columns, too.
class MissTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    Program value = addProgram();
    value.variants[0].inputs[0].anyStrides = false;
    load(value);
    value.variants[0].inputs[0].anyStrides = true;
    answer = serialize(value);
    fuser_program_set_compile_callback(program, compile, this);
  }

  static FuserStatus *compile(void *user, FuserProgram *program,
                              const DLTensor *const *, size_t) {
    auto *self = static_cast<MissTest *>(user);
    ++self->numCompilations;
    fuser_program_begin_compile(program);
    if (auto meanwhile = std::exchange(self->meanwhile, nullptr))
      meanwhile();
    // Then the rest may be forgotten.
    if (self->numFailures > 0) {
      --self->numFailures;
      return fuser_status_create(FUSER_UNIMPLEMENTED, "not today");
    }
    fuser_program_end_compile(program);
    return fuser_program_add_variants(program, self->answer.data(),
                                      self->answer.size());
  }

  /// Another thread makes `call`, which lacks a variant, too; this returns once
  /// it waits for the one that compiles.
  void startAndWait(AddCall &call, std::future<Status> &end) {
    end = call.start(context, program);
    ASSERT_TRUE(endsSoon(call.hasLock.get_future()));
    fuser_context_lock(context);
    fuser_context_unlock(context);
  }

  std::string answer;
  /// What happens while the next call compiles.
  std::function<void()> meanwhile;
  int numFailures = 0;
  std::atomic<int> numCompilations{0};
};
} // namespace

TEST_F(MissTest, CallsGoOn) {
  FuserProgram *first = std::exchange(program, nullptr);
  load(addProgram());
  AddCall columns(true), rows(false), others(true);
  std::future<Status> same, other;
  bool goOn = false;
  meanwhile = [&] {
    same = rows.start(context, first);
    other = others.start(context, program);
    goOn = endsSoon(same) && endsSoon(other);
  };
  EXPECT_OK(columns.run(context, first));
  EXPECT_TRUE(goOn);
  EXPECT_OK(same.get());
  EXPECT_OK(other.get());
  EXPECT_TRUE(columns.isRight());
  EXPECT_TRUE(rows.isRight());
  EXPECT_TRUE(others.isRight());
  // Each from its own, though others were set in the middle of the first call.
  for (const AddCall *each : {&columns, &rows, &others})
    EXPECT_EQ(each->allocator.live, 1);
  EXPECT_EQ(numCompilations, 1);
  EXPECT_EQ(fuser_program_num_variants(first), 2u);
  fuser_program_destroy(first);
}

TEST_F(MissTest, OneCompilesForTwo) {
  AddCall first(true), second(true);
  std::future<Status> end;
  meanwhile = [&] { startAndWait(second, end); };
  EXPECT_OK(first.run(context, program));
  EXPECT_OK(end.get());
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
  EXPECT_EQ(first.allocator.live, 1);
  EXPECT_EQ(second.allocator.live, 1);
  EXPECT_EQ(numCompilations, 1);
  EXPECT_EQ(fuser_program_num_variants(program), 2u);
}

TEST_F(MissTest, WhoWaitedForAFailureCompiles) {
  AddCall first(true), second(true), third(true);
  std::future<Status> end;
  meanwhile = [&] { startAndWait(second, end); };
  numFailures = 2;
  EXPECT_FAILS(first.run(context, program), FUSER_UNIMPLEMENTED, "not today");
  EXPECT_FAILS(end.get(), FUSER_UNIMPLEMENTED, "not today");
  EXPECT_EQ(numCompilations, 2);
  EXPECT_EQ(fuser_program_num_variants(program), 1u);
  EXPECT_OK(third.run(context, program));
  EXPECT_TRUE(third.isRight());
}

TEST_F(MissTest, OneCompilesForTwoSizes) {
  Program value = addProgram();
  value.variants[0].sizes = {{1, 1, -1, 1, -1, 0, 4, 64}};
  load(value);
  value.variants[0].sizes[0] = {1, 4, 16, 1, -1, 0, 4, 64};
  answer = serialize(value);
  fuser_program_set_compile_callback(program, compile, this);
  AddCall first(false), second(false), third(false);
  std::future<Status> end;
  meanwhile = [&] { startAndWait(second, end); };
  // What fits runs where the compiler fails: the first time, and not for the
  // one that waited.
  numFailures = 1;
  EXPECT_OK(first.run(context, program));
  EXPECT_OK(end.get());
  EXPECT_EQ(numCompilations, 2);
  EXPECT_EQ(fuser_program_num_variants(program), 2u);
  EXPECT_OK(third.run(context, program));
  EXPECT_EQ(numCompilations, 2);
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
  EXPECT_TRUE(third.isRight());
}

TEST_F(MissTest, WhatOthersAddStays) {
  AddCall first(true), second(true);
  meanwhile = [&] {
    fuser_context_lock(context);
    EXPECT_OK(
        fuser_program_add_variants(program, answer.data(), answer.size()));
    fuser_context_unlock(context);
    // The compiler makes what no one needs.
    Program value = addProgram();
    value.variants[0].inputs[0].anyStrides = false;
    answer = serialize(value);
  };
  EXPECT_FAILS(first.run(context, program), FUSER_NO_VARIANT,
               "(of the variant that the compiler made for this call)");
  EXPECT_EQ(fuser_program_num_variants(program), 2u);
  EXPECT_OK(second.run(context, program));
  EXPECT_TRUE(second.isRight());
  EXPECT_EQ(numCompilations, 1);
}

TEST_F(MissTest, WhatNoVariantTakes) {
  AddCall call(true);
  call.x.tensor.byte_offset = 1;
  Status status = call.run(context, program);
  EXPECT_EQ(status.code(), FUSER_INVALID_ARGUMENT);
  EXPECT_NE(status.message().find("aligned to 1"), std::string::npos);
  EXPECT_EQ(status.message().find("variant"), std::string::npos)
      << status.message();
  EXPECT_EQ(numCompilations, 1);
}

TEST_F(MissTest, WithoutTheLock) {
  AddCall alone(true), later(true);
  EXPECT_OK(alone.runWithoutLock(program));
  EXPECT_TRUE(alone.isRight());
  // It is as free as it was.
  EXPECT_OK(later.run(context, program));
  // Outside of a callback nothing is let go of.
  fuser_context_lock(context);
  fuser_program_begin_compile(program);
  EXPECT_TRUE(context->mutex.isHeld());
  fuser_program_end_compile(program);
  fuser_context_unlock(context);
  EXPECT_FALSE(context->mutex.isHeld());
}

TEST_F(MissTest, Suspended) {
  auto allocate = [](void *, const DLTensor *, DLManagedTensorVersioned **) {
    return fuser_status_create(FUSER_OUT_OF_MEMORY, "the caller's");
  };
  FuserOutputAllocator own{nullptr, allocate};
  AddCall meanwhile(false), mine(false);
  fuser_context_lock(context);
  fuser_context_set_output_allocator(context, &own);
  FuserSuspension *suspension = nullptr;
  ASSERT_OK(fuser_context_suspend(context, &suspension));
  std::future<Status> end = std::async(std::launch::async, [&] {
    fuser_context_lock(context);
    fuser_context_set_output_allocator(context, nullptr);
    fuser_context_unlock(context);
    return meanwhile.run(context, program);
  });
  EXPECT_OK(end.get());
  EXPECT_OK(fuser_context_resume(suspension));
  EXPECT_TRUE(context->mutex.isHeld());
  EXPECT_FAILS(mine.runWithoutLock(program), FUSER_OUT_OF_MEMORY,
               "the caller's");
  fuser_context_unlock(context);
  // Without the lock there is nothing to let go of.
  EXPECT_OK(fuser_context_suspend(context, &suspension));
  EXPECT_EQ(suspension, nullptr);
  EXPECT_OK(fuser_context_resume(suspension));
  EXPECT_FALSE(context->mutex.isHeld());
}

static std::string print(std::thread::id thread) {
  std::ostringstream os;
  os << thread;
  return os.str();
}

TEST_F(MissTest, SuspendedByAnotherThread) {
  fuser_context_lock(context);
  std::string own = print(std::this_thread::get_id());
  auto suspendElsewhere = [&] {
    FuserSuspension *suspension = nullptr;
    EXPECT_FAILS(fuser_context_suspend(context, &suspension),
                 FUSER_INVALID_ARGUMENT,
                 "held by this thread, " + print(std::this_thread::get_id()) +
                     ", or by none, got one that thread " + own + " holds");
    EXPECT_EQ(suspension, nullptr);
  };
  std::thread(suspendElsewhere).join();
  // The lock is where it was.
  EXPECT_TRUE(context->mutex.isHeld());
  FuserSuspension *suspension = nullptr;
  ASSERT_OK(fuser_context_suspend(context, &suspension));
  auto resumeElsewhere = [&] {
    EXPECT_FAILS(fuser_context_resume(suspension), FUSER_INVALID_ARGUMENT,
                 "that let go of the context's lock, " + own + ", got thread " +
                     print(std::this_thread::get_id()));
    EXPECT_FALSE(context->mutex.isHeld());
  };
  std::thread(resumeElsewhere).join();
  fuser_context_lock(context);
  EXPECT_FAILS(fuser_context_resume(suspension), FUSER_INVALID_ARGUMENT,
               "got thread " + own + ", which has taken it again");
  fuser_context_unlock(context);
  // What failed has left it as it was.
  EXPECT_OK(fuser_context_resume(suspension));
  EXPECT_TRUE(context->mutex.isHeld());
  fuser_context_unlock(context);
}

TEST_F(MissTest, SuspendedWithoutRoom) {
  FuserSuspension *suspension = nullptr;
  EXPECT_FAILS(fuser_context_suspend(nullptr, &suspension),
               FUSER_INVALID_ARGUMENT, "expected a context");
  EXPECT_FAILS(fuser_context_suspend(context, nullptr), FUSER_INVALID_ARGUMENT,
               "room for a suspension");
}

TEST_F(MissTest, AnotherTraceBegins) {
  ASSERT_OK(fuser_context_start_trace(context));
  AddCall call(true);
  // In the memory of the one that had the call.
  meanwhile = [&] {
    fuser_context_lock(context);
    EXPECT_OK(fuser_context_stop_trace(context));
    EXPECT_OK(fuser_context_start_trace(context));
    fuser_context_unlock(context);
  };
  EXPECT_OK(call.run(context, program));
  const Trace *trace = context->getTrace();
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->getEvents().size(), 2u);
  for (const Trace::Event &event : trace->getEvents()) {
    EXPECT_EQ(event.kind, Work::Launch);
    EXPECT_GE(event.begin, trace->getStart());
  }
}

TEST_F(MissTest, AChildDoesNotWait) {
  AddCall call(true), childs(true);
  meanwhile = [&] {
    std::future<bool> forked = std::async(std::launch::async, [&] {
      return holdsInChild([&] {
        Status status = childs.run(context, program);
        fuser_program_destroy(std::exchange(program, nullptr));
        return status.code() == FUSER_OK && childs.isRight();
      });
    });
    EXPECT_TRUE(forked.get());
  };
  EXPECT_OK(call.run(context, program));
  EXPECT_TRUE(call.isRight());
  EXPECT_EQ(numCompilations, 1);
}
