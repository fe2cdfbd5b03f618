// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(host-stream-loops{streams=2}))' --split-input-file --verify-diagnostics | FileCheck %s

// Each row on a stream: allocation before the loop, which works on views; the caller's stream waits for as many streams as there are rows.

// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x8xf32>, %[[N:[a-z0-9]+]]: index
// CHECK:         %[[O:.+]] = host.output 0 (%[[N]]) : memref<?x8xf32>
// CHECK-NEXT:    %[[CALLER:.+]] = host.get_stream
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %[[N]]
// CHECK:           %[[K:.+]] = arith.remui %[[I]], %[[C2:.+]] : index
// CHECK:           %[[S:.+]] = host.stream
// CHECK-NEXT:      host.set_stream %[[S]]
// CHECK-NEXT:      host.sync %[[CALLER]]
// CHECK:           %[[XI:.+]] = host.slice %[[X]] dim 0 from %[[I]] size
// CHECK-NEXT:      %[[OI:.+]] = host.slice %[[O]] dim 0 from %[[I]] size
// CHECK-NEXT:      host.copy %[[XI]], %[[OI]]
// CHECK-NEXT:    }
// CHECK-NEXT:    host.set_stream %[[CALLER]]
// CHECK:         %[[USED:.+]] = arith.minui %[[N]], %{{.+}}
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[USED]]
// CHECK:           host.sync
// CHECK-NOT:     scf.for
func.func @rows(%x: memref<?x8xf32>, %n: index) -> memref<?x8xf32> attributes {host.program} {
  %o = host.output 0 (%n) stream <0> : memref<?x8xf32>
  host.copy %x, %o : memref<?x8xf32>, memref<?x8xf32>
  return %o : memref<?x8xf32>
}

// -----

// Neighbours share a loop; a buffer of another size, a reader of all of a buffer, and other work end it.

// CHECK-LABEL: func.func @neighbours
// CHECK:         scf.for
// CHECK:           host.add
// CHECK-NOT:       }
// CHECK:           host.mul
// CHECK:         }
// CHECK:         scf.for {{.*}} {
// CHECK:           host.sync
// CHECK:         scf.for
// CHECK:           host.reduction
// CHECK:         }
// CHECK:         host.copy
// CHECK:         scf.for
// CHECK:           host.sub
func.func @neighbours(%x: memref<16x8xf32>, %y: memref<8xf32>) attributes {host.program} {
  %a = host.alloc () stream <0 chunks 4> : memref<16x8xf32>
  host.add %x, %x, %a : memref<16x8xf32>, memref<16x8xf32>, memref<16x8xf32>
  %b = host.alloc () stream <0 chunks 4> : memref<16x8xf32>
  host.mul %a, %x, %b : memref<16x8xf32>, memref<16x8xf32>, memref<16x8xf32>
  // Each chunk of columns needs all rows.
  %c = host.alloc () stream <0 chunks 4> : memref<8xf32>
  host.reduction <sum> %b, %c dims [0] : memref<16x8xf32>, memref<8xf32>
  host.copy %c, %y : memref<8xf32>, memref<8xf32>
  %d = host.alloc () stream <0 chunks 4> : memref<8xf32>
  host.sub %c, %y, %d : memref<8xf32>, memref<8xf32>, memref<8xf32>
  return
}

// -----

// Communications of as many chunks as there are ranks.

// CHECK-LABEL: func.func @gather_and_multiply
// CHECK:         %[[RANK:.+]] = host.rank
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           host.sync
// CHECK:           %[[CHUNK:.+]] = arith.remui
// CHECK:           %[[XI:.+]] = host.slice %{{.+}} dim 0
// CHECK:           scf.if
// CHECK-NEXT:        host.copy %{{.+}}, %[[XI]]
// CHECK-NEXT:      } else {
// CHECK:             host.coalesce {
// CHECK-NEXT:          host.send
// CHECK-NEXT:          host.recv %[[XI]] from %[[CHUNK]]
// CHECK:         scf.for
// CHECK:           host.set_stream
// CHECK-NOT:       host.sync
// CHECK:           host.linear
// CHECK-NOT:     host.wait
func.func @gather_and_multiply(%x: memref<4x8xf32>, %w: memref<5x8xf32>) -> memref<8x5xf32> attributes {host.program} {
  %pair = host.group [[0, 1]]
  %all = host.alloc () stream <0 chunks 2> : memref<8x8xf32>
  %0 = host.all_gather %x, %all dim 0 in %pair : memref<4x8xf32>, memref<8x8xf32>
  host.wait %0
  %o = host.output 0 () stream <0 chunks 2> : memref<8x5xf32>
  host.linear %all, %w, %o : memref<8x8xf32>, memref<5x8xf32>, memref<8x5xf32>
  return %o : memref<8x5xf32>
}

