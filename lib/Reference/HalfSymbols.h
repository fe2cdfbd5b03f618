//===- HalfSymbols.h - What compiled code calls for 16-bit floats ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars of f16 and bf16 keep their types in the reference. Where the
// processor cannot convert them, compiled code calls the compiler's runtime
// library, which not every process has.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_REFERENCE_HALFSYMBOLS_H
#define FUSER_LIB_REFERENCE_HALFSYMBOLS_H

#include "fuser/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace fuser::reference {

struct Symbol {
  llvm::StringRef name;
  void *address;
};

llvm::ArrayRef<Symbol> getHalfSymbols();

} // namespace fuser::reference

#endif // FUSER_LIB_REFERENCE_HALFSYMBOLS_H
