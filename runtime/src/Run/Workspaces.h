//===- Workspaces.h - Memory that a program keeps -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_WORKSPACES_H
#define FUSER_RT_WORKSPACES_H

#include "Context.h"

#include <vector>

namespace fuser_rt {

/// Which memory of a program: calls on different streams run side by side.
struct WorkspaceKey {
  int32_t number;
  bool zeroed;
  void *stream;

  bool operator==(const WorkspaceKey &other) const {
    return number == other.number && zeroed == other.zeroed &&
           stream == other.stream;
  }
};

/// The workspaces of one variant of a program. Made when they are first asked
/// for; then a call finds them in a short list.
class Workspaces {
public:
  /// At least `bytes`; null for 0 bytes. The device is entered.
  FuserStatus *get(FuserContext &context, const WorkspaceKey &key, size_t bytes,
                   void **data);
  /// Frees all of them. Nothing runs any more that uses them.
  void release(FuserContext &context);

private:
  struct Workspace {
    WorkspaceKey key;
    size_t bytes;
    Memory memory;
    FuserAllocator allocator; ///< Where it came from.
  };
  FuserStatus *grow(FuserContext &context, Workspace &workspace, size_t bytes);

  std::vector<Workspace> workspaces;
};

} // namespace fuser_rt

#endif // FUSER_RT_WORKSPACES_H
