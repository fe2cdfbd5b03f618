// Patterns of GPUVerify's test suite (mc-imperial/gpuverify, testsuite/): atomic accesses, barriers that not all come to, and bounds. lit.local.cfg says what the marks mean.
// RUN: %fault counter-start --entry=counter --input=128xi32=iota
// RUN: %fault counter-zero --entry=counter --input=128xi32=iota
// RUN: %fault counter-thread --entry=counter --input=128xi32=iota
// RUN: %fault counter-plain --entry=counter --input=128xi32=iota
// RUN: %right --entry=counter --input=128xi32=iota --output=%t.counter.npy
// RUN: %fault slots-start --entry=slots --input=128xi32=iota
// RUN: %fault slots-local --entry=slots --input=128xi32=iota
// RUN: %fault slots-fixed --entry=slots --input=128xi32=iota
// RUN: %right --entry=slots --input=128xi32=iota --output=%t.slots.npy
// RUN: %fault total-start --entry=total --input=128xi32=iota
// RUN: %fault total-early --entry=total --input=128xi32=iota
// RUN: %fault total-plain --entry=total --input=128xi32=iota
// RUN: %right --entry=total --input=128xi32=iota --output=%t.total.npy
// RUN: %fault chain-order --entry=chain --input=128xi32=iota
// RUN: %right --entry=chain --input=128xi32=iota --output=%t.chain.npy
// RUN: %fault pointer-same --entry=pointer --scalar=1 --input=128xi32=iota
// RUN: %right --entry=pointer --scalar=0 --input=128xi32=iota --output=%t.pointer.npy
// RUN: %fault bins-start --entry=bins --input=128xi32=iota
// RUN: %fault bins-plain --entry=bins --input=128xi32=iota
// RUN: %fault bins-order --entry=bins --input=128xi32=iota
// RUN: %right --entry=bins --input=128xi32=iota --output=%t.bins.npy
// RUN: %fault exchange-start --entry=exchange --input=128xi32=iota
// RUN: %fault exchange-plain --entry=exchange --input=128xi32=iota
// RUN: %right --entry=exchange --input=128xi32=iota --output=%t.exchange.npy
// RUN: %fault meet-one --entry=meet --scalar=1 --input=128xi32=iota
// RUN: %fault meet-data --entry=meet --scalar=1 --input=128xi32=iota
// RUN: %fault meet-branches --entry=meet --scalar=1 --input=128xi32=iota
// RUN: %fault meet-twice --entry=meet --scalar=1 --input=128xi32=iota
// RUN: %right --entry=meet --scalar=1 --input=128xi32=iota --output=%t.meet.npy
// RUN: %right --entry=meet --scalar=0 --input=128xi32=iota
// RUN: %fault trips-thread --entry=trips --input=128xi32=iota
// RUN: %fault trips-data --entry=trips --input=128xi32=iota
// RUN: %right --entry=trips --input=128xi32=iota --output=%t.trips.npy
// RUN: %fault leave-early --entry=leave --input=128xi32=iota
// RUN: %fault leave-warp --entry=leave --input=128xi32=iota
// RUN: %right --entry=leave --input=128xi32=iota --output=%t.leave.npy
// RUN: %fault table-upper --entry=table --input=128xi32=iota
// RUN: %fault table-lower --entry=table --input=128xi32=iota
// RUN: %fault table-loaded --entry=table --input=128xi32=iota
// RUN: %fault table-column --entry=table --input=128xi32=iota
// RUN: %right --entry=table --input=128xi32=iota --output=%t.table.npy
// RUN: %fault view-end --entry=view --input=128xi32=iota
// RUN: %right --entry=view --input=128xi32=iota --output=%t.view.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').tolist(); r = range(128); \
// RUN:   assert sorted(f('counter')) == [*r]; assert sorted(f('slots')) == [*r]; assert f('total') == [sum(r)] * 128; assert f('chain') == [1] * 128; \
// RUN:   assert f('pointer') == [*r]; assert f('bins') == [r.count(t) * 8 if t < 16 else 0 for t in r]; assert sorted(f('exchange')) == [-1, *range(127)] or len(set(f('exchange'))) == 128; \
// RUN:   assert f('meet') == [127 - t for t in r]; assert f('trips') == [t + t // 64 for t in r]; assert f('leave') == [(t + 1) %% 100 if t < 100 else 0 for t in r]; \
// RUN:   assert f('table') == [(t * 5) %% 25 for t in r]; assert f('view') == [*r]" %}

