// Before and after host-stream-loops, and with the loops' bodies once.
// RUN: fuser-opt %s --host-print-timeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEFORE --match-full-lines --strict-whitespace
// RUN: fuser-opt %s --host-stream-loops --host-print-timeline -o /dev/null 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
// RUN: fuser-opt %s --host-stream-loops --host-print-timeline=unroll=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONCE --match-full-lines --strict-whitespace

//      BEFORE:timeline of @gather_and_multiply
// BEFORE-NEXT:  step  stream  op
// BEFORE-NEXT:     1  caller  group %0 of [0, 1, 2]
// BEFORE-NEXT:     1  caller  alloc %1 : 12x8xf32, 3 chunks of dimension 0
// BEFORE-NEXT:     1  caller  all_gather %arg0 -> %1
// BEFORE-NEXT:     2  caller  output 0 %3 : 12x5xf32, 3 chunks of dimension 0
// BEFORE-NEXT:     2  caller  linear %1, %arg1 -> %3
// BEFORE-NEXT:     3  caller  return %3
// BEFORE-NEXT:timeline of @multiply_and_reduce
// BEFORE-NEXT:  step  stream  op
// BEFORE-NEXT:     1  caller  group %0 of [0, 1]
// BEFORE-NEXT:     1  caller  alloc %1 : 8x5xf32, 2 chunks of dimension 0
// BEFORE-NEXT:     1  caller  linear %arg0, %arg1 -> %1
// BEFORE-NEXT:     2  caller  output 0 %2 : 4x5xf32
// BEFORE-NEXT:     2  caller  reduce_scatter <sum> %1 -> %2
// BEFORE-NEXT:     3  caller  return %2
// BEFORE-NEXT:timeline of @rows
// BEFORE-NEXT:  step  stream  op
// BEFORE-NEXT:     1  caller  output 0 %0 : ?x8xf32, a chunk for each index of dimension 0
// BEFORE-NEXT:     1  caller  copy %arg0 -> %0
// BEFORE-NEXT:     2  caller  return %0
// BEFORE-NEXT:timeline of @two_loops
// BEFORE-NEXT:  step  stream  op
// BEFORE-NEXT:     1  caller  alloc %0 : ?x?xf32, a chunk for each index of dimension 0
// BEFORE-NEXT:     1  caller  copy %arg0 -> %0
// BEFORE-NEXT:     2  caller  output 0 %1 : ?x?xf32, a chunk for each index of dimension 1
// BEFORE-NEXT:     2  caller  copy %0 -> %1
// BEFORE-NEXT:     3  caller  return %1

