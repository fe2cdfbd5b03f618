// Bulk copies: waited for, fenced, aligned, within their buffers, and of as many bytes as were expected.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.random.default_rng(1).random(128, numpy.float32))"
// RUN: fuser-run %s --target=sim --sim-check --entry=loads --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=loads --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=loads --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=loads --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=load_not_waited_for --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=LOAD-NOT-WAITED-FOR
// RUN: not fuser-run %s --target=sim --sim-check --entry=expects_too_much --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=EXPECTS-TOO-MUCH
// RUN: not fuser-run %s --target=sim --sim-check --entry=expects_too_little --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=EXPECTS-TOO-LITTLE
// RUN: not fuser-run %s --target=sim --sim-check --entry=expects_nothing --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=EXPECTS-NOTHING
// RUN: not fuser-run %s --target=sim --sim-check --entry=init_not_fenced --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=INIT-NOT-FENCED
// RUN: sed 's/kernel.fence_mbarrier_init/kernel.fence_async shared/' %s | fuser-run - --target=sim --sim-check --entry=loads --input=%t.x.npy && sed 's/kernel.fence_mbarrier_init/kernel.fence_async global/' %s | not fuser-run - --target=sim --sim-check --entry=loads --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=INIT-FENCED-FOR-GLOBAL
// RUN: not fuser-run %s --target=sim --sim-check --entry=misaligned --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: not fuser-run %s --target=sim --sim-check --entry=odd_bytes --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ODD-BYTES
// RUN: not fuser-run %s --target=sim --sim-check --entry=beyond_the_source --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=BEYOND-THE-SOURCE
// RUN: not fuser-run %s --target=sim --sim-check --entry=beyond_the_target --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=BEYOND-THE-TARGET
// RUN: not fuser-run %s --target=sim --sim-check --entry=overwrites_what_is_read --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=OVERWRITES-WHAT-IS-READ
// RUN: fuser-run %s --target=sim --sim-check --entry=overwrites_what_was_read --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=overwrites_what_was_read --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=overwrites_what_was_read --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=overwrites_what_was_read --input=%t.x.npy --sim-seed=3
// RUN: fuser-run %s --target=sim --sim-check --entry=stores --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=stores --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=stores --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=stores --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=store_without_fence --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=STORE-WITHOUT-FENCE
// RUN: not fuser-run %s --target=sim --sim-check --entry=fence_of_other_memory --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=FENCE-OF-OTHER-MEMORY
// RUN: not fuser-run %s --target=sim --sim-check --entry=fence_before_the_writes --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=FENCE-BEFORE-THE-WRITES
// RUN: not fuser-run %s --target=sim --sim-check --entry=store_without_barrier --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=STORE-WITHOUT-BARRIER
// RUN: not fuser-run %s --target=sim --sim-check --entry=ends_before_it_is_read --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ENDS-BEFORE-IT-IS-READ
// RUN: not fuser-run %s --target=sim --sim-check --entry=not_committed --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=NOT-COMMITTED
// RUN: not fuser-run %s --target=sim --sim-check --entry=one_group_left --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ONE-GROUP-LEFT
// RUN: not fuser-run %s --target=sim --sim-check --entry=reused_too_early --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=REUSED-TOO-EARLY
// RUN: fuser-run %s --target=sim --sim-check --entry=reused_when_read --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=reused_when_read --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=reused_when_read --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=reused_when_read --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=result_read_too_early --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=RESULT-READ-TOO-EARLY
// RUN: fuser-run %s --target=sim --sim-check --entry=result_read_when_written --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=result_read_when_written --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=result_read_when_written --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=result_read_when_written --input=%t.x.npy --sim-seed=3

!sh = memref<128xf32, #gpu.address_space<workgroup>>
!bar = memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>

