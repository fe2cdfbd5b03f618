// RUN: fuser-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// Sizes of results in terms of operands; what is left asks arguments only.

// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
func.func @elementwise(%x: tensor<?x8xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.cast %0 : tensor<?x8xf32> to tensor<?x8xf16>
  %2 = fusion.cmp <lt> %1, %1 : tensor<?x8xf16>
  // CHECK: %[[D:.*]] = tensor.dim %[[X]], %c0
  // CHECK: return %[[D]]
  %d = tensor.dim %2, %c0 : tensor<?x8xi1>
  return %d : index
}

// CHECK-LABEL: func.func @maps(
// CHECK-SAME: %[[X:.*]]: tensor<?x1x?xf32>, %[[N:.*]]: index
func.func @maps(%x: tensor<?x1x?xf32>, %n: index) -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK-DAG: %[[D0:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: %[[D2:.*]] = tensor.dim %[[X]], %c2
  // CHECK-DAG: %[[S:.*]] = arith.addi %[[D0]], %[[D0]]
  // CHECK-DAG: %[[M:.*]] = arith.muli %[[D0]], %[[D2]]
  %0 = fusion.expand %x sizes(%n) : tensor<?x1x?xf32> to tensor<?x?x?xf32>
  %d0 = tensor.dim %0, %c1 : tensor<?x?x?xf32>
  %1 = fusion.permute %x [2, 1, 0] : tensor<?x1x?xf32> to tensor<?x1x?xf32>
  %d1 = tensor.dim %1, %c0 : tensor<?x1x?xf32>
  %2 = fusion.cat %x, %x dim 0 : tensor<?x1x?xf32>, tensor<?x1x?xf32> to tensor<?x1x?xf32>
  %d2 = tensor.dim %2, %c0 : tensor<?x1x?xf32>
  %3 = fusion.reshape %x : tensor<?x1x?xf32> to tensor<?xf32>
  %d3 = tensor.dim %3, %c0 : tensor<?xf32>
  %4 = fusion.reduce <sum> %x dims [0, 1] : tensor<?x1x?xf32> to tensor<?xf32>
  %d4 = tensor.dim %4, %c0 : tensor<?xf32>
  // CHECK: return %[[N]], %[[D2]], %[[S]], %[[M]], %[[D2]]
  return %d0, %d1, %d2, %d3, %d4 : index, index, index, index, index
}

// A dimension that a reshape leaves alone keeps its size without a division.
// CHECK-LABEL: func.func @reshape_rows(
// CHECK-SAME: %[[X:.*]]: tensor<?x4096xf32>
func.func @reshape_rows(%x: tensor<?x4096xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %0 = fusion.reshape %x : tensor<?x4096xf32> to tensor<?x32x128xf32>
  // CHECK-DAG: %[[D:.*]] = tensor.dim %[[X]], %c0
  %d0 = tensor.dim %0, %c0 : tensor<?x32x128xf32>
  // CHECK-DAG: %[[M:.*]] = arith.muli %[[D]], %c4096
  // CHECK-DAG: %[[Q:.*]] = arith.divui %[[M]], %c8192
  %1 = fusion.reshape %x : tensor<?x4096xf32> to tensor<?x64x128xf32>
  %d1 = tensor.dim %1, %c0 : tensor<?x64x128xf32>
  // CHECK: return %[[D]], %[[Q]]
  return %d0, %d1 : index, index
}

// The sizes of a segment's results, from its operands.
// CHECK-LABEL: func.func @segment(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[N:.*]]: index
func.func @segment(%x: tensor<?x8xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>, %m = %n : index) -> (tensor<?x1xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
    %k = arith.constant 1 : index
    %m1 = arith.addi %m, %k : index
    %f = arith.constant 1.0 : f32
    %2 = fusion.full %f sizes(%m1) : tensor<?x1xf32>
    %3 = fusion.cat %1, %2 dim 0 : tensor<?x1xf32>, tensor<?x1xf32> to tensor<?x1xf32>
    fusion.yield %3 : tensor<?x1xf32>
  }
  // CHECK-DAG: %[[D:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: %[[N1:.*]] = arith.addi %[[N]], %c1
  // CHECK: %[[S:.*]] = arith.addi %[[D]], %[[N1]]
  // CHECK: return %[[S]]
  %d = tensor.dim %0, %c0 : tensor<?x1xf32>
  return %d : index
}
