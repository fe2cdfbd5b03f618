// Who races with whom, in which memory, by which accesses, and how groups tell each other: the classes of HiRace's benchmark (J. Jacobson et al., SC 2024) and of those it is compared with, ScoR's microbenchmarks
// (A. Kamath et al., ISCA 2020; names race_..., norace_...) and iGUARD's (SOSP 2021). Scopes of atomic accesses are none of the kernel stage. lit.local.cfg says what the marks mean.
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
// RUN: %fault flag-plain --entry=flag --input=2xi32=iota
// RUN: %fault flag-early --entry=flag --input=2xi32=iota
// RUN: %fault flag-ignored --entry=flag --input=2xi32=iota
// RUN: %fault relay-broken --entry=relay --input=3xi32=iota
// RUN: %fault relay-plain --entry=relay --input=3xi32=iota
// RUN: %fault lock-one --entry=lock --input=8xi32=iota
// RUN: %fault lock-two --entry=lock --input=8xi32=iota
// RUN: %fault lock-release --entry=lock --input=8xi32=iota
// RUN: %fault lock-inside --entry=lock --input=8xi32=iota
// RUN: %fault last-counter --entry=last --input=128xi32=iota
// RUN: %fault last-before --entry=last --input=128xi32=iota
// RUN: %fault last-after --entry=last --input=128xi32=iota
// RUN: %fault last-early --entry=last --input=128xi32=iota
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
#warp = array<i32: 32, 1, 1>

// ScoR's waw and raw, iGUARD's classes by group: thread a of the grid has an element, thread b another one, or the same.
// global-ww: race: kernel 'global': thread {{.*}} writes byte 0 of the 8 of argument 3 by memref.store (loc("b")), which thread {{.*}} writes by memref.store (loc("a")), in no order
// global-wr: race: kernel 'global': thread {{.*}} reads byte 0 of the 8 of argument 3 by memref.load (loc("b")), which thread {{.*}} writes by memref.store (loc("a")), in no order
// global-rw: race: kernel 'global': thread {{.*}} writes byte 0 of the 8 of argument 3 by memref.store (loc("b")), which thread {{.*}} reads by memref.load (loc("a")), in no order
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
// shared-ww: race: kernel 'shared': thread {{.*}} writes byte 0 of a buffer of 4 bytes {{.*}} by memref.store (loc("b writes")), which thread {{.*}} writes by memref.store (loc("a writes")), in no order
// shared-wr: race: kernel 'shared': thread {{.*}} reads byte 0 of a buffer of 4 bytes {{.*}} by memref.load (loc("b reads")), which thread {{.*}} writes by memref.store (loc("a writes")), in no order
// shared-rw: race: kernel 'shared': thread {{.*}} writes byte 0 of a buffer of 4 bytes {{.*}} by memref.store (loc("b writes")), which thread {{.*}} reads by memref.load (loc("a reads")), in no order
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

// ScoR's race_interblock_fence_rtraw, norace_interblock_fence_raw: block 0 leaves a value and says so by a flag, block 1 takes it if the flag is set. Whether atomic accesses
// order what lies around them, as this kernel without a fault needs it, is nothing that the kernel stage says.
// flag-plain: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of the 4 of argument 3 by memref.load (loc("is it set")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("set")), in no order
// flag-plain: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of the 4 of argument 2 by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order
// flag-early: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of the 4 of argument 2 by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order
// flag-ignored: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of the 4 of argument 2 by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order
gpu.module @m_flag {
  gpu.func @flag(%x: memref<2xi32>, %y: memref<2xi32>, %data: !one, %flag: !one) kernel attributes {known_block_size = #warp} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<2xi32>
    %lead = arith.cmpi eq, %t, %c0 : index
    scf.if %lead {
      %first = arith.cmpi eq, %b, %c0 : index
      scf.if %first {
        //@flag-early %f = memref.atomic_rmw ori %one, %flag[%c0] : (i32, !one) -> i32
        memref.store %v, %data[%c0] : !one loc("leave")
        %e = memref.atomic_rmw ori %one, %flag[%c0] : (i32, !one) -> i32 // @flag-plain @flag-early
        //@flag-plain memref.store %one, %flag[%c0] : !one loc("set")
        memref.store %v, %y[%b] : memref<2xi32>
      } else {
        %f = memref.atomic_rmw ori %zero, %flag[%c0] : (i32, !one) -> i32 // @flag-plain @flag-ignored
        //@flag-plain %f = memref.load %flag[%c0] : !one loc("is it set")
        //@flag-ignored %f = arith.constant 1 : i32
        %set = arith.cmpi eq, %f, %one : i32
        scf.if %set {
          %w = memref.load %data[%c0] : !one loc("take")
          memref.store %w, %y[%b] : memref<2xi32>
        } else {
          memref.store %zero, %y[%b] : memref<2xi32>
        }
      }
    }
    gpu.return
  }
}

