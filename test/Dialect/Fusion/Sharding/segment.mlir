// RUN: fuser-opt %s --fusion-forward-factories --fusion-segment=target=cpu --fusion-schedule=target=cpu --split-input-file | FileCheck %s
// RUN: fuser-opt %s --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule=target=sm_90 --split-input-file | FileCheck %s

shard.grid @g(shape = 4)

// A communication is alone in its segment: neither what it takes nor what takes its result joins it, and what it stands between
// does not join around it.

// CHECK-LABEL: func.func @alone(
// CHECK:         %[[E:[^ ,:]+]] = fusion.segment "pointwise"
// CHECK:           fusion.exp
// CHECK:         %[[R:[^ ,:]+]] = fusion.segment "communication" (%[[IN:[^ ,:]+]] = %[[E]] : tensor<64xf32>) -> (tensor<64xf32>) attributes {schedule = #fusion.communication} {
// CHECK-NEXT:      %[[A:[^ ,:]+]] = shard.all_reduce %[[IN]] on @g grid_axes = [0] : tensor<64xf32> -> tensor<64xf32>
// CHECK-NEXT:      fusion.yield %[[A]] : tensor<64xf32>
// CHECK:         fusion.segment "pointwise" (%{{[^ ]+}} = %[[R]] : tensor<64xf32>, %{{[^ ]+}} = %[[E]] : tensor<64xf32>)
// CHECK:           fusion.neg
// CHECK:           fusion.add
// CHECK-NOT:     fusion.segment
func.func @alone(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = fusion.exp %x : tensor<64xf32>
  %1 = fusion.neg %0 : tensor<64xf32>
  %2 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<64xf32> -> tensor<64xf32>
  %3 = fusion.add %2, %1 : tensor<64xf32>
  return %3 : tensor<64xf32>
}

// What lies otherwise than row-major is copied before; a required order of a result, after.

// CHECK-LABEL: func.func @layouts(
// CHECK:         %[[C:[^ ,:]+]] = fusion.segment "{{transpose|pointwise}}"
// CHECK:           fusion.set
// CHECK:         %[[R:[^ ,:]+]] = fusion.segment "communication" (%{{[^ ]+}} = %[[C]] : tensor<64x16xf32>
// CHECK:         fusion.segment "{{transpose|pointwise}}" (%{{[^ ]+}} = %[[R]] : tensor<256x16xf32>
// CHECK:           fusion.set
func.func @layouts(%x: tensor<64x16xf32> {fusion.stride_order = array<i64: 1, 0>})
    -> (tensor<256x16xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<64x16xf32> -> tensor<256x16xf32>
  return %0 : tensor<256x16xf32>
}

// A hint is dropped instead.

// CHECK-LABEL: func.func @hint(
// CHECK:         %[[E:[^ ,:]+]] = fusion.segment
// CHECK-NOT:     result_hints
// CHECK:           fusion.exp
// CHECK:         fusion.segment "communication" (%{{[^ ]+}} = %[[E]] : tensor<64x16xf32>
// CHECK-NOT:     fusion.segment
func.func @hint(%x: tensor<64x16xf32> {fusion.stride_order = array<i64: 1, 0>}) -> tensor<64x16xf32> {
  %0 = fusion.exp %x {fusion.stride_order_hint = array<i64: 1, 0>} : tensor<64x16xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<64x16xf32> -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// Cheap producers are not computed in the communication's segment.

// CHECK-LABEL: func.func @forwarded(
// CHECK:         fusion.segment "pointwise"
// CHECK:           fusion.cast
// CHECK:         fusion.segment "communication"
func.func @forwarded(%x: tensor<64xbf16>) -> tensor<64xf32> {
  %0 = fusion.cast %x : tensor<64xbf16> to tensor<64xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<64xf32> -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// A root may be a value.

// CHECK-LABEL: func.func @root(
// CHECK:         fusion.segment "communication" (%[[IN:[^ ,:]+]] = %{{.+}} : tensor<64xf32>, %[[ROOT:[^ ,:]+]] = %{{.+}} : index)
// CHECK-NEXT:      shard.broadcast %[[IN]] on @g grid_axes = [0] root = [%[[ROOT]]]
func.func @root(%x: tensor<64xf32>, %root: index) -> tensor<64xf32> {
  %0 = shard.broadcast %x on @g grid_axes = [0] root = [%root] : (tensor<64xf32>, index) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
