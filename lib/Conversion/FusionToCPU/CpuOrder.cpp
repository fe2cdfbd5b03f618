//===- CpuOrder.cpp - Fibres in order on a CPU ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key is an integer that says what comes first (OrderOpInterface), and
// positions decide between equal ones. So there is one right order, whichever
// of these ways finds it:
//
// *Counting*, for fibres of few elements: the place of an element is the number
// of those before it. Vectors of keys are compared with one key after the
// other, without a branch that depends on them.
//
// *Digits*, from the lowest to the highest (an LSD radix sort): keys and
// positions go from one half of a workspace to the other, to the place that
// those before them leave for their digit. So equal digits stay in order. All
// digits are counted before, in one walk; one that all keys share is left out.
//
// *The op's own way*, a heap in the memory of the result: for the first few of
// many.
//
//===----------------------------------------------------------------------===//

#include "CpuOrder.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Schedule/OrderHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;
using Predicate = arith::CmpIPredicate;
using schedule::kUnknown;

/// Bits of a digit: a table of as many places fits into the nearest cache, and
/// so do the lines that elements go to.
static constexpr int64_t kDigitBits = 8;
static constexpr int64_t kDigits = int64_t(1) << kDigitBits;
/// Of keys that are compared at once, in a few registers.
static constexpr int64_t kComparedBits = 1024;

//===----------------------------------------------------------------------===//
// What both ways need
//===----------------------------------------------------------------------===//

namespace {
/// What both ways of putting one fibre in order are emitted with.
class FibreOrder {
public:
  FibreOrder(SegmentKernel &kernel, const CpuPlan &plan,
             const CpuKernelArguments &arguments, fusion::FibreContext &ctx)
      : elements(kernel.getElements()), plan(plan), order(*plan.order),
        op(order.op), arguments(arguments), ctx(ctx), b(ctx.emit.builder),
        loc(ctx.emit.loc), length(ctx.operandLength(0)) {}

  Value hasAtMost(int64_t most) {
    return compare(Predicate::ule, length, getIndex(most));
  }

protected:
  /// As OrderOpInterface has it.
  Value emitKey(Value place) {
    return op.emitSortKey(ctx.emit, ctx.load(0, place), order.element);
  }
  void storePosition(Value place, Value position) {
    ctx.store(place, convert(position, b.getI64Type()));
  }
  void fillRest();

  using LoopBody =
      function_ref<SmallVector<Value>(Value position, ValueRange carried)>;
  SmallVector<Value> emitLoop(Value begin, Value end, ValueRange init,
                              LoopBody body, int64_t step = 1) {
    return elements.emitLoop(loc, begin, end, getIndex(step), init, body);
  }
  void forEach(Value begin, Value end, function_ref<void(Value)> body,
               int64_t step = 1) {
    auto emit = [&](Value position, ValueRange) {
      body(position);
      return SmallVector<Value>();
    };
    emitLoop(begin, end, {}, emit, step);
  }

  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value getInteger(Type type, int64_t value) {
    return arith::ConstantIntOp::create(b, loc, type, value);
  }
  Value compare(Predicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  template <typename OpT>
  Value make(Value lhs, Value rhs) {
    return b.createOrFold<OpT>(loc, lhs, rhs);
  }
  /// A number without a sign as one of `type`, an integer or an index.
  Value convert(Value value, Type type);
  Value load(Value memory, ValueRange index) {
    return memref::LoadOp::create(b, loc, memory, index);
  }
  void store(Value value, Value memory, ValueRange index) {
    Type type = cast<MemRefType>(memory.getType()).getElementType();
    memref::StoreOp::create(b, loc, convert(value, type), memory, index);
  }

  ElementEmitter &elements;
  const CpuPlan &plan;
  const CpuOrderPlan &order;
  fusion::OrderOpInterface op;
  const CpuKernelArguments &arguments;
  fusion::FibreContext &ctx;
  OpBuilder &b;
  Location loc;
  Value length;
};

class CountedOrder : public FibreOrder {
public:
  using FibreOrder::FibreOrder;
  void emit();

private:
  using IsBefore = function_ref<Value(Value key, Value place)>;
  Value countBefore(Value keys, Value begin, Value end, Value counts,
                    IsBefore isBefore);
  void emitCounts(Value keys, VectorType type, Value block, Value places);
};

class DigitOrder : public FibreOrder {
public:
  using FibreOrder::FibreOrder;
  /// item: which part of the workspaces it has.
  void emit(Value item);

private:
  void loadFibre(Value item, Value counts);
  Value emitStarts(Value counts, Value first);
  void emitPass(Value pass, Value item, Value counts, Value from, Value to);
  Value getDigit(Value key, Value pass);
};
} // namespace

Value FibreOrder::convert(Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex() || type.isIndex())
    return arith::IndexCastUIOp::create(b, loc, type, value);
  if (type.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, loc, type, value);
  return arith::ExtUIOp::create(b, loc, type, value);
}

