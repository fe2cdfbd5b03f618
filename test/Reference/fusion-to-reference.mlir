// RUN: fuser-opt %s -split-input-file --fusion-to-reference --canonicalize | FileCheck %s

// One nest, in f64; an f32 result is not rounded.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[X:.*]]: memref<4xf64>, %[[Y:.*]]: memref<4xf64>, %{{.*}}: memref<i64>) -> memref<4xf64>
func.func @elementwise(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = memref.alloc() : memref<4xf64>
  // CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
  // CHECK-NEXT: %[[A:.*]] = memref.load %[[X]][%[[I]]]
  // CHECK-NEXT: %[[B:.*]] = memref.load %[[Y]][%[[I]]]
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f64
  // CHECK-NEXT: memref.store %[[S]], %[[R]][%[[I]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[R]]
  %0 = fusion.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A bf16 result is rounded, in its bits.
// CHECK-LABEL: func.func @rounds(
func.func @rounds(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[E:.*]] = math.exp %{{.*}} : f64
  // CHECK: arith.bitcast %[[E]] : f64 to i64
  // CHECK: math.copysign
  %0 = fusion.exp %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// A buffer is freed after its last reader; a result that is an argument, or twice there, is copied.
// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: %[[X:.*]]: memref<4xf64>
func.func @buffers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[T:.*]] = memref.alloc()
  // CHECK: math.exp
  // CHECK: %[[R:.*]] = memref.alloc()
  // CHECK: math.log
  // CHECK: memref.dealloc %[[T]]
  // CHECK: %[[R2:.*]] = memref.alloc()
  // CHECK: memref.copy %[[R]], %[[R2]]
  // CHECK: %[[X2:.*]] = memref.alloc()
  // CHECK: memref.copy %[[X]], %[[X2]]
  // CHECK: return %[[R]], %[[R2]], %[[X2]]
  %0 = fusion.exp %x : tensor<4xf32>
  %1 = fusion.log %0 : tensor<4xf32>
  return %1, %1, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Sizes that are open are checked; where they differ the nest does nothing.
// CHECK-LABEL: func.func @checks(
// CHECK-SAME: %[[X:.*]]: memref<?xf64>, %[[Y:.*]]: memref<?xf64>, %[[STATUS:.*]]: memref<i64>
func.func @checks(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: arith.cmpi ne, %{{.*}}, %{{.*}} : index
  // CHECK: %[[NE:.*]] = arith.ori
  // CHECK: scf.if %[[NE]] {
  // CHECK: memref.store %{{.*}}, %[[STATUS]][]
  // CHECK: %[[N:.*]] = arith.select %[[NE]], %c0, %{{.*}} : index
  // CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1
  %0 = fusion.add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A reduction is one loop with the accumulator in f64, whatever the element type.
// CHECK-LABEL: func.func @reduce(
func.func @reduce(%x: tensor<3x4xf32>) -> tensor<3x1xf32> {
  // CHECK: scf.for %[[I:.*]] = %c0 to %c3
  // CHECK: %[[S:.*]] = scf.for %[[J:.*]] = %c0 to %c4 step %c1 iter_args(%{{.*}} = %{{.*}}) -> (f64)
  // CHECK: memref.store %[[S]], %{{.*}}[%[[I]], %c0]
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<3x4xf32> to tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// -----

// Nothing on tensors: nothing to do but the status.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[N:.*]]: index, %{{.*}}: memref<i64>) -> memref<i64>
func.func @scalars(%n: index) -> index {
  // CHECK: arith.index_cast %[[N]] : index to i64
  return %n : index
}
