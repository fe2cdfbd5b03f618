//===- TensorMapsTest.cpp - Tensor maps, with a driver that notes calls ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/TensorMaps.h"
#include "TestUtil.h"

using namespace fuser_rt;
using namespace fuser_rt::test;

/// The calls of the driver, as texts; what it answers.
static std::vector<std::string> calls;
static cu::Result answer = cu::success;

template <typename T>
static std::string list(const T *values, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? "," : "") + std::to_string(values[i]);
  return text;
}

/// An address that nothing is read from.
static void *at(uintptr_t address) { return reinterpret_cast<void *>(address); }

namespace {
/// The description of a tensor of rank R.
template <size_t R>
struct Tensor {
  FuserMemRef memref;
  int64_t extents[2 * R];
};

class TensorMapsTest : public ::testing::Test {
protected:
  void SetUp() override {
    calls.clear();
    answer = cu::success;
    // A map whose first word is the address, and its second the number of the
    // call.
    driver.tensorMapEncodeTiled = [](cu::TensorMap *map, int type,
                                     unsigned rank, void *address,
                                     const uint64_t *sizes,
                                     const uint64_t *strides,
                                     const unsigned *box, const unsigned *steps,
                                     int interleave, int swizzle,
                                     int l2Promotion, int fill) {
      calls.push_back(format(
          "type %d at %p sizes %s strides %s box %s steps %s interleave %d "
          "swizzle %d l2 %d fill %d",
          type, address, list(sizes, rank).c_str(),
          list(strides, rank - 1).c_str(), list(box, rank).c_str(),
          list(steps, rank).c_str(), interleave, swizzle, l2Promotion, fill));
      *map = {};
      map->words[0] = reinterpret_cast<uintptr_t>(address);
      map->words[1] = calls.size();
      return answer;
    };
    TensorMapSpec spec;
    spec.param = 1;
    spec.argument = 3;
    spec.box = {16, 32};
    spec.swizzle = 3;
    spec.l2Promotion = 2;
    kernel.name = "tiles";
    kernel.numParams = 3;
    kernel.tensorMaps = {spec};
  }

  TensorMapSpec &spec() { return kernel.tensorMaps[0]; }

  /// The map of a tensor; null after an error.
  template <size_t R>
  FuserStatus *encodeOne(TensorMaps &maps, const Tensor<R> &tensor,
                         const cu::TensorMap *&map) {
    const void *slot = &tensor;
    void *params[] = {at(1), &slot, at(2)}, **encoded = nullptr;
    map = nullptr;
    FUSER_RETURN_IF_ERROR(maps.encode(params, encoded));
    EXPECT_EQ(encoded[0], at(1));
    EXPECT_EQ(encoded[2], at(2));
    map = static_cast<const cu::TensorMap *>(encoded[1]);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(map) % 64, 0u);
    return nullptr;
  }

  template <size_t R>
  FuserStatus *encodeOnce(const Tensor<R> &tensor) {
    TensorMaps maps(driver, kernel);
    const cu::TensorMap *map;
    return encodeOne(maps, tensor, map);
  }

  cu::Driver driver;
  KernelSpec kernel;
};
} // namespace

TEST_F(TensorMapsTest, WhatTheDriverIsAsked) {
  spec().fillsNan = true;
  EXPECT_OK(encodeOnce<2>({{at(0), at(0x1000), 8}, {37, 53, 56, 1}}));
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0],
            "type 7 at 0x1020 sizes 53,37 strides 224 box 32,16 steps 1,1 "
            "interleave 0 swizzle 3 l2 2 fill 1");
  spec().element = TensorMapElement::BF16;
  spec().box = {1, 2, 4, 8, 16};
  spec().interleave = 1;
  EXPECT_OK(encodeOnce<5>(
      {{at(0), at(0x1000), 0}, {2, 3, 4, 5, 6, 960, 320, 80, 16, 1}}));
  EXPECT_EQ(calls[1], "type 9 at 0x1000 sizes 6,5,4,3,2 strides "
                      "32,160,640,1920 box 16,8,4,2,1 steps 1,1,1,1,1 "
                      "interleave 1 swizzle 3 l2 2 fill 1");
  kernel.tensorMaps[0].box = {16};
  EXPECT_OK(encodeOnce<1>({{at(0), at(0x1000), 0}, {5, 1}}));
  EXPECT_EQ(calls[2].substr(0, 46),
            "type 9 at 0x1000 sizes 5 strides  box 16 steps");
}

