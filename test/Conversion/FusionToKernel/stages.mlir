// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --canonicalize --cse | FileCheck %s
// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --fusion-to-host --canonicalize --cse | FileCheck %s --check-prefix=HOST
// RUN: fuser-run %s --target sim --entry rows --input=5x1000xbf16=normal:1 --input=1000xbf16=normal:2 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry rows --input=0x1000xbf16=normal:1 --input=1000xbf16=normal:2 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry odd --input=5x333xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry columns --input=300x200xf16=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry columns --input=0x200xf16=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry columns --input=300x200xf16=normal:1,offset=1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry cut --input=40x203xbf16=normal:1 --input=203xbf16=normal:2 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry cut --input=40x203xbf16=normal:1,offset=3 --input=203xbf16=normal:2,offset=1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry in_place --input=4x256xf32=normal:1 --input=4x256xf32=normal:2 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry ring --input=300x200xf16=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// As many rows in shared memory change no bit of what other tests compute, in clusters and in blocks with several rows. Warps that share a row exchange what they have of the next one before they finish a row.
// RUN: sed 's/min_blocks = 2>/min_blocks = 2, stages = 3>/' %S/inner-outer-reduction.mlir > %t.norm.mlir
// RUN: sed 's/\], repeat = \[1, 8\]>/], repeat = [1, 8], stages = 1>/' %S/cluster.mlir > %t.cluster.mlir
// RUN: fuser-run %S/inner-outer-reduction.mlir --target sim --entry norm --input=300x200xbf16=normal:1 --input=300x200xbf16=normal:2 --input=200xbf16=normal:3 --input=300x1xf32=random:4 --output=%t.0.npy --output=%t.1.npy --output=%t.2.npy --output=%t.3.npy
// RUN: fuser-run %t.norm.mlir --target sim --entry norm --input=300x200xbf16=normal:1 --input=300x200xbf16=normal:2 --input=200xbf16=normal:3 --input=300x1xf32=random:4 --output=%t.4.npy --output=%t.5.npy --output=%t.6.npy --output=%t.7.npy --sim-check
// RUN: cmp %t.0.npy %t.4.npy
// RUN: cmp %t.1.npy %t.5.npy
// RUN: cmp %t.2.npy %t.6.npy
// RUN: cmp %t.3.npy %t.7.npy
// RUN: sed 's/min_blocks = 2>/min_blocks = 2, stages = 1>/' %S/inner-outer-reduction.mlir > %t.norm1.mlir
// RUN: fuser-run %t.norm1.mlir --target sim --entry norm --input=300x200xbf16=normal:1 --input=300x200xbf16=normal:2 --input=200xbf16=normal:3 --input=300x1xf32=random:4 --output=%t.4.npy --output=%t.5.npy --sim-check
// RUN: cmp %t.0.npy %t.4.npy
// RUN: cmp %t.1.npy %t.5.npy
// RUN: sed 's/min_blocks = 2>/min_blocks = 2, stages = 5>/' %S/inner-outer-reduction.mlir > %t.norm5.mlir
// RUN: fuser-run %t.norm5.mlir --target sim --entry norm --input=300x200xbf16=normal:1 --input=300x200xbf16=normal:2 --input=200xbf16=normal:3 --input=300x1xf32=random:4 --output=%t.4.npy --output=%t.5.npy --sim-check
// RUN: cmp %t.0.npy %t.4.npy
// RUN: cmp %t.1.npy %t.5.npy
// RUN: fuser-run %S/inner-outer-reduction.mlir --target sim --entry cluster --input=140x1000xf32=normal:1 --output=%t.0.npy --output=%t.1.npy
// RUN: fuser-run %t.norm.mlir --target sim --entry cluster --input=140x1000xf32=normal:1 --output=%t.4.npy --output=%t.5.npy --sim-check
// RUN: cmp %t.0.npy %t.4.npy
// RUN: cmp %t.1.npy %t.5.npy
// RUN: fuser-run %S/cluster.mlir --target sim --entry softmax --input=5x4091xf32=normal:1 --output=%t.0.npy
// RUN: fuser-run %t.cluster.mlir --target sim --entry softmax --input=5x4091xf32=normal:1 --output=%t.4.npy --sim-check
// RUN: cmp %t.0.npy %t.4.npy

// What is read of a row and of all rows is copied, and read where it is used: behind each reduction again.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK: gpu.dynamic_shared_memory
// CHECK: %[[X:.+]] = memref.view {{.*}} to memref<1x1024xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[W:.+]] = memref.view {{.*}} to memref<1x1024xbf16, #gpu.address_space<workgroup>>
// CHECK: kernel.copy_async %arg1[{{.*}}], %[[W]][%c0, {{.*}}], 8 if %{{.*}} : memref<1000xbf16>
// CHECK: kernel.copy_async %arg0[{{.*}}], %[[X]][%c0, {{.*}}], 8 if %{{.*}} : memref<?x1000xbf16>
// CHECK: kernel.copy_async_commit
// CHECK: kernel.copy_async_wait 0
// CHECK: vector.load %[[X]]
// CHECK: gpu.barrier
// CHECK: vector.load %[[X]]
// CHECK: gpu.barrier
// CHECK-DAG: vector.load %[[X]]
// CHECK-DAG: vector.load %[[W]]
// CHECK-NOT: vector.load %arg
// CHECK: gpu.return

