// Copies of threads from global to shared memory: rings of stages, ends of rows, sources that are written. lit.local.cfg says what the marks mean.
// RUN: %fault ring-wait --entry=ring --input=8x256xi32=iota
// RUN: %fault ring-late --entry=ring --input=8x256xi32=iota
// RUN: %fault ring-barrier --entry=ring --input=8x256xi32=iota
// RUN: %fault ring-commit --entry=ring --input=8x256xi32=iota
// RUN: %fault ring-stage --entry=ring --input=8x256xi32=iota
// RUN: %fault ring-whole --entry=ring --input=8x256xi32=iota
// RUN: %fault ring-end --entry=ring --input=8x256xi32=iota
// RUN: %right --entry=ring --input=8x256xi32=iota --output=%t.ring.npy
// Without checks what was not waited for is not there.
// RUN: sed -E -e 's,//@ring-late ,,' -e 's,.*// .*@ring-late( .*)?$,,' %s | fuser-run - --target=sim --entry=ring --input=8x256xi32=iota --output=%t.late.npy
// RUN: %fault tail-one --entry=tail --input=99xi32=iota
// RUN: %fault tail-shared --entry=tail --input=99xi32=iota
// RUN: %fault tail-barrier --entry=tail --input=99xi32=iota
// RUN: %fault tail-wait --entry=tail --input=99xi32=iota
// RUN: %fault tail-commit --entry=tail --input=99xi32=iota
// RUN: %fault tail-twice --entry=tail --input=99xi32=iota
// RUN: sed -E 's,.*// .*@tail-wait( .*)?$,,' %s | not fuser-run - --target=sim --entry=tail --input=99xi32=iota 2>&1 | FileCheck %s --check-prefix=UNCHECKED
// RUN: %right --entry=tail --input=99xi32=iota --output=%t.tail.npy
// RUN: %right --entry=tail --input=128xi32=iota
// RUN: %right --entry=tail --input=0xi32=iota
// RUN: %fault pairs-from --entry=pairs --input=128xi32=iota
// RUN: %fault pairs-to --entry=pairs --input=128xi32=iota
// RUN: %right --entry=pairs --input=128xi32=iota --output=%t.pairs.npy
// RUN: %fault update-early --entry=update --input=128xi32=iota
// RUN: %fault update-behind --entry=update --input=128xi32=iota
// RUN: %fault update-before --entry=update --input=128xi32=iota
// RUN: %right --entry=update --input=128xi32=iota --output=%t.update.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').flatten().tolist(); r = range(128); \
// RUN:   assert f('ring') == [8 * ((c + 4) %% 256) + 28 * 256 for c in range(256)]; assert f('late') != f('ring'); assert f('tail') == [u if u < 99 else 0 for u in [*r[1:], 0]]; \
// RUN:   assert f('pairs') == [(t + 2) %% 128 for t in r]; assert f('update') == [t + (t ^ 1) for t in r]" %}

!g = memref<128xi32>
!d = memref<?xi32>
!s = memref<128xi32, #gpu.address_space<workgroup>>
!rows = memref<8x256xi32>
!stages = memref<3x256xi32, #gpu.address_space<workgroup>>
#one = array<i32: 128, 1, 1>

