//===- NvvmIntrinsics.cpp - Instructions of NVIDIA GPUs on a CPU ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to bitcode that is linked into simulated kernels. llvm.nvvm.a.b is
// nvvm_a_b here. Subnormals are kept, unless it says ftz. A NaN is any NaN.
//
//===----------------------------------------------------------------------===//

#include "Mufu.h"
#include <cstdint>

constexpr float kMaxFloat = __FLT_MAX__;
constexpr double kMaxDouble = __DBL_MAX__;

static uint32_t toBits(float x) { return __builtin_bit_cast(uint32_t, x); }
static uint64_t toBits(double x) { return __builtin_bit_cast(uint64_t, x); }
static float fromBits(uint32_t x) { return __builtin_bit_cast(float, x); }
static double fromBits(uint64_t x) { return __builtin_bit_cast(double, x); }

static bool isFinite(float x) { return __builtin_fabsf(x) <= kMaxFloat; }
static bool isFinite(double x) { return __builtin_fabs(x) <= kMaxDouble; }

/// Zero is one, too.
static bool isSubnormal(float x) { return __builtin_fabsf(x) < __FLT_MIN__; }

/// A subnormal number becomes zero.
static float flush(float x) {
  return isSubnormal(x) ? __builtin_copysignf(0.0f, x) : x;
}

/// Which way results are rounded.
enum class Rounding { Zero, Down };

/// The neighbour of `x` that is next to it towards zero. `x` is not zero.
static float stepToZero(float x) { return fromBits(toBits(x) - 1); }
static double stepToZero(double x) { return fromBits(toBits(x) - 1); }

/// The neighbour of `x` towards minus infinity.
static float stepDown(float x) {
  if (x == 0)
    return fromBits(uint32_t(0x80000001));
  return fromBits(toBits(x) + (x < 0 ? 1u : ~0u));
}

/// x + y = sum + error exactly, unless there is an infinity.
static double addExactly(double x, double y, double &error) {
  double sum = x + y, back = sum - x;
  error = (x - (sum - back)) + (y - back);
  return sum;
}

/// `sum` + `error` rounded to float, where error is less than half of the last
/// place of sum.
static float roundTo(double sum, double error, Rounding rounding) {
  auto nearest = static_cast<float>(sum);
  if (!isFinite(sum))
    return nearest;
  if (!isFinite(nearest)) {
    bool keepsInfinity = rounding == Rounding::Down && nearest < 0;
    return keepsInfinity ? nearest : __builtin_copysignf(kMaxFloat, nearest);
  }
  double rest = sum - static_cast<double>(nearest);
  double sign = rest != 0 ? rest : error;
  if (rounding == Rounding::Down)
    return sign < 0 ? stepDown(nearest) : nearest;
  bool isBeyond = nearest > 0 ? sign < 0 : sign > 0;
  return nearest != 0 && isBeyond ? stepToZero(nearest) : nearest;
}

static float addRounded(float x, float y, Rounding rounding) {
  double error = 0;
  double sum = addExactly(x, y, error);
  if (sum == 0)
    return x + y; // With the sign of zero.
  return roundTo(sum, isFinite(sum) ? error : 0, rounding);
}

static float fmaRounded(float x, float y, float z, Rounding rounding) {
  double error = 0;
  double product = static_cast<double>(x) * y; // Exact.
  double sum = addExactly(product, z, error);
  if (sum == 0)
    return __builtin_fmaf(x, y, z);
  return roundTo(sum, isFinite(sum) ? error : 0, rounding);
}

/// The angle divided by 2 pi as sin.approx does it.
static float toTurns(float x) {
  constexpr float kInverse = 0x1.45f306p-3f;
  return roundTo(static_cast<double>(x) * kInverse, 0, Rounding::Zero);
}

template <typename Int, typename Float>
static Int convert(Float x) {
  constexpr int kBits = sizeof(Int) * 8;
  constexpr Int kMost = static_cast<Int>((uint64_t(1) << (kBits - 1)) - 1);
  if (x != x)
    return sizeof(Int) == 8 || sizeof(Float) == 8 ? Int(-kMost - 1) : Int(0);
  constexpr Float kEnd = static_cast<Float>(uint64_t(1) << (kBits - 1));
  if (x >= kEnd)
    return kMost;
  return x < -kEnd ? Int(-kMost - 1) : static_cast<Int>(x);
}

/// The greater number; a NaN is none, and 0 is greater than -0.
template <typename Float>
static Float getGreater(Float x, Float y) {
  if (x != x || y != y)
    return x != x ? y : x;
  if (x == y)
    return __builtin_signbit(x) ? y : x;
  return x > y ? x : y;
}
template <typename Float>
static Float getLess(Float x, Float y) {
  return -getGreater(-x, -y);
}