// HOST-LABEL: func.func @rows(
// HOST: %[[BYTES:.+]] = arith.constant 4096 : index
// HOST: host.launch @rows_0::@rows_0 {{.*}} shared %[[BYTES]]
func.func @rows(%x: tensor<?x1000xbf16> {fusion.alignment = 16 : i64}, %w: tensor<1000xbf16> {fusion.alignment = 16 : i64}) -> tensor<?x1000xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1000xbf16>
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x1000xbf16>, %b = %w : tensor<1000xbf16>, %m = %n : index) -> (tensor<?x1000xbf16>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w2]], stages = 1>} {
    %h = fusion.cast %a : tensor<?x1000xbf16> to tensor<?x1000xf32>
    %s = fusion.reduce <mean> %h dims [1] keep : tensor<?x1000xf32> to tensor<?x1xf32>
    %se = fusion.expand %s : tensor<?x1xf32> to tensor<?x1000xf32>
    %d = fusion.sub %h, %se : tensor<?x1000xf32>
    %q = fusion.mul %d, %d : tensor<?x1000xf32>
    %v = fusion.reduce <mean> %q dims [1] keep : tensor<?x1000xf32> to tensor<?x1xf32>
    %r = fusion.rsqrt %v : tensor<?x1xf32>
    %re = fusion.expand %r : tensor<?x1xf32> to tensor<?x1000xf32>
    %wf = fusion.cast %b : tensor<1000xbf16> to tensor<1000xf32>
    %w1 = fusion.broadcast %wf dims [0] : tensor<1000xf32> to tensor<1x1000xf32>
    %we = fusion.expand %w1 sizes(%m) : tensor<1x1000xf32> to tensor<?x1000xf32>
    %y = fusion.mul %d, %re : tensor<?x1000xf32>
    %z = fusion.mul %y, %we : tensor<?x1000xf32>
    %o = fusion.cast %z : tensor<?x1000xf32> to tensor<?x1000xbf16>
    fusion.yield %o : tensor<?x1000xbf16>
  }
  return %0 : tensor<?x1000xbf16>
}

// Elements of 4 bytes at a time; what is beyond the end is not read.
// CHECK-LABEL: gpu.func @odd_0(
// CHECK-COUNT-2: kernel.copy_async %{{.*}}, 1 : memref<?x333xf32>
// CHECK: kernel.copy_async %{{.*}}, 1 if %{{.*}} : memref<?x333xf32>
// CHECK: gpu.return
func.func @odd(%x: tensor<?x333xf32>) -> tensor<?x333xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x333xf32>) -> (tensor<?x333xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [l5, w2]], repeat = [1, 3], stages = 1>} {
    %m = fusion.reduce <max> %a dims [1] keep : tensor<?x333xf32> to tensor<?x1xf32>
    %mx = fusion.expand %m : tensor<?x1xf32> to tensor<?x333xf32>
    %d = fusion.sub %a, %mx : tensor<?x333xf32>
    fusion.yield %d : tensor<?x333xf32>
  }
  return %0 : tensor<?x333xf32>
}

// Two rows ahead; where inputs are not known to be aligned, lanes copy whole words together, and wait for each other before they read and before they copy again. What is read is turned to its place once for the reductions of a row and once for its results, where there is something.
// CHECK-LABEL: gpu.func @columns_0_partial(
// CHECK: memref.view {{.*}} to memref<3x264xf16, #gpu.address_space<workgroup>>
// CHECK: kernel.sync_warp
// CHECK: kernel.copy_async_neighbours %arg0[{{.*}}], %{{.*}}, 8 count %{{.*}} if %{{.*}} align 2 lanes 32 : memref<?x200xf16>
// CHECK: scf.for
// CHECK: kernel.sync_warp
// CHECK: kernel.copy_async_neighbours
// CHECK: kernel.copy_async_commit
// CHECK: kernel.copy_async_wait 1
// CHECK-NEXT: kernel.sync_warp
// CHECK: scf.if
// CHECK-NEXT: kernel.load_copied
// CHECK: kernel.load_copied
// CHECK-NOT: kernel.load_copied
// CHECK: gpu.return
func.func @columns(%x: tensor<?x200xf16>) -> (tensor<?xf32>, tensor<200xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x200xf16>) -> (tensor<?xf32>, tensor<200xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [], [r3, l5]], fold = [[], [r3, l2, w5], [l3]], stages = 3>} {
    %h = fusion.cast %a : tensor<?x200xf16> to tensor<?x200xf32>
    %s = fusion.reduce <sum> %h dims [1] : tensor<?x200xf32> to tensor<?xf32>
    %c = fusion.reduce <sum> %h dims [0] : tensor<?x200xf32> to tensor<200xf32>
    fusion.yield %s, %c : tensor<?xf32>, tensor<200xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<200xf32>
}

