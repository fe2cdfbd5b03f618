// Sorts of rows as PTX, without spills, and what they give.
// DEFINE: %{to_kernels} = --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-opt %s %{to_kernels} | FileCheck %s --check-prefix=KERNEL
// RUN: fuser-opt %s %{to_kernels} | FileCheck %s --check-prefix=HOST
// Of keys of 64 bits, two blocks spill a little of what is live between their loops.
// RUN: %if ptxas %{ fuser-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas --spilled=32 %}
// RUN: fuser-run %s --entry sort --target sim --sim-check --check --input 2x1000xf32=bits:1,offset=1 | FileCheck %s
// RUN: fuser-run %s --entry sort --target sim --exact --check --input 2x1000xf32=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry experts --target sim --sim-check --check --input 9x128xbf16=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry experts --target sim --sim-check --check --input 0x128xbf16=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry logits --target sim --sim-check --check --input 2x9001xf32=normal:1,strides=9002x1 | FileCheck %s
// RUN: fuser-run %s --entry bounded --target sim --sim-check --check --input 2x500xf64=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry bounded --target sim --sim-check --check --input 2x2049xf64=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry bounded --target sim --sim-check --check --input 1x6000xf64=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry outer_rounds --target sim --sim-check --check --input 5000x3xi8=random:1,strides=1x5000 | FileCheck %s
// RUN: fuser-run %s --entry few --target sim --sim-check --check --input 3x8xi64=random:1 | FileCheck %s
// RUN: not fuser-run %s --entry few --target sim --check --input 3x5xi64=random:1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not fuser-run %s --entry few --input 0x0xi64=random:1 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: fusion.argtopk: expected at least 7 elements in dimension 1, got {{[05]}}
// RUN: fuser-run %s --entry none --target sim --sim-check --check --input 3x0xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry merged --target sim --sim-check --check --input 2x9001xf32=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry merged --target sim --sim-check --check --input 2x4096xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry merged --target sim --sim-check --check --input 3x5xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry merged --target sim --sim-check --check --input 0x5xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry merged --target sim --sim-check --check --input 5x0xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry most --target sim --sim-check --check --input 2x20000xf64=random:1 | FileCheck %s
// RUN: fuser-run %s --entry outer --target sim --sim-check --check --input 2x300x5xbf16=random:1 --input 5000x3xi8=random:1,strides=1x5000 | FileCheck %s
// With what is made of it, by blocks, in rounds, merged: elements of two tensors, and of the place itself.
// RUN: fuser-run %s --entry fused --target sim --sim-check --check --input 3x1001xf16=bits:1,offset=1 --input 3x1001xi32=random:2,strides=1002x1 --input 3x5001xf32=bits:3 | FileCheck %s
// RUN: fuser-run %s --entry fused --target sim --sim-check --check --input 0x1001xf16=bits:1 --input 0x1001xi32=random:2 --input 0x5001xf32=bits:3 | FileCheck %s
// RUN: fuser-run %s --entry fused_open --target sim --sim-check --check --input 301x2xf64=bits:1 --input 301x2xf32=random:2 | FileCheck %s
// RUN: fuser-run %s --entry fused_open --target sim --sim-check --check --input 5001x2xf64=bits:1 --input 5001x2xf32=random:2 | FileCheck %s
// RUN: fuser-run %s --entry fused_open --target sim --sim-check --check --input 0x2xf64=bits:1 --input 0x2xf32=random:2 | FileCheck %s
// CHECK: {{^}}right

