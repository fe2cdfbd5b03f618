//===- Number.cpp - Numbers on the command line ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Number.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

static llvm::Error refuse(const llvm::Twine &expected, StringRef text) {
  return llvm::createStringError("expected " + expected + ", got '" + text +
                                 "'");
}

/// What an integer type takes; `range` is how others are described. Of i1, both
/// 1 and -1 mean true, which one needs not know.
static std::string describeIntegers(ElementType type,
                                    const llvm::Twine &range) {
  return fuser_rt::getInfo(type).bits == 1 ? "0 or 1" : range.str();
}

/// 0x, 0b and 0o are prefixes; a leading 0 alone means nothing.
static unsigned getRadix(StringRef text) {
  return text.find_first_of("xXbBoO") == StringRef::npos ? 10 : 0;
}

static llvm::Expected<Number> parseInteger(StringRef text, ElementType type,
                                           StringRef typeName) {
  StringRef digits = text;
  digits.consume_front("-");
  unsigned radix = getRadix(text);
  llvm::APInt magnitude;
  if (digits.getAsInteger(radix, magnitude))
    return refuse(describeIntegers(type, "an integer") + " for " + typeName,
                  text);
  unsigned bits = fuser_rt::getInfo(type).bits;
  bool isUnsigned = fuser_rt::getInfo(type).kind == ElementKind::Unsigned;
  auto get = [](int64_t value) { return llvm::APInt(66, value, true); };
  llvm::APInt low =
      isUnsigned ? get(0) : get(bits == 1 ? -1 : llvm::minIntN(bits));
  llvm::APInt high = isUnsigned ? llvm::APInt(66, llvm::maxUIntN(bits))
                                : get(bits == 1 ? 1 : llvm::maxIntN(bits));
  llvm::APInt value =
      magnitude.zext(std::max(magnitude.getBitWidth(), 65u) + 1);
  if (digits != text)
    value.negate();
  Number number;
  if (value.getSignificantBits() <= 66) {
    value = value.sextOrTrunc(66);
    if (value.sge(low) && value.sle(high)) {
      number.integer = value.trunc(64).getSExtValue();
      return number;
    }
  }
  std::string range =
      llvm::toString(low, 10, true) + " to " + llvm::toString(high, 10, true);
  return refuse(describeIntegers(type, range) + " for " + typeName, text);
}

static llvm::Expected<Number> parseFloat(StringRef text, ElementType type,
                                         StringRef typeName) {
  Number number;
  llvm::APInt magnitude;
  StringRef digits = text;
  bool isNegative = digits.consume_front("-");
  if (text.getAsDouble(number.value)) {
    if (digits.getAsInteger(getRadix(text), magnitude))
      return refuse("a number for " + typeName, text);
    number.value = magnitude.roundToDouble() * (isNegative ? -1 : 1);
  }
  char stored[8];
  storeFloat(type, stored, number.value);
  bool saysInfinity = text.contains_insensitive("inf");
  // f8E4M3FN has NaN in place of infinity.
  bool isTooLarge =
      !std::isfinite(loadFloat(type, stored)) && !std::isnan(number.value);
  if (!isTooLarge || saysInfinity)
    return number;
  std::string largest;
  llvm::raw_string_ostream(largest)
      << llvm::format("%.6g", getLargestFloat(type));
  return refuse("-" + llvm::Twine(largest) + " to " + largest +
                    ", or inf, for " + typeName,
                text);
}

llvm::Expected<Number> run::parseNumber(StringRef text, ElementType type,
                                        StringRef typeName) {
  return isFloat(type) ? parseFloat(text, type, typeName)
                       : parseInteger(text, type, typeName);
}

llvm::Expected<Number> run::parseScalar(StringRef text, ElementType type) {
  return parseNumber(text, type,
                     type == ElementType::I64 ? "index or i64" : getName(type));
}

void run::storeNumber(ElementType type, void *data, const Number &number) {
  if (isFloat(type))
    storeFloat(type, data, number.value);
  else
    storeInt(type, data, number.integer);
}
