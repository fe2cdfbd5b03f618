// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},canonicalize,cse)' | FileCheck %s

// Steps of the fastest loop are near in memory for most tensors: here heads, though the result has the sequence there.
// CHECK-LABEL: func.func @heads_inner_0(%arg0: memref<?x32x128xf32>
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step
// CHECK:   scf.for %[[H:.*]] = %c0{{.*}} to %c32{{.*}} step
// CHECK:     scf.for %[[I:.*]] =
// CHECK:       vector.load %arg0[%[[T]], %[[H]], %[[I]]]
// CHECK:       vector.load %arg1[%[[T]], %[[I]]]
// CHECK:       vector.store %{{.*}}, %arg2[%[[H]], %[[T]], %[[I]]]
func.func @heads_inner(%x: tensor<?x32x128xf32>, %c: tensor<?x128xf32>) -> tensor<32x?x128xf32> {
  %p = fusion.permute %x [1, 0, 2] : tensor<?x32x128xf32> to tensor<32x?x128xf32>
  %c1 = fusion.broadcast %c dims [0] : tensor<?x128xf32> to tensor<1x?x128xf32>
  %cx = fusion.expand %c1 : tensor<1x?x128xf32> to tensor<32x?x128xf32>
  %y = fusion.mul %p, %cx : tensor<32x?x128xf32>
  return %y : tensor<32x?x128xf32>
}

// -----

// Nothing to gain: the order of the result.
// CHECK-LABEL: func.func @as_stored_0
// CHECK: %[[T:.*]] = arith.remui %[[P:.*]], %[[SIZE:.*]] : index
// CHECK: %[[H:.*]] = arith.divui %[[P]], %[[SIZE]] : index
// CHECK: vector.store %{{.*}}, %arg{{.*}}[%[[H]], %[[T]], %{{.*}}]
func.func @as_stored(%x: tensor<32x?x128xf32>, %c: tensor<?x128xf32>) -> tensor<32x?x128xf32> {
  %c1 = fusion.broadcast %c dims [0] : tensor<?x128xf32> to tensor<1x?x128xf32>
  %cx = fusion.expand %c1 : tensor<1x?x128xf32> to tensor<32x?x128xf32>
  %y = fusion.mul %x, %cx : tensor<32x?x128xf32>
  return %y : tensor<32x?x128xf32>
}

// -----

// Columns that lie side by side in memory are reduced as rows of vectors, each lane a result, if a launch has such strides.
// CHECK-LABEL: func.func @transposed_rows_0(%arg0: memref<?x?xf32, strided<[?, ?]>>
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %arg0
// CHECK: %[[ACROSS:.*]] = arith.cmpi ne, %[[STRIDES]]#1, %c1
// CHECK: %[[T:.*]] = memref.transpose %arg0 (d0, d1) -> (d1, d0)
// CHECK: %[[ASSUMED:.*]] = memref.reinterpret_cast %{{.*}} : memref<?x?xf32, strided<[?, ?]>> to memref<?x?xf32, strided<[?, 1]>>
// CHECK: scf.if
// CHECK: vector.maskedload %[[ASSUMED]][%{{.*}}, %{{.*}}], %{{.*}} : memref<?x?xf32, strided<[?, 1]>>, vector<64xi1>, vector<64xf32>
// CHECK: memref.load %arg0
func.func @transposed_rows(%x: tensor<?x?xf32> {fusion.layout = "any"}) -> tensor<?xf32> {
  %0 = fusion.reduce <sum> %x dims [1] : tensor<?x?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Columns are reduced one after the other where each lies side by side in memory, which a type says here: there is no other code.
// CHECK-LABEL: func.func @transposed_columns_0(%arg0: memref<500x300xf32>
// CHECK: %[[T:.*]] = memref.transpose %arg0 (d0, d1) -> (d0, d1)
// CHECK-NOT: scf.if
// CHECK: vector.load %[[T]][%{{.*}}, %{{.*}}] : memref<500x300xf32, strided<[300, 1]>>, vector<16xf32>
// CHECK: vector.maskedload %[[T]]
// CHECK-NOT: %arg0
// CHECK: return
func.func @transposed_columns(%x: tensor<500x300xf32>) -> tensor<500xf32> {
  %t = fusion.permute %x [1, 0] : tensor<500x300xf32> to tensor<300x500xf32>
  %e = fusion.exp %t : tensor<300x500xf32>
  %0 = fusion.reduce <sum> %e dims [0] : tensor<300x500xf32> to tensor<500xf32>
  return %0 : tensor<500xf32>
}

// -----

// Something else looks at what is reduced, at another index: rows of elements that are far from each other.
// CHECK-LABEL: func.func @looked_at_0
// CHECK: scf.for
// CHECK-NOT: memref.transpose
// CHECK: return
func.func @looked_at(%x: tensor<500x300xf32> {fusion.layout = "any"}) -> tensor<500x1xf32> {
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<500x300xf32> to tensor<500x1xf32>
  %1 = fusion.slice %x offsets [0, 0] sizes [500, 1] steps [1, 1] : tensor<500x300xf32> to tensor<500x1xf32>
  %2 = fusion.add %0, %1 : tensor<500x1xf32>
  return %2 : tensor<500x1xf32>
}
