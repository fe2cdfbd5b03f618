//===- ForkGuard.cpp - State in processes that are forked off -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkGuard.h"

#include <pthread.h>

std::atomic<uint64_t> fuser_rt::forkCount{0};

/// Counted where the system tells of a fork, as asking for the process's number
/// is a system call. When the library is loaded, so before anyone asks.
[[maybe_unused]] static const int registered =
    pthread_atfork(nullptr, nullptr, [] { fuser_rt::forkCount.fetch_add(1); });
