// When several thread blocks share a result: where there are few results, each of many neighbours.
// RUN: fuser-opt %s --split-input-file --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" | FileCheck %s
// RUN: fuser-opt %s --split-input-file --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel=target=cuda --fusion-to-host -o /dev/null

// CHECK-LABEL: func.func @whole(
// CHECK: fusion.segment "split_reduction"{{.*}}schedule = #fusion.split_reduction<threads = 512, fold_threads = 64, min_blocks = 2, programmatic = true>
func.func @whole(%x: tensor<16384x16384xbf16>) -> tensor<f32> {
  %c = fusion.cast %x : tensor<16384x16384xbf16> to tensor<16384x16384xf32>
  %s = fusion.reduce <sum> %c dims [0, 1] : tensor<16384x16384xf32> to tensor<f32>
  return %s : tensor<f32>
}

// -----

// Nobody knows how many: it may be as many.
// CHECK-LABEL: func.func @open(
// CHECK: schedule = #fusion.split_reduction
func.func @open(%x: tensor<?x?xf32>) -> tensor<f32> {
  %s = fusion.reduce <max> %x dims [0, 1] : tensor<?x?xf32> to tensor<f32>
  return %s : tensor<f32>
}

// -----

// Two reductions of one tensor, and what is made of both.
// CHECK-LABEL: func.func @two(
// CHECK: schedule = #fusion.split_reduction
func.func @two(%x: tensor<8x1000000xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  %q = fusion.mul %x, %x : tensor<8x1000000xf32>
  %s = fusion.reduce <sum> %x dims [1] keep : tensor<8x1000000xf32> to tensor<8x1xf32>
  %m = fusion.reduce <mean> %q dims [1] keep : tensor<8x1000000xf32> to tensor<8x1xf32>
  %r = fusion.sub %m, %s : tensor<8x1xf32>
  return %s, %r : tensor<8x1xf32>, tensor<8x1xf32>
}

// -----

// One section is the work of one block.
// CHECK-LABEL: func.func @short(
// CHECK: schedule = #fusion.{{tile|generic}}
func.func @short(%x: tensor<65536xf32>) -> tensor<f32> {
  %s = fusion.reduce <sum> %x dims [0] : tensor<65536xf32> to tensor<f32>
  return %s : tensor<f32>
}

// -----

// Long rows have sections enough, however many there are.
// CHECK-LABEL: func.func @many(
// CHECK: schedule = #fusion.split_reduction
func.func @many(%x: tensor<132x1000000xf32>) -> tensor<132xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<132x1000000xf32> to tensor<132xf32>
  return %s : tensor<132xf32>
}

// -----

// CHECK-LABEL: func.func @any_number(
// CHECK: schedule = #fusion.split_reduction
func.func @any_number(%x: tensor<?x1000000xf32>) -> tensor<?xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<?x1000000xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @at_least(
// CHECK: schedule = #fusion.split_reduction
func.func @at_least(%x: tensor<?x?xf32> {fusion.class_lower_bounds = array<i64: 0, 262145>}) -> tensor<?xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<?x?xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Beside a result as large as the rows the sum has a kernel of its own.
// CHECK-LABEL: func.func @beside_all(
// CHECK: fusion.segment "pointwise"
// CHECK: schedule = #fusion.split_reduction
func.func @beside_all(%x: tensor<300x1000000xf32>) -> (tensor<300xf32>, tensor<300x1000000xf32>) {
  %e = fusion.exp %x : tensor<300x1000000xf32>
  %s = fusion.reduce <sum> %e dims [1] : tensor<300x1000000xf32> to tensor<300xf32>
  return %s, %e : tensor<300xf32>, tensor<300x1000000xf32>
}

// -----

// Rows that would fit into the registers of a cluster, but are read once.
// CHECK-LABEL: func.func @read_once(
// CHECK: schedule = #fusion.split_reduction
func.func @read_once(%x: tensor<1000x140000xf32>) -> tensor<1000xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<1000x140000xf32> to tensor<1000xf32>
  return %s : tensor<1000xf32>
}

// -----

