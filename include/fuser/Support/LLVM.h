//===- LLVM.h - Names of MLIR and LLVM that this project uses as its own --===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_LLVM_H
#define FUSER_SUPPORT_LLVM_H

#include "mlir/Support/LLVM.h"

namespace fuser {
using namespace mlir; // NOLINT(google-build-using-namespace): the names are
                      // ours to use.
} // namespace fuser

#endif // FUSER_SUPPORT_LLVM_H
