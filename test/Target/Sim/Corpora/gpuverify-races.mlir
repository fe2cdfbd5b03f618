// Patterns of GPUVerify's test suite (mc-imperial/gpuverify, testsuite/): small kernels with and without a race. lit.local.cfg says what the marks mean.
// RUN: %fault neighbour-start --entry=neighbour --input=128xi32=iota
// RUN: %fault neighbour-order --entry=neighbour --input=128xi32=iota
// RUN: %right --entry=neighbour --input=128xi32=iota --output=%t.neighbour.npy
// RUN: %fault scalar-all --entry=scalar --input=128xi32=iota
// RUN: %fault scalar-same --entry=scalar --input=128xi32=iota
// RUN: %fault scalar-back --entry=scalar --input=128xi32=iota
// RUN: %right --entry=scalar --input=128xi32=iota --output=%t.scalar.npy
// RUN: %fault cell-write-read --entry=cell --input=128xi32=iota
// RUN: %fault cell-read-write --entry=cell --input=128xi32=iota
// RUN: %fault cell-write-write --entry=cell --input=128xi32=iota
// RUN: %right --entry=cell --input=128xi32=iota --output=%t.cell.npy
// RUN: %fault halves-shared --entry=halves --input=128xi32=iota
// RUN: %right --entry=halves --input=128xi32=iota --output=%t.halves.npy
// RUN: %fault loop-two --entry=loop --input=128xi32=iota
// RUN: %fault loop-read --entry=loop --input=128xi32=iota
// RUN: %fault loop-carried --entry=loop --input=128xi32=iota
// RUN: %right --entry=loop --input=128xi32=iota --output=%t.loop.npy
// RUN: %fault rows-order --entry=rows --input=128xi32=iota
// RUN: %fault rows-start --entry=rows --input=128xi32=iota
// RUN: %right --entry=rows --input=128xi32=iota --output=%t.rows.npy
// RUN: %fault cast-byte --entry=cast --input=128xi32=iota
// RUN: %right --entry=cast --input=128xi32=iota --output=%t.cast.npy
// RUN: %fault step-over --entry=step --input=128xi32=iota
// RUN: %right --entry=step --input=128xi32=iota --output=%t.step.npy
// RUN: %fault groups-local --entry=groups --input=128xi32=iota
// RUN: %fault groups-order --entry=groups --input=128xi32=iota
// RUN: %fault groups-guard --entry=groups --input=128xi32=iota
// RUN: %right --entry=groups --input=128xi32=iota --output=%t.groups.npy
// RUN: %fault next-group --entry=next --input=128xi32=iota
// RUN: %right --entry=next --input=128xi32=iota --output=%t.next.npy
// RUN: %fault alias-same --entry=alias --input=128xi32=iota
// RUN: %right --entry=alias --input=128xi32=iota --output=%t.alias.npy
// RUN: %fault stride-even --entry=stride --scalar=2 --input=128xi32=iota
// RUN: %fault stride-zero --entry=stride --scalar=0 --input=128xi32=iota
// RUN: %right --entry=stride --scalar=3 --input=128xi32=iota --output=%t.stride.npy
// RUN: %fault wrap-twice --entry=wrap --input=128xi32=iota
// RUN: %right --entry=wrap --input=128xi32=iota --output=%t.wrap.npy
// RUN: %fault strip-step --entry=strip --input=128xi32=iota
// RUN: %fault strip-width --entry=strip --input=128xi32=iota
// RUN: %right --entry=strip --input=128xi32=iota --output=%t.strip.npy
// RUN: %fault lanes-memory --entry=lanes --input=128xi32=iota
// RUN: %right --entry=lanes --input=128xi32=iota --output=%t.lanes.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').tolist(); r = range(128); \
// RUN:   assert f('neighbour') == [t + (t + 1) %% 128 for t in r]; assert f('scalar') == [5] * 128; \
// RUN:   assert f('cell') == [8 if t == 7 else 8 + t for t in r]; assert f('halves') == [*r]; assert f('loop') == [(t + 4) %% 128 + 4 for t in r]; \
// RUN:   assert f('rows') == [t + (t + 16) %% 128 for t in r]; assert f('cast') == [*r]; assert f('step') == [t // 2 for t in r]; \
// RUN:   assert f('groups') == [t - (t %% 64 > 0) for t in r]; assert f('next') == [t + (t + 64) %% 128 for t in r]; \
// RUN:   assert f('alias') == [(t + 1) %% 128 for t in r]; assert [f('stride')[t * 3 %% 128] for t in r] == [*r]; \
// RUN:   assert f('wrap') == [(t - 1) %% 128 for t in r]; assert f('strip') == [*range(200)]; assert f('lanes') == [t // 32 * 32 + (t + 1) %% 32 for t in r]" %}

