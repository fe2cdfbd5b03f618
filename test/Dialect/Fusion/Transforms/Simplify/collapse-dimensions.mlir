// RUN: fuser-opt %s --split-input-file --fusion-collapse-dimensions --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: %[[X:.*]]: tensor<16x64x7x7xf32>, %[[W:.*]]: tensor<64xf32>
func.func @batch_norm(%x: tensor<16x64x7x7xf32>, %w: tensor<64xf32>) -> tensor<16x64x7x7xf32> {
  // CHECK: %[[A:.*]] = fusion.reshape %[[X]] : tensor<16x64x7x7xf32> to tensor<16x64x49xf32>
  // CHECK: fusion.reduce <mean> %[[A]] dims [0, 2] keep : tensor<16x64x49xf32> to tensor<1x64x1xf32>
  %m = fusion.reduce <mean> %x dims [0, 2, 3] keep : tensor<16x64x7x7xf32> to tensor<1x64x1x1xf32>
  %e = fusion.expand %m : tensor<1x64x1x1xf32> to tensor<16x64x7x7xf32>
  // CHECK: %[[S:.*]] = fusion.sub %[[A]]
  %s = fusion.sub %x, %e : tensor<16x64x7x7xf32>
  // CHECK: %[[B:.*]] = fusion.broadcast %[[W]] dims [0, 2] : tensor<64xf32> to tensor<1x64x1xf32>
  // CHECK: fusion.expand %[[B]] : tensor<1x64x1xf32> to tensor<16x64x49xf32>
  %b = fusion.broadcast %w dims [0, 2, 3] : tensor<64xf32> to tensor<1x64x1x1xf32>
  %f = fusion.expand %b : tensor<1x64x1x1xf32> to tensor<16x64x7x7xf32>
  // CHECK: %[[Y:.*]] = fusion.mul %[[S]]
  %y = fusion.mul %s, %f : tensor<16x64x7x7xf32>
  // CHECK: %[[R:.*]] = fusion.reshape %[[Y]] : tensor<16x64x49xf32> to tensor<16x64x7x7xf32>
  // CHECK: return %[[R]]
  return %y : tensor<16x64x7x7xf32>
}

// -----

// Open sizes are multiplied where the function begins, or an op is.
// CHECK-LABEL: func.func @open
// CHECK-SAME: %[[X:.*]]: tensor<?x?x?x?xf32>
func.func @open(%x: tensor<?x?x?x?xf32>, %c: f32) -> (tensor<?x?x?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: %[[C:.*]] = tensor.dim %[[X]], %c1
  // CHECK-DAG: %[[H:.*]] = tensor.dim %[[X]], %c2
  // CHECK-DAG: %[[V:.*]] = tensor.dim %[[X]], %c3
  // CHECK: %[[HW:.*]] = arith.muli %[[H]], %[[V]]
  // CHECK: %[[A:.*]] = fusion.reshape %[[X]] sizes(%[[N]], %[[C]], %[[HW]]) : tensor<?x?x?x?xf32> to tensor<?x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  // CHECK: %[[M:.*]] = fusion.reduce <max> %[[A]] dims [0, 2] : tensor<?x?x?xf32> to tensor<?xf32>
  %m = fusion.reduce <max> %x dims [0, 2, 3] : tensor<?x?x?x?xf32> to tensor<?xf32>
  // CHECK: fusion.full %{{.*}} sizes(%[[C]]) : tensor<1x?x1xf32>
  %f = fusion.full %c sizes(%k) : tensor<1x?x1x1xf32>
  %b = fusion.broadcast %m dims [0, 2, 3] : tensor<?xf32> to tensor<1x?x1x1xf32>
  %s = fusion.mul %b, %f : tensor<1x?x1x1xf32>
  // CHECK: fusion.expand %{{.*}} sizes(%[[N]], %[[HW]]) : tensor<1x?x1xf32> to tensor<?x?x?xf32>
  %e = fusion.expand %s sizes(%n, %h, %w) : tensor<1x?x1x1xf32> to tensor<?x?x?x?xf32>
  // CHECK: %[[Y:.*]] = fusion.sub %[[A]]
  %y = fusion.sub %x, %e : tensor<?x?x?x?xf32>
  // CHECK: %[[R:.*]] = fusion.reshape %[[Y]] sizes(%[[N]], %[[C]], %[[H]], %[[V]]) : tensor<?x?x?xf32> to tensor<?x?x?x?xf32>
  // CHECK: return %[[R]], %[[M]]
  return %y, %m : tensor<?x?x?x?xf32>, tensor<?xf32>
}

