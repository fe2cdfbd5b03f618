// Reshapes that keep open sizes pass coordinates on: GroupNorm over images of any size divides by none.
// RUN: fuser-opt %s --fusion-segment=target=cpu | FileCheck %s
// RUN: fuser-run %s --entry gn --target cpu --check --input=3x32x5x7xf32=random:1 --input=32xf32=random:2 --input=32xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry gn --target sim --sim-check --check --input=2x32x5x7xf32=random:1 --input=32xf32=random:2 --input=32xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry gn --target sim --sim-check --check --input=2x32x0x7xf32=random:1 --input=32xf32=random:2 --input=32xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// CHECK-LABEL: func.func @gn(
// CHECK: fusion.reshape %{{.+}} {fusion.equal_dims = array<i64: 0, -1, -1, 2, 3>} : tensor<?x32x?x?xf32> to tensor<?x8x4x?x?xf32>
// CHECK: fusion.reshape %{{.+}} {fusion.equal_dims = array<i64: 0, -1, 3, 4>} : tensor<?x8x4x?x?xf32> to tensor<?x32x?x?xf32>
func.func @gn(%x: tensor<?x32x?x?xf32>, %w: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<?x32x?x?xf32> {
  %i0 = arith.constant 0 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %n = tensor.dim %x, %i0 : tensor<?x32x?x?xf32>
  %h = tensor.dim %x, %i2 : tensor<?x32x?x?xf32>
  %wd = tensor.dim %x, %i3 : tensor<?x32x?x?xf32>
  %eps = arith.constant 1.0e-5 : f32
  %g = fusion.reshape %x sizes(%n, %h, %wd) : tensor<?x32x?x?xf32> to tensor<?x8x4x?x?xf32>
  %m = fusion.reduce <mean> %g dims [2, 3, 4] keep : tensor<?x8x4x?x?xf32> to tensor<?x8x1x1x1xf32>
  %me = fusion.expand %m sizes(%h, %wd) : tensor<?x8x1x1x1xf32> to tensor<?x8x4x?x?xf32>
  %d = fusion.sub %g, %me : tensor<?x8x4x?x?xf32>
  %d2 = fusion.mul %d, %d : tensor<?x8x4x?x?xf32>
  %v = fusion.reduce <mean> %d2 dims [2, 3, 4] keep : tensor<?x8x4x?x?xf32> to tensor<?x8x1x1x1xf32>
  %e = fusion.full %eps sizes(%n) : tensor<?x8x1x1x1xf32>
  %ve = fusion.add %v, %e : tensor<?x8x1x1x1xf32>
  %r = fusion.rsqrt %ve : tensor<?x8x1x1x1xf32>
  %re = fusion.expand %r sizes(%h, %wd) : tensor<?x8x1x1x1xf32> to tensor<?x8x4x?x?xf32>
  %y = fusion.mul %d, %re : tensor<?x8x4x?x?xf32>
  %back = fusion.reshape %y sizes(%n, %h, %wd) : tensor<?x8x4x?x?xf32> to tensor<?x32x?x?xf32>
  %w1 = fusion.broadcast %w dims [0, 2, 3] : tensor<32xf32> to tensor<1x32x1x1xf32>
  %wx = fusion.expand %w1 sizes(%n, %h, %wd) : tensor<1x32x1x1xf32> to tensor<?x32x?x?xf32>
  %b1 = fusion.broadcast %b dims [0, 2, 3] : tensor<32xf32> to tensor<1x32x1x1xf32>
  %bx = fusion.expand %b1 sizes(%n, %h, %wd) : tensor<1x32x1x1xf32> to tensor<?x32x?x?xf32>
  %yw = fusion.mul %back, %wx : tensor<?x32x?x?xf32>
  %o = fusion.add %yw, %bx : tensor<?x32x?x?xf32>
  return %o : tensor<?x32x?x?xf32>
}

// In another order they are others.
// CHECK-LABEL: func.func @turned(
// CHECK: fusion.reshape %{{.+}} {fusion.equal_dims = array<i64: 1, -1>} : tensor<?x?xf32> to tensor<?x?xf32>
func.func @turned(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<?x?xf32>
  %n = tensor.dim %x, %i1 : tensor<?x?xf32>
  %0 = fusion.reshape %x sizes(%n, %m) : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = fusion.neg %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Nothing is known.
// CHECK-LABEL: func.func @open(
// CHECK-NOT: fusion.equal_dims
func.func @open(%x: tensor<?x6xf32>, %n: index) -> tensor<?x3xf32> {
  %0 = fusion.reshape %x sizes(%n) : tensor<?x6xf32> to tensor<?x3xf32>
  %1 = fusion.neg %0 : tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// What the program says and nothing proves is not relied on.
// CHECK-LABEL: func.func @stated(
// CHECK-NOT: equal_dims
func.func @stated(%x: tensor<?x6xf32>, %n: index) -> tensor<?x3xf32> {
  %0 = fusion.reshape %x sizes(%n) {fusion.equal_dims = array<i64: 0, -1>} : tensor<?x6xf32> to tensor<?x3xf32>
  %1 = fusion.exp %0 : tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
