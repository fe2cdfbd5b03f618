// What sizes are computed by must not stop the program: divisions are checked before they happen.
// RUN: fuser-opt %s --split-input-file --fusion-to-host | FileCheck %s

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME:    %[[A:.+]]: index, %[[B:.+]]: index
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         %[[IS_ZERO:.+]] = arith.cmpi eq, %[[B]], %[[ZERO]] : index
// CHECK:         %[[FALSE:.+]] = arith.constant false
// CHECK:         %[[OK:.+]] = arith.cmpi eq, %[[IS_ZERO]], %[[FALSE]] : i1
// CHECK:         host.check %[[OK]], "{{.*}}size-arithmetic.mlir:13:8: arith.remui: expected a divisor other than 0, got {0} / {1}" (%[[A]], %[[B]] : index, index)
// CHECK-NEXT:    arith.remui %[[A]], %[[B]]
func.func @unsigned(%a: index, %b: index) {
  %0 = arith.remui %a, %b : index
  return
}

// -----

// CHECK-LABEL: func.func @signed(
// CHECK-SAME:    %[[A:.+]]: i32, %[[B:.+]]: i32
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant -2147483648 : i32
// CHECK-DAG:     arith.cmpi eq, %[[B]], %{{.+}}
// CHECK-DAG:     arith.subi %[[A]], %[[LEAST]]
// CHECK:         host.check %{{.+}}, "{{.*}}size-arithmetic.mlir:{{[0-9]+}}:{{[0-9]+}}: arith.floordivsi: expected a divisor other than 0 and a quotient that fits, got {0} / {1}" (%[[A]], %[[B]] : i32, i32)
// CHECK-NEXT:    arith.floordivsi %[[A]], %[[B]]
func.func @signed(%a: i32, %b: i32) {
  %0 = arith.floordivsi %a, %b : i32
  return
}

// -----

// Of the index dialect: the same. Where -1 is the divisor the neighbours of the dividend count too.

// CHECK-LABEL: func.func @rounded(
// CHECK:         arith.constant 9223372036854775807 : index
// CHECK:         host.check %{{.+}}, "{{.*}}size-arithmetic.mlir:{{[0-9]+}}:{{[0-9]+}}: index.ceildivs: expected a divisor other than 0 and a quotient that fits
// CHECK-NEXT:    index.ceildivs
func.func @rounded(%a: index, %b: index) {
  %0 = index.ceildivs %a, %b
  return
}

// -----

// A constant that divides any number needs no check; 0 does, and so does -1 with signs.

// CHECK-LABEL: func.func @constants(
// CHECK-NOT:     host.check
// CHECK:         arith.divsi
// CHECK-NOT:     host.check
// CHECK:         arith.divui
// CHECK:         host.check %{{.+}}, "{{.*}}size-arithmetic.mlir:{{[0-9]+}}:{{[0-9]+}}: arith.remsi
// CHECK-NEXT:    arith.remsi
// CHECK:         host.check %{{.+}}, "{{.*}}size-arithmetic.mlir:{{[0-9]+}}:{{[0-9]+}}: arith.ceildivui
// CHECK-NEXT:    arith.ceildivui
func.func @constants(%a: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %minus = arith.constant -1 : index
  %0 = arith.divsi %a, %c4 : index
  %1 = arith.divui %a, %minus : index
  %2 = arith.remsi %a, %minus : index
  %3 = arith.ceildivui %a, %c0 : index
  return
}
