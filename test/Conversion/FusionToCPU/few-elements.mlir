// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu | FileCheck %s

// Loops have no more lanes than the tensor elements, and no more than the schedule's.
// CHECK: func.func @few_0
// CHECK: vector<8xf32>
func.func @few(%x: tensor<7xf32>) -> tensor<7xf32> {
  %0 = fusion.exp %x : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK: func.func @most_0
// CHECK: vector<64xf32>
func.func @most(%x: tensor<281474976710656xf32>) -> tensor<281474976710656xf32> {
  %0 = fusion.exp %x : tensor<281474976710656xf32>
  return %0 : tensor<281474976710656xf32>
}
