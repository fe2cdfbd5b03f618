// Barriers of some warps, votes, and shared memory of the launch.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.random.default_rng(1).random(128, numpy.float32))"
// RUN: fuser-run %s --target=sim --sim-check --entry=producers_and_consumers --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=producers_and_consumers --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=producers_and_consumers --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=producers_and_consumers --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=another_barrier --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ANOTHER-BARRIER
// RUN: not fuser-run %s --target=sim --sim-check --entry=does_not_count_all --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=DOES-NOT-COUNT-ALL
// RUN: not fuser-run %s --target=sim --sim-check --entry=counts_differ --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=COUNTS-DIFFER
// RUN: not fuser-run %s --target=sim --sim-check --entry=no_such_barrier --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=NO-SUCH-BARRIER
// RUN: not fuser-run %s --target=sim --sim-check --entry=half_warps --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=HALF-WARPS
// RUN: not fuser-run %s --target=sim --sim-check --entry=shuffle_of_more_than_a_warp --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=SHUFFLE-OF-MORE-THAN-A-WARP
// RUN: fuser-run %s --target=sim --sim-check --entry=wide_vector --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=wide_vector --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=wide_vector --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=wide_vector --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=wide_vector_beyond --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WIDE-VECTOR-BEYOND
// RUN: fuser-run %s --target=sim --sim-check --entry=votes --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=votes --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=votes --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=votes --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=vote_of_a_branch --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=VOTE-OF-A-BRANCH
// RUN: fuser-run %s --target=sim --sim-check --entry=dynamic_shared_memory --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=dynamic_shared_memory --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=dynamic_shared_memory --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=dynamic_shared_memory --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=beyond_the_dynamic --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=BEYOND-THE-DYNAMIC
// RUN: not fuser-run %s --target=sim --sim-check --entry=dynamic_without_barrier --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=DYNAMIC-WITHOUT-BARRIER
// RUN: fuser-run %s --target=sim --sim-check --entry=lanes_in_order --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=lanes_in_order --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=lanes_in_order --input=%t.x.npy --sim-seed=2
// RUN: sed 's/kernel.sync_warp .. in order/%%p = arith.constant true %%b = kernel.ballot %%p/' %s > %t.mlir && not fuser-run %t.mlir --target=sim --sim-check --entry=lanes_in_order --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=LANES-WITHOUT-ORDER
// RUN: sed 's/xori %%t, %%one/xori %%t, %%warp/' %s > %t.mlir && not fuser-run %t.mlir --target=sim --sim-check --entry=lanes_in_order --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=LANES-WITHOUT-ORDER

!sh = memref<128xf32, #gpu.address_space<workgroup>>

