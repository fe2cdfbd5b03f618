/*===- Dialects.h - fuser in MLIR's C API ---------------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* For programs that use MLIR by its C API (mlir-c/IR.h) and want fuser's
|* dialects and passes in their own contexts. To compile and to run takes
|* fuser-c/Compile.h alone.
|*
|* mlirGetDialectHandle__fusion__, mlirGetDialectHandle__host__ and
|* mlirGetDialectHandle__kernel__ give handles, for
|* mlirDialectHandleLoadDialect and the like.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_C_DIALECTS_H
#define FUSER_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Fusion, fusion);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Host, host);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Kernel, kernel);

/* Inserts the dialects of every stage, fuser's and MLIR's, with the kernel
 * emitters of both targets, which fusion-schedule and fusion-to-kernel ask. */
MLIR_CAPI_EXPORTED void fuserInsertAllDialects(MlirDialectRegistry registry);

/* Registers fuser's passes and pipelines, and those of MLIR that they use, for
 * mlirParsePassPipeline and mlirOpPassManagerAddPipeline. Segmentation has
 * fuser's own policy. Once in a process is enough. */
MLIR_CAPI_EXPORTED void fuserRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_C_DIALECTS_H */
