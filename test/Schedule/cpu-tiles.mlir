// RUN: fuser-opt %s --fusion-schedule=target=cpu | FileCheck %s

// How heuristics cut results into work items: each decision, and where it is not taken.

// Positions in memory are enough.
// CHECK-LABEL: func.func @flat(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_flat<chunk = 4096>]>
func.func @flat(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>) -> (tensor<?x7xf32>) {
    %1 = fusion.exp %a : tensor<?x7xf32>
    fusion.yield %1 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// A scalar that the segment computes needs no index.
// CHECK-LABEL: func.func @flat_scalar(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_flat<chunk = 4096>]>
func.func @flat_scalar(%x: tensor<?x7xf32>, %n: index) -> tensor<?x7xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>, %m = %n : index) -> (tensor<?x7xf32>) {
    %one = arith.constant 1.0 : f32
    %1 = fusion.full %one sizes(%m) : tensor<?x7xf32>
    %2 = fusion.mul %a, %1 : tensor<?x7xf32>
    fusion.yield %2 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// Strides that nobody knows yet may be any.
// CHECK-LABEL: func.func @unknown_order(
// CHECK-NOT: cpu_flat
// CHECK: return
func.func @unknown_order(%x: tensor<?x?x?xf32> {fusion.stride_order = array<i64: 1, 0, 2>}) -> tensor<?x?x?xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>) {
    %1 = fusion.tanh %a : tensor<?x?x?xf32>
    fusion.yield %1 : tensor<?x?x?xf32>
  }
  return %0 : tensor<?x?x?xf32>
}

// An operand that is not as large needs the index. Rows of 7 are too short for a work item: 585 of them.
// CHECK-LABEL: func.func @not_flat(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_tiles<chunk = 585>]>
func.func @not_flat(%x: tensor<?x7xf32>, %w: tensor<1x7xf32>, %n: index) -> tensor<?x7xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>, %b = %w : tensor<1x7xf32>, %m = %n : index) -> (tensor<?x7xf32>) {
    %1 = fusion.expand %b sizes(%m) : tensor<1x7xf32> to tensor<?x7xf32>
    %2 = fusion.mul %a, %1 : tensor<?x7xf32>
    fusion.yield %2 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// Long rows are a work item each, which is what is left out, and so are those of unknown length.
// CHECK-LABEL: func.func @long_rows(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 64>} {
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 64>} {
func.func @long_rows(%w: tensor<1x4096xf32>, %v: tensor<1x?xf32>, %n: index) -> (tensor<?x4096xf32>, tensor<?x?xf32>) {
  %0 = fusion.segment "pointwise" (%b = %w : tensor<1x4096xf32>, %m = %n : index) -> (tensor<?x4096xf32>) {
    %1 = fusion.expand %b sizes(%m) : tensor<1x4096xf32> to tensor<?x4096xf32>
    fusion.yield %1 : tensor<?x4096xf32>
  }
  %2 = fusion.segment "pointwise" (%b = %v : tensor<1x?xf32>, %m = %n : index) -> (tensor<?x?xf32>) {
    %3 = fusion.expand %b sizes(%m) : tensor<1x?xf32> to tensor<?x?xf32>
    fusion.yield %3 : tensor<?x?xf32>
  }
  return %0, %2 : tensor<?x4096xf32>, tensor<?x?xf32>
}

// Several inner dimensions are one work item, as far as they are known and few.
// CHECK-LABEL: func.func @inner_dims(
// CHECK: groups = [#fusion.cpu_tiles<item_dims = 1, chunk = 4>]
// CHECK: groups = [#fusion.cpu_tiles<chunk = 64>]
func.func @inner_dims(%x: tensor<16x16x64xf32>, %y: tensor<16x?x64xf32>, %n: index) -> (tensor<16x16x64xf32>, tensor<16x?x64xf32>) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<16x16x64xf32>) -> (tensor<16x16x64xf32>) {
    %1 = fusion.slice %a offsets [0, 0, 0] sizes [16, 16, 1] steps [1, 1, 1] : tensor<16x16x64xf32> to tensor<16x16x1xf32>
    %2 = fusion.expand %1 : tensor<16x16x1xf32> to tensor<16x16x64xf32>
    fusion.yield %2 : tensor<16x16x64xf32>
  }
  %3 = fusion.segment "pointwise" (%a = %y : tensor<16x?x64xf32>, %m = %n : index) -> (tensor<16x?x64xf32>) {
    %4 = fusion.slice %a offsets [0, 0, 0] sizes [16, %m, 1] steps [1, 1, 1] : tensor<16x?x64xf32> to tensor<16x?x1xf32>
    %5 = fusion.expand %4 : tensor<16x?x1xf32> to tensor<16x?x64xf32>
    fusion.yield %5 : tensor<16x?x64xf32>
  }
  return %0, %3 : tensor<16x16x64xf32>, tensor<16x?x64xf32>
}