// INIT-FENCED-FOR-GLOBAL: expected a kernel.fence_mbarrier_init between the initialization of mbarrier 0 of workgroup buffer 1 ({{.*}}) and the copies that it counts, got kernel.fence_async global{{$}}
gpu.module @m_loads {
  gpu.func @loads(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @loads(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_loads::@loads grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// LOAD-NOT-WAITED-FOR: race: kernel 'load_not_waited_for': an asynchronous copy writes byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by kernel.bulk_copy {{.*}}, which thread {{.*}} reads by memref.load {{.*}}, in no order
// The tile is read before it is there.
gpu.module @m_load_not_waited_for {
  gpu.func @load_not_waited_for(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    kernel.mbarrier_wait %full[%c0], %false : !bar
    gpu.return
  }
}
func.func @load_not_waited_for(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_load_not_waited_for::@load_not_waited_for grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// EXPECTS-TOO-MUCH: deadlock: 128 threads wait: thread (0, 0, 0) of block (0, 0, 0) at kernel.mbarrier_wait {{.*}}, whose phase 0 has 0 arrivals and 512 bytes pending
// More bytes are expected than come.
gpu.module @m_expects_too_much {
  gpu.func @expects_too_much(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i1024 = arith.constant 1024 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i1024 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @expects_too_much(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_expects_too_much::@expects_too_much grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// EXPECTS-TOO-LITTLE: at kernel.mbarrier_wait {{.*}}, whose phase 0 has 0 arrivals and -256 bytes pending
// Fewer bytes are expected than come.
gpu.module @m_expects_too_little {
  gpu.func @expects_too_little(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i256 = arith.constant 256 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i256 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @expects_too_little(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_expects_too_little::@expects_too_little grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// EXPECTS-NOTHING: uninit: kernel 'expects_nothing': thread {{.*}} reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load {{.*}}, which nothing has written
// EXPECTS-NOTHING: barriers: kernel 'expects_nothing': {{.*}} at kernel.bulk_copy {{.*}}: expected the block that is written to to wait for it, before it ends
// The phase is complete before the bytes come.
gpu.module @m_expects_nothing {
  gpu.func @expects_nothing(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @expects_nothing(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_expects_nothing::@expects_nothing grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// INIT-NOT-FENCED: at kernel.bulk_copy {{.*}}: expected a kernel.fence_mbarrier_init between the initialization of mbarrier {{[0-9]}} of workgroup buffer {{.*}} and the copies that it counts, got none{{$}}
// No fence makes the mbarrier visible to the asynchronous proxy.
gpu.module @m_init_not_fenced {
  gpu.func @init_not_fenced(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @init_not_fenced(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_init_not_fenced::@init_not_fenced grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// MISALIGNED: alignment: kernel 'misaligned': thread (0, 0, 0) of block (0, 0, 0) reads at an address that is 4 beyond a multiple of 16, by kernel.bulk_copy
// The source begins in the middle of 16 bytes.
gpu.module @m_misaligned {
  gpu.func @misaligned(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i256 = arith.constant 256 : i32
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i256 : !bar
      kernel.bulk_copy %x[%c1], %s[%c0], %c64 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @misaligned(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_misaligned::@misaligned grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// ODD-BYTES: at kernel.bulk_copy {{.*}}: expected a multiple of 16 bytes, got 12
// Three elements are no multiple of 16 bytes.
gpu.module @m_odd_bytes {
  gpu.func @odd_bytes(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c3 = arith.constant 3 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c3 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @odd_bytes(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_odd_bytes::@odd_bytes grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// BEYOND-THE-SOURCE: bounds: kernel 'beyond_the_source': thread (0, 0, 0) of block (0, 0, 0) reads 512 bytes by kernel.bulk_copy {{.*}}, from byte 256 on of argument 0 (512 bytes)
// The source ends before the copy.
gpu.module @m_beyond_the_source {
  gpu.func @beyond_the_source(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c64], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @beyond_the_source(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_beyond_the_source::@beyond_the_source grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// BEYOND-THE-TARGET: bounds: kernel 'beyond_the_target': thread (0, 0, 0) of block (0, 0, 0) writes 512 bytes by kernel.bulk_copy {{.*}}, from byte 256 on of workgroup buffer {{.*}}, 512 bytes, {{.*}}
// The tile ends before the copy, where another buffer lies.
gpu.module @m_beyond_the_target {
  gpu.func @beyond_the_target(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar, %more: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c64], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @beyond_the_target(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_beyond_the_target::@beyond_the_target grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// OVERWRITES-WHAT-IS-READ: race: kernel 'overwrites_what_is_read': an asynchronous copy writes byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by kernel.bulk_copy ({{.*}}:[[#@LINE+25]]:7), which thread {{.*}} reads by memref.load ({{.*}}:[[#@LINE+22]]:10), in no order
// The next tile comes while others still read the last one.
gpu.module @m_overwrites_what_is_read {
  gpu.func @overwrites_what_is_read(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %true = arith.constant true
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %true : !bar
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @overwrites_what_is_read(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_overwrites_what_is_read::@overwrites_what_is_read grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// A barrier lies between.
gpu.module @m_overwrites_what_was_read {
  gpu.func @overwrites_what_was_read(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %true = arith.constant true
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %true : !bar
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @overwrites_what_was_read(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_overwrites_what_was_read::@overwrites_what_was_read grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// A tile goes to global memory.
gpu.module @m_stores {
  gpu.func @stores(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 0 read
    }
    gpu.return
  }
}
func.func @stores(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_stores::@stores grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// STORE-WITHOUT-FENCE: race: kernel 'store_without_fence': an asynchronous copy reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by kernel.bulk_copy {{.*}}, which thread {{.*}} writes by memref.store {{.*}}, without a kernel.fence_async shared between{{$}}
// The asynchronous proxy does not see what threads wrote.
gpu.module @m_store_without_fence {
  gpu.func @store_without_fence(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 0 read
    }
    gpu.return
  }
}
func.func @store_without_fence(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_store_without_fence::@store_without_fence grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// FENCE-OF-OTHER-MEMORY: race: kernel 'fence_of_other_memory': an asynchronous copy reads {{.*}}, without a kernel.fence_async shared between: the fence there is for global memory{{$}}
// The fence is for global memory.
gpu.module @m_fence_of_other_memory {
  gpu.func @fence_of_other_memory(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async global
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 0 read
    }
    gpu.return
  }
}
func.func @fence_of_other_memory(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_fence_of_other_memory::@fence_of_other_memory grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// FENCE-BEFORE-THE-WRITES: race: kernel 'fence_before_the_writes': an asynchronous copy reads {{.*}}, without a kernel.fence_async shared between{{$}}
// What comes behind a fence is not fenced.
gpu.module @m_fence_before_the_writes {
  gpu.func @fence_before_the_writes(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    kernel.fence_async shared
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 0 read
    }
    gpu.return
  }
}
func.func @fence_before_the_writes(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_fence_before_the_writes::@fence_before_the_writes grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// STORE-WITHOUT-BARRIER: race: kernel 'store_without_barrier': an asynchronous copy reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by kernel.bulk_copy ({{.*}}:[[#@LINE+12]]:7), which thread {{.*}} writes by memref.store ({{.*}}:[[#@LINE+9]]:5), in no order
// The threads have not met.
gpu.module @m_store_without_barrier {
  gpu.func @store_without_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 0 read
    }
    gpu.return
  }
}
func.func @store_without_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_store_without_barrier::@store_without_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// ENDS-BEFORE-IT-IS-READ: at kernel.bulk_copy {{.*}}: expected its block to wait until shared memory is read (kernel.bulk_wait), before it ends
// The block ends while its shared memory is read.
gpu.module @m_ends_before_it_is_read {
  gpu.func @ends_before_it_is_read(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
    }
    gpu.return
  }
}
func.func @ends_before_it_is_read(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_ends_before_it_is_read::@ends_before_it_is_read grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// NOT-COMMITTED: at kernel.bulk_copy {{.*}}: expected its block to wait until shared memory is read (kernel.bulk_wait), before it ends
// A copy that is in no group is not waited for.
gpu.module @m_not_committed {
  gpu.func @not_committed(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_wait 0 read
    }
    gpu.return
  }
}
func.func @not_committed(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_not_committed::@not_committed grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// ONE-GROUP-LEFT: at kernel.bulk_copy {{.*}}: expected its block to wait until shared memory is read (kernel.bulk_wait), before it ends
// The wait leaves one group under way.
gpu.module @m_one_group_left {
  gpu.func @one_group_left(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 1 read
    }
    gpu.return
  }
}
func.func @one_group_left(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_one_group_left::@one_group_left grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// REUSED-TOO-EARLY: race: kernel 'reused_too_early': an asynchronous copy reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by kernel.bulk_copy {{.*}}, which thread {{.*}} writes by memref.store {{.*}}, in no order
// Shared memory is written while it is still read.
gpu.module @m_reused_too_early {
  gpu.func @reused_too_early(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
    }
    gpu.barrier
    memref.store %zero, %s[%t] : !sh
    scf.if %isFirst {
      kernel.bulk_wait 0
    }
    gpu.return
  }
}
func.func @reused_too_early(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_reused_too_early::@reused_too_early grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// Shared memory is written behind the wait for reads.
gpu.module @m_reused_when_read {
  gpu.func @reused_when_read(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 0 read
    }
    gpu.barrier
    memref.store %zero, %s[%t] : !sh
    gpu.return
  }
}
func.func @reused_when_read(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_reused_when_read::@reused_when_read grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// RESULT-READ-TOO-EARLY: race: kernel 'result_read_too_early': an asynchronous copy writes byte 20 of argument 1 (512 bytes) by kernel.bulk_copy ({{.*}}:[[#@LINE+14]]:7), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store ({{.*}}:[[#@LINE+18]]:7), in no order
// What was read is not yet written.
gpu.module @m_result_read_too_early {
  gpu.func @result_read_too_early(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c5 = arith.constant 5 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 0 read
      %w = memref.load %y[%c5] : memref<128xf32>
      memref.store %w, %y[%c5] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @result_read_too_early(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_result_read_too_early::@result_read_too_early grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// A wait without read is for the writes.
gpu.module @m_result_read_when_written {
  gpu.func @result_read_when_written(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c5 = arith.constant 5 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %s[%t] : !sh
    kernel.fence_async shared
    gpu.barrier
    scf.if %isFirst {
      kernel.bulk_copy %s[%c0], %y[%c0], %c128 : !sh, memref<128xf32>
      kernel.bulk_commit
      kernel.bulk_wait 0
      %w = memref.load %y[%c5] : memref<128xf32>
      memref.store %w, %y[%c5] : memref<128xf32>
    }
    gpu.return
  }
}
func.func @result_read_when_written(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_result_read_when_written::@result_read_when_written grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}
