// The 12 elements of a lane, of a tensor whose columns are a row: LLVM 22 made one load of two that are 256 bytes apart, because their indices are
// integers of 8 bits there.
// RUN: fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | FileCheck %s
// RUN: %if cuda %{ fuser-run %s --target cuda --check --input 3x31x4x3xf32=random:7 %}

// CHECK-LABEL: .entry f_1(
// CHECK-COUNT-12: ld.global.nc.b32
// CHECK: ret;
func.func @f(%x: tensor<3x31x4x3xf32>) -> tensor<1x1x1x1xf32> {
  %0 = fusion.reduce <sum> %x dims [3] keep : tensor<3x31x4x3xf32> to tensor<3x31x4x1xf32>
  %1 = fusion.reduce <sum> %0 dims [0, 1, 2, 3] keep : tensor<3x31x4x1xf32> to tensor<1x1x1x1xf32>
  return %1 : tensor<1x1x1x1xf32>
}