// Steps of the inner loop are near in memory for most tensors: of `x` heads, of `c` nowhere.
// CHECK-LABEL: func.func @order(
// CHECK: groups = [#fusion.cpu_tiles<order = [1, 0, 2], item_dims = 1>]
func.func @order(%x: tensor<?x32x128xf32>, %c: tensor<?x128xf32>) -> tensor<32x?x128xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x32x128xf32>, %b = %c : tensor<?x128xf32>) -> (tensor<32x?x128xf32>) {
    %1 = fusion.permute %a [1, 0, 2] : tensor<?x32x128xf32> to tensor<32x?x128xf32>
    %2 = fusion.broadcast %b dims [0] : tensor<?x128xf32> to tensor<1x?x128xf32>
    %3 = fusion.expand %2 : tensor<1x?x128xf32> to tensor<32x?x128xf32>
    %4 = fusion.mul %1, %3 : tensor<32x?x128xf32>
    fusion.yield %4 : tensor<32x?x128xf32>
  }
  return %0 : tensor<32x?x128xf32>
}

// Nothing to gain: the order of the dimensions.
// CHECK-LABEL: func.func @in_order(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_tiles<chunk = 32>]>} {
func.func @in_order(%x: tensor<32x?x128xf32>, %c: tensor<?x128xf32>) -> tensor<32x?x128xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<32x?x128xf32>, %b = %c : tensor<?x128xf32>) -> (tensor<32x?x128xf32>) {
    %2 = fusion.broadcast %b dims [0] : tensor<?x128xf32> to tensor<1x?x128xf32>
    %3 = fusion.expand %2 : tensor<1x?x128xf32> to tensor<32x?x128xf32>
    %4 = fusion.mul %a, %3 : tensor<32x?x128xf32>
    fusion.yield %4 : tensor<32x?x128xf32>
  }
  return %0 : tensor<32x?x128xf32>
}

// Results whose neighbours lie along another dimension than the last.
// CHECK-LABEL: func.func @squares(
// CHECK: groups = [#fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64>]
func.func @squares(%x: tensor<?x64xf32>) -> (tensor<?x64xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>) {
    %1 = fusion.exp %a : tensor<?x64xf32>
    fusion.yield %1 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// In three dimensions the other one of a square is the loop around the last.
// CHECK-LABEL: func.func @outer_squares(
// CHECK: groups = [#fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64, order = [1, 0, 2]>]
func.func @outer_squares(%x: tensor<64x32x48xf32>) -> (tensor<64x32x48xf32> {fusion.stride_order = array<i64: 1, 2, 0>}) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x32x48xf32>) -> (tensor<64x32x48xf32>) {
    %1 = fusion.exp %a : tensor<64x32x48xf32>
    fusion.yield %1 : tensor<64x32x48xf32>
  }
  return %0 : tensor<64x32x48xf32>
}

