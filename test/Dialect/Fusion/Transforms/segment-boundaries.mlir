// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=sm_90}))' | FileCheck %s

// A segment_set is a boundary, and disappears.

// CHECK-LABEL: func.func @boundary
// CHECK-SAME:    (%[[X:.+]]: tensor<?x8xf32>)
// CHECK-NEXT:    %[[A:.+]] = fusion.segment "pointwise" (%{{.+}} = %[[X]]
// CHECK-NEXT:      fusion.exp
// CHECK-NEXT:      fusion.yield
// CHECK:         %[[B:.+]] = fusion.segment "pointwise" (%{{.+}} = %[[A]]
// CHECK-NEXT:      fusion.neg
// CHECK-NEXT:      fusion.yield
// CHECK-NOT:     fusion.segment
// CHECK:         return %[[B]]
func.func @boundary(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.neg %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// Also where another path leads around it: one segment would depend on itself.

// CHECK-LABEL: func.func @around
// CHECK:         %[[A:.+]] = fusion.segment
// CHECK:           fusion.exp
// CHECK:         fusion.segment "pointwise" (%[[I:.+]] = %[[A]] : tensor<?x8xf32>) ->
// CHECK-NEXT:      fusion.add %[[I]], %[[I]]
// CHECK-NOT:     fusion.segment
func.func @around(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.add %0, %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// The tensor at the boundary may be a result too.

// CHECK-LABEL: func.func @boundary_is_result
// CHECK:         %[[A:.+]] = fusion.segment
// CHECK:         %[[B:.+]] = fusion.segment
// CHECK-NOT:     fusion.segment
// CHECK:         return %[[A]], %[[B]]
func.func @boundary_is_result(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.neg %1 : tensor<?x8xf32>
  return %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Two boundaries in a row, and one of an input.

// CHECK-LABEL: func.func @boundaries
// CHECK:         fusion.segment
// CHECK-NOT:     fusion.segment_set
// CHECK-NOT:     fusion.segment
func.func @boundaries(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.segment_set %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.neg %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// A returned input is copied, whether or not a boundary is in between; so is what is returned twice.

// CHECK-LABEL: func.func @returned
// CHECK-SAME:    (%[[X:.+]]: tensor<?x8xf32>)
// CHECK:         %[[R:.+]]:3 = fusion.segment "pointwise" (%[[A:.+]] = %[[X]] :
// CHECK-NEXT:      %[[E:.+]] = fusion.exp %[[A]]
// CHECK-NEXT:      %[[C:.+]] = fusion.set %[[A]]
// CHECK-NEXT:      %[[S:.+]] = fusion.set %[[E]]
// CHECK-NEXT:      fusion.yield %[[E]], %[[C]], %[[S]]
// CHECK:         return %[[R]]#1, %[[R]]#0, %[[R]]#2
func.func @returned(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %x : tensor<?x8xf32>
  return %1, %0, %0 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Views of an input stay outside, and what else uses them gets its own.

// CHECK-LABEL: func.func @view
// CHECK:         %[[V:.+]] = fusion.permute %{{.+}} [1, 0]
// CHECK:         fusion.segment "pointwise" (%[[A:.+]] = %{{.+}} : tensor<?x8xf32>) -> (tensor<8x?xf32>)
// CHECK-NEXT:      fusion.permute %[[A]]
// CHECK-NEXT:      fusion.exp
// CHECK-NOT:     fusion.forward
// CHECK:         return %[[V]]
func.func @view(%x: tensor<?x8xf32>)
    -> (tensor<8x?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<8x?xf32>) {
  %0 = fusion.permute %x [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
  %1 = fusion.exp %0 : tensor<8x?xf32>
  return %0, %1 : tensor<8x?xf32>, tensor<8x?xf32>
}

// -----

// CHECK-LABEL: func.func @input_as_view
// CHECK-NEXT:    return
func.func @input_as_view(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  return %x : tensor<?x8xf32>
}

// -----

// Size arithmetic never makes a segment: it comes first, made of the sizes of the arguments, and enters as operands. Constants
// are copied.

// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    (%[[X:.+]]: tensor<?x8xf32>, %[[M:.+]]: index)
// CHECK-DAG:     %[[D:.+]] = tensor.dim %[[X]]
// CHECK:         %[[S:.+]] = arith.addi %[[D]], %[[M]]
// CHECK-NOT:     tensor.dim
// CHECK:         %[[R:.+]] = fusion.segment "pointwise" (%[[A:.+]] = %[[X]] : tensor<?x8xf32>, %[[I:.+]] = %[[D]] : index) -> (tensor<?x8xf32>)
// CHECK:           %[[C:.+]] = arith.constant 2.0
// CHECK:           fusion.full %[[C]] sizes(%[[I]])
// CHECK:         return %[[R]], %[[S]]
func.func @sizes(%x: tensor<?x8xf32>, %m: index) -> (tensor<?x8xf32>, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2.0 : f32
  %0 = fusion.exp %x : tensor<?x8xf32>
  %d = tensor.dim %0, %c0 : tensor<?x8xf32>
  %1 = fusion.full %c2 sizes(%d) : tensor<?x8xf32>
  %2 = fusion.mul %0, %1 : tensor<?x8xf32>
  %e = tensor.dim %2, %c0 : tensor<?x8xf32>
  %s = arith.addi %e, %m : index
  return %2, %s : tensor<?x8xf32>, index
}

// -----

// In place: the kernel that computes the result reads the input where it writes.

// CHECK-LABEL: func.func @in_place
// CHECK:         fusion.segment
// CHECK-NOT:     fusion.segment
func.func @in_place(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// So does a copy that the program asks for.

// CHECK-LABEL: func.func @set_in_place
// CHECK:         fusion.segment
// CHECK:           fusion.exp
// CHECK-NEXT:      fusion.set
// CHECK-NOT:     fusion.segment
func.func @set_in_place(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.set %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// Rows are read by several threads: the result gets there by a copy, after everything that reads the input.

// CHECK-LABEL: func.func @rows_in_place
// CHECK-SAME:    (%[[X:.+]]: tensor<?x512xf32>
// CHECK:         %[[A:.+]]:2 = fusion.segment "row_reduction" (%{{.+}} = %[[X]]
// CHECK:           fusion.tanh
// CHECK:         %[[C:.+]] = fusion.segment "pointwise" (%{{.+}} = %[[A]]#0
// CHECK-NEXT:      fusion.set
// CHECK-NOT:     fusion.segment
// CHECK:         return %[[C]], %[[A]]#1
func.func @rows_in_place(%x: tensor<?x512xf32>)
    -> (tensor<?x512xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<?x512xf32>) {
  %s = fusion.reduce <sum> %x dims [1] keep : tensor<?x512xf32> to tensor<?x1xf32>
  %sx = fusion.expand %s : tensor<?x1xf32> to tensor<?x512xf32>
  %0 = fusion.sub %x, %sx : tensor<?x512xf32>
  %1 = fusion.tanh %x : tensor<?x512xf32>
  return %0, %1 : tensor<?x512xf32>, tensor<?x512xf32>
}
