// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda | FileCheck %s

// Scans of rows: leaves of 16 bytes in registers, then lanes, then warps.

// One block a row, which holds it.
// CHECK-LABEL: func.func @row(
// CHECK: fusion.segment "row_scan"
// CHECK-SAME: #fusion.tile<kind = "row_scan", axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [r2, l5, w3]], repeat = [1, 8]>
func.func @row(%x: tensor<16384x8192xf32>) -> tensor<16384x8192xf32> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<16384x8192xf32>
  return %0 : tensor<16384x8192xf32>
}

// CHECK-LABEL: func.func @row_of_bf16(
// CHECK: layout = {{\[\[}}], [r3, l5, w3]], repeat = [1, 4]>
func.func @row_of_bf16(%x: tensor<16384x8192xbf16>) -> tensor<16384x8192xbf16> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<16384x8192xbf16>
  return %0 : tensor<16384x8192xbf16>
}

// A warp a row: nothing goes through shared memory.
// CHECK-LABEL: func.func @warp(
// CHECK: layout = {{\[\[}}w2], [r2, l5]], repeat = [1, 6]>
func.func @warp(%x: tensor<4x?x768xf32>) -> tensor<4x?x768xf32> {
  %0 = fusion.scan <max> %x dim 2 : tensor<4x?x768xf32>
  return %0 : tensor<4x?x768xf32>
}

// Several rows a warp.
// CHECK-LABEL: func.func @short(
// CHECK: layout = {{\[\[}}l1, w2], [r1, l4]]>
func.func @short(%x: tensor<?x20xf64>) -> tensor<?x20xf64> {
  %0 = fusion.scan <prod> %x dim 1 : tensor<?x20xf64>
  return %0 : tensor<?x20xf64>
}

// Few rows: more threads for each, which have less of it.
// CHECK-LABEL: func.func @few(
// CHECK: layout = {{\[\[}}], [r2, l5, w4]], repeat = [1, 4]>
func.func @few(%x: tensor<100x128256xf32>) -> tensor<100x128256xf32> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<100x128256xf32>
  return %0 : tensor<100x128256xf32>
}

// Long ones: a block a section of a row, of which it has most in shared memory.
// CHECK-LABEL: func.func @split(
// CHECK: fusion.segment "split_scan"
// CHECK-SAME: #fusion.tile<kind = "split_scan", axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [r2, l5, w2]], repeat = [1, 16], min_blocks = 6, stages = 2>
func.func @split(%x: tensor<32x128256xf32>) -> tensor<32x128256xf32> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<32x128256xf32>
  return %0 : tensor<32x128256xf32>
}

// Few sections, two full turns of blocks that have theirs in registers, and those of open length, wait there; others in shared memory.
// CHECK-LABEL: func.func @split_wide(
// CHECK: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16], min_blocks = 4>
// CHECK: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16], min_blocks = 6, stages = 2>
// CHECK: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16], min_blocks = 4>
// CHECK: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16], min_blocks = 6, stages = 2>
// CHECK: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16], min_blocks = 4>
func.func @split_wide(%few: tensor<1x1048576xf64>, %some: tensor<1x2097152xf64>, %full: tensor<1x4194304xf64>, %many: tensor<1x16777216xf64>, %open: tensor<1x?xf64> {fusion.divisors = array<i64: 1, 8>})
    -> (tensor<1x1048576xf64>, tensor<1x2097152xf64>, tensor<1x4194304xf64>, tensor<1x16777216xf64>, tensor<1x?xf64>) {
  %0 = fusion.scan <sum> %few dim 1 : tensor<1x1048576xf64>
  %1 = fusion.scan <sum> %some dim 1 : tensor<1x2097152xf64>
  %2 = fusion.scan <sum> %full dim 1 : tensor<1x4194304xf64>
  %3 = fusion.scan <sum> %many dim 1 : tensor<1x16777216xf64>
  %4 = fusion.scan <sum> %open dim 1 : tensor<1x?xf64>
  return %0, %1, %2, %3, %4 : tensor<1x1048576xf64>, tensor<1x2097152xf64>, tensor<1x4194304xf64>, tensor<1x16777216xf64>, tensor<1x?xf64>
}

