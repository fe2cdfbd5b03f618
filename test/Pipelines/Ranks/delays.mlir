// With delays a program that waits for what it uses gives the same results under every seed, and one that does not shows it.

// RUN: fuser-run %s --entry waits --input=4xf32=iota --input=4xf32=value:0 --output=%t.right.npy
// RUN: fuser-run %s --entry waits --input=4xf32=iota --input=4xf32=value:0 --delays=1 --output=%t.1.npy
// RUN: cmp %t.right.npy %t.1.npy
// RUN: fuser-run %s --entry waits --input=4xf32=iota --input=4xf32=value:0 --delays=2,3000 --output=%t.2.npy
// RUN: cmp %t.right.npy %t.2.npy
// RUN: fuser-run %s --entry forgets --input=4xf32=iota --input=4xf32=value:0 --delays=3,3000 --output=%t.wrong.npy
// RUN: not cmp %t.right.npy %t.wrong.npy

// Ranks, each with times of its own.
// RUN: fuser-run %s --entry ranks --ranks 3 --input=4xf32=value:{rank} --delays=4 --output=%t.rank{rank}.npy
// RUN: fuser-run %s --entry ranks --ranks 3 --input=4xf32=value:{rank} --output=%t.same{rank}.npy
// RUN: cmp %t.rank0.npy %t.same0.npy
// RUN: cmp %t.rank2.npy %t.same2.npy

// RUN: not fuser-run %s --entry waits --input=4xf32=iota --input=4xf32=value:0 --delays=never 2>&1 | FileCheck %s --check-prefix=SEED -DGOT=never
// RUN: not fuser-run %s --entry waits --input=4xf32=iota --input=4xf32=value:0 --delays=-1 2>&1 | FileCheck %s --check-prefix=SEED -DGOT=-1
// RUN: not fuser-run %s --entry waits --input=4xf32=iota --input=4xf32=value:0 --delays=1, 2>&1 | FileCheck %s --check-prefix=SEED -DGOT=1,
// RUN: not fuser-run %s --entry waits --input=4xf32=iota --input=4xf32=value:0 --delays=1,0 2>&1 | FileCheck %s --check-prefix=SEED -DGOT=1,0
// SEED: --delays: expected SEED or SEED,MICROSECONDS, a number of 0 or more and one of 1 or more, got '[[GOT]]'
// RUN: not fuser-run %s --entry waits --input=4xf32=iota --input=4xf32=value:0 --target=cuda --delays=1 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: --target cuda: expected no --delays with it because it is about the streams of the CPU
// RUN: not fuser-run %s --entry waits --emit=%t.fx --delays=1 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: --emit: expected no --delays with it because it only compiles, and nothing runs

// The first stream copies x to a eight times, and then a to b; the second copies b.
func.func @waits(%x: memref<4xf32>, %zeros: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %out = host.output 0 () : memref<4xf32>
  %a = host.output 1 () : memref<4xf32>
  %b = host.output 2 () : memref<4xf32>
  %caller = host.get_stream
  %first = host.stream %c1
  %second = host.stream %c2
  host.copy %zeros, %b : memref<4xf32>, memref<4xf32>
  host.set_stream %first
  scf.for %i = %c0 to %c8 step %c1 {
    host.copy %x, %a : memref<4xf32>, memref<4xf32>
  }
  host.copy %a, %b : memref<4xf32>, memref<4xf32>
  host.set_stream %second
  host.sync %first
  host.copy %b, %out : memref<4xf32>, memref<4xf32>
  host.set_stream %caller
  host.sync %first
  host.sync %second
  return %out, %a, %b : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// The second stream does not wait, and copies zeros if the first is delayed.
func.func @forgets(%x: memref<4xf32>, %zeros: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %out = host.output 0 () : memref<4xf32>
  %a = host.output 1 () : memref<4xf32>
  %b = host.output 2 () : memref<4xf32>
  %caller = host.get_stream
  %first = host.stream %c1
  %second = host.stream %c2
  host.copy %zeros, %b : memref<4xf32>, memref<4xf32>
  host.set_stream %first
  scf.for %i = %c0 to %c8 step %c1 {
    host.copy %x, %a : memref<4xf32>, memref<4xf32>
  }
  host.copy %a, %b : memref<4xf32>, memref<4xf32>
  host.set_stream %second
  host.copy %b, %out : memref<4xf32>, memref<4xf32>
  host.set_stream %caller
  host.sync %first
  host.sync %second
  return %out, %a, %b : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

func.func @ranks(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  %all = host.group
  %o = host.output 0 () : memref<4xf32>
  %0 = host.all_reduce <sum> %x, %o in %all : memref<4xf32>, memref<4xf32>
  host.wait %0
  return %o : memref<4xf32>
}
