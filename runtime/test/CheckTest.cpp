//===- CheckTest.cpp - Which tensors a program accepts ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Run/Scalars.h"
#include "TestUtil.h"

#include <cmath>
#include <cstring>

using namespace fuser_rt;
using namespace fuser_rt::test;

namespace {
/// The program of host_add.c, with descriptions of inputs that each test
/// chooses.
class CheckTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    value = addProgram();
    value.variants[0].inputs[0].anyStrides = false;
  }

  FuserStatus *call() { return run({&x.tensor, &y.tensor}, {intScalar(3)}); }
  void expectRefused(const std::string &text) {
    EXPECT_FAILS(call(), FUSER_INVALID_ARGUMENT, text);
  }
  /// The whole of it.
  void expectMessage(const std::string &text) {
    EXPECT_EQ(Status(call()).message(), text);
  }

  Program value;
  FloatTensor x{{4, 8}, ElementType::F32}, y{{8}, ElementType::F32};
  FloatTensor z{{4, 8}, ElementType::F32};
};
} // namespace

TEST_F(CheckTest, NoProgram) {
  expectRefused("expected a program, got a null pointer");
}

TEST_F(CheckTest, Types) {
  load(value);
  x.tensor.dtype = dlType(ElementType::I32);
  expectRefused(
      "program 'add': input 0 'x': expected element type f32, got i32");
  x.tensor.dtype = dlType(ElementType::BF16);
  expectRefused("expected element type f32, got bf16");
  x.tensor.dtype = {kDLFloat, 32, 4};
  expectRefused("got a type with DLPack code 2, 32 bits, 4 lanes");
  x.tensor.dtype = {kDLUInt, 8, 1};
  expectRefused("got ui8");
  value.variants[0].inputs[1].element = ElementType::I1;
  load(value);
  x.tensor.dtype = dlType(ElementType::F32);
  expectRefused("input 1 'y': expected element type i1, got f32");
  y.tensor.dtype = {kDLBool, 8, 1};
  y.tensor.shape[0] = 7;
  expectRefused("input 1 'y': expected dimension 0 to be 8 because");
}

TEST_F(CheckTest, Shapes) {
  load(value);
  y.tensor.shape[0] = 7;
  expectRefused("input 1 'y': expected dimension 0 to be 8 because input 0 'x' "
                "dimension 1 is 8, "
                "got 7");
  y.tensor.ndim = 0;
  expectRefused("input 1 'y': expected tensor<?xf32> of rank 1, got rank 0");
  y.tensor.ndim = 1;
  y.tensor.shape = nullptr;
  expectRefused("input 1 'y': expected 1 sizes, got a null shape");
  x.tensor.shape[0] = -4;
  expectRefused("input 0 'x': expected dimension 0 to be 0 or more, got -4");
  x.tensor.shape[0] = INT64_MAX;
  expectRefused("input 0 'x': expected less than 2^63 bytes, got sizes "
                "[9223372036854775807, 8]");
  EXPECT_FAILS(run({&x.tensor, nullptr}, {intScalar(3)}),
               FUSER_INVALID_ARGUMENT, "input 0 'x': expected less");
  x.tensor.shape[0] = 4;
  EXPECT_FAILS(run({&x.tensor, nullptr}, {intScalar(3)}),
               FUSER_INVALID_ARGUMENT,
               "input 1 'y': expected a tensor, got null");
  x.tensor.data = nullptr;
  expectRefused(
      "input 0 'x': expected data because the tensor is not empty, got null");
}

TEST_F(CheckTest, StaticSizes) {
  value.variants[0].inputs[0].dims = {-1, 9};
  load(value);
  expectRefused(
      "program 'add': input 0 'x': expected dimension 1 to be 9, got 8");
}

