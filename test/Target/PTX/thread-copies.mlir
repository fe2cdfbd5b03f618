// A ring of three stages that threads fill by copies of their own, also on GPUs without mbarriers.
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_80 %s | FileCheck %s
// RUN: %if ptxas %{ fuser-translate --fusion-to-ptx --gpu-arch=sm_80 %s | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: %if ptxas %{ fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | %python %source_root/test/tools/ptxas_check.py %ptxas %}

!x = memref<8x256xi32>
!stages = memref<3x256xi32, #gpu.address_space<workgroup>>
!y = memref<256xi32>

// What is read stands behind the wait and the barrier, and the copies to the stage that was read before behind both.
// CHECK: .target sm_80
// CHECK-LABEL: .visible .entry ring(
// CHECK: cp.async.cg.shared.global [%{{[^]]+}}], [%{{[^]]+}}], 16;
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 1;
// CHECK: bar.sync 0;
// CHECK: ld.shared.v4
// CHECK: [[BYTES:%r[0-9]+]], 16, 0,
// CHECK: cp.async.cg.shared.global [%{{[^]]+}}], [%{{[^]]+}}], 16, [[BYTES]];
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 0;
// CHECK: ret;
gpu.module @ring {
  gpu.func @ring(%x: !x {fuser.noalias, fuser.alignment = 16 : i64}, %y: !y {fuser.noalias, fuser.alignment = 16 : i64})
      workgroup(%s: !stages) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c255 = arith.constant 255 : index
    %none = arith.constant dense<0> : vector<4xi32>
    %t = gpu.thread_id x
    %own = arith.muli %t, %c4 : index
    %behind = arith.addi %own, %c4 : index
    %other = arith.andi %behind, %c255 : index
    scf.for %i = %c0 to %c2 step %c1 {
      kernel.copy_async %x[%i, %own], %s[%i, %own], 4 : !x, !stages
      kernel.copy_async_commit
    }
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %none) -> vector<4xi32> {
      kernel.copy_async_wait 1
      gpu.barrier
      %stage = arith.remui %i, %c3 : index
      %v = vector.load %s[%stage, %other] {alignment = 16} : !stages, vector<4xi32>
      %next = arith.addi %i, %c2 : index
      %to = arith.remui %next, %c3 : index
      %is = arith.cmpi ult, %next, %c8 : index
      kernel.copy_async %x[%next, %own], %s[%to, %own], 4 if %is : !x, !stages
      kernel.copy_async_commit
      %more = arith.addi %acc, %v : vector<4xi32>
      scf.yield %more : vector<4xi32>
    }
    kernel.copy_async_wait 0
    vector.store %sum, %y[%own] {alignment = 16} : !y, vector<4xi32>
    gpu.return
  }
}

// Four and eight bytes are kept by L1, and their zeros are those behind the bytes that are read.
// CHECK-LABEL: .visible .entry ends(
// CHECK: cp.async.ca.shared.global [%{{[^]]+}}], [%{{[^]]+}}], 4, [[SOME:%r[0-9]+]];
// CHECK: cp.async.ca.shared.global [%{{[^]]+}}], [%{{[^]]+}}], 8;
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 0;
// CHECK: bar.sync 0;
// CHECK: ld.shared
// CHECK: ret;
gpu.module @ends {
  gpu.func @ends(%x: memref<?xbf16>, %y: memref<?xbf16>) workgroup(%s: memref<256xbf16, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c62 = arith.constant 62 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %n = memref.dim %x, %c0 : memref<?xbf16>
    %own = arith.muli %t, %c2 : index
    %pair = arith.addi %own, %c2 : index
    %is = arith.cmpi ule, %pair, %n : index
    kernel.copy_async %x[%own], %s[%own], 2 if %is : memref<?xbf16>, memref<256xbf16, #gpu.address_space<workgroup>>
    %four = arith.muli %t, %c4 : index
    %there = arith.addi %four, %c64 : index
    kernel.copy_async %x[%four], %s[%there], 4 : memref<?xbf16>, memref<256xbf16, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_wait 0
    gpu.barrier
    %other = arith.subi %c62, %own : index
    %v = memref.load %s[%other] : memref<256xbf16, #gpu.address_space<workgroup>>
    memref.store %v, %y[%t] : memref<?xbf16>
    gpu.return
  }
}

// What a thread has stored is not what it loads behind the wait, nor is its source written before.
// CHECK-LABEL: .visible .entry own(
// CHECK: st.shared.b32 [[[PLACE:%[a-z0-9]+]]],
// CHECK: cp.async.ca.shared.global [[[PLACE]]], [[[FROM:%[a-z0-9]+]]], 4;
// CHECK: cp.async.wait_group 0;
// CHECK: ld.shared.b32 [[V:%r[0-9]+]], [[[PLACE]]];
// CHECK: st.global.b32 [%{{[^]]+}}], [[V]];
// CHECK: st.global.b32 [[[FROM]]], 0;
gpu.module @own {
  gpu.func @own(%x: memref<128xi32> {fuser.noalias}, %y: memref<128xi32> {fuser.noalias}) workgroup(%s: memref<128xi32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    memref.store %zero, %s[%t] : memref<128xi32, #gpu.address_space<workgroup>>
    kernel.copy_async %x[%t], %s[%t], 1 : memref<128xi32>, memref<128xi32, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_wait 0
    %v = memref.load %s[%t] : memref<128xi32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%t] : memref<128xi32>
    memref.store %zero, %x[%t] : memref<128xi32>
    gpu.return
  }
}
