// RUN: fuser-opt %s --fusion-partition --canonicalize --cse | FileCheck %s

shard.grid @line(shape = 4)
shard.grid @g(shape = 2x4)

// A function without shardings stays as it is, with the communications that it has.

// CHECK-LABEL: func.func @untouched(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<8x4xf32>) -> tensor<32x4xf32>
// CHECK:         %[[V1:[^ ,:]+]] = fusion.exp %[[V0]] : tensor<8x4xf32>
// CHECK:         %[[V2:[^ ,:]+]] = shard.all_gather %[[V1]] on @line grid_axes = [0] gather_axis = 0 : tensor<8x4xf32> -> tensor<32x4xf32>
// CHECK:         return %[[V2]] : tensor<32x4xf32>
func.func @untouched(%x: tensor<8x4xf32>) -> tensor<32x4xf32> {
  %0 = fusion.exp %x : tensor<8x4xf32>
  %1 = shard.all_gather %0 on @line grid_axes = [0] gather_axis = 0 : tensor<8x4xf32> -> tensor<32x4xf32>
  return %1 : tensor<32x4xf32>
}

// Partial sums are completed once, for all their users.

// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<16x256xf32>) -> (tensor<256xf32>, tensor<256xf32>)
// CHECK:         %[[V1:[^ ,:]+]] = fusion.reduce <sum> %[[V0]] dims [0] : tensor<16x256xf32> to tensor<256xf32>
// CHECK:         %[[V2:[^ ,:]+]] = shard.all_reduce %[[V1]] on @line grid_axes = [0] : tensor<256xf32> -> tensor<256xf32>
// CHECK:         %[[V3:[^ ,:]+]] = fusion.neg %[[V2]] : tensor<256xf32>
// CHECK:         return %[[V2]], %[[V3]] : tensor<256xf32>, tensor<256xf32>
func.func @sum(%dy: tensor<64x256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %rows = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %dy to %rows : tensor<64x256xf32>
  %1 = fusion.reduce <sum> %0 dims [0] : tensor<64x256xf32> to tensor<256xf32>
  %2 = fusion.neg %1 : tensor<256xf32>
  return %1, %2 : tensor<256xf32>, tensor<256xf32>
}

// All kinds of reductions; a dimension that stays with size 1 is whole.

// CHECK-LABEL: func.func @kinds(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x16xf32>) -> (tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>)
// CHECK:         %[[V1:[^ ,:]+]] = fusion.reduce <max> %[[V0]] dims [1] keep : tensor<?x16xf32> to tensor<?x1xf32>
// CHECK:         %[[V2:[^ ,:]+]] = fusion.reduce <mean> %[[V0]] dims [1] : tensor<?x16xf32> to tensor<?xf32>
// CHECK:         %[[V3:[^ ,:]+]] = fusion.reduce <min> %[[V0]] dims [1] : tensor<?x16xf32> to tensor<?xf32>
// CHECK:         %[[V4:[^ ,:]+]] = shard.all_reduce %[[V1]] on @line grid_axes = [0] reduction =  max : tensor<?x1xf32> -> tensor<?x1xf32>
// CHECK:         %[[V5:[^ ,:]+]] = shard.all_reduce %[[V2]] on @line grid_axes = [0] reduction =  average : tensor<?xf32> -> tensor<?xf32>
// CHECK:         %[[V6:[^ ,:]+]] = shard.all_reduce %[[V3]] on @line grid_axes = [0] reduction =  min : tensor<?xf32> -> tensor<?xf32>
// CHECK:         return %[[V4]], %[[V5]], %[[V6]] : tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>
func.func @kinds(%x: tensor<?x64xf32>) -> (tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>) {
  %columns = shard.sharding @line split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<?x64xf32>
  %1 = fusion.reduce <max> %0 dims [1] keep : tensor<?x64xf32> to tensor<?x1xf32>
  %2 = fusion.reduce <mean> %0 dims [1] : tensor<?x64xf32> to tensor<?xf32>
  %3 = fusion.reduce <min> %0 dims [1] : tensor<?x64xf32> to tensor<?xf32>
  return %1, %2, %3 : tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>
}

// The two halves of a tensor-parallel layer, of rows that are spread over the other axis.

