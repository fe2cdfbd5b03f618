// The reference rounds to f32, in the bits of an f64, where an op, of any dialect, says that it narrows.
// REQUIRES: build-tree
// RUN: fuser-test-opt %s --fusion-to-reference | FileCheck %s

// CHECK-LABEL: func.func @cast(
// CHECK:         arith.bitcast %{{.+}} : f64 to i64
func.func @cast(%x: tensor<4xf64>) -> tensor<4xf32> {
  %0 = fusion.cast %x : tensor<4xf64> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @widens(
// CHECK-NOT:     arith.bitcast
// CHECK:         return
func.func @widens(%x: tensor<4xbf16>) -> tensor<4xf32> {
  %0 = fusion.cast %x : tensor<4xbf16> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @narrows(
// CHECK:         arith.bitcast %{{.+}} : f64 to i64
func.func @narrows(%x: tensor<4xf64>) -> tensor<4xf32> {
  %0 = test_fusion.demote %x narrowing : tensor<4xf64> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @does_not_say_so(
// CHECK-NOT:     arith.bitcast
// CHECK:         return
func.func @does_not_say_so(%x: tensor<4xf64>) -> tensor<4xf32> {
  %0 = test_fusion.demote %x : tensor<4xf64> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
