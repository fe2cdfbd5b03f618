// The same by native kernels: what a kernel of the cpu target takes behind its arguments is a range of work items.
// REQUIRES: numpy
// RUN: fuser-run %s --target=cpu --input=1000xf32=random:1 --scalar=3 --output=%t.npy | FileCheck %s
// RUN: fuser-run --target=cpu --input=1000xf32=random:1 --output=%t.x.npy %S/Inputs/copy.mlir
// RUN: %python %S/Inputs/check.py %t.x.npy %t.npy
// CHECK: 2 segments

// What the program does not launch is left out, kernels of other targets too.
host.kernel @unused(pointer 0) image ".version 8.0"

module @square {
  func.func @square(%x: memref<?xf32>, %y: memref<?xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %v = memref.load %x[%i] : memref<?xf32>
      %sq = arith.mulf %v, %v : f32
      memref.store %sq, %y[%i] : memref<?xf32>
    }
    return
  }
}
module @scale_shift {
  func.func @scale_shift(%x: memref<?xf32>, %y: memref<?xf32>, %scale: f32, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %v = memref.load %x[%i] : memref<?xf32>
      %r = math.fma %v, %scale, %one : f32
      memref.store %r, %y[%i] : memref<?xf32>
    }
    return
  }
}

func.func @square_scale_shift(%x: memref<?xf32>, %scale: f32) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = host.declare "t" : memref<?xf32>
  %buffer = host.alloc (%n) : memref<?xf32>
  host.alias %t, %buffer : memref<?xf32>, memref<?xf32>
  %out = host.output 0 (%n) : memref<?xf32>
  host.launch @square::@square grid(%n, %c1, %c1) block(1, 1, 1) args(%x, %t : memref<?xf32>, memref<?xf32>) writes [1]
  host.launch @scale_shift::@scale_shift grid(%n, %c1, %c1) block(1, 1, 1)
      args(%t, %out, %scale : memref<?xf32>, memref<?xf32>, f32) writes [1]
  return %out : memref<?xf32>
}
