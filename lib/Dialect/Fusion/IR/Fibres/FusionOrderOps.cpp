//===- FusionOrderOps.cpp - Argsort, argtopk ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions decide between equal elements, so there is one right order, and any
// algorithm gives it. This one works in the memory of the result: a heap of
// positions, at whose root is the last of them in order. Elements that come
// before the root take its place; then the heap becomes a sorted sequence, the
// last ones first. With n elements and k positions it takes O(n log k) steps.
//
//===----------------------------------------------------------------------===//

#include "FibreUtils.h"
#include "fuser/Support/PowersOfTwo.h"

using namespace fuser;
using namespace fuser::fusion;

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// argsort_c1, argsort_c2
LogicalResult ArgSortOp::verify() {
  return verifyFibreType(*this, std::nullopt,
                         IntegerType::get(getContext(), 64));
}

LogicalResult ArgTopKOp::verify() {
  auto k = static_cast<int64_t>(getK());
  if (k < 0) // argtopk_c2
    return emitOpError() << "expected k to be at least 0, got " << k;
  // argtopk_c1, argtopk_c3
  if (failed(verifyFibreType(*this, k, IntegerType::get(getContext(), 64))))
    return failure();
  int64_t size = getInput().getType().getDimSize(getDim());
  if (!ShapedType::isDynamic(size) && k > size)
    return emitOpError() << "expected k to be at most the size " << size
                         << " of dimension " << getDim() << ", got " << k;
  return success();
}

//===----------------------------------------------------------------------===//
// The heap
//===----------------------------------------------------------------------===//

namespace {
/// Positions of elements in the memory of a fibre of the result, as a heap:
/// none of them comes before its parent in the reverse of the order.
class Heap {
public:
  Heap(FibreContext &ctx, Type type, bool descending)
      : ctx(ctx), emit(ctx.emit), b(emit.builder), loc(emit.loc), type(type),
        descending(descending) {}

  /// Sets the `k` first positions in order, of the `n` there are.
  void sort(Value n, Value k);

private:
  /// A position, and the element there.
  struct Item {
    Value position, element;
  };

  Item getItem(Value position);
  Item load(Value place) { return getItem(ctx.loadResult(place)); }
  Value isBefore(const Item &lhs, const Item &rhs);
  Value getLaterChild(Value left, Value size);
  void sink(const Item &item, Value place, Value size);

  template <typename OpT>
  Value make(Value lhs, Value rhs) {
    return OpT::create(b, loc, lhs, rhs);
  }
  Value index(int64_t value) { return emitIndex(emit, value); }

  FibreContext &ctx;
  EmitContext &emit;
  OpBuilder &b;
  Location loc;
  Type type; ///< Of the elements.
  bool descending;
};
} // namespace

Heap::Item Heap::getItem(Value position) {
  Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), position);
  return {position, ctx.load(0, at)};
}

/// In the order that is asked for, in which no two are equal.
Value Heap::isBefore(const Item &lhs, const Item &rhs) {
  const Item &greater = descending ? lhs : rhs, &less = descending ? rhs : lhs;
  auto [isGreater, isEqual] =
      emitOrder(emit, type, greater.element, less.element,
                /*isGreatest=*/true);
  Value isFirst = emitCompare(emit, Predicate::slt, lhs.position, rhs.position);
  return make<arith::OrIOp>(isGreater, make<arith::AndIOp>(isEqual, isFirst));
}

/// Of the children at `left` and, if that is below `size`, the next place: the
/// place of the one that is later in order.
Value Heap::getLaterChild(Value left, Value size) {
  Value right = make<arith::AddIOp>(left, index(1));
  Value isThere = emitCompare(emit, Predicate::ult, right, size);
  right = emitSelect(emit, isThere, right, left);
  // Of one and the same it is the left one.
  return emitSelect(emit, isBefore(load(left), load(right)), right, left);
}

/// Puts `item` where it belongs among the `size` places, from `place`
/// downwards; what is later in order goes up.
void Heap::sink(const Item &item, Value place, Value size) {
  auto getLeft = [&](Value parent) {
    return make<arith::AddIOp>(make<arith::AddIOp>(parent, parent), index(1));
  };
  Value yes = emitConstant(emit, b.getI1Type(), APInt(1, 1));
  SmallVector<Value> init = {place, yes};
  SmallVector<Type> types = {place.getType(), yes.getType()};
  SmallVector<Location> locs(2, loc);
  auto loop = scf::WhileOp::create(b, loc, types, init);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
    Value hasChild = emitCompare(emit, Predicate::ult,
                                 getLeft(before->getArgument(0)), size);
    Value goesOn = make<arith::AndIOp>(hasChild, before->getArgument(1));
    scf::ConditionOp::create(b, loc, goesOn, before->getArguments());
    Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
    Value at = after->getArgument(0);
    Value child = getLaterChild(getLeft(at), size);
    Item below = load(child);
    Value sinks = isBefore(item, below);
    emitWhere(emit, sinks, [&] { ctx.store(at, below.position); });
    scf::YieldOp::create(b, loc,
                         ValueRange{emitSelect(emit, sinks, child, at), sinks});
  }
  ctx.store(loop.getResult(0), item.position);
}

