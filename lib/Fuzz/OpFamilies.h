//===- OpFamilies.h - Ops of random programs, by family -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function adds ops that use the tensor given, or none where the tensor is
// not what they need.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_FUZZ_OPFAMILIES_H
#define FUSER_LIB_FUZZ_OPFAMILIES_H

#include "GrowingProgram.h"

namespace fuser::fuzz {

// Element by element.
void addSimpleUnary(GrowingProgram &program, const Tensor &tensor);
/// A transcendental function, a root or a quotient of f32 and others.
void addFunction(GrowingProgram &program, const Tensor &tensor);
void addBinary(GrowingProgram &program, const Tensor &tensor);
void addDivision(GrowingProgram &program, const Tensor &tensor);
void addChoice(GrowingProgram &program, const Tensor &tensor);
void addCast(GrowingProgram &program, const Tensor &tensor);
/// To f16 or bf16, as a result.
void addNarrowing(GrowingProgram &program, const Tensor &tensor);
void addCopy(GrowingProgram &program, const Tensor &tensor);
void addConstant(GrowingProgram &program, const Tensor &tensor);
/// Random numbers, beside the tensor.
void addRandom(GrowingProgram &program, const Tensor &tensor);

/// Any op that says of itself how to make one.
void addSampled(GrowingProgram &program, const Tensor &tensor);

// Reductions.
void addReduction(GrowingProgram &program, const Tensor &tensor);
/// Of all dimensions but one or two, which often lie between others; half of
/// them of a tensor whose sizes of 1 are repeated.
void addReductionAround(GrowingProgram &program, const Tensor &tensor);
/// A softmax or a norm: reductions whose results meet what was reduced.
void addNormalisation(GrowingProgram &program, const Tensor &tensor);

// Index maps.
void addPermute(GrowingProgram &program, const Tensor &tensor);
void addReshape(GrowingProgram &program, const Tensor &tensor);
void addSlice(GrowingProgram &program, const Tensor &tensor);
void addCat(GrowingProgram &program, const Tensor &tensor);
void addExpand(GrowingProgram &program, const Tensor &tensor);
/// The halves of a dimension, changed round.
void addRotation(GrowingProgram &program, const Tensor &tensor);
void addTake(GrowingProgram &program, const Tensor &tensor);
void addTakeAlongAxis(GrowingProgram &program, const Tensor &tensor);
void addPad(GrowingProgram &program, const Tensor &tensor);

// Fibres.
void addScan(GrowingProgram &program, const Tensor &tensor);
void addOrder(GrowingProgram &program, const Tensor &tensor);
void addScatter(GrowingProgram &program, const Tensor &tensor);

/// A complex tensor of two real ones, ops on it, and a real one of it.
void addComplex(GrowingProgram &program, const Tensor &tensor);

// What is replaced before anything else is done with a program.
/// An op of builders of one to five tensors of one shape.
void addComposite(GrowingProgram &program, const Tensor &tensor);
/// One with operands of its own, and maybe its gradient.
void addCompositeCall(GrowingProgram &program, const Tensor &tensor);
/// Numbers that the program says one by one.
void addDense(GrowingProgram &program, const Tensor &tensor);
/// New dimensions, and repetition, in one.
void addBroadcastInDim(GrowingProgram &program, const Tensor &tensor);

// Products.
void addContraction(GrowingProgram &program, const Tensor &tensor);

/// A tensor of i32 or i64.
struct Indices {
  Value value;
  bool isInside; ///< All of them.
};

/// Numbers below `size`, most of them; sometimes a few that are not, on either
/// side.
Indices makeIndices(GrowingProgram &program, ArrayRef<Dim> dims, int64_t size);

/// `tensor`, which has been reduced with `keep`, with the sizes `dims` again.
Tensor expandTo(GrowingProgram &program, const Tensor &tensor,
                ArrayRef<Dim> dims);

/// Most dimensions of size 1 with other sizes, as far as the result stays
/// small.
Tensor expandSome(GrowingProgram &program, const Tensor &tensor);

/// A part of an input, its dimensions in any order, repeated or not.
Tensor addView(GrowingProgram &program, const Input &input);

} // namespace fuser::fuzz

#endif // FUSER_LIB_FUZZ_OPFAMILIES_H
