// RUN: fuser-run %s --target=sim --input=3x33x64xf32=random:1 --check --sim-check | FileCheck %s
// RUN: fuser-run %s --target=sim --input=3x33x0xf32=random:1 --check --sim-check | FileCheck %s
// CHECK: right: largest difference

// Rows of open length may have no elements and have results all the same, of which the kernel that folds columns knows nothing.
func.func @f(%x: tensor<?x33x?xf32> {fusion.bounds = array<i64: -1, -1, 64>, fusion.divisors = array<i64: 1, 1, 8>}) -> (tensor<?x33xf32>, tensor<1x1x?xf32>) attributes {fusion.target = "sm_90"} {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x33x?xf32>) -> (tensor<?x33xf32>, tensor<1x1x?xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0, 1], [2]], layout = [[], [l2, w2], [r2, l3]], repeat = [1, 1, 2], fold = [[], [r3, l2, w5], [l3]], programmatic = true, min_blocks = 4>} {
    %1 = fusion.reduce <max> %a dims [2] : tensor<?x33x?xf32> to tensor<?x33xf32>
    %2 = fusion.reduce <max> %a dims [0, 1] keep : tensor<?x33x?xf32> to tensor<1x1x?xf32>
    fusion.yield %1, %2 : tensor<?x33xf32>, tensor<1x1x?xf32>
  }
  return %0#0, %0#1 : tensor<?x33xf32>, tensor<1x1x?xf32>
}
