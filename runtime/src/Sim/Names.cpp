//===- Names.cpp - What messages call threads and memory ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Group.h"
#include "Status.h"

#include <cinttypes>

using namespace fuser_rt;

static std::string list(const int64_t (&numbers)[3]) {
  return format("(%" PRId64 ", %" PRId64 ", %" PRId64 ")", numbers[0],
                numbers[1], numbers[2]);
}

std::string SimBlock::describe() const {
  return "block " + list(place.block_id);
}

std::string SimThread::describe() const {
  return "thread " + list(thread_id) + " of " + home->describe();
}

/// The workgroup attribution of `block` that has `address` in it, or null.
static const FuserSimBuffer *findBuffer(const SimBlock &block,
                                        const char *address) {
  const FuserSimInfo *info = block.group->getInfo();
  for (uint64_t i = 0; info && i < info->num_buffers; ++i) {
    const FuserSimBuffer &buffer = info->buffers[i];
    const char *begin = block.place.shared + buffer.offset;
    if (address >= begin && address < begin + buffer.bytes)
      return &buffer;
  }
  return nullptr;
}

/// Whether `address` is in the memory that the launch adds to the kernel's.
static bool isDynamic(const FuserSimBlock &place, const char *address) {
  return address >= place.dynamic_shared &&
         address < place.dynamic_shared + place.dynamic_shared_bytes;
}

std::string SimBlock::describeBuffer(const char *address) const {
  if (const FuserSimBuffer *buffer = findBuffer(*this, address))
    return buffer->name;
  if (isDynamic(place, address))
    return format("the dynamic shared memory (%" PRId64 " bytes)",
                  place.dynamic_shared_bytes);
  return "shared memory";
}

std::string SimBlock::describeByte(const char *address) const {
  const char *begin = place.shared;
  const FuserSimBuffer *buffer = findBuffer(*this, address);
  if (buffer)
    begin += buffer->offset;
  else if (isDynamic(place, address))
    begin = place.dynamic_shared;
  auto byte = static_cast<uint64_t>(address - begin);
  std::string text = format("byte %" PRIu64, byte);
  if (buffer && buffer->mbarrier_bytes)
    text = format("mbarrier %" PRIu64, byte / buffer->mbarrier_bytes);
  return text + " of " + describeBuffer(address);
}

std::string SimMBarrier::describe() const {
  return home->describeByte(address);
}
