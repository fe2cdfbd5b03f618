//===- CpuInstructions.cpp - Instructions that LLVM IR lacks --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuArithmetic.h"
#include "fuser/Conversion/ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;

/// Lanes of a register of AVX-512 with f32.
static constexpr int64_t kLanes = 16;

bool fuser::fillsAVX512(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && vector.getElementType().isF32() &&
         vector.getNumElements() % kLanes == 0;
}

static SmallVector<Value> getRegisters(OpBuilder &b, Location loc, Value x) {
  int64_t lanes = cast<VectorType>(x.getType()).getNumElements();
  SmallVector<Value> registers;
  for (int64_t first = 0; first < lanes; first += kLanes)
    registers.push_back(emitPiece(b, loc, x, first, kLanes));
  return registers;
}

static Value getInt(OpBuilder &b, Location loc, unsigned width, int64_t value) {
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(b.getIntegerType(width), value));
}

static Value call(OpBuilder &b, Location loc, StringRef name, Type result,
                  ValueRange arguments) {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name),
                                       arguments)
      .getResult(0);
}

Value fuser::emitAnySubnormal(OpBuilder &b, Location loc, Value x) {
  auto mask = VectorType::get({kLanes}, b.getI1Type());
  constexpr int64_t subnormal = 0x20;
  Value any;
  for (Value lanes : getRegisters(b, loc, x)) {
    Value is = call(b, loc, "llvm.x86.avx512.fpclass.ps.512", mask,
                    {lanes, getInt(b, loc, 32, subnormal)});
    any = any ? arith::OrIOp::create(b, loc, any, is).getResult() : is;
  }
  auto bits = VectorType::get({1}, b.getIntegerType(kLanes));
  Value word = vector::BitCastOp::create(b, loc, bits, any);
  word = vector::ExtractOp::create(b, loc, word, 0);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, word,
                               getInt(b, loc, kLanes, 0));
}

Value fuser::emitScale(OpBuilder &b, Location loc, Value x, Value exponent) {
  constexpr int64_t currentRounding = 4;
  Value all = getInt(b, loc, kLanes, -1);
  Value rounding = getInt(b, loc, 32, currentRounding);
  SmallVector<Value> scaled;
  for (auto [lanes, by] :
       llvm::zip(getRegisters(b, loc, x), getRegisters(b, loc, exponent)))
    scaled.push_back(call(b, loc, "llvm.x86.avx512.mask.scalef.ps.512",
                          lanes.getType(), {lanes, by, lanes, all, rounding}));
  return emitConcat(b, loc, scaled);
}