void Heap::sort(Value n, Value k) {
  Value zero = index(0), one = index(1);
  auto forEach = [&](Value begin, Value end, function_ref<void(Value)> body) {
    emitFor(emit, begin, end, {}, [&](Value position, ValueRange) {
      body(position);
      return SmallVector<Value>();
    });
  };
  auto toPosition = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  };
  /// Calls `body` with the places below `end`, the last one first.
  auto forEachDown = [&](Value end, function_ref<void(Value)> body) {
    Value last = make<arith::SubIOp>(end, one);
    forEach(zero, end,
            [&](Value step) { body(make<arith::SubIOp>(last, step)); });
  };
  forEach(zero, k, [&](Value place) { ctx.store(place, toPosition(place)); });
  forEachDown(make<arith::DivUIOp>(k, index(2)),
              [&](Value place) { sink(load(place), place, k); });
  Value isAny = emitCompare(emit, Predicate::ne, k, zero);
  emitWhere(emit, isAny, [&] {
    forEach(k, n, [&](Value next) {
      Item item = getItem(toPosition(next));
      emitWhere(emit, isBefore(item, load(zero)), [&] { sink(item, zero, k); });
    });
  });
  forEachDown(k, [&](Value place) {
    Item last = load(place);
    ctx.store(place, ctx.loadResult(zero));
    emitWhere(emit, emitCompare(emit, Predicate::ne, place, zero),
              [&] { sink(last, zero, place); });
  });
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// The bits of a float of type `type`, in compute type, such that greater ones
/// are greater: -0 is +0, NaN is greater than all numbers, and there is one.
static Value emitFloatKey(EmitContext &ctx, Value element, Type type) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  unsigned bits = type.getIntOrFloatBitWidth();
  Value isNaN = emitCompare(ctx, arith::CmpFPredicate::UNO, element, element);
  Value zero = emitConstant(ctx, element.getType(), 0);
  Value isZero = emitCompare(ctx, arith::CmpFPredicate::OEQ, element, zero);
  element = emitSelect(ctx, isZero, zero, element);
  Type narrow = withElementType(element.getType(), type);
  if (element.getType() != narrow)
    element = arith::TruncFOp::create(b, loc, narrow, element);
  Type integer = withElementType(narrow, b.getIntegerType(bits));
  auto constant = [&](const APInt &value) {
    return emitConstant(ctx, integer, value);
  };
  Value raw = arith::BitcastOp::create(b, loc, integer, element);
  // Without a sign the greater has the greater bits, and NaN the greatest.
  if (isPowersOfTwo(type))
    return raw;
  Value sign =
      arith::ShRSIOp::create(b, loc, raw, constant(APInt(bits, bits - 1)));
  // Of a negative one all bits are turned, else the sign's.
  Value turned =
      arith::OrIOp::create(b, loc, sign, constant(APInt::getSignMask(bits)));
  Value key = arith::XOrIOp::create(b, loc, raw, turned);
  return emitSelect(ctx, isNaN, constant(APInt::getAllOnes(bits)), key);
}

/// See OrderOpInterface.
static Value emitKey(EmitContext &ctx, Value element, Type type,
                     bool descending) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  unsigned bits = type.getIntOrFloatBitWidth(), word = std::max(bits, 32u);
  Value key = element;
  if (isa<FloatType>(type))
    key = emitFloatKey(ctx, element, type);
  else if (isSignedElement(type))
    key = arith::XOrIOp::create(
        b, loc, key,
        emitConstant(ctx, key.getType(), APInt::getSignMask(bits)));
  if (descending)
    key = arith::XOrIOp::create(
        b, loc, key, emitConstant(ctx, key.getType(), APInt::getAllOnes(bits)));
  if (bits == word)
    return key;
  return arith::ExtUIOp::create(
      b, loc, withElementType(key.getType(), b.getIntegerType(word)), key);
}

Value ArgSortOp::emitSortKey(EmitContext &ctx, Value element, Type type) {
  return emitKey(ctx, element, type, getDescending());
}

Value ArgTopKOp::emitSortKey(EmitContext &ctx, Value element, Type type) {
  return emitKey(ctx, element, type, getDescending());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ArgSortOp::emitFibre(FibreContext &ctx) {
  Heap(ctx, getInput().getType().getElementType(), getDescending())
      .sort(ctx.length, ctx.length);
}

void ArgTopKOp::emitFibre(FibreContext &ctx) {
  EmitContext &emit = ctx.emit;
  Value n = ctx.operandLength(0);
  Value k = arith::MinUIOp::create(emit.builder, emit.loc, n, ctx.length);
  Heap(ctx, getInput().getType().getElementType(), getDescending()).sort(n, k);
  Value none = emitConstant(emit, ctx.type, APInt(64, -1, /*isSigned=*/true));
  emitFor(emit, k, ctx.length, {}, [&](Value place, ValueRange) {
    ctx.store(place, none);
    return SmallVector<Value>();
  });
}
