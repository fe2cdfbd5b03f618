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

/// Who accesses memory.
struct SimActor {
  SimThread &thread;     ///< Or who has started it.
  const SimClock &clock; ///< What the thread knows, or knew then.
  SimPlace place;
  uint32_t now; ///< The clock of `place`.
};

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
  /// The same of the thread's own memory, `ref`.
  bool privateAccess(const SimThread &thread, const SimRef &ref, uint64_t mask,
                     const FuserSimAccess &access);
  /// The same of an op that is no load or store: `bytes` at `ref`, whose
  /// address is to be aligned.
  bool accessRef(SimThread &thread, const SimRef &ref, uint64_t bytes,
                 uint32_t alignment, uint32_t kind, const FuserSimSite &site);
  /// Whether `thread` may start an access of a copy.
  bool checkRef(SimThread &thread, const SimRef &ref, uint64_t bytes,
                uint32_t alignment, uint32_t kind, const FuserSimSite &site);
  /// It happens.
  void noteAsync(const SimActor &actor, const SimRef &ref, uint64_t bytes,
                 uint32_t kind, const FuserSimSite &site);
  /// What no thread may do, whatever is checked.
  void reportFault(const FuserSimSite &site, const std::string &text) {
    report("barriers", &site, nullptr, text);
  }
  /// `thread` waits at `site` for the phase of `mbarrier` before `next`, which
  /// may be complete by then, too.
  void reportMissed(const SimThread &thread, const SimMBarrier &mbarrier,
                    uint64_t next, const FuserSimSite &site);
  /// `thread` arrives at an mbarrier at `address`, or has waited for it, as
  /// `kind` (FUSER_SIM_RELEASE | ...) says.
  void noteMBarrier(SimThread &thread, const char *address, uint32_t kind,
                    const FuserSimSite &site);
  /// The threads of `block` have ended.
  void endBlock(const SimBlock &block);
  /// A thread gets to a barrier at which others are that came to `first`.
  void checkMeeting(const SimThread &thread, const FuserSimSite &first,
                    const FuserSimSite &site);
  /// Others wait at `site`, and `thread` has ended.
  void checkEnded(const SimThread &thread, const FuserSimSite &site);
  /// `thread` shuffles among lanes below `width`, and is none.
  void checkMember(const SimThread &thread, uint32_t width,
                   const FuserSimSite &site);
  /// The lane that `thread` reads has nothing to say.
  void checkLane(const SimThread &thread, uint32_t lane,
                 const FuserSimSite &site);

private:
  bool has(uint32_t check) const { return checks & check; }
  void report(const char *kind, const void *first, const void *second,
              const std::string &text);
  void checkParams(const FuserSimInfo &newInfo);
  /// Where an access lies: the buffer that it is to stay in, which may be a
  /// part of the one that its bytes are counted in.
  struct Target {
    SimBuffer part;
    SimBuffer *whole = nullptr; ///< Null if there is none.
    SimBlock *block = nullptr;  ///< Of shared memory.
    SimBlock *home = nullptr;   ///< The same, if it is another block's.
  };
  Target findTarget(SimThread &thread, const SimRef &ref,
                    const FuserSimAccess &access);
  void checkRemote(const SimThread &thread, const SimBlock &home,
                   const FuserSimAccess &access);
  void checkAlignment(const SimThread &thread, const char *address,
                      const FuserSimAccess &access);
  bool checkBounds(const SimThread &thread, const Target &target,
                   const char *address, uint64_t bytes,
                   const FuserSimAccess &access);
  void reportBounds(const SimThread &thread, uint64_t bytes,
                    const FuserSimAccess &access, const std::string &where);
  void noteBytes(const SimActor &actor, const Target &target,
                 const char *address, uint64_t bytes,
                 const FuserSimAccess &access);
  void noteRace(const SimActor &actor, const Target &target,
                const char *address, uint64_t bytes,
                const FuserSimAccess &access);
  std::string describe(SimPlace place) const;
  const FuserSimAccess &getAccess(const FuserSimSite &site, uint32_t kind,
                                  uint64_t bytes, uint32_t alignment);
  void acquire(SimThread &thread, const char *address,
               const FuserSimAccess &access);
  void release(SimThread &thread, const char *address,
               const FuserSimAccess &access);
  std::string explain(const SimEvent &event, const SimRecord &race) const;
  std::string describe(const Target &target) const;
  std::string describeByte(const Target &target, uint64_t byte) const;

  SimMemory &memory;
  uint32_t checks;
  const SimLaunch *launch = nullptr;
  const FuserSimInfo *info = nullptr;
  /// By address, and who sees it.
  std::map<std::pair<const char *, uint64_t>, SimView> released;
  SimSyncs syncs;
  /// Those of ops that are no load or store.
  std::map<std::pair<const FuserSimSite *, uint32_t>, FuserSimAccess> accesses;
  /// By their kind and places.
  std::set<std::tuple<std::string, const void *, const void *>> known;
  std::vector<std::string> findings;
  uint64_t more = 0;
  bool stopped = false;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_CHECKER_H
