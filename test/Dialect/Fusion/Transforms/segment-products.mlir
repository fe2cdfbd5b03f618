// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=sm_90}))' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=cpu}))' | FileCheck %s

// A product is a segment of its own, and what it reads is in memory: a cast that would be computed again elsewhere, a constant.

// CHECK-LABEL: func.func @alone
// CHECK-SAME:    (%[[X:.+]]: tensor<?x8xf32>)
// CHECK:         %[[HALF:.+]] = fusion.segment "pointwise" (%{{.+}} = %[[X]] : tensor<?x8xf32>) -> (tensor<?x8xbf16>)
// CHECK:           fusion.cast
// CHECK:         %[[FULL:.+]] = fusion.segment "pointwise" {{.*}}-> (tensor<8x8xbf16>)
// CHECK:           fusion.full
// CHECK:         %[[P:.+]] = fusion.segment "library" (%[[A:.+]] = %[[HALF]] : tensor<?x8xbf16>, %[[B:.+]] = %[[FULL]] : tensor<8x8xbf16>) -> (tensor<?x8xf32>) {
// CHECK-NEXT:      %[[R:.+]] = fusion.matmul %[[A]], %[[B]]
// CHECK-NEXT:      fusion.yield %[[R]]
// CHECK:         fusion.segment "pointwise" (%{{.+}} = %[[P]] : tensor<?x8xf32>, %{{.+}} = %[[HALF]] : tensor<?x8xbf16>)
func.func @alone(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %one = arith.constant 1.0 : bf16
  %h = fusion.cast %x : tensor<?x8xf32> to tensor<?x8xbf16>
  %f = fusion.full %one : tensor<8x8xbf16>
  %p = fusion.matmul %h, %f : tensor<?x8xbf16>, tensor<8x8xbf16> to tensor<?x8xf32>
  %w = fusion.cast %h : tensor<?x8xbf16> to tensor<?x8xf32>
  %n = fusion.add %p, %w : tensor<?x8xf32>
  return %n : tensor<?x8xf32>
}

// -----

// Orders that the library takes: a matrix either way, batches between or behind rows, but not as neighbours.

// CHECK-LABEL: func.func @taken
// CHECK-NOT:     fusion.set
// CHECK:         return
func.func @taken(%x: tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 2, 1>}, %y: tensor<2x4x5xf32> {fusion.stride_order = array<i64: 1, 0, 2>})
    -> (tensor<2x3x5xf32> {fusion.stride_order = array<i64: 2, 0, 1>}) {
  %p = fusion.matmul %x, %y : tensor<2x3x4xf32>, tensor<2x4x5xf32> to tensor<2x3x5xf32>
  return %p : tensor<2x3x5xf32>
}

// -----

// What it does not take is copied: any strides, a batch whose elements are neighbours, two dimensions of rows apart; also the result.

// CHECK-LABEL: func.func @copied
// CHECK-SAME:    (%[[X:[^:]+]]: tensor<?x3x4xf32> {fusion.layout = "any"}, %[[Y:[^:]+]]:
// CHECK-DAG:     %[[XC:.+]] = fusion.segment "pointwise" (%[[XA:.+]] = %[[X]] : {{.*}}
// CHECK-DAG:       fusion.set %[[XA]]
// CHECK-DAG:     %[[YC:.+]] = fusion.segment "pointwise" (%[[YA:.+]] = %[[Y]] : {{.*}}
// CHECK-DAG:       fusion.set %[[YA]]
// CHECK:         %[[P:.+]] = fusion.segment "library" (%{{.+}} = %[[XC]] : tensor<?x3x4xf32>, %{{.+}} = %[[YC]] : tensor<?x4x5xf32>)
// CHECK:         %[[R:.+]] = fusion.segment "pointwise" (%[[PA:.+]] = %[[P]] : tensor<?x3x5xf32>)
// CHECK-NEXT:      fusion.set %[[PA]]
// CHECK:         return %[[R]]
func.func @copied(%x: tensor<?x3x4xf32> {fusion.layout = "any"}, %y: tensor<?x4x5xf32> {fusion.stride_order = array<i64: 1, 2, 0>})
    -> (tensor<?x3x5xf32> {fusion.stride_order = array<i64: 1, 2, 0>}) {
  %p = fusion.matmul %x, %y : tensor<?x3x4xf32>, tensor<?x4x5xf32> to tensor<?x3x5xf32>
  return %p : tensor<?x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @apart
// CHECK:         fusion.set
// CHECK:         fusion.segment "library"
// CHECK-NOT:     fusion.set
// CHECK:         return
func.func @apart(%x: tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 2, 1>}, %w: tensor<5x4xf32> {fusion.stride_order = array<i64: 1, 0>})
    -> tensor<2x3x5xf32> {
  %p = fusion.linear %x, %w : tensor<2x3x4xf32>, tensor<5x4xf32> to tensor<2x3x5xf32>
  return %p : tensor<2x3x5xf32>
}