/// The op that needs the size is named, and not the program; only where it is
/// equality that does not hold.
TEST_F(CheckTest, UsersOfSizes) {
  value.variants[0].inputs[0].users = {"", "f.mlir:2:8: fusion.slice: "};
  value.variants[0].inputs[1].users = {"f.mlir:3:8: fusion.add: "};
  load(value);
  y.tensor.shape[0] = 7;
  expectMessage("f.mlir:3:8: fusion.add: input 1 'y': expected dimension 0 to "
                "be 8 because input 0 'x' dimension 1 is 8, got 7");
  x.tensor.shape[1] = -1;
  expectMessage("program 'add': input 0 'x': expected dimension 1 to be 0 or "
                "more, got -1");
  x.tensor.shape[1] = 8;
  value.variants[0].inputs[0].dims = {5, 9};
  load(value);
  expectMessage("program 'add': input 0 'x': expected dimension 0 to be 5, got "
                "4");
  value.variants[0].inputs[0].dims = {4, 9};
  load(value);
  expectMessage("f.mlir:2:8: fusion.slice: input 0 'x': expected dimension 1 "
                "to be 9, got 8");
}

TEST_F(CheckTest, Devices) {
  load(value);
  x.tensor.device = {kDLCUDA, 1};
  expectRefused("input 0 'x': expected a tensor on the CPU because the program "
                "runs there, got one "
                "on cuda:1");
  x.tensor.device = {kDLMetal, 0};
  expectRefused("got one on a device with DLPack type 8, number 0");
  // Pinned memory of a GPU is memory of the CPU.
  x.tensor.device = {kDLCUDAHost, 0};
  EXPECT_OK(call());
}

TEST_F(CheckTest, Strides) {
  load(value);
  int64_t strides[] = {1, 4};
  x.tensor.strides = strides;
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "input 0 'x': expected strides [8, 1] (dense, dimensions from "
               "slowest to fastest "
               "[0, 1]), got [1, 4] (no variant is compiled for this class");
  value.variants[0].inputs[0].strideOrderRequired = true;
  load(value);
  expectRefused("[0, 1]) because the program requires it, got [1, 4]");
  // Dimensions of size 1 have any stride.
  int64_t sizes[] = {1, 8};
  strides[0] = 77;
  strides[1] = 1;
  x.tensor.shape = sizes;
  EXPECT_OK(call());
  // So have empty tensors.
  sizes[0] = 0;
  strides[1] = 13;
  EXPECT_OK(call());
}

TEST_F(CheckTest, StrideOrder) {
  value.variants[0].inputs[0].strideOrder = {1, 0};
  load(value);
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "expected strides [1, 4] (dense, dimensions from slowest to "
               "fastest [1, 0]), got "
               "[8, 1]");
  x.tensor.strides = nullptr;
  EXPECT_FAILS(call(), FUSER_NO_VARIANT, "expected strides [1, 4]");
  int64_t strides[] = {1, 4};
  x.tensor.strides = strides;
  EXPECT_OK(call());
}

TEST_F(CheckTest, Alignment) {
  value.variants[0].inputs[1].alignment = 64;
  load(value);
  FloatTensor large({64}, ElementType::F32);
  auto address = reinterpret_cast<uintptr_t>(large.values.data());
  y.tensor.data = reinterpret_cast<void *>((address + 63) / 64 * 64);
  EXPECT_OK(call());
  y.tensor.byte_offset = 4;
  EXPECT_FAILS(
      call(), FUSER_NO_VARIANT,
      "input 1 'y': expected data aligned to 64 bytes, got address 0x");
  EXPECT_FAILS(call(), FUSER_NO_VARIANT, "aligned to 4 ");
}

/// A sanitizer sees where an address is worked out by adding to a pointer.
TEST_F(CheckTest, OffsetsThatWrapAround) {
  load(value);
  y.tensor.data = y.values.data() + 1;
  y.tensor.byte_offset = -sizeof(float);
  EXPECT_OK(call());
  FloatTensor none({0, 8}, ElementType::F32);
  x.tensor.shape = none.tensor.shape;
  x.tensor.data = nullptr;
  x.tensor.byte_offset = 4;
  EXPECT_OK(call());
}

