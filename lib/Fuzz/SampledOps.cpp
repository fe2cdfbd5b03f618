//===- SampledOps.cpp - Ops that say how to make one ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No op has its name here: an op that is added to the dialect with the
// interface is in random programs from then on.
//
//===----------------------------------------------------------------------===//

#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include <cmath>

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

using Sampled = const SampledOpInterface::Concept *;

namespace {
struct Candidate {
  RegisteredOperationName name;
  Sampled sampled;
};
} // namespace

/// The ops that take these elements, in the order of their names.
static SmallVector<Candidate> getCandidates(MLIRContext *context,
                                            Type element) {
  SmallVector<Candidate> candidates;
  StringRef dialect = FusionDialect::getDialectNamespace();
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() == dialect)
      if (Sampled sampled = name.getInterface<SampledOpInterface>())
        if (sampled->takesElement(element))
          candidates.push_back({name, sampled});
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.name.getStringRef() < b.name.getStringRef();
  });
  return candidates;
}

/// `tensor`, or what is made of it, for the op's operand `number`.
static Tensor fitOperand(GrowingProgram &program, Sampled sampled,
                         const Tensor &tensor, unsigned number) {
  double least = number == 0 ? sampled->getLeastOperand() : 0;
  if (!tensor.isFloat())
    return tensor;
  Tensor fitting = program.tame(tensor, sampled->getOperandLimit() - least);
  if (least == 0)
    return fitting;
  ImplicitLocOpBuilder &b = program.builder;
  Tensor magnitude =
      program.add(AbsOp::create(b, fitting.value), fitting.dims, fitting.range);
  TypedAttr scalar = FloatAttr::get(tensor.element, least);
  Value sum = AddOp::create(b, magnitude.value, Value(), scalar);
  return program.add(sum, fitting.dims, {fitting.range.limit + least, false});
}

/// A number that stands for an operand.
static TypedAttr pickNumber(GrowingProgram &program, Type element) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element,
                          program.random.pick({0.5, 0.7, 1.3, 2.0, 3.0}));
  if (element.isInteger(1))
    return program.builder.getBoolAttr(program.random.chance(50));
  return IntegerAttr::get(element,
                          program.random.pick<int64_t>({0, 1, -1, 3, 7}));
}

void fuzz::addSampled(GrowingProgram &program, const Tensor &tensor) {
  ImplicitLocOpBuilder &b = program.builder;
  SmallVector<Candidate> candidates =
      getCandidates(b.getContext(), tensor.element);
  const Candidate &candidate =
      program.random.pick(ArrayRef<Candidate>(candidates));
  Sampled sampled = candidate.sampled;
  OperationState state(b.getLoc(), candidate.name);
  Tensor first = fitOperand(program, sampled, tensor, 0);
  state.addOperands(first.value);
  double limit = first.range.limit;
  bool isExact = first.range.isExact;
  if (candidate.name.hasTrait<TakesScalar>()) {
    double other = 8;
    if (program.random.chance(30)) {
      state.addAttribute("scalar", pickNumber(program, tensor.element));
      // The first operand may have to be positive.
      if (sampled->getLeastOperand() == 0 && program.random.chance(40))
        state.addAttribute("scalar_first", b.getUnitAttr());
    } else {
      Tensor second = fitOperand(program, sampled, program.pickLike(first), 1);
      state.addOperands(second.value);
      other = second.range.limit;
      isExact &= second.range.isExact;
    }
    limit = std::max(sampled->getResultLimit(limit, other),
                     sampled->getResultLimit(other, limit));
  } else {
    limit = sampled->getResultLimit(limit, limit);
  }
  auto *inference = candidate.name.getInterface<InferTypeOpInterface>();
  if (failed(inference->inferReturnTypes(
          b.getContext(), b.getLoc(), state.operands, b.getDictionaryAttr({}),
          /*properties=*/nullptr, /*regions=*/{}, state.types)))
    llvm_unreachable("the type follows from the operands");
  Type element = getElementTypeOrSelf(state.types.front());
  auto op = cast<ElementwiseOpInterface>(b.create(state));
  isExact &= op.isExact() && !isa<FloatType>(element);
  Magnitude range{element.isInteger(1) ? 1 : limit, isExact};
  // The op is there; too great a number is nobody's operand.
  if (fits(element, range))
    program.add(op->getResult(0), tensor.dims, range);
}
