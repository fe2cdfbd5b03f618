// RUN: fuser-opt %s --fusion-normalize-collectives --canonicalize --cse | FileCheck %s

shard.grid @g(shape = 2x4)

// What buffers allow stays as it is.

// CHECK-LABEL: func.func @same(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
// CHECK:         %[[V1:[^ ,:]+]] = shard.all_gather %[[V0]] on @g grid_axes = [1] gather_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
// CHECK:         %[[V2:[^ ,:]+]] = shard.all_to_all %[[V1]] on @g grid_axes = [1] split_axis = 0 concat_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
// CHECK:         %[[V3:[^ ,:]+]] = shard.broadcast %[[V2]] on @g grid_axes = [1] root = [2] : (tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK:         %[[V4:[^ ,:]+]] = shard.all_reduce %[[V3]] on @g grid_axes = [0] : tensor<?x8xf32> -> tensor<?x8xf32>
// CHECK:         return %[[V3]], %[[V4]] : tensor<?x8xf32>, tensor<?x8xf32>
func.func @same(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = shard.all_to_all %0 on @g grid_axes = [1] split_axis = 0 concat_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %2 = shard.broadcast %1 on @g grid_axes = [1] root = [2] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = shard.all_reduce %2 on @g grid_axes = [0] : tensor<?x8xf32> -> tensor<?x8xf32>
  return %2, %3 : tensor<?x8xf32>, tensor<?x8xf32>
}

// The dimension of the parts comes first.

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x8x2xf32>) -> (tensor<?x8x8xf32>, tensor<?x32x2xf32>)
// CHECK:         %[[V1:[^ ,:]+]] = fusion.permute %[[V0]] [2, 0, 1] : tensor<?x8x2xf32> to tensor<2x?x8xf32>
// CHECK:         %[[V2:[^ ,:]+]] = shard.all_gather %[[V1]] on @g grid_axes = [1] gather_axis = 0 : tensor<2x?x8xf32> -> tensor<8x?x8xf32>
// CHECK:         %[[V3:[^ ,:]+]] = fusion.permute %[[V2]] [1, 2, 0] : tensor<8x?x8xf32> to tensor<?x8x8xf32>
// CHECK:         %[[V4:[^ ,:]+]] = fusion.permute %[[V0]] [1, 0, 2] : tensor<?x8x2xf32> to tensor<8x?x2xf32>
// CHECK:         %[[V5:[^ ,:]+]] = shard.gather %[[V4]] on @g grid_axes = [1] gather_axis = 0 root = [0] : (tensor<8x?x2xf32>) -> tensor<32x?x2xf32>
// CHECK:         %[[V6:[^ ,:]+]] = fusion.permute %[[V5]] [1, 0, 2] : tensor<32x?x2xf32> to tensor<?x32x2xf32>
// CHECK:         return %[[V3]], %[[V6]] : tensor<?x8x8xf32>, tensor<?x32x2xf32>
func.func @gather(%x: tensor<?x8x2xf32>) -> (tensor<?x8x8xf32>, tensor<?x32x2xf32>) {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 2 : tensor<?x8x2xf32> -> tensor<?x8x8xf32>
  %1 = shard.gather %x on @g grid_axes = [1] gather_axis = 1 root = [0] : (tensor<?x8x2xf32>) -> tensor<?x32x2xf32>
  return %0, %1 : tensor<?x8x8xf32>, tensor<?x32x2xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x8xf32>) -> (tensor<?x1xf32>, tensor<?x2xf32>)
// CHECK:         %[[V1:[^ ,:]+]] = fusion.permute %[[V0]] [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
// CHECK:         %[[V2:[^ ,:]+]] = shard.reduce_scatter %[[V1]] on @g grid_axes = [0, 1] scatter_axis = 0 : tensor<8x?xf32> -> tensor<1x?xf32>
// CHECK:         %[[V3:[^ ,:]+]] = fusion.permute %[[V2]] [1, 0] : tensor<1x?xf32> to tensor<?x1xf32>
// CHECK:         %[[V4:[^ ,:]+]] = shard.scatter %[[V1]] on @g grid_axes = [1] scatter_axis = 0 root = [0] : (tensor<8x?xf32>) -> tensor<2x?xf32>
// CHECK:         %[[V5:[^ ,:]+]] = fusion.permute %[[V4]] [1, 0] : tensor<2x?xf32> to tensor<?x2xf32>
// CHECK:         return %[[V3]], %[[V5]] : tensor<?x1xf32>, tensor<?x2xf32>
func.func @scatter(%x: tensor<?x8xf32>) -> (tensor<?x1xf32>, tensor<?x2xf32>) {
  %0 = shard.reduce_scatter %x on @g grid_axes = [0, 1] scatter_axis = 1 : tensor<?x8xf32> -> tensor<?x1xf32>
  %1 = shard.scatter %x on @g grid_axes = [1] scatter_axis = 1 root = [0] : (tensor<?x8xf32>) -> tensor<?x2xf32>
  return %0, %1 : tensor<?x1xf32>, tensor<?x2xf32>
}

