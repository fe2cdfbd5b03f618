// RUN: fuser-opt %s --host-print-timeline -o /dev/null 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
// It prints, and changes nothing.
// RUN: fuser-opt %s -o %t.before
// RUN: fuser-opt %s --host-print-timeline -o %t.after 2>/dev/null
// RUN: diff %t.before %t.after
// On functions instead of the module.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(host-print-timeline))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: timeline of @two_streams

//      CHECK:timeline of @two_streams
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:     1  caller  alloc %2 : 8xf32
// CHECK-NEXT:     1  1       add x, %arg1 -> %2   after caller:0
// CHECK-NEXT:     1  caller  output 0 %3 : 8xf32
// CHECK-NEXT:     1  caller  mul x, %arg1 -> %3
// CHECK-NEXT:     2  caller  mul %3, %2 -> %3   after 1:1
// CHECK-NEXT:     2  caller  dealloc %2
// CHECK-NEXT:     3  caller  return %3
func.func @two_streams(%x: memref<8xf32> {host.name = "x"}, %y: memref<8xf32>) -> memref<8xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %caller = host.get_stream
  %s = host.stream %c1
  %t = host.alloc () : memref<8xf32>
  host.set_stream %s
  host.sync %caller
  host.add %x, %y, %t : memref<8xf32>, memref<8xf32>, memref<8xf32>
  host.set_stream %caller
  %o = host.output 0 () : memref<8xf32>
  host.mul %x, %y, %o : memref<8xf32>, memref<8xf32>, memref<8xf32>
  host.sync %s
  host.mul %o, %t, %o : memref<8xf32>, memref<8xf32>, memref<8xf32>
  host.dealloc %t : memref<8xf32>
  return %o : memref<8xf32>
}

// No streams: one row. Launches, by the kernel's symbol, and what they write.

// CHECK-NEXT:timeline of @one_stream
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:     1  caller  workspace 0 %0 : 4xf32
// CHECK-NEXT:     1  caller  launch @k %arg0 -> %arg1
// CHECK-NEXT:     2  caller  matmul %arg0, %arg0 -> %arg1
// CHECK-NEXT:     3  caller  fill %cst -> %arg1
// CHECK-NEXT:     4  caller  return
func.func @one_stream(%x: memref<4x4xf32>, %y: memref<4x4xf32>, %ok: i1) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  host.check %ok, "not shown"
  %w = host.workspace 0 () : memref<4xf32>
  host.launch @m::@k grid(%c1, %c1, %c1) block(1, 1, 1) args(%x, %y, %c1 : memref<4x4xf32>, memref<4x4xf32>, index) writes [1]
  host.matmul %x, %x, %y : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  host.fill %zero, %y : f32, memref<4x4xf32>
  return
}

// What a stream has waited for, others that wait for it have, too; the caller's stream does not wait for stream 2.

// CHECK-NEXT:timeline of @waits
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:     1  caller  group %0 of [0, 1]
// CHECK-NEXT:     1  1       all_gather %arg0 -> %arg1   after caller:0
// CHECK-NEXT:     2  1       coalesce {send %arg0 to rank(%0); recv %arg0 from %arg2}
// CHECK-NEXT:     3  2       all_reduce <sum> %arg1 -> %arg1   after 1:2
// CHECK-NEXT:     3  caller  broadcast %arg1 -> %arg1 root 1   after 1:2
// CHECK-NEXT:     4  caller  return, not waiting for 2:3
func.func @waits(%x: memref<4xf32>, %y: memref<8xf32>, %i: index) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %pair = host.group [[0, 1]]
  %caller = host.get_stream
  %s1 = host.stream %c1
  %s2 = host.stream %c2
  %n = host.rank %pair
  host.set_stream %s1
  host.sync %caller
  %0 = host.all_gather %x, %y dim 0 in %pair : memref<4xf32>, memref<8xf32>
  host.wait %0
  %1 = host.coalesce {
    %2 = host.send %x to %n in %pair : memref<4xf32>
    %3 = host.recv %x from %i in %pair : memref<4xf32>
  }
  host.set_stream %s2
  host.wait %1
  // Stream 1 has waited for it.
  host.sync %caller
  %4 = host.all_reduce <sum> %y, %y in %pair : memref<8xf32>, memref<8xf32>
  host.set_stream %caller
  host.wait %0
  %5 = host.broadcast %y, %y root %c1 in %pair : memref<8xf32>, memref<8xf32>
  return
}

// A stream whose number only the program knows.

// CHECK-NEXT:timeline of @unknown_stream
// CHECK-NEXT:  step  stream           op
// CHECK-NEXT:     1  caller           copy %arg0 -> %arg1
// CHECK-NEXT:     2  %arg2            copy %arg0 -> %arg1   after caller:1
// CHECK-NEXT:     3  (%arg2 + %arg3)  copy %arg0 -> %arg1   after %arg2:2
// CHECK-NEXT:     4  caller           return   after (%arg2 + %arg3):3
func.func @unknown_stream(%x: memref<8xf32>, %y: memref<8xf32>, %i: index, %k: index) attributes {host.program} {
  %ik = arith.addi %i, %k : index
  %s = host.stream %i
  %t = host.stream %ik
  host.copy %x, %y : memref<8xf32>, memref<8xf32>
  %caller = host.get_stream
  host.set_stream %s
  host.sync %caller
  host.copy %x, %y : memref<8xf32>, memref<8xf32>
  host.set_stream %t
  host.sync %s
  host.copy %x, %y : memref<8xf32>, memref<8xf32>
  host.set_stream %caller
  host.sync %t
  return
}

