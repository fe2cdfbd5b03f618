// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},canonicalize,cse)' | FileCheck %s
// DEFINE: %{run} = fuser-run %s --target cpu --check
// RUN: %{run} --entry two --input 1x1xbf16=random:1 --input 1x1xbf16=random:2
// RUN: %{run} --entry two --input 0x5xbf16=random:1 --input 0x5xbf16=random:2
// RUN: %{run} --entry two --input 15x16xbf16=random:1 --input 15x16xbf16=random:2
// RUN: %{run} --entry two --input 64x64xbf16=random:1 --input 64x64xbf16=random:2
// RUN: %{run} --entry two --input 147x83xbf16=random:1 --input 147x83xbf16=random:2
// RUN: %{run} --entry two --input 147x83xbf16=random:1 --input 147x83xbf16=random:2 --arch x86-64-v3
// RUN: %{run} --entry outer --input 3x79x70xf64=random:1

// Neighbours of the result are neighbours in another dimension than those of the inputs: squares of 16 by 16 go through
// a buffer, are transposed in registers, and stored by columns.
// CHECK-LABEL: func.func @column_major_0(
// CHECK-SAME: %arg1: memref<?x4096xf32, strided<[1, ?]>>
// CHECK: %[[BUFFER:.*]] = memref.alloca() {{.*}} : memref<256xf32>
// CHECK: scf.for %[[ROW:.*]] = %c0{{.*}} to %c16{{.*}} step
// CHECK:   vector.store %{{.*}}, %[[BUFFER]][%{{.*}}] : memref<256xf32>, vector<16xf32>
// CHECK-COUNT-16: vector.load %[[BUFFER]]
// CHECK: %[[VIEW:.*]] = memref.transpose %arg1 (d0, d1) -> (d1, d0)
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store %{{.*}}, %[[VIEW]]
// CHECK-NOT: vector.shuffle
func.func @column_major(%x: tensor<?x4096xf32>)
    -> (tensor<?x4096xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %y = fusion.neg %x : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// CHECK-LABEL: func.func @two_0(
func.func @two(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>)
    -> (tensor<?x?xbf16> {fusion.stride_order = array<i64: 1, 0>},
        tensor<?x?xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %a = fusion.add %x, %y : tensor<?x?xbf16>
  %h = fusion.cast %a : tensor<?x?xbf16> to tensor<?x?xf32>
  %e = fusion.exp %h : tensor<?x?xf32>
  return %a, %e : tensor<?x?xbf16>, tensor<?x?xf32>
}

func.func @outer(%x: tensor<3x?x70xf64>) -> (tensor<3x?x70xf64> {fusion.stride_order = array<i64: 2, 0, 1>}) {
  %y = fusion.neg %x : tensor<3x?x70xf64>
  return %y : tensor<3x?x70xf64>
}

// Too small for a square: no transposition.
// CHECK-LABEL: func.func @narrow_0(
// CHECK-NOT: vector.shuffle
func.func @narrow(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %y = fusion.neg %x : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
