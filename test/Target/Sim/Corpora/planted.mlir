// Faults that kernels are written with, and of the program around them. lit.local.cfg says what the marks mean.
// RUN: %fault tail-one --entry=tail --input=100xi32=iota
// RUN: %fault tail-grid --entry=tail --input=100xi32=iota
// RUN: %fault tail-block --entry=tail --input=100xi32=iota
// RUN: %right --entry=tail --input=100xi32=iota --output=%t.tail.npy
// RUN: %right --entry=tail --input=64xi32=iota
// RUN: %right --entry=tail --input=0xi32=iota
// RUN: %fault masks-load --entry=masks --input=102xi32=iota
// RUN: %fault masks-store --entry=masks --input=102xi32=iota
// RUN: %fault masks-odd --entry=masks --input=102xi32=iota
// RUN: %fault masks-whole --entry=masks --input=102xi32=iota
// RUN: %right --entry=masks --input=102xi32=iota --output=%t.masks.npy
// RUN: %fault part-lane --entry=part --input=40xi32=iota
// RUN: %fault part-ended --entry=part --input=40xi32=iota
// RUN: %fault part-branch --entry=part --input=40xi32=iota
// RUN: %fault part-trips --entry=part --input=40xi32=iota
// RUN: %right --entry=part --input=40xi32=iota --output=%t.part.npy
// RUN: %fault turns-left --entry=turns --input=128xi32=iota
// RUN: %fault turns-again --entry=turns --input=128xi32=iota
// RUN: %right --entry=turns --input=128xi32=iota --output=%t.turns.npy
// RUN: %fault rows-stride --entry=rows --input=8x16xi32=iota
// RUN: %fault rows-wide --entry=rows --input=8x16xi32=iota
// RUN: %right --entry=rows --input=8x16xi32=iota --output=%t.rows.npy
// RUN: %fault big-product --entry=big --scalar=70000 --input=128xi32=iota
// RUN: %right --entry=big --scalar=70000 --input=128xi32=iota --output=%t.big.npy
// RUN: %fault cube-plane --entry=cube --input=512xi32=iota
// RUN: %fault cube-thread --entry=cube --input=512xi32=iota
// RUN: %fault cube-block --entry=cube --input=512xi32=iota
// RUN: %right --entry=cube --input=512xi32=iota --output=%t.cube.npy
// RUN: %fault number-zero --entry=number --input=128xi32=iota
// RUN: %fault number-swapped --entry=number --input=128xi32=iota
// RUN: %right --entry=number --input=128xi32=iota --output=%t.number.npy
// RUN: %fault promise-odd --entry=promise --input=129xi32=iota
// RUN: %right --entry=promise --input=129xi32=iota --output=%t.promise.npy
// RUN: %fault bytes-shared --entry=bytes --input=128xi32=iota
// RUN: %right --entry=bytes --input=128xi32=iota --output=%t.bytes.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').flatten().tolist(); r = range(128); \
// RUN:   assert f('tail') == [t + 1 for t in range(100)]; assert f('masks') == [*range(102)]; assert f('part') == [t ^ 4 for t in range(40)]; \
// RUN:   assert f('turns') == [sum(r) for t in r]; assert f('rows') == [*range(128)]; assert f('big') == [*r]; \
// RUN:   assert f('cube') == [t // 64 * 64 + (t %% 64 ^ 16) for t in range(512)]; assert f('number') == [t + 7 for t in r]; assert f('promise') == [*r]; assert f('bytes') == [*r]" %}

!g = memref<128xi32>
!d = memref<?xi32>
!s = memref<128xi32, #gpu.address_space<workgroup>>
!pad = memref<8x16xi32, strided<[20, 1]>>
#one = array<i32: 128, 1, 1>
#two = array<i32: 64, 1, 1>

