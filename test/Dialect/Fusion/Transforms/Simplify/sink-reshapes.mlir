// RUN: fuser-opt %s --split-input-file --fusion-sink-reshapes --canonicalize | FileCheck %s
// RUN: fuser-opt %s --split-input-file --fusion-sink-reshapes=open=false --canonicalize | FileCheck %s --check-prefix=KNOWN

// CHECK-LABEL: func.func @group_norm
// KNOWN-LABEL: func.func @group_norm
// KNOWN: fusion.cast {{.*}} : tensor<8x32x6272xf32>
// CHECK-SAME: %[[X:.*]]: tensor<8x32x6272xf32>, %[[W:.*]]: tensor<64xf32>
func.func @group_norm(%x: tensor<8x32x6272xf32>, %w: tensor<64xf32>) -> tensor<8x64x56x56xf16> {
  %s = fusion.reduce <sum> %x dims [2] keep : tensor<8x32x6272xf32> to tensor<8x32x1xf32>
  %e = fusion.expand %s : tensor<8x32x1xf32> to tensor<8x32x6272xf32>
  // CHECK: %[[Y:.*]] = fusion.sub %[[X]]
  %y = fusion.sub %x, %e : tensor<8x32x6272xf32>
  %r = fusion.reshape %y : tensor<8x32x6272xf32> to tensor<8x64x56x56xf32>
  // CHECK: fusion.broadcast %[[W]]
  // CHECK-NEXT: %[[B:.*]] = fusion.expand
  %b = fusion.broadcast_in_dim %w dims [1] : tensor<64xf32> to tensor<8x64x56x56xf32>
  // CHECK-NEXT: %[[V:.*]] = fusion.reshape %[[B]] : tensor<8x64x56x56xf32> to tensor<8x32x6272xf32>
  // CHECK-NEXT: %[[Z:.*]] = fusion.mul %[[Y]], %[[V]] : tensor<8x32x6272xf32>
  %z = fusion.mul %r, %b : tensor<8x64x56x56xf32>
  // CHECK-NEXT: %[[C:.*]] = fusion.cast %[[Z]] : tensor<8x32x6272xf32> to tensor<8x32x6272xf16>
  %c = fusion.cast %z : tensor<8x64x56x56xf32> to tensor<8x64x56x56xf16>
  // CHECK-NEXT: %[[R:.*]] = fusion.reshape %[[C]] : tensor<8x32x6272xf16> to tensor<8x64x56x56xf16>
  // CHECK-NEXT: return %[[R]]
  return %c : tensor<8x64x56x56xf16>
}

// -----

