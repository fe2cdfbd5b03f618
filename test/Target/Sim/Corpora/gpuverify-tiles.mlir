// Tiles, stages and sweeps in shared memory, as GPUVerify's benchmarks have them (mc-imperial/gpuverify, testsuite/; A. Betts et al., OOPSLA 2012). lit.local.cfg says what the marks mean.
// RUN: %fault stencil-order --entry=stencil --input=128xi32=iota
// RUN: %fault stencil-halo --entry=stencil --input=128xi32=iota
// RUN: %fault stencil-edge --entry=stencil --input=128xi32=iota
// RUN: %right --entry=stencil --input=128xi32=iota --output=%t.stencil.npy
// RUN: %fault sweeps-read --entry=sweeps --input=128xi32=iota
// RUN: %fault sweeps-write --entry=sweeps --input=128xi32=iota
// RUN: %fault sweeps-global --entry=sweeps --input=128xi32=iota
// RUN: %right --entry=sweeps --input=128xi32=iota --output=%t.sweeps.npy
// RUN: %fault turn-order --entry=turn --input=128xi32=iota
// RUN: %fault turn-place --entry=turn --input=128xi32=iota
// RUN: %fault turn-tile --entry=turn --input=128xi32=iota
// RUN: %right --entry=turn --input=128xi32=iota --output=%t.turn.npy
// RUN: %fault product-load --entry=product --input=16x16xi32=iota --input=16x16xi32=iota
// RUN: %fault product-use --entry=product --input=16x16xi32=iota --input=16x16xi32=iota
// RUN: %fault product-tile --entry=product --input=16x16xi32=iota --input=16x16xi32=iota
// RUN: %fault product-depth --entry=product --input=16x16xi32=iota --input=16x16xi32=iota
// RUN: %right --entry=product --input=16x16xi32=iota --input=16x16xi32=iota --output=%t.product.npy
// RUN: %fault sort-step --entry=sort --input=128xi32=bits:7
// RUN: %fault sort-both --entry=sort --input=128xi32=bits:7
// RUN: %fault sort-warp --entry=sort --input=128xi32=bits:7
// RUN: %right --entry=sort --input=128xi32=bits:7 --output=%t.sort.npy
// RUN: %fault pipe-step --entry=pipe --input=4x128xi32=iota
// RUN: %fault pipe-buffer --entry=pipe --input=4x128xi32=iota
// RUN: %fault pipe-ahead --entry=pipe --input=4x128xi32=iota
// RUN: %right --entry=pipe --input=4x128xi32=iota --output=%t.pipe.npy
// RUN: %fault option-first --entry=option --input=128xi32=iota
// RUN: %fault option-second --entry=option --input=128xi32=iota
// RUN: %right --entry=option --input=128xi32=iota --output=%t.option.npy
// RUN: %fault closure-read --entry=closure --input=8x8xi32=iota
// RUN: %fault closure-step --entry=closure --input=8x8xi32=iota
// RUN: %right --entry=closure --input=8x8xi32=iota --output=%t.closure.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').tolist(); r = range(128); \
// RUN:   assert f('stencil') == [max(t - 1, 0) + t + min(t + 1, 127) for t in r]; assert f('sweeps') == [(t + 4) %% 128 for t in r]; \
// RUN:   assert f('turn') == np.arange(128).reshape(8, 16).T.flatten().tolist(); a = np.arange(256, dtype=np.int32).reshape(16, 16); assert f('product') == (a @ a).tolist(); \
// RUN:   assert f('sort') == sorted(f('sort')); assert f('pipe') == [4 * t + 768 for t in r]; \
// RUN:   assert f('option')[0] == sum(__import__('math').comb(8, k) * k for k in range(9)); d = np.arange(64).reshape(8, 8); \
// RUN:   [np.minimum(d, d[:, k:k + 1] + d[k:k + 1, :], out=d) for k in range(8)]; assert f('closure') == d.tolist()" %}

!g = memref<128xi32>
!s = memref<128xi32, #gpu.address_space<workgroup>>
!m = memref<16x16xi32>
!t = memref<8x8xi32, #gpu.address_space<workgroup>>
#one = array<i32: 128, 1, 1>
#two = array<i32: 64, 1, 1>
#tile = array<i32: 8, 8, 1>

