// kernel.philox gives the known answers of Random123, kat_vectors: philox4x32 10.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.in.npy', numpy.array([[0] * 4, [0xffffffff] * 4, [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0] * 4, [0xffffffff] * 4, [0xa4093822, 0x299f31d0, 0, 0]], numpy.uint32).view(numpy.int32))"
// RUN: fuser-run %s --target=sim --sim-check --input=%t.in.npy --output=%t.npy
// RUN: %python -c "import numpy; [print(*('%%08x' %% word for word in row)) for row in numpy.load('%t.npy').view(numpy.uint32)]" | FileCheck %s
// CHECK: 6627e8d5 e169c58d bc57ac4c 9b00dbd8
// CHECK-NEXT: 408f276d 41c83b0e a20bc7c6 6d5451fd
// CHECK-NEXT: d16cfe09 94fdcceb 5001e420 24126ea1

// Folded, they are the same.
// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx),canonicalize)' %s | FileCheck %s --check-prefix=FOLDED
// FOLDED-LABEL: llvm.func @constants
// FOLDED: llvm.mlir.constant(dense<[1713891541, -513161843, -1135104948, -1694442536]> : vector<4xi32>)

gpu.module @kernels {
  // The counters, and then the keys.
  gpu.func @philox(%in: memref<6x4xi32>, %out: memref<3x4xi32>) kernel attributes {known_block_size = array<i32: 3, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %t = gpu.thread_id x
    %row = arith.addi %t, %c3 : index
    %counter = vector.load %in[%t, %c0] : memref<6x4xi32>, vector<4xi32>
    %key = vector.load %in[%row, %c0] : memref<6x4xi32>, vector<2xi32>
    %bits = kernel.philox %counter, %key : vector<4xi32>, vector<2xi32> -> vector<4xi32>
    vector.store %bits, %out[%t, %c0] : memref<3x4xi32>, vector<4xi32>
    gpu.return
  }
  gpu.func @constants(%out: memref<4xi32>) kernel {
    %c0 = arith.constant 0 : index
    %counter = arith.constant dense<0> : vector<4xi32>
    %key = arith.constant dense<0> : vector<2xi32>
    %bits = kernel.philox %counter, %key : vector<4xi32>, vector<2xi32> -> vector<4xi32>
    vector.store %bits, %out[%c0] : memref<4xi32>, vector<4xi32>
    gpu.return
  }
}

func.func @main(%in: memref<6x4xi32>) -> memref<3x4xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<3x4xi32>
  host.launch @kernels::@philox grid(%c1, %c1, %c1) block(3, 1, 1) args(%in, %out : memref<6x4xi32>, memref<3x4xi32>) writes [1]
  return %out : memref<3x4xi32>
}
