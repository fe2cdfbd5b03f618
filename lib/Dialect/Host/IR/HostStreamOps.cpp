//===- HostStreamOps.cpp - Copies, matrix products, streams, checks -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

/// True if the memref has static sizes and strides and leaves memory between
/// its elements.
static bool hasHoles(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  if (!type.hasStaticShape() || llvm::any_of(strides, ShapedType::isDynamic))
    return false;
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride, size
  for (auto [stride, size] : llvm::zip(strides, type.getShape()))
    if (size != 1)
      dims.emplace_back(stride, size);
  llvm::sort(dims);
  int64_t expected = 1;
  for (auto [stride, size] : dims) {
    if (stride != expected)
      return type.getNumElements() != 0;
    expected *= size;
  }
  return false;
}

/// Two sizes, or strides, that may be equal.
static bool fits(int64_t x, int64_t y) {
  return x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y);
}

LogicalResult CopyOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType();
  auto compatible = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    return llvm::all_of_zip(a, b, fits);
  };
  // copy_c1
  if (src.getRank() != dst.getRank() ||
      src.getElementType() != dst.getElementType() ||
      !compatible(src.getShape(), dst.getShape()))
    return emitOpError("expected buffers of the same rank, element type and "
                       "sizes, got ")
           << src << " and " << dst;
  // copy_c2
  if (!compatible(src.getStridesAndOffset().first,
                  dst.getStridesAndOffset().first))
    return emitOpError("expected buffers of the same strides, since bytes are "
                       "copied, got ")
           << src << " and " << dst;
  for (MemRefType type : {src, dst})
    if (hasHoles(type))
      return emitOpError("expected dense buffers, since bytes are copied, got ")
             << type;
  return success();
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  MemRefType a = getA().getType(), b = getB().getType(),
             out = getOut().getType();
  int64_t rank = out.getRank();
  // matmul_c1
  if ((rank != 2 && rank != 3) || a.getRank() != rank || b.getRank() != rank)
    return emitOpError("expected three matrices, or three batches of them, got "
                       "ranks ")
           << a.getRank() << ", " << b.getRank() << " and " << rank;
  // matmul_c2
  int64_t row = rank - 2, column = rank - 1;
  bool isBatch = rank == 2 || (fits(a.getDimSize(0), b.getDimSize(0)) &&
                               fits(a.getDimSize(0), out.getDimSize(0)) &&
                               fits(b.getDimSize(0), out.getDimSize(0)));
  if (!isBatch || !fits(a.getDimSize(row), out.getDimSize(row)) ||
      !fits(a.getDimSize(column), b.getDimSize(row)) ||
      !fits(b.getDimSize(column), out.getDimSize(column)))
    return emitOpError("expected sizes M x K, K x N and M x N, got ")
           << a << ", " << b << " and " << out;
  // matmul_c4
  if (getOut() == getA() || getOut() == getB())
    return emitOpError("expected a result that is neither operand: it is "
                       "written while they are read");
  // matmul_c3
  Type type = a.getElementType(), result = out.getElementType();
  bool isSmall = type.isF16() || type.isBF16();
  if (type == b.getElementType() && (type.isF64() || type.isF32() || isSmall) &&
      (result == type || (isSmall && result.isF32())))
    return success();
  return emitOpError("expected two operands of f64, f32, f16 or bf16 and a "
                     "result of the same type, or of f32 for f16 and bf16, "
                     "got elements of ")
         << type << ", " << b.getElementType() << " and " << result;
}

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

// check_c1
LogicalResult CheckOp::verify() {
  StringRef rest = getMessage();
  for (;;) {
    rest = rest.drop_until([](char c) { return c == '{'; });
    if (rest.empty())
      return success();
    rest = rest.drop_front();
    StringRef digits = rest.take_while(llvm::isDigit);
    unsigned number;
    if (digits.getAsInteger(10, number) ||
        !rest.drop_front(digits.size()).starts_with("}"))
      continue;
    if (number >= getValues().size())
      return emitOpError("expected a value for {")
             << number << "} of the message, got " << getValues().size()
             << " values";
  }
}

// check(true) ->
LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op,
                                       "the condition is not known to hold");
  rewriter.eraseOp(op);
  return success();
}