// The driver looks at strides that no address depends on.
TEST_F(TensorMapsTest, DimensionsOfOneElement) {
  EXPECT_OK(encodeOnce<2>({{at(0), at(0x1000), 0}, {1, 53, 1, 1}}));
  EXPECT_NE(calls[0].find("sizes 53,1 strides 224 "), std::string::npos);
  EXPECT_OK(encodeOnce<2>({{at(0), at(0x1000), 0}, {7, 1, 4, 99}}));
  EXPECT_NE(calls[1].find("sizes 1,7 strides 16 "), std::string::npos);
  spec().box = {1, 1, 4};
  EXPECT_OK(encodeOnce<3>({{at(0), at(0x1000), 0}, {1, 7, 4, -1, 8, 1}}));
  EXPECT_NE(calls[2].find("sizes 4,7,1 strides 32,32 "), std::string::npos);
}

TEST_F(TensorMapsTest, AMapIsKept) {
  TensorMaps maps(driver, kernel);
  const cu::TensorMap *first, *again, *other;
  Tensor<2> x{{at(0), at(0x1000), 0}, {37, 53, 56, 1}};
  EXPECT_OK(encodeOne(maps, x, first));
  EXPECT_OK(encodeOne(maps, x, again));
  EXPECT_EQ(first, again);
  EXPECT_EQ(calls.size(), 1u);
  // The same address in another way.
  Tensor<2> same{{at(1), at(0xff0), 4}, {37, 53, 56, 1}};
  EXPECT_OK(encodeOne(maps, same, again));
  EXPECT_EQ(first, again);
  // Another address, size or stride is another map.
  for (Tensor<2> tensor :
       {Tensor<2>{{at(0), at(0x1010), 0}, {37, 53, 56, 1}},
        Tensor<2>{{at(0), at(0x1000), 0}, {38, 53, 56, 1}},
        Tensor<2>{{at(0), at(0x1000), 0}, {37, 54, 56, 1}},
        Tensor<2>{{at(0), at(0x1000), 0}, {37, 53, 60, 1}}}) {
    size_t before = calls.size();
    EXPECT_OK(encodeOne(maps, tensor, other));
    EXPECT_NE(other, first);
    EXPECT_EQ(calls.size(), before + 1);
  }
  EXPECT_OK(encodeOne(maps, x, again));
  EXPECT_EQ(again->words[1], 1u);
}

TEST_F(TensorMapsTest, SoManyAreKept) {
  TensorMaps maps(driver, kernel);
  const cu::TensorMap *map;
  auto encodeAt = [&](uintptr_t address) {
    Tensor<2> tensor{{at(0), at(address), 0}, {37, 53, 56, 1}};
    EXPECT_OK(encodeOne(maps, tensor, map));
    EXPECT_EQ(map->words[0], address);
  };
  for (uintptr_t i = 0; i < TensorMaps::capacity; ++i)
    encodeAt(16 * i);
  for (uintptr_t i = 0; i < TensorMaps::capacity; ++i)
    encodeAt(16 * i);
  EXPECT_EQ(calls.size(), TensorMaps::capacity);
  // The oldest goes, and only that.
  encodeAt(0x10000);
  encodeAt(16);
  EXPECT_EQ(calls.size(), TensorMaps::capacity + 1);
  encodeAt(0);
  EXPECT_EQ(calls.size(), TensorMaps::capacity + 2);
  encodeAt(32);
  encodeAt(0x10000);
  EXPECT_EQ(calls.size(), TensorMaps::capacity + 2);
}

TEST_F(TensorMapsTest, SeveralParameters) {
  kernel.tensorMaps.push_back(spec());
  kernel.tensorMaps[1].param = 2;
  kernel.tensorMaps[1].element = TensorMapElement::I64;
  TensorMaps maps(driver, kernel);
  EXPECT_FALSE(maps.empty());
  EXPECT_TRUE(TensorMaps(driver, KernelSpec()).empty());
  Tensor<2> x{{at(0), at(0x1000), 0}, {4, 4, 4, 1}};
  const void *slot = &x;
  void *params[] = {at(1), &slot, &slot}, **encoded = nullptr;
  EXPECT_OK(maps.encode(params, encoded));
  EXPECT_NE(encoded[1], encoded[2]);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].substr(0, 40), "type 5 at 0x1000 sizes 4,4 strides 32 bo");
}

