//===- ProgramTest.cpp - Programs to bytes and back ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "TestUtil.h"
#include "fuser_rt/host_abi.h"

#include <cstring>
#include <set>

using namespace fuser_rt;
using namespace fuser_rt::test;

/// A small program with something in every field.
static Program smallProgram() {
  Program program;
  program.name = "small";
  program.numSegments = 3;
  program.communicates = true;
  Variant variant;
  variant.target = Target::Cuda;
  variant.arch = "sm_90a";
  variant.features = {"avx2", ""};
  variant.inputs = {tensorSpec("x", ElementType::BF16, {-1, 4096}),
                    tensorSpec("", ElementType::I1, {})};
  variant.inputs[0].strideOrder = {1, 0};
  variant.inputs[0].users = {"", "model.py:3: fusion.add: "};
  variant.inputs[0].alignment = 16;
  variant.inputs[0].strideOrderRequired = true;
  variant.inputs[1].alignmentRequired = true;
  variant.inputs[1].anyStrides = true;
  variant.inputs[1].written = true;
  variant.scalars = {{"s", ElementType::I64}};
  variant.outputs = {tensorSpec("out", ElementType::F64, {-65536, 0})};
  variant.outputs[0].alias = TensorSpec::Alias::View;
  variant.outputs[0].aliasInput = 1;
  variant.sizes = {{0, 8, 4096, 2, 8192, 3073, 16, 65536, 2, true, 4}, {65535}};
  variant.kernels.resize(1);
  variant.kernels[0] = {"f_0", 1, uint64_t(1) << 40, 7};
  variant.kernels[0].tensorMaps = {
      {6, 2, TensorMapElement::BF16, {64, 256}, 2, 1, 3, true}, {}};
  variant.kernels[0].tensorMaps[1].box = {1, 2, 3, 4, 5};
  variant.images = {"", std::string("ptx\0text", 8)};
  variant.object = "object";
  program.variants = {variant, Variant()};
  return program;
}

/// Makes header and checksum right again, so that damage reaches the payload's
/// reader.
static void repair(std::string &bytes) {
  uint64_t size = bytes.size() - formatHeaderBytes;
  uint64_t hash = hashBytes(bytes.data() + formatHeaderBytes, size);
  memcpy(&bytes[16], &size, 8);
  memcpy(&bytes[24], &hash, 8);
}

static std::string errorOf(const std::string &bytes) {
  Program program;
  std::string error;
  // A heap copy of exactly these bytes: a read past the end is seen by a
  // sanitizer.
  std::vector<char> copy(bytes.begin(), bytes.end());
  bool read = deserialize(copy.data(), copy.size(), program, error);
  EXPECT_EQ(read, error.empty());
  return error;
}