TEST_F(CheckTest, PreallocatedOutputs) {
  value.variants[0].outputs[0].alignment = 16;
  load(value);
  outputs[0].preallocated = &z.tensor;
  EXPECT_OK(call());
  z.tensor.dtype = dlType(ElementType::F16);
  expectRefused("output 0 'z': expected element type f32, got f16");
  z.tensor.dtype = dlType(ElementType::F32);
  z.tensor.device = {kDLCUDA, 0};
  expectRefused("output 0 'z': expected a tensor on the CPU");
  z.tensor.device = {kDLCPU, 0};
  z.tensor.shape[1] = 7;
  expectRefused("output 0 'z': expected dimension 1 to be 8 because input 0 "
                "'x' dimension 1 is 8, "
                "got 7");
  z.tensor.shape[1] = 8;
  int64_t strides[] = {9, 1};
  z.tensor.strides = strides;
  expectRefused("output 0 'z': expected strides [8, 1]");
  z.tensor.strides = nullptr;
  EXPECT_OK(call());
  z.tensor.byte_offset = 4;
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "output 0 'z': expected data aligned to 16 bytes");
}

TEST_F(CheckTest, SizesThatOnlyTheProgramKnows) {
  value.variants[0].outputs[0].dims = {-3, -4};
  load(value);
  outputs[0].preallocated = &z.tensor;
  EXPECT_OK(call());
  z.tensor.shape[0] = 3;
  expectRefused("output 0 'z': expected dimension 0 to be 4 because the "
                "program computes sizes "
                "[4, 8], got 3");
  z.tensor.shape[0] = 4;
  // The description would have these strides, the program has others.
  value.variants[0].outputs[0].strideOrder = {1, 0};
  load(value);
  int64_t strides[] = {1, 4};
  z.tensor.strides = strides;
  outputs[0].preallocated = &z.tensor;
  expectRefused(
      "output 0 'z': expected strides [8, 1] because the program writes them");
}

TEST_F(CheckTest, Overlap) {
  load(value);
  outputs[0].preallocated = &x.tensor;
  expectRefused(
      "input 0 'x': expected memory apart from output 0 'z' because "
      "the program writes that, got memory that overlaps it: a result "
      "is written over an input where the program says that it is "
      "its alias");
  // By its last element.
  FloatTensor both({64}, ElementType::F32);
  x.tensor.data = both.values.data();
  z.tensor.data = both.values.data() + 31;
  outputs[0].preallocated = &z.tensor;
  expectRefused("overlaps");
  z.tensor.data = both.values.data() + 32;
  EXPECT_OK(call());
  std::swap(x.tensor.data, z.tensor.data);
  EXPECT_OK(call());
  // Strides that go backwards.
  value.variants[0].inputs[0].anyStrides = true;
  load(value);
  outputs[0].preallocated = &z.tensor;
  int64_t backwards[] = {-8, 1};
  x.tensor.strides = backwards;
  x.tensor.data = both.values.data() + 56;
  EXPECT_OK(call());
  x.tensor.data = both.values.data() + 48;
  expectRefused("overlaps");
  // Empty tensors overlap nothing.
  x.tensor.shape[0] = z.tensor.shape[0] = 0;
  EXPECT_OK(call());
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

TEST_F(CheckTest, TheFirstThatFits) {
  // The first variant's scale is another kernel that does not exist: were it
  // run, it would fail.
  value.variants.push_back(value.variants[0]);
  value.variants[0].kernels[0].name = "absent";
  value.variants[0].inputs[0].strideOrder = {1, 0};
  value.variants.insert(value.variants.begin(), value.variants[0]);
  value.variants[0].target = Target::Cuda;
  value.variants[0].arch = "sm_90";
  value.variants[0].kernels.clear();
  value.variants[1].kernels[0].name = "scale";
  load(value);
  EXPECT_EQ(fuser_program_num_variants(program), 3u);
  EXPECT_OK(call());
  // Sizes choose, too.
  value.variants[1].inputs[0].dims = {-1, 16};
  load(value);
  EXPECT_OK(call());
  value.variants[2].inputs[0].dims = {-1, 32};
  load(value);
  expectRefused("expected dimension 1 to be 16, got 8");
}

TEST_F(CheckTest, LateLoadErrors) {
  value.variants.push_back(value.variants[0]);
  value.variants[0].inputs[0].strideOrder = {1, 0};
  value.variants[1].kernels[0].name = "absent";
  load(value);
  EXPECT_FAILS(call(), FUSER_BAD_PROGRAM, "to define the kernel 'absent'");
  EXPECT_FAILS(call(), FUSER_BAD_PROGRAM, "to define the kernel 'absent'");
}

namespace {
struct Compiler {
  Program answer;
  int calls = 0;

  static FuserStatus *compile(void *user, FuserProgram *program,
                              const DLTensor *const *inputs, size_t numInputs) {
    auto *self = static_cast<Compiler *>(user);
    ++self->calls;
    EXPECT_EQ(numInputs, 2u);
    EXPECT_EQ(inputs[0]->ndim, 2);
    if (self->answer.name == "refuse")
      return fuser_status_create(FUSER_UNIMPLEMENTED, "not today");
    std::string bytes = serialize(self->answer);
    return fuser_program_add_variants(program, bytes.data(), bytes.size());
  }
};
} // namespace

TEST_F(CheckTest, NoCompilerMendsWhatIsRequired) {
  value.variants[0].inputs[0].strideOrderRequired = true;
  value.variants[0].inputs[1].alignment = 64;
  value.variants[0].inputs[1].alignmentRequired = true;
  load(value);
  Compiler compiler;
  fuser_program_set_compile_callback(program, Compiler::compile, &compiler);
  // What another variant would mend is not what the error is about.
  y.tensor.data =
      reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(y.tensor.data) | 4);
  expectRefused("input 1 'y': expected data aligned to 64 bytes because the "
                "program requires it, got address");
  int64_t strides[] = {1, 4};
  x.tensor.strides = strides;
  expectRefused("[0, 1]) because the program requires it, got [1, 4]");
  EXPECT_EQ(compiler.calls, 0);
  EXPECT_EQ(fuser_program_num_variants(program), 1u);
}