// A stencil of three, each block with one element more at each side.
// stencil-order: race: kernel 'stencil': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// stencil-halo: uninit: kernel 'stencil': thread (63, 0, 0) of block ({{[01]}}, 0, 0) reads byte 260 of workgroup buffer {{.*}}, 264 bytes, {{.*}} by memref.load (loc("right")), which nothing has written
// stencil-edge: bounds: kernel 'stencil': thread (63, 0, 0) of block (1, 0, 0) reads 4 bytes by memref.load (loc("behind")), from byte 512 on of argument 0 (512 bytes)
gpu.module @m_stencil {
  gpu.func @stencil(%x: !g, %y: !g) workgroup(%s: memref<66xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %c65 = arith.constant 65 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c64 : index
    %i = arith.addi %f, %t : index
    %j = arith.addi %t, %c1 : index
    %v = memref.load %x[%i] : !g
    memref.store %v, %s[%j] : memref<66xi32, #gpu.address_space<workgroup>> loc("own")
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %one = arith.maxui %i, %c1 : index
      %before = arith.subi %one, %c1 : index
      %w = memref.load %x[%before] : !g loc("before")
      memref.store %w, %s[%c0] : memref<66xi32, #gpu.address_space<workgroup>> loc("left halo")
    }
    %last = arith.cmpi eq, %t, %c63 : index // @stencil-halo
    //@stencil-halo %last = arith.constant false
    scf.if %last {
      %n = arith.addi %i, %c1 : index
      %behind = arith.minui %n, %c127 : index // @stencil-edge
      //@stencil-edge %behind = arith.addi %i, %c1 : index
      %w = memref.load %x[%behind] : !g loc("behind")
      memref.store %w, %s[%c65] : memref<66xi32, #gpu.address_space<workgroup>> loc("right halo")
    }
    gpu.barrier // @stencil-order
    %k = arith.addi %t, %c2 : index
    %l = memref.load %s[%t] : memref<66xi32, #gpu.address_space<workgroup>> loc("left")
    %r = memref.load %s[%k] : memref<66xi32, #gpu.address_space<workgroup>> loc("right")
    %two = arith.addi %l, %r : i32
    %sum = arith.addi %two, %v : i32
    memref.store %sum, %y[%i] : !g
    gpu.return
  }
}

