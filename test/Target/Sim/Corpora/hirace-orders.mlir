// How threads tell each other by atomic accesses: ScoR's microbenchmarks (A. Kamath et al., ISCA 2020; names race_..., norace_...), which HiRace (SC 2024) and iGUARD (SOSP 2021) are compared by. lit.local.cfg says what the marks mean.
// RUN: %fault flag-early --entry=flag --input=2xi32=iota
// RUN: %fault flag-ignored --entry=flag --input=2xi32=iota
// RUN: %fault flag-plain --entry=flag --input=2xi32=iota
// RUN: %fault flag-set --entry=flag --input=2xi32=iota
// RUN: %fault flag-get --entry=flag --input=2xi32=iota
// RUN: %fault flag-block --entry=flag --input=2xi32=iota
// RUN: %fault flag-atomic --entry=flag --input=2xi32=iota
// RUN: %right --entry=flag --input=2xi32=iota --output=%t.flag.npy
// RUN: %fault warps-set --entry=warps --input=64xi32=iota
// RUN: %fault warps-get --entry=warps --input=64xi32=iota
// RUN: %right --entry=warps --input=64xi32=iota
// RUN: %fault relay-broken --entry=relay --input=64xi32=iota
// RUN: %fault relay-block --entry=relay --input=64xi32=iota
// RUN: %fault relay-relaxed --entry=relay --input=64xi32=iota
// RUN: %right --entry=relay --input=64xi32=iota
// RUN: %fault lock-none --entry=lock --input=8xi32=iota
// RUN: %fault lock-two --entry=lock --input=8xi32=iota
// RUN: %fault lock-release --entry=lock --input=8xi32=iota
// RUN: %fault lock-block --entry=lock --input=8xi32=iota
// RUN: %fault lock-inside --entry=lock --input=8xi32=iota
// RUN: %fault lock-untested --entry=lock --input=8xi32=iota
// RUN: %right --entry=lock --input=8xi32=iota --output=%t.lock.npy
// RUN: %fault last-plain --entry=last --input=128xi32=iota
// RUN: %fault last-relaxed --entry=last --input=128xi32=iota
// RUN: %fault last-block --entry=last --input=128xi32=iota
// RUN: %fault last-before --entry=last --input=128xi32=iota
// RUN: %fault last-after --entry=last --input=128xi32=iota
// RUN: %fault last-early --entry=last --input=128xi32=iota
// RUN: %right --entry=last --input=128xi32=iota --output=%t.last.npy
// RUN: %fault count-block --entry=count --input=128xi32=iota
// RUN: %fault count-mixed --entry=count --input=128xi32=iota
// RUN: %right --entry=count --input=128xi32=iota --output=%t.count.npy
// RUN: %fault swap-plain --entry=swap --input=128xi32=iota
// RUN: %right --entry=swap --input=128xi32=iota --output=%t.swap.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').tolist(); \
// RUN:   assert f('flag') == [0, 7]; assert f('lock') == [28]; assert f('last') == [127 * 64]; assert f('count') == [127 * 64]; assert f('swap') == [127]" %}

!g = memref<128xi32>
!one = memref<1xi32>
#warp = array<i32: 32, 1, 1>
#two = array<i32: 64, 1, 1>
#single = array<i32: 1, 1, 1>

