// Two kernels, with a workspace between them for each accumulator.
// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --canonicalize --cse | FileCheck %s
// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --fusion-to-host --canonicalize --cse | FileCheck %s --check-prefix=HOST
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SPILLS %}

// A block of the first one has 65,536 elements of a result.
// CHECK: gpu.module @sums_0_partial
// CHECK: gpu.func @sums_0_partial(%{{.*}}: memref<8x?x4096xf32>{{.*}}, %{{.*}}: memref<8xf32>{{.*}}, %{{.*}}: memref<?xf32>{{.*}}, %{{.*}}: memref<?xf32> {{.*}}fuser.noalias{{.*}}) workgroup
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: gpu.shuffle
// CHECK: memref.store %{{.*}}, %{{.*}}[%block_id_x] : memref<?xf32>
// CHECK: memref.store %{{.*}}, %{{.*}}[%block_id_x] : memref<?xf32>
// CHECK: gpu.module @sums_0 {
// CHECK: gpu.func @sums_0(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: gpu.barrier

// HOST-LABEL: func.func @sums(
// HOST: %[[OUT:.+]] = host.output 0 ()
// HOST: %[[BLOCKS:.+]] = arith.muli %{{.+}}, %c8
// HOST: %[[A:.+]] = host.workspace 0 (%[[BLOCKS]]) : memref<?xf32>
// HOST: %[[B:.+]] = host.workspace 1 (%[[BLOCKS]]) : memref<?xf32>
// HOST: host.launch @sums_0_partial::@sums_0_partial grid(%[[BLOCKS]], %c1, %c1) block(256, 1, 1) args({{.*}}, %[[OUT]], %[[A]], %[[B]] : {{.*}}) writes [1, 2, 3]
// HOST: host.launch @sums_0::@sums_0 grid(%c8, %c1, %c1) block(64, 1, 1) args({{.*}}, %[[OUT]], %[[A]], %[[B]] : {{.*}}) writes [1, 2, 3]
// HOST-NOT: host.dealloc

// PTX: .visible .entry sums_0_partial(
// PTX: ld.global.nc.v4.b32
// PTX: .visible .entry sums_0(
// SPILLS-COUNT-6: 0 bytes spill stores, 0 bytes spill loads

func.func @sums(%x: tensor<8x?x4096xf32> {fusion.alignment = 16 : i64}) -> tensor<8xf32> {
  %0 = fusion.segment "split_reduction" (%a = %x : tensor<8x?x4096xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64>} {
    %s = fusion.reduce <sum> %a dims [1, 2] : tensor<8x?x4096xf32> to tensor<8xf32>
    %m = fusion.reduce <max> %a dims [1, 2] : tensor<8x?x4096xf32> to tensor<8xf32>
    %r = fusion.add %s, %m : tensor<8xf32>
    fusion.yield %r : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// All of a tensor whose sizes are open: one row of vectors, and what is left behind the last one, one by one. Of fewer elements than a
// vector there is nothing else.
// CHECK-LABEL: gpu.func @whole_0_partial(
// CHECK: memref.reinterpret_cast
// CHECK: scf.for
// CHECK: memref.load
// CHECK: scf.if
// CHECK-COUNT-4: vector.load {{.*}} vector<8xbf16>
// HOST-LABEL: func.func @whole(
// HOST: host.launch @whole_0_partial::@whole_0_partial {{.*}} block(256, 1, 1) args(
// HOST: host.launch @whole_0::@whole_0 {{.*}} block(64, 1, 1) programmatic args(
// PTX: .visible .entry whole_0_partial(
// PTX: griddepcontrol.launch_dependents
// PTX: .visible .entry whole_0(
// PTX: griddepcontrol.wait
func.func @whole(%x: tensor<?x?xbf16> {fusion.alignment = 16 : i64}) -> tensor<f32> {
  %0 = fusion.segment "split_reduction" (%a = %x : tensor<?x?xbf16>) -> (tensor<f32>)
      attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64, programmatic = true>} {
    %c = fusion.cast %a : tensor<?x?xbf16> to tensor<?x?xf32>
    %s = fusion.reduce <sum> %c dims [0, 1] : tensor<?x?xf32> to tensor<f32>
    fusion.yield %s : tensor<f32>
  }
  return %0 : tensor<f32>
}

// Not if it lies in memory in another order than it is added in.
// CHECK-LABEL: gpu.func @columns_first_0_partial(
// CHECK-NOT: vector.load {{.*}} vector<8xf32>
// CHECK: gpu.return
func.func @columns_first(%x: tensor<?x?xf32> {fusion.alignment = 16 : i64, fusion.stride_order = array<i64: 1, 0>}) -> tensor<f32> {
  %0 = fusion.segment "split_reduction" (%a = %x : tensor<?x?xf32>) -> (tensor<f32>)
      attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64>} {
    %s = fusion.reduce <sum> %a dims [0, 1] : tensor<?x?xf32> to tensor<f32>
    fusion.yield %s : tensor<f32>
  }
  return %0 : tensor<f32>
}

// Leaves are vectors where the last dimension, of open size, is known to be a multiple of them.
// CHECK-LABEL: gpu.func @images_0_partial(
// CHECK-COUNT-8: vector.load %arg0{{.*}} {alignment = 16 : i64} : memref<?x?x?x?xf32>, vector<4xf32>
// CHECK-NOT: memref.load %arg0
// CHECK: gpu.return
func.func @images(%x: tensor<?x?x?x?xf32> {fusion.alignment = 16 : i64, fusion.class_divisors = array<i64: 1, 1, 1, 8>}) -> tensor<?xf32> {
  %0 = fusion.segment "split_reduction" (%a = %x : tensor<?x?x?x?xf32>) -> (tensor<?xf32>)
      attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64>} {
    %s = fusion.reduce <sum> %a dims [0, 2, 3] : tensor<?x?x?x?xf32> to tensor<?xf32>
    fusion.yield %s : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: gpu.func @any_images_0_partial(
// CHECK-NOT: vector.load %arg0
// CHECK: memref.load %arg0
// CHECK: gpu.return
func.func @any_images(%x: tensor<?x?x?x?xf32> {fusion.alignment = 16 : i64}) -> tensor<?xf32> {
  %0 = fusion.segment "split_reduction" (%a = %x : tensor<?x?x?x?xf32>) -> (tensor<?xf32>)
      attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64>} {
    %s = fusion.reduce <sum> %a dims [0, 2, 3] : tensor<?x?x?x?xf32> to tensor<?xf32>
    fusion.yield %s : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
