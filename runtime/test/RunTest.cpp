//===- RunTest.cpp - Calls of programs ----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs/host_faults.h"
#include "TestUtil.h"
#include "fuser_rt/host_abi.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace fuser_rt;
using namespace fuser_rt::test;

namespace {
class AddTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    load(addProgram());
  }

  /// Expects z[i, j] = x[i, j] + 3 * y[j].
  static void expectSum(const DLTensor &z, const FloatTensor &x,
                        const FloatTensor &y) {
    auto *values =
        reinterpret_cast<float *>(static_cast<char *>(z.data) + z.byte_offset);
    int64_t m = x.sizes[0], n = x.sizes[1];
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(values[i * n + j], x.values[size_t(i * x.tensor.strides[0] +
                                                     j * x.tensor.strides[1])] +
                                         3 * y.values[size_t(j)])
            << i << ", " << j;
  }
};
} // namespace

TEST_F(AddTest, DynamicSizes) {
  for (int64_t m : {0, 1, 2, 7, 1000})
    for (int64_t n : {0, 1, 5, 64}) {
      FloatTensor x({m, n}, ElementType::F32), y({n}, ElementType::F32, 10);
      ASSERT_OK(run({&x.tensor, &y.tensor}, {floatScalar(3)}));
      const DLManagedTensorVersioned &z = *outputs[0].tensor;
      EXPECT_EQ(z.version.major, 1u);
      EXPECT_EQ(z.flags, 0u);
      EXPECT_EQ(z.dl_tensor.ndim, 2);
      EXPECT_EQ(z.dl_tensor.shape[0], m);
      EXPECT_EQ(z.dl_tensor.shape[1], n);
      EXPECT_EQ(z.dl_tensor.strides[0], n);
      EXPECT_EQ(z.dl_tensor.strides[1], 1);
      EXPECT_EQ(z.dl_tensor.device.device_type, kDLCPU);
      EXPECT_EQ(z.dl_tensor.dtype.code, kDLFloat);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(z.dl_tensor.data) % 256, 0u);
      expectSum(z.dl_tensor, x, y);
    }
}

TEST_F(AddTest, Preallocated) {
  FloatTensor x({6, 5}, ElementType::F32), y({5}, ElementType::F32, 7);
  FloatTensor z({6, 5}, ElementType::F32);
  outputs[0].preallocated = &z.tensor;
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  EXPECT_EQ(outputs[0].tensor, nullptr);
  expectSum(z.tensor, x, y);
  // Null strides are row major; a byte offset counts.
  FloatTensor more({31}, ElementType::F32);
  DLTensor part = z.tensor;
  part.strides = nullptr;
  part.data = more.values.data();
  part.byte_offset = 4;
  outputs[0].preallocated = &part;
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  expectSum(part, x, y);
  EXPECT_EQ(more.values[0], 0);
}

TEST_F(AddTest, AnyStrides) {
  FloatTensor x({5, 6}, ElementType::F32), y({3}, ElementType::F32);
  // The transpose of every other column.
  int64_t sizes[] = {5, 3}, strides[] = {6, 2};
  x.tensor.shape = sizes;
  x.tensor.strides = strides;
  x.sizes = {5, 3};
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  expectSum(outputs[0].tensor->dl_tensor, x, y);
  // One row, read for every row.
  int64_t broadcast[] = {0, 1};
  x.tensor.strides = broadcast;
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  expectSum(outputs[0].tensor->dl_tensor, x, y);
  // Null strides.
  x.tensor.strides = nullptr;
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  int64_t dense[] = {3, 1};
  x.tensor.strides = dense;
  expectSum(outputs[0].tensor->dl_tensor, x, y);
}

TEST_F(AddTest, InputsMayOverlap) {
  FloatTensor x({4, 5}, ElementType::F32), y({5}, ElementType::F32);
  DLTensor row = y.tensor;
  row.data = x.values.data();
  ASSERT_OK(run({&x.tensor, &row}, {intScalar(3)}));
  expectSum(outputs[0].tensor->dl_tensor, x, y);
}

