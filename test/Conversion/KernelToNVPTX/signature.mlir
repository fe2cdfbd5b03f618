// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' %s | FileCheck %s

// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels {

  // A static memref is a pointer, aligned to its elements; an unused one stays, so that launches and kernels agree.
  // CHECK: llvm.func @static(%{{[^:]*}}: !llvm.ptr<1> {llvm.align = 2 : i64}, %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 4 : i64})
  // CHECK-SAME: fuser.params = [#host.param<pointer 0>, #host.param<pointer 1>]
  // CHECK-SAME: gpu.kernel
  // CHECK-SAME: nvvm.kernel
  gpu.func @static(%a: memref<4x8xbf16>, %unused: memref<4xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %a[%t, %t] : memref<4x8xbf16>
    memref.store %v, %a[%t, %t] : memref<4x8xbf16>
    gpu.return
  }

  // The size of dimension 0 is not needed to find an element, that of dimension 1 is its stride.
  // CHECK: llvm.func @used_only(%{{[^:]*}}: !llvm.ptr<1> {{{[^}]*}}}, %[[STRIDE:[^:]*]]: i64)
  // CHECK-SAME: fuser.params = [#host.param<pointer 0>, #host.param<stride 0 dim 0>]
  // CHECK: llvm.mul %{{.*}}, %[[STRIDE]]
  gpu.func @used_only(%a: memref<?x?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %a[%t, %t] : memref<?x?xf32>
    memref.store %v, %a[%t, %t] : memref<?x?xf32>
    gpu.return
  }

  // Sizes by memref.dim, strides by accesses; what a dead op reads is not used.
  // CHECK: llvm.func @sizes(
  // CHECK-SAME: fuser.params = [#host.param<pointer 0>, #host.param<size 0 dim 1>, #host.param<pointer 1>]
  gpu.func @sizes(%a: memref<?x?xf32, strided<[?, 1]>>, %out: memref<i64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dead = memref.dim %a, %c0 : memref<?x?xf32, strided<[?, 1]>>
    %n = memref.dim %a, %c1 : memref<?x?xf32, strided<[?, 1]>>
    %i = arith.index_cast %n : index to i64
    memref.store %i, %out[] : memref<i64>
    gpu.return
  }

  // Scalars come as they are, index as i64, all in order and also when unused.
  // CHECK: llvm.func @scalars(%{{[^:]*}}: i64, %{{[^:]*}}: f32, %{{[^:]*}}: !llvm.ptr<1> {{{[^}]*}}}, %{{[^:]*}}: i1, %{{[^:]*}}: bf16)
  // CHECK-SAME: fuser.params = [#host.param<scalar 0>, #host.param<scalar 1>, #host.param<pointer 2>, #host.param<scalar 3>, #host.param<scalar 4>]
  gpu.func @scalars(%n: index, %x: f32, %out: memref<?xf32>, %flag: i1, %unused: bf16) kernel {
    scf.if %flag {
      memref.store %x, %out[%n] : memref<?xf32>
    }
    gpu.return
  }

  // CHECK: llvm.func @attributes(%{{[^:]*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 4 : i64})
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
  // CHECK-SAME: nvvm.maxntid = array<i32: 64, 2, 1>
  gpu.func @attributes(%a: memref<4xf32> {fuser.noalias, fuser.alignment = 16 : i64}, %b: memref<4xf32>) kernel
      attributes {known_block_size = array<i32: 64, 2, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    gpu.return
  }

  // A view needs what its elements need.
  // CHECK: llvm.func @view(
  // CHECK-SAME: fuser.params = [#host.param<pointer 0>, #host.param<stride 0 dim 0>, #host.param<stride 0 dim 1>, #host.param<pointer 1>]
  gpu.func @view(%a: memref<?x?xf32, strided<[?, ?]>>, %out: memref<4xf32>) kernel {
    %t = gpu.thread_id x
    %row = memref.subview %a[%t, 0] [1, 4] [1, 1] : memref<?x?xf32, strided<[?, ?]>> to memref<4xf32, strided<[?], offset: ?>>
    %v = memref.load %row[%t] : memref<4xf32, strided<[?], offset: ?>>
    memref.store %v, %out[%t] : memref<4xf32>
    gpu.return
  }
}

// An empty module stays one.
// CHECK-LABEL: gpu.module @empty
// CHECK-NEXT: }
gpu.module @empty {
}
