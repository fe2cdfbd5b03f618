// RUN: fuser-opt %s --split-input-file --fusion-to-kernel -verify-diagnostics | FileCheck %s

// A leaf of four, then the lanes of a warp, then warps: one value of each goes through shared memory.
// CHECK-LABEL: gpu.func @f_0(
// CHECK-SAME: workgroup(%[[MEMORY:.*]] : memref<2xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[V:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : memref<?x256xf32>, vector<4xf32>
// CHECK: vector.extract %[[V]][0]
// CHECK-COUNT-3: arith.addf
// CHECK-COUNT-5: gpu.shuffle idx {{.*}} : f32
// The leaves before; the last lane has all.
// CHECK: gpu.shuffle up
// CHECK-NOT: gpu.shuffle
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[MEMORY]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: memref.load %[[MEMORY]]
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<?x256xf32>, vector<4xf32>
func.func @f(%x: tensor<?x256xf32> {fusion.alignment = 16 : i64}) -> (tensor<?x256xf32> {fusion.alignment = 16 : i64}) attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "row_scan" (%a = %x : tensor<?x256xf32>) -> (tensor<?x256xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r2, l5, w1]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<?x256xf32>
    fusion.yield %1 : tensor<?x256xf32>
  }
  return %0 : tensor<?x256xf32>
}

// -----

// A row of more columns than the tile: whole steps, which check no bound, and one more.
// CHECK-LABEL: gpu.func @long_0(
// CHECK-SAME: workgroup(%[[MEMORY:.*]] : memref<4xf32, #gpu.address_space<workgroup>>)
// What is carried are the groups, of which there is one, the sections, and the segments of this one; a step of two segments may begin a section.
// CHECK: scf.for %[[AT:.*]] = %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SECTIONS:.*]] = %{{.*}}, %[[SEGMENTS:.*]] = %{{.*}}) -> (f32, f32, f32)
// CHECK-NOT: arith.cmpi ult
// CHECK: vector.load
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}}, %c63{{[_0-9]*}} : index
// CHECK: %[[IS_NEXT:.*]] = arith.cmpi eq, %[[INSIDE]]
// CHECK: %[[ALL:.*]] = arith.addf %[[SECTIONS]], %[[SEGMENTS]]
// CHECK: arith.select %[[IS_NEXT]], %[[ALL]], %[[SECTIONS]]
// CHECK: arith.select %[[IS_NEXT]], %{{.*}}, %[[SEGMENTS]]
// CHECK: scf.yield
// CHECK: scf.if
// CHECK: arith.cmpi ult
// CHECK: vector.load
func.func @long(%x: tensor<?x1000xf32> {fusion.alignment = 16 : i64}) -> tensor<?x1000xf32> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "row_scan" (%a = %x : tensor<?x1000xf32>) -> (tensor<?x1000xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r2, l5, w1]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<?x1000xf32>
    fusion.yield %1 : tensor<?x1000xf32>
  }
  return %0 : tensor<?x1000xf32>
}

// -----

// Several rows a block, of which each step may be the last one. Of a long row more elements are left than 32 bits hold.
// CHECK-LABEL: gpu.func @above_32_bits_0(
// CHECK: %[[COUNT:.*]] = arith.minsi %{{.*}}, %c4{{[_0-9]*}} : index
// CHECK-NEXT: %[[NARROW:.*]] = arith.index_cast %[[COUNT]] : index to i32
// CHECK: vector.broadcast %[[NARROW]] : i32 to vector<4xi32>
func.func @above_32_bits(%x: tensor<?x2147483649xf32>) -> tensor<?x2147483649xf32> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "row_scan" (%a = %x : tensor<?x2147483649xf32>) -> (tensor<?x2147483649xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[w1], [r2, l5]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<?x2147483649xf32>
    fusion.yield %1 : tensor<?x2147483649xf32>
  }
  return %0 : tensor<?x2147483649xf32>
}

// -----

// CHECK-LABEL: gpu.func @below_32_bits_0(
// CHECK-NOT: arith.minsi
// CHECK: arith.index_cast %{{.*}} : index to i32
func.func @below_32_bits(%x: tensor<?x1001xf32>) -> tensor<?x1001xf32> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "row_scan" (%a = %x : tensor<?x1001xf32>) -> (tensor<?x1001xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[w1], [r2, l5]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<?x1001xf32>
    fusion.yield %1 : tensor<?x1001xf32>
  }
  return %0 : tensor<?x1001xf32>
}

// -----