// The last block has fewer elements than threads: one too many, a block that is not there, threads that stay out.
// tail-one: bounds: kernel 'tail': thread (36, 0, 0) of block (1, 0, 0) reads 4 bytes by memref.load (loc("element")), from byte 400 on of argument 0 (400 bytes)
// tail-grid: uninit: element 64 of output {{.*}}, in row-major order, was not written
// tail-block: uninit: element 96 of output {{.*}}, in row-major order, was not written
gpu.module @m_tail {
  gpu.func @tail(%x: !d, %y: !d) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = memref.dim %x, %c0 : !d
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %in = arith.cmpi ult, %i, %n : index // @tail-one @tail-block
    //@tail-one %in = arith.cmpi ule, %i, %n : index
    //@tail-block %rest = arith.remui %n, %c32 : index
    //@tail-block %even = arith.subi %n, %rest : index
    //@tail-block %in = arith.cmpi ult, %i, %even : index
    scf.if %in {
      %v = memref.load %x[%i] : !d loc("element")
      %w = arith.addi %v, %one : i32
      memref.store %w, %y[%i] : !d
    }
    gpu.return
  }
}

// Vectors at the end of a row: a mask of one lane too many, one that is left out, an offset that is no multiple.
// masks-load: bounds: kernel 'masks': thread (25, 0, 0) of block (0, 0, 0) reads 12 bytes by vector.maskedload (loc("load")), from byte 400 on of argument 0 (408 bytes)
// masks-store: bounds: kernel 'masks': thread (25, 0, 0) of block (0, 0, 0) writes 12 bytes by vector.maskedstore (loc("store")), from byte 400 on of argument 1 (408 bytes)
// masks-odd: alignment: kernel 'masks': thread (0, 0, 0) of block (0, 0, 0) reads at an address that is 12 beyond a multiple of 16, by vector.load (loc("whole"))
// masks-whole: bounds: kernel 'masks': thread (25, 0, 0) of block (0, 0, 0) reads 16 bytes by vector.load (loc("whole")), from byte 400 on of argument 0 (408 bytes)
gpu.module @m_masks {
  gpu.func @masks(%x: memref<102xi32>, %y: memref<102xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c98 = arith.constant 98 : index
    %c102 = arith.constant 102 : index
    %none = arith.constant dense<0> : vector<4xi32>
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %left = arith.subi %c102, %i : index
    %some = arith.maxsi %left, %c0 : index
    %more = arith.addi %some, %c1 : index
    %mask = vector.create_mask %some : vector<4xi1>
    %wide = vector.create_mask %more : vector<4xi1>
    %v = vector.maskedload %x[%i], %mask, %none : memref<102xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32> // @masks-load
    //@masks-load %v = vector.maskedload %x[%i], %wide, %none : memref<102xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32> loc("load")
    //@masks-odd %j = arith.addi %i, %c3 : index
    //@masks-odd %k = arith.minui %j, %c98 : index
    //@masks-odd %w = vector.load %x[%k] {alignment = 16} : memref<102xi32>, vector<4xi32> loc("whole")
    //@masks-whole %w = vector.load %x[%i] {alignment = 16} : memref<102xi32>, vector<4xi32> loc("whole")
    vector.maskedstore %y[%i], %mask, %v : memref<102xi32>, vector<4xi1>, vector<4xi32> // @masks-store
    //@masks-store vector.maskedstore %y[%i], %wide, %v : memref<102xi32>, vector<4xi1>, vector<4xi32> loc("store")
    //@masks-odd vector.maskedstore %y[%i], %mask, %w : memref<102xi32>, vector<4xi1>, vector<4xi32>
    //@masks-whole vector.maskedstore %y[%i], %mask, %w : memref<102xi32>, vector<4xi1>, vector<4xi32>
    gpu.return
  }
}

