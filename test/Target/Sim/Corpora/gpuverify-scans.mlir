// Sums and prefix sums of a block, as GPUVerify's benchmarks have them (mc-imperial/gpuverify, testsuite/; A. Betts et al., OOPSLA 2012; N. Chong et al., POPL 2014). lit.local.cfg says what the marks mean.
// RUN: %fault tree-step --entry=tree --input=128xi32=iota
// RUN: %fault tree-warp --entry=tree --input=128xi32=iota
// RUN: %fault tree-result --entry=tree --input=128xi32=iota
// RUN: %right --entry=tree --input=128xi32=iota --output=%t.tree.npy
// RUN: %fault pairs-step --entry=pairs --input=128xi32=iota
// RUN: %fault pairs-guard --entry=pairs --input=128xi32=iota
// RUN: %right --entry=pairs --input=128xi32=iota --output=%t.pairs.npy
// RUN: %fault kogge-read --entry=kogge --input=128xi32=iota
// RUN: %fault kogge-write --entry=kogge --input=128xi32=iota
// RUN: %fault kogge-guard --entry=kogge --input=128xi32=iota
// RUN: %right --entry=kogge --input=128xi32=iota --output=%t.kogge.npy
// RUN: %fault hillis-step --entry=hillis --input=128xi32=iota
// RUN: %fault hillis-buffer --entry=hillis --input=128xi32=iota
// RUN: %right --entry=hillis --input=128xi32=iota --output=%t.hillis.npy
// RUN: %fault blelloch-up --entry=blelloch --input=128xi32=iota
// RUN: %fault blelloch-clear --entry=blelloch --input=128xi32=iota
// RUN: %fault blelloch-down --entry=blelloch --input=128xi32=iota
// RUN: %fault blelloch-end --entry=blelloch --input=128xi32=iota
// RUN: %right --entry=blelloch --input=128xi32=iota --output=%t.blelloch.npy
// RUN: %fault brent-up --entry=brent --input=128xi32=iota
// RUN: %fault brent-down --entry=brent --input=128xi32=iota
// RUN: %fault brent-end --entry=brent --input=128xi32=iota
// RUN: %right --entry=brent --input=128xi32=iota --output=%t.brent.npy
// RUN: %fault warps-memory --entry=warps --input=128xi32=iota
// RUN: %fault warps-totals --entry=warps --input=128xi32=iota
// RUN: %fault warps-writer --entry=warps --input=128xi32=iota
// RUN: %fault warps-some --entry=warps --input=128xi32=iota
// RUN: %right --entry=warps --input=128xi32=iota --output=%t.warps.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').tolist(); r = range(128); \
// RUN:   to = [t * (t + 1) // 2 for t in r]; below = [s - t for s, t in zip(to, r)]; assert f('tree') == [to[127]] * 128; assert f('pairs') == [to[127]] * 128; \
// RUN:   assert f('kogge') == f('hillis') == f('brent') == f('warps') == to; assert f('blelloch') == below" %}

!g = memref<128xi32>
!s = memref<128xi32, #gpu.address_space<workgroup>>
#one = array<i32: 128, 1, 1>

