// RUN: fuser-opt %s --fusion-schedule=target=cuda --verify-diagnostics
// RUN: fuser-opt %s --fusion-schedule=target=cpu | FileCheck %s

// Whoever names the scheduler may ask for rows that registers do not hold, but not for any number of them.
func.func @row(%x: tensor<?x1073741824xf32>) -> tensor<?xf32> {
  // CHECK: #fusion.cpu<kind = "row_reduction"
  // expected-error@+1 {{does not fit the scheduler "row_reduction": its rows have 1073741824 elements: expected unroll to be at most 128 because a thread has at most 512 elements in vectors of 4, got 1048576}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x1073741824xf32>) -> (tensor<?xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<?x1073741824xf32> to tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
