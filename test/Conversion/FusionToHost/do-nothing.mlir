// RUN: fuser-opt %s --fusion-to-host | FileCheck %s
// RUN: fuser-opt %s --fusion-to-host | fuser-opt --fusion-to-host | FileCheck %s

// Functions that are no programs of tensors stay as they are; so does what is a host program already.

// CHECK-LABEL: func.func private @declaration(tensor<?xf32>) -> tensor<?xf32>
func.func private @declaration(tensor<?xf32>) -> tensor<?xf32>

// CHECK-LABEL: func.func @scalars(
// CHECK-NOT:     host.program
// CHECK:         arith.addi
func.func @scalars(%n: index) -> index {
  %0 = arith.addi %n, %n : index
  return %0 : index
}

// Nothing to compute is a program too.

// CHECK-LABEL: func.func @nothing() attributes {host.program} {
// CHECK-NEXT:    return
func.func @nothing() {
  return
}

// CHECK-LABEL: func.func @unused(
// CHECK-SAME:    memref<?x8xf32>
// CHECK-SAME:    attributes {host.program}
// CHECK-NOT:     host.{{alloc|launch}}
// CHECK:         return
func.func @unused(%x: tensor<?x8xf32>) {
  return
}