// Three stages, eight rows; two are under way while a third one is read. Nothing waits; one group too few is waited for; who reads does not meet who has
// waited; the copies of the loop are in no group; they go to the stage that is read; they go on behind the last row; the last ones are not waited for.
// ring-wait: race: kernel 'ring': thread {{.*}} writes byte {{.*}} of workgroup buffer 0 ({{.*}}) by kernel.copy_async (loc("first")), which thread {{.*}} reads by vector.load (loc("read")), in no order
// ring-late: race: kernel 'ring': thread {{.*}} writes byte {{.*}} of workgroup buffer 0 ({{.*}}) by kernel.copy_async (loc("first")), which thread {{.*}} reads by vector.load (loc("read")), in no order
// ring-barrier: race: kernel 'ring': thread {{.*}} writes byte {{.*}} of workgroup buffer 0 ({{.*}}) by kernel.copy_async (loc("first")), which thread {{.*}} reads by vector.load (loc("read")), in no order
// ring-commit: race: kernel 'ring': thread {{.*}} writes byte {{.*}} of workgroup buffer 0 ({{.*}}) by kernel.copy_async (loc("next")), which thread {{.*}} reads by vector.load (loc("read")), in no order
// ring-stage: race: kernel 'ring': thread {{.*}} writes byte {{.*}} of workgroup buffer 0 ({{.*}}) by kernel.copy_async (loc("next")), which thread {{.*}} reads by vector.load (loc("read")), in no order
// ring-whole: bounds: kernel 'ring': thread {{.*}} reads 16 bytes by kernel.copy_async (loc("next")), from byte {{8192|9200}} on of argument 0 (8192 bytes)
// ring-end: barriers: kernel 'ring': thread {{.*}} at kernel.copy_async (loc("next")): expected the thread to wait for its copy (kernel.copy_async_wait) before it ends
gpu.module @m_ring {
  gpu.func @ring(%x: !rows {fuser.alignment = 16 : i64}, %y: memref<256xi32>) workgroup(%s: !stages) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %none = arith.constant dense<0> : vector<4xi32>
    %t = gpu.thread_id x
    %own = arith.muli %t, %c4 : index
    %behind = arith.addi %own, %c4 : index
    %other = arith.remui %behind, %c256 : index
    scf.for %i = %c0 to %c2 step %c1 {
      kernel.copy_async %x[%i, %own], %s[%i, %own], 4 : !rows, !stages loc("first")
      kernel.copy_async_commit
    }
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %none) -> vector<4xi32> {
      kernel.copy_async_wait 1 // @ring-wait @ring-late
      //@ring-late kernel.copy_async_wait 2
      gpu.barrier // @ring-barrier
      %stage = arith.remui %i, %c3 : index
      %v = vector.load %s[%stage, %other] : !stages, vector<4xi32> loc("read")
      %next = arith.addi %i, %c2 : index
      %to = arith.remui %next, %c3 : index // @ring-stage
      //@ring-stage %to = arith.remui %i, %c3 : index
      %is = arith.cmpi ult, %next, %c8 : index // @ring-whole
      //@ring-whole %is = arith.constant true
      kernel.copy_async %x[%next, %own], %s[%to, %own], 4 if %is : !rows, !stages loc("next")
      kernel.copy_async_commit // @ring-commit
      %more = arith.addi %acc, %v : vector<4xi32>
      scf.yield %more : vector<4xi32>
    }
    kernel.copy_async_wait 0 // @ring-end
    vector.store %sum, %y[%own] : memref<256xi32>, vector<4xi32>
    gpu.return
  }
}
func.func @ring(%x: !rows) -> memref<256xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<256xi32>
  host.launch @m_ring::@ring grid(%c1, %c1, %c1) block(64, 1, 1) args(%x, %y : !rows, memref<256xi32>) writes [1]
  return %y : memref<256xi32>
}

// Behind the end there are zeros: one element too many; one place too far; the threads have not met; nobody waits; the copy is in no group, so nobody waits for it; two
// copies to one place.
// tail-one: bounds: kernel 'tail': thread (99, 0, 0) of block (0, 0, 0) reads 4 bytes by kernel.copy_async (loc("copy")), from byte 396 on of argument 0 (396 bytes)
// tail-shared: bounds: kernel 'tail': thread (127, 0, 0) of block (0, 0, 0) writes 4 bytes by kernel.copy_async (loc("copy")), from byte 512 on of workgroup buffer 0 ({{.*}})
// tail-barrier: race: kernel 'tail': thread {{.*}} writes byte {{.*}} of workgroup buffer 0 ({{.*}}) by kernel.copy_async (loc("copy")), which thread {{.*}} reads by memref.load (loc("read")), in no order
// tail-wait-DAG: race: kernel 'tail': thread {{.*}} writes byte {{.*}} of workgroup buffer 0 ({{.*}}) by kernel.copy_async (loc("copy")), which thread {{.*}} reads by memref.load (loc("read")), in no order
// tail-wait-DAG: uninit: kernel 'tail': thread {{.*}} reads byte {{.*}} of workgroup buffer 0 ({{.*}}) by memref.load (loc("read")), which nothing has written
// tail-wait-DAG: barriers: kernel 'tail': thread {{.*}} at kernel.copy_async (loc("copy")): expected the thread to wait for its copy (kernel.copy_async_wait) before it ends
// tail-commit: uninit: kernel 'tail': thread {{.*}} reads byte {{.*}} of workgroup buffer 0 ({{.*}}) by memref.load (loc("read")), which nothing has written
// UNCHECKED: kernel 'tail': thread (127, 0, 0) of block (0, 0, 0) at kernel.copy_async (loc("copy")): expected the thread to wait for its copy (kernel.copy_async_wait) before it ends
// tail-twice: race: kernel 'tail': thread (0, 0, 0) of block (0, 0, 0) writes byte 0 of workgroup buffer 0 ({{.*}}) by kernel.copy_async (loc("again")), which thread (0, 0, 0) of block (0, 0, 0) writes by kernel.copy_async (loc("copy")), in no order
gpu.module @m_tail {
  gpu.func @tail(%x: !d, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %n = memref.dim %x, %c0 : !d
    %is = arith.cmpi ult, %t, %n : index // @tail-one
    //@tail-one %is = arith.cmpi ule, %t, %n : index
    %behind = arith.addi %t, %c1 : index
    %other = arith.remui %behind, %c128 : index
    kernel.copy_async %x[%t], %s[%t], 1 if %is : !d, !s loc("copy") // @tail-shared
    //@tail-shared kernel.copy_async %x[%t], %s[%behind], 1 if %is : !d, !s loc("copy")
    //@tail-twice kernel.copy_async %x[%t], %s[%t], 1 if %is : !d, !s loc("again")
    kernel.copy_async_commit // @tail-commit
    kernel.copy_async_wait 0 // @tail-wait
    gpu.barrier // @tail-barrier
    %v = memref.load %s[%other] : !s loc("read")
    memref.store %v, %y[%t] : !g
    gpu.return
  }
}
func.func @tail(%x: !d) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_tail::@tail grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !d, !g) writes [1]
  return %y : !g
}