TEST_F(CheckTest, NoCompilerMendsHalfOfIt) {
  value.variants[0].inputs[0].alignment = 64;
  value.variants[0].inputs[0].alignmentRequired = true;
  load(value);
  Compiler compiler;
  fuser_program_set_compile_callback(program, Compiler::compile, &compiler);
  // The same tensor has other strides, which another variant would take.
  int64_t strides[] = {1, 4};
  x.tensor.strides = strides;
  x.tensor.data =
      reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(x.tensor.data) | 4);
  expectRefused("input 0 'x': expected data aligned to 64 bytes because the "
                "program requires it, got address");
  EXPECT_EQ(compiler.calls, 0);
}

TEST_F(CheckTest, CompileOnAMiss) {
  load(value);
  Compiler compiler;
  fuser_program_set_compile_callback(program, Compiler::compile, &compiler);
  EXPECT_OK(call());
  EXPECT_EQ(compiler.calls, 0);
  int64_t strides[] = {1, 4};
  x.tensor.strides = strides;
  compiler.answer.name = "refuse";
  EXPECT_FAILS(call(), FUSER_UNIMPLEMENTED, "not today");
  compiler.answer = value;
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "(of the variant that the compiler made for this call)");
  EXPECT_EQ(fuser_program_num_variants(program), 1u);
  compiler.answer.variants.clear();
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "the compiler was called and added no variant");
  compiler.answer = value;
  compiler.answer.variants[0].inputs[0].anyStrides = true;
  EXPECT_OK(call());
  EXPECT_EQ(compiler.calls, 4);
  EXPECT_OK(call());
  EXPECT_EQ(compiler.calls, 4);
  EXPECT_EQ(fuser_program_num_variants(program), 2u);
  // A wrong shape is not a miss.
  y.tensor.shape[0] = 7;
  expectRefused("expected dimension 0 to be 8");
  EXPECT_EQ(compiler.calls, 4);
  // Another signature does not come in.
  Program other = aliasProgram();
  std::string bytes = serialize(other);
  EXPECT_FAILS(fuser_program_add_variants(program, bytes.data(), bytes.size()),
               FUSER_BAD_PROGRAM,
               "expected a variant with 2 tensors, 1 scalars and 1 outputs");
  EXPECT_FAILS(fuser_program_add_variants(program, bytes.data(), 40),
               FUSER_BAD_PROGRAM, "damaged program");
}

