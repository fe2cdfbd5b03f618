// What a thread asks for is loaded from its description, shared memory is the block's, and meetings are calls of the thread's table.
// RUN: fuser-opt %s --kernel-to-sim | FileCheck %s
// RUN: fuser-opt %s --kernel-to-sim=check | FileCheck %s --check-prefix=CHECKED
// Twice is once.
// RUN: fuser-opt %s --kernel-to-sim -o %t.mlir
// RUN: fuser-opt %t.mlir --kernel-to-sim | diff %t.mlir -

// CHECK-LABEL: module @k
// CHECK: llvm.mlir.global internal constant @k.site.{{[0-9]+}}
// CHECK: llvm.func @k(%[[THREAD:.*]]: !llvm.ptr, %[[PARAMS:.*]]: !llvm.ptr) attributes {fuser.params = [#host.param<pointer 0>, #host.param<pointer 1>], fuser.scratch_bytes = 512 : i64}
// CHECK: llvm.getelementptr %[[PARAMS]][0]
// CHECK: llvm.getelementptr inbounds %[[THREAD]][8]
// CHECK: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> f32
// CHECK: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
// CHECK: llvm.call %{{.*}}(%[[THREAD]], {{.*}}) : !llvm.ptr, (!llvm.ptr, i32, i64, i32, i32, !llvm.ptr) -> !llvm.struct<(i64, i64)>
// CHECK: llvm.store {{.*}} {alignment = 1 : i64} : f32
// CHECK-NOT: gpu.

// The parameters first, then a call before each of the four accesses; that to shared memory knows the size of its buffer.
// CHECKED: llvm.mlir.global internal constant @k.access.
// CHECKED-LABEL: llvm.func @k(
// CHECKED: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
// CHECKED-COUNT-4: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
// CHECKED-NOT: (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
gpu.module @k {
  gpu.func @k(%x: memref<128xf32> {fuser.noalias}, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    %o, %valid = gpu.shuffle xor %w, %one, %width : f32
    memref.store %o, %y[%t] : memref<128xf32>
    gpu.return
  }
}

// No kernel of a GPU.
// CHECK-LABEL: module @native
// CHECK-NEXT: func.func @f
module @native {
  func.func @f() {
    return
  }
}
