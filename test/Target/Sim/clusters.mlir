// Blocks of a cluster that access each other's shared memory must have met, and must still be there.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.random.default_rng(1).random(256, numpy.float32))"
// RUN: fuser-run %s --target=sim --sim-check --entry=exchange --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=exchange --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=exchange --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=exchange --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=without_meeting --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WITHOUT-MEETING
// RUN: not fuser-run %s --target=sim --sim-check --entry=barrier_of_the_block --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=BARRIER-OF-THE-BLOCK
// RUN: not fuser-run %s --target=sim --sim-check --entry=ends_early --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ENDS-EARLY
// RUN: not fuser-run %s --target=sim --sim-check --entry=arrives_only --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ARRIVES-ONLY
// RUN: not fuser-run %s --target=sim --sim-check --entry=waits_only --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WAITS-ONLY
// RUN: not fuser-run %s --target=sim --sim-check --entry=arrives_twice --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ARRIVES-TWICE
// RUN: not fuser-run %s --target=sim --sim-check --entry=block_beyond --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=BLOCK-BEYOND
// RUN: not fuser-run %s --target=sim --sim-check --entry=beyond_a_remote_buffer --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=BEYOND-A-REMOTE-BUFFER
// RUN: not fuser-run %s --target=sim --sim-check --entry=both_write --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=BOTH-WRITE
// RUN: fuser-run %s --target=sim --sim-check --entry=counts_in_the_other --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=counts_in_the_other --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=counts_in_the_other --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=counts_in_the_other --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=counts_for_its_block --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=COUNTS-FOR-ITS-BLOCK
// RUN: fuser-run %s --target=sim --sim-check --entry=one_reads --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=one_reads --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=one_reads --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=one_reads --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=one_reads_what_ends --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ONE-READS-WHAT-ENDS
// RUN: fuser-run %s --target=sim --sim-check --entry=copies_to_the_other --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=copies_to_the_other --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=copies_to_the_other --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=copies_to_the_other --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=source_ends --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=SOURCE-ENDS

!sh = memref<128xf32, #gpu.address_space<workgroup>>
!bar = memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
!rsh = memref<128xf32, #kernel.cluster_memory>
!rbar = memref<1x!kernel.mbarrier, #kernel.cluster_memory>

