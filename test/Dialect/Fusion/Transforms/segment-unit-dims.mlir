// A permutation of dimensions of size 1 looks at the same row.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: fusion.segment "row_reduction"
// CHECK-NOT: fusion.segment
func.func @f(%x: tensor<1x1x4096xf32>) -> tensor<1x1x4096xf32> {
  %0 = fusion.reduce <max> %x dims [2] keep : tensor<1x1x4096xf32> to tensor<1x1x1xf32>
  %1 = fusion.permute %0 [1, 0, 2] : tensor<1x1x1xf32> to tensor<1x1x1xf32>
  %2 = fusion.expand %1 : tensor<1x1x1xf32> to tensor<1x1x4096xf32>
  %3 = fusion.sub %x, %2 : tensor<1x1x4096xf32>
  return %3 : tensor<1x1x4096xf32>
}
