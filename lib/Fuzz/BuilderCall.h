//===- BuilderCall.h - Ops of builders in random programs -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_FUZZ_BUILDERCALL_H
#define FUSER_LIB_FUZZ_BUILDERCALL_H

#include "GrowingProgram.h"

namespace fuser::fuzz {

/// An op by its name, while its operands and options are chosen.
class Call {
public:
  Call(GrowingProgram &program, const Twine &name)
      : program(program), name(name.str()) {}

  Call &add(Value operand) {
    operands.push_back(operand);
    return *this;
  }
  Call &add(const Tensor &tensor) { return add(tensor.value); }
  Call &add(double number) {
    return addNumber(program.builder.getF64FloatAttr(number));
  }
  /// Two integers.
  Call &addSeed() {
    for (int i = 0; i < 2; ++i)
      addInteger(program.random.between(-9, 9));
    return *this;
  }
  Call &addInteger(int64_t number) {
    return addNumber(program.builder.getI64IntegerAttr(number));
  }
  /// A seed, an offset, and what makes a tensor of an element type and sizes.
  Call &addRandom(ArrayRef<Dim> dims, Type element);
  Call &set(StringRef option, Attribute value) {
    options.set(option, value);
    return *this;
  }
  Call &set(StringRef option, int64_t number = 1) {
    return set(option, program.builder.getI64IntegerAttr(number));
  }
  Call &set(StringRef option, ArrayRef<int64_t> numbers) {
    return set(option, program.builder.getDenseI64ArrayAttr(numbers));
  }

  /// The results; none if the op is refused.
  SmallVector<Value> emit();

  SmallVector<Value> operands;
  NamedAttrList options;

private:
  Call &addNumber(TypedAttr number);

  GrowingProgram &program;
  std::string name;
};

} // namespace fuser::fuzz

#endif // FUSER_LIB_FUZZ_BUILDERCALL_H