TEST_F(AddTest, OutputsOutliveProgramAndContext) {
  FloatTensor x({4, 5}, ElementType::F32), y({5}, ElementType::F32);
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  DLManagedTensorVersioned *z = outputs[0].tensor;
  outputs[0].tensor = nullptr;
  fuser_program_destroy(program);
  fuser_context_destroy(context);
  program = nullptr;
  context = nullptr;
  expectSum(z->dl_tensor, x, y);
  z->deleter(z);
}

TEST_F(AddTest, CallersAllocator) {
  FloatTensor x({4, 5}, ElementType::F32), y({5}, ElementType::F32);
  for (size_t misalign : {0, 64}) {
    CountingAllocator counting;
    counting.misalign = misalign;
    FuserAllocator table = counting.table();
    fuser_context_set_allocator(context, &table);
    ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
    EXPECT_EQ(counting.live, 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(outputs[0].tensor->dl_tensor.data) %
                  256,
              0u);
    expectSum(outputs[0].tensor->dl_tensor, x, y);
    // It goes back to where it came from, whatever is set by then.
    fuser_context_set_allocator(context, nullptr);
    freeOutputs();
    EXPECT_EQ(counting.live, 0);
  }
}

namespace {
/// Makes the tensors of outputs, and counts them.
struct OutputMaker {
  int live = 0;
  bool isColumnMajor = false, fails = false;
  size_t offset = 0;

  struct Made {
    DLManagedTensorVersioned tensor{};
    OutputMaker *maker;
    std::vector<int64_t> sizes, strides;
    std::vector<float> values;
  };

  FuserOutputAllocator table() { return {this, alloc}; }
  static FuserStatus *alloc(void *user, const DLTensor *prototype,
                            DLManagedTensorVersioned **tensor) {
    auto *self = static_cast<OutputMaker *>(user);
    if (self->fails)
      return fuser_status_create(FUSER_OUT_OF_MEMORY, "none left");
    auto *made = new Made{};
    made->maker = self;
    made->sizes.assign(prototype->shape, prototype->shape + prototype->ndim);
    made->strides = {made->sizes[1], 1};
    if (self->isColumnMajor)
      made->strides = {1, made->sizes[0]};
    made->values.resize(size_t(made->sizes[0] * made->sizes[1]) + 8);
    made->tensor.dl_tensor = *prototype;
    made->tensor.dl_tensor.shape = made->sizes.data();
    made->tensor.dl_tensor.strides = made->strides.data();
    auto address = reinterpret_cast<uintptr_t>(made->values.data());
    made->tensor.dl_tensor.data = reinterpret_cast<void *>(
        ((address + 15) & ~uintptr_t(15)) + self->offset);
    made->tensor.manager_ctx = made;
    made->tensor.deleter = [](DLManagedTensorVersioned *tensor) {
      auto *made = static_cast<Made *>(tensor->manager_ctx);
      --made->maker->live;
      delete made;
    };
    ++self->live;
    *tensor = &made->tensor;
    return nullptr;
  }
};
} // namespace

TEST_F(AddTest, CallersOutputs) {
  FloatTensor x({4, 5}, ElementType::F32), y({5}, ElementType::F32);
  OutputMaker maker;
  FuserOutputAllocator table = maker.table();
  fuser_context_set_output_allocator(context, &table);
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  EXPECT_EQ(maker.live, 1);
  expectSum(outputs[0].tensor->dl_tensor, x, y);
  freeOutputs();
  EXPECT_EQ(maker.live, 0);
  // Tensors that are not what was asked for go back at once.
  maker.offset = 4;
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  EXPECT_EQ(maker.live, 0);
  expectSum(outputs[0].tensor->dl_tensor, x, y);
  maker.offset = 0;
  maker.isColumnMajor = true;
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  EXPECT_EQ(maker.live, 0);
  expectSum(outputs[0].tensor->dl_tensor, x, y);
  maker.fails = true;
  EXPECT_FAILS(run({&x.tensor, &y.tensor}, {intScalar(3)}), FUSER_OUT_OF_MEMORY,
               "output 0 'z': none left");
  EXPECT_EQ(outputs[0].tensor, nullptr);
  // It is not asked where the caller gives the output.
  FloatTensor z({4, 5}, ElementType::F32);
  outputs[0].preallocated = &z.tensor;
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  expectSum(z.tensor, x, y);
  outputs[0].preallocated = nullptr;
  fuser_context_set_output_allocator(context, nullptr);
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
}

