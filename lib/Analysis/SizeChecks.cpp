//===- SizeChecks.cpp - What sizes must obey at run time ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/SizeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include <limits>

#include "fuser/Analysis/SizeChecks.cpp.inc"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// No number of elements: the largest signed number of 64 bits.
static constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();

namespace {

/// Index arithmetic where the checks go.
class Checker {
public:
  Checker(EmitContext &ctx, SizeCheckFn check) : ctx(ctx), check(check) {}

  Value value(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(ctx.builder, ctx.loc, size);
  }
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(ctx.builder, ctx.loc, number);
  }
  Value dim(Value tensor, int64_t index) {
    return value(ctx.dim(tensor, index));
  }
  Value scalar(OpFoldResult operand) {
    if (auto inner = dyn_cast<Value>(operand))
      return ctx.scalar(inner);
    return value(operand);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(ctx.builder, ctx.loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubIOp::create(ctx.builder, ctx.loc, a, b);
  }
  Value divide(Value a, Value b) {
    return arith::DivSIOp::create(ctx.builder, ctx.loc, a, b);
  }
  Value max(Value a, Value b) {
    return arith::MaxSIOp::create(ctx.builder, ctx.loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(ctx.builder, ctx.loc, predicate, a, b);
  }
  Value both(Value a, Value b) {
    return arith::AndIOp::create(ctx.builder, ctx.loc, a, b);
  }
  Value either(Value a, Value b) {
    return arith::OrIOp::create(ctx.builder, ctx.loc, a, b);
  }
  void expect(Value condition, const Twine &message, ValueRange values,
              std::optional<int64_t> dim = {}) {
    check(condition, message.str(), values, dim);
  }
  SmallVector<Value> dims(Value tensor) {
    SmallVector<Value> sizes;
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    for (int64_t index = 0; index < rank; ++index)
      sizes.push_back(dim(tensor, index));
    return sizes;
  }
  /// The product of sizes, which are not negative; kTooMany if it is that or
  /// more. A size of 0 makes any product 0.
  Value countElements(ValueRange sizes) {
    Value count = constant(1);
    Value zero = constant(0), tooMany = constant(kTooMany);
    for (Value size : sizes) {
      auto product =
          arith::MulUIExtendedOp::create(ctx.builder, ctx.loc, count, size);
      Value wraps =
          either(compare(arith::CmpIPredicate::ne, product.getHigh(), zero),
                 compare(arith::CmpIPredicate::slt, product.getLow(), zero));
      count = arith::SelectOp::create(ctx.builder, ctx.loc, wraps, tooMany,
                                      product.getLow());
    }
    return count;
  }

private:
  EmitContext &ctx;
  SizeCheckFn check;
};

struct ReshapeChecks
    : public SizeCheckOpInterface::ExternalModel<ReshapeChecks, ReshapeOp> {
  void emitSizeChecks(Operation *op, EmitContext &ctx,
                      SizeCheckFn check) const {
    Checker checker(ctx, check);
    Value from = op->getOperand(0), to = op->getResult(0);
    if (cast<RankedTensorType>(from.getType()).hasStaticShape() &&
        cast<RankedTensorType>(to.getType()).hasStaticShape())
      return;
    SmallVector<Value> shape = checker.dims(to), given = checker.dims(from);
    Value had = checker.countElements(given);
    checkIsCounted(checker, had, given, "an input");
    Value got = checker.countElements(shape);
    checkIsCounted(checker, got, shape, "a shape");
    SmallVector<Value> values{had, got};
    std::string before = listSizes(given, values);
    std::string after = listSizes(shape, values);
    checker.expect(checker.compare(arith::CmpIPredicate::eq, had, got),
                   "expected a shape of as many elements as "
                   "the input has, {0}, got {1}: from " +
                       before + " to " + after,
                   values);
  }

  /// "[{2}, {3}]" for sizes, which become values of the message.
  static std::string listSizes(ArrayRef<Value> sizes,
                               SmallVectorImpl<Value> &values) {
    std::string text;
    for (Value size : sizes) {
      text += (Twine(text.empty() ? "{" : ", {") + Twine(values.size()) + "}")
                  .str();
      values.push_back(size);
    }
    return "[" + text + "]";
  }

  static void checkIsCounted(Checker &checker, Value count,
                             ArrayRef<Value> shape, StringRef what) {
    std::string sizes;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      sizes += (Twine(dim ? " x {" : "{") + Twine(dim) + "}").str();
    checker.expect(checker.compare(arith::CmpIPredicate::ne, count,
                                   checker.constant(kTooMany)),
                   "expected " + what +
                       " whose number of elements is less than 2^63 - 1, got " +
                       sizes,
                   shape);
  }
};

struct SliceChecks
    : public SizeCheckOpInterface::ExternalModel<SliceChecks, SliceOp> {
  void emitSizeChecks(Operation *op, EmitContext &ctx,
                      SizeCheckFn check) const {
    auto slice = cast<SliceOp>(op);
    for (int64_t dim = 0, rank = slice.getType().getRank(); dim < rank; ++dim)
      checkDim(slice, dim, ctx, check);
  }

  static void checkDim(SliceOp slice, int64_t dim, EmitContext &ctx,
                       SizeCheckFn check) {
    using Predicate = arith::CmpIPredicate;
    OpFoldResult parts[] = {slice.getMixedOffsets()[dim],
                            slice.getMixedSizes()[dim],
                            slice.getMixedSteps()[dim]};
    if (llvm::all_of(parts,
                     [](OpFoldResult part) { return isa<Attribute>(part); }) &&
        !slice.getInput().getType().isDynamicDim(dim))
      return; // The verifier has looked.
    Checker checker(ctx, check);
    Value offset = checker.scalar(parts[0]), size = checker.scalar(parts[1]);
    Value step = checker.scalar(parts[2]);
    Value extent = checker.dim(slice.getInput(), dim);
    Value zero = checker.constant(0), one = checker.constant(1);
    Value positive =
        checker.both(checker.both(checker.compare(Predicate::sge, offset, zero),
                                  checker.compare(Predicate::sge, size, zero)),
                     checker.compare(Predicate::sge, step, one));
    checker.expect(positive,
                   "expected an offset and a size of at least 0 and a "
                   "step of at least 1, got {0}, {1} and {2}",
                   {offset, size, step}, dim);
    // Not by the last element's number, which may not fit into 64 bits.
    Value room = checker.sub(checker.sub(extent, one), offset);
    Value steps = checker.divide(room, checker.max(step, one));
    Value fits = checker.both(
        checker.compare(Predicate::sge, room, zero),
        checker.compare(Predicate::sle, checker.sub(size, one), steps));
    Value inside =
        checker.either(checker.compare(Predicate::eq, size, zero), fits);
    checker.expect(inside,
                   "expected a slice of the {0} elements of the input, "
                   "got offset {1}, size {2} and step {3}",
                   {extent, offset, size, step}, dim);
  }
};

struct CatChecks
    : public SizeCheckOpInterface::ExternalModel<CatChecks, CatOp> {
  void emitSizeChecks(Operation *op, EmitContext &ctx,
                      SizeCheckFn check) const {
    auto cat = cast<CatOp>(op);
    Checker checker(ctx, check);
    Value first = cat.getInputs().front();
    for (int64_t dim = 0, rank = cat.getType().getRank(); dim < rank; ++dim) {
      if (dim == static_cast<int64_t>(cat.getDim())) {
        checkSum(cat, checker);
        continue;
      }
      for (auto [number, input] :
           llvm::drop_begin(llvm::enumerate(cat.getInputs()))) {
        OpFoldResult expected = ctx.dim(first, dim), got = ctx.dim(input, dim);
        if (expected == got)
          continue;
        Value a = checker.value(expected), b = checker.value(got);
        checker.expect(checker.compare(arith::CmpIPredicate::eq, a, b),
                       "expected input " + Twine(number) +
                           " to have size {0} in dimension " + Twine(dim) +
                           " as input 0 has, got {1}",
                       {a, b});
      }
    }
  }

  /// Each size is a number of 64 bits; of inputs that are in no memory (of one
  /// value, say) the sum may be none.
  static void checkSum(CatOp cat, Checker &checker) {
    int64_t dim = cat.getDim();
    if (!cat.getType().isDynamicDim(dim))
      return;
    Value zero = checker.constant(0), sum = zero, fits;
    for (Value input : cat.getInputs()) {
      sum = checker.add(sum, checker.dim(input, dim));
      Value isSum = checker.compare(arith::CmpIPredicate::sge, sum, zero);
      fits = fits ? checker.both(fits, isSum) : isSum;
    }
    checker.expect(fits,
                   "expected the sizes of the inputs in dimension " +
                       Twine(dim) + " to add up to less than 2^63, got more",
                   {});
  }
};

struct PadChecks
    : public SizeCheckOpInterface::ExternalModel<PadChecks, PadOp> {
  void emitSizeChecks(Operation *op, EmitContext &ctx,
                      SizeCheckFn check) const {
    auto pad = cast<PadOp>(op);
    for (int64_t dim = 0, rank = pad.getType().getRank(); dim < rank; ++dim)
      if (pad.isPadded(dim))
        checkDim(pad, dim, ctx, check);
  }

  static void checkDim(PadOp pad, int64_t dim, EmitContext &ctx,
                       SizeCheckFn check) {
    using Predicate = arith::CmpIPredicate;
    OpFoldResult added[] = {pad.getMixedLow()[dim], pad.getMixedHigh()[dim]};
    bool isKnown = llvm::all_of(
        added, [](OpFoldResult number) { return isa<Attribute>(number); });
    if (isKnown && !pad.getInput().getType().isDynamicDim(dim))
      return; // The verifier has looked.
    Checker checker(ctx, check);
    Value low = checker.scalar(added[0]), high = checker.scalar(added[1]);
    Value size = checker.dim(pad.getInput(), dim), zero = checker.constant(0);
    if (!isKnown)
      checker.expect(checker.both(checker.compare(Predicate::sge, low, zero),
                                  checker.compare(Predicate::sge, high, zero)),
                     "expected to add no less than 0 elements, got {0} and {1}",
                     {low, high}, dim);
    // The sum of two sizes of 64 bits is less than 0 if it is none.
    Value before = checker.add(low, size), whole = checker.add(before, high);
    checker.expect(checker.both(checker.compare(Predicate::sge, before, zero),
                                checker.compare(Predicate::sge, whole, zero)),
                   "expected less than 2^63 elements, got the sum of "
                   "{0}, {1} and {2}",
                   {low, size, high}, dim);
    if (pad.getMode() == PadMode::Constant)
      return;
    Value most = checker.max(low, high);
    Value needed = most;
    if (pad.getMode() == PadMode::Replicate)
      needed = checker.constant(1);
    Value isEnough = pad.getMode() == PadMode::Reflect
                         ? checker.compare(Predicate::sgt, size, needed)
                         : checker.compare(Predicate::sge, size, needed);
    checker.expect(
        checker.either(checker.compare(Predicate::sle, most, zero), isEnough),
        "expected enough elements to add {0} and {1} in the mode " +
            stringifyPadMode(pad.getMode()).str() + ", got {2}",
        {low, high, size}, dim);
  }
};

struct TopKChecks
    : public SizeCheckOpInterface::ExternalModel<TopKChecks, ArgTopKOp> {
  void emitSizeChecks(Operation *op, EmitContext &ctx,
                      SizeCheckFn check) const {
    auto top = cast<ArgTopKOp>(op);
    auto dim = static_cast<int64_t>(top.getDim());
    if (!top.getInput().getType().isDynamicDim(dim))
      return; // The verifier has looked.
    Checker checker(ctx, check);
    Value size = checker.dim(top.getInput(), dim);
    Value k = checker.constant(static_cast<int64_t>(top.getK()));
    checker.expect(checker.compare(arith::CmpIPredicate::sge, size, k),
                   "expected at least {0} elements in "
                   "dimension " +
                       Twine(dim) + ", got {1}",
                   {k, size});
  }
};

} // namespace

void fuser::registerSizeChecks(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, FusionDialect *) {
    ReshapeOp::attachInterface<ReshapeChecks>(*context);
    SliceOp::attachInterface<SliceChecks>(*context);
    CatOp::attachInterface<CatChecks>(*context);
    PadOp::attachInterface<PadChecks>(*context);
    ArgTopKOp::attachInterface<TopKChecks>(*context);
  });
}