// CHECK-LABEL: func.func @layers(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x128xbf16>, %[[V1:[^ ,:]+]]: tensor<64x128xbf16>, %[[V2:[^ ,:]+]]: tensor<128x64xbf16>) -> tensor<?x128xf32>
// CHECK:         %[[V3:[^ ,:]+]] = fusion.linear %[[V0]], %[[V1]] : tensor<?x128xbf16>, tensor<64x128xbf16> to tensor<?x64xbf16>
// CHECK:         %[[V4:[^ ,:]+]] = fusion.exp %[[V3]] : tensor<?x64xbf16>
// CHECK:         %[[V5:[^ ,:]+]] = fusion.linear %[[V4]], %[[V2]] : tensor<?x64xbf16>, tensor<128x64xbf16> to tensor<?x128xf32>
// CHECK:         %[[V6:[^ ,:]+]] = shard.all_reduce %[[V5]] on @g grid_axes = [1] : tensor<?x128xf32> -> tensor<?x128xf32>
// CHECK:         return %[[V6]] : tensor<?x128xf32>
func.func @layers(%x: tensor<?x128xbf16>, %w1: tensor<256x128xbf16>, %w2: tensor<128x256xbf16>) -> tensor<?x128xf32> {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %outer = shard.sharding @g split_axes = [[1]] : !shard.sharding
  %inner = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<?x128xbf16>
  %1 = shard.shard %w1 to %outer : tensor<256x128xbf16>
  %2 = shard.shard %w2 to %inner : tensor<128x256xbf16>
  %3 = fusion.linear %0, %1 : tensor<?x128xbf16>, tensor<256x128xbf16> to tensor<?x256xbf16>
  %4 = fusion.exp %3 : tensor<?x256xbf16>
  %5 = fusion.linear %4, %2 : tensor<?x256xbf16>, tensor<128x256xbf16> to tensor<?x128xf32>
  return %5 : tensor<?x128xf32>
}


// A dimension becomes whole.

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x4x4xf32>) -> tensor<?x4x16xf32>
// CHECK:         %[[V1:[^ ,:]+]] = shard.all_gather %[[V0]] on @g grid_axes = [1] gather_axis = 2 : tensor<?x4x4xf32> -> tensor<?x4x16xf32>
// CHECK:         return %[[V1]] : tensor<?x4x16xf32>
func.func @gather(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %from = shard.sharding @g split_axes = [[], [0], [1]] : !shard.sharding
  %to = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %from : tensor<?x8x16xf32>
  %1 = shard.shard %0 to %to : tensor<?x8x16xf32>
  return %1 : tensor<?x8x16xf32>
}

// Partial results that are cut along the same axes are scattered; along the other axis, all get the sum.

// CHECK-LABEL: func.func @scatter_sum(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<8x?xbf16>) -> tensor<?xbf16>
// CHECK:         %[[V1:[^ ,:]+]] = fusion.cast %[[V0]] : tensor<8x?xbf16> to tensor<8x?xf32>
// CHECK:         %[[V2:[^ ,:]+]] = fusion.reduce <sum> %[[V1]] dims [0] : tensor<8x?xf32> to tensor<?xf32>
// CHECK:         %[[V3:[^ ,:]+]] = shard.reduce_scatter %[[V2]] on @g grid_axes = [1] scatter_axis = 0 : tensor<?xf32> -> tensor<?xf32>
// CHECK:         %[[V4:[^ ,:]+]] = shard.all_reduce %[[V3]] on @g grid_axes = [0] : tensor<?xf32> -> tensor<?xf32>
// CHECK:         %[[V5:[^ ,:]+]] = fusion.cast %[[V4]] : tensor<?xf32> to tensor<?xbf16>
// CHECK:         return %[[V5]] : tensor<?xbf16>
func.func @scatter_sum(%x: tensor<64x?xbf16>) -> tensor<?xbf16> {
  %from = shard.sharding @g split_axes = [[0, 1]] : !shard.sharding
  %to = shard.sharding @g split_axes = [[1]] : !shard.sharding
  %0 = shard.shard %x to %from : tensor<64x?xbf16>
  %1 = fusion.reduce <sum> %0 dims [0] : tensor<64x?xbf16> to tensor<?xbf16>
  %2 = shard.shard %1 to %to : tensor<?xbf16>
  return %2 : tensor<?xbf16>
}

