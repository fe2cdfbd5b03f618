// RUN: not fuser-opt %s -fusion-segment 2>&1 | FileCheck %s
// RUN: not fuser-opt %s -fusion-remove-empty 2>&1 | FileCheck %s
// RUN: not fuser-opt %s -fusion-forward-factories 2>&1 | FileCheck %s
//
// Passes that come later say so.

// CHECK: before.mlir:[[#@LINE+1]]:1: error: expected no packed tensors, of which fusion-decompose-packed makes bytes before this pass
func.func @f(%x: tensor<0xf4E2M1FN>) -> tensor<0xf32> {
  %0 = fusion.cast %x : tensor<0xf4E2M1FN> to f32
  return %0 : tensor<0xf32>
}
