// Mbarriers of another block of the cluster, and scopes.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.random.default_rng(1).random(256, numpy.float32))"
// RUN: fuser-run %s --target=sim --sim-check --entry=remote_arrival --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=remote_arrival --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=remote_arrival --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=remote_arrival --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=waits_for_its_block --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=WAITS-FOR-ITS-BLOCK
// RUN: not fuser-run %s --target=sim --sim-check --entry=made_for_its_block --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MADE-FOR-ITS-BLOCK
// RUN: not fuser-run %s --target=sim --sim-check --entry=arrives_at_its_own --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=ARRIVES-AT-ITS-OWN
// RUN: fuser-run %s --target=sim --sim-check --entry=stores_async --input=%t.x.npy --output=%t.npy && %python %S/Inputs/equal.py %t.x.npy %t.npy
// RUN: fuser-run %s --target=sim --sim-check --entry=stores_async --input=%t.x.npy --sim-seed=1 && fuser-run %s --target=sim --sim-check --entry=stores_async --input=%t.x.npy --sim-seed=2 && fuser-run %s --target=sim --sim-check --entry=stores_async --input=%t.x.npy --sim-seed=3
// RUN: not fuser-run %s --target=sim --sim-check --entry=store_not_waited_for --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=STORE-NOT-WAITED-FOR
// RUN: not fuser-run %s --target=sim --sim-check --entry=store_to_an_ended_block --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=STORE-TO-AN-ENDED-BLOCK
// RUN: not fuser-run %s --target=sim --sim-check --entry=mbarrier_elsewhere --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MBARRIER-ELSEWHERE
// RUN: not fuser-run %s --target=sim --sim-check --entry=mbarrier_not_fenced --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MBARRIER-NOT-FENCED
// RUN: not fuser-run %s --target=sim --sim-check --entry=misaligned_store --input=%t.x.npy 2>&1 | FileCheck %s --check-prefix=MISALIGNED-STORE

!sh = memref<128xf32, #gpu.address_space<workgroup>>
!bar = memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
!rsh = memref<128xf32, #kernel.cluster_memory>
!rbar = memref<1x!kernel.mbarrier, #kernel.cluster_memory>