// An axis moves to another dimension, the inner one first; both are gathered at once.

// CHECK-LABEL: func.func @two_axes(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<2x16xf32>) -> (tensor<16x2xf32>, tensor<16x16xf32>)
// CHECK:         %[[V1:[^ ,:]+]] = shard.all_to_all %[[V0]] on @g grid_axes = [1] split_axis = 1 concat_axis = 0 : tensor<2x16xf32> -> tensor<8x4xf32>
// CHECK:         %[[V2:[^ ,:]+]] = shard.all_to_all %[[V1]] on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<8x4xf32> -> tensor<16x2xf32>
// CHECK:         %[[V3:[^ ,:]+]] = shard.all_gather %[[V0]] on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2x16xf32> -> tensor<16x16xf32>
// CHECK:         return %[[V2]], %[[V3]] : tensor<16x2xf32>, tensor<16x16xf32>
func.func @two_axes(%x: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %from = shard.sharding @g split_axes = [[0, 1]] : !shard.sharding
  %to = shard.sharding @g split_axes = [[], [1, 0]] : !shard.sharding
  %0 = shard.shard %x to %from : tensor<16x16xf32>
  %1 = shard.shard %0 to %to : tensor<16x16xf32>
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %2 = shard.shard %0 to %whole : tensor<16x16xf32>
  return %1, %2 : tensor<16x16xf32>, tensor<16x16xf32>
}

// The outer dimensions of what is split or merged go along, the inner ones do not.

// CHECK-LABEL: func.func @reshapes(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<4x3xf32>, %[[V1:[^ ,:]+]]: tensor<?x2048xf32>) -> (tensor<2x12xf32>, tensor<?x16x128xf32>)
// CHECK:         %[[V2:[^ ,:]+]] = shard.all_gather %[[V0]] on @g grid_axes = [0] gather_axis = 1 : tensor<4x3xf32> -> tensor<4x6xf32>
// CHECK:         %[[V3:[^ ,:]+]] = fusion.reshape %[[V2]] : tensor<4x6xf32> to tensor<2x12xf32>
// CHECK:         %[[V4:[^ ,:]+]] = fusion.reshape %[[V1]] : tensor<?x2048xf32> to tensor<?x16x128xf32>
// CHECK:         return %[[V3]], %[[V4]] : tensor<2x12xf32>, tensor<?x16x128xf32>
func.func @reshapes(%x: tensor<16x6xf32>, %y: tensor<?x4096xf32>) -> (tensor<8x12xf32>, tensor<?x32x128xf32>) {
  %from = shard.sharding @g split_axes = [[1], [0]] : !shard.sharding
  %0 = shard.shard %x to %from : tensor<16x6xf32>
  %1 = fusion.reshape %0 : tensor<16x6xf32> to tensor<8x12xf32>
  %2 = shard.shard %y to %from : tensor<?x4096xf32>
  %3 = fusion.reshape %2 : tensor<?x4096xf32> to tensor<?x32x128xf32>
  return %1, %3 : tensor<8x12xf32>, tensor<?x32x128xf32>
}

// A slice of all of a dimension, which is asked for by the size of the whole one, goes along.

