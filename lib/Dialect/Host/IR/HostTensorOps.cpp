//===- HostTensorOps.cpp - Computations on buffers ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/ElementTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace fuser;
using namespace fuser::host;

/// Whether buffers may have the same sizes, and have the same elements.
static bool areAlike(MemRefType a, MemRefType b) {
  return a.getRank() == b.getRank() &&
         a.getElementType() == b.getElementType() &&
         llvm::all_of_zip(a.getShape(), b.getShape(), mayBeEqual);
}

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

LogicalResult CopyOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType();
  if (areAlike(src, dst))
    return success();
  return emitOpError(
             "expected buffers of the same rank, element type and sizes, got ")
         << src << " and " << dst;
}

/// The dimensions from the slowest to the fastest, of a type with static
/// strides; else as they are numbered.
static SmallVector<int64_t> getMemoryOrder(MemRefType type) {
  SmallVector<int64_t> strides = type.getStridesAndOffset().first, order;
  for (int64_t d = 0; d < type.getRank(); ++d)
    order.push_back(d);
  if (llvm::none_of(strides, ShapedType::isDynamic))
    llvm::sort(order, [&](int64_t a, int64_t b) {
      return std::pair(-strides[a], a) < std::pair(-strides[b], b);
    });
  return order;
}

bool CopyOp::copiesBytes() {
  MemRefType src = getSrc().getType(), dst = getDst().getType();
  // Where one type has strides that the other leaves open, they show nothing of
  // each other.
  SmallVector<int64_t> order = getMemoryOrder(src);
  return order == getMemoryOrder(dst) && isContiguous(src, order) == true &&
         isContiguous(dst, order) == true;
}

int64_t CopyOp::getOperandDim(unsigned, int64_t dim) { return dim; }

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// binary_c1
template <typename OpTy>
static LogicalResult verifyBinary(OpTy op) {
  MemRefType a = op.getA().getType(), b = op.getB().getType(),
             out = op.getOut().getType();
  if (areAlike(a, b) && areAlike(a, out) && areAlike(b, out))
    return success();
  return op.emitOpError("expected three buffers of the same rank, element type "
                        "and sizes, got ")
         << a << ", " << b << " and " << out;
}

LogicalResult AddOp::verify() { return verifyBinary(*this); }
LogicalResult SubOp::verify() { return verifyBinary(*this); }
LogicalResult MulOp::verify() { return verifyBinary(*this); }
LogicalResult DivOp::verify() { return verifyBinary(*this); }
int64_t AddOp::getOperandDim(unsigned, int64_t dim) { return dim; }
int64_t SubOp::getOperandDim(unsigned, int64_t dim) { return dim; }
int64_t MulOp::getOperandDim(unsigned, int64_t dim) { return dim; }
int64_t DivOp::getOperandDim(unsigned, int64_t dim) { return dim; }

LogicalResult FillOp::verify() {
  if (getValue().getType() == getOut().getType().getElementType())
    return success();
  return emitOpError("expected a value of the buffer's element type, got ")
         << getValue().getType() << " for " << getOut().getType();
}

int64_t FillOp::getOperandDim(unsigned, int64_t) { return -1; }

//===----------------------------------------------------------------------===//
// ReductionOp
//===----------------------------------------------------------------------===//

/// The dimensions of the source that the result has.
static SmallVector<int64_t> getKeptDims(ReductionOp op) {
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < op.getSrc().getType().getRank(); ++d)
    if (!llvm::is_contained(op.getDims(), d))
      kept.push_back(d);
  return kept;
}

LogicalResult ReductionOp::verify() {
  MemRefType src = getSrc().getType(), out = getOut().getType();
  int64_t last = -1;
  for (int64_t dim : getDims()) {
    if (dim <= last || dim >= src.getRank())
      return emitOpError("expected ascending dimensions of ")
             << src << ", got [" << getDims() << "]";
    last = dim;
  }
  SmallVector<int64_t> kept = getKeptDims(*this);
  bool hasSizes = static_cast<int64_t>(kept.size()) == out.getRank() &&
                  src.getElementType() == out.getElementType();
  for (auto [d, from] : llvm::enumerate(kept))
    hasSizes = hasSizes && mayBeEqual(src.getDimSize(from), out.getDimSize(d));
  if (!hasSizes)
    return emitOpError("expected a result of the source's type without "
                       "dimensions [")
           << getDims() << "], got " << src << " and " << out;
  ReduceKind kind = getKind();
  bool isFloat = isa<FloatType>(src.getElementType());
  if (kind == ReduceKind::Prod || (kind == ReduceKind::Avg && !isFloat))
    return emitOpError("expected sum, min, max, or avg of floats, got ")
           << stringifyReduceKind(kind) << " of " << src.getElementType();
  return success();
}

int64_t ReductionOp::getOperandDim(unsigned, int64_t dim) {
  return getKeptDims(*this)[dim];
}

