// RUN: not fuser-opt %s -fusion-segment 2>&1 | FileCheck %s
// RUN: not fuser-opt %s -fusion-remove-empty 2>&1 | FileCheck %s
// RUN: not fuser-opt %s -fusion-forward-factories 2>&1 | FileCheck %s
//
// Passes that come later say so.

// CHECK: before.mlir:[[#@LINE+1]]:1: error: expected no complex tensors, of which fusion-decompose-complex makes real ones before this pass
func.func @f(%x: tensor<0xcomplex<f32>>) -> tensor<0xcomplex<f32>> {
  %0 = fusion.neg %x : tensor<0xcomplex<f32>>
  return %0 : tensor<0xcomplex<f32>>
}
