//===- Checker.cpp - Faults of simulated kernels --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Checker.h"

#include "Status.h"

#include <cinttypes>
#include <cstring>

using namespace fuser_rt;

/// So many faults of a launch are told; the rest is counted.
static constexpr size_t kMaxFindings = 8;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static const char *getVerb(const FuserSimAccess &access) {
  if (access.kind & FUSER_SIM_ATOMIC)
    return "updates";
  return access.kind & FUSER_SIM_WRITE ? "writes" : "reads";
}

static std::string at(const FuserSimSite &site) { return describeSite(site); }

static std::string name(const SimLaunch &launch, SimPlace place) {
  int64_t block = place.block, thread = place.thread;
  auto coordinate = [](int64_t &number, int64_t size) {
    int64_t result = number % size;
    number /= size;
    return result;
  };
  std::string text = "thread (";
  for (int dim = 0; dim < 3; ++dim)
    text += format("%s%" PRId64, dim ? ", " : "",
                   coordinate(thread, launch.block[dim]));
  text += ") of block (";
  for (int dim = 0; dim < 3; ++dim)
    text += format("%s%" PRId64, dim ? ", " : "",
                   coordinate(block, launch.grid[dim]));
  return text + ")";
}

std::string SimChecker::describe(SimPlace place) const {
  return place.isThread() ? name(*launch, place) : "an asynchronous copy";
}

/// "argument 1 (4096 bytes)".
std::string SimChecker::describe(const Target &target) const {
  const SimBuffer &buffer = target.part;
  if (target.block)
    return target.block->describeBuffer(buffer.begin) +
           (target.home ? " of " + target.home->describe() : "");
  for (uint64_t i = 0; info && i < info->num_params; ++i) {
    if (!info->params[i].access)
      continue;
    const char *pointer = *static_cast<char *const *>(launch->params[i]);
    if (buffer.contains(pointer, 1))
      return format("argument %" PRId32 " (%zu bytes)",
                    info->params[i].argument, buffer.bytes);
  }
  return format("a buffer of %zu bytes in global memory", buffer.bytes);
}

/// "byte 12 of argument 1 (4096 bytes)", of the byte of `target.whole`.
std::string SimChecker::describeByte(const Target &target,
                                     uint64_t byte) const {
  if (target.block)
    return target.block->describeByte(target.whole->begin + byte) +
           (target.home ? " of " + target.home->describe() : "");
  return format("byte %" PRIu64 " of ",
                byte + (target.whole->begin - target.part.begin)) +
         describe(target);
}

void SimChecker::report(const char *kind, const void *first, const void *second,
                        const std::string &text) {
  if (!known.insert({kind, first, second}).second)
    return;
  if (findings.size() == kMaxFindings) {
    ++more;
    return;
  }
  findings.push_back(format("%s: kernel '%s': %s", kind,
                            info ? info->kernel : launch->name, text.c_str()));
}

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

void SimChecker::startKernel(const SimLaunch &newLaunch) {
  launch = &newLaunch;
  info = nullptr;
  memory.startKernel();
  released.clear();
  syncs.clear();
  accesses.clear();
  known.clear();
  findings.clear();
  more = 0;
  stopped = false;
}

/// Which buffers are written, and whether pointers are aligned as code relies
/// on.
void SimChecker::checkParams(const FuserSimInfo &newInfo) {
  info = &newInfo;
  for (uint64_t i = 0; i < info->num_params; ++i) {
    const FuserSimParam &param = info->params[i];
    if (!param.access)
      continue;
    const char *pointer = *static_cast<char *const *>(launch->params[i]);
    // Nothing is read of a tensor without elements.
    SimBuffer *buffer = memory.find(pointer);
    if (!buffer)
      continue;
    if (param.access & FUSER_SIM_WRITE)
      buffer->isWritable = true;
    auto address = reinterpret_cast<uintptr_t>(pointer);
    if (has(FUSER_CHECK_ALIGNMENT) && address % param.alignment)
      report("alignment", &param, nullptr,
             format("argument %" PRId32
                    ": expected a pointer aligned to %" PRIu64
                    " bytes, got one that is %" PRIu64 " beyond such a one",
                    param.argument, param.alignment,
                    uint64_t(address % param.alignment)));
  }
}

