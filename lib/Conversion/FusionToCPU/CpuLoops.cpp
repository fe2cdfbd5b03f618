//===- CpuLoops.cpp - Loops of CPU kernels --------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuMemory.h"
#include "SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;

SmallVector<Value> CpuLoops::emitLoop(Value begin, Value end, int64_t step,
                                      ValueRange init, Body body) {
  return elements.emitLoop(loc, begin, end, memory.getIndex(step), init,
                           [&](Value position, ValueRange carried) {
                             // In larger steps lanes go along with it.
                             if (step == 1)
                               memory.addPosition(position);
                             return body(position, carried);
                           });
}

/// Runs of `kBlockSteps` to the power of `level` steps at a time.
SmallVector<Value> CpuLoops::emitBlocks(unsigned level, Range range,
                                        ValueRange init, const Cascade &cascade,
                                        Body body) {
  auto [begin, end, step] = range;
  if (level == 0)
    return emitLoop(begin, end, step, init, body);
  int64_t span = step;
  for (unsigned i = 0; i < level; ++i)
    span *= kBlockSteps;
  auto emitBlock = [&, end = end, step = step](Value position,
                                               ValueRange carried) {
    Value stop = arith::AddIOp::create(b, loc, position, memory.getIndex(span));
    stop = arith::MinSIOp::create(b, loc, stop, end);
    SmallVector<Value> block = emitBlocks(level - 1, {position, stop, step},
                                          cascade.start(), cascade, body);
    return cascade.join(carried, block);
  };
  return emitLoop(begin, end, span, init, emitBlock);
}

SmallVector<Value> CpuLoops::emitCascade(Range range, ValueRange init,
                                         const Cascade &cascade, Body body) {
  // Levels with one block change no bit: as many as it takes.
  unsigned levels = kMaxSumLevels;
  std::optional<int64_t> first = getConstantIntValue(range.begin);
  std::optional<int64_t> last = getConstantIntValue(range.end);
  if (first && last)
    levels = countSumLevels(llvm::divideCeil(*last - *first, range.step));
  if (init.empty())
    levels = 0;
  return emitBlocks(levels, range, init, cascade, body);
}

SmallVector<Value> CpuLoops::emitTail(Value begin, Value size, ValueRange init,
                                      VectorBody body) {
  Value count = b.createOrFold<arith::SubIOp>(loc, size, begin);
  auto emitBody = [&]() {
    ElementEmitter::Scope scope(elements);
    CpuMemory::TailScope tail(memory, true);
    return body(begin, count, init);
  };
  if (isShort || getConstantIntValue(count))
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

/// The body once, as a tail, for all vectors: half the code. Carried values
/// would be joined in another order.
SmallVector<Value> CpuLoops::emitPartialLoop(Value size, int64_t lanes,
                                             VectorBody body) {
  CpuMemory::TailScope tail(memory, true);
  return emitLoop(memory.getIndex(0), size, lanes, {},
                  [&](Value position, ValueRange carried) {
                    Value count = arith::SubIOp::create(b, loc, size, position);
                    count = arith::MinSIOp::create(b, loc, count,
                                                   memory.getIndex(lanes));
                    return body(position, count, carried);
                  });
}

SmallVector<Value> CpuLoops::emitVectorLoop(OpFoldResult size, int64_t lanes,
                                            ValueRange init, VectorBody body,
                                            const Cascade *cascade) {
  std::optional<int64_t> known = getConstantIntValue(size);
  bool isWhole = lanes == 1 || (known && *known % lanes == 0);
  if (isShort)
    return emitTail(memory.getIndex(0), memory.getIndex(size), init, body);
  if (memory.isKeptRolled() && init.empty() && !isWhole)
    return emitPartialLoop(memory.getIndex(size), lanes, body);
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
    auto whereWhole = [&](Value position, ValueRange values) {
      return body(position, Value(), values);
    };
    Value zero = memory.getIndex(0);
    carried =
        cascade ? emitCascade({zero, whole, lanes}, init, *cascade, whereWhole)
                : emitLoop(zero, whole, lanes, init, whereWhole);
  }
  if (isWhole)
    return carried;
  return emitTail(whole, memory.getIndex(size), carried, body);
}

SmallVector<Value> CpuLoops::delinearize(Value linear,
                                         ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> index =
      emitCoordinates(b, loc, linear, sizes, /*narrow=*/false);
  llvm::for_each(index, [&](Value position) { memory.addPosition(position); });
  return index;
}
