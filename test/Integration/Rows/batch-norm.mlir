// Height and width are one dimension; the reshapes are views of the input and of the result.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-expand-composites,fusion-check-sizes,canonicalize,fusion-collapse-dimensions,cse,canonicalize,fusion-forward-factories,fusion-segment{target=sm_90}),fusion-schedule{target=sm_90})' | FileCheck %s
// RUN: fuser-run %s --target=cpu --check --input=5x3x7x7xf32=random:1 --input=3xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target=cpu --check --input=2x5x16x9xf32=random:1 --input=5xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target=sim --sim-check --check --input=5x3x7x7xf32=random:1 --input=3xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target=sim --sim-check --check --input=40x2x14x14xf32=random:1 --input=2xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target=sim --sim-check --check --input=3x4x6x1xf32=random:1 --input=4xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target=sim --sim-check --check --input=700x1x10x10xf32=random:1 --input=1xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target=sim --sim-check --check --input=3x4x6x5xf32=random:1,strides=120x1x20x4 --input=4xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target=sim --sim-check --check --input=0x4x6x5xf32=random:1 --input=4xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: %if cuda %{ fuser-run %s --target=cuda --check --input=40x2x14x14xf32=random:1 --input=2xf32=random:2 | FileCheck %s --check-prefix=RIGHT %}
// RIGHT: right: largest difference

// CHECK: fusion.reshape %{{.+}} : tensor<?x?x?x?xf32> to tensor<?x?x?xf32>
// CHECK: fusion.segment "split_reduction"
// CHECK-NEXT: fusion.reduce <mean> %{{.+}} dims [0, 2] keep : tensor<?x?x?xf32> to tensor<1x?x1xf32>
// CHECK: fusion.segment "split_reduction"
// CHECK: fusion.reduce <{{mean|sum}}> %{{.+}} dims [0, 2] keep : tensor<?x?x?xf32> to tensor<1x?x1xf32>
// CHECK: fusion.segment "pointwise"
// CHECK-NOT: fusion.reshape
// CHECK: fusion.yield
// CHECK-NEXT: }
// CHECK-NEXT: fusion.reshape %{{.+}} : tensor<?x?x?xf32> to tensor<?x?x?x?xf32>
// CHECK-NEXT: return
func.func @batch_norm(%x: tensor<?x?x?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?x?x?xf32> {
  %m = fusion.reduce <mean> %x dims [0, 2, 3] keep : tensor<?x?x?x?xf32> to tensor<1x?x1x1xf32>
  %v = fusion.var %x {dims = [0, 2, 3], keep, correction = 0} : tensor<?x?x?x?xf32>
  %d = fusion.sub %x, %m : tensor<?x?x?x?xf32>, tensor<1x?x1x1xf32>
  %e = fusion.add %v, 1.0e-5 : tensor<1x?x1x1xf32>
  %s = fusion.sqrt %e : tensor<1x?x1x1xf32>
  %q = fusion.div %d, %s : tensor<?x?x?x?xf32>, tensor<1x?x1x1xf32>
  %b = fusion.broadcast %w dims [0, 2, 3] : tensor<?xf32> to tensor<1x?x1x1xf32>
  %r = fusion.mul %q, %b : tensor<?x?x?x?xf32>, tensor<1x?x1x1xf32>
  return %r : tensor<?x?x?x?xf32>
}
