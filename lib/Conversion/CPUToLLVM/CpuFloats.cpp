//===- CpuFloats.cpp - Conversions of narrow floats as arithmetic ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuArithmetic.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Transforms/NarrowFloats.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace fuser;

/// bf16 is the upper half of f32.
static Value extendBF16(OpBuilder &b, FloatBuilder &f, Value x) {
  Value bits = f.shl(f.extend(f.toBits(x), 32), 16);
  return f.fromBits(bits, b.getF32Type());
}

/// To nearest, ties to even; a NaN becomes a quiet NaN, with what fits of its
/// other bits.
static Value truncateToBF16(OpBuilder &b, FloatBuilder &f, Value x) {
  Value bits = f.toBits(x);
  Value odd = f.andi(f.shru(bits, 16), f.integer(32, 1));
  Value rounded = f.addi(bits, f.addi(odd, f.integer(32, 0x7fff)));
  Value isNaN = f.compare(arith::CmpFPredicate::UNO, x, x);
  Value quiet = f.ori(bits, f.integer(32, 0x400000));
  Value result = f.select(isNaN, quiet, rounded);
  return f.fromBits(f.truncate(f.shru(result, 16), 16), b.getBF16Type());
}

/// The processor's conversion takes subnormals for zero: the exact one where
/// there are any, which is hardly ever.
static Value truncateWithAVX512(OpBuilder &b, FloatBuilder &f, Value x) {
  Location loc = f.getLoc();
  Value any = emitAnySubnormal(b, loc, x);
  auto branch =
      scf::IfOp::create(b, loc, TypeRange{f.like(b.getBF16Type())}, any, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, truncateToBF16(b, f, x));
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, f.truncateFloat(x, b.getBF16Type()));
  return branch.getResult(0);
}

static Value extend(OpBuilder &b, FloatBuilder &f, Value x, Type to) {
  if (!getElementTypeOrSelf(x.getType()).isBF16())
    return {};
  Value wide = extendBF16(b, f, x);
  return to.isF32() ? wide : f.extendFloat(wide, to);
}

static Value truncate(OpBuilder &b, FloatBuilder &f, Value x, Type to,
                      const CpuInfo &cpu) {
  if (!to.isBF16() && !to.isF16())
    return {};
  bool isDouble = getElementTypeOrSelf(x.getType()).isF64();
  if (isDouble)
    x = truncateToOdd(f, x);
  if (to.isF16())
    return isDouble ? f.truncateFloat(x, to) : Value();
  if (cpu.has("avx512bf16") && cpu.has("avx512dq") && fillsAVX512(x.getType()))
    return truncateWithAVX512(b, f, x);
  return truncateToBF16(b, f, x);
}

static Value convert(OpBuilder &b, Operation *op, const CpuInfo &cpu) {
  Value x = op->getOperand(0);
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  FloatBuilder f(b, op->getLoc(), x.getType());
  if (isa<arith::ExtFOp>(op))
    return extend(b, f, x, to);
  // Back to what it was before.
  auto extension = x.getDefiningOp<arith::ExtFOp>();
  if (extension && extension.getIn().getType() == op->getResult(0).getType())
    return extension.getIn();
  return truncate(b, f, x, to, cpu);
}

LogicalResult fuser::expandFloatConversions(Operation *root,
                                            const CpuInfo &cpu) {
  if (failed(widenArithmetic(root, BFloat16Type::get(root->getContext()))) ||
      failed(expandFloat8(root, extendFloat8, truncateToFloat8)))
    return failure();
  IRRewriter rewriter(root->getContext());
  SmallVector<Operation *> extensions, truncations;
  root->walk([&](Operation *op) {
    if (isa<arith::ExtFOp>(op))
      extensions.push_back(op);
    else if (isa<arith::TruncFOp>(op))
      truncations.push_back(op);
  });
  // Truncations look for extensions.
  for (Operation *op : llvm::concat<Operation *>(truncations, extensions)) {
    rewriter.setInsertionPoint(op);
    if (Value result = convert(rewriter, op, cpu))
      rewriter.replaceOp(op, result);
  }
  return success();
}

static bool hasBF16(LLVM::LLVMFuncOp function) {
  auto isBF16 = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  bool found = llvm::any_of(function.getArgumentTypes(), isBF16);
  function.walk([&](Operation *op) {
    found |= llvm::any_of(op->getResultTypes(), isBF16);
  });
  return found;
}

/// What is left of bf16 is moved about: as integers of 16 bits, since LLVM
/// moves some bf16 vectors by way of f32 and a conversion that no library has.
void fuser::moveBF16AsIntegers(LLVM::LLVMFuncOp function) {
  if (!hasBF16(function))
    return;
  auto *context = function.getContext();
  Type integer = IntegerType::get(context, 16);
  SmallVector<LLVM::FPTruncOp> conversions;
  function.walk([&](LLVM::FPTruncOp op) {
    if (getElementTypeOrSelf(op.getType()).isBF16())
      conversions.push_back(op);
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](BFloat16Type) { return integer; });
  replacer.addReplacement([=](FloatAttr value) -> std::optional<Attribute> {
    if (!value.getType().isBF16())
      return std::nullopt;
    return IntegerAttr::get(integer, value.getValue().bitcastToAPInt());
  });
  replacer.addReplacement(
      [=](DenseElementsAttr values) -> std::optional<Attribute> {
        if (!values.getElementType().isBF16())
          return std::nullopt;
        return values.bitcast(integer);
      });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  OpBuilder b(context);
  for (LLVM::FPTruncOp op : conversions) {
    Value result = op.getResult();
    Type moved = result.getType();
    b.setInsertionPointAfter(op);
    auto cast = LLVM::BitcastOp::create(b, op.getLoc(), moved, result);
    result.replaceAllUsesExcept(cast, cast);
    Type element = b.getBF16Type();
    auto vector = dyn_cast<VectorType>(moved);
    result.setType(vector ? vector.clone(element) : element);
  }
}