// Parts are a dimension of their own.

// CHECK-LABEL: func.func @exchange(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x32xf32>)
// CHECK-DAG:     %[[V1:[^ ,:]+]] = arith.constant 1 : index
// CHECK-DAG:     %[[V2:[^ ,:]+]] = arith.constant 4 : index
// CHECK-DAG:     %[[V3:[^ ,:]+]] = arith.constant 0 : index
// CHECK:         %[[V4:[^ ,:]+]] = tensor.dim %[[V0]], %[[V3]] : tensor<?x8xf32>
// CHECK:         %[[V5:[^ ,:]+]] = fusion.reshape %[[V0]] sizes(%[[V4]]) : tensor<?x8xf32> to tensor<?x4x2xf32>
// CHECK:         %[[V6:[^ ,:]+]] = fusion.permute %[[V5]] [1, 0, 2] : tensor<?x4x2xf32> to tensor<4x?x2xf32>
// CHECK:         %[[V7:[^ ,:]+]] = shard.all_to_all %[[V6]] on @g grid_axes = [1] split_axis = 0 concat_axis = 0 : tensor<4x?x2xf32> -> tensor<4x?x2xf32>
// CHECK:         %[[V8:[^ ,:]+]] = tensor.dim %[[V7]], %[[V1]] : tensor<4x?x2xf32>
// CHECK:         %[[V9:[^ ,:]+]] = arith.muli %[[V8]], %[[V2]] : index
// CHECK:         %[[V10:[^ ,:]+]] = fusion.reshape %[[V7]] sizes(%[[V9]]) : tensor<4x?x2xf32> to tensor<?x2xf32>
// CHECK:         %[[V11:[^ ,:]+]] = arith.divui %[[V4]], %[[V2]] : index
// CHECK:         %[[V12:[^ ,:]+]] = fusion.reshape %[[V0]] sizes(%[[V11]]) : tensor<?x8xf32> to tensor<4x?x8xf32>
// CHECK:         %[[V13:[^ ,:]+]] = shard.all_to_all %[[V12]] on @g grid_axes = [1] split_axis = 0 concat_axis = 0 : tensor<4x?x8xf32> -> tensor<4x?x8xf32>
// CHECK:         %[[V14:[^ ,:]+]] = fusion.permute %[[V13]] [1, 0, 2] : tensor<4x?x8xf32> to tensor<?x4x8xf32>
// CHECK:         %[[V15:[^ ,:]+]] = tensor.dim %[[V14]], %[[V3]] : tensor<?x4x8xf32>
// CHECK:         %[[V16:[^ ,:]+]] = fusion.reshape %[[V14]] sizes(%[[V15]]) : tensor<?x4x8xf32> to tensor<?x32xf32>
// CHECK:         return %[[V10]], %[[V16]] : tensor<?x2xf32>, tensor<?x32xf32>
func.func @exchange(%x: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x32xf32>) {
  %0 = shard.all_to_all %x on @g grid_axes = [1] split_axis = 1 concat_axis = 0 : tensor<?x8xf32> -> tensor<?x2xf32>
  %1 = shard.all_to_all %x on @g grid_axes = [1] split_axis = 0 concat_axis = 1 : tensor<?x8xf32> -> tensor<?x32xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x32xf32>
}

// A slice needs no communication. That a size is a multiple of the parts is what the reshape checks.

// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x12xf32>) -> (tensor<?x12xf32>, tensor<?x3xf32>)
// CHECK-DAG:     %[[V1:[^ ,:]+]] = arith.constant 1 : index
// CHECK-DAG:     %[[V2:[^ ,:]+]] = arith.constant 8 : index
// CHECK-DAG:     %[[V3:[^ ,:]+]] = arith.constant 4 : index
// CHECK-DAG:     %[[V4:[^ ,:]+]] = arith.constant 0 : index
// CHECK:         %[[V5:[^ ,:]+]]:2 = shard.process_multi_index on @g axes = [0, 1] : index, index
// CHECK:         %[[V6:[^ ,:]+]] = arith.muli %[[V5]]#0, %[[V3]] : index
// CHECK:         %[[V8:[^ ,:]+]] = arith.addi %[[V6]], %[[V5]]#1 : index
// CHECK:         %[[V10:[^ ,:]+]] = tensor.dim %[[V0]], %[[V4]] : tensor<?x12xf32>
// CHECK:         %[[V11:[^ ,:]+]] = arith.divui %[[V10]], %[[V2]] : index
// CHECK:         %[[V12:[^ ,:]+]] = fusion.reshape %[[V0]] sizes(%[[V11]]) : tensor<?x12xf32> to tensor<8x?x12xf32>
// CHECK:         %[[V13:[^ ,:]+]] = tensor.dim %[[V12]], %[[V1]] : tensor<8x?x12xf32>
// CHECK:         %[[V14:[^ ,:]+]] = fusion.slice %[[V12]] offsets [%[[V8]], 0, 0] sizes [1, %[[V13]], 12] steps [1, 1, 1] : tensor<8x?x12xf32> to tensor<1x?x12xf32>
// CHECK:         %[[V15:[^ ,:]+]] = fusion.reshape %[[V14]] sizes(%[[V13]]) : tensor<1x?x12xf32> to tensor<?x12xf32>
// CHECK:         %[[V16:[^ ,:]+]] = shard.process_multi_index on @g axes = [1] : index
// CHECK:         %[[V17:[^ ,:]+]] = fusion.reshape %[[V0]] sizes(%[[V10]]) : tensor<?x12xf32> to tensor<?x4x3xf32>
// CHECK:         %[[V18:[^ ,:]+]] = tensor.dim %[[V17]], %[[V4]] : tensor<?x4x3xf32>
// CHECK:         %[[V19:[^ ,:]+]] = fusion.slice %[[V17]] offsets [0, %[[V16]], 0] sizes [%[[V18]], 1, 3] steps [1, 1, 1] : tensor<?x4x3xf32> to tensor<?x1x3xf32>
// CHECK:         %[[V20:[^ ,:]+]] = fusion.reshape %[[V19]] sizes(%[[V18]]) : tensor<?x1x3xf32> to tensor<?x3xf32>
// CHECK:         return %[[V15]], %[[V20]] : tensor<?x12xf32>, tensor<?x3xf32>
func.func @slice(%x: tensor<?x12xf32>) -> (tensor<?x12xf32>, tensor<?x3xf32>) {
  %0 = shard.all_slice %x on @g grid_axes = [0, 1] slice_axis = 0 : tensor<?x12xf32> -> tensor<?x12xf32>
  %1 = shard.all_slice %x on @g grid_axes = [1] slice_axis = 1 : tensor<?x12xf32> -> tensor<?x3xf32>
  return %0, %1 : tensor<?x12xf32>, tensor<?x3xf32>
}

// Reductions in the element type of the result.

// CHECK-LABEL: func.func @wider(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x8xbf16>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x1xf32>)
// CHECK:         %[[V1:[^ ,:]+]] = fusion.cast %[[V0]] : tensor<?x8xbf16> to tensor<?x8xf32>
// CHECK:         %[[V2:[^ ,:]+]] = shard.all_reduce %[[V1]] on @g grid_axes = [1] : tensor<?x8xf32> -> tensor<?x8xf32>
// CHECK:         %[[V3:[^ ,:]+]] = shard.reduce %[[V1]] on @g grid_axes = [1] root = [0] : (tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK:         %[[V4:[^ ,:]+]] = fusion.permute %[[V1]] [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
// CHECK:         %[[V5:[^ ,:]+]] = shard.reduce_scatter %[[V4]] on @g grid_axes = [0, 1] scatter_axis = 0 : tensor<8x?xf32> -> tensor<1x?xf32>
// CHECK:         %[[V6:[^ ,:]+]] = fusion.permute %[[V5]] [1, 0] : tensor<1x?xf32> to tensor<?x1xf32>
// CHECK:         return %[[V2]], %[[V3]], %[[V6]] : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x1xf32>
func.func @wider(%x: tensor<?x8xbf16>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x1xf32>) {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<?x8xbf16> -> tensor<?x8xf32>
  %1 = shard.reduce %x on @g grid_axes = [1] root = [0] : (tensor<?x8xbf16>) -> tensor<?x8xf32>
  %2 = shard.reduce_scatter %x on @g grid_axes = [0, 1] scatter_axis = 1 : tensor<?x8xbf16> -> tensor<?x1xf32>
  return %0, %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x1xf32>
}

