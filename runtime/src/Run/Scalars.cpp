//===- Scalars.cpp - Scalar inputs ----------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Scalars.h"

#include "Run/Checks.h"
#include "Status.h"

#include <cinttypes>

using namespace fuser_rt;

/// An index comes as an i64.
static const char *scalarText(const ScalarSpec &spec) {
  return spec.element == ElementType::I64 ? "index or i64"
                                          : elementText(spec.element);
}

static FuserStatus *convertInteger(const ScalarSpec &spec, size_t index,
                                   const FuserScalar &scalar, int64_t &slot) {
  if (scalar.kind != FuserScalar::FUSER_SCALAR_INT)
    return makeError(
        FUSER_INVALID_ARGUMENT,
        "scalar %zu '%s': expected an integer for %s, got the float %g", index,
        spec.name.c_str(), scalarText(spec), scalar.value.f);
  unsigned bits = getInfo(spec.element).bits;
  // Of i1, both 1 and -1 mean true.
  int64_t low = bits == 1    ? -1
                : bits == 64 ? INT64_MIN
                             : -(int64_t(1) << (bits - 1));
  int64_t high = bits == 1 ? 1 : -(low + 1);
  if (scalar.value.i < low || scalar.value.i > high)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "scalar %zu '%s': expected %" PRId64 " to %" PRId64
                     " for %s, got %" PRId64,
                     index, spec.name.c_str(), low, high, scalarText(spec),
                     scalar.value.i);
  slot = bits == 1 ? scalar.value.i != 0 : scalar.value.i;
  return nullptr;
}

FuserStatus *fuser_rt::convertScalar(const ScalarSpec &spec, size_t index,
                                     const FuserScalar &scalar, int64_t &slot) {
  if (getInfo(spec.element).kind != ElementKind::Float)
    return convertInteger(spec, index, scalar, slot);
  bool isInt = scalar.kind == FuserScalar::FUSER_SCALAR_INT;
  // An i64 is rounded once.
  double value = !isInt ? scalar.value.f
                 : spec.element == ElementType::F32
                     ? static_cast<float>(scalar.value.i)
                     : static_cast<double>(scalar.value.i);
  slot = static_cast<int64_t>(encodeFloat(spec.element, value));
  return nullptr;
}
