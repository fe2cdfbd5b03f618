//===- Workspaces.cpp - Memory that a program keeps -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Workspaces.h"

#include "Status.h"

#include <algorithm>

using namespace fuser_rt;

/// What the memory held is lost.
FuserStatus *Workspaces::grow(FuserContext &context, Workspace &workspace,
                              size_t bytes) {
  void *stream = workspace.key.stream;
  Memory memory;
  FUSER_RETURN_IF_ERROR(context.allocate(bytes, stream, memory));
  FuserStatus *status = nullptr;
  if (workspace.key.zeroed)
    status = context.enqueue(
        stream, [&] { return Work{Work::Zero, "zero", {int64_t(bytes)}}; },
        [&] { return context.device->zero(memory.data, bytes, stream); });
  if (status) {
    context.deallocate(memory, context.allocator, stream);
    return status;
  }
  if (workspace.bytes != 0)
    context.deallocate(workspace.memory, workspace.allocator, stream);
  workspace.memory = memory;
  workspace.bytes = bytes;
  workspace.allocator = context.allocator;
  return nullptr;
}

FuserStatus *Workspaces::get(FuserContext &context, const WorkspaceKey &key,
                             size_t bytes, void **data) {
  auto it = std::find_if(
      workspaces.begin(), workspaces.end(),
      [&](const Workspace &workspace) { return workspace.key == key; });
  if (it == workspaces.end())
    it = workspaces.insert(it, Workspace{key, 0, {}, {}});
  if (__builtin_expect(bytes > it->bytes, 0))
    FUSER_RETURN_IF_ERROR(grow(context, *it, bytes));
  *data = it->memory.data;
  return nullptr;
}

void Workspaces::release(FuserContext &context) {
  for (Workspace &workspace : workspaces)
    if (workspace.bytes != 0)
      context.deallocate(workspace.memory, workspace.allocator,
                         context.device->ownStream());
  workspaces.clear();
}
