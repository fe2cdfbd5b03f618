// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda | FileCheck %s
// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda --fusion-to-kernel=target=cuda --kernel-to-nvptx | FileCheck %s --check-prefix=NVPTX
// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu | FileCheck %s --check-prefix=CPU

// Where pointwise segments go through shared memory, and where they do not. A processor has no such schedule.
// CPU-NOT: #fusion.tile
// CPU: #fusion.cpu<kind = "pointwise"
// CPU-NOT: #fusion.tile

// CHECK-LABEL: func.func @permute(
// CHECK: fusion.segment "pointwise"
// CHECK-SAME{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>
func.func @permute(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.permute %x [1, 0] : tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Elements of two bytes: more of them, for as many bytes.
// CHECK-LABEL: func.func @wider_tile(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r3, w2, r2], [l5, w1]], staged = [[], [r3, l4:0], [l1:4, w3, r2]], reads = [0]>
func.func @wider_tile(%x: tensor<?x8192xbf16>, %y: tensor<8192x?xf32>) -> tensor<8192x?xf32> {
  %0 = fusion.permute %x [1, 0] : tensor<?x8192xbf16> to tensor<8192x?xbf16>
  %1 = fusion.cast %0 : tensor<8192x?xbf16> to tensor<8192x?xf32>
  %2 = fusion.add %1, %y : tensor<8192x?xf32>
  return %2 : tensor<8192x?xf32>
}

// Both dimensions known: vectors of 16 bytes on both sides, ...
// CHECK-LABEL: func.func @vectors(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r3, l1, w3], [r3, l4]], staged = [[], [r3, l4:0], [r3, l1:4, w3]], reads = [0]>
func.func @vectors(%x: tensor<4096x8192xbf16>) -> tensor<8192x4096xbf16> {
  %0 = fusion.permute %x [1, 0] : tensor<4096x8192xbf16> to tensor<8192x4096xbf16>
  return %0 : tensor<8192x4096xbf16>
}

// CHECK-LABEL: func.func @vectors_of_bytes(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r4, l1, w2], [r4, l4]], staged = [[], [r4, l3:0], [r4, l2:3, w2]], reads = [0]>
func.func @vectors_of_bytes(%x: tensor<4096x8192xi1>) -> tensor<8192x4096xi1> {
  %0 = fusion.permute %x [1, 0] : tensor<4096x8192xi1> to tensor<8192x4096xi1>
  return %0 : tensor<8192x4096xi1>
}

// ... or as many as divide a dimension.
// CHECK-LABEL: func.func @vectors_of_two(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r3], [r1, l5]], staged = [[], [l5, w1:0], [r1, w2:1, r3]], reads = [0]>
func.func @vectors_of_two(%x: tensor<4098x8191xbf16>) -> tensor<8191x4098xbf16> {
  %0 = fusion.permute %x [1, 0] : tensor<4098x8191xbf16> to tensor<8191x4098xbf16>
  return %0 : tensor<8191x4098xbf16>
}

// Rows of 56 pixels would waste an eighth of a tile of 64 and more of a wider one: images are rows.
// CHECK-LABEL: func.func @images(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1, 2], [3]], layout = [[], [r3, l1, w3], [r3, l4]], staged = [[], [r3, l4:0], [r3, l1:4, w3]], reads = [0]>
func.func @images(%x: tensor<?x256x56x56xbf16>) -> tensor<?x56x56x256xbf16> {
  %0 = fusion.permute %x [0, 2, 3, 1] : tensor<?x256x56x56xbf16> to tensor<?x56x56x256xbf16>
  return %0 : tensor<?x56x56x256xbf16>
}

// Another dimension comes before pixels in the other tensor: they stay alone.
// CHECK-LABEL: func.func @unmerged(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0, 2], [1], [3]], layout = [[], [r3, w3], [r3, l5]], staged = [[], [r3, l3:0], [r3, l2:3, w3]], reads = [0]>
func.func @unmerged(%x: tensor<?x56x256x56xbf16>) -> tensor<?x56x56x256xbf16> {
  %0 = fusion.permute %x [0, 3, 1, 2] : tensor<?x56x256x56xbf16> to tensor<?x56x56x256xbf16>
  return %0 : tensor<?x56x56x256xbf16>
}

// Two tiles of 32 KiB do not fit.
// CHECK-LABEL: func.func @two_reads(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r3, l1, w2], [r3, l4]], staged = [[], [r3, l3:0], [r3, l2:3, w2]], reads = [0, 1]>
func.func @two_reads(%x: tensor<4096x8192xbf16>, %y: tensor<4096x8192xbf16>) -> tensor<8192x4096xbf16> {
  %0 = fusion.add %x, %y : tensor<4096x8192xbf16>
  %1 = fusion.permute %0 [1, 0] : tensor<4096x8192xbf16> to tensor<8192x4096xbf16>
  return %1 : tensor<8192x4096xbf16>
}

// Small: blocks for all multiprocessors, of narrower vectors.
// CHECK-LABEL: func.func @small(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>
func.func @small(%x: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = fusion.permute %x [1, 0] : tensor<512x512xbf16> to tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}

// No op moves elements: the result's memory does.
// CHECK-LABEL: func.func @stride_order(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [r2, w3, r1], [l5]], staged = [[], [r2, l4:0], [l1:4, w3, r1]], reads = [0]>
func.func @stride_order(%x: tensor<?x4096xf32>) -> (tensor<?x4096xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.exp %x : tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}

// One result along each of two dimensions.
// CHECK-LABEL: func.func @two_results(
// CHECK: fusion.segment "pointwise" {{.*}} -> (tensor<?x4096xf32>, tensor<?x4096xf32>)
// CHECK-SAME{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [l1, w3, r1], [r2, l4]], staged = [[], [l5], [r2, w3, r1]], results = [1]>
func.func @two_results(%x: tensor<?x4096xf32>) -> (tensor<?x4096xf32>, tensor<?x4096xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.exp %x : tensor<?x4096xf32>
  %1 = fusion.neg %0 : tensor<?x4096xf32>
  return %0, %1 : tensor<?x4096xf32>, tensor<?x4096xf32>
}

// A batch, and an input that is repeated.
// CHECK-LABEL: func.func @batch(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1], [2]], layout = [[], [l1, w3, r1], [r2, l4]], staged = [[], [l5], [r2, w3, r1]], reads = [0]>
func.func @batch(%x: tensor<?x96x?xf32>, %w: tensor<96xf32>) -> tensor<?x?x96xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x96x?xf32>
  %m = tensor.dim %x, %c2 : tensor<?x96x?xf32>
  %0 = fusion.permute %x [0, 2, 1] : tensor<?x96x?xf32> to tensor<?x?x96xf32>
  %1 = fusion.broadcast %w dims [0, 1] : tensor<96xf32> to tensor<1x1x96xf32>
  %2 = fusion.expand %1 sizes(%n, %m) : tensor<1x1x96xf32> to tensor<?x?x96xf32>
  %3 = fusion.mul %0, %2 : tensor<?x?x96xf32>
  return %3 : tensor<?x?x96xf32>
}