TEST_F(CheckTest, SizesThatAreRequired) {
  value.variants[0].sizes = {{1, 4, 8, 4, 8}};
  load(value);
  EXPECT_OK(call());
  x.tensor.shape[1] = y.tensor.shape[0] = 6;
  expectRefused("input 0 'x': expected dimension 1 to be a multiple of 4 "
                "because the program requires it, got 6");
  x.tensor.shape[1] = y.tensor.shape[0] = 12;
  expectRefused("input 0 'x': expected dimension 1 to be at most 8 because the "
                "program requires it, got 12");
}

TEST_F(CheckTest, SizesOfAClass) {
  value.variants[0].sizes = {{1, 4, 8}};
  load(value);
  x.tensor.shape[1] = y.tensor.shape[0] = 6;
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "input 0 'x': expected dimension 1 to be a multiple of 4, got 6 "
               "(no variant is compiled for this class");
  // What no variant takes comes first.
  y.tensor.shape[0] = 7;
  expectRefused("input 1 'y': expected dimension 0 to be 6 because");
  x.tensor.shape[1] = y.tensor.shape[0] = 12;
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "input 0 'x': expected dimension 1 to be at most 8, got 12");
}

TEST_F(CheckTest, SizesBetweenBounds) {
  value.variants[0].sizes = {{1, 1, 16, 1, -1, 8}};
  load(value);
  EXPECT_OK(call());
  x.tensor.shape[1] = y.tensor.shape[0] = 7;
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "input 0 'x': expected dimension 1 to be at least 8, got 7 "
               "(no variant is compiled for this class");
}

TEST_F(CheckTest, CompilerIsAskedForClassesOfSizes) {
  value.variants[0].sizes = {{1, 1, -1, 1, -1, 0, 4, 64}};
  load(value);
  // Without a compiler what is there runs.
  EXPECT_OK(call());
  Compiler compiler;
  fuser_program_set_compile_callback(program, Compiler::compile, &compiler);
  compiler.answer = value;
  compiler.answer.variants[0].sizes[0] = {1, 4, 16, 1, -1, 0, 4, 64};
  EXPECT_OK(call());
  EXPECT_OK(call());
  EXPECT_EQ(compiler.calls, 1);
  EXPECT_EQ(fuser_program_num_variants(program), 2u);
  // Of a class that asks for less there is none yet.
  x.tensor.shape[1] = y.tensor.shape[0] = 6;
  x.tensor.strides = nullptr;
  compiler.answer.variants[0].sizes[0] = {1, 1, 16, 1, -1, 0, 4, 64};
  EXPECT_OK(call());
  EXPECT_OK(call());
  EXPECT_EQ(compiler.calls, 2);
  EXPECT_EQ(fuser_program_num_variants(program), 3u);
}

TEST_F(CheckTest, CompilerIsAskedForLongSizes) {
  value.variants[0].sizes = {{1, 1, -1, 1, -1, 0, 1, 1024, 16, true}};
  load(value);
  Compiler compiler;
  fuser_program_set_compile_callback(program, Compiler::compile, &compiler);
  compiler.answer = value;
  compiler.answer.variants[0].sizes[0] = {1,    1, -1,   1,  -1,
                                          1025, 1, 1024, 16, true};
  x.tensor.shape[1] = y.tensor.shape[0] = 5000;
  std::vector<float> large(5000 * 16);
  x.tensor.strides = nullptr;
  x.tensor.data = y.tensor.data = large.data();
  EXPECT_OK(call());
  x.tensor.shape[1] = y.tensor.shape[0] = 4000;
  EXPECT_OK(call());
  EXPECT_EQ(compiler.calls, 1);
  EXPECT_EQ(fuser_program_num_variants(program), 2u);
}

TEST_F(CheckTest, WhatFitsRunsWhereNothingBetterCompiles) {
  value.variants[0].sizes = {{1, 1, -1, 1, -1, 0, 4, 64}};
  load(value);
  Compiler compiler;
  fuser_program_set_compile_callback(program, Compiler::compile, &compiler);
  compiler.answer.name = "refuse";
  EXPECT_OK(call());
  EXPECT_EQ(compiler.calls, 1);
  EXPECT_EQ(fuser_program_num_variants(program), 1u);
}

