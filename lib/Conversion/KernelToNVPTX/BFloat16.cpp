//===- BFloat16.cpp - Vectors of bf16 as f32 ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bf16 is the upper half of an f32. Of a word of two, as it comes from
// memory, the lower one is a shift and the upper one a mask: one instruction
// each. A conversion of each by itself takes the upper one out of the word
// before it shifts it back.
//
//===----------------------------------------------------------------------===//

#include "KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fuser {

static bool isPairs(arith::ExtFOp op) {
  auto type = dyn_cast<VectorType>(op.getIn().getType());
  return type && type.getRank() == 1 && !type.isScalable() &&
         type.getElementType().isBF16() && type.getNumElements() % 2 == 0 &&
         getElementTypeOrSelf(op.getType()).isF32();
}

static Value extend(OpBuilder &b, Location loc, Value pairs) {
  int64_t count = cast<VectorType>(pairs.getType()).getNumElements() / 2;
  auto words = VectorType::get({count}, b.getI32Type());
  auto floats = VectorType::get({count}, b.getF32Type());
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(words, b.getI32IntegerAttr(int32_t(value))));
  };
  Value all = vector::BitCastOp::create(b, loc, words, pairs);
  Value lower = arith::ShLIOp::create(b, loc, all, constant(16));
  Value upper = arith::AndIOp::create(b, loc, all, constant(0xffff0000));
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < count; ++i)
    llvm::append_values(order, i, count + i);
  return vector::ShuffleOp::create(
      b, loc, arith::BitcastOp::create(b, loc, floats, lower),
      arith::BitcastOp::create(b, loc, floats, upper), order);
}

void expandBFloat16Extensions(gpu::GPUModuleOp module) {
  SmallVector<arith::ExtFOp> extensions;
  module.walk([&](arith::ExtFOp op) {
    if (isPairs(op))
      extensions.push_back(op);
  });
  for (arith::ExtFOp op : extensions) {
    OpBuilder b(op);
    op.replaceAllUsesWith(extend(b, op.getLoc(), op.getIn()));
    op.erase();
  }
}

} // namespace fuser