// CHECK-LABEL: func.func @slices(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x32xf32>)
// CHECK-DAG:     %[[V1:[^ ,:]+]] = arith.constant 2 : index
// CHECK-DAG:     %[[V2:[^ ,:]+]] = arith.constant 4 : index
// CHECK-DAG:     %[[V3:[^ ,:]+]] = arith.constant 0 : index
// CHECK:         %[[V4:[^ ,:]+]] = tensor.dim %[[V0]], %[[V3]] : tensor<?x8xf32>
// CHECK:         %[[V5:[^ ,:]+]] = arith.muli %[[V4]], %[[V2]] overflow<nsw, nuw> : index
// CHECK:         %[[V6:[^ ,:]+]] = shard.all_gather %[[V0]] on @g grid_axes = [0] gather_axis = 1 : tensor<?x8xf32> -> tensor<?x16xf32>
// CHECK:         %[[V7:[^ ,:]+]] = fusion.slice %[[V6]] offsets [0, 4] sizes [%[[V4]], 8] steps [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
// CHECK:         %[[V8:[^ ,:]+]] = arith.divui %[[V5]], %[[V1]] : index
// CHECK:         %[[V9:[^ ,:]+]] = shard.all_gather %[[V0]] on @g grid_axes = [1] gather_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
// CHECK:         %[[V10:[^ ,:]+]] = fusion.slice %[[V9]] offsets [0, 0] sizes [%[[V8]], 8] steps [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
// CHECK:         %[[V11:[^ ,:]+]] = fusion.cat %[[V6]], %[[V6]] dim 1 : tensor<?x16xf32>, tensor<?x16xf32> to tensor<?x32xf32>
// CHECK:         return %[[V7]], %[[V10]], %[[V11]] : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x32xf32>
func.func @slices(%x: tensor<?x16xf32>) -> (tensor<?x8xf32>, tensor<?x16xf32>, tensor<?x32xf32>) {
  %from = shard.sharding @g split_axes = [[1], [0]] : !shard.sharding
  %0 = shard.shard %x to %from : tensor<?x16xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %0, %c0 : tensor<?x16xf32>
  %1 = fusion.slice %0 offsets [0, 4] sizes [%n, 8] steps [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
  %c2 = arith.constant 2 : index
  %half = arith.divui %n, %c2 : index
  %2 = fusion.slice %0 offsets [0, 0] sizes [%half, 16] steps [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
  %3 = fusion.cat %0, %0 dim 1 : tensor<?x16xf32>, tensor<?x16xf32> to tensor<?x32xf32>
  return %1, %2, %3 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?x32xf32>
}

// Where both want the axis, the larger operand has it. What is whole is sliced.

// CHECK-LABEL: func.func @conflict(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<32x32xf32>, %[[V1:[^ ,:]+]]: tensor<8x32xf32>, %[[V2:[^ ,:]+]]: f32) -> tensor<32x16xf32>
// CHECK:         %[[V3:[^ ,:]+]] = shard.all_gather %[[V1]] on @g grid_axes = [0] gather_axis = 0 : tensor<8x32xf32> -> tensor<16x32xf32>
// CHECK:         %[[V4:[^ ,:]+]] = fusion.linear %[[V0]], %[[V3]] : tensor<32x32xf32>, tensor<16x32xf32> to tensor<32x16xf32>
// CHECK:         %[[V5:[^ ,:]+]] = fusion.full %[[V2]] : tensor<64x16xf32>
// CHECK:         %[[V6:[^ ,:]+]] = shard.all_slice %[[V5]] on @g grid_axes = [0] slice_axis = 0 : tensor<64x16xf32> -> tensor<32x16xf32>
// CHECK:         %[[V7:[^ ,:]+]] = fusion.mul %[[V4]], %[[V6]] : tensor<32x16xf32>
// CHECK:         return %[[V7]] : tensor<32x16xf32>
func.func @conflict(%x: tensor<64x32xf32>, %w: tensor<16x32xf32>, %s: f32) -> tensor<64x16xf32> {
  %from = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %from : tensor<64x32xf32>
  %1 = shard.shard %w to %from : tensor<16x32xf32>
  %2 = fusion.linear %0, %1 : tensor<64x32xf32>, tensor<16x32xf32> to tensor<64x16xf32>
  %3 = fusion.full %s : tensor<64x16xf32>
  %4 = fusion.mul %2, %3 : tensor<64x16xf32>
  return %4 : tensor<64x16xf32>
}

// Users of a whole argument may want parts; a size that a value gives is that of the whole tensor.

// CHECK-LABEL: func.func @users(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<8x16xf32>, %[[V1:[^ ,:]+]]: index) -> (tensor<2x16xf32>, tensor<?x16xf32>)
// CHECK:         %[[V2:[^ ,:]+]] = shard.all_slice %[[V0]] on @line grid_axes = [0] slice_axis = 0 : tensor<8x16xf32> -> tensor<2x16xf32>
// CHECK:         %[[V3:[^ ,:]+]] = fusion.exp %[[V2]] : tensor<2x16xf32>
// CHECK:         %[[V4:[^ ,:]+]] = fusion.slice %[[V0]] offsets [0, 0] sizes [1, 16] steps [1, 1] : tensor<8x16xf32> to tensor<1x16xf32>
// CHECK:         %[[V5:[^ ,:]+]] = fusion.expand %[[V4]] sizes(%[[V1]]) : tensor<1x16xf32> to tensor<?x16xf32>
// CHECK:         %[[V6:[^ ,:]+]] = shard.all_slice %[[V5]] on @line grid_axes = [0] slice_axis = 0 : tensor<?x16xf32> -> tensor<?x16xf32>
// CHECK:         %[[V7:[^ ,:]+]] = fusion.neg %[[V6]] : tensor<?x16xf32>
// CHECK:         return %[[V3]], %[[V7]] : tensor<2x16xf32>, tensor<?x16xf32>
func.func @users(%x: tensor<8x16xf32>, %n: index) -> (tensor<8x16xf32>, tensor<?x16xf32>) {
  %rows = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %rows annotate_for_users : tensor<8x16xf32>
  %1 = fusion.exp %0 : tensor<8x16xf32>
  %2 = fusion.slice %x offsets [0, 0] sizes [1, 16] steps [1, 1] : tensor<8x16xf32> to tensor<1x16xf32>
  %3 = fusion.expand %2 sizes(%n) : tensor<1x16xf32> to tensor<?x16xf32>
  %4 = shard.shard %3 to %rows : tensor<?x16xf32>
  %5 = fusion.neg %4 : tensor<?x16xf32>
  return %1, %5 : tensor<8x16xf32>, tensor<?x16xf32>
}

// Sizes that reshapes state are divided. An open size that is split up is gathered first, as that its first part can be cut is not known.

// CHECK-LABEL: func.func @stated(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x6xf32>, %[[V1:[^ ,:]+]]: index, %[[V2:[^ ,:]+]]: index) -> (tensor<?x?x6xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<?x2x3xf32>)
// CHECK-DAG:     %[[V3:[^ ,:]+]] = arith.constant 4 : index
// CHECK:         %[[V4:[^ ,:]+]] = shard.all_gather %[[V0]] on @line grid_axes = [0] gather_axis = 0 : tensor<?x6xf32> -> tensor<?x6xf32>
// CHECK:         %[[V5:[^ ,:]+]] = fusion.reshape %[[V4]] sizes(%[[V1]], %[[V2]]) : tensor<?x6xf32> to tensor<?x?x6xf32>
// CHECK:         %[[V6:[^ ,:]+]] = fusion.slice %[[V4]] offsets [0, 0] sizes [4, 6] steps [1, 1] : tensor<?x6xf32> to tensor<4x6xf32>
// CHECK:         %[[V7:[^ ,:]+]] = shard.all_slice %[[V6]] on @line grid_axes = [0] slice_axis = 0 : tensor<4x6xf32> -> tensor<1x6xf32>
// CHECK:         %[[V8:[^ ,:]+]] = fusion.reduce <sum> %[[V7]] dims [0] : tensor<1x6xf32> to tensor<6xf32>
// CHECK:         %[[V9:[^ ,:]+]] = shard.all_reduce %[[V8]] on @line grid_axes = [0] : tensor<6xf32> -> tensor<6xf32>
// CHECK:         %[[V10:[^ ,:]+]] = fusion.reshape %[[V9]] : tensor<6xf32> to tensor<2x3xf32>
// CHECK:         %[[V11:[^ ,:]+]] = arith.divui %[[V1]], %[[V3]] : index
// CHECK:         %[[V12:[^ ,:]+]] = fusion.reshape %[[V0]] sizes(%[[V11]]) : tensor<?x6xf32> to tensor<?x2x3xf32>
// CHECK:         return %[[V5]], %[[V10]], %[[V9]], %[[V12]] : tensor<?x?x6xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<?x2x3xf32>
func.func @stated(%x: tensor<?x6xf32>, %n: index, %m: index) -> (tensor<?x?x6xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<?x2x3xf32>) {
  %rows = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<?x6xf32>
  %1 = fusion.reshape %0 sizes(%n, %m) : tensor<?x6xf32> to tensor<?x?x6xf32>
  %2 = fusion.slice %0 offsets [0, 0] sizes [4, 6] steps [1, 1] : tensor<?x6xf32> to tensor<4x6xf32>
  %3 = shard.shard %2 to %rows : tensor<4x6xf32>
  %4 = fusion.reduce <sum> %3 dims [0] : tensor<4x6xf32> to tensor<6xf32>
  %5 = fusion.reshape %4 : tensor<6xf32> to tensor<2x3xf32>
  %6 = fusion.reshape %0 sizes(%n) : tensor<?x6xf32> to tensor<?x2x3xf32>
  return %1, %5, %4, %6 : tensor<?x?x6xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<?x2x3xf32>
}

// 0-d and empty tensors, scalars, and types that are not floats.

// CHECK-LABEL: func.func @corners(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<f32>, %[[V1:[^ ,:]+]]: tensor<0x8xi64>, %[[V2:[^ ,:]+]]: tensor<1xi1>, %[[V3:[^ ,:]+]]: f32) -> (tensor<f32>, tensor<8xi64>, tensor<1xi1>)
// CHECK:         %[[V4:[^ ,:]+]] = fusion.full %[[V3]] : tensor<f32>
// CHECK:         %[[V5:[^ ,:]+]] = fusion.add %[[V0]], %[[V4]] : tensor<f32>
// CHECK:         %[[V6:[^ ,:]+]] = fusion.reduce <sum> %[[V1]] dims [0] : tensor<0x8xi64> to tensor<8xi64>
// CHECK:         %[[V7:[^ ,:]+]] = shard.all_reduce %[[V6]] on @line grid_axes = [0] : tensor<8xi64> -> tensor<8xi64>
// CHECK:         return %[[V5]], %[[V7]], %[[V2]] : tensor<f32>, tensor<8xi64>, tensor<1xi1>
func.func @corners(%x: tensor<f32>, %e: tensor<0x8xi64>, %b: tensor<4xi1>, %s: f32) -> (tensor<f32>, tensor<8xi64>, tensor<4xi1>) {
  %none = shard.sharding @line split_axes = [[]] : !shard.sharding
  %rows = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %none : tensor<f32>
  %1 = shard.shard %e to %rows : tensor<0x8xi64>
  %2 = shard.shard %b to %rows : tensor<4xi1>
  %3 = fusion.full %s : tensor<f32>
  %4 = fusion.add %0, %3 : tensor<f32>
  %5 = fusion.reduce <sum> %1 dims [0] : tensor<0x8xi64> to tensor<8xi64>
  return %4, %5, %2 : tensor<f32>, tensor<8xi64>, tensor<4xi1>
}

// A tensor that is taken twice, and differently each time.

// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<2x16xf32>) -> tensor<2x8xf32>
// CHECK:         %[[V1:[^ ,:]+]] = shard.all_gather %[[V0]] on @line grid_axes = [0] gather_axis = 0 : tensor<2x16xf32> -> tensor<8x16xf32>
// CHECK:         %[[V2:[^ ,:]+]] = fusion.linear %[[V0]], %[[V1]] : tensor<2x16xf32>, tensor<8x16xf32> to tensor<2x8xf32>
// CHECK:         return %[[V2]] : tensor<2x8xf32>
func.func @twice(%x: tensor<8x16xf32>) -> tensor<8x8xf32> {
  %rows = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<8x16xf32>
  %1 = fusion.linear %0, %0 : tensor<8x16xf32>, tensor<8x16xf32> to tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// A result that is written over an argument is distributed as it is.

// CHECK-LABEL: func.func @reuse(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<2x16xf32>) -> (tensor<2x16xf32> {fusion.alias = #fusion.alias<reuse, 0>})
// CHECK:         %[[V1:[^ ,:]+]] = fusion.neg %[[V0]] : tensor<2x16xf32>
// CHECK:         return %[[V1]] : tensor<2x16xf32>
func.func @reuse(%x: tensor<8x16xf32>) -> (tensor<8x16xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %rows = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<8x16xf32>
  %1 = fusion.neg %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
