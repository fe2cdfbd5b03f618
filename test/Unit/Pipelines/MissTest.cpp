//===- MissTest.cpp - Threads go on while a call compiles -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser-c/Inspect.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <future>
#include <list>
#include <string>
#include <utility>

static const char *const kExp =
    "func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
    "  %0 = fusion.exp %x : tensor<?x8xf32>\n"
    "  return %0 : tensor<?x8xf32>\n"
    "}\n";

/// The message, empty on success.
static std::string take(FuserStatus *status) {
  std::string message = status ? fuser_status_message(status) : "";
  fuser_status_destroy(status);
  return message;
}

template <typename Result>
static bool endsSoon(const std::future<Result> &future) {
  return future.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
}

namespace {
/// A call with the context's lock, of rows or columns.
struct ExpCall {
  float data[24];
  int64_t sizes[2] = {3, 8}, strides[2] = {8, 1};
  FuserOutput output{nullptr, nullptr};
  std::promise<void> hasLock;

  explicit ExpCall(bool hasColumns) {
    for (int i = 0; i < 24; ++i)
      data[i] = float(i) / 8;
    if (hasColumns) {
      strides[0] = 1;
      strides[1] = 3;
    }
  }
  ~ExpCall() {
    if (output.tensor)
      output.tensor->deleter(output.tensor);
  }

  DLTensor getInput() {
    return {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, sizes, strides, 0};
  }
  std::string run(FuserContext *context, FuserExecutable *executable) {
    DLTensor x = getInput();
    const DLTensor *inputs[] = {&x};
    fuser_context_lock(context);
    hasLock.set_value();
    std::string message =
        take(fuser_program_run(fuser_executable_program(executable), inputs, 1,
                               nullptr, 0, &output, 1));
    fuser_context_unlock(context);
    return message;
  }
  std::future<std::string> start(FuserContext *context,
                                 FuserExecutable *executable) {
    return std::async(std::launch::async,
                      [=] { return run(context, executable); });
  }
  bool isRight() const {
    if (!output.tensor)
      return false;
    auto *y = static_cast<const float *>(output.tensor->dl_tensor.data);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 8; ++j) {
        float expected = std::exp(data[i * strides[0] + j * strides[1]]);
        if (std::fabs(y[i * 8 + j] - expected) > 1e-5f * expected)
          return false;
      }
    return true;
  }
};

class MissTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(take(fuser_context_create_cpu(2, &context)), "");
    FuserCompileOptions options;
    fuser_compile_options_init(&options);
    options.use_cache = 0;
    options.on_step = onStep;
    options.step_user = this;
    ASSERT_EQ(take(fuser_executable_create(context, kExp, strlen(kExp),
                                           &options, &executable)),
              "");
    numCompilations = 0;
  }
  void TearDown() override {
    fuser_executable_destroy(executable);
    fuser_context_destroy(context);
  }
  static void onStep(void *user, const char *step) {
    auto *self = static_cast<MissTest *>(user);
    self->numCompilations += !step;
    if (auto meanwhile = std::exchange(self->meanwhile, nullptr))
      meanwhile();
  }
  size_t countVariants() const {
    return fuser_program_num_variants(fuser_executable_program(executable));
  }

  FuserContext *context = nullptr;
  FuserExecutable *executable = nullptr;
  /// What happens at the first step of the next compilation.
  std::function<void()> meanwhile;
  std::atomic<int> numCompilations{0};
};
} // namespace

TEST_F(MissTest, CallsGoOn) {
  ExpCall rows(false), columns(true);
  std::future<std::string> end;
  bool goesOn = false;
  meanwhile = [&] {
    end = rows.start(context, executable);
    goesOn = endsSoon(end);
  };
  EXPECT_EQ(columns.run(context, executable), "");
  EXPECT_TRUE(goesOn);
  EXPECT_EQ(end.get(), "");
  EXPECT_TRUE(rows.isRight());
  EXPECT_TRUE(columns.isRight());
  EXPECT_EQ(countVariants(), 2u);
}

TEST_F(MissTest, OneCompilesForTwo) {
  ExpCall first(true), second(true);
  std::future<std::string> end;
  meanwhile = [&] {
    end = second.start(context, executable);
    ASSERT_TRUE(endsSoon(second.hasLock.get_future()));
    // Free once it waits.
    fuser_context_lock(context);
    fuser_context_unlock(context);
  };
  EXPECT_EQ(first.run(context, executable), "");
  EXPECT_EQ(end.get(), "");
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isRight());
  EXPECT_EQ(numCompilations, 1);
  EXPECT_EQ(countVariants(), 2u);
}

