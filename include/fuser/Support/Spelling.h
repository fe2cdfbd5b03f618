//===- Spelling.h - Names that are spelled alike ----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_SPELLING_H
#define FUSER_SUPPORT_SPELLING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace fuser {

/// What `name` was meant to be: the one of `candidates` that differs from it in
/// the fewest letters, and in at most a third of its own, rounded. Of several
/// the first in alphabetical order; empty if there is none.
llvm::StringRef findNearName(llvm::StringRef name,
                             llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace fuser

#endif // FUSER_SUPPORT_SPELLING_H
