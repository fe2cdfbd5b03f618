// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda | FileCheck %s
// RUN: fuser-run %s --entry long --target sim --explain --emit %t.fx 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: fuser-run %s --entry logits --target sim --explain --emit %t.fx 2>&1 | FileCheck %s --check-prefix=LOGITS

// LONG: note: threads share what is sorted: a thread block has 2048 elements at a time, and rows are put in the order of one digit after the other
// LONG-COUNT-2: note: threads share what is sorted: a thread block has 1024 elements at a time, and further kernels merge what is sorted
// LONG: note: threads share what is sorted: a thread block has 2048 elements at a time, and rows are put in the order of one digit after the other
// LONG: note: threads share what is sorted: a thread block has 1024 elements at a time, all
// LOGITS: note: threads share what is sorted: a thread block has 256 elements at a time, and further kernels sort the first ones of each

// Rows in order: a block has one, or several.

// CHECK-LABEL: func.func @sort(
// CHECK: fusion.segment "row_order"
// CHECK-SAME: #fusion.tile<kind = "row_order", axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [r2, l5, w3]]>
func.func @sort(%x: tensor<?x1000xf32>) -> tensor<?x1000xi64> {
  %0 = fusion.argsort %x dim 1 : tensor<?x1000xf32> to tensor<?x1000xi64>
  return %0 : tensor<?x1000xi64>
}

// A warp a row.
// CHECK-LABEL: func.func @experts(
// CHECK: layout = {{\[\[}}w2], [r2, l5]]>
func.func @experts(%x: tensor<8192x128xf32>) -> tensor<8192x8xi64> {
  %0 = fusion.argtopk 8 %x dim 1 descending : tensor<8192x128xf32> to tensor<8192x8xi64>
  return %0 : tensor<8192x8xi64>
}

// CHECK-LABEL: func.func @short(
// CHECK: layout = {{\[\[}}l5, w2], [r1]]>
func.func @short(%x: tensor<3x?x2xi1>) -> tensor<3x?x2xi64> {
  %0 = fusion.argsort %x dim 2 : tensor<3x?x2xi1> to tensor<3x?x2xi64>
  return %0 : tensor<3x?x2xi64>
}

// The first few of a long row: of each tile, and of these. A tile has four times as many, or more.
// CHECK-LABEL: func.func @logits(
// CHECK: layout = {{\[\[}}], [r2, l5, w1]]>
// CHECK: layout = {{\[\[}}], [r2, l5, w4]]>
// CHECK: layout = {{\[\[}}], [r2, l5]]>
// CHECK: axes = {{\[\[}}1], [0]], layout = {{\[\[}}], [r2, l5, w5]], min_blocks = 1>
func.func @logits(%x: tensor<?x128256xf32>, %y: tensor<5000x4xf32>) -> (tensor<?x50xi64>, tensor<?x500xi64>, tensor<?x8xi64>, tensor<2048x4xi64>) {
  %0 = fusion.argtopk 50 %x dim 1 descending : tensor<?x128256xf32> to tensor<?x50xi64>
  %1 = fusion.argtopk 500 %x dim 1 descending : tensor<?x128256xf32> to tensor<?x500xi64>
  %2 = fusion.argtopk 8 %x dim 1 descending : tensor<?x128256xf32> to tensor<?x8xi64>
  %3 = fusion.argtopk 2048 %y dim 0 descending : tensor<5000x4xf32> to tensor<2048x4xi64>
  return %0, %1, %2, %3 : tensor<?x50xi64>, tensor<?x500xi64>, tensor<?x8xi64>, tensor<2048x4xi64>
}

// Too long, of a length that nobody knows, along another dimension, too many of the first: tiles that are merged, or, of rows that are known to
// be long, sorted digit by digit. What is not along the last dimension is never several rows of a block.
// CHECK-LABEL: func.func @long(
// CHECK: row_order{{.*}} axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [l5, r3, w3]], min_blocks = 3>
// CHECK: row_order{{.*}} axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [r2, l5, w3]]>
// CHECK: row_order{{.*}} axes = {{\[\[}}1], [0]], layout = {{\[\[}}], [r2, l5, w3]]>
// CHECK: row_order{{.*}} axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [l5, r3, w3]], min_blocks = 3>
// CHECK: row_order{{.*}} axes = {{\[\[}}0, 2], [1]], layout = {{\[\[}}], [r2, l5, w3]]>
func.func @long(%x: tensor<?x5000xf32>, %y: tensor<?x?xf32>, %z: tensor<4x1000x7xf32>) -> (tensor<?x5000xi64>, tensor<?x?xi64>, tensor<?x5000xi64>, tensor<?x2049xi64>, tensor<4x1000x7xi64>) {
  %0 = fusion.argsort %x dim 1 : tensor<?x5000xf32> to tensor<?x5000xi64>
  %1 = fusion.argsort %y dim 1 : tensor<?x?xf32> to tensor<?x?xi64>
  %2 = fusion.argsort %x dim 0 : tensor<?x5000xf32> to tensor<?x5000xi64>
  %3 = fusion.argtopk 2049 %x dim 1 : tensor<?x5000xf32> to tensor<?x2049xi64>
  %4 = fusion.argsort %z dim 1 : tensor<4x1000x7xf32> to tensor<4x1000x7xi64>
  return %0, %1, %2, %3, %4 : tensor<?x5000xi64>, tensor<?x?xi64>, tensor<?x5000xi64>, tensor<?x2049xi64>, tensor<4x1000x7xi64>
}

