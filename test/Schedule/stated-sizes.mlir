// What the program says of open sizes counts as sizes do (docs/rationale/variants.md).
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=KERNEL

// Accesses of 16 bytes, of rows that all begin on 16 bytes.
// CHECK-LABEL: func.func @bias(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1]], layout = [[l1, w2, r1], [r3, l4]]>
// KERNEL-LABEL: gpu.func @bias_
// KERNEL: vector.load %{{.+}} {alignment = 16 : i64} : memref<?x?xbf16>, vector<8xbf16>
// KERNEL: vector.store %{{.+}} {alignment = 16 : i64} : memref<?x?xbf16>, vector<8xbf16>
// KERNEL-NOT: memref.load
func.func @bias(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 1, 8>, fusion.alignment = 16 : i64}, %b: tensor<?xbf16> {fusion.alignment = 16 : i64})
    -> (tensor<?x?xbf16> {fusion.alignment = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %row = fusion.broadcast %b dims [0] : tensor<?xbf16> to tensor<1x?xbf16>
  %0 = fusion.expand %row sizes(%n) : tensor<1x?xbf16> to tensor<?x?xbf16>
  %1 = fusion.add %x, %0 : tensor<?x?xbf16>
  return %1 : tensor<?x?xbf16>
}

// Of less there are narrower ones, of nothing none.
// KERNEL-LABEL: gpu.func @bias_of_pairs_
// CHECK-LABEL: func.func @bias_of_pairs(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1]], layout = [[w2, r2], [r1, l5]]>
func.func @bias_of_pairs(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 1, 6>}, %b: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %row = fusion.broadcast %b dims [0] : tensor<?xbf16> to tensor<1x?xbf16>
  %0 = fusion.expand %row sizes(%n) : tensor<1x?xbf16> to tensor<?x?xbf16>
  %1 = fusion.add %x, %0 : tensor<?x?xbf16>
  return %1 : tensor<?x?xbf16>
}
// CHECK-LABEL: func.func @bias_open(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0], [1]], layout = [[w2, r2], [l5]]>
func.func @bias_open(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 8, 1>}, %b: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %row = fusion.broadcast %b dims [0] : tensor<?xbf16> to tensor<1x?xbf16>
  %0 = fusion.expand %row sizes(%n) : tensor<1x?xbf16> to tensor<?x?xbf16>
  %1 = fusion.add %x, %0 : tensor<?x?xbf16>
  return %1 : tensor<?x?xbf16>
}