// Ranks that come to other communications, too, are at the same chunk.

// CHECK-LABEL: func.func @gather_and_reduce
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           host.broadcast %{{.+}}, %{{.+}} root %[[I]] in
// CHECK:           host.all_reduce
func.func @gather_and_reduce(%x: memref<4x8xf32>) -> memref<8x8xf32> attributes {host.program} {
  %pair = host.group [[0, 1]]
  %all = host.alloc () stream <0 chunks 2> : memref<8x8xf32>
  %0 = host.all_gather %x, %all dim 0 in %pair : memref<4x8xf32>, memref<8x8xf32>
  %o = host.output 0 () stream <0 chunks 2> : memref<8x8xf32>
  %1 = host.all_reduce <sum> %all, %o in %pair : memref<8x8xf32>, memref<8x8xf32>
  return %o : memref<8x8xf32>
}

// CHECK-LABEL: func.func @multiply_and_scatter
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           host.linear
// CHECK:           host.reduce <sum> %{{.+}}, %{{.+}} root %[[I]] in
// CHECK:         }
// CHECK:         scf.for
// CHECK:         host.copy
func.func @multiply_and_scatter(%x: memref<8x8xf32>, %w: memref<5x8xf32>, %y: memref<4x5xf32>) -> memref<4x5xf32>
    attributes {host.program} {
  %pair = host.group [[0, 1]]
  %t = host.alloc () stream <0 chunks 2> : memref<8x5xf32>
  host.linear %x, %w, %t : memref<8x8xf32>, memref<5x8xf32>, memref<8x5xf32>
  %o = host.output 0 () : memref<4x5xf32>
  %0 = host.reduce_scatter <sum> %t, %o dim 0 in %pair : memref<8x5xf32>, memref<4x5xf32>
  host.wait %0
  host.copy %o, %y : memref<4x5xf32>, memref<4x5xf32>
  return %o : memref<4x5xf32>
}

// -----