extern "C" {

//===----------------------------------------------------------------------===//
// Numbers as bits
//===----------------------------------------------------------------------===//

int32_t nvvm_d2i_hi(double x) { return static_cast<int32_t>(toBits(x) >> 32); }
int32_t nvvm_d2i_lo(double x) { return static_cast<int32_t>(toBits(x)); }
double nvvm_lohi_i2d(int32_t low, int32_t high) {
  return fromBits(uint64_t(uint32_t(high)) << 32 | uint32_t(low));
}

//===----------------------------------------------------------------------===//
// Exact
//===----------------------------------------------------------------------===//

float nvvm_fabs_f32(float x) { return __builtin_fabsf(x); }
double nvvm_fabs_f64(double x) { return __builtin_fabs(x); }
float nvvm_floor_f(float x) { return __builtin_floorf(x); }
double nvvm_floor_d(double x) { return __builtin_floor(x); }
float nvvm_ceil_f(float x) { return __builtin_ceilf(x); }
double nvvm_ceil_d(double x) { return __builtin_ceil(x); }
float nvvm_trunc_f(float x) { return __builtin_truncf(x); }
double nvvm_trunc_d(double x) { return __builtin_trunc(x); }
float nvvm_round_f(float x) { return __builtin_roundevenf(x); }
double nvvm_round_d(double x) { return __builtin_roundeven(x); }
float nvvm_fmax_f(float x, float y) { return getGreater(x, y); }
double nvvm_fmax_d(double x, double y) { return getGreater(x, y); }
float nvvm_fmin_f(float x, float y) { return getLess(x, y); }
double nvvm_fmin_d(double x, double y) { return getLess(x, y); }
float nvvm_saturate_f(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
int32_t nvvm_f2i_rn(float x) {
  return convert<int32_t>(__builtin_roundevenf(x));
}
int32_t nvvm_d2i_rn(double x) {
  return convert<int32_t>(__builtin_roundeven(x));
}

//===----------------------------------------------------------------------===//
// Rounded correctly
//===----------------------------------------------------------------------===//

float nvvm_add_rn_f(float x, float y) { return x + y; }
double nvvm_add_rn_d(double x, double y) { return x + y; }
float nvvm_ptx_sub_rn_f32(float x, float y) { return x - y; }
double nvvm_ptx_sub_rn_f64(double x, double y) { return x - y; }
float nvvm_mul_rn_f(float x, float y) { return x * y; }
double nvvm_mul_rn_d(double x, double y) { return x * y; }
float nvvm_div_rn_f(float x, float y) { return x / y; }
float nvvm_fma_rn_f(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
double nvvm_fma_rn_d(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
float nvvm_sqrt_rn_f(float x) { return __builtin_sqrtf(x); }
double nvvm_sqrt_rn_d(double x) { return __builtin_sqrt(x); }
float nvvm_add_rz_f(float x, float y) {
  return addRounded(x, y, Rounding::Zero);
}
double nvvm_add_rz_d(double x, double y) {
  double error = 0;
  double sum = addExactly(x, y, error);
  if (!isFinite(sum))
    return isFinite(x) && isFinite(y) ? __builtin_copysign(kMaxDouble, sum)
                                      : sum;
  bool isBeyond = sum > 0 ? error < 0 : error > 0;
  return sum != 0 && isBeyond ? stepToZero(sum) : sum;
}
float nvvm_fma_rm_f(float x, float y, float z) {
  return fmaRounded(x, y, z, Rounding::Down);
}
float nvvm_fma_rz_f(float x, float y, float z) {
  return fmaRounded(x, y, z, Rounding::Zero);
}

//===----------------------------------------------------------------------===//
// With subnormals as zeros
//===----------------------------------------------------------------------===//

float nvvm_fabs_ftz_f32(float x) { return __builtin_fabsf(flush(x)); }
float nvvm_floor_ftz_f(float x) { return __builtin_floorf(flush(x)); }
float nvvm_ceil_ftz_f(float x) { return __builtin_ceilf(flush(x)); }
float nvvm_fmax_ftz_f(float x, float y) {
  return getGreater(flush(x), flush(y));
}
float nvvm_fmin_ftz_f(float x, float y) { return getLess(flush(x), flush(y)); }
float nvvm_saturate_ftz_f(float x) { return nvvm_saturate_f(flush(x)); }
int32_t nvvm_f2i_rn_ftz(float x) { return nvvm_f2i_rn(flush(x)); }
float nvvm_add_rn_ftz_f(float x, float y) { return flush(flush(x) + flush(y)); }
float nvvm_ptx_sub_rn_ftz_f32(float x, float y) {
  return flush(flush(x) - flush(y));
}
float nvvm_mul_rn_ftz_f(float x, float y) { return flush(flush(x) * flush(y)); }
float nvvm_div_rn_ftz_f(float x, float y) { return flush(flush(x) / flush(y)); }
float nvvm_fma_rn_ftz_f(float x, float y, float z) {
  return flush(__builtin_fmaf(flush(x), flush(y), flush(z)));
}
float nvvm_sqrt_rn_ftz_f(float x) { return __builtin_sqrtf(flush(x)); }
float nvvm_add_rz_ftz_f(float x, float y) {
  return flush(nvvm_add_rz_f(flush(x), flush(y)));
}
float nvvm_fma_rm_ftz_f(float x, float y, float z) {
  return flush(nvvm_fma_rm_f(flush(x), flush(y), flush(z)));
}
float nvvm_fma_rz_ftz_f(float x, float y, float z) {
  return flush(nvvm_fma_rz_f(flush(x), flush(y), flush(z)));
}

//===----------------------------------------------------------------------===//
// Approximations of the hardware
//===----------------------------------------------------------------------===//
// What ptxas makes of an instruction for sm_90: one of Mufu.h, around which
// numbers are scaled if subnormals are kept. Compared on an H100, with no
// difference: all 2^32 floats, all 2^32 upper halves of doubles with zeros and
// with random bits below, 2^32 doubles, and 2^31 quotients of each kind.

float nvvm_ex2_approx_ftz_f32(float x) {
  return fromBits(mufu::ex2(toBits(x)));
}
float nvvm_ex2_approx_f32(float x) {
  if (!(x < -126))
    return nvvm_ex2_approx_ftz_f32(x);
  float root = nvvm_ex2_approx_ftz_f32(x * 0.5f);
  return root * root;
}
float nvvm_lg2_approx_ftz_f(float x) { return fromBits(mufu::lg2(toBits(x))); }
float nvvm_lg2_approx_f(float x) {
  return isSubnormal(x) ? nvvm_lg2_approx_ftz_f(x * 0x1p24f) - 24
                        : nvvm_lg2_approx_ftz_f(x);
}
float nvvm_rsqrt_approx_ftz_f(float x) {
  return fromBits(mufu::rsqrt<mufu::kFloat>(toBits(x)));
}
float nvvm_rsqrt_approx_f(float x) {
  return isSubnormal(x) ? nvvm_rsqrt_approx_ftz_f(x * 0x1p24f) * 0x1p12f
                        : nvvm_rsqrt_approx_ftz_f(x);
}
float nvvm_sqrt_approx_ftz_f(float x) {
  return fromBits(mufu::sqrt(toBits(x)));
}
float nvvm_sqrt_approx_f(float x) {
  return isSubnormal(x) ? nvvm_sqrt_approx_ftz_f(x * 0x1p24f) * 0x1p-12f
                        : nvvm_sqrt_approx_ftz_f(x);
}
float nvvm_ptx_rcp_approx_ftz_f32(float x) {
  return fromBits(mufu::rcp<mufu::kFloat>(toBits(x)));
}
double nvvm_rcp_approx_ftz_d(double x) {
  return fromBits(uint64_t(mufu::rcp<mufu::kDouble>(toBits(x) >> 32)) << 32);
}
double nvvm_ptx_rsqrt_approx_ftz_f64(double x) {
  return fromBits(uint64_t(mufu::rsqrt<mufu::kDouble>(toBits(x) >> 32)) << 32);
}
double nvvm_rsqrt_approx_d(double x) {
  if (x != x)
    return x;
  bool scales = __builtin_fabs(x) < __DBL_MIN__;
  if (scales)
    x *= 0x1p54;
  double root = nvvm_ptx_rsqrt_approx_ftz_f64(x);
  if (!(x > 0) || !isFinite(x))
    return root;
  double error = __builtin_fma(x, -(root * root), 1);
  double factor = __builtin_fma(error, 0.375, 0.5);
  double result = __builtin_fma(factor, root * error, root);
  return scales ? result * 0x1p27 : result;
}
/// Zero if y is beyond 2^126, whose reciprocal is subnormal.
float nvvm_div_approx_f(float x, float y) {
  float scale = isSubnormal(y) ? 0x1p24f : 1;
  return x * scale * nvvm_ptx_rcp_approx_ftz_f32(y * scale);
}
float nvvm_div_approx_ftz_f(float x, float y) {
  return flush(flush(x) * nvvm_ptx_rcp_approx_ftz_f32(y));
}
float nvvm_div_full(float x, float y) {
  float scale = __builtin_fabsf(y) > 0x1p126f ? 0.25f : 1;
  return nvvm_div_approx_f(x * scale, y * scale);
}
float nvvm_sin_approx_f(float x) {
  return fromBits(mufu::sinOfTurns(toBits(toTurns(x)), false));
}
float nvvm_cos_approx_f(float x) {
  return fromBits(mufu::sinOfTurns(toBits(toTurns(x)), true));
}

} // extern "C"
