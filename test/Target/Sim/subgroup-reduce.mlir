// gpu.subgroup_reduce gives every thread the sum, or the least, of its warp, or of the threads beside it.
// REQUIRES: numpy
// RUN: fuser-run %s --target=sim --sim-check --input=64xi32=iota --output=%t.i32.npy --output=%t.i64.npy --output=%t.f16.npy
// RUN: %python -c "import numpy; [print(*numpy.load('%t.' + name + '.npy')[[0, 31, 32, 63]]) for name in ('i32', 'i64', 'f16')]" | FileCheck %s
// CHECK: 496 496 1520 1520
// CHECK-NEXT: 0 24 32 56
// CHECK-NEXT: 31.0 31.0 63.0 63.0

gpu.module @kernels {
  gpu.func @reduce(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi64>, %h: memref<64xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xi32>
    %sum = gpu.subgroup_reduce add %v : (i32) -> i32
    memref.store %sum, %y[%t] : memref<64xi32>
    %w = arith.extsi %v : i32 to i64
    %least = gpu.subgroup_reduce minsi %w cluster(size = 8) : (i64) -> i64
    memref.store %least, %z[%t] : memref<64xi64>
    %f = arith.sitofp %v : i32 to f16
    %most = gpu.subgroup_reduce maximumf %f : (f16) -> f16
    %same = gpu.subgroup_reduce maxnumf %most : (f16) -> f16
    memref.store %same, %h[%t] : memref<64xf16>
    gpu.return
  }
}

func.func @main(%x: memref<64xi32>) -> (memref<64xi32>, memref<64xi64>, memref<64xf16>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<64xi32>
  %z = host.output 1 () : memref<64xi64>
  %h = host.output 2 () : memref<64xf16>
  host.launch @kernels::@reduce grid(%c1, %c1, %c1) block(64, 1, 1) args(%x, %y, %z, %h : memref<64xi32>, memref<64xi32>, memref<64xi64>, memref<64xf16>) writes [1, 2, 3]
  return %y, %z, %h : memref<64xi32>, memref<64xi64>, memref<64xf16>
}
