//===- NvvmIntrinsicsTest.cpp - Approximations as an H100 has them --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checksums are of what an H100 (sm_90) gave for the same numbers.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

extern "C" {
float nvvm_ex2_approx_ftz_f32(float);
float nvvm_ex2_approx_f32(float);
float nvvm_lg2_approx_ftz_f(float);
float nvvm_lg2_approx_f(float);
float nvvm_rsqrt_approx_ftz_f(float);
float nvvm_rsqrt_approx_f(float);
float nvvm_sqrt_approx_ftz_f(float);
float nvvm_sqrt_approx_f(float);
float nvvm_ptx_rcp_approx_ftz_f32(float);
double nvvm_rcp_approx_ftz_d(double);
double nvvm_ptx_rsqrt_approx_ftz_f64(double);
double nvvm_rsqrt_approx_d(double);
float nvvm_sin_approx_f(float);
float nvvm_cos_approx_f(float);
float nvvm_div_approx_f(float, float);
float nvvm_div_approx_ftz_f(float, float);
float nvvm_div_full(float, float);
}

static uint32_t toBits(float x) {
  return std::isnan(x) ? 0x7fffffff : __builtin_bit_cast(uint32_t, x);
}
static uint64_t toBits(double x) {
  return std::isnan(x) ? ~uint64_t(0) : __builtin_bit_cast(uint64_t, x);
}
static float toFloat(uint32_t x) { return __builtin_bit_cast(float, x); }
static double toDouble(uint64_t x) { return __builtin_bit_cast(double, x); }

namespace {
/// FNV-1a of numbers instead of bytes.
class Checksum {
public:
  void add(uint64_t x) { value = (value ^ x) * 1099511628211U; }
  uint64_t get() const { return value; }

private:
  uint64_t value = 14695981039346656037U;
};
} // namespace

constexpr uint32_t kSign = uint32_t(1) << 31;
constexpr uint32_t kBinade = uint32_t(1) << 23;
constexpr uint32_t kOne = 127 * kBinade;

/// Of the floats whose bits are in [first, first + count).
static uint64_t checkAll(float (*function)(float), uint32_t first,
                         uint32_t count) {
  Checksum sum;
  for (uint32_t i = 0; i < count; ++i)
    sum.add(toBits(function(toFloat(first + i))));
  return sum.get();
}

/// Of every 2048th float.
static uint64_t checkSome(float (*function)(float)) {
  Checksum sum;
  for (uint64_t x = 0; x < uint64_t(1) << 32; x += 2048)
    sum.add(toBits(function(toFloat(static_cast<uint32_t>(x)))));
  return sum.get();
}

/// Of the doubles from 1 to less than 2^binades with a lower half of zero.
static uint64_t checkAll(double (*function)(double), uint32_t binades) {
  Checksum sum;
  for (uint32_t i = 0; i < binades << 20; ++i) {
    uint64_t bits = toBits(function(toDouble(uint64_t(0x3ff00000 + i) << 32)));
    EXPECT_EQ(bits & UINT32_MAX, 0U);
    sum.add(bits >> 32);
  }
  return sum.get();
}

/// Of doubles with upper halves that are multiples of 2048.
static uint64_t checkSome(double (*function)(double)) {
  Checksum sum;
  for (uint64_t x = 0; x < uint64_t(1) << 32; x += 2048)
    sum.add(
        toBits(function(toDouble(x << 32 | (x * 0x9e3779b9 & UINT32_MAX)))));
  return sum.get();
}

/// Of 2^21 quotients.
static uint64_t checkSome(float (*function)(float, float)) {
  Checksum sum;
  for (uint32_t i = 0; i < uint32_t(1) << 21; ++i)
    sum.add(toBits(function(toFloat(i * 0x9e3779b9), toFloat(i * 0x85ebca6b))));
  return sum.get();
}

