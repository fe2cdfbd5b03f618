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

// A schedule is chosen for a layout: with the hints go the schedules of who writes a tensor with one, and of who reads it.

// CHECK-LABEL: func.func @schedules(
// CHECK:         fusion.segment "generic" (%{{.+}}) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
// CHECK:         fusion.segment "generic" (%{{.+}}) -> (tensor<3x4xf32>) {
// CHECK:         fusion.segment "generic" (%{{.+}}) -> (tensor<3x4xf32>) attributes {host_function = @f_2_host, schedule = #fusion.generic<threads = 128>} {
func.func @schedules(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0:2 = fusion.segment "generic" (%a = %x : tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
      attributes {result_hints = [array<i64: 1, 0>, unit], schedule = #fusion.generic<threads = 128>} {
    %1 = fusion.exp %a : tensor<3x4xf32>
    %2 = fusion.neg %a : tensor<3x4xf32>
    fusion.yield %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>
  }
  %3 = fusion.segment "generic" (%a = %0#0 : tensor<3x4xf32>) -> (tensor<3x4xf32>)
      attributes {schedule = #fusion.generic<threads = 128>} {
    %4 = fusion.exp %a : tensor<3x4xf32>
    fusion.yield %4 : tensor<3x4xf32>
  }
  %5 = fusion.segment "generic" (%a = %0#1 : tensor<3x4xf32>) -> (tensor<3x4xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, host_function = @f_2_host} {
    %6 = fusion.exp %a : tensor<3x4xf32>
    fusion.yield %6 : tensor<3x4xf32>
  }
  return %3, %5 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// Hints of functions and ops lay nothing out by themselves.

// CHECK-LABEL: func.func @wishes(
// CHECK:         attributes {host_function = @f_0_host, schedule = #fusion.generic<threads = 128>}
func.func @wishes(%x: tensor<3x4xf32>) -> (tensor<3x4xf32> {fusion.stride_order_hint = array<i64: 1, 0>}) {
  %0 = fusion.segment "generic" (%a = %x : tensor<3x4xf32>) -> (tensor<3x4xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, host_function = @f_0_host} {
    %1 = fusion.exp %a {fusion.stride_order_hint = array<i64: 1, 0>} : tensor<3x4xf32>
    fusion.yield %1 : tensor<3x4xf32>
  }
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(tensor<?xf32>) -> tensor<?xf32>
