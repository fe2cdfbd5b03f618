//===- HostCalls.h - Calls of functions of tensors in host programs -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_HOSTCALLS_H
#define FUSER_CONVERSION_HOSTCALLS_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

#define GEN_PASS_DECL
#include "fuser/Conversion/HostCalls.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/HostCalls.h.inc"

} // namespace fuser

#endif // FUSER_CONVERSION_HOSTCALLS_H
