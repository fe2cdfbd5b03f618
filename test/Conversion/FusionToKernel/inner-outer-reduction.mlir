// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --canonicalize --cse | FileCheck %s
// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --fusion-to-host --canonicalize --cse | FileCheck %s --check-prefix=HOST
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s -o %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SPILLS %}
// RUN: fuser-run %s --target sim --entry norm --input=300x200xbf16=normal:1 --input=300x200xbf16=normal:2 --input=200xbf16=normal:3 --input=300x1xf32=random:4 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry norm --input=7x200xbf16=normal:1 --input=7x200xbf16=normal:2 --input=200xbf16=normal:3 --input=7x1xf32=random:4 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry norm --input=0x200xbf16=normal:1 --input=0x200xbf16=normal:2 --input=200xbf16=normal:3 --input=0x1xf32=random:4 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry depends --input=2x70x3x67xf64=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry depends --exact --input=2x70x3x67xf64=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry cluster --input=140x1000xf32=normal:1 --check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry cluster --input=18x1000xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry square --input=130x130xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry square --input=130x130xf32=normal:1 --output=%t.rows.npy --output=%t.columns.npy
// RUN: fuser-run %s --target sim --entry apart --input=130x130xf32=normal:1 --output=%t.rows_apart.npy --output=%t.columns_apart.npy
// RUN: cmp %t.rows.npy %t.rows_apart.npy
// RUN: cmp %t.columns.npy %t.columns_apart.npy
// RIGHT: right: largest difference

// SPILLS: 0 bytes spill stores, 0 bytes spill loads
// SPILLS-NOT: {{[1-9][0-9]*}} bytes spill

// A block has four chains, and each 64 threads of them a row. What is the same for all rows is read once; a row is read while the one before it is computed with.
// Reads of rows stay before the barriers that follow them, which their operands say beside what is known of them.
// CHECK-LABEL: gpu.func @norm_0_partial(
// CHECK-SAME: %arg0: memref<?x200xbf16> {fuser.alignment = 16 : i64, fuser.noalias, fuser.ordered_reads}, %arg1: memref<?x200xbf16> {fuser.alignment = 16 : i64, fuser.noalias, fuser.ordered_reads}, %arg2: memref<200xbf16> {fuser.alignment = 16 : i64, fuser.noalias}
// CHECK: vector.load %arg2[{{.*}} : memref<200xbf16>, vector<4xbf16>
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<?x200xbf16>, vector<4xbf16>
// CHECK: scf.for %[[STEP:.+]] = %c0 to {{.*}} iter_args(
// Steps have 32 bits, the rows that they are, of which there may be any number, have not.
// CHECK: %[[SLAB:.+]] = arith.divui %{{.+}}, %{{.+}} : i32
// CHECK: %[[WIDE:.+]] = arith.index_castui %[[SLAB]] : i32 to index
// CHECK: arith.muli %[[WIDE]], %{{.+}} : index
// CHECK-COUNT-2: vector.load %{{.*}} : memref<?x200xbf16>, vector<4xbf16>
// CHECK-NOT: load %{{.*}} : memref<?x200xbf16
// CHECK: gpu.barrier
// CHECK: kernel.store_neighbours %{{.*}} lanes 32 : vector<4xbf16>, memref<?x200xbf16>
// CHECK: scf.yield
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @norm_0(
// CHECK: gpu.return

// HOST-LABEL: func.func @norm(
// HOST-COUNT-2: host.workspace
// HOST: host.launch @norm_0_partial::@norm_0_partial {{.*}} block(256, 1, 1) args
// HOST: host.launch @norm_0::@norm_0 {{.*}} programmatic args
func.func @norm(%x: tensor<?x200xbf16> {fusion.alignment = 16 : i64}, %g: tensor<?x200xbf16> {fusion.alignment = 16 : i64}, %w: tensor<200xbf16> {fusion.alignment = 16 : i64}, %r: tensor<?x1xf32>) -> (tensor<?x200xbf16>, tensor<200xbf16>, tensor<200xf32>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x200xbf16>
  %0:4 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x200xbf16>, %b = %g : tensor<?x200xbf16>, %c = %w : tensor<200xbf16>, %d = %r : tensor<?x1xf32>, %m = %n : index) -> (tensor<?x200xbf16>, tensor<200xbf16>, tensor<200xf32>, tensor<?x1xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w2], [r2, l5, w1]], fold = [[], [r3, l2, w5], [l3]], programmatic = true, min_blocks = 2>} {
    %h = fusion.cast %a : tensor<?x200xbf16> to tensor<?x200xf32>
    %gf = fusion.cast %b : tensor<?x200xbf16> to tensor<?x200xf32>
    %wf = fusion.cast %c : tensor<200xbf16> to tensor<200xf32>
    %w1 = fusion.broadcast %wf dims [0] : tensor<200xf32> to tensor<1x200xf32>
    %we = fusion.expand %w1 sizes(%m) : tensor<1x200xf32> to tensor<?x200xf32>
    %re = fusion.expand %d : tensor<?x1xf32> to tensor<?x200xf32>
    %xh = fusion.mul %h, %re : tensor<?x200xf32>
    %wg = fusion.mul %gf, %we : tensor<?x200xf32>
    %p = fusion.mul %wg, %xh : tensor<?x200xf32>
    %s = fusion.reduce <mean> %p dims [1] keep : tensor<?x200xf32> to tensor<?x1xf32>
    %t = fusion.reduce <mean> %wg dims [1] keep : tensor<?x200xf32> to tensor<?x1xf32>
    %se = fusion.expand %s : tensor<?x1xf32> to tensor<?x200xf32>
    %te = fusion.expand %t : tensor<?x1xf32> to tensor<?x200xf32>
    %q = fusion.mul %xh, %se : tensor<?x200xf32>
    %u = fusion.sub %wg, %q : tensor<?x200xf32>
    %v = fusion.sub %u, %te : tensor<?x200xf32>
    %dx = fusion.mul %v, %re : tensor<?x200xf32>
    %o = fusion.cast %dx : tensor<?x200xf32> to tensor<?x200xbf16>
    %gx = fusion.mul %gf, %xh : tensor<?x200xf32>
    %dw = fusion.reduce <sum> %gx dims [0] : tensor<?x200xf32> to tensor<200xf32>
    %dwb = fusion.cast %dw : tensor<200xf32> to tensor<200xbf16>
    %db = fusion.reduce <sum> %gf dims [0] : tensor<?x200xf32> to tensor<200xf32>
    fusion.yield %o, %dwb, %db, %s : tensor<?x200xbf16>, tensor<200xbf16>, tensor<200xf32>, tensor<?x1xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x200xbf16>, tensor<200xbf16>, tensor<200xf32>, tensor<?x1xf32>
}