// ScoR's norace_interwarp-block_fence_hrf-indirect: block 1 sees block 0's flag and sets its own, which block 2 sees; block 2 takes what block 0 has left.
// relay-broken: race: kernel 'relay': thread {{.*}} of block (2, 0, 0) reads byte 0 of the 4 of argument 2 by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order
// relay-plain: race: kernel 'relay': thread {{.*}} of block (1, 0, 0) reads byte 0 of the 8 of argument 3 by memref.load (loc("first flag")), which thread {{.*}} of block (0, 0, 0) updates by memref.atomic_rmw (loc("set")), in no order
gpu.module @m_relay {
  gpu.func @relay(%x: memref<3xi32>, %y: memref<3xi32>, %data: !one, %flags: memref<2xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<3xi32>
    memref.store %v, %y[%b] : memref<3xi32>
    scf.index_switch %b
    case 0 {
      memref.store %v, %data[%c0] : !one loc("leave")
      %f = memref.atomic_rmw ori %one, %flags[%c0] : (i32, memref<2xi32>) -> i32 loc("set")
      scf.yield
    }
    case 1 {
      %f = memref.atomic_rmw ori %zero, %flags[%c0] : (i32, memref<2xi32>) -> i32 // @relay-broken @relay-plain
      //@relay-plain %f = memref.load %flags[%c0] : memref<2xi32> loc("first flag")
      //@relay-broken %f = arith.constant 1 : i32
      %set = arith.cmpi eq, %f, %one : i32
      scf.if %set {
        %e = memref.atomic_rmw ori %one, %flags[%c1] : (i32, memref<2xi32>) -> i32
      }
      scf.yield
    }
    default {
      %f = memref.atomic_rmw ori %zero, %flags[%c1] : (i32, memref<2xi32>) -> i32
      %set = arith.cmpi eq, %f, %one : i32
      scf.if %set {
        %w = memref.load %data[%c0] : !one loc("take")
        memref.store %w, %y[%b] : memref<3xi32>
      }
    }
    gpu.return
  }
}

// ScoR's lock_waw, none-lock_waw, lock-no-tf_waw: a sum that blocks add to one at a time, under a lock that is tried once.
// lock-one: race: kernel 'lock': thread {{.*}} of block {{.*}} reads byte 0 of the 4 of argument 2 by memref.load (loc("sum")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("new sum")), in no order
// lock-two: race: kernel 'lock': thread {{.*}} of block {{.*}} reads byte 0 of the 4 of argument 2 by memref.load (loc("sum")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("new sum")), in no order
// lock-release: race: kernel 'lock': thread {{.*}} of block {{.*}} updates byte 0 of the 8 of argument 3 by memref.atomic_rmw (loc("lock")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("unlock")), in no order
// lock-inside: race: kernel 'lock': thread {{.*}} of block {{.*}} by memref.{{load|store}} (loc("{{sum|new sum|outside}}")), which thread {{.*}} of block {{.*}} by memref.{{load|store}} (loc("{{sum|new sum|outside}}")), in no order
gpu.module @m_lock {
  gpu.func @lock(%x: memref<8xi32>, %y: memref<8xi32>, %sum: !one, %locks: memref<2xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<8xi32>
    %l = arith.constant 0 : index // @lock-two
    //@lock-two %l = arith.remui %b, %c2 : index
    //@lock-one %free = arith.cmpi eq, %b, %c3 : index
    //@lock-one scf.if %free {
    //@lock-one   %s = memref.load %sum[%c0] : !one loc("sum")
    //@lock-one   %new = arith.addi %s, %v : i32
    //@lock-one   memref.store %new, %sum[%c0] : !one loc("new sum")
    //@lock-one }
    %held = memref.atomic_rmw assign %one, %locks[%l] : (i32, memref<2xi32>) -> i32 loc("lock")
    %has = arith.cmpi eq, %held, %zero : i32
    scf.if %has {
      %s = memref.load %sum[%c0] : !one loc("sum")
      %new = arith.addi %s, %v : i32
      memref.store %new, %sum[%c0] : !one loc("new sum")
      %old = memref.atomic_rmw assign %zero, %locks[%l] : (i32, memref<2xi32>) -> i32 // @lock-release
      //@lock-release memref.store %zero, %locks[%l] : memref<2xi32> loc("unlock")
      //@lock-inside memref.store %new, %sum[%c0] : !one loc("outside")
    }
    memref.store %v, %y[%b] : memref<8xi32>
    gpu.return
  }
}

