// RUN: not fuser-opt --pass-pipeline='builtin.module(func.func(fusion-segment{target=bogus}))' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: fuser-opt --pass-pipeline='builtin.module(func.func(fusion-segment{target=sm_80}))' %s | FileCheck %s

// UNKNOWN: segment-target.mlir:[[@LINE+2]]:1: error: expected a target that the segmentation policy knows (cpu, cuda, sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_103a, sm_110, sm_110a, sm_120, sm_120a, sm_121, sm_121a), got 'bogus'
// CHECK: fusion.segment "pointwise"
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = fusion.exp %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
