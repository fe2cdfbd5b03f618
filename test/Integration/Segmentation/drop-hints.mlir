// A hint changes where elements lie and no element: the segmented program with its hints, and without, gives the same bits.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=cpu}))' -o %t.with.mlir
// RUN: fuser-opt %t.with.mlir --pass-pipeline='builtin.module(func.func(fusion-drop-hints))' -o %t.without.mlir
// RUN: FileCheck %s --input-file=%t.with.mlir
// RUN: FileCheck %s --input-file=%t.without.mlir --check-prefix=WITHOUT --implicit-check-not=hint
// RUN: fuser-run %s --target cpu --check --input 4x5x6xf32=random:1,strides=30x1x5 --input 4x6xf32=random:2 --output %t.0.npy --output %t.1.npy | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %t.with.mlir --target cpu --dump-ir-after=fusion-to-host --input 4x5x6xf32=random:1,strides=30x1x5 --input 4x6xf32=random:2 --output %t.with.0.npy --output %t.with.1.npy | FileCheck %s --check-prefix=HOST
// RUN: fuser-run %t.without.mlir --target cpu --dump-ir-after=fusion-to-host --input 4x5x6xf32=random:1,strides=30x1x5 --input 4x6xf32=random:2 --output %t.without.0.npy --output %t.without.1.npy | FileCheck %s --check-prefix=HOST-WITHOUT
// RUN: %python %S/Inputs/same_arrays.py %t.0.npy %t.with.0.npy %t.without.0.npy
// RUN: %python %S/Inputs/same_arrays.py %t.1.npy %t.with.1.npy %t.without.1.npy
// REQUIRES: numpy

// CHECK: fusion.segment
// CHECK-SAME: result_hints = [array<i64: 0, 2, 1>]
// WITHOUT: fusion.segment
// RIGHT: right:

// HOST: host.alloc () {stride_order = array<i64: 0, 2, 1>}
// HOST: host.output 0 () {stride_order = array<i64: 0, 2, 1>}
// HOST-WITHOUT: host.alloc () : memref<4x5x6xf32>
// HOST-WITHOUT: host.output 0 () : memref<4x5x6xf32>
func.func @f(%x: tensor<4x5x6xf32> {fusion.stride_order = array<i64: 0, 2, 1>}, %y: tensor<4x6xf32>)
    -> (tensor<4x5x6xf32>, tensor<4x6xf32>) {
  %0 = fusion.exp %x : tensor<4x5x6xf32>
  %1 = fusion.segment_set %0 : tensor<4x5x6xf32>
  %2 = fusion.neg %1 : tensor<4x5x6xf32>
  %3 = fusion.reduce <sum> %1 dims [1] : tensor<4x5x6xf32> to tensor<4x6xf32>
  %4 = fusion.add %3, %y : tensor<4x6xf32>
  return %2, %4 : tensor<4x5x6xf32>, tensor<4x6xf32>
}
