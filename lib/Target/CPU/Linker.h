//===- Linker.h - lld in process ------------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TARGET_CPU_LINKER_H
#define FUSER_LIB_TARGET_CPU_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace fuser {

/// Links relocatable objects into a shared object. An undefined symbol that is
/// not of the C or the mathematics library is an error.
llvm::Expected<std::string>
linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects);

} // namespace fuser

#endif // FUSER_LIB_TARGET_CPU_LINKER_H