// norace_interblock_fence_raw, race_interblock_fence_rtraw, race_interblock_blkfence_raw, race_interblock_blkatom: block 0 leaves a value and says so by a flag, block 1 takes it if the flag is set.
// flag-early: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order{{$}}
// flag-ignored: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order{{$}}
// flag-plain: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) {{.*}} byte 0 of argument 3 (4 bytes) by kernel.counter_add (loc("get")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("set")), in no order
// flag-set: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order: between them, {{.*}} has order relaxed, where release is needed{{$}}
// flag-get: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order: between them, {{.*}} has order relaxed, where acquire is needed{{$}}
// flag-block: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order
// flag-atomic: race: kernel 'flag': thread {{.*}} of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("leave")), in no order: between them, {{.*}} has order relaxed, where release is needed{{$}}
gpu.module @m_flag {
  gpu.func @flag(%x: memref<2xi32>, %y: memref<2xi32>, %data: !one, %flag: !one) kernel attributes {known_block_size = #warp} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %seven = arith.constant 7 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %lead = arith.cmpi eq, %t, %c0 : index
    scf.if %lead {
      %first = arith.cmpi eq, %b, %c0 : index
      scf.if %first {
        //@flag-early %f = kernel.counter_add %flag[%c0], %one : !one
        memref.store %seven, %data[%c0] : !one loc("leave")
        %e = kernel.counter_add %flag[%c0], %one order release : !one // @flag-early @flag-plain @flag-set @flag-block @flag-atomic
        //@flag-plain memref.store %one, %flag[%c0] : !one loc("set")
        //@flag-set %e = kernel.counter_add %flag[%c0], %one order relaxed : !one
        //@flag-block %e = kernel.counter_add %flag[%c0], %one order release scope block : !one
        //@flag-atomic %e = memref.atomic_rmw addi %one, %flag[%c0] : (i32, !one) -> i32
        memref.store %zero, %y[%b] : memref<2xi32>
      } else {
        %f = kernel.counter_add %flag[%c0], %zero order acquire : !one loc("get") // @flag-get @flag-ignored
        //@flag-get %f = kernel.counter_add %flag[%c0], %zero order relaxed : !one
        //@flag-ignored %f = arith.constant 1 : i32
        %set = arith.cmpi eq, %f, %one : i32
        scf.if %set {
          %w = memref.load %data[%c0] : !one loc("take")
          memref.store %w, %y[%b] : memref<2xi32>
        }
      }
    }
    gpu.return
  }
}

// norace_interwarp_blkfence_raw, race_interwarp_...: the same between the warps of a block, for which a block's scope is enough.
// warps-set: race: kernel 'warps': thread (32, 0, 0) {{.*}} reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread (0, 0, 0) {{.*}} writes by memref.store (loc("leave")), in no order: between them, {{.*}} has order relaxed, where release is needed{{$}}
// warps-get: race: kernel 'warps': thread (32, 0, 0) {{.*}} reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread (0, 0, 0) {{.*}} writes by memref.store (loc("leave")), in no order: between them, {{.*}} has order relaxed, where acquire is needed{{$}}
gpu.module @m_warps {
  gpu.func @warps(%x: memref<64xi32>, %y: memref<64xi32>, %data: !one, %flag: !one) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xi32>
    memref.store %v, %y[%t] : memref<64xi32>
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      memref.store %one, %data[%c0] : !one loc("leave")
      %e = kernel.counter_add %flag[%c0], %one order release scope block : !one // @warps-set
      //@warps-set %e = kernel.counter_add %flag[%c0], %one order relaxed : !one
    }
    %second = arith.cmpi eq, %t, %c32 : index
    scf.if %second {
      %f = kernel.counter_add %flag[%c0], %zero order acquire scope block : !one // @warps-get
      //@warps-get %f = kernel.counter_add %flag[%c0], %zero order relaxed scope block : !one
      %set = arith.cmpi eq, %f, %one : i32
      scf.if %set {
        %w = memref.load %data[%c0] : !one loc("take")
        memref.store %w, %y[%t] : memref<64xi32>
      }
    }
    gpu.return
  }
}

