// RUN: fuser-opt %s --fusion-schedule=target=cuda --split-input-file --verify-diagnostics
// RUN: fuser-opt %s --fusion-schedule=target=cpu --split-input-file --verify-diagnostics
// RUN: not fuser-opt %s --fusion-schedule=target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not fuser-opt %s --fusion-schedule=arch=sm_12 2>&1 | FileCheck %s --check-prefix=ARCH
// TARGET: expected {{.*}}tpu
// ARCH: sm_12

// A segment of a scheduler that is none.
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected scheduler "generic", "pointwise" or "row_reduction", got "other"}}
  %0 = fusion.segment "other" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
