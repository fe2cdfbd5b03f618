// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --cse | FileCheck %s
// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --kernel-stage-verify -o /dev/null

// Kernels that hand squares through shared memory, from schedules by hand.

// Whole squares: no condition. All reads come before the first write to shared memory; neighbours of the input's last
// dimension, then of the result's, belong to neighbouring threads. In shared memory the lanes of a column of 32 change the bank,
// too, so that none of them meet.
// CHECK-LABEL: gpu.func @whole_0(
// CHECK-SAME: %[[X:.*]]: memref<64x128xf32> {{.*}}, %[[R:.*]]: memref<128x64xf32> {{.*}}) workgroup(%[[TILE:.*]] : memref<1024xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>
// CHECK-NOT: scf.if
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[NUMBER:.*]] = arith.index_castui %[[THREAD]] : index to i32
// CHECK-DAG: %[[WARP_BITS:.*]] = arith.andi %[[NUMBER]], %c480_i32
// CHECK-DAG: %[[WARP_BANKS:.*]] = arith.shrui %[[WARP_BITS]], %c5_i32
// CHECK-DAG: %[[LANES:.*]] = arith.andi %[[NUMBER]], %c31_i32
// CHECK-DAG: %[[BANKS:.*]] = arith.xori %[[WARP_BANKS]], %[[LANES]]
// CHECK-DAG: %[[ROWS:.*]] = arith.shli %[[LANES]], %c5_i32
// CHECK-DAG: %[[ACROSS:.*]] = arith.xori %[[BANKS]], %[[ROWS]]
// CHECK-DAG: %[[ALL:.*]] = arith.andi %[[NUMBER]], %c511_i32
// CHECK-DAG: %[[ALONG:.*]] = arith.xori %[[WARP_BANKS]], %[[ALL]]
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[THREAD]], %c32
// CHECK-DAG: %[[J:.*]] = arith.addi %{{.*}}, %[[LANE]]
// CHECK-DAG: %[[I:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK: %[[FIRST:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK: memref.load %[[X]]
// CHECK: %[[AT:.*]] = arith.index_castui %[[ACROSS]]
// CHECK: memref.store %[[FIRST]], %[[TILE]][%[[AT]]]
// CHECK: %[[NEXT:.*]] = arith.xori %[[ACROSS]], %c16_i32
// CHECK: %[[NEXT_AT:.*]] = arith.index_castui %[[NEXT]]
// CHECK: memref.store %{{.*}}, %[[TILE]][%[[NEXT_AT]]]
// CHECK: gpu.barrier
// CHECK-NOT: memref.load %[[X]]
// CHECK: %[[FROM:.*]] = arith.index_castui %[[ALONG]]
// CHECK: memref.load %[[TILE]][%[[FROM]]]
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
// written has a condition.
// CHECK-LABEL: gpu.func @cut_0(
// CHECK-SAME: workgroup(%[[TILE:.*]] : memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
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
// CHECK-SAME: %[[X:.*]]: memref<64x64xf32> {{.*}}, %[[R:.*]]: memref<64x64xf32> {{.*}}) workgroup(%[[TILE:[^ ]*]] : memref<1024xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
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
// CHECK-SAME: %[[X:.*]]: memref<64x64xf64> {{.*}}, %[[R:.*]]: memref<64x64xf64> {{.*}}, %[[S:.*]]: memref<64x64xf64, strided<[1, 64]>> {{.*}}) workgroup(%[[TILE:[^ ]*]] : memref<1024xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
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

// What the schedule does not list is read where it is, however it lies, and before the barrier, ...
// CHECK-LABEL: gpu.func @some_0(
// CHECK-SAME: %[[X:.*]]: memref<64x64xf32> {{.*}}, %[[Y:.*]]: memref<64x64xf32> {{.*}}, %[[R:.*]]: memref<64x64xf32> {{.*}}) workgroup(%[[TILE:[^ ]*]] : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
// CHECK-NOT: memref.load %[[X]]
// CHECK: %[[S:.*]] = memref.load %[[Y]]
// CHECK: %[[A:.*]] = memref.load %[[X]]
// CHECK: memref.store %[[S]], %[[TILE]]
// CHECK: gpu.barrier
// CHECK: %[[B:.*]] = memref.load %[[TILE]]
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
// CHECK-SAME: %[[X:.*]]: memref<64x64xf32> {{.*}}, %[[R:.*]]: memref<64x64xf32> {{.*}}) workgroup(%[[TILE:[^ ]*]] : memref<1024xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
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
// CHECK-SAME: workgroup(%{{.*}} : memref<1024xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{.*}} : memref<1024xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
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