// Neighbours stay neighbours.
// CHECK-LABEL: func.func @heads(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @heads(%x: tensor<?x32x16x128xf32>) -> tensor<?x16x32x128xf32> {
  %0 = fusion.permute %x [0, 2, 1, 3] : tensor<?x32x16x128xf32> to tensor<?x16x32x128xf32>
  return %0 : tensor<?x16x32x128xf32>
}

// A dimension of size 1 has none.
// CHECK-LABEL: func.func @column(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @column(%x: tensor<?x1xf32>) -> tensor<1x?xf32> {
  %0 = fusion.permute %x [1, 0] : tensor<?x1xf32> to tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}

// All in one order, which is none of rows.
// CHECK-LABEL: func.func @alike(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @alike(%x: tensor<?x4096xf32> {fusion.stride_order = array<i64: 1, 0>}) -> (tensor<?x4096xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.exp %x : tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}

// What goes across is no matrix: its elements serve whole rows.
// CHECK-LABEL: func.func @bias(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @bias(%x: tensor<64x?xf32>, %w: tensor<64xf32>) -> tensor<64x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<64x?xf32>
  %0 = fusion.broadcast %w dims [1] : tensor<64xf32> to tensor<64x1xf32>
  %1 = fusion.expand %0 sizes(%n) : tensor<64x1xf32> to tensor<64x?xf32>
  %2 = fusion.add %x, %1 : tensor<64x?xf32>
  return %2 : tensor<64x?xf32>
}