// -----

// Dimensions that are kept, and positions, which count elements in their order.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<2x3x5x7x8xf32>) -> (tensor<3x5xf32>, tensor<1x3x5x1x1xi64>) {
  // CHECK: %[[A:.*]] = fusion.reshape %{{.*}} : tensor<2x3x5x7x8xf32> to tensor<2x15x56xf32>
  // CHECK: %[[S:.*]] = fusion.reduce <sum> %[[A]] dims [0, 2] : tensor<2x15x56xf32> to tensor<15xf32>
  %s = fusion.reduce <sum> %x dims [0, 3, 4] : tensor<2x3x5x7x8xf32> to tensor<3x5xf32>
  // CHECK: %[[P:.*]] = fusion.argmax %[[A]] dims [0, 2] keep : tensor<2x15x56xf32> to tensor<1x15x1xi64>
  %p = fusion.argmax %x dims [0, 3, 4] keep : tensor<2x3x5x7x8xf32> to tensor<1x3x5x1x1xi64>
  // CHECK-DAG: fusion.reshape %[[S]] : tensor<15xf32> to tensor<3x5xf32>
  // CHECK-DAG: fusion.reshape %[[P]] : tensor<1x15x1xi64> to tensor<1x3x5x1x1xi64>
  return %s, %p : tensor<3x5xf32>, tensor<1x3x5x1x1xi64>
}

// -----

// A reshape has other dimensions on its other side.
// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<4x8x6x6xf32>) -> tensor<8x2x18xf32> {
  %m = fusion.reduce <sum> %x dims [0, 2, 3] keep : tensor<4x8x6x6xf32> to tensor<1x8x1x1xf32>
  %e = fusion.expand %m : tensor<1x8x1x1xf32> to tensor<4x8x6x6xf32>
  %y = fusion.mul %x, %e : tensor<4x8x6x6xf32>
  // CHECK: %[[Y:.*]] = fusion.mul {{.*}} : tensor<4x8x36xf32>
  // CHECK: %[[R:.*]] = fusion.reshape %[[Y]] : tensor<4x8x36xf32> to tensor<4x8x2x18xf32>
  %r = fusion.reshape %y : tensor<4x8x6x6xf32> to tensor<4x8x2x18xf32>
  // CHECK: fusion.reduce <max> %[[R]] dims [0] : tensor<4x8x2x18xf32> to tensor<8x2x18xf32>
  %s = fusion.reduce <max> %r dims [0] : tensor<4x8x2x18xf32> to tensor<8x2x18xf32>
  return %s : tensor<8x2x18xf32>
}

// -----

// What is sliced, stored in another order, copied on request, or written into an input's buffer stays, and so does what is joined to it.
// CHECK-LABEL: func.func @sliced
// CHECK-NOT: fusion.reshape
func.func @sliced(%x: tensor<4x8x6x6xf32>) -> (tensor<8xf32>, tensor<4x8x6x3xf32>) {
  %m = fusion.reduce <sum> %x dims [0, 2, 3] : tensor<4x8x6x6xf32> to tensor<8xf32>
  %s = fusion.slice %x offsets [0, 0, 0, 0] sizes [4, 8, 6, 3] steps [1, 1, 1, 1] : tensor<4x8x6x6xf32> to tensor<4x8x6x3xf32>
  return %m, %s : tensor<8xf32>, tensor<4x8x6x3xf32>
}

// -----

// CHECK-LABEL: func.func @ordered
// CHECK-NOT: fusion.reshape
func.func @ordered(%x: tensor<4x8x6x6xf32> {fusion.stride_order = array<i64: 0, 2, 3, 1>},
                   %y: tensor<4x8x6x6xf32> {fusion.layout = "any"}) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = fusion.reduce <sum> %x dims [0, 2, 3] : tensor<4x8x6x6xf32> to tensor<8xf32>
  %n = fusion.reduce <sum> %y dims [0, 2, 3] : tensor<4x8x6x6xf32> to tensor<8xf32>
  return %m, %n : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @results
