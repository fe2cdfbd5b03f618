//===- CpuVectorLibrary.cpp - Functions of f64, four at a time ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of f64 that are no arithmetic here are those of libmvec, which
// glibc has beside libm: off by at most 4 units, special values as C has them.
// Each call takes four numbers, also where there are fewer, or registers would
// hold eight: a number's result depends neither on its neighbours nor on the
// processor.
//
//===----------------------------------------------------------------------===//

#include "CpuArithmetic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fuser;

static constexpr int64_t kLanes = 4;

/// C's name of the function, or an empty one.
static StringRef getCName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::AcosOp) { return "acos"; })
      .Case([](math::AcoshOp) { return "acosh"; })
      .Case([](math::AsinOp) { return "asin"; })
      .Case([](math::AsinhOp) { return "asinh"; })
      .Case([](math::AtanOp) { return "atan"; })
      .Case([](math::Atan2Op) { return "atan2"; })
      .Case([](math::AtanhOp) { return "atanh"; })
      .Case([](math::CosOp) { return "cos"; })
      .Case([](math::CoshOp) { return "cosh"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case([](math::ErfcOp) { return "erfc"; })
      .Case([](math::Exp2Op) { return "exp2"; })
      .Case([](math::ExpM1Op) { return "expm1"; })
      .Case([](math::Log10Op) { return "log10"; })
      .Case([](math::Log1pOp) { return "log1p"; })
      .Case([](math::Log2Op) { return "log2"; })
      .Case([](math::PowFOp) { return "pow"; })
      .Case([](math::SinOp) { return "sin"; })
      .Case([](math::SinhOp) { return "sinh"; })
      .Case([](math::TanOp) { return "tan"; })
      .Default([](Operation *) { return ""; });
}

/// The function of four numbers for AVX2, by the names of the vector ABI.
static func::FuncOp getCallee(Operation *root, StringRef name,
                              unsigned numOperands) {
  std::string symbol =
      ("_ZGVdN4" + Twine(std::string(numOperands, 'v')) + "_" + name).str();
  Block &body = root->getRegion(0).front();
  if (Operation *found = SymbolTable::lookupSymbolIn(root, symbol))
    return cast<func::FuncOp>(found);
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Type lanes = VectorType::get(kLanes, b.getF64Type());
  SmallVector<Type> operands(numOperands, lanes);
  auto callee =
      func::FuncOp::create(b, root->getLoc(), symbol,
                           FunctionType::get(b.getContext(), operands, lanes));
  callee.setPrivate();
  return callee;
}

/// Lanes `begin` to `begin + kLanes` of `vector`, the last one for those that
/// it does not have.
static Value takeLanes(OpBuilder &b, Location loc, Value vector,
                       int64_t begin) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  if (count == kLanes)
    return vector;
  SmallVector<int64_t> lanes;
  for (int64_t lane = begin; lane < begin + kLanes; ++lane)
    lanes.push_back(std::min(lane, count - 1));
  return vector::ShuffleOp::create(b, loc, vector, vector, lanes);
}

/// Vectors one after the other, of which the first `count` elements are.
static Value joinLanes(OpBuilder &b, Location loc, SmallVector<Value> parts,
                       int64_t count) {
  while (parts.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i < parts.size(); i += 2) {
      // The second one is there for its length only, if there is none.
      Value second = parts[std::min(i + 1, parts.size() - 1)];
      int64_t width = cast<VectorType>(parts[i].getType()).getNumElements();
      auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, 2 * width));
      pairs.push_back(
          vector::ShuffleOp::create(b, loc, parts[i], second, lanes));
    }
    parts = std::move(pairs);
  }
  if (cast<VectorType>(parts[0].getType()).getNumElements() == count)
    return parts[0];
  auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  return vector::ShuffleOp::create(b, loc, parts[0], parts[0], lanes);
}

static Value callLibrary(RewriterBase &b, Operation *op, func::FuncOp callee) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  int64_t count = vector ? vector.getNumElements() : 1;
  auto flat = VectorType::get(count, b.getF64Type());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        vector ? vector::ShapeCastOp::create(b, loc, flat, operand).getResult()
               : vector::BroadcastOp::create(b, loc, flat, operand));
  SmallVector<Value> parts;
  for (int64_t begin = 0; begin < count; begin += kLanes) {
    SmallVector<Value> lanes;
    for (Value operand : operands)
      lanes.push_back(takeLanes(b, loc, operand, begin));
    parts.push_back(func::CallOp::create(b, loc, callee, lanes).getResult(0));
  }
  if (!vector)
    return vector::ExtractOp::create(b, loc, parts[0], int64_t(0));
  return vector::ShapeCastOp::create(b, loc, type,
                                     joinLanes(b, loc, parts, count));
}

void fuser::callVectorLibrary(Operation *root, const CpuInfo &cpu) {
  if (!cpu.has("avx2") || !cpu.has("fma"))
    return;
  IRRewriter rewriter(root->getContext());
  root->walk([&](Operation *op) {
    StringRef name = getCName(op);
    if (name.empty() ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF64())
      return;
    rewriter.setInsertionPoint(op);
    func::FuncOp callee = getCallee(root, name, op->getNumOperands());
    rewriter.replaceOp(op, callLibrary(rewriter, op, callee));
  });
}
