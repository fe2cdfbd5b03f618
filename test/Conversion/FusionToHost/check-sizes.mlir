// What a program asks of sizes is written down before anything is simplified.
// RUN: fuser-opt %s --split-input-file --fusion-check-sizes --canonicalize | FileCheck %s
// RUN: fuser-opt %s --split-input-file --fusion-check-sizes --fusion-check-sizes --canonicalize | FileCheck %s
// RUN: fuser-opt %s --split-input-file --fusion-check-sizes --canonicalize --fusion-segment --fusion-schedule --fusion-to-kernel --fusion-to-host --canonicalize | FileCheck %s --check-prefix=HOST

// The op goes, what it asks stays.

// CHECK-LABEL: func.func @folded_where(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: tensor<?xf32> {{.*}}, %[[N:[a-z0-9]+]]: index {{.*}} attributes {fusion.sizes_checked}
// CHECK-NOT:     fusion.where
// CHECK-DAG:     %[[SIZE:.+]] = tensor.dim %[[Y]]
// CHECK-DAG:     %[[SAME:.+]] = arith.cmpi eq, %[[SIZE]], %[[N]]
// CHECK:         fusion.check %[[SAME]], "fusion.where: expected the size in scalar 0 'n' to be {0}, as dimension 0 of input 0 'y', got {1}" (%[[SIZE]], %[[N]] : index, index)
// CHECK-NEXT:    return %[[Y]]
// HOST-LABEL: func.func @folded_where(
// HOST-NOT:     sizes_checked
// HOST:         host.check %{{.+}}, "{{.*}}check-sizes.mlir:{{[0-9]+}}:{{[0-9]+}}: fusion.where: expected the size in scalar 0 'n' to be {0}
func.func @folded_where(%y: tensor<?xf32> {fusion.name = "y"}, %n: index {fusion.name = "n"}) -> tensor<?xf32> {
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %yes = fusion.full %true sizes(%m) : tensor<?xi1>
  %other = fusion.full %zero sizes(%n) : tensor<?xf32>
  %0 = fusion.where %yes, %y, %other : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @folded_reshapes(
// CHECK:         fusion.check %{{.+}}, "fusion.reshape: expected a shape of as many elements as the input has, {0}, got {1}: from [{2}, {3}] to [{4}, {5}]"
// CHECK:         return %arg0
// HOST-LABEL: func.func @folded_reshapes(
// HOST:         host.check %{{.+}}, "{{.*}}check-sizes.mlir:{{[0-9]+}}:{{[0-9]+}}: fusion.reshape: expected a shape of as many elements as the input has, {0}, got {1}: from [{2}, {3}] to [{4}, {5}]"
func.func @folded_reshapes(%y: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %0 = fusion.reshape %y sizes(%n) : tensor<?x8xf32> to tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// A slice of one value that is larger than the value's tensor.

// CHECK-LABEL: func.func @folded_slice(
// CHECK:         fusion.check %{{.+}}, "fusion.slice, dimension 0: expected a slice of the {0} elements of the input
// HOST-LABEL: func.func @folded_slice(
// HOST:         host.check %{{.+}}, "{{.*}}check-sizes.mlir:{{[0-9]+}}:{{[0-9]+}}: fusion.slice, dimension 0: expected a slice of the {0} elements of the input
func.func @folded_slice(%n: index, %m: index) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %0 = fusion.full %one sizes(%n) : tensor<?xf32>
  %1 = fusion.slice %0 offsets [0] sizes [%m] steps [1] : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Nothing reads what asks.

// CHECK-LABEL: func.func @unused(
// CHECK-NOT:     fusion.add
// CHECK:         fusion.check %{{.+}}, "fusion.add: expected dimension 0 of input 1 'y' to be {0}, as dimension 0 of input 0 'x', got {1}"
// HOST-LABEL: func.func @unused(
// HOST:         host.check %{{.+}}, "{{.*}}check-sizes.mlir:{{[0-9]+}}:{{[0-9]+}}: fusion.add: expected dimension 0 of input 1 'y' to be {0}, as dimension 0 of input 0 'x', got {1}"
func.func @unused(%x: tensor<?xf32> {fusion.name = "x"}, %y: tensor<?xf32> {fusion.name = "y"}) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>
  %1 = fusion.neg %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// What the description of the arguments says is not checked twice.

// CHECK-LABEL: func.func @described(
// CHECK:         fusion.check %{{.+}}, "fusion.add: expected dimension 0 of input 1
// HOST-LABEL: func.func @described(
// HOST-NOT:     host.check
// HOST-NOT:     arith.cmpi
// HOST:         return
func.func @described(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A check of the program's own.

// CHECK-LABEL: func.func @own(
// CHECK:         fusion.check %{{.+}}, "expected no more than 8 rows, got {0}" (%[[N:.+]] : index)
// CHECK-NOT:     "holds"
// HOST-LABEL: func.func @own(
// HOST:         host.check %{{.+}}, "{{.*}}check-sizes.mlir:{{[0-9]+}}:{{[0-9]+}}: expected no more than 8 rows, got {0}"
func.func @own(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %true = arith.constant true
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %few = arith.cmpi ule, %n, %c8 : index
  fusion.check %few, "expected no more than 8 rows, got {0}" (%n : index)
  fusion.check %true, "holds"
  %0 = fusion.neg %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Nothing to ask.

// CHECK-LABEL: func.func @known(
// CHECK-NOT:     fusion.check
// HOST-LABEL: func.func @known(
// HOST-NOT:     host.check
func.func @known(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = fusion.add %x, %y : tensor<4xf32>
  %1 = fusion.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// -----

// What is part of a request is called so, whatever its op; the message of another check is as it was written.

// CHECK-LABEL: func.func @requested(
// CHECK-DAG:     fusion.check %{{.+}}, "'narrow', dimension 0: expected a slice of the {0} elements
// CHECK-DAG:     fusion.check %{{.+}}, "fusion.slice: as the program says"
// HOST-LABEL: func.func @requested(
// HOST-DAG:     host.check %{{.+}}, "f.py:3:1: 'narrow', dimension 0: expected a slice of the {0} elements
// HOST-DAG:     host.check %{{.+}}, "f.py:4:1: fusion.slice: as the program says"
func.func @requested(%x: tensor<?xf32>, %n: index, %ok: i1) -> tensor<?xf32> {
  %y = fusion.slice %x offsets [0] sizes [%n] steps [1] : tensor<?xf32> to tensor<?xf32> loc(fused<{"fuser.request" = "narrow"}>["f.py":3:1])
  fusion.check %ok, "fusion.slice: as the program says" loc(fused<{"fuser.request" = "narrow"}>["f.py":4:1])
  return %y : tensor<?xf32>
}

// -----

// An operand is noted as what a reduction has left.

// CHECK-LABEL: func.func @reduced(
// CHECK:         fusion.check %{{.+}}, "fusion.slice of a reduction without 'keep' (keepdims=True), dimension 0: expected a slice
// HOST-LABEL: func.func @reduced(
// HOST:         host.check %{{.+}}, "f.py:3:1: fusion.slice of a reduction without 'keep' (keepdims=True), dimension 0: expected a slice
func.func @reduced(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %y = fusion.slice %x offsets [0] sizes [%n] steps [1] : tensor<?xf32> to tensor<?xf32> loc(fused<{fuser.reduced}>["f.py":3:1])
  return %y : tensor<?xf32>
}

// -----

// No function of tensors.

// CHECK-LABEL: func.func @scalars(
// CHECK-NOT:     fusion.sizes_checked
func.func @scalars(%n: index) -> index {
  return %n : index
}

// CHECK-LABEL: func.func private @declared(
// CHECK-NOT:     fusion.sizes_checked
func.func private @declared(tensor<?xf32>) -> tensor<?xf32>
