// A trace has a row for the host and for each stream, of each rank.

// RUN: fuser-run %s --entry main --ranks 2 --input=4x4xf32=iota --trace=%t.json
// RUN: %python %S/Inputs/trace.py %t.json | FileCheck %s
// CHECK: rank 0, host (1000):
// CHECK-NEXT: run: main {}
// CHECK-NEXT: rank 0, caller's stream (0):
// CHECK-NEXT: copy: copy {"bytes": 64}
// CHECK-NEXT: wait: wait for stream 1 {}
// CHECK-NEXT: communication: all_reduce <sum> of 16 f32 {"transfers": 1}
// CHECK-NEXT: communication: send of 16 f32 to rank 0, recv of 16 f32 from rank 0 {"transfers": 2}
// CHECK-NEXT: wait: wait for all streams {}
// CHECK-NEXT: rank 0, stream 1 (1):
// CHECK-NEXT: wait: wait for the caller's stream {}
// CHECK-NEXT: matmul: matmul {"batch": 1, "m": 4, "n": 4, "k": 4}
// CHECK-NEXT: rank 1, host (1000):
// CHECK-NEXT: run: main {}
// CHECK-NEXT: rank 1, caller's stream (0):
// CHECK: communication: all_reduce <sum> of 16 f32 {"transfers": 1}
// CHECK-NEXT: communication: send of 16 f32 to rank 1, recv of 16 f32 from rank 1 {"transfers": 2}
// CHECK: rank 1, stream 1 (1):
// CHECK: {"dropped_events": 0, "events_without_time": 0}

// Without --ranks, a program with a kernel, compiled and from a file.
// RUN: fuser-run %s --entry neg --input=5x8xf32=iota --trace=%t.json
// RUN: %python %S/Inputs/trace.py %t.json | FileCheck %s --check-prefix=KERNEL
// RUN: fuser-run %s --entry neg --emit=%t.fx
// RUN: fuser-run %t.fx --input=5x8xf32=iota --trace=%t.json
// RUN: %python %S/Inputs/trace.py %t.json | FileCheck %s --check-prefix=KERNEL
// KERNEL: rank 0, host (1000):
// KERNEL-NEXT: run: neg {}
// KERNEL-NEXT: rank 0, caller's stream (0):
// KERNEL-NEXT: launch: neg{{.*}} {"grid": [{{[0-9]+}}, 1, 1]}
// KERNEL-NEXT: {"dropped_events": 0, "events_without_time": 0}

// RUN: not fuser-run %s --entry neg --input=5x8xf32=iota --trace=%t.none/t.json 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: --trace: expected a file that can be written, got '{{.*}}.none/t.json': No such file or directory
// RUN: not fuser-run %s --entry neg --input=5x8xf32=iota --trace=- 2>&1 | FileCheck %s --check-prefix=STDOUT
// STDOUT: --trace: expected the name of a file, got '-'
// RUN: not fuser-run %s --entry neg --input=5x8xf32=iota --trace=%t.json --bench 2>&1 | FileCheck %s --check-prefix=BENCH
// BENCH: --bench: expected no --trace with it because it would be timed, too
// RUN: not fuser-run %s --entry neg --input=5x8xf32=iota --trace=%t.json --reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: --reference: expected no --trace with it because nothing is compiled

func.func @main(%x: memref<4x4xf32>) -> (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) attributes {host.program} {
  // The first of the workers again.
  %c9 = arith.constant 9 : index
  %all = host.group
  %rank = host.rank %all
  %product = host.output 0 () : memref<4x4xf32>
  %sum = host.output 1 () : memref<4x4xf32>
  %moved = host.output 2 () : memref<4x4xf32>
  %caller = host.get_stream
  %worker = host.stream %c9
  host.copy %x, %moved : memref<4x4xf32>, memref<4x4xf32>
  host.set_stream %worker
  host.sync %caller
  host.matmul %x, %moved, %product : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  host.set_stream %caller
  host.sync %worker
  %0 = host.all_reduce <sum> %product, %sum in %all : memref<4x4xf32>, memref<4x4xf32>
  host.wait %0
  %1 = host.coalesce {
    %2 = host.send %sum to %rank in %all : memref<4x4xf32>
    %3 = host.recv %moved from %rank in %all : memref<4x4xf32>
  }
  host.wait %1
  return %product, %sum, %moved : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
}

func.func @neg(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = fusion.neg %x : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