// Written by hand, a thread has a column, leaf by leaf.
// CHECK-LABEL: gpu.func @serial_0(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x8xf32>
// CHECK-SAME: %[[R:[a-z0-9]+]]: memref<?x8xf32>
// CHECK-DAG: %[[SIZE:.*]] = memref.dim %[[X]], %{{.*}}
// CHECK-DAG: %[[COLUMN:.*]] = arith.addi
// CHECK: scf.for %[[LEAF:.*]] = %{{.*}} to %[[SIZE]] step %{{.*}} iter_args(
// CHECK: scf.for %[[I:.*]] = %[[LEAF]] to %{{.*}} step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[E:.*]] = memref.load %[[X]][%[[I]], %[[COLUMN]]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[E]]
// CHECK: %[[ALL:.*]] = arith.addf %{{.*}}, %[[NEXT]]
// CHECK: memref.store %[[ALL]], %[[R]][%[[I]], %[[COLUMN]]]
// CHECK: scf.yield %[[NEXT]]
func.func @serial(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) attributes {schedule = #fusion.generic<threads = 32>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

// Columns: leaves go to shared memory, a warp scans those of a column, and each thread takes what is before its own.
// CHECK-LABEL: gpu.func @outer_0(
// CHECK-SAME: workgroup(%[[MEMORY:.*]] : memref<1056xi32, #gpu.address_space<workgroup>>)
// CHECK: scf.for %{{.*}} iter_args(
// CHECK-COUNT-8: memref.load %{{.*}} : memref<?x?xf32>
// CHECK-COUNT-2: memref.store %{{.*}}, %[[MEMORY]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[MEMORY]]
// CHECK-COUNT-7: gpu.shuffle
// CHECK: memref.store %{{.*}}, %[[MEMORY]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[MEMORY]]
func.func @outer(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "outer_scan" (%a = %x : tensor<?x?xf32>) -> (tensor<?x?xf32>) attributes {schedule = #fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [r2, w4], [l5]], repeat = [1, 2, 1]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<?x?xf32>
    fusion.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// -----

func.func @axes(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {fusion.target = "sm_90"} {
  // expected-error@+1 {{expected the dimensions before the one that is scanned, that one, and those behind it as the axes of a scan's schedule, [0], [1]}}
  %0 = fusion.segment "row_scan" (%a = %x : tensor<8x64xf32>) -> (tensor<8x64xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[1], [0]], layout = [[], [r2, l5]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<8x64xf32>
    fusion.yield %1 : tensor<8x64xf32>
  }
  return %0 : tensor<8x64xf32>
}

// -----

func.func @leaves(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {fusion.target = "sm_90"} {
  // expected-error@+1 {{expected registers of 4 neighbours of what is scanned, the leaves of these scans, got 8}}
  %0 = fusion.segment "row_scan" (%a = %x : tensor<8x64xf32>) -> (tensor<8x64xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r3, l5]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<8x64xf32>
    fusion.yield %1 : tensor<8x64xf32>
  }
  return %0 : tensor<8x64xf32>
}

// -----

func.func @few_lanes(%x: tensor<8x?xf32>) -> tensor<8x?xf32> attributes {fusion.target = "sm_90"} {
  // expected-error@+1 {{expected a tile with whole segments of a scan, 128 elements, or with all of what is scanned, got 64}}
  %0 = fusion.segment "row_scan" (%a = %x : tensor<8x?xf32>) -> (tensor<8x?xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[l1], [r2, l4]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<8x?xf32>
    fusion.yield %1 : tensor<8x?xf32>
  }
  return %0 : tensor<8x?xf32>
}

// -----

// Columns in one step, of one and a half segments.
func.func @column_segments(%x: tensor<160x64xf32>) -> tensor<160x64xf32> attributes {fusion.target = "sm_90"} {
  // expected-error@+1 {{expected a tile with whole segments of a scan, 128 elements, or with all of what is scanned, got 192}}
  %0 = fusion.segment "outer_scan" (%a = %x : tensor<160x64xf32>) -> (tensor<160x64xf32>) attributes {schedule = #fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [r2, w4], [l5]], repeat = [1, 3, 1]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<160x64xf32>
    fusion.yield %1 : tensor<160x64xf32>
  }
  return %0 : tensor<160x64xf32>
}

// -----

func.func @elsewhere(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {fusion.target = "sm_90"} {
  // expected-error@+1 {{does not fit its schedule of scans: another dimension than the last one is scanned}}
  %0 = fusion.segment "row_scan" (%a = %x : tensor<8x64xf32>) -> (tensor<8x64xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r2, l5]]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<8x64xf32>
    fusion.yield %1 : tensor<8x64xf32>
  }
  return %0 : tensor<8x64xf32>
}

// -----

func.func @flipped(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {fusion.target = "sm_90"} {
  // expected-error@+1 {{does not fit its schedule of scans: what is made of a scan is used elsewhere}}
  %0 = fusion.segment "row_scan" (%a = %x : tensor<8x64xf32>) -> (tensor<8x64xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r2, l5]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<8x64xf32>
    %2 = fusion.reshape %1 : tensor<8x64xf32> to tensor<64x8xf32>
    %3 = fusion.reshape %2 : tensor<64x8xf32> to tensor<8x64xf32>
    fusion.yield %3 : tensor<8x64xf32>
  }
  return %0 : tensor<8x64xf32>
}

// -----

func.func @last(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {fusion.target = "sm_90"} {
  // expected-error@+1 {{does not fit its schedule of scans: the last dimension is scanned}}
  %0 = fusion.segment "outer_scan" (%a = %x : tensor<8x64xf32>) -> (tensor<8x64xf32>) attributes {schedule = #fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [r2, w5], [l5]]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<8x64xf32>
    fusion.yield %1 : tensor<8x64xf32>
  }
  return %0 : tensor<8x64xf32>
}

// -----

// A block has a section, of the order in which blocks begin. It tells what the section is combined to, waits for those of its group before it, and for the
// group before; the last section of a group tells that of the next one. Of the last block to end the counters are 0 again. Before all threads ask, one waits
// for the section before. One thread combines the segments, and leaves in their places what is before each; the others read theirs behind all that is waited for.
// CHECK-LABEL: gpu.func @split_0(
// CHECK-SAME: %[[TOLD:[a-z0-9]*]]: memref<?xf32> {{{[^}]*}}}, %[[COUNTERS:[a-z0-9]*]]: memref<?xi32> {{{[^}]*}}}) workgroup(%[[COUNTED:[a-z0-9]*]] : memref<1xi32,
// CHECK: scf.if
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[BEGUN:.*]] = kernel.counter_add %[[COUNTERS]][%[[C0]]], %{{.*}} order relaxed : memref<?xi32>
// CHECK: memref.store %[[BEGUN]], %[[COUNTED]]
// CHECK: gpu.barrier
// CHECK: %[[BLOCK:.*]] = memref.load %[[COUNTED]]
// CHECK: memref.store %{{.*}}, %[[SEGMENTS:[a-z0-9]*]]{{.*}} : memref<64xf32
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: %[[SEGMENT:.*]] = memref.load %[[SEGMENTS]]
// CHECK-NEXT: memref.store %[[BEFORE:.*]], %[[SEGMENTS]]
// CHECK-NEXT: arith.addf %[[BEFORE]], %[[SEGMENT]]
// CHECK: } else {
// CHECK-NOT: memref.load %[[SEGMENTS]]
// CHECK: memref.store %{{.*}}, %[[TOLD]]
// CHECK: kernel.counter_add %[[COUNTERS]]{{.*}} order release
// CHECK: scf.if
// CHECK-NEXT: arith.constant 1 : index
// CHECK: kernel.counter_wait %[[COUNTERS]]
// CHECK: gpu.barrier
// CHECK: kernel.counter_wait %[[COUNTERS]]
// CHECK: memref.load %[[TOLD]]
// CHECK: memref.store %{{.*}}, %[[MEMORY:[a-z0-9]*]]{{.*}} : memref<129xf32
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-16: memref.load %[[MEMORY]]
// CHECK-COUNT-16: arith.addf
// CHECK: kernel.counter_wait %[[COUNTERS]]
// CHECK: memref.load %[[TOLD]]
// CHECK: memref.store %{{.*}}, %[[TOLD]]
// CHECK: kernel.counter_add %[[COUNTERS]]{{.*}} order release
// CHECK: memref.store %{{.*}}, %[[MEMORY]]
// CHECK: kernel.counter_add %[[COUNTERS]]{{\[[^]]*\], %[a-z0-9_]*}} : memref<?xi32>
// CHECK: gpu.barrier
// CHECK: memref.load %[[SEGMENTS]]
// CHECK: {{kernel.store_neighbours|vector.store|memref.store}} %{{.*}}, %arg1
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[COUNTERS]]
// CHECK: gpu.return
func.func @split(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "split_scan" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r2, l5, w4]], repeat = [1, 4]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// What integers of other sections are combined to is found by shuffles, and of warps through shared memory.
// CHECK-LABEL: gpu.func @split_integers_0(
// CHECK: kernel.counter_wait
// CHECK: gpu.barrier
// CHECK: kernel.counter_wait
// CHECK-COUNT-10: gpu.shuffle xor {{.*}} : i32
// CHECK-NOT: scf.for
// CHECK: memref.store %{{.*}}, %[[MEMORY:[a-z0-9]*]][%{{.*}}] : memref<129xi64
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[MEMORY]]
// CHECK: kernel.counter_wait
func.func @split_integers(%x: tensor<?xi64>) -> tensor<?xi64> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "split_scan" (%a = %x : tensor<?xi64>) -> (tensor<?xi64>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r1, l5, w2]], repeat = [1, 16]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<?xi64>
    fusion.yield %1 : tensor<?xi64>
  }
  return %0 : tensor<?xi64>
}

