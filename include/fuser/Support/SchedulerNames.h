//===- SchedulerNames.h - How schedulers are called -------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment names its scheduler, and a schedule says by `kind` whose it is.
// Schedulers that are a kind of #fusion.tile alone have their names in
// fusion::TileScheduleAttr (kRowReduction, kOuterReduction, kRowScan, ...).
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_SCHEDULERNAMES_H
#define FUSER_SUPPORT_SCHEDULERNAMES_H

#include "llvm/ADT/StringRef.h"

namespace fuser::schedulers {

constexpr llvm::StringLiteral kPointwise = "pointwise";
constexpr llvm::StringLiteral kSplitReduction = "split_reduction";
constexpr llvm::StringLiteral kLibrary = "library";
constexpr llvm::StringLiteral kCommunication = "communication";
/// Takes every segment.
constexpr llvm::StringLiteral kGeneric = "generic";

} // namespace fuser::schedulers

#endif // FUSER_SUPPORT_SCHEDULERNAMES_H