// norace_interwarp-block_fence_hrf-indirect, norace_interwarp-block_fence-atom_hrd-indirect: thread 0 tells thread 32 of its block, which tells block 1.
// relay-broken: race: kernel 'relay': thread (0, 0, 0) of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store (loc("leave")), in no order
// relay-block: race: kernel 'relay': thread (0, 0, 0) of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store (loc("leave")), in no order
// relay-relaxed: race: kernel 'relay': thread (0, 0, 0) of block (1, 0, 0) reads byte 0 of argument 2 (4 bytes) by memref.load (loc("take")), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store (loc("leave")), in no order: between them, {{.*}} has order relaxed, where acquire is needed{{$}}
gpu.module @m_relay {
  gpu.func @relay(%x: memref<64xi32>, %y: memref<64xi32>, %data: !one, %flags: memref<2xi32>) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    scf.index_switch %i
    case 0 {
      memref.store %one, %data[%c0] : !one loc("leave")
      %e = kernel.counter_add %flags[%c0], %one order release scope block : memref<2xi32>
      scf.yield
    }
    case 32 {
      %g = kernel.counter_add %flags[%c0], %zero order acquire scope block : memref<2xi32> // @relay-broken @relay-relaxed
      //@relay-relaxed %g = kernel.counter_add %flags[%c0], %zero order relaxed : memref<2xi32>
      //@relay-broken %g = arith.constant 1 : i32
      %set = arith.cmpi eq, %g, %one : i32
      scf.if %set {
        %e = kernel.counter_add %flags[%c1], %one order release : memref<2xi32> // @relay-block
        //@relay-block %e = kernel.counter_add %flags[%c1], %one order release scope block : memref<2xi32>
      }
      scf.yield
    }
    case 64 {
      %g = kernel.counter_add %flags[%c1], %zero order acquire : memref<2xi32>
      %set = arith.cmpi eq, %g, %one : i32
      scf.if %set {
        %w = memref.load %data[%c0] : !one loc("take")
        memref.store %w, %y[%c0] : memref<64xi32>
      }
      scf.yield
    }
    default {
    }
    gpu.return
  }
}

// norace_interblock_lock_waw, race_interblock_none-lock_waw, -lock-no-tf_waw, -blklock_waw: blocks add to a sum in turn, each with a ticket.
// lock-none: race: kernel 'lock': thread {{.*}} of block {{.*}} reads byte 0 of argument 1 (4 bytes) by memref.load (loc("sum")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("new sum")), in no order
// lock-two: race: kernel 'lock': thread {{.*}} of block {{.*}} reads byte 0 of argument 1 (4 bytes) by memref.load (loc("sum")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("new sum")), in no order
// lock-release: race: kernel 'lock': thread {{.*}} of block {{.*}} reads byte 0 of argument 1 (4 bytes) by memref.load (loc("sum")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("new sum")), in no order: between them, {{.*}} has order relaxed, where release is needed{{$}}
// lock-block: race: kernel 'lock': thread {{.*}} of block {{.*}} reads byte 0 of argument 1 (4 bytes) by memref.load (loc("sum")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("new sum")), in no order
// lock-inside: race: kernel 'lock': thread {{.*}} of block {{.*}} by memref.{{load|store}} (loc("{{sum|new sum|outside}}")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("{{new sum|outside}}")), in no order
// lock-untested: race: kernel 'lock': thread {{.*}} of block {{.*}} reads byte 0 of argument 1 (4 bytes) by memref.load (loc("sum")), which thread {{.*}} of block {{.*}} writes by memref.store (loc("new sum")), in no order{{$}}
gpu.module @m_lock {
  gpu.func @lock(%x: memref<8xi32>, %y: !one, %tickets: memref<2xi32>, %served: memref<2xi32>) kernel attributes {known_block_size = #single} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<8xi32>
    %l = arith.constant 0 : index // @lock-two
    //@lock-two %l = arith.remui %b, %c2 : index
    %ticket = kernel.counter_add %tickets[%l], %one order relaxed : memref<2xi32>
    %in = arith.constant true // @lock-none
    //@lock-none %in = arith.cmpi ne, %b, %c3 : index
    scf.if %in {
      kernel.counter_wait %served[%l], %ticket : memref<2xi32> // @lock-untested
    }
    %s = memref.load %y[%c0] : !one loc("sum")
    %new = arith.addi %s, %v : i32
    memref.store %new, %y[%c0] : !one loc("new sum")
    %old = kernel.counter_add %served[%l], %one order release : memref<2xi32> // @lock-release @lock-block
    //@lock-release %old = kernel.counter_add %served[%l], %one order relaxed : memref<2xi32>
    //@lock-block %old = kernel.counter_add %served[%l], %one order release scope block : memref<2xi32>
    //@lock-inside memref.store %new, %y[%c0] : !one loc("outside")
    gpu.return
  }
}

