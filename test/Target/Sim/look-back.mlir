// Blocks that run on several CPU threads wait for each other: each takes a number, and goes on when the block of the number before has ended.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.random.default_rng(1).random(1000, numpy.float32))"
// RUN: fuser-run %s --target=sim --num-threads=4 --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --num-threads=4 --sim-seed=5 --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --sim-seed=5 --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy

gpu.module @m {
  gpu.func @look_back(%x: memref<1000xf32>, %y: memref<1000xf32>, %numbers: memref<1xi32>, %ended: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %number = kernel.counter_add %numbers[%c0], %one order relaxed : memref<1xi32>
    kernel.counter_wait %ended[%c0], %number : memref<1xi32>
    %i = arith.index_cast %number : i32 to index
    %v = memref.load %x[%i] : memref<1000xf32>
    memref.store %v, %y[%i] : memref<1000xf32>
    %before = kernel.counter_add %ended[%c0], %one : memref<1xi32>
    gpu.return
  }
}
func.func @look_back(%x: memref<1000xf32>) -> memref<1000xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1000 : index
  %y = host.output 0 () : memref<1000xf32>
  %numbers = host.workspace 0 () zeroed : memref<1xi32>
  %ended = host.workspace 1 () zeroed : memref<1xi32>
  host.launch @m::@look_back grid(%grid, %c1, %c1) block(1, 1, 1) args(%x, %y, %numbers, %ended : memref<1000xf32>, memref<1000xf32>, memref<1xi32>, memref<1xi32>) writes [1]
  return %y : memref<1000xf32>
}