// Each block writes to the other one and arrives there.
gpu.module @m_remote_arrival {
  gpu.func @remote_arrival(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    memref.store %v, %remote[%t] : !rsh
    kernel.mbarrier_arrive %there[%c0] scope cluster : !rbar
    kernel.mbarrier_wait %full[%c0], %false scope cluster : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @remote_arrival(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_remote_arrival::@remote_arrival grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// WAITS-FOR-ITS-BLOCK: race: kernel 'waits_for_its_block': thread {{.*}} reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load {{.*}} writes by memref.store {{.*}}, in no order: between them, kernel.mbarrier_wait ({{.*}}:[[#@LINE+27]]:5) has scope block, where cluster is needed{{$}}
// A wait for arrivals of the own block acquires nothing of others.
gpu.module @m_waits_for_its_block {
  gpu.func @waits_for_its_block(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    memref.store %v, %remote[%t] : !rsh
    kernel.mbarrier_arrive %there[%c0] scope cluster : !rbar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @waits_for_its_block(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_waits_for_its_block::@waits_for_its_block grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// MADE-FOR-ITS-BLOCK: barriers: kernel 'made_for_its_block': thread {{.*}} of block (0, 0, 0) writes shared memory of another block of the cluster by memref.store ({{.*}}:[[#@LINE+24]]:5), which may not have begun: the cluster has not met
// The cluster does not meet behind what makes the mbarrier.
gpu.module @m_made_for_its_block {
  gpu.func @made_for_its_block(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    gpu.barrier
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    memref.store %v, %remote[%t] : !rsh
    kernel.mbarrier_arrive %there[%c0] scope cluster : !rbar
    kernel.mbarrier_wait %full[%c0], %false scope cluster : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @made_for_its_block(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_made_for_its_block::@made_for_its_block grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// ARRIVES-AT-ITS-OWN: barriers: kernel 'arrives_at_its_own': thread (0, 0, 0) of block (0, 0, 0) waits at kernel.mbarrier_wait {{.*}} for phase 0 of mbarrier 0 of workgroup buffer {{.*}}, and can miss it
// Both blocks arrive at the mbarrier of one, which so gets through two phases, and nobody at that of the other.
gpu.module @m_arrives_at_its_own {
  gpu.func @arrives_at_its_own(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i128 = arith.constant 128 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i128 : !bar
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %here = kernel.map_block %full, %c0 : !bar to !rbar
    kernel.mbarrier_arrive %here[%c0] scope cluster : !rbar
    kernel.mbarrier_wait %full[%c0], %false scope cluster : !bar
    memref.store %v, %y[%i] : memref<256xf32>
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}
func.func @arrives_at_its_own(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_arrives_at_its_own::@arrives_at_its_own grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// Each block sends a tile to the other one.
gpu.module @m_stores_async {
  gpu.func @stores_async(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
    }
    kernel.store_async %v, %remote[%t] completes %there[%c0] : f32, !rsh, !rbar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @stores_async(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_stores_async::@stores_async grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// STORE-NOT-WAITED-FOR: uninit: kernel 'store_not_waited_for': thread {{.*}} reads byte {{[0-9]+}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load {{.*}}, which nothing has written
// A block reads what was sent to it before it is there.
gpu.module @m_store_not_waited_for {
  gpu.func @store_not_waited_for(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
    }
    kernel.store_async %v, %remote[%t] completes %there[%c0] : f32, !rsh, !rbar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    kernel.mbarrier_wait %full[%c0], %false : !bar
    gpu.return
  }
}
func.func @store_not_waited_for(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_store_not_waited_for::@store_not_waited_for grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// STORE-TO-AN-ENDED-BLOCK: at kernel.store_async {{.*}}: expected the block that is written to to wait for it, before it ends
// The block does not wait for what is sent to it.
gpu.module @m_store_to_an_ended_block {
  gpu.func @store_to_an_ended_block(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
    }
    kernel.store_async %v, %remote[%t] completes %there[%c0] : f32, !rsh, !rbar
    memref.store %v, %y[%i] : memref<256xf32>
    gpu.return
  }
}
func.func @store_to_an_ended_block(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_store_to_an_ended_block::@store_to_an_ended_block grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// MBARRIER-ELSEWHERE: at kernel.store_async {{.*}}: expected an mbarrier in the block that is written to
// The mbarrier lies in the block that is written to.
gpu.module @m_mbarrier_elsewhere {
  gpu.func @mbarrier_elsewhere(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    %here = kernel.map_block %full, %b : !bar to !rbar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
    }
    kernel.store_async %v, %remote[%t] completes %here[%c0] : f32, !rsh, !rbar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @mbarrier_elsewhere(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_mbarrier_elsewhere::@mbarrier_elsewhere grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// MBARRIER-NOT-FENCED: at kernel.store_async {{.*}}: expected a kernel.fence_mbarrier_init between the initialization of mbarrier {{[0-9]}} of workgroup buffer {{.*}} and the copies that it counts, got none
// Asynchronous stores need the fence, too.
gpu.module @m_mbarrier_not_fenced {
  gpu.func @mbarrier_not_fenced(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
    }
    kernel.store_async %v, %remote[%t] completes %there[%c0] : f32, !rsh, !rbar
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @mbarrier_not_fenced(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_mbarrier_not_fenced::@mbarrier_not_fenced grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}

// MISALIGNED-STORE: alignment: kernel 'misaligned_store': thread (0, 0, 0) of block (0, 0, 0) writes at an address that is 4 beyond a multiple of 8, by kernel.store_async
// A vector is aligned to all of its bytes.
gpu.module @m_misaligned_store {
  gpu.func @misaligned_store(%x: memref<256xf32>, %y: memref<256xf32>) workgroup(%s: !sh, %full: !bar) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %i512 = arith.constant 512 : i32
    %c64 = arith.constant 64 : index
    %c2 = arith.constant 2 : index
    %c127 = arith.constant 127 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %other = arith.subi %c1, %b : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %firstOther = arith.muli %other, %c128 : index
    %j = arith.addi %firstOther, %t : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %v = memref.load %x[%i] : memref<256xf32>
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %i1 : !bar
      kernel.fence_mbarrier_init
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %remote = kernel.map_block %s, %other : !sh to !rsh
    %there = kernel.map_block %full, %other : !bar to !rbar
    scf.if %isFirst {
      kernel.mbarrier_arrive %full[%c0] expect %i512 : !bar
    }
    %vv = vector.broadcast %v : f32 to vector<2xf32>
    %isLow = arith.cmpi ult, %t, %c64 : index
    scf.if %isLow {
      %twice = arith.muli %t, %c2 : index
      %odd = arith.addi %twice, %c1 : index
      %inside = arith.remui %odd, %c127 : index
      kernel.store_async %vv, %remote[%inside] completes %there[%c0] : vector<2xf32>, !rsh, !rbar
    }
    kernel.mbarrier_wait %full[%c0], %false : !bar
    %w = memref.load %s[%t] : !sh
    memref.store %w, %y[%j] : memref<256xf32>
    gpu.return
  }
}
func.func @misaligned_store(%x: memref<256xf32>) -> memref<256xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : memref<256xf32>
  host.launch @m_misaligned_store::@misaligned_store grid(%grid, %c1, %c1) block(128, 1, 1) cluster(2, 1, 1) args(%x, %y : memref<256xf32>, memref<256xf32>) writes [1]
  return %y : memref<256xf32>
}
