// GroupNorm as it is written: one kernel, whose rows are groups and whose result is an image.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-sink-reshapes,fusion-forward-factories,fusion-segment{target=sm_90}))' | FileCheck %s
// RUN: fuser-run %s --entry known --target cpu --check --input=2x64x6x6xf32=random:1 --input=64xf32=random:2 --input=64xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry known --target sim --sim-check --check --input=2x64x6x6xf32=random:1 --input=64xf32=random:2 --input=64xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry open --target cpu --check --input=3x64x5x7xf32=random:1 --input=64xf32=random:2 --input=64xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input=3x64x5x7xf32=random:1 --input=64xf32=random:2 --input=64xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input=2x64x0x7xf32=random:1 --input=64xf32=random:2 --input=64xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: %if cuda %{ fuser-run %s --entry known --target cuda --check --input=2x64x6x6xf32=random:1 --input=64xf32=random:2 --input=64xf32=random:3 | FileCheck %s --check-prefix=RIGHT %}
// RUN: %if cuda %{ fuser-run %s --entry open --target cuda --check --input=3x64x5x7xf32=random:1 --input=64xf32=random:2 --input=64xf32=random:3 | FileCheck %s --check-prefix=RIGHT %}
// RIGHT: right: largest difference

// CHECK-LABEL: func.func @known(
// CHECK-COUNT-1: fusion.segment "row_reduction"
// CHECK-NOT: fusion.segment
// CHECK: fusion.reshape %{{.+}} : tensor<2x32x72xf32> to tensor<2x64x6x6xf32>
// CHECK-NEXT: return
func.func @known(%x: tensor<2x64x6x6xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<2x64x6x6xf32> {
  %g = fusion.reshape %x : tensor<2x64x6x6xf32> to tensor<2x32x72xf32>
  %m = fusion.reduce <mean> %g dims [2] keep : tensor<2x32x72xf32> to tensor<2x32x1xf32>
  %me = fusion.expand %m : tensor<2x32x1xf32> to tensor<2x32x72xf32>
  %d = fusion.sub %g, %me : tensor<2x32x72xf32>
  %d2 = fusion.mul %d, %d : tensor<2x32x72xf32>
  %v = fusion.reduce <mean> %d2 dims [2] keep : tensor<2x32x72xf32> to tensor<2x32x1xf32>
  %ve = fusion.add %v, 1.0e-5 : tensor<2x32x1xf32>
  %r = fusion.rsqrt %ve : tensor<2x32x1xf32>
  %re = fusion.expand %r : tensor<2x32x1xf32> to tensor<2x32x72xf32>
  %y = fusion.mul %d, %re : tensor<2x32x72xf32>
  %i = fusion.reshape %y : tensor<2x32x72xf32> to tensor<2x64x6x6xf32>
  %wi = fusion.broadcast_in_dim %w dims [1] : tensor<64xf32> to tensor<2x64x6x6xf32>
  %bi = fusion.broadcast_in_dim %b dims [1] : tensor<64xf32> to tensor<2x64x6x6xf32>
  %s = fusion.mul %i, %wi : tensor<2x64x6x6xf32>
  %z = fusion.add %s, %bi : tensor<2x64x6x6xf32>
  return %z : tensor<2x64x6x6xf32>
}

func.func @open(%x: tensor<?x64x?x?xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<?x64x?x?xf32> {
  %i0 = arith.constant 0 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %two = arith.constant 2 : index
  %n = tensor.dim %x, %i0 : tensor<?x64x?x?xf32>
  %h = tensor.dim %x, %i2 : tensor<?x64x?x?xf32>
  %k = tensor.dim %x, %i3 : tensor<?x64x?x?xf32>
  %hk = arith.muli %h, %k : index
  %l = arith.muli %hk, %two : index
  %g = fusion.reshape %x sizes(%n, %l) : tensor<?x64x?x?xf32> to tensor<?x32x?xf32>
  %m = fusion.reduce <mean> %g dims [2] keep : tensor<?x32x?xf32> to tensor<?x32x1xf32>
  %me = fusion.expand %m sizes(%l) : tensor<?x32x1xf32> to tensor<?x32x?xf32>
  %d = fusion.sub %g, %me : tensor<?x32x?xf32>
  %d2 = fusion.mul %d, %d : tensor<?x32x?xf32>
  %v = fusion.reduce <mean> %d2 dims [2] keep : tensor<?x32x?xf32> to tensor<?x32x1xf32>
  %ve = fusion.add %v, 1.0e-5 : tensor<?x32x1xf32>
  %r = fusion.rsqrt %ve : tensor<?x32x1xf32>
  %re = fusion.expand %r sizes(%l) : tensor<?x32x1xf32> to tensor<?x32x?xf32>
  %y = fusion.mul %d, %re : tensor<?x32x?xf32>
  %i = fusion.reshape %y sizes(%n, %h, %k) : tensor<?x32x?xf32> to tensor<?x64x?x?xf32>
  %wi = fusion.broadcast_in_dim %w dims [1] sizes(%n, %h, %k) : tensor<64xf32> to tensor<?x64x?x?xf32>
  %bi = fusion.broadcast_in_dim %b dims [1] sizes(%n, %h, %k) : tensor<64xf32> to tensor<?x64x?x?xf32>
  %s = fusion.mul %i, %wi : tensor<?x64x?x?xf32>
  %z = fusion.add %s, %bi : tensor<?x64x?x?xf32>
  return %z : tensor<?x64x?x?xf32>
}