!g = memref<128xi32>
!s = memref<128xi32, #gpu.address_space<workgroup>>
!c = memref<1xi32, #gpu.address_space<workgroup>>
#one = array<i32: 128, 1, 1>
#two = array<i32: 64, 1, 1>

// OpenCL/atomics/counter, CUDA/atomics (add_one, add_zero, add_tid): a counter gives each thread a place of its own.
// counter-start: race: kernel 'counter': thread {{.*}} {{updates|writes}} byte 0 of workgroup buffer {{.*}}, 4 bytes, {{.*}}, which thread {{.*}} {{updates|writes}} by memref.{{.*}}, in no order
// counter-zero: race: kernel 'counter': thread {{.*}} writes byte 0 of argument 1 (512 bytes) by memref.store (loc("place")), which thread {{.*}} writes by memref.store (loc("place")), in no order
// counter-thread: race: kernel 'counter': thread {{.*}} writes byte {{.*}} of argument 1 (512 bytes) by memref.store (loc("place")), which thread {{.*}} writes by memref.store (loc("place")), in no order
// counter-plain: race: kernel 'counter': thread {{.*}} reads byte 0 of workgroup buffer {{.*}}, 4 bytes, {{.*}} by memref.load (loc("read")), which thread {{.*}} writes by memref.store (loc("write")), in no order
gpu.module @m_counter {
  gpu.func @counter(%x: !g, %y: !g) workgroup(%n: !c) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32 // @counter-zero @counter-thread
    //@counter-zero %one = arith.constant 0 : i32
    %t = gpu.thread_id x
    //@counter-thread %one = arith.index_cast %t : index to i32
    %v = memref.load %x[%t] : !g
    %is = arith.cmpi eq, %t, %c127 : index
    scf.if %is {
      memref.store %zero, %n[%c0] : !c loc("start")
    }
    gpu.barrier // @counter-start
    %p = memref.atomic_rmw addi %one, %n[%c0] : (i32, !c) -> i32 loc("place of a thread") // @counter-plain
    //@counter-plain %p = memref.load %n[%c0] : !c loc("read")
    //@counter-plain %q = arith.addi %p, %one : i32
    //@counter-plain memref.store %q, %n[%c0] : !c loc("write")
    %j = arith.index_cast %p : i32 to index
    %i = arith.minui %j, %c127 : index
    memref.store %v, %y[%i] : !g loc("place")
    gpu.return
  }
}

// OpenCL/atomics/refined_atomic_abstraction (bad_local_counters, predication): a counter of a group is none of the grid; a thread that takes no place.
// slots-start: race: kernel 'slots': thread {{.*}} {{updates|writes}} byte {{.*}} by memref.{{atomic_rmw|store}} {{.*}}, which thread {{.*}} {{updates|writes}} by memref.{{atomic_rmw|store}} {{.*}}, in no order
// slots-local: race: kernel 'slots': thread {{.*}} of block (1, 0, 0) writes byte {{.*}} of argument 1 (512 bytes) by memref.store (loc("slot")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("slot")), in no order
// slots-fixed: race: kernel 'slots': thread {{.*}} writes byte 48 of argument 1 (512 bytes) by memref.store (loc("slot")), which thread {{.*}} writes by memref.store (loc("slot")), in no order
gpu.module @m_slots {
  gpu.func @slots(%x: !g, %y: !g) workgroup(%n: !c) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c12 = arith.constant 12 : i32
    %c13 = arith.constant 13 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %g = arith.addi %f, %t : index
    %v = memref.load %x[%g] : !g
    %is = arith.cmpi eq, %t, %c0 : index
    scf.if %is {
      memref.store %zero, %n[%c0] : !c loc("start")
    }
    gpu.barrier // @slots-start
    %all = arith.constant true // @slots-fixed
    //@slots-fixed %all = arith.cmpi ne, %t, %c13 : index
    %p = scf.if %all -> i32 {
      %q = memref.atomic_rmw addi %one, %n[%c0] : (i32, !c) -> i32
      scf.yield %q : i32
    } else {
      scf.yield %c12 : i32
    }
    %j = arith.index_cast %p : i32 to index
    %i = arith.addi %f, %j : index // @slots-local
    //@slots-local %i = arith.addi %c0, %j : index
    memref.store %v, %y[%i] : !g loc("slot")
    gpu.return
  }
}

