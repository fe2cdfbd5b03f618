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

// RUN: fuser-run %s --target=sim --entry square --input=7x3x3xf16=normal:1,strides=6x42x2 --check --sim-check | FileCheck %s
// Where there are as many columns as rows an operand by way of a permute has the shape of rows, and is read along columns: none beyond the end of a row.
func.func @square(%x: tensor<?x?x?xf16> {fusion.bounds = array<i64: 78, 4, 3>, fusion.layout = "any"}) -> tensor<?x?x?xf32> attributes {fusion.target = "sm_90"} {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c2 : tensor<?x?x?xf16>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xf16>
  %0 = fusion.segment "row_reduction" (%k = %m : index, %a = %x : tensor<?x?x?xf16>, %j = %n : index) -> (tensor<?x?x?xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0, 1, 2], [3]], layout = [[], [r3, l5, w1]], repeat = [1, 1], late_reads = true>} {
    %2 = fusion.cast %a : tensor<?x?x?xf16> to tensor<?x?x?xf32>
    %3 = fusion.broadcast %2 dims [2] : tensor<?x?x?xf32> to tensor<?x?x1x?xf32>
    %4 = fusion.expand %3 sizes(%j) : tensor<?x?x1x?xf32> to tensor<?x?x?x?xf32>
    %5 = fusion.permute %2 [0, 2, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
    %6 = fusion.broadcast %5 dims [1] : tensor<?x?x?xf32> to tensor<?x1x?x?xf32>
    %7 = fusion.expand %6 sizes(%k) : tensor<?x1x?x?xf32> to tensor<?x?x?x?xf32>
    %8 = fusion.mul %4, %7 : tensor<?x?x?x?xf32>
    %9 = fusion.reduce <sum> %8 dims [3] : tensor<?x?x?x?xf32> to tensor<?x?x?xf32>
    fusion.yield %9 : tensor<?x?x?xf32>
  }
  return %0 : tensor<?x?x?xf32>
}
