// Counters in global memory: folds by the last block, and barriers of grids.
// REQUIRES: numpy
// RUN: not fuser-run %s --target=sim --entry=grid_is_too_large 2>&1 | FileCheck %s --check-prefix=GRID-IS-TOO-LARGE
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.random.default_rng(1).random(4, numpy.float32))"
// RUN: fuser-run %s --target=sim --sim-check --entry=last_block_folds --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=last_block_folds --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=last_block_folds --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=last_block_folds --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=relaxed --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=RELAXED
// RUN: not fuser-run %s --target=sim --sim-check --entry=without_acquire --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WITHOUT-ACQUIRE
// RUN: not fuser-run %s --target=sim --sim-check --entry=without_release --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WITHOUT-RELEASE
// RUN: not fuser-run %s --target=sim --sim-check --entry=scope_of_the_block --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=SCOPE-OF-THE-BLOCK
// RUN: fuser-run %s --target=sim --sim-check --entry=grid_meets --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=grid_meets --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=grid_meets --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=grid_meets --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=grid_does_not_wait --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=GRID-DOES-NOT-WAIT
// RUN: not fuser-run %s --target=sim --sim-check --entry=grid_waits_for_less --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=GRID-WAITS-FOR-LESS
// RUN: not fuser-run %s --target=sim --sim-check --entry=grid_waits_for_more --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=GRID-WAITS-FOR-MORE
// RUN: not fuser-run %s --target=sim --sim-check --entry=grid_is_not_resident --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=GRID-IS-NOT-RESIDENT

// RUN: fuser-run %s --target=sim --sim-check --entry=last_block_resets --output=%t.npy && fuser-run %s --target=sim --sim-check --entry=last_block_resets --sim-seed=1
// RUN: sed 's/%%i1 : memref<1xi32> \/\/ resets/%%i1 order release : memref<1xi32>/' %s > %t.mlir && not fuser-run %t.mlir --target=sim --sim-check --entry=last_block_resets 2>&1 | FileCheck %s --check-prefix=RESETS