// Where dimensions are small, squares are: at least half of their elements exist. Half by half of the smallest do not, ...
// CHECK-LABEL: func.func @size_8(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @size_8(%x: tensor<1048576x8x8xbf16>) -> tensor<1048576x8x8xbf16> {
  %0 = fusion.permute %x [0, 2, 1] : tensor<1048576x8x8xbf16> to tensor<1048576x8x8xbf16>
  return %0 : tensor<1048576x8x8xbf16>
}

// ... half by all do.
// CHECK-LABEL: func.func @size_8_by_many(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r2, w1], [l5, w2]], staged = [[], [r2, l1:0], [l4:1, w3]], reads = [0]>
func.func @size_8_by_many(%x: tensor<?x8xf32>) -> tensor<8x?xf32> {
  %0 = fusion.permute %x [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

// What is smaller in both dimensions stays in the cache.
// CHECK-LABEL: func.func @size_16(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @size_16(%x: tensor<?x16x16xbf16>) -> tensor<?x16x16xbf16> {
  %0 = fusion.permute %x [0, 2, 1] : tensor<?x16x16xbf16> to tensor<?x16x16xbf16>
  return %0 : tensor<?x16x16xbf16>
}

// CHECK-LABEL: func.func @size_24(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1], [2]], layout = [[l1, w3], [r3, l2], [r3, l2]], staged = [[l1, w3], [r3, l2:0], [r3, l2:2]], reads = [0]>
func.func @size_24(%x: tensor<?x24x24xbf16>) -> tensor<?x24x24xbf16> {
  %0 = fusion.permute %x [0, 2, 1] : tensor<?x24x24xbf16> to tensor<?x24x24xbf16>
  return %0 : tensor<?x24x24xbf16>
}

// 33 of 48 by 33 of 48 are less than half.
// CHECK-LABEL: func.func @size_33(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @size_33(%x: tensor<?x33x33xbf16>) -> tensor<?x33x33xbf16> {
  %0 = fusion.permute %x [0, 2, 1] : tensor<?x33x33xbf16> to tensor<?x33x33xbf16>
  return %0 : tensor<?x33x33xbf16>
}

// CHECK-LABEL: func.func @size_33_by_many(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1], [2]], layout = [[], [w2, r4], [l5, w1]], staged = [[], [l5, w1:0], [w2:1, r4]], reads = [0]>
func.func @size_33_by_many(%x: tensor<?x33x?xbf16>) -> tensor<?x?x33xbf16> {
  %0 = fusion.permute %x [0, 2, 1] : tensor<?x33x?xbf16> to tensor<?x?x33xbf16>
  return %0 : tensor<?x?x33xbf16>
}

// CHECK-LABEL: func.func @size_48(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1], [2]], layout = [[w2], [r3, l2, w1], [r3, l3]], staged = [[w2], [r3, l3:0], [r3, l2:3, w1]], reads = [0]>
func.func @size_48(%x: tensor<?x48x48xbf16>) -> tensor<?x48x48xbf16> {
  %0 = fusion.permute %x [0, 2, 1] : tensor<?x48x48xbf16> to tensor<?x48x48xbf16>
  return %0 : tensor<?x48x48xbf16>
}