// Each block reads what the other one has in shared memory.
gpu.module @m_exchange {
  gpu.func @exchange(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %w = memref.load %remote[%t] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @exchange(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_exchange::@exchange grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// WITHOUT-MEETING: barriers: kernel 'without_meeting': thread {{.*}} reads shared memory of another block of the cluster by memref.load {{.*}}, which may not have begun
// WITHOUT-MEETING: {{race: .* reads byte|race: .* writes byte}}
// The blocks do not meet before one reads the memory of the other.
gpu.module @m_without_meeting {
  gpu.func @without_meeting(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %w = memref.load %remote[%t] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @without_meeting(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_without_meeting::@without_meeting grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// BARRIER-OF-THE-BLOCK: race: kernel 'barrier_of_the_block': thread {{.*}} of block (1, 0, 0) reads byte {{[0-9]+}} of {{.*}} by memref.load ({{.*}}:[[#@LINE+17]]:10), which thread {{.*}} of block (0, 0, 0) writes by memref.store ({{.*}}:[[#@LINE+14]]:5), in no order
// A barrier of the block is none of the cluster.
gpu.module @m_barrier_of_the_block {
  gpu.func @barrier_of_the_block(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    gpu.barrier
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %w = memref.load %remote[%t] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @barrier_of_the_block(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_barrier_of_the_block::@barrier_of_the_block grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// ENDS-EARLY: barriers: kernel 'ends_early': thread {{.*}} reads shared memory of another block of the cluster by memref.load {{.*}}, which has ended
// A block may end while the other one reads its memory.
gpu.module @m_ends_early {
  gpu.func @ends_early(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %w = memref.load %remote[%t] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @ends_early(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_ends_early::@ends_early grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// ARRIVES-ONLY: race: kernel 'arrives_only': thread {{.*}} of block (0, 0, 0) reads byte {{[0-9]+}} of {{.*}} by memref.load ({{.*}}:[[#@LINE+21]]:10), which thread {{.*}} of block (1, 0, 0) writes by memref.store ({{.*}}:[[#@LINE+19]]:5), in no order
// Arriving is not waiting.
gpu.module @m_arrives_only {
  gpu.func @arrives_only(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    kernel.cluster_arrive
    memref.store %zero, %s[%t] : !sh
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %w = memref.load %remote[%t] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_wait
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @arrives_only(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_arrives_only::@arrives_only grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// WAITS-ONLY: barriers: kernel 'waits_only': thread (0, 0, 0) of block (0, 0, 0) at kernel.cluster_wait {{.*}}: expected the thread to have arrived at the barrier of the cluster before it waits, got no arrival
// A wait needs an arrival.
gpu.module @m_waits_only {
  gpu.func @waits_only(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    kernel.cluster_wait
    memref.store %v, %s[%t] : !sh
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %w = memref.load %remote[%t] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @waits_only(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_waits_only::@waits_only grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// ARRIVES-TWICE: at kernel.cluster_arrive {{.*}}: expected a wait between two arrivals at the barrier of the cluster, got none
// An arrival needs a wait before the next one.
gpu.module @m_arrives_twice {
  gpu.func @arrives_twice(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_arrive
    memref.store %v, %s[%t] : !sh
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %w = memref.load %remote[%t] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @arrives_twice(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_arrives_twice::@arrives_twice grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// BLOCK-BEYOND: at kernel.map_block {{.*}}: expected a block from 0 to 1 of the cluster, got 2
// The cluster has two blocks.
gpu.module @m_block_beyond {
  gpu.func @block_beyond(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %c2 : !sh to !rsh
    %w = memref.load %remote[%t] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @block_beyond(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_block_beyond::@block_beyond grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// BEYOND-A-REMOTE-BUFFER: bounds: kernel 'beyond_a_remote_buffer': thread (127, 0, 0) of block ({{.*}}) reads 4 bytes by memref.load {{.*}}, from byte 512 on of workgroup buffer {{.*}}, 512 bytes, {{.*}}
// The bounds are those of the buffer in the other block.
gpu.module @m_beyond_a_remote_buffer {
  gpu.func @beyond_a_remote_buffer(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %t1 = arith.addi %t, %c1 : index
    %w = memref.load %remote[%t1] : !rsh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @beyond_a_remote_buffer(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_beyond_a_remote_buffer::@beyond_a_remote_buffer grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// BOTH-WRITE: race: kernel 'both_write': {{.*}} writes byte {{.*}} by memref.store {{.*}} writes by memref.store {{.*}}, in no order
// A block writes to the memory of the other one, which writes there too.
gpu.module @m_both_write {
  gpu.func @both_write(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    memref.store %v, %remote[%t] : !rsh
    memref.store %zero, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @both_write(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_both_write::@both_write grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// Atomic accesses do not race; their scope is the cluster.
gpu.module @m_counts_in_the_other {
  gpu.func @counts_in_the_other(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%n: memref<1xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i128 = arith.constant 128 : i32
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      memref.store %i0, %n[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %n, %other : memref<1xi32, #gpu.address_space<workgroup>> to memref<1xi32, #kernel.cluster_memory>
    %before = kernel.counter_add %remote[%c0], %i1 scope cluster : memref<1xi32, #kernel.cluster_memory>
    kernel.cluster_arrive
    kernel.cluster_wait
    %count = memref.load %n[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    %isWhole = arith.cmpi eq, %count, %i128 : i32
    %w = arith.select %isWhole, %v, %zero : f32
    memref.store %w, %y[%i] : memref<256xf32>
    gpu.return
  }
}
func.func @counts_in_the_other(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_counts_in_the_other::@counts_in_the_other grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// COUNTS-FOR-ITS-BLOCK: race: kernel 'counts_for_its_block': {{.*}} updates byte {{[0-9]}} of workgroup buffer {{.*}}, 4 bytes, {{.*}} by kernel.counter_add {{.*}} updates by kernel.counter_add {{.*}}, in no order: kernel.counter_add ({{.*}}) has scope block, where cluster is needed{{$}}
// An atomic access for the own block is none for another one.
gpu.module @m_counts_for_its_block {
  gpu.func @counts_for_its_block(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%n: memref<1xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      memref.store %i0, %n[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %n, %c0 : memref<1xi32, #gpu.address_space<workgroup>> to memref<1xi32, #kernel.cluster_memory>
    %before = kernel.counter_add %remote[%c0], %i1 scope block : memref<1xi32, #kernel.cluster_memory>
    kernel.cluster_arrive
    kernel.cluster_wait
    memref.store %v, %y[%i] : memref<256xf32>
    gpu.return
  }
}
func.func @counts_for_its_block(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_counts_for_its_block::@counts_for_its_block grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// Only one block reads, and the other one waits for it.
gpu.module @m_one_reads {
  gpu.func @one_reads(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    %isZero = arith.cmpi eq, %b, %c0 : index
    scf.if %isZero {
      %remote = kernel.map_block %s, %other : !sh to !rsh
      %w = memref.load %remote[%t] : !rsh
      memref.store %w, %y[%j] : memref<256xf32>
      memref.store %v, %y[%i] : memref<256xf32>
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @one_reads(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_one_reads::@one_reads grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// ONE-READS-WHAT-ENDS: barriers: kernel 'one_reads_what_ends': thread {{.*}} of block (0, 0, 0) reads shared memory of another block of the cluster by memref.load
// The block that is read from waits for nobody.
gpu.module @m_one_reads_what_ends {
  gpu.func @one_reads_what_ends(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    kernel.cluster_arrive
    kernel.cluster_wait
    %isZero = arith.cmpi eq, %b, %c0 : index
    scf.if %isZero {
      %remote = kernel.map_block %s, %other : !sh to !rsh
      %w = memref.load %remote[%t] : !rsh
      memref.store %w, %y[%j] : memref<256xf32>
      memref.store %v, %y[%i] : memref<256xf32>
    }
    gpu.return
  }
}
func.func @one_reads_what_ends(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_one_reads_what_ends::@one_reads_what_ends grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// Each block copies its tile to the other one.
gpu.module @m_copies_to_the_other {
  gpu.func @copies_to_the_other(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %more: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    kernel.fence_async shared
    kernel.cluster_arrive
    kernel.cluster_wait
    %tile = kernel.map_block %more, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %s[%c0], %tile[%c0], %c128 completes %there[%c0] : !sh, !rsh, !rbar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %more[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @copies_to_the_other(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_copies_to_the_other::@copies_to_the_other grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// SOURCE-ENDS: at kernel.bulk_copy {{.*}}: expected the block that is read from to wait until it was, before it ends
// A block ends while its tile may still be read.
gpu.module @m_source_ends {
  gpu.func @source_ends(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %more: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %v = memref.load %x[%i] : memref<256xf32>
    memref.store %v, %s[%t] : !sh
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    kernel.fence_async shared
    kernel.cluster_arrive
    kernel.cluster_wait
    %tile = kernel.map_block %more, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %s[%c0], %tile[%c0], %c128 completes %there[%c0] : !sh, !rsh, !rbar
    }
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @source_ends(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_source_ends::@source_ends grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}