// The last block to come sees what all have stored.
gpu.module @m_last_block_folds {
  gpu.func @last_block_folds(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 : memref<1xi32>
    %isLast = arith.cmpi eq, %before, %i3 : i32
    scf.if %isLast {
      scf.for %k = %c0 to %c4 step %c1 {
        %w = memref.load %parts[%k] : memref<4xf32>
        memref.store %w, %y[%k] : memref<4xf32>
      }
    }
    gpu.return
  }
}
func.func @last_block_folds(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_last_block_folds::@last_block_folds grid(%grid, %c1, %c1) block(1, 1, 1) args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// RELAXED: race: kernel 'relaxed': thread (0, 0, 0) of block ({{.*}}) reads byte {{[0-9]+}} of argument 2 (16 bytes) by memref.load {{.*}}, which thread (0, 0, 0) of block ({{.*}}) writes by memref.store {{.*}}, in no order: between them, kernel.counter_add ({{.*}}:[[#@LINE+12]]:15) has order relaxed, where acq_rel is needed{{$}}
// A relaxed counter orders nothing.
gpu.module @m_relaxed {
  gpu.func @relaxed(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 order relaxed : memref<1xi32>
    %isLast = arith.cmpi eq, %before, %i3 : i32
    scf.if %isLast {
      scf.for %k = %c0 to %c4 step %c1 {
        %w = memref.load %parts[%k] : memref<4xf32>
        memref.store %w, %y[%k] : memref<4xf32>
      }
    }
    gpu.return
  }
}
func.func @relaxed(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_relaxed::@relaxed grid(%grid, %c1, %c1) block(1, 1, 1) args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// WITHOUT-ACQUIRE: race: kernel 'without_acquire': thread (0, 0, 0) of block ({{.*}}) reads byte {{[0-9]+}} of argument 2 (16 bytes) by memref.load {{.*}}, which thread (0, 0, 0) of block ({{.*}}) writes by memref.store {{.*}}, in no order: between them, kernel.counter_add ({{.*}}:[[#@LINE+12]]:15) has order release, where acq_rel is needed{{$}}
// The last block does not acquire what others have released.
gpu.module @m_without_acquire {
  gpu.func @without_acquire(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 order release : memref<1xi32>
    %isLast = arith.cmpi eq, %before, %i3 : i32
    scf.if %isLast {
      scf.for %k = %c0 to %c4 step %c1 {
        %w = memref.load %parts[%k] : memref<4xf32>
        memref.store %w, %y[%k] : memref<4xf32>
      }
    }
    gpu.return
  }
}
func.func @without_acquire(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_without_acquire::@without_acquire grid(%grid, %c1, %c1) block(1, 1, 1) args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// WITHOUT-RELEASE: race: kernel 'without_release': thread (0, 0, 0) of block ({{.*}}) reads byte {{[0-9]+}} of argument 2 (16 bytes) by memref.load {{.*}}, which thread (0, 0, 0) of block ({{.*}}) writes by memref.store {{.*}}, in no order: between them, kernel.counter_add ({{.*}}:[[#@LINE+12]]:15) has order acquire, where acq_rel is needed{{$}}
// The blocks do not release what they have stored.
gpu.module @m_without_release {
  gpu.func @without_release(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 order acquire : memref<1xi32>
    %isLast = arith.cmpi eq, %before, %i3 : i32
    scf.if %isLast {
      scf.for %k = %c0 to %c4 step %c1 {
        %w = memref.load %parts[%k] : memref<4xf32>
        memref.store %w, %y[%k] : memref<4xf32>
      }
    }
    gpu.return
  }
}
func.func @without_release(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_without_release::@without_release grid(%grid, %c1, %c1) block(1, 1, 1) args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// SCOPE-OF-THE-BLOCK: race: kernel 'scope_of_the_block': thread (0, 0, 0) of block ({{.*}}) reads byte {{[0-9]+}} of argument 2 (16 bytes) by memref.load ({{.*}}:[[#@LINE+16]]:14), which thread (0, 0, 0) of block ({{.*}}) writes by memref.store ({{.*}}:[[#@LINE+11]]:5), in no order: between them, kernel.counter_add ({{.*}}:[[#@LINE+12]]:15) has scope block, where device is needed{{$}}
// The scope is too narrow.
gpu.module @m_scope_of_the_block {
  gpu.func @scope_of_the_block(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 scope block : memref<1xi32>
    %isLast = arith.cmpi eq, %before, %i3 : i32
    scf.if %isLast {
      scf.for %k = %c0 to %c4 step %c1 {
        %w = memref.load %parts[%k] : memref<4xf32>
        memref.store %w, %y[%k] : memref<4xf32>
      }
    }
    gpu.return
  }
}
func.func @scope_of_the_block(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_scope_of_the_block::@scope_of_the_block grid(%grid, %c1, %c1) block(1, 1, 1) args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// All blocks of a cooperative grid wait for each other.
gpu.module @m_grid_meets {
  gpu.func @grid_meets(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i4 = arith.constant 4 : i32
    %c3 = arith.constant 3 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 : memref<1xi32>
    kernel.counter_wait %counter[%c0], %i4 : memref<1xi32>
    %back = arith.subi %c3, %b : index
    %w = memref.load %parts[%back] : memref<4xf32>
    memref.store %w, %y[%back] : memref<4xf32>
    gpu.return
  }
}
func.func @grid_meets(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_grid_meets::@grid_meets grid(%grid, %c1, %c1) block(1, 1, 1) cooperative args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// GRID-DOES-NOT-WAIT: race: kernel 'grid_does_not_wait': thread (0, 0, 0) of block ({{.*}}) writes byte {{[0-9]+}} of argument 2 (16 bytes) by memref.store ({{.*}}:[[#@LINE+9]]:5), which thread (0, 0, 0) of block ({{.*}}) reads by memref.load ({{.*}}:[[#@LINE+12]]:10), in no order{{$}}
// To count is not to wait.
gpu.module @m_grid_does_not_wait {
  gpu.func @grid_does_not_wait(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 : memref<1xi32>
    %back = arith.subi %c3, %b : index
    %w = memref.load %parts[%back] : memref<4xf32>
    memref.store %w, %y[%back] : memref<4xf32>
    gpu.return
  }
}
func.func @grid_does_not_wait(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_grid_does_not_wait::@grid_does_not_wait grid(%grid, %c1, %c1) block(1, 1, 1) cooperative args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// GRID-WAITS-FOR-LESS: race: kernel 'grid_waits_for_less': thread (0, 0, 0) of block ({{.*}}) reads byte 12 of argument 2 (16 bytes) by memref.load ({{.*}}:[[#@LINE+14]]:10), which thread (0, 0, 0) of block (3, 0, 0) writes by memref.store ({{.*}}:[[#@LINE+10]]:5), in no order{{$}}
// One block is not waited for.
gpu.module @m_grid_waits_for_less {
  gpu.func @grid_waits_for_less(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i3 = arith.constant 3 : i32
    %c3 = arith.constant 3 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 : memref<1xi32>
    kernel.counter_wait %counter[%c0], %i3 : memref<1xi32>
    %back = arith.subi %c3, %b : index
    %w = memref.load %parts[%back] : memref<4xf32>
    memref.store %w, %y[%back] : memref<4xf32>
    gpu.return
  }
}
func.func @grid_waits_for_less(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_grid_waits_for_less::@grid_waits_for_less grid(%grid, %c1, %c1) block(1, 1, 1) cooperative args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// GRID-WAITS-FOR-MORE: deadlock: 4 threads wait: thread (0, 0, 0) of block ({{.*}}) at kernel.counter_wait
// There are four blocks.
gpu.module @m_grid_waits_for_more {
  gpu.func @grid_waits_for_more(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 : memref<1xi32>
    %i5 = arith.constant 5 : i32
    kernel.counter_wait %counter[%c0], %i5 : memref<1xi32>
    %back = arith.subi %c3, %b : index
    %w = memref.load %parts[%back] : memref<4xf32>
    memref.store %w, %y[%back] : memref<4xf32>
    gpu.return
  }
}
func.func @grid_waits_for_more(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_grid_waits_for_more::@grid_waits_for_more grid(%grid, %c1, %c1) block(1, 1, 1) cooperative args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// GRID-IS-NOT-RESIDENT: deadlock: 1 threads wait: thread (0, 0, 0) of block (0, 0, 0) at kernel.counter_wait
// Blocks of other launches need not run at the same time.
gpu.module @m_grid_is_not_resident {
  gpu.func @grid_is_not_resident(%x: memref<4xf32>, %y: memref<4xf32>, %parts: memref<4xf32>, %counter: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i4 = arith.constant 4 : i32
    %c3 = arith.constant 3 : index
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<4xf32>
    memref.store %v, %parts[%b] : memref<4xf32>
    %before = kernel.counter_add %counter[%c0], %i1 : memref<1xi32>
    kernel.counter_wait %counter[%c0], %i4 : memref<1xi32>
    %back = arith.subi %c3, %b : index
    %w = memref.load %parts[%back] : memref<4xf32>
    memref.store %w, %y[%back] : memref<4xf32>
    gpu.return
  }
}
func.func @grid_is_not_resident(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %y = host.output 0 () : memref<4xf32>
  %four = arith.constant 4 : index
  %parts = host.alloc () : memref<4xf32>
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_grid_is_not_resident::@grid_is_not_resident grid(%grid, %c1, %c1) block(1, 1, 1) args(%x, %y, %parts, %counter : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xi32>) writes [1]
  return %y : memref<4xf32>
}

// GRID-IS-TOO-LARGE: kernel 'grid_is_too_large_0': expected at most 264 blocks in a cooperative grid, which are there at once on 132 multiprocessors, got 265
// Two blocks fit on a multiprocessor.
gpu.module @m_grid_is_too_large {
  gpu.func @grid_is_too_large(%y: memref<1xi32>) kernel attributes {known_block_size = array<i32: 700, 1, 1>} {
    gpu.return
  }
}
func.func @grid_is_too_large() attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 265 : index
  %y = host.workspace 0 () : memref<1xi32>
  host.launch @m_grid_is_too_large::@grid_is_too_large grid(%grid, %c1, %c1) block(700, 1, 1) cooperative args(%y : memref<1xi32>)
  return
}

// RESETS: race: kernel 'last_block_resets': thread (1, 0, 0) of block ({{.*}}) writes byte 0 of argument 0 (4 bytes) by memref.store {{.*}}, which thread (0, 0, 0) of block ({{.*}}) updates by kernel.counter_add {{.*}}, in no order
// Another thread of the last block sets the counter itself back: what has released is released, too.
gpu.module @m_last_block_resets {
  gpu.func @last_block_resets(%counter: memref<1xi32>) workgroup(%s: memref<1xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i3 = arith.constant 3 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      %before = kernel.counter_add %counter[%c0], %i1 : memref<1xi32> // resets
      memref.store %before, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %before = memref.load %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    %isLast = arith.cmpi eq, %before, %i3 : i32
    %isOther = arith.cmpi ne, %t, %c0 : index
    %sets = arith.andi %isLast, %isOther : i1
    scf.if %sets {
      memref.store %i0, %counter[%c0] : memref<1xi32>
    }
    gpu.return
  }
}
func.func @last_block_resets() -> memref<1xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %counter = host.workspace 0 () zeroed : memref<1xi32>
  %y = host.output 0 () : memref<1xi32>
  host.launch @m_last_block_resets::@last_block_resets grid(%grid, %c1, %c1) block(2, 1, 1) args(%counter : memref<1xi32>) writes [0]
  host.copy %counter, %y : memref<1xi32>, memref<1xi32>
  return %y : memref<1xi32>
}
