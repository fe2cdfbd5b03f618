// Results that live in inputs.
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=sm_90}),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},fusion-to-host,func.func(host-deallocate),canonicalize,cse)' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host,func.func(host-deallocate),canonicalize,cse)' | FileCheck %s

// In place: no buffer but the input's, which the launch writes.

// CHECK-LABEL: func.func @reuse(
// CHECK-SAME:    %[[X:.+]]: memref<?x8xf32>
// CHECK-NOT:     host.{{alloc|output 0 [(]}}
// CHECK:         host.launch @reuse_0::@reuse_0 {{.*}} args(%[[X]], %[[X]] : {{.*}}) writes [1]
// CHECK:         host.output_view 0, %[[X]] input 0
// CHECK-NEXT:    return %[[X]]
func.func @reuse(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// An input into which another input's values go.

// CHECK-LABEL: func.func @copy_into(
// CHECK-SAME:    %[[X:.+]]: memref<8xf32>{{.*}}, %[[Y:.+]]: memref<8xf32>
// CHECK-NOT:     host.alloc
// CHECK:         host.launch {{.*}} args(%[[X]], %[[Y]] : {{.*}}) writes [1]
// CHECK:         host.output_view 0, %[[Y]] input 1
// CHECK-NEXT:    return %[[Y]]
func.func @copy_into(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32> {fusion.alias = #fusion.alias<reuse, 1>}) {
  return %x : tensor<8xf32>
}

// -----

// Two inputs change places: both are kept before either is overwritten.

// CHECK-LABEL: func.func @swap(
// CHECK-SAME:    %[[X:.+]]: memref<8xf32>{{.*}}, %[[Y:.+]]: memref<8xf32>
// CHECK-DAG:     host.launch {{.*}} args(%[[X]], %[[KX:[0-9a-z_]+]] : {{.*}}) writes [1]
// CHECK-DAG:     host.launch {{.*}} args(%[[Y]], %[[KY:[0-9a-z_]+]] : {{.*}}) writes [1]
// CHECK:         host.launch {{.*}} args(%[[KX]], %[[Y]] : {{.*}}) writes [1]
// CHECK:         host.launch {{.*}} args(%[[KY]], %[[X]] : {{.*}}) writes [1]
// CHECK:         return %[[Y]], %[[X]]
func.func @swap(%x: tensor<8xf32>, %y: tensor<8xf32>)
    -> (tensor<8xf32> {fusion.alias = #fusion.alias<reuse, 1>}, tensor<8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  return %x, %y : tensor<8xf32>, tensor<8xf32>
}

// -----

// A view, without a launch.

// CHECK-LABEL: func.func @view(
// CHECK-SAME:    %[[X:.+]]: memref<4x8xf32>
// CHECK-NOT:     host.launch
// CHECK:         %[[V:.+]] = memref.reinterpret_cast %[[X]] to offset: [9], sizes: [3, 2], strides: [2, 8] : memref<4x8xf32> to memref<3x2xf32, strided<[2, 8], offset: 9>>
// CHECK:         host.output_view 0, %[[V]] input 0
// CHECK-NEXT:    return %[[V]]
func.func @view(%x: tensor<4x8xf32>) -> (tensor<3x2xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %0 = fusion.slice %x offsets [1, 1] sizes [2, 3] steps [1, 2] : tensor<4x8xf32> to tensor<2x3xf32>
  %1 = fusion.permute %0 [1, 0] : tensor<2x3xf32> to tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// -----

// The input itself, and once more as a view, and as new memory.

// CHECK-LABEL: func.func @three(
// CHECK-SAME:    %[[X:.+]]: memref<4x8xf32>
// CHECK:         %[[R:.+]] = host.output 2 () : memref<4x8xf32>
// CHECK:         host.launch {{.*}} args(%[[X]], %[[R]] :
// CHECK-NOT:     host.launch
// CHECK:         host.output_view 0, %[[X]]
// CHECK:         %[[V:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8, 4], strides: [1, 8]
// CHECK:         host.output_view 1, %[[V]]
// CHECK:         return %[[X]], %[[V]], %[[R]]
func.func @three(%x: tensor<4x8xf32>)
    -> (tensor<4x8xf32> {fusion.alias = #fusion.alias<evaluate, 0>},
        tensor<8x4xf32> {fusion.alias = #fusion.alias<evaluate, 0>, fusion.stride_order = array<i64: 1, 0>}, tensor<4x8xf32>) {
  %0 = fusion.permute %x [1, 0] : tensor<4x8xf32> to tensor<8x4xf32>
  return %x, %0, %x : tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>
}

// -----

// A result of another size than its input's is found out before anything is written.

// CHECK-LABEL: func.func @reuse_size(
// CHECK-SAME:    %[[X:.+]]: memref<?x8xf32>{{.*}}, %[[N:.+]]: index
// CHECK-DAG:     %[[ROWS:.+]] = memref.dim %[[X]], %{{.+}} : memref<?x8xf32>
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %[[ROWS]], %[[N]] : index
// CHECK:         host.check %[[SAME]], "{{.*}}aliases.mlir:{{[0-9]+}}:{{[0-9]+}}: output 0 'y': expected dimension 0 to be {0} because it is written into the memory of input 0 'arg0', got {1}" (%[[ROWS]], %[[N]] : index, index)
// CHECK-NOT:     host.check
// CHECK:         host.{{alloc|launch}}
func.func @reuse_size(%x: tensor<?x8xf32>, %n: index)
    -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>, fusion.name = "y"}) {
  %v = arith.constant 1.0 : f32
  %0 = fusion.full %v sizes(%n) : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