// ScoR's reduction, and the last block of CUDA's sample threadFenceReduction: each block leaves its sum, and the one that is the last to count itself adds them up.
// last-plain: race: kernel 'last': thread (0, 0, 0) of block {{.*}} reads byte 0 of argument 3 (4 bytes) by memref.load (loc("blocks")), which thread (0, 0, 0) of block {{.*}} writes by memref.store (loc("one more")), in no order
// last-relaxed: race: kernel 'last': thread {{.*}} of block {{.*}} reads byte {{.*}} of argument 2 (16 bytes) by memref.load (loc("part")), which thread (31, 0, 0) of block {{.*}} writes by memref.store (loc("own part")), in no order
// last-block: race: kernel 'last': thread {{.*}} of block {{.*}} reads byte {{.*}} of argument 2 (16 bytes) by memref.load (loc("part")), which thread (31, 0, 0) of block {{.*}} writes by memref.store (loc("own part")), in no order
// last-before: race: kernel 'last': thread {{.*}} of block {{.*}} reads byte {{.*}} of argument 2 (16 bytes) by memref.load (loc("part")), which thread (31, 0, 0) of block {{.*}} writes by memref.store (loc("own part")), in no order
// last-after: race: kernel 'last': thread {{.*}} by memref.{{load|store}} (loc("{{am I|last one}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{am I|last one}}")), in no order
// last-early: race: kernel 'last': thread {{.*}} of block {{.*}} reads byte {{.*}} of argument 2 (16 bytes) by memref.load (loc("part")), which thread (31, 0, 0) of block {{.*}} writes by memref.store (loc("own part")), in no order{{$}}
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
    //@last-early   %z = kernel.counter_add %n[%c0], %one : !one
    //@last-early   memref.store %z, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>> loc("last one")
    //@last-early }
    scf.if %end {
      memref.store %sum, %parts[%b] : memref<4xi32> loc("own part")
    }
    gpu.barrier // @last-before
    scf.if %first {
      %z = kernel.counter_add %n[%c0], %one : !one // @last-plain @last-early @last-relaxed @last-block
      //@last-relaxed %z = kernel.counter_add %n[%c0], %one order relaxed : !one
      //@last-block %z = kernel.counter_add %n[%c0], %one scope block : !one
      //@last-plain %z = memref.load %n[%c0] : !one loc("blocks")
      //@last-plain %z1 = arith.addi %z, %one : i32
      //@last-plain memref.store %z1, %n[%c0] : !one loc("one more")
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

// race_interblock_blkatom, norace_interblock_atom, norace_interwarp_dev-blkatom: updates of one counter by two blocks need the scope of the device, all of them.
// count-block: race: kernel 'count': thread {{.*}} of block (1, 0, 0) updates byte 0 of argument 1 (4 bytes) by kernel.counter_add (loc("add")), which thread {{.*}} of block (0, 0, 0) updates by kernel.counter_add (loc("add")), in no order: kernel.counter_add (loc("add")) has scope block, where device is needed{{$}}
// count-mixed: race: kernel 'count': thread {{.*}} of block (1, 0, 0) updates byte 0 of argument 1 (4 bytes) by kernel.counter_add (loc("add")), which thread {{.*}} of block (0, 0, 0) updates by kernel.counter_add (loc("add in the block")), in no order: kernel.counter_add (loc("add in the block")) has scope block, where device is needed{{$}}
gpu.module @m_count {
  gpu.func @count(%x: !g, %n: !one) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : !g
    %first = arith.cmpi eq, %b, %c0 : index
    scf.if %first {
      %p = kernel.counter_add %n[%c0], %v order relaxed : !one loc("add in the block") // @count-block @count-mixed
      //@count-mixed %p = kernel.counter_add %n[%c0], %v order relaxed scope block : !one loc("add in the block")
      //@count-block %p = kernel.counter_add %n[%c0], %v order relaxed scope block : !one loc("add")
    } else {
      %p = kernel.counter_add %n[%c0], %v order relaxed : !one loc("add") // @count-block
      //@count-block %p = kernel.counter_add %n[%c0], %v order relaxed scope block : !one loc("add")
    }
    gpu.return
  }
}

