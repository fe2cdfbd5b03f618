//===- ReferenceJIT.h - Native code of a lowered function -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_REFERENCE_REFERENCEJIT_H
#define FUSER_LIB_REFERENCE_REFERENCEJIT_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <memory>

namespace fuser::reference {

/// A function on buffers as native code. The entry takes an array of pointers:
/// to the structure that takes the results' descriptors (null if there is no
/// result), then to each argument: a memref's descriptor, or the scalar.
struct CompiledFunction {
  using Entry = void (*)(void **slots);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  Entry entry = nullptr;
};

/// Lowers `module`, which holds `function` alone, to LLVM in place and compiles
/// it for this processor: fast, or to code that is fast.
FailureOr<CompiledFunction> compile(ModuleOp module, func::FuncOp function,
                                    bool quick);

} // namespace fuser::reference

#endif // FUSER_LIB_REFERENCE_REFERENCEJIT_H