// Two elements at once: from, or to, an odd one.
// pairs-from: alignment: kernel 'pairs': thread (0, 0, 0) of block (0, 0, 0) reads at an address that is 4 beyond a multiple of 8, by kernel.copy_async (loc("copy"))
// pairs-to: alignment: kernel 'pairs': thread (0, 0, 0) of block (0, 0, 0) writes at an address that is 4 beyond a multiple of 8, by kernel.copy_async (loc("copy"))
gpu.module @m_pairs {
  gpu.func @pairs(%x: !g {fuser.alignment = 16 : i64}, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c125 = arith.constant 125 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %own = arith.muli %t, %c2 : index
    %behind = arith.addi %own, %c2 : index
    %other = arith.remui %behind, %c128 : index
    %next = arith.addi %own, %c1 : index
    %odd = arith.minui %next, %c125 : index
    kernel.copy_async %x[%own], %s[%own], 2 : !g, !s // @pairs-from @pairs-to
    //@pairs-from kernel.copy_async %x[%odd], %s[%own], 2 : !g, !s loc("copy")
    //@pairs-to kernel.copy_async %x[%own], %s[%odd], 2 : !g, !s loc("copy")
    kernel.copy_async_commit
    kernel.copy_async_wait 0
    gpu.barrier
    %v = vector.load %s[%other] : !s, vector<2xi32>
    vector.store %v, %y[%own] : !g, vector<2xi32>
    gpu.return
  }
}
func.func @pairs(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_pairs::@pairs grid(%c1, %c1, %c1) block(64, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}

// A source that the kernel writes: before the copy was waited for, before its thread has been met, or without a barrier before the copy.
// update-early: race: kernel 'update': thread {{.*}} byte {{.*}} of argument 1 (512 bytes) by {{kernel.copy_async .loc."copy"..|memref.store .loc."again"..}}, which thread {{.*}} by {{kernel.copy_async .loc."copy"..|memref.store .loc."again"..}}, in no order
// update-behind: race: kernel 'update': thread {{.*}} byte {{.*}} of argument 1 (512 bytes) by {{kernel.copy_async .loc."copy"..|memref.store .loc."last"..}}, which thread {{.*}} by {{kernel.copy_async .loc."copy"..|memref.store .loc."last"..}}, in no order
// update-before: race: kernel 'update': thread {{.*}} byte {{.*}} of argument 1 (512 bytes) by {{kernel.copy_async .loc."copy"..|memref.store .loc."write"..}}, which thread {{.*}} by {{kernel.copy_async .loc."copy"..|memref.store .loc."write"..}}, in no order
gpu.module @m_update {
  gpu.func @update(%x: !g, %y: !g) workgroup(%s: !s) kernel attributes {known_block_size = #one} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !g
    memref.store %v, %y[%t] : !g loc("write")
    gpu.barrier // @update-before
    %other = arith.xori %t, %c1 : index
    kernel.copy_async %y[%other], %s[%t], 1 : !g, !s loc("copy")
    kernel.copy_async_commit
    //@update-early gpu.barrier
    //@update-early memref.store %v, %y[%t] : !g loc("again")
    kernel.copy_async_wait 0
    gpu.barrier // @update-behind
    %w = memref.load %s[%t] : !s
    %sum = arith.addi %v, %w : i32
    memref.store %sum, %y[%t] : !g loc("last")
    gpu.return
  }
}
func.func @update(%x: !g) -> !g attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : !g
  host.launch @m_update::@update grid(%c1, %c1, %c1) block(128, 1, 1) args(%x, %y : !g, !g) writes [1]
  return %y : !g
}
