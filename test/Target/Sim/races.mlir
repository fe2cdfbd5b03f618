// Accesses of two threads without an order are found, at the place and the byte; with one they are not.
// RUN: not fuser-run %s --target=sim --sim-check --entry=missing_barrier --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=MISSING-BARRIER
// RUN: fuser-run %s --target=sim --sim-check --entry=with_barrier --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=missing_second_barrier --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=MISSING-SECOND-BARRIER
// RUN: fuser-run %s --target=sim --sim-check --entry=with_second_barrier --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=same_element --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=SAME-ELEMENT
// RUN: fuser-run %s --target=sim --sim-check --entry=one_writer --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=shuffle_is_no_barrier --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=SHUFFLE-IS-NO-BARRIER
// RUN: not fuser-run %s --target=sim --sim-check --entry=neighbours_in_place --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=NEIGHBOURS-IN-PLACE
// RUN: not fuser-run %s --target=sim --sim-check --entry=blocks_write_one --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=BLOCKS-WRITE-ONE
// RUN: fuser-run %s --target=sim --sim-check --entry=blocks_write_own --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=blocks_read_each_other --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=BLOCKS-READ-EACH-OTHER
// RUN: not fuser-run %s --target=sim --sim-check --entry=overlapping_vectors --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=OVERLAPPING-VECTORS
// RUN: fuser-run %s --target=sim --sim-check --entry=vectors_apart --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=plain_counter --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=PLAIN-COUNTER
// RUN: fuser-run %s --target=sim --sim-check --entry=atomic_counter --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=atomic_and_plain --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=ATOMIC-AND-PLAIN
// RUN: not fuser-run %s --target=sim --sim-check --entry=broadcast_then_write --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=BROADCAST-THEN-WRITE
// RUN: fuser-run %s --target=sim --sim-check --entry=bytes_apart --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=word_over_bytes --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=WORD-OVER-BYTES