// Branches begin at the same state. Behind them, stream 1 has been waited for either way; a stream that one way makes current is one of two.

// CHECK-NEXT:timeline of @branches
// CHECK-NEXT:  step  stream       op
// CHECK-NEXT:                     if %arg2 < 2
// CHECK-NEXT:     1  1              copy %arg0 -> %arg1   after caller:0
// CHECK-NEXT:     2  caller         wait   after 1:1
// CHECK-NEXT:                     if not (%arg2 < 2)
// CHECK-NEXT:     1  caller         add %arg0, %arg1 -> %arg1
// CHECK-NEXT:     2  caller       sub %arg0, %arg1 -> %arg1
// CHECK-NEXT:                     if %arg2 < 2
// CHECK-NEXT:     3  2              wait   after caller:2
// CHECK-NEXT:     3  caller or 2  mul %arg0, %arg1 -> %arg1
// CHECK-NEXT:     3  caller       return, not waiting for caller or 2:3
func.func @branches(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %caller = host.get_stream
  %s1 = host.stream %c1
  %s2 = host.stream %c2
  %few = arith.cmpi ult, %n, %c2 : index
  scf.if %few {
    host.set_stream %s1
    host.sync %caller
    host.copy %x, %y : memref<8xf32>, memref<8xf32>
    host.set_stream %caller
    host.sync %s1
  } else {
    host.add %x, %y, %y : memref<8xf32>, memref<8xf32>, memref<8xf32>
  }
  host.sub %x, %y, %y : memref<8xf32>, memref<8xf32>, memref<8xf32>
  scf.if %few {
    host.set_stream %s2
    host.sync %caller
  }
  host.mul %x, %y, %y : memref<8xf32>, memref<8xf32>, memref<8xf32>
  return
}

// Few steps one by one, with what the step decides; many, or as many as the program says, once. Buffers are exchanged from step to step.

// CHECK-NEXT:timeline of @loops
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:     1  caller  copy %arg0[0:2] -> %arg1[..] (%arg3 = 0)
// CHECK-NEXT:     2  caller  add %arg0[2:4], %arg0[2:4] -> %arg1[..] (%arg3 = 2)
// CHECK-NEXT:     3  caller  add %arg0[4:6], %arg0[4:6] -> %arg1[..] (%arg3 = 4)
// CHECK-NEXT:     4  caller  copy %arg0 -> %arg1 (%arg3 = 0)
// CHECK-NEXT:     5  caller  copy %arg1 -> %arg0 (%arg3 = 1)
// CHECK-NEXT:                for %arg3 = %arg2 to 99 step 2
// CHECK-NEXT:     6  caller    copy %arg0[%arg3] -> %arg0[%arg3]
// CHECK-NEXT:                for %arg3 = 0 to 99, 99 times
// CHECK-NEXT:     7  caller    copy %arg1 -> %arg0
// CHECK-NEXT:                while
// CHECK-NEXT:     8  caller    copy %arg0 -> %arg1
// CHECK-NEXT:     9  caller  return
func.func @loops(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c99 = arith.constant 99 : index
  scf.for %i = %c0 to %c6 step %c2 {
    %first = arith.cmpi eq, %i, %c0 : index
    %s = host.slice %x dim 0 from %i size %c2 : memref<8xf32>
    %d = host.slice %y dim 0 from %n size %c2 : memref<8xf32>
    scf.if %first {
      host.copy %s, %d : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>
    } else {
      host.add %s, %s, %d : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>
    }
  }
  %z:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %x, %q = %y) -> (memref<8xf32>, memref<8xf32>) {
    host.copy %p, %q : memref<8xf32>, memref<8xf32>
    scf.yield %q, %p : memref<8xf32>, memref<8xf32>
  }
  scf.for %i = %n to %c99 step %c2 {
    %d = host.select %x dim 0 at %i : memref<8xf32>
    host.copy %d, %d : memref<f32, strided<[], offset: ?>>, memref<f32, strided<[], offset: ?>>
  }
  scf.for %i = %c0 to %c99 step %c1 {
    host.copy %z#1, %z#0 : memref<8xf32>, memref<8xf32>
  }
  scf.while : () -> () {
    %k = memref.dim %x, %c0 : memref<8xf32>
    %l = arith.cmpi eq, %k, %n : index
    scf.condition(%l)
  } do {
    host.copy %x, %y : memref<8xf32>, memref<8xf32>
    scf.yield
  }
  return
}

// Streams of a loop that is shown once are one row, in which one stream may wait for another.

// CHECK-NEXT:timeline of @ring
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:                for %arg3 = 0 to %arg2
// CHECK-NEXT:     1  0..3      wait for one of 1..4
// CHECK-NEXT:     1  0..3      copy %arg0 -> %arg1
// CHECK-NEXT:     2  0..3      wait for one of 0..3
// CHECK-NEXT:     1  caller  return, not waiting for 0..3:1
func.func @ring(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %caller = host.get_stream
  scf.for %i = %c0 to %n step %c1 {
    %this = arith.remui %i, %c4 : index
    %last = arith.addi %this, %c1 : index
    %s = host.stream %this
    %t = host.stream %last
    host.set_stream %s
    host.sync %t
    host.copy %x, %y : memref<8xf32>, memref<8xf32>
    %next = arith.addi %i, %c1 : index
    %other = arith.remui %next, %c4 : index
    %u = host.stream %other
    host.sync %u
  }
  return
}

// No host programs: nothing.

// CHECK-NOT:{{.+}}
func.func @no_program(%x: memref<8xf32>) {
  return
}
func.func private @declared(%x: memref<8xf32>) attributes {host.program}
