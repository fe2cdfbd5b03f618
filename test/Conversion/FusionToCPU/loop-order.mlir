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
