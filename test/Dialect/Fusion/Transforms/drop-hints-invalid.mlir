// A host function is made for a layout: it is too late to drop the hints that gave it.
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-drop-hints))' -verify-diagnostics

func.func @writes(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error @below {{expected no host function where hints are dropped, got @f_0_host, which is made for the layout that they give its tensors: run fusion-drop-hints before fusion-to-kernel}}
  %0 = fusion.segment "generic" (%a = %x : tensor<3x4xf32>) -> (tensor<3x4xf32>)
      attributes {result_hints = [array<i64: 1, 0>], schedule = #fusion.generic<threads = 128>, host_function = @f_0_host} {
    %1 = fusion.exp %a : tensor<3x4xf32>
    fusion.yield %1 : tensor<3x4xf32>
  }
  return %0 : tensor<3x4xf32>
}

// -----

func.func @reads(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = fusion.segment "generic" (%a = %x : tensor<3x4xf32>) -> (tensor<3x4xf32>) attributes {result_hints = [array<i64: 1, 0>]} {
    %1 = fusion.exp %a : tensor<3x4xf32>
    fusion.yield %1 : tensor<3x4xf32>
  }
  // expected-error @below {{expected no host function where hints are dropped, got @f_1_host}}
  %2 = fusion.segment "generic" (%a = %0 : tensor<3x4xf32>) -> (tensor<3x4xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, host_function = @f_1_host} {
    %3 = fusion.exp %a : tensor<3x4xf32>
    fusion.yield %3 : tensor<3x4xf32>
  }
  return %2 : tensor<3x4xf32>
}
