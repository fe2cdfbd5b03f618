//===- InitAllDialects.h - Every dialect that the tools know --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_INITALLDIALECTS_H
#define FUSER_INITALLDIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fuser {

/// The dialects of this project and those of MLIR that its stages use, with
/// what is attached to them from outside: the kernel emitters of the schedules,
/// and translations to LLVM IR.
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace fuser

#endif // FUSER_INITALLDIALECTS_H