// Sweeps over a grid that is kept in shared memory, in place. Over one in global memory, blocks would have to wait for each other.
// sweeps-read: race: kernel 'sweeps': thread {{.*}} by memref.{{load|store}} (loc("{{next|own}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{next|own}}")), in no order
// sweeps-write: race: kernel 'sweeps': thread {{.*}} by memref.{{load|store}} (loc("{{next|own}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{next|own}}")), in no order
// sweeps-global: race: kernel 'sweeps': thread {{.*}} of block (1, 0, 0) {{.*}} of argument 1 (512 bytes) by memref.{{.*}}, which thread {{.*}} of block (0, 0, 0) {{.*}} by memref.{{.*}}, in no order
gpu.module @m_sweeps {
  gpu.func @sweeps(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %n = arith.addi %t, %c1 : index
    %i = arith.remui %n, %c128 : index
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    //@sweeps-global memref.store %v, %y[%t] : !g
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %w = memref.load %s[%i] : !s loc("next")
      gpu.barrier // @sweeps-read
      memref.store %w, %s[%t] : !s loc("own")
      gpu.barrier // @sweeps-write
    }
    %w = memref.load %s[%t] : !s
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// CUDA/warpsync/2d, OpenCL/localmultidimarraydecl: rows become columns by way of a tile.
// turn-order: race: kernel 'turn': thread {{.*}} by memref.{{load|store}} (loc("{{in|out}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{in|out}}")), in no order
// turn-place: race: kernel 'turn': thread {{.*}} of block (1, 0, 0) writes byte {{.*}} of argument 1 (512 bytes) by memref.store (loc("turned")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("turned")), in no order
// turn-tile: race: kernel 'turn': thread {{.*}} by memref.store (loc("in")), which thread {{.*}} writes by memref.store (loc("in")), in no order
gpu.module @m_turn {
  gpu.func @turn(%x: memref<8x16xi32>, %y: memref<16x8xi32>) workgroup(%s: memref<8x9xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #tile} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %b = gpu.block_id x
    %f = arith.muli %b, %c8 : index
    %i = arith.addi %f, %tx : index
    %v = memref.load %x[%ty, %i] : memref<8x16xi32>
    memref.store %v, %s[%ty, %tx] : memref<8x9xi32, #gpu.address_space<workgroup>> loc("in") // @turn-tile
    //@turn-tile memref.store %v, %s[%c0, %tx] : memref<8x9xi32, #gpu.address_space<workgroup>> loc("in")
    gpu.barrier // @turn-order
    %w = memref.load %s[%tx, %ty] : memref<8x9xi32, #gpu.address_space<workgroup>> loc("out")
    %j = arith.addi %f, %ty : index // @turn-place
    //@turn-place %j = arith.addi %b, %ty : index
    memref.store %w, %y[%j, %tx] : memref<16x8xi32> loc("turned")
    gpu.return
  }
}

// A product of matrices by tiles: a barrier between loading and using, and one between using and loading again.
// product-load: race: kernel 'product': thread {{.*}} by memref.{{load|store}} (loc("{{a|b|row|column}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{a|b|row|column}}")), in no order
// product-use: race: kernel 'product': thread {{.*}} by memref.{{load|store}} (loc("{{a|b|row|column}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{a|b|row|column}}")), in no order
// product-tile: race: kernel 'product': thread {{.*}} of block (1, 0, 0) writes byte {{.*}} of argument 2 (1024 bytes) by memref.store (loc("c")), which thread {{.*}} of block (0, 0, 0) writes by memref.store (loc("c")), in no order
// product-depth: bounds: kernel 'product': thread {{.*}} of block {{.*}} reads 4 bytes by memref.load {{.*}}, from byte {{[0-9]+}} on of argument 1 (1024 bytes)
gpu.module @m_product {
  gpu.func @product(%x: !m, %z: !m, %y: !m) workgroup(%a: !t, %b: !t) kernel attributes {known_block_size = #tile} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index // @product-depth
    //@product-depth %c16 = arith.constant 17 : index
    %zero = arith.constant 0 : i32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %fx = arith.muli %bx, %c8 : index
    %fy = arith.muli %by, %c8 : index
    %column = arith.addi %fx, %tx : index // @product-tile
    //@product-tile %column = arith.addi %c0, %tx : index
    %row = arith.addi %fy, %ty : index
    %c = scf.for %k = %c0 to %c16 step %c8 iter_args(%part = %zero) -> i32 {
      %kx = arith.addi %k, %tx : index
      %ky = arith.addi %k, %ty : index
      %v = memref.load %x[%row, %kx] : !m
      %w = memref.load %z[%ky, %column] : !m
      memref.store %v, %a[%ty, %tx] : !t loc("a")
      memref.store %w, %b[%ty, %tx] : !t loc("b")
      gpu.barrier // @product-load
      %sum = scf.for %l = %c0 to %c8 step %c1 iter_args(%own = %part) -> i32 {
        %p = memref.load %a[%ty, %l] : !t loc("row")
        %q = memref.load %b[%l, %tx] : !t loc("column")
        %pq = arith.muli %p, %q : i32
        %more = arith.addi %own, %pq : i32
        scf.yield %more : i32
      }
      gpu.barrier // @product-use
      scf.yield %sum : i32
    }
    memref.store %c, %y[%row, %column] : !m loc("c")
    gpu.return
  }
}

// OpenCL/misc/pass/misc2: a bitonic sort, in which one of two threads exchanges two elements. In sort-warp, near elements are exchanged without barriers.
// sort-step: race: kernel 'sort': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// sort-both: race: kernel 'sort': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// sort-warp: race: kernel 'sort': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
gpu.module @m_sort {
  gpu.func @sort(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %s[%t] : !s
    gpu.barrier
    scf.for %p = %c1 to %c8 step %c1 {
      %k = arith.shli %c1, %p : index
      %bit = arith.andi %t, %k : index
      %up = arith.cmpi eq, %bit, %c0 : index
      scf.for %q = %c0 to %p step %c1 {
        %half = arith.shrui %k, %c1 : index
        %d = arith.shrui %half, %q : index
        %i = arith.xori %t, %d : index
        %lower = arith.cmpi ugt, %i, %t : index // @sort-both
        //@sort-both %lower = arith.constant true
        scf.if %lower {
          %a = memref.load %s[%t] : !s loc("low")
          %b = memref.load %s[%i] : !s loc("high")
          %less = arith.minsi %a, %b : i32
          %more = arith.maxsi %a, %b : i32
          %first = arith.select %up, %less, %more : i32
          %second = arith.select %up, %more, %less : i32
          memref.store %first, %s[%t] : !s loc("to low")
          memref.store %second, %s[%i] : !s loc("to high")
        }
        gpu.barrier // @sort-step @sort-warp
        //@sort-warp %far = arith.cmpi ugt, %d, %c16 : index
        //@sort-warp scf.if %far {
        //@sort-warp   gpu.barrier
        //@sort-warp }
      }
    }
    gpu.barrier
    %w = memref.load %s[%t] : !s
    memref.store %w, %y[%t] : !g
    gpu.return
  }
}

// OpenCL/async_work_group_copy (tests of copies that are used before they are complete), with loads: the next tile is loaded while this one is used. One barrier a step is enough with two buffers.
// pipe-step: race: kernel 'pipe': thread {{.*}} by memref.{{load|store}} (loc("{{use|ahead}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{use|ahead|first}}")), in no order
// pipe-buffer: race: kernel 'pipe': thread {{.*}} by memref.{{load|store}} (loc("{{use|ahead}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{use|ahead}}")), in no order
// pipe-ahead: bounds: kernel 'pipe': thread {{.*}} of block (0, 0, 0) reads 4 bytes by memref.load {{.*}}, from byte 2{{[0-9]+}} on of argument 0 (2048 bytes)
gpu.module @m_pipe {
  gpu.func @pipe(%x: memref<4x128xi32>, %y: !g) workgroup(%s: memref<2x128xi32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index // @pipe-ahead
    //@pipe-ahead %c3 = arith.constant 4 : index
    %c4 = arith.constant 4 : index
    %c127 = arith.constant 127 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %r = arith.subi %c127, %t : index
    %v = memref.load %x[%c0, %t] : memref<4x128xi32>
    memref.store %v, %s[%c0, %t] : memref<2x128xi32, #gpu.address_space<workgroup>> loc("first")
    gpu.barrier
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%own = %zero) -> i32 {
      %this = arith.remui %k, %c2 : index
      %n = arith.addi %k, %c1 : index
      %next = arith.remui %n, %c2 : index // @pipe-buffer
      //@pipe-buffer %next = arith.remui %k, %c2 : index
      %has = arith.cmpi ult, %k, %c3 : index
      scf.if %has {
        %w = memref.load %x[%n, %t] : memref<4x128xi32>
        memref.store %w, %s[%next, %t] : memref<2x128xi32, #gpu.address_space<workgroup>> loc("ahead")
      }
      %u = memref.load %s[%this, %r] : memref<2x128xi32, #gpu.address_space<workgroup>> loc("use")
      %more = arith.addi %own, %u : i32
      gpu.barrier // @pipe-step
      scf.yield %more : i32
    }
    memref.store %sum, %y[%r] : !g
    gpu.return
  }
}