FuserStatus *SimChecker::finishKernel() {
  if (!info)
    return makeError(FUSER_DEVICE_ERROR,
                     "kernel '%s': expected code that was compiled with checks "
                     "(fuser-run --sim-check, check_kernels), got code without",
                     launch->name);
  if (findings.empty())
    return nullptr;
  std::string text;
  for (const std::string &finding : findings)
    text += (text.empty() ? "" : "\n") + finding;
  if (more)
    text += format("\nand %" PRIu64 " more", more);
  findings.clear();
  return makeError(FUSER_DEVICE_ERROR, text);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

SimChecker::Target SimChecker::findTarget(SimThread &thread, const SimRef &ref,
                                          const FuserSimAccess &access) {
  const char *from = ref.base ? ref.base : ref.address;
  Target target;
  target.whole = thread.home->findShared(from);
  if (target.whole)
    target.block = thread.home;
  else
    target.whole = memory.find(from);
  if (!target.whole)
    if (SimBlock *home = thread.home->group->findBlock(from)) {
      target.whole = home->findShared(from);
      target.block = target.home = home;
      checkRemote(thread, *home, access);
    }
  if (!target.whole)
    return target;
  target.part.begin = target.whole->begin;
  target.part.bytes = target.whole->bytes;
  target.part.isGlobal = target.whole->isGlobal;
  if (ref.bufferBytes) {
    target.part.begin = ref.base;
    target.part.bytes = ref.bufferBytes;
  }
  return target;
}

/// Another block's shared memory is there between its first and its last
/// thread.
void SimChecker::checkRemote(const SimThread &thread, const SimBlock &home,
                             const FuserSimAccess &access) {
  if (!has(FUSER_CHECK_BARRIERS))
    return;
  const char *fault = nullptr;
  if (home.alive == 0)
    fault = "which has ended";
  else if (home.cluster->phase == 0)
    fault = "which may not have begun: the cluster has not met";
  if (fault)
    report("barriers", &access, &home.cluster,
           describe(thread.place) + " " + getVerb(access) +
               " shared memory of another block of the cluster by " +
               at(access.site) + ", " + fault);
}

/// What names a block, or a cluster, among scopes; the device is 0.
static uint64_t getScope(const SimBlock &block) {
  return uint64_t(2) << 32 | block.number();
}

/// Its shared memory is gone: who has accessed it from another block must have
/// done so before, as one of its threads knows.
void SimChecker::endBlock(const SimBlock &block) {
  // Nobody sees any more what was for the block only, or in its memory, whose
  // addresses other blocks get.
  for (const auto &release : block.releases)
    released.erase(release);
  for (const SimBuffer *buffer :
       {&block.sharedBytes, &block.dynamicSharedBytes})
    released.erase(released.lower_bound({buffer->begin, 0}),
                   released.lower_bound({buffer->begin + buffer->bytes, 0}));
  if (!has(FUSER_CHECK_BARRIERS))
    return;
  for (const auto &[key, visit] : block.visits) {
    bool isKnown = false;
    for (const SimThread &thread : block.threads)
      if (thread.clock.isBefore(visit.place, visit.clock, thread.place)) {
        isKnown = true;
        break;
      }
    if (!isKnown)
      report("barriers", visit.access, &block.visits,
             describe(visit.place) + " " + getVerb(*visit.access) +
                 " shared memory of another block of the cluster by " +
                 at(visit.access->site) +
                 ", which may have ended: it does not wait for that");
  }
}

void SimChecker::checkAlignment(const SimThread &thread, const char *address,
                                const FuserSimAccess &access) {
  uint64_t beyond = reinterpret_cast<uintptr_t>(address) % access.alignment;
  if (has(FUSER_CHECK_ALIGNMENT) && beyond)
    report("alignment", &access, nullptr,
           format("%s %s at an address that is %" PRIu64
                  " beyond a multiple of %" PRIu32 ", by %s",
                  describe(thread.place).c_str(), getVerb(access), beyond,
                  access.alignment, at(access.site).c_str()));
}

/// False if the thread must not go on.
bool SimChecker::checkBounds(const SimThread &thread, const Target &target,
                             const char *address, uint64_t bytes,
                             const FuserSimAccess &access) {
  if (target.whole && target.part.contains(address, bytes))
    return true;
  if (!has(FUSER_CHECK_BOUNDS))
    return true;
  std::string where = "in no buffer that is live";
  if (target.whole)
    where =
        format("from byte %" PRIdPTR " on of ", address - target.part.begin) +
        describe(target);
  reportBounds(thread, bytes, access, where);
  return false;
}

/// The launch ends.
void SimChecker::reportBounds(const SimThread &thread, uint64_t bytes,
                              const FuserSimAccess &access,
                              const std::string &where) {
  report("bounds", &access, nullptr,
         format("%s %s %" PRIu64 " bytes by %s, ",
                describe(thread.place).c_str(), getVerb(access), bytes,
                at(access.site).c_str()) +
             where);
  stopped = true;
}

namespace {
/// What an access orders others by, from the narrowest scope to the widest. It
/// does not by accesses of another size.
struct Scopes {
  Scopes(const SimThread &thread, const FuserSimAccess &access)
      : all{getScope(*thread.home), uint64_t(1) << 32 | thread.place.cluster,
            0},
        count(access.kind & FUSER_SIM_OF_BLOCK     ? 1
              : access.kind & FUSER_SIM_OF_CLUSTER ? 2
                                                   : 3) {
    for (uint64_t &scope : all)
      scope |= uint64_t(access.lane_bytes) << 48;
  }
  const uint64_t *begin() const { return all; }
  const uint64_t *end() const { return all + count; }

  uint64_t all[3];
  int count;
};
} // namespace

/// Threads that come after a release of `address`, in the order of the
/// simulation, have acquired it; among those that see it.
void SimChecker::acquire(SimThread &thread, const char *address,
                         const FuserSimAccess &access) {
  if (access.kind & FUSER_SIM_ACQUIRE)
    for (uint64_t scope : Scopes(thread, access))
      if (auto it = released.find({address, scope}); it != released.end())
        thread.clock.acquire(it->second);
  if (has(FUSER_CHECK_RACES))
    syncs.add(thread.place, thread.clock, {address, access.kind, &access.site});
}

/// With what the thread did before, the access itself: it is noted already.
void SimChecker::release(SimThread &thread, const char *address,
                         const FuserSimAccess &access) {
  if (!(access.kind & FUSER_SIM_RELEASE))
    return;
  Scopes scopes(thread, access);
  for (uint64_t scope : scopes) {
    SimClock clock = thread.clock;
    clock.release(thread.place, released[{address, scope}]);
  }
  thread.home->releases.insert({address, *scopes.begin()});
  ++thread.clock.own;
}

void SimChecker::noteMBarrier(SimThread &thread, const char *address,
                              uint32_t kind, const FuserSimSite &site) {
  if (has(FUSER_CHECK_RACES))
    syncs.add(thread.place, thread.clock, {address, kind, &site});
}

void SimChecker::noteBytes(const SimActor &actor, const Target &target,
                           const char *address, uint64_t bytes,
                           const FuserSimAccess &access) {
  SimBuffer &whole = *target.whole;
  if (SimBlock *home = target.home)
    home->visits[{actor.place.block, actor.place.thread}] = {
        actor.place, actor.now, &access};
  if (has(FUSER_CHECK_UNINIT) && access.kind & FUSER_SIM_READ)
    if (ptrdiff_t byte = whole.findUnwritten(address, bytes); byte >= 0)
      report("uninit", &access, nullptr,
             describe(actor.place) + " reads " + describeByte(target, byte) +
                 " by " + at(access.site) + ", which nothing has written");
  if (access.kind & FUSER_SIM_WRITE)
    whole.markWritten(address, bytes);
  // What nothing writes has no races.
  if (has(FUSER_CHECK_RACES) && (!whole.isGlobal || whole.isWritable))
    noteRace(actor, target, address, bytes, access);
}

void SimChecker::noteRace(const SimActor &actor, const Target &target,
                          const char *address, uint64_t bytes,
                          const FuserSimAccess &access) {
  SimBuffer &whole = *target.whole;
  uint64_t byte = 0;
  auto offset = static_cast<uint64_t>(address - whole.begin);
  SimEvent event{{&access, actor.place, actor.now, offset},
                 actor.clock,
                 actor.thread.place,
                 static_cast<unsigned>(whole.isGlobal
                                           ? FUSER_SIM_FENCE_GLOBAL
                                           : FUSER_SIM_FENCE_SHARED)};
  SimRecord race = whole.races.note(event, offset, bytes, &byte);
  // Most are known.
  if (!race.access || known.count({"race", &access, race.access}))
    return;
  report("race", &access, race.access,
         describe(actor.place) + " " + getVerb(access) + " " +
             describeByte(target, byte) + " by " + at(access.site) +
             ", which " + describe(race.place) + " " + getVerb(*race.access) +
             " by " + at(race.access->site) + explain(event, race));
}

/// Why there is no order between them.
std::string SimChecker::explain(const SimEvent &event,
                                const SimRecord &race) const {
  const char *spaces[] = {"shared", "global"};
  if (event.needsFence(race) && event.isOrdered(race)) {
    std::string text = ", without a kernel.fence_async ";
    text += spaces[event.space];
    text += " between";
    unsigned other = 1 - event.space;
    if (event.clock.isFenced(race.place, race.clock, other))
      text += format(": the fence there is for %s memory", spaces[other]);
    return text;
  }
  std::string why = describeWeak(event.record, race);
  if (why.empty())
    why = syncs.explain(event, race);
  return ", in no order" + (why.empty() ? "" : ": " + why);
}

/// Calls `fn` with the place of each run of lanes that are set, and its bytes,
/// until it returns false.
template <typename Fn>
static void forEachRun(const char *start, uint64_t mask,
                       const FuserSimAccess &access, Fn fn) {
  for (uint32_t lane = 0; lane < access.lanes;) {
    uint32_t end = lane;
    while (end < access.lanes && mask >> end & 1)
      ++end;
    uint64_t bytes = uint64_t(end - lane) * access.lane_bytes;
    if (bytes && !fn(start + uint64_t(lane) * access.lane_bytes, bytes))
      return;
    lane = end + (end == lane);
  }
}

bool SimChecker::access(SimThread &thread, const void *address,
                        const void *base, uint64_t mask,
                        const FuserSimAccess &access) {
  uint64_t lanes =
      access.lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << access.lanes) - 1;
  mask &= lanes;
  if (mask == 0)
    return true;
  const auto *start = static_cast<const char *>(address);
  checkAlignment(thread, start, access);
  Target target =
      findTarget(thread, {address, base, access.buffer_bytes}, access);
  if (access.kind & FUSER_SIM_ATOMIC)
    acquire(thread, start, access);
  bool goesOn = true;
  forEachRun(start, mask, access, [&](const char *from, uint64_t bytes) {
    goesOn = checkBounds(thread, target, from, bytes, access);
    if (!goesOn || !target.whole || !target.part.contains(from, bytes))
      return false;
    noteBytes({thread, thread.clock, thread.place, thread.clock.own}, target,
              from, bytes, access);
    return true;
  });
  if (access.kind & FUSER_SIM_ATOMIC)
    release(thread, start, access);
  return goesOn;
}

