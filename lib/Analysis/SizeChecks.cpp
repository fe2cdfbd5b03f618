//===- SizeChecks.cpp - What sizes must obey at run time ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/SizeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

#include "fuser/Analysis/SizeChecks.cpp.inc"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

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
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(ctx.builder, ctx.loc, a, b);
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
  void expect(Value condition, const Twine &message, ValueRange values) {
    check(condition, message.str(), values);
  }
  Value countElements(Value tensor) {
    Value count = constant(1);
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    for (int64_t index = 0; index < rank; ++index)
      count = mul(count, dim(tensor, index));
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
    Value had = checker.countElements(from), got = checker.countElements(to);
    checker.expect(checker.compare(arith::CmpIPredicate::eq, had, got),
                   "fusion.reshape: expected a shape of as many elements as "
                   "the input has, {0}, got {1}",
                   {had, got});
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
                   "fusion.slice, dimension " + Twine(dim) +
                       ": expected an offset and a size of at least 0 and a "
                       "step of at least 1, got {0}, {1} and {2}",
                   {offset, size, step});
    Value last = checker.add(offset, checker.mul(checker.sub(size, one), step));
    // Not by `last`, which is wrong where it does not fit into 64 bits.
    Value room = checker.sub(checker.sub(extent, one), offset);
    Value steps = checker.divide(room, checker.max(step, one));
    Value fits = checker.both(
        checker.compare(Predicate::sge, room, zero),
        checker.compare(Predicate::sle, checker.sub(size, one), steps));
    Value inside =
        checker.either(checker.compare(Predicate::eq, size, zero), fits);
    checker.expect(inside,
                   "fusion.slice, dimension " + Twine(dim) +
                       ": expected a slice of the {0} elements of the input, "
                       "got one whose last element is number {1}",
                   {extent, last});
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
      if (dim == static_cast<int64_t>(cat.getDim()))
        continue;
      for (auto [number, input] :
           llvm::drop_begin(llvm::enumerate(cat.getInputs()))) {
        OpFoldResult expected = ctx.dim(first, dim), got = ctx.dim(input, dim);
        if (expected == got)
          continue;
        Value a = checker.value(expected), b = checker.value(got);
        checker.expect(checker.compare(arith::CmpIPredicate::eq, a, b),
                       "fusion.cat: expected input " + Twine(number) +
                           " to have size {0} in dimension " + Twine(dim) +
                           " as input 0 has, got {1}",
                       {a, b});
      }
    }
  }
};

} // namespace

void fuser::registerSizeChecks(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, FusionDialect *) {
    ReshapeOp::attachInterface<ReshapeChecks>(*context);
    SliceOp::attachInterface<SliceChecks>(*context);
    CatOp::attachInterface<CatChecks>(*context);
  });
}