// -----

// All sections of a row of integers are one group here, of 256: no thread waits for a group before.
// CHECK-LABEL: gpu.func @one_group_0(
// CHECK: order release
// CHECK: kernel.counter_wait
// CHECK: gpu.barrier
// CHECK-COUNT-2: kernel.counter_wait
// CHECK-COUNT-10: gpu.shuffle xor {{.*}} : i32
// CHECK: memref.store %{{.*}}, %[[MEMORY:[a-z0-9]*]][%{{.*}}] : memref<129xi64
// CHECK-COUNT-4: memref.load %[[MEMORY]]
// CHECK-NOT: kernel.counter_wait
// CHECK: gpu.return
func.func @one_group(%x: tensor<1048576xi64>) -> tensor<1048576xi64> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "split_scan" (%a = %x : tensor<1048576xi64>) -> (tensor<1048576xi64>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r1, l5, w2]], repeat = [1, 16]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<1048576xi64>
    fusion.yield %1 : tensor<1048576xi64>
  }
  return %0 : tensor<1048576xi64>
}

// -----

// Where there are few blocks, all threads ask at once.
// CHECK-LABEL: gpu.func @few_0(
// CHECK: order release
// CHECK-NOT: gpu.barrier
// CHECK: kernel.counter_wait
// CHECK: gpu.barrier
// CHECK: scf.for
func.func @few(%x: tensor<500000xf32>) -> tensor<500000xf32> attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "split_scan" (%a = %x : tensor<500000xf32>) -> (tensor<500000xf32>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r2, l5, w4]], repeat = [1, 4]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<500000xf32>
    fusion.yield %1 : tensor<500000xf32>
  }
  return %0 : tensor<500000xf32>
}