// One that shares the compiler's memory is destroyed while another compiles,
// without waiting for that.
TEST_F(MissTest, DestructionTakesNoTurn) {
  ExpCall columns(true), again(true);
  FuserExecutable *other = nullptr;
  DLTensor x = columns.getInput();
  const DLTensor *inputs[] = {&x};
  ASSERT_EQ(
      take(fuser_executable_specialize(executable, context, inputs, 1, &other)),
      "");
  bool hasEnded = false;
  meanwhile = [&] {
    auto end = std::async(std::launch::async,
                          [&] { fuser_executable_destroy(other); });
    hasEnded = endsSoon(end);
  };
  EXPECT_EQ(columns.run(context, executable), "");
  EXPECT_TRUE(hasEnded);
  EXPECT_TRUE(columns.isRight());
  FuserBytes *ir = nullptr;
  EXPECT_EQ(take(fuser_executable_print(executable, "host", &ir)), "");
  fuser_bytes_destroy(ir);
  EXPECT_EQ(again.run(context, executable), "");
}

TEST_F(MissTest, CallsGoOnWhileItIsSpecialized) {
  ExpCall rows(false), columns(true);
  FuserExecutable *other = nullptr;
  DLTensor x = columns.getInput();
  const DLTensor *inputs[] = {&x};
  std::future<std::string> end;
  bool goesOn = false;
  meanwhile = [&] {
    end = rows.start(context, executable);
    goesOn = endsSoon(end);
  };
  ASSERT_EQ(
      take(fuser_executable_specialize(executable, context, inputs, 1, &other)),
      "");
  EXPECT_TRUE(goesOn);
  EXPECT_EQ(end.get(), "");
  EXPECT_TRUE(rows.isRight());
  EXPECT_EQ(columns.run(context, other), "");
  fuser_executable_destroy(other);
}

// It is called with the lock, and lets go of it whatever it compiles.
TEST_F(MissTest, CallsGoOnWhileItIsReported) {
  ExpCall columns(true);
  std::list<ExpCall> rows;
  std::list<std::future<std::string>> ends;
  DLTensor x = columns.getInput();
  const DLTensor *inputs[] = {&x};
  FuserOutput output{nullptr, nullptr};
  FuserCall call{inputs, 1, nullptr, 0, &output, 1};
  FuserBytes *json = nullptr;
  bool goesOn = false;
  std::function<void()> callRows = [&] {
    ends.push_back(rows.emplace_back(false).start(context, executable));
    goesOn = endsSoon(ends.back());
    if (goesOn)
      meanwhile = callRows;
  };
  meanwhile = callRows;
  fuser_context_lock(context);
  std::string message =
      take(fuser_executable_report(executable, context, &call, &json));
  meanwhile = nullptr;
  fuser_context_unlock(context);
  EXPECT_EQ(message, "");
  fuser_bytes_destroy(json);
  EXPECT_TRUE(goesOn);
  for (std::future<std::string> &end : ends)
    EXPECT_EQ(end.get(), "");
  for (const ExpCall &call : rows)
    EXPECT_TRUE(call.isRight());
}

TEST_F(MissTest, TextsTakeTurns) {
  ExpCall rows(false), columns(true);
  std::future<std::string> text, end;
  bool goesOn = false;
  meanwhile = [&] {
    text = std::async(std::launch::async, [&] {
      FuserBytes *ir = nullptr;
      std::string message =
          take(fuser_executable_print(executable, "host", &ir));
      if (ir)
        message.append(static_cast<const char *>(fuser_bytes_data(ir)),
                       fuser_bytes_size(ir));
      fuser_bytes_destroy(ir);
      return message;
    });
    // Whoever asks for a text makes no one wait.
    end = rows.start(context, executable);
    goesOn = endsSoon(end);
  };
  EXPECT_EQ(columns.run(context, executable), "");
  EXPECT_TRUE(goesOn);
  EXPECT_EQ(end.get(), "");
  EXPECT_NE(text.get().find("host.launch"), std::string::npos);
  EXPECT_TRUE(columns.isRight());
}
