// Mbarriers: initialized once and before they are used, with the arrivals that come, and waited for in their phase.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.random.default_rng(1).random(128, numpy.float32))"
// RUN: fuser-run %s --target=sim --sim-check --entry=meets --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=meets --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=meets --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=meets --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=no_barrier_behind_init --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=NO-BARRIER-BEHIND-INIT
// RUN: not fuser-run %s --target=sim --sim-check --entry=counts_too_few --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=COUNTS-TOO-FEW
// RUN: not fuser-run %s --target=sim --sim-check --entry=counts_too_many --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=COUNTS-TOO-MANY
// RUN: not fuser-run %s --target=sim --entry=counts_too_many --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=COUNTS-TOO-MANY
// RUN: not fuser-run %s --target=sim --sim-check --entry=one_counts_twice --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ONE-COUNTS-TWICE
// RUN: not fuser-run %s --target=sim --sim-check --entry=more_than_the_phase --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MORE-THAN-THE-PHASE
// RUN: not fuser-run %s --target=sim --sim-check --entry=waits_for_the_phase_before --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WAITS-FOR-THE-PHASE-BEFORE
// RUN: not fuser-run %s --target=sim --sim-check --entry=does_not_wait --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=DOES-NOT-WAIT
// RUN: not fuser-run %s --target=sim --sim-check --entry=initialized_twice --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=INITIALIZED-TWICE
// RUN: not fuser-run %s --target=sim --sim-check --entry=never_initialized --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=NEVER-INITIALIZED
// RUN: not fuser-run %s --target=sim --sim-check --entry=second_never_initialized --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=SECOND-NEVER-INITIALIZED
// RUN: not fuser-run %s --target=sim --sim-check --entry=counts_nobody --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=COUNTS-NOBODY
// RUN: fuser-run %s --target=sim --sim-check --entry=two_phases --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=two_phases --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=two_phases --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=two_phases --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=same_phase_twice --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=SAME-PHASE-TWICE
// RUN: not fuser-run %s --target=sim --sim-check --entry=one_thread_for_all --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ONE-THREAD-FOR-ALL
// RUN: not fuser-run %s --target=sim --sim-check --entry=misses_a_phase --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MISSES-A-PHASE
// RUN: not fuser-run %s --target=sim --sim-check --sim-seed=2 --entry=misses_a_phase --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MISSES-A-PHASE
// RUN: fuser-run %s --target=sim --sim-check --entry=sees_each_phase --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=sees_each_phase --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=sees_each_phase --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=sees_each_phase --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=fence_behind_the_barrier --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=FENCE-BEHIND-THE-BARRIER

!sh = memref<128xf32, #gpu.address_space<workgroup>>
!bar = memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
!bars = memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>

