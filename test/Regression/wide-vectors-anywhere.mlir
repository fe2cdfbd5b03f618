// RUN: fuser-run %s --target=sim --entry one --input=f32=normal:1,offset=2 --check --sim-check | FileCheck %s
// RUN: fuser-run %s --target=sim --entry many --input=200xf64=normal:1,offset=1 --check --sim-check | FileCheck %s
// CHECK: right: largest difference

// A schedule by hand may have vectors of more bytes than one op takes at any address: two ops do.
func.func @one(%x: tensor<f32>) -> tensor<f32> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<f32>) -> (tensor<f32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[]], layout = [[r5, l1, r2]]>} {
    %1 = fusion.set %a : tensor<f32>
    fusion.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

func.func @many(%x: tensor<200xf64>) -> tensor<200xf64> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<200xf64>) -> (tensor<200xf64>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0]], layout = [[r4, l5]]>} {
    %1 = fusion.neg %a : tensor<200xf64>
    fusion.yield %1 : tensor<200xf64>
  }
  return %0 : tensor<200xf64>
}