// CHECK-LABEL: func.func @size_48_wide(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1], [2]], layout = [[], [r2, l1, w3], [r2, l4]], staged = [[], [r2, l4:0], [r2, l1:4, w3]], reads = [0]>
func.func @size_48_wide(%x: tensor<?x48x48xf32>) -> tensor<?x48x48xf32> {
  %0 = fusion.permute %x [0, 2, 1] : tensor<?x48x48xf32> to tensor<?x48x48xf32>
  return %0 : tensor<?x48x48xf32>
}

// Colours of pixels: too few neighbours.
// CHECK-LABEL: func.func @colours(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @colours(%x: tensor<?x3xf32>) -> tensor<3x?xf32> {
  %0 = fusion.permute %x [1, 0] : tensor<?x3xf32> to tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// Not at plain indices.
// CHECK-LABEL: func.func @reversed_halves(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @reversed_halves(%x: tensor<128x64xf32>) -> tensor<64x128xf32> {
  %0 = fusion.permute %x [1, 0] : tensor<128x64xf32> to tensor<64x128xf32>
  %1 = fusion.slice %0 offsets [32, 0] sizes [32, 128] steps [1, 1] : tensor<64x128xf32> to tensor<32x128xf32>
  %2 = fusion.slice %0 offsets [0, 0] sizes [32, 128] steps [1, 1] : tensor<64x128xf32> to tensor<32x128xf32>
  %3 = fusion.cat %1, %2 dim 0 : tensor<32x128xf32>, tensor<32x128xf32> to tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}

// More than shared memory holds squares of: smaller ones.
// CHECK-LABEL: func.func @many(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]>
func.func @many(%x0: tensor<?x?xf32>, %x1: tensor<?x?xf32>, %x2: tensor<?x?xf32>, %x3: tensor<?x?xf32>, %x4: tensor<?x?xf32>, %x5: tensor<?x?xf32>, %x6: tensor<?x?xf32>, %x7: tensor<?x?xf32>, %x8: tensor<?x?xf32>, %x9: tensor<?x?xf32>, %x10: tensor<?x?xf32>, %x11: tensor<?x?xf32>) -> (tensor<?x?xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %s1 = fusion.add %x0, %x1 : tensor<?x?xf32>
  %s2 = fusion.add %s1, %x2 : tensor<?x?xf32>
  %s3 = fusion.add %s2, %x3 : tensor<?x?xf32>
  %s4 = fusion.add %s3, %x4 : tensor<?x?xf32>
  %s5 = fusion.add %s4, %x5 : tensor<?x?xf32>
  %s6 = fusion.add %s5, %x6 : tensor<?x?xf32>
  %s7 = fusion.add %s6, %x7 : tensor<?x?xf32>
  %s8 = fusion.add %s7, %x8 : tensor<?x?xf32>
  %s9 = fusion.add %s8, %x9 : tensor<?x?xf32>
  %s10 = fusion.add %s9, %x10 : tensor<?x?xf32>
  %s11 = fusion.add %s10, %x11 : tensor<?x?xf32>
  return %s11 : tensor<?x?xf32>
}

