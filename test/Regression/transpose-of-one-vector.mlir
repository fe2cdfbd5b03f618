// RUN: fuser-run %s --target sim --input=4x2x1xf32=normal:1,strides=2x1x1,offset=1 --input=4x1x2xf32=normal:2,strides=13x2x5 --check --sim-check | FileCheck %s
// CHECK: right: largest difference

// The copy of the product into the order of the result has a side of two elements, which is one vector: a transpose by lanes along it is none.
func.func @f(%a: tensor<?x2x?xf32> {fusion.layout = "any"}, %b: tensor<4x?x2xf32> {fusion.layout = "any"}) -> (tensor<?x2x2xf32> {fusion.stride_order = array<i64: 2, 0, 1>}) {
  %0 = fusion.matmul %a, %b : tensor<?x2x?xf32>, tensor<4x?x2xf32> to tensor<?x2x2xf32>
  return %0 : tensor<?x2x2xf32>
}
