// Functions of tensors can be inlined, which segmentation asks for.
// RUN: fuser-opt %s --inline | FileCheck %s

// CHECK-LABEL: func.func @caller
// CHECK-NEXT: %[[E:.+]] = fusion.exp
// CHECK-NEXT: %[[N:.+]] = fusion.neg %[[E]]
// CHECK-NEXT: return %[[N]]
func.func private @callee(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.neg %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func @caller(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = call @callee(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