// CUDA/atomics/definitions of GPUVerify, iGUARD's compare-and-swap: what a region makes of the old value.
// swap-plain: race: kernel 'swap': thread {{.*}} by memref.{{.*}} (loc("{{plain|most}}")), which thread {{.*}} by memref.{{.*}} (loc("{{plain|most}}")), in no order
gpu.module @m_swap {
  gpu.func @swap(%x: !g, %y: !one) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : !g
    %q = memref.generic_atomic_rmw %y[%c0] : !one {
    ^bb0(%old: i32):
      %more = arith.maxsi %old, %v : i32
      memref.atomic_yield %more : i32
    } loc("most")
    %is = arith.cmpi eq, %i, %c3 : index
    scf.if %is {
      //@swap-plain memref.store %v, %y[%c0] : !one loc("plain")
    }
    gpu.return
  }
}

func.func @flag(%x: memref<2xi32>) -> memref<2xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %data = host.alloc () : !one
  %flag = host.alloc () : !one
  host.fill %zero, %flag : i32, !one
  %y = host.output 0 () : memref<2xi32>
  host.fill %seven, %y : i32, memref<2xi32>
  host.launch @m_flag::@flag grid(%c2, %c1, %c1) block(32, 1, 1) args(%x, %y, %data, %flag : memref<2xi32>, memref<2xi32>, !one, !one) writes [1, 2, 3]
  return %y : memref<2xi32>
}
func.func @warps(%x: memref<64xi32>) -> memref<64xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %data = host.alloc () : !one
  %flag = host.alloc () : !one
  host.fill %zero, %flag : i32, !one
  %y = host.output 0 () : memref<64xi32>
  host.launch @m_warps::@warps grid(%c1, %c1, %c1) block(64, 1, 1) args(%x, %y, %data, %flag : memref<64xi32>, memref<64xi32>, !one, !one) writes [1, 2, 3]
  return %y : memref<64xi32>
}
func.func @relay(%x: memref<64xi32>) -> memref<64xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %data = host.alloc () : !one
  %flags = host.alloc () : memref<2xi32>
  host.fill %zero, %flags : i32, memref<2xi32>
  %y = host.output 0 () : memref<64xi32>
  host.fill %zero, %y : i32, memref<64xi32>
  host.launch @m_relay::@relay grid(%c2, %c1, %c1) block(64, 1, 1) args(%x, %y, %data, %flags : memref<64xi32>, memref<64xi32>, !one, memref<2xi32>) writes [1, 2, 3]
  return %y : memref<64xi32>
}
func.func @lock(%x: memref<8xi32>) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %tickets = host.alloc () : memref<2xi32>
  %served = host.alloc () : memref<2xi32>
  host.fill %zero, %tickets : i32, memref<2xi32>
  host.fill %zero, %served : i32, memref<2xi32>
  %y = host.output 0 () : !one
  host.fill %zero, %y : i32, !one
  host.launch @m_lock::@lock grid(%c8, %c1, %c1) block(1, 1, 1) cooperative args(%x, %y, %tickets, %served : memref<8xi32>, !one, memref<2xi32>, memref<2xi32>) writes [1, 2, 3]
  return %y : !one
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
func.func @swap(%x: !g) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %y = host.output 0 () : !one
  host.fill %zero, %y : i32, !one
  host.launch @m_swap::@swap grid(%c2, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !one) writes [1]
  return %y : !one
}
func.func @count(%x: !g) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %n = host.output 0 () : !one
  host.fill %zero, %n : i32, !one
  host.launch @m_count::@count grid(%c2, %c1, %c1) block(64, 1, 1) args(%x, %n : !g, !one) writes [1]
  return %n : !one
}
