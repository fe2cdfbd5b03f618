// Accesses outside of the buffer that an address was computed from are found, whatever lies there.
// RUN: not fuser-run %s --target=sim --sim-check --entry=tail_off_by_one --input=100xf32=random:1 2>&1 | FileCheck %s --check-prefix=TAIL-OFF-BY-ONE
// RUN: fuser-run %s --target=sim --sim-check --entry=tail --input=100xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=before_the_start --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=BEFORE-THE-START
// RUN: not fuser-run %s --target=sim --sim-check --entry=vector_over_the_end --input=102xf32=random:1 2>&1 | FileCheck %s --check-prefix=VECTOR-OVER-THE-END
// RUN: fuser-run %s --target=sim --sim-check --entry=masked_vector --input=102xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=mask_off_by_one --input=102xf32=random:1 2>&1 | FileCheck %s --check-prefix=MASK-OFF-BY-ONE
// RUN: not fuser-run %s --target=sim --sim-check --entry=into_the_next_shared_buffer --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=INTO-THE-NEXT-SHARED-BUFFER
// RUN: not fuser-run %s --target=sim --sim-check --entry=wrong_stride --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=WRONG-STRIDE
// RUN: not fuser-run %s --target=sim --sim-check=bounds --entry=atomic_outside --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=ATOMIC-OUTSIDE
// RUN: not fuser-run %s --target=sim --sim-check --entry=private --scalar=1 --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=PRIVATE-STORE
// RUN: not fuser-run %s --target=sim --sim-check --entry=private --scalar=-1 --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=PRIVATE-BEFORE
// RUN: not fuser-run %s --target=sim --sim-check --entry=private --scalar=100000000000 --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=PRIVATE-FAR
// RUN: fuser-run %s --target=sim --sim-check --entry=private --scalar=0 --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=private_load --scalar=5 --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=PRIVATE-LOAD
// RUN: fuser-run %s --target=sim --sim-check --entry=private_load --scalar=4 --input=128xf32=random:1
// RUN: not fuser-run %s --target=sim --sim-check --entry=private_of_any_size --scalar=3 --input=128xf32=random:1 2>&1 | FileCheck %s --check-prefix=PRIVATE-ANY
// RUN: fuser-run %s --target=sim --sim-check --entry=private_of_any_size --scalar=4 --input=128xf32=random:1
// RUN: fuser-run %s --target=sim --sim-check --entry=private_or_not --input=128xf32=random:1

// TAIL-OFF-BY-ONE: bounds: kernel 'tail_off_by_one': thread (36, 0, 0) of block (1, 0, 0) reads 4 bytes by memref.load ({{.*}}), from byte 400 on of argument 0 (400 bytes)
// The guard of the tail lets one element too many through.
gpu.module @m_tail_off_by_one {
  gpu.func @tail_off_by_one(%x: memref<100xf32>, %y: memref<100xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c100 = arith.constant 100 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %is = arith.cmpi ule, %i, %c100 : index
    scf.if %is {
      %v = memref.load %x[%i] : memref<100xf32>
      memref.store %v, %y[%i] : memref<100xf32>
    }
    gpu.return
  }
}
func.func @tail_off_by_one(%x: memref<100xf32>) -> memref<100xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %out = host.output 0 () : memref<100xf32>
  host.launch @m_tail_off_by_one::@tail_off_by_one grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %out : memref<100xf32>, memref<100xf32>) writes [1]
  return %out : memref<100xf32>
}

gpu.module @m_tail {
  gpu.func @tail(%x: memref<100xf32>, %y: memref<100xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c100 = arith.constant 100 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %is = arith.cmpi ult, %i, %c100 : index
    scf.if %is {
      %v = memref.load %x[%i] : memref<100xf32>
      memref.store %v, %y[%i] : memref<100xf32>
    }
    gpu.return
  }
}
func.func @tail(%x: memref<100xf32>) -> memref<100xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %out = host.output 0 () : memref<100xf32>
  host.launch @m_tail::@tail grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %out : memref<100xf32>, memref<100xf32>) writes [1]
  return %out : memref<100xf32>
}

