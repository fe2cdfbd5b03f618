//===- FakeRuntime.cpp - A function table that records calls --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeRuntime.h"
#include <cinttypes>
#include <cstdio>
#include <cstring>

static std::string text(int64_t value) { return std::to_string(value); }

static std::string text(const int64_t *values, int count) {
  std::string result = "[";
  for (int i = 0; i < count; ++i)
    result += (i ? "," : "") + text(values[i]);
  return result + "]";
}

static std::string text(const int32_t *values) {
  return "[" + text(values[0]) + "," + text(values[1]) + "," + text(values[2]) +
         "]";
}

int32_t FuserFrame::record(const std::string &name,
                           const std::string &arguments) {
  calls.push_back(arguments.empty() ? name : name + " " + arguments);
  return name == failing ? FUSER_OUT_OF_MEMORY : FUSER_OK;
}

void *getFakeStream(int64_t index) {
  return reinterpret_cast<void *>(0x1000 + index);
}

static std::string streamText(void *stream) {
  return text(reinterpret_cast<intptr_t>(stream) - 0x1000);
}

std::string nameOf(const FuserFrame &frame, const void *data) {
  const auto *at = static_cast<const char *>(data);
  for (size_t i = 0; i < frame.memory.size(); ++i)
    if (at >= frame.memory[i].get() && at < frame.memory[i].get() + 4096)
      return "m" + text(i) + "+" + text(at - frame.memory[i].get());
  return "input";
}

static void *newMemory(FuserFrame *frame) {
  frame->memory.push_back(std::make_unique<char[]>(4096));
  return frame->memory.back().get();
}

static int32_t fakeAlloc(FuserFrame *frame, int64_t bytes, void **data) {
  *data = newMemory(frame);
  return frame->record("alloc", text(bytes));
}

static int32_t fakeDealloc(FuserFrame *frame, void *data) {
  return frame->record("dealloc", nameOf(*frame, data));
}

static int32_t fakeOutput(FuserFrame *frame, int32_t index,
                          const int64_t *sizes, const int64_t *strides,
                          void **data) {
  *data = frame->outputs[index] = newMemory(frame);
  return frame->record("output", text(index) + " " + text(sizes, 2) + " " +
                                     text(strides, 2));
}

static int32_t fakeOutputView(FuserFrame *frame, int32_t index, int32_t input,
                              void *data, const int64_t *sizes,
                              const int64_t *strides) {
  frame->outputs[index] = data;
  return frame->record("output_view", text(index) + " " + text(input) + " " +
                                          nameOf(*frame, data) + " " +
                                          text(sizes, 1) + " " +
                                          text(strides, 1));
}

static int32_t fakeLaunch(FuserFrame *frame, int32_t kernel,
                          const FuserLaunchDims *dims, void *const *params) {
  std::string line = text(kernel) + " grid" + text(dims->grid, 3) + " block" +
                     text(dims->block) + " cluster" + text(dims->cluster) +
                     " shared " + text(dims->dynamic_shared_bytes);
  if (dims->flags)
    line += " flags " + text(dims->flags);
  int numParams = kernel < static_cast<int>(frame->numParams.size())
                      ? frame->numParams[kernel]
                      : 0;
  for (int i = 0; i < numParams; ++i) {
    int64_t value;
    std::memcpy(&value, params[i], sizeof value);
    std::string name = nameOf(*frame, reinterpret_cast<void *>(value));
    line += " " + (name == "input" ? text(value) : name);
  }
  if (kernel < static_cast<int>(frame->kernels.size()))
    frame->kernels[kernel](
        params, 0, dims->grid[0] * dims->grid[1] * dims->grid[2], nullptr);
  return frame->record("launch", line);
}

static int32_t fakeCopy(FuserFrame *frame, void *dst, const void *src,
                        int64_t bytes) {
  return frame->record("copy", nameOf(*frame, dst) + " " + nameOf(*frame, src) +
                                   " " + text(bytes));
}

static int32_t fakeGetStream(FuserFrame *frame, void **stream) {
  *stream = frame->stream ? frame->stream : getFakeStream(0);
  return frame->record("get_stream", "");
}

static int32_t fakeSetStream(FuserFrame *frame, void *stream) {
  frame->stream = stream;
  return frame->record("set_stream", streamText(stream));
}

static int32_t fakeStream(FuserFrame *frame, int64_t index, void **stream) {
  *stream = getFakeStream(index);
  return frame->record("stream", text(index));
}

static int32_t fakeSync(FuserFrame *frame, void *stream) {
  return frame->record("sync", streamText(stream));
}

static int32_t fakeFail(FuserFrame *frame, int32_t code, const char *message,
                        const int64_t *values, int32_t numValues) {
  frame->record("fail",
                text(code) + " " + message + " " + text(values, numValues));
  return code;
}

static int32_t fakeWorkspace(FuserFrame *frame, int32_t number, int32_t zeroed,
                             int64_t bytes, void **data) {
  *data = newMemory(frame);
  return frame->record("workspace", text(number) + (zeroed ? " zeroed " : " ") +
                                        text(bytes));
}

static int32_t fakeMatmul(FuserFrame *frame, const FuserMatmul *op) {
  return frame->record(
      "matmul",
      nameOf(*frame, const_cast<void *>(op->a)) + " " + text(op->a_strides, 3) +
          " " + nameOf(*frame, const_cast<void *>(op->b)) + " " +
          text(op->b_strides, 3) + " " + nameOf(*frame, op->out) + " " +
          text(op->out_strides, 3) + " sizes " + text(&op->batch, 4) +
          " types " + text(op->type) + " " + text(op->out_type));
}

/// The caller is rank 1 of 4 in every group.
static int32_t fakeGroup(FuserFrame *frame, const int64_t *lists, int64_t count,
                         void **group, int64_t *rank, int64_t *size) {
  *group = newMemory(frame);
  *rank = 1;
  *size = 4;
  return frame->record("group", text(lists, int32_t(count)));
}

static int32_t fakeCommunicate(FuserFrame *frame, void *group,
                               const FuserTransfer *transfer) {
  std::string line =
      nameOf(*frame, group) + " kind " + text(transfer->kind) + " reduction " +
      text(transfer->reduction) + " type " + text(transfer->type) + " " +
      nameOf(*frame, const_cast<void *>(transfer->src)) + " " +
      text(transfer->src_count) + " " + nameOf(*frame, transfer->dst) + " " +
      text(transfer->dst_count) + " peer " + text(transfer->peer);
  if (transfer->num_pairs)
    line += " pairs " + text(transfer->pairs, 2 * transfer->num_pairs);
  return frame->record("communicate", line);
}

static int32_t fakeCoalesce(FuserFrame *frame, int32_t begins) {
  return frame->record("coalesce", text(begins));
}

const FuserHostApi kFakeApi = {FUSER_HOST_ABI_VERSION,
                               sizeof(FuserHostApi),
                               fakeAlloc,
                               fakeDealloc,
                               fakeOutput,
                               fakeOutputView,
                               fakeLaunch,
                               fakeCopy,
                               fakeGetStream,
                               fakeSetStream,
                               fakeStream,
                               fakeSync,
                               fakeFail,
                               fakeWorkspace,
                               fakeMatmul,
                               fakeGroup,
                               fakeCommunicate,
                               fakeCoalesce};
