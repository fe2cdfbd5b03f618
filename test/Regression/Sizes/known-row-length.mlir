// The length of a row is open in its type and known from elsewhere in the program: here the constant that another tensor is expanded to. The
// kernel was empty.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s
// RUN: fuser-run %s --input 128x1xf32=random:1 --check
// RUN: not fuser-run %s --input 127x1xf32=random:1 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: gpu.func @f_0(
// CHECK: {{vector|memref}}.load
// OTHER: expected {{.*}} 128{{.*}}, got 127
func.func @f(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %m = fusion.reduce <min> %x dims [0, 1] keep : tensor<?x1xf32> to tensor<1x1xf32>
  %n = arith.constant 128 : index
  %e = fusion.expand %m sizes(%n) : tensor<1x1xf32> to tensor<?x1xf32>
  %r = fusion.sub %x, %e : tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}