TEST(NvvmIntrinsics, Reciprocal) {
  auto *f = nvvm_ptx_rcp_approx_ftz_f32;
  EXPECT_EQ(checkAll(f, kOne, kBinade), 0xfa72a6c698274964U);
  EXPECT_EQ(checkSome(f), 0xfa02eccbd7fde525U);
  EXPECT_EQ(checkAll(nvvm_rcp_approx_ftz_d, 1), 0x01eacab14f00177eU);
  EXPECT_EQ(checkSome(nvvm_rcp_approx_ftz_d), 0x40bb6b6246e22325U);
}

TEST(NvvmIntrinsics, ReciprocalOfSquareRoot) {
  auto *f = nvvm_rsqrt_approx_ftz_f;
  EXPECT_EQ(checkAll(f, kOne, 2 * kBinade), 0xbdf1cb386ee78bc2U);
  EXPECT_EQ(checkSome(f), 0x73719fdf848d7342U);
  EXPECT_EQ(checkSome(nvvm_rsqrt_approx_f), 0x124036c6a9eb8ec5U);
  EXPECT_EQ(checkAll(nvvm_ptx_rsqrt_approx_ftz_f64, 2), 0x9b87c583fc08583bU);
  EXPECT_EQ(checkSome(nvvm_ptx_rsqrt_approx_ftz_f64), 0x148a8c6b1d7bd4daU);
  EXPECT_EQ(checkSome(nvvm_rsqrt_approx_d), 0x027c5a665a094f7cU);
}

TEST(NvvmIntrinsics, SquareRoot) {
  auto *f = nvvm_sqrt_approx_ftz_f;
  EXPECT_EQ(checkAll(f, kOne, 2 * kBinade), 0x50712c001bd4eb00U);
  EXPECT_EQ(checkSome(f), 0x659a85454c582219U);
  EXPECT_EQ(checkSome(nvvm_sqrt_approx_f), 0x5e9f3ad3d5ab8a75U);
}

TEST(NvvmIntrinsics, Power) {
  auto *f = nvvm_ex2_approx_ftz_f32;
  EXPECT_EQ(checkAll(f, kOne, kBinade), 0x3f0f3852f2fa7edbU);
  EXPECT_EQ(checkAll(f, kOne - kBinade, kBinade), 0x1938ae1ca053e4e7U);
  EXPECT_EQ(checkAll(f, kOne - 2 * kBinade, kBinade), 0xb94e8e67fa1d559dU);
  EXPECT_EQ(checkAll(f, kSign | kOne, kBinade), 0xbf4f30a37a9d5b98U);
  EXPECT_EQ(checkSome(f), 0xbf4a23cc258e4de3U);
  EXPECT_EQ(checkSome(nvvm_ex2_approx_f32), 0x66b8090c7ee3f776U);
}

TEST(NvvmIntrinsics, Logarithm) {
  auto *f = nvvm_lg2_approx_ftz_f;
  EXPECT_EQ(checkAll(f, kOne, kBinade), 0x5ca43d6b0d176848U);
  EXPECT_EQ(checkAll(f, kOne - kBinade, kBinade), 0xf8884f097b12e53dU);
  EXPECT_EQ(checkSome(f), 0xf669ea278f87df4cU);
  EXPECT_EQ(checkSome(nvvm_lg2_approx_f), 0xca9d56b73a3ded00U);
}

TEST(NvvmIntrinsics, SineAndCosine) {
  EXPECT_EQ(checkSome(nvvm_sin_approx_f), 0x28b7b6f1b0a6ff41U);
  EXPECT_EQ(checkSome(nvvm_cos_approx_f), 0x829717c5c09b8a21U);
}

TEST(NvvmIntrinsics, Quotient) {
  EXPECT_EQ(checkSome(nvvm_div_full), 0x2f9953e2f5168cddU);
  EXPECT_EQ(checkSome(nvvm_div_approx_f), 0x9a9756127ffeab79U);
  EXPECT_EQ(checkSome(nvvm_div_approx_ftz_f), 0xd27202dfab17e131U);
  EXPECT_EQ(nvvm_div_full(0x1p127f, 0x1p127f), 1);
  EXPECT_EQ(nvvm_div_approx_f(0x1p127f, 0x1p127f), 0);
}
