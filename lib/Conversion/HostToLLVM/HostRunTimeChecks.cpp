//===- HostRunTimeChecks.cpp - What types do not show ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules about sizes and strides that the types of a program do not show are
// checked by the program itself, before the op.
//
//===----------------------------------------------------------------------===//

#include "HostToLLVMInternal.h"
#include "fuser/Support/CheckOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using namespace fuser::host;
using namespace fuser::host_to_llvm;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {
/// A dimension of an operand, and what messages call the operand.
struct OperandDim {
  Value operand;
  StringRef name;
  int64_t dim;

  int64_t getSize() const {
    return cast<MemRefType>(operand.getType()).getDimSize(dim);
  }
};
} // namespace

static void addCheck(OpBuilder &b, Location loc, Value holds,
                     const Twine &message, ValueRange values) {
  CheckOp::create(b, loc, holds, describeCheckPlace(loc) + message.str(),
                  values);
}

/// Checks before `op` that `got` is as large as `expected`, unless the types
/// say so. Where `unless` holds, it does not matter.
static void checkSize(Operation *op, const OperandDim &got,
                      const OperandDim &expected, Value unless = {}) {
  int64_t size = got.getSize();
  if (!ShapedType::isDynamic(size) && size == expected.getSize())
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value wanted = memref::DimOp::create(b, loc, expected.operand, expected.dim);
  Value given = memref::DimOp::create(b, loc, got.operand, got.dim);
  Value same =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, wanted, given);
  if (unless)
    same = arith::OrIOp::create(b, loc, same, unless);
  std::string message;
  llvm::raw_string_ostream(message)
      << op->getName() << ": expected dimension " << got.dim << " of "
      << got.name << " to be {0}, as dimension " << expected.dim << " of "
      << expected.name << " is, got {1}";
  addCheck(b, loc, same, message, {wanted, given});
}

static void checkSizes(MatmulOp op) {
  int64_t row = op.getOut().getType().getRank() - 2;
  auto a = [&](int64_t dim) {
    return OperandDim{op.getA(), "the left operand", dim};
  };
  auto b = [&](int64_t dim) {
    return OperandDim{op.getB(), "the right operand", dim};
  };
  auto out = [&](int64_t dim) {
    return OperandDim{op.getOut(), "the result", dim};
  };
  for (int64_t batch = 0; batch < row; ++batch) {
    checkSize(op, a(batch), out(batch));
    checkSize(op, b(batch), out(batch));
  }
  checkSize(op, a(row), out(row));
  checkSize(op, b(row), a(row + 1));
  checkSize(op, b(row + 1), out(row + 1));
}

static void checkSizes(CopyOp op) {
  for (int64_t d = 0; d < op.getSrc().getType().getRank(); ++d)
    checkSize(op, {op.getDst(), "the result", d},
              {op.getSrc(), "the source", d});
}

/// Dimension 0 of an all_to_all has a part for each rank.
static void checkParts(CommunicationOpInterface op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value size = SizeOp::create(b, loc, op.getGroup());
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value ranks = arith::MaxUIOp::create(b, loc, size, one);
  Value rows = memref::DimOp::create(b, loc, op.getSource()->get(), 0);
  Value rest = arith::RemUIOp::create(b, loc, rows, ranks);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, zero);
  addCheck(b, loc, fits,
           "host.all_to_all: expected dimension 0 to have a part for each of "
           "{0} ranks, got {1}",
           {size, rows});
}

/// How large the dimension of the ranks' parts is, the runtime checks.
static void checkSizes(CommunicationOpInterface op) {
  if (!op.getSource() || !op.getDestination())
    return;
  TransferKind kind = op.getTransferKind();
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (kind == TransferKind::AllToAll)
    checkParts(op);
  bool isOfRoot = kind == TransferKind::Gather || kind == TransferKind::Scatter;
  // Ranks other than the root may give any buffer.
  Value isOther;
  if (isOfRoot)
    isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                    RankOp::create(b, loc, op.getGroup()),
                                    op.getPeerRank());
  bool hasParts = isOfRoot || kind == TransferKind::AllGather ||
                  kind == TransferKind::ReduceScatter;
  Value src = op.getSource()->get(), dst = op.getDestination()->get();
  for (int64_t d = 0; d < cast<MemRefType>(src.getType()).getRank(); ++d)
    if (!hasParts || d != op.getPartDim())
      checkSize(op, {dst, "the result", d}, {src, "the source", d}, isOther);
}

//===----------------------------------------------------------------------===//
// Contiguous buffers
//===----------------------------------------------------------------------===//

/// Whether `buffer` is contiguous in `order`, as a value of the program:
/// strides of dimensions of size 1 and of empty buffers do not count.
static Value emitIsContiguous(OpBuilder &b, Location loc, Value buffer,
                              ArrayRef<int64_t> order,
                              SmallVectorImpl<Value> &strides) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value next = one, result;
  auto equal = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  };
  for (int64_t dim : llvm::reverse(order)) {
    Value size = metadata.getSizes()[dim];
    Value fits = arith::OrIOp::create(b, loc, equal(size, one),
                                      equal(metadata.getStrides()[dim], next));
    result = result ? arith::AndIOp::create(b, loc, result, fits) : fits;
    next = arith::MulIOp::create(b, loc, next, size);
  }
  llvm::append_range(strides, metadata.getStrides());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return arith::OrIOp::create(b, loc, result, equal(next, zero));
}

/// Buffers of communications are contiguous.
static LogicalResult checkContiguous(CommunicationOpInterface op) {
  std::pair<OpOperand *, StringRef> buffers[] = {
      {op.getSource(), "source"}, {op.getDestination(), "result"}};
  for (auto [operand, name] : buffers) {
    if (!operand)
      continue;
    auto type = cast<MemRefType>(operand->get().getType());
    SmallVector<int64_t> order = getPartsOrder(type.getRank(), op.getPartDim());
    std::optional<bool> known = isContiguous(type, order);
    if (known == true)
      continue;
    std::string expected =
        ("expected a contiguous " + name + ", row-major" +
         (op.getPartDim()
              ? " with dimension " + Twine(op.getPartDim()) + " first"
              : ""))
            .str();
    if (known == false)
      return op->emitOpError(expected)
             << ", got " << type << "; host-stage-communications copies it";
    OpBuilder b(op);
    SmallVector<Value> strides;
    Value holds =
        emitIsContiguous(b, op.getLoc(), operand->get(), order, strides);
    std::string message =
        (op->getName().getStringRef() + ": " + expected + ", got strides [")
            .str();
    for (size_t i = 0; i < strides.size(); ++i)
      message += (Twine(i ? ", {" : "{") + Twine(i) + "}").str();
    addCheck(b, op.getLoc(), holds,
             message + "]; host-stage-communications copies it", strides);
  }
  return success();
}

LogicalResult host_to_llvm::emitRunTimeChecks(func::FuncOp program) {
  WalkResult result = program.walk([](Operation *op) {
    if (auto product = dyn_cast<MatmulOp>(op))
      checkSizes(product);
    if (auto copy = dyn_cast<CopyOp>(op))
      checkSizes(copy);
    auto communication = dyn_cast<CommunicationOpInterface>(op);
    if (!communication)
      return WalkResult::advance();
    checkSizes(communication);
    return WalkResult(checkContiguous(communication));
  });
  return failure(result.wasInterrupted());
}
