// Rings of buffers that copies fill and threads empty.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.random.default_rng(1).random(512, numpy.float32))"
// RUN: fuser-run %s --target=sim --sim-check --entry=ring --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=ring --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=ring --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=ring --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=completes_the_other_stage --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=COMPLETES-THE-OTHER-STAGE
// RUN: not fuser-run %s --target=sim --sim-check --entry=waits_for_the_last_round --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WAITS-FOR-THE-LAST-ROUND
// RUN: not fuser-run %s --target=sim --sim-check --entry=does_not_wait_until_empty --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=DOES-NOT-WAIT-UNTIL-EMPTY
// RUN: not fuser-run %s --target=sim --sim-check --entry=waits_for_half_of_the_readers --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WAITS-FOR-HALF-OF-THE-READERS
// RUN: not fuser-run %s --target=sim --sim-check --entry=nobody_empties --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=NOBODY-EMPTIES
// RUN: fuser-run %s --target=sim --sim-check --entry=loops_until_a_copy --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=loops_until_a_copy --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=loops_until_a_copy --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=loops_until_a_copy --input=%t.x.npy --sim-seed=3
// RUN: fuser-run %s --target=sim --sim-check --entry=copies_what_was_written --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=copies_what_was_written --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=copies_what_was_written --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=copies_what_was_written --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=copies_what_was_not_fenced --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=COPIES-WHAT-WAS-NOT-FENCED

!sh = memref<128xf32, #gpu.address_space<workgroup>>
!bar = memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
!bars = memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>

// Two stages, four tiles.
gpu.module @m_ring {
  gpu.func @ring(%x: memref<512xf32>, %y: memref<512xf32>) workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>, %full: !bars, %empty: !bars) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %i128 = arith.constant 128 : i32
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %c128 = arith.constant 128 : index
    %i512 = arith.constant 512 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bars
      kernel.mbarrier_init %full[%c1], %i1 : !bars
      kernel.mbarrier_init %empty[%c0], %i128 : !bars
      kernel.mbarrier_init %empty[%c1], %i128 : !bars
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %stage = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %odd = arith.remui %round, %c2 : index
      %phase = arith.cmpi ne, %odd, %c0 : index
      %flipped = arith.xori %phase, %true : i1
      %from = arith.muli %k, %c128 : index
      %to = arith.muli %stage, %c128 : index
      scf.if %isFirst {
        kernel.mbarrier_wait %empty[%stage], %flipped : !bars
        kernel.mbarrier_arrive %full[%stage] expect %i512 : !bars
        kernel.bulk_copy %x[%from], %s[%to], %c128 completes %full[%stage] : memref<512xf32>, memref<256xf32, #gpu.address_space<workgroup>>, !bars
      }
      kernel.mbarrier_wait %full[%stage], %phase : !bars
      %at = arith.addi %to, %t : index
      %v = memref.load %s[%at] : memref<256xf32, #gpu.address_space<workgroup>>
      kernel.mbarrier_arrive %empty[%stage] : !bars
      %i = arith.addi %from, %t : index
      memref.store %v, %y[%i] : memref<512xf32>
    }
    gpu.return
  }
}
func.func @ring(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  host.launch @m_ring::@ring grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<512xf32>, memref<512xf32>) writes [1]
  return %y : memref<512xf32>
}

// COMPLETES-THE-OTHER-STAGE: kernel 'completes_the_other_stage': deadlock: 128 threads wait: thread (0, 0, 0) of block (0, 0, 0) at kernel.mbarrier_wait ({{.*}}:[[#@LINE+37]]:7), of mbarrier 0 of workgroup buffer {{.*}}, whose phase 0 has 0 arrivals and 512 bytes pending
// The bytes are counted at the wrong mbarrier.
gpu.module @m_completes_the_other_stage {
  gpu.func @completes_the_other_stage(%x: memref<512xf32>, %y: memref<512xf32>) workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>, %full: !bars, %empty: !bars) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %i128 = arith.constant 128 : i32
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %c128 = arith.constant 128 : index
    %i512 = arith.constant 512 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bars
      kernel.mbarrier_init %full[%c1], %i1 : !bars
      kernel.mbarrier_init %empty[%c0], %i128 : !bars
      kernel.mbarrier_init %empty[%c1], %i128 : !bars
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %stage = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %odd = arith.remui %round, %c2 : index
      %phase = arith.cmpi ne, %odd, %c0 : index
      %flipped = arith.xori %phase, %true : i1
      %other = arith.subi %c1, %stage : index
      %from = arith.muli %k, %c128 : index
      %to = arith.muli %stage, %c128 : index
      scf.if %isFirst {
        kernel.mbarrier_wait %empty[%stage], %flipped : !bars
        kernel.mbarrier_arrive %full[%stage] expect %i512 : !bars
        kernel.bulk_copy %x[%from], %s[%to], %c128 completes %full[%other] : memref<512xf32>, memref<256xf32, #gpu.address_space<workgroup>>, !bars
      }
      kernel.mbarrier_wait %full[%stage], %phase : !bars
      %at = arith.addi %to, %t : index
      %v = memref.load %s[%at] : memref<256xf32, #gpu.address_space<workgroup>>
      kernel.mbarrier_arrive %empty[%stage] : !bars
      %i = arith.addi %from, %t : index
      memref.store %v, %y[%i] : memref<512xf32>
    }
    gpu.return
  }
}
func.func @completes_the_other_stage(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  host.launch @m_completes_the_other_stage::@completes_the_other_stage grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<512xf32>, memref<512xf32>) writes [1]
  return %y : memref<512xf32>
}

