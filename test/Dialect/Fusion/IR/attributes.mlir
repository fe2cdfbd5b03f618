// RUN: fuser-opt %s | fuser-opt | FileCheck %s

// CHECK: func.func private @f(tensor<?x8xf32> {fusion.alignment = 16 : i64, fusion.layout = "any", fusion.name = "x", fusion.stride_order = array<i64: 1, 0>}, tensor<8xf32>)
// CHECK-SAME: -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>, fusion.name = "y"}, tensor<8xf32> {fusion.alias = #fusion.alias<evaluate, 1>}, tensor<4xf32> {fusion.alias = #fusion.alias<new>, fusion.stride_order = array<i64: 0>, fusion.stride_order_hint = array<i64: 0>})
func.func private @f(%x: tensor<?x8xf32> {fusion.name = "x", fusion.layout = "any", fusion.alignment = 16 : i64, fusion.stride_order = array<i64: 1, 0>},
                     %y: tensor<8xf32>)
    -> (tensor<?x8xf32> {fusion.name = "y", fusion.alias = #fusion.alias<reuse, 0>},
        tensor<8xf32> {fusion.alias = #fusion.alias<evaluate, 1>},
        tensor<4xf32> {fusion.alias = #fusion.alias<new>, fusion.stride_order = array<i64: 0>, fusion.stride_order_hint = array<i64: 0>})

// CHECK: func.func private @specialized(tensor<8xf32> {fusion.alignment = 16 : i64, fusion.specialized}) -> (tensor<8xf32> {fusion.alignment = 16 : i64, fusion.specialized})
func.func private @specialized(tensor<8xf32> {fusion.alignment = 16 : i64, fusion.specialized}) -> (tensor<8xf32> {fusion.alignment = 16 : i64, fusion.specialized})

// CHECK: func.func private @sizes(tensor<?x?xf32> {fusion.bounds = array<i64: -1, 16384>, fusion.class_bounds = array<i64: -1, 4096>, fusion.class_divisors = array<i64: 1, 8>, fusion.class_lower_bounds = array<i64: 0, 3073>, fusion.divisors = array<i64: 1, 2>}, tensor<8xf32> {fusion.bounds = array<i64: 8>, fusion.divisors = array<i64: 4>})
func.func private @sizes(tensor<?x?xf32> {fusion.bounds = array<i64: -1, 16384>, fusion.divisors = array<i64: 1, 2>, fusion.class_divisors = array<i64: 1, 8>, fusion.class_bounds = array<i64: -1, 4096>, fusion.class_lower_bounds = array<i64: 0, 3073>},
                         tensor<8xf32> {fusion.divisors = array<i64: 4>, fusion.bounds = array<i64: 8>})

// CHECK: func.func private @aligned() -> (tensor<8xf32> {fusion.alignment = 16 : i64})
func.func private @aligned() -> (tensor<8xf32> {fusion.alignment = 16 : i64})

// CHECK-LABEL: func.func @forward(
func.func @forward(%v: f32) -> tensor<8xf32> {
  // CHECK: fusion.full %{{.*}} {fusion.forward} : tensor<8xf32>
  %0 = fusion.full %v {fusion.forward} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @exactness(
func.func @exactness(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<approximate>} : tensor<8xf32>
  %0 = fusion.exp %x {fusion.exactness = #fusion.exactness<approximate>} : tensor<8xf32>
  // CHECK: fusion.div %{{.*}}, %{{.*}} {fusion.exactness = #fusion.exactness<exact>} : tensor<8xf32>
  %1 = fusion.div %0, %x {fusion.exactness = #fusion.exactness<exact>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