// Columns of what rows are reduced to: they are added behind the exchange. Rows and columns of several dimensions; an odd number of columns.
// CHECK-LABEL: gpu.func @depends_0_partial(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: arith.addf %{{.*}} : f64
// CHECK: gpu.return
func.func @depends(%x: tensor<?x70x3x67xf64>) -> (tensor<3x67xf64>, tensor<3x67xf64>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x70x3x67xf64>) -> (tensor<3x67xf64>, tensor<3x67xf64>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0, 1], [2, 3]], layout = [[], [w1], [l5, w1]], repeat = [1, 1, 4], fold = [[], [r3, l2, w5], [l3]], min_blocks = 2>} {
    %s = fusion.reduce <sum> %a dims [2, 3] keep : tensor<?x70x3x67xf64> to tensor<?x70x1x1xf64>
    %e = fusion.expand %s : tensor<?x70x1x1xf64> to tensor<?x70x3x67xf64>
    %d = fusion.sub %a, %e : tensor<?x70x3x67xf64>
    %t = fusion.reduce <sum> %d dims [0, 1] : tensor<?x70x3x67xf64> to tensor<3x67xf64>
    %m = fusion.reduce <max> %d dims [0, 1] : tensor<?x70x3x67xf64> to tensor<3x67xf64>
    fusion.yield %t, %m : tensor<3x67xf64>, tensor<3x67xf64>
  }
  return %0#0, %0#1 : tensor<3x67xf64>, tensor<3x67xf64>
}

