//===- FoldIndex.h - Arithmetic of sizes that may be known ------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_FOLDINDEX_H
#define FUSER_SUPPORT_FOLDINDEX_H

#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace fuser {

/// `Op` of two indices; an attribute if both are constants.
template <typename Op>
mlir::OpFoldResult foldIndex(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::OpFoldResult a, mlir::OpFoldResult b) {
  return mlir::getAsOpFoldResult(builder.createOrFold<Op>(
      loc, mlir::getValueOrCreateConstantIndexOp(builder, loc, a),
      mlir::getValueOrCreateConstantIndexOp(builder, loc, b)));
}

} // namespace fuser

#endif // FUSER_SUPPORT_FOLDINDEX_H