// Types may know less than can be known; a group of one rank has all of it.

// CHECK-LABEL: func.func @open(
// CHECK-SAME:    %[[V0:[^ ,:]+]]: tensor<?x8xf32>, %[[V1:[^ ,:]+]]: tensor<8x8xf32>) -> (tensor<?x?xf32>, tensor<?x8xf32>, tensor<8x8xf32>)
// CHECK-DAG:     %[[V2:[^ ,:]+]] = arith.constant 1 : index
// CHECK-DAG:     %[[V3:[^ ,:]+]] = arith.constant 2 : index
// CHECK-DAG:     %[[V4:[^ ,:]+]] = arith.constant 4 : index
// CHECK-DAG:     %[[V5:[^ ,:]+]] = arith.constant 0 : index
// CHECK:         %[[V6:[^ ,:]+]] = tensor.dim %[[V0]], %[[V5]] : tensor<?x8xf32>
// CHECK:         %[[V7:[^ ,:]+]] = fusion.reshape %[[V0]] sizes(%[[V6]]) : tensor<?x8xf32> to tensor<?x4x2xf32>
// CHECK:         %[[V8:[^ ,:]+]] = fusion.permute %[[V7]] [1, 0, 2] : tensor<?x4x2xf32> to tensor<4x?x2xf32>
// CHECK:         %[[V9:[^ ,:]+]] = shard.all_to_all %[[V8]] on @g grid_axes = [1] split_axis = 0 concat_axis = 0 : tensor<4x?x2xf32> -> tensor<4x?x2xf32>
// CHECK:         %[[V10:[^ ,:]+]] = tensor.dim %[[V9]], %[[V2]] : tensor<4x?x2xf32>
// CHECK:         %[[V11:[^ ,:]+]] = arith.muli %[[V10]], %[[V4]] : index
// CHECK:         %[[V12:[^ ,:]+]] = fusion.reshape %[[V9]] sizes(%[[V11]], %[[V3]]) : tensor<4x?x2xf32> to tensor<?x?xf32>
// CHECK:         %[[V13:[^ ,:]+]] = shard.process_multi_index on @g axes = [0] : index
// CHECK:         %[[V14:[^ ,:]+]] = fusion.reshape %[[V1]] : tensor<8x8xf32> to tensor<2x4x8xf32>
// CHECK:         %[[V15:[^ ,:]+]] = fusion.slice %[[V14]] offsets [%[[V13]], 0, 0] sizes [1, 4, 8] steps [1, 1, 1] : tensor<2x4x8xf32> to tensor<1x4x8xf32>
// CHECK:         %[[V16:[^ ,:]+]] = fusion.reshape %[[V15]] sizes(%[[V4]]) : tensor<1x4x8xf32> to tensor<?x8xf32>
// CHECK:         return %[[V12]], %[[V16]], %[[V1]] : tensor<?x?xf32>, tensor<?x8xf32>, tensor<8x8xf32>
func.func @open(%x: tensor<?x8xf32>, %y: tensor<8x8xf32>) -> (tensor<?x?xf32>, tensor<?x8xf32>, tensor<8x8xf32>) {
  %0 = shard.all_to_all %x on @g grid_axes = [1] split_axis = 1 concat_axis = 0 : tensor<?x8xf32> -> tensor<?x?xf32>
  %1 = shard.all_slice %y on @g grid_axes = [0] slice_axis = 0 : tensor<8x8xf32> -> tensor<?x8xf32>
  %2 = shard.all_slice %y on @g slice_axis = 0 : tensor<8x8xf32> -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x8xf32>, tensor<8x8xf32>
}
