// RUN: fuser-opt %s -canonicalize | FileCheck %s

// What is cast there and back is what it was.
// CHECK-LABEL: func.func @back(
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @back(%x: tensor<4xf4E2M1FN>) -> tensor<4xf4E2M1FN> {
  %0 = fusion.cast %x : tensor<4xf4E2M1FN> to bf16
  %1 = fusion.cast %0 : tensor<4xbf16> to f4E2M1FN
  return %1 : tensor<4xf4E2M1FN>
}

// By way of another float.
// CHECK-LABEL: func.func @through(
// CHECK-NEXT: fusion.cast %{{.*}} : tensor<4xf4E2M1FN> to tensor<4xf16>
// CHECK-NEXT: fusion.cast %{{.*}} : tensor<4xbf16> to tensor<4xf4E2M1FN>
// CHECK-NEXT: return
func.func @through(%x: tensor<4xf4E2M1FN>, %y: tensor<4xbf16>) -> (tensor<4xf16>, tensor<4xf4E2M1FN>) {
  %0 = fusion.cast %x : tensor<4xf4E2M1FN> to f32
  %1 = fusion.cast %0 : tensor<4xf32> to f16
  %2 = fusion.cast %y : tensor<4xbf16> to f32
  %3 = fusion.cast %2 : tensor<4xf32> to f4E2M1FN
  return %1, %3 : tensor<4xf16>, tensor<4xf4E2M1FN>
}

// There is no such cast.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-2: fusion.cast
// CHECK-COUNT-2: fusion.cast
// CHECK-NEXT: return
func.func @kept(%x: tensor<4xf4E2M1FN>, %y: tensor<4xi8>) -> (tensor<4xf64>, tensor<4xf4E2M1FN>) {
  %0 = fusion.cast %x : tensor<4xf4E2M1FN> to f32
  %1 = fusion.cast %0 : tensor<4xf32> to f64
  %2 = fusion.cast %y : tensor<4xi8> to f32
  %3 = fusion.cast %2 : tensor<4xf32> to f4E2M1FN
  return %1, %3 : tensor<4xf64>, tensor<4xf4E2M1FN>
}
