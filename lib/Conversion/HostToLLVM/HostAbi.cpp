//===- HostAbi.cpp - The layout that code is emitted against --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostToLLVMInternal.h"
#include "fuser_rt/Program.h"
#include "fuser_rt/fuser_rt.h"
#include "fuser_rt/host_abi.h"
#include <cstddef>

using namespace fuser::host_to_llvm;

static_assert(FUSER_HOST_ABI_VERSION == 4, "another ABI, look at the lowering");

#define CHECK_SLOT(slot, field)                                                \
  static_assert(static_cast<size_t>(ApiSlot::slot) ==                          \
                    offsetof(FuserHostApi, field),                             \
                "FuserHostApi::" #field " is elsewhere")
CHECK_SLOT(Alloc, alloc);
CHECK_SLOT(Dealloc, dealloc);
CHECK_SLOT(Output, output);
CHECK_SLOT(OutputView, output_view);
CHECK_SLOT(Launch, launch);
CHECK_SLOT(Copy, copy);
CHECK_SLOT(GetStream, get_stream);
CHECK_SLOT(SetStream, set_stream);
CHECK_SLOT(Stream, stream);
CHECK_SLOT(Sync, sync);
CHECK_SLOT(Fail, fail);
CHECK_SLOT(Workspace, workspace);
CHECK_SLOT(Matmul, matmul);
#undef CHECK_SLOT

static_assert(kViewBytes == sizeof(FuserTensorView));
static_assert(kViewData == offsetof(FuserTensorView, data));
static_assert(kViewSizes == offsetof(FuserTensorView, sizes));
static_assert(kViewStrides == offsetof(FuserTensorView, strides));

// The descriptor of a memref is stored as it is.
static_assert(kMemRefBytes == sizeof(FuserMemRef));

static_assert(kDimsBytes == sizeof(FuserLaunchDims));
static_assert(kDimsGrid == offsetof(FuserLaunchDims, grid));
static_assert(kDimsBlock == offsetof(FuserLaunchDims, block));
static_assert(kDimsCluster == offsetof(FuserLaunchDims, cluster));
static_assert(kDimsShared == offsetof(FuserLaunchDims, dynamic_shared_bytes));
static_assert(kDimsFlags == offsetof(FuserLaunchDims, flags));
static_assert(kCooperative == FUSER_LAUNCH_COOPERATIVE);
static_assert(kProgrammatic == FUSER_LAUNCH_PROGRAMMATIC);

static_assert(kMatmulBytes == sizeof(FuserMatmul));
static_assert(kMatmulAddresses == offsetof(FuserMatmul, a));
static_assert(kMatmulSizes == offsetof(FuserMatmul, batch));
static_assert(kMatmulStrides == offsetof(FuserMatmul, a_strides));
static_assert(kMatmulTypes == offsetof(FuserMatmul, type));

// What the lowering numbers element types.
static_assert(int(fuser_rt::ElementType::F64) == 0);
static_assert(int(fuser_rt::ElementType::F32) == 1);
static_assert(int(fuser_rt::ElementType::F16) == 2);
static_assert(int(fuser_rt::ElementType::BF16) == 3);

static_assert(kInvalidArgument == FUSER_INVALID_ARGUMENT);

llvm::StringRef fuser::host_to_llvm::getEntryName() {
  return FUSER_HOST_ENTRY_NAME;
}
