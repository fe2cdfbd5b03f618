// What a segment by hand takes is computed once, though the op is marked to be computed again. Segmentation ended by an assertion.
// RUN: fuser-run %s --input 8xf32=random:1 --check 2>&1 | FileCheck %s
// RUN: fuser-opt %s --fusion-segment=target=cpu | FileCheck %s --check-prefix=SEGMENT

// CHECK: right
// SEGMENT: %[[E:.+]] = fusion.segment "pointwise" (%{{.+}} = %{{.+}} : tensor<8xf32>) -> (tensor<8xf32>)
// SEGMENT-NEXT: fusion.exp
// SEGMENT: fusion.segment "generic" (%{{.+}} = %[[E]] : tensor<8xf32>) -> (tensor<8xf32>)
// SEGMENT-NEXT: fusion.neg
// SEGMENT-NOT: fusion.forward
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fusion.exp %x {fusion.forward} : tensor<8xf32>
  %1 = fusion.segment "generic" (%a = %0 : tensor<8xf32>) -> (tensor<8xf32>) {
    %2 = fusion.neg %a : tensor<8xf32>
    fusion.yield %2 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
