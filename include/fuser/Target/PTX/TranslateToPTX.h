//===- TranslateToPTX.h - From lowered kernels to PTX text -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TARGET_PTX_TRANSLATETOPTX_H
#define FUSER_TARGET_PTX_TRANSLATETOPTX_H

#include "fuser/Support/GpuTarget.h"
#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fuser {

/// Where the time of a translation went, in milliseconds.
struct PTXTimings {
  double translate = 0; ///< To LLVM IR.
  double link = 0;      ///< Libdevice.
  double optimize = 0;  ///< LLVM's passes over IR.
  double codegen = 0;   ///< LLVM IR to PTX.
};

struct PTXOptions {
  /// One of getGpuTargets() (GpuTarget.h).
  std::string arch = kDefaultGpuArch.str();
  /// 0 to 3, as clang's -O.
  unsigned optLevel = 3;
  /// If not null, filled in.
  PTXTimings *timings = nullptr;
};

/// What a context needs for translateToPTX.
void registerPTXTranslation(mlir::DialectRegistry &registry);

/// The PTX of `module`, whose kernels are in the LLVM and NVVM dialects (after
/// kernel-to-nvptx). `module` stays as it is. Libdevice is part of this
/// library: nothing is read from disk. A diagnostic on failure: an unknown
/// architecture, an op that the architecture lacks, a function that is called
/// and defined nowhere.
FailureOr<std::string> translateToPTX(mlir::gpu::GPUModuleOp module,
                                      const PTXOptions &options);
/// The same for each of `modules`, compiled on several threads.
FailureOr<llvm::SmallVector<std::string>>
translateToPTX(llvm::ArrayRef<mlir::gpu::GPUModuleOp> modules,
               const PTXOptions &options);

} // namespace fuser

#endif // FUSER_TARGET_PTX_TRANSLATETOPTX_H
