//===- HalfLibrary.h - f16 for processors without it ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TARGET_CPU_HALFLIBRARY_H
#define FUSER_LIB_TARGET_CPU_HALFLIBRARY_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace fuser {

/// Adds what code generation calls to convert f16 where the processor cannot:
/// to and from f32, unless `hasF16c`, and from f64, which code generation makes
/// of two conversions that no instruction is for. The compiler's own library,
/// which defines them elsewhere, is not linked into programs.
llvm::Error addHalfLibrary(llvm::Module &module, bool hasF16c);

} // namespace fuser

#endif // FUSER_LIB_TARGET_CPU_HALFLIBRARY_H