// OpenCL/atomics/atomic_read_race, CUDA/atomics/test_abstraction_enforced: a sum that is read while others add to it, or that one adds to without an atomic access.
// total-start: race: kernel 'total': thread {{.*}} {{updates|writes}} byte {{.*}} by memref.{{atomic_rmw|store}} {{.*}}, which thread {{.*}} {{updates|writes}} by memref.{{atomic_rmw|store}} {{.*}}, in no order
// total-early: race: kernel 'total': thread {{.*}} updates byte 0 {{.*}} by memref.atomic_rmw (loc("add")), which thread {{.*}} reads by memref.load (loc("result")), in no order
// total-plain: race: kernel 'total': thread {{.*}} by memref.{{load|store|atomic_rmw}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store|atomic_rmw}} (loc("{{.*}}")), in no order
gpu.module @m_total {
  gpu.func @total(%x: !g, %y: !g) workgroup(%n: !c) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    %is = arith.cmpi eq, %t, %c0 : index
    scf.if %is {
      memref.store %zero, %n[%c0] : !c loc("start")
    }
    gpu.barrier // @total-start
    %odd = arith.constant false // @total-plain
    //@total-plain %odd = arith.cmpi eq, %t, %c5 : index
    scf.if %odd {
      %old = memref.load %n[%c0] : !c loc("plain read")
      %new = arith.addi %old, %v : i32
      memref.store %new, %n[%c0] : !c loc("plain write")
    } else {
      %p = memref.atomic_rmw addi %v, %n[%c0] : (i32, !c) -> i32 loc("add")
    }
    gpu.barrier // @total-early
    %w = memref.load %n[%c0] : !c loc("result")
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/atomics/forloop: atomic accesses of a loop, then a plain one of each thread.
// chain-order: race: kernel 'chain': thread {{.*}} updates byte {{.*}} by memref.atomic_rmw (loc("all")), which thread {{.*}} writes by memref.store (loc("own")), in no order
gpu.module @m_chain {
  gpu.func @chain(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    memref.store %zero, %s[%t] : !s
    gpu.barrier
    scf.for %i = %c0 to %c8 step %c1 {
      %p = memref.atomic_rmw addi %one, %s[%i] : (i32, !s) -> i32 loc("all")
    }
    gpu.barrier // @chain-order
    memref.store %one, %s[%t] : !s loc("own")
    %w = memref.load %s[%t] : !s
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/atomics/pointers, misc/fail/miscfail10: which of two buffers is decided when the kernel runs.
// pointer-same: race: kernel 'pointer': thread {{.*}} updates byte 48 {{.*}} by memref.atomic_rmw (loc("chosen")), which thread (12, 0, 0) {{.*}} writes by memref.store (loc("own")), in no order
gpu.module @m_pointer {
  gpu.func @pointer(%x: !g, %which: index, %y: !g) workgroup(%a: !s, %b: !s) kernel attributes {known_block_size = #one} {
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %zero, %a[%t] : !s
    memref.store %zero, %b[%t] : !s
    gpu.barrier
    %is = arith.cmpi eq, %which, %c1 : index
    %p = arith.select %is, %a, %b : !s
    %old = memref.atomic_rmw addi %v, %p[%c12] : (i32, !s) -> i32 loc("chosen")
    memref.store %v, %a[%t] : !s loc("own")
    %w = memref.load %a[%t] : !s
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/atomics/histo, CUDA/scope: counts of values, which are cleared, counted and read.
// bins-start: race: kernel 'bins': thread {{.*}} {{updates|writes}} byte {{.*}} by memref.{{atomic_rmw|store}} {{.*}}, which thread {{.*}} {{updates|writes}} by memref.{{atomic_rmw|store}} {{.*}}, in no order
// bins-plain: race: kernel 'bins': thread {{.*}} reads byte {{.*}} by memref.load (loc("old count")), which thread {{.*}} writes by memref.store (loc("new count")), in no order
// bins-order: race: kernel 'bins': thread {{.*}} updates byte {{.*}} by memref.atomic_rmw (loc("count")), which thread {{.*}} reads by memref.load (loc("result")), in no order
gpu.module @m_bins {
  gpu.func @bins(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %zero, %s[%t] : !s loc("clear")
    gpu.barrier // @bins-start
    %u = arith.index_cast %v : i32 to index
    %i = arith.remui %u, %c16 : index
    %old = memref.atomic_rmw addi %one, %s[%i] : (i32, !s) -> i32 loc("count") // @bins-plain
    //@bins-plain %old = memref.load %s[%i] : !s loc("old count")
    //@bins-plain %new = arith.addi %old, %one : i32
    //@bins-plain memref.store %new, %s[%i] : !s loc("new count")
    gpu.barrier // @bins-order
    %w = memref.load %s[%t] : !s loc("result")
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// CUDA/atomics/definitions: an exchange.
// exchange-start: race: kernel 'exchange': thread {{.*}} {{updates|writes}} byte {{.*}} by memref.{{atomic_rmw|store}} {{.*}}, which thread {{.*}} {{updates|writes}} by memref.{{atomic_rmw|store}} {{.*}}, in no order
// exchange-plain: race: kernel 'exchange': thread {{.*}} by memref.{{.*}} (loc({{.*}})), which thread {{.*}} by memref.{{.*}} (loc({{.*}})), in no order
gpu.module @m_exchange {
  gpu.func @exchange(%x: !g, %y: !g) workgroup(%n: !c) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %none = arith.constant -1 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    %is = arith.cmpi eq, %t, %c0 : index
    scf.if %is {
      memref.store %none, %n[%c0] : !c loc("start")
    }
    gpu.barrier // @exchange-start
    %p = memref.atomic_rmw assign %v, %n[%c0] : (i32, !c) -> i32 loc("exchange") // @exchange-plain
    //@exchange-plain %p = memref.load %n[%c0] : !c loc("plain read")
    //@exchange-plain memref.store %v, %n[%c0] : !c loc("plain write")
    memref.store %p, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/barrierconditionalkernelparam, divergence, sourcelocation_tests/barrier_divergence, barrier_intervals/test2: all threads take one way, or some do.
// meet-one: barriers: kernel 'meet': thread {{.*}} has ended, while others wait at gpu.barrier (loc("inside"))
// meet-data: barriers: kernel 'meet': thread {{.*}} has ended, while others wait at gpu.barrier (loc("inside"))
// meet-branches: divergence: kernel 'meet': thread (64, 0, 0) of block (0, 0, 0) is at gpu.barrier (loc("other")), where others that it is to meet are at gpu.barrier (loc("inside"))
// meet-twice: divergence: kernel 'meet': thread (3, 0, 0) of block (0, 0, 0) is at gpu.barrier (loc("inside")), where others that it is to meet are at gpu.barrier (loc("outside"))
gpu.module @m_meet {
  gpu.func @meet(%x: !g, %which: index, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %hundred = arith.constant 100 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    %is = arith.cmpi eq, %which, %c1 : index // @meet-one @meet-data @meet-branches @meet-twice
    //@meet-one %is = arith.cmpi eq, %t, %c3 : index
    //@meet-data %is = arith.cmpi slt, %v, %hundred : i32
    //@meet-branches %is = arith.cmpi ult, %t, %c64 : index
    //@meet-twice %is = arith.cmpi eq, %t, %c3 : index
    scf.if %is {
      gpu.barrier loc("inside")
    } else {
      //@meet-branches gpu.barrier loc("other")
    }
    //@meet-twice gpu.barrier loc("outside")
    %r = arith.subi %c127, %t : index
    %u = scf.if %is -> i32 {
      %w = memref.load %s[%r] : !s
      scf.yield %w : i32
    } else {
      scf.yield %v : i32
    }
    memref.store %u, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/misc/pass/misc12, barrier_intervals/test4: a loop with barriers as often as the group says, or the thread.
// trips-thread: barriers: kernel 'trips': thread {{.*}} has ended, while others wait at gpu.barrier (loc("turn"))
// trips-data: barriers: kernel 'trips': thread {{.*}} has ended, while others wait at gpu.barrier (loc("turn"))
gpu.module @m_trips {
  gpu.func @trips(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : !g
    memref.store %v, %s[%t] : !s
    %n = arith.addi %b, %c0 : index // @trips-thread @trips-data
    //@trips-thread %n = arith.divui %t, %c3 : index
    //@trips-data %n = arith.index_cast %v : i32 to index
    scf.for %turn = %c0 to %n step %c1 {
      gpu.barrier loc("turn")
      %w = memref.load %s[%t] : !s
      %u = arith.addi %w, %one : i32
      memref.store %u, %s[%t] : !s
    }
    %r = memref.load %s[%t] : !s
    memref.store %r, %y[%i] : !g
    gpu.return
  }
}

// OpenCL/return_tests, noraceduetoreturn: threads that have nothing to do leave, before or behind the barrier.
// leave-early: barriers: kernel 'leave': thread ({{1[0-2][0-9]}}, 0, 0) of block (0, 0, 0) has ended, while others wait at gpu.barrier (loc("inner"))
// leave-warp: barriers: kernel 'leave': thread ({{[3-6][0-9]}}, 0, 0) of block (0, 0, 0) has ended, while others wait at gpu.barrier (loc("inner"))
gpu.module @m_leave {
  gpu.func @leave(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    memref.store %zero, %y[%t] : !g
    %few = arith.cmpi ult, %t, %c100 : index // @leave-warp
    //@leave-warp %low = arith.cmpi ult, %t, %c32 : index
    //@leave-warp %high = arith.cmpi ugt, %t, %c63 : index
    //@leave-warp %few = arith.ori %low, %high : i1
    gpu.barrier loc("outer") // @leave-early @leave-warp
    scf.if %few {
      //@leave-early gpu.barrier loc("inner")
      //@leave-warp gpu.barrier loc("inner")
      %n = arith.addi %t, %c1 : index
      %i = arith.remui %n, %c100 : index
      %w = memref.load %s[%i] : !s
      memref.store %w, %y[%t] : !g
    }
    gpu.return
  }
}

// OpenCL/array_bounds_tests (simple_array_fail_upper and _lower, array_in_array_param, multi_dim_array_fail_upper): a table in shared memory.
// table-upper: bounds: kernel 'table': thread (25, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store (loc("fill")), from byte 100 on of workgroup buffer {{.*}}, 100 bytes, {{.*}}
// table-lower: bounds: kernel 'table': thread (1, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store (loc("fill")), from byte -4 on of workgroup buffer {{.*}}, 100 bytes, {{.*}}
// table-loaded: bounds: kernel 'table': thread ({{.*}}, 0, 0) of block (0, 0, 0) reads 4 bytes by memref.load (loc("entry")), from byte {{[1-9][0-9][0-9]+}} on of workgroup buffer {{.*}}, 100 bytes, {{.*}}
// table-column: bounds: kernel 'table': thread ({{.*}}, 0, 0) of block (0, 0, 0) reads 4 bytes by memref.load (loc("entry")), from byte {{1[0-9]+}} on of workgroup buffer {{.*}}, 100 bytes, {{.*}}
gpu.module @m_table {
  gpu.func @table(%x: !g, %y: !g) workgroup(%s: memref<5x5xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c25 = arith.constant 25 : index // @table-upper
    //@table-upper %c25 = arith.constant 26 : index
    %size = arith.constant 25 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    %in = arith.cmpi ult, %t, %c25 : index
    scf.if %in {
      %i = arith.divui %t, %c5 : index
      %j = arith.remui %t, %c5 : index // @table-lower
      //@table-lower %sum = arith.addi %i, %i : index
      //@table-lower %five = arith.muli %sum, %c5 : index
      //@table-lower %j = arith.subi %five, %t : index
      memref.store %v, %s[%i, %j] : memref<5x5xi32, #gpu.address_space<workgroup>> loc("fill")
    }
    gpu.barrier
    %u = arith.index_cast %v : i32 to index
    %five = arith.muli %u, %c5 : index
    %w = arith.remui %five, %size : index
    %i = arith.divui %w, %c5 : index // @table-loaded
    //@table-loaded %i = arith.divui %u, %c1 : index
    %j = arith.remui %w, %c5 : index // @table-column
    //@table-column %j = arith.addi %i, %i : index
    %r = memref.load %s[%i, %j] : memref<5x5xi32, #gpu.address_space<workgroup>> loc("entry")
    memref.store %r, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/array_bounds_tests/realign_simple, pointertests, alignment: bytes of a buffer of words, as far as it goes.
// view-end: bounds: kernel 'view': thread (127, 0, 0) of block (0, 0, 0) writes 4 bytes by memref.store (loc("word")), from byte 512 on of workgroup buffer {{.*}}, 512 bytes, {{.*}}
gpu.module @m_view {
  gpu.func @view(%x: !g, %y: !g) workgroup(%b: memref<512xi8, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x // @view-end
    //@view-end %c1 = arith.constant 1 : index
    //@view-end %u = gpu.thread_id x
    //@view-end %i = arith.addi %u, %c1 : index
    %t = gpu.thread_id x
    %s = memref.view %b[%c0][] : memref<512xi8, #gpu.address_space<workgroup>> to !s
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%i] : !s loc("word")
    %w = memref.load %s[%i] : !s
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

func.func @counter(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_counter::@counter grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @slots(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : !g
  host.launch @m_slots::@slots grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @total(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_total::@total grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @chain(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_chain::@chain grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @pointer(%x: !g, %n: index) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_pointer::@pointer grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %n, %y : !g, index, !g) writes [2]
  return %y : !g
}
func.func @bins(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_bins::@bins grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @exchange(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_exchange::@exchange grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @meet(%x: !g, %n: index) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_meet::@meet grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %n, %y : !g, index, !g) writes [2]
  return %y : !g
}
func.func @trips(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : !g
  host.launch @m_trips::@trips grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @leave(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_leave::@leave grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @table(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_table::@table grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @view(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_view::@view grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