// More than it holds of these too: what has most bytes, and of the others as many as there is room for.
// NVPTX-COUNT-24: llvm.mlir.global {{.*}}@__wg_very_many_0_{{[0-9]+}}()
// NVPTX-NOT: @__wg_very_many_0_{{[0-9]+}}()
// NVPTX: llvm.func @very_many_0(
// CHECK-LABEL: func.func @very_many(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [l1, w3], [l4]], staged = [[], [l4:0], [l1:4, w3]], reads = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]>
func.func @very_many(%y0: tensor<?x?xf32>, %x1: tensor<?x?xf64>, %x2: tensor<?x?xf64>, %x3: tensor<?x?xf64>, %x4: tensor<?x?xf64>, %x5: tensor<?x?xf64>, %x6: tensor<?x?xf64>, %x7: tensor<?x?xf64>, %x8: tensor<?x?xf64>, %y9: tensor<?x?xf32>, %x10: tensor<?x?xf64>, %x11: tensor<?x?xf64>, %x12: tensor<?x?xf64>, %x13: tensor<?x?xf64>, %x14: tensor<?x?xf64>, %x15: tensor<?x?xf64>, %x16: tensor<?x?xf64>, %x17: tensor<?x?xf64>, %x18: tensor<?x?xf64>, %x19: tensor<?x?xf64>, %x20: tensor<?x?xf64>, %x21: tensor<?x?xf64>, %x22: tensor<?x?xf64>, %x23: tensor<?x?xf64>, %x24: tensor<?x?xf64>, %x25: tensor<?x?xf64>) -> (tensor<?x?xf64> {fusion.stride_order = array<i64: 1, 0>}) {
  %x0 = fusion.cast %y0 : tensor<?x?xf32> to tensor<?x?xf64>
  %x9 = fusion.cast %y9 : tensor<?x?xf32> to tensor<?x?xf64>
  %s1 = fusion.add %x0, %x1 : tensor<?x?xf64>
  %s2 = fusion.add %s1, %x2 : tensor<?x?xf64>
  %s3 = fusion.add %s2, %x3 : tensor<?x?xf64>
  %s4 = fusion.add %s3, %x4 : tensor<?x?xf64>
  %s5 = fusion.add %s4, %x5 : tensor<?x?xf64>
  %s6 = fusion.add %s5, %x6 : tensor<?x?xf64>
  %s7 = fusion.add %s6, %x7 : tensor<?x?xf64>
  %s8 = fusion.add %s7, %x8 : tensor<?x?xf64>
  %s9 = fusion.add %s8, %x9 : tensor<?x?xf64>
  %s10 = fusion.add %s9, %x10 : tensor<?x?xf64>
  %s11 = fusion.add %s10, %x11 : tensor<?x?xf64>
  %s12 = fusion.add %s11, %x12 : tensor<?x?xf64>
  %s13 = fusion.add %s12, %x13 : tensor<?x?xf64>
  %s14 = fusion.add %s13, %x14 : tensor<?x?xf64>
  %s15 = fusion.add %s14, %x15 : tensor<?x?xf64>
  %s16 = fusion.add %s15, %x16 : tensor<?x?xf64>
  %s17 = fusion.add %s16, %x17 : tensor<?x?xf64>
  %s18 = fusion.add %s17, %x18 : tensor<?x?xf64>
  %s19 = fusion.add %s18, %x19 : tensor<?x?xf64>
  %s20 = fusion.add %s19, %x20 : tensor<?x?xf64>
  %s21 = fusion.add %s20, %x21 : tensor<?x?xf64>
  %s22 = fusion.add %s21, %x22 : tensor<?x?xf64>
  %s23 = fusion.add %s22, %x23 : tensor<?x?xf64>
  %s24 = fusion.add %s23, %x24 : tensor<?x?xf64>
  %s25 = fusion.add %s24, %x25 : tensor<?x?xf64>
  return %s25 : tensor<?x?xf64>
}