// All arrive, and wait.
gpu.module @m_meets {
  gpu.func @meets(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @meets(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_meets::@meets grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// NO-BARRIER-BEHIND-INIT: race: kernel 'no_barrier_behind_init': thread {{.*}} updates mbarrier 0 of workgroup buffer 1 (memref<1x!kernel.mbarrier>, 8 bytes, {{.*}}) by kernel.mbarrier_arrive {{.*}} writes by kernel.mbarrier_init {{.*}}, in no order
// Others may use it before it is made.
gpu.module @m_no_barrier_behind_init {
  gpu.func @no_barrier_behind_init(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @no_barrier_behind_init(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_no_barrier_behind_init::@no_barrier_behind_init grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// COUNTS-TOO-FEW: kernel 'counts_too_few': thread {{.*}} by memref.load
// The phase is complete when half of the threads have come.
gpu.module @m_counts_too_few {
  gpu.func @counts_too_few(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i64 = arith.constant 64 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i64 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @counts_too_few(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_counts_too_few::@counts_too_few grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// COUNTS-TOO-MANY: kernel 'counts_too_many': deadlock: 128 threads wait: thread (0, 0, 0) of block (0, 0, 0) at kernel.mbarrier_wait ({{.*}}:[[#@LINE+18]]:5), of mbarrier 0 of workgroup buffer 1 (memref<1x!kernel.mbarrier>, 8 bytes, {{.*}}:[[#@LINE+3]]:90), whose phase 0 has 1 arrivals and 0 bytes pending
// One arrival never comes.
gpu.module @m_counts_too_many {
  gpu.func @counts_too_many(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i129 = arith.constant 129 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i129 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @counts_too_many(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_counts_too_many::@counts_too_many grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// ONE-COUNTS-TWICE: race: kernel 'one_counts_twice': thread {{.*}} by memref.{{load|store}} {{.*}} by memref.{{load|store}} {{.*}}, in no order
// One thread arrives for another one, which is not waited for.
gpu.module @m_one_counts_twice {
  gpu.func @one_counts_twice(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] : !bar
    }
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @one_counts_twice(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_one_counts_twice::@one_counts_twice grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// MORE-THAN-THE-PHASE: at kernel.mbarrier_arrive {{.*}}: expected 1 to 128 arrivals, which phase 0 of mbarrier 0 of workgroup buffer 1 ({{.*}}) has pending, got 129
// More arrivals than are pending.
gpu.module @m_more_than_the_phase {
  gpu.func @more_than_the_phase(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %i129 = arith.constant 129 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] count %i129 : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @more_than_the_phase(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_more_than_the_phase::@more_than_the_phase grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// WAITS-FOR-THE-PHASE-BEFORE: race: kernel 'waits_for_the_phase_before': thread {{.*}} by memref.{{load|store}} {{.*}} by memref.{{load|store}} {{.*}}, in no order
// The phase of the other parity is complete from the start.
gpu.module @m_waits_for_the_phase_before {
  gpu.func @waits_for_the_phase_before(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %true = arith.constant true
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %true : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @waits_for_the_phase_before(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_waits_for_the_phase_before::@waits_for_the_phase_before grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// DOES-NOT-WAIT: race: kernel 'does_not_wait': thread {{.*}} by memref.{{load|store}} {{.*}} by memref.{{load|store}} {{.*}}, in no order
// To arrive is not to wait.
gpu.module @m_does_not_wait {
  gpu.func @does_not_wait(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @does_not_wait(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_does_not_wait::@does_not_wait grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// INITIALIZED-TWICE: at kernel.mbarrier_init {{.*}}: expected memory without an mbarrier, got mbarrier 0 of workgroup buffer 1 ({{.*}}), which is initialized already
// It is made once.
gpu.module @m_initialized_twice {
  gpu.func @initialized_twice(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @initialized_twice(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_initialized_twice::@initialized_twice grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// NEVER-INITIALIZED: barriers: kernel 'never_initialized': {{.*}} at kernel.mbarrier_arrive {{.*}}: expected an mbarrier that kernel.mbarrier_init has initialized, got memory without one
// It is made by nobody.
gpu.module @m_never_initialized {
  gpu.func @never_initialized(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @never_initialized(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_never_initialized::@never_initialized grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// SECOND-NEVER-INITIALIZED: at kernel.mbarrier_arrive {{.*}}: expected an mbarrier that kernel.mbarrier_init has initialized, got memory without one, mbarrier 1 of workgroup buffer 1 (memref<2x!kernel.mbarrier>, 16 bytes, {{.*}}){{$}}
gpu.module @m_second_never_initialized {
  gpu.func @second_never_initialized(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bars) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c1] : !bars
    kernel.mbarrier_wait %full[%c1], %false : !bars
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @second_never_initialized(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_second_never_initialized::@second_never_initialized grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// COUNTS-NOBODY: at kernel.mbarrier_init {{.*}}: expected a count of 1 to 1048575, got 0
// A phase takes an arrival.
gpu.module @m_counts_nobody {
  gpu.func @counts_nobody(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i0 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @counts_nobody(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_counts_nobody::@counts_nobody grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// The second phase frees the buffer.
gpu.module @m_two_phases {
  gpu.func @two_phases(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %true = arith.constant true
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %u = memref.load %s[%back] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %true : !bar
    memref.store %u, %s[%back] : !sh
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @two_phases(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_two_phases::@two_phases grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// SAME-PHASE-TWICE: race: kernel 'same_phase_twice': thread {{.*}} by memref.{{load|store}} {{.*}} by memref.{{load|store}} {{.*}}, in no order
// The second wait is for the first phase again.
gpu.module @m_same_phase_twice {
  gpu.func @same_phase_twice(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %u = memref.load %s[%back] : !sh
    kernel.mbarrier_arrive %full[%c0] : !bar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    memref.store %u, %s[%t] : !sh
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @same_phase_twice(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_same_phase_twice::@same_phase_twice grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// ONE-THREAD-FOR-ALL: race: kernel 'one_thread_for_all': thread {{.*}} by memref.{{load|store}} {{.*}} by memref.{{load|store}} {{.*}}, in no order
// A thread that arrives for all releases what it has done and seen only.
gpu.module @m_one_thread_for_all {
  gpu.func @one_thread_for_all(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32>
    %back = arith.subi %c127, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    memref.store %v, %s[%t] : !sh
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] count %i128 : !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%back] : !sh
    memref.store %w, %y[%back] : memref<128xf32>
    gpu.return
  }
}
func.func @one_thread_for_all(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_one_thread_for_all::@one_thread_for_all grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// MISSES-A-PHASE: barriers: kernel 'misses_a_phase': thread ({{[1-9]}}{{.*}}) of block (0, 0, 0) waits at kernel.mbarrier_wait {{.*}} for phase 0 of mbarrier 0 of workgroup buffer {{.*}}, and can miss it: phase 1 may be complete before the thread looks, and has the other parity
// The first thread goes on to the next phase, whether the others have looked or not.
gpu.module @m_misses_a_phase {
  gpu.func @misses_a_phase(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] : !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] : !bar
    }
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @misses_a_phase(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_misses_a_phase::@misses_a_phase grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

gpu.module @m_sees_each_phase {
  gpu.func @sees_each_phase(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] : !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] : !bar
    }
    %v = memref.load %x[%t] : memref<128xf32>
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @sees_each_phase(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_sees_each_phase::@sees_each_phase grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}

// FENCE-BEHIND-THE-BARRIER: at kernel.bulk_copy {{.*}}: expected a kernel.fence_mbarrier_init between the initialization of mbarrier {{[0-9]}} of workgroup buffer {{.*}} and the copies that it counts, got none
// Another thread may start its copy before the fence.
gpu.module @m_fence_behind_the_barrier {
  gpu.func @fence_behind_the_barrier(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %isOther = arith.cmpi eq, %t, %c64 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.fence_mbarrier_init
    }
    scf.if %isOther {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<128xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %v = memref.load %s[%t] : !sh
    memref.store %v, %y[%t] : memref<128xf32>
    gpu.return
  }
}
func.func @fence_behind_the_barrier(%x: memref<128xf32>) -> memref<128xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<128xf32>
  host.launch @m_fence_behind_the_barrier::@fence_behind_the_barrier grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<128xf32>, memref<128xf32>) writes [1]
  return %y : memref<128xf32>
}
