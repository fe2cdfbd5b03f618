// Who races with whom, in which memory, by which accesses: the classes of HiRace's benchmark (J. Jacobson et al., SC 2024) and of those it is compared with, ScoR's microbenchmarks
// (A. Kamath et al., ISCA 2020; names race_..., norace_...) and iGUARD's (SOSP 2021). Their orders and scopes are in hirace-orders.mlir. lit.local.cfg says what the marks mean.
// Threads of one warp, of two warps, of two blocks; in global memory.
// RUN: %fault global-ww --entry=global --scalar=0 --scalar=1 --input=128xi32=iota
// RUN: %fault global-ww --entry=global --scalar=5 --scalar=40 --input=128xi32=iota
// RUN: %fault global-ww --entry=global --scalar=5 --scalar=69 --input=128xi32=iota
// RUN: %fault global-wr --entry=global --scalar=0 --scalar=1 --input=128xi32=iota
// RUN: %fault global-wr --entry=global --scalar=5 --scalar=40 --input=128xi32=iota
// RUN: %fault global-wr --entry=global --scalar=5 --scalar=69 --input=128xi32=iota
// RUN: %fault global-rw --entry=global --scalar=0 --scalar=1 --input=128xi32=iota
// RUN: %fault global-rw --entry=global --scalar=5 --scalar=40 --input=128xi32=iota
// RUN: %fault global-rw --entry=global --scalar=5 --scalar=69 --input=128xi32=iota
// RUN: %right --entry=global --scalar=0 --scalar=1 --input=128xi32=iota
// RUN: %right --entry=global --scalar=5 --scalar=69 --input=128xi32=iota
// The same of one block in shared memory.
// RUN: %fault shared-ww --entry=shared --scalar=0 --scalar=1 --input=128xi32=iota
// RUN: %fault shared-ww --entry=shared --scalar=5 --scalar=40 --input=128xi32=iota
// RUN: %fault shared-wr --entry=shared --scalar=0 --scalar=1 --input=128xi32=iota
// RUN: %fault shared-wr --entry=shared --scalar=5 --scalar=40 --input=128xi32=iota
// RUN: %fault shared-rw --entry=shared --scalar=0 --scalar=1 --input=128xi32=iota
// RUN: %fault shared-rw --entry=shared --scalar=5 --scalar=40 --input=128xi32=iota
// RUN: %right --entry=shared --scalar=0 --scalar=1 --input=128xi32=iota
// RUN: %right --entry=shared --scalar=5 --scalar=40 --input=128xi32=iota
// Many read what one writes.
// RUN: %fault readers-before --entry=readers --scalar=77 --input=128xi32=iota
// RUN: %fault readers-after --entry=readers --scalar=0 --input=128xi32=iota
// RUN: %fault readers-warp --entry=readers --scalar=31 --input=128xi32=iota
// RUN: %right --entry=readers --scalar=77 --input=128xi32=iota --output=%t.readers.npy
// RUN: %fault mixed-store --entry=mixed --input=128xi32=iota
// RUN: %fault mixed-load --entry=mixed --input=128xi32=iota
// RUN: %fault mixed-block --entry=mixed --input=128xi32=iota
// RUN: %right --entry=mixed --input=128xi32=iota --output=%t.mixed.npy
// RUN: %fault butterfly-stage --entry=butterfly --input=128xi32=iota
// RUN: %fault butterfly-start --entry=butterfly --input=128xi32=iota
// RUN: %fault butterfly-blocks --entry=butterfly --input=128xi32=iota
// RUN: %right --entry=butterfly --input=128xi32=iota --output=%t.butterfly.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').tolist(); r = range(128); \
// RUN:   assert f('readers') == [7] * 128; assert f('mixed') == [128 * 127 // 2]; \
// RUN:   assert f('butterfly') == [sum(k * (-1) ** bin(k & t).count('1') for k in r) for t in r]" %}

!g = memref<128xi32>
!s = memref<128xi32, #gpu.address_space<workgroup>>
!one = memref<1xi32>
#one = array<i32: 128, 1, 1>
#two = array<i32: 64, 1, 1>

