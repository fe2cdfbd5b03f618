// A mean that is a float, of a sum that is none: kernels add in f32, and what they give is right. The reference computes in f64, and knows.
// RUN: fuser-run %s --check --input 8xf32=value:8.0e37 | FileCheck %s
// RUN: fuser-run %s --check --target sim --input 8xf32=value:8.0e37 | FileCheck %s
// RUN: fuser-run %s --check --input 8xf32=value:8.0e36 | FileCheck %s
// CHECK: right:
func.func @f(%x: tensor<8xf32>) -> tensor<f32> {
  %0 = fusion.reduce <mean> %x dims [0] : tensor<8xf32> to tensor<f32>
  return %0 : tensor<f32>
}