TEST_F(TensorMapsTest, WithoutElements) {
  driver.tensorMapEncodeTiled = nullptr;
  TensorMaps maps(driver, kernel);
  const cu::TensorMap *map;
  for (Tensor<2> tensor : {Tensor<2>{{at(0), at(0), 0}, {0, 53, 53, 1}},
                           Tensor<2>{{at(0), at(3), 0}, {37, 0, 1, 1}}}) {
    EXPECT_OK(encodeOne(maps, tensor, map));
    EXPECT_EQ(list(map->words, 16), list(cu::TensorMap{}.words, 16));
  }
}

TEST_F(TensorMapsTest, Refusals) {
  auto expectRefusal = [&](const Tensor<2> &tensor, const std::string &expected,
                           const std::string &got) {
    EXPECT_FAILS(encodeOnce(tensor), FUSER_INVALID_ARGUMENT,
                 "launching tiles: argument 3: expected " + expected +
                     " because the kernel takes a tensor map of it, got " +
                     got);
  };
  expectRefusal({{at(0), at(0x1008), 0}, {37, 53, 56, 1}},
                "an address that is a multiple of 16", "0x1008");
  expectRefusal({{at(0), at(0x1000), 1}, {37, 53, 56, 1}},
                "an address that is a multiple of 16", "0x1004");
  expectRefusal({{at(0), at(0x1000), 0}, {37, 53, 56, 2}},
                "elements of dimension 1 side by side", "a stride of 2");
  std::string stride = "a stride of dimension 0 that is a multiple of 16 bytes "
                       "and less than 2^40 bytes";
  expectRefusal({{at(0), at(0x1000), 0}, {37, 53, 53, 1}}, stride,
                "53 elements of 4 bytes");
  expectRefusal({{at(0), at(0x1000), 0}, {37, 53, -56, 1}}, stride,
                "-56 elements of 4 bytes");
  expectRefusal({{at(0), at(0x1000), 0}, {37, 53, int64_t(1) << 38, 1}}, stride,
                "274877906944 elements of 4 bytes");
  expectRefusal({{at(0), at(0x1000), 0}, {37, 53, INT64_MAX - 3, 1}}, stride,
                "9223372036854775804 elements of 4 bytes");
  expectRefusal({{at(0), at(0x1000), 0}, {(int64_t(1) << 32) + 1, 53, 56, 1}},
                "at most 2^32 elements in dimension 0", "4294967297");
  EXPECT_TRUE(calls.empty());
  EXPECT_OK(encodeOnce<2>({{at(0), at(0x1000), 0},
                           {int64_t(1) << 32, 53, (int64_t(1) << 38) - 4, 1}}));
  spec().interleave = 2;
  expectRefusal({{at(0), at(0x1010), 0}, {37, 53, 56, 1}},
                "an address that is a multiple of 32", "0x1010");
  expectRefusal({{at(0), at(0x1000), 0}, {37, 53, 60, 1}},
                "a stride of dimension 0 that is a multiple of 32 bytes and "
                "less than 2^40 bytes",
                "60 elements of 4 bytes");
}

TEST_F(TensorMapsTest, TheDriverRefuses) {
  TensorMaps maps(driver, kernel);
  const cu::TensorMap *map;
  Tensor<2> x{{at(0), at(0x1000), 0}, {37, 53, 56, 1}};
  answer = 1;
  EXPECT_FAILS(encodeOne(maps, x, map), FUSER_DEVICE_ERROR,
               "launching tiles: encoding the tensor map of argument 3: the "
               "CUDA driver answered CUDA error 1");
  // What was refused is not kept.
  answer = cu::success;
  EXPECT_OK(encodeOne(maps, x, map));
  EXPECT_EQ(calls.size(), 2u);
  driver.tensorMapEncodeTiled = nullptr;
  EXPECT_OK(encodeOne(maps, x, map));
  EXPECT_FAILS(encodeOnce(x), FUSER_DEVICE_ERROR,
               "launching tiles: expected a CUDA driver with "
               "cuTensorMapEncodeTiled because the kernel takes a tensor map "
               "of argument 3, got an older one without");
}
