// DEFINE: %{run} = fuser-run %s --target cpu --check
// RUN: %{run} --entry tiles --input 5x7x70xf32=random:1
// RUN: %{run} --entry tiles --input 0x7x70xf32=random:1
// RUN: %{run} --entry plain --input 5x70xf32=random:1
// RUN: %{run} --entry flat --input 37x70xf32=random:1
// RUN: %{run} --entry squares --input 37x70xbf16=random:1
// RUN: %{run} --entry squares --input 3x2xbf16=random:1
// RUN: %{run} --entry squares_across --input 3x70x37xbf16=random:1
// RUN: %{run} --entry squares_across --input 2x16x8xbf16=random:1
// RUN: %{run} --entry squares_across --input 2x7x9xbf16=random:1
// RUN: %{run} --entry squares_across --input 0x7x9xbf16=random:1
// RUN: %{run} --entry squares_of_rows --input 9x700xf32=random:1
// RUN: %{run} --entry rows_as_tiles --input 5x130xf32=random:1
// RUN: %{run} --entry columns_as_tiles --input 130x37xf32=random:1
// RUN: %{run} --entry kept --input 5x130xf32=random:1 --input 5x130xf32=random:2
// RUN: %{run} --entry kept_columns --input 130x37xf32=random:1
// RUN: fuser-run %s --target cpu --entry rows_as_tiles --input 5x130xf32=random:1 --output %t.tiles.npy
// RUN: fuser-run %s --target cpu --entry rows --input 5x130xf32=random:1 --output %t.rows.npy
// RUN: cmp %t.tiles.npy %t.rows.npy
// RUN: fuser-opt %s --pass-pipeline='builtin.module(fusion-to-kernel{target=cpu},canonicalize,cse)' | FileCheck %s

// Schedules that heuristics would not choose: they are obeyed, and results are right.

// Loops in another order, work items of three of its vectors.
// CHECK-LABEL: func.func @tiles_0(
// CHECK: vector.load %{{.*}} : memref<?x7x70xf32>, vector<16xf32>
func.func @tiles(%x: tensor<?x7x70xf32>) -> tensor<?x7x70xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7x70xf32>) -> (tensor<?x7x70xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_tiles<order = [1, 0, 2], item_dims = 3, chunk = 3, lanes = 16>]>} {
    %1 = fusion.exp %a : tensor<?x7x70xf32>
    fusion.yield %1 : tensor<?x7x70xf32>
  }
  return %0 : tensor<?x7x70xf32>
}

// What is left out: a work item is a row.
// CHECK-LABEL: func.func @plain_0(
// CHECK: scf.for %[[ROW:.*]] = %arg2 to
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: vector.load %arg0[%[[ROW]], %[[I]]] : memref<?x70xf32>, vector<8xf32>
func.func @plain(%x: tensor<?x70xf32>) -> tensor<?x70xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x70xf32>) -> (tensor<?x70xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 8>} {
    %1 = fusion.exp %a : tensor<?x70xf32>
    fusion.yield %1 : tensor<?x70xf32>
  }
  return %0 : tensor<?x70xf32>
}

// CHECK-LABEL: func.func @flat_0(
// CHECK: arith.muli %arg2, %c100
func.func @flat(%x: tensor<?x70xf32>) -> tensor<?x70xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x70xf32>) -> (tensor<?x70xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 32, groups = [#fusion.cpu_flat<chunk = 100>]>} {
    %1 = fusion.exp %a : tensor<?x70xf32>
    fusion.yield %1 : tensor<?x70xf32>
  }
  return %0 : tensor<?x70xf32>
}

// CHECK-LABEL: func.func @squares_0(
// CHECK: vector.shuffle %{{.*}} : vector<8xf32>, vector<8xf32>
func.func @squares(%x: tensor<?x?xbf16>) -> (tensor<?x?xbf16> {fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x?xbf16>) -> (tensor<?x?xbf16>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_squares<dim = 0, lanes = 8, chunk = 24>]>} {
    %1 = fusion.exp %a : tensor<?x?xbf16>
    fusion.yield %1 : tensor<?x?xbf16>
  }
  return %0 : tensor<?x?xbf16>
}