// OpenCL/simplebinomialoptions, skeletonbinomialoptions: a row is folded from one buffer to the other and back, fewer elements each time.
// option-first: race: kernel 'option': thread {{.*}} by memref.{{load|store}} (loc("{{to b|from b}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{to b|from b}}")), in no order
// option-second: race: kernel 'option': thread {{.*}} by memref.{{load|store}} (loc("{{to a|from a}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{to a|from a}}")), in no order
gpu.module @m_option {
  gpu.func @option(%x: !g, %y: !g) workgroup(%a: !s, %b: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %n = arith.addi %t, %c1 : index
    %v = memref.load %x[%t] : !g
    memref.store %v, %a[%t] : !s
    memref.store %v, %b[%t] : !s
    gpu.barrier
    scf.for %k = %c0 to %c8 step %c2 {
      %m = arith.subi %c127, %k : index
      %is = arith.cmpi ult, %t, %m : index
      scf.if %is {
        %p = memref.load %a[%t] : !s
        %q = memref.load %a[%n] : !s loc("from a")
        %pq = arith.addi %p, %q : i32
        memref.store %pq, %b[%t] : !s loc("to b")
      }
      gpu.barrier // @option-first
      %l = arith.subi %m, %c1 : index
      %still = arith.cmpi ult, %t, %l : index
      scf.if %still {
        %p = memref.load %b[%t] : !s
        %q = memref.load %b[%n] : !s loc("from b")
        %pq = arith.addi %p, %q : i32
        memref.store %pq, %a[%t] : !s loc("to a")
      }
      gpu.barrier // @option-second
    }
    %r = memref.load %a[%t] : !s
    memref.store %r, %y[%t] : !g
    gpu.return
  }
}

