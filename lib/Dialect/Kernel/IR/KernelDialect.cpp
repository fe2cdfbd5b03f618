//===- KernelDialect.cpp - The kernel dialect -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/EnumSyntax.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fuser;
using namespace fuser::kernel;

bool kernel::isShared(MemRefType type) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

bool kernel::isCluster(MemRefType type) {
  return isa_and_nonnull<ClusterMemoryAttr>(type.getMemorySpace());
}

bool kernel::isGlobal(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return !type.getMemorySpace() ||
         (space && space.getValue() == gpu::AddressSpace::Global);
}

bool kernel::isMBarriers(MemRefType type) {
  return isa<MBarrierType>(type.getElementType()) &&
         (isShared(type) || isCluster(type));
}

#include "fuser/Dialect/Kernel/IR/KernelDialect.cpp.inc"
#include "fuser/Dialect/Kernel/IR/KernelEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "fuser/Dialect/Kernel/IR/KernelTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fuser/Dialect/Kernel/IR/KernelAttrs.cpp.inc"

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "fuser/Dialect/Kernel/IR/KernelOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "fuser/Dialect/Kernel/IR/KernelTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fuser/Dialect/Kernel/IR/KernelAttrs.cpp.inc"
      >();
}
