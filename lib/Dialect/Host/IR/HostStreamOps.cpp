//===- HostStreamOps.cpp - Streams and checks -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/CheckOps.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

// check_c1
LogicalResult CheckOp::verify() {
  return verifyCheckMessage(*this, getMessage(), getValues().size());
}

LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  return eraseKnownCheck(op, rewriter);
}
