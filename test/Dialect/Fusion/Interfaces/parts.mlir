// An index map of another dialect that does not say what becomes of it with one more dimension moves each part of complex elements by itself.
// REQUIRES: build-tree
// RUN: fuser-test-opt %s --fusion-decompose-complex | FileCheck %s

// CHECK-LABEL: func.func @turned
// CHECK: %[[RE:.*]] = test_fusion.turn %{{.*}} : tensor<4x6xf32> to tensor<6x4xf32>
// CHECK: %[[IM:.*]] = test_fusion.turn %{{.*}} : tensor<4x6xf32> to tensor<6x4xf32>
// CHECK-NOT: test_fusion.turn
// CHECK: return
func.func @turned(%x: tensor<4x6xcomplex<f32>>) -> tensor<6x4xcomplex<f32>> {
  %0 = test_fusion.turn %x : tensor<4x6xcomplex<f32>> to tensor<6x4xcomplex<f32>>
  return %0 : tensor<6x4xcomplex<f32>>
}