// MISSING-BARRIER: race: kernel 'missing_barrier': thread {{.*}} reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load ({{.*}}:[[#@LINE+10]]:10), which thread {{.*}} writes by memref.store ({{.*}}:[[#@LINE+8]]:5), in no order
// What other threads wrote is read without a barrier.
gpu.module @m_missing_barrier {
  gpu.func @missing_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    %r = arith.subi %c127, %t : index
    %w = memref.load %s[%r] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @missing_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_missing_barrier::@missing_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_with_barrier {
  gpu.func @with_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r = arith.subi %c127, %t : index
    %w = memref.load %s[%r] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @with_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_with_barrier::@with_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// MISSING-SECOND-BARRIER: race: kernel 'missing_second_barrier': thread {{.*}} reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load ({{.*}}:[[#@LINE+11]]:10), which thread {{.*}} writes by memref.store ({{.*}}:[[#@LINE+12]]:5), in no order
// The buffer is written again while others still read it.
gpu.module @m_missing_second_barrier {
  gpu.func @missing_second_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r = arith.subi %c127, %t : index
    %w = memref.load %s[%r] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %u = memref.load %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %u, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @missing_second_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_missing_second_barrier::@missing_second_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_with_second_barrier {
  gpu.func @with_second_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r = arith.subi %c127, %t : index
    %w = memref.load %s[%r] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %w, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %u = memref.load %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %u, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @with_second_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_with_second_barrier::@with_second_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// SAME-ELEMENT: race: kernel 'same_element': thread {{.*}} writes byte 20 of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.store ({{.*}}:[[#@LINE+8]]:5), which thread {{.*}} writes by memref.store ({{.*}}:[[#@LINE+8]]:5), in no order
// All threads write one element.
gpu.module @m_same_element {
  gpu.func @same_element(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c5 = arith.constant 5 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    memref.store %v, %s[%c5] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%c5] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @same_element(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_same_element::@same_element grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_one_writer {
  gpu.func @one_writer(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c5 = arith.constant 5 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    %is = arith.cmpi eq, %t, %c5 : index
    scf.if %is {
      memref.store %v, %s[%c5] : memref<128xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %w = memref.load %s[%c5] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @one_writer(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_one_writer::@one_writer grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// SHUFFLE-IS-NO-BARRIER: race: kernel 'shuffle_is_no_barrier': thread {{.*}} reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load ({{.*}}:[[#@LINE+13]]:10), which thread {{.*}} writes by memref.store ({{.*}}:[[#@LINE+10]]:5), in no order
// A shuffle exchanges values and orders no accesses to memory.
gpu.module @m_shuffle_is_no_barrier {
  gpu.func @shuffle_is_no_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    %o, %valid = gpu.shuffle xor %v, %one, %width : f32
    %r = arith.xori %t, %c1 : index
    %w = memref.load %s[%r] : memref<128xf32, #gpu.address_space<workgroup>>
    %z = arith.addf %w, %o : f32
    memref.store %z, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @shuffle_is_no_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_shuffle_is_no_barrier::@shuffle_is_no_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// NEIGHBOURS-IN-PLACE: race: kernel 'neighbours_in_place': thread {{.*}} writes byte {{[0-9]+}} of argument 1 (512 bytes) by memref.store ({{.*}}:[[#@LINE+8]]:5), which thread {{.*}} reads by memref.load ({{.*}}:[[#@LINE+11]]:10), in no order
// Threads read what their neighbours write, in global memory.
gpu.module @m_neighbours_in_place {
  gpu.func @neighbours_in_place(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %y[%t] : memref<128xf32>
    %r = arith.remui %t, %c127 : index
    %q = arith.addi %r, %c1 : index
    %w = memref.load %y[%q] : memref<128xf32>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @neighbours_in_place(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_neighbours_in_place::@neighbours_in_place grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// BLOCKS-WRITE-ONE: race: kernel 'blocks_write_one': thread {{.*}} of block (1, 0, 0) writes byte 0 of argument 1 (512 bytes) by memref.store ({{.*}}:[[#@LINE+6]]:5), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store ({{.*}}:[[#@LINE+6]]:5), in no order
// Two blocks write the same elements, if the same values.
gpu.module @m_blocks_write_one {
  gpu.func @blocks_write_one(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @blocks_write_one(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_blocks_write_one::@blocks_write_one grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_blocks_write_own {
  gpu.func @blocks_write_own(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c64f = arith.constant 64 : index
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : memref<128xf32>
    memref.store %v, %y[%i] : memref<128xf32>
    gpu.return
  }
}
func.func @blocks_write_own(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_blocks_write_own::@blocks_write_own grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// BLOCKS-READ-EACH-OTHER: race: kernel 'blocks_read_each_other': thread ([[T:[0-9]+]], 0, 0) of block (1, 0, 0) reads byte {{[0-9]+}} of argument 1 (512 bytes) by memref.load ({{.*}}:[[#@LINE+16]]:12), which thread ([[T]], 0, 0) of block (0, 0, 0) writes by memref.store ({{.*}}:[[#@LINE+11]]:5), in no order
// A barrier orders one block.
gpu.module @m_blocks_read_each_other {
  gpu.func @blocks_read_each_other(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : memref<128xf32>
    memref.store %v, %y[%i] : memref<128xf32>
    gpu.barrier
    %j = arith.xori %i, %c64 : index
    %is = arith.cmpi eq, %b, %c1 : index
    scf.if %is {
      %w = memref.load %y[%j] : memref<128xf32>
      memref.store %w, %y[%i] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @blocks_read_each_other(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_blocks_read_each_other::@blocks_read_each_other grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// OVERLAPPING-VECTORS: race: kernel 'overlapping_vectors': thread (1, 0, 0) of block (0, 0, 0) writes byte 4 of argument 1 (512 bytes) by vector.store ({{.*}}:[[#@LINE+9]]:5), which thread (0, 0, 0) of block (0, 0, 0) writes by vector.store ({{.*}}:[[#@LINE+9]]:5), in no order
// Vectors of four, one element apart.
gpu.module @m_overlapping_vectors {
  gpu.func @overlapping_vectors(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c124 = arith.constant 124 : index
    %t = gpu.thread_id x
    %z = arith.constant dense<1.0> : vector<4xf32>
    %v = memref.load %x[%t] : memref<128xf32>
    %i = arith.minui %t, %c124 : index
    vector.store %z, %y[%i] : memref<128xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @overlapping_vectors(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_overlapping_vectors::@overlapping_vectors grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_vectors_apart {
  gpu.func @vectors_apart(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %z = arith.constant dense<1.0> : vector<4xf32>
    %i = arith.muli %t, %c4 : index
    vector.store %z, %y[%i] : memref<128xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @vectors_apart(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_vectors_apart::@vectors_apart grid(%grid, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// PLAIN-COUNTER: race: kernel 'plain_counter': thread {{.*}} reads byte 0 of workgroup buffer {{.*}}, 16 bytes, {{.*}} by memref.load ({{.*}}:[[#@LINE+13]]:10), which thread {{.*}} writes by memref.store ({{.*}}:[[#@LINE+15]]:5), in no order
// A counter that is not atomic.
gpu.module @m_plain_counter {
  gpu.func @plain_counter(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<4xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %is = arith.cmpi eq, %t, %c0 : index
    scf.if %is {
      memref.store %zero, %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %o = memref.load %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    %p = arith.addi %o, %one : i32
    memref.store %p, %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %n = memref.load %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    %f = arith.sitofp %n : i32 to f32
    memref.store %f, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @plain_counter(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_plain_counter::@plain_counter grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_atomic_counter {
  gpu.func @atomic_counter(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<4xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %is = arith.cmpi eq, %t, %c0 : index
    scf.if %is {
      memref.store %zero, %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %o = memref.atomic_rmw addi %one, %s[%c0] : (i32, memref<4xi32, #gpu.address_space<workgroup>>) -> i32
    gpu.barrier
    %n = memref.load %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    %f = arith.sitofp %n : i32 to f32
    memref.store %f, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @atomic_counter(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_atomic_counter::@atomic_counter grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// ATOMIC-AND-PLAIN: race: kernel 'atomic_and_plain': thread {{.*}} reads byte 0 of workgroup buffer {{.*}}, 16 bytes, {{.*}} by memref.load ({{.*}}:[[#@LINE+14]]:10), which thread {{.*}} updates by memref.atomic_rmw ({{.*}}:[[#@LINE+13]]:10), in no order
// A plain read beside atomic updates.
gpu.module @m_atomic_and_plain {
  gpu.func @atomic_and_plain(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<4xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %is = arith.cmpi eq, %t, %c0 : index
    scf.if %is {
      memref.store %zero, %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %o = memref.atomic_rmw addi %one, %s[%c0] : (i32, memref<4xi32, #gpu.address_space<workgroup>>) -> i32
    %p = memref.load %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    %g = arith.sitofp %p : i32 to f32
    memref.store %g, %y[%t] : memref<128xf32>
    gpu.barrier
    %n = memref.load %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
    %f = arith.sitofp %n : i32 to f32
    memref.store %f, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @atomic_and_plain(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_atomic_and_plain::@atomic_and_plain grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// BROADCAST-THEN-WRITE: race: kernel 'broadcast_then_write': thread {{.*}} reads byte 36 of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load ({{.*}}:[[#@LINE+11]]:10), which thread (127, 0, 0) of block (0, 0, 0) writes by memref.store ({{.*}}:[[#@LINE+14]]:7), in no order
// The last of many readers writes.
gpu.module @m_broadcast_then_write {
  gpu.func @broadcast_then_write(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c9 = arith.constant 9 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%c9] : memref<128xf32, #gpu.address_space<workgroup>>
    %is = arith.cmpi eq, %t, %c127 : index
    scf.if %is {
      memref.store %w, %s[%c9] : memref<128xf32, #gpu.address_space<workgroup>>
    }
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @broadcast_then_write(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_broadcast_then_write::@broadcast_then_write grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// Bytes of one word belong to four threads.
gpu.module @m_bytes_apart {
  gpu.func @bytes_apart(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xi8, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %a = arith.index_cast %t : index to i8
    memref.store %a, %s[%t] : memref<128xi8, #gpu.address_space<workgroup>>
    %n = memref.load %s[%t] : memref<128xi8, #gpu.address_space<workgroup>>
    %f = arith.sitofp %n : i8 to f32
    memref.store %f, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @bytes_apart(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_bytes_apart::@bytes_apart grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// WORD-OVER-BYTES: race: kernel 'word_over_bytes': thread (3, 0, 0) of block (0, 0, 0) reads byte 0 of workgroup buffer {{.*}}, 128 bytes, {{.*}} by vector.load ({{.*}}:[[#@LINE+11]]:12), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store ({{.*}}:[[#@LINE+8]]:5), in no order
// A wider access meets what others wrote.
gpu.module @m_word_over_bytes {
  gpu.func @word_over_bytes(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xi8, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %t = gpu.thread_id x
    %a = arith.index_cast %t : index to i8
    memref.store %a, %s[%t] : memref<128xi8, #gpu.address_space<workgroup>>
    %is = arith.cmpi eq, %t, %c3 : index
    scf.if %is {
      %q = vector.load %s[%c0] : memref<128xi8, #gpu.address_space<workgroup>>, vector<4xi8>
      %e = vector.extract %q[3] : i8 from vector<4xi8>
      memref.store %e, %s[%t] : memref<128xi8, #gpu.address_space<workgroup>>
    }
    %f = arith.uitofp %a : i8 to f32
    memref.store %f, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @word_over_bytes(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_word_over_bytes::@word_over_bytes grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}