// ScoR's waw and raw, iGUARD's classes by group: thread a of the grid has an element, thread b another one, or the same.
// global-ww: race: kernel 'global': thread {{.*}} writes byte 0 of argument 3 (8 bytes) by memref.store (loc("b")), which thread {{.*}} writes by memref.store (loc("a")), in no order
// global-wr: race: kernel 'global': thread {{.*}} reads byte 0 of argument 3 (8 bytes) by memref.load (loc("b")), which thread {{.*}} writes by memref.store (loc("a")), in no order
// global-rw: race: kernel 'global': thread {{.*}} writes byte 0 of argument 3 (8 bytes) by memref.store (loc("b")), which thread {{.*}} reads by memref.load (loc("a")), in no order
gpu.module @m_global {
  gpu.func @global(%x: !g, %a: index, %b: index, %y: memref<2xi32>) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %f = arith.muli %block, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : !g
    %isa = arith.cmpi eq, %i, %a : index
    scf.if %isa {
      memref.store %v, %y[%c0] : memref<2xi32> loc("a") // @global-rw
      //@global-rw %w = memref.load %y[%c0] : memref<2xi32> loc("a")
      //@global-rw memref.store %w, %x[%i] : !g
    }
    %isb = arith.cmpi eq, %i, %b : index
    scf.if %isb {
      memref.store %v, %y[%c1] : memref<2xi32> loc("b") // @global-rw @global-wr @global-ww
      //@global-ww memref.store %v, %y[%c0] : memref<2xi32> loc("b")
      //@global-rw memref.store %v, %y[%c0] : memref<2xi32> loc("b")
      //@global-wr %w = memref.load %y[%c0] : memref<2xi32> loc("b")
      //@global-wr memref.store %w, %x[%i] : !g
    }
    gpu.return
  }
}

// The same in shared memory, with a barrier between a and b.
// shared-ww: race: kernel 'shared': thread {{.*}} writes byte 0 of workgroup buffer {{.*}}, 4 bytes, {{.*}} by memref.store (loc("b writes")), which thread {{.*}} writes by memref.store (loc("a writes")), in no order
// shared-wr: race: kernel 'shared': thread {{.*}} reads byte 0 of workgroup buffer {{.*}}, 4 bytes, {{.*}} by memref.load (loc("b reads")), which thread {{.*}} writes by memref.store (loc("a writes")), in no order
// shared-rw: race: kernel 'shared': thread {{.*}} writes byte 0 of workgroup buffer {{.*}}, 4 bytes, {{.*}} by memref.store (loc("b writes")), which thread {{.*}} reads by memref.load (loc("a reads")), in no order
gpu.module @m_shared {
  gpu.func @shared(%x: !g, %a: index, %b: index, %y: memref<2xi32>) workgroup(%s: memref<1xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    %isa = arith.cmpi eq, %t, %a : index
    %isb = arith.cmpi eq, %t, %b : index
    scf.if %isa {
      memref.store %v, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("a writes")
    }
    gpu.barrier // @shared-wr @shared-ww
    scf.if %isb {
      %w = memref.load %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("b reads") // @shared-ww
      //@shared-ww memref.store %v, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("b writes")
      memref.store %w, %y[%c0] : memref<2xi32> // @shared-ww
    }
    //@shared-rw gpu.barrier
    scf.if %isa {
      //@shared-rw %w = memref.load %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("a reads")
      //@shared-rw memref.store %w, %y[%c0] : memref<2xi32>
    }
    gpu.barrier // @shared-rw
    scf.if %isb {
      memref.store %v, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("b writes")
    }
    gpu.return
  }
}

// HiRace's states of an element that a warp, a block, or the grid has read: one thread writes, before or after.
// readers-before: race: kernel 'readers': thread {{.*}} by memref.{{load|store}} (loc("{{all|write}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{all|write}}")), in no order
// readers-after: race: kernel 'readers': thread (0, 0, 0) {{.*}} writes byte 28 {{.*}} by memref.store (loc("again")), which thread {{.*}} reads by memref.load (loc("all")), in no order
// readers-warp: race: kernel 'readers': thread (31, 0, 0) {{.*}} writes byte 28 {{.*}} by memref.store (loc("lane")), which thread {{.*}} reads by memref.load (loc("lanes")), in no order
gpu.module @m_readers {
  gpu.func @readers(%x: !g, %n: index, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %u = memref.load %x[%c7] : !g
    %is = arith.cmpi eq, %t, %n : index
    scf.if %is {
      memref.store %u, %s[%c7] : !s loc("write")
    }
    gpu.barrier // @readers-before
    %v = memref.load %s[%c7] : !s loc("all")
    memref.store %v, %y[%t] : !g
    scf.if %is {
      //@readers-after memref.store %u, %s[%c7] : !s loc("again")
    }
    //@readers-warp gpu.barrier
    %first = arith.cmpi ult, %t, %c32 : index
    scf.if %first {
      //@readers-warp %w = memref.load %s[%c7] : !s loc("lanes")
      //@readers-warp memref.store %w, %y[%t] : !g
      scf.if %is {
        //@readers-warp memref.store %u, %s[%c7] : !s loc("lane")
      }
    }
    gpu.return
  }
}

