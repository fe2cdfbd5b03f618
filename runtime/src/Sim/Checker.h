//===- Checker.h - Faults of simulated kernels -----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at each access and each meeting of threads of one launch after the
// other. What it finds is kept, each fault once, and the launch goes on, unless
// an access would leave the memory that it may touch.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_CHECKER_H
#define FUSER_RT_SIM_CHECKER_H

#include "Sim/Group.h"
#include "Sim/Memory.h"

#include <set>
#include <string>

namespace fuser_rt {

class SimChecker {
public:
  /// `checks`: FUSER_CHECK_... of the C ABI.
  SimChecker(SimMemory &memory, uint32_t checks)
      : memory(memory), checks(checks) {}

  void startKernel(const SimLaunch &launch);
  /// What its kernel says of itself.
  void startThread(const FuserSimInfo &newInfo) {
    if (info != &newInfo)
      checkParams(newInfo);
  }
  /// A thread was stopped, and so the launch.
  bool isStopped() const { return stopped; }
  /// What was found in the launch, or null.
  FuserStatus *finishKernel();

  /// False if the thread must not go on.
  bool access(SimThread &thread, const void *address, const void *base,
              uint64_t mask, const FuserSimAccess &access);
  /// A thread gets to a barrier at which others are that came to `first`.
  void checkMeeting(const SimThread &thread, const FuserSimSite &first,
                    const FuserSimSite &site);
  /// Others wait at `site`, and `thread` has ended.
  void checkEnded(const SimThread &thread, const FuserSimSite &site);
  /// The lane that `thread` reads has nothing to say.
  void checkLane(const SimThread &thread, uint32_t lane,
                 const FuserSimSite &site);

private:
  bool has(uint32_t check) const { return checks & check; }
  void report(const char *kind, const void *first, const void *second,
              const std::string &text);
  void checkParams(const FuserSimInfo &newInfo);
  SimBuffer *findBuffer(SimThread &thread, const char *address,
                        const char *base, const FuserSimAccess &access,
                        SimBuffer &part);
  bool reportOutside(const SimThread &thread, const char *address,
                     const SimBuffer *buffer, const FuserSimAccess &access);
  void checkLanes(SimThread &thread, SimBuffer &buffer, SimBuffer &whole,
                  const char *address, uint64_t bytes,
                  const FuserSimAccess &access);
  void order(SimThread &thread, const char *address,
             const FuserSimAccess &access);
  std::string describe(const SimBuffer &buffer, uint64_t offset) const;

  SimMemory &memory;
  uint32_t checks;
  const SimLaunch *launch = nullptr;
  const FuserSimInfo *info = nullptr;
  std::map<const char *, SimKnowledge> released; // by address
  std::set<std::pair<const void *, const void *>> known;
  std::vector<std::string> findings;
  uint64_t more = 0;
  bool stopped = false;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_CHECKER_H
