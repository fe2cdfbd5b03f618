// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --canonicalize --cse | FileCheck %s
// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --fusion-to-host --canonicalize --cse | FileCheck %s --check-prefix=HOST
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SPILLS %}
// RUN: not fuser-translate --fusion-to-ptx --gpu-arch=sm_80 %s 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: fuser-run %s --target sim --entry all --input=300x100xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry all --exact --input=300x100xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry parts --input=2x1500x3x40xbf16=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry parts --input=2x0x3x40xbf16=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry also --input=0x64xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry few --input=5x3x70xf64=normal:1 --input=5x70xf64=normal:2 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry also --input=1200x64xf32=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry permuted --input=40x6x8xf32=normal:1 --input=8x6xf32=normal:2 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// OLD: error: 'kernel.grid_dependency_launch' op expected sm_90 or later, got sm_80

// A block has all rows of 32 columns, a thread 8 rows at a time and no loop: the three parts are in warps, of which one has none.
// CHECK-LABEL: gpu.func @all_0(
// CHECK-SAME: workgroup
// CHECK-NOT: scf.for
// CHECK-COUNT-8: vector.load {{.*}} vector<2xf32>
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: store %{{.*}} : memref<100xf32
// CHECK: gpu.return
// HOST-LABEL: func.func @all(
// HOST-NOT: host.workspace
// HOST: host.launch @all_0::@all_0 grid(%c4, %c1, %c1) block(1024, 1, 1)
func.func @all(%x: tensor<300x100xf32> {fusion.alignment = 16 : i64}) -> tensor<100xf32> {
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<300x100xf32>) -> (tensor<100xf32>)
      attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [l1, w3, r3, w2], [r1, l4]]>} {
    %s = fusion.reduce <sum> %a dims [0] : tensor<300x100xf32> to tensor<100xf32>
    fusion.yield %s : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

// Blocks that have parts of their columns, and a kernel that adds these, of which it has up to 1024 at a time. Both reductions read once.
// The second kernel starts before the first one has ended.
// CHECK-LABEL: gpu.func @parts_0_partial(
// CHECK-SAME: memref<2x?x3x40xbf16>{{.*}}, %[[A:.*]]: memref<?xf32>{{.*}}, %[[B:.*]]: memref<?xf32>
// CHECK: kernel.grid_dependency_launch
// CHECK: scf.for
// CHECK-COUNT-8: vector.load {{.*}} vector<8xbf16>
// CHECK-NOT: vector.load
// CHECK: scf.yield
// CHECK: gpu.barrier
// CHECK: vector.store {{.*}}, %[[A]]
// CHECK: vector.store {{.*}}, %[[B]]
// CHECK-LABEL: gpu.func @parts_0(
// CHECK: kernel.grid_dependency_wait
// CHECK: scf.for
// CHECK-COUNT-16: memref.load
// CHECK: gpu.barrier
// CHECK: scf.yield
// HOST-LABEL: func.func @parts(
// HOST: %[[PARTS:.+]] = arith.maxui
// HOST: %[[SIZE:.+]] = arith.muli %{{.+}}, %c240
// HOST: %[[A:.+]] = host.workspace 0 (%[[SIZE]]) : memref<?xf32>
// HOST: %[[B:.+]] = host.workspace 1 (%[[SIZE]]) : memref<?xf32>
// HOST: host.launch @parts_0_partial::@parts_0_partial grid({{.*}}) block(256, 1, 1) args({{.*}}, %[[A]], %[[B]] : {{.*}}) writes
// HOST: host.launch @parts_0::@parts_0 grid({{.*}}) block(1024, 1, 1) programmatic args(
// PTX: .visible .entry parts_0_partial(
// PTX: griddepcontrol.launch_dependents
// PTX: ld.global.nc.v4.b32
// PTX: .visible .entry parts_0(
// PTX: griddepcontrol.wait
// PTX-NOT: ld.global.nc
// PTX: .visible .entry few_0(
// SPILLS-COUNT-9: 0 bytes spill stores, 0 bytes spill loads
func.func @parts(%x: tensor<2x?x3x40xbf16> {fusion.alignment = 16 : i64}) -> tensor<2x1x3x40xf32> {
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<2x?x3x40xbf16>) -> (tensor<2x1x3x40xf32>)
      attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[0], [1], [2, 3]], layout = [[w1], [l3, w1, r3], [r3, l2, w1]],
                  fold = [[], [r3, l2, w5], [l3]], programmatic = true>} {
    %c = fusion.cast %a : tensor<2x?x3x40xbf16> to tensor<2x?x3x40xf32>
    %s = fusion.reduce <sum> %c dims [1] keep : tensor<2x?x3x40xf32> to tensor<2x1x3x40xf32>
    %m = fusion.reduce <max> %c dims [1] keep : tensor<2x?x3x40xf32> to tensor<2x1x3x40xf32>
    %r = fusion.sub %m, %s : tensor<2x1x3x40xf32>
    fusion.yield %r : tensor<2x1x3x40xf32>
  }
  return %0 : tensor<2x1x3x40xf32>
}

