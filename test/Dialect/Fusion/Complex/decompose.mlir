// RUN: fuser-opt %s -split-input-file -fusion-decompose-complex -verify-diagnostics | FileCheck %s

// Without complex tensors nothing changes.
// CHECK-LABEL: func.func @real(
// CHECK-NEXT: fusion.exp
// CHECK-NEXT: return
func.func @real(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[X:.*]]: tensor<?x2xf32> {fusion.complex, fusion.name = "z"}
// CHECK-SAME: -> (tensor<?x2xf32> {fusion.complex, fusion.stride_order = array<i64: 0, 1>}, tensor<?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[S:.*]] = fusion.slice %[[X]] offsets [0, 0] sizes [%[[N]], 1] steps [1, 1]
// CHECK: %[[RE:.*]] = fusion.reshape %[[S]] sizes(%[[N]]) : tensor<?x1xf32> to tensor<?xf32>
// CHECK: fusion.slice %[[X]] offsets [0, 1]
// CHECK: %[[IM:.*]] = fusion.reshape
// CHECK: %[[NEG:.*]] = fusion.neg %[[IM]]
// CHECK: %[[A:.*]] = fusion.broadcast %[[RE]] dims [1]
// CHECK: %[[B:.*]] = fusion.broadcast %[[NEG]] dims [1]
// CHECK: %[[R:.*]] = fusion.cat %[[A]], %[[B]] dim 1
// CHECK: return %[[R]], %[[NEG]]
func.func @parts(%x: tensor<?xcomplex<f32>> {fusion.name = "z"}) -> (tensor<?xcomplex<f32>>, tensor<?xf32>) {
  %0 = fusion.conj %x : tensor<?xcomplex<f32>>
  %1 = fusion.imag %0 : tensor<?xcomplex<f32>>
  return %0, %1 : tensor<?xcomplex<f32>>, tensor<?xf32>
}

// -----

// What moves elements of arguments moves pairs; attributes get an entry.
// CHECK-LABEL: func.func @moves(
// CHECK-SAME: tensor<?x4x2xf64> {fusion.bounds = array<i64: 64, -1, -1>, fusion.complex, fusion.divisors = array<i64: 8, 1, 1>, fusion.stride_order = array<i64: 1, 0, 2>}
// CHECK-SAME: -> (tensor<4x?x2xf64> {fusion.alias = #fusion.alias<evaluate, 0>, fusion.complex})
// CHECK-NEXT: %[[R:.*]] = fusion.permute %{{.*}} [1, 0, 2]
// CHECK-NEXT: return %[[R]]
func.func @moves(%x: tensor<?x4xcomplex<f64>> {fusion.stride_order = array<i64: 1, 0>, fusion.divisors = array<i64: 8, 1>, fusion.bounds = array<i64: 64, -1>})
    -> (tensor<4x?xcomplex<f64>> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %0 = fusion.permute %x [1, 0] : tensor<?x4xcomplex<f64>>
  return %0 : tensor<4x?xcomplex<f64>>
}

// -----

// CHECK-LABEL: func.func @moves_on(
// CHECK-NEXT: %[[T:.*]] = fusion.take %{{.*}}, %{{.*}} dim 0 : tensor<4x?x2xf32>, tensor<3xi64> to tensor<3x?x2xf32>
// CHECK-NEXT: %[[S:.*]] = fusion.set %[[T]] : tensor<3x?x2xf32>
// CHECK-NEXT: %[[P:.*]] = fusion.pad <replicate> %[[S]] low [1, 0, 0] high [1, 0, 0] : tensor<3x?x2xf32> to tensor<5x?x2xf32>
// CHECK-NEXT: %[[C:.*]] = fusion.segment_set %[[P]] : tensor<5x?x2xf32>
// CHECK-NEXT: %[[B:.*]] = fusion.broadcast_in_dim %[[C]] dims [1, 2, 3] : tensor<5x?x2xf32> to tensor<2x5x?x2xf32>
// CHECK-NEXT: return %[[B]]
func.func @moves_on(%x: tensor<4x?xcomplex<f32>>, %i: tensor<3xi64>) -> tensor<2x5x?xcomplex<f32>> {
  %0 = fusion.take %x, %i dim 0 : tensor<4x?xcomplex<f32>>, tensor<3xi64>
  %1 = fusion.set %0 : tensor<3x?xcomplex<f32>>
  %2 = fusion.pad <replicate> %1 low [1, 0] high [1, 0] : tensor<3x?xcomplex<f32>> to tensor<5x?xcomplex<f32>>
  %3 = fusion.segment_set %2 : tensor<5x?xcomplex<f32>>
  %4 = fusion.broadcast_in_dim %3 dims [1, 2] : tensor<5x?xcomplex<f32>> to tensor<2x5x?xcomplex<f32>>
  return %4 : tensor<2x5x?xcomplex<f32>>
}

// -----

// A product of matrices is one of real ones.
// CHECK-LABEL: func.func @matmul(
// CHECK: fusion.matmul %{{.*}}, %{{.*}} : tensor<3x10xf32>, tensor<10x8xf32> to tensor<3x8xf32>
// CHECK-NEXT: fusion.reshape %{{.*}} : tensor<3x8xf32> to tensor<3x4x2xf32>
func.func @matmul(%a: tensor<3x5xcomplex<f32>>, %b: tensor<5x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
  %0 = fusion.matmul %a, %b : tensor<3x5xcomplex<f32>>, tensor<5x4xcomplex<f32>> to tensor<3x4xcomplex<f32>>
  return %0 : tensor<3x4xcomplex<f32>>
}

// -----

func.func @foreign(%x: tensor<4xcomplex<f32>>, %i: index) -> complex<f32> {
  // expected-error@+1 {{is not supported on complex tensors}}
  %0 = tensor.extract %x[%i] : tensor<4xcomplex<f32>>
  return %0 : complex<f32>
}
