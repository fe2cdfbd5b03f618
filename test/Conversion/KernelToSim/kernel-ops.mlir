// Ops of the dialect kernel call the simulator; what they access is told by its base where accesses are checked.
// RUN: fuser-opt %s --kernel-to-sim | FileCheck %s
// RUN: fuser-opt %s --kernel-to-sim=check | FileCheck %s --check-prefix=CHECKED

// CHECK-LABEL: llvm.func @copy(
// CHECK-SAME: fuser.scratch_bytes = 272
// The references are made at the start, without a base.
// CHECK: %[[SLOT:.*]] = llvm.alloca {{.*}} x !llvm.struct<(ptr, ptr, i64)>
// CHECK: llvm.store %{{.*}}, %{{.*}} : !llvm.struct<(ptr, ptr, i64)>, !llvm.ptr
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 1 : i64, fuser.ref = 3 : i32} : !llvm.ptr, !llvm.ptr
// The mbarrier is made for one arrival (0), and gets one that expects bytes (3).
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> ()
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> ()
// A copy reads (1) and writes (2), and counts at the mbarrier.
// CHECK: fuser.ref = 1 : i32
// CHECK: fuser.ref = 2 : i32
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()

// The tile's base is its own start, and its size follows.
// CHECKED-LABEL: llvm.func @copy(
// CHECKED: %[[TILE:.*]] = llvm.getelementptr %{{.*}}[0] {fuser.buffer_bytes = 256 : i64}
// CHECKED: llvm.store %{{.*}}, %[[REF:.*]] {alignment = 1 : i64, fuser.ref = 1 : i32}
// CHECKED: llvm.store %{{.*}}, %[[TARGET:.*]] {alignment = 1 : i64, fuser.ref = 2 : i32}
// CHECKED: %[[BASE:.*]] = llvm.getelementptr %[[TARGET]][8]
// CHECKED: llvm.store %[[TILE]], %[[BASE]] {alignment = 1 : i64} : !llvm.ptr, !llvm.ptr
// CHECKED: %[[BYTES:.*]] = llvm.getelementptr %[[TARGET]][16]
// CHECKED: llvm.store %{{.*}}, %[[BYTES]] {alignment = 1 : i64} : i64, !llvm.ptr
gpu.module @m {
  gpu.func @copy(%x: memref<64xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>, %full: memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    kernel.mbarrier_init %full[%c0], %one : memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
    kernel.mbarrier_arrive %full[%c0] expect %bytes : memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
    kernel.bulk_copy %x[%c0], %tile[%c0], %c64 completes %full[%c0] : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// The access to another block has its own base, at which the tile begins there.
// CHECKED-LABEL: llvm.func @remote(
// CHECKED: %[[THERE:.*]] = llvm.call %{{.*}} {fuser.maps} : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
// CHECKED: %[[ADDRESS:.*]] = llvm.getelementptr{{.*}} %[[THERE]]
// CHECKED: llvm.call %{{.*}}(%{{.*}}, %[[ADDRESS]], %[[THERE]], %{{.*}}, %{{.*}})
// CHECKED: llvm.load %[[ADDRESS]] {alignment = 1 : i64}
gpu.module @n {
  gpu.func @remote(%x: memref<64xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %there = kernel.map_block %tile, %c0 : memref<64xf32, #gpu.address_space<workgroup>> to memref<64xf32, #kernel.cluster_memory>
    %v = memref.load %there[%t] : memref<64xf32, #kernel.cluster_memory>
    memref.store %v, %x[%t] : memref<64xf32>
    gpu.return
  }
}

// An atomic access is a place where others go on, its order and scope stay, and caches are not simulated.
// CHECK-LABEL: llvm.func @counter(
// CHECK: [[OLD:%.*]] = llvm.atomicrmw add [[AT:%.*]], %{{.*}} syncscope("cluster") release : !llvm.ptr, i32
// CHECK: [[NOW:%.*]] = llvm.load volatile [[AT]] {{.*}} : !llvm.ptr -> i32
// CHECK-NEXT: [[CHANGED:%.*]] = llvm.icmp "ne" [[NOW]], [[OLD]] : i32
// CHECK-NEXT: [[WORD:%.*]] = llvm.zext [[CHANGED]] : i1 to i32
// CHECK: llvm.call %{{.*}}(%{{.*}}, [[WORD]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> ()
// CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.store %{{.*}} {alignment = 1 : i64} : vector<4xf32>, !llvm.ptr
gpu.module @o {
  gpu.func @counter(%n: memref<1xi32>, %x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %before = kernel.counter_add %n[%c0], %one order release scope cluster : memref<1xi32>
    kernel.grid_dependency_wait
    %v = kernel.load %x[%c0] cache no_allocate : memref<64xf32>, vector<4xf32>
    kernel.store %v, %x[%c0] cache streaming : vector<4xf32>, memref<64xf32>
    gpu.return
  }
}

// A copy of a thread has a source only if its condition is true. Commit (0) and wait (1) are told how many groups may be left.
// CHECK-LABEL: llvm.func @copies(
// CHECK: llvm.store %{{.*}}, %[[FROM:.*]] {alignment = 1 : i64, fuser.ref = 1 : i32}
// CHECK: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[SOURCE:.*]] = llvm.select %{{.*}}, %[[FROM]], %[[NONE]] : i1, !llvm.ptr
// CHECK: llvm.store %{{.*}}, %[[TO:.*]] {alignment = 1 : i64, fuser.ref = 2 : i32}
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i32) : i32
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[SOURCE]], %[[TO]], %[[BYTES]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> ()
// CHECK: %[[COMMIT:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[COMMIT]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, i32, !llvm.ptr) -> ()
// CHECK: %[[WAIT:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: %[[LEFT:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[WAIT]], %[[LEFT]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, i32, !llvm.ptr) -> ()
gpu.module @copies {
  gpu.func @copies(%x: memref<64xf32>, %p: i1) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    kernel.copy_async %x[%c0], %tile[%c0], 4 if %p : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_wait 2
    gpu.return
  }
}