TEST_F(AddTest, OutOfMemory) {
  FloatTensor x({4, 5}, ElementType::F32), y({5}, ElementType::F32);
  for (int64_t failAt : {0, 1}) {
    CountingAllocator counting;
    counting.failAt = failAt;
    FuserAllocator table = counting.table();
    fuser_context_set_allocator(context, &table);
    EXPECT_FAILS(run({&x.tensor, &y.tensor}, {intScalar(3)}),
                 FUSER_OUT_OF_MEMORY,
                 failAt == 0 ? "output 0 'z': out of memory: the caller's "
                               "allocator was asked for "
                               "80 bytes and gave none"
                             : "was asked for 20 bytes and gave none");
    EXPECT_EQ(outputs[0].tensor, nullptr);
    EXPECT_EQ(counting.live, 0);
  }
  fuser_context_set_allocator(context, nullptr);
  ASSERT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
}

TEST_F(AddTest, Counts) {
  FloatTensor x({4, 5}, ElementType::F32), y({5}, ElementType::F32);
  EXPECT_FAILS(run({&x.tensor}, {intScalar(3)}), FUSER_INVALID_ARGUMENT,
               "program 'add': expected 2 input tensors ('x', 'y'), got 1");
  EXPECT_FAILS(run({&x.tensor, &y.tensor}, {}), FUSER_INVALID_ARGUMENT,
               "program 'add': expected 1 scalar input ('s'), got 0");
  outputs.push_back({nullptr, nullptr});
  EXPECT_FAILS(run({&x.tensor, &y.tensor}, {intScalar(3)}),
               FUSER_INVALID_ARGUMENT,
               "program 'add': expected 1 output ('z'), got 2");
  EXPECT_FAILS(fuser_program_run(program, nullptr, 2, nullptr, 1, nullptr, 1),
               FUSER_INVALID_ARGUMENT,
               "expected 2 input tensors ('x', 'y'), got a null list of 2");
}

TEST_F(AddTest, Description) {
  EXPECT_STREQ(fuser_program_name(program), "add");
  EXPECT_EQ(fuser_program_num_variants(program), 1u);
  EXPECT_EQ(fuser_program_num_inputs(program), 2u);
  EXPECT_EQ(fuser_program_num_scalars(program), 1u);
  EXPECT_EQ(fuser_program_num_outputs(program), 1u);
  EXPECT_STREQ(fuser_program_input_type(program, 0), "tensor<?x?xf32>");
  EXPECT_STREQ(fuser_program_output_type(program, 0), "tensor<?x?xf32>");
  EXPECT_STREQ(fuser_program_input_type(program, 2), "");
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

namespace {
class AliasTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    load(aliasProgram());
  }
};
} // namespace