// OpenCL/k-induction/amazingreduction: a tree in which half of the threads add what the other half has; also without barriers as soon as one warp is left.
// tree-step: race: kernel 'tree': thread {{.*}} writes {{.*}} by memref.store (loc("start")), which thread {{.*}} reads by memref.load (loc("other half")), in no order
// tree-warp: race: kernel 'tree': thread ({{[0-9]+}}, 0, 0) {{.*}} by memref.{{load|store}} (loc("{{.*half}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*half}}")), in no order
// tree-result: race: kernel 'tree': thread {{.*}} by memref.{{load|store}} (loc("{{result|half}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{result|half}}")), in no order
gpu.module @m_tree {
  gpu.func @tree(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s loc("start")
    scf.for %k = %c0 to %c7 step %c1 {
      %d = arith.shrui %c64, %k : index
      gpu.barrier // @tree-step @tree-warp
      //@tree-warp %wide = arith.cmpi uge, %d, %c16 : index
      //@tree-warp scf.if %wide {
      //@tree-warp   gpu.barrier
      //@tree-warp }
      %is = arith.cmpi ult, %t, %d : index
      scf.if %is {
        %i = arith.addi %t, %d : index
        %a = memref.load %s[%t] : !s
        %b = memref.load %s[%i] : !s loc("other half")
        %sum = arith.addi %a, %b : i32
        memref.store %sum, %s[%t] : !s loc("half")
      }
    }
    gpu.barrier // @tree-result
    %w = memref.load %s[%c0] : !s loc("result")
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// A tree of pairs at growing distances: thread t adds at 2dt.
// pairs-step: race: kernel 'pairs': thread {{.*}} by memref.{{load|store}} (loc("{{left|right}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{left|right}}")), in no order
// pairs-guard: bounds: kernel 'pairs': thread ({{32|63|64}}, 0, 0) {{.*}} by memref.load (loc("right")), from byte {{[0-9]+}} on of workgroup buffer {{.*}}, 512 bytes, {{.*}}
gpu.module @m_pairs {
  gpu.func @pairs(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c128 = arith.constant 128 : index // @pairs-guard
    //@pairs-guard %c128 = arith.constant 129 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    scf.for %k = %c0 to %c7 step %c1 {
      %d = arith.shli %c1, %k : index
      %double = arith.addi %d, %d : index
      %i = arith.muli %double, %t : index
      gpu.barrier // @pairs-step
      %is = arith.cmpi ult, %i, %c128 : index
      scf.if %is {
        %j = arith.addi %i, %d : index
        %b = memref.load %s[%j] : !s loc("right")
        %a = memref.load %s[%i] : !s
        %sum = arith.addi %a, %b : i32
        memref.store %sum, %s[%i] : !s loc("left")
      }
    }
    gpu.barrier
    %w = memref.load %s[%c0] : !s
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// Kogge and Stone's prefix sum in place: two barriers a step.
// kogge-read: race: kernel 'kogge': thread {{.*}} {{reads|writes}} {{.*}} by memref.{{load|store}} (loc("{{below|sum}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{below|sum}}")), in no order
// kogge-write: race: kernel 'kogge': thread {{.*}} {{reads|writes}} {{.*}} by memref.{{load|store}} (loc("{{below|sum}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{below|sum}}")), in no order
// kogge-guard: bounds: kernel 'kogge': thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes by memref.load (loc("below")), from byte -4 on of workgroup buffer {{.*}}, 512 bytes, {{.*}}
gpu.module @m_kogge {
  gpu.func @kogge(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    gpu.barrier
    %end = scf.for %k = %c0 to %c7 step %c1 iter_args(%own = %v) -> i32 {
      %d = arith.shli %c1, %k : index
      %i = arith.subi %t, %d : index
      %has = arith.cmpi uge, %t, %d : index // @kogge-guard
      //@kogge-guard %has = arith.constant true
      %a = scf.if %has -> i32 {
        %l = memref.load %s[%i] : !s loc("below")
        scf.yield %l : i32
      } else {
        scf.yield %zero : i32
      }
      gpu.barrier // @kogge-read
      %sum = arith.addi %own, %a : i32
      memref.store %sum, %s[%t] : !s loc("sum")
      gpu.barrier // @kogge-write
      scf.yield %sum : i32
    }
    memref.store %end, %y[%t] : !g
    gpu.return
  }
}

// The same with two buffers, one barrier a step.
// hillis-step: race: kernel 'hillis': thread {{.*}} by memref.{{load|store}} (loc("{{from|to}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{from|to}}")), in no order
// hillis-buffer: race: kernel 'hillis': thread {{.*}} by memref.{{load|store}} (loc("{{from|to}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{from|to}}")), in no order
gpu.module @m_hillis {
  gpu.func @hillis(%x: !g, %y: !g) workgroup(%s: memref<2x128xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%c0, %t] : memref<2x128xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %end = scf.for %k = %c0 to %c7 step %c1 iter_args(%own = %v) -> i32 {
      %d = arith.shli %c1, %k : index
      %from = arith.remui %k, %c2 : index
      %to = arith.subi %c1, %from : index // @hillis-buffer
      //@hillis-buffer %to = arith.remui %k, %c2 : index
      %has = arith.cmpi uge, %t, %d : index
      %a = scf.if %has -> i32 {
        %i = arith.subi %t, %d : index
        %l = memref.load %s[%from, %i] : memref<2x128xi32, #gpu.address_space<workgroup>> loc("from")
        scf.yield %l : i32
      } else {
        scf.yield %zero : i32
      }
      %sum = arith.addi %own, %a : i32
      memref.store %sum, %s[%to, %t] : memref<2x128xi32, #gpu.address_space<workgroup>> loc("to")
      gpu.barrier // @hillis-step
      scf.yield %sum : i32
    }
    memref.store %end, %y[%t] : !g
    gpu.return
  }
}

// Blelloch's prefix sum: up, the last one cleared, down.
// blelloch-up: race: kernel 'blelloch': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("up{{.*}}")), in no order
// blelloch-clear: race: kernel 'blelloch': thread {{.*}} by memref.{{load|store}} (loc("{{clear|down.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{clear|down.*}}")), in no order
// blelloch-down: race: kernel 'blelloch': thread {{.*}} by memref.{{load|store}} (loc("{{down.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{down.*}}")), in no order
// blelloch-end: race: kernel 'blelloch': thread {{.*}} by memref.{{load|store}} (loc("{{down left|down|result}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{down left|down|result}}")), in no order
gpu.module @m_blelloch {
  gpu.func @blelloch(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %next = arith.addi %t, %c1 : index
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    gpu.barrier
    scf.for %k = %c0 to %c7 step %c1 {
      %d = arith.shli %c1, %k : index
      %double = arith.muli %d, %c2 : index
      %e = arith.muli %next, %double : index
      %is = arith.cmpi ule, %e, %c128 : index
      scf.if %is {
        %j = arith.subi %e, %c1 : index
        %i = arith.subi %j, %d : index
        %a = memref.load %s[%i] : !s loc("up left")
        %b = memref.load %s[%j] : !s
        %sum = arith.addi %a, %b : i32
        memref.store %sum, %s[%j] : !s loc("up")
      }
      gpu.barrier // @blelloch-up
    }
    %last = arith.cmpi eq, %t, %c64 : index
    scf.if %last {
      memref.store %zero, %s[%c127] : !s loc("clear")
    }
    gpu.barrier // @blelloch-clear
    scf.for %k = %c0 to %c7 step %c1 {
      %d = arith.shrui %c64, %k : index
      %double = arith.muli %d, %c2 : index
      %e = arith.muli %next, %double : index
      %is = arith.cmpi ule, %e, %c128 : index
      scf.if %is {
        %j = arith.subi %e, %c1 : index
        %i = arith.subi %j, %d : index
        %a = memref.load %s[%i] : !s
        %b = memref.load %s[%j] : !s loc("down right")
        memref.store %b, %s[%i] : !s loc("down left")
        %sum = arith.addi %a, %b : i32
        memref.store %sum, %s[%j] : !s loc("down")
      }
      gpu.barrier // @blelloch-down
    }
    //@blelloch-end memref.store %zero, %s[%t] : !s loc("down")
    %w = memref.load %s[%t] : !s // @blelloch-end
    //@blelloch-end %w = memref.load %s[%c0] : !s loc("result")
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// Brent and Kung's: up, then sums of the halves between, and no cleared one.
// brent-up: race: kernel 'brent': thread {{.*}} by memref.{{load|store}} (loc("up{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("up{{.*}}")), in no order
// brent-down: race: kernel 'brent': thread {{.*}} by memref.{{load|store}} (loc("down{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("down{{.*}}")), in no order
// brent-end: race: kernel 'brent': thread {{.*}} by memref.{{load|store}} (loc("{{down|result}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{down|result}}")), in no order
gpu.module @m_brent {
  gpu.func @brent(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %next = arith.addi %t, %c1 : index
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    gpu.barrier
    scf.for %k = %c0 to %c7 step %c1 {
      %d = arith.shli %c1, %k : index
      %double = arith.muli %d, %c2 : index
      %e = arith.muli %next, %double : index
      %is = arith.cmpi ule, %e, %c128 : index
      scf.if %is {
        %j = arith.subi %e, %c1 : index
        %i = arith.subi %j, %d : index
        %a = memref.load %s[%i] : !s loc("up left")
        %b = memref.load %s[%j] : !s
        %sum = arith.addi %a, %b : i32
        memref.store %sum, %s[%j] : !s loc("up")
      }
      gpu.barrier // @brent-up
    }
    scf.for %k = %c0 to %c6 step %c1 {
      %d = arith.shrui %c32, %k : index
      %double = arith.muli %d, %c2 : index
      %e = arith.muli %next, %double : index
      %f = arith.addi %e, %d : index
      %is = arith.cmpi ule, %f, %c128 : index
      scf.if %is {
        %i = arith.subi %e, %c1 : index
        %j = arith.subi %f, %c1 : index
        %a = memref.load %s[%i] : !s loc("down left")
        %b = memref.load %s[%j] : !s
        %sum = arith.addi %a, %b : i32
        memref.store %sum, %s[%j] : !s loc("down")
      }
      gpu.barrier // @brent-down @brent-end
      //@brent-end %more = arith.cmpi ult, %c1, %d : index
      //@brent-end scf.if %more {
      //@brent-end   gpu.barrier
      //@brent-end }
    }
    %w = memref.load %s[%t] : !s loc("result")
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// CUDA/warpsync (scan_warp, intragroup_scan): sums of warps by shuffles, then of their totals. GPUVerify passes warps-memory where warps are said to run in step.
// warps-memory: race: kernel 'warps': thread {{.*}} by memref.{{load|store}} (loc("{{lane|lane below}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{lane|lane below}}")), in no order
// warps-totals: race: kernel 'warps': thread {{.*}} {{writes|reads}} byte {{.*}} of workgroup buffer {{.*}}, 16 bytes, {{.*}}, which thread {{.*}} by memref.{{.*}}, in no order
// warps-writer: race: kernel 'warps': thread ({{.*}}, 0, 0) {{.*}} writes byte {{.*}} of workgroup buffer {{.*}}, 16 bytes, {{.*}} by memref.store (loc("warp")), which thread {{.*}} writes by memref.store (loc("warp")), in no order
// warps-some: kernel 'warps{{.*}}': deadlock: 128 threads wait: thread {{.*}} of block (0, 0, 0) at gpu.barrier {{.*}}, and thread {{.*}} of block (0, 0, 0) at gpu.shuffle (loc("pass on"))
gpu.module @m_warps {
  gpu.func @warps(%x: !g, %y: !g) workgroup(%s: !s, %n: memref<4xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c31 = arith.constant 31 : index
    %width = arith.constant 32 : i32
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %v = memref.load %x[%t] : !g
    //@warps-memory memref.store %v, %s[%t] : !s loc("lane")
    %in = scf.for %k = %c0 to %c5 step %c1 iter_args(%own = %v) -> i32 {
      %d = arith.shli %c1, %k : index
      %offset = arith.index_cast %d : index to i32
      %has = arith.cmpi uge, %lane, %d : index
      %l, %valid = gpu.shuffle up %own, %offset, %width : i32 // @warps-memory @warps-some
      //@warps-some %l = scf.if %has -> i32 {
      //@warps-some   %o, %valid = gpu.shuffle up %own, %offset, %width : i32 loc("pass on")
      //@warps-some   scf.yield %o : i32
      //@warps-some } else {
      //@warps-some   scf.yield %zero : i32
      //@warps-some }
      //@warps-memory %i = arith.subi %t, %d : index
      //@warps-memory %l = scf.if %has -> i32 {
      //@warps-memory   %o = memref.load %s[%i] : !s loc("lane below")
      //@warps-memory   scf.yield %o : i32
      //@warps-memory } else {
      //@warps-memory   scf.yield %zero : i32
      //@warps-memory }
      %a = arith.select %has, %l, %zero : i32
      %sum = arith.addi %own, %a : i32
      //@warps-memory memref.store %sum, %s[%t] : !s loc("lane")
      scf.yield %sum : i32
    }
    %last = arith.cmpi eq, %lane, %c31 : index // @warps-writer
    //@warps-writer %last = arith.cmpi uge, %lane, %c5 : index
    scf.if %last {
      memref.store %in, %n[%warp] : memref<4xi32, #gpu.address_space<workgroup>> loc("warp")
    }
    gpu.barrier // @warps-totals
    %sum = scf.for %k = %c0 to %warp step %c1 iter_args(%own = %in) -> i32 {
      %a = memref.load %n[%k] : memref<4xi32, #gpu.address_space<workgroup>> loc("total")
      %more = arith.addi %own, %a : i32
      scf.yield %more : i32
    }
    memref.store %sum, %y[%t] : !g
    gpu.return
  }
}

func.func @tree(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_tree::@tree grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @pairs(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_pairs::@pairs grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @kogge(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_kogge::@kogge grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @hillis(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_hillis::@hillis grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @blelloch(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_blelloch::@blelloch grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @brent(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_brent::@brent grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @warps(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_warps::@warps grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