// Computed along the neighbours of what is read, stored along those of the result.
// CHECK-LABEL: func.func @squares_across_0(
// CHECK: vector.load %{{.*}} : memref<{{.*}}xbf16{{.*}}>, vector<8xbf16>
// CHECK: vector.shuffle %{{.*}} : vector<8xf32>, vector<8xf32>
func.func @squares_across(%x: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x?x?xbf16>) -> (tensor<?x?x?xbf16>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_squares<dim = 1, lanes = 8, chunk = 24>]>} {
    %1 = fusion.permute %a [0, 2, 1] : tensor<?x?x?xbf16> to tensor<?x?x?xbf16>
    %2 = fusion.exp %1 : tensor<?x?x?xbf16>
    fusion.yield %2 : tensor<?x?x?xbf16>
  }
  return %0 : tensor<?x?x?xbf16>
}

// Squares of elements that are rows of scattered elements themselves, in vectors as large as a square.
// CHECK-LABEL: func.func @squares_of_rows_0(
func.func @squares_of_rows(%x: tensor<?x700xf32>) -> tensor<?x10xf32> {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x700xf32>) -> (tensor<?x10xf32>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.cpu_squares<dim = 0, lanes = 8, chunk = 8>]>} {
    %1 = fusion.reshape %a : tensor<?x700xf32> to tensor<?x70x10xf32>
    %2 = fusion.permute %1 [0, 2, 1] : tensor<?x70x10xf32> to tensor<?x10x70xf32>
    %3 = fusion.reduce <sum> %2 dims [2] : tensor<?x10x70xf32> to tensor<?x10xf32>
    fusion.yield %3 : tensor<?x10xf32>
  }
  return %0 : tensor<?x10xf32>
}

// Rows could run in stages; told to, each element computes its reductions itself.
// CHECK-LABEL: func.func @rows_as_tiles_0(
// CHECK: scf.for
// CHECK: memref.load %arg0[%{{.*}}, %{{.*}}] : memref<?x130xf32>
// CHECK: scf.for %{{.*}} iter_args
// CHECK: memref.store %{{.*}}, %arg1[%{{.*}}, %{{.*}}] : memref<?x130xf32>
func.func @rows_as_tiles(%x: tensor<?x130xf32>) -> tensor<?x130xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x130xf32>) -> (tensor<?x130xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 64, groups = [#fusion.cpu_tiles<item_dims = 2, chunk = 50, lanes = 1>]>} {
    %1 = fusion.reduce <sum> %a dims [1] keep : tensor<?x130xf32> to tensor<?x1xf32>
    %2 = fusion.expand %1 : tensor<?x1xf32> to tensor<?x130xf32>
    %3 = fusion.sub %a, %2 : tensor<?x130xf32>
    fusion.yield %3 : tensor<?x130xf32>
  }
  return %0 : tensor<?x130xf32>
}

// The same in stages, in vectors that are no whole step of a sum: no bit differs.
// CHECK-LABEL: func.func @rows_0(
func.func @rows(%x: tensor<?x130xf32>) -> tensor<?x130xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x130xf32>) -> (tensor<?x130xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 8>} {
    %1 = fusion.reduce <sum> %a dims [1] keep : tensor<?x130xf32> to tensor<?x1xf32>
    %2 = fusion.expand %1 : tensor<?x1xf32> to tensor<?x130xf32>
    %3 = fusion.sub %a, %2 : tensor<?x130xf32>
    fusion.yield %3 : tensor<?x130xf32>
  }
  return %0 : tensor<?x130xf32>
}

// CHECK-LABEL: func.func @columns_as_tiles_0(
func.func @columns_as_tiles(%x: tensor<?x37xf32>) -> tensor<37xf32> {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x37xf32>) -> (tensor<37xf32>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.cpu_tiles<item_dims = 0, lanes = 4>]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<?x37xf32> to tensor<37xf32>
    fusion.yield %1 : tensor<37xf32>
  }
  return %0 : tensor<37xf32>
}