// A block whose last warp has 8 lanes, which pass values on: from a lane that the warp has not, from one that has ended, in one branch, in a loop.
// part-lane: divergence: kernel 'part': thread ({{3[2-9]}}, 0, 0) of block (0, 0, 0) reads lane {{[0-9]+}} by gpu.shuffle (loc("pass on")), to which that lane has not come
// part-ended: divergence: kernel 'part': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) reads lane {{[0-9]+}} by gpu.shuffle (loc("pass on")), to which that lane has not come
// part-branch: divergence: kernel 'part': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) is at gpu.shuffle (loc("other branch")), where others that it is to meet are at gpu.shuffle (loc("pass on"))
// part-trips: divergence: kernel 'part': thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0) reads lane {{[0-9]+}} by gpu.shuffle (loc("pass on")), to which that lane has not come
gpu.module @m_part {
  gpu.func @part(%x: memref<40xi32>, %y: memref<40xi32>) kernel attributes {known_block_size = array<i32: 40, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %offset = arith.constant 4 : i32 // @part-lane
    //@part-lane %offset = arith.constant 16 : i32
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<40xi32>
    memref.store %v, %y[%t] : memref<40xi32>
    %in = arith.constant true // @part-ended @part-branch
    //@part-ended %in = arith.cmpi ne, %t, %c3 : index
    //@part-branch %in = arith.cmpi ult, %t, %c4 : index
    %trips = arith.constant 1 : index // @part-trips
    //@part-trips %trips = arith.remui %t, %c2 : index
    scf.if %in {
      scf.for %k = %c0 to %trips step %c1 {
        %w, %valid = gpu.shuffle xor %v, %offset, %width : i32 loc("pass on") // @part-trips
        //@part-trips %one = arith.constant 1 : i32
        //@part-trips %w, %valid = gpu.shuffle xor %v, %one, %width : i32 loc("pass on")
        memref.store %w, %y[%t] : memref<40xi32>
      }
    } else {
      //@part-branch %w, %valid = gpu.shuffle xor %v, %offset, %width : i32 loc("other branch")
      //@part-branch memref.store %w, %y[%t] : memref<40xi32>
    }
    gpu.return
  }
}

// A block goes round in a loop, in shared memory that it has not filled in every round, or that it clears too early.
// turns-left: uninit: kernel 'turns': thread {{.*}} reads byte {{.*}} of workgroup buffer {{.*}}, 512 bytes, {{.*}} by memref.load (loc("sum of")), which nothing has written
// turns-again: race: kernel 'turns': thread {{.*}} by memref.{{load|store}} (loc("{{fill|sum of}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{fill|sum of}}")), in no order
gpu.module @m_turns {
  gpu.func @turns(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    scf.for %r = %c0 to %c128 step %c64 {
      scf.for %k = %c0 to %c128 step %c64 {
        %i = arith.addi %k, %t : index
        %is = arith.constant true // @turns-left
        //@turns-left %is = arith.cmpi eq, %k, %r : index
        scf.if %is {
          %v = memref.load %x[%i] : !g
          memref.store %v, %s[%i] : !s loc("fill")
        }
      }
      gpu.barrier
      %sum = scf.for %k = %c0 to %c128 step %c1 iter_args(%own = %zero) -> i32 {
        %v = memref.load %s[%k] : !s loc("sum of")
        %more = arith.addi %own, %v : i32
        scf.yield %more : i32
      }
      %j = arith.addi %r, %t : index
      memref.store %sum, %y[%j] : !g
      gpu.barrier // @turns-again
    }
    gpu.return
  }
}

