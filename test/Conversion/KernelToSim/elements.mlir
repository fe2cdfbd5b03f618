// Ops that are expanded to accesses to elements, with and without checks.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.arange(24, dtype=numpy.float32).reshape(4, 6)); numpy.save('%t.i.npy', numpy.array([3, 0, 2, 1, 5, 5, 4, 4], numpy.int32))"
// RUN: fuser-run %s --target=sim --entry=move --input=%t.x.npy --input=%t.i.npy --output=%t.npy --output=%t.z.npy
// RUN: %python -c "import numpy; print(numpy.load('%t.npy').tolist(), numpy.load('%t.z.npy').tolist())" | FileCheck %s --check-prefix=MOVE
// RUN: fuser-run %s --target=sim --sim-check --entry=move --input=%t.x.npy --input=%t.i.npy --output=%t.checked.npy --output=%t.checked.z.npy
// RUN: %python -c "import numpy; print(numpy.load('%t.checked.npy').tolist(), numpy.load('%t.checked.z.npy').tolist())" | FileCheck %s --check-prefix=MOVE
// RUN: not fuser-run %s --target=sim --sim-check --entry=copy_beyond --input=24xf32=random:1 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not fuser-run %s --target=sim --sim-check --entry=gather_beyond --input=24xf32=random:1 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not fuser-run %s --target=sim --sim-check --entry=scatter_beyond --input=24xf32=random:1 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: fuser-run %s --target=sim --sim-check --entry=count_warps --output=%t.warps.npy
// RUN: %python -c "import numpy; print(numpy.load('%t.warps.npy').tolist())" | FileCheck %s --check-prefix=WARPS

gpu.module @kernels {
  // The right half of x, transposed; its lower half, over whose second row the first one's elements are scattered, negated.
  gpu.func @move(%x: memref<4x6xf32>, %i: memref<8xi32>, %y: memref<3x4xf32>, %z: memref<2x6xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %six = arith.constant 6 : index
    %half = memref.subview %x[0, 3] [4, 3] [1, 1] : memref<4x6xf32> to memref<4x3xf32, strided<[6, 1], offset: 3>>
    %turned = memref.transpose %half (i, j) -> (j, i) : memref<4x3xf32, strided<[6, 1], offset: 3>> to memref<3x4xf32, strided<[1, 6], offset: 3>>
    memref.copy %turned, %y : memref<3x4xf32, strided<[1, 6], offset: 3>> to memref<3x4xf32>
    %rows = memref.subview %x[2, 0] [2, 6] [1, 1] : memref<4x6xf32> to memref<2x6xf32, strided<[6, 1], offset: 12>>
    memref.copy %rows, %z : memref<2x6xf32, strided<[6, 1], offset: 12>> to memref<2x6xf32>
    %places = vector.load %i[%c0] : memref<8xi32>, vector<8xi32>
    %mask = vector.create_mask %six : vector<8xi1>
    %none = arith.constant dense<-1.0> : vector<8xf32>
    %v = vector.gather %x[%c1, %c0] [%places], %mask, %none : memref<4x6xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %w = arith.negf %v : vector<8xf32>
    vector.scatter %z[%c1, %c0] [%places], %mask, %w : memref<2x6xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
    %last = vector.extract %v[7] : f32 from vector<8xf32>
    memref.store %last, %y[%c0, %c0] : memref<3x4xf32>
    gpu.return
  }

  gpu.func @copy_beyond(%x: memref<24xf32>, %y: memref<32xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %all = memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [1] : memref<24xf32> to memref<32xf32>
    memref.copy %all, %y : memref<32xf32> to memref<32xf32>
    gpu.return
  }

  gpu.func @gather_beyond(%x: memref<24xf32>, %y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %places = arith.constant dense<[0, 23, 24, 1]> : vector<4xindex>
    %mask = arith.constant dense<true> : vector<4xi1>
    %none = arith.constant dense<-1.0> : vector<4xf32>
    %v = vector.gather %x[%c0] [%places], %mask, %none : memref<24xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %y[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  gpu.func @scatter_beyond(%x: memref<24xf32>, %y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %places = arith.constant dense<[3, 2, 1, -1]> : vector<4xindex>
    %mask = arith.constant dense<true> : vector<4xi1>
    %v = vector.load %x[%c0] : memref<24xf32>, vector<4xf32>
    vector.scatter %y[%c0] [%places], %mask, %v : memref<4xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
    gpu.return
  }

  gpu.func @count_warps(%y: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.global_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %u = gpu.thread_id y
    %top = arith.cmpi eq, %u, %c0 : index
    %one = arith.andi %first, %top : i1
    scf.if %one {
      %n = gpu.num_subgroups : index
      %m = arith.index_cast %n : index to i32
      memref.store %m, %y[%c0] : memref<1xi32>
    }
    gpu.return
  }
}

// MOVE: {{\[\[}}-1.0, 9.0, 15.0, 21.0], [4.0, 10.0, 16.0, 22.0], [5.0, 11.0, 17.0, 23.0]]
// MOVE-SAME: {{\[\[}}12.0, 13.0, 14.0, 15.0, 16.0, 17.0], [-6.0, -7.0, -8.0, -9.0, 22.0, -11.0]]
func.func @move(%x: memref<4x6xf32>, %i: memref<8xi32>) -> (memref<3x4xf32>, memref<2x6xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<3x4xf32>
  %z = host.output 1 () : memref<2x6xf32>
  host.launch @kernels::@move grid(%c1, %c1, %c1) block(1, 1, 1) args(%x, %i, %y, %z : memref<4x6xf32>, memref<8xi32>, memref<3x4xf32>, memref<2x6xf32>) writes [2, 3]
  return %y, %z : memref<3x4xf32>, memref<2x6xf32>
}

// COPY: bounds: kernel 'copy_beyond': thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes by memref.copy ({{.*}})
func.func @copy_beyond(%x: memref<24xf32>) -> memref<32xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<32xf32>
  host.launch @kernels::@copy_beyond grid(%c1, %c1, %c1) block(1, 1, 1) args(%x, %y : memref<24xf32>, memref<32xf32>) writes [1]
  return %y : memref<32xf32>
}

// GATHER: bounds: kernel 'gather_beyond': thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes by vector.gather ({{.*}})
func.func @gather_beyond(%x: memref<24xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<4xf32>
  host.launch @kernels::@gather_beyond grid(%c1, %c1, %c1) block(1, 1, 1) args(%x, %y : memref<24xf32>, memref<4xf32>) writes [1]
  return %y : memref<4xf32>
}

// SCATTER: bounds: kernel 'scatter_beyond': thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes by vector.scatter ({{.*}})
func.func @scatter_beyond(%x: memref<24xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<4xf32>
  host.launch @kernels::@scatter_beyond grid(%c1, %c1, %c1) block(1, 1, 1) args(%x, %y : memref<24xf32>, memref<4xf32>) writes [1]
  return %y : memref<4xf32>
}

// 9 x 5 threads are a warp and a part of one.
// WARPS: [2]
func.func @count_warps() -> memref<1xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<1xi32>
  host.launch @kernels::@count_warps grid(%c1, %c1, %c1) block(9, 5, 1) args(%y : memref<1xi32>) writes [0]
  return %y : memref<1xi32>
}
