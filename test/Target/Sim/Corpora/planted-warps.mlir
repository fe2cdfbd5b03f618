// Faults of warps at barriers, and of atomic accesses. lit.local.cfg says what the marks mean.
// RUN: %fault reused-same --entry=reused
// RUN: %right --entry=reused --output=%t.reused.npy
// RUN: %fault halves-apart --entry=halves
// RUN: %right --entry=halves --output=%t.halves.npy
// RUN: %fault partial-more --entry=partial
// RUN: %right --entry=partial --output=%t.partial.npy
// RUN: %fault scopes-block --entry=scopes
// RUN: %fault scopes-first --entry=scopes
// RUN: %right --entry=scopes
// RUN: %fault sizes-half --entry=sizes
// RUN: %right --entry=sizes --output=%t.sizes.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').flatten().tolist(); \
// RUN:   assert f('reused') == [1, 1]; assert f('halves') == [*range(32)]; assert f('partial') == [1] * 48; assert f('sizes') == [2]" %}

// A thread that makes progress by atomic accesses only, and one that does not.
// RUN: fuser-run %s --target=sim --entry=histogram --scalar=17000 --output=%t.histogram.npy
// RUN: %if numpy %{ %python -c "import numpy as np; assert np.load('%t.histogram.npy').tolist() == [1024 * 17000]" %}
// RUN: not fuser-run %s --target=sim --entry=spins 2>&1 | FileCheck %s --check-prefix=SPINS

// A GPU's thread has up to 512 KiB of its own. (No GPU has as much for all threads that it could run, so this one is for the simulator only.)
// RUN: fuser-run --target=sim %s --entry=local --input=64xf32=iota --output=%t.local.npy

!one = memref<1xi32>
!shared = memref<1xi32, #gpu.address_space<workgroup>>
!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!long = memref<1xi64, #gpu.address_space<workgroup>>
!ints = memref<2xi32, #gpu.address_space<workgroup>>

// Blocks have their shared memory one after the other: what was released by it in one is nothing to the next.
// reused-same: race: kernel 'reused': thread (0, 0, 0) of block (1, 0, 0) writes byte 0 of argument 0 (8 bytes) by memref.store (loc("store")), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store (loc("store")), in no order
gpu.module @m_reused {
  gpu.func @reused(%y: memref<2xi32>) workgroup(%c: !shared) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %b = gpu.block_id x
    memref.store %i0, %c[%c0] : !shared
    %before = kernel.counter_add %c[%c0], %i1 : !shared
    memref.store %i1, %y[%b] : memref<2xi32> // @reused-same
    //@reused-same memref.store %i1, %y[%c0] : memref<2xi32> loc("store")
    %behind = kernel.counter_add %c[%c0], %i1 : !shared
    gpu.return
  }
}
func.func @reused() -> memref<2xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = host.output 0 () : memref<2xi32>
  host.launch @m_reused::@reused grid(%c2, %c1, %c1) block(1, 1, 1) args(%y : memref<2xi32>) writes [0]
  return %y : memref<2xi32>
}

// A warp comes to a barrier as one.
// halves-apart: divergence: kernel 'halves': thread (16, 0, 0) of block (0, 0, 0) is at kernel.barrier (loc("high")), where others that it is to meet are at kernel.barrier (loc("low"))
gpu.module @m_halves {
  gpu.func @halves(%y: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %low = arith.cmpi ult, %t, %c16 : index
    kernel.barrier %c1, 32 // @halves-apart
    //@halves-apart scf.if %low {
    //@halves-apart kernel.barrier %c1, 32 loc("low")
    //@halves-apart } else {
    //@halves-apart kernel.barrier %c1, 32 loc("high")
    //@halves-apart }
    memref.store %v, %y[%t] : memref<32xi32>
    gpu.return
  }
}
func.func @halves() -> memref<32xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<32xi32>
  host.launch @m_halves::@halves grid(%c1, %c1, %c1) block(32, 1, 1) args(%y : memref<32xi32>) writes [0]
  return %y : memref<32xi32>
}

// And counts for 32 threads there, also if it has fewer.
// partial-more: kernel 'partial': deadlock: 48 threads wait: thread {{.*}} of block (0, 0, 0) at kernel.barrier (loc("barrier"))
gpu.module @m_partial {
  gpu.func @partial(%y: memref<48xi32>) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c1 = arith.constant 1 : index
    %i1 = arith.constant 1 : i32
    %t = gpu.thread_id x
    kernel.barrier %c1, 64 // @partial-more
    //@partial-more kernel.barrier %c1, 96 loc("barrier")
    memref.store %i1, %y[%t] : memref<48xi32>
    gpu.return
  }
}
func.func @partial() -> memref<48xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<48xi32>
  host.launch @m_partial::@partial grid(%c1, %c1, %c1) block(48, 1, 1) args(%y : memref<48xi32>) writes [0]
  return %y : memref<48xi32>
}

