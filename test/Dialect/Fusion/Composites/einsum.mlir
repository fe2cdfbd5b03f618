// RUN: fuser-opt %s --split-input-file --fusion-expand-composites --canonicalize | FileCheck %s

// What is summed is one product of matrices.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.+]]: tensor<4x6xf32>, %[[Y:.+]]: tensor<5x6xf32>
// CHECK-NEXT: %[[R:.+]] = fusion.linear %[[X]], %[[Y]] : tensor<4x6xf32>, tensor<5x6xf32> to tensor<4x5xf32>
// CHECK-NEXT: return %[[R]]
func.func @product(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>) -> tensor<4x5xf32> {
  %0 = fusion.composite "einsum"(%x, %y) {equation = "ij, kj -> ik"} : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// Open sizes of a letter are checked.
// CHECK-LABEL: func.func @open(
// CHECK-DAG: %[[FIRST:.+]] = tensor.dim %arg0, %c1
// CHECK-DAG: %[[SECOND:.+]] = tensor.dim %arg1, %c1
// CHECK: %[[SAME:.+]] = arith.cmpi eq, %[[FIRST]], %[[SECOND]]
// CHECK: fusion.check %[[SAME]], "'einsum': expected one size of 'j', got {0} and {1}" (%[[FIRST]], %[[SECOND]] : index, index)
// CHECK: fusion.matmul
func.func @open(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.composite "einsum"(%x, %y) {equation = "ij,kj->ik"} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A batch, and two dimensions that are summed over as one.
// CHECK-LABEL: func.func @batch(
// CHECK: fusion.reshape %{{.+}} : tensor<2x3x4x5xf32> to tensor<2x3x20xf32>
// CHECK: fusion.reshape %{{.+}} : tensor<2x4x5x7xf32> to tensor<2x20x7xf32>
// CHECK: fusion.matmul %{{.+}}, %{{.+}} : tensor<2x3x20xf32>, tensor<2x20x7xf32> to tensor<2x3x7xf32>
func.func @batch(%x: tensor<2x3x4x5xf32>, %y: tensor<2x4x5x7xf32>) -> tensor<2x3x7xf32> {
  %0 = fusion.composite "einsum"(%x, %y) {equation = "bijk,bjkl->bil"} : (tensor<2x3x4x5xf32>, tensor<2x4x5x7xf32>) -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
}

// -----

// Where nothing is summed it is a product of elements; letters without an arrow are in alphabetic order.
// CHECK-LABEL: func.func @outer(
// CHECK-NOT: fusion.matmul
// CHECK: %[[P:.+]] = fusion.mul %{{.+}}, %{{.+}} : tensor<?x4xf32>
// CHECK: %[[R:.+]] = fusion.permute %[[P]] [1, 0]
// CHECK: return %[[R]] : tensor<4x?xf32>
func.func @outer(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4x?xf32> {
  %0 = fusion.composite "einsum"(%x, %y) {equation = "b,a"} : (tensor<?xf32>, tensor<4xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// What one operand alone has is summed before the product.
// CHECK-LABEL: func.func @sums(
// CHECK: fusion.reduce <sum> %{{.+}} dims [1] : tensor<4x6xi64> to tensor<4xi64>
// CHECK: fusion.cast %{{.+}} : tensor<4xi64> to tensor<4xi8>
// CHECK: fusion.mul %{{.+}}, %{{.+}} : tensor<4xi8>
// CHECK-NOT: fusion.matmul
func.func @sums(%x: tensor<4x6xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %0 = fusion.composite "einsum"(%x, %y) {equation = "ij,i->i"} : (tensor<4x6xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// A letter that is there twice is the diagonal, whose sizes are checked.
// CHECK-LABEL: func.func @trace(
// CHECK: fusion.check %{{.+}}, "'einsum': expected one size of 'i', got {0} and {1}"
// CHECK: fusion.take
// CHECK: fusion.reduce <sum> %{{.+}} dims [0] : tensor<?xf32> to tensor<f32>
func.func @trace(%x: tensor<?x?xf32>) -> tensor<f32> {
  %0 = fusion.composite "einsum"(%x) {equation = "ii"} : (tensor<?x?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Dimensions in another order, and in their own.
// CHECK-LABEL: func.func @order(
// CHECK-NEXT: %[[R:.+]] = fusion.permute %arg0 [1, 0]
// CHECK-NEXT: return %[[R]], %arg0
func.func @order(%x: tensor<4x?xf32>) -> (tensor<?x4xf32>, tensor<4x?xf32>) {
  %0 = fusion.composite "einsum"(%x) {equation = "ba"} : (tensor<4x?xf32>) -> tensor<?x4xf32>
  %1 = fusion.composite "einsum"(%x) {equation = "...a->...a"} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<4x?xf32>
}

// -----

// CHECK-LABEL: func.func @tensordot(
// CHECK-DAG: %[[X:.+]] = fusion.permute %arg0 [2, 0, 1] : tensor<2x3x4xf32> to tensor<4x2x3xf32>
// CHECK-DAG: %[[Y:.+]] = fusion.permute %arg1 [1, 0, 2] : tensor<3x2x5xf32> to tensor<2x3x5xf32>
// CHECK: fusion.matmul %{{.+}}, %{{.+}} : tensor<4x6xf32>, tensor<6x5xf32> to tensor<4x5xf32>
func.func @tensordot(%x: tensor<2x3x4xf32>, %y: tensor<3x2x5xf32>) -> tensor<4x5xf32> {
  %0 = fusion.composite "tensordot"(%x, %y) {lhs_dims = [1, 0], rhs_dims = [0, 1]} : (tensor<2x3x4xf32>, tensor<3x2x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// Without dimensions to sum over it is the product of each with all.
// CHECK-LABEL: func.func @no_axes(
// CHECK-NOT: fusion.matmul
// CHECK: fusion.mul %{{.+}}, %{{.+}} : tensor<4x?xf32>
func.func @no_axes(%x: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<4x?xf32> {
  %0 = fusion.composite "tensordot"(%x, %y) {axes = 0} : (tensor<4xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// A product of matrices; one of a number.
// CHECK-LABEL: func.func @dots(
// CHECK: fusion.linear %arg0, %{{.+}} : tensor<4x6xf32>, tensor<5x6xf32> to tensor<4x5xf32>
// CHECK: fusion.mul %arg0, 2.000000e+00 : tensor<4x6xf32>
func.func @dots(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>) -> (tensor<4x5xf32>, tensor<4x6xf32>) {
  %0 = fusion.composite "inner"(%x, %y) : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
  %1 = fusion.composite "dot"(%x, 2.0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<4x6xf32>
}

// -----

// The size of three is checked where it is open.
// CHECK-LABEL: func.func @cross(
// CHECK: %[[SIZE:.+]] = tensor.dim %arg1, %c1
// CHECK: %[[IS:.+]] = arith.cmpi eq, %[[SIZE]], %c3
// CHECK: fusion.check %[[IS]], "'cross': expected {0} elements along dimension -1, got {1}" (%c3, %[[SIZE]] : index, index)
// CHECK-NOT: fusion.check
// CHECK-COUNT-3: fusion.sub %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: fusion.cat %{{.+}} dim 1 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32> to tensor<4x3xf32>
func.func @cross(%x: tensor<4x3xf32>, %y: tensor<4x?xf32>) -> tensor<4x3xf32> {
  %0 = fusion.composite "cross"(%x, %y) : (tensor<4x3xf32>, tensor<4x?xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func.func @kron(
// CHECK-DAG: %[[SIZE:.+]] = tensor.dim %arg0, %c1
// CHECK-DAG: %[[WIDTH:.+]] = arith.muli %[[SIZE]], %c3
// CHECK: %[[P:.+]] = fusion.mul %{{.+}}, %{{.+}} : tensor<2x1x?x3xf32>
// CHECK: fusion.reshape %[[P]] sizes(%[[WIDTH]]) : tensor<2x1x?x3xf32> to tensor<2x?xf32>
func.func @kron(%x: tensor<2x?xf32>, %y: tensor<3xf32>) -> tensor<2x?xf32> {
  %0 = fusion.composite "kron"(%x, %y) : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

// Complex numbers of the first operand are conjugated; a sum of integers is in their own type.
// CHECK-LABEL: func.func @vectors(
// CHECK: fusion.conj
// CHECK: fusion.reduce <sum> %{{.+}} dims [0] : tensor<4xcomplex<f32>> to tensor<complex<f32>>
// CHECK: fusion.reduce <sum> %{{.+}} dims [1] : tensor<4x?xi{{[0-9]+}}> to tensor<4xi{{[0-9]+}}>
// CHECK: return %{{.+}} : tensor<complex<f32>>, tensor<4xi16>
func.func @vectors(%x: tensor<2x2xcomplex<f32>>, %y: tensor<4x?xi16>) -> (tensor<complex<f32>>, tensor<4xi16>) {
  %0 = fusion.composite "vdot"(%x, %x) : (tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> tensor<complex<f32>>
  %1 = fusion.composite "vecdot"(%y, %y) : (tensor<4x?xi16>, tensor<4x?xi16>) -> tensor<4xi16>
  return %0, %1 : tensor<complex<f32>>, tensor<4xi16>
}
