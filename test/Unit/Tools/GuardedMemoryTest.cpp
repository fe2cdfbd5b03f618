//===- GuardedMemoryTest.cpp - Accesses outside of tensors are seen -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"
#include <gtest/gtest.h>

using namespace fuser;

namespace {
/// Three floats in guarded memory.
class Tensor {
public:
  Tensor(GuardSide side, uint64_t alignment) : memory(side) {
    allocator = memory.getAllocator();
    tensor.data = allocator.alloc(allocator.user, 12, nullptr);
    memory.place(tensor, alignment, "input 0");
  }
  ~Tensor() { allocator.dealloc(allocator.user, tensor.data, nullptr); }

  volatile float *get() {
    return reinterpret_cast<volatile float *>(static_cast<char *>(tensor.data) +
                                              tensor.byte_offset);
  }
  std::string check() { return llvm::toString(memory.check()); }

private:
  GuardedMemory memory;
  FuserAllocator allocator;
  DLTensor tensor = {};
};
} // namespace

TEST(GuardedMemory, ElementsAreThere) {
  for (GuardSide side : {GuardSide::Begin, GuardSide::End}) {
    Tensor tensor(side, 4);
    for (int i = 0; i < 3; ++i)
      tensor.get()[i] = i;
    EXPECT_EQ(tensor.get()[2], 2);
    EXPECT_EQ(tensor.check(), "");
  }
}

TEST(GuardedMemoryDeathTest, ReadsBeyondTheGuardedSideFault) {
  EXPECT_EXIT((void)Tensor(GuardSide::End, 4).get()[3],
              testing::ExitedWithCode(1),
              "at byte 12 of input 0, which has 12");
  EXPECT_EXIT((void)Tensor(GuardSide::Begin, 4).get()[-1],
              testing::ExitedWithCode(1),
              "at byte -4 of input 0, which has 12");
}

TEST(GuardedMemoryDeathTest, OtherFaultsAreWhatTheyWere) {
  Tensor tensor(GuardSide::End, 4);
  EXPECT_EXIT(*static_cast<volatile int *>(nullptr) = 1,
              testing::KilledBySignal(SIGSEGV), "");
}

TEST(GuardedMemory, WritesOnTheOtherSideAreFound) {
  const char *message = "--guard: expected no access outside of a tensor, got "
                        "a write beside input 0";
  Tensor end(GuardSide::End, 4);
  end.get()[-1] = 0;
  EXPECT_EQ(end.check(), message);
}

TEST(GuardedMemory, WritesBehindAreFound) {
  Tensor begin(GuardSide::Begin, 4);
  begin.get()[3] = 0;
  EXPECT_NE(begin.check(), "");
}

TEST(GuardedMemory, AlignmentComesFirst) {
  Tensor tensor(GuardSide::End, 16);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.get()) % 16, 0u);
}
