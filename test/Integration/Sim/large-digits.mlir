// The largest tile that is sorted by digits, of keys and positions of 32 bits each, of which a few are spilled.
// RUN: fuser-run %s --entry large --target sim --sim-check --check --input 2x8193xf32=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry large --target sim --sim-check --check --input 2x5xf32=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry large --target sim --sim-check --check --input 2x16384xf32=bits:1,strides=16385x1 | FileCheck %s
// RUN: %if cuda %{ fuser-run %s --entry large --target cuda --check --input 2x20000xf32=bits:1 | FileCheck %s %}
// RUN: not fuser-run %s --entry wide --target cuda --arch sm_90 --emit %t.fx 2>&1 | FileCheck %s --check-prefix=WIDE
// CHECK: {{^}}right
func.func @large(%x: tensor<2x?xf32> {fusion.bounds = array<i64: 2, 20000>}) -> tensor<2x?xi64> {
  %0 = fusion.segment "row_order" (%a = %x : tensor<2x?xf32>) -> (tensor<2x?xi64>) attributes {schedule = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [l5, r5, w3]], min_blocks = 2>} {
    %1 = fusion.argsort %a dim 1 : tensor<2x?xf32> to tensor<2x?xi64>
    fusion.yield %1 : tensor<2x?xi64>
  }
  return %0 : tensor<2x?xi64>
}


// WIDE: error: 'gpu.func' op expected at most 49152 bytes of workgroup attributions
func.func @wide(%x: tensor<2x20000xf64>) -> tensor<2x20000xi64> {
  %0 = fusion.segment "row_order" (%a = %x : tensor<2x20000xf64>) -> (tensor<2x20000xi64>) attributes {schedule = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [l5, r5, w3]], min_blocks = 2>} {
    %1 = fusion.argsort %a dim 1 : tensor<2x20000xf64> to tensor<2x20000xi64>
    fusion.yield %1 : tensor<2x20000xi64>
  }
  return %0 : tensor<2x20000xi64>
}
