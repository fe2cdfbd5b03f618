// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --cse | FileCheck %s
// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --kernel-stage-verify -o /dev/null

// Kernels that hand squares through shared memory, from schedules by hand.

// Whole squares: no condition. All reads come before the first write to shared memory, whose rows are padded; neighbours of
// the input's last dimension, then of the result's, belong to neighbouring threads.
// CHECK-LABEL: gpu.func @whole_0(
// CHECK-SAME: %[[X:.*]]: memref<64x128xf32> {{.*}}, %[[R:.*]]: memref<128x64xf32> {{.*}}) workgroup(%[[TILE:.*]] : memref<32x33xf32, #gpu.address_space<workgroup>>) kernel
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>
// CHECK-NOT: scf.if
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[THREAD]], %c32
// CHECK-DAG: %[[J:.*]] = arith.addi %{{.*}}, %[[LANE]]
// CHECK-DAG: %[[I:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK: %[[FIRST:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK: memref.load %[[X]]
// CHECK: memref.store %[[FIRST]], %[[TILE]][%[[ROW]], %[[LANE]]]
// CHECK: memref.store %{{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK-NOT: memref.load %[[X]]
// CHECK: memref.load %[[TILE]][%[[LANE]], %[[ROW]]]
// CHECK-NOT: memref.load %[[X]]
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %[[R]][
// CHECK: memref.store %{{.*}}, %[[R]][
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @whole(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x128xf32>) -> (tensor<128x64xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w4, r1], [l5]], staged = [[], [l5], [w4, r1]], reads = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<64x128xf32> to tensor<128x64xf32>
    %2 = fusion.exp %1 : tensor<128x64xf32>
    fusion.yield %2 : tensor<128x64xf32>
  }
  return %0 : tensor<128x64xf32>
}

// Squares that may be cut: all of a block take one branch. In one that is, what is read is in bounds, and only what is
// written has a condition. Elements of a byte are as many to a bank.
// CHECK-LABEL: gpu.func @cut_0(
// CHECK-SAME: workgroup(%[[TILE:.*]] : memref<64x68xi8, #gpu.address_space<workgroup>>)
// CHECK: scf.if %{{.*}} {
// CHECK-NOT: scf.if
// CHECK-NOT: arith.select
// CHECK: gpu.barrier
// CHECK-NOT: scf.if
// CHECK: memref.store
// CHECK: } else {
// CHECK: arith.select
// CHECK-NOT: scf.if
// CHECK: gpu.barrier
// CHECK-NOT: scf.if
// CHECK: memref.load %[[TILE]]
// CHECK: scf.if
// CHECK: memref.store
// CHECK-NEXT: }
// CHECK: gpu.return
func.func @cut(%x: tensor<?x?xi1>) -> tensor<?x?xi1> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x?xi1>) -> (tensor<?x?xi1>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w4, r2], [l5, w1]], staged = [[], [l5, w1:0], [w4:1, r2]], reads = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<?x?xi1> to tensor<?x?xi1>
    fusion.yield %1 : tensor<?x?xi1>
  }
  return %0 : tensor<?x?xi1>
}

// A tensor at two indices: across from shared memory, along from where it is.
// CHECK-LABEL: gpu.func @itself_0(
// CHECK-SAME: %[[X:.*]]: memref<64x64xf32> {{.*}}, %[[R:.*]]: memref<64x64xf32> {{.*}}) workgroup(%[[TILE:[^ ]*]] : memref<32x33xf32, #gpu.address_space<workgroup>>) kernel
// CHECK: gpu.barrier
// CHECK-DAG: %[[A:.*]] = memref.load %[[X]]
// CHECK-DAG: %[[T:.*]] = memref.load %[[TILE]]
// CHECK: arith.subf %[[A]], %[[T]]
func.func @itself(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x64xf32>) -> (tensor<64x64xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w5], [l5]], staged = [[], [l5], [w5]], reads = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    %2 = fusion.sub %a, %1 : tensor<64x64xf32>
    fusion.yield %2 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// The result across goes through shared memory; nothing else does.
