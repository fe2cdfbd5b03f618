//===- HostStreamOps.cpp - Streams and checks -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

// check_c1
LogicalResult CheckOp::verify() {
  StringRef rest = getMessage();
  for (;;) {
    rest = rest.drop_until([](char c) { return c == '{'; });
    if (rest.empty())
      return success();
    rest = rest.drop_front();
    StringRef digits = rest.take_while(llvm::isDigit);
    unsigned number;
    if (digits.getAsInteger(10, number) ||
        !rest.drop_front(digits.size()).starts_with("}"))
      continue;
    if (number >= getValues().size())
      return emitOpError("expected a value for {")
             << number << "} of the message, got " << getValues().size()
             << " values";
  }
}

// check(true) ->
LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op,
                                       "the condition is not known to hold");
  rewriter.eraseOp(op);
  return success();
}
