//===- ComplexOps.cpp - Complex numbers in random programs ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They are kept apart from the program's other tensors, so that all other
// families have real ones.
//
//===----------------------------------------------------------------------===//

#include "BuilderCall.h"
#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include <algorithm>
#include <cmath>

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

/// Of f32 or f64; of real tensors, or an input.
static Tensor makeComplex(GrowingProgram &program, const Tensor &tensor) {
  Type element = ComplexType::get(tensor.element);
  for (const Tensor &other : program.getApart())
    if (other.element == element && areAlike(other.dims, tensor.dims) &&
        program.random.chance(50))
      return other;
  if (program.canAddInput() && program.random.chance(30))
    return program.addInput(tensor.dims, element);
  if (program.random.chance(15)) {
    // Of the normal ones -ln 2^-53 is less than 37, the root of twice which is
    // the greatest.
    bool isUniform = program.random.chance(50);
    Call call(program, isUniform ? "uniform" : "normal");
    call.add(0.0).add(1.0).addRandom(tensor.dims, element);
    // Builders know sizes that constants say, which the other operands' types
    // may not.
    SmallVector<Value> results = call.emit();
    if (!results.empty() &&
        results.front().getType() == program.getType(tensor.dims, element))
      return {
          results.front(), tensor.dims, element, {isUniform ? 1.5 : 9, false}};
  }
  Tensor re = program.tame(tensor), im = program.tame(program.pickLike(re));
  Value value = ComplexOp::create(program.builder, re.value, im.value);
  return {value, tensor.dims, element, {6, false}};
}

/// `z` behind one more op.
static Tensor addOne(GrowingProgram &program, Tensor z, const Tensor &like) {
  ImplicitLocOpBuilder &b = program.builder;
  double &limit = z.range.limit;
  z.range.isExact = false;
  switch (program.random.below(6)) {
  case 0:
    z.value = NegOp::create(b, z.value);
    return z;
  case 1:
    z.value = ConjOp::create(b, z.value);
    return z;
  case 2: {
    Tensor other = makeComplex(program, like);
    z.value = AddOp::create(b, z.value, other.value);
    limit += other.range.limit;
    return z;
  }
  case 3: {
    Tensor other = makeComplex(program, like);
    z.value = MulOp::create(b, z.value, other.value);
    limit *= other.range.limit;
    return z;
  }
  case 4:
    if (limit > 10)
      return z;
    z.value = ExpOp::create(b, z.value);
    limit = std::exp(limit);
    return z;
  default:
    z.value = SetOp::create(b, z.value);
    return z;
  }
}

void fuzz::addComplex(GrowingProgram &program, const Tensor &tensor) {
  ImplicitLocOpBuilder &b = program.builder;
  Tensor like = tensor;
  if (!tensor.isFloat())
    return;
  if (!tensor.element.isF32() && !tensor.element.isF64()) {
    auto type = program.getType(tensor.dims, b.getF32Type());
    like = program.add(CastOp::create(b, type, tensor.value), tensor.dims,
                       tensor.range);
  }
  Tensor z = makeComplex(program, like);
  for (int64_t count = program.random.between(0, 3); count > 0; --count)
    z = addOne(program, z, like);
  // Those that grow are nobody's operand.
  if (z.range.limit < 100)
    program.addApart(z);
  Value part;
  switch (program.random.below(4)) {
  case 0:
    part = RealOp::create(b, z.value);
    break;
  case 2:
    part = AngleOp::create(b, z.value);
    z.range.limit = 3.2;
    break;
  case 1:
    part = ImagOp::create(b, z.value);
    break;
  default:
    part = ModulusOp::create(b, z.value);
  }
  program.add(part, z.dims, {z.range.limit, /*isExact=*/false});
}
