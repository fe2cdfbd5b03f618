// RUN: fuser-opt %s -split-input-file -fusion-decompose-packed -verify-diagnostics | FileCheck %s

// Without packed tensors nothing changes.
// CHECK-LABEL: func.func @whole(
// CHECK-NEXT: fusion.cast
// CHECK-NEXT: return
func.func @whole(%x: tensor<?xf32>) -> tensor<?xbf16> {
  %0 = fusion.cast %x : tensor<?xf32> to bf16
  return %0 : tensor<?xbf16>
}

// -----

// Each byte twice, shifted.
// CHECK-LABEL: func.func @unpack(
// CHECK-SAME: %[[X:.*]]: tensor<?x16xui8> {fusion.name = "x", fusion.packed = f4E2M1FN}) -> tensor<?x32xbf16>
// CHECK: %[[C:.*]] = fusion.broadcast %[[X]] dims [2]
// CHECK: %[[E:.*]] = fusion.expand %[[C]] : tensor<?x16x1xui8> to tensor<?x16x2xui8>
// CHECK: %[[I:.*]] = fusion.iota dim 2 from(%{{.*}}, %{{.*}}) sizes(%{{.*}}) : tensor<?x16x2xui8>
// CHECK: %[[S:.*]] = fusion.shru %[[E]], %[[I]]
// CHECK: %[[A:.*]] = fusion.and %[[S]], 15
// CHECK: %[[R:.*]] = fusion.reshape %[[A]] sizes(%{{.*}}) : tensor<?x16x2xui8> to tensor<?x32xui8>
// CHECK: fusion.and %[[R]], 7
// CHECK: fusion.cast %{{.*}} : tensor<?x32xf32> to tensor<?x32xbf16>
func.func @unpack(%x: tensor<?x32xf4E2M1FN> {fusion.name = "x"}) -> tensor<?x32xbf16> {
  %0 = fusion.cast %x : tensor<?x32xf4E2M1FN> to bf16
  return %0 : tensor<?x32xbf16>
}

// -----

// The first of two is the low half.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME: -> (tensor<?x?xui8> {fusion.packed = f4E2M1FN, fusion.stride_order = array<i64: 0, 1>})
// CHECK: %[[P:.*]] = fusion.reshape %{{.*}} sizes(%{{.*}}, %{{.*}}) : tensor<?x?xui8> to tensor<?x?x2xui8>
// CHECK: %[[I:.*]] = fusion.iota dim 2 from(%{{.*}}, %{{.*}}) sizes(%{{.*}}, %{{.*}}) : tensor<?x?x2xui8>
// CHECK: %[[S:.*]] = fusion.shl %[[P]], %[[I]]
// CHECK: %[[R:.*]] = fusion.reduce <sum> %[[S]] dims [2]
// CHECK: return %[[R]]
func.func @pack(%x: tensor<?x?xf16>) -> tensor<?x?xf4E2M1FN> {
  %0 = fusion.cast %x : tensor<?x?xf16> to f4E2M1FN
  return %0 : tensor<?x?xf4E2M1FN>
}

// -----

// What is rounded and goes on is never packed, and may be odd.
// CHECK-LABEL: func.func @between(
// CHECK-NOT: fusion.reshape
// CHECK: return
func.func @between(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fusion.cast %x : tensor<3xf32> to f4E2M1FN
  %1 = fusion.cast %0 : tensor<3xf4E2M1FN> to f32
  return %1 : tensor<3xf32>
}

// -----

// Attributes speak of bytes; an argument that is a result stays what it is.
// CHECK-LABEL: func.func @attributes(
// CHECK-SAME: tensor<?x?xui8> {fusion.bounds = array<i64: 64, 50>, fusion.divisors = array<i64: 8, 8>, fusion.packed = f4E2M1FN}
// CHECK-SAME: tensor<?xui8> {fusion.bounds = array<i64: -1>, fusion.divisors = array<i64: 3>, fusion.packed = f4E2M1FN, fusion.stride_order = array<i64: 0>}
// CHECK-SAME: -> (tensor<?x?xui8> {fusion.alias = #fusion.alias<evaluate, 0>, fusion.packed = f4E2M1FN}, index, index)
// CHECK: tensor.dim
// CHECK: %[[N:.*]] = arith.muli
// CHECK: %[[M:.*]] = tensor.dim
// CHECK: return %{{.*}}, %[[N]], %[[M]]
func.func @attributes(%x: tensor<?x?xf4E2M1FN> {fusion.bounds = array<i64: 64, 101>, fusion.divisors = array<i64: 8, 16>},
                      %y: tensor<?xf4E2M1FN> {fusion.bounds = array<i64: -1>, fusion.divisors = array<i64: 3>, fusion.stride_order = array<i64: 0>})
    -> (tensor<?x?xf4E2M1FN> {fusion.alias = #fusion.alias<evaluate, 0>}, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf4E2M1FN>
  %m = tensor.dim %x, %c0 : tensor<?x?xf4E2M1FN>
  return %x, %n, %m : tensor<?x?xf4E2M1FN>, index, index
}

// -----

// CHECK-LABEL: func.func private @external(tensor<4xui8> {fusion.packed = f4E2M1FN})
func.func private @external(tensor<8xf4E2M1FN>)

// -----

// expected-error@+1 {{argument 1: expected an even last dimension, of which two elements lie in a byte, got 'tensor<2x3xf4E2M1FN>'}}
func.func @odd(%x: tensor<4xf32>, %y: tensor<2x3xf4E2M1FN>) {
  return
}

// -----

// expected-error@+1 {{result 0: expected an even last dimension, of which two elements lie in a byte, got 'tensor<f4E2M1FN>'}}
func.func @point(%x: tensor<f32>) -> tensor<f4E2M1FN> {
  %0 = fusion.cast %x : tensor<f32> to f4E2M1FN
  return %0 : tensor<f4E2M1FN>
}

// -----

// expected-error@+1 {{argument 0: expected the last dimension, of which two elements lie in a byte, to be the fastest, got the order array<i64: 1, 0>}}
func.func @order(%x: tensor<2x4xf4E2M1FN> {fusion.stride_order = array<i64: 1, 0>}) {
  return
}

// -----

func.func @foreign(%x: tensor<4xf4E2M1FN>, %i: index) -> f4E2M1FN {
  // expected-error@+1 {{is not supported on packed tensors, which are moved and are cast to f32, f16 or bf16, and from these}}
  %0 = tensor.extract %x[%i] : tensor<4xf4E2M1FN>
  return %0 : f4E2M1FN
}

// -----

func.func @region(%x: tensor<4xf4E2M1FN>, %c: i1) {
  scf.if %c {
    // expected-error@+1 {{is not supported on packed tensors in a region}}
    %0 = fusion.cast %x : tensor<4xf4E2M1FN> to f32
  }
  return
}