// CHECK-LABEL: gpu.func @results_0(
// CHECK-SAME: %[[X:.*]]: memref<64x64xf64> {{.*}}, %[[R:.*]]: memref<64x64xf64> {{.*}}, %[[S:.*]]: memref<64x64xf64, strided<[1, 64]>> {{.*}}) workgroup(%[[TILE:[^ ]*]] : memref<32x33xf64, #gpu.address_space<workgroup>>) kernel
// CHECK-NOT: gpu.barrier
// CHECK: %[[N:.*]] = arith.negf
// CHECK: memref.store %[[N]], %[[TILE]]
// CHECK: memref.store %{{.*}}, %[[R]]
// CHECK: gpu.barrier
// CHECK: %[[V:.*]] = memref.load %[[TILE]]
// CHECK: memref.store %[[V]], %[[S]]
// CHECK: gpu.return
func.func @results(%x: tensor<64x64xf64>) -> (tensor<64x64xf64>, tensor<64x64xf64> {fusion.stride_order = array<i64: 1, 0>}) {
  %0:2 = fusion.segment "pointwise" (%a = %x : tensor<64x64xf64>) -> (tensor<64x64xf64>, tensor<64x64xf64>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w5], [l5]], staged = [[], [l5], [w5]], results = [1]>} {
    %1 = fusion.mul %a, %a : tensor<64x64xf64>
    %2 = fusion.neg %a : tensor<64x64xf64>
    fusion.yield %1, %2 : tensor<64x64xf64>, tensor<64x64xf64>
  }
  return %0#0, %0#1 : tensor<64x64xf64>, tensor<64x64xf64>
}

// What the schedule does not list is read where it is, however it lies, ...
// CHECK-LABEL: gpu.func @some_0(
// CHECK-SAME: %[[X:.*]]: memref<64x64xf32> {{.*}}, %[[Y:.*]]: memref<64x64xf32> {{.*}}, %[[R:.*]]: memref<64x64xf32> {{.*}}) workgroup(%[[TILE:[^ ]*]] : memref<8x9xf32, #gpu.address_space<workgroup>>) kernel
// CHECK-NOT: memref.load %[[X]]
// CHECK: %[[S:.*]] = memref.load %[[Y]]
// CHECK: memref.store %[[S]], %[[TILE]]
// CHECK: gpu.barrier
// CHECK-DAG: %[[A:.*]] = memref.load %[[X]]
// CHECK-DAG: %[[B:.*]] = memref.load %[[TILE]]
// CHECK: arith.addf %[[A]], %[[B]]
func.func @some(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x64xf32>, %b = %y : tensor<64x64xf32>) -> (tensor<64x64xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [l2, w1], [l3]], staged = [[], [l3:0], [l2:3, w1]], reads = [1]>} {
    %1 = fusion.permute %a [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    %2 = fusion.permute %b [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    %3 = fusion.add %1, %2 : tensor<64x64xf32>
    fusion.yield %3 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// ... and either dimension can be the one of the threads that compute: here the first result is handed over.
// CHECK-LABEL: gpu.func @turned_0(
// CHECK-SAME: %[[X:.*]]: memref<64x64xf32> {{.*}}, %[[R:.*]]: memref<64x64xf32> {{.*}}) workgroup(%[[TILE:[^ ]*]] : memref<32x33xf32, #gpu.address_space<workgroup>>) kernel
// CHECK: %[[A:.*]] = memref.load %[[X]]
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: memref.store %[[E]], %[[TILE]]
// CHECK: gpu.barrier
// CHECK: %[[V:.*]] = memref.load %[[TILE]]
// CHECK: memref.store %[[V]], %[[R]]
func.func @turned(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x64xf32>) -> (tensor<64x64xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [w5], [l5]], staged = [[], [l5], [w5]], results = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    %2 = fusion.exp %1 : tensor<64x64xf32>
    fusion.yield %2 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// An operand at two indices that both lie across has two squares.
// CHECK-LABEL: gpu.func @twice_0(
// CHECK-SAME: workgroup(%{{.*}} : memref<32x33xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<32x33xf32, #gpu.address_space<workgroup>>) kernel
func.func @twice(%x: tensor<64x64x64xf32>) -> tensor<64x64x64xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x64x64xf32>) -> (tensor<64x64x64xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[1], [0], [2]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>} {
    %1 = fusion.permute %a [2, 1, 0] : tensor<64x64x64xf32> to tensor<64x64x64xf32>
    %2 = fusion.permute %a [2, 0, 1] : tensor<64x64x64xf32> to tensor<64x64x64xf32>
    %3 = fusion.add %1, %2 : tensor<64x64x64xf32>
    fusion.yield %3 : tensor<64x64x64xf32>
  }
  return %0 : tensor<64x64x64xf32>
}