// WAITS-FOR-THE-LAST-ROUND: uninit: kernel 'waits_for_the_last_round': thread {{.*}} reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 1024 bytes, {{.*}} by memref.load {{.*}}, which nothing has written
// The wait is for the phase before.
gpu.module @m_waits_for_the_last_round {
  gpu.func @waits_for_the_last_round(%x: memref<512xf32>, %y: memref<512xf32>) workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>, %full: !bars, %empty: !bars) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %i128 = arith.constant 128 : i32
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %c128 = arith.constant 128 : index
    %i512 = arith.constant 512 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bars
      kernel.mbarrier_init %full[%c1], %i1 : !bars
      kernel.mbarrier_init %empty[%c0], %i128 : !bars
      kernel.mbarrier_init %empty[%c1], %i128 : !bars
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %stage = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %odd = arith.remui %round, %c2 : index
      %phase = arith.cmpi ne, %odd, %c0 : index
      %flipped = arith.xori %phase, %true : i1
      %from = arith.muli %k, %c128 : index
      %to = arith.muli %stage, %c128 : index
      scf.if %isFirst {
        kernel.mbarrier_wait %empty[%stage], %flipped : !bars
        kernel.mbarrier_arrive %full[%stage] expect %i512 : !bars
        kernel.bulk_copy %x[%from], %s[%to], %c128 completes %full[%stage] : memref<512xf32>, memref<256xf32, #gpu.address_space<workgroup>>, !bars
      }
      kernel.mbarrier_wait %full[%stage], %flipped : !bars
      %at = arith.addi %to, %t : index
      %v = memref.load %s[%at] : memref<256xf32, #gpu.address_space<workgroup>>
      kernel.mbarrier_arrive %empty[%stage] : !bars
      %i = arith.addi %from, %t : index
      memref.store %v, %y[%i] : memref<512xf32>
    }
    gpu.return
  }
}
func.func @waits_for_the_last_round(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  host.launch @m_waits_for_the_last_round::@waits_for_the_last_round grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<512xf32>, memref<512xf32>) writes [1]
  return %y : memref<512xf32>
}

// DOES-NOT-WAIT-UNTIL-EMPTY: race: kernel 'does_not_wait_until_empty': an asynchronous copy writes byte {{[0-9]+}} of workgroup buffer {{.*}}, 1024 bytes, {{.*}} by kernel.bulk_copy ({{.*}}:[[#@LINE+33]]:9), which thread {{.*}} reads by memref.load ({{.*}}:[[#@LINE+37]]:12), in no order
// The copy does not wait for the readers of the round before.
gpu.module @m_does_not_wait_until_empty {
  gpu.func @does_not_wait_until_empty(%x: memref<512xf32>, %y: memref<512xf32>) workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>, %full: !bars, %empty: !bars) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %i128 = arith.constant 128 : i32
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %c128 = arith.constant 128 : index
    %i512 = arith.constant 512 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bars
      kernel.mbarrier_init %full[%c1], %i1 : !bars
      kernel.mbarrier_init %empty[%c0], %i128 : !bars
      kernel.mbarrier_init %empty[%c1], %i128 : !bars
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %stage = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %odd = arith.remui %round, %c2 : index
      %phase = arith.cmpi ne, %odd, %c0 : index
      %flipped = arith.xori %phase, %true : i1
      %from = arith.muli %k, %c128 : index
      %to = arith.muli %stage, %c128 : index
      scf.if %isFirst {
        kernel.mbarrier_arrive %full[%stage] expect %i512 : !bars
        kernel.bulk_copy %x[%from], %s[%to], %c128 completes %full[%stage] : memref<512xf32>, memref<256xf32, #gpu.address_space<workgroup>>, !bars
      }
      kernel.mbarrier_wait %full[%stage], %phase : !bars
      %at = arith.addi %to, %t : index
      %v = memref.load %s[%at] : memref<256xf32, #gpu.address_space<workgroup>>
      kernel.mbarrier_arrive %empty[%stage] : !bars
      %i = arith.addi %from, %t : index
      memref.store %v, %y[%i] : memref<512xf32>
    }
    gpu.return
  }
}
func.func @does_not_wait_until_empty(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  host.launch @m_does_not_wait_until_empty::@does_not_wait_until_empty grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<512xf32>, memref<512xf32>) writes [1]
  return %y : memref<512xf32>
}

