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

static std::string at(const FuserSimSite &site) {
  return format("%s (%s)", site.op, site.location);
}

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

/// "byte 12 of argument 1 (4096 bytes)".
std::string SimChecker::describe(const SimBuffer &buffer,
                                 uint64_t offset) const {
  std::string text = format("byte %" PRIu64 " of ", offset);
  if (!buffer.isGlobal)
    return text +
           format("a buffer of %zu bytes in shared memory", buffer.bytes);
  for (uint64_t i = 0; info && i < info->num_params; ++i) {
    if (!info->params[i].access)
      continue;
    const char *pointer = *static_cast<char *const *>(launch->params[i]);
    if (buffer.contains(pointer, 1))
      return text + format("the %zu of argument %" PRId32, buffer.bytes,
                           info->params[i].argument);
  }
  return text + format("a buffer of %zu in global memory", buffer.bytes);
}

void SimChecker::report(const char *kind, const void *first, const void *second,
                        const std::string &text) {
  if (!known.insert({first, second}).second)
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

/// The buffer that the access is to stay in, `part`, and the one that its bytes
/// are counted in, which is returned. Null if there is none.
SimBuffer *SimChecker::findBuffer(SimThread &thread, const char *address,
                                  const char *base,
                                  const FuserSimAccess &access,
                                  SimBuffer &part) {
  SimBlock &block = *thread.home;
  SimBuffer *whole = nullptr;
  const char *from = base ? base : address;
  for (SimBuffer *shared : {&block.sharedBytes, &block.dynamicSharedBytes})
    if (shared->bytes && from >= shared->begin &&
        from < shared->begin + shared->bytes)
      whole = shared;
  if (!whole)
    whole = memory.find(from);
  if (!whole)
    return nullptr;
  part.begin = whole->begin;
  part.bytes = whole->bytes;
  part.isGlobal = whole->isGlobal;
  if (access.buffer_bytes) {
    part.begin = base;
    part.bytes = access.buffer_bytes;
  }
  return whole;
}

bool SimChecker::reportOutside(const SimThread &thread, const char *address,
                               const SimBuffer *buffer,
                               const FuserSimAccess &access) {
  std::string text =
      format("%s %s %" PRIu32 " bytes by %s, which are ",
             name(*launch, thread.place).c_str(), getVerb(access),
             access.lane_bytes, at(access.site).c_str());
  if (buffer)
    text += format("%" PRIdPTR " from the start of a buffer: ",
                   address - buffer->begin) +
            describe(*buffer, 0).substr(strlen("byte 0 of "));
  else
    text += "in no buffer that is live";
  report("bounds", &access, nullptr, text);
  stopped = true;
  return false;
}

/// Threads that come after a release of `address`, in the order of the
/// simulation, have acquired it.
void SimChecker::order(SimThread &thread, const char *address,
                       const FuserSimAccess &access) {
  if (access.kind & FUSER_SIM_ACQUIRE)
    if (auto it = released.find(address); it != released.end())
      thread.clock.acquire(it->second);
  if (access.kind & FUSER_SIM_RELEASE)
    thread.clock.release(thread.place, released[address]);
}

void SimChecker::checkLanes(SimThread &thread, SimBuffer &part,
                            SimBuffer &whole, const char *address,
                            uint64_t bytes, const FuserSimAccess &access) {
  auto offset = static_cast<uint64_t>(address - whole.begin);
  auto inPart = [&](uint64_t byte) {
    return describe(part, byte + (whole.begin - part.begin));
  };
  if (has(FUSER_CHECK_UNINIT) && access.kind & FUSER_SIM_READ)
    if (ptrdiff_t byte = whole.findUnwritten(address, bytes); byte >= 0)
      report("uninit", &access, nullptr,
             name(*launch, thread.place) + " reads " + inPart(byte) + " by " +
                 at(access.site) + ", which nothing has written");
  if (access.kind & FUSER_SIM_WRITE)
    whole.markWritten(address, bytes);
  // What nothing writes has no races.
  if (!has(FUSER_CHECK_RACES) || (whole.isGlobal && !whole.isWritable))
    return;
  uint64_t byte = 0;
  SimEvent event{{&access, thread.place, thread.clock.own}, thread.clock};
  SimRecord race = whole.races.note(event, offset, bytes, &byte);
  if (race.access)
    report("race", &access, race.access,
           name(*launch, thread.place) + " " + getVerb(access) + " " +
               inPart(byte) + " by " + at(access.site) + ", which " +
               name(*launch, race.place) + " " + getVerb(*race.access) +
               " by " + at(race.access->site) + ", in no order");
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
  if (has(FUSER_CHECK_ALIGNMENT) &&
      reinterpret_cast<uintptr_t>(address) % access.alignment)
    report("alignment", &access, nullptr,
           format("%s %s at an address that is %" PRIu64
                  " beyond a multiple of %" PRIu32 ", by %s",
                  name(*launch, thread.place).c_str(), getVerb(access),
                  uint64_t(reinterpret_cast<uintptr_t>(address) %
                           access.alignment),
                  access.alignment, at(access.site).c_str()));
  SimBuffer part;
  SimBuffer *whole =
      findBuffer(thread, start, static_cast<const char *>(base), access, part);
  if (access.kind & FUSER_SIM_ATOMIC)
    order(thread, start, access);
  for (uint32_t lane = 0; lane < access.lanes;) {
    if (!(mask >> lane & 1)) {
      ++lane;
      continue;
    }
    uint32_t end = lane;
    while (end < access.lanes && mask >> end & 1)
      ++end;
    const char *from = start + uint64_t(lane) * access.lane_bytes;
    uint64_t bytes = uint64_t(end - lane) * access.lane_bytes;
    if (!whole || !part.contains(from, bytes))
      return has(FUSER_CHECK_BOUNDS)
                 ? reportOutside(thread, from, whole ? &part : nullptr, access)
                 : true;
    checkLanes(thread, part, *whole, from, bytes, access);
    lane = end;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

void SimChecker::checkMeeting(const SimThread &thread,
                              const FuserSimSite &first,
                              const FuserSimSite &site) {
  if (has(FUSER_CHECK_DIVERGENCE) && &first != &site)
    report("divergence", &first, &site,
           name(*launch, thread.place) + " is at " + at(site) +
               ", where others that it is to meet are at " + at(first));
}

void SimChecker::checkEnded(const SimThread &thread, const FuserSimSite &site) {
  if (has(FUSER_CHECK_BARRIERS))
    report("barriers", &site, nullptr,
           name(*launch, thread.place) + " has ended, while others wait at " +
               at(site));
}

void SimChecker::checkLane(const SimThread &thread, uint32_t lane,
                           const FuserSimSite &site) {
  if (has(FUSER_CHECK_DIVERGENCE))
    report("divergence", &site, nullptr,
           name(*launch, thread.place) + " reads lane " + std::to_string(lane) +
               " by " + at(site) + ", which is not there");
}