// Blocks of a cluster run ahead by a row at most: exchanges of two rows have memory and mbarriers of their own, and a row ends when all have ended the one before.
// CHECK-LABEL: gpu.func @cluster_0_partial(
// CHECK-SAME: memref<4x!kernel.mbarrier
// CHECK: kernel.mbarrier_init
// CHECK: kernel.cluster_arrive relaxed
// CHECK: kernel.cluster_wait
// CHECK-NEXT: kernel.cluster_arrive relaxed
// CHECK: scf.for
// CHECK-NOT: kernel.cluster_wait
// CHECK: kernel.store_async
// CHECK: kernel.mbarrier_wait
// CHECK: kernel.store_async
// CHECK: kernel.mbarrier_wait
// CHECK: kernel.cluster_wait
// CHECK-NEXT: kernel.cluster_arrive relaxed
// CHECK: scf.yield
// CHECK: kernel.cluster_wait
// CHECK: gpu.return
func.func @cluster(%x: tensor<?x1000xf32>) -> (tensor<?x1000xf32>, tensor<1000xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x1000xf32>) -> (tensor<?x1000xf32>, tensor<1000xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [], [r1, l5, w2, b2]], fold = [[], [r3, l2, w5], [l3]], programmatic = true, min_blocks = 2>} {
    %m = fusion.reduce <max> %a dims [1] keep : tensor<?x1000xf32> to tensor<?x1xf32>
    %me = fusion.expand %m : tensor<?x1xf32> to tensor<?x1000xf32>
    %d = fusion.sub %a, %me : tensor<?x1000xf32>
    %e = fusion.exp %d : tensor<?x1000xf32>
    %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x1000xf32> to tensor<?x1xf32>
    %se = fusion.expand %s : tensor<?x1xf32> to tensor<?x1000xf32>
    %y = fusion.div %e, %se : tensor<?x1000xf32>
    %c = fusion.reduce <sum> %y dims [0] : tensor<?x1000xf32> to tensor<1000xf32>
    fusion.yield %y, %c : tensor<?x1000xf32>, tensor<1000xf32>
  }
  return %0#0, %0#1 : tensor<?x1000xf32>, tensor<1000xf32>
}

// As many rows as columns: which of the results is of which, its reductions say.
// Rows of which it is known that there are few have 32 bits.
// CHECK-LABEL: gpu.func @square_0_partial(
// CHECK: scf.for
// CHECK: %[[STEP32:.+]] = arith.minui {{.+}} : i32
// CHECK: %[[SLAB32:.+]] = arith.divui %[[STEP32]], %{{.+}} : i32
// CHECK: arith.muli %[[SLAB32]], %{{.+}} : i32
// CHECK: %[[ROW32:.+]] = arith.addi {{.+}} : i32
// CHECK-NEXT: %[[SUM32:.+]] = arith.addi {{.+}}, %[[ROW32]] : i32
// CHECK-NEXT: arith.index_castui %[[SUM32]] : i32 to index
func.func @square(%x: tensor<130x130xf32>) -> (tensor<130xf32>, tensor<130xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<130x130xf32>) -> (tensor<130xf32>, tensor<130xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [r1, l5]], repeat = [1, 1, 3], fold = [[], [r1], [l5]], min_blocks = 2>} {
    %c = fusion.reduce <sum> %a dims [0] : tensor<130x130xf32> to tensor<130xf32>
    %r = fusion.reduce <sum> %a dims [1] : tensor<130x130xf32> to tensor<130xf32>
    fusion.yield %r, %c : tensor<130xf32>, tensor<130xf32>
  }
  return %0#0, %0#1 : tensor<130xf32>, tensor<130xf32>
}

// The same bits as by kernels that have nothing in common.
func.func @apart(%x: tensor<130x130xf32>) -> (tensor<130xf32>, tensor<130xf32>) {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<130x130xf32>) -> (tensor<130xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[w2], [l5]], repeat = [1, 5]>} {
    %r = fusion.reduce <sum> %a dims [1] : tensor<130x130xf32> to tensor<130xf32>
    fusion.yield %r : tensor<130xf32>
  }
  %1 = fusion.segment "outer_reduction" (%a = %x : tensor<130x130xf32>) -> (tensor<130xf32>)
      attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r4], [l5]]>} {
    %c = fusion.reduce <sum> %a dims [0] : tensor<130x130xf32> to tensor<130xf32>
    fusion.yield %c : tensor<130xf32>
  }
  return %0, %1 : tensor<130xf32>, tensor<130xf32>
}