// WAITS-FOR-HALF-OF-THE-READERS: barriers: kernel 'waits_for_half_of_the_readers': thread (0, 0, 0) of block (0, 0, 0) waits at kernel.mbarrier_wait ({{.*}}:[[#@LINE+32]]:9) for phase 0 of mbarrier 0 of workgroup buffer {{.*}}, and can miss it
// Half of the readers are waited for.
gpu.module @m_waits_for_half_of_the_readers {
  gpu.func @waits_for_half_of_the_readers(%x: memref<512xf32>, %y: memref<512xf32>) workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>, %full: !bars, %empty: !bars) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %i64 = arith.constant 64 : i32
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %c128 = arith.constant 128 : index
    %i512 = arith.constant 512 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bars
      kernel.mbarrier_init %full[%c1], %i1 : !bars
      kernel.mbarrier_init %empty[%c0], %i64 : !bars
      kernel.mbarrier_init %empty[%c1], %i64 : !bars
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %stage = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %odd = arith.remui %round, %c2 : index
      %phase = arith.cmpi ne, %odd, %c0 : index
      %flipped = arith.xori %phase, %true : i1
      %from = arith.muli %k, %c128 : index
      %to = arith.muli %stage, %c128 : index
      scf.if %isFirst {
        kernel.mbarrier_wait %empty[%stage], %flipped : !bars
        kernel.mbarrier_arrive %full[%stage] expect %i512 : !bars
        kernel.bulk_copy %x[%from], %s[%to], %c128 completes %full[%stage] : memref<512xf32>, memref<256xf32, #gpu.address_space<workgroup>>, !bars
      }
      kernel.mbarrier_wait %full[%stage], %phase : !bars
      %at = arith.addi %to, %t : index
      %v = memref.load %s[%at] : memref<256xf32, #gpu.address_space<workgroup>>
      kernel.mbarrier_arrive %empty[%stage] : !bars
      %i = arith.addi %from, %t : index
      memref.store %v, %y[%i] : memref<512xf32>
    }
    gpu.return
  }
}
func.func @waits_for_half_of_the_readers(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  host.launch @m_waits_for_half_of_the_readers::@waits_for_half_of_the_readers grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<512xf32>, memref<512xf32>) writes [1]
  return %y : memref<512xf32>
}

// NOBODY-EMPTIES: deadlock: {{[0-9]+}} threads wait: thread (0, 0, 0) of block (0, 0, 0) at kernel.mbarrier_wait {{.*}}, whose phase 0 has 128 arrivals and 0 bytes pending
// No reader says that it is done.
gpu.module @m_nobody_empties {
  gpu.func @nobody_empties(%x: memref<512xf32>, %y: memref<512xf32>) workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>, %full: !bars, %empty: !bars) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %i128 = arith.constant 128 : i32
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %c128 = arith.constant 128 : index
    %i512 = arith.constant 512 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bars
      kernel.mbarrier_init %full[%c1], %i1 : !bars
      kernel.mbarrier_init %empty[%c0], %i128 : !bars
      kernel.mbarrier_init %empty[%c1], %i128 : !bars
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %stage = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %odd = arith.remui %round, %c2 : index
      %phase = arith.cmpi ne, %odd, %c0 : index
      %flipped = arith.xori %phase, %true : i1
      %from = arith.muli %k, %c128 : index
      %to = arith.muli %stage, %c128 : index
      scf.if %isFirst {
        kernel.mbarrier_wait %empty[%stage], %flipped : !bars
        kernel.mbarrier_arrive %full[%stage] expect %i512 : !bars
        kernel.bulk_copy %x[%from], %s[%to], %c128 completes %full[%stage] : memref<512xf32>, memref<256xf32, #gpu.address_space<workgroup>>, !bars
      }
      kernel.mbarrier_wait %full[%stage], %phase : !bars
      %at = arith.addi %to, %t : index
      %v = memref.load %s[%at] : memref<256xf32, #gpu.address_space<workgroup>>
      %i = arith.addi %from, %t : index
      memref.store %v, %y[%i] : memref<512xf32>
    }
    gpu.return
  }
}
func.func @nobody_empties(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  host.launch @m_nobody_empties::@nobody_empties grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<512xf32>, memref<512xf32>) writes [1]
  return %y : memref<512xf32>
}