// A few of these are clusters'.
// CHECK-LABEL: func.func @few_read_once(
// CHECK: schedule = #fusion.tile<kind = "row_reduction"
func.func @few_read_once(%x: tensor<300x140000xf32>) -> tensor<300xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<300x140000xf32> to tensor<300xf32>
  return %s : tensor<300xf32>
}

// -----

// So is what is read again.
// CHECK-LABEL: func.func @read_twice(
// CHECK: schedule = #fusion.tile<kind = "row_reduction"
func.func @read_twice(%x: tensor<1000x140000xf32>) -> tensor<1000x140000xf32> {
  %s = fusion.reduce <sum> %x dims [1] keep : tensor<1000x140000xf32> to tensor<1000x1xf32>
  %e = fusion.expand %s : tensor<1000x1xf32> to tensor<1000x140000xf32>
  %y = fusion.sub %x, %e : tensor<1000x140000xf32>
  return %y : tensor<1000x140000xf32>
}

// -----

// There may be as many rows as multiprocessors, and this is the longest that need not be shared.
// CHECK-LABEL: func.func @any_rows(
// CHECK: schedule = #fusion.generic
func.func @any_rows(%x: tensor<?x?xf32> {fusion.class_lower_bounds = array<i64: 0, 131072>}) -> tensor<?xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<?x?xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Of each channel of images of which nothing is known: there are likely to be more elements than channels.
// CHECK-LABEL: func.func @channels(
// CHECK: schedule = #fusion.split_reduction
func.func @channels(%x: tensor<?x?x?x?xf32>) -> tensor<?xf32> {
  %s = fusion.reduce <sum> %x dims [0, 2, 3] : tensor<?x?x?x?xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Not if there are channels for all multiprocessors, or few elements of each.
// CHECK-LABEL: func.func @many_channels(
// CHECK: schedule = #fusion.generic
func.func @many_channels(%x: tensor<?x300x?x?xf32>) -> tensor<300xf32> {
  %s = fusion.reduce <sum> %x dims [0, 2, 3] : tensor<?x300x?x?xf32> to tensor<300xf32>
  return %s : tensor<300xf32>
}

// -----

// CHECK-LABEL: func.func @few_of_each(
// CHECK: schedule = #fusion.generic
func.func @few_of_each(%x: tensor<16x?x8x8xf32>) -> tensor<?xf32> {
  %s = fusion.reduce <sum> %x dims [0, 2, 3] : tensor<16x?x8x8xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// What is as large as the images is no part of it.
// CHECK-LABEL: func.func @centered(
// CHECK: schedule = #fusion.split_reduction
// CHECK: fusion.segment "pointwise"
func.func @centered(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %m = fusion.reduce <mean> %x dims [0, 2, 3] keep : tensor<?x?x?x?xf32> to tensor<1x?x1x1xf32>
  %e = fusion.expand %m sizes(%n, %h, %w) : tensor<1x?x1x1xf32> to tensor<?x?x?x?xf32>
  %y = fusion.sub %x, %e : tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// -----

// Columns.
// CHECK-LABEL: func.func @outer(
// CHECK: schedule = #fusion.tile<kind = "outer_reduction"
func.func @outer(%x: tensor<1000000x8xf32>) -> tensor<8xf32> {
  %s = fusion.reduce <sum> %x dims [0] : tensor<1000000x8xf32> to tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// The scheduler that segments name is asked, and those behind it.
// CHECK-LABEL: func.func @named(
// CHECK: fusion.segment "generic"{{.*}}schedule = #fusion.generic
func.func @named(%x: tensor<1000000xf32>) -> tensor<f32> {
  %0 = fusion.segment "generic" (%a = %x : tensor<1000000xf32>) -> (tensor<f32>) {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<1000000xf32> to tensor<f32>
    fusion.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// A size that is a constant of the program is known: there is one result.
// CHECK-LABEL: func.func @known_by_scalar(
// CHECK: fusion.segment "split_reduction"
func.func @known_by_scalar(%x: tensor<1x1000000xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %e = fusion.expand %x sizes(%c1) : tensor<1x1000000xf32> to tensor<?x1000000xf32>
  %s = fusion.reduce <sum> %e dims [1] : tensor<?x1000000xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}