// -----

func.func @scan_of_scan(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.target = "sm_90"} {
  // expected-error@+1 {{does not fit its schedule of scans: a scan is scanned}}
  %0 = fusion.segment "split_scan" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r2, l5, w4]], repeat = [1, 4]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<?xf32>
    %2 = fusion.scan <sum> %1 dim 0 : tensor<?xf32>
    fusion.yield %2 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Two sections of integers a block, read in two parts: the first ones wait in shared memory with what is before them in their segment.
// CHECK-LABEL: gpu.func @parked_0(
// CHECK-SAME: fuser.ordered_reads
// CHECK-SAME: %[[WAITING:[a-z0-9]+]] : memref<4096xi64, #gpu.address_space<workgroup>>
// CHECK-COUNT-8: vector.load %{{.*}} {alignment = 16 : i64} : memref<1048576xi64>, vector<2xi64>
// CHECK: gpu.barrier
// CHECK-NOT: vector.load
// CHECK-COUNT-10: gpu.shuffle up
// CHECK: vector.store %{{.*}}, %[[WAITING]]
// CHECK-COUNT-8: vector.load %{{.*}} {alignment = 16 : i64} : memref<1048576xi64>, vector<2xi64>
// CHECK: gpu.barrier
// CHECK: kernel.counter_wait
// CHECK-COUNT-8: vector.load %[[WAITING]]
// CHECK: vector.store
func.func @parked(%x: tensor<1048576xi64> {fusion.alignment = 16 : i64}) -> (tensor<1048576xi64> {fusion.alignment = 16 : i64}) attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "split_scan" (%a = %x : tensor<1048576xi64>) -> (tensor<1048576xi64>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r1, l5, w3]], repeat = [1, 16], stages = 1>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<1048576xi64>
    fusion.yield %1 : tensor<1048576xi64>
  }
  return %0 : tensor<1048576xi64>
}

// -----

// Of floating-point numbers what is before a leaf waits beside it: it is added in the order that it has without.
// CHECK-LABEL: gpu.func @parked_floats_0(
// CHECK-SAME: %[[WAITING:[a-z0-9]+]] : memref<4096xf32, #gpu.address_space<workgroup>>
// CHECK-SAME: %[[BEFORE:[a-z0-9]+]] : memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK: store %{{.*}}, %[[BEFORE]]
// CHECK: vector.store %{{.*}}, %[[WAITING]]
// CHECK: kernel.counter_wait
// CHECK: vector.load %[[WAITING]]
// CHECK: load %[[BEFORE]]
func.func @parked_floats(%x: tensor<1048576xf32> {fusion.alignment = 16 : i64}) -> (tensor<1048576xf32> {fusion.alignment = 16 : i64}) attributes {fusion.target = "sm_90"} {
  %0 = fusion.segment "split_scan" (%a = %x : tensor<1048576xf32>) -> (tensor<1048576xf32>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r2, l5, w2]], repeat = [1, 16], stages = 1>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<1048576xf32>
    fusion.yield %1 : tensor<1048576xf32>
  }
  return %0 : tensor<1048576xf32>
}
