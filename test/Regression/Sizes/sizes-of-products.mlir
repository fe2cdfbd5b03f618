// RUN: fuser-run %s --target sim --entry copied --input=4x2x1xf32=normal:1,strides=2x1x1,offset=1 --input=4x1x2xf32=normal:2,strides=13x2x5 --check --sim-check | FileCheck %s
// RUN: fuser-run %s --target sim --entry stated --input=1x33x33xf64=normal:1,offset=3 --input=1x1x1x33xf64=normal:2 --check --sim-check | FileCheck %s
// RUN: fuser-run %s --target cpu --entry joined --input=8x8x1x1xf32=normal:1,strides=8x1x64x8 --input=3x1xf32=normal:2 --check --guard=end | FileCheck %s
// RUN: fuser-run %s --target cpu --entry joined --input=5x1x1x1xf32=normal:1,strides=1x3x7x1 --input=3x1xf32=normal:2 --check --guard=end | FileCheck %s
// RUN: fuser-run %s --target cpu --entry joined --input=1x4x1x1xf32=normal:1,strides=2x1x9x5 --input=3x1xf32=normal:2 --check --guard=end | FileCheck %s
// CHECK: right: largest difference

// The copy of the product into the order of the result has a side of two elements, which is one vector: a transpose by lanes along it is none.
func.func @copied(%a: tensor<?x2x?xf32> {fusion.layout = "any"}, %b: tensor<4x?x2xf32> {fusion.layout = "any"}) -> (tensor<?x2x2xf32> {fusion.stride_order = array<i64: 2, 0, 1>}) {
  %0 = fusion.matmul %a, %b : tensor<?x2x?xf32>, tensor<4x?x2xf32> to tensor<?x2x2xf32>
  return %0 : tensor<?x2x2xf32>
}

// A product says that sizes are 1, which the schedule of the reduction before it counts on.
func.func @stated(%a: tensor<?x?x?xf64>, %b: tensor<?x1x?x?xf64>) -> (tensor<?x?x1x1xf64> {fusion.stride_order_hint = array<i64: 1, 3, 0, 2>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x?x?xf64>
  %m = fusion.reduce <mean> %b dims [3] keep : tensor<?x1x?x?xf64> to tensor<?x1x?x1xf64>
  %k = arith.constant 1.250000e-01 : f64
  %w = fusion.full %k sizes(%n, %n) : tensor<?x1x?x1xf64>
  %p = fusion.permute %m [2, 0, 3, 1] : tensor<?x1x?x1xf64> to tensor<?x?x1x1xf64>
  %r = fusion.matmul %p, %w : tensor<?x?x1x1xf64>, tensor<?x1x?x1xf64> to tensor<?x?x1x1xf64>
  return %r : tensor<?x?x1x1xf64>
}

// Rows are of three dimensions, of which each may turn out to have size 1, and then any stride.
func.func @joined(%x: tensor<?x?x?x?xf32>, %w: tensor<3x?xf32>) -> tensor<?x?x?x3xf32> {
  %r = fusion.linear %x, %w : tensor<?x?x?x?xf32>, tensor<3x?xf32> to tensor<?x?x?x3xf32>
  return %r : tensor<?x?x?x3xf32>
}