TEST(Program, RoundTrip) {
  Program program = smallProgram(), read;
  std::string bytes = serialize(program), error;
  ASSERT_TRUE(deserialize(bytes.data(), bytes.size(), read, error)) << error;
  EXPECT_EQ(serialize(read), bytes);
  EXPECT_EQ(read.name, "small");
  EXPECT_EQ(read.numSegments, 3u);
  EXPECT_TRUE(read.communicates);
  ASSERT_EQ(read.variants.size(), 2u);
  const Variant &variant = read.variants[0];
  EXPECT_EQ(variant.arch, "sm_90a");
  EXPECT_EQ(variant.features[0], "avx2");
  EXPECT_EQ(variant.inputs[0].dims, (std::vector<Dim>{-1, 4096}));
  EXPECT_EQ(variant.inputs[0].strideOrder, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(variant.inputs[0].users,
            (std::vector<std::string>{"", "model.py:3: fusion.add: "}));
  EXPECT_TRUE(variant.inputs[1].users.empty());
  EXPECT_TRUE(variant.inputs[1].anyStrides);
  EXPECT_TRUE(variant.inputs[0].strideOrderRequired);
  EXPECT_FALSE(variant.inputs[0].alignmentRequired);
  EXPECT_FALSE(variant.inputs[1].strideOrderRequired);
  EXPECT_TRUE(variant.inputs[1].alignmentRequired);
  EXPECT_FALSE(variant.inputs[0].written);
  EXPECT_TRUE(variant.inputs[1].written);
  EXPECT_EQ(variant.outputs[0].alias, TensorSpec::Alias::View);
  ASSERT_EQ(variant.sizes.size(), 2u);
  EXPECT_EQ(variant.sizes[0].divisor, 8);
  EXPECT_EQ(variant.sizes[0].bound, 4096);
  EXPECT_EQ(variant.sizes[0].requiredDivisor, 2);
  EXPECT_EQ(variant.sizes[0].requiredBound, 8192);
  EXPECT_EQ(variant.sizes[0].lowerBound, 3073);
  EXPECT_EQ(variant.sizes[0].wantedDivisor, 16);
  EXPECT_EQ(variant.sizes[0].wantedBound, 65536);
  EXPECT_EQ(variant.sizes[0].wantedLeast, 2);
  EXPECT_TRUE(variant.sizes[0].wantsLowerBound);
  EXPECT_EQ(variant.sizes[0].wantedLeastDivisor, 4);
  EXPECT_EQ(variant.sizes[1].symbol, 65535u);
  EXPECT_EQ(variant.sizes[1].bound, -1);
  EXPECT_EQ(variant.kernels[0].scratchBytes, uint64_t(1) << 40);
  const TensorMapSpec &map = variant.kernels[0].tensorMaps[0];
  EXPECT_EQ(map.param, 6u);
  EXPECT_EQ(map.argument, 2u);
  EXPECT_EQ(map.element, TensorMapElement::BF16);
  EXPECT_EQ(map.box, (std::vector<uint32_t>{64, 256}));
  EXPECT_EQ(map.interleave, 2u);
  EXPECT_EQ(map.swizzle, 1u);
  EXPECT_EQ(map.l2Promotion, 3u);
  EXPECT_TRUE(map.fillsNan);
  EXPECT_FALSE(variant.kernels[0].tensorMaps[1].fillsNan);
  EXPECT_EQ(variant.images[1].size(), 8u);
  EXPECT_EQ(variant.object, "object");
  EXPECT_EQ(read.variants[1].target, Target::Cpu);
}

TEST(Program, IsKnownByItsBeginning) {
  std::string bytes = serialize(smallProgram());
  EXPECT_TRUE(isProgram(bytes.data(), bytes.size()));
  EXPECT_TRUE(isProgram(bytes.data(), 8));
  EXPECT_FALSE(isProgram(bytes.data(), 7));
  EXPECT_FALSE(isProgram(nullptr, 0));
  bytes[7] ^= 1;
  EXPECT_FALSE(isProgram(bytes.data(), bytes.size()));
}

// format_r2
TEST(Program, TruncatedAnywhere) {
  std::string bytes = serialize(smallProgram());
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string cut = bytes.substr(0, size);
    EXPECT_NE(errorOf(cut), "") << size;
    if (size < formatHeaderBytes)
      continue;
    repair(cut);
    EXPECT_NE(errorOf(cut).find("damaged program: byte "), std::string::npos)
        << size;
  }
}

// format_r2
TEST(Program, EachByteFlipped) {
  std::string bytes = serialize(smallProgram());
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[at] ^= char(1 << bit);
      EXPECT_NE(errorOf(damaged), "") << at;
      if (at < formatHeaderBytes)
        continue;
      // With a checksum that is right again it may be another program, but must
      // not crash.
      repair(damaged);
      errorOf(damaged);
      damaged[at] = char(0xff);
      repair(damaged);
      errorOf(damaged);
    }
}