!g = memref<128xi32>
!s = memref<128xi32, #gpu.address_space<workgroup>>
#one = array<i32: 128, 1, 1>
#two = array<i32: 64, 1, 1>

// OpenCL/misc/fail/miscfail6, miscfail8, CUDA/cooperative_groups/pass/block_barrier: an element and its neighbour's, in place.
// neighbour-start: uninit: {{.*}} by memref.load (loc("neighbour's")), which nothing has written
// neighbour-start: race: kernel 'neighbour': thread {{.*}} writes {{.*}} by memref.store (loc("own")), which thread {{.*}} reads by memref.load (loc("neighbour's")), in no order
// neighbour-order: race: kernel 'neighbour': thread {{.*}} writes {{.*}} by memref.store (loc("sum")), which thread {{.*}} reads by memref.load (loc("neighbour's")), in no order
gpu.module @m_neighbour {
  gpu.func @neighbour(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s loc("own")
    gpu.barrier // @neighbour-start
    %n = arith.addi %t, %c1 : index
    %i = arith.remui %n, %c128 : index
    %w = memref.load %s[%i] : !s loc("neighbour's")
    gpu.barrier // @neighbour-order
    %sum = arith.addi %v, %w : i32
    memref.store %sum, %s[%t] : !s loc("sum")
    %r = memref.load %s[%t] : !s
    memref.store %r, %y[%t] : !g
    gpu.return
  }
}

