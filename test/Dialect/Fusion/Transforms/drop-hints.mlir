// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-drop-hints))' | FileCheck %s --implicit-check-not=hint

// From functions, ops and segments; requirements stay.

// CHECK-LABEL: func.func @all(
// CHECK-SAME:    fusion.stride_order = array<i64: 0, 2, 1>
// CHECK-SAME:    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32> {fusion.stride_order = array<i64: 2, 1, 0>})
// CHECK:         fusion.neg %{{.+}} : tensor<2x3x4xf32>
// CHECK:         fusion.segment "pointwise" (%{{.+}}) -> (tensor<2x3x4xf32>) {
func.func @all(%x: tensor<2x3x4xf32> {fusion.stride_order = array<i64: 0, 2, 1>})
    -> (tensor<2x3x4xf32> {fusion.stride_order_hint = array<i64: 0, 2, 1>}, tensor<2x3x4xf32> {fusion.stride_order = array<i64: 2, 1, 0>}) {
  %0 = fusion.neg %x {fusion.stride_order_hint = array<i64: 0, 2, 1>} : tensor<2x3x4xf32>
  %1 = fusion.segment "pointwise" (%a = %0 : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
      attributes {result_hints = [array<i64: 0, 2, 1>]} {
    %2 = fusion.exp %a : tensor<2x3x4xf32>
    fusion.yield %2 : tensor<2x3x4xf32>
  }
  return %1, %1 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @do_nothing(
// CHECK:         fusion.neg %{{.+}} : tensor<3x4xf32>
func.func @do_nothing(%x: tensor<3x4xf32> {fusion.stride_order = array<i64: 1, 0>}) -> tensor<3x4xf32> {
  %0 = fusion.neg %x : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(tensor<?xf32>) -> tensor<?xf32>
