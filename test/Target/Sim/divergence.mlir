// Threads that do not meet where they must are found.
// RUN: not fuser-run %s --target=sim --sim-check --entry=barriers_of_two_branches --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=BARRIERS-OF-TWO-BRANCHES
// RUN: not fuser-run %s --target=sim --sim-check --entry=barrier_of_some --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=BARRIER-OF-SOME
// RUN: not fuser-run %s --target=sim --sim-check --entry=ended_before_the_barrier --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=ENDED-BEFORE-THE-BARRIER
// RUN: not fuser-run %s --target=sim --sim-check --entry=different_trips --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=DIFFERENT-TRIPS
// RUN: not fuser-run %s --target=sim --sim-check --entry=shuffle_of_some --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=SHUFFLE-OF-SOME
// RUN: not fuser-run %s --target=sim --sim-check --entry=shuffles_of_two_branches --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=SHUFFLES-OF-TWO-BRANCHES
// RUN: fuser-run %s --target=sim --sim-check --entry=shuffle_of_all --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --entry=wait_for_each_other --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=WAIT-FOR-EACH-OTHER
// RUN: not fuser-run %s --target=cpu --sim-check --entry=shuffle_of_all --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not fuser-run %s --target=sim --sim-check=rases --entry=shuffle_of_all --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not fuser-run %s --target=sim --sim-seed=x --entry=shuffle_of_all --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=SEED
// CPU: --target cpu: expected no --sim-check with it because it is about simulated kernels
// NAME: --sim-check: expected some of races, bounds, uninit, divergence, alignment and barriers, or all, got 'rases'
// SEED: --sim-seed: expected a number of 64 bits, got 'x'


// BARRIERS-OF-TWO-BRANCHES: divergence: kernel 'barriers_of_two_branches': thread (64, 0, 0) of block (0, 0, 0) is at gpu.barrier ({{.*}}), where others that it is to meet are at gpu.barrier
// A barrier in each of two branches is not one that all come to.
gpu.module @m_barriers_of_two_branches {
  gpu.func @barriers_of_two_branches(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    %is = arith.cmpi ult, %t, %c64 : index
    scf.if %is {
      memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
      gpu.barrier
    } else {
      memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
      gpu.barrier
    }
    %r = arith.subi %c127, %t : index
    %w = memref.load %s[%r] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @barriers_of_two_branches(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_barriers_of_two_branches::@barriers_of_two_branches grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// BARRIER-OF-SOME: barriers: kernel 'barrier_of_some': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) has ended, while others wait at gpu.barrier
// Half of the block has no barrier.
gpu.module @m_barrier_of_some {
  gpu.func @barrier_of_some(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    %is = arith.cmpi ult, %t, %c64 : index
    scf.if %is {
      gpu.barrier
    }
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @barrier_of_some(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_barrier_of_some::@barrier_of_some grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// ENDED-BEFORE-THE-BARRIER: barriers: kernel 'ended_before_the_barrier': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) has ended, while others wait at gpu.barrier
// Threads without an element leave early.
gpu.module @m_ended_before_the_barrier {
  gpu.func @ended_before_the_barrier(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c100 = arith.constant 100 : index
    %t = gpu.thread_id x
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %v = memref.load %x[%t] : memref<128xf32>
      gpu.barrier
      memref.store %v, %y[%t] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @ended_before_the_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_ended_before_the_barrier::@ended_before_the_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// DIFFERENT-TRIPS: barriers: kernel 'different_trips': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) has ended, while others wait at gpu.barrier ({{.*}}:[[#@LINE+11]]:7)
// A barrier in a loop that threads run through as often as they like.
gpu.module @m_different_trips {
  gpu.func @different_trips(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %t = gpu.thread_id x
    %n = arith.remui %t, %c3 : index
    %v = memref.load %x[%t] : memref<128xf32>
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
    }
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @different_trips(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_different_trips::@different_trips grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// SHUFFLE-OF-SOME: divergence: kernel 'shuffle_of_some': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) reads lane 20 by gpu.shuffle ({{.*}}), to which that lane has not come
// The lane that is read does not shuffle.
gpu.module @m_shuffle_of_some {
  gpu.func @shuffle_of_some(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %lane = arith.remui %t, %c32 : index
    %o = arith.constant 20 : i32
    %width = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<128xf32>

    %is = arith.cmpi ult, %lane, %c16 : index
    %r = scf.if %is -> f32 {
      %w, %valid = gpu.shuffle idx %v, %o, %width : f32
      scf.yield %w : f32
    } else {
      scf.yield %v : f32
    }
    memref.store %r, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @shuffle_of_some(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_shuffle_of_some::@shuffle_of_some grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// SHUFFLES-OF-TWO-BRANCHES: divergence: kernel 'shuffles_of_two_branches': thread (16, 0, 0) of block (0, 0, 0) is at gpu.shuffle
gpu.module @m_shuffles_of_two_branches {
  gpu.func @shuffles_of_two_branches(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %lane = arith.remui %t, %c32 : index
    %o = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<128xf32>

    %is = arith.cmpi ult, %lane, %c16 : index
    %r = scf.if %is -> f32 {
      %w, %valid = gpu.shuffle xor %v, %o, %width : f32
      scf.yield %w : f32
    } else {
      %w, %valid = gpu.shuffle xor %v, %o, %width : f32
      scf.yield %w : f32
    }
    memref.store %r, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @shuffles_of_two_branches(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_shuffles_of_two_branches::@shuffles_of_two_branches grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_shuffle_of_all {
  gpu.func @shuffle_of_all(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %lane = arith.remui %t, %c32 : index
    %o = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<128xf32>

    %w, %valid = gpu.shuffle xor %v, %o, %width : f32
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @shuffle_of_all(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_shuffle_of_all::@shuffle_of_all grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// WAIT-FOR-EACH-OTHER: kernel 'wait_for_each_other': deadlock: 128 threads wait: thread {{.*}} of block (0, 0, 0) at gpu.barrier {{.*}}, and thread {{.*}} of block (0, 0, 0) at gpu.shuffle
// Half of each warp waits at a barrier for the other, which waits for it at a shuffle. No check is needed.
gpu.module @m_wait_for_each_other {
  gpu.func @wait_for_each_other(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %lane = arith.remui %t, %c32 : index
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<128xf32>
    %is = arith.cmpi ult, %lane, %c16 : index
    %r = scf.if %is -> f32 {
      gpu.barrier
      scf.yield %v : f32
    } else {
      %w, %valid = gpu.shuffle xor %v, %one, %width : f32
      scf.yield %w : f32
    }
    memref.store %r, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @wait_for_each_other(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_wait_for_each_other::@wait_for_each_other grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}
