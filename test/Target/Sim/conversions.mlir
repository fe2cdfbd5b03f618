// What is no number of the result's type becomes what PTX's cvt makes of it, and a division by zero does not end the process.
// REQUIRES: numpy
// RUN: fuser-run %s --target=sim --entry=f --input=1xf32=value:nan --input=1xf64=value:nan --output=%t.npy
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

// Fewer than 16 bits are the lower ones of 16, to which numbers that are beyond them are clamped: 300 is 44 as an i8, and 70000 is 32767, so -1.
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.array([300, -300, 70000, -5.5, 2, 3, 0, numpy.nan], numpy.float32))"
// RUN: fuser-run %s --target=sim --entry=narrow --input=%t.x.npy --output=%t.narrow.npy
// RUN: %python -c "import numpy; print(*numpy.load('%t.narrow.npy').tolist(), sep='\n')" | FileCheck %s --check-prefix=NARROW
// NARROW: [44, -44, -1, -5, 2, 3, 0, 0]
// NARROW-NEXT: [44, 0, -1, 0, 2, 3, 0, 0]
// NARROW-NEXT: [-4, 4, -1, -5, 2, 3, 0, 0]
// NARROW-NEXT: [0, 0, -1, -1, 0, -1, 0, 0]
// NARROW-NEXT: [44, -44, -1, -5, 2, 3, 0, 0]
// NARROW-NEXT: [44, -44, -1, -5, 2, 3, 0, 0]
// NARROW-NEXT: [44, -44, -1, -5, 2, 3, 0, 0]

gpu.module @narrow_kernels {
  gpu.func @convert(%x: memref<8xf32>, %out: memref<7x8xi8>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %t = gpu.thread_id x
    %f = memref.load %x[%t] : memref<8xf32>
    %0 = arith.fptosi %f : f32 to i8
    memref.store %0, %out[%c0, %t] : memref<7x8xi8>
    %1 = arith.fptoui %f : f32 to i8
    memref.store %1, %out[%c1, %t] : memref<7x8xi8>
    %i4 = arith.fptosi %f : f32 to i4
    %2 = arith.extsi %i4 : i4 to i8
    memref.store %2, %out[%c2, %t] : memref<7x8xi8>
    %i1 = arith.fptosi %f : f32 to i1
    %3 = arith.extsi %i1 : i1 to i8
    memref.store %3, %out[%c3, %t] : memref<7x8xi8>
    %d = arith.extf %f : f32 to f64
    %4 = arith.fptosi %d : f64 to i8
    memref.store %4, %out[%c4, %t] : memref<7x8xi8>
    %v = vector.broadcast %f : f32 to vector<2xf32>
    %w = arith.fptosi %v : vector<2xf32> to vector<2xi8>
    %5 = vector.extract %w[1] : i8 from vector<2xi8>
    memref.store %5, %out[%c5, %t] : memref<7x8xi8>
    %h = arith.truncf %f : f32 to f16
    %6 = arith.fptosi %h : f16 to i8
    memref.store %6, %out[%c6, %t] : memref<7x8xi8>
    gpu.return
  }
}
func.func @narrow(%x: memref<8xf32>) -> memref<7x8xi8> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<7x8xi8>
  host.launch @narrow_kernels::@convert grid(%c1, %c1, %c1) block(8, 1, 1) args(%x, %out : memref<8xf32>, memref<7x8xi8>) writes [1]
  return %out : memref<7x8xi8>
}
