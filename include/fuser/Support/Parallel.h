//===- Parallel.h - A loop on several threads ----------------- -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_PARALLEL_H
#define FUSER_SUPPORT_PARALLEL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>

namespace fuser {

/// Calls `body` with each number below `count`, in any order, on this thread
/// and as many others as the machine has processors; all of them have ended
/// when it returns. They take no signals: those are for the caller's threads.
/// Where no thread can be started, this one does the work.
void parallelFor(size_t count, llvm::function_ref<void(size_t)> body);

} // namespace fuser

#endif // FUSER_SUPPORT_PARALLEL_H