// Where much is computed of an element a thread has fewer of them, and where very much is, memory does not count.
// CHECK-LABEL: func.func @longer(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [r2, w3, r1], [l5]], staged = [[], [r2, l4:0], [l1:4, w3, r1]], reads = [0]>
!t = tensor<?x8192xbf16>
func.func @longer(%x: !t) -> (!t {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.tanh %x : !t %1 = fusion.tanh %0 : !t %2 = fusion.tanh %1 : !t %3 = fusion.tanh %2 : !t
  %4 = fusion.tanh %3 : !t %5 = fusion.tanh %4 : !t %6 = fusion.tanh %5 : !t %7 = fusion.tanh %6 : !t
  %8 = fusion.tanh %7 : !t %9 = fusion.tanh %8 : !t %10 = fusion.tanh %9 : !t %11 = fusion.tanh %10 : !t
  %12 = fusion.tanh %11 : !t %13 = fusion.tanh %12 : !t %14 = fusion.tanh %13 : !t %15 = fusion.tanh %14 : !t
  return %15 : !t
}

// CHECK-LABEL: func.func @longest(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[[0-9, ]+\]\]}}, layout
func.func @longest(%x: !t) -> (!t {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.tanh %x : !t %1 = fusion.tanh %0 : !t %2 = fusion.tanh %1 : !t %3 = fusion.tanh %2 : !t
  %4 = fusion.tanh %3 : !t %5 = fusion.tanh %4 : !t %6 = fusion.tanh %5 : !t %7 = fusion.tanh %6 : !t
  %8 = fusion.tanh %7 : !t %9 = fusion.tanh %8 : !t %10 = fusion.tanh %9 : !t %11 = fusion.tanh %10 : !t
  %12 = fusion.tanh %11 : !t %13 = fusion.tanh %12 : !t %14 = fusion.tanh %13 : !t %15 = fusion.tanh %14 : !t
  %16 = fusion.tanh %15 : !t %17 = fusion.tanh %16 : !t %18 = fusion.tanh %17 : !t %19 = fusion.tanh %18 : !t
  %20 = fusion.tanh %19 : !t %21 = fusion.tanh %20 : !t %22 = fusion.tanh %21 : !t %23 = fusion.tanh %22 : !t
  %24 = fusion.tanh %23 : !t %25 = fusion.tanh %24 : !t %26 = fusion.tanh %25 : !t %27 = fusion.tanh %26 : !t
  %28 = fusion.tanh %27 : !t %29 = fusion.tanh %28 : !t %30 = fusion.tanh %29 : !t %31 = fusion.tanh %30 : !t
  %32 = fusion.tanh %31 : !t %33 = fusion.tanh %32 : !t %34 = fusion.tanh %33 : !t %35 = fusion.tanh %34 : !t
  %36 = fusion.tanh %35 : !t %37 = fusion.tanh %36 : !t %38 = fusion.tanh %37 : !t %39 = fusion.tanh %38 : !t
  %40 = fusion.tanh %39 : !t %41 = fusion.tanh %40 : !t %42 = fusion.tanh %41 : !t %43 = fusion.tanh %42 : !t
  %44 = fusion.tanh %43 : !t %45 = fusion.tanh %44 : !t %46 = fusion.tanh %45 : !t %47 = fusion.tanh %46 : !t
  %48 = fusion.tanh %47 : !t %49 = fusion.tanh %48 : !t %50 = fusion.tanh %49 : !t %51 = fusion.tanh %50 : !t
  %52 = fusion.tanh %51 : !t %53 = fusion.tanh %52 : !t %54 = fusion.tanh %53 : !t %55 = fusion.tanh %54 : !t
  return %55 : !t
}

// Tensors of open sizes that all lie in another order than the row-major one are one run of memory, too.
// CHECK-LABEL: func.func @channels_last(
// CHECK: axes = {{\[\[}}0, 2, 3, 1]], layout = {{\[\[}}r3, l5, w2]]
func.func @channels_last(%x: tensor<?x64x?x?xbf16> {fusion.stride_order = array<i64: 0, 2, 3, 1>}, %y: tensor<?x64x?x?xbf16> {fusion.stride_order = array<i64: 0, 2, 3, 1>})
    -> (tensor<?x64x?x?xbf16> {fusion.stride_order = array<i64: 0, 2, 3, 1>}) {
  %0 = fusion.add %x, %y : tensor<?x64x?x?xbf16>
  return %0 : tensor<?x64x?x?xbf16>
}

// With one that does not they are not.
// CHECK-LABEL: func.func @mixed(
// CHECK: staged =
func.func @mixed(%x: tensor<?x64x?x?xbf16> {fusion.stride_order = array<i64: 0, 2, 3, 1>}, %y: tensor<?x64x?x?xbf16>)
    -> (tensor<?x64x?x?xbf16> {fusion.stride_order = array<i64: 0, 2, 3, 1>}) {
  %0 = fusion.add %x, %y : tensor<?x64x?x?xbf16>
  return %0 : tensor<?x64x?x?xbf16>
}
