//===- Spelling.cpp - Names that are spelled alike ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/Spelling.h"

llvm::StringRef
fuser::findNearName(llvm::StringRef name,
                    llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef near;
  auto least = static_cast<unsigned>((name.size() + 1) / 3);
  for (llvm::StringRef candidate : candidates) {
    unsigned edits =
        name.edit_distance(candidate, /*AllowReplacements=*/true, least);
    if (edits > least || (edits == least && !near.empty() && near <= candidate))
      continue;
    near = candidate;
    least = edits;
  }
  return near;
}
