//===- Philox.h - Random numbers as arithmetic -----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_PHILOX_H
#define FUSER_SUPPORT_PHILOX_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <array>

namespace fuser {

/// The four words of Philox4x32-10 (Salmon et al., SC 2011) for a key and a
/// counter, all of them i32, words from the lowest on.
inline std::array<Value, 4> emitPhilox(OpBuilder &b, Location loc,
                                       std::array<Value, 2> key,
                                       std::array<Value, 4> counter) {
  // As Random123 has them: its known answers are our tests.
  constexpr uint32_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t kKeySteps[2] = {0x9E3779B9, 0xBB67AE85};
  constexpr int kRounds = 10;
  auto constant = [&](uint32_t value) -> Value {
    TypedAttr attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto vector = dyn_cast<VectorType>(counter[0].getType()))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, loc, attr);
  };
  for (int round = 0; round != kRounds; ++round) {
    std::array<Value, 4> words;
    for (int i : {0, 1}) {
      // The low word by an op of its own: that of the long product makes
      // LLVM go on with 64 bits.
      Value multiplier = constant(kMultipliers[i]);
      Value low = arith::MulIOp::create(b, loc, counter[2 * i], multiplier);
      auto product =
          arith::MulUIExtendedOp::create(b, loc, counter[2 * i], multiplier);
      int to = 2 - 2 * i;
      Value mixed =
          arith::XOrIOp::create(b, loc, product.getHigh(), counter[to + 1]);
      words[to] = arith::XOrIOp::create(b, loc, mixed, key[1 - i]);
      words[to + 1] = low;
    }
    counter = words;
    for (int i : {0, 1})
      key[i] = arith::AddIOp::create(b, loc, key[i], constant(kKeySteps[i]));
  }
  return counter;
}

} // namespace fuser

#endif // FUSER_SUPPORT_PHILOX_H
