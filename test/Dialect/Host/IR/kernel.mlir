// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --mlir-print-op-generic | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --emit-bytecode | fuser-opt | FileCheck %s

!map = !nvgpu.tensormap.descriptor<tensor = memref<64x32xf32, 3>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = nan, interleave = none>

// CHECK: host.kernel @none()
host.kernel @none()

// CHECK: host.kernel @native(pointer 0, size 0 dim 1, stride 2 dim 0, scalar 3) scratch 128
host.kernel @native(pointer 0, size 0 dim 1, stride 2 dim 0, scalar 3) scratch 128

// CHECK: host.kernel @hand(pointer 0) entry "other" threads 256 image ".version 8.0\0A" attributes {note = "by hand"}
host.kernel @hand(pointer 0) entry "other" threads 256 image ".version 8.0\0A" attributes {note = "by hand"}

// CHECK: host.kernel @tiles(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<64x32xf32, 3>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = nan, interleave = none>, pointer 0)
host.kernel @tiles(tensor_map 0 as !map, pointer 0) image ".version 8.0"

// Boxes at the limits: a row of 16 bytes, a rank of 5, rows that a swizzle has no say in.
// CHECK: host.kernel @boxes(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<16xi1>,
// CHECK-SAME: tensor_map 1 as !nvgpu.tensormap.descriptor<tensor = memref<1x1x1x256x256xui16>,
// CHECK-SAME: tensor_map 2 as !nvgpu.tensormap.descriptor<tensor = memref<1x2x3xbf16>, swizzle = swizzle_32b, l2promo = none, oob = zero, interleave = interleave_32b>)
host.kernel @boxes(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<16xi1>, swizzle = none, l2promo = none, oob = zero, interleave = none>,
                   tensor_map 1 as !nvgpu.tensormap.descriptor<tensor = memref<1x1x1x256x256xui16>, swizzle = none, l2promo = none, oob = zero, interleave = none>,
                   tensor_map 2 as !nvgpu.tensormap.descriptor<tensor = memref<1x2x3xbf16>, swizzle = swizzle_32b, l2promo = none, oob = zero, interleave = interleave_32b>)
    image ".version 8.0"

// CHECK: params = [#host.param<tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<64x32xf32, 3>,
func.func private @tensor_map() attributes {params = [#host.param<tensor_map 0 as !map>]}

// CHECK: params = [#host.param<pointer 0>, #host.param<size 0 dim 1>]
func.func private @attr() attributes {params = [#host.param<pointer 0>, #host.param<size 0 dim 1>]}

func.func @launches(%x: memref<4xf32>, %n: index) attributes {host.program} {
  // CHECK: host.launch @hand grid(%{{.*}}) block(256, 1, 1) cooperative args(%{{.*}} : memref<4xf32>)
  host.launch @hand grid(%n, %n, %n) block(256, 1, 1) cooperative args(%x : memref<4xf32>)
  // CHECK: host.launch @hand grid(%{{.*}}) block(128, 1, 1) cluster(2, 1, 1) shared %{{.*}} programmatic args(%{{.*}} : memref<4xf32>) writes [0]
  host.launch @hand grid(%n, %n, %n) block(128, 1, 1) cluster(2, 1, 1) shared %n programmatic args(%x : memref<4xf32>) writes [0]
  return
}

// Rows may be padded; the sign of integers is the box's business; the stride between elements of a dimension of one means nothing.
func.func @tensor_maps(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %bytes: memref<?xi8>, %halves: memref<2x3x4x5x1xi16, strided<[60, 20, 5, 1, 7]>>,
                       %channels: memref<?x?x?xbf16, strided<[?, ?, ?]>>, %n: index) attributes {host.program} {
  // CHECK: host.launch @tiles
  host.launch @tiles grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<?x?xf32, strided<[?, 1], offset: ?>>)
  // CHECK: host.launch @boxes
  host.launch @boxes grid(%n, %n, %n) block(1, 1, 1)
      args(%bytes, %halves, %channels : memref<?xi8>, memref<2x3x4x5x1xi16, strided<[60, 20, 5, 1, 7]>>, memref<?x?x?xbf16, strided<[?, ?, ?]>>)
  return
}

// CHECK: func.func private @signature(memref<?x?xi8, strided<[?, ?]>> {host.name = "x", host.tensor = #host.tensor<i1 [s0, s0] any align 1>}, memref<f32> {host.tensor = #host.tensor<f32 [] order [] align 4>}, memref<?x8xf32> {host.users = ["model.py:3: fusion.add: ", ""]})
// CHECK-SAME: -> (memref<?x8xf32> {host.name = "y", host.tensor = #host.tensor<f32 [s0, 8] order [1, 0] required align 16 required view 1>}, memref<4xf32> {host.tensor = #host.tensor<f32 [4] order [0] align 4 reuse 0>})
func.func private @signature(memref<?x?xi8, strided<[?, ?]>> {host.name = "x", host.tensor = #host.tensor<i1 [s0, s0] any align 1>},
                             memref<f32> {host.tensor = #host.tensor<f32 [] order [] align 4>},
                             memref<?x8xf32> {host.users = ["model.py:3: fusion.add: ", ""]})
    -> (memref<?x8xf32> {host.name = "y", host.tensor = #host.tensor<f32 [s0, 8] order [1, 0] required align 16 required view 1>},
        memref<4xf32> {host.tensor = #host.tensor<f32 [4] order [0] align 4 reuse 0>})

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: memref<?x64xbf16>, %b: memref<64x?xbf16, strided<[1, 64]>>, %o: memref<?x?xf32>, %x: memref<2x3x4xf64>, %y: memref<2x4x5xf64>, %z: memref<2x3x5xf64>) {
  // CHECK: host.matmul %{{.*}}, %{{.*}}, %{{.*}} : memref<?x64xbf16>, memref<64x?xbf16, strided<[1, 64]>>, memref<?x?xf32>
  host.matmul %a, %b, %o : memref<?x64xbf16>, memref<64x?xbf16, strided<[1, 64]>>, memref<?x?xf32>
  // CHECK: host.matmul %{{.*}}, %{{.*}}, %{{.*}} : memref<2x3x4xf64>, memref<2x4x5xf64>, memref<2x3x5xf64>
  host.matmul %x, %y, %z : memref<2x3x4xf64>, memref<2x4x5xf64>, memref<2x3x5xf64>
  return
}
