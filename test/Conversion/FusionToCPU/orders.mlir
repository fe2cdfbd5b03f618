// RUN: fuser-opt %s --pass-pipeline='builtin.module(fusion-to-kernel{target=cpu},canonicalize,cse)' | FileCheck %s
// DEFINE: %{run} = fuser-run %s --target cpu --check
// RUN: %{run} --entry counted --input 5x40xf32=bits:1
// RUN: %{run} --entry digits --input 5x300xi16=bits:1
// RUN: %{run} --entry digits --input 5x0xi16=bits:1
// RUN: %{run} --entry digits --input 5x1xi16=bits:1
// RUN: %{run} --entry each_way --input 3x100xf32=bits:1
// RUN: %{run} --entry each_way --input 3x101xf32=bits:1
// RUN: %{run} --entry each_way --input 3x400xf32=bits:1
// RUN: %{run} --entry each_way --input 3x401xf32=bits:1
// RUN: %{run} --entry each_way --input 0x401xf32=bits:1
// RUN: %{run} --entry alike --input 7x2000x2xi64=random:1

// Ways to put fibres in order: #fusion.cpu_order. The keys are vectors, each compared with one key after the other.
// CHECK-LABEL: func.func @counted_0(
// CHECK-SAME: fuser.scratch_bytes = 512
// CHECK-NOT: scf.while
// CHECK: %[[OWN:.*]] = vector.load %{{.*}} : memref<64xi32>, vector<32xi32>
// CHECK: vector.broadcast %{{.*}} : i32 to vector<32xi32>
// CHECK: arith.cmpi ule, %{{.*}}, %[[OWN]] : vector<32xi32>
// CHECK-NOT: scf.while
func.func @counted(%x: tensor<?x40xf32>) -> tensor<?x40xi64> {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x40xf32>) -> (tensor<?x40xi64>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.cpu_order<counted = 40>]>} {
    %1 = fusion.argsort %a dim 1 descending : tensor<?x40xf32> to tensor<?x40xi64>
    fusion.yield %1 : tensor<?x40xi64>
  }
  return %0 : tensor<?x40xi64>
}

// Two work items take every other row, with keys as wide as elements. A row may have any number of elements, and its positions 64 bits.
// CHECK-LABEL: func.func @digits_0(
// CHECK-SAME: %arg2: memref<?x?xi16> {{.*}}, %arg3: memref<?x?xi64>
// CHECK-SAME: fuser.scratch_bytes = 4096
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c2
// CHECK: memref.store %{{.*}}, %arg2[
// CHECK: memref.store %{{.*}}, %arg3[
func.func @digits(%x: tensor<?x?xi16>) -> tensor<?x?xi64> {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x?xi16>) -> (tensor<?x?xi64>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.cpu_order<items = 2>]>} {
    %1 = fusion.argsort %a dim 1 : tensor<?x?xi16> to tensor<?x?xi64>
    fusion.yield %1 : tensor<?x?xi64>
  }
  return %0 : tensor<?x?xi64>
}

// All three of them, the last one being a heap. What is sorted has no more than 400 elements.
// CHECK-LABEL: func.func @each_way_0(
// CHECK-SAME: %arg2: memref<?x?xi32> {{.*}}, %arg3: memref<?x?xi32>
// CHECK: arith.cmpi ule, %{{.*}}, %c100
// CHECK: scf.if
// CHECK: arith.cmpi ule, %{{.*}}, %c400
// CHECK: scf.if
// CHECK: scf.while
func.func @each_way(%x: tensor<?x?xf32>) -> tensor<?x9xi64> {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x?xf32>) -> (tensor<?x9xi64>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 8, groups = [#fusion.cpu_order<counted = 100, sorted = 400, items = 64>]>} {
    %1 = fusion.argtopk 9 %a dim 1 descending : tensor<?x?xf32> to tensor<?x9xi64>
    fusion.yield %1 : tensor<?x9xi64>
  }
  return %0 : tensor<?x9xi64>
}

// Most digits of small numbers are alike, and left out. Positions of a known length have 32 bits.
// CHECK-LABEL: func.func @alike_0(
// CHECK-SAME: %arg2: memref<?x?xi64> {{.*}}, %arg3: memref<?x?xi32>
func.func @alike(%x: tensor<7x2000x2xi64>) -> tensor<7x2000x2xi64> {
  %0 = fusion.segment "generic" (%a = %x : tensor<7x2000x2xi64>) -> (tensor<7x2000x2xi64>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.cpu_order<items = 64>]>} {
    %1 = fusion.argsort %a dim 1 descending : tensor<7x2000x2xi64> to tensor<7x2000x2xi64>
    fusion.yield %1 : tensor<7x2000x2xi64>
  }
  return %0 : tensor<7x2000x2xi64>
}

// As many as are sorted at a time, each with two places for an element; of fibres that are not sorted none.
// CHECK-LABEL: func.func private @digits_0_host(
// CHECK: %[[ROWS:.*]] = memref.dim %{{.*}}, %c0
// CHECK: %[[ITEMS:.*]] = arith.minui %[[ROWS]], %c2
// CHECK: %[[TWICE:.*]] = arith.muli %{{.*}}, %c2
// CHECK: host.workspace 0 (%[[ITEMS]], %[[TWICE]]) : memref<?x?xi16>
// CHECK: host.workspace 1 (%[[ITEMS]], %[[TWICE]]) : memref<?x?xi64>
// CHECK: host.launch @digits_0::@digits_0 grid(%[[ITEMS]],
// CHECK-LABEL: func.func private @each_way_0_host(
// CHECK: %[[LENGTH:.*]] = memref.dim %{{.*}}, %c1
// CHECK: arith.minui %[[LENGTH]], %c400
