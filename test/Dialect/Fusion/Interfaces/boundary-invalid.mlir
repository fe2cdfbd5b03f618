// A boundary gives its operand as it is.
// REQUIRES: build-tree
// RUN: fuser-test-opt %s -verify-diagnostics

func.func @f(%x: tensor<4xf32>) -> tensor<4xf64> {
  // expected-error @below {{expected a boundary between segments to have one operand and one result, of the same type}}
  %0 = test_fusion.tilted_fence %x : tensor<4xf32> to tensor<4xf64>
  return %0 : tensor<4xf64>
}