// BEFORE-THE-START: bounds: kernel 'before_the_start': thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes by memref.load ({{.*}}), from byte -4 on of argument 0 (512 bytes)
gpu.module @m_before_the_start {
  gpu.func @before_the_start(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %i = arith.subi %t, %c1 : index
    %v = memref.load %x[%i] : memref<128xf32>
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @before_the_start(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_before_the_start::@before_the_start grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// VECTOR-OVER-THE-END: bounds: kernel 'vector_over_the_end': thread (25, 0, 0) of block (0, 0, 0) reads 16 bytes by vector.load ({{.*}}), from byte 400 on of argument 0 (408 bytes)
gpu.module @m_vector_over_the_end {
  gpu.func @vector_over_the_end(%x: memref<102xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %v = vector.load %x[%i] : memref<102xf32>, vector<4xf32>
    vector.store %v, %y[%i] : memref<128xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @vector_over_the_end(%x: memref<102xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_vector_over_the_end::@vector_over_the_end grid(%grid, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<102xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// Lanes that are off touch nothing.
gpu.module @m_masked_vector {
  gpu.func @masked_vector(%x: memref<102xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c102 = arith.constant 102 : index
    %t = gpu.thread_id x
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %i = arith.muli %t, %c4 : index
    %left = arith.subi %c102, %i : index
    %some = arith.maxsi %left, %c0 : index
    %mask = vector.create_mask %some : vector<4xi1>
    %v = vector.maskedload %x[%i], %mask, %zero : memref<102xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %y[%i] : memref<128xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @masked_vector(%x: memref<102xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_masked_vector::@masked_vector grid(%grid, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<102xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// MASK-OFF-BY-ONE: bounds: kernel 'mask_off_by_one': thread (25, 0, 0) of block (0, 0, 0) reads 12 bytes by vector.maskedload ({{.*}}), from byte 400 on of argument 0 (408 bytes)
gpu.module @m_mask_off_by_one {
  gpu.func @mask_off_by_one(%x: memref<102xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c103 = arith.constant 103 : index
    %t = gpu.thread_id x
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %i = arith.muli %t, %c4 : index
    %left = arith.subi %c103, %i : index
    %some = arith.maxsi %left, %c0 : index
    %mask = vector.create_mask %some : vector<4xi1>
    %v = vector.maskedload %x[%i], %mask, %zero : memref<102xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %y[%i] : memref<128xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @mask_off_by_one(%x: memref<102xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_mask_off_by_one::@mask_off_by_one grid(%grid, %c1, %c1) block(32, 1, 1) args(%x, %out : memref<102xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// INTO-THE-NEXT-SHARED-BUFFER: bounds: kernel 'into_the_next_shared_buffer': thread (127, 0, 0) of block (0, 0, 0) reads 4 bytes by memref.load ({{.*}}), from byte 512 on of workgroup buffer 0 (memref<128xf32>, 512 bytes, {{.*}}:[[#@LINE+3]]:93)
// There is memory of the same block behind the buffer.
gpu.module @m_into_the_next_shared_buffer {
  gpu.func @into_the_next_shared_buffer(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>, %r: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>

    memref.store %v, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %v, %r[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %i = arith.addi %t, %c1 : index
    %w = memref.load %s[%i] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @into_the_next_shared_buffer(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_into_the_next_shared_buffer::@into_the_next_shared_buffer grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// WRONG-STRIDE: bounds: kernel 'wrong_stride': thread (43, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store ({{.*}}), from byte 516 on of argument 1 (512 bytes)
gpu.module @m_wrong_stride {
  gpu.func @wrong_stride(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c3 = arith.constant 3 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c3 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %y[%i] : memref<128xf32>
    gpu.return
  }
}
func.func @wrong_stride(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_wrong_stride::@wrong_stride grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// ATOMIC-OUTSIDE: bounds: kernel 'atomic_outside': thread (64, 0, 0) of block (0, 0, 0) updates 4 bytes by memref.atomic_rmw ({{.*}}), from byte 512 on of argument 1 (512 bytes)
gpu.module @m_atomic_outside {
  gpu.func @atomic_outside(%x: memref<128xf32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %y[%t] : memref<128xf32>
    %i = arith.addi %t, %c64 : index
    %o = memref.atomic_rmw addf %v, %y[%i] : (f32, memref<128xf32>) -> f32
    gpu.return
  }
}
func.func @atomic_outside(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %out = host.output 0 () : memref<128xf32>
  host.launch @m_atomic_outside::@atomic_outside grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %out : memref<128xf32>, memref<128xf32>) writes [1]
  return %out : memref<128xf32>
}

// PRIVATE-STORE: bounds: kernel 'private': thread (3, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store ({{.*}}:[[#@LINE+12]]:5), from byte 16 on of memref.alloca (memref<4xf32>, 16 bytes, {{.*}}:[[#@LINE+8]]:10){{$}}
// PRIVATE-BEFORE: bounds: kernel 'private': thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store ({{.*}}:[[#@LINE+11]]:5), from byte -4 on of memref.alloca (memref<4xf32>, 16 bytes, {{.*}}:[[#@LINE+7]]:10){{$}}
// PRIVATE-FAR: bounds: kernel 'private': thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store ({{.*}}:[[#@LINE+10]]:5), from byte 400000000000 on of memref.alloca (memref<4xf32>, 16 bytes, {{.*}}:[[#@LINE+6]]:10){{$}}
// Memory of the thread: beyond it there is other memory of the thread, or none.
gpu.module @m_private {
  gpu.func @private(%x: memref<128xf32>, %y: memref<4xf32>, %n: index) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %a = memref.alloca() : memref<4xf32>
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %a[%c0] : memref<4xf32>
    %i = arith.addi %t, %n : index
    memref.store %v, %a[%i] : memref<4xf32>
    %w = memref.load %a[%i] : memref<4xf32>
    memref.store %w, %y[%t] : memref<4xf32>
    gpu.return
  }
}
func.func @private(%x: memref<128xf32>, %n: index) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<4xf32>
  host.launch @m_private::@private grid(%c1, %c1, %c1) block(4, 1, 1) args(%x, %out, %n : memref<128xf32>, memref<4xf32>, index) writes [1]
  return %out : memref<4xf32>
}

// PRIVATE-LOAD: bounds: kernel 'private_load': thread (0, 0, 0) of block (0, 0, 0) reads 16 bytes by vector.load ({{.*}}:[[#@LINE+9]]:10), from byte 20 on of memref.alloca (memref<2x4xf32>, 32 bytes, {{.*}}:[[#@LINE+5]]:10){{$}}
gpu.module @m_private_load {
  gpu.func @private_load(%x: memref<128xf32>, %y: memref<4xf32>, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %a = memref.alloca() : memref<2x4xf32>
    %z = arith.constant dense<1.0> : vector<4xf32>
    vector.store %z, %a[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
    vector.store %z, %a[%c0, %c4] : memref<2x4xf32>, vector<4xf32>
    %w = vector.load %a[%c0, %n] : memref<2x4xf32>, vector<4xf32>
    vector.store %w, %y[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @private_load(%x: memref<128xf32>, %n: index) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<4xf32>
  host.launch @m_private_load::@private_load grid(%c1, %c1, %c1) block(1, 1, 1) args(%x, %out, %n : memref<128xf32>, memref<4xf32>, index) writes [1]
  return %out : memref<4xf32>
}

// PRIVATE-ANY: bounds: kernel 'private_of_any_size': thread (3, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store ({{.*}}:[[#@LINE+6]]:5), from byte 12 on of memref.alloca (memref<?xf32>, {{.*}}:[[#@LINE+4]]:10){{$}}
gpu.module @m_private_of_any_size {
  gpu.func @private_of_any_size(%x: memref<128xf32>, %y: memref<4xf32>, %n: index) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %a = memref.alloca(%n) : memref<?xf32>
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %a[%t] : memref<?xf32>
    %w = memref.load %a[%t] : memref<?xf32>
    memref.store %w, %y[%t] : memref<4xf32>
    gpu.return
  }
}
func.func @private_of_any_size(%x: memref<128xf32>, %n: index) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %out = host.output 0 () : memref<4xf32>
  host.launch @m_private_of_any_size::@private_of_any_size grid(%c1, %c1, %c1) block(4, 1, 1) args(%x, %out, %n : memref<128xf32>, memref<4xf32>, index) writes [1]
  return %out : memref<4xf32>
}

// Which memory it is, a condition says: that is not looked at.
gpu.module @m_private_or_not {
  gpu.func @private_or_not(%x: memref<128xf32>, %y: memref<4xf32>, %n: index) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %a = memref.alloca() : memref<4xf32>
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %a[%t] : memref<4xf32>
    %is = arith.cmpi eq, %t, %n : index
    %b = arith.select %is, %a, %y : memref<4xf32>
    memref.store %v, %b[%t] : memref<4xf32>
    %w = memref.load %a[%t] : memref<4xf32>
    memref.store %w, %y[%t] : memref<4xf32>
    gpu.return
  }
}
func.func @private_or_not(%x: memref<128xf32>) -> memref<4xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %out = host.output 0 () : memref<4xf32>
  host.launch @m_private_or_not::@private_or_not grid(%c1, %c1, %c1) block(4, 1, 1) args(%x, %out, %n : memref<128xf32>, memref<4xf32>, index) writes [1]
  return %out : memref<4xf32>
}
