// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},canonicalize,cse)' | FileCheck %s

// Chains of additions are short: blocks of 32 steps start from zero, and so do blocks of 32 blocks where there are more.
// 40000 elements in 64 lanes are 625 steps.

// CHECK-LABEL: func.func @row_0
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<64xf32>
// CHECK-DAG: %[[STEP:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[BLOCK:.*]] = arith.constant 2048 : index
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[END:.*]] step %[[BLOCK]] iter_args(%[[ALL:.*]] = %[[ZERO]])
// CHECK:   %[[NEXT:.*]] = arith.addi %[[I]], %[[BLOCK]]
// CHECK:   %[[STOP:.*]] = arith.minsi %[[NEXT]], %[[END]]
// CHECK:   %[[PART:.*]] = scf.for %[[J:.*]] = %[[I]] to %[[STOP]] step %[[STEP]] iter_args(%[[A:.*]] = %[[ZERO]])
// CHECK:     %[[X:.*]] = vector.load %{{.*}}[%[[ROW]], %[[J]]]
// CHECK:     arith.addf %[[A]], %[[X]]
// CHECK:   %[[JOINED:.*]] = arith.addf %[[ALL]], %[[PART]]
// CHECK:   scf.yield %[[JOINED]]
func.func @row(%x: tensor<?x40000xf32>) -> tensor<?xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<?x40000xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// No more than one block: a plain loop.
// CHECK-LABEL: func.func @short_0
// CHECK: scf.for
// CHECK: scf.for %{{.*}} step %{{.*}} iter_args
// CHECK-NOT: scf.for
// CHECK: return
func.func @short(%x: tensor<?x2048xf32>) -> tensor<?xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<?x2048xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// A sum of unknown length over rows: lanes are columns, the 64 accumulators are vectors in scratch memory. Each adds
// eight rows at a time while it is in registers. With a block of 2048 rows they are added to those of the block that it is
// in, in three levels.
// CHECK-LABEL: func.func @columns_0
// CHECK-SAME: %[[SCRATCH:[a-z0-9]*]]: memref<?xi8> {fuser.scratch})
// CHECK-SAME: fuser.scratch_bytes = 65536
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<64xf32>
// CHECK-DAG: %[[SUMS:.*]] = memref.view %[[SCRATCH]][%c0{{.*}}][] : memref<?xi8> to memref<4096xf32>
// CHECK: vector.store %[[ZERO]], %[[SUMS]]
// CHECK: scf.for
// CHECK:   scf.for {{.*}} step %c512
// CHECK:     scf.for {{.*}} = %c0{{.*}} to %c64{{.*}} step %c1
// CHECK:       %[[A:.*]] = vector.load %[[SUMS]]
// CHECK:       %[[B:.*]] = scf.for {{.*}} = %c0{{.*}} to %c512{{.*}} step %c64{{.*}} iter_args(%[[C:.*]] = %[[A]])
// CHECK:         %[[X:.*]] = vector.load %arg0
// CHECK:         arith.addf %[[C]], %[[X]]
// CHECK:       vector.store %[[B]], %[[SUMS]]
// CHECK:   scf.for {{.*}} step %c1
// CHECK:     vector.load %arg0
// CHECK:     vector.store %{{.*}}, %[[SUMS]]
// CHECK:   scf.if
// CHECK:     %[[BLOCK:.*]] = vector.load %[[SUMS]]
// CHECK:     vector.store %[[ZERO]], %[[SUMS]]
// CHECK:     %[[OLD:.*]] = arith.select %{{.*}}, %[[ZERO]], %{{.*}} : vector<64xf32>
// CHECK:     arith.addf %[[OLD]], %[[BLOCK]]
// CHECK:     scf.if
// CHECK:       scf.if
func.func @columns(%x: tensor<?x4096xf32>) -> tensor<4096xf32> {
  %s = fusion.reduce <sum> %x dims [0] : tensor<?x4096xf32> to tensor<4096xf32>
  return %s : tensor<4096xf32>
}

// -----

// The order knows no dimensions: steps go from one row to the next.
// CHECK-LABEL: func.func @both_0
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<64xf32>
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c512{{.*}} step %c32{{.*}} iter_args(%[[ALL:.*]] = %[[ZERO]])
// CHECK:   %[[PART:.*]] = scf.for %[[STEP:.*]] = {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:     %[[I:.*]] = arith.divui %[[STEP]], %c32
// CHECK:     vector.load %arg0[%[[I]], %{{.*}}] : memref<16x2048xf32>, vector<64xf32>
// CHECK:   arith.addf %[[ALL]], %[[PART]]
func.func @both(%x: tensor<16x2048xf32>) -> tensor<f32> {
  %s = fusion.reduce <sum> %x dims [0, 1] : tensor<16x2048xf32> to tensor<f32>
  return %s : tensor<f32>
}

// -----

// Rows that are no whole steps go by way of scratch memory, one after the other. Full, it holds a block.
// CHECK-LABEL: func.func @staged_0
// CHECK-DAG: %[[STAGE:.*]] = memref.view %{{.*}} : memref<?xi8> to memref<2112xf32>
// CHECK-DAG: %[[SUMS:.*]] = memref.view %{{.*}} : memref<?xi8> to memref<64xf32>
// CHECK: vector.load %arg0
// CHECK: %[[Z:.*]] = arith.mulf
// CHECK: vector.store %[[Z]], %[[STAGE]]
// CHECK: scf.if
// CHECK:   %[[BLOCK:.*]] = scf.for
// CHECK:     vector.load %[[STAGE]]
// CHECK:   arith.addf %{{.*}}, %[[BLOCK]]
func.func @staged(%x: tensor<?x?x300xf32>, %y: tensor<300xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x300xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x300xf32>
  %yb = fusion.broadcast %y dims [0, 1] : tensor<300xf32> to tensor<1x1x300xf32>
  %ye = fusion.expand %yb sizes(%n, %m) : tensor<1x1x300xf32> to tensor<?x?x300xf32>
  %z = fusion.mul %x, %ye : tensor<?x?x300xf32>
  %s = fusion.reduce <sum> %z dims [1, 2] : tensor<?x?x300xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}