// Of integers a block has two sections, where these fill one turn of blocks or two.
// CHECK-LABEL: func.func @split_integers(
// CHECK: layout = {{\[\[}}], [r1, l5, w4]], repeat = [1, 8], min_blocks = 2, stages = 2>
// CHECK: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16], min_blocks = 6, stages = 2>
// CHECK: layout = {{\[\[}}], [r1, l5, w4]], repeat = [1, 8], min_blocks = 2, stages = 2>
// CHECK: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16], min_blocks = 6, stages = 2>
// CHECK: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16], min_blocks = 6, stages = 2>
func.func @split_integers(%few: tensor<1x131072xi64>, %some: tensor<1x3145728xi64>, %full: tensor<1x4194304xui64>, %many: tensor<1x16777216xi64>, %open: tensor<1x?xui64> {fusion.divisors = array<i64: 1, 8>})
    -> (tensor<1x131072xi64>, tensor<1x3145728xi64>, tensor<1x4194304xui64>, tensor<1x16777216xi64>, tensor<1x?xui64>) {
  %0 = fusion.scan <sum> %few dim 1 : tensor<1x131072xi64>
  %1 = fusion.scan <sum> %some dim 1 : tensor<1x3145728xi64>
  %2 = fusion.scan <sum> %full dim 1 : tensor<1x4194304xui64>
  %3 = fusion.scan <sum> %many dim 1 : tensor<1x16777216xi64>
  %4 = fusion.scan <sum> %open dim 1 : tensor<1x?xui64>
  return %0, %1, %2, %3, %4 : tensor<1x131072xi64>, tensor<1x3145728xi64>, tensor<1x4194304xui64>, tensor<1x16777216xi64>, tensor<1x?xui64>
}

// CHECK-LABEL: func.func @split_short_integers(
// CHECK: layout = {{\[\[}}], [r2, l5, w2]], repeat = [1, 16], min_blocks = 4>
// CHECK: layout = {{\[\[}}], [r2, l5, w3]], repeat = [1, 16], min_blocks = 4, stages = 2>
// CHECK: layout = {{\[\[}}], [r2, l5, w2]], repeat = [1, 16], min_blocks = 4>
func.func @split_short_integers(%few: tensor<1x1048576xi32>, %many: tensor<1x4194304xui32>, %open: tensor<1x?xi32> {fusion.divisors = array<i64: 1, 8>}) -> (tensor<1x1048576xi32>, tensor<1x4194304xui32>, tensor<1x?xi32>) {
  %0 = fusion.scan <sum> %few dim 1 : tensor<1x1048576xi32>
  %1 = fusion.scan <sum> %many dim 1 : tensor<1x4194304xui32>
  %2 = fusion.scan <sum> %open dim 1 : tensor<1x?xi32>
  return %0, %1, %2 : tensor<1x1048576xi32>, tensor<1x4194304xui32>, tensor<1x?xi32>
}

// Those of 16 bits have a register each as they are added up.
// CHECK-LABEL: func.func @split_narrow(
// CHECK: layout = {{\[\[}}], [r3, l5, w2]], repeat = [1, 16], min_blocks = 3>
// CHECK: layout = {{\[\[}}], [r3, l5, w2]], repeat = [1, 16], min_blocks = 4, stages = 1>
func.func @split_narrow(%x: tensor<1x128256xbf16>, %y: tensor<1x16777216xf16>) -> (tensor<1x128256xbf16>, tensor<1x16777216xf16>) {
  %0 = fusion.scan <sum> %x dim 1 : tensor<1x128256xbf16>
  %1 = fusion.scan <sum> %y dim 1 : tensor<1x16777216xf16>
  return %0, %1 : tensor<1x128256xbf16>, tensor<1x16777216xf16>
}