// What is read lies across: in squares along its neighbours, stored along the last dimension. Scalars and rows that all share do not matter.
// CHECK-LABEL: func.func @squares_across(
// CHECK: groups = [#fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64>]
func.func @squares_across(%x: tensor<64x?xf32>, %y: tensor<?xf32>) -> tensor<?x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x?xf32>, %b = %y : tensor<?xf32>) -> (tensor<?x64xf32>) {
    %1 = fusion.permute %a [1, 0] : tensor<64x?xf32> to tensor<?x64xf32>
    %2 = fusion.broadcast %b dims [1] : tensor<?xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 : tensor<?x1xf32> to tensor<?x64xf32>
    %4 = fusion.add %1, %3 : tensor<?x64xf32>
    fusion.yield %4 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// The same of memory that lies so, as a variant knows it.
// CHECK-LABEL: func.func @squares_of_an_order(
// CHECK: groups = [#fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64>]
func.func @squares_of_an_order(%x: tensor<?x64xf32> {fusion.layout = "any", fusion.class_stride_order = array<i64: 1, 0>}) -> tensor<?x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>) {
    %1 = fusion.exp %a : tensor<?x64xf32>
    fusion.yield %1 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// One of two inputs lies along the last dimension.
// CHECK-LABEL: func.func @both_ways(
// CHECK-NOT: cpu_squares
// CHECK: return
func.func @both_ways(%x: tensor<64x?xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x?xf32>, %b = %y : tensor<?x64xf32>) -> (tensor<?x64xf32>) {
    %1 = fusion.permute %a [1, 0] : tensor<64x?xf32> to tensor<?x64xf32>
    %2 = fusion.add %1, %b : tensor<?x64xf32>
    fusion.yield %2 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// Too few for a square.
// CHECK-LABEL: func.func @no_squares(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 16, groups = [#fusion.cpu_tiles<{{[^>]*}}>]>
func.func @no_squares(%x: tensor<?x15xf32>) -> (tensor<?x15xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x15xf32>) -> (tensor<?x15xf32>) {
    %1 = fusion.exp %a : tensor<?x15xf32>
    fusion.yield %1 : tensor<?x15xf32>
  }
  return %0 : tensor<?x15xf32>
}

// A row of an element's own: one element at a time, 16 are a work item.
// CHECK-LABEL: func.func @rows_inside(
// CHECK: groups = [#fusion.cpu_tiles<item_dims = 1, chunk = 16, lanes = 1>, #fusion.cpu_tiles<chunk = 4, lanes = 1>]
func.func @rows_inside(%x: tensor<?x8xf32>, %y: tensor<4x9xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %0:2 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>, %b = %y : tensor<4x9xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<?x8xf32> to tensor<?xf32>
    %2 = fusion.reduce <sum> %b dims [1] : tensor<4x9xf32> to tensor<4xf32>
    fusion.yield %1, %2 : tensor<?xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<4xf32>
}

// Columns: a vector is a work item. Beside them, a group without reductions is as it would be alone.
// CHECK-LABEL: func.func @columns_inside(
// CHECK: groups = [#fusion.cpu_tiles<item_dims = 1>, #fusion.cpu_flat<chunk = 4096>]
func.func @columns_inside(%x: tensor<?x8xf32>, %y: tensor<4x9xf32>) -> (tensor<8xf32>, tensor<4x9xf32>) {
  %0:2 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>, %b = %y : tensor<4x9xf32>) -> (tensor<8xf32>, tensor<4x9xf32>) {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<?x8xf32> to tensor<8xf32>
    %2 = fusion.exp %b : tensor<4x9xf32>
    fusion.yield %1, %2 : tensor<8xf32>, tensor<4x9xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<4x9xf32>
}

// Each lane asks each of many tensors for its element: the more tensors, the fewer lanes.

// CHECK-LABEL: func.func @few_sources(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 16
func.func @few_sources(%x0: tensor<?xf32>, %x1: tensor<?xf32>, %x2: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.segment "pointwise" (%a0 = %x0 : tensor<?xf32>, %a1 = %x1 : tensor<?xf32>, %a2 = %x2 : tensor<?xf32>) -> (tensor<?xf32>) {
    %1 = fusion.cat %a0, %a1, %a2 dim 0 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32> to tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @many_sources(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 2
func.func @many_sources(%x0: tensor<?xf32>, %x1: tensor<?xf32>, %x2: tensor<?xf32>, %x3: tensor<?xf32>, %x4: tensor<?xf32>, %x5: tensor<?xf32>, %x6: tensor<?xf32>, %x7: tensor<?xf32>, %x8: tensor<?xf32>, %x9: tensor<?xf32>, %x10: tensor<?xf32>, %x11: tensor<?xf32>, %x12: tensor<?xf32>, %x13: tensor<?xf32>, %x14: tensor<?xf32>, %x15: tensor<?xf32>, %x16: tensor<?xf32>, %x17: tensor<?xf32>, %x18: tensor<?xf32>, %x19: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.segment "pointwise" (%a0 = %x0 : tensor<?xf32>, %a1 = %x1 : tensor<?xf32>, %a2 = %x2 : tensor<?xf32>, %a3 = %x3 : tensor<?xf32>, %a4 = %x4 : tensor<?xf32>, %a5 = %x5 : tensor<?xf32>, %a6 = %x6 : tensor<?xf32>, %a7 = %x7 : tensor<?xf32>, %a8 = %x8 : tensor<?xf32>, %a9 = %x9 : tensor<?xf32>, %a10 = %x10 : tensor<?xf32>, %a11 = %x11 : tensor<?xf32>, %a12 = %x12 : tensor<?xf32>, %a13 = %x13 : tensor<?xf32>, %a14 = %x14 : tensor<?xf32>, %a15 = %x15 : tensor<?xf32>, %a16 = %x16 : tensor<?xf32>, %a17 = %x17 : tensor<?xf32>, %a18 = %x18 : tensor<?xf32>, %a19 = %x19 : tensor<?xf32>) -> (tensor<?xf32>) {
    %1 = fusion.cat %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19 dim 0 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32> to tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// Parts of one column: vectors of rows, and work items of as many as make a tile.
// CHECK-LABEL: func.func @columns(
// CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = {{[0-9]+}}, groups = [#fusion.cpu_parts<chunk = 2048, lanes = 16, narrow = 4>]>
func.func @columns(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?x2xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>, %b = %y : tensor<?xf32>) -> (tensor<?x2xf32>) {
    %1 = fusion.broadcast %a dims [1] : tensor<?xf32> to tensor<?x1xf32>
    %2 = fusion.broadcast %b dims [1] : tensor<?xf32> to tensor<?x1xf32>
    %3 = fusion.cat %1, %2 dim 1 : tensor<?x1xf32>, tensor<?x1xf32> to tensor<?x2xf32>
    fusion.yield %3 : tensor<?x2xf32>
  }
  return %0 : tensor<?x2xf32>
}

// Of few rows, fewer lanes.
// CHECK-LABEL: func.func @few_rows(
// CHECK: groups = [#fusion.cpu_parts<chunk = 2048, lanes = 4, narrow = 1>]
func.func @few_rows(%x: tensor<3x1xf32>) -> tensor<3x2xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<3x1xf32>) -> (tensor<3x2xf32>) {
    %1 = fusion.exp %a : tensor<3x1xf32>
    %2 = fusion.cat %a, %1 dim 1 : tensor<3x1xf32>, tensor<3x1xf32> to tensor<3x2xf32>
    fusion.yield %2 : tensor<3x2xf32>
  }
  return %0 : tensor<3x2xf32>
}

// What only moves is moved by rows; what is computed takes longer.
// CHECK-LABEL: func.func @moved_columns(
// CHECK: groups = [#fusion.cpu_parts<chunk = 682>]
func.func @moved_columns(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x6xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x3xf32>, %b = %y : tensor<?x3xf32>) -> (tensor<?x6xf32>) {
    %1 = fusion.cat %a, %b dim 1 : tensor<?x3xf32>, tensor<?x3xf32> to tensor<?x6xf32>
    fusion.yield %1 : tensor<?x6xf32>
  }
  return %0 : tensor<?x6xf32>
}

// CHECK-LABEL: func.func @computed_columns(
// CHECK: groups = [#fusion.cpu_parts<chunk = 672, lanes = 16, narrow = 4>]
func.func @computed_columns(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x6xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x3xf32>, %b = %y : tensor<?x3xf32>) -> (tensor<?x6xf32>) {
    %1 = fusion.tanh %a : tensor<?x3xf32>
    %2 = fusion.sin %b : tensor<?x3xf32>
    %3 = fusion.cat %1, %2 dim 1 : tensor<?x3xf32>, tensor<?x3xf32> to tensor<?x6xf32>
    fusion.yield %3 : tensor<?x6xf32>
  }
  return %0 : tensor<?x6xf32>
}

// Vectors of the last dimension end where parts do.
// CHECK-LABEL: func.func @whole_vectors(
// CHECK-NOT: cpu_parts
func.func @whole_vectors(%x: tensor<?x64xf32>, %y: tensor<?x128xf32>) -> tensor<?x192xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x64xf32>, %b = %y : tensor<?x128xf32>) -> (tensor<?x192xf32>) {
    %1 = fusion.cat %a, %b dim 1 : tensor<?x64xf32>, tensor<?x128xf32> to tensor<?x192xf32>
    fusion.yield %1 : tensor<?x192xf32>
  }
  return %0 : tensor<?x192xf32>
}

