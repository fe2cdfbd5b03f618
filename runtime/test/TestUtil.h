//===- TestUtil.h - Programs and tensors for the tests --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_TEST_TESTUTIL_H
#define FUSER_RT_TEST_TESTUTIL_H

#include "Run/Checks.h"
#include "fuser_rt/Program.h"
#include "fuser_rt/fuser_rt.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace fuser_rt::test {

/// Frees a status when it goes.
class Status {
public:
  Status(FuserStatus *status) : status(status, fuser_status_destroy) {}
  FuserStatusCode code() const { return fuser_status_code(status.get()); }
  std::string message() const { return fuser_status_message(status.get()); }

private:
  std::shared_ptr<FuserStatus> status;
};

#define EXPECT_OK(call)                                                        \
  do {                                                                         \
    ::fuser_rt::test::Status status_(call);                                    \
    EXPECT_EQ(status_.code(), FUSER_OK) << status_.message();                  \
  } while (false)
#define ASSERT_OK(call)                                                        \
  do {                                                                         \
    ::fuser_rt::test::Status status_(call);                                    \
    ASSERT_EQ(status_.code(), FUSER_OK) << status_.message();                  \
  } while (false)

/// Expects a failure with this code, whose message holds `text`.
#define EXPECT_FAILS(call, code_, text)                                        \
  do {                                                                         \
    ::fuser_rt::test::Status status_(call);                                    \
    EXPECT_EQ(status_.code(), code_) << status_.message();                     \
    EXPECT_NE(status_.message().find(text), std::string::npos)                 \
        << "expected: " << (text) << "\n     got: " << status_.message();      \
  } while (false)

/// The bytes of host_<name>.c's shared object, which lies beside the test.
std::string readHostObject(const std::string &name);

TensorSpec tensorSpec(const std::string &name, ElementType element,
                      std::vector<Dim> dims);

/// What host_<name>.c says that it is.
Program addProgram();
Program aliasProgram();
Program faultsProgram();
Program streamsProgram();
Program raceProgram();
Program workspaceProgram();

/// A tensor over a vector of the test.
template <typename T>
struct HostTensor {
  std::vector<T> values;
  std::vector<int64_t> sizes, strides;
  DLTensor tensor{};

  HostTensor(std::vector<int64_t> shape, ElementType element, T first = T())
      : sizes(std::move(shape)) {
    size_t count = 1;
    for (int64_t size : sizes)
      count *= size_t(size);
    // Never null, so that wild pointers show rather than crash.
    values.resize(std::max<size_t>(count, 1));
    for (size_t i = 0; i < count; ++i)
      values[i] = T(first + T(i));
    strides.resize(sizes.size());
    rowMajorStrides(int32_t(sizes.size()), this->sizes.data(), strides.data());
    tensor = {values.data(),
              {kDLCPU, 0},
              int32_t(sizes.size()),
              dlType(element),
              this->sizes.data(),
              strides.data(),
              0};
  }
  HostTensor(const HostTensor &) = delete;
};
using FloatTensor = HostTensor<float>;

FuserScalar intScalar(int64_t value);
FuserScalar floatScalar(double value);

/// A context and a loaded program; tests of a CPU derive from it.
class RuntimeTest : public ::testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Loads it in place of the one before.
  void load(const Program &program);
  FuserStatus *run(const std::vector<const DLTensor *> &inputs,
                   const std::vector<FuserScalar> &scalars);
  /// Frees the outputs, but not what was preallocated.
  void freeOutputs();
  static std::vector<float> floats(const DLTensor &tensor);

  FuserContext *context = nullptr;
  FuserProgram *program = nullptr;
  std::vector<FuserOutput> outputs;
};

/// Runs `body` in a process that is forked off: true if it ends there with
/// true. A hang ends with an alarm.
bool holdsInChild(const std::function<bool()> &body);

/// An allocator that counts, for leaks and for running out.
struct CountingAllocator {
  int64_t live = 0, calls = 0;
  int64_t failAt = -1; ///< The call that gets nothing.
  size_t misalign = 0; ///< Added to every pointer.
  FuserAllocator table();
};

} // namespace fuser_rt::test

#endif // FUSER_RT_TEST_TESTUTIL_H
