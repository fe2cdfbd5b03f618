// Reads of what nothing has written are found, and outputs that are not written whole.
// RUN: not fuser-run %s --target=sim --sim-check --entry=shared_never_written --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=SHARED-NEVER-WRITTEN
// RUN: not fuser-run %s --target=sim --sim-check --entry=shared_half_written --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=SHARED-HALF-WRITTEN
// RUN: not fuser-run %s --target=sim --sim-check --entry=shared_is_new_in_each_block --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=SHARED-IS-NEW-IN-EACH-BLOCK
// RUN: not fuser-run %s --target=sim --sim-check --entry=output_before_it_is_written --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=OUTPUT-BEFORE-IT-IS-WRITTEN
// RUN: not fuser-run %s --target=sim --sim-check --entry=output_not_whole --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=OUTPUT-NOT-WHOLE
// RUN: not fuser-run %s --target=sim --sim-check --entry=half_a_float --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=HALF-A-FLOAT
// RUN: fuser-run %s --target=sim --sim-check --entry=all_written --input=128xf32=random:1

// SHARED-NEVER-WRITTEN: uninit: kernel 'shared_never_written': thread (0, 0, 0) of block (0, 0, 0) reads byte 0 of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load ({{.*}}), which nothing has written
gpu.module @m_shared_never_written {
  gpu.func @shared_never_written(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @shared_never_written(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_shared_never_written::@shared_never_written grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// SHARED-HALF-WRITTEN: uninit: kernel 'shared_half_written': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}}
gpu.module @m_shared_half_written {
  gpu.func @shared_half_written(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    %is = arith.cmpi ult, %t, %c64 : index
    scf.if %is {
      memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %w = memref.load %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @shared_half_written(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_shared_half_written::@shared_half_written grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// SHARED-IS-NEW-IN-EACH-BLOCK: uninit: kernel 'shared_is_new_in_each_block': thread ({{[0-9]+}}, 0, 0) of block (1, 0, 0) reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}}
// What the block before has left is not there.
gpu.module @m_shared_is_new_in_each_block {
  gpu.func @shared_is_new_in_each_block(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %v = memref.load %x[%t] : memref<128xf32>

    %is = arith.cmpi eq, %b, %c0 : index
    scf.if %is {
      memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %w = memref.load %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    memref.store %w, %y[%i] : memref<128xf32>
    gpu.return
  }
}
func.func @shared_is_new_in_each_block(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_shared_is_new_in_each_block::@shared_is_new_in_each_block grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// OUTPUT-BEFORE-IT-IS-WRITTEN: uninit: kernel 'output_before_it_is_written': thread (0, 0, 0) of block (0, 0, 0) reads byte 0 of argument 1 (512 bytes)
gpu.module @m_output_before_it_is_written {
  gpu.func @output_before_it_is_written(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %y[%t] : memref<128xf32>
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @output_before_it_is_written(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_output_before_it_is_written::@output_before_it_is_written grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// OUTPUT-NOT-WHOLE: uninit: element 77 of output {{.*}}, in row-major order, was not written
gpu.module @m_output_not_whole {
  gpu.func @output_not_whole(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c77 = arith.constant 77 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %is = arith.cmpi ne, %t, %c77 : index
    scf.if %is {
      memref.store %v, %y[%t] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @output_not_whole(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_output_not_whole::@output_not_whole grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// HALF-A-FLOAT: uninit: kernel 'half_a_float': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}}
gpu.module @m_half_a_float {
  gpu.func @half_a_float(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<256xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %h = arith.constant 1.0 : f16
    %view = memref.load %x[%t] : memref<128xf32>
    memref.store %h, %s[%t] : memref<256xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    %i = arith.muli %t, %c2 : index
    %p = vector.load %s[%i] : memref<256xf16, #gpu.address_space<workgroup>>, vector<2xf16>
    %e = vector.extract %p[0] : f16 from vector<2xf16>
    %f = arith.extf %e : f16 to f32
    memref.store %f, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @half_a_float(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_half_a_float::@half_a_float grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

gpu.module @m_all_written {
  gpu.func @all_written(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @all_written(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_all_written::@all_written grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}
