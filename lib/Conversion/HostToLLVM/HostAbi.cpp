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
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace fuser::host_to_llvm;

static_assert(FUSER_HOST_ABI_VERSION == 6, "another ABI, look at the lowering");

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
CHECK_SLOT(Group, group);
CHECK_SLOT(Communicate, communicate);
CHECK_SLOT(Coalesce, coalesce);
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

static_assert(kTransferBytes == sizeof(FuserTransfer));
static_assert(kTransferKind == offsetof(FuserTransfer, kind));
static_assert(kTransferReduction == offsetof(FuserTransfer, reduction));
static_assert(kTransferType == offsetof(FuserTransfer, type));
static_assert(kTransferNumPairs == offsetof(FuserTransfer, num_pairs));
static_assert(kTransferSource == offsetof(FuserTransfer, src));
static_assert(kTransferDestination == offsetof(FuserTransfer, dst));
static_assert(kTransferSourceCount == offsetof(FuserTransfer, src_count));
static_assert(kTransferDestinationCount == offsetof(FuserTransfer, dst_count));
static_assert(kTransferPeer == offsetof(FuserTransfer, peer));
static_assert(kTransferPairs == offsetof(FuserTransfer, pairs));

#define CHECK_KIND(name, constant)                                             \
  static_assert(static_cast<int>(fuser::host::TransferKind::name) == constant)
CHECK_KIND(AllGather, FUSER_ALL_GATHER);
CHECK_KIND(AllReduce, FUSER_ALL_REDUCE);
CHECK_KIND(ReduceScatter, FUSER_REDUCE_SCATTER);
CHECK_KIND(Broadcast, FUSER_BROADCAST);
CHECK_KIND(Reduce, FUSER_REDUCE);
CHECK_KIND(Gather, FUSER_GATHER);
CHECK_KIND(Scatter, FUSER_SCATTER);
CHECK_KIND(AllToAll, FUSER_ALL_TO_ALL);
CHECK_KIND(Send, FUSER_SEND);
CHECK_KIND(Recv, FUSER_RECV);
CHECK_KIND(Permute, FUSER_PERMUTE);
#undef CHECK_KIND

#define CHECK_REDUCTION(name, constant)                                        \
  static_assert(static_cast<int>(fuser::host::ReduceKind::name) == constant)
CHECK_REDUCTION(Sum, FUSER_SUM);
CHECK_REDUCTION(Prod, FUSER_PROD);
CHECK_REDUCTION(Min, FUSER_MIN);
CHECK_REDUCTION(Max, FUSER_MAX);
CHECK_REDUCTION(Avg, FUSER_AVG);
#undef CHECK_REDUCTION

static_assert(kInvalidArgument == FUSER_INVALID_ARGUMENT);

int32_t fuser::host_to_llvm::getTransferType(mlir::Type element) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(element)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 16:
      return FUSER_TYPE_BITS16;
    case 32:
      return isUnsigned ? FUSER_TYPE_U32 : FUSER_TYPE_I32;
    case 64:
      return isUnsigned ? FUSER_TYPE_U64 : FUSER_TYPE_I64;
    default:
      return isUnsigned ? FUSER_TYPE_U8 : FUSER_TYPE_I8;
    }
  }
  return llvm::TypeSwitch<mlir::Type, int32_t>(element)
      .Case([](mlir::Float64Type) { return FUSER_TYPE_F64; })
      .Case([](mlir::Float16Type) { return FUSER_TYPE_F16; })
      .Case([](mlir::BFloat16Type) { return FUSER_TYPE_BF16; })
      .Case([](mlir::Float8E4M3FNType) { return FUSER_TYPE_F8E4M3FN; })
      .Case([](mlir::Float8E5M2Type) { return FUSER_TYPE_F8E5M2; })
      .Default([](mlir::Type) { return FUSER_TYPE_F32; });
}

llvm::StringRef fuser::host_to_llvm::getEntryName() {
  return FUSER_HOST_ENTRY_NAME;
}