//===----------------------------------------------------------------------===//
// Products
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
  bool isBatch = rank == 2 || (mayBeEqual(a.getDimSize(0), b.getDimSize(0)) &&
                               mayBeEqual(a.getDimSize(0), out.getDimSize(0)) &&
                               mayBeEqual(b.getDimSize(0), out.getDimSize(0)));
  if (!isBatch || !mayBeEqual(a.getDimSize(row), out.getDimSize(row)) ||
      !mayBeEqual(a.getDimSize(column), b.getDimSize(row)) ||
      !mayBeEqual(b.getDimSize(column), out.getDimSize(column)))
    return emitOpError("expected sizes M x K, K x N and M x N, got ")
           << a << ", " << b << " and " << out;
  // matmul_c4
  if (getOut() == getA() || getOut() == getB())
    return emitOpError("expected a result that is neither operand: it is "
                       "written while they are read");
  // matmul_c3
  Type type = a.getElementType(), result = out.getElementType();
  bool isSmall = isNarrowFloat(type) && type.getIntOrFloatBitWidth() == 16;
  if (type == b.getElementType() && (type.isF64() || type.isF32() || isSmall) &&
      (result == type || (isSmall && result.isF32())))
    return success();
  return emitOpError("expected two operands of f64, f32, f16 or bf16 and a "
                     "result of the same type, or of f32 for f16 and bf16, "
                     "got elements of ")
         << type << ", " << b.getElementType() << " and " << result;
}

int64_t MatmulOp::getOperandDim(unsigned operand, int64_t dim) {
  int64_t rank = getOut().getType().getRank();
  bool isRow = dim == rank - 2, isColumn = dim == rank - 1;
  bool hasDim = operand == 2 || (operand == 0 ? !isColumn : !isRow);
  return hasDim ? dim : -1;
}

LogicalResult LinearOp::verify() {
  MemRefType x = getX().getType(), weight = getWeight().getType(),
             out = getOut().getType();
  int64_t rank = x.getRank();
  if (weight.getRank() != 2 || rank < 1 || out.getRank() != rank)
    return emitOpError("expected a matrix of weights, and two buffers of the "
                       "same rank of at least 1, got ranks ")
           << weight.getRank() << ", " << rank << " and " << out.getRank();
  bool hasSizes = mayBeEqual(x.getDimSize(rank - 1), weight.getDimSize(1)) &&
                  mayBeEqual(weight.getDimSize(0), out.getDimSize(rank - 1));
  for (int64_t d = 0; d + 1 < rank; ++d)
    hasSizes = hasSizes && mayBeEqual(x.getDimSize(d), out.getDimSize(d));
  if (hasSizes && x.getElementType() == weight.getElementType())
    return success();
  return emitOpError("expected sizes .. x K, N x K and .. x N, and operands of "
                     "one element type, got ")
         << x << ", " << weight << " and " << out;
}

int64_t LinearOp::getOperandDim(unsigned operand, int64_t dim) {
  bool isColumn = dim == getOut().getType().getRank() - 1;
  if (operand == 1)
    return isColumn ? 0 : -1;
  return operand == 0 && isColumn ? -1 : dim;
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

/// Whether a buffer can be what a tensor, or a buffer, of the callee is.
static bool canBe(Type type, Type expected) {
  auto buffer = dyn_cast<MemRefType>(type);
  auto shaped = dyn_cast<ShapedType>(expected);
  if (!buffer || !shaped)
    return type == expected;
  return shaped.hasRank() && buffer.getRank() == shaped.getRank() &&
         buffer.getElementType() == shaped.getElementType() &&
         llvm::all_of_zip(buffer.getShape(), shaped.getShape(), mayBeEqual);
}

static LogicalResult verifyTypes(CallOp call, StringRef what, TypeRange types,
                                 TypeRange expected) {
  if (types.size() != expected.size())
    return call.emitOpError("expected ")
           << expected.size() << " " << what << " of @" << call.getCallee()
           << ", got " << types.size();
  for (auto [i, type] : llvm::enumerate(types))
    if (!canBe(type, expected[i]))
      return call.emitOpError("expected ")
             << what << " " << i << " of @" << call.getCallee() << " to be as "
             << expected[i] << " is, got " << type;
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  // call_c1
  if (!callee || callee.isExternal())
    return emitOpError("expected a function with a body, got @") << getCallee();
  if (failed(verifyTypes(*this, "arguments", getArgs().getTypes(),
                         callee.getArgumentTypes())))
    return failure();
  // call_c2
  bool hasOuts = !getOuts().empty();
  if (hasOuts && getNumResults() != 0)
    return emitOpError("expected results or outs, got both");
  return hasOuts ? verifyTypes(*this, "outs", getOuts().getTypes(),
                               callee.getResultTypes())
                 : verifyTypes(*this, "results", getResultTypes(),
                               callee.getResultTypes());
}
