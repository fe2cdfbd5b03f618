// Views of inputs by way of index maps of another dialect: of strides that a value gives, and of another shape.
// REQUIRES: build-tree
// RUN: fuser-test-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host,canonicalize,cse)' | FileCheck %s

// CHECK-LABEL: func.func @every(
// CHECK-SAME:    %[[X:.+]]: memref<?xf32>{{.*}}, %[[STEP:.+]]: index
// CHECK-NOT:     host.launch
// CHECK:         memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%{{.+}}], strides: [%[[STEP]]] : memref<?xf32> to memref<?xf32, strided<[?]>>
// CHECK-NEXT:    host.output_view 0, %{{.+}} input 0
func.func @every(%x: tensor<?xf32>, %step: index) -> (tensor<?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %0 = test_fusion.every %x step %step : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The strides of a chain multiply.

// CHECK-LABEL: func.func @every_of_column(
// CHECK-SAME:    %[[X:.+]]: memref<?x8xf32>{{.*}}, %[[STEP:.+]]: index
// CHECK:         %[[STRIDE:.+]] = arith.muli %[[STEP]], %c8
// CHECK:         memref.reinterpret_cast %[[X]] to offset: [3], sizes: [%{{.+}}], strides: [%[[STRIDE]]]
func.func @every_of_column(%x: tensor<?x8xf32>, %step: index)
    -> (tensor<?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %s = fusion.slice %x offsets [0, 3] sizes [%n, 1] steps [1, 1] : tensor<?x8xf32> to tensor<?x1xf32>
  %r = fusion.reshape %s : tensor<?x1xf32> to tensor<?xf32>
  %0 = test_fusion.every %r step %step : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Dense memory of another shape. The op checks the number of its elements.

// CHECK-LABEL: func.func @flatten(
// CHECK-SAME:    %[[X:.+]]: memref<?x?xf32>{{.*}}, %[[SIZE:.+]]: index
// CHECK:         %[[COUNT:.+]] = arith.muli
// CHECK:         %[[EQUAL:.+]] = arith.cmpi eq, %[[COUNT]], %[[SIZE]]
// CHECK:         host.check %[[EQUAL]], "{{.*}}views.mlir:{{[0-9]+}}:{{[0-9]+}}: test_fusion.flatten: expected size {0}, got {1}" (%[[COUNT]], %[[SIZE]]
// CHECK-NOT:     host.launch
// CHECK:         memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[SIZE]]], strides: [1]
func.func @flatten(%x: tensor<?x?xf32>, %size: index) -> (tensor<?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %0 = test_fusion.flatten %x size %size : tensor<?x?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Of memory that is not dense it is no view.

func.func @flatten_permuted(%x: tensor<?x?xf32>, %size: index)
    -> (tensor<?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %p = fusion.permute %x [1, 0] : tensor<?x?xf32> to tensor<?x?xf32>
  // expected-error @below {{result 0: expected a view of input 0 'arg0' (its alias kind is evaluate), but no strides give the result of this op}}
  %0 = test_fusion.flatten %p size %size : tensor<?x?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// An op that says nothing of strides gives no view, though its map is affine.

func.func @reverse(%x: tensor<8xf32>) -> (tensor<8xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  // expected-error @below {{but no strides give the result of this op}}
  %0 = test_fusion.reverse %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