// With three places a row is reduced, and then the one before it finished, while a third one is under way: of both the row is read where it is used.
// CHECK-LABEL: gpu.func @ring_0_partial(
// CHECK: memref.view {{.*}} to memref<3x256xf16, #gpu.address_space<workgroup>>
// CHECK-COUNT-1: kernel.copy_async_commit
// CHECK: scf.for %[[STEP:.+]] = %c0 to
// CHECK: kernel.copy_async
// CHECK: kernel.copy_async_commit
// CHECK: arith.cmpi ult, %[[STEP]],
// CHECK: scf.if %{{.*}} -> (f32) {
// CHECK: kernel.copy_async_wait 1
// CHECK: vector.load %{{.*}} : memref<3x256xf16,
// CHECK: arith.cmpi ne, %[[STEP]], %c0
// CHECK: scf.if %{{.*}} -> (vector<8xf32>) {
// CHECK: arith.subi %[[STEP]], %c1
// CHECK: vector.load %{{.*}} : memref<3x256xf16,
// CHECK: memref.store
// CHECK: kernel.copy_async_wait 0
// CHECK: gpu.return
func.func @ring(%x: tensor<?x200xf16> {fusion.alignment = 16 : i64}) -> (tensor<?xf32>, tensor<200xf32>) {
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x200xf16>) -> (tensor<?xf32>, tensor<200xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [], [r3, l5]], fold = [[], [r3, l2, w5], [l3]], stages = 3>} {
    %h = fusion.cast %a : tensor<?x200xf16> to tensor<?x200xf32>
    %s = fusion.reduce <sum> %h dims [1] : tensor<?x200xf32> to tensor<?xf32>
    %c = fusion.reduce <sum> %h dims [0] : tensor<?x200xf32> to tensor<200xf32>
    fusion.yield %s, %c : tensor<?xf32>, tensor<200xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<200xf32>
}

// What the kernel writes to is not copied.
// CHECK-LABEL: gpu.func @in_place_0(
// CHECK: kernel.copy_async %arg0[
// CHECK-NOT: kernel.copy_async %arg1[
// CHECK: vector.load %arg1[
// CHECK: gpu.return
func.func @in_place(%x: tensor<4x256xf32> {fusion.alignment = 16 : i64}, %y: tensor<4x256xf32> {fusion.alignment = 16 : i64}) -> (tensor<4x256xf32> {fusion.alias = #fusion.alias<reuse, 1>}) {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<4x256xf32>, %b = %y : tensor<4x256xf32>) -> (tensor<4x256xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5]], stages = 1>} {
    %m = fusion.reduce <max> %a dims [1] keep : tensor<4x256xf32> to tensor<4x1xf32>
    %mx = fusion.expand %m : tensor<4x1xf32> to tensor<4x256xf32>
    %d = fusion.sub %b, %mx : tensor<4x256xf32>
    fusion.yield %d : tensor<4x256xf32>
  }
  return %0 : tensor<4x256xf32>
}

// Rows that end within a vector, and begin anywhere: those of all rows, too. Two chains side by side; a row in a warp.
// CHECK-LABEL: gpu.func @cut_0_partial(
// CHECK: kernel.copy_async_neighbours %arg1[{{.*}}], %{{.*}}, 8 count %{{.*}} lanes 32 : memref<203xbf16>
// CHECK: kernel.copy_async_neighbours %arg0[{{.*}}], %{{.*}}, 8 count %{{.*}} if %{{.*}} lanes 32 : memref<?x203xbf16>
// CHECK-NOT: load_neighbours
// CHECK: gpu.return
func.func @cut(%x: tensor<?x203xbf16>, %w: tensor<203xbf16>) -> (tensor<?x203xbf16>, tensor<203xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x203xbf16>
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<?x203xbf16>, %b = %w : tensor<203xbf16>, %m = %n : index) -> (tensor<?x203xbf16>, tensor<203xf32>)
      attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w1], [r3, l5]], fold = [[], [r3, l2, w4], [l3]], stages = 2>} {
    %h = fusion.cast %a : tensor<?x203xbf16> to tensor<?x203xf32>
    %s = fusion.reduce <sum> %h dims [1] keep : tensor<?x203xf32> to tensor<?x1xf32>
    %se = fusion.expand %s : tensor<?x1xf32> to tensor<?x203xf32>
    %wf = fusion.cast %b : tensor<203xbf16> to tensor<203xf32>
    %w1 = fusion.broadcast %wf dims [0] : tensor<203xf32> to tensor<1x203xf32>
    %we = fusion.expand %w1 sizes(%m) : tensor<1x203xf32> to tensor<?x203xf32>
    %y = fusion.add %se, %we : tensor<?x203xf32>
    %o = fusion.cast %y : tensor<?x203xf32> to tensor<?x203xbf16>
    %p = fusion.mul %h, %we : tensor<?x203xf32>
    %c = fusion.reduce <sum> %p dims [0] : tensor<?x203xf32> to tensor<203xf32>
    fusion.yield %o, %c : tensor<?x203xbf16>, tensor<203xf32>
  }
  return %0#0, %0#1 : tensor<?x203xbf16>, tensor<203xf32>
}
