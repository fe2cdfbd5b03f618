// What is reshaped by open sizes is read as another shape of the operand's memory, without a quotient an element, if that has no gaps: by the kernel, as other ops
// read it as it is.

// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule --fusion-to-kernel | FileCheck %s
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=GPU
// RUN: fuser-run %s --check --input=3x64x5x7xf32=normal:1 --input=3x64x5x7xf32=normal:2 --input=6x70xbf16=normal:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --check --input=2x32x8x8xf32=normal:1 --input=2x32x8x8xf32=normal:2,strides=4096x1x256x32 --input=8x64xbf16=normal:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --check --input=0x32x8x8xf32=normal:1 --input=0x32x8x8xf32=normal:2 --input=4x0xbf16=normal:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=3x64x5x7xf32=normal:1 --input=3x64x5x7xf32=normal:2 --input=6x70xbf16=normal:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=2x32x8x8xf32=normal:1 --input=2x32x8x8xf32=normal:2,strides=4096x1x256x32 --input=8x64xbf16=normal:3 | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-1: right: largest difference

// Rows of groups, of which a sum is taken.
// CHECK-LABEL: func.func @main_0(%arg0: memref<?x?x?x?xf32>
// CHECK: %[[ROWS:.*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%{{.*}}, 32, %{{.*}}], strides: [%{{.*}}, %{{.*}}, 1] : memref<?x?x?x?xf32> to memref<?x32x?xf32>
// CHECK: vector.load %[[ROWS]]
// GPU-LABEL: gpu.func @main_0(
// GPU: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, 32, %{{.*}}], strides: [%{{.*}}, %{{.*}}, 1] : memref<?x?x?x?xf32> to memref<?x32x?xf32>
func.func @main(%x: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32> {fusion.layout = "any"}, %z: tensor<?x?xbf16>) -> (tensor<?x32xf32>, tensor<?x32x?xf32>, tensor<?x2xbf16>, tensor<?xf32>, tensor<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %c32 = arith.constant 32 : index
  %each = arith.divui %c, %c32 : index
  %rows = arith.muli %each, %h : index
  %k = arith.muli %rows, %w : index
  %groups = fusion.reshape %x sizes(%n, %k) : tensor<?x?x?x?xf32> to tensor<?x32x?xf32>
  %sum = fusion.reduce <sum> %groups dims [2] : tensor<?x32x?xf32> to tensor<?x32xf32>
  // Of any strides it takes the coordinates.
  %others = fusion.reshape %y sizes(%n, %k) : tensor<?x?x?x?xf32> to tensor<?x32x?xf32>
  %twice = fusion.add %others, %others : tensor<?x32x?xf32>
  %pairs = fusion.reshape %z : tensor<?x?xbf16> to tensor<?x2xbf16>
  %less = fusion.neg %pairs : tensor<?x2xbf16>
  %images = fusion.reduce <max> %x dims [1, 2, 3] : tensor<?x?x?x?xf32> to tensor<?xf32>
  %exp = fusion.exp %z : tensor<?x?xbf16>
  return %sum, %twice, %less, %images, %exp : tensor<?x32xf32>, tensor<?x32x?xf32>, tensor<?x2xbf16>, tensor<?xf32>, tensor<?x?xbf16>
}
