// Ranks that are processes, as MPI's launcher starts them, do what ranks that are threads do.

// REQUIRES: mpi
// RUN: rm -rf %t && mkdir %t
// RUN: fuser-run %s --entry parts --ranks 3 --input=2x3xf32=random:{rank} --scalar={rank} --output=%t/sum{rank}.npy --output=%t/all{rank}.npy
// RUN: mpirun -n 3 fuser-run %s --entry parts --ranks mpi --input=2x3xf32=random:{rank} --scalar={rank} --output=%t/mpi-sum{rank}.npy --output=%t/mpi-all{rank}.npy --trace=%t/{rank}.json | FileCheck %s
// CHECK: target cpu {{.*}} compiled in
// CHECK-NOT: target
// RUN: cmp %t/sum0.npy %t/mpi-sum0.npy
// RUN: cmp %t/sum1.npy %t/mpi-sum1.npy
// RUN: cmp %t/sum2.npy %t/mpi-sum2.npy
// RUN: cmp %t/all0.npy %t/mpi-all0.npy
// RUN: cmp %t/all1.npy %t/mpi-all1.npy
// RUN: cmp %t/all2.npy %t/mpi-all2.npy

// Each has a trace of its own.
// RUN: %python %S/Inputs/trace.py %t/2.json | FileCheck %s --check-prefix=TRACE
// TRACE: rank 2, host (1000):
// TRACE: communication: all_reduce <sum> of 6 f32 {"transfers": 1}
// TRACE-NOT: rank {{[013]}},

// A compiled program, figures, and a launcher of one.
// RUN: fuser-run %s --entry parts --emit=%t/parts.fx
// RUN: mpirun -n 2 fuser-run %t/parts.fx --ranks mpi --input=2x3xf32=iota --scalar={rank} --bench=%t/bench.json | FileCheck %s --check-prefix=BENCH
// BENCH: us a run, {{.*}} median of 200 runs in batches)
// BENCH-NOT: us a run
// RUN: FileCheck %s --input-file=%t/bench.json --check-prefix=FIGURES
// FIGURES: "runs": 200
// RUN: mpirun -n 1 fuser-run %s --entry parts --ranks mpi --input=2x3xf32=iota --scalar=0 --output=%t/alone.npy | FileCheck %s

// The rank that fails says why, the others which one it was. It fails before it comes to its first communication.
// RUN: not mpirun -n 3 fuser-run %s --entry parts --ranks mpi --input=2x3xf32=iota --scalar=1{rank} 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS-DAG: fuser-run: rank 2: expected a number below 12, got 12
// FAILS-DAG: fuser-run: rank 0: rank 2 has failed: expected a number below 12, got 12
// FAILS-DAG: fuser-run: rank 1: rank 2 has failed: expected a number below 12, got 12

// One without a file, and one with too many inputs.
// RUN: cp %t/sum0.npy %t/x0.npy
// RUN: not mpirun -n 2 fuser-run %s --entry parts --ranks mpi --input=%t/x{rank}.npy --scalar=0 2>&1 | FileCheck %s --check-prefix=FILE
// FILE-DAG: fuser-run: rank 1: '{{.*}}x1.npy': No such file
// FILE-DAG: fuser-run: rank 0: rank 1 has failed: '{{.*}}x1.npy': No such file
// RUN: not mpirun -n 2 fuser-run %s --entry parts --ranks mpi --input=2x3xf32=iota --input=2x3xf32=iota --scalar=0 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: fuser-run: rank {{[01]}}: {{.*}}expected 1 input tensor

// What is wrong with the program is said once.
// RUN: not mpirun -n 2 fuser-run %s --entry nothing --ranks mpi 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY-DAG: fuser-run: rank 0: --entry: expected a function 'nothing' with a body, got none
// ENTRY-DAG: fuser-run: rank 1: rank 0 has failed: --entry: expected a function 'nothing'

// A rank that does not come.
// RUN: not mpirun -n 2 fuser-run %s --entry waits --ranks mpi --timeout 2 --input=2x3xf32=iota --scalar={rank} 2>&1 | FileCheck %s --check-prefix=WAITS
// WAITS: fuser-run: rank 0: rank 0 waits for rank 1, which has left: its context was destroyed

// RUN: not mpirun -n 2 fuser-run %s --entry parts --ranks mpi --input=2x3xf32=iota --scalar=0 --output=%t/same.npy 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: fuser-run: --output: expected {rank} in a file's name, which each rank writes, got
// RUN: not mpirun -n 2 fuser-run %s --entry parts --ranks mpi --input=2x3xf32=iota --scalar=0 --trace=%t/same.json 2>&1 | FileCheck %s --check-prefix=ONETRACE
// ONETRACE: fuser-run: --trace: expected {rank} in a file's name, which each rank writes, got

// Without a launcher, and with one of another MPI.
// RUN: not fuser-run %s --entry parts --ranks mpi 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: fuser-run: --ranks mpi: expected a process that MPI's launcher has started, as with 'mpirun -n 4 fuser-run program.mlir --ranks mpi', got one that was started by itself
// RUN: env PMI_SIZE=3 not fuser-run %s --entry parts --ranks mpi 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: fuser-run: --ranks mpi: expected a launcher of the MPI that libfuser_rt_mpi.so was built with, got one that has started 3 processes (PMI_SIZE) of which that MPI knows 1

func.func @parts(%x: memref<2x3xf32>, %which: index) -> (memref<2x3xf32>, memref<?x3xf32>) attributes {host.program} {
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %right = arith.cmpi slt, %which, %c12 : index
  host.check %right, "expected a number below 12, got {0}" (%which : index)
  %all = host.group
  %size = host.size %all
  %rows = arith.muli %size, %c2 : index
  %sum = host.output 0 () : memref<2x3xf32>
  %0 = host.all_reduce <sum> %x, %sum in %all : memref<2x3xf32>, memref<2x3xf32>
  host.wait %0
  %parts = host.output 1 (%rows) : memref<?x3xf32>
  %1 = host.all_gather %x, %parts dim 0 in %all : memref<2x3xf32>, memref<?x3xf32>
  host.wait %1
  return %sum, %parts : memref<2x3xf32>, memref<?x3xf32>
}

func.func @waits(%x: memref<2x3xf32>, %which: index) -> memref<2x3xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %all = host.group
  %sum = host.output 0 () : memref<2x3xf32>
  %comes = arith.cmpi slt, %which, %c1 : index
  scf.if %comes {
    %0 = host.all_reduce <sum> %x, %sum in %all : memref<2x3xf32>, memref<2x3xf32>
  }
  return %sum : memref<2x3xf32>
}
