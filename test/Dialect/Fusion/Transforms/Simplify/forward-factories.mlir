// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-forward-factories))' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=sm_90}))' \
// RUN:   | FileCheck %s --check-prefix=SEG

// Each segment has its own full.

// CHECK-LABEL: func.func @seed
// CHECK:         fusion.full %{{.+}} sizes(%{{.+}}) {fusion.forward}
// SEG-LABEL: func.func @seed
// SEG:         %[[A:.+]] = fusion.segment
// SEG:           fusion.full
// SEG:           fusion.add
// SEG:         fusion.segment "pointwise" (%{{.+}} = %[[A]]
// SEG:           fusion.full
// SEG:           fusion.add
// SEG-NOT:     fusion.full
func.func @seed(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %f = fusion.full %one sizes(%n) : tensor<?x8xf32>
  %0 = fusion.add %x, %f : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.add %1, %f : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// Never into a result of the program, never through a boundary.

// CHECK-LABEL: func.func @not_stored
// CHECK-NOT:     fusion.forward
// SEG-LABEL: func.func @not_stored
// SEG:         %[[F:.+]] = fusion.segment
// SEG-NEXT:      arith.constant
// SEG-NEXT:      fusion.full
// SEG:         return %{{.+}}, %{{.+}}
func.func @not_stored(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %f = fusion.full %one : tensor<8xf32>
  %g = fusion.full %two : tensor<8xf32>
  %b = fusion.segment_set %f : tensor<8xf32>
  %0 = fusion.add %x, %b : tensor<8xf32>
  return %0, %g : tensor<8xf32>, tensor<8xf32>
}

// -----

// Chains of cheap ops on one operand, from inputs and factories on; not what computes, not what has two operands.

// CHECK-LABEL: func.func @chains
// CHECK:         fusion.cast %{{.+}} {fusion.forward}
// CHECK:         fusion.neg %{{.+}} {fusion.forward}
// CHECK:         fusion.exp %{{.+}} :
// CHECK:         fusion.add %{{.+}} :
// CHECK:         fusion.permute %{{.+}} {fusion.forward}
// CHECK:         fusion.cast %{{.+}} : tensor<8x8xf32> to tensor<8x8xbf16>
func.func @chains(%x: tensor<8x8xbf16>, %y: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xbf16>) {
  %0 = fusion.cast %x : tensor<8x8xbf16> to tensor<8x8xf32>
  %1 = fusion.neg %0 : tensor<8x8xf32>
  %2 = fusion.exp %y : tensor<8x8xf32>
  %3 = fusion.add %1, %2 : tensor<8x8xf32>
  %4 = fusion.permute %x [1, 0] : tensor<8x8xbf16> to tensor<8x8xbf16>
  %5 = fusion.cast %4 : tensor<8x8xbf16> to tensor<8x8xf32>
  %6 = fusion.mul %5, %3 : tensor<8x8xf32>
  %7 = fusion.cast %y : tensor<8x8xf32> to tensor<8x8xbf16>
  %8 = fusion.mul %7, %7 : tensor<8x8xbf16>
  return %2, %3, %6, %8 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xbf16>
}

// -----

// What repeats or widens elements is better computed from the smaller tensor: the boundary passes bf16, one element a row.

// CHECK-LABEL: func.func @narrow_boundary
// SEG-LABEL: func.func @narrow_boundary
// SEG:         %[[S:.+]] = fusion.segment "outer_reduction"
// SEG-SAME:      -> (tensor<1x512xbf16>)
// SEG:         fusion.segment "pointwise" ({{.*}}%[[S]] : tensor<1x512xbf16>
// SEG:           fusion.cast
// SEG:           fusion.expand
func.func @narrow_boundary(%x: tensor<?x512xbf16>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xbf16>
  %s = fusion.reduce <sum> %x dims [0] keep : tensor<?x512xbf16> to tensor<1x512xbf16>
  // CHECK: fusion.cast %{{.+}} {fusion.forward} : tensor<1x512xbf16>
  %h = fusion.cast %s : tensor<1x512xbf16> to tensor<1x512xf32>
  // CHECK: fusion.expand %{{.+}} {fusion.forward}
  %e = fusion.expand %h sizes(%n) : tensor<1x512xf32> to tensor<?x512xf32>
  // CHECK: fusion.cast %{{.+}} {fusion.forward}
  %f = fusion.cast %x : tensor<?x512xbf16> to tensor<?x512xf32>
  %y = fusion.mul %f, %e : tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

// -----

// CHECK-LABEL: func.func @do_nothing
// CHECK-NOT:     fusion.forward
func.func @do_nothing(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fusion.add %x, %y : tensor<8xf32>
  %1 = fusion.neg %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
