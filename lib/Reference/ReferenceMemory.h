//===- ReferenceMemory.h - Buffers of compiled functions ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_REFERENCE_REFERENCEMEMORY_H
#define FUSER_LIB_REFERENCE_REFERENCEMEMORY_H

#include "HalfSymbols.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuser::reference {

/// malloc and free for compiled functions.
llvm::ArrayRef<Symbol> getMemorySymbols();

/// Runs `call`. Where it asks for more memory than there is, it ends there, its
/// buffers are freed, and this returns how many bytes it asked for; else 0.
uint64_t runWithinMemory(llvm::function_ref<void()> call);

} // namespace fuser::reference

#endif // FUSER_LIB_REFERENCE_REFERENCEMEMORY_H