// CUDA/transitiveclosure, OpenCL/transitiveclosuresimplified: shortest ways through vertex after vertex. Without the barrier behind the reads it is a race whose values do not matter, which GPUVerify passes.
// closure-read: race: kernel 'closure': thread {{.*}} by memref.{{load|store}} (loc("{{row|column|way}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{row|column|way}}")), in no order
// closure-step: race: kernel 'closure': thread {{.*}} by memref.{{load|store}} (loc("{{row|column|way}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{row|column|way}}")), in no order
gpu.module @m_closure {
  gpu.func @closure(%x: memref<8x8xi32>, %y: memref<8x8xi32>) workgroup(%s: !t) kernel attributes {known_block_size = #tile} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %v = memref.load %x[%ty, %tx] : memref<8x8xi32>
    memref.store %v, %s[%ty, %tx] : !t
    gpu.barrier
    %d = scf.for %k = %c0 to %c8 step %c1 iter_args(%own = %v) -> i32 {
      %a = memref.load %s[%ty, %k] : !t loc("row")
      %b = memref.load %s[%k, %tx] : !t loc("column")
      %ab = arith.addi %a, %b : i32
      %less = arith.minsi %own, %ab : i32
      gpu.barrier // @closure-read
      memref.store %less, %s[%ty, %tx] : !t loc("way")
      gpu.barrier // @closure-step
      scf.yield %less : i32
    }
    memref.store %d, %y[%ty, %tx] : memref<8x8xi32>
    gpu.return
  }
}

func.func @stencil(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : !g
  host.launch @m_stencil::@stencil grid(%grid, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @sweeps(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = host.output 0 () : !g
  host.launch @m_sweeps::@sweeps grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1] // @sweeps-global
  //@sweeps-global host.launch @m_sweeps::@sweeps grid(%c2, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @turn(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = host.output 0 () : !g
  %x2 = memref.expand_shape %x [[0, 1]] output_shape [8, 16] : !g into memref<8x16xi32>
  %y2 = memref.expand_shape %y [[0, 1]] output_shape [16, 8] : !g into memref<16x8xi32>
  host.launch @m_turn::@turn grid(%c2, %c1, %c1) block(8, 8, 1) args(%x2, %y2 : memref<8x16xi32>, memref<16x8xi32>) writes [1]
  return %y : !g
}
func.func @product(%x: !m, %z: !m) -> !m attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = host.output 0 () : !m
  host.launch @m_product::@product grid(%c2, %c2, %c1) block(8, 8, 1) args(%x, %z, %y : !m, !m, !m) writes [2]
  return %y : !m
}
func.func @sort(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_sort::@sort grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @pipe(%x: memref<4x128xi32>) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_pipe::@pipe grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : memref<4x128xi32>, !g) writes [1]
  return %y : !g
}
func.func @option(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_option::@option grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
func.func @closure(%x: memref<8x8xi32>) -> memref<8x8xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<8x8xi32>
  host.launch @m_closure::@closure grid(%c1, %c1, %c1) block(8, 8, 1) args(%x, %y : memref<8x8xi32>, memref<8x8xi32>) writes [1]
  return %y : memref<8x8xi32>
}