// Few rows, which a thread has alone, and an operand of the size of the result.
// CHECK-LABEL: gpu.func @few_0(
// CHECK-NOT: gpu.barrier
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.return
func.func @few(%x: tensor<5x3x70xf64>, %y: tensor<5x70xf64>) -> tensor<5x70xf64> {
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<5x3x70xf64>, %b = %y : tensor<5x70xf64>) -> (tensor<5x70xf64>)
      attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[0], [1], [2]], layout = [[w2], [r2], [l5, r1]]>} {
    %s = fusion.reduce <sum> %a dims [1] : tensor<5x3x70xf64> to tensor<5x70xf64>
    %r = fusion.mul %s, %b : tensor<5x70xf64>
    fusion.yield %r : tensor<5x70xf64>
  }
  return %0 : tensor<5x70xf64>
}

// What no reduction needs is written on the way, row by row. Whole slabs of rows need no masks; what is left has a row at a time.
// CHECK-LABEL: gpu.func @also_0_partial(
// CHECK-SAME: memref<?x64xf32>{{.*}}, %[[ALL:.*]]: memref<?x64xf32>{{.*}}, %{{.*}}: memref<64xf32>
// CHECK: scf.for
// CHECK-COUNT-8: memref.store {{.*}}, %[[ALL]]
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: memref.store {{.*}}, %[[ALL]]
// CHECK: scf.yield
// CHECK: gpu.func @also_0(
// CHECK-NOT: memref.store {{.*}} memref<?x64xf32
func.func @also(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<64xf32>) {
  %0:2 = fusion.segment "outer_reduction" (%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<64xf32>)
      attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [l5, r1]], fold = [[], [r3, l2, w5], [l3]]>} {
    %e = fusion.exp %a : tensor<?x64xf32>
    %s = fusion.reduce <sum> %e dims [0] : tensor<?x64xf32> to tensor<64xf32>
    fusion.yield %e, %s : tensor<?x64xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<?x64xf32>, tensor<64xf32>
}

// A tile of 32 rows goes through the 128 neighbours of a step.
// CHECK-LABEL: gpu.func @row_by_row_0_partial(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
// CHECK: scf.yield
func.func @row_by_row(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<?x64xf32>) -> (tensor<64xf32>)
      attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r1], [l5]], fold = [[], [r3, l2, w5], [l3]]>} {
    %s = fusion.reduce <sum> %a dims [0] : tensor<?x64xf32> to tensor<64xf32>
    fusion.yield %s : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// What looks at a sum from another side asks for its columns one by one.
// CHECK-LABEL: gpu.func @permuted_0(
// CHECK: vector.extract
func.func @permuted(%x: tensor<40x6x8xf32>, %b: tensor<8x6xf32>) -> tensor<6x8xf32> {
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<40x6x8xf32>, %c = %b : tensor<8x6xf32>) -> (tensor<6x8xf32>)
      attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1, 2]], layout = [[], [w4, r2], [r1, l5]]>} {
    %s = fusion.reduce <sum> %a dims [0] : tensor<40x6x8xf32> to tensor<6x8xf32>
    %p = fusion.permute %s [1, 0] : tensor<6x8xf32> to tensor<8x6xf32>
    %m = fusion.mul %p, %c : tensor<8x6xf32>
    %q = fusion.permute %m [1, 0] : tensor<8x6xf32> to tensor<6x8xf32>
    fusion.yield %q : tensor<6x8xf32>
  }
  return %0 : tensor<6x8xf32>
}