bool SimChecker::privateAccess(const SimThread &thread, const SimRef &ref,
                               uint64_t mask, const FuserSimAccess &access) {
  if (!has(FUSER_CHECK_BOUNDS))
    return true;
  SimBuffer buffer;
  buffer.begin = ref.base;
  buffer.bytes = ref.bufferBytes;
  forEachRun(ref.address, mask, access, [&](const char *at, uint64_t bytes) {
    if (buffer.contains(at, bytes))
      return true;
    reportBounds(thread, bytes, access,
                 format("from byte %" PRIdPTR " on of ", at - buffer.begin) +
                     access.buffer);
    return false;
  });
  return !stopped;
}

//===----------------------------------------------------------------------===//
// Other ops that access memory
//===----------------------------------------------------------------------===//

const FuserSimAccess &SimChecker::getAccess(const FuserSimSite &site,
                                            uint32_t kind, uint64_t bytes,
                                            uint32_t alignment) {
  FuserSimAccess &access = accesses[{&site, kind}];
  access = {site, kind, 1, static_cast<uint32_t>(bytes), alignment, 0, nullptr};
  return access;
}

bool SimChecker::checkRef(SimThread &thread, const SimRef &ref, uint64_t bytes,
                          uint32_t alignment, uint32_t kind,
                          const FuserSimSite &site) {
  const FuserSimAccess &access = getAccess(site, kind, bytes, alignment);
  checkAlignment(thread, ref.address, access);
  return checkBounds(thread, findTarget(thread, ref, access), ref.address,
                     bytes, access);
}

