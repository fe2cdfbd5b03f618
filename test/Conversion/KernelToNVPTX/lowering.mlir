// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' --split-input-file %s | FileCheck %s

// CHECK-LABEL: gpu.module @shared
// CHECK: llvm.mlir.global internal @__wg_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
// CHECK: llvm.func @shared
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: unrealized_conversion_cast
gpu.module @shared {
  gpu.func @shared(%x: memref<32xf32>) workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<32xf32>
    memref.store %v, %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c0 = arith.constant 0 : index
    %w = memref.load %s[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %w, %x[%t] : memref<32xf32>
    gpu.return
  }
}

// -----

// What the schedule says on blocks reaches ptxas.
// CHECK-LABEL: llvm.func @blocks
// CHECK-NOT: fuser.min_blocks
// CHECK: nvvm.minctasm = 3 : i32
gpu.module @blocks {
  gpu.func @blocks(%x: memref<32xf32>) kernel attributes {fuser.min_blocks = 3 : i64} {
    gpu.return
  }
}

// -----

// CHECK-LABEL: llvm.func @shuffle
// CHECK: nvvm.shfl.sync bfly
gpu.module @kernels {
  gpu.func @shuffle(%x: memref<32xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<32xf32>
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %w, %valid = gpu.shuffle xor %v, %one, %width : f32
    memref.store %w, %x[%t] : memref<32xf32>
    gpu.return
  }
}

// -----

// Loops carry their values as block arguments; the alignment of accesses is kept.
// CHECK-LABEL: llvm.func @loop
// CHECK: llvm.br ^[[HEAD:.*]](
// CHECK: ^[[HEAD]](%{{.*}}: i64, %{{.*}}: vector<4xf32>):
// CHECK: llvm.cond_br
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64}
gpu.module @kernels {
  gpu.func @loop(%x: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %sum = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %zero) -> vector<4xf32> {
      %v = vector.load %x[%i] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
      %next = arith.addf %acc, %v : vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    vector.store %sum, %x[%c0] : memref<?xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// Instructions where there are some, libdevice for the rest, one call a lane.
// CHECK-LABEL: llvm.func @math
// CHECK: llvm.intr.sqrt(%{{.*}}) : (vector<2xf32>) -> vector<2xf32>
// CHECK: llvm.intr.fabs
// CHECK: llvm.intr.floor
// CHECK-COUNT-2: llvm.call @__nv_log2f
// CHECK-COUNT-2: llvm.call @__nv_logf
// CHECK: llvm.call @__nv_exp(
gpu.module @kernels {
  gpu.func @math(%x: memref<2xf32>, %y: memref<f64>) kernel {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] : memref<2xf32>, vector<2xf32>
    %0 = math.sqrt %a : vector<2xf32>
    %1 = math.absf %0 : vector<2xf32>
    %2 = math.floor %1 : vector<2xf32>
    %3 = math.log2 %2 : vector<2xf32>
    %4 = math.log %3 : vector<2xf32>
    vector.store %4, %x[%c0] : memref<2xf32>, vector<2xf32>
    %d = memref.load %y[] : memref<f64>
    %l = math.exp %d : f64
    memref.store %l, %y[] : memref<f64>
    gpu.return
  }
}