// A thread loops over a counter until another one has waited for a copy.
gpu.module @m_loops_until_a_copy {
  gpu.func @loops_until_a_copy(%x: memref<512xf32>, %y: memref<512xf32>, %flag: memref<1xi32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %c64 = arith.constant 64 : index
    %i0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %x[%c0], %s[%c0], %c128 completes %full[%c0] : memref<512xf32>, !sh, !bar
      kernel.mbarrier_wait %full[%c0], %false : !bar
      %before = kernel.counter_add %flag[%c0], %i1 : memref<1xi32>
    }
    %isOther = arith.cmpi eq, %t, %c64 : index
    scf.if %isOther {
      scf.while : () -> () {
        %n = kernel.counter_add %flag[%c0], %i0 : memref<1xi32>
        %goesOn = arith.cmpi eq, %n, %i0 : i32
        scf.condition(%goesOn)
      } do {
        scf.yield
      }
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %from = arith.muli %k, %c128 : index
      %i = arith.addi %from, %t : index
      %v = memref.load %x[%i] : memref<512xf32>
      memref.store %v, %y[%i] : memref<512xf32>
    }
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%t] : memref<512xf32>
    gpu.return
  }
}
func.func @loops_until_a_copy(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  %flag = host.workspace 0 () zeroed : memref<1xi32>
  host.launch @m_loops_until_a_copy::@loops_until_a_copy grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y, %flag : memref<512xf32>, memref<512xf32>, memref<1xi32>) writes [1]
  return %y : memref<512xf32>
}

// A tile that threads of the same grid wrote.
gpu.module @m_copies_what_was_written {
  gpu.func @copies_what_was_written(%x: memref<512xf32>, %y: memref<512xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %i512 = arith.constant 512 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    scf.for %k = %c0 to %c4 step %c1 {
      %from = arith.muli %k, %c128 : index
      %i = arith.addi %from, %t : index
      %v = memref.load %x[%i] : memref<512xf32>
      memref.store %v, %y[%i] : memref<512xf32>
    }
    kernel.fence_async global
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %y[%c0], %s[%c0], %c128 completes %full[%c0] : memref<512xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%t] : memref<512xf32>
    gpu.return
  }
}
func.func @copies_what_was_written(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  host.launch @m_copies_what_was_written::@copies_what_was_written grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<512xf32>, memref<512xf32>) writes [1]
  return %y : memref<512xf32>
}

// COPIES-WHAT-WAS-NOT-FENCED: race: kernel 'copies_what_was_not_fenced': an asynchronous copy reads byte {{[0-9]+}} of argument 1 (2048 bytes) by kernel.bulk_copy {{.*}}, which thread {{.*}} writes by memref.store {{.*}}, without a kernel.fence_async global between
// The same without a fence.
gpu.module @m_copies_what_was_not_fenced {
  gpu.func @copies_what_was_not_fenced(%x: memref<512xf32>, %y: memref<512xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %i512 = arith.constant 512 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    scf.for %k = %c0 to %c4 step %c1 {
      %from = arith.muli %k, %c128 : index
      %i = arith.addi %from, %t : index
      %v = memref.load %x[%i] : memref<512xf32>
      memref.store %v, %y[%i] : memref<512xf32>
    }
    gpu.barrier
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
      kernel.bulk_copy %y[%c0], %s[%c0], %c128 completes %full[%c0] : memref<512xf32>, !sh, !bar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%t] : memref<512xf32>
    gpu.return
  }
}
func.func @copies_what_was_not_fenced(%x: memref<512xf32>) -> memref<512xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : memref<512xf32>
  host.launch @m_copies_what_was_not_fenced::@copies_what_was_not_fenced grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<512xf32>, memref<512xf32>) writes [1]
  return %y : memref<512xf32>
}
