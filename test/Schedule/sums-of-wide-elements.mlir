// The sums of a row's columns stay in registers, of which one of f64 takes two: of four, one has a kernel of its own.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 | FileCheck %s
// RUN: sed 's/f64/f32/g' %s | fuser-opt --fusion-segment=target=sm_90 | FileCheck %s --check-prefix=NARROW
// CHECK:     fusion.segment "inner_outer_reduction"
// CHECK:     fusion.segment "outer_reduction"
// CHECK-NOT: fusion.segment "
// NARROW:     fusion.segment "inner_outer_reduction"
// NARROW-NOT: fusion.segment "
func.func @f(%x: tensor<?x12288xf64>, %g: tensor<?x12288xf64>) -> (tensor<?x12288xf64>, tensor<12288xf64>, tensor<12288xf64>, tensor<12288xf64>, tensor<12288xf64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12288xf64>
  %p = fusion.mul %g, %x : tensor<?x12288xf64>
  %m = fusion.reduce <mean> %p dims [1] keep : tensor<?x12288xf64> to tensor<?x1xf64>
  %me = fusion.expand %m : tensor<?x1xf64> to tensor<?x12288xf64>
  %dx = fusion.sub %g, %me : tensor<?x12288xf64>
  %s3 = fusion.mul %g, %g : tensor<?x12288xf64>
  %d0 = fusion.reduce <sum> %p dims [0] : tensor<?x12288xf64> to tensor<12288xf64>
  %d1 = fusion.reduce <sum> %g dims [0] : tensor<?x12288xf64> to tensor<12288xf64>
  %d2 = fusion.reduce <sum> %x dims [0] : tensor<?x12288xf64> to tensor<12288xf64>
  %d3 = fusion.reduce <sum> %s3 dims [0] : tensor<?x12288xf64> to tensor<12288xf64>
  return %dx, %d0, %d1, %d2, %d3 : tensor<?x12288xf64>, tensor<12288xf64>, tensor<12288xf64>, tensor<12288xf64>, tensor<12288xf64>
}