// Keys of 32 bits and positions of 10 in one integer: registers, lanes, and warps through shared memory.
// KERNEL-LABEL: gpu.func @sort_0(
// KERNEL-SAME: workgroup(%[[MEMORY:.*]] : memref<1024xi64, #gpu.address_space<workgroup>>)
// KERNEL: arith.shli %{{.*}} : i64
// KERNEL: arith.cmpi ult, %{{.*}} : i64
// KERNEL: gpu.shuffle xor {{.*}} : i32
// KERNEL: memref.store %{{.*}}, %[[MEMORY]]
// KERNEL: gpu.barrier
// KERNEL: memref.load %[[MEMORY]]
func.func @sort(%x: tensor<?x1000xf32>) -> tensor<?x1000xi64> {
  %0 = fusion.argsort %x dim 1 : tensor<?x1000xf32> to tensor<?x1000xi64>
  return %0 : tensor<?x1000xi64>
}

// Of 16 bits in integers of 32, without a barrier.
// KERNEL-LABEL: gpu.func @experts_0(
// KERNEL-NOT: gpu.barrier
// KERNEL: arith.shli %{{.*}} : i32
// KERNEL-NOT: gpu.barrier
// KERNEL: gpu.return
func.func @experts(%x: tensor<?x128xbf16>) -> tensor<?x8xi64> {
  %0 = fusion.argtopk 8 %x dim 1 descending : tensor<?x128xbf16> to tensor<?x8xi64>
  return %0 : tensor<?x8xi64>
}

// The first ones of tiles of 256, of these, again, and of the 100 that are left.
// HOST-LABEL: func.func @logits(
// HOST: %[[FIRST:.*]] = host.workspace
// HOST: host.launch @logits_0_round_0::@logits_0_round_0 {{.*}}(%{{.*}}, %[[FIRST]]
// HOST: %[[SECOND:.*]] = host.workspace
// HOST: host.launch @logits_0_round_1::@logits_0_round_1 {{.*}}(%{{.*}}, %[[FIRST]], %[[SECOND]]
// HOST: %[[THIRD:.*]] = host.workspace
// HOST: host.launch @logits_0_round_2::@logits_0_round_2 {{.*}}(%{{.*}}, %[[SECOND]], %[[THIRD]]
// HOST: host.launch @logits_0::@logits_0 {{.*}}(%{{.*}}, %[[THIRD]]
func.func @logits(%x: tensor<?x9001xf32>) -> tensor<?x50xi64> {
  %0 = fusion.argtopk 50 %x dim 1 : tensor<?x9001xf32> to tensor<?x50xi64>
  return %0 : tensor<?x50xi64>
}

// Of rows that may be as short as what is asked for, whose last tile has fewer elements than that; many equal ones along another dimension.
func.func @bounded(%x: tensor<?x?xf64> {fusion.bounds = array<i64: 100, 6000>}) -> tensor<?x500xi64> {
  %0 = fusion.argtopk 500 %x dim 1 : tensor<?x?xf64> to tensor<?x500xi64>
  return %0 : tensor<?x500xi64>
}

func.func @outer_rounds(%x: tensor<5000x?xi8> {fusion.layout = "any"}) -> tensor<700x?xi64> {
  %0 = fusion.argtopk 700 %x dim 0 descending : tensor<5000x?xi8> to tensor<700x?xi64>
  return %0 : tensor<700x?xi64>
}

// 7 of 8; there are none of 5.
func.func @few(%x: tensor<?x?xi64> {fusion.bounds = array<i64: 100, 9>}) -> tensor<?x7xi64> {
  %0 = fusion.argtopk 7 %x dim 1 : tensor<?x?xi64> to tensor<?x7xi64>
  return %0 : tensor<?x7xi64>
}

func.func @none(%x: tensor<?x0xf32>) -> (tensor<?x0xi64>, tensor<?x0xi64>) {
  %0 = fusion.argtopk 0 %x dim 1 : tensor<?x0xf32> to tensor<?x0xi64>
  %1 = fusion.argsort %x dim 1 : tensor<?x0xf32> to tensor<?x0xi64>
  return %0, %1 : tensor<?x0xi64>, tensor<?x0xi64>
}

