// RUN: fuser-opt %s --host-expand-ops --split-input-file | FileCheck %s

// Ops that compute the same on the same types call one function; a size that one operand shows is known of all.

// CHECK-LABEL: func.func @ops
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x8xf32>, %[[B:[a-z0-9]+]]: memref<4x8xf32, strided<[?, ?]>>
func.func @ops(%a: memref<?x8xf32>, %b: memref<4x8xf32, strided<[?, ?]>>, %r: memref<8xf32>, %v: f32) attributes {host.program} {
  // CHECK-NEXT: host.call @host_add(%[[A]], %[[B]] : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?]>>) outs(%[[A]] : memref<?x8xf32>)
  host.add %a, %b, %a : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?]>>, memref<?x8xf32>
  // CHECK-NEXT: host.call @host_add(%[[A]], %[[B]]
  host.add %a, %b, %a : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?]>>, memref<?x8xf32>
  // CHECK-NEXT: host.call @host_reduction(%[[A]] : memref<?x8xf32>) outs(%{{.+}} : memref<8xf32>)
  host.reduction <max> %a, %r dims [0] : memref<?x8xf32>, memref<8xf32>
  // CHECK-NEXT: host.call @host_reduction_0
  host.reduction <min> %a, %r dims [0] : memref<?x8xf32>, memref<8xf32>
  // CHECK: %[[N:.+]] = memref.dim %[[A]], %{{.+}}
  // CHECK-NEXT: host.call @host_fill(%{{.+}}, %[[N]] : f32, index) outs(%[[A]] : memref<?x8xf32>)
  host.fill %v, %a : f32, memref<?x8xf32>
  // The device copies bytes.
  // CHECK-NEXT: host.copy %[[A]], %[[A]]
  host.copy %a, %a : memref<?x8xf32>, memref<?x8xf32>
  // CHECK-NEXT: host.call @host_copy(%[[B]] : memref<4x8xf32, strided<[?, ?]>>) outs(%[[A]] : memref<?x8xf32>)
  host.copy %b, %a : memref<4x8xf32, strided<[?, ?]>>, memref<?x8xf32>
  return
}
// CHECK: func.func private @host_add(%[[X:.+]]: tensor<4x8xf32>, %[[Y:.+]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[Z:.+]] = fusion.add %[[X]], %[[Y]]
// CHECK-NEXT: return %[[Z]]
// CHECK: func.func private @host_reduction(
// CHECK: fusion.reduce <max> %{{.+}} dims [0]
// CHECK: func.func private @host_reduction_0(
// CHECK: fusion.reduce <min> %{{.+}} dims [0]
// CHECK: func.func private @host_fill(%[[V:.+]]: f32, %[[M:.+]]: index) -> tensor<?x8xf32>
// CHECK-NEXT: fusion.full %[[V]] sizes(%[[M]]) : tensor<?x8xf32>
// CHECK: func.func private @host_copy(
// CHECK-NEXT: fusion.set

// -----

// What is known of the weights' terms is known of the operand.

// CHECK-LABEL: func.func @linear
func.func @linear(%x: memref<?x?xf32>, %w: memref<3x6xf32>, %o: memref<5x?xf32>) attributes {host.program} {
  // CHECK: host.call @host_linear
  host.linear %x, %w, %o : memref<?x?xf32>, memref<3x6xf32>, memref<5x?xf32>
  return
}
// CHECK: func.func private @host_linear(%{{.+}}: tensor<5x6xf32>, %{{.+}}: tensor<3x6xf32>) -> tensor<5x3xf32>

// -----

// Only host programs.

// CHECK-LABEL: func.func @no_program
func.func @no_program(%a: memref<8xf32>) {
  // CHECK: host.add
  host.add %a, %a, %a : memref<8xf32>, memref<8xf32>, memref<8xf32>
  return
}
