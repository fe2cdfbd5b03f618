//===- CommonOps.h - Ops that every lowering has ---------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_KERNELSTAGE_COMMONOPS_H
#define FUSER_LIB_CONVERSION_KERNELSTAGE_COMMONOPS_H

#include "fuser/Support/LLVM.h"

namespace fuser {

/// kernel_r9: `op`, of a dialect of the kernel stage, can be lowered to PTX and
/// to the simulator; a diagnostic if not.
LogicalResult verifyCommonOp(Operation *op);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_KERNELSTAGE_COMMONOPS_H
