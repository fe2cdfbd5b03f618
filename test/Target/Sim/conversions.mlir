// What is no number of the result's type becomes what PTX's cvt makes of it, and a division by zero does not end the process.
// REQUIRES: numpy
// RUN: fuser-run %s --target=sim --input=1xf32=value:nan --input=1xf64=value:nan --output=%t.npy
// RUN: %python -c "import numpy; print(*(hex(x & (1 << 64) - 1) for x in map(int, numpy.load('%t.npy'))))" | FileCheck %s
// CHECK: 0x0 0x8000000000000000 0xffffffff80000000 0x8000000000000000 0xffffffffffffffff 0x7

gpu.module @kernels {
  gpu.func @convert(%x: memref<1xf32>, %y: memref<1xf64>, %out: memref<6xi64>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %seven = arith.constant 7 : i32
    %f = memref.load %x[%c0] : memref<1xf32>
    %d = memref.load %y[%c0] : memref<1xf64>
    %f32 = arith.fptosi %f : f32 to i32
    %0 = arith.extsi %f32 : i32 to i64
    %1 = arith.fptosi %f : f32 to i64
    %d32 = arith.fptosi %d : f64 to i32
    %2 = arith.extsi %d32 : i32 to i64
    %3 = arith.fptosi %d : f64 to i64
    %q = arith.divsi %seven, %f32 : i32
    %4 = arith.extsi %q : i32 to i64
    %r = arith.remsi %seven, %f32 : i32
    %5 = arith.extsi %r : i32 to i64
    memref.store %0, %out[%c0] : memref<6xi64>
    memref.store %1, %out[%c1] : memref<6xi64>
    memref.store %2, %out[%c2] : memref<6xi64>
    memref.store %3, %out[%c3] : memref<6xi64>
    memref.store %4, %out[%c4] : memref<6xi64>
    memref.store %5, %out[%c5] : memref<6xi64>
    gpu.return
  }
}
func.func @f(%x: memref<1xf32>, %y: memref<1xf64>) -> memref<6xi64> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<6xi64>
  host.launch @kernels::@convert grid(%c1, %c1, %c1) block(1, 1, 1) args(%x, %y, %out : memref<1xf32>, memref<1xf64>, memref<6xi64>) writes [2]
  return %out : memref<6xi64>
}