//      CHECK:timeline of @gather_and_multiply
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:     1  caller  group %0 of [0, 1, 2]
// CHECK-NEXT:     1  caller  alloc %1 : 12x8xf32
// CHECK-NEXT:     1  caller  output 0 %2 : 12x5xf32
// CHECK-NEXT:     1  1       wait   after caller:0
// CHECK-NEXT:                if rank(%0) >= 0 (%arg2 = 0)
// CHECK-NEXT:     1  1         copy %arg0 -> %1[..]
// CHECK-NEXT:                if not (rank(%0) >= 0) (%arg2 = 0)
// CHECK-NEXT:     1  1         coalesce {send %arg0 to (rank(%0) + 3) mod 3; recv %1[..] from (rank(%0) + 3) mod 3}
// CHECK-NEXT:     1  2       coalesce {send %arg0 to (rank(%0) + 3 - 1) mod 3; recv %1[..] from (rank(%0) + 3 + 1) mod 3} (%arg2 = 1)   after caller:0
// CHECK-NEXT:     1  3       coalesce {send %arg0 to (rank(%0) + 3 - 2) mod 3; recv %1[..] from (rank(%0) + 3 + 2) mod 3} (%arg2 = 2)   after caller:0
// CHECK-NEXT:     2  1       linear %1[..], %arg1 -> %2[..] (%arg2 = 0)
// CHECK-NEXT:     2  2       linear %1[..], %arg1 -> %2[..] (%arg2 = 1)
// CHECK-NEXT:     2  3       linear %1[..], %arg1 -> %2[..] (%arg2 = 2)
// CHECK-NEXT:     3  caller  return %2   after 1:2, 2:2, 3:2
// CHECK-NEXT:timeline of @multiply_and_reduce
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:     1  caller  group %0 of [0, 1]
// CHECK-NEXT:     1  caller  alloc %1 : 8x5xf32
// CHECK-NEXT:     1  caller  output 0 %2 : 4x5xf32
// CHECK-NEXT:     1  1       linear %arg0[0:4], %arg1 -> %1[0:4] (%arg2 = 0)   after caller:0
// CHECK-NEXT:     1  2       linear %arg0[4:8], %arg1 -> %1[4:8] (%arg2 = 1)   after caller:0
// CHECK-NEXT:     2  1       reduce <sum> %1[0:4] -> %2 root 0 (%arg2 = 0)
// CHECK-NEXT:     2  2       reduce <sum> %1[4:8] -> %2 root 1 (%arg2 = 1)
// CHECK-NEXT:     3  caller  return %2   after 1:2, 2:2
// CHECK-NEXT:timeline of @rows
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:     1  caller  output 0 %0 : ?x8xf32
// CHECK-NEXT:                for %arg2 = 0 to %arg1
// CHECK-NEXT:     1  1..4      copy %arg0[%arg2] -> %0[%arg2]   after caller:0
// CHECK-NEXT:                for %arg2 = 0 to min(%arg1, 4)
// CHECK-NEXT:     2  caller    wait   after 1..4:1
// CHECK-NEXT:     2  caller  return %0
// CHECK-NEXT:timeline of @two_loops
// CHECK-NEXT:  step  stream  op
// CHECK-NEXT:     1  caller  alloc %0 : ?x?xf32
// CHECK-NEXT:                for %arg3 = 0 to %arg1
// CHECK-NEXT:     1  1..4      copy %arg0[%arg3] -> %0[%arg3]   after caller:0
// CHECK-NEXT:                for %arg3 = 0 to min(%arg1, 4)
// CHECK-NEXT:     2  caller    wait   after 1..4:1
// CHECK-NEXT:     2  caller  output 0 %3 : ?x?xf32
// CHECK-NEXT:                for %arg3 = 0 to %arg2
// CHECK-NEXT:     2  1..4      copy %0[:, %arg3] -> %3[:, %arg3]   after 1..4:1
// CHECK-NEXT:                for %arg3 = 0 to min(%arg2, 4)
// CHECK-NEXT:     3  caller    wait   after 1..4:2
// CHECK-NEXT:     3  caller  return %3