// Rows that are padded, taken for rows that are not, and the other way round.
// rows-stride: uninit: kernel 'unpad': thread {{.*}} reads byte {{.*}} of argument 0 ({{[0-9]+}} bytes) by memref.load (loc("row")), which nothing has written
// rows-wide: bounds: kernel 'pad': thread {{.*}} reads 4 bytes by memref.load (loc("row")), from byte {{[0-9]+}} on of argument 0 (512 bytes)
gpu.module @m_pad {
  gpu.func @pad(%x: memref<8x16xi32>, %y: !pad) kernel attributes {known_block_size = #one} {
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %i = arith.divui %t, %c16 : index
    %j = arith.remui %t, %c16 : index
    %v = memref.load %x[%i, %j] : memref<8x16xi32> // @rows-wide
    //@rows-wide %w = memref.reinterpret_cast %x to offset: [0], sizes: [8, 16], strides: [20, 1] : memref<8x16xi32> to !pad
    //@rows-wide %v = memref.load %w[%i, %j] : !pad loc("row")
    memref.store %v, %y[%i, %j] : !pad
    gpu.return
  }
}
gpu.module @m_unpad {
  gpu.func @unpad(%x: !pad, %y: memref<8x16xi32>) kernel attributes {known_block_size = #one} {
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %i = arith.divui %t, %c16 : index
    %j = arith.remui %t, %c16 : index
    %v = memref.load %x[%i, %j] : !pad // @rows-stride
    //@rows-stride %w = memref.reinterpret_cast %x to offset: [0], sizes: [8, 16], strides: [16, 1] : !pad to memref<8x16xi32>
    //@rows-stride %v = memref.load %w[%i, %j] : memref<8x16xi32> loc("row")
    memref.store %v, %y[%i, %j] : memref<8x16xi32>
    gpu.return
  }
}

// A place that is worked out in 32 bits, and is more than they hold.
// big-product: bounds: kernel 'big': thread {{.*}} reads 4 bytes by memref.load (loc("place")), from byte {{-?[0-9]+}} on of argument 0 (512 bytes)
gpu.module @m_big {
  gpu.func @big(%x: !g, %n: index, %y: !g) kernel attributes {known_block_size = #one} {
    %t = gpu.thread_id x
    %square = arith.muli %n, %n : index // @big-product
    //@big-product %n32 = arith.index_cast %n : index to i32
    //@big-product %square32 = arith.muli %n32, %n32 : i32
    //@big-product %square = arith.index_cast %square32 : i32 to index
    %far = arith.addi %square, %t : index
    %root = arith.divui %square, %n : index
    %back = arith.muli %root, %n : index
    %i = arith.subi %far, %back : index
    %v = memref.load %x[%i] : !g loc("place")
    memref.store %v, %y[%t] : !g
    gpu.return
  }
}

// Blocks and threads in three dimensions, warps across rows of them.
// cube-plane: race: kernel 'cube': thread ({{[0-3]}}, {{[0-3]}}, {{[0-3]}}) of block ({{[01]}}, {{[01]}}, {{[01]}}) {{.*}} by memref.{{load|store}} (loc("{{own|across}}")), which thread ({{[0-3]}}, {{[0-3]}}, {{[0-3]}}) of block ({{[01]}}, {{[01]}}, {{[01]}}) {{.*}} by memref.{{load|store}} (loc("{{own|across}}")), in no order
// cube-thread: race: kernel 'cube': thread (0, 0, 1) of block (0, 0, 0) writes byte 0 of workgroup buffer {{.*}}, 256 bytes, {{.*}} by memref.store (loc("own")), which thread (0, 0, 0) of block (0, 0, 0) writes by memref.store (loc("own")), in no order
// cube-block: race: kernel 'cube': thread {{.*}} of block (0, 1, 0) writes byte {{.*}} of argument 1 (2048 bytes) by memref.store (loc("result")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("result")), in no order
gpu.module @m_cube {
  gpu.func @cube(%x: memref<512xi32>, %y: memref<512xi32>) workgroup(%s: memref<64xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 4, 4, 4>} {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %tz = gpu.thread_id z // @cube-thread
    //@cube-thread %tz = arith.constant 0 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y // @cube-block
    //@cube-block %by = arith.constant 0 : index
    %bz = gpu.block_id z
    %0 = arith.muli %tz, %c4 : index
    %1 = arith.addi %0, %ty : index
    %2 = arith.muli %1, %c4 : index
    %t = arith.addi %2, %tx : index
    %3 = arith.muli %bz, %c2 : index
    %4 = arith.addi %3, %by : index
    %5 = arith.muli %4, %c2 : index
    %b = arith.addi %5, %bx : index
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %v = memref.load %x[%i] : memref<512xi32>
    memref.store %v, %s[%t] : memref<64xi32, #gpu.address_space<workgroup>> loc("own")
    gpu.barrier // @cube-plane
    %j = arith.xori %t, %c16 : index
    %w = memref.load %s[%j] : memref<64xi32, #gpu.address_space<workgroup>> loc("across")
    memref.store %w, %y[%i] : memref<512xi32> loc("result")
    gpu.return
  }
}