// Of sizes that are computed there are bounds, too: 100 and 200 columns are at most 300, and 6 of at most 50 rows 300.
// CHECK-LABEL: func.func @cat(
// CHECK: kind = "row_reduction", axes = {{\[\[}}0], [1]], layout = {{\[\[}}w2], [l5]], repeat = [1, 10]>
func.func @cat(%x: tensor<4x?xbf16> {fusion.bounds = array<i64: -1, 100>}, %y: tensor<4x?xbf16> {fusion.bounds = array<i64: -1, 200>}) -> tensor<4xbf16> {
  %0 = fusion.cat %x, %y dim 1 : tensor<4x?xbf16>, tensor<4x?xbf16> to tensor<4x?xbf16>
  %1 = fusion.reduce <max> %0 dims [1] : tensor<4x?xbf16> to tensor<4xbf16>
  return %1 : tensor<4xbf16>
}
// A part of a sum may be negative.
// CHECK-LABEL: func.func @less(
// CHECK: kind = "row_reduction", axes = {{\[\[}}0], [1]], layout = {{\[\[}}l1, w2], [l4]], repeat = [1, 7]>
func.func @less(%x: tensor<4x?xbf16> {fusion.bounds = array<i64: -1, 300>}) -> tensor<4xbf16> {
  %c1 = arith.constant 1 : index
  %c-200 = arith.constant -200 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xbf16>
  %m = arith.addi %n, %c-200 : index
  %0 = fusion.slice %x offsets [0, 200] sizes [4, %m] steps [1, 1] : tensor<4x?xbf16> to tensor<4x?xbf16>
  %1 = fusion.reduce <max> %0 dims [1] : tensor<4x?xbf16> to tensor<4xbf16>
  return %1 : tensor<4xbf16>
}
// CHECK-LABEL: func.func @reshaped(
// CHECK: kind = "row_reduction", axes = {{\[\[}}0], [1]], layout = {{\[\[}}w2], [r1, l5]], repeat = [1, 5]>
func.func @reshaped(%x: tensor<4x?x6xbf16> {fusion.bounds = array<i64: -1, 50, -1>}) -> tensor<4xbf16> {
  %0 = fusion.reshape %x : tensor<4x?x6xbf16> to tensor<4x?xbf16>
  %1 = fusion.reduce <max> %0 dims [1] : tensor<4x?xbf16> to tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// Columns.
// CHECK-LABEL: func.func @columns(
// CHECK: kind = "outer_reduction"
// CHECK-SAME: layout = {{\[\[}}], [{{[^]]*}}], [r2,
func.func @columns(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 1, 8>}) -> tensor<?xbf16> {
  %0 = fusion.reduce <max> %x dims [0] : tensor<?x?xbf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// Rows with a bound are kept in registers; the tile has room for the longest.
// CHECK-LABEL: func.func @rows(
// CHECK: kind = "row_reduction", axes = {{\[\[}}0], [1]], layout = {{\[\[}}], [r3, l5, w4]], repeat = [1, 2]>
func.func @rows(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 1, 8>, fusion.bounds = array<i64: -1, 8192>}) -> tensor<?xbf16> {
  %0 = fusion.reduce <max> %x dims [1] : tensor<?x?xbf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// With a lower bound only the last vector of a thread may be beyond the end, or be cut by it.
// CHECK-LABEL: func.func @rows_between(
// CHECK: layout = {{\[\[}}], [r3, l5, w2]], repeat = [1, 5],
// KERNEL-LABEL: gpu.func @rows_between_
// KERNEL-COUNT-4: kernel.load_neighbours {{[^ ]+}}[%{{[^]]+}}] align 2
// KERNEL: kernel.load_neighbours {{[^ ]+}}[%{{[^]]+}}] count
// KERNEL-NOT: kernel.load_neighbours
// KERNEL-LABEL: gpu.func @
func.func @rows_between(%x: tensor<?x?xbf16> {fusion.class_bounds = array<i64: -1, 5120>, fusion.class_lower_bounds = array<i64: 0, 4097>}) -> tensor<?xbf16> {
  %0 = fusion.reduce <max> %x dims [1] : tensor<?x?xbf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// Of a product of open sizes, too.
// CHECK-LABEL: func.func @rows_of_two(
// CHECK: kind = "row_reduction", axes = {{\[\[}}0], [1, 2]], layout = {{\[\[}}w2], [l5]], repeat = [1, 32]>
func.func @rows_of_two(%x: tensor<?x?x?xbf16> {fusion.bounds = array<i64: -1, 32, 32>}) -> tensor<?xbf16> {
  %0 = fusion.reduce <max> %x dims [1, 2] : tensor<?x?x?xbf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// One open size without a bound.
// CHECK-LABEL: func.func @rows_without(
// CHECK-NOT: row_reduction
func.func @rows_without(%x: tensor<?x?x?xbf16> {fusion.bounds = array<i64: -1, 32, -1>}) -> tensor<?xbf16> {
  %0 = fusion.reduce <max> %x dims [1, 2] : tensor<?x?x?xbf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// The half of a size is a multiple of the half: what is cut in the middle and put together the other way round has its neighbours.
// CHECK-LABEL: func.func @halves(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[}}0, 1]], layout = {{\[\[}}r3, l5, w2]]
// KERNEL-LABEL: gpu.func @halves_
// KERNEL: vector.load %{{.+}} {alignment = 16 : i64} : memref<?x?xbf16>, vector<8xbf16>
// KERNEL-NOT: memref.load
// KERNEL-LABEL: gpu.func @halves_of_eight_
// CHECK-LABEL: func.func @halves_of_eight(
// CHECK: schedule = #fusion.tile<kind = "pointwise", axes = {{\[\[}}0, 1]], layout = {{\[\[}}r2, l5, w2]]
func.func @halves(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 1, 16>, fusion.alignment = 16 : i64}) -> (tensor<?x?xbf16> {fusion.alignment = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %h = arith.divui %n, %c2 : index
  %0 = fusion.slice %x offsets [0, 0] sizes [%m, %h] steps [1, 1] : tensor<?x?xbf16> to tensor<?x?xbf16>
  %1 = fusion.slice %x offsets [0, %h] sizes [%m, %h] steps [1, 1] : tensor<?x?xbf16> to tensor<?x?xbf16>
  %2 = fusion.neg %1 : tensor<?x?xbf16>
  %3 = fusion.cat %2, %0 dim 1 : tensor<?x?xbf16>, tensor<?x?xbf16> to tensor<?x?xbf16>
  %4 = fusion.mul %3, %x : tensor<?x?xbf16>
  return %4 : tensor<?x?xbf16>
}
func.func @halves_of_eight(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 1, 8>}) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %h = arith.divui %n, %c2 : index
  %0 = fusion.slice %x offsets [0, 0] sizes [%m, %h] steps [1, 1] : tensor<?x?xbf16> to tensor<?x?xbf16>
  %1 = fusion.slice %x offsets [0, %h] sizes [%m, %h] steps [1, 1] : tensor<?x?xbf16> to tensor<?x?xbf16>
  %2 = fusion.neg %1 : tensor<?x?xbf16>
  %3 = fusion.cat %2, %0 dim 1 : tensor<?x?xbf16>, tensor<?x?xbf16> to tensor<?x?xbf16>
  %4 = fusion.mul %3, %x : tensor<?x?xbf16>
  return %4 : tensor<?x?xbf16>
}

// Vectors on both sides of a transpose.
// CHECK-LABEL: func.func @transposed(
// CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r3, l1, w3], [r3, l4]], staged = [[], [r3, l4:0], [r3, l1:4, w3]], reads = [0]>
func.func @transposed(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 8, 8>}) -> tensor<?x?xbf16> {
  %0 = fusion.permute %x [1, 0] : tensor<?x?xbf16> to tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Rows of one length, or none: nothing is beyond the end.
// CHECK-LABEL: func.func @rows_of_one_length(
// CHECK: kind = "row_reduction", axes = {{\[\[}}0], [1]], layout = {{\[\[}}w1], [r2, l5, w1]], repeat = [1, 3]>
// KERNEL-LABEL: gpu.func @rows_of_one_length_
// KERNEL-NOT: arith.select {{.*}} : vector
// KERNEL: gpu.return
func.func @rows_of_one_length(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 1, 768>, fusion.bounds = array<i64: -1, 768>}) -> tensor<?xbf16> {
  %0 = fusion.reduce <sum> %x dims [1] : tensor<?x?xbf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// Rows and columns in one walk.
// CHECK-LABEL: func.func @rows_and_columns(
// CHECK: kind = "inner_outer_reduction", axes = {{\[\[}}], [0], [1]], layout = {{\[\[}}], [w2], [r3, l5, w1]], repeat = [1, 1, 4]
func.func @rows_and_columns(%x: tensor<?x?xbf16> {fusion.divisors = array<i64: 1, 8>, fusion.bounds = array<i64: -1, 2048>}) -> (tensor<?x?xbf16>, tensor<?xbf16>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %s = fusion.reduce <max> %x dims [1] keep : tensor<?x?xbf16> to tensor<?x1xbf16>
  %sx = fusion.expand %s sizes(%n) : tensor<?x1xbf16> to tensor<?x?xbf16>
  %y = fusion.mul %x, %sx : tensor<?x?xbf16>
  %c = fusion.reduce <sum> %y dims [0] : tensor<?x?xbf16> to tensor<?xbf16>
  return %y, %c : tensor<?x?xbf16>, tensor<?xbf16>
}
