// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda -o %t.once
// RUN: fuser-opt %t.once --fusion-schedule=target=cuda | diff - %t.once

// What the heuristics choose for representative shapes. Scheduled once, it stays as it is (the last lines).

// 128-bit accesses of bf16.
// CHECK-LABEL: func.func @pointwise(
// CHECK: fusion.segment "pointwise"
// CUDA-SAME: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[}}0, 1]], layout = {{\[\[}}r3, l5, w{{[0-9]}}]], repeat = [{{[1-9]}}]>
// CPU-SAME: schedule = #fusion.cpu<kind = "pointwise"
func.func @pointwise(%x: tensor<?x4096xbf16> {fusion.alignment = 16 : i64}, %y: tensor<?x4096xbf16> {fusion.alignment = 16 : i64}) -> tensor<?x4096xbf16> {
  %0 = fusion.add %x, %y : tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// One dense tensor is one long row: an odd length does not matter.
// CHECK-LABEL: func.func @pointwise_odd(
// CHECK: fusion.segment "pointwise"
// CUDA-SAME: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[}}0, 1]], layout = {{\[\[}}r3, l5, w
// CPU-SAME: schedule = #fusion.cpu<kind = "pointwise"
func.func @pointwise_odd(%x: tensor<?x4099xbf16> {fusion.alignment = 16 : i64}) -> tensor<?x4099xbf16> {
  %0 = fusion.exp %x : tensor<?x4099xbf16>
  return %0 : tensor<?x4099xbf16>
}

// What is not promised is decided when the kernel is made.
// CHECK-LABEL: func.func @pointwise_unaligned(
// CHECK: fusion.segment "pointwise"
// CUDA-SAME: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[}}0, 1]], layout = {{\[\[}}r3, l5, w
// CPU-SAME: schedule = #fusion.cpu<kind = "pointwise"
func.func @pointwise_unaligned(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = fusion.exp %x : tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// A block for each row, 128-bit accesses.
// CHECK-LABEL: func.func @row(
// CHECK: fusion.segment "row_reduction"
// CUDA-SAME: schedule = #fusion.tile<kind = "row_reduction", axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [r2, l5, w{{[0-9]}}]], repeat = [1, {{[0-9]+}}]>
// CPU-SAME: schedule = #fusion.cpu<kind = "row_reduction"
func.func @row(%x: tensor<?x4096xf32> {fusion.alignment = 16 : i64}) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?x4096xf32>
  %1 = fusion.reduce <sum> %0 dims [1] : tensor<?x4096xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Rows beyond the registers of a block: the blocks of a cluster share each, and weights wait until they are used.
// CHECK-LABEL: func.func @row_of_many(
// CHECK: fusion.segment "row_reduction"
// CUDA-SAME: schedule = #fusion.tile<kind = "row_reduction", axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [r3, l5, w{{[0-9]}}, b{{[0-9]}}]], repeat = [1, {{[0-9]+}}], min_blocks = {{[0-9]}}
// CPU-SAME: schedule = #fusion.cpu<kind = "row_reduction"
func.func @row_of_many(%x: tensor<?x40000xbf16> {fusion.alignment = 16 : i64}, %w: tensor<40000xbf16> {fusion.alignment = 16 : i64}) -> tensor<?x40000xbf16> {
  %0 = fusion.reduce <max> %x dims [1] keep : tensor<?x40000xbf16> to tensor<?x1xbf16>
  %1 = fusion.expand %0 : tensor<?x1xbf16> to tensor<?x40000xbf16>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x40000xbf16>
  %2 = fusion.broadcast %w dims [0] : tensor<40000xbf16> to tensor<1x40000xbf16>
  %3 = fusion.expand %2 sizes(%rows) : tensor<1x40000xbf16> to tensor<?x40000xbf16>
  %4 = fusion.sub %x, %1 : tensor<?x40000xbf16>
  %5 = fusion.mul %4, %3 : tensor<?x40000xbf16>
  return %5 : tensor<?x40000xbf16>
}

// Many rows for each block; 7 elements have no vectors.
// CHECK-LABEL: func.func @row_short(
// CHECK: fusion.segment "row_reduction"
// CUDA-SAME: schedule = #fusion.tile<kind = "row_reduction", axes = {{\[\[}}0], [1]], layout = {{\[\[}}l4, w2], [l1]], repeat = [1, 4]>
// CPU-SAME: schedule = #fusion.cpu<kind = "row_reduction"
func.func @row_short(%x: tensor<?x7xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?x7xf32>
  %1 = fusion.reduce <sum> %0 dims [1] : tensor<?x7xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Beyond registers: the sum is a kernel of its own. A processor reads rows again.
// CHECK-LABEL: func.func @row_long(
// CUDA: fusion.segment "split_reduction"
// CUDA-SAME: schedule = #fusion.split_reduction<threads = {{[0-9]+}}
// CUDA: fusion.segment "pointwise"
// CUDA-SAME: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[}}0, 1]], layout = {{\[\[}}r2, l5, w
// CPU: fusion.segment "row_reduction"
// CPU-SAME: schedule = #fusion.cpu<kind = "row_reduction"
// CPU-NOT: fusion.segment
func.func @row_long(%x: tensor<?x1000000xf32>) -> tensor<?x1000000xf32> {
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<?x1000000xf32> to tensor<?x1xf32>
  %1 = fusion.expand %0 : tensor<?x1xf32> to tensor<?x1000000xf32>
  %2 = fusion.div %x, %1 : tensor<?x1000000xf32>
  return %2 : tensor<?x1000000xf32>
}

// Along the slowest dimension: how many rows there are is not known, and blocks share them. The second kernel adds 128 parts at a time.
// CHECK-LABEL: func.func @column(
// CUDA: fusion.segment "outer_reduction"
// CUDA-SAME{LITERAL}: axes = [[], [0], [1]], layout = [[], [w4, r3], [r2, l5]], fold = [[], [r3, l2, w2], [l3]], programmatic = true, min_blocks = 2>
// CPU: fusion.segment "generic"
// CPU-SAME: schedule = #fusion.cpu<kind = "generic"
func.func @column(%x: tensor<?x4096xf32>) -> tensor<4096xf32> {
  %0 = fusion.exp %x : tensor<?x4096xf32>
  %1 = fusion.reduce <sum> %0 dims [0] : tensor<?x4096xf32> to tensor<4096xf32>
  return %1 : tensor<4096xf32>
}

// Few rows: one kernel, in which registers have all of them, or a block.
// CHECK-LABEL: func.func @columns_of_few(
// CUDA{LITERAL}: axes = [[], [0], [1]], layout = [[], [r4], [r2, l5, w2]]>
// CUDA: axes = {{\[\[}}], [0], [1]], layout = {{\[\[}}], [l{{[0-9]}}, w{{[0-9]}}, r3{{.*}}], [r{{[0-9]}}, l{{[0-9]}}]], min_blocks = 1>
func.func @columns_of_few(%x: tensor<16x4096xbf16> {fusion.alignment = 16 : i64}, %y: tensor<2000x32768xbf16> {fusion.alignment = 16 : i64}) -> (tensor<4096xbf16>, tensor<32768xbf16>) {
  %0 = fusion.reduce <max> %x dims [0] : tensor<16x4096xbf16> to tensor<4096xbf16>
  %1 = fusion.reduce <sum> %y dims [0] : tensor<2000x32768xbf16> to tensor<32768xbf16>
  return %0, %1 : tensor<4096xbf16>, tensor<32768xbf16>
}

// What is also written is computed with: narrower accesses, and warps that have neighbours.
// CHECK-LABEL: func.func @columns_of_results(
// CUDA{LITERAL}: axes = [[], [0], [1]], layout = [[], [w4, r3], [r2, l5]], fold = [[], [r3, l2, w2], [l3]], programmatic = true, min_blocks = 2>
func.func @columns_of_results(%x: tensor<?x4096xbf16> {fusion.alignment = 16 : i64}) -> (tensor<?x4096xbf16>, tensor<4096xbf16>) {
  %0 = fusion.exp %x : tensor<?x4096xbf16>
  %1 = fusion.reduce <sum> %0 dims [0] : tensor<?x4096xbf16> to tensor<4096xbf16>
  return %0, %1 : tensor<?x4096xbf16>, tensor<4096xbf16>
}

// What all rows share is read once for two rows, of whole warps beside each other.
// CHECK-LABEL: func.func @shared_by_rows(
// CUDA{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0, 1], [2]], layout = [[w2, r1], [r3, l5]]>
func.func @shared_by_rows(%x: tensor<64x32x768xbf16>, %b: tensor<768xf32>) -> tensor<64x32x768xbf16> {
  %0 = fusion.broadcast %b dims [0, 1] : tensor<768xf32> to tensor<1x1x768xf32>
  %1 = fusion.expand %0 : tensor<1x1x768xf32> to tensor<64x32x768xf32>
  %2 = fusion.cast %x : tensor<64x32x768xbf16> to tensor<64x32x768xf32>
  %3 = fusion.add %2, %1 : tensor<64x32x768xf32>
  %4 = fusion.cast %3 : tensor<64x32x768xf32> to tensor<64x32x768xbf16>
  return %4 : tensor<64x32x768xbf16>
}

// Not where rows end within a warp's columns, nor where it is little beside what each row reads.
// CHECK-LABEL: func.func @not_shared(
// CUDA{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0, 1]]
// CUDA{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0, 1]]
func.func @not_shared(%x: tensor<512x1000xf32>, %b: tensor<1000xf32>, %y: tensor<512x1024xf32>, %z: tensor<512x1024xf32>, %c: tensor<1024xf32>) -> (tensor<512x1000xf32>, tensor<512x1024xf32>) {
  %0 = fusion.broadcast %b dims [0] : tensor<1000xf32> to tensor<1x1000xf32>
  %1 = fusion.expand %0 : tensor<1x1000xf32> to tensor<512x1000xf32>
  %2 = fusion.add %x, %1 : tensor<512x1000xf32>
  %3 = fusion.broadcast %c dims [0] : tensor<1024xf32> to tensor<1x1024xf32>
  %4 = fusion.expand %3 : tensor<1x1024xf32> to tensor<512x1024xf32>
  %5 = fusion.add %y, %z : tensor<512x1024xf32>
  %6 = fusion.mul %5, %4 : tensor<512x1024xf32>
  return %2, %6 : tensor<512x1000xf32>, tensor<512x1024xf32>
}

// A row whose length is not known cannot be promised to fit into registers.
// CHECK-LABEL: func.func @dynamic(
// CUDA: fusion.segment "generic"
// CUDA-SAME: schedule = #fusion.generic<threads = {{[0-9]+}}, parts = {{[0-9]+}}
// CPU: fusion.segment "row_reduction"
// CPU-SAME: schedule = #fusion.cpu<kind = "row_reduction"
func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?x?xf32>
  %1 = fusion.reduce <sum> %0 dims [1] : tensor<?x?xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A schedule that is there is obeyed, not replaced.
// CHECK-LABEL: func.func @by_hand(
// CUDA{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r1, l5, w1]]>
func.func @by_hand(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r1, l5, w1]]>} {
    %1 = fusion.exp %a : tensor<?x64xf32>
    fusion.yield %1 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// Nothing to schedule.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT: return
func.func @nothing(%n: index) -> index {
  return %n : index
}
