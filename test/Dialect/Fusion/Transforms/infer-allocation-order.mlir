// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order))' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-drop-hints))' \
// RUN:   | FileCheck %s --check-prefix=DROP

// DROP-NOT: hint

// CHECK-LABEL: func.func @unary
// CHECK-SAME:    -> (tensor<2x3x4x5xf32> {fusion.stride_order_hint = array<i64: 0, 2, 3, 1>})
// CHECK:         fusion.neg %{{.+}} {fusion.stride_order_hint = array<i64: 0, 2, 3, 1>}
func.func @unary(%x: tensor<2x3x4x5xf32> {fusion.stride_order = array<i64: 0, 2, 3, 1>}) -> tensor<2x3x4x5xf32> {
  %0 = fusion.neg %x : tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// -----

// A requirement is never touched; DROP-NOT above does not mind it.

// CHECK-LABEL: func.func @requirement
// CHECK-SAME:    -> (tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 1, 2>})
// DROP-LABEL: func.func @requirement
// DROP-SAME:    fusion.stride_order = array<i64: 0, 2, 1>
// DROP-SAME:    -> (tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 1, 2>})
func.func @requirement(%x: tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 2, 1>})
    -> (tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 1, 2>}) {
  %0 = fusion.neg %x : tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// The input with the most dimensions decides: the bias is repeated.

// CHECK-LABEL: func.func @bias
// CHECK-SAME:    -> (tensor<2x3x4xf32> {fusion.stride_order_hint = array<i64: 0, 2, 1>})
func.func @bias(%b: tensor<3x4xf32>, %x: tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 2, 1>}) -> tensor<2x3x4xf32> {
  %0 = fusion.broadcast %b dims [0] : tensor<3x4xf32> to tensor<1x3x4xf32>
  %1 = fusion.expand %0 : tensor<1x3x4xf32> to tensor<2x3x4xf32>
  %2 = fusion.add %1, %x : tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// -----

// Two that do not agree give no hint.

// CHECK-LABEL: func.func @conflict
// CHECK-SAME:    -> tensor<2x3x4xf32>
// CHECK-NOT:     hint
func.func @conflict(%x: tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 2, 1>}, %y: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = fusion.add %x, %y : tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// A factory and an input with arbitrary strides have no opinion.

// CHECK-LABEL: func.func @no_opinion
// CHECK-SAME:    -> (tensor<3x4xf32> {fusion.stride_order_hint = array<i64: 1, 0>})
func.func @no_opinion(%x: tensor<3x4xf32> {fusion.stride_order = array<i64: 1, 0>}, %y: tensor<3x4xf32> {fusion.layout = "any"})
    -> tensor<3x4xf32> {
  %c = arith.constant 1.0 : f32
  %f = fusion.full %c : tensor<3x4xf32>
  %0 = fusion.add %x, %f : tensor<3x4xf32>
  %1 = fusion.add %0, %y : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// -----

// Dimensions keep their order through permutations, reductions, broadcasts, slices.

// CHECK-LABEL: func.func @maps
func.func @maps(%x: tensor<2x3x4x5xf32> {fusion.stride_order = array<i64: 0, 2, 3, 1>}) -> tensor<7x2x3x4xf32> {
  // CHECK: fusion.permute %{{.+}} [0, 1, 3, 2] {fusion.stride_order_hint = array<i64: 0, 3, 2, 1>}
  %0 = fusion.permute %x [0, 1, 3, 2] : tensor<2x3x4x5xf32> to tensor<2x3x5x4xf32>
  // CHECK: fusion.reduce <sum> %{{.+}} dims [2] {fusion.stride_order_hint = array<i64: 0, 2, 1>}
  %1 = fusion.reduce <sum> %0 dims [2] : tensor<2x3x5x4xf32> to tensor<2x3x4xf32>
  // CHECK: fusion.slice {{.+}} {fusion.stride_order_hint = array<i64: 0, 2, 1>}
  %2 = fusion.slice %1 offsets [0, 0, 0] sizes [2, 3, 4] steps [1, 1, 1] : tensor<2x3x4xf32> to tensor<2x3x4xf32>
  // CHECK: fusion.broadcast %{{.+}} dims [0] {fusion.stride_order_hint = array<i64: 0, 1, 3, 2>}
  %3 = fusion.broadcast %2 dims [0] : tensor<2x3x4xf32> to tensor<1x2x3x4xf32>
  // CHECK: fusion.expand %{{.+}} {fusion.stride_order_hint = array<i64: 0, 1, 3, 2>}
  %4 = fusion.expand %3 : tensor<1x2x3x4xf32> to tensor<7x2x3x4xf32>
  return %4 : tensor<7x2x3x4xf32>
}

// -----

// Where a dimension of size 1 stands says nothing.

// CHECK-LABEL: func.func @size_one
// CHECK-NOT:     hint
func.func @size_one(%x: tensor<3x1x4xf32> {fusion.stride_order = array<i64: 1, 0, 2>}) -> tensor<3x1x4xf32> {
  %0 = fusion.neg %x : tensor<3x1x4xf32>
  return %0 : tensor<3x1x4xf32>
}

// -----

// No input asks for another order than row-major: no hint, also where the program permutes.

// CHECK-LABEL: func.func @do_nothing
// CHECK-NOT:     hint
func.func @do_nothing(%x: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %0 = fusion.permute %x [1, 0] : tensor<3x4xf32> to tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// An output in an input's buffer has that input's order.

// CHECK-LABEL: func.func @alias
// CHECK-SAME:    -> (tensor<3x4xf32> {fusion.alias = #fusion.alias<reuse, 0>})
func.func @alias(%x: tensor<3x4xf32> {fusion.stride_order = array<i64: 1, 0>})
    -> (tensor<3x4xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %0 = fusion.neg %x : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// What is segmented already keeps its hints, and the function says the same of its results.

// CHECK-LABEL: func.func @segmented
// CHECK-SAME:    -> (tensor<3x4xf32> {fusion.stride_order_hint = array<i64: 1, 0>}, tensor<3x4xf32>)
// CHECK:         result_hints = [array<i64: 1, 0>, unit]
func.func @segmented(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0:2 = fusion.segment "pointwise" (%a = %x : tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
      attributes {result_hints = [array<i64: 1, 0>, unit]} {
    %1 = fusion.exp %a : tensor<3x4xf32>
    %2 = fusion.neg %1 : tensor<3x4xf32>
    fusion.yield %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>
  }
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x4xf32>
}