// CUDA/fail_tests/shared_int, race_on_shared; OpenCL/benign_race_tests (writezero_nobenign, writeafterread): one cell for all threads, of different
// values or the same. Both are races here.
// scalar-all: race: kernel 'scalar': thread (1, 0, 0) {{.*}} writes byte 0 {{.*}} by memref.store (loc("of all")), which thread (0, 0, 0) {{.*}} writes by memref.store (loc("of all")), in no order
// scalar-same: race: kernel 'scalar': thread (1, 0, 0) {{.*}} writes byte 0 {{.*}} by memref.store (loc("same")), which thread (0, 0, 0) {{.*}} writes by memref.store (loc("same")), in no order
// scalar-back: race: kernel 'scalar': thread {{.*}} reads byte 0 {{.*}} by memref.load (loc("scalar")), which thread {{.*}} writes by memref.store (loc("back")), in no order
gpu.module @m_scalar {
  gpu.func @scalar(%x: !g, %y: !g) workgroup(%s: memref<i32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #one} {
    %c5 = arith.constant 5 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    //@scalar-all memref.store %v, %s[] : memref<i32, #gpu.address_space<workgroup>> loc("of all")
    //@scalar-same memref.store %zero, %s[] : memref<i32, #gpu.address_space<workgroup>> loc("same")
    gpu.barrier
    %is = arith.cmpi eq, %t, %c5 : index
    scf.if %is {
      memref.store %v, %s[] : memref<i32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %w = memref.load %s[] : memref<i32, #gpu.address_space<workgroup>> loc("scalar")
    //@scalar-back memref.store %w, %s[] : memref<i32, #gpu.address_space<workgroup>> loc("back")
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/sourcelocation_tests/races (write_read, read_write, write_write/normal): one element that all read or one other writes.
// cell-write-read: race: kernel 'cell': thread (8, 0, 0) {{.*}} writes byte 32 {{.*}} by memref.store (loc("first")), which thread {{.*}} reads by memref.load (loc("cell 8")), in no order
// cell-read-write: race: kernel 'cell': thread (8, 0, 0) {{.*}} writes byte 32 {{.*}} by memref.store (loc("second")), which thread {{.*}} reads by memref.load (loc("cell 8")), in no order
// cell-write-write: race: kernel 'cell': thread (7, 0, 0) {{.*}} writes byte 28 {{.*}} by memref.store (loc("second")), which thread (0, 0, 0) {{.*}} writes by memref.store (loc("cell 7")), in no order
gpu.module @m_cell {
  gpu.func @cell(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s loc("first")
    gpu.barrier // @cell-write-read
    %w = memref.load %s[%c8] : !s loc("cell 8")
    gpu.barrier // @cell-read-write
    %sum = arith.addi %v, %w : i32
    memref.store %sum, %s[%t] : !s loc("second")
    gpu.barrier // @cell-write-write
    %is = arith.cmpi eq, %t, %c0 : index
    scf.if %is {
      memref.store %w, %s[%c7] : !s loc("cell 7")
    }
    gpu.barrier
    %r = memref.load %s[%t] : !s
    memref.store %r, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/sourcelocation_tests/races/fail/write_write/elem_width_16: elements of two bytes. Those that share a word are apart.
// halves-shared: race: kernel 'halves': thread (1, 0, 0) {{.*}} writes byte 0 of workgroup buffer {{.*}}, 256 bytes, {{.*}} by memref.store (loc("half")), which thread (0, 0, 0) {{.*}} writes by memref.store (loc("half")), in no order
gpu.module @m_halves {
  gpu.func @halves(%x: !g, %y: !g) workgroup(%s: memref<128xi16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #one} {
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    %h = arith.trunci %v : i32 to i16
    %c1 = arith.constant 1 : index // @halves-shared
    //@halves-shared %c1 = arith.constant 2 : index
    %i = arith.divui %t, %c1 : index
    memref.store %h, %s[%i] : memref<128xi16, #gpu.address_space<workgroup>> loc("half")
    gpu.barrier
    %w = memref.load %s[%i] : memref<128xi16, #gpu.address_space<workgroup>>
    %r = arith.extui %w : i16 to i32
    memref.store %r, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/sourcelocation_tests/races/fail/write_write/loop, race_with_loop, barrier_intervals/test3: barriers of a loop; what one turn writes and the next reads.
// loop-two: race: kernel 'loop': thread (5, 0, 0) {{.*}} writes byte 20 {{.*}} by memref.store (loc("step")), which thread (4, 0, 0) {{.*}} writes by memref.store (loc("beside")), in no order
// loop-read: race: kernel 'loop': thread {{.*}} writes {{.*}} by memref.store (loc("step")), which thread {{.*}} reads by memref.load (loc("before")), in no order
// loop-carried: race: kernel 'loop': thread {{.*}} reads {{.*}} by memref.load (loc("before")), which thread {{.*}} writes by memref.store (loc("step")), in no order
gpu.module @m_loop {
  gpu.func @loop(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    gpu.barrier
    %n = arith.addi %t, %c1 : index
    %i = arith.remui %n, %c128 : index
    %four = arith.cmpi eq, %t, %c4 : index
    scf.for %turn = %c0 to %c4 step %c1 {
      %w = memref.load %s[%i] : !s loc("before")
      gpu.barrier // @loop-read
      %u = arith.addi %w, %one : i32
      memref.store %u, %s[%t] : !s loc("step")
      scf.if %four {
        //@loop-two memref.store %u, %s[%n] : !s loc("beside")
      }
      gpu.barrier // @loop-carried
    }
    %r = memref.load %s[%t] : !s
    memref.store %r, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/misc/fail/2d_array_race, multidimarrays: rows of a tile, threads in two dimensions.
// rows-start: race: kernel 'rows': thread ({{[0-9]+}}, {{[1-7]}}, 0) {{.*}} writes {{.*}} by memref.store (loc("own")), which thread ({{[0-9]+}}, {{[0-7]}}, 0) {{.*}} reads by memref.load (loc("next row")), in no order
// rows-order: race: kernel 'rows': thread ({{[0-9]+}}, {{[0-7]}}, 0) {{.*}} writes {{.*}} by memref.store (loc("sum")), which thread ({{[0-9]+}}, {{[0-7]}}, 0) {{.*}} reads by memref.load (loc("next row")), in no order
gpu.module @m_rows {
  gpu.func @rows(%x: memref<8x16xi32>, %y: memref<8x16xi32>) workgroup(%s: memref<8x16xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 16, 8, 1>} {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %v = memref.load %x[%ty, %tx] : memref<8x16xi32>
    memref.store %v, %s[%ty, %tx] : memref<8x16xi32, #gpu.address_space<workgroup>> loc("own")
    gpu.barrier // @rows-start
    %n = arith.addi %ty, %c1 : index
    %i = arith.remui %n, %c8 : index
    %w = memref.load %s[%i, %tx] : memref<8x16xi32, #gpu.address_space<workgroup>> loc("next row")
    gpu.barrier // @rows-order
    %sum = arith.addi %v, %w : i32
    memref.store %sum, %s[%ty, %tx] : memref<8x16xi32, #gpu.address_space<workgroup>> loc("sum")
    %r = memref.load %s[%ty, %tx] : memref<8x16xi32, #gpu.address_space<workgroup>>
    memref.store %r, %y[%ty, %tx] : memref<8x16xi32>
    gpu.return
  }
}

// OpenCL/misc/fail/4d_array_with_casting, alignment/race_location: words and their bytes, of one buffer under two types.
// cast-byte: race: kernel 'cast': thread (3, 0, 0) {{.*}} writes byte 10 of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.store (loc("byte")), which thread (2, 0, 0) {{.*}} writes by memref.store (loc("word")), in no order
gpu.module @m_cast {
  gpu.func @cast(%x: !g, %y: !g) workgroup(%b: memref<512xi8, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c14 = arith.constant 14 : index // @cast-byte
    //@cast-byte %c14 = arith.constant 10 : index
    %t = gpu.thread_id x
    %s = memref.view %b[%c0][] : memref<512xi8, #gpu.address_space<workgroup>> to !s
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s loc("word")
    %is = arith.cmpi eq, %t, %c3 : index
    scf.if %is {
      %zero = arith.constant 0 : i8
      memref.store %zero, %b[%c14] : memref<512xi8, #gpu.address_space<workgroup>> loc("byte")
    }
    gpu.barrier
    %w = memref.load %s[%t] : !s
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// CUDA/memcpy/fail_overstep, fail_arrayofstruct: a piece that is as large as two, and reaches into the next thread's.
// step-over: race: kernel 'step': thread (1, 0, 0) {{.*}} writes byte 4 {{.*}} by vector.store (loc("piece")), which thread (0, 0, 0) {{.*}} writes by vector.store (loc("piece")), in no order
gpu.module @m_step {
  gpu.func @step(%x: !g, %y: !g) kernel attributes {known_block_size = #two} {
    %c2 = arith.constant 2 : index // @step-over
    //@step-over %c2 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    %p = vector.broadcast %v : i32 to vector<2xi32>
    %i = arith.muli %t, %c2 : index
    vector.store %p, %y[%i] : !g, vector<2xi32> loc("piece")
    gpu.return
  }
}

// OpenCL/inter_group_and_barrier_flag_tests (local_id, sync, sync_within_group, missing_global_barrier_flag): a barrier is one of a group only.
// groups-local: race: kernel 'groups': thread (0, 0, 0) of block (1, 0, 0) writes byte 0 of argument 1 (512 bytes) by memref.store (loc("own")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc({{.*}})), in no order
// groups-order: race: kernel 'groups': thread (1, 0, 0) of block (0, 0, 0) writes byte 4 of argument 1 (512 bytes) by memref.store (loc("own")), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store (loc("next")), in no order
// groups-guard: race: kernel 'groups': thread (0, 0, 0) of block (1, 0, 0) writes byte 256 of argument 1 (512 bytes) by memref.store (loc("own")), which thread (63, 0, 0) of block (0, 0, 0) writes by memref.store (loc("next")), in no order
gpu.module @m_groups {
  gpu.func @groups(%x: !g, %y: !g) kernel attributes {known_block_size = #two} {
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index // @groups-guard
    //@groups-guard %c63 = arith.constant 64 : index
    %c64 = arith.constant 64 : index // @groups-local
    //@groups-local %c64 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : !g
    memref.store %v, %y[%i] : !g loc("own")
    gpu.barrier // @groups-order
    %low = arith.cmpi ult, %t, %c63 : index
    %in = arith.cmpi ult, %i, %c127 : index
    %is = arith.andi %low, %in : i1
    scf.if %is {
      %n = arith.addi %i, %c1 : index
      memref.store %v, %y[%n] : !g loc("next")
    }
    gpu.return
  }
}

// CUDA/warpsync/bad_inter_group: a group adds what the next one has, in place. Between launches there is an order.
// next-group: race: kernel 'next': thread (0, 0, 0) of block (1, 0, 0) {{(reads byte 0|writes byte 256)}} of argument 0 (512 bytes) by memref.{{.*}}, which thread (0, 0, 0) of block (0, 0, 0) {{(reads|writes)}} by memref.{{.*}}, in no order
gpu.module @m_copy {
  gpu.func @copy(%x: !g, %y: !g) kernel attributes {known_block_size = #one} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %y[%t] : !g
    gpu.return
  }
}
gpu.module @m_next {
  gpu.func @next(%x: !g, %y: !g) kernel attributes {known_block_size = #two} {
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %n = arith.addi %i, %c64 : index
    %m = arith.remui %n, %c128 : index
    %v = memref.load %x[%i] : !g
    %w = memref.load %x[%m] : !g
    %sum = arith.addi %v, %w : i32
    memref.store %sum, %y[%i] : !g
    gpu.return
  }
}

// OpenCL, CUDA/pointeranalysistests (testbasicaliasing, testinterprocedural): two arguments that may be one buffer.
// alias-same: race: kernel 'alias': thread (1, 0, 0) {{.*}} writes byte 4 of argument 0 (512 bytes) by memref.store (loc("to")), which thread (0, 0, 0) {{.*}} reads by memref.load (loc("from")), in no order
gpu.module @m_alias {
  gpu.func @alias(%a: !g, %b: !g) kernel attributes {known_block_size = #one} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %n = arith.addi %t, %c1 : index
    %i = arith.remui %n, %c128 : index
    %v = memref.load %a[%i] : !g loc("from")
    memref.store %v, %b[%t] : !g loc("to")
    gpu.return
  }
}

// CUDA/param_values/value_causing_race, OpenCL/misc/pass/misc15: an argument decides whether threads meet.
// stride-even: race: kernel 'stride': thread (64, 0, 0) {{.*}} writes byte 0 {{.*}} by memref.store (loc("scatter")), which thread (0, 0, 0) {{.*}} writes by memref.store (loc("scatter")), in no order
// stride-zero: race: kernel 'stride': thread (1, 0, 0) {{.*}} writes byte 0 {{.*}} by memref.store (loc("scatter")), which thread (0, 0, 0) {{.*}} writes by memref.store (loc("scatter")), in no order
gpu.module @m_stride {
  gpu.func @stride(%x: !g, %n: index, %y: !g) kernel attributes {known_block_size = #one} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    %p = arith.muli %t, %n : index
    %i = arith.remui %p, %c128 : index
    memref.store %v, %y[%i] : !g loc("scatter")
    gpu.return
  }
}

// OpenCL/barrier_invariants (wrap_around, ternary, all_different): places that are themselves in shared memory.
// wrap-twice: race: kernel 'wrap': thread {{.*}} writes {{.*}} by memref.store (loc("scatter")), which thread {{.*}} writes by memref.store (loc("scatter")), in no order
gpu.module @m_wrap {
  gpu.func @wrap(%x: !g, %y: !g) workgroup(%a: !s, %b: !s) kernel attributes {known_block_size = #one} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %mask = arith.constant -1 : i32 // @wrap-twice
    //@wrap-twice %mask = arith.constant -2 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    %place = arith.andi %v, %mask : i32
    memref.store %place, %a[%t] : !s
    gpu.barrier
    %n = arith.addi %t, %c1 : index
    %i = arith.remui %n, %c128 : index
    %p = memref.load %a[%i] : !s
    %j = arith.index_cast %p : i32 to index
    memref.store %v, %b[%j] : !s loc("scatter")
    gpu.barrier
    %r = memref.load %b[%t] : !s
    memref.store %r, %y[%t] : !g
    gpu.return
  }
}

// CUDA/reduced_strength_blockwise, OpenCL/reducedstrength_generalised: a strip of each block, in steps of a block's threads.
// strip-step: race: kernel 'strip': thread {{.*}} of block (0, 0, 0) {{.*}} by memref.store (loc("element")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("element")), in no order
// strip-width: race: kernel 'strip': thread {{.*}} of block (1, 0, 0) writes byte 396 of argument 0 (800 bytes) by memref.store (loc("element")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("element")), in no order
gpu.module @m_strip {
  gpu.func @strip(%y: memref<200xi32>) kernel attributes {known_block_size = #two} {
    %c64 = arith.constant 64 : index // @strip-step
    //@strip-step %c64 = arith.constant 63 : index
    %width = arith.constant 100 : index // @strip-width
    //@strip-width %width = arith.constant 99 : index
    %c100 = arith.constant 100 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %width : index
    scf.for %i = %t to %c100 step %c64 {
      %j = arith.addi %f, %i : index
      %v = arith.index_cast %j : index to i32
      memref.store %v, %y[%j] : memref<200xi32> loc("element")
    }
    gpu.return
  }
}

// CUDA/warpsync/shuffle, broken_shuffle: a warp passes values on. GPUVerify takes a warp's accesses as ordered where it is told so; a GPU does not any more, and so it is
// a race here.
// lanes-memory: race: kernel 'lanes': thread {{.*}} by memref.{{load|store}} (loc("{{lane|own}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{lane|own}}")), in no order
gpu.module @m_lanes {
  gpu.func @lanes(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %lane = gpu.lane_id
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s loc("own")
    %n = arith.addi %lane, %c1 : index
    %m = arith.remui %n, %c32 : index
    %i = arith.index_cast %m : index to i32
    %w, %valid = gpu.shuffle idx %v, %i, %width : i32 // @lanes-memory
    //@lanes-memory %warp = arith.subi %t, %lane : index
    //@lanes-memory %j = arith.addi %warp, %m : index
    //@lanes-memory %w = memref.load %s[%j] : !s loc("lane")
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

func.func @neighbour(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_neighbour::@neighbour grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @scalar(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_scalar::@scalar grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @cell(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_cell::@cell grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @halves(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_halves::@halves grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @loop(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_loop::@loop grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @rows(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  %x2 = memref.expand_shape %x [[0, 1]] output_shape [8, 16] : !g into memref<8x16xi32>
  %y2 = memref.expand_shape %y [[0, 1]] output_shape [8, 16] : !g into memref<8x16xi32>
  host.launch @m_rows::@rows grid(%c1, %c1, %c1) block(16, 8, 1) args(%x2, %y2 : memref<8x16xi32>, memref<8x16xi32>) writes [1]
  return %y : !g
}
func.func @cast(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_cast::@cast grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @step(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_step::@step grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @groups(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : !g
  host.launch @m_groups::@groups grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @next(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = host.alloc () : !g
  %y = host.output 0 () : !g
  host.launch @m_copy::@copy grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %z : !g, !g) writes [1]
  host.launch @m_next::@next grid(%c2, %c1, %c1) block(64, 1, 1) args(%z, %y : !g, !g) writes [1] // @next-group
  //@next-group host.launch @m_next::@next grid(%c2, %c1, %c1) block(64, 1, 1) args(%z, %z : !g, !g) writes [0, 1]
  //@next-group host.launch @m_copy::@copy grid(%c1, %c1, %c1) block(128, 1, 1) args(%z, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @alias(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %z = host.alloc () : !g
  %y = host.output 0 () : !g
  host.launch @m_copy::@copy grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %z : !g, !g) writes [1]
  host.launch @m_alias::@alias grid(%c1, %c1, %c1) block(128, 1, 1) args(%z, %y : !g, !g) writes [1] // @alias-same
  //@alias-same host.launch @m_alias::@alias grid(%c1, %c1, %c1) block(128, 1, 1) args(%z, %z : !g, !g) writes [0, 1]
  //@alias-same host.launch @m_copy::@copy grid(%c1, %c1, %c1) block(128, 1, 1) args(%z, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @stride(%x: !g, %n: index) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_stride::@stride grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %n, %y : !g, index, !g) writes [2]
  return %y : !g
}
func.func @wrap(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_wrap::@wrap grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @strip(%x: !g) -> memref<200xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = host.output 0 () : memref<200xi32>
  host.launch @m_strip::@strip grid(%c2, %c1, %c1) block(64, 1, 1) args(%y : memref<200xi32>) writes [0]
  return %y : memref<200xi32>
}
func.func @lanes(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_lanes::@lanes grid(%grid, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
