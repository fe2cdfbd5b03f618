//===- Bits.cpp - Results, compared bit by bit ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace fuser;
using namespace fuser::fuzz;
using llvm::ArrayRef;
using run::HostTensor;

static uint64_t loadBits(const HostTensor &tensor, uint64_t position) {
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.getElement(position),
              fuser_rt::elementBytes(tensor.element));
  return bits;
}

/// Any NaN is as good as any other.
static bool isSame(const HostTensor &a, const HostTensor &b,
                   uint64_t position) {
  if (loadBits(a, position) == loadBits(b, position))
    return true;
  return run::isFloat(a.element) &&
         std::isnan(run::loadFloat(a.element, a.getElement(position))) &&
         std::isnan(run::loadFloat(b.element, b.getElement(position)));
}

std::string fuzz::describeDifference(ArrayRef<HostTensor> expected,
                                     ArrayRef<HostTensor> got) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [number, pair] : llvm::enumerate(llvm::zip(expected, got))) {
    HostTensor old = std::get<0>(pair).getPairs(),
               now = std::get<1>(pair).getPairs();
    // One element of a dimension has any stride.
    if (old.sizes != now.sizes) {
      os << "result " << number << ": expected other sizes";
      return text;
    }
    for (uint64_t i = 0, count = old.getNumElements(); i < count; ++i) {
      if (isSame(old, now, i))
        continue;
      os << "result " << number << ", element " << i << ": expected the bits "
         << loadBits(old, i) << ", got " << loadBits(now, i);
      return text;
    }
  }
  return text;
}
