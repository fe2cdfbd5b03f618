// May and should are functions that whoever makes the pass brings; here options of a test pass.
// REQUIRES: build-tree
// RUN: fuser-test-opt %s --pass-pipeline='builtin.module(func.func(test-fusion-segment))' 2>/dev/null | FileCheck %s --check-prefix=ALL
// RUN: fuser-test-opt %s --pass-pipeline='builtin.module(func.func(test-fusion-segment{max-ops=2 scheduler=pointwise}))' 2>%t.max | FileCheck %s --check-prefix=MAX
// RUN: FileCheck %s --check-prefix=MAX-WHY --input-file=%t.max
// RUN: fuser-test-opt %s --pass-pipeline='builtin.module(func.func(test-fusion-segment{min-bytes=6}))' 2>%t.bytes | FileCheck %s --check-prefix=BYTES
// RUN: FileCheck %s --check-prefix=BYTES-WHY --input-file=%t.bytes
// RUN: fuser-test-opt %s --pass-pipeline='builtin.module(func.func(test-fusion-segment{max-reductions=0 min-bytes=1}))' 2>/dev/null | FileCheck %s --check-prefix=REDUCTIONS
// RUN: fuser-test-opt %s --pass-pipeline='builtin.module(func.func(test-fusion-segment{print=true}))' 2>&1 >/dev/null | FileCheck %s --check-prefix=PRINT

// All merges that makes no cycle; without a function for it, the scheduler is generic.
// ALL: fusion.segment "generic"
// ALL-NOT: fusion.segment

// MAX: fusion.segment "pointwise"
// MAX-NEXT: fusion.exp
// MAX-NEXT: fusion.cast
// MAX-NEXT: fusion.yield
// MAX: fusion.segment "pointwise"
// MAX-NEXT: fusion.tanh
// MAX-NEXT: fusion.reduce
// MAX-NEXT: fusion.yield
// MAX-NOT: fusion.segment
// MAX-WHY: reads a tensor from another segment: too many ops

// A tensor of f32 that goes is worth 8 bytes, one of bf16 4.
// BYTES: fusion.segment "generic"
// BYTES-NEXT: fusion.exp
// BYTES-NEXT: fusion.cast
// BYTES-NEXT: fusion.yield
// BYTES: fusion.segment "generic"
// BYTES-NEXT: fusion.tanh
// BYTES-NEXT: fusion.yield
// BYTES: fusion.segment "generic"
// BYTES-NEXT: fusion.reduce
// BYTES-NEXT: fusion.yield
// BYTES-NOT: fusion.segment
// BYTES-WHY-COUNT-2: reads a tensor from another segment: too few bytes

// What is not allowed, is not, whatever it would save.
// REDUCTIONS: fusion.segment "generic"
// REDUCTIONS-NEXT: fusion.exp
// REDUCTIONS-NEXT: fusion.cast
// REDUCTIONS-NEXT: fusion.tanh
// REDUCTIONS-NEXT: fusion.yield
// REDUCTIONS: fusion.segment "generic"
// REDUCTIONS-NEXT: fusion.reduce
// REDUCTIONS-NEXT: fusion.yield
// REDUCTIONS-NOT: fusion.segment

// Summaries, which merge without a look at the ops.
// PRINT: remark: 1 ops (1 in, 1 out) with 1 ops (1 in, 1 out): 2 ops (1 in, 1 out), 0 reductions
// PRINT: remark: 2 ops (1 in, 1 out) with 1 ops (1 in, 1 out): 3 ops (1 in, 1 out), 0 reductions
// PRINT: remark: 3 ops (1 in, 1 out) with 1 ops (1 in, 1 out): 4 ops (1 in, 1 out), 1 reductions
func.func @chain(%x: tensor<?x8xf32>) -> tensor<?xbf16> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.cast %0 : tensor<?x8xf32> to tensor<?x8xbf16>
  %2 = fusion.tanh %1 : tensor<?x8xbf16>
  %3 = fusion.reduce <sum> %2 dims [1] : tensor<?x8xbf16> to tensor<?xbf16>
  return %3 : tensor<?xbf16>
}