bool SimChecker::accessRef(SimThread &thread, const SimRef &ref, uint64_t bytes,
                           uint32_t alignment, uint32_t kind,
                           const FuserSimSite &site) {
  const FuserSimAccess &access = getAccess(site, kind, bytes, alignment);
  checkAlignment(thread, ref.address, access);
  Target target = findTarget(thread, ref, access);
  if (kind & (FUSER_SIM_ACQUIRE | FUSER_SIM_RELEASE))
    acquire(thread, ref.address, access);
  if (!checkBounds(thread, target, ref.address, bytes, access))
    return false;
  if (target.whole && target.part.contains(ref.address, bytes))
    noteBytes({thread, thread.clock, thread.place, thread.clock.own}, target,
              ref.address, bytes, access);
  release(thread, ref.address, access);
  return true;
}

void SimChecker::noteAsync(const SimActor &actor, const SimRef &ref,
                           uint64_t bytes, uint32_t kind,
                           const FuserSimSite &site) {
  const FuserSimAccess &access = getAccess(site, kind, bytes, 1);
  Target target = findTarget(actor.thread, ref, access);
  if (target.whole && target.part.contains(ref.address, bytes))
    noteBytes(actor, target, ref.address, bytes, access);
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

void SimChecker::checkMeeting(const SimThread &thread,
                              const FuserSimSite &first,
                              const FuserSimSite &site) {
  if (has(FUSER_CHECK_DIVERGENCE) && &first != &site)
    report("divergence", &first, &site,
           describe(thread.place) + " is at " + at(site) +
               ", where others that it is to meet are at " + at(first));
}

void SimChecker::reportMissed(const SimThread &thread,
                              const SimMBarrier &mbarrier, uint64_t next,
                              const FuserSimSite &site) {
  if (!has(FUSER_CHECK_BARRIERS))
    return;
  std::string phase = "the phase before the first one";
  if (next > 0)
    phase = "phase " + std::to_string(next - 1);
  report("barriers", &site, nullptr,
         describe(thread.place) + " waits at " + at(site) + " for " + phase +
             " of " + mbarrier.describe() + ", and can miss it: phase " +
             std::to_string(next) +
             " may be complete before the thread looks, and has the other "
             "parity");
}

void SimChecker::checkEnded(const SimThread &thread, const FuserSimSite &site) {
  if (has(FUSER_CHECK_BARRIERS))
    report("barriers", &site, nullptr,
           describe(thread.place) + " has ended, while others wait at " +
               at(site));
}

void SimChecker::checkMember(const SimThread &thread, uint32_t width,
                             const FuserSimSite &site) {
  if (has(FUSER_CHECK_DIVERGENCE))
    report("divergence", &site, nullptr,
           describe(thread.place) + " comes to " + at(site) +
               ", in which only lanes below " + std::to_string(width) +
               " take part");
}

void SimChecker::checkLane(const SimThread &thread, uint32_t lane,
                           const FuserSimSite &site) {
  if (has(FUSER_CHECK_DIVERGENCE))
    report("divergence", &site, nullptr,
           describe(thread.place) + " reads lane " + std::to_string(lane) +
               " by " + at(site) + ", to which that lane has not come");
}
