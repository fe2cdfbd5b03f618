// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --split-input-file --verify-diagnostics
// RUN: not fuser-opt %s --fusion-to-kernel=target=tpu 2>&1 | FileCheck %s
// CHECK: tpu

// Without a schedule there is nothing to obey.
func.func @unscheduled(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