/// The lengths and numbers of lists in the file of smallProgram.
static const std::set<std::string> smallCounts = {
    "length of the program's name",
    "length of variants[0].arch",
    "length of variants[0].features[0]",
    "length of variants[0].features[1]",
    "length of variants[0].images[0]",
    "length of variants[0].images[1]",
    "length of variants[0].inputs[0].name",
    "length of variants[0].inputs[0].users[0]",
    "length of variants[0].inputs[0].users[1]",
    "length of variants[0].inputs[1].name",
    "length of variants[0].kernels[0].name",
    "length of variants[0].object",
    "length of variants[0].outputs[0].name",
    "length of variants[0].scalars[0].name",
    "length of variants[1].arch",
    "length of variants[1].object",
    "number of variants",
    "number of variants[0].features",
    "number of variants[0].images",
    "number of variants[0].inputs",
    "number of variants[0].inputs[0].dims",
    "number of variants[0].inputs[0].strideOrder",
    "number of variants[0].inputs[0].users",
    "number of variants[0].inputs[1].dims",
    "number of variants[0].inputs[1].strideOrder",
    "number of variants[0].inputs[1].users",
    "number of variants[0].kernels",
    "number of variants[0].kernels[0].tensorMaps",
    "number of variants[0].kernels[0].tensorMaps[0].box",
    "number of variants[0].kernels[0].tensorMaps[1].box",
    "number of variants[0].outputs",
    "number of variants[0].outputs[0].dims",
    "number of variants[0].outputs[0].strideOrder",
    "number of variants[0].outputs[0].users",
    "number of variants[0].scalars",
    "number of variants[0].sizes",
    "number of variants[1].features",
    "number of variants[1].images",
    "number of variants[1].inputs",
    "number of variants[1].kernels",
    "number of variants[1].outputs",
    "number of variants[1].scalars",
    "number of variants[1].sizes"};

// format_r2
TEST(Program, HugeCountsAreRefused) {
  std::string bytes = serialize(smallProgram());
  for (uint64_t value : {UINT64_MAX, uint64_t(1) << 62, uint64_t(1) << 40}) {
    std::set<std::string> refused;
    for (size_t at = formatHeaderBytes; at + 8 <= bytes.size(); ++at) {
      std::string damaged = bytes;
      memcpy(&damaged[at], &value, 8);
      repair(damaged);
      // What is no count may be anything, but must not crash.
      std::string error = errorOf(damaged);
      std::string begin = "damaged program: byte " + std::to_string(at) +
                          ": expected the ",
                  end = " (bytes left), got " + std::to_string(value);
      size_t name = error.find(" to be at most ");
      if (error.rfind(begin, 0) == 0 && name != std::string::npos &&
          error.find(end) == error.size() - end.size())
        refused.insert(error.substr(begin.size(), name - begin.size()));
    }
    EXPECT_EQ(refused, smallCounts) << value;
  }
}

