// Stride orders in host programs.
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=sm_90}),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},fusion-to-host,canonicalize,cse)' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host,canonicalize,cse)' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=sm_90},fusion-drop-hints),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},fusion-to-host,canonicalize,cse)' | FileCheck %s --check-prefix=DROP

// A required order is the output's, on both targets, whether or not there are hints.

// CHECK-LABEL: func.func @required(
// CHECK:         %[[R:.+]] = host.output 0 () {stride_order = array<i64: 2, 0, 1>} : memref<4x5x6xf32, strided<[5, 1, 20]>>
// CHECK:         host.launch {{.*}} args(%{{.+}}, %[[R]] : memref<4x5x6xf32>, memref<4x5x6xf32, strided<[5, 1, 20]>>)
// DROP-LABEL: func.func @required(
// DROP:         host.output 0 () {stride_order = array<i64: 2, 0, 1>} : memref<4x5x6xf32, strided<[5, 1, 20]>>
func.func @required(%x: tensor<4x5x6xf32>) -> (tensor<4x5x6xf32> {fusion.stride_order = array<i64: 2, 0, 1>}) {
  %0 = fusion.exp %x : tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}

// -----

// With sizes that are values the strides are too.

// CHECK-LABEL: func.func @dynamic(
// CHECK:         host.output 0 (%{{.+}}, %{{.+}}) {stride_order = array<i64: 1, 0>} : memref<?x?xf32, strided<[1, ?]>>
// DROP-LABEL: func.func @dynamic(
// DROP:         host.output 0 (%{{.+}}, %{{.+}}) {stride_order = array<i64: 1, 0>}
func.func @dynamic(%x: tensor<?x?xf32>) -> (tensor<?x?xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.exp %x : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// An input that has to be permuted gives permuted intermediates and results as a hint, which is no promise.

// CHECK-LABEL: func.func @hinted(
// CHECK-SAME:    memref<4x5x6xf32, strided<[30, 1, 5]>>
// CHECK:         host.alloc () {stride_order = array<i64: 0, 2, 1>} : memref<4x5x6xf32, strided<[30, 1, 5]>>
// CHECK:         host.output 0 () {stride_order = array<i64: 0, 2, 1>} : memref<4x5x6xf32, strided<[30, 1, 5]>>
// DROP-LABEL: func.func @hinted(
// DROP-SAME:    memref<4x5x6xf32, strided<[30, 1, 5]>>
// DROP:         host.alloc () : memref<4x5x6xf32>
// DROP:         host.output 0 () : memref<4x5x6xf32>
func.func @hinted(%x: tensor<4x5x6xf32> {fusion.stride_order = array<i64: 0, 2, 1>}) -> tensor<4x5x6xf32> {
  %0 = fusion.exp %x : tensor<4x5x6xf32>
  %1 = fusion.segment_set %0 : tensor<4x5x6xf32>
  %2 = fusion.neg %1 : tensor<4x5x6xf32>
  return %2 : tensor<4x5x6xf32>
}

// -----

// A requirement wins over the hint.

// CHECK-LABEL: func.func @both(
// CHECK:         host.output 0 () : memref<4x5x6xf32>
// DROP-LABEL: func.func @both(
// DROP:         host.output 0 () : memref<4x5x6xf32>
func.func @both(%x: tensor<4x5x6xf32> {fusion.stride_order = array<i64: 0, 2, 1>})
    -> (tensor<4x5x6xf32> {fusion.stride_order = array<i64: 0, 1, 2>}) {
  %0 = fusion.exp %x : tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}

// -----

// Inputs with any strides.

// CHECK-LABEL: func.func @any(
// CHECK-SAME:    %[[X:.+]]: memref<?x8xf32, strided<[?, ?]>>
// CHECK:         host.output 0 (%{{.+}}) : memref<?x8xf32>
// DROP-LABEL: func.func @any(
func.func @any(%x: tensor<?x8xf32> {fusion.layout = "any"}) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
