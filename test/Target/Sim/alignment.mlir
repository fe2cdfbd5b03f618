// Accesses that are not aligned as they say are found.
// RUN: not fuser-run %s --target=sim --sim-check --entry=vector_off_the_grid --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=VECTOR-OFF-THE-GRID
// RUN: fuser-run %s --target=sim --sim-check --entry=vector_on_the_grid --input=128xf32=random:1

// VECTOR-OFF-THE-GRID: alignment: kernel 'vector_off_the_grid': thread (0, 0, 0) of block (0, 0, 0) reads at an address that is 4 beyond a multiple of 16, by vector.load
gpu.module @m_vector_off_the_grid {
  gpu.func @vector_off_the_grid(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c121 = arith.constant 121 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %j = arith.addi %i, %c1 : index
    %k = arith.minui %j, %c121 : index
    %v = vector.load %x[%k] {alignment = 16} : memref<128xf32>, vector<4xf32>
    vector.store %v, %y[%i] : memref<128xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @vector_off_the_grid(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_vector_off_the_grid::@vector_off_the_grid grid(%grid, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_vector_on_the_grid {
  gpu.func @vector_on_the_grid(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %v = vector.load %x[%i] {alignment = 16} : memref<128xf32>, vector<4xf32>
    vector.store %v, %y[%i] : memref<128xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @vector_on_the_grid(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_vector_on_the_grid::@vector_on_the_grid grid(%grid, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}