// A row that is a vector of pairs.
// CHECK-LABEL: func.func @pairs(
// CHECK-NOT: cpu_parts
func.func @pairs(%x: tensor<?x2xf32>, %y: tensor<?x6xf32>) -> tensor<?x8xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x2xf32>, %b = %y : tensor<?x6xf32>) -> (tensor<?x8xf32>) {
    %1 = fusion.cat %a, %b dim 1 : tensor<?x2xf32>, tensor<?x6xf32> to tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// An element that is a sum, and one dimension.
// CHECK-LABEL: func.func @sums_side_by_side(
// CHECK-NOT: cpu_parts
func.func @sums_side_by_side(%x: tensor<?x9x7xf32>, %y: tensor<?x1xf32>) -> tensor<?x10xf32> {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x9x7xf32>, %b = %y : tensor<?x1xf32>) -> (tensor<?x10xf32>) {
    %1 = fusion.reduce <sum> %a dims [2] : tensor<?x9x7xf32>
    %2 = fusion.cat %1, %b dim 1 : tensor<?x9xf32>, tensor<?x1xf32> to tensor<?x10xf32>
    fusion.yield %2 : tensor<?x10xf32>
  }
  return %0 : tensor<?x10xf32>
}

// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: cpu_parts
func.func @one_row(%x: tensor<9xf32>, %y: tensor<1xf32>) -> tensor<10xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<9xf32>, %b = %y : tensor<1xf32>) -> (tensor<10xf32>) {
    %1 = fusion.cat %a, %b dim 0 : tensor<9xf32>, tensor<1xf32> to tensor<10xf32>
    fusion.yield %1 : tensor<10xf32>
  }
  return %0 : tensor<10xf32>
}
