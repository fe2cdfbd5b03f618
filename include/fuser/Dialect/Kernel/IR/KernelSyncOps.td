//===- KernelSyncOps.td - Threads, clusters and grids that meet --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_KERNEL_IR_KERNELSYNCOPS_TD
#define FUSER_DIALECT_KERNEL_IR_KERNELSYNCOPS_TD

include "fuser/Dialect/Kernel/IR/KernelDialect.td"

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

def Kernel_ClusterArriveOp : Kernel_Op<"cluster_arrive", [Kernel_Synchronizes]> {
  let summary = "arrives at the barrier of the cluster";
  let description = [{
    Releases what the thread did before. A `kernel.cluster_wait` of the thread must follow before it arrives again.

    `relaxed`: releases nothing but what a fence before it does (`kernel.fence_mbarrier_init`), and so does not wait for the thread's memory accesses.

    ```mlir
    kernel.cluster_arrive
    kernel.cluster_arrive relaxed
    ```
  }];
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}

def Kernel_ClusterWaitOp : Kernel_Op<"cluster_wait", [Kernel_Synchronizes]> {
  let summary = "waits until all threads of the cluster have arrived";
  let description = [{
    And acquires what they did before. Threads that have ended count as arrived.

    ```mlir
    kernel.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class Kernel_NamedBarrierOp<string mnemonic> : Kernel_Op<mnemonic, [Kernel_Synchronizes]> {
  let arguments = (ins Index:$number, I32Attr:$threads);
  let assemblyFormat = "$number `,` $threads attr-dict";
  let hasVerifier = 1;
}

def Kernel_BarrierOp : Kernel_NamedBarrierOp<"barrier"> {
  let summary = "waits for so many threads of the block";
  let description = [{
    At barrier `number`, 1 to 15 (0 is that of `gpu.barrier`), until `threads` have come: those that wait, and those that only arrive. Whole warps do so.

    Constraints:
    * `barrier_c1`: the threads are a multiple of 32, at most 1024.
    * `barrier_c2`: a number that is constant is from 1 to 15.

    ```mlir
    kernel.barrier %half, 128
    ```
  }];
}

def Kernel_BarrierArriveOp : Kernel_NamedBarrierOp<"barrier_arrive"> {
  let summary = "arrives at a barrier of the block and goes on";
  let description = [{
    As `kernel.barrier`, without waiting.

    Constraints:
    * `barrier_arrive_c1`: the threads are a multiple of 32, at most 1024.
    * `barrier_arrive_c2`: a number that is constant is from 1 to 15.

    ```mlir
    kernel.barrier_arrive %half, 128
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

def Kernel_VoteOp : Kernel_Op<"vote", [Kernel_Synchronizes]> {
  let summary = "whether a condition holds for any, or all, threads of the warp";
  let description = [{
    All threads of the warp that have not ended do it together.

    ```mlir
    %any = kernel.vote any %p
    ```
  }];
  let arguments = (ins Kernel_VoteAttr:$kind, I1:$predicate);
  let results = (outs I1:$result);
  let assemblyFormat = "$kind $predicate attr-dict";
}

def Kernel_BallotOp : Kernel_Op<"ballot", [Kernel_Synchronizes]> {
  let summary = "for which threads of the warp a condition holds";
  let description = [{
    A bit for each lane. All threads of the warp that have not ended do it together.

    ```mlir
    %lanes = kernel.ballot %p
    ```
  }];
  let arguments = (ins I1:$predicate);
  let results = (outs I32:$result);
  let assemblyFormat = "$predicate attr-dict";
}

def Kernel_SyncWarpOp : Kernel_Op<"sync_warp", [Kernel_Synchronizes]> {
  let summary = "waits for all threads of the warp";
  let description = [{
    What each did to memory before is before what all do behind it. All threads of the warp that have not ended do it together.

    ```mlir
    kernel.sync_warp
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Kernel_ElectOp : Kernel_Op<"elect", [Kernel_Synchronizes]> {
  let summary = "true for one thread of the warp";
  let description = [{
    Which one is not said. All threads of the warp that have not ended do it together.

    ```mlir
    %isLeader = kernel.elect
    ```
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

def Kernel_GridDependencyWaitOp : Kernel_Op<"grid_dependency_wait", [Kernel_Synchronizes]> {
  let summary = "waits for the launch before, in a programmatic launch";
  let description = [{
    Until its grid has ended and what it wrote is visible. What the kernel does before must not depend on it. In any other launch it does nothing.

    ```mlir
    kernel.grid_dependency_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Kernel_GridDependencyLaunchOp : Kernel_Op<"grid_dependency_launch", [Kernel_Synchronizes]> {
  let summary = "lets a programmatic launch behind this one begin";
  let description = [{
    When all blocks have said so or ended. It promises nothing of memory.

    ```mlir
    kernel.grid_dependency_launch
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // FUSER_DIALECT_KERNEL_IR_KERNELSYNCOPS_TD
