// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --canonicalize --cse | FileCheck %s
// RUN: not fuser-translate %s --fusion-to-ptx --gpu-arch sm_80 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: fuser-run %s --target sim --entry softmax --input=5x4091xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry softmax --input=5x4091xf32=normal:1 --check --sim-check --sim-seed=3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry wide --input=3x512xi64=random:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --exact --entry softmax --input=5x4091xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry softmax --input=0x4091xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry three --input=3x1000xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// OLD: error: 'kernel.mbarrier_init' op expected sm_90 or later, got sm_80

// Rows that the blocks of a cluster share: they meet once, behind what each does by itself, and each reduction has an mbarrier of its own that counts what all warps
// store to all blocks. The last columns of the tile do not exist.
// CHECK-LABEL: gpu.func @softmax_0(
// CHECK-SAME: memref<2x!kernel.mbarrier
// CHECK: gpu.cluster_block_id x
// CHECK: kernel.mbarrier_init
// CHECK: kernel.mbarrier_init
// CHECK: kernel.fence_mbarrier_init
// CHECK: kernel.cluster_arrive relaxed
// CHECK: load
// CHECK: gpu.shuffle
// CHECK: kernel.cluster_wait
// CHECK: kernel.mbarrier_arrive %{{.*}}[%c0] expect
// CHECK: kernel.store_async {{.*}} completes %{{.*}}[%c0]
// CHECK: kernel.mbarrier_wait %{{.*}}[%c0]
// CHECK: kernel.mbarrier_arrive %{{.*}}[%c1] expect
// CHECK: kernel.store_async {{.*}} completes %{{.*}}[%c1]
// CHECK: kernel.mbarrier_wait %{{.*}}[%c1]
// CHECK-NOT: kernel.cluster_wait
// CHECK: gpu.return
func.func @softmax(%x: tensor<?x4091xf32>) -> tensor<?x4091xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x4091xf32>) -> (tensor<?x4091xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [l5, w2, b2]], repeat = [1, 8]>} {
    %m = fusion.reduce <max> %a dims [1] keep : tensor<?x4091xf32> to tensor<?x1xf32>
    %mx = fusion.expand %m : tensor<?x1xf32> to tensor<?x4091xf32>
    %d = fusion.sub %a, %mx : tensor<?x4091xf32>
    %e = fusion.exp %d : tensor<?x4091xf32>
    %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x4091xf32> to tensor<?x1xf32>
    %sx = fusion.expand %s : tensor<?x1xf32> to tensor<?x4091xf32>
    %y = fusion.div %e, %sx : tensor<?x4091xf32>
    fusion.yield %y : tensor<?x4091xf32>
  }
  return %0 : tensor<?x4091xf32>
}

// Sums that wait for nothing are exchanged together, and a maximum by itself. The third exchange has the memory of the first one: all blocks have read it before.
// CHECK-LABEL: gpu.func @three_0(
// CHECK: kernel.store_async {{.*}} completes %{{.*}}[%c0]
// CHECK: kernel.mbarrier_wait %{{.*}}[%c0]
// CHECK-NOT: kernel.cluster_arrive
// CHECK: kernel.mbarrier_wait %{{.*}}[%c1]
// CHECK: kernel.cluster_arrive
// CHECK-NEXT: kernel.cluster_wait
// CHECK: kernel.store_async {{.*}} completes %{{.*}}[%c2]
func.func @three(%x: tensor<3x1000xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = fusion.segment "row_reduction" (%a = %x : tensor<3x1000xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r2, l5, b3]]>} {
    %m = fusion.reduce <max> %a dims [1] : tensor<3x1000xf32> to tensor<3xf32>
    %s = fusion.reduce <sum> %a dims [1] : tensor<3x1000xf32> to tensor<3xf32>
    %p = fusion.mul %a, %a : tensor<3x1000xf32>
    %k = fusion.reduce <sum> %p dims [1] keep : tensor<3x1000xf32> to tensor<3x1xf32>
    %e = fusion.expand %k : tensor<3x1xf32> to tensor<3x1000xf32>
    %q = fusion.div %a, %e : tensor<3x1000xf32>
    %n = fusion.reduce <sum> %q dims [1] : tensor<3x1000xf32> to tensor<3xf32>
    fusion.yield %m, %s, %n : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Sums of 8 bytes, of which each of 4 blocks has one.
// CHECK-LABEL: gpu.func @wide_0(
// CHECK: kernel.store_async {{.*}} : i64,
// CHECK: host.launch @wide_0::@wide_0 grid({{.*}}) block(32, 1, 1) cluster(4, 1, 1)
func.func @wide(%x: tensor<3x512xi64>) -> tensor<3xi64> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<3x512xi64>) -> (tensor<3xi64>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r2, l5, b2]]>} {
    %s = fusion.reduce <sum> %a dims [1] : tensor<3x512xi64> to tensor<3xi64>
    fusion.yield %s : tensor<3xi64>
  }
  return %0 : tensor<3xi64>
}