// ScoR's race_interwarp_none-atom_waw, race_interblock_none-atom_waw, norace_interblock_atom: atomic accesses of all, and one that is not.
// mixed-store: race: kernel 'mixed': thread {{.*}} by memref.{{store|atomic_rmw}} (loc("{{add|store}}")), which thread {{.*}} by memref.{{store|atomic_rmw}} (loc("{{add|store}}")), in no order
// mixed-load: race: kernel 'mixed': thread {{.*}} by memref.{{load|atomic_rmw}} (loc("{{add|load}}")), which thread {{.*}} by memref.{{load|atomic_rmw}} (loc("{{add|load}}")), in no order
// mixed-block: race: kernel 'mixed': thread {{.*}} by memref.{{store|atomic_rmw}} (loc("{{add|store}}")), which thread {{.*}} by memref.{{store|atomic_rmw}} (loc("{{add|store}}")), in no order
gpu.module @m_mixed {
  gpu.func @mixed(%x: !g, %y: !one) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c33 = arith.constant 33 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : !g
    //@mixed-store %is = arith.cmpi eq, %i, %c33 : index
    //@mixed-load %is = arith.cmpi eq, %i, %c33 : index
    //@mixed-block %is = arith.cmpi eq, %i, %c64 : index
    %is = arith.constant false // @mixed-store @mixed-load @mixed-block
    scf.if %is {
      //@mixed-store memref.store %v, %y[%c0] : !one loc("store")
      //@mixed-block memref.store %v, %y[%c0] : !one loc("store")
      //@mixed-load %w = memref.load %y[%c0] : !one loc("load")
      //@mixed-load %old = memref.atomic_rmw addi %w, %y[%c0] : (i32, !one) -> i32
    } else {
      %old = memref.atomic_rmw addi %v, %y[%c0] : (i32, !one) -> i32 loc("add")
    }
    gpu.return
  }
}

// fastWalshTransform, of HiRace's and GPUVerify's programs: stages of a butterfly in shared memory, and one more by blocks.
// butterfly-stage: race: kernel 'butterfly': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// butterfly-start: race: kernel 'butterfly': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// butterfly-blocks: race: kernel 'butterfly': thread {{.*}} of block (1, 0, 0) writes byte {{.*}} of argument 1 (512 bytes) by memref.store (loc("result")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("result")), in no order
gpu.module @m_butterfly {
  gpu.func @butterfly(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %h = arith.addi %t, %c64 : index
    %v = memref.load %x[%t] : !g
    %w = memref.load %x[%h] : !g
    memref.store %v, %s[%t] : !s loc("start")
    memref.store %w, %s[%h] : !s loc("start")
    gpu.barrier // @butterfly-start
    scf.for %k = %c0 to %c7 step %c1 {
      %d = arith.shli %c1, %k : index
      %less = arith.subi %d, %c1 : index
      %low = arith.andi %t, %less : index
      %rest = arith.subi %t, %low : index
      %double = arith.addi %rest, %rest : index
      %i = arith.addi %double, %low : index
      %j = arith.addi %i, %d : index
      %a = memref.load %s[%i] : !s loc("first")
      %b = memref.load %s[%j] : !s loc("second")
      %sum = arith.addi %a, %b : i32
      %difference = arith.subi %a, %b : i32
      memref.store %sum, %s[%i] : !s loc("sum")
      memref.store %difference, %s[%j] : !s loc("difference")
      gpu.barrier // @butterfly-stage
    }
    %a = memref.load %s[%t] : !s
    %b = memref.load %s[%h] : !s
    memref.store %a, %y[%t] : !g loc("result")
    memref.store %b, %y[%h] : !g loc("result")
    gpu.return
  }
}

func.func @global(%x: !g, %a: index, %b: index) -> memref<2xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %z = host.alloc () : !g
  host.fill %zero, %z : i32, !g
  %y = host.output 0 () : memref<2xi32>
  host.fill %zero, %y : i32, memref<2xi32>
  host.launch @m_global::@global grid(%c2, %c1, %c1) block(64, 1, 1) args(%z, %a, %b, %y : !g, index, index, memref<2xi32>) writes [0, 3]
  return %y : memref<2xi32>
}
func.func @shared(%x: !g, %a: index, %b: index) -> memref<2xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %y = host.output 0 () : memref<2xi32>
  host.fill %zero, %y : i32, memref<2xi32>
  host.launch @m_shared::@shared grid(%c1, %c1, %c1) block(64, 1, 1) args(%x, %a, %b, %y : !g, index, index, memref<2xi32>) writes [3]
  return %y : memref<2xi32>
}
func.func @mixed(%x: !g) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %y = host.output 0 () : !one
  host.fill %zero, %y : i32, !one
  host.launch @m_mixed::@mixed grid(%c2, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !one) writes [1]
  return %y : !one
}
func.func @butterfly(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index // @butterfly-blocks
  //@butterfly-blocks %grid = arith.constant 2 : index
  %y = host.output 0 () : !g
  host.launch @m_butterfly::@butterfly grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @readers(%x: !g, %n: index) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_readers::@readers grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %n, %y : !g, index, !g) writes [2]
  return %y : !g
}
