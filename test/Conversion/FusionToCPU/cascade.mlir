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

// A sum of unknown length over rows: three levels of blocks, and lanes are columns.
// CHECK-LABEL: func.func @columns_0
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[B1:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[B2:.*]] = arith.constant 1024 : index
// CHECK-DAG: %[[B3:.*]] = arith.constant 32768 : index
// CHECK: scf.for {{.*}} step %[[B3]] iter_args
// CHECK: scf.for {{.*}} step %[[B2]] iter_args
// CHECK: scf.for {{.*}} step %[[B1]] iter_args
// CHECK: scf.for {{.*}} step %[[ONE]] iter_args
func.func @columns(%x: tensor<?x4096xf32>) -> tensor<4096xf32> {
  %s = fusion.reduce <sum> %x dims [0] : tensor<?x4096xf32> to tensor<4096xf32>
  return %s : tensor<4096xf32>
}

// -----

// Each dimension's loop is a chain of its own.
// CHECK-LABEL: func.func @both_0
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<64xf32>
// CHECK: scf.for %{{.*}} iter_args(%[[ALL:.*]] = %[[ZERO]])
// CHECK:   %[[ROW:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:   arith.addf %[[ALL]], %[[ROW]]
func.func @both(%x: tensor<16x2048xf32>) -> tensor<f32> {
  %s = fusion.reduce <sum> %x dims [0, 1] : tensor<16x2048xf32> to tensor<f32>
  return %s : tensor<f32>
}