// CHECK-NOT: fusion.reshape
func.func @results(%x: tensor<4x8x6x6xf32>, %y: tensor<4x8x6x6xf32>) -> (tensor<8xf32>, tensor<8xf32>,
    tensor<4x8x6x6xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<4x8x6x6xf32> {fusion.stride_order = array<i64: 0, 2, 3, 1>}) {
  %m = fusion.reduce <sum> %x dims [0, 2, 3] : tensor<4x8x6x6xf32> to tensor<8xf32>
  %n = fusion.reduce <sum> %y dims [0, 2, 3] : tensor<4x8x6x6xf32> to tensor<8xf32>
  %a = fusion.neg %x : tensor<4x8x6x6xf32>
  %b = fusion.neg %y : tensor<4x8x6x6xf32>
  return %m, %n, %a, %b : tensor<8xf32>, tensor<8xf32>, tensor<4x8x6x6xf32>, tensor<4x8x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @copied
// CHECK-NOT: fusion.reshape
func.func @copied(%x: tensor<4x8x6x6xf32>) -> tensor<8xf32> {
  %0 = fusion.set %x : tensor<4x8x6x6xf32>
  %m = fusion.reduce <sum> %0 dims [0, 2, 3] : tensor<4x8x6x6xf32> to tensor<8xf32>
  return %m : tensor<8xf32>
}

// -----

// Whole rows and columns are of one dimension, whose size may be a multiple of a vector's where those of its parts are not.
// CHECK-LABEL: func.func @neighbours
// CHECK: %[[A:.*]] = fusion.reshape %{{.*}} : tensor<4x8x6x6xf32> to tensor<32x36xf32>
// CHECK: fusion.reduce <sum> %[[A]] dims [1] : tensor<32x36xf32> to tensor<32xf32>
// CHECK: fusion.reduce <sum> %[[A]] dims [0] : tensor<32x36xf32> to tensor<36xf32>
func.func @neighbours(%x: tensor<4x8x6x6xf32>) -> (tensor<4x8xf32>, tensor<6x6xf32>) {
  %m = fusion.reduce <sum> %x dims [2, 3] : tensor<4x8x6x6xf32> to tensor<4x8xf32>
  %n = fusion.reduce <sum> %x dims [0, 1] : tensor<4x8x6x6xf32> to tensor<6x6xf32>
  return %m, %n : tensor<4x8xf32>, tensor<6x6xf32>
}

// -----

// CHECK-LABEL: func.func @everything
// CHECK: %[[A:.*]] = fusion.reshape %{{.*}} sizes(%{{.*}}) : tensor<?x?xf32> to tensor<?xf32>
// CHECK: fusion.reduce <sum> %[[A]] dims [0] : tensor<?xf32> to tensor<f32>
func.func @everything(%x: tensor<?x?xf32>) -> tensor<f32> {
  %s = fusion.reduce <sum> %x dims [0, 1] : tensor<?x?xf32> to tensor<f32>
  return %s : tensor<f32>
}

// -----

// One dimension is reduced, and what is kept is no reason; half of a dimension that is repeated is none of its own.
// CHECK-LABEL: func.func @one_of_many
// CHECK-NOT: fusion.reshape
func.func @one_of_many(%x: tensor<4x8x6x6xf32>, %y: tensor<4x8x1x6xf32>, %z: tensor<4x1x6x1xf32>) -> (tensor<4x8x6xf32>, tensor<8xf32>, tensor<4xf32>) {
  %m = fusion.reduce <sum> %x dims [3] : tensor<4x8x6x6xf32> to tensor<4x8x6xf32>
  %e = fusion.expand %y : tensor<4x8x1x6xf32> to tensor<4x8x3x6xf32>
  %k = fusion.reduce <sum> %e dims [0, 2, 3] : tensor<4x8x3x6xf32> to tensor<8xf32>
  %n = fusion.reduce <sum> %z dims [1, 2, 3] : tensor<4x1x6x1xf32> to tensor<4xf32>
  return %m, %k, %n : tensor<4x8x6xf32>, tensor<8xf32>, tensor<4xf32>
}

// -----

// A size of 1 between a dimension that is repeated and one that is not goes with either, but does not join them.
// CHECK-LABEL: func.func @between
// CHECK-SAME: %[[Y:.*]]: tensor<4x8x1x1x?xf32>, %[[Z:.*]]: tensor<4x8x6x1x1xf32>
func.func @between(%y: tensor<4x8x1x1x?xf32>, %z: tensor<4x8x6x1x1xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: fusion.expand %{{.*}} : tensor<4x8x1x?xf32> to tensor<4x8x3x?xf32>
  %e = fusion.expand %y : tensor<4x8x1x1x?xf32> to tensor<4x8x3x1x?xf32>
  %k = fusion.reduce <sum> %e dims [0, 2, 3, 4] : tensor<4x8x3x1x?xf32> to tensor<8xf32>
  // CHECK: fusion.expand %{{.*}} : tensor<4x8x6x1xf32> to tensor<4x8x6x3xf32>
  %f = fusion.expand %z : tensor<4x8x6x1x1xf32> to tensor<4x8x6x1x3xf32>
  %l = fusion.reduce <sum> %f dims [0, 2, 3, 4] : tensor<4x8x6x1x3xf32> to tensor<8xf32>
  return %k, %l : tensor<8xf32>, tensor<8xf32>
}

// -----

// What an op repeats is seen in its index map, whichever op it is.
// CHECK-LABEL: func.func @in_one
// CHECK-SAME: %[[X:.*]]: tensor<?x64x7x7xf32>, %[[W:.*]]: tensor<64xf32>
func.func @in_one(%x: tensor<?x64x7x7xf32>, %w: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-DAG: %[[A:.*]] = fusion.reshape %[[X]] sizes(%[[N:.*]]) : tensor<?x64x7x7xf32> to tensor<?x64x49xf32>
  // CHECK-DAG: %[[B:.*]] = fusion.broadcast %[[W]] dims [0, 2] : tensor<64xf32> to tensor<1x64x1xf32>
  // CHECK-DAG: %[[F:.*]] = fusion.expand %[[B]] sizes(%[[N]]) : tensor<1x64x1xf32> to tensor<?x64x49xf32>
  // CHECK: %[[Y:.*]] = fusion.mul %[[A]], %[[F]]
  // CHECK: fusion.reduce <sum> %[[Y]] dims [0, 2] : tensor<?x64x49xf32> to tensor<64xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64x7x7xf32>
  %f = fusion.broadcast_in_dim %w dims [1] sizes(%n) : tensor<64xf32> to tensor<?x64x7x7xf32>
  %y = fusion.mul %x, %f : tensor<?x64x7x7xf32>
  %r = fusion.reduce <sum> %y dims [0, 2, 3] : tensor<?x64x7x7xf32> to tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// Elements that are all the same lie in any shape.
// CHECK-LABEL: func.func @same
// CHECK-SAME: %[[X:.*]]: tensor<16x64x7x7xf32>
func.func @same(%x: tensor<16x64x7x7xf32>) -> tensor<64xf32> {
  // CHECK-DAG: %[[A:.*]] = fusion.reshape %[[X]] : tensor<16x64x7x7xf32> to tensor<16x64x49xf32>
  // CHECK-DAG: %[[S:.*]] = fusion.constant dense<2.000000e+00> : tensor<16x64x49xf32>
  // CHECK: %[[Y:.*]] = fusion.mul %[[A]], %[[S]]
  // CHECK: fusion.reduce <sum> %[[Y]] dims [0, 2] : tensor<16x64x49xf32> to tensor<64xf32>
  %s = fusion.constant dense<2.0> : tensor<16x64x7x7xf32>
  %y = fusion.mul %x, %s : tensor<16x64x7x7xf32>
  %r = fusion.reduce <sum> %y dims [0, 2, 3] : tensor<16x64x7x7xf32> to tensor<64xf32>
  return %r : tensor<64xf32>
}
