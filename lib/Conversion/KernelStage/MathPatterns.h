//===- MathPatterns.h - Arithmetic of NVIDIA GPUs --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_KERNELSTAGE_MATHPATTERNS_H
#define FUSER_LIB_CONVERSION_KERNELSTAGE_MATHPATTERNS_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace fuser {

/// From math to the LLVM dialect: instructions where there are some, libdevice
/// for the rest.
void populateMathToNVPTXPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_KERNELSTAGE_MATHPATTERNS_H