// ScoR's reduction: each block leaves its sum, and the one that is the last to count itself adds them up.
// last-counter: race: kernel 'last': thread (0, 0, 0) of block {{.*}} reads byte 0 of the 4 of argument 3 by memref.load (loc("blocks")), which thread (0, 0, 0) of block {{.*}} writes by memref.store (loc("one more")), in no order
// last-before: race: kernel 'last': thread {{.*}} of block {{.*}} reads byte {{.*}} of the 16 of argument 2 by memref.load (loc("part")), which thread (31, 0, 0) of block {{.*}} writes by memref.store (loc("own part")), in no order
// last-after: race: kernel 'last': thread {{.*}} by memref.{{load|store}} (loc("{{am I|last one}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{am I|last one}}")), in no order
// last-early: race: kernel 'last': thread {{.*}} of block {{.*}} reads byte {{.*}} of the 16 of argument 2 by memref.load (loc("part")), which thread (31, 0, 0) of block {{.*}} writes by memref.store (loc("own part")), in no order
gpu.module @m_last {
  gpu.func @last(%x: !g, %y: !one, %parts: memref<4xi32>, %n: !one) workgroup(%s: memref<1xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #warp} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %width = arith.constant 32 : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c32 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : !g
    %sum = scf.for %k = %c0 to %c5 step %c1 iter_args(%own = %v) -> i32 {
      %d = arith.shli %c1, %k : index
      %offset = arith.index_cast %d : index to i32
      %o, %valid = gpu.shuffle xor %own, %offset, %width : i32
      %more = arith.addi %own, %o : i32
      scf.yield %more : i32
    }
    %first = arith.cmpi eq, %t, %c0 : index
    %end = arith.cmpi eq, %t, %c31 : index
    //@last-early scf.if %first {
    //@last-early   %z = memref.atomic_rmw addi %one, %n[%c0] : (i32, !one) -> i32
    //@last-early   %w = arith.extui %first : i1 to i32
    //@last-early   memref.store %z, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("last one")
    //@last-early }
    scf.if %end {
      memref.store %sum, %parts[%b] : memref<4xi32> loc("own part")
    }
    gpu.barrier // @last-before
    scf.if %first {
      %z = memref.atomic_rmw addi %one, %n[%c0] : (i32, !one) -> i32 // @last-counter @last-early
      //@last-counter %z = memref.load %n[%c0] : !one loc("blocks")
      //@last-counter %z1 = arith.addi %z, %one : i32
      //@last-counter memref.store %z1, %n[%c0] : !one loc("one more")
      memref.store %z, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("last one") // @last-early
    }
    gpu.barrier // @last-after
    %before = memref.load %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("am I")
    %is = arith.cmpi eq, %before, %three : i32
    scf.if %is {
      %all = scf.for %k = %c0 to %c4 step %c1 iter_args(%own = %zero) -> i32 {
        %p = memref.load %parts[%k] : memref<4xi32> loc("part")
        %more = arith.addi %own, %p : i32
        scf.yield %more : i32
      }
      scf.if %first {
        memref.store %all, %y[%c0] : !one
      }
    }
    gpu.return
  }
}

// fastWalshTransform, of HiRace's and GPUVerify's programs: stages of a butterfly in shared memory, and one more by blocks.
// butterfly-stage: race: kernel 'butterfly': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// butterfly-start: race: kernel 'butterfly': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// butterfly-blocks: race: kernel 'butterfly': thread {{.*}} of block (1, 0, 0) writes byte {{.*}} of the 512 of argument 1 by memref.store (loc("result")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("result")), in no order
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
func.func @flag(%x: memref<2xi32>) -> memref<2xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %data = host.alloc () : !one
  %flag = host.alloc () : !one
  host.fill %zero, %flag : i32, !one
  %y = host.output 0 () : memref<2xi32>
  host.launch @m_flag::@flag grid(%c2, %c1, %c1) block(32, 1, 1) args(%x, %y, %data, %flag : memref<2xi32>, memref<2xi32>, !one, !one) writes [1, 2, 3]
  return %y : memref<2xi32>
}
func.func @relay(%x: memref<3xi32>) -> memref<3xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %data = host.alloc () : !one
  %flags = host.alloc () : memref<2xi32>
  host.fill %zero, %flags : i32, memref<2xi32>
  %y = host.output 0 () : memref<3xi32>
  host.launch @m_relay::@relay grid(%c3, %c1, %c1) block(1, 1, 1) args(%x, %y, %data, %flags : memref<3xi32>, memref<3xi32>, !one, memref<2xi32>) writes [1, 2, 3]
  return %y : memref<3xi32>
}
func.func @lock(%x: memref<8xi32>) -> memref<8xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %sum = host.alloc () : !one
  %locks = host.alloc () : memref<2xi32>
  host.fill %zero, %sum : i32, !one
  host.fill %zero, %locks : i32, memref<2xi32>
  %y = host.output 0 () : memref<8xi32>
  host.launch @m_lock::@lock grid(%c8, %c1, %c1) block(1, 1, 1) args(%x, %y, %sum, %locks : memref<8xi32>, memref<8xi32>, !one, memref<2xi32>) writes [1, 2, 3]
  return %y : memref<8xi32>
}
func.func @last(%x: !g) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %parts = host.alloc () : memref<4xi32>
  %n = host.alloc () : !one
  host.fill %zero, %n : i32, !one
  %y = host.output 0 () : !one
  host.launch @m_last::@last grid(%c4, %c1, %c1) block(32, 1, 1) args(%x, %y, %parts, %n : !g, !one, memref<4xi32>, !one) writes [1, 2, 3]
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
