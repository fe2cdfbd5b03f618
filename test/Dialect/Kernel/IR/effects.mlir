// RUN: fuser-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

// What has no effect goes, loads are shared, and what synchronizes stays.
// CHECK-LABEL: func.func @effects
// CHECK-NOT: kernel.map_block
// CHECK-NOT: kernel.philox
// CHECK: %[[A:.+]] = kernel.load
// CHECK-NOT: kernel.load
// CHECK: arith.addf %[[A]], %[[A]]
// CHECK: kernel.vote any
// CHECK: kernel.vote any
// CHECK: kernel.elect
// CHECK: kernel.counter_add
// CHECK: kernel.grid_dependency_wait
// CHECK: kernel.load
func.func @effects(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %n: memref<1xi32>, %i: index, %one: i32, %p: i1,
                   %counter: vector<4xi32>, %key: vector<2xi32>) -> (f32, f32) {
  %0 = kernel.map_block %t, %i : memref<64xf32, #gpu.address_space<workgroup>> to memref<64xf32, #kernel.cluster_memory>
  %1 = kernel.philox %counter, %key : vector<4xi32>, vector<2xi32> -> vector<4xi32>
  %a = kernel.load %x[%i] cache streaming : memref<64xf32>, f32
  %b = kernel.load %x[%i] cache streaming : memref<64xf32>, f32
  %sum = arith.addf %a, %b : f32
  %2 = kernel.vote any %p
  %3 = kernel.vote any %p
  %4 = kernel.elect
  %5 = kernel.counter_add %n[%i], %one : memref<1xi32>
  kernel.grid_dependency_wait
  %c = kernel.load %x[%i] cache streaming : memref<64xf32>, f32
  return %sum, %c : f32, f32
}

// Copies of a thread are no duplicates, stay in their loop and before what waits for them, and no load is taken for one before them.
// CHECK-LABEL: func.func @copies
// CHECK: memref.load
// CHECK: scf.for
// CHECK-NEXT: kernel.copy_async %{{.+}}[%{{.+}}], %{{.+}}[%{{.+}}], 4 :
// CHECK-NEXT: kernel.copy_async %{{.+}}[%{{.+}}], %{{.+}}[%{{.+}}], 4 :
// CHECK-NEXT: kernel.copy_async_commit
// CHECK-NEXT: kernel.copy_async_commit
// CHECK-NEXT: kernel.copy_async_wait 1
// CHECK-NEXT: kernel.copy_async_wait 1
// CHECK-NEXT: }
// CHECK-NEXT: memref.load
func.func @copies(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index, %n: index, %one: index) -> (f32, f32) {
  %a = memref.load %t[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  scf.for %j = %i to %n step %one {
    kernel.copy_async %x[%i], %t[%i], 4 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
    kernel.copy_async %x[%i], %t[%i], 4 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_commit
    kernel.copy_async_wait 1
    kernel.copy_async_wait 1
  }
  %b = memref.load %t[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  return %a, %b : f32, f32
}
