//===- ReferenceRun.h - The reference on host tensors ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_REFERENCERUN_H
#define FUSER_LIB_TOOLS_RUN_REFERENCERUN_H

#include "../Tensors/HostTensor.h"
#include "RunOptions.h"
#include "fuser/Reference/Reference.h"
#include "mlir/IR/BuiltinOps.h"

namespace fuser::run {

/// The outputs of the entry in the reference, with bounds for --check.
llvm::Expected<llvm::SmallVector<ReferenceOutput>>
runReferenceOn(mlir::ModuleOp module, const RunOptions &options,
               llvm::ArrayRef<HostTensor> inputs);

/// As f64 or i64 elements, row major; bits of floats as i64.
llvm::Expected<HostTensor> toHostTensor(const ReferenceOutput &output);

/// Writes the bytes of a program.
llvm::Error writeProgram(const fuser_rt::Program &program,
                         llvm::StringRef path);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_REFERENCERUN_H
