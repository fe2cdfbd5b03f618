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

/// Which arguments and results have an alignment that the program itself asks
/// for.
struct RequiredAlignments {
  std::vector<bool> arguments, results;
};

/// Writes the class of every tensor input on the function as argument
/// attributes, where the program does not say it itself, and the alignment of
/// the outputs. Returns where it does.
RequiredAlignments applyInputClasses(func::FuncOp func,
                                     const CompileOptions &options);

/// Describes the arguments and results of `func`, a function on tensors with
/// applied input classes.
LogicalResult describeSignature(func::FuncOp func,
                                const RequiredAlignments &required,
                                fuser_rt::Variant &variant);

/// Moves each `host.kernel` of `module` into `variant`, in their order. Kernels
/// with the same image share it.
void takeKernels(ModuleOp module, fuser_rt::Variant &variant);

} // namespace fuser

#endif // FUSER_LIB_PIPELINES_PROGRAMSPECS_H
