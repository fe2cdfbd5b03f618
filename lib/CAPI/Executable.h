//===- Executable.h - What the files of the C API share ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CAPI_EXECUTABLE_H
#define FUSER_LIB_CAPI_EXECUTABLE_H

#include "fuser-c/Compile.h"
#include "fuser/Pipelines/Executable.h"

struct FuserExecutable {
  std::unique_ptr<fuser::Executable> executable;
};

namespace fuser {

/// The numbers of targets are those of the runtime.
FuserStatus *convert(const FuserCompileOptions &options,
                     CompileOptions &result);

} // namespace fuser

#endif // FUSER_LIB_CAPI_EXECUTABLE_H
