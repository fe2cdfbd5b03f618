//===- FusionToHost.h - Segments to host programs --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_FUSIONTOHOST_H
#define FUSER_CONVERSION_FUSIONTOHOST_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

#define GEN_PASS_DECL
#include "fuser/Conversion/FusionToHost.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/FusionToHost.h.inc"

/// Makes the communications of upstream's shard dialect ops of fusion programs:
/// they implement fusion::TensorOpInterface and
/// fusion::CollectiveOpInterface.
void registerShardTransfers(mlir::DialectRegistry &registry);

} // namespace fuser

#endif // FUSER_CONVERSION_FUSIONTOHOST_H