// Rows of any length: tiles, merges until a row is one run, and the result.
// HOST-LABEL: func.func @merged(
// HOST: host.launch @merged_0_tiles::@merged_0_tiles
// HOST: scf.for
// HOST: host.launch @merged_0_merge::@merged_0_merge
// HOST: host.launch @merged_0_merge::@merged_0_merge
// HOST: host.launch @merged_0::@merged_0
func.func @merged(%x: tensor<?x?xf32>) -> tensor<?x?xi64> {
  %0 = fusion.argsort %x dim 1 descending : tensor<?x?xf32> to tensor<?x?xi64>
  return %0 : tensor<?x?xi64>
}

// Runs of 4096, 8192, 16384 and 32768. Keys of 64 bits.
func.func @most(%x: tensor<?x20000xf64>) -> tensor<?x9000xi64> {
  %0 = fusion.argtopk 9000 %x dim 1 descending : tensor<?x20000xf64> to tensor<?x9000xi64>
  return %0 : tensor<?x9000xi64>
}

// Other dimensions than the last one, in one tile and in several.
// HOST-LABEL: func.func @outer(
// HOST-NOT: host.workspace
// HOST: host.launch @outer_0::@outer_0
func.func @outer(%x: tensor<?x300x?xbf16>, %y: tensor<5000x?xi8> {fusion.layout = "any"}) -> (tensor<?x10x?xi64>, tensor<5000x?xi64>) {
  %0 = fusion.argtopk 10 %x dim 1 : tensor<?x300x?xbf16> to tensor<?x10x?xi64>
  %1 = fusion.argsort %y dim 0 : tensor<5000x?xi8> to tensor<5000x?xi64>
  return %0, %1 : tensor<?x10x?xi64>, tensor<5000x?xi64>
}

// KERNEL-LABEL: gpu.func @fused_0(
// KERNEL-LABEL: gpu.func @fused_1_round_0(
// KERNEL-LABEL: gpu.func @fused_1(
// KERNEL-NOT: gpu.func @fused_2
func.func @fused(%x: tensor<?x1001xf16>, %y: tensor<?x1001xi32>, %z: tensor<?x5001xf32>) -> (tensor<?x1001xf16>, tensor<?x1001xi32>, tensor<?x1001xi64>, tensor<?x9xf32>, tensor<?x9xi32>) {
  %0 = fusion.argsort %x dim 1 descending : tensor<?x1001xf16>
  %1 = fusion.take_along_axis %x, %0 dim 1 : tensor<?x1001xf16>, tensor<?x1001xi64>
  %2 = fusion.take_along_axis %y, %0 dim 1 : tensor<?x1001xi32>, tensor<?x1001xi64>
  %3 = fusion.add %2, %y : tensor<?x1001xi32>
  %4 = fusion.argtopk 9 %z dim 1 : tensor<?x5001xf32>
  %5 = fusion.take_along_axis %z, %4 dim 1 : tensor<?x5001xf32>, tensor<?x9xi64>
  %6 = fusion.cast %4 : tensor<?x9xi64> to tensor<?x9xi32>
  return %1, %3, %0, %5, %6 : tensor<?x1001xf16>, tensor<?x1001xi32>, tensor<?x1001xi64>, tensor<?x9xf32>, tensor<?x9xi32>
}

func.func @fused_open(%x: tensor<?x2xf64>, %y: tensor<?x2xf32>) -> (tensor<?x2xf64>, tensor<?x2xf32>) {
  %0 = fusion.argsort %x dim 0 : tensor<?x2xf64>
  %1 = fusion.take_along_axis %x, %0 dim 0 : tensor<?x2xf64>, tensor<?x2xi64>
  %2 = fusion.take_along_axis %y, %0 dim 0 : tensor<?x2xf32>, tensor<?x2xi64>
  %3 = fusion.mul %2, %y : tensor<?x2xf32>
  return %1, %3 : tensor<?x2xf64>, tensor<?x2xf32>
}
