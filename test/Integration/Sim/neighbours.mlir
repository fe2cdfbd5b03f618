// Neighbours at any address: only those that there are are read and written, and all threads of a warp store together.
// RUN: fuser-run %s --target=sim --sim-check --entry=right --input=67xbf16=iota,offset=1 --output=%t.npy 2>&1 | FileCheck %s --check-prefix=RIGHT --allow-empty
// RUN: echo 'func.func @copy(%%x: tensor<67xbf16>) -> tensor<67xbf16> { %%y = fusion.set %%x : tensor<67xbf16> return %%y : tensor<67xbf16> }' > %t.mlir
// RUN: fuser-run %t.mlir --input=67xbf16=iota --output=%t.copy.npy
// RUN: cmp %t.npy %t.copy.npy
// RUN: not fuser-run %s --target=sim --sim-check --entry=too_many --input=67xbf16=iota 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// RUN: not fuser-run %s --target=sim --sim-check --entry=one_away --input=67xbf16=iota 2>&1 | FileCheck %s --check-prefix=ONE-AWAY
// RUN: not fuser-run %s --target=sim --sim-check --entry=off_the_grid --input=67xbf16=iota 2>&1 | FileCheck %s --check-prefix=OFF-THE-GRID

// RIGHT-NOT: {{bounds|divergence|alignment|uninit}}
gpu.module @m_right {
  gpu.func @right(%x: memref<67xbf16>, %y: memref<67xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c67 = arith.constant 67 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c8 : index
    %left = arith.subi %c67, %i : index
    %is = arith.cmpi sgt, %left, %c0 : index
    %j = arith.select %is, %i, %c0 : index
    %there = arith.subi %c67, %j : index
    %v = kernel.load_neighbours %x[%j] count %there align 2 : memref<67xbf16>, vector<8xbf16>
    kernel.store_neighbours %v, %y[%i] count %left align 2 lanes 32 : vector<8xbf16>, memref<67xbf16>
    gpu.return
  }
}
func.func @right(%x: memref<67xbf16>) -> memref<67xbf16> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<67xbf16>
  host.launch @m_right::@right grid(%c1, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<67xbf16>, memref<67xbf16>) writes [1]
  return %out : memref<67xbf16>
}

// TOO-MANY: bounds: kernel 'too_many': thread (8, 0, 0) of block (0, 0, 0) reads 8 bytes by kernel.load_neighbours
gpu.module @m_too_many {
  gpu.func @too_many(%x: memref<67xbf16>, %y: memref<67xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c8 = arith.constant 8 : index
    %c68 = arith.constant 68 : index
    %t = gpu.thread_id x
    %k = arith.minui %t, %c8 : index
    %i = arith.muli %k, %c8 : index
    %left = arith.subi %c68, %i : index
    %v = kernel.load_neighbours %x[%i] count %left align 2 : memref<67xbf16>, vector<8xbf16>
    kernel.store_neighbours %v, %y[%i] count %left align 2 : vector<8xbf16>, memref<67xbf16>
    gpu.return
  }
}
func.func @too_many(%x: memref<67xbf16>) -> memref<67xbf16> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<67xbf16>
  host.launch @m_too_many::@too_many grid(%c1, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<67xbf16>, memref<67xbf16>) writes [1]
  return %out : memref<67xbf16>
}

// ONE-AWAY: kernel 'one_away': deadlock: 32 threads wait: thread (0, 0, 0) of block (0, 0, 0) at kernel.store_neighbours
gpu.module @m_one_away {
  gpu.func @one_away(%x: memref<67xbf16>, %y: memref<67xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c8 = arith.constant 8 : index
    %c67 = arith.constant 67 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c8 : index
    %left = arith.subi %c67, %i : index
    %is = arith.cmpi ult, %t, %c8 : index
    scf.if %is {
      %v = kernel.load_neighbours %x[%i] align 2 : memref<67xbf16>, vector<8xbf16>
      kernel.store_neighbours %v, %y[%i] count %left align 2 lanes 32 : vector<8xbf16>, memref<67xbf16>
    }
    gpu.barrier
    gpu.return
  }
}
func.func @one_away(%x: memref<67xbf16>) -> memref<67xbf16> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<67xbf16>
  host.launch @m_one_away::@one_away grid(%c1, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<67xbf16>, memref<67xbf16>) writes [1]
  return %out : memref<67xbf16>
}

// OFF-THE-GRID: alignment: kernel 'off_the_grid': thread (1, 0, 0) of block (0, 0, 0) reads at an address that is 2 beyond a multiple of 4, by kernel.load_neighbours
gpu.module @m_off_the_grid {
  gpu.func @off_the_grid(%x: memref<67xbf16>, %y: memref<67xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = kernel.load_neighbours %x[%t] align 4 : memref<67xbf16>, vector<8xbf16>
    kernel.store_neighbours %v, %y[%t] align 2 : vector<8xbf16>, memref<67xbf16>
    gpu.return
  }
}
func.func @off_the_grid(%x: memref<67xbf16>) -> memref<67xbf16> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<67xbf16>
  host.launch @m_off_the_grid::@off_the_grid grid(%c1, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<67xbf16>, memref<67xbf16>) writes [1]
  return %out : memref<67xbf16>
}