TEST_F(CheckTest, ClassesOfSizesAreFew) {
  value.variants[0].sizes = {{1, 1, -1, 1, -1, 0, 4, 64}};
  load(value);
  Compiler compiler;
  fuser_program_set_compile_callback(program, Compiler::compile, &compiler);
  // A compiler that makes nothing of it is not asked forever; what does not
  // fit is not kept.
  compiler.answer = value;
  compiler.answer.variants[0].sizes[0] = {1, 3};
  for (unsigned i = 0; i < maxSizeVariants + 5; ++i)
    EXPECT_OK(call());
  EXPECT_EQ(compiler.calls, int(maxSizeVariants));
  EXPECT_EQ(fuser_program_num_variants(program), 1u);
}

TEST_F(CheckTest, NoVariants) {
  Program empty;
  empty.name = "empty";
  load(empty);
  outputs.assign(1, {nullptr, nullptr});
  EXPECT_FAILS(call(), FUSER_NO_VARIANT,
               "'empty': it has no variant, and there is no compiler");
  Compiler compiler;
  compiler.answer = value;
  fuser_program_set_compile_callback(program, Compiler::compile, &compiler);
  EXPECT_OK(call());
  EXPECT_EQ(fuser_program_num_inputs(program), 2u);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static int64_t slotOf(ElementType element, const FuserScalar &scalar) {
  int64_t slot = -77;
  EXPECT_OK(convertScalar({"s", element}, 0, scalar, slot));
  return slot;
}

TEST(Scalars, Slots) {
  EXPECT_EQ(slotOf(ElementType::I64, intScalar(INT64_MIN)), INT64_MIN);
  EXPECT_EQ(slotOf(ElementType::I32, intScalar(-5)), -5);
  EXPECT_EQ(slotOf(ElementType::I1, intScalar(1)), 1);
  EXPECT_EQ(slotOf(ElementType::I1, intScalar(-1)), 1);
  EXPECT_EQ(slotOf(ElementType::F32, floatScalar(1.5)), 0x3fc00000);
  EXPECT_EQ(slotOf(ElementType::F32, intScalar(-1)), 0xbf800000);
  EXPECT_EQ(slotOf(ElementType::F64, intScalar(2)), 0x4000000000000000);
  EXPECT_EQ(slotOf(ElementType::F16, floatScalar(-1)), 0xbc00);
  EXPECT_EQ(slotOf(ElementType::BF16, floatScalar(-1)), 0xbf80);
}

TEST(Scalars, Refused) {
  int64_t slot;
  EXPECT_FAILS(
      convertScalar({"s", ElementType::I32}, 2, floatScalar(1.5), slot),
      FUSER_INVALID_ARGUMENT,
      "scalar 2 's': expected an integer for i32, got the float");
  EXPECT_FAILS(convertScalar({"s", ElementType::I8}, 0, intScalar(128), slot),
               FUSER_INVALID_ARGUMENT, "expected -128 to 127 for i8, got 128");
  EXPECT_FAILS(convertScalar({"s", ElementType::I1}, 0, intScalar(2), slot),
               FUSER_INVALID_ARGUMENT, "expected -1 to 1 for i1, got 2");
}

/// The value of a half or, with 8 exponent bits, of a bfloat16.
static double valueOf(uint16_t bits, int exponentBits) {
  int fractionBits = 15 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits & 0x7fff) >> fractionBits,
      fraction = bits & ((1 << fractionBits) - 1);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - fractionBits);
  return sign * std::ldexp(fraction + (1 << fractionBits),
                           exponent - bias - fractionBits);
}