// Atomic within a block is not atomic for others, also if the thread comes back with an access that is.
// scopes-block: race: kernel 'scopes': thread (0, 0, 0) of block ([[BLOCK:[01]]], 0, 0) updates byte 0 of {{.*}} by kernel.counter_add (loc("{{first|second}}")), which thread (0, 0, 0) of block ({{[01]}}, 0, 0) updates by kernel.counter_add (loc("{{first|second}}")), in no order
// scopes-first: race: kernel 'scopes': thread (0, 0, 0) of block (1, 0, 0) updates byte 0 of {{.*}} by kernel.counter_add (loc("second")), which thread (0, 0, 0) of block (0, 0, 0) updates by kernel.counter_add (loc("first")), in no order
gpu.module @m_scopes {
  gpu.func @scopes(%y: !one) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirst {
      %a = kernel.counter_add %y[%c0], %i1 order relaxed scope device : !one // @scopes-first
      //@scopes-first %a = kernel.counter_add %y[%c0], %i1 order relaxed scope block : !one loc("first")
    }
    %c = kernel.counter_add %y[%c0], %i1 order relaxed scope device : !one loc("second") // @scopes-block
    //@scopes-block %c = kernel.counter_add %y[%c0], %i1 order relaxed scope block : !one loc("second")
    gpu.return
  }
}
func.func @scopes() -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %count = host.workspace 0 () zeroed : !one
  %y = host.output 0 () : !one
  host.launch @m_scopes::@scopes grid(%c2, %c1, %c1) block(1, 1, 1) args(%count : !one)
  host.launch @m_fill::@fill grid(%c1, %c1, %c1) block(1, 1, 1) args(%y : !one) writes [0]
  return %y : !one
}
gpu.module @m_fill {
  gpu.func @fill(%y: !one) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    memref.store %i1, %y[%c0] : !one
    gpu.return
  }
}

// Atomic accesses are so for each other only if they are of the same bytes.
// sizes-half: race: kernel 'sizes': thread {{.*}} updates byte 0 of {{.*}} by kernel.counter_add (loc("{{whole|half}}")), which thread {{.*}} updates by kernel.counter_add (loc("{{whole|half}}")), in no order
gpu.module @m_sizes {
  gpu.func @sizes(%y: memref<1xi64>) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i64
    %d = gpu.dynamic_shared_memory : !bytes
    %whole = memref.view %d[%c0][] : !bytes to !long
    %parts = memref.view %d[%c0][] : !bytes to !ints
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      memref.store %zero, %whole[%c0] : !long
    }
    gpu.barrier
    scf.if %isFirst {
      %a = kernel.counter_add %whole[%c0], %one : !long loc("whole")
    } else {
      %b = kernel.counter_add %whole[%c0], %one : !long // @sizes-half
      //@sizes-half %b = kernel.counter_add %parts[%c0], %i1 : !ints loc("half")
    }
    gpu.barrier
    scf.if %isFirst {
      %sum = memref.load %whole[%c0] : !long
      memref.store %sum, %y[%c0] : memref<1xi64>
    }
    gpu.return
  }
}
func.func @sizes() -> memref<1xi64> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %shared = arith.constant 64 : index
  %y = host.output 0 () : memref<1xi64>
  host.launch @m_sizes::@sizes grid(%c1, %c1, %c1) block(2, 1, 1) shared %shared args(%y : memref<1xi64>) writes [0]
  return %y : memref<1xi64>
}

gpu.module @m_histogram {
  gpu.func @histogram(%y: !one, %n: index) kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      memref.store %i0, %y[%c0] : !one
    }
    gpu.barrier
    scf.for %i = %c0 to %n step %c1 {
      %old = memref.atomic_rmw addi %i1, %y[%c0] : (i32, !one) -> i32
    }
    gpu.return
  }
}
func.func @histogram(%n: index) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !one
  host.launch @m_histogram::@histogram grid(%c1, %c1, %c1) block(1024, 1, 1) args(%y, %n : !one, index) writes [0]
  return %y : !one
}

// SPINS: thread (0, 0, 0) of block (0, 0, 0) at memref.atomic_rmw ({{.*}}:[[#@LINE+8]]:{{.*}}): expected threads that loop over atomic accesses to go on, got a livelock
gpu.module @m_spins {
  gpu.func @spins(%y: !one) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    memref.store %i0, %y[%c0] : !one
    gpu.barrier
    scf.while : () -> () {
      %old = memref.atomic_rmw ori %i0, %y[%c0] : (i32, !one) -> i32
      %isZero = arith.cmpi eq, %old, %i0 : i32
      scf.condition(%isZero)
    } do {
      scf.yield
    }
    gpu.return
  }
}
func.func @spins() -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !one
  host.launch @m_spins::@spins grid(%c1, %c1, %c1) block(1, 1, 1) args(%y : !one) writes [0]
  return %y : !one
}

gpu.module @m_local {
  gpu.func @local(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %last = arith.constant 119999 : index
    %t = gpu.thread_id x
    %own = memref.alloca() : memref<120000xf32>
    %v = memref.load %x[%t] : memref<64xf32>
    memref.store %v, %own[%t] : memref<120000xf32>
    memref.store %v, %own[%last] : memref<120000xf32>
    gpu.barrier
    %w = memref.load %own[%t] : memref<120000xf32>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
}
func.func @local(%x: memref<64xf32>) -> memref<64xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<64xf32>
  host.launch @m_local::@local grid(%c1, %c1, %c1) block(64, 1, 1) args(%x, %y : memref<64xf32>, memref<64xf32>) writes [1]
  return %y : memref<64xf32>
}
