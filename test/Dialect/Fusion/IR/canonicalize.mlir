// RUN: fuser-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @same(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[C:.*]]: tensor<?x8xi1>
func.func @same(%x: tensor<?x8xf32>, %c: tensor<?x8xi1>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = fusion.max %x, %x : tensor<?x8xf32>
  %1 = fusion.min %x, %x : tensor<?x8xf32>
  %2 = fusion.neg %x : tensor<?x8xf32>
  %3 = fusion.neg %2 : tensor<?x8xf32>
  %4 = fusion.where %c, %x, %x : tensor<?x8xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %3, %4 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// A sign that is gone is gone; one that may be there is not folded away.
// CHECK-LABEL: func.func @abs(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @abs(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = fusion.abs %[[X]]
  // CHECK-NEXT: %[[N:.*]] = fusion.neg %[[A]]
  // CHECK-NEXT: %[[B:.*]] = fusion.abs %[[N]]
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = fusion.abs %x : tensor<4xf32>
  %1 = fusion.abs %0 : tensor<4xf32>
  %2 = fusion.neg %1 : tensor<4xf32>
  %3 = fusion.abs %2 : tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @where_uniform(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @where_uniform(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  %t = fusion.full %true : tensor<4xi1>
  %f = fusion.full %false : tensor<4xi1>
  %0 = fusion.where %t, %x, %y : tensor<4xf32>
  %1 = fusion.where %f, %x, %y : tensor<4xf32>
  // CHECK: return %[[X]], %[[Y]]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @cast_exact(
// CHECK-SAME: %[[H:.*]]: tensor<4xf16>, %[[B:.*]]: tensor<4xbf16>, %[[I:.*]]: tensor<4xi32>
func.func @cast_exact(%h: tensor<4xf16>, %b: tensor<4xbf16>, %i: tensor<4xi32>)
    -> (tensor<4xf16>, tensor<4xf64>, tensor<4xi32>, tensor<4xi32>) {
  %0 = fusion.cast %h : tensor<4xf16> to tensor<4xf32>
  %1 = fusion.cast %0 : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = fusion.cast %[[B]] : tensor<4xbf16> to tensor<4xf64>
  %2 = fusion.cast %b : tensor<4xbf16> to tensor<4xf32>
  %3 = fusion.cast %2 : tensor<4xf32> to tensor<4xf64>
  %4 = fusion.cast %i : tensor<4xi32> to tensor<4xi64>
  %5 = fusion.cast %4 : tensor<4xi64> to tensor<4xi32>
  %6 = fusion.cast %i : tensor<4xi32> to tensor<4xf64>
  %7 = fusion.cast %6 : tensor<4xf64> to tensor<4xi32>
  // CHECK: return %[[H]], %[[W]], %[[I]], %[[I]]
  return %1, %3, %5, %7 : tensor<4xf16>, tensor<4xf64>, tensor<4xi32>, tensor<4xi32>
}

// A float becomes the nearest integer that there is, an integer the one that its bits are.
// CHECK-LABEL: func.func @cast_saturates(
// CHECK-SAME: %[[I:.*]]: tensor<4xi8>, %[[U:.*]]: tensor<4xui8>
func.func @cast_saturates(%i: tensor<4xi8>, %u: tensor<4xui8>)
    -> (tensor<4xui64>, tensor<4xi8>, tensor<4xi16>, tensor<4xi64>, tensor<4xi1>) {
  // CHECK: %[[H:.*]] = fusion.cast %[[I]] : tensor<4xi8> to tensor<4xf16>
  %0 = fusion.cast %i : tensor<4xi8> to tensor<4xf16>
  // CHECK: %[[A:.*]] = fusion.cast %[[H]] : tensor<4xf16> to tensor<4xui64>
  %1 = fusion.cast %0 : tensor<4xf16> to tensor<4xui64>
  // CHECK: %[[F:.*]] = fusion.cast %[[U]] : tensor<4xui8> to tensor<4xf32>
  %2 = fusion.cast %u : tensor<4xui8> to tensor<4xf32>
  // CHECK: %[[B:.*]] = fusion.cast %[[F]] : tensor<4xf32> to tensor<4xi8>
  %3 = fusion.cast %2 : tensor<4xf32> to tensor<4xi8>
  // CHECK: %[[C:.*]] = fusion.cast %[[U]] : tensor<4xui8> to tensor<4xi16>
  %4 = fusion.cast %2 : tensor<4xf32> to tensor<4xi16>
  // CHECK: %[[D:.*]] = fusion.cast %[[I]] : tensor<4xi8> to tensor<4xi64>
  %5 = fusion.cast %0 : tensor<4xf16> to tensor<4xi64>
  // CHECK: %[[E:.*]] = fusion.cast %[[I]] : tensor<4xi8> to tensor<4xi1>
  %6 = fusion.cast %0 : tensor<4xf16> to tensor<4xi1>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %1, %3, %4, %5, %6 : tensor<4xui64>, tensor<4xi8>, tensor<4xi16>, tensor<4xi64>, tensor<4xi1>
}

// A cast that rounds stays.
// CHECK-LABEL: func.func @cast_inexact(
func.func @cast_inexact(%x: tensor<4xf32>, %h: tensor<4xf16>, %i: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) {
  // CHECK: fusion.cast %{{.*}} : tensor<4xf32> to tensor<4xf16>
  %0 = fusion.cast %x : tensor<4xf32> to tensor<4xf16>
  // CHECK: fusion.cast %{{.*}} : tensor<4xf16> to tensor<4xf32>
  %1 = fusion.cast %0 : tensor<4xf16> to tensor<4xf32>
  // CHECK: fusion.cast %{{.*}} : tensor<4xf16> to tensor<4xbf16>
  %2 = fusion.cast %h : tensor<4xf16> to tensor<4xbf16>
  // CHECK: fusion.cast %{{.*}} : tensor<4xbf16> to tensor<4xf32>
  %3 = fusion.cast %2 : tensor<4xbf16> to tensor<4xf32>
  // CHECK: fusion.cast %{{.*}} : tensor<4xi64> to tensor<4xf64>
  %4 = fusion.cast %i : tensor<4xi64> to tensor<4xf64>
  // CHECK: fusion.cast %{{.*}} : tensor<4xf64> to tensor<4xi64>
  %5 = fusion.cast %4 : tensor<4xf64> to tensor<4xi64>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>
}

// x + 0 is no identity (-0), and a set is a copy that was asked for.
// CHECK-LABEL: func.func @stays(
func.func @stays(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %z = fusion.full %zero : tensor<4xf32>
  // CHECK: fusion.add
  %0 = fusion.add %x, %z : tensor<4xf32>
  // CHECK: fusion.set
  %1 = fusion.set %x : tensor<4xf32>
  // CHECK: fusion.segment_set
  %2 = fusion.segment_set %x : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @identity_maps(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[Y:.*]]: tensor<4x8xf32>
func.func @identity_maps(%x: tensor<?x8xf32>, %y: tensor<4x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<4x8xf32>) {
  %0 = fusion.permute %x [0, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %1 = fusion.reshape %x : tensor<?x8xf32> to tensor<?x8xf32>
  %2 = fusion.expand %x : tensor<?x8xf32> to tensor<?x8xf32>
  %3 = fusion.broadcast %x dims [] : tensor<?x8xf32> to tensor<?x8xf32>
  %4 = fusion.cat %x dim 0 : tensor<?x8xf32> to tensor<?x8xf32>
  %5 = fusion.slice %y offsets [0, 0] sizes [4, 8] steps [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[Y]]
  return %0, %1, %2, %3, %4, %5
      : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pads_of_nothing(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
func.func @pads_of_nothing(%x: tensor<?x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x9xf32>) {
  %0 = fusion.pad <circular> %x low [0, 0] high [0, 0] : tensor<?x8xf32> to tensor<?x8xf32>
  // It may add something.
  // CHECK-NEXT: %[[V:.*]] = fusion.pad <constant> %[[X]] low [%{{.*}}, 0] high [0, 0]
  %1 = fusion.pad <constant> %x low [%n, 0] high [0, 0] : tensor<?x8xf32> to tensor<?x8xf32>
  // CHECK-NEXT: %[[W:.*]] = fusion.pad <replicate> %[[X]] low [0, 0] high [0, 1]
  %2 = fusion.pad <replicate> %x low [0, 0] high [0, 1] : tensor<?x8xf32> to tensor<?x9xf32>
  // CHECK-NEXT: return %[[X]], %[[V]], %[[W]]
  return %0, %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x9xf32>
}

// CHECK-LABEL: func.func @chains(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>, %[[Y:.*]]: tensor<?x12xf32>
func.func @chains(%x: tensor<2x3x4xf32>, %y: tensor<?x12xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<?x4x3xf32>) {
  %0 = fusion.permute %x [1, 2, 0] : tensor<2x3x4xf32> to tensor<3x4x2xf32>
  %1 = fusion.permute %0 [2, 0, 1] : tensor<3x4x2xf32> to tensor<2x3x4xf32>
  // CHECK: %[[P:.*]] = fusion.permute %[[X]] [2, 0, 1] : tensor<2x3x4xf32> to tensor<4x2x3xf32>
  %2 = fusion.permute %0 [1, 2, 0] : tensor<3x4x2xf32> to tensor<4x2x3xf32>
  %3 = fusion.reshape %y : tensor<?x12xf32> to tensor<?xf32>
  // CHECK: %[[R:.*]] = fusion.reshape %[[Y]] : tensor<?x12xf32> to tensor<?x4x3xf32>
  %4 = fusion.reshape %3 : tensor<?xf32> to tensor<?x4x3xf32>
  // CHECK: return %[[X]], %[[P]], %[[R]]
  return %1, %2, %4 : tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<?x4x3xf32>
}

// Of no elements any size will do: it is the one that is given.
// CHECK-LABEL: func.func @reshape_empty
// CHECK-SAME: (%[[X:.*]]: tensor<0x?xf32>, %[[N:.*]]: index)
func.func @reshape_empty(%x: tensor<0x?xf32>, %n: index) -> (tensor<0x?xf32>, tensor<0x?xf32>, tensor<?x0xf32>) {
  // CHECK-NEXT: %[[R:.*]] = fusion.reshape %[[X]] sizes(%[[N]])
  %0 = fusion.reshape %x sizes(%n) : tensor<0x?xf32> to tensor<0x?xf32>
  %1 = fusion.reshape %x : tensor<0x?xf32> to tensor<0x?xf32>
  // CHECK-NEXT: %[[S:.*]] = fusion.reshape %[[R]]
  %2 = fusion.reshape %0 : tensor<0x?xf32> to tensor<?x0xf32>
  // CHECK-NEXT: return %[[R]], %[[X]], %[[S]]
  return %0, %1, %2 : tensor<0x?xf32>, tensor<0x?xf32>, tensor<?x0xf32>
}

// A slice that leaves something out stays, and so does a reshape whose sizes may differ.
// CHECK-LABEL: func.func @maps_stay(
func.func @maps_stay(%x: tensor<4x8xf32>, %y: tensor<?x?xf32>, %n: index) -> (tensor<4x8xf32>, tensor<?x?xf32>) {
  // CHECK: fusion.slice
  %0 = fusion.slice %x offsets [%n, 0] sizes [4, 8] steps [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  // CHECK: fusion.reshape
  %1 = fusion.reshape %y sizes(%n, %n) : tensor<?x?xf32> to tensor<?x?xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @of_full(
// CHECK-SAME: %[[V:.*]]: f32, %[[N:.*]]: index, %[[M:.*]]: index
func.func @of_full(%v: f32, %n: index, %m: index) -> (tensor<?x?x1xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x2xf32>) {
  %f = fusion.full %v sizes(%n) : tensor<?x1xf32>
  %0 = fusion.expand %f sizes(%m) : tensor<?x1xf32> to tensor<?x?xf32>
  // CHECK-DAG: %[[F0:.*]] = fusion.full %[[V]] sizes(%[[N]], %[[M]]) : tensor<?x?x1xf32>
  %1 = fusion.broadcast %0 dims [2] : tensor<?x?xf32> to tensor<?x?x1xf32>
  // CHECK-DAG: %[[F1:.*]] = fusion.full %[[V]] sizes(%[[M]], %[[N]]) : tensor<?x?xf32>
  %2 = fusion.permute %0 [1, 0] : tensor<?x?xf32> to tensor<?x?xf32>
  // CHECK-DAG: %[[NM:.*]] = arith.muli %[[N]], %[[M]] : index
  // CHECK-DAG: %[[F2:.*]] = fusion.full %[[V]] sizes(%[[NM]]) : tensor<?xf32>
  %3 = fusion.reshape %0 : tensor<?x?xf32> to tensor<?xf32>
  // That 4 divides the number of elements is what the reshape checks.
  // CHECK-DAG: %[[F3:.*]] = fusion.reshape %{{.*}} : tensor<?x?xf32> to tensor<?x4xf32>
  %4 = fusion.reshape %0 : tensor<?x?xf32> to tensor<?x4xf32>
  // CHECK-DAG: %[[F4:.*]] = fusion.full %[[V]] sizes(%[[M]]) : tensor<?x2xf32>
  %5 = fusion.slice %0 offsets [1, 1] sizes [%m, 2] steps [1, 1] : tensor<?x?xf32> to tensor<?x2xf32>
  // CHECK: return %[[F0]], %[[F1]], %[[F2]], %[[F3]], %[[F4]]
  return %1, %2, %3, %4, %5 : tensor<?x?x1xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func.func @segment_operands(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
func.func @segment_operands(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: fusion.segment "pointwise" (%[[A:.*]] = %[[X]] : tensor<8xf32>) -> (tensor<8xf32>) {
  // CHECK: fusion.add %[[A]], %[[A]]
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>, %b = %y : tensor<8xf32>, %c = %x : tensor<8xf32>) -> (tensor<8xf32>) {
    %1 = fusion.add %a, %c : tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// The signature of a host function that exists is fixed.
// CHECK-LABEL: func.func @segment_with_host_function(
func.func @segment_with_host_function(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: fusion.segment "pointwise" (%{{.*}} = %{{.*}} : tensor<8xf32>, %{{.*}} = %{{.*}} : tensor<8xf32>)
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>, %b = %y : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {host_function = @f_0_host} {
    %1 = fusion.add %a, %a : tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @unused(
func.func @unused(%x: tensor<8xf32>) {
  // CHECK-NEXT: return
  %0 = fusion.exp %x : tensor<8xf32>
  %1 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) {
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// CHECK-LABEL: func.func @bits(
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>
func.func @bits(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = fusion.not %x : tensor<4xi32>
  %1 = fusion.not %0 : tensor<4xi32>
  %2 = fusion.and %x, %x : tensor<4xi32>
  %3 = fusion.or %x, %x : tensor<4xi32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
  return %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// A number is no operand that is the same.
// CHECK-LABEL: func.func @numbers(
func.func @numbers(%x: tensor<4xi32>, %t: i1) -> (tensor<4xi32>, tensor<4xi32>) {
  %true = arith.constant true
  %c = fusion.full %true : tensor<4xi1>
  // CHECK: %[[A:.*]] = fusion.max %{{.*}}, 1 : tensor<4xi32>
  %0 = fusion.max %x, 1 : tensor<4xi32>
  // CHECK: %[[B:.*]] = fusion.where %{{.*}}, 1, %{{.*}} : tensor<4xi32>
  %1 = fusion.where %c, 1, %x : tensor<4xi32>
  // CHECK: return %[[A]], %[[B]]
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @broadcast_in_dim(
// CHECK-SAME: %[[X:.*]]: tensor<1x8xf32>, %[[N:.*]]: index
func.func @broadcast_in_dim(%x: tensor<1x8xf32>, %n: index) -> tensor<?x4x8xf32> {
  // CHECK: %[[B:.*]] = fusion.broadcast %[[X]] dims [1] : tensor<1x8xf32> to tensor<1x1x8xf32>
  // CHECK: fusion.expand %[[B]] sizes(%[[N]]) : tensor<1x1x8xf32> to tensor<?x4x8xf32>
  %0 = fusion.broadcast_in_dim %x dims [0, 2] sizes(%n) : tensor<1x8xf32> to tensor<?x4x8xf32>
  return %0 : tensor<?x4x8xf32>
}

// What is reduced with and without keep is reduced once.
// CHECK-LABEL: func.func @keep(
// CHECK-SAME: %[[X:.*]]: tensor<8x?xf32>
func.func @keep(%x: tensor<8x?xf32>) -> (tensor<?xf32>, tensor<1x?xf32>) {
  // CHECK: %[[S:.*]] = fusion.reduce <sum> %[[X]] dims [0] : tensor<8x?xf32> to tensor<?xf32>
  // CHECK-NOT: fusion.reduce
  // CHECK: %[[K:.*]] = fusion.broadcast %[[S]] dims [0] : tensor<?xf32> to tensor<1x?xf32>
  // CHECK: %[[R:.*]] = fusion.exp %[[K]]
  // CHECK: return %[[S]], %[[R]]
  %0 = fusion.reduce <sum> %x dims [0] keep : tensor<8x?xf32> to tensor<1x?xf32>
  %1 = fusion.exp %0 : tensor<1x?xf32>
  %2 = fusion.reduce <sum> %x dims [0] : tensor<8x?xf32> to tensor<?xf32>
  return %2, %1 : tensor<?xf32>, tensor<1x?xf32>
}

// Others are not the same, and what is returned is a result of its kernel.
// CHECK-LABEL: func.func @keep_others(
// CHECK: fusion.reduce <sum> %{{.*}} dims [0] keep
// CHECK: fusion.reduce <max> %{{.*}} dims [0] :
// CHECK: fusion.reduce <max> %{{.*}} dims [0] keep
func.func @keep_others(%x: tensor<8x?xf32>) -> (tensor<1x?xf32>, tensor<?xf32>, tensor<1x?xf32>) {
  %0 = fusion.reduce <sum> %x dims [0] keep : tensor<8x?xf32> to tensor<1x?xf32>
  %1 = fusion.exp %0 : tensor<1x?xf32>
  %2 = fusion.reduce <max> %x dims [0] : tensor<8x?xf32> to tensor<?xf32>
  %3 = fusion.reduce <max> %x dims [0] keep : tensor<8x?xf32> to tensor<1x?xf32>
  return %1, %2, %3 : tensor<1x?xf32>, tensor<?xf32>, tensor<1x?xf32>
}

// CHECK-LABEL: func.func @bitcast_fold(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
func.func @bitcast_fold(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xui32>, tensor<4xi32>) {
  // CHECK-DAG: %[[U:.*]] = fusion.bitcast %[[X]] : tensor<4xf32> to tensor<4xui32>
  // CHECK-DAG: %[[I:.*]] = fusion.bitcast %[[X]] : tensor<4xf32> to tensor<4xi32>
  %0 = fusion.bitcast %x : tensor<4xf32> to i32
  %1 = fusion.bitcast %0 : tensor<4xi32> to f32
  %2 = fusion.bitcast %0 : tensor<4xi32> to ui32
  // CHECK: return %[[X]], %[[U]], %[[I]]
  return %1, %2, %0 : tensor<4xf32>, tensor<4xui32>, tensor<4xi32>
}

// Dimensions of size 1 behind the one that is scanned go.
// CHECK-LABEL: func.func @scan_before_ones(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x1x1xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[ROWS:.*]] = fusion.reshape %[[X]] sizes(%[[N]]) : tensor<?x8x1x1xf32> to tensor<?x8xf32>
// CHECK: %[[SUMS:.*]] = fusion.scan <sum> %[[ROWS]] dim 1 : tensor<?x8xf32>
// CHECK: fusion.reshape %[[SUMS]] sizes(%{{.*}}) : tensor<?x8xf32> to tensor<?x8x1x1xf32>
func.func @scan_before_ones(%x: tensor<?x8x1x1xf32>) -> tensor<?x8x1x1xf32> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<?x8x1x1xf32>
  return %0 : tensor<?x8x1x1xf32>
}

// A hint of the order of strides stays with the result.
// CHECK-LABEL: func.func @hinted_scan(
// CHECK: fusion.scan <sum> %{{.*}} dim 1 : tensor<?x8xf32>
// CHECK: fusion.reshape %{{.*}} {fusion.stride_order_hint = array<i64: 1, 0, 2>} : tensor<?x8xf32> to tensor<?x8x1xf32>
func.func @hinted_scan(%x: tensor<?x8x1xf32>) -> tensor<?x8x1xf32> {
  %0 = fusion.scan <sum> %x dim 1 {fusion.stride_order_hint = array<i64: 1, 0, 2>} : tensor<?x8x1xf32>
  return %0 : tensor<?x8x1xf32>
}

// Open ones stay, and those before.
// CHECK-LABEL: func.func @no_trailing_ones(
// CHECK: fusion.scan <sum> %{{.*}} dim 0 :
// CHECK: fusion.scan <sum> %{{.*}} dim 1 :
func.func @no_trailing_ones(%x: tensor<8x?xf32>, %y: tensor<1x8xf32>) -> (tensor<8x?xf32>, tensor<1x8xf32>) {
  %0 = fusion.scan <sum> %x dim 0 : tensor<8x?xf32>
  %1 = fusion.scan <sum> %y dim 1 : tensor<1x8xf32>
  return %0, %1 : tensor<8x?xf32>, tensor<1x8xf32>
}

// CHECK-LABEL: func.func @check_true(
// CHECK-NOT: fusion.check
func.func @check_true() {
  %true = arith.constant true
  fusion.check %true, "holds"
  return
}

// CHECK-LABEL: func.func @check_do_nothing(
// CHECK: fusion.check %{{.+}}, "unknown"
// CHECK: fusion.check %{{.+}}, "never"
func.func @check_do_nothing(%ok: i1) {
  %false = arith.constant false
  fusion.check %ok, "unknown"
  fusion.check %false, "never"
  return
}