// One of open length may be long.
// CHECK-LABEL: func.func @open_vector(
// CHECK: fusion.segment "split_scan"
// CHECK-SAME: #fusion.tile<kind = "split_scan", axes = {{\[\[}}], [0]], layout = {{\[\[}}], [r3, l5, w4]], repeat = [1, 4]>
func.func @open_vector(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// CHECK-LABEL: func.func @short_vector(
// CHECK: fusion.segment "row_scan"
func.func @short_vector(%x: tensor<?xf32> {fusion.bounds = array<i64: 32767>}) -> tensor<?xf32> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// What is before a section of the second scan is known behind the first one only.
// CHECK-LABEL: func.func @scans_of_scans(
// CHECK-COUNT-2: fusion.segment "split_scan"
func.func @scans_of_scans(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<?xf32>
  %1 = fusion.scan <max> %0 dim 0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @two_scans(
// CHECK-COUNT-1: fusion.segment "split_scan"
// CHECK-NOT: fusion.segment
func.func @two_scans(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.scan <sum> %x dim 0 : tensor<?xf32>
  %1 = fusion.scan <max> %x dim 0 : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// Columns: lanes have neighbours, warps leaves.
// CHECK-LABEL: func.func @outer(
// CHECK: fusion.segment "outer_scan"
// CHECK-SAME: #fusion.tile<kind = "outer_scan", axes = {{\[\[}}], [0], [1]], layout = {{\[\[}}], [r2, w4], [l5]], repeat = [1, 4, 1]>
// CHECK: fusion.scan
// CHECK-NEXT: fusion.neg
func.func @outer(%x: tensor<16384x8192xf32>) -> tensor<16384x8192xf32> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<16384x8192xf32>
  %1 = fusion.neg %0 : tensor<16384x8192xf32>
  return %1 : tensor<16384x8192xf32>
}

// Short columns are in the registers of a thread each; a block has several matrices.
// CHECK-LABEL: func.func @short_outer(
// CHECK: layout = {{\[\[}}l2], [r2, l1], [l2]]>
func.func @short_outer(%x: tensor<100000x5x4xf32>) -> tensor<100000x5x4xf32> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<100000x5x4xf32>
  return %0 : tensor<100000x5x4xf32>
}

// Few columns: few of them a block.
// CHECK-LABEL: func.func @few_columns(
// CHECK: layout = {{\[\[}}], [r2, l2, w4], [l3]], repeat = [1, 4, 1]>
func.func @few_columns(%x: tensor<1000000x256xf32>) -> tensor<1000000x256xf32> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<1000000x256xf32>
  return %0 : tensor<1000000x256xf32>
}

// What is before and behind is fused, several scans of one shape too.
// CHECK-LABEL: func.func @fused(
// CHECK-COUNT-1: fusion.segment "row_scan"
// CHECK-NOT: fusion.segment
func.func @fused(%x: tensor<?x?xbf16>, %w: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %c = fusion.cast %x : tensor<?x?xbf16> to tensor<?x?xf32>
  %b = fusion.broadcast %w dims [0] : tensor<?xf32> to tensor<1x?xf32>
  %e = fusion.expand %b sizes(%n) : tensor<1x?xf32> to tensor<?x?xf32>
  %m = fusion.mul %c, %e : tensor<?x?xf32>
  %s = fusion.scan <sum> %m dim 1 : tensor<?x?xf32>
  %t = fusion.scan <max> %s dim 1 : tensor<?x?xf32>
  %u = fusion.mul %t, %c : tensor<?x?xf32>
  %r = fusion.cast %u : tensor<?x?xf32> to tensor<?x?xbf16>
  return %s, %r : tensor<?x?xf32>, tensor<?x?xbf16>
}

// What looks at other elements than the scan's, and what reduces, is not.
// CHECK-LABEL: func.func @elsewhere(
// CHECK: fusion.segment "row_scan"
// CHECK: fusion.scan
// CHECK-NEXT: fusion.yield
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.slice
func.func @elsewhere(%x: tensor<?x64xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %s = fusion.scan <sum> %x dim 1 : tensor<?x64xf32>
  %t = fusion.slice %s offsets [0, 32] sizes [%n, 32] steps [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %r = fusion.neg %t : tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// CHECK-LABEL: func.func @reduced(
// CHECK: fusion.segment "row_scan"
// CHECK: fusion.scan
// CHECK-NEXT: fusion.yield
// CHECK: fusion.segment "row_reduction"
func.func @reduced(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %s = fusion.scan <sum> %x dim 1 : tensor<?x64xf32>
  %r = fusion.reduce <max> %s dims [1] : tensor<?x64xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// Elements of other sizes have other leaves.
// CHECK-LABEL: func.func @other_leaves(
// CHECK-COUNT-2: fusion.segment "row_scan"
func.func @other_leaves(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf64>) {
  %s = fusion.scan <sum> %x dim 1 : tensor<?x64xf32>
  %c = fusion.cast %x : tensor<?x64xf32> to tensor<?x64xf64>
  %t = fusion.scan <sum> %c dim 1 : tensor<?x64xf64>
  return %s, %t : tensor<?x64xf32>, tensor<?x64xf64>
}