// A cheap sum of two is kept; what is computed with it is computed again, though it is a result that could be read back.
// CHECK-LABEL: func.func @kept_0(
// CHECK-SAME: fuser.scratch_bytes = 768
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : vector<64xf32>
// CHECK: vector.store %[[SUM]], %[[KEPT:view.*]][
// CHECK: arith.maximumf %{{.*}} : f32
// CHECK-NOT: arith.addf
// CHECK: %[[AGAIN:.*]] = vector.load %[[KEPT]][
// CHECK-NEXT: arith.negf %[[AGAIN]]
// CHECK-NOT: arith.addf
func.func @kept(%x: tensor<?x130xf32>, %y: tensor<?x130xf32>) -> (tensor<?x130xf32>, tensor<?x130xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x130xf32>, %b = %y : tensor<?x130xf32>) -> (tensor<?x130xf32>, tensor<?x130xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
    %1 = fusion.add %a, %b {fusion.keep = #fusion.keep<scratch>} : tensor<?x130xf32>
    %2 = fusion.neg %1 : tensor<?x130xf32>
    %3 = fusion.exp %2 : tensor<?x130xf32>
    %4 = fusion.reduce <max> %3 dims [1] keep : tensor<?x130xf32> to tensor<?x1xf32>
    %5 = fusion.expand %4 : tensor<?x1xf32> to tensor<?x130xf32>
    %6 = fusion.sub %3, %5 : tensor<?x130xf32>
    fusion.yield %3, %6 : tensor<?x130xf32>, tensor<?x130xf32>
  }
  return %0#0, %0#1 : tensor<?x130xf32>, tensor<?x130xf32>
}

// What no later stage needs is not kept: a quotient of the last stage, and a result that lies in the memory of an input, where nothing is stored before.
// CHECK-LABEL: func.func @kept_in_vain_0(
// CHECK: math.exp
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.divf
func.func @kept_in_vain(%x: tensor<?x130xf32>) -> (tensor<?x130xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<?x130xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x130xf32>) -> (tensor<?x130xf32>, tensor<?x130xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
    %1 = fusion.exp %a {fusion.keep = #fusion.keep<result>} : tensor<?x130xf32>
    %2 = fusion.reduce <max> %1 dims [1] keep : tensor<?x130xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 : tensor<?x1xf32> to tensor<?x130xf32>
    %4 = fusion.div %1, %3 {fusion.keep = #fusion.keep<scratch>} : tensor<?x130xf32>
    fusion.yield %1, %4 : tensor<?x130xf32>, tensor<?x130xf32>
  }
  return %0#0, %0#1 : tensor<?x130xf32>, tensor<?x130xf32>
}

// Two ops of a strip of columns, and a result.
// CHECK-LABEL: func.func @kept_columns_0(
// CHECK: math.exp
// CHECK-NOT: math.exp
func.func @kept_columns(%x: tensor<130x37xf32>) -> (tensor<130x37xf32>, tensor<130x37xf32>) {
  %0:2 = fusion.segment "generic" (%a = %x : tensor<130x37xf32>) -> (tensor<130x37xf32>, tensor<130x37xf32>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 16>} {
    %1 = fusion.neg %a {fusion.keep = #fusion.keep<scratch>} : tensor<130x37xf32>
    %2 = fusion.exp %1 {fusion.keep = #fusion.keep<result>} : tensor<130x37xf32>
    %3 = fusion.mul %2, %1 {fusion.keep = #fusion.keep<scratch>} : tensor<130x37xf32>
    %4 = fusion.reduce <sum> %3 dims [0] keep : tensor<130x37xf32> to tensor<1x37xf32>
    %5 = fusion.expand %4 : tensor<1x37xf32> to tensor<130x37xf32>
    %6 = fusion.sub %3, %5 : tensor<130x37xf32>
    %7 = fusion.add %6, %1 : tensor<130x37xf32>
    %8 = fusion.add %7, %2 : tensor<130x37xf32>
    fusion.yield %2, %8 : tensor<130x37xf32>, tensor<130x37xf32>
  }
  return %0#0, %0#1 : tensor<130x37xf32>, tensor<130x37xf32>
}
