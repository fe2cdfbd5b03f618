//===- CheckOps.cpp - Ops that check a condition --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/CheckOps.h"
#include "fuser/Support/Places.h"

using namespace mlir;

LogicalResult fuser::verifyCheckMessage(Operation *op, StringRef message,
                                        size_t numValues) {
  StringRef rest = message;
  for (;;) {
    rest = rest.drop_until([](char c) { return c == '{'; });
    if (rest.empty())
      return success();
    rest = rest.drop_front();
    if (rest.consume_front("{"))
      continue;
    StringRef digits = rest.take_while(llvm::isDigit);
    unsigned number;
    if (digits.getAsInteger(10, number) ||
        !rest.drop_front(digits.size()).starts_with("}"))
      continue;
    if (number >= numValues)
      return op->emitOpError("expected a value for {")
             << number << "} of the message, got " << numValues << " values";
  }
}

std::string fuser::quoteForCheck(StringRef text) {
  std::string quoted;
  for (char c : text)
    quoted.append(c == '{' ? 2 : 1, c);
  return quoted;
}

std::string fuser::describeCheckPlace(Location loc) {
  return quoteForCheck(describePlace(loc));
}

std::string fuser::fillCheckMessage(StringRef message,
                                    ArrayRef<int64_t> values) {
  std::string text;
  while (!message.empty()) {
    auto [before, rest] = message.split('{');
    text += before;
    if (before.size() == message.size())
      break;
    if (rest.consume_front("{")) {
      text += "{";
      message = rest;
      continue;
    }
    auto [digits, behind] = rest.split('}');
    unsigned number;
    bool isPlace = digits.size() < rest.size() &&
                   !digits.getAsInteger(10, number) && number < values.size();
    text += isPlace ? std::to_string(values[number]) : "{";
    message = isPlace ? behind : rest;
  }
  return text;
}
