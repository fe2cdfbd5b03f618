// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda --fusion-to-kernel=target=cuda | FileCheck %s
// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda --fusion-to-kernel=target=cuda --kernel-stage-verify -o /dev/null

// What kernels access, and how. What is emitted passes the verifier of the kernel stage (the second line).

// A dense tensor is one row: both inputs by 128 bits, the result too, and one mask for the last block.
// CHECK-LABEL: gpu.func @pointwise_0(
// CHECK-SAME: fuser.alignment = 16 : i64
// CHECK-NOT: scf.for
// CHECK: scf.if
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xbf16>, vector<8xbf16>
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xbf16>, vector<8xbf16>
// CHECK: arith.addf
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<?xbf16>, vector<8xbf16>
// CHECK: } else {
// CHECK: scf.if
// CHECK: memref.store
// CHECK: gpu.return
// CHECK-NOT: gpu.barrier
func.func @pointwise(%x: tensor<?x4096xbf16> {fusion.alignment = 16 : i64}, %y: tensor<?x4096xbf16> {fusion.alignment = 16 : i64}) -> (tensor<?x4096xbf16> {fusion.alignment = 16 : i64}) {
  %0 = fusion.add %x, %y : tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// Without a promise of alignment, element by element.
// CHECK-LABEL: gpu.func @pointwise_unaligned_0(
// CHECK-NOT: vector.load
// CHECK-NOT: vector.store
// CHECK: memref.load
// CHECK: memref.store
// CHECK: gpu.return
func.func @pointwise_unaligned(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = fusion.exp %x : tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// A block for each row: one read, partial sums by shuffles, then across warps through shared memory.
// CHECK-LABEL: gpu.func @row_0(
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<{{[0-9]+}}xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-8: vector.load %{{.*}} {alignment = 16 : i64} : memref<?x4096xf32>, vector<4xf32>
// CHECK-NOT: vector.load
// CHECK: gpu.shuffle
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SHARED]]
// CHECK: gpu.shuffle
// CHECK: scf.if
// CHECK: memref.store
// CHECK: gpu.return
func.func @row(%x: tensor<?x4096xf32> {fusion.alignment = 16 : i64}) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?x4096xf32>
  %1 = fusion.reduce <sum> %0 dims [1] : tensor<?x4096xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Several rows for each warp: neither shared memory nor barriers, but a mask for the eighth element of 7.
// CHECK-LABEL: gpu.func @row_short_0(
// CHECK-NOT: workgroup(
// CHECK-NOT: gpu.barrier
// CHECK: memref.load
// CHECK: arith.select
// CHECK: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @row_short(%x: tensor<?x7xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?x7xf32>
  %1 = fusion.reduce <sum> %0 dims [1] : tensor<?x7xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Along the slowest dimension: a loop with several sums, combined through shared memory, of parts of the columns; then of these.
// CHECK-LABEL: gpu.func @column_0_partial(
// CHECK: scf.for
// CHECK: kernel.load_neighbours
// CHECK: scf.yield
// CHECK: gpu.barrier
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @column_0(
// CHECK: scf.for
// CHECK: memref.load
// CHECK: gpu.barrier
// CHECK: scf.yield
// CHECK: gpu.return
func.func @column(%x: tensor<?x4096xf32>) -> tensor<4096xf32> {
  %0 = fusion.exp %x : tensor<?x4096xf32>
  %1 = fusion.reduce <sum> %0 dims [0] : tensor<?x4096xf32> to tensor<4096xf32>
  return %1 : tensor<4096xf32>
}

// The schedule says what is read first, and how much room blocks leave each other: all reads before the reduction...
// CHECK-LABEL: gpu.func @reads_early_0(
// CHECK-NOT: fuser.min_blocks
// CHECK: memref.load
// CHECK: memref.load
// CHECK: gpu.shuffle
// CHECK-NOT: memref.load
// CHECK: gpu.return
func.func @reads_early(%x: tensor<8x32xf32>, %y: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<8x32xf32>, %b = %y : tensor<8x32xf32>) -> (tensor<8x32xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[w2], [l5]]>} {
    %s = fusion.reduce <sum> %a dims [1] keep : tensor<8x32xf32> to tensor<8x1xf32>
    %e = fusion.expand %s : tensor<8x1xf32> to tensor<8x32xf32>
    %r = fusion.mul %e, %b : tensor<8x32xf32>
    fusion.yield %r : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// ... or after it what it does not need.
// CHECK-LABEL: gpu.func @reads_late_0(
// CHECK-SAME: fuser.min_blocks = 5 : i64
// CHECK: memref.load
// CHECK-NOT: memref.load
// CHECK: gpu.shuffle
// CHECK: memref.load
// CHECK: gpu.return
func.func @reads_late(%x: tensor<8x32xf32>, %y: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<8x32xf32>, %b = %y : tensor<8x32xf32>) -> (tensor<8x32xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[w2], [l5]], min_blocks = 5, late_reads = true>} {
    %s = fusion.reduce <sum> %a dims [1] keep : tensor<8x32xf32> to tensor<8x1xf32>
    %e = fusion.expand %s : tensor<8x1xf32> to tensor<8x32xf32>
    %r = fusion.mul %e, %b : tensor<8x32xf32>
    fusion.yield %r : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// A row whose end is cut: whole vectors, else elements one by one, each with indices of its own.
// CHECK-LABEL: gpu.func @cut_row_0(
// CHECK: scf.if
// CHECK: } else {
// CHECK: vector.extract
// CHECK: memref.store
// CHECK: } else {
// CHECK: scf.for
// CHECK: memref.store
// CHECK: gpu.return
func.func @cut_row(%x: tensor<4x9xf32> {fusion.alignment = 16 : i64}) -> (tensor<4x7xf32> {fusion.alignment = 16 : i64}) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<4x9xf32>) -> (tensor<4x7xf32>) attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r1, l5]]>} {
    %1 = fusion.slice %a offsets [0, 1] sizes [4, 7] steps [1, 1] : tensor<4x9xf32> to tensor<4x7xf32>
    fusion.yield %1 : tensor<4x7xf32>
  }
  return %0 : tensor<4x7xf32>
}

// Nothing to emit.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT: return
func.func @nothing(%n: index) -> index {
  return %n : index
}
