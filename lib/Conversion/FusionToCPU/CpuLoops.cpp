//===- CpuLoops.cpp - Loops of CPU kernels
//---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;

SmallVector<Value> CpuLoops::emitLoop(Value begin, Value end, int64_t step,
                                      ValueRange init, Body body) {
  auto loop =
      scf::ForOp::create(b, loc, begin, end, memory.getIndex(step), init);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(elements);
  if (init.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> CpuLoops::emitTail(Value begin, Value size, int64_t lanes,
                                      ValueRange init, VectorBody body) {
  Value count = b.createOrFold<arith::SubIOp>(loc, size, begin);
  auto emitBody = [&]() {
    ElementEmitter::Scope scope(elements);
    CpuMemory::TailScope tail(memory, true);
    return body(begin, count, init);
  };
  if (getConstantIntValue(count))
    return emitBody();
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, count,
                                    memory.getIndex(0));
  auto branch = scf::IfOp::create(b, loc, TypeRange(init), any,
                                  /*withElseRegion=*/!init.empty());
  OpBuilder::InsertionGuard guard(b);
  if (init.empty()) {
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    emitBody();
    return {};
  }
  b.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> next = emitBody();
  scf::YieldOp::create(b, loc, next);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, init);
  return SmallVector<Value>(branch.getResults());
}

SmallVector<Value> CpuLoops::emitVectorLoop(OpFoldResult size, int64_t lanes,
                                            ValueRange init, VectorBody body) {
  std::optional<int64_t> known = getConstantIntValue(size);
  Value whole;
  if (known) {
    whole = memory.getIndex(*known / lanes * lanes);
  } else {
    Value rest = b.createOrFold<arith::AndIOp>(loc, memory.getIndex(size),
                                               memory.getIndex(lanes - 1));
    whole = b.createOrFold<arith::SubIOp>(loc, memory.getIndex(size), rest);
  }
  SmallVector<Value> carried(init);
  if (!known || *known >= lanes) {
    CpuMemory::TailScope noTail(memory, false);
    carried = emitLoop(memory.getIndex(0), whole, lanes, init,
                       [&](Value position, ValueRange values) {
                         return body(position, Value(), values);
                       });
  }
  if (lanes == 1 || (known && *known % lanes == 0))
    return carried;
  return emitTail(whole, memory.getIndex(size), lanes, carried, body);
}

SmallVector<Value> CpuLoops::delinearize(Value linear,
                                         ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> index(sizes.size());
  for (int64_t dim = sizes.size() - 1; dim > 0; --dim) {
    Value size = memory.getIndex(sizes[dim]);
    index[dim] = b.createOrFold<arith::RemUIOp>(loc, linear, size);
    linear = b.createOrFold<arith::DivUIOp>(loc, linear, size);
  }
  if (!index.empty())
    index[0] = linear;
  return index;
}

Value CpuLoops::getProduct(ArrayRef<OpFoldResult> sizes) {
  Value product = memory.getIndex(1);
  for (OpFoldResult size : sizes)
    product =
        b.createOrFold<arith::MulIOp>(loc, product, memory.getIndex(size));
  return product;
}