// format_r1, format_r2
TEST(Program, SaysWhatIsWrong) {
  std::string bytes = serialize(smallProgram());
  auto contains = [](const std::string &error, const char *text) {
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  contains(errorOf(""), "expected a header of 32 bytes, got a file of 0 bytes");
  contains(errorOf(std::string(100, 'x')),
           "not a program: byte 0: expected the magic \"FUSERFX\\n\" of a "
           "compiled program, got what looks like a text");
  contains(errorOf("FUSERBP1" + std::string(100, 'x')), "got a program that is "
                                                        "built and not");
  contains(errorOf(std::string(100, '\1')), "got other bytes");
  std::string newer = bytes;
  newer[8] = char(formatVersion + 1);
  contains(errorOf(newer), "byte 8: expected format version 11, got 12: the "
                           "program was written by a "
                           "newer version of fuser");
  std::string abi = bytes;
  abi[12] = 9;
  contains(errorOf(abi), "byte 12: expected host ABI version 6, got 9");
  std::string flipped = bytes;
  flipped[50] ^= 1;
  contains(errorOf(flipped), "byte 24: expected the checksum to be 0x");
  contains(errorOf(bytes + "x"), "byte 16: expected the payload's size to be ");
  std::string longer = bytes + "xy";
  repair(longer);
  contains(errorOf(longer),
           "expected the end of the program to be here, got 2 more bytes");
  Program program = smallProgram();
  program.variants[0].outputs[0].aliasInput = 2;
  contains(
      errorOf(serialize(program)),
      "expected variants[0].outputs[0].aliasInput to be less than 2, got 2");
  program = smallProgram();
  program.variants[0].kernels[0].image = 2;
  contains(errorOf(serialize(program)),
           "expected variants[0].kernels[0].image to be less than 2, got 2");
  program = smallProgram();
  program.variants[0].inputs[0].strideOrder = {1, 1};
  contains(errorOf(serialize(program)),
           "strideOrder to be a permutation of 2 dimensions");
  program = smallProgram();
  program.variants[0].inputs[0].users.pop_back();
  contains(errorOf(serialize(program)),
           "users to be none, or those of 2 dimensions, got 1");
  program = smallProgram();
  program.variants[0].inputs[0].alignment = 12;
  contains(errorOf(serialize(program)),
           "alignment to be a power of two, got 12");
  program = smallProgram();
  program.variants[0].inputs[0].dims[0] = -65537;
  contains(errorOf(serialize(program)), "one of 65536 symbols, got -65537");
  program = smallProgram();
  program.variants[0].inputs[0].element = static_cast<ElementType>(19);
  contains(errorOf(serialize(program)),
           "variants[0].inputs[0].element to be less than 19, got 19");
  program = smallProgram();
  program.variants[0].inputs[1].dims.assign(65, 1);
  contains(errorOf(serialize(program)), "at most 64 dimensions, got 65");
}

// format_r2
TEST(Program, OutputsHaveNoUsers) {
  Program program = smallProgram(), read;
  std::string error;
  program.variants[0].outputs[0].users.assign(
      program.variants[0].outputs[0].dims.size(), "model.py:3: fusion.add: ");
  std::string bytes = serialize(program);
  EXPECT_FALSE(deserialize(bytes.data(), bytes.size(), read, error));
  EXPECT_NE(error.find("variants[0].outputs[0].users"), std::string::npos)
      << error;
}

// format_r2
TEST(Program, SizesOutOfRange) {
  auto expect = [](SizeSpec spec, const char *text) {
    Program program = smallProgram();
    program.variants[0].sizes[0] = spec;
    std::string error = errorOf(serialize(program));
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  expect({65536}, "variants[0].sizes[0].symbol to be less than 65536");
  expect({0, 0}, "variants[0].sizes[0].divisor to be at least 1, got 0");
  expect({0, 1, -2}, "variants[0].sizes[0].bound to be at least -1, got -2");
  expect({0, 1, -1, 0}, "requiredDivisor to be at least 1, got 0");
  expect({0, 1, -1, 1, -1, -1}, "lowerBound to be at least 0, got -1");
  expect({0, 1, -1, 1, -1, 0, 0}, "wantedDivisor to be at least 1, got 0");
  expect({0, 1, -1, 1, -1, 0, 1, -1, 0}, "wantedLeast to be at least 1, got 0");
  expect({0, 1, -1, 1, -1, 0, 1, -1, 16, false, 0},
         "wantedLeastDivisor to be at least 1, got 0");
}

TEST(Program, ClassesOfSmallSizes) {
  SizeSpec wanted;
  wanted.wantedDivisor = 8;
  wanted.wantedBound = 1000;
  EXPECT_EQ(classifySize(wanted, 0).bound, 16);
  EXPECT_EQ(classifySize(wanted, 3).lowerBound, 0);
  wanted.wantedLeast = 1;
  EXPECT_EQ(classifySize(wanted, 0).bound, 1);
  EXPECT_EQ(classifySize(wanted, 1).bound, 1);
  EXPECT_EQ(classifySize(wanted, 1).lowerBound, 0);
  EXPECT_EQ(classifySize(wanted, 2).bound, 2);
  EXPECT_EQ(classifySize(wanted, 3).bound, 4);
  EXPECT_EQ(classifySize(wanted, 3).lowerBound, 3);
  EXPECT_EQ(classifySize(wanted, 4).divisor, 4);
  EXPECT_EQ(classifySize(wanted, 9).bound, 16);
}

TEST(Program, ClassesOfLongSizes) {
  SizeSpec wanted;
  wanted.wantedBound = 4096;
  EXPECT_EQ(classifySize(wanted, 4096).bound, 4096);
  EXPECT_EQ(classifySize(wanted, 4097).bound, -1);
  EXPECT_EQ(classifySize(wanted, 4097).lowerBound, 0);
  wanted.wantsLowerBound = true;
  EXPECT_EQ(classifySize(wanted, 4096).lowerBound, 3585);
  EXPECT_EQ(classifySize(wanted, 4097).lowerBound, 4097);
  EXPECT_EQ(classifySize(wanted, int64_t(1) << 40).lowerBound, 4097);
}

TEST(Program, ClassesOfSizes) {
  SizeSpec wanted;
  EXPECT_EQ(classifySize(wanted, 24).divisor, 1);
  EXPECT_EQ(classifySize(wanted, 24).bound, -1);
  wanted.wantedDivisor = 8;
  wanted.wantedBound = 1000;
  EXPECT_EQ(classifySize(wanted, 72).divisor, 8);
  EXPECT_EQ(classifySize(wanted, 73).divisor, 1);
  EXPECT_EQ(classifySize(wanted, 16).bound, 16);
  EXPECT_EQ(classifySize(wanted, 17).bound, 20);
  EXPECT_EQ(classifySize(wanted, 29).bound, 32);
  EXPECT_EQ(classifySize(wanted, 33).bound, 40);
  // What is as large as its bound is a multiple of it.
  EXPECT_EQ(classifySize(wanted, 96).divisor, 96);
  EXPECT_EQ(classifySize(wanted, 88).divisor, 8);
  EXPECT_EQ(classifySize(wanted, 513).bound, 640);
  EXPECT_EQ(classifySize(wanted, 897).bound, 1000);
  EXPECT_EQ(classifySize(wanted, 1000).bound, 1000);
  EXPECT_EQ(classifySize(wanted, 1001).bound, -1);
  EXPECT_EQ(classifySize(wanted, 1001).lowerBound, 0);
  // But no divisor is larger than a program may state.
  wanted.wantedBound = int64_t(1) << 31;
  EXPECT_EQ(classifySize(wanted, 1 << 20).divisor, 1 << 20);
  EXPECT_EQ(classifySize(wanted, 1 << 21).divisor, 8);
  EXPECT_EQ(classifySize(wanted, 1 << 21).bound, 1 << 21);
  wanted.wantedBound = 1000;
  wanted.wantedDivisor = 24;
  EXPECT_EQ(classifySize(wanted, 4080).divisor, 24);
  EXPECT_EQ(classifySize(wanted, 4092).divisor, 12);
  EXPECT_EQ(classifySize(wanted, 4096).divisor, 8);
  EXPECT_EQ(classifySize(wanted, 4098).divisor, 1);
  wanted.wantedBound = 5;
  EXPECT_EQ(classifySize(wanted, 3).bound, 5);
  // A half, a quarter of the divisor, but no less than 8.
  wanted = SizeSpec();
  wanted.wantedDivisor = 32;
  EXPECT_EQ(classifySize(wanted, 64).divisor, 32);
  EXPECT_EQ(classifySize(wanted, 48).divisor, 16);
  EXPECT_EQ(classifySize(wanted, 40).divisor, 8);
  EXPECT_EQ(classifySize(wanted, 36).divisor, 1);
  wanted.wantedLeastDivisor = 2;
  EXPECT_EQ(classifySize(wanted, 36).divisor, 4);
  EXPECT_EQ(classifySize(wanted, 35).divisor, 1);
  wanted.wantedBound = INT64_MAX;
  EXPECT_EQ(classifySize(wanted, 256).bound, 256);
  EXPECT_EQ(classifySize(wanted, 257).bound, 320);
  EXPECT_EQ(classifySize(wanted, 321).bound, 384);
  EXPECT_EQ(classifySize(wanted, 4097).bound, 5120);
  // No size is of two classes.
  EXPECT_EQ(classifySize(wanted, 16).lowerBound, 0);
  EXPECT_EQ(classifySize(wanted, 65).lowerBound, 65);
  EXPECT_EQ(classifySize(wanted, 320).lowerBound, 257);
  EXPECT_EQ(classifySize(wanted, 50257).bound, 57344);
  EXPECT_EQ(classifySize(wanted, 57345).bound, 65536);
  EXPECT_EQ(classifySize(wanted, INT64_MAX).bound, INT64_MAX);
}

TEST(Program, TensorMapsOutOfRange) {
  auto expectError = [](const std::function<void(KernelSpec &)> &damage,
                        const std::string &text) {
    Program program = smallProgram();
    damage(program.variants[0].kernels[0]);
    std::string error = errorOf(serialize(program));
    EXPECT_NE(error.find("variants[0].kernels[0].tensorMaps[0]" + text),
              std::string::npos)
        << error;
  };
  expectError([](KernelSpec &kernel) { kernel.numParams = 6; },
              ".param to be less than 6, got 6");
  auto expectMapError = [&](const std::function<void(TensorMapSpec &)> &damage,
                            const std::string &text) {
    expectError([&](KernelSpec &kernel) { damage(kernel.tensorMaps[0]); },
                text);
  };
  expectMapError(
      [](TensorMapSpec &map) {
        map.element = static_cast<TensorMapElement>(10);
      },
      ".element to be less than 10, got 10");
  expectMapError([](TensorMapSpec &map) { map.box = {}; },
                 ".box to be 1 to 5 sizes, got 0");
  expectMapError([](TensorMapSpec &map) { map.box.assign(6, 1); },
                 ".box to be 1 to 5 sizes, got 6");
  expectMapError([](TensorMapSpec &map) { map.box[1] = 257; },
                 ".box[1] to be less than 257, got 257");
  expectMapError([](TensorMapSpec &map) { map.interleave = 3; },
                 ".interleave to be less than 3, got 3");
  expectMapError([](TensorMapSpec &map) { map.swizzle = 4; },
                 ".swizzle to be less than 4, got 4");
  expectMapError([](TensorMapSpec &map) { map.l2Promotion = 4; },
                 ".l2Promotion to be less than 4, got 4");
  Program program = smallProgram();
  program.variants[0].target = Target::Cpu;
  std::string error = errorOf(serialize(program));
  EXPECT_NE(error.find("expected variants[0].kernels[0].tensorMaps to be "
                       "empty, as only a GPU reads them, got 2"),
            std::string::npos)
      << error;
}

TEST(Program, ElementBytes) {
  EXPECT_EQ(elementBytes(ElementType::F64), 8u);
  EXPECT_EQ(elementBytes(ElementType::BF16), 2u);
  EXPECT_EQ(elementBytes(ElementType::I1), 1u);
  EXPECT_EQ(elementBytes(ElementType::I32), 4u);
  EXPECT_EQ(elementBytes(TensorMapElement::U8), 1u);
  EXPECT_EQ(elementBytes(TensorMapElement::BF16), 2u);
  EXPECT_EQ(elementBytes(TensorMapElement::I32), 4u);
  EXPECT_EQ(elementBytes(TensorMapElement::U64), 8u);
}
