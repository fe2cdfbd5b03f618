//===- ProgramSpecs.h - What a program says of itself ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the descriptions in a variant (inputs, scalars, outputs, kernels) from
// the IR.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_PIPELINES_PROGRAMSPECS_H
#define FUSER_LIB_PIPELINES_PROGRAMSPECS_H

#include "fuser/Pipelines/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuser {

/// Writes the class of every tensor input on the function as argument
/// attributes, where the program does not say it itself, and the alignment of
/// the outputs.
void applyInputClasses(func::FuncOp func, const CompileOptions &options);

/// Everything in the signature of `func`, a function on tensors, has a type
/// that programs take and give.
LogicalResult checkSignature(func::FuncOp func);

/// Describes the arguments and results of a host program.
LogicalResult describeSignature(func::FuncOp program,
                                fuser_rt::Variant &variant);

/// Moves each `host.kernel` of `module` into `variant`, in their order. Kernels
/// with the same image share it. An error if one has no image and the target
/// has
/// (`hasImages`), or the other way round.
LogicalResult takeKernels(ModuleOp module, bool hasImages,
                          fuser_rt::Variant &variant);

} // namespace fuser

#endif // FUSER_LIB_PIPELINES_PROGRAMSPECS_H