/// Where there are no more elements.
void FibreOrder::fillRest() {
  Value none = getInteger(b.getI64Type(), -1);
  forEach(length, ctx.length, [&](Value place) { ctx.store(place, none); });
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// Adds to `counts` how many elements from `begin` on, below `end`, are before
/// each of a vector.
Value CountedOrder::countBefore(Value keys, Value begin, Value end,
                                Value counts, IsBefore isBefore) {
  Type type = counts.getType();
  auto body = [&](Value place, ValueRange carried) -> SmallVector<Value> {
    Value key = vector::BroadcastOp::create(b, loc, type, load(keys, place));
    Value one = arith::ExtUIOp::create(b, loc, type, isBefore(key, place));
    return {make<arith::AddIOp>(carried[0], one)};
  };
  return emitLoop(begin, end, counts, body)[0];
}

/// Stores the places of the vector of elements from `block` on. Equal elements
/// are before them if their positions are.
void CountedOrder::emitCounts(Value keys, VectorType type, Value block,
                              Value places) {
  Type key = type.getElementType();
  Value own = vector::LoadOp::create(b, loc, type, keys, block);
  auto isNotBehind = [&](Value key, Value) {
    return compare(Predicate::ule, key, own);
  };
  auto isLess = [&](Value key, Value) {
    return compare(Predicate::ult, key, own);
  };
  auto numbers = llvm::map_to_vector(
      llvm::seq<int64_t>(0, type.getNumElements()),
      [&](int64_t lane) { return APInt(type.getElementTypeBitWidth(), lane); });
  Value lanes =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
  auto isBefore = [&](Value key, Value place) -> Value {
    Value lane =
        convert(make<arith::SubIOp>(place, block), type.getElementType());
    lane = vector::BroadcastOp::create(b, loc, type, lane);
    Value isFirst = make<arith::AndIOp>(compare(Predicate::eq, key, own),
                                        compare(Predicate::ult, lane, lanes));
    return make<arith::OrIOp>(isLess(key, place), isFirst);
  };
  Value end = make<arith::MinUIOp>(
      make<arith::AddIOp>(block, getIndex(type.getNumElements())), length);
  Value counts = vector::BroadcastOp::create(b, loc, type, getInteger(key, 0));
  counts = countBefore(keys, getIndex(0), block, counts, isNotBehind);
  counts = countBefore(keys, block, end, counts, isBefore);
  counts = countBefore(keys, end, length, counts, isLess);
  vector::StoreOp::create(b, loc, counts, places, block);
}

void CountedOrder::emit() {
  Type key = b.getIntegerType(std::max<int64_t>(order.keyBits, 32));
  int64_t most = order.counted;
  if (order.maxLength != kUnknown)
    most = std::min(most, order.maxLength);
  int64_t lanes =
      std::min<int64_t>(getCpuLanes(most, plan.vector),
                        kComparedBits / key.getIntOrFloatBitWidth());
  int64_t padded = llvm::alignTo(std::max<int64_t>(most, 1), lanes);
  Value keys = arguments.scratch->allocate(b, loc, key, padded);
  Value places = arguments.scratch->allocate(b, loc, key, padded);
  Value zero = getIndex(0);
  forEach(zero, length,
          [&](Value place) { store(emitKey(place), keys, place); });
  // Lanes behind the last element count, too: what is not looked at.
  forEach(
      zero, length,
      [&](Value block) {
        emitCounts(keys, VectorType::get(lanes, key), block, places);
      },
      lanes);
  forEach(zero, length, [&](Value position) {
    Value place = convert(load(places, position), b.getIndexType());
    Value isAsked =
        order.isWhole ? Value() : compare(Predicate::ult, place, ctx.length);
    elements.emitEither(
        loc, isAsked, [&] { storePosition(place, position); }, [] {});
  });
  fillRest();
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

static int64_t countDigits(const CpuOrderPlan &order) {
  return llvm::divideCeil(order.keyBits, kDigitBits);
}

/// The elements of the workspaces, in this order: keys, and positions.
static SmallVector<Type, 2> getElementTypes(MLIRContext *context,
                                            const CpuOrderPlan &order) {
  auto isNarrow = [](int64_t most) {
    return most != kUnknown && most <= schedule::kMaxNarrowLength;
  };
  bool hasNarrow = isNarrow(order.maxLength) || isNarrow(order.sorted);
  return {IntegerType::get(context, llvm::alignTo(order.keyBits, 8)),
          IntegerType::get(context, hasNarrow ? 32 : 64)};
}

SmallVector<Value> fuser::createOrderWorkspaces(SegmentLowering &lowering,
                                                const CpuOrderPlan &order,
                                                Value items) {
  OpBuilder &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  fusion::OrderOpInterface op = order.op;
  Value length = emitIndex(host, loc,
                           lowering.getInnerSizes().getDim(
                               op->getOperand(0), op.getOperandFibreDim(0)));
  auto getIndex = [&](int64_t value) {
    return arith::ConstantIndexOp::create(host, loc, value);
  };
  if (order.sorted != kUnknown)
    length =
        host.createOrFold<arith::MinUIOp>(loc, length, getIndex(order.sorted));
  Value twice = host.createOrFold<arith::MulIOp>(loc, length, getIndex(2));
  SmallVector<Value> workspaces;
  for (Type element : getElementTypes(host.getContext(), order)) {
    auto type =
        MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, element);
    workspaces.push_back(
        host::WorkspaceOp::create(host, loc, type, /*number=*/workspaces.size(),
                                  ValueRange{items, twice}, /*zeroed=*/false));
  }
  return workspaces;
}

/// Digit number `pass` of the key, as an index into the counts.
Value DigitOrder::getDigit(Value key, Value pass) {
  Type type = key.getType();
  Value shift =
      make<arith::MulIOp>(convert(pass, type), getInteger(type, kDigitBits));
  Value digit = make<arith::AndIOp>(make<arith::ShRUIOp>(key, shift),
                                    getInteger(type, kDigits - 1));
  return make<arith::AddIOp>(convert(digit, b.getIndexType()),
                             make<arith::MulIOp>(pass, getIndex(kDigits)));
}

/// Puts keys and positions into the first half of the workspaces, and counts
/// how often there is each value of each digit.
void DigitOrder::loadFibre(Value item, Value counts) {
  int64_t numDigits = countDigits(order);
  Value zero = getIndex(0), one = getInteger(b.getI64Type(), 1);
  Type type =
      cast<MemRefType>(arguments.workspaces[0].getType()).getElementType();
  forEach(zero, getIndex(numDigits * kDigits), [&](Value place) {
    store(getInteger(b.getI64Type(), 0), counts, place);
  });
  forEach(zero, length, [&](Value place) {
    Value key = convert(emitKey(place), type);
    store(key, arguments.workspaces[0], {item, place});
    store(place, arguments.workspaces[1], {item, place});
    for (int64_t pass = 0; pass < numDigits; ++pass) {
      Value digit = getDigit(key, getIndex(pass));
      store(make<arith::AddIOp>(load(counts, digit), one), counts, digit);
    }
  });
}

/// In place of the counts of one digit, which are from `first` on, where the
/// elements of each value of it start. True if all elements have one value.
Value DigitOrder::emitStarts(Value counts, Value first) {
  Value all = convert(length, b.getI64Type());
  Value init[] = {getInteger(b.getI64Type(), 0),
                  arith::ConstantIntOp::create(b, loc, 0, 1)};
  auto body = [&](Value value, ValueRange carried) -> SmallVector<Value> {
    Value place = make<arith::AddIOp>(first, value);
    Value count = load(counts, place);
    store(carried[0], counts, place);
    Value isAll = compare(Predicate::eq, count, all);
    return {make<arith::AddIOp>(carried[0], count),
            make<arith::OrIOp>(carried[1], isAll)};
  };
  return emitLoop(getIndex(0), getIndex(kDigits), init, body)[1];
}

/// Moves all elements from the half that starts at `from` to that at `to`.
void DigitOrder::emitPass(Value pass, Value item, Value counts, Value from,
                          Value to) {
  Value keys = arguments.workspaces[0], positions = arguments.workspaces[1];
  Value one = getInteger(b.getI64Type(), 1);
  forEach(getIndex(0), length, [&](Value place) {
    Value source = make<arith::AddIOp>(from, place);
    Value key = load(keys, {item, source});
    Value position = load(positions, {item, source});
    Value digit = getDigit(key, pass);
    Value start = load(counts, digit);
    store(make<arith::AddIOp>(start, one), counts, digit);
    Value target = make<arith::AddIOp>(to, convert(start, b.getIndexType()));
    store(key, keys, {item, target});
    store(position, positions, {item, target});
  });
}

void DigitOrder::emit(Value item) {
  Value counts = arguments.scratch->allocate(b, loc, b.getI64Type(),
                                             countDigits(order) * kDigits);
  loadFibre(item, counts);
  Value halves[] = {getIndex(0), length};
  auto pass = [&](Value pass, ValueRange halves) -> SmallVector<Value> {
    Value isAlike =
        emitStarts(counts, make<arith::MulIOp>(pass, getIndex(kDigits)));
    return elements.emitEither(
        loc, halves.getTypes(), isAlike,
        [&] { return SmallVector<Value>(halves); },
        [&]() -> SmallVector<Value> {
          emitPass(pass, item, counts, halves[0], halves[1]);
          return {halves[1], halves[0]};
        });
  };
  Value result =
      emitLoop(getIndex(0), getIndex(countDigits(order)), halves, pass)[0];
  forEach(getIndex(0), make<arith::MinUIOp>(length, ctx.length),
          [&](Value place) {
            Value source = make<arith::AddIOp>(result, place);
            storePosition(place, load(arguments.workspaces[1], {item, source}));
          });
  fillRest();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

void fuser::emitFibreInOrder(SegmentKernel &kernel, const CpuPlan &plan,
                             const CpuKernelArguments &arguments, Value item,
                             fusion::FibreContext &ctx) {
  const CpuOrderPlan &order = *plan.order;
  CountedOrder counted(kernel, plan, arguments, ctx);
  DigitOrder digits(kernel, plan, arguments, ctx);
  /// One of both, where fibres of at most `most` elements take the first.
  auto emitUpTo = [&](int64_t most, function_ref<void()> then,
                      function_ref<void()> otherwise) {
    if (most == kUnknown ||
        (order.maxLength != kUnknown && order.maxLength <= most))
      return then();
    if (most == 0 || order.minLength > most)
      return otherwise();
    kernel.getElements().emitEither(ctx.emit.loc, counted.hasAtMost(most), then,
                                    otherwise);
  };
  auto emitLong = [&] {
    fusion::FibreOpInterface op = plan.fibres;
    op.emitFibre(ctx);
  };
  emitUpTo(
      order.counted, [&] { counted.emit(); },
      [&] { emitUpTo(order.sorted, [&] { digits.emit(item); }, emitLong); });
}