// Memory between kernels: a counter that nothing has cleared, a kernel that runs before the one that it takes from.
// number-zero: uninit: kernel 'number': thread (0, 0, 0) of block (0, 0, 0) {{.*}} byte 0 of argument 1 (4 bytes) by memref.atomic_rmw (loc("next")), which nothing has written
// number-swapped: uninit: kernel 'add': thread (0, 0, 0) of block (0, 0, 0) reads byte 0 of argument 0 (512 bytes) by memref.load (loc("term")), which nothing has written
gpu.module @m_number {
  gpu.func @number(%z: !g, %n: memref<1xi32>) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %t = gpu.thread_id x
    memref.store %seven, %z[%t] : !g
    %p = memref.atomic_rmw addi %one, %n[%c0] : (i32, memref<1xi32>) -> i32 loc("next")
    %last = arith.cmpi eq, %p, %c127 : i32
    scf.if %last {
      %q = memref.atomic_rmw assign %zero, %n[%c0] : (i32, memref<1xi32>) -> i32
    }
    gpu.return
  }
}
gpu.module @m_add {
  gpu.func @add(%z: !g, %x: !g, %y: !g) kernel attributes {known_block_size = #one} {
    %t = gpu.thread_id x
    %u = memref.load %z[%t] : !g loc("term")
    %v = memref.load %x[%t] : !g
    %w = arith.addi %u, %v : i32
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// A kernel that counts on an address that is a multiple of 16, and is given the next one.
// promise-odd: alignment: kernel 'promise': argument 0: expected a pointer aligned to 16 bytes, got one that is 4 beyond such a one
gpu.module @m_promise {
  gpu.func @promise(%x: !g {fuser.alignment = 16 : i64}, %y: !g) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %v = vector.load %x[%i] : !g, vector<4xi32>
    vector.store %v, %y[%i] : !g, vector<4xi32>
    gpu.return
  }
}

// Values of one byte: a word of them is four threads', and one byte is one thread's.
// bytes-shared: race: kernel 'bytes': thread {{.*}} writes byte {{.*}} of workgroup buffer {{.*}}, 128 bytes, {{.*}} by vector.store (loc("two")), which thread {{.*}} writes by vector.store (loc("two")), in no order
gpu.module @m_bytes {
  gpu.func @bytes(%x: !g, %y: !g) workgroup(%s: memref<128xi8, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #two} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c126 = arith.constant 126 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c2 : index
    %v = vector.load %x[%i] : !g, vector<2xi32>
    %b = arith.trunci %v : vector<2xi32> to vector<2xi8>
    vector.store %b, %s[%i] : memref<128xi8, #gpu.address_space<workgroup>>, vector<2xi8> // @bytes-shared
    //@bytes-shared %j = arith.addi %i, %c1 : index
    //@bytes-shared %k = arith.minui %j, %c126 : index
    //@bytes-shared vector.store %b, %s[%k] : memref<128xi8, #gpu.address_space<workgroup>>, vector<2xi8> loc("two")
    gpu.barrier
    %w = vector.load %s[%i] : memref<128xi8, #gpu.address_space<workgroup>>, vector<2xi8>
    %u = arith.extui %w : vector<2xi8> to vector<2xi32>
    vector.store %u, %y[%i] : !g, vector<2xi32>
    gpu.return
  }
}

func.func @tail(%x: !d) -> !d attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index // @tail-grid
  //@tail-grid %c63 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : !d
  %up = arith.addi %n, %c63 : index
  %blocks = arith.divui %up, %c64 : index
  %y = host.output 0 (%n) : !d
  host.launch @m_tail::@tail grid(%blocks, %c1, %c1) block(64, 1, 1) args(%x, %y : !d, !d) writes [1]
  return %y : !d
}
func.func @rows(%x: memref<8x16xi32>) -> memref<8x16xi32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %z = host.alloc () : memref<8x20xi32>
  %some = host.slice %z dim 1 from %c0 size %c16 : memref<8x20xi32>
  %p = memref.cast %some : memref<8x?xi32, strided<[20, 1], offset: ?>> to memref<8x16xi32, strided<[20, 1], offset: ?>>
  %y = host.output 0 () : memref<8x16xi32>
  host.launch @m_pad::@pad grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %p : memref<8x16xi32>, memref<8x16xi32, strided<[20, 1], offset: ?>>) writes [1]
  host.launch @m_unpad::@unpad grid(%c1, %c1, %c1) block(128, 1, 1) args(%p, %y : memref<8x16xi32, strided<[20, 1], offset: ?>>, memref<8x16xi32>) writes [1]
  return %y : memref<8x16xi32>
}
func.func @cube(%x: memref<512xi32>) -> memref<512xi32> attributes {host.program} {
  %c2 = arith.constant 2 : index
  %y = host.output 0 () : memref<512xi32>
  host.launch @m_cube::@cube grid(%c2, %c2, %c2) block(4, 4, 4) args(%x, %y : memref<512xi32>, memref<512xi32>) writes [1]
  return %y : memref<512xi32>
}
func.func @number(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %z = host.alloc () : !g
  %n = host.workspace 0 () zeroed : memref<1xi32> // @number-zero
  //@number-zero %n = host.workspace 0 () : memref<1xi32>
  %y = host.output 0 () : !g
  host.launch @m_number::@number grid(%c1, %c1, %c1) block(128, 1, 1) args(%z, %n : !g, memref<1xi32>) writes [0, 1] // @number-swapped
  host.launch @m_add::@add grid(%c1, %c1, %c1) block(128, 1, 1) args(%z, %x, %y : !g, !g, !g) writes [2]
  //@number-swapped host.launch @m_number::@number grid(%c1, %c1, %c1) block(128, 1, 1) args(%z, %n : !g, memref<1xi32>) writes [0, 1]
  return %y : !g
}
func.func @promise(%x: memref<129xi32>) -> !g attributes {host.program} {
  %c0 = arith.constant 0 : index // @promise-odd
  //@promise-odd %c0 = arith.constant 1 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %some = host.slice %x dim 0 from %c0 size %c128 : memref<129xi32>
  %p = memref.cast %some : memref<?xi32, strided<[1], offset: ?>> to memref<128xi32, strided<[1], offset: ?>>
  %y = host.output 0 () : !g
  host.launch @m_promise::@promise grid(%c1, %c1, %c1) block(32, 1, 1) args(%p, %y : memref<128xi32, strided<[1], offset: ?>>, !g) writes [1]
  return %y : !g
}
func.func @masks(%x: memref<102xi32>) -> memref<102xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<102xi32>
  host.launch @m_masks::@masks grid(%c1, %c1, %c1) block(32, 1, 1) args(%x, %y : memref<102xi32>, memref<102xi32>) writes [1]
  return %y : memref<102xi32>
}
func.func @part(%x: memref<40xi32>) -> memref<40xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<40xi32>
  host.launch @m_part::@part grid(%c1, %c1, %c1) block(40, 1, 1) args(%x, %y : memref<40xi32>, memref<40xi32>) writes [1]
  return %y : memref<40xi32>
}
func.func @turns(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_turns::@turns grid(%c1, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @big(%x: !g, %n: index) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_big::@big grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %n, %y : !g, index, !g) writes [2]
  return %y : !g
}
func.func @bytes(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_bytes::@bytes grid(%c1, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
