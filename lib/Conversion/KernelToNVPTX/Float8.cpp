//===- Float8.cpp - Conversions of 8-bit floats on GPUs -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPUs from sm_90 on convert two numbers at a time, to f8 from f32, and from f8
// to f16, but no powers of two. What is too large becomes the largest number
// there, so it is looked for beside.
//
//===----------------------------------------------------------------------===//

#include "KernelOps.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Support/PowersOfTwo.h"
#include "fuser/Transforms/NarrowFloats.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fuser {

/// The first with instructions in the PTX versions of our targets.
constexpr unsigned kFloat8Capability = 90;

/// The lanes of `x`, a scalar or a vector.
static SmallVector<Value> getLanes(FloatBuilder &f, Value x) {
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    return {x};
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane != type.getNumElements(); ++lane)
    lanes.push_back(
        vector::ExtractOp::create(f.getBuilder(), f.getLoc(), x, lane));
  return lanes;
}

/// What getLanes takes apart, of `element`: a scalar if that is one.
static Value joinLanes(FloatBuilder &f, ArrayRef<Value> lanes, Type element) {
  auto type = dyn_cast<VectorType>(f.like(element));
  return type ? Value(vector::FromElementsOp::create(f.getBuilder(), f.getLoc(),
                                                     type, lanes))
              : lanes.front();
}

/// The lanes of `x`, of integers, as words of `width` bits, in order.
static SmallVector<Value> getWords(FloatBuilder &f, Value x, unsigned width) {
  OpBuilder &b = f.getBuilder();
  auto type = cast<VectorType>(x.getType());
  int64_t count = type.getNumElements() * type.getElementTypeBitWidth() / width;
  auto words = VectorType::get({count}, b.getIntegerType(width));
  return getLanes(f, vector::BitCastOp::create(b, f.getLoc(), words, x));
}

/// Pairs of bytes as words of 16 bits. Of four bytes by way of a word of 32
/// bits, in which they come from memory.
static SmallVector<Value> getPairs(FloatBuilder &f, Value bytes) {
  OpBuilder &b = f.getBuilder();
  int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
  if (count % 4 != 0)
    return getWords(f, bytes, 16);
  SmallVector<Value> pairs;
  for (Value word : getWords(f, bytes, 32)) {
    auto one = VectorType::get({1}, word.getType());
    Value single = vector::FromElementsOp::create(b, f.getLoc(), one, word);
    llvm::append_range(pairs, getWords(f, single, 16));
  }
  return pairs;
}

/// The two numbers of a word of 16 bits, as f32.
static SmallVector<Value> convertPair(FloatBuilder &f, Value pair, Type type) {
  OpBuilder &b = f.getBuilder();
  Location loc = f.getLoc();
  auto bytes = VectorType::get({2}, b.getI8Type());
  Value source = LLVM::BitcastOp::create(b, loc, bytes, pair);
  Value halves = NVVM::ConvertF8x2ToF16x2Op::create(
      b, loc, VectorType::get({2}, b.getF16Type()), source, /*relu=*/false,
      type);
  Value wide = arith::ExtFOp::create(
      b, loc, VectorType::get({2}, b.getF32Type()), halves);
  return getLanes(f, wide);
}

static Value extend(FloatBuilder &f, Value x) {
  if (isPowersOfTwo(x.getType()))
    return extendFloat8(f, x);
  OpBuilder &b = f.getBuilder();
  Type type = getElementTypeOrSelf(x.getType());
  Value bytes = f.toBits(x);
  auto vector = dyn_cast<VectorType>(bytes.getType());
  int64_t count = vector ? vector.getNumElements() : 1;
  SmallVector<Value> lanes;
  if (count % 2 == 0) {
    for (Value pair : getPairs(f, bytes))
      llvm::append_range(lanes, convertPair(f, pair, type));
  } else {
    for (Value byte : getLanes(f, bytes)) {
      Value pair = arith::ExtUIOp::create(b, f.getLoc(), b.getI16Type(), byte);
      lanes.push_back(convertPair(f, pair, type).front());
    }
  }
  return joinLanes(f, lanes, b.getF32Type());
}

/// `count` bytes, in pairs.
static Value joinPairs(FloatBuilder &f, ArrayRef<Value> pairs, size_t count) {
  OpBuilder &b = f.getBuilder();
  Location loc = f.getLoc();
  auto words = VectorType::get({int64_t(pairs.size())}, b.getI16Type());
  auto bytes = VectorType::get({2 * words.getNumElements()}, b.getI8Type());
  Value joined = vector::BitCastOp::create(
      b, loc, bytes, vector::FromElementsOp::create(b, loc, words, pairs));
  if (count % 2 == 0)
    return joined;
  SmallVector<Value> lanes = getLanes(f, joined);
  lanes.pop_back();
  return joinLanes(f, lanes, b.getI8Type());
}

static Value truncate(FloatBuilder &f, Value x, FloatType type) {
  if (isPowersOfTwo(type))
    return truncateToFloat8(f, x, type);
  OpBuilder &b = f.getBuilder();
  Location loc = f.getLoc();
  bool isE5M2 = isa<Float8E5M2Type>(type);
  // Half a last place beyond the largest; a tie goes to what is even.
  Value limit = f.constantLike(x, isE5M2 ? 61440 : 464);
  Value overflows =
      f.compare(isE5M2 ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT,
                f.abs(x), limit);
  Value number = x;
  if (!isE5M2)
    number = f.select(overflows, f.constantLike(x, std::nan("")), x);
  SmallVector<Value> lanes = getLanes(f, number), pairs;
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  for (size_t i = 0; i < lanes.size(); i += 2)
    pairs.push_back(NVVM::ConvertF32x2ToF8x2Op::create(
        b, loc, b.getI16Type(), i + 1 < lanes.size() ? lanes[i + 1] : zero,
        lanes[i], NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
        /*relu=*/false, type));
  Value bytes = joinPairs(f, pairs, lanes.size());
  if (isE5M2) {
    Value sign = f.truncate(f.shru(f.toBits(x), 24), 8);
    Value infinity =
        f.ori(f.andi(sign, f.integer(8, 0x80)), f.integer(8, 0x7c));
    bytes = f.select(overflows, infinity, bytes);
  }
  return f.fromBits(bytes, type);
}

LogicalResult expandFloat8Conversions(gpu::GPUModuleOp module, StringRef arch) {
  const GpuTarget *target = findGpuTarget(arch);
  if (target && target->computeCapability >= kFloat8Capability)
    return expandFloat8(module, extend, truncate);
  return expandFloat8(module, extendFloat8, truncateToFloat8);
}

} // namespace fuser