TEST_F(AliasTest, InPlaceViewAndOwned) {
  FloatTensor x({5}, ElementType::F32), y({5}, ElementType::F32, 10);
  ASSERT_OK(run({&x.tensor, &y.tensor}, {}));
  EXPECT_EQ(outputs[0].tensor->dl_tensor.data, x.values.data());
  EXPECT_EQ(x.values, (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(outputs[1].tensor->dl_tensor.data, y.values.data() + 1);
  EXPECT_EQ(floats(outputs[1].tensor->dl_tensor), (std::vector<float>{11, 13}));
  EXPECT_EQ(floats(outputs[2].tensor->dl_tensor),
            (std::vector<float>{20, 22, 24, 26, 28}));
}

TEST_F(AliasTest, NothingLeaks) {
  FloatTensor x({5}, ElementType::F32), y({5}, ElementType::F32);
  CountingAllocator counting;
  FuserAllocator table = counting.table();
  fuser_context_set_allocator(context, &table);
  ASSERT_OK(run({&x.tensor, &y.tensor}, {}));
  EXPECT_EQ(counting.live, 1);
  freeOutputs();
  EXPECT_EQ(counting.live, 0);
  fuser_context_set_allocator(context, nullptr);
}

TEST_F(AliasTest, Empty) {
  FloatTensor x({0}, ElementType::F32), y({0}, ElementType::F32);
  ASSERT_OK(run({&x.tensor, &y.tensor}, {}));
  EXPECT_EQ(outputs[1].tensor->dl_tensor.shape[0], 0);
}

TEST_F(AliasTest, Preallocated) {
  FloatTensor x({4}, ElementType::F32), y({4}, ElementType::F32),
      z({4}, ElementType::F32);
  // The input's own memory is what the program returns.
  outputs[0].preallocated = &x.tensor;
  ASSERT_OK(run({&x.tensor, &y.tensor}, {}));
  EXPECT_EQ(outputs[0].tensor, nullptr);
  EXPECT_EQ(x.values[0], 1);
  outputs[0].preallocated = &z.tensor;
  EXPECT_FAILS(run({&x.tensor, &y.tensor}, {}), FUSER_INVALID_ARGUMENT,
               "output 0 'incremented': expected no tensor, or one over the "
               "memory of input 0");
  EXPECT_EQ(x.values[0], 1);
  outputs[0].preallocated = nullptr;
  outputs[2].preallocated = &z.tensor;
  EXPECT_FAILS(run({&x.tensor, &y.tensor}, {}), FUSER_INVALID_ARGUMENT,
               "output 2 'twice': expected no tensor because the program "
               "returns a view of its own "
               "memory");
}

TEST_F(AliasTest, WrittenInputsMustBeApart) {
  FloatTensor x({4}, ElementType::F32), y({4}, ElementType::F32);
  EXPECT_FAILS(run({&x.tensor, &x.tensor}, {}), FUSER_INVALID_ARGUMENT,
               "input 1 'y': expected memory apart from input 0 'x' because "
               "the program writes "
               "that, got memory that overlaps it");
  EXPECT_EQ(x.values[0], 0);
  int64_t strides[] = {0};
  x.tensor.strides = strides;
  EXPECT_FAILS(run({&x.tensor, &y.tensor}, {}), FUSER_INVALID_ARGUMENT,
               "input 0 'x': expected elements apart from each other because "
               "the program writes them, got sizes [4] and strides [0]");
  EXPECT_EQ(x.values[0], 0);
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

namespace {
class WorkspaceTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    table = counting.table();
    fuser_context_set_allocator(context, &table);
    load(workspaceProgram());
  }
  void TearDown() override {
    // Workspaces go with the program.
    freeOutputs();
    fuser_program_destroy(program);
    program = nullptr;
    EXPECT_EQ(counting.live, 0);
    fuser_context_set_allocator(context, nullptr);
    RuntimeTest::TearDown();
  }

  /// The address and what was there.
  std::pair<int64_t, int64_t> ask(int64_t bytes, bool zeroed) {
    EXPECT_EQ(run({}, {intScalar(bytes), intScalar(zeroed)}), nullptr);
    const auto *found =
        static_cast<const int64_t *>(outputs[0].tensor->dl_tensor.data);
    return {found[0], found[1]};
  }

  CountingAllocator counting;
  FuserAllocator table;
};
} // namespace

TEST_F(WorkspaceTest, StaysAndGrows) {
  auto [first, zero] = ask(8, true);
  EXPECT_NE(first, 0);
  EXPECT_EQ(first % 256, 0);
  EXPECT_EQ(zero, 0);
  int64_t calls = counting.calls;
  EXPECT_EQ(ask(8, true), std::make_pair(first, int64_t(1)));
  EXPECT_EQ(ask(8, true), std::make_pair(first, int64_t(2)));
  // The outputs alone.
  EXPECT_EQ(counting.calls, calls + 2);

  auto [larger, again] = ask(1 << 20, true);
  EXPECT_EQ(again, 0);
  EXPECT_EQ(ask(8, true), std::make_pair(larger, int64_t(1)));
}

TEST_F(WorkspaceTest, ZeroedOnesAreApart) {
  int64_t zeroed = ask(8, true).first, other = ask(8, false).first;
  EXPECT_NE(zeroed, other);
  EXPECT_EQ(ask(8, true), std::make_pair(zeroed, int64_t(1)));
  EXPECT_EQ(ask(8, false).first, other);
}

TEST_F(WorkspaceTest, OfNoBytes) {
  EXPECT_EQ(ask(0, false), std::make_pair(int64_t(0), int64_t(-1)));
}

TEST_F(WorkspaceTest, Refused) {
  EXPECT_FAILS(run({}, {intScalar(-8), intScalar(0)}), FUSER_INTERNAL,
               "expected 0 or more bytes for a workspace");
  counting.failAt = counting.calls + 1;
  EXPECT_FAILS(run({}, {intScalar(8), intScalar(0)}), FUSER_OUT_OF_MEMORY, "");
  counting.failAt = -1;
  EXPECT_NE(ask(8, false).first, 0);
}

//===----------------------------------------------------------------------===//
// Faults of host programs
//===----------------------------------------------------------------------===//

namespace {
class FaultsTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    load(faultsProgram());
    table = counting.table();
    fuser_context_set_allocator(context, &table);
  }
  void TearDown() override {
    freeOutputs();
    EXPECT_EQ(counting.live, 0);
    fuser_context_set_allocator(context, nullptr);
    RuntimeTest::TearDown();
  }

  FuserStatus *tell(int64_t mode, int64_t amount = 0) {
    FuserStatus *status =
        run({&x.tensor}, {intScalar(mode), intScalar(amount)});
    if (status) {
      EXPECT_EQ(outputs[0].tensor, nullptr);
      EXPECT_EQ(outputs[1].tensor, nullptr);
      EXPECT_EQ(counting.live, 0);
    }
    return status;
  }

  CountingAllocator counting;
  FuserAllocator table{};
  FloatTensor x{{3}, ElementType::F32};
};
} // namespace

