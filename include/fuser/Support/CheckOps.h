//===- CheckOps.h - Ops that check a condition ------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fusion.check and host.check share.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_CHECKOPS_H
#define FUSER_SUPPORT_CHECKOPS_H

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace fuser {

// Messages of checks: `{0}`, `{1}`, ... stand for values, and `{{` for a brace.

/// Every `{k}` in `message` is less than `numValues`; else an error of `op`.
llvm::LogicalResult verifyCheckMessage(mlir::Operation *op,
                                       llvm::StringRef message,
                                       size_t numValues);

/// A text that is not the message's own, such as a name, as a part of one:
/// nothing in it stands for a value.
std::string quoteForCheck(llvm::StringRef text);

/// `describePlace`, as a part of a message.
std::string describeCheckPlace(mlir::Location loc);

/// The message with values in place of `{0}`, `{1}`, ...
std::string fillCheckMessage(llvm::StringRef message,
                             llvm::ArrayRef<int64_t> values);

// check(true) ->
template <typename CheckOp>
llvm::LogicalResult eraseKnownCheck(CheckOp op,
                                    mlir::PatternRewriter &rewriter) {
  if (!mlir::matchPattern(op.getCondition(), mlir::m_One()))
    return rewriter.notifyMatchFailure(op,
                                       "the condition is not known to hold");
  rewriter.eraseOp(op);
  return llvm::success();
}

} // namespace fuser

#endif // FUSER_SUPPORT_CHECKOPS_H
