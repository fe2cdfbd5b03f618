// What goes wrong on one rank ends all of them, with a message.

// RUN: not fuser-run %s --entry sizes --ranks 3 --input={rank}x2xf32=iota 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: expected all ranks to come to the same communication, got all_gather of {{[024]}} f32 on rank {{.}} and all_gather of {{[024]}} f32 on rank

// RUN: not fuser-run %s --entry fails --ranks 3 --input=3x2xf32=iota --scalar={rank} 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: fuser-run: rank 2: expected a number of 0 or 1, got 2
// FAILS-NOT: {{.}}

// RUN: not fuser-run %s --entry waits --ranks 3 --timeout 1 --input=3x2xf32=iota --scalar={rank} 2>&1 | FileCheck %s --check-prefix=WAITS
// WAITS: rank {{[01]}}, all_gather of 6 f32: {{expected all ranks within 1 seconds, but rank 2 has not come|rank 2 has left, and the others wait for it here}}

// RUN: not fuser-run %s --entry ring --ranks 2 --timeout 1 --input=3x2xf32=iota 2>&1 | FileCheck %s --check-prefix=RING
// RING: send to rank {{[01]}}: expected all ranks within 1 seconds

// RUN: not fuser-run %s --entry outside --ranks 2 --input=3x2xf32=iota 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: expected a group of ranks from 0 to 1, which are all that there are, got rank 2

// RUN: not fuser-run %s --entry root --ranks 2 --input=3x2xf32=iota --scalar=2 2>&1 | FileCheck %s --check-prefix=ROOT
// ROOT: broadcast of 6 f32 with root rank 2: expected a rank of 0 to 1, the ranks of the group, got 2

// RUN: not fuser-run %s --entry extents --ranks 2 --input=3x2xf32=iota --input=2x3xf32=iota 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: host.all_reduce: expected dimension 0 of the result to be 3, as dimension 0 of the source is, got 2

// RUN: not fuser-run %s --entry one_rank --ranks 2 --input=3x2xf32=iota --output=%t.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: fuser-run: --output: expected {rank} in a file's name, which each rank writes, got

// RUN: not fuser-run %s --entry ring --ranks 0 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: fuser-run: --ranks: expected a number of 1 or more, or mpi, got '0'

// RUN: not fuser-run %s --entry ring --ranks 2 --check 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: fuser-run: --check with --ranks: expected a program that says how its tensors are distributed (shard.shard)

// RUN: not fuser-run %s --entry exchange --ranks 2 --input=3x4xf32=iota 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: host.all_to_all: expected dimension 0 to have a part for each of 2 ranks, got 3

// RUN: not fuser-run %s --entry gathered --ranks 2 --input=2x3xf32=iota --input=3x4xf32=iota 2>&1 | FileCheck %s --check-prefix=GATHERED
// GATHERED: host.gather: expected dimension 1 of the result to be 3, as dimension 1 of the source is, got 4

// Without the library for MPI (mpi.mlir is about what it does).
// RUN: %if build-tree %{ rm -rf %t && mkdir %t && cp %tools_dir/fuser-run %t %}
// RUN: %if build-tree %{ not %t/fuser-run %s --entry ring --ranks mpi 2>&1 | FileCheck %s --check-prefix=LIBRARY %}
// LIBRARY: fuser-run: --ranks mpi: expected to open libfuser_rt_mpi.so, which is built where CMake finds MPI, got: libfuser_rt_mpi.so: cannot open shared object file: {{.*}}: install MPI

// Ranks are timed in step.
// RUN: fuser-run %s --entry one_rank --ranks 2 --input=3x2xf32=iota --bench | FileCheck %s --check-prefix=BENCH
// BENCH: us a run, {{.+}} GB/s (48 bytes, median of 200 runs in batches)

// Without --ranks a program is alone.
// RUN: fuser-run %s --entry one_rank --input=3x2xf32=iota | FileCheck %s --check-prefix=ALONE
// ALONE: target cpu

func.func @sizes(%x: memref<?x2xf32>) -> memref<?x2xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %all = host.group
  %size = host.size %all
  %n = memref.dim %x, %c0 : memref<?x2xf32>
  %m = arith.muli %n, %size : index
  %o = host.output 0 (%m) : memref<?x2xf32>
  %0 = host.all_gather %x, %o dim 0 in %all : memref<?x2xf32>, memref<?x2xf32>
  return %o : memref<?x2xf32>
}

func.func @fails(%x: memref<3x2xf32>, %which: index) -> memref<3x2xf32> attributes {host.program} {
  %c2 = arith.constant 2 : index
  %all = host.group
  %o = host.output 0 () : memref<3x2xf32>
  %right = arith.cmpi slt, %which, %c2 : index
  host.check %right, "expected a number of 0 or 1, got {0}" (%which : index)
  %0 = host.all_reduce <sum> %x, %o in %all : memref<3x2xf32>, memref<3x2xf32>
  return %o : memref<3x2xf32>
}

func.func @waits(%x: memref<3x2xf32>, %which: index) -> memref<9x2xf32> attributes {host.program} {
  %c2 = arith.constant 2 : index
  %all = host.group
  %o = host.output 0 () : memref<9x2xf32>
  %comes = arith.cmpi slt, %which, %c2 : index
  scf.if %comes {
    %0 = host.all_gather %x, %o dim 0 in %all : memref<3x2xf32>, memref<9x2xf32>
  }
  return %o : memref<9x2xf32>
}

func.func @ring(%x: memref<3x2xf32>) -> memref<3x2xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %all = host.group
  %rank = host.rank %all
  %other = arith.subi %c1, %rank : index
  %o = host.output 0 () : memref<3x2xf32>
  %0 = host.send %x to %other in %all : memref<3x2xf32>
  %1 = host.recv %o from %other in %all : memref<3x2xf32>
  return %o : memref<3x2xf32>
}

func.func @outside(%x: memref<3x2xf32>) -> memref<3x2xf32> attributes {host.program} {
  %three = host.group [[0, 1, 2]]
  %o = host.output 0 () : memref<3x2xf32>
  %0 = host.all_reduce <sum> %x, %o in %three : memref<3x2xf32>, memref<3x2xf32>
  return %o : memref<3x2xf32>
}

func.func @root(%x: memref<3x2xf32>, %root: index) -> memref<3x2xf32> attributes {host.program} {
  %all = host.group
  %o = host.output 0 () : memref<3x2xf32>
  %0 = host.broadcast %x, %o root %root in %all : memref<3x2xf32>, memref<3x2xf32>
  return %o : memref<3x2xf32>
}

func.func @extents(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {host.program} {
  %all = host.group
  %0 = host.all_reduce <sum> %x, %y in %all : memref<?x?xf32>, memref<?x?xf32>
  return
}

func.func @one_rank(%x: memref<3x2xf32>) -> memref<3x2xf32> attributes {host.program} {
  %all = host.group
  %o = host.output 0 () : memref<3x2xf32>
  %0 = host.all_reduce <avg> %x, %o in %all : memref<3x2xf32>, memref<3x2xf32>
  host.wait %0
  return %o : memref<3x2xf32>
}

func.func @exchange(%x: memref<?x4xf32>) -> memref<?x4xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %all = host.group
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %o = host.output 0 (%n) : memref<?x4xf32>
  %0 = host.all_to_all %x, %o in %all : memref<?x4xf32>, memref<?x4xf32>
  return %o : memref<?x4xf32>
}

func.func @gathered(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %all = host.group
  %0 = host.gather %x, %y dim 0 root %c0 in %all : memref<?x?xf32>, memref<?x?xf32>
  return
}
