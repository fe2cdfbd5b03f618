//===- HalfSymbols.cpp - What compiled code calls for 16-bit floats -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfSymbols.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

using namespace fuser;
using llvm::APFloat;

static uint16_t narrow(double value, const llvm::fltSemantics &semantics) {
  APFloat number(value);
  bool losesInfo = false;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

// The ABI passes 16-bit floats in vector registers: the types matter here.

static __bf16 truncateToBF16(float value) {
  return llvm::bit_cast<__bf16>(narrow(value, APFloat::BFloat()));
}

static __bf16 truncateDoubleToBF16(double value) {
  return llvm::bit_cast<__bf16>(narrow(value, APFloat::BFloat()));
}

static _Float16 truncateToF16(float value) {
  return llvm::bit_cast<_Float16>(narrow(value, APFloat::IEEEhalf()));
}

static _Float16 truncateDoubleToF16(double value) {
  return llvm::bit_cast<_Float16>(narrow(value, APFloat::IEEEhalf()));
}

static float extendF16(_Float16 value) {
  APFloat number(APFloat::IEEEhalf(),
                 llvm::APInt(16, llvm::bit_cast<uint16_t>(value)));
  bool losesInfo = false;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToFloat();
}

llvm::ArrayRef<reference::Symbol> reference::getHalfSymbols() {
  static const Symbol symbols[] = {
      {"__truncsfbf2", reinterpret_cast<void *>(truncateToBF16)},
      {"__truncdfbf2", reinterpret_cast<void *>(truncateDoubleToBF16)},
      {"__truncsfhf2", reinterpret_cast<void *>(truncateToF16)},
      {"__truncdfhf2", reinterpret_cast<void *>(truncateDoubleToF16)},
      {"__extendhfsf2", reinterpret_cast<void *>(extendF16)},
  };
  return symbols;
}
