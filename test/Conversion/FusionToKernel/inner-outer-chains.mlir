// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --canonicalize --cse | FileCheck %s
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s -o %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SPILLS %}
// RUN: fuser-run %s --target sim --entry one --input=300x133xf32=normal:1 --check --sim-check --output=%t.rows.npy --output=%t.columns.npy | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry chains --input=300x133xf32=normal:1 --check --sim-check --output=%t.rows1.npy --output=%t.columns1.npy | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry stages --input=300x133xf32=normal:1 --check --sim-check --output=%t.rows2.npy --output=%t.columns2.npy | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry cluster --input=300x133xf32=normal:1 --check --sim-check --output=%t.rows3.npy --output=%t.columns3.npy | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry cut --input=300x133xf32=normal:1 --check --sim-check --output=%t.rows4.npy --output=%t.columns4.npy | FileCheck %s --check-prefix=RIGHT
// RUN: cmp %t.rows.npy %t.rows1.npy && cmp %t.columns.npy %t.columns1.npy
// RUN: cmp %t.rows.npy %t.rows2.npy && cmp %t.columns.npy %t.columns2.npy
// RUN: cmp %t.rows.npy %t.rows3.npy && cmp %t.columns.npy %t.columns3.npy
// RUN: cmp %t.rows.npy %t.rows4.npy && cmp %t.columns.npy %t.columns4.npy
// RUN: fuser-run %s --target sim --entry chains --input=0x133xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry chains --input=1x133xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry cut --input=5x133xf32=normal:1,offset=1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// SPILLS: 0 bytes spill stores, 0 bytes spill loads
// SPILLS-NOT: {{[1-9][0-9]*}} bytes spill

// Chains that come one after the other are added as a tree, as by blocks of their own: the bits are the same.
// CHECK-LABEL: gpu.func @one_0_partial(
// CHECK-NOT: dynamic_shared_memory
// CHECK: gpu.return
func.func @one(%x: tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w1], [l5]], repeat = [1, 1, 5], fold = [[], [r3, l2, w5], [l3]], min_blocks = 1>} {
    %s = fusion.reduce <sum> %a dims [1] keep : tensor<?x133xf32> to tensor<?x1xf32>
    %e = fusion.expand %s : tensor<?x1xf32> to tensor<?x133xf32>
    %d = fusion.sub %a, %e : tensor<?x133xf32>
    %c = fusion.reduce <sum> %d dims [0] : tensor<?x133xf32> to tensor<133xf32>
    fusion.yield %d, %c : tensor<?x133xf32>, tensor<133xf32>
  }
  return %0#0, %0#1 : tensor<?x133xf32>, tensor<133xf32>
}

// Behind the last row of a chain what is held waits in shared memory, or is added to what waits there, level by level.
// CHECK-LABEL: gpu.func @chains_0_partial(
// CHECK: gpu.dynamic_shared_memory
// CHECK: scf.for
// CHECK-COUNT-3: memref.load %{{.*}} : memref<960xf32, #gpu.address_space<workgroup>>
// CHECK: memref.store %{{.*}} : memref<960xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.return
func.func @chains(%x: tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [r3, w1], [l5]], repeat = [1, 1, 5], fold = [[], [r3, l2, w5], [l3]], min_blocks = 1>} {
    %s = fusion.reduce <sum> %a dims [1] keep : tensor<?x133xf32> to tensor<?x1xf32>
    %e = fusion.expand %s : tensor<?x1xf32> to tensor<?x133xf32>
    %d = fusion.sub %a, %e : tensor<?x133xf32>
    %c = fusion.reduce <sum> %d dims [0] : tensor<?x133xf32> to tensor<133xf32>
    fusion.yield %d, %c : tensor<?x133xf32>, tensor<133xf32>
  }
  return %0#0, %0#1 : tensor<?x133xf32>, tensor<133xf32>
}

// Rows are copied ahead from chain to chain.
// CHECK-LABEL: gpu.func @stages_0_partial(
// CHECK: kernel.copy_async
// CHECK: gpu.return
func.func @stages(%x: tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [r4], [l5, w1]], repeat = [1, 1, 3], fold = [[], [r3, l2, w5], [l3]], min_blocks = 1, stages = 2>} {
    %s = fusion.reduce <sum> %a dims [1] keep : tensor<?x133xf32> to tensor<?x1xf32>
    %e = fusion.expand %s : tensor<?x1xf32> to tensor<?x133xf32>
    %d = fusion.sub %a, %e : tensor<?x133xf32>
    %c = fusion.reduce <sum> %d dims [0] : tensor<?x133xf32> to tensor<133xf32>
    fusion.yield %d, %c : tensor<?x133xf32>, tensor<133xf32>
  }
  return %0#0, %0#1 : tensor<?x133xf32>, tensor<133xf32>
}

// CHECK-LABEL: gpu.func @cluster_0_partial(
// CHECK: kernel.store_async
// CHECK: gpu.return
func.func @cluster(%x: tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [r2], [l5, w1, b1]], repeat = [1, 1, 2], fold = [[], [r3, l2, w5], [l3]], min_blocks = 1>} {
    %s = fusion.reduce <sum> %a dims [1] keep : tensor<?x133xf32> to tensor<?x1xf32>
    %e = fusion.expand %s : tensor<?x1xf32> to tensor<?x133xf32>
    %d = fusion.sub %a, %e : tensor<?x133xf32>
    %c = fusion.reduce <sum> %d dims [0] : tensor<?x133xf32> to tensor<133xf32>
    fusion.yield %d, %c : tensor<?x133xf32>, tensor<133xf32>
  }
  return %0#0, %0#1 : tensor<?x133xf32>, tensor<133xf32>
}

// Rows end within a vector, and begin anywhere: lanes store together what belongs to a row.
// CHECK-LABEL: gpu.func @cut_0_partial(
// CHECK: scf.for
// CHECK: kernel.load_neighbours
// CHECK: kernel.store_neighbours %{{.*}} lanes 32
// CHECK: vector.store %{{.*}} : memref<?xf32>, vector<4xf32>
// CHECK: gpu.return
func.func @cut(%x: tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x133xf32>) -> (tensor<?x133xf32>, tensor<133xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [r1], [r2, l5]], repeat = [1, 1, 2], fold = [[], [r3, l2, w5], [l3]], min_blocks = 1>} {
    %s = fusion.reduce <sum> %a dims [1] keep : tensor<?x133xf32> to tensor<?x1xf32>
    %e = fusion.expand %s : tensor<?x1xf32> to tensor<?x133xf32>
    %d = fusion.sub %a, %e : tensor<?x133xf32>
    %c = fusion.reduce <sum> %d dims [0] : tensor<?x133xf32> to tensor<133xf32>
    fusion.yield %d, %c : tensor<?x133xf32>, tensor<133xf32>
  }
  return %0#0, %0#1 : tensor<?x133xf32>, tensor<133xf32>
}