TEST_F(FaultsTest, WhatIsLeftIsFreed) {
  ASSERT_OK(tell(FaultNone));
  EXPECT_EQ(counting.live, 2);
  EXPECT_GT(counting.calls, 40);
}

TEST_F(FaultsTest, Messages) {
  EXPECT_FAILS(tell(FaultMessage, 8), FUSER_INVALID_ARGUMENT,
               "size 3 is not 8, 3 {2} {x} {1} {8 {");
  EXPECT_FAILS(tell(FaultSilent), FUSER_INTERNAL,
               "the host program returned 5 and no message");
  EXPECT_FAILS(tell(FaultHidden), FUSER_INTERNAL,
               "expected to free memory that this call has");
}

TEST_F(FaultsTest, Outputs) {
  EXPECT_FAILS(tell(FaultMissingOutput), FUSER_INTERNAL,
               "ended without output 0 'a'");
  EXPECT_FAILS(tell(FaultOutputTwice, 3), FUSER_INTERNAL,
               "output 1 'b' is produced twice");
  EXPECT_FAILS(tell(FaultNoSuchOutput, 3), FUSER_INTERNAL,
               "expected one of 2 outputs, got output 2");
  EXPECT_FAILS(tell(FaultViewOfNoInput, 1), FUSER_INTERNAL,
               "output 0 'a' is a view of input 1, and there are 1 inputs");
}

TEST_F(FaultsTest, Misuse) {
  EXPECT_FAILS(tell(FaultFreesForeign), FUSER_INTERNAL,
               "expected to free memory");
  EXPECT_FAILS(tell(FaultFreesTwice), FUSER_INTERNAL,
               "expected to free memory");
  EXPECT_FAILS(tell(FaultNoSuchKernel), FUSER_INTERNAL,
               "expected one of 0 kernels, got kernel 7");
  EXPECT_FAILS(tell(FaultNoSuchStream, -1), FUSER_INVALID_ARGUMENT,
               "expected a stream of 0 or more, as streams are numbered from "
               "the caller's on, got -1");
  EXPECT_FAILS(tell(FaultForeignStream), FUSER_INVALID_ARGUMENT,
               "expected a stream of this CPU");
  EXPECT_FAILS(tell(FaultNegativeAlloc), FUSER_INTERNAL,
               "expected 0 or more bytes");
  EXPECT_FAILS(tell(FaultNegativeCopy), FUSER_INTERNAL,
               "expected 0 or more bytes to copy, got -1");
}