// Rows that are sorted by digits have tiles of 16 KiB of keys, of 32 KiB if they are long, of words of 8 bytes if positions need them; and smaller ones where the last tile of a row
// would be mostly empty, or there would be fewer tiles than multiprocessors. One tile sorts up to 4096 elements. What is at most so long may be short: it is merged.
// CHECK-LABEL: func.func @digits(
// CHECK: layout = {{\[\[}}], [l5, r5, w3]], min_blocks = 2>
// CHECK: layout = {{\[\[}}], [l5, r4, w3]], min_blocks = 2>
// CHECK: layout = {{\[\[}}], [l5, r2, w3]], min_blocks = 3>
// CHECK: layout = {{\[\[}}], [l5, r2, w3]], min_blocks = 3>
// CHECK: layout = {{\[\[}}], [r2, l5, w5]], min_blocks = 1>
// CHECK: layout = {{\[\[}}], [r2, l5, w5]], min_blocks = 1>
// CHECK: layout = {{\[\[}}], [l5, r4, w3]], min_blocks = 3>
// CHECK: layout = {{\[\[}}], [l5, r4, w3]], min_blocks = 2>
func.func @digits(%a: tensor<1x16777216xf32>, %b: tensor<64x262144xf64>, %c: tensor<300x4097xi8>, %d: tensor<2x20000xf32>, %e: tensor<?x4096xf32>, %f: tensor<8x?xf32> {fusion.bounds = array<i64: 8, 9000>}, %g: tensor<2048x8192xf32>, %h: tensor<2147483648xf32>) -> (tensor<1x16777216xi64>, tensor<64x262144xi64>, tensor<300x4097xi64>, tensor<2x20000xi64>, tensor<?x4096xi64>, tensor<8x?xi64>, tensor<2048x8192xi64>, tensor<2147483648xi64>) {
  %0 = fusion.argsort %a dim 1 : tensor<1x16777216xf32> to tensor<1x16777216xi64>
  %1 = fusion.argsort %b dim 1 : tensor<64x262144xf64> to tensor<64x262144xi64>
  %2 = fusion.argsort %c dim 1 : tensor<300x4097xi8> to tensor<300x4097xi64>
  %3 = fusion.argsort %d dim 1 : tensor<2x20000xf32> to tensor<2x20000xi64>
  %4 = fusion.argsort %e dim 1 : tensor<?x4096xf32> to tensor<?x4096xi64>
  %5 = fusion.argsort %f dim 1 : tensor<8x?xf32> to tensor<8x?xi64>
  %6 = fusion.argsort %g dim 1 : tensor<2048x8192xf32> to tensor<2048x8192xi64>
  %7 = fusion.argsort %h dim 0 : tensor<2147483648xf32> to tensor<2147483648xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1x16777216xi64>, tensor<64x262144xi64>, tensor<300x4097xi64>, tensor<2x20000xi64>, tensor<?x4096xi64>, tensor<8x?xi64>, tensor<2048x8192xi64>, tensor<2147483648xi64>
}

// So are rows of open length of which it is known that they are as long; positions need words of 8 bytes where there is no bound.
// CHECK-LABEL: func.func @digits_of_classes(
// CHECK: layout = {{\[\[}}], [l5, r4, w3]], min_blocks = 3>
// CHECK: layout = {{\[\[}}], [l5, r5, w3]], min_blocks = 2>
// CHECK: layout = {{\[\[}}], [l5, r4, w3]], min_blocks = 2>
// CHECK: layout = {{\[\[}}], [r2, l5, w5]], min_blocks = 1>
func.func @digits_of_classes(%a: tensor<?x?xf32> {fusion.class_bounds = array<i64: -1, 81920>, fusion.class_lower_bounds = array<i64: 0, 65537>}, %b: tensor<?xf32> {fusion.class_bounds = array<i64: 1048576>, fusion.class_lower_bounds = array<i64: 917505>}, %c: tensor<?xf32> {fusion.class_lower_bounds = array<i64: 917505>}, %d: tensor<?xf32> {fusion.class_bounds = array<i64: 5120>, fusion.class_lower_bounds = array<i64: 4096>}) -> (tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %0 = fusion.argsort %a dim 1 : tensor<?x?xf32> to tensor<?x?xi64>
  %1 = fusion.argsort %b dim 0 : tensor<?xf32> to tensor<?xi64>
  %2 = fusion.argsort %c dim 0 : tensor<?xf32> to tensor<?xi64>
  %3 = fusion.argsort %d dim 0 : tensor<?xf32> to tensor<?xi64>
  return %0, %1, %2, %3 : tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}

