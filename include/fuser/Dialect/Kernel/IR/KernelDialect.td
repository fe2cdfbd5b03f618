//===- KernelDialect.td - The kernel dialect, its types and attributes --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_KERNEL_IR_KERNELDIALECT_TD
#define FUSER_DIALECT_KERNEL_IR_KERNELDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::fuser::kernel";
  let summary = "What GPU kernels need and no dialect of MLIR has";
  let description = [{
    Ops of the kernel stage, beside `gpu`, `memref`, `vector`, `scf` and arithmetic: clusters of thread blocks and the shared memory of their
    blocks, mbarriers, asynchronous copies, fences between proxies, counters in global memory, accesses with a cache policy, dependencies
    between grids, random numbers. Each is lowered to PTX (`kernel-to-nvptx`) and for the simulator (`kernel-to-sim`), which checks that
    it is used as PTX asks.

    ```mlir
    gpu.func @k(%x: memref<1024xf32>) workgroup(%tile: memref<1024xf32, #gpu.address_space<workgroup>>,
                                                %full: memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel {
      ...
      scf.if %isFirst {
        kernel.mbarrier_init %full[%c0], %c1_i32 : memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
        kernel.fence_mbarrier_init
      }
      gpu.barrier
      scf.if %isFirst {
        kernel.mbarrier_arrive %full[%c0] expect %bytes : memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
        kernel.bulk_copy %x[%c0], %tile[%c0], %c1024 completes %full[%c0]
            : memref<1024xf32>, memref<1024xf32, #gpu.address_space<workgroup>>, memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
      }
      kernel.mbarrier_wait %full[%c0], %false : memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
      ...
    }
    ```

    **Clusters.** The blocks of a cluster see each other's shared memory. `kernel.map_block` gives the memory of another block: a memref in
    `#kernel.cluster_memory`, which `memref` and `vector` ops read and write. The blocks must have met before (`kernel.cluster_arrive`, `kernel.cluster_wait`), and a
    block must not end while others access its memory.

    **Proxies.** `kernel.bulk_copy` accesses memory by the asynchronous proxy. What threads wrote before is visible to it only behind a
    `kernel.fence_async`; what it wrote is visible to a thread that has waited for its mbarrier. `kernel.copy_async` is a copy of one thread, which needs neither.

    **Scopes.** An arrival releases what the thread did before, and a wait acquires it, within the thread's block, or within the cluster where the op
    says so.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Kernel_MBarrier : TypeDef<Kernel_Dialect, "MBarrier", [MemRefElementTypeInterface]> {
  let mnemonic = "mbarrier";
  let summary = "an mbarrier: 8 bytes of shared memory";
  let description = [{
    Counts arrivals and bytes of asynchronous copies, phase by phase. It stands in shared memory only, as an element of a workgroup
    attribution. A phase completes when all arrivals that `kernel.mbarrier_init` counts, and all bytes that were expected in it, have come; then the next one
    begins, with the same count.
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Kernel_ClusterMemoryAttr : AttrDef<Kernel_Dialect, "ClusterMemory"> {
  let mnemonic = "cluster_memory";
  let summary = "memory space: the shared memory of a block of the cluster";
  let description = [{
    The space of what `kernel.map_block` returns; `shared::cluster` of PTX.
  }];
}

class Kernel_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::fuser::kernel";
  let genSpecializedAttr = 0;
}
class Kernel_EnumAttr<EnumInfo values, string mnemonic> : EnumAttr<Kernel_Dialect, values, mnemonic> {
  let assemblyFormat = "custom<EnumKeyword>($value)";
}

def Kernel_Scope : Kernel_Enum<"Scope", "threads among which accesses are ordered", [
    I32EnumAttrCase<"Block", 0, "block">, I32EnumAttrCase<"Cluster", 1, "cluster">, I32EnumAttrCase<"Device", 2, "device">]>;
def Kernel_ScopeAttr : Kernel_EnumAttr<Kernel_Scope, "scope">;

def Kernel_Order : Kernel_Enum<"Order", "how an atomic access orders others", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;
def Kernel_OrderAttr : Kernel_EnumAttr<Kernel_Order, "order">;

def Kernel_Cache : Kernel_Enum<"Cache", "what caches should do with an access", [
    I32EnumAttrCase<"Streaming", 0, "streaming">, I32EnumAttrCase<"NoAllocate", 1, "no_allocate">,
    I32EnumAttrCase<"EvictFirst", 2, "evict_first">, I32EnumAttrCase<"EvictLast", 3, "evict_last">]>;
def Kernel_CacheAttr : Kernel_EnumAttr<Kernel_Cache, "cache">;

def Kernel_Vote : Kernel_Enum<"Vote", "what a warp is asked", [
    I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"All", 1, "all">]>;
def Kernel_VoteAttr : Kernel_EnumAttr<Kernel_Vote, "vote">;

def Kernel_Space : Kernel_Enum<"Space", "memory that a fence is for", [
    I32EnumAttrCase<"Shared", 0, "shared">, I32EnumAttrCase<"Global", 1, "global">]>;
def Kernel_SpaceAttr : Kernel_EnumAttr<Kernel_Space, "space">;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

class Kernel_MemRefIn<code predicate, string summary> :
    Type<And<[AnyMemRef.predicate, CPred<predicate>]>, summary, "::mlir::MemRefType">;

def Kernel_SharedMemRef : Kernel_MemRefIn<
    "::fuser::kernel::isShared(::llvm::cast<::mlir::MemRefType>($_self))", "memref in the block's shared memory">;
def Kernel_ClusterMemRef : Kernel_MemRefIn<
    "::fuser::kernel::isCluster(::llvm::cast<::mlir::MemRefType>($_self))", "memref in the cluster's shared memory">;
def Kernel_GlobalMemRef : Kernel_MemRefIn<
    "::fuser::kernel::isGlobal(::llvm::cast<::mlir::MemRefType>($_self))", "memref in global memory">;

// What threads share.
def Kernel_SharedOrGlobalMemRef : Type<
    Or<[Kernel_SharedMemRef.predicate, Kernel_ClusterMemRef.predicate, Kernel_GlobalMemRef.predicate]>,
    "memref in shared, the cluster's or global memory", "::mlir::MemRefType">;

def Kernel_MBarriers : Kernel_MemRefIn<
    "::fuser::kernel::isMBarriers(::llvm::cast<::mlir::MemRefType>($_self))", "mbarriers in shared memory">;
def Kernel_OwnMBarriers : Type<And<[Kernel_MBarriers.predicate, Kernel_SharedMemRef.predicate]>,
    "mbarriers in the block's shared memory", "::mlir::MemRefType">;

// Threads and grids waiting for each other: no pass moves or removes such an op, or an access across it.
def Kernel_Synchronizes : MemoryEffects<[MemRead, MemWrite]>;

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

#endif // FUSER_DIALECT_KERNEL_IR_KERNELDIALECT_TD
