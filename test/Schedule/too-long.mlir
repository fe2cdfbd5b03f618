// RUN: fuser-opt %s --fusion-schedule="target=cuda explain=true" --split-input-file --verify-diagnostics
// RUN: fuser-opt %s --fusion-schedule=target=cpu --split-input-file | FileCheck %s

// Whoever names the scheduler may ask for rows that registers do not hold, but not for any number of them.
// CHECK-LABEL: func.func @row(
func.func @row(%x: tensor<?x1073741824xf32>) -> tensor<?xf32> {
  // CHECK: #fusion.cpu<kind = "row_reduction"
  // expected-remark@+1 {{the scheduler "row_reduction" does not take the segment, "split_reduction" does: its rows have 1073741824 elements, more than 512 for a thread}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x1073741824xf32>) -> (tensor<?xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<?x1073741824xf32> to tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Nor for rows of any length.
// CHECK-LABEL: func.func @unknown(
func.func @unknown(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  // CHECK: #fusion.cpu<kind = "row_reduction"
  // expected-remark@+1 {{the scheduler "row_reduction" does not take the segment, "split_reduction" does: the length of its rows is not known}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<4x?xf32>) -> (tensor<4xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<4x?xf32> to tensor<4xf32>
    fusion.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