TEST_F(FaultsTest, OutOfMemoryEverywhere) {
  ASSERT_OK(tell(FaultNone));
  int64_t calls = counting.calls;
  for (int64_t i = 0; i < calls; ++i) {
    counting.calls = 0;
    freeOutputs();
    counting.failAt = i;
    EXPECT_FAILS(tell(FaultNone), FUSER_OUT_OF_MEMORY, "and gave none");
  }
  counting.failAt = -1;
}

TEST_F(FaultsTest, TooLargeForThePool) {
  fuser_context_set_allocator(context, nullptr);
  EXPECT_FAILS(tell(FaultAlloc, int64_t(1) << 50), FUSER_OUT_OF_MEMORY,
               "out of memory on the CPU: asked for 1125899906842624 bytes, ");
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {
class LoadTest : public RuntimeTest {
protected:
  FuserStatus *tryLoad(const Program &value) {
    std::string bytes = serialize(value);
    FuserStatus *status =
        fuser_program_load(context, bytes.data(), bytes.size(), &program);
    EXPECT_EQ(program == nullptr, status != nullptr);
    return status;
  }
};
} // namespace

TEST_F(LoadTest, FromAFile) {
  char path[] = "/tmp/fuser-rt-test-XXXXXX";
  int file = mkstemp(path);
  ASSERT_GE(file, 0);
  close(file);
  std::string bytes = serialize(addProgram());
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_OK(fuser_program_load_file(context, path, &program));
  fuser_program_destroy(program);
  std::ofstream(path, std::ios::binary) << bytes.substr(0, 1000);
  EXPECT_FAILS(fuser_program_load_file(context, path, &program),
               FUSER_BAD_PROGRAM,
               std::string(path) +
                   ": damaged program: byte 16: expected the payload's size");
  unlink(path);
  EXPECT_FAILS(fuser_program_load_file(context, path, &program),
               FUSER_INVALID_ARGUMENT, "No such file");
  EXPECT_FAILS(fuser_program_load_file(context, "/", &program),
               FUSER_INVALID_ARGUMENT, "Is a directory");
}

TEST_F(LoadTest, BadObjects) {
  Program program = addProgram();
  std::string object = program.variants[0].object;
  for (size_t size : {size_t(0), size_t(10), size_t(64), object.size() / 4}) {
    program.variants[0].object = object.substr(0, size);
    EXPECT_FAILS(tryLoad(program), FUSER_BAD_PROGRAM,
                 "whole ELF shared object");
  }
  program = addProgram();
  program.variants[0].kernels[1].name = "absent";
  EXPECT_FAILS(tryLoad(program), FUSER_BAD_PROGRAM,
               "to define the kernel 'absent'");
  // The entry has another name in the object's table of symbols.
  program = addProgram();
  object = program.variants[0].object;
  size_t count = 0;
  for (size_t at = 0;
       (at = object.find(FUSER_HOST_ENTRY_NAME, at)) != std::string::npos;
       ++count)
    object[at] = 'x';
  ASSERT_GT(count, 0u);
  program.variants[0].object = object;
  EXPECT_FAILS(tryLoad(program), FUSER_BAD_PROGRAM,
               "expected the program's object to define 'fuser_host_entry', "
               "got no such symbol");
}

// format_r3
TEST_F(LoadTest, WhatIsRefusedIsNotOpened) {
  const char *mark = "FUSER_TEST_HOST_ADD";
  unsetenv(mark);
  std::string bytes = serialize(addProgram());
  bytes.back() ^= 1;
  EXPECT_FAILS(
      fuser_program_load(context, bytes.data(), bytes.size(), &program),
      FUSER_BAD_PROGRAM, "the checksum");
  Program value = addProgram();
  value.variants.push_back(value.variants[0]);
  value.variants[1].scalars.clear();
  EXPECT_FAILS(tryLoad(value), FUSER_BAD_PROGRAM, "expected a variant with");
  value = addProgram();
  value.variants[0].features = {"avx1024"};
  EXPECT_FAILS(tryLoad(value), FUSER_NO_VARIANT, "avx1024");
  EXPECT_EQ(getenv(mark), nullptr);
  EXPECT_OK(tryLoad(addProgram()));
  EXPECT_STREQ(getenv(mark), "opened");
}

// format_r4
TEST_F(LoadTest, VariantsAreCalledAlike) {
  Program value = addProgram();
  value.variants.push_back(value.variants[0]);
  value.variants[1].outputs.clear();
  EXPECT_FAILS(tryLoad(value), FUSER_BAD_PROGRAM,
               "expected a variant with 2 tensors, 1 scalars and 1 outputs, as "
               "the first of program 'add' has, got 2, 1 and 0");
  value = aliasProgram();
  value.variants.push_back(value.variants[0]);
  value.variants[1].outputs[0].alias = TensorSpec::Alias::New;
  EXPECT_FAILS(tryLoad(value), FUSER_BAD_PROGRAM,
               "expected a variant whose outputs lie where those of the first "
               "of program 'alias' do");
  value = aliasProgram();
  value.variants.push_back(value.variants[0]);
  value.variants[1].outputs[1].aliasInput = 0;
  EXPECT_FAILS(tryLoad(value), FUSER_BAD_PROGRAM,
               "expected a variant whose outputs lie where those of the first "
               "of program 'alias' do");
  value = aliasProgram();
  value.variants.push_back(value.variants[0]);
  value.variants[1].inputs[1].written = true;
  EXPECT_FAILS(tryLoad(value), FUSER_BAD_PROGRAM,
               "expected a variant that may write into the inputs that the "
               "first of program 'alias' may write into, got another one");
}

TEST_F(LoadTest, SaysWhatItIs) {
  Program value = aliasProgram();
  value.numSegments = 7;
  ASSERT_OK(tryLoad(value));
  EXPECT_EQ(fuser_program_num_segments(program), 7u);
  EXPECT_STREQ(fuser_program_input_name(program, 1), "y");
  EXPECT_STREQ(fuser_program_input_name(program, 2), "");
  EXPECT_STREQ(fuser_program_output_name(program, 2), "twice");
  size_t input = 5;
  EXPECT_EQ(fuser_program_output_alias(program, 2, &input), FUSER_OUTPUT_NEW);
  EXPECT_EQ(input, 5u);
  EXPECT_EQ(fuser_program_output_alias(program, 1, &input), FUSER_OUTPUT_VIEW);
  EXPECT_EQ(input, 1u);
  EXPECT_EQ(fuser_program_output_alias(program, 0, &input), FUSER_OUTPUT_REUSE);
  EXPECT_EQ(input, 0u);
  EXPECT_TRUE(fuser_program_writes_input(program, 0));
  EXPECT_FALSE(fuser_program_writes_input(program, 1));
  EXPECT_FALSE(fuser_program_writes_input(program, 2));
  fuser_program_destroy(program);
  value.variants[0].inputs[1].written = true;
  ASSERT_OK(tryLoad(value));
  EXPECT_TRUE(fuser_program_writes_input(program, 1));
  fuser_program_destroy(program);
  ASSERT_OK(tryLoad(addProgram()));
  EXPECT_STREQ(fuser_program_scalar_name(program, 0), "s");
}

// format_r4
TEST_F(LoadTest, NotForThisDevice) {
  Program program = addProgram();
  program.variants[0].features = {"sse2", "avx1024"};
  EXPECT_FAILS(tryLoad(program), FUSER_NO_VARIANT,
               "no variant of program 'add' can run here: it needs the CPU "
               "feature 'avx1024'");
  program.variants[0].target = Target::Cuda;
  program.variants[0].kernels.clear();
  program.variants[0].arch = "sm_90";
  EXPECT_FAILS(tryLoad(program), FUSER_NO_VARIANT,
               "it is for a GPU (sm_90), and the context is for the CPU: load "
               "it for the target cuda");
  program = addProgram();
#if defined(__x86_64__)
  program.variants[0].features = {"sse2"};
#endif
  EXPECT_OK(tryLoad(program));
}

TEST_F(LoadTest, ManyAtOnce) {
  // Each is a library of its own, also where numbers of files are used again.
  std::vector<FuserProgram *> programs;
  for (int i = 0; i < 6; ++i) {
    ASSERT_OK(tryLoad(i % 2 ? addProgram() : aliasProgram()));
    programs.push_back(program);
    if (i == 3) {
      fuser_program_destroy(programs[0]);
      programs[0] = nullptr;
    }
  }
  program = programs[5];
  programs[5] = nullptr;
  outputs.assign(1, {nullptr, nullptr});
  FloatTensor x({1, 2}, ElementType::F32), y({2}, ElementType::F32);
  EXPECT_OK(run({&x.tensor, &y.tensor}, {intScalar(3)}));
  for (FuserProgram *other : programs)
    fuser_program_destroy(other);
}

TEST_F(LoadTest, TensorsAndCopies) {
  DLManagedTensorVersioned *tensor = nullptr;
  int64_t sizes[] = {3, 4}, strides[] = {1, 3};
  DLDataType type = dlType(ElementType::BF16);
  ASSERT_OK(fuser_tensor_create(context, type, 2, sizes, strides, &tensor));
  EXPECT_EQ(tensor->dl_tensor.strides[1], 3);
  std::vector<uint16_t> values(12, 7), back(12, 0);
  EXPECT_OK(fuser_memcpy(context, tensor->dl_tensor.data, values.data(), 24));
  EXPECT_OK(fuser_memcpy(context, back.data(), tensor->dl_tensor.data, 24));
  EXPECT_EQ(back, values);
  tensor->deleter(tensor);
  ASSERT_OK(fuser_tensor_create(context, type, 0, nullptr, nullptr, &tensor));
  EXPECT_EQ(tensor->dl_tensor.ndim, 0);
  tensor->deleter(tensor);
  int64_t bad[] = {-1}, huge[] = {INT64_MAX, 4};
  EXPECT_FAILS(fuser_tensor_create(context, type, 1, bad, nullptr, &tensor),
               FUSER_INVALID_ARGUMENT,
               "expected sizes and strides of 0 or more");
  EXPECT_FAILS(fuser_tensor_create(context, type, 2, huge, nullptr, &tensor),
               FUSER_INVALID_ARGUMENT, "less than 2^63 bytes");
  EXPECT_FAILS(
      fuser_tensor_create(context, type, -1, nullptr, nullptr, &tensor),
      FUSER_INVALID_ARGUMENT, "rank");
  huge[0] = int64_t(1) << 45;
  EXPECT_FAILS(fuser_tensor_create(context, type, 1, huge, nullptr, &tensor),
               FUSER_OUT_OF_MEMORY, "out of memory on the CPU");
  EXPECT_EQ(tensor, nullptr);
}

TEST(Context, Creation) {
  FuserContext *context = nullptr;
  EXPECT_FAILS(fuser_context_create_cpu(-1, &context), FUSER_INVALID_ARGUMENT,
               "got -1");
  EXPECT_EQ(context, nullptr);
  ASSERT_OK(fuser_context_create_cpu(0, &context));
  EXPECT_EQ(fuser_context_device(context).device_type, kDLCPU);
  EXPECT_STREQ(fuser_context_arch(context), "cpu");
  EXPECT_STRNE(fuser_context_device_name(context), "");
  fuser_context_destroy(context);
  fuser_context_destroy(nullptr);
}

TEST(StatusObject, ForCallbacks) {
  FuserStatus *status = fuser_status_create(FUSER_UNIMPLEMENTED, "not that");
  EXPECT_EQ(fuser_status_code(status), FUSER_UNIMPLEMENTED);
  EXPECT_STREQ(fuser_status_message(status), "not that");
  fuser_status_destroy(status);
  EXPECT_EQ(fuser_status_code(nullptr), FUSER_OK);
  EXPECT_STREQ(fuser_status_message(nullptr), "");
  EXPECT_EQ(fuser_status_create(FUSER_OK, ""), nullptr);
  fuser_status_destroy(nullptr);
}
