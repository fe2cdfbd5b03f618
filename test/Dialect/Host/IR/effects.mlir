// RUN: fuser-opt %s -cse | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: fuser-opt %s -loop-invariant-code-motion | FileCheck %s --check-prefixes=CHECK,LICM
// RUN: fuser-opt %s -canonicalize -cse -loop-invariant-code-motion -control-flow-sink -cse -canonicalize | FileCheck %s

// Two equal launches, and what is on different streams, stay as and where they are.
// CHECK-LABEL: func.func @launches
// CHECK: host.launch
// CHECK: host.set_stream
// CHECK: host.launch
// CHECK: host.launch
// CHECK: host.set_stream
// CHECK: host.sync
// CHECK: host.sync
func.func @launches(%a: memref<4xf32>, %b: memref<4xf32>, %n: index, %s: !host.stream, %t: !host.stream) {
  host.launch @k::@f grid(%n, %n, %n) block(1, 1, 1) args(%a, %b : memref<4xf32>, memref<4xf32>)
  host.set_stream %s
  host.launch @k::@f grid(%n, %n, %n) block(1, 1, 1) args(%a, %b : memref<4xf32>, memref<4xf32>)
  host.launch @k::@f grid(%n, %n, %n) block(1, 1, 1) args(%a, %b : memref<4xf32>, memref<4xf32>)
  host.set_stream %t
  host.sync %s
  host.sync %s
  return
}

// Two reads of the current stream are one, but not across a change of it.
// CHECK-LABEL: func.func @get_stream
// CSE-COUNT-1: host.get_stream
// CSE-NOT: host.get_stream
// CSE: host.set_stream
// CSE-COUNT-1: host.get_stream
// CSE-NOT: host.get_stream
// CSE: return
func.func @get_stream(%s: !host.stream) -> (!host.stream, !host.stream, !host.stream) {
  %0 = host.get_stream
  %1 = host.get_stream
  host.set_stream %s
  %2 = host.get_stream
  return %0, %1, %2 : !host.stream, !host.stream, !host.stream
}

// Buffers are never shared, the stream of a number is.
// CHECK-LABEL: func.func @allocs
// CSE-COUNT-2: host.alloc
// CSE-COUNT-1: host.stream
// CSE-NOT: host.stream
// CSE: return
func.func @allocs(%n: index) -> (memref<?xf32>, memref<?xf32>, !host.stream, !host.stream) {
  %a = host.alloc (%n) : memref<?xf32>
  %b = host.alloc (%n) : memref<?xf32>
  %s = host.stream %n
  %t = host.stream %n
  return %a, %b, %s, %t : memref<?xf32>, memref<?xf32>, !host.stream, !host.stream
}

// Nothing that enqueues leaves the loop, whose iterations are on their own streams. The view is arithmetic, and does.
// CHECK-LABEL: func.func @loop
// LICM: host.select
// CHECK: scf.for
// CHECK: host.stream
// CHECK: host.set_stream
// CHECK: host.get_stream
// CHECK: host.sync
// CHECK: host.alloc
// CHECK: host.copy
// CHECK: host.launch
// CHECK: host.dealloc
// CHECK: }
func.func @loop(%x: memref<4x8xf32>, %o: memref<8xf32>, %n: index, %main: !host.stream) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = host.stream %i
    host.set_stream %s
    %now = host.get_stream
    host.sync %main
    %t = host.alloc () : memref<8xf32>
    %row = host.select %x dim 0 at %c1 : memref<4x8xf32>
    host.copy %o, %t : memref<8xf32>, memref<8xf32>
    host.launch @k::@f grid(%n, %c1, %c1) block(1, 1, 1)
        args(%row, %t, %o : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32>, memref<8xf32>) writes [2]
    host.sync %now
    host.dealloc %t : memref<8xf32>
  }
  return
}

// Communications too.
// CHECK-LABEL: func.func @communications
// CHECK-COUNT-2: host.all_reduce
// CHECK: host.set_stream
// CHECK: host.wait
func.func @communications(%a: memref<4xf32>, %b: memref<4xf32>, %s: !host.stream, %g: !host.group) {
  %r = host.all_reduce <sum> %a, %b in %g : memref<4xf32>, memref<4xf32>
  %q = host.all_reduce <sum> %a, %b in %g : memref<4xf32>, memref<4xf32>
  host.set_stream %s
  host.wait %r
  host.wait %q
  return
}