//      ONCE:timeline of @gather_and_multiply
// ONCE-NEXT:  step  stream  op
// ONCE-NEXT:     1  caller  group %0 of [0, 1, 2]
// ONCE-NEXT:     1  caller  alloc %1 : 12x8xf32
// ONCE-NEXT:     1  caller  output 0 %2 : 12x5xf32
// ONCE-NEXT:                for %arg2 = 0 to 3, 3 times
// ONCE-NEXT:     1  1..3      wait   after caller:0
// ONCE-NEXT:                  if %arg2 == 0 and rank(%0) >= 0
// ONCE-NEXT:     1  1..3        copy %arg0 -> %1[..]
// ONCE-NEXT:                  if not (%arg2 == 0 and rank(%0) >= 0)
// ONCE-NEXT:     1  1..3        coalesce {send %arg0 to (rank(%0) + 3 - %arg2) mod 3; recv %1[..] from (rank(%0) + 3 + %arg2) mod 3}
// ONCE-NEXT:                for %arg2 = 0 to 3, 3 times
// ONCE-NEXT:     2  1..3      linear %1[..], %arg1 -> %2[..]
// ONCE-NEXT:                for %arg2 = 0 to 3, 3 times
// ONCE-NEXT:     3  caller    wait   after 1..3:2
// ONCE-NEXT:     3  caller  return %2
// ONCE-NEXT:timeline of @multiply_and_reduce
// ONCE-NEXT:  step  stream  op
// ONCE-NEXT:     1  caller  group %0 of [0, 1]
// ONCE-NEXT:     1  caller  alloc %1 : 8x5xf32
// ONCE-NEXT:     1  caller  output 0 %2 : 4x5xf32
// ONCE-NEXT:                for %arg2 = 0 to 2, 2 times
// ONCE-NEXT:     1  1..2      linear %arg0[..], %arg1 -> %1[..]   after caller:0
// ONCE-NEXT:     2  1..2      reduce <sum> %1[..] -> %2 root %arg2
// ONCE-NEXT:                for %arg2 = 0 to 2, 2 times
// ONCE-NEXT:     3  caller    wait   after 1..2:2
// ONCE-NEXT:     3  caller  return %2
// ONCE-NEXT:timeline of @rows
// ONCE-NEXT:  step  stream  op
// ONCE-NEXT:     1  caller  output 0 %0 : ?x8xf32
// ONCE-NEXT:                for %arg2 = 0 to %arg1
// ONCE-NEXT:     1  1..4      copy %arg0[%arg2] -> %0[%arg2]   after caller:0
// ONCE-NEXT:                for %arg2 = 0 to min(%arg1, 4)
// ONCE-NEXT:     2  caller    wait   after 1..4:1
// ONCE-NEXT:     2  caller  return %0
// ONCE-NEXT:timeline of @two_loops
// ONCE-NEXT:  step  stream  op
// ONCE-NEXT:     1  caller  alloc %0 : ?x?xf32
// ONCE-NEXT:                for %arg3 = 0 to %arg1
// ONCE-NEXT:     1  1..4      copy %arg0[%arg3] -> %0[%arg3]   after caller:0
// ONCE-NEXT:                for %arg3 = 0 to min(%arg1, 4)
// ONCE-NEXT:     2  caller    wait   after 1..4:1
// ONCE-NEXT:     2  caller  output 0 %3 : ?x?xf32
// ONCE-NEXT:                for %arg3 = 0 to %arg2
// ONCE-NEXT:     2  1..4      copy %0[:, %arg3] -> %3[:, %arg3]   after 1..4:1
// ONCE-NEXT:                for %arg3 = 0 to min(%arg2, 4)
// ONCE-NEXT:     3  caller    wait   after 1..4:2
// ONCE-NEXT:     3  caller  return %3

func.func @gather_and_multiply(%x: memref<4x8xf32>, %w: memref<5x8xf32>) -> memref<12x5xf32> attributes {host.program} {
  %all = host.group [[0, 1, 2]]
  %xs = host.alloc () stream <0 chunks 3> : memref<12x8xf32>
  %0 = host.all_gather %x, %xs dim 0 in %all : memref<4x8xf32>, memref<12x8xf32>
  host.wait %0
  %o = host.output 0 () stream <0 chunks 3> : memref<12x5xf32>
  host.linear %xs, %w, %o : memref<12x8xf32>, memref<5x8xf32>, memref<12x5xf32>
  return %o : memref<12x5xf32>
}

func.func @multiply_and_reduce(%x: memref<8x8xf32>, %w: memref<5x8xf32>) -> memref<4x5xf32> attributes {host.program} {
  %pair = host.group [[0, 1]]
  %t = host.alloc () stream <0 chunks 2> : memref<8x5xf32>
  host.linear %x, %w, %t : memref<8x8xf32>, memref<5x8xf32>, memref<8x5xf32>
  %o = host.output 0 () : memref<4x5xf32>
  %0 = host.reduce_scatter <sum> %t, %o dim 0 in %pair : memref<8x5xf32>, memref<4x5xf32>
  return %o : memref<4x5xf32>
}

// As many steps as there are rows, which only the program knows.
func.func @rows(%x: memref<?x8xf32>, %n: index) -> memref<?x8xf32> attributes {host.program} {
  %o = host.output 0 (%n) stream <0> : memref<?x8xf32>
  host.copy %x, %o : memref<?x8xf32>, memref<?x8xf32>
  return %o : memref<?x8xf32>
}

// In the second loop, the streams wait for all of the first one.
func.func @two_loops(%x: memref<?x?xf32>, %n: index, %k: index) -> memref<?x?xf32> attributes {host.program} {
  %t = host.alloc (%n, %k) stream <0> : memref<?x?xf32>
  host.copy %x, %t : memref<?x?xf32>, memref<?x?xf32>
  %o = host.output 0 (%n, %k) stream <1> : memref<?x?xf32>
  host.copy %t, %o : memref<?x?xf32>, memref<?x?xf32>
  return %o : memref<?x?xf32>
}