// A few elements that are no neighbours: one thread each.
// CHECK-LABEL: func.func @columns(
// CHECK: fusion.segment "generic"
func.func @columns(%x: tensor<32x?xf32>) -> tensor<32x?xi64> {
  %0 = fusion.argsort %x dim 0 : tensor<32x?xf32> to tensor<32x?xi64>
  return %0 : tensor<32x?xi64>
}

// What is sorted is made before.
// CHECK-LABEL: func.func @made(
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.segment "row_order"
// CHECK-NOT: fusion.exp
// CHECK: fusion.argsort
func.func @made(%x: tensor<?x64xf32>) -> tensor<?x64xi64> {
  %0 = fusion.exp %x : tensor<?x64xf32>
  %1 = fusion.argsort %0 dim 1 : tensor<?x64xf32> to tensor<?x64xi64>
  return %1 : tensor<?x64xi64>
}

// What is made of positions is a part of the segment, what is sorted is not.
// CHECK-LABEL: func.func @fused(
// CHECK: fusion.segment "pointwise"
// CHECK-NEXT: fusion.exp
// CHECK: fusion.segment "row_order"
// CHECK-NEXT: fusion.argsort
// CHECK-NEXT: fusion.take_along_axis
// CHECK-NEXT: fusion.neg
// CHECK-NEXT: fusion.yield
// CHECK-NOT: fusion.segment
func.func @fused(%x: tensor<?x1000xf32>) -> (tensor<?x1000xf32>, tensor<?x1000xi64>) {
  %0 = fusion.exp %x : tensor<?x1000xf32>
  %1 = fusion.argsort %0 dim 1 : tensor<?x1000xf32>
  %2 = fusion.take_along_axis %0, %1 dim 1 : tensor<?x1000xf32>, tensor<?x1000xi64>
  %3 = fusion.neg %2 : tensor<?x1000xf32>
  return %3, %1 : tensor<?x1000xf32>, tensor<?x1000xi64>
}

// Positions that are used elsewhere are not, nor is another sort.
// CHECK-LABEL: func.func @moved(
// CHECK: fusion.segment "row_order"
// CHECK-NEXT: fusion.argsort
// CHECK-NEXT: fusion.yield
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.segment "row_order"
// CHECK-NEXT: fusion.argsort
// CHECK-NEXT: fusion.yield
func.func @moved(%x: tensor<?x1000xf32>) -> (tensor<1000x?xi64>, tensor<?x1000xi64>) {
  %0 = fusion.argsort %x dim 1 : tensor<?x1000xf32>
  %1 = fusion.permute %0 [1, 0] : tensor<?x1000xi64> to tensor<1000x?xi64>
  %2 = fusion.argsort %0 dim 1 : tensor<?x1000xi64>
  return %1, %2 : tensor<1000x?xi64>, tensor<?x1000xi64>
}

// An op of as many elements that is made of another sort.
// CHECK-LABEL: func.func @beside(
// CHECK-COUNT-1: fusion.segment "row_order"
func.func @beside(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = fusion.argsort %x dim 1 : tensor<64x64xf32>
  %1 = fusion.take_along_axis %x, %0 dim 1 : tensor<64x64xf32>, tensor<64x64xi64>
  %2 = fusion.argsort %x dim 0 : tensor<64x64xf32>
  %3 = fusion.take_along_axis %x, %2 dim 0 : tensor<64x64xf32>, tensor<64x64xi64>
  return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Joined with another tensor positions are elsewhere, although the first part begins at 0.
// CHECK-LABEL: func.func @joined(
// CHECK: fusion.segment "row_order"
// CHECK: fusion.take_along_axis
// CHECK-NEXT: fusion.yield
// CHECK: fusion.segment "pointwise"
// CHECK-NEXT: fusion.cat
func.func @joined(%x: tensor<900xf32>, %y: tensor<5xf32>) -> tensor<9xf32> {
  %0 = fusion.argtopk 4 %x dim 0 : tensor<900xf32>
  %1 = fusion.take_along_axis %x, %0 dim 0 : tensor<900xf32>, tensor<4xi64>
  %2 = fusion.cat %1, %y dim 0 : tensor<4xf32>, tensor<5xf32> to tensor<9xf32>
  return %2 : tensor<9xf32>
}