// Half of the warps arrive, the others wait.
gpu.module @m_producers_and_consumers {
  gpu.func @producers_and_consumers(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    scf.if %isLow {
      memref.store %v, %s[%t] : !sh
      memref.store %v, %y[%t] : memref<128xf32>
      kernel.barrier_arrive %c1, 128
    } else {
      kernel.barrier %c1, 128
      %u = arith.subi %t, %c64 : index
      %w = memref.load %s[%u] : !sh
      %d = arith.subf %w, %w : f32
      %r = arith.addf %v, %d : f32
      memref.store %r, %y[%t] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @producers_and_consumers(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_producers_and_consumers::@producers_and_consumers grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// ANOTHER-BARRIER: deadlock: 64 threads wait: thread (64, 0, 0) of block (0, 0, 0) at kernel.barrier
// They arrive at another barrier.
gpu.module @m_another_barrier {
  gpu.func @another_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    scf.if %isLow {
      memref.store %v, %s[%t] : !sh
      memref.store %v, %y[%t] : memref<128xf32>
      kernel.barrier_arrive %c1, 128
    } else {
      kernel.barrier %c2, 128
      %u = arith.subi %t, %c64 : index
      %w = memref.load %s[%u] : !sh
      %d = arith.subf %w, %w : f32
      %r = arith.addf %v, %d : f32
      memref.store %r, %y[%t] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @another_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_another_barrier::@another_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// DOES-NOT-COUNT-ALL: race: kernel 'does_not_count_all': thread {{.*}} reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load {{.*}} writes by memref.store {{.*}}, in no order
// The barrier is complete when the consumers have come.
gpu.module @m_does_not_count_all {
  gpu.func @does_not_count_all(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    scf.if %isLow {
      memref.store %v, %s[%t] : !sh
      memref.store %v, %y[%t] : memref<128xf32>
    } else {
      kernel.barrier %c1, 64
      %u = arith.subi %t, %c64 : index
      %w = memref.load %s[%u] : !sh
      %d = arith.subf %w, %w : f32
      %r = arith.addf %v, %d : f32
      memref.store %r, %y[%t] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @does_not_count_all(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_does_not_count_all::@does_not_count_all grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// COUNTS-DIFFER: at kernel.barrier {{.*}}: expected a barrier of 128 threads, as others that it is to meet, got one of 64
// They disagree on how many are to come.
gpu.module @m_counts_differ {
  gpu.func @counts_differ(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    scf.if %isLow {
      memref.store %v, %s[%t] : !sh
      memref.store %v, %y[%t] : memref<128xf32>
      kernel.barrier_arrive %c1, 128
    } else {
      kernel.barrier %c1, 64
      %u = arith.subi %t, %c64 : index
      %w = memref.load %s[%u] : !sh
      %d = arith.subf %w, %w : f32
      %r = arith.addf %v, %d : f32
      memref.store %r, %y[%t] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @counts_differ(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_counts_differ::@counts_differ grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// NO-SUCH-BARRIER: at kernel.barrier {{.*}}: expected a barrier from 1 to 15, got 16
// A block has sixteen.
gpu.module @m_no_such_barrier {
  gpu.func @no_such_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    %lane = gpu.lane_id
    %n = arith.addi %lane, %c16 : index
    scf.if %isLow {
      memref.store %v, %s[%t] : !sh
      memref.store %v, %y[%t] : memref<128xf32>
      kernel.barrier_arrive %c1, 128
    } else {
      kernel.barrier %n, 128
      %u = arith.subi %t, %c64 : index
      %w = memref.load %s[%u] : !sh
      %d = arith.subf %w, %w : f32
      %r = arith.addf %v, %d : f32
      memref.store %r, %y[%t] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @no_such_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_no_such_barrier::@no_such_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// HALF-WARPS: deadlock: 128 threads wait: thread (0, 0, 0) of block (0, 0, 0) at kernel.barrier {{.*}}, and thread (16, 0, 0) of block (0, 0, 0) at gpu.barrier
// Whole warps come to a barrier.
gpu.module @m_half_warps {
  gpu.func @half_warps(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    %lane = gpu.lane_id
    %isHalf = arith.cmpi ult, %lane, %c16 : index
    memref.store %v, %y[%t] : memref<128xf32>
    scf.if %isHalf {
      kernel.barrier %c1, 64
    }
    gpu.barrier
    gpu.return
  }
}
func.func @half_warps(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_half_warps::@half_warps grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// SHUFFLE-OF-MORE-THAN-A-WARP: at gpu.shuffle {{.*}}: expected a width from 1 to 32, got 64
// A warp has 32 lanes.
gpu.module @m_shuffle_of_more_than_a_warp {
  gpu.func @shuffle_of_more_than_a_warp(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %i1 = arith.constant 1 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    %i32x = arith.constant 32 : i32
    %width = arith.addi %i32x, %i32x : i32
    %r, %ok = gpu.shuffle xor %v, %i1, %width : f32
    memref.store %r, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @shuffle_of_more_than_a_warp(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_shuffle_of_more_than_a_warp::@shuffle_of_more_than_a_warp grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// A vector of more than 64 elements.
gpu.module @m_wide_vector {
  gpu.func @wide_vector(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      %v = vector.load %x[%c0] : memref<128xf32>, vector<128xf32>
      vector.store %v, %y[%c0] : memref<128xf32>, vector<128xf32>
    }
    gpu.return
  }
}
func.func @wide_vector(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_wide_vector::@wide_vector grid(%grid, %c1, %c1) block(32, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// WIDE-VECTOR-BEYOND: bounds: kernel 'wide_vector_beyond': thread (0, 0, 0) of block (0, 0, 0) reads 256 bytes by vector.load {{.*}}, from byte 260 on of argument 0 (512 bytes)
// It ends beyond the buffer.
gpu.module @m_wide_vector_beyond {
  gpu.func @wide_vector_beyond(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      %v = vector.load %x[%c1] : memref<128xf32>, vector<128xf32>
      vector.store %v, %y[%c1] : memref<128xf32>, vector<128xf32>
    }
    gpu.return
  }
}
func.func @wide_vector_beyond(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_wide_vector_beyond::@wide_vector_beyond grid(%grid, %c1, %c1) block(32, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// Any, all, which, and one.
gpu.module @m_votes {
  gpu.func @votes(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    %lane = gpu.lane_id
    %any = kernel.vote any %isLow
    %all = kernel.vote all %isLow
    %same = arith.cmpi eq, %any, %all : i1
    %which = kernel.ballot %isLow
    %ones = arith.constant -1 : i32
    %bits = arith.select %isLow, %ones, %i0 : i32
    %right = arith.cmpi eq, %which, %bits : i32
    %leader = kernel.elect
    %leaders = kernel.ballot %leader
    %count = math.ctpop %leaders : i32
    %one = arith.cmpi eq, %count, %i1 : i32
    %a = arith.andi %same, %right : i1
    %b = arith.andi %a, %one : i1
    %r = arith.select %b, %v, %zero : f32
    memref.store %r, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @votes(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_votes::@votes grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// VOTE-OF-A-BRANCH: divergence: kernel 'vote_of_a_branch': thread (16, 0, 0) of block (0, 0, 0) is at kernel.vote {{.*}}, where others that it is to meet are at kernel.vote
// Some threads of the warp vote elsewhere.
gpu.module @m_vote_of_a_branch {
  gpu.func @vote_of_a_branch(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c16 : index
    %p = scf.if %isLow -> i1 {
      %any = kernel.vote any %isLow
      scf.yield %any : i1
    } else {
      %all = kernel.vote all %isLow
      scf.yield %all : i1
    }
    %r = arith.select %p, %v, %zero : f32
    memref.store %r, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @vote_of_a_branch(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_vote_of_a_branch::@vote_of_a_branch grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// Shared memory of the launch's size.
gpu.module @m_dynamic_shared_memory {
  gpu.func @dynamic_shared_memory(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !sh
    memref.store %v, %s[%t] : !sh
    gpu.barrier
    %back = arith.subi %c127, %t : index
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @dynamic_shared_memory(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %bytes = arith.constant 512 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_dynamic_shared_memory::@dynamic_shared_memory grid(%grid, %c1, %c1) block(128, 1, 1) shared %bytes args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// BEYOND-THE-DYNAMIC: bounds: kernel 'beyond_the_dynamic': thread (64, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store {{.*}}, from byte 256 on of the dynamic shared memory (256 bytes)
// The launch has less of it.
gpu.module @m_beyond_the_dynamic {
  gpu.func @beyond_the_dynamic(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !sh
    memref.store %v, %s[%t] : !sh
    gpu.barrier
    %back = arith.subi %c127, %t : index
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @beyond_the_dynamic(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %bytes = arith.constant 256 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_beyond_the_dynamic::@beyond_the_dynamic grid(%grid, %c1, %c1) block(128, 1, 1) shared %bytes args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// DYNAMIC-WITHOUT-BARRIER: race: kernel 'dynamic_without_barrier': thread {{.*}} reads byte {{[0-9]+}} of the dynamic shared memory (512 bytes) by memref.load ({{.*}}:[[#@LINE+14]]:10), which thread {{.*}} writes by memref.store ({{.*}}:[[#@LINE+12]]:5), in no order
// It has races as other shared memory.
gpu.module @m_dynamic_without_barrier {
  gpu.func @dynamic_without_barrier(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !sh
    memref.store %v, %s[%t] : !sh
    %back = arith.subi %c127, %t : index
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @dynamic_without_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %bytes = arith.constant 512 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_dynamic_without_barrier::@dynamic_without_barrier grid(%grid, %c1, %c1) block(128, 1, 1) shared %bytes args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// LANES-WITHOUT-ORDER: race: kernel 'lanes_in_order': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) {{reads|writes}} {{.*}}, in no order
// What a lane stored others of its warp read behind kernel.sync_warp, not those of another warp; a vote orders nothing.
gpu.module @m_lanes_in_order {
  gpu.func @lanes_in_order(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %one = arith.constant 1 : index
    %warp = arith.constant 32 : index
    %t = gpu.thread_id x
    %other = arith.xori %t, %one : index
    %v = memref.load %x[%other] : memref<128xf32>
    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    kernel.sync_warp // in order
    %w = memref.load %s[%other] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @lanes_in_order(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_lanes_in_order::@lanes_in_order grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}
