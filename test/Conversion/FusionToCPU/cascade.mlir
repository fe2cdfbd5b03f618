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

// -----

// A long row is cut into parts of 65,536 elements, blocks of blocks in the order of sums, that threads share. 200,001 are 3125 steps of 64, four parts.
// CHECK-LABEL: func.func @row_0_parts(
// CHECK-SAME: %[[X:[^:]*]]: memref<200001xf32>
// CHECK-SAME: %[[SUMS:[^:]*]]: memref<?xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<64xf32>
// CHECK-DAG: %[[STEPS:.*]] = arith.constant 3125 : index
// CHECK-DAG: %[[BLOCK:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[PART:.*]] = arith.constant 1024 : index
// CHECK: scf.for %[[ITEM:.*]] =
// CHECK:   %[[BEGIN:.*]] = arith.muli %{{.*}}, %[[PART]]
// CHECK:   %[[NEXT:.*]] = arith.addi %[[BEGIN]], %[[PART]]
// CHECK:   %[[END:.*]] = arith.minui %[[NEXT]], %[[STEPS]]
// CHECK:   scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %[[PART]] iter_args(%{{.*}} = %[[ZERO]])
// CHECK:     scf.for %{{.*}} step %[[BLOCK]] iter_args(%{{.*}} = %[[ZERO]])
// CHECK:       scf.for %{{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:         vector.load %[[X]]
// CHECK:   vector.store %{{.*}}, %[[SUMS]]

// Another kernel adds them, and the last element to its accumulator.
// CHECK-LABEL: func.func @row_0(
// CHECK-SAME: %[[X:[^:]*]]: memref<200001xf32>
// CHECK-SAME: %[[SUMS:[^:]*]]: memref<?xf32>
// CHECK: scf.for
// CHECK:   vector.load %[[SUMS]]
// CHECK: vector.maskedload %[[X]]
// CHECK: math.sqrt

// CHECK-LABEL: func.func private @row_0_host(
// CHECK: %[[WORKSPACE:.*]] = host.workspace
// CHECK: host.launch @row_0_parts::@row_0_parts {{.*}}%[[WORKSPACE]]
// CHECK: host.launch @row_0::@row_0 {{.*}}%[[WORKSPACE]]
func.func @row(%x: tensor<200001xf32>) -> tensor<f32> {
  %s = fusion.reduce <sum> %x dims [0] : tensor<200001xf32> to tensor<f32>
  %r = fusion.sqrt %s : tensor<f32>
  return %r : tensor<f32>
}

// -----

// An open length; each accumulator has a workspace.
// CHECK-LABEL: func.func @position_0_parts(
// CHECK-COUNT-2: vector.store
// CHECK-LABEL: func.func @position_0(
// CHECK-LABEL: func.func private @position_0_host(
// CHECK-COUNT-2: host.workspace
// CHECK: host.launch @position_0_parts
// CHECK: host.launch @position_0::
func.func @position(%x: tensor<?xf32>) -> tensor<i64> {
  %p = fusion.argmax %x dims [0] : tensor<?xf32> to tensor<i64>
  return %p : tensor<i64>
}

// -----

// Short rows, many rows, rows that are looked at twice, and whose steps go across dimensions.
// CHECK-NOT: _parts
// CHECK-LABEL: func.func @short_0(
func.func @short(%x: tensor<2x65536xf32>) -> tensor<2xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<2x65536xf32> to tensor<2xf32>
  return %s : tensor<2xf32>
}

// -----

// CHECK-NOT: _parts
func.func @many(%x: tensor<?x200000xf32>) -> tensor<?xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<?x200000xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// CHECK-NOT: _parts
func.func @twice(%x: tensor<1x200000xf32>) -> tensor<1x200000xf32> {
  %s = fusion.reduce <sum> %x dims [1] keep : tensor<1x200000xf32> to tensor<1x1xf32>
  %b = fusion.expand %s : tensor<1x1xf32> to tensor<1x200000xf32>
  %y = fusion.div %x, %b : tensor<1x200000xf32>
  return %y : tensor<1x200000xf32>
}

// -----

// CHECK-NOT: _parts
func.func @across(%x: tensor<1000x1001xf32>) -> tensor<f32> {
  %s = fusion.reduce <sum> %x dims [0, 1] : tensor<1000x1001xf32> to tensor<f32>
  return %s : tensor<f32>
}

// -----

// Positions ascend, so that an element has to be better than the best one so far, and its position is not compared. To start from is the
// lowest value there is, at position 0. Lanes are compared in full.
// CHECK-LABEL: func.func @positions_0(
// CHECK-DAG: %[[FIRST:.*]] = arith.constant dense<0> : vector<64xi64>
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant dense<0xFF800000> : vector<64xf32>
// CHECK: scf.for {{.*}} iter_args(%[[BEST:.*]] = %[[LOWEST]], %[[AT:.*]] = %[[FIRST]])
// CHECK: %[[X:.*]] = vector.load
// CHECK-NOT: cmpi
// CHECK: %[[BETTER:.*]] = arith.cmpf ugt, %[[X]], %[[BEST]]
// CHECK: %[[NUMBER:.*]] = arith.cmpf ord, %[[BEST]], %[[BEST]]
// CHECK: %[[WINS:.*]] = arith.andi %[[BETTER]], %[[NUMBER]]
// CHECK: arith.select %[[WINS]], %[[X]], %[[BEST]]
// CHECK-NOT: cmpi
// CHECK: scf.yield
// CHECK: arith.cmpi slt, %{{.*}} : vector<32xi64>
func.func @positions(%x: tensor<?x1024xf32>) -> tensor<?xi64> {
  %p = fusion.argmax %x dims [1] : tensor<?x1024xf32> to tensor<?xi64>
  return %p : tensor<?xi64>
}
