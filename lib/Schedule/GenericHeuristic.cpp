//===- GenericHeuristic.cpp - Schedules for everything -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/GenericHeuristic.h"

using namespace fuser::schedule;

Verdict fuser::schedule::acceptsGeneric(const GenericProblem &) {
  return Verdict::yes();
}

GenericSchedule fuser::schedule::chooseGeneric(const GenericProblem &problem,
                                               const TargetInfo &target) {
  GenericSchedule schedule;
  // Few elements, perhaps with long reductions: more multiprocessors work if
  // blocks are small.
  bool isSmall = problem.elements != kUnknown &&
                 problem.elements < schedule.threads * target.multiprocessors;
  schedule.threads = isSmall ? kWarpSize : 256;
  return schedule;
}