// Both operands are tensors of the rows, of open length.
// CHECK-LABEL: func.func @both
// KNOWN-LABEL: func.func @both
// KNOWN: fusion.add
// KNOWN-NEXT: fusion.reshape
func.func @both(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %one = arith.constant 1 : index
  %k = tensor.dim %x, %one : tensor<?x?xf32>
  // CHECK: fusion.reduce <max>
  %s = fusion.reduce <max> %x dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %e = fusion.expand %s sizes(%k) : tensor<?x1xf32> to tensor<?x?xf32>
  // CHECK: %[[Y:.*]] = fusion.sub
  %y = fusion.sub %x, %e : tensor<?x?xf32>
  // CHECK-NEXT: %[[Z:.*]] = fusion.exp %[[Y]]
  %z = fusion.exp %y : tensor<?x?xf32>
  // CHECK-NEXT: %[[A:.*]] = fusion.add %[[Y]], %[[Z]] : tensor<?x?xf32>
  // CHECK-NEXT: fusion.reshape %[[A]] sizes(%{{.*}}, %{{.*}}) : tensor<?x?xf32> to tensor<?x?xf32>
  %0 = fusion.reshape %y sizes(%n, %m) : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = fusion.reshape %z sizes(%n, %m) : tensor<?x?xf32> to tensor<?x?xf32>
  %2 = fusion.add %0, %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// The other operand has the sizes of the rows, which are values.
// KNOWN-LABEL: func.func @open
// KNOWN: fusion.reshape
// KNOWN-NEXT: fusion.add
// CHECK-LABEL: func.func @open
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?x8x?xf32>
func.func @open(%x: tensor<?x?xf32>, %y: tensor<?x8x?xf32>, %n: index, %m: index) -> tensor<?x8x?xf32> {
  %one = arith.constant 1 : index
  // CHECK: %[[K:.*]] = tensor.dim %[[X]], %c1
  %k = tensor.dim %x, %one : tensor<?x?xf32>
  %s = fusion.reduce <max> %x dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %e = fusion.expand %s sizes(%k) : tensor<?x1xf32> to tensor<?x?xf32>
  %d = fusion.sub %x, %e : tensor<?x?xf32>
  // CHECK: fusion.reshape %[[Y]] sizes(%{{.*}}, %{{.*}}) : tensor<?x8x?xf32> to tensor<?x?xf32>
  // CHECK-NEXT: fusion.add %{{.*}} : tensor<?x?xf32>
  // CHECK-NEXT: fusion.reshape %{{.*}} sizes(%{{.*}}, %{{.*}}) : tensor<?x?xf32> to tensor<?x8x?xf32>
  %r = fusion.reshape %d sizes(%n, %m) : tensor<?x?xf32> to tensor<?x8x?xf32>
  %0 = fusion.add %r, %y : tensor<?x8x?xf32>
  return %0 : tensor<?x8x?xf32>
}

// -----

// No reduction is in the way.
// CHECK-LABEL: func.func @pointwise
// CHECK: fusion.neg
// CHECK-NEXT: fusion.reshape
// CHECK-NEXT: fusion.exp
func.func @pointwise(%x: tensor<8x32xf32>) -> tensor<256xf32> {
  %0 = fusion.neg %x : tensor<8x32xf32>
  %1 = fusion.reshape %0 : tensor<8x32xf32> to tensor<256xf32>
  %2 = fusion.exp %1 : tensor<256xf32>
  return %2 : tensor<256xf32>
}

// -----

// The other operand has a reduction of its own.
// CHECK-LABEL: func.func @two_reductions
// CHECK: %[[R:.*]] = fusion.reshape
// CHECK: fusion.add %[[R]]
func.func @two_reductions(%x: tensor<8x32xf32>, %y: tensor<256x5xf32>) -> tensor<256xf32> {
  %s = fusion.reduce <max> %x dims [1] keep : tensor<8x32xf32> to tensor<8x1xf32>
  %e = fusion.expand %s : tensor<8x1xf32> to tensor<8x32xf32>
  %d = fusion.sub %x, %e : tensor<8x32xf32>
  %r = fusion.reshape %d : tensor<8x32xf32> to tensor<256xf32>
  %t = fusion.reduce <max> %y dims [1] : tensor<256x5xf32> to tensor<256xf32>
  %0 = fusion.add %r, %t : tensor<256xf32>
  return %0 : tensor<256xf32>
}

// -----

// What asks for its own layout, or for a copy, stays.
// CHECK-LABEL: func.func @requested
// CHECK: %[[R:.*]] = fusion.reshape
// CHECK-NEXT: fusion.exp %[[R]] {fusion.stride_order_hint
// CHECK-NEXT: fusion.set %[[R]]
func.func @requested(%x: tensor<8x32xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %s = fusion.reduce <max> %x dims [1] keep : tensor<8x32xf32> to tensor<8x1xf32>
  %e = fusion.expand %s : tensor<8x1xf32> to tensor<8x32xf32>
  %d = fusion.sub %x, %e : tensor<8x32xf32>
  %r = fusion.reshape %d : tensor<8x32xf32> to tensor<16x16xf32>
  %0 = fusion.exp %r {fusion.stride_order_hint = array<i64: 1, 0>} : tensor<16x16xf32>
  %1 = fusion.set %r : tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Both operands have one row of one element, of which their types say other
// sizes.
// CHECK-LABEL: func.func @types_of_one_shape
// CHECK-SAME: (%[[X:.*]]: tensor<f32>)
// CHECK: %[[M:.*]] = fusion.reduce <max>
// CHECK: %[[S:.*]] = fusion.reshape %[[X]] sizes(%{{.*}}) : tensor<f32> to tensor<1x?xf32>
// CHECK: %[[D:.*]] = fusion.sub %[[S]], %[[M]] : tensor<1x?xf32>
// CHECK: fusion.reshape %[[D]] : tensor<1x?xf32> to tensor<1x1xf32>
// KNOWN-LABEL: func.func @types_of_one_shape
// KNOWN: fusion.sub %{{.*}} : tensor<1x?xf32>
func.func @types_of_one_shape(%x: tensor<f32>) -> tensor<1x1xf32> {
  %one = arith.constant 1 : index
  %r = fusion.reshape %x sizes(%one, %one) : tensor<f32> to tensor<?x?xf32>
  %m = fusion.reduce <max> %r dims [0] keep : tensor<?x?xf32> to tensor<1x?xf32>
  %a = fusion.reshape %r : tensor<?x?xf32> to tensor<1x1xf32>
  %b = fusion.reshape %m : tensor<1x?xf32> to tensor<1x1xf32>
  %d = fusion.sub %a, %b : tensor<1x1xf32>
  return %d : tensor<1x1xf32>
}
