// A result that is another shape of what a reduction leads to costs no segment.
// RUN: fuser-opt %s --split-input-file --fusion-segment=target=sm_90 | FileCheck %s
// RUN: fuser-opt %s --split-input-file --fusion-segment=target=sm_90 | fuser-opt --split-input-file --fusion-segment=target=sm_90 | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK: %[[S:.*]] = fusion.segment "row_reduction"
// CHECK-NOT: fusion.reshape
// CHECK: fusion.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[R:.*]] = fusion.reshape %[[S]]
// CHECK-NEXT: return %[[R]]
func.func @rows(%x: tensor<?x96xf32>) -> tensor<?x2x48xf32> {
  %s = fusion.reduce <sum> %x dims [1] keep : tensor<?x96xf32> to tensor<?x1xf32>
  %e = fusion.expand %s : tensor<?x1xf32> to tensor<?x96xf32>
  %d = fusion.sub %x, %e : tensor<?x96xf32>
  %r = fusion.reshape %d : tensor<?x96xf32> to tensor<?x2x48xf32>
  return %r : tensor<?x2x48xf32>
}

// -----

// Without a reduction the kernel has the shape of the result.
// CHECK-LABEL: func.func @pointwise
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.reshape
// CHECK-NEXT: fusion.yield
func.func @pointwise(%x: tensor<?x96xf32>) -> tensor<?x2x48xf32> {
  %d = fusion.exp %x : tensor<?x96xf32>
  %r = fusion.reshape %d : tensor<?x96xf32> to tensor<?x2x48xf32>
  return %r : tensor<?x2x48xf32>
}

// -----

// The memory is another result, or lies otherwise.
// CHECK-LABEL: func.func @taken
// CHECK-COUNT-4: fusion.segment
// CHECK-NOT: fusion.segment
// CHECK: return
func.func @taken(%x: tensor<?x96xf32>, %y: tensor<64x32xf32>) -> (tensor<?x96xf32>, tensor<?x2x48xf32>, tensor<32x64xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %s = fusion.reduce <sum> %x dims [1] keep : tensor<?x96xf32> to tensor<?x1xf32>
  %e = fusion.expand %s : tensor<?x1xf32> to tensor<?x96xf32>
  %d = fusion.sub %x, %e : tensor<?x96xf32>
  %r = fusion.reshape %d : tensor<?x96xf32> to tensor<?x2x48xf32>
  %t = fusion.reduce <sum> %y dims [1] keep : tensor<64x32xf32> to tensor<64x1xf32>
  %u = fusion.expand %t : tensor<64x1xf32> to tensor<64x32xf32>
  %v = fusion.sub %y, %u : tensor<64x32xf32>
  %w = fusion.reshape %v : tensor<64x32xf32> to tensor<32x64xf32>
  return %d, %r, %w : tensor<?x96xf32>, tensor<?x2x48xf32>, tensor<32x64xf32>
}

// Nor is one of an element-wise result that other ops read.
// CHECK-LABEL: func.func @read_twice
// CHECK: fusion.segment
// CHECK: %[[E:.*]] = fusion.exp
// CHECK-DAG: fusion.reshape %[[E]] : tensor<6x4xf32> to tensor<24xf32>
// CHECK-DAG: fusion.neg %[[E]]
// CHECK: fusion.yield
func.func @read_twice(%x: tensor<6x4xf32>) -> (tensor<24xf32>, tensor<6x4xf32>) {
  %0 = fusion.exp %x : tensor<6x4xf32>
  %1 = fusion.reshape %0 : tensor<6x4xf32> to tensor<24xf32>
  %2 = fusion.neg %0 : tensor<6x4xf32>
  return %1, %2 : tensor<24xf32>, tensor<6x4xf32>
}
