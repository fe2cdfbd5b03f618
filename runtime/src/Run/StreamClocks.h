//===- StreamClocks.h - What streams know of each other -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream that waits for another has waited for all that the other had waited
// for. So each stream has a clock: how much work of each other stream is known
// to be done when its next piece of work starts. A wait that the clocks show to
// be needless costs nothing on the device.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_STREAMCLOCKS_H
#define FUSER_RT_STREAMCLOCKS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fuser_rt {

/// The streams of one run of a program.
class StreamClocks {
public:
  /// Work goes to `stream`.
  void enqueue(void *stream) {
    if (!streams.empty())
      ++streams[find(stream)].given;
  }

  /// Whether `stream` must wait for `other`, which it then has done.
  bool wait(void *stream, void *other) {
    if (stream == other)
      return false;
    size_t self = find(stream), awaited = find(other);
    Stream &mine = streams[self];
    const Stream &theirs = streams[awaited];
    if (mine.known(awaited) >= theirs.given)
      return false;
    mine.learn(awaited, theirs.given);
    for (size_t i = 0; i < theirs.seen.size(); ++i)
      mine.learn(i, theirs.seen[i]);
    // Who waits for this stream from now on waits for that, too.
    ++mine.given;
    return true;
  }

private:
  struct Stream {
    void *handle;
    /// How much work it has been given. All have some from before the run.
    uint64_t given = 1;
    /// How much of each other stream's work is done before its next.
    std::vector<uint64_t> seen;

    uint64_t known(size_t other) const {
      return other < seen.size() ? seen[other] : 0;
    }
    void learn(size_t other, uint64_t work) {
      if (other >= seen.size())
        seen.resize(other + 1);
      seen[other] = std::max(seen[other], work);
    }
  };

  size_t find(void *handle) {
    for (size_t i = 0; i < streams.size(); ++i)
      if (streams[i].handle == handle)
        return i;
    streams.push_back({handle, 1, {}});
    return streams.size() - 1;
  }

  std::vector<Stream> streams; // few: made by the first wait
};

} // namespace fuser_rt

#endif // FUSER_RT_STREAMCLOCKS_H
