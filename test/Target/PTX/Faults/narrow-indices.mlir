// The 12 elements of a lane, of a tensor whose columns are a row: LLVM 22 made one load of two that are 256 bytes apart, because their indices are
// integers of 8 bits there.
// RUN: fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | FileCheck %s
// RUN: %if cuda %{ fuser-run %s --target cuda --check --entry f --input 3x31x4x3xf32=random:7 %}
// RUN: %if cuda %{ fuser-run %s --target cuda --check --entry rows --input 3x65xf64=random:7 %}

// CHECK-LABEL: .entry f_1(
// CHECK-COUNT-12: ld.global.nc.b32
// CHECK: ret;
func.func @f(%x: tensor<3x31x4x3xf32>) -> tensor<1x1x1x1xf32> {
  %0 = fusion.reduce <sum> %x dims [3] keep : tensor<3x31x4x3xf32> to tensor<3x31x4x1xf32>
  %1 = fusion.reduce <sum> %0 dims [0, 1, 2, 3] keep : tensor<3x31x4x1xf32> to tensor<1x1x1x1xf32>
  return %1 : tensor<1x1x1x1xf32>
}

// Constants are added to two of the indices of a lane.
// CHECK-LABEL: .entry rows_0(
// CHECK-COUNT-13: ld.global.nc.b64
// CHECK: ret;
func.func @rows(%x: tensor<3x65xf64>)
    -> (tensor<1x1xf64>, tensor<3x65xf64> {fusion.stride_order_hint = array<i64: 0, 1>}, tensor<3x65xf64> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.reduce <max> %x dims [0, 1] keep : tensor<3x65xf64> to tensor<1x1xf64>
  %1 = fusion.expand %0 : tensor<1x1xf64> to tensor<3x65xf64>
  %2 = fusion.sub %x, %1 : tensor<3x65xf64>
  %3 = fusion.exp %2 : tensor<3x65xf64>
  %4 = fusion.reduce <sum> %3 dims [0, 1] keep : tensor<3x65xf64> to tensor<1x1xf64>
  %5 = fusion.expand %4 : tensor<1x1xf64> to tensor<3x65xf64>
  %6 = fusion.min %3, %5 : tensor<3x65xf64>
  return %4, %5, %6 : tensor<1x1xf64>, tensor<3x65xf64>, tensor<3x65xf64>
}