// Threads with neighbours along both axes in both layouts turn 4 by 4 elements in registers: all accesses are vectors. The
// conversion to f32 and back is of vectors, too.
// CHECK-LABEL: gpu.func @vectors_0(
// CHECK-SAME: %[[X:.*]]: memref<64x128xbf16> {{.*}}, %[[Y:.*]]: memref<128x64xbf16> {{.*}}, %[[R:.*]]: memref<128x64xbf16> {{.*}}) workgroup(%[[TILE:.*]] : memref<4096xbf16, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
// CHECK-NOT: memref.load
// CHECK: %[[ROW0:.*]] = vector.load %[[X]]{{.*}} {alignment = 8 : i64} : memref<64x128xbf16>, vector<4xbf16>
// CHECK: %[[ROW1:.*]] = vector.load %[[X]]
// CHECK: %[[ROW2:.*]] = vector.load %[[X]]
// CHECK: %[[ROW3:.*]] = vector.load %[[X]]
// CHECK: vector.load %[[Y]]{{.*}} vector<4xbf16>
// CHECK: vector.load %[[Y]]
// CHECK: vector.load %[[Y]]
// CHECK: vector.load %[[Y]]
// CHECK: %[[E0:.*]] = vector.extract %[[ROW0]][0]
// CHECK: %[[E1:.*]] = vector.extract %[[ROW1]][0]
// CHECK: %[[E2:.*]] = vector.extract %[[ROW2]][0]
// CHECK: %[[E3:.*]] = vector.extract %[[ROW3]][0]
// CHECK: %[[COLUMN:.*]] = vector.from_elements %[[E0]], %[[E1]], %[[E2]], %[[E3]] : vector<4xbf16>
// CHECK-COUNT-4: vector.store %{{.*}}, %[[TILE]]{{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
// CHECK: gpu.barrier
// CHECK-NOT: memref.load
// CHECK: %[[T:.*]] = vector.load %[[TILE]]{{.*}} vector<4xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[T]] : vector<4xbf16> to vector<4xf32>
// CHECK: arith.addf %[[WIDE]]
// CHECK: vector.store %{{.*}}, %[[R]]{{.*}} {alignment = 8 : i64} : memref<128x64xbf16>, vector<4xbf16>
// CHECK-NOT: memref.store
// CHECK: gpu.return
func.func @vectors(%x: tensor<64x128xbf16> {fusion.alignment = 16 : i64}, %y: tensor<128x64xbf16> {fusion.alignment = 16 : i64}) -> (tensor<128x64xbf16> {fusion.alignment = 16 : i64}) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x128xbf16>, %b = %y : tensor<128x64xbf16>) -> (tensor<128x64xbf16>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r2, l1, w3], [r2, l4]], staged = [[], [r2, l4:0], [r2, l1:4, w3]], reads = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<64x128xbf16> to tensor<128x64xbf16>
    %2 = fusion.add %1, %b : tensor<128x64xbf16>
    fusion.yield %2 : tensor<128x64xbf16>
  }
  return %0 : tensor<128x64xbf16>
}

// The other way: vectors are computed along dimension 0, in which the input's neighbours lie, and turned on the way to the result.
// A dimension whose size is odd has no vectors, though the layouts would.
// CHECK-LABEL: gpu.func @vectors_turned_0(
// CHECK-SAME: %[[X:.*]]: memref<63x128xf32> {{.*}}, %[[R:.*]]: memref<128x63xf32> {{.*}}) workgroup(%[[TILE:.*]] : memref<1024xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
// CHECK: %[[V:.*]] = vector.load %[[X]]{{.*}} {alignment = 16 : i64} : memref<63x128xf32>, vector<4xf32>
// CHECK: %[[E:.*]] = math.exp %[[V]] : vector<4xf32>
// CHECK: vector.store %[[E]], %[[TILE]]{{.*}} {alignment = 16 : i64}
// CHECK: gpu.barrier
// CHECK: vector.load %[[TILE]]
// CHECK: memref.store %{{.*}}, %[[R]]
func.func @vectors_turned(%x: tensor<63x128xf32> {fusion.alignment = 16 : i64}) -> tensor<128x63xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<63x128xf32>) -> (tensor<128x63xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [r2, l2, w1], [r2, l3:0]], staged = [[], [r2, l3:0], [r2, l2:3, w1]], results = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<63x128xf32> to tensor<128x63xf32>
    %2 = fusion.exp %1 : tensor<128x63xf32>
    fusion.yield %2 : tensor<128x63xf32>
  }
  return %0 : tensor<128x63xf32>
}