// -----

// Dimensions of size 1 lie anywhere.

// CHECK-LABEL: func.func @unit_dims
// CHECK-NOT:     fusion.set
// CHECK:         return
func.func @unit_dims(%x: tensor<2x1x4xf32> {fusion.stride_order = array<i64: 1, 2, 0>}, %y: tensor<1x4x5xf32> {fusion.stride_order = array<i64: 1, 2, 0>})
    -> tensor<1x1x5xf32> {
  %s = fusion.reduce <sum> %x dims [0] keep : tensor<2x1x4xf32> to tensor<1x1x4xf32>
  %p = fusion.matmul %s, %y : tensor<1x1x4xf32>, tensor<1x4x5xf32> to tensor<1x1x5xf32>
  return %p : tensor<1x1x5xf32>
}

// -----

// A hint goes where the library does not take it, and stays where it does. A requirement of the same tensor, which is returned too, stays.

// CHECK-LABEL: func.func @hints
// CHECK:         %[[A:.+]] = fusion.segment "pointwise" {{.*}}-> (tensor<2x3x4xf32>) {
// CHECK:         %[[B:.+]] = fusion.segment "pointwise" {{.*}}-> (tensor<2x4x5xf32>) attributes {result_hints = [array<i64: 1, 0, 2>]} {
// CHECK:         fusion.segment "library" (%{{.+}} = %[[A]] : tensor<2x3x4xf32>, %{{.+}} = %[[B]] : tensor<2x4x5xf32>)
func.func @hints(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %a = fusion.exp %x {fusion.stride_order_hint = array<i64: 1, 2, 0>} : tensor<2x3x4xf32>
  %b = fusion.exp %y {fusion.stride_order_hint = array<i64: 1, 0, 2>} : tensor<2x4x5xf32>
  %p = fusion.matmul %a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32> to tensor<2x3x5xf32>
  return %p : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @returned_too
// CHECK:         %[[A:.+]]:2 = fusion.segment "pointwise" {{.*}}-> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
// CHECK-NEXT:      %[[E:.+]] = fusion.exp
// CHECK-NEXT:      %[[S:.+]] = fusion.set %[[E]]
// CHECK-NEXT:      fusion.yield %[[E]], %[[S]]
// CHECK:         fusion.segment "library" (%{{.+}} = %[[A]]#1 : tensor<2x3x4xf32>
func.func @returned_too(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>)
    -> (tensor<2x3x4xf32> {fusion.stride_order = array<i64: 1, 2, 0>}, tensor<2x3x5xf32>) {
  %a = fusion.exp %x : tensor<2x3x4xf32>
  %p = fusion.matmul %a, %y : tensor<2x3x4xf32>, tensor<2x4x5xf32> to tensor<2x3x5xf32>
  return %a, %p : tensor<2x3x4xf32>, tensor<2x3x5xf32>
}
