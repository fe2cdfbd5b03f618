//===- CpuRowsHeuristic.cpp - What stages of reductions keep --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/CpuHeuristic.h"
#include <algorithm>
#include <optional>

using namespace fuser::schedule;

/// From this many simple instructions on an element is kept in scratch memory
/// instead of computed again.
static constexpr int64_t kKeepCost = 12;
/// From this many on it is read back if it was a result that has been stored.
static constexpr int64_t kReadBackCost = 4;
/// A tensor's part of a row that is larger than this would push the inputs out
/// of the caches.
static constexpr int64_t kMaxKeptBytes = 1 << 20;
static constexpr int64_t kCostLimit = 1 << 20;
/// More rows keep threads busy one by one.
static constexpr int64_t kFewRows = 8;
/// Rows of fewer elements take about as long as a second kernel's launch.
static constexpr int64_t kLongRow = 1 << 17;

namespace {
class RowsChooser {
public:
  explicit RowsChooser(const CpuRowsProblem &problem)
      : problem(problem), costs(problem.ops.size()), states(problem.ops.size()),
        seen(problem.ops.size()) {}

  CpuRowsSchedule choose();

private:
  /// What computing an element again would cost.
  struct Cost {
    int64_t arithmetic = 0;
    int64_t loads = 0;
  };
  void measure();
  bool keep(unsigned op, unsigned first);
  void findUses(unsigned stage);
  const CpuRowsProblem &problem;
  llvm::SmallVector<Cost> costs;
  llvm::SmallVector<CpuOpState> states;
  /// For each op, one more than the last stage that was looked at.
  llvm::SmallVector<unsigned> seen;
  CpuRowsSchedule schedule;
};
} // namespace

/// Only element-wise ops are followed: they keep positions.
static bool isFollowed(const CpuRowsProblem &problem,
                       llvm::ArrayRef<CpuOpState> states, unsigned op) {
  return problem.ops[op].isElementwise && !states[op].isAvailable;
}

void RowsChooser::measure() {
  for (auto [op, cost] : llvm::zip(problem.ops, costs)) {
    if (op.isReduction)
      continue;
    cost.arithmetic = op.cost;
    cost.loads = op.loads;
    for (unsigned operand : op.operands) {
      cost.arithmetic += costs[operand].arithmetic;
      cost.loads += costs[operand].loads;
    }
    cost.arithmetic = std::min(cost.arithmetic, kCostLimit);
    cost.loads = std::min(cost.loads, kCostLimit);
  }
}

/// True if `op`, computed in stage `first`, is in memory for later stages.
bool RowsChooser::keep(unsigned op, unsigned first) {
  if (!problem.ops[op].canKeep)
    return false;
  Cost cost = costs[op];
  for (CpuRowsProblem::Result result : problem.stages[first].results)
    if (result.op == op &&
        (cost.loads > 1 || cost.arithmetic >= kReadBackCost)) {
      schedule.readBack.push_back(result.number);
      return true;
    }
  if (cost.arithmetic < kKeepCost || problem.elements == kUnknown ||
      problem.elements > kMaxKeptBytes / problem.ops[op].bytes)
    return false;
  schedule.kept.push_back(op);
  return true;
}

/// What stage number `stage` needs of earlier stages is kept if that is cheaper
/// than computing it again.
void RowsChooser::findUses(unsigned stage) {
  llvm::SmallVector<unsigned> stack(problem.stages[stage].roots);
  while (!stack.empty()) {
    unsigned op = stack.pop_back_val();
    CpuOpState &state = states[op];
    if (!isFollowed(problem, states, op) || seen[op] == stage + 1)
      continue;
    seen[op] = stage + 1;
    if (state.computedIn && keep(op, *state.computedIn)) {
      state.isAvailable = true;
      continue;
    }
    llvm::append_range(stack, problem.ops[op].operands);
  }
}

void fuser::schedule::collectComputed(
    const CpuRowsProblem &problem, unsigned stage,
    llvm::MutableArrayRef<CpuOpState> states) {
  llvm::SmallVector<unsigned> stack(problem.stages[stage].roots);
  while (!stack.empty()) {
    unsigned op = stack.pop_back_val();
    if (!isFollowed(problem, states, op) || states[op].computedIn)
      continue;
    states[op].computedIn = stage;
    llvm::append_range(stack, problem.ops[op].operands);
  }
}

CpuRowsSchedule RowsChooser::choose() {
  measure();
  for (unsigned stage = 0; stage < problem.stages.size(); ++stage) {
    findUses(stage);
    collectComputed(problem, stage, states);
  }
  return schedule;
}

bool fuser::schedule::wantsSplit(int64_t rows, int64_t elements) {
  return rows != kUnknown && rows <= kFewRows &&
         (elements == kUnknown || elements >= kLongRow);
}

CpuRowsSchedule fuser::schedule::chooseCpuRows(const CpuRowsProblem &problem) {
  return RowsChooser(problem).choose();
}