/// Every number converts to itself, and what lies between two to the nearer,
/// ties to even.
static void checkRounding(ElementType type, int exponentBits,
                          uint16_t infinity) {
  auto convert = [&](double value) {
    return static_cast<uint16_t>(encodeFloat(type, value));
  };
  for (uint32_t bits = 0; bits < infinity; ++bits) {
    double low = valueOf(uint16_t(bits), exponentBits);
    ASSERT_EQ(decodeFloat(type, bits), low);
    ASSERT_EQ(convert(low), bits);
    ASSERT_EQ(convert(-low), bits | 0x8000);
    if (bits + 1u == infinity)
      break;
    double high = valueOf(uint16_t(bits + 1), exponentBits),
           middle = low + (high - low) / 2;
    ASSERT_EQ(convert(middle), bits + (bits & 1)) << bits;
    ASSERT_EQ(convert(std::nextafter(middle, low)), bits) << bits;
    ASSERT_EQ(convert(std::nextafter(middle, high)), bits + 1) << bits;
  }
  EXPECT_EQ(convert(INFINITY), infinity);
  EXPECT_EQ(convert(-1e300), infinity | 0x8000);
  EXPECT_TRUE(std::isnan(valueOf(convert(NAN), exponentBits)));
}

TEST(Scalars, HalfRoundsOnce) { checkRounding(ElementType::F16, 5, 0x7c00); }
TEST(Scalars, BFloat16RoundsOnce) {
  checkRounding(ElementType::BF16, 8, 0x7f80);
}

TEST(Scalars, PowersOfTwo) {
  ElementType type = ElementType::F8E8M0FNU;
  auto convert = [&](double value) {
    return static_cast<unsigned>(encodeFloat(type, value));
  };
  for (unsigned bits = 0; bits < 0xff; ++bits) {
    double power = std::ldexp(1.0, static_cast<int>(bits) - 127);
    ASSERT_EQ(decodeFloat(type, bits), power);
    ASSERT_EQ(convert(power), bits);
    ASSERT_EQ(convert(-power), bits);
    // Below the second there are two numbers, and all but the least go up.
    double middle = bits == 0 ? power : 1.5 * power;
    ASSERT_EQ(convert(std::nextafter(middle, 0)), bits);
    ASSERT_EQ(convert(middle), bits == 0 ? bits : bits + 1);
    ASSERT_EQ(convert(std::nextafter(middle, INFINITY)), bits + 1);
  }
  EXPECT_EQ(convert(0), 0u);
  EXPECT_EQ(convert(1e-300), 0u);
  EXPECT_EQ(convert(1e300), 0xffu);
  EXPECT_EQ(convert(-INFINITY), 0xffu);
  EXPECT_EQ(convert(NAN), 0xffu);
  EXPECT_TRUE(std::isnan(decodeFloat(type, 0xff)));
}

TEST(Scalars, LoadsOf16Bits) {
  auto check = [](ElementType type, auto load) {
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
      auto expected = static_cast<float>(decodeFloat(type, bits));
      float got = load(static_cast<uint16_t>(bits));
      ASSERT_EQ(std::isnan(got), std::isnan(expected)) << bits;
      if (!std::isnan(expected)) {
        ASSERT_EQ(got, expected) << bits;
        ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
      }
    }
  };
  check(ElementType::F16, elements::F16::load);
  check(ElementType::BF16, elements::BF16::load);
}

TEST(Scalars, PackedFloats) {
  ElementType type = ElementType::F4E2M1FN;
  auto convert = [&](double value) {
    return static_cast<unsigned>(encodeFloat(type, value));
  };
  const double numbers[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned bits = 0; bits < 8; ++bits) {
    double low = numbers[bits];
    ASSERT_EQ(decodeFloat(type, bits), low);
    ASSERT_EQ(decodeFloat(type, bits | 8), -low);
    ASSERT_EQ(convert(low), bits);
    ASSERT_EQ(convert(-low), bits | 8);
    if (bits == 7)
      break;
    double middle = (low + numbers[bits + 1]) / 2;
    ASSERT_EQ(convert(middle), bits + (bits & 1));
    ASSERT_EQ(convert(std::nextafter(middle, 0)), bits);
    ASSERT_EQ(convert(std::nextafter(middle, INFINITY)), bits + 1);
  }
  EXPECT_EQ(convert(1e300), 7u);
  EXPECT_EQ(convert(-INFINITY), 15u);
  EXPECT_EQ(convert(NAN), 8u);
  EXPECT_EQ(convert(1e-300), 0u);
  EXPECT_EQ(dlType(type).lanes, 2);
  EXPECT_EQ(elementBytes(type), 1u);
}