// Nothing is marked.

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT:    host.copy
// CHECK-NEXT:    return
func.func @nothing(%x: memref<4xf32>, %y: memref<4xf32>) attributes {host.program} {
  host.copy %x, %y : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @call(%x: memref<4xf32>) attributes {host.program} {
  %o = host.alloc () stream <0> : memref<4xf32>
  // expected-error @below {{expected an op that says how its operands go along with a stream dimension of its result, got a call}}
  host.call @f(%x : memref<4xf32>) outs(%o : memref<4xf32>)
  return
}

// -----

func.func @merged(%x: memref<32xf32>) attributes {host.program} {
  // expected-note @below {{the buffer is made here}}
  %o = host.alloc () stream <0> : memref<4x8xf32>
  %v = memref.collapse_shape %o [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  // expected-error @below {{expected the buffer with the stream dimension itself, got a view of it, which splits or merges the dimension, or is a part of it}}
  host.copy %x, %v : memref<32xf32>, memref<32xf32>
  return
}

// -----

func.func @split(%x: memref<4x8xf32>) attributes {host.program} {
  // expected-note @below {{the buffer is made here}}
  %o = host.alloc () stream <0> : memref<32xf32>
  %v = memref.expand_shape %o [[0, 1]] output_shape [4, 8] : memref<32xf32> into memref<4x8xf32>
  // expected-error @below {{got a view of it, which splits or merges the dimension}}
  host.copy %x, %v : memref<4x8xf32>, memref<4x8xf32>
  return
}

// -----

func.func @other_chunks(%x: memref<4x8xf32>) attributes {host.program} {
  %pair = host.group [[0, 1]]
  %o = host.alloc () stream <0> : memref<8x8xf32>
  // expected-error @below {{of a buffer with a stream dimension: expected as many chunks of dimension 0 as the group's lists have ranks}}
  %0 = host.all_gather %x, %o dim 0 in %pair : memref<4x8xf32>, memref<8x8xf32>
  return
}

// -----

func.func @exchanged(%x: memref<8x8xf32>) attributes {host.program} {
  %pair = host.group [[0, 1]]
  %o = host.alloc () stream <0 chunks 2> : memref<8x8xf32>
  // expected-error @below {{of a buffer with a stream dimension: expected a communication whose chunks are apart}}
  %0 = host.all_to_all %x, %o in %pair : memref<8x8xf32>, memref<8x8xf32>
  return
}

// -----

// What one chunk writes, another one reads: a loop each.

// CHECK-LABEL: func.func @read_before_written
// CHECK:           host.reduction
// CHECK:         }
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK:           host.fill
func.func @read_before_written(%b: memref<8x8xf32>, %v: f32) attributes {host.program} {
  %m = host.alloc () stream <0 chunks 2> : memref<8x8xf32>
  %r = host.alloc () stream <0 chunks 2> : memref<8xf32>
  host.reduction <sum> %m, %r dims [0] : memref<8x8xf32>, memref<8xf32>
  host.fill %v, %m : f32, memref<8x8xf32>
  return
}

// CHECK-LABEL: func.func @operand_is_written
// CHECK:           host.matmul
// CHECK:         }
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK:           host.reduce <sum>
func.func @operand_is_written(%a: memref<8x4xf32>, %d: memref<4x4xf32>) attributes {host.program} {
  %pair = host.group [[0, 1]]
  %x = host.alloc () stream <0 chunks 2> : memref<8x4xf32>
  host.matmul %a, %d, %x : memref<8x4xf32>, memref<4x4xf32>, memref<8x4xf32>
  %0 = host.reduce_scatter <sum> %x, %d dim 0 in %pair : memref<8x4xf32>, memref<4x4xf32>
  return
}

// -----

// Another stream waits for the one in which all have met.

// CHECK-LABEL: func.func @other_stream
// CHECK:         %[[CALLER:.+]] = host.get_stream
// CHECK:         host.set_stream %[[CALLER]]
// CHECK:         host.set_stream %[[S:[a-z0-9]+]]
// CHECK-NEXT:    host.sync %[[CALLER]]
// CHECK-NEXT:    host.copy
func.func @other_stream(%x: memref<4x8xf32>, %y: memref<8x8xf32>, %i: index) attributes {host.program} {
  %s = host.stream %i
  %pair = host.group [[0, 1]]
  %g = host.alloc () stream <0 chunks 2> : memref<8x8xf32>
  %0 = host.all_gather %x, %g dim 0 in %pair : memref<4x8xf32>, memref<8x8xf32>
  host.set_stream %s
  host.wait %0
  host.copy %g, %y : memref<8x8xf32>, memref<8x8xf32>
  return
}

// -----

func.func @columns(%x: memref<4x8xf32>, %y: memref<4x4xf32, strided<[1, 4]>>) attributes {host.program} {
  %pair = host.group [[0, 1]]
  %t = host.alloc () stream <1 chunks 2> : memref<4x8xf32>
  host.copy %x, %t : memref<4x8xf32>, memref<4x8xf32>
  // expected-error @below {{of a buffer with a stream dimension: expected a result that the type shows to be row-major}}
  %0 = host.reduce_scatter <sum> %t, %y dim 1 in %pair : memref<4x8xf32>, memref<4x4xf32, strided<[1, 4]>>
  return
}

// -----

func.func @coalesced(%x: memref<8xf32>, %p: index) attributes {host.program} {
  %pair = host.group [[0, 1]]
  %t = host.alloc () stream <0 chunks 2> : memref<8xf32>
  %r = host.coalesce {
    // expected-error @below {{of a buffer with a stream dimension: expected a communication outside of host.coalesce}}
    %0 = host.broadcast %x, %t root %p in %pair : memref<8xf32>, memref<8xf32>
  }
  return
}
