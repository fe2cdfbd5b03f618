//===- Number.h - Numbers on the command line -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_TENSORS_NUMBER_H
#define FUSER_LIB_TOOLS_TENSORS_NUMBER_H

#include "HostTensor.h"

namespace fuser::run {

/// A number of an element type: `integer` for integers, else `value`.
struct Number {
  int64_t integer = 0;
  double value = 0;
};

/// The number that `text` is in elements of `type`, by the same rule wherever a
/// number is given: integers are written as such and lie in their type's range
/// (i1: -1 to 1, and all but 0 is true), floats are rounded, and none but `inf`
/// is infinite. Errors say "expected ..., got '...'" and call the type
/// `typeName`.
llvm::Expected<Number> parseNumber(llvm::StringRef text, ElementType type,
                                   llvm::StringRef typeName);

/// The same for a scalar: an index is one of type i64.
llvm::Expected<Number> parseScalar(llvm::StringRef text, ElementType type);

void storeNumber(ElementType type, void *data, const Number &number);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_TENSORS_NUMBER_H
