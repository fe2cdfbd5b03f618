// Rows may be of any dimensions, the last one among them: of images each channel has one. A kernel reads them once, whatever is made of them.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-expand-composites,canonicalize,fusion-collapse-dimensions,cse,canonicalize,fusion-forward-factories,fusion-segment{target=sm_90}),fusion-schedule{target=sm_90})' | FileCheck %s
// RUN: fuser-run %s --entry=normalize --target=sim --sim-check --check --input=32x6x7x7xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=with_statistics --target=sim --sim-check --check --input=32x6x8x8xbf16=random:1 --input=6xf32=random:2 --input=6xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=with_statistics --target=sim --sim-check --check --input=32x6x8x8xbf16=random:1,strides=400x4000x50x5 --input=6xf32=random:2 --input=6xf32=random:3 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=backward --target=sim --sim-check --check --input=6x300x9x10xf32=random:1 --input=6x300x9x10xf32=random:2 --input=300xf32=random:3 --input=300xf32=random:4 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=of_a_cluster --target=sim --sim-check --check --input=16x3x48x48xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=bounded --target=sim --sim-check --check --input=5x4x13x3xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=bounded --target=sim --sim-check --check --input=0x4x13x3xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=bounded --target=sim --sim-check --check --input=8x1x16x16xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=two_kept --target=sim --sim-check --check --input=3x5x4x7x10xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=moved_inside --target=sim --sim-check --check --input=6x4x5x8xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry=other_row --target=sim --sim-check --check --input=6x6x6xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: %if cuda %{ fuser-run %s --entry=normalize --target=cuda --check --input=32x6x7x7xf32=random:1 | FileCheck %s --check-prefix=RIGHT %}
// RUN: %if cuda %{ fuser-run %s --entry=backward --target=cuda --check --input=6x300x9x10xf32=random:1 --input=6x300x9x10xf32=random:2 --input=300xf32=random:3 --input=300xf32=random:4 | FileCheck %s --check-prefix=RIGHT %}
// RUN: %if cuda %{ fuser-run %s --entry=of_a_cluster --target=cuda --check --input=16x3x48x48xf32=random:1 | FileCheck %s --check-prefix=RIGHT %}
// RIGHT: right: largest difference

// CHECK-LABEL: func.func @normalize
// CHECK: fusion.segment "row_reduction"
// CHECK-SAME: axes = {{\[\[}}1], [0, 2]]
// CHECK-NOT: fusion.segment
func.func @normalize(%x: tensor<32x6x7x7xf32>) -> tensor<32x6x7x7xf32> {
  %m = fusion.reduce <mean> %x dims [0, 2, 3] keep : tensor<32x6x7x7xf32> to tensor<1x6x1x1xf32>
  %d = fusion.sub %x, %m : tensor<32x6x7x7xf32>, tensor<1x6x1x1xf32>
  %q = fusion.mul %d, %d : tensor<32x6x7x7xf32>
  %v = fusion.reduce <mean> %q dims [0, 2, 3] keep : tensor<32x6x7x7xf32> to tensor<1x6x1x1xf32>
  %a = fusion.add %v, 1.0e-5 : tensor<1x6x1x1xf32>
  %r = fusion.rsqrt %a : tensor<1x6x1x1xf32>
  %o = fusion.mul %d, %r : tensor<32x6x7x7xf32>, tensor<1x6x1x1xf32>
  return %o : tensor<32x6x7x7xf32>
}

// The statistics are results, of one dimension, and weights are of one.
// CHECK-LABEL: func.func @with_statistics
// CHECK: fusion.segment "row_reduction"
// CHECK-NOT: fusion.segment
func.func @with_statistics(%i: tensor<32x6x8x8xbf16> {fusion.layout = "any"}, %w: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<32x6x8x8xbf16>, tensor<6xf32>, tensor<6xf32>) {
  %x = fusion.cast %i : tensor<32x6x8x8xbf16> to tensor<32x6x8x8xf32>
  %m = fusion.reduce <mean> %x dims [0, 2, 3] : tensor<32x6x8x8xf32> to tensor<6xf32>
  %mb = fusion.broadcast %m dims [0, 2, 3] : tensor<6xf32> to tensor<1x6x1x1xf32>
  %d = fusion.sub %x, %mb : tensor<32x6x8x8xf32>, tensor<1x6x1x1xf32>
  %q = fusion.mul %d, %d : tensor<32x6x8x8xf32>
  %v = fusion.reduce <mean> %q dims [0, 2, 3] : tensor<32x6x8x8xf32> to tensor<6xf32>
  %a = fusion.add %v, 1.0e-5 : tensor<6xf32>
  %r = fusion.rsqrt %a : tensor<6xf32>
  %s = fusion.mul %r, %w : tensor<6xf32>
  %sb = fusion.broadcast %s dims [0, 2, 3] : tensor<6xf32> to tensor<1x6x1x1xf32>
  %n = fusion.mul %d, %sb : tensor<32x6x8x8xf32>, tensor<1x6x1x1xf32>
  %bb = fusion.broadcast %b dims [0, 2, 3] : tensor<6xf32> to tensor<1x6x1x1xf32>
  %p = fusion.add %n, %bb : tensor<32x6x8x8xf32>, tensor<1x6x1x1xf32>
  %o = fusion.cast %p : tensor<32x6x8x8xf32> to tensor<32x6x8x8xbf16>
  return %o, %m, %v : tensor<32x6x8x8xbf16>, tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @backward
// CHECK: fusion.segment "row_reduction"
// CHECK-NOT: fusion.segment
func.func @backward(%x: tensor<6x300x9x10xf32>, %dy: tensor<6x300x9x10xf32>, %m: tensor<300xf32>, %r: tensor<300xf32>) -> (tensor<6x300x9x10xf32>, tensor<300xf32>, tensor<300xf32>) {
  %mb = fusion.broadcast %m dims [0, 2, 3] : tensor<300xf32> to tensor<1x300x1x1xf32>
  %rb = fusion.broadcast %r dims [0, 2, 3] : tensor<300xf32> to tensor<1x300x1x1xf32>
  %d = fusion.sub %x, %mb : tensor<6x300x9x10xf32>, tensor<1x300x1x1xf32>
  %n = fusion.mul %d, %rb : tensor<6x300x9x10xf32>, tensor<1x300x1x1xf32>
  %p = fusion.mul %n, %dy : tensor<6x300x9x10xf32>
  %dw = fusion.reduce <sum> %p dims [0, 2, 3] : tensor<6x300x9x10xf32> to tensor<300xf32>
  %db = fusion.reduce <sum> %dy dims [0, 2, 3] : tensor<6x300x9x10xf32> to tensor<300xf32>
  %wb = fusion.broadcast %dw dims [0, 2, 3] : tensor<300xf32> to tensor<1x300x1x1xf32>
  %bb = fusion.broadcast %db dims [0, 2, 3] : tensor<300xf32> to tensor<1x300x1x1xf32>
  %e = fusion.mul %n, %wb : tensor<6x300x9x10xf32>, tensor<1x300x1x1xf32>
  %f = fusion.add %e, %bb : tensor<6x300x9x10xf32>, tensor<1x300x1x1xf32>
  %g = fusion.mul %f, 0.00185185191 : tensor<6x300x9x10xf32>
  %h = fusion.sub %dy, %g : tensor<6x300x9x10xf32>
  %o = fusion.mul %h, %rb : tensor<6x300x9x10xf32>, tensor<1x300x1x1xf32>
  return %o, %dw, %db : tensor<6x300x9x10xf32>, tensor<300xf32>, tensor<300xf32>
}

// CHECK-LABEL: func.func @of_a_cluster
// CHECK: fusion.segment "row_reduction"
// CHECK-SAME: axes = {{\[\[}}1], [0, 2]], layout = {{.*}}b
// CHECK-NOT: fusion.segment
func.func @of_a_cluster(%x: tensor<16x3x48x48xf32>) -> tensor<16x3x48x48xf32> {
  %m = fusion.reduce <mean> %x dims [0, 2, 3] keep : tensor<16x3x48x48xf32> to tensor<1x3x1x1xf32>
  %d = fusion.sub %x, %m : tensor<16x3x48x48xf32>, tensor<1x3x1x1xf32>
  return %d : tensor<16x3x48x48xf32>
}

// CHECK-LABEL: func.func @bounded
// CHECK: fusion.segment "row_reduction"
// CHECK-NOT: fusion.segment
func.func @bounded(%x: tensor<?x?x?x?xf32> {fusion.bounds = array<i64: 8, 64, 16, 16>}) -> tensor<?x?x?x?xf32> {
  %m = fusion.reduce <max> %x dims [0, 2, 3] keep : tensor<?x?x?x?xf32> to tensor<1x?x1x1xf32>
  %d = fusion.sub %x, %m : tensor<?x?x?x?xf32>, tensor<1x?x1x1xf32>
  %s = fusion.reduce <sum> %d dims [0, 2, 3] keep : tensor<?x?x?x?xf32> to tensor<1x?x1x1xf32>
  %o = fusion.mul %d, %s : tensor<?x?x?x?xf32>, tensor<1x?x1x1xf32>
  return %o : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @two_kept
// CHECK: fusion.segment "row_reduction"
// CHECK-SAME: axes = {{\[\[}}0, 2], [1, 3]]
// CHECK-NOT: fusion.segment
func.func @two_kept(%x: tensor<3x5x4x7x10xf32>) -> tensor<3x5x4x7x10xf32> {
  %s = fusion.reduce <sum> %x dims [1, 3, 4] keep : tensor<3x5x4x7x10xf32> to tensor<3x1x4x1x1xf32>
  %o = fusion.mul %x, %s : tensor<3x5x4x7x10xf32>, tensor<3x1x4x1x1xf32>
  return %o : tensor<3x5x4x7x10xf32>
}

// Inside a row what depends on reductions may be anywhere, as inside rows of last dimensions.
// CHECK-LABEL: func.func @moved_inside
// CHECK-NEXT: fusion.segment "row_reduction"
// CHECK-NOT: fusion.segment
func.func @moved_inside(%x: tensor<6x4x5x8xf32>) -> tensor<6x4x5x8xf32> {
  %m = fusion.reduce <mean> %x dims [0, 2, 3] keep : tensor<6x4x5x8xf32> to tensor<1x4x1x1xf32>
  %d = fusion.sub %x, %m : tensor<6x4x5x8xf32>, tensor<1x4x1x1xf32>
  %a = fusion.slice %d offsets [2, 0, 0, 0] sizes [4, 4, 5, 8] steps [1, 1, 1, 1] : tensor<6x4x5x8xf32> to tensor<4x4x5x8xf32>
  %b = fusion.slice %d offsets [0, 0, 0, 0] sizes [2, 4, 5, 8] steps [1, 1, 1, 1] : tensor<6x4x5x8xf32> to tensor<2x4x5x8xf32>
  %rolled = fusion.cat %a, %b dim 0 : tensor<4x4x5x8xf32>, tensor<2x4x5x8xf32> to tensor<6x4x5x8xf32>
  %q = fusion.mul %rolled, %d : tensor<6x4x5x8xf32>
  %s = fusion.reduce <sum> %q dims [0, 2, 3] keep : tensor<6x4x5x8xf32> to tensor<1x4x1x1xf32>
  %o = fusion.mul %d, %s : tensor<6x4x5x8xf32>, tensor<1x4x1x1xf32>
  return %o : tensor<6x4x5x8xf32>
}

// What a row is reduced to is needed in other rows: as a row of another dimension of the same size.
// CHECK-LABEL: func.func @other_row
// CHECK-COUNT-2: fusion.segment
func.func @other_row(%x: tensor<6x6x6xf32>) -> tensor<6x6x6xf32> {
  %s = fusion.reduce <sum> %x dims [0, 2] : tensor<6x6x6xf32> to tensor<6xf32>
  %b = fusion.broadcast %s dims [1, 2] : tensor<6xf32> to tensor<6x1x1xf32>
  %o = fusion.mul %x, %b : tensor<6x6x6xf32>, tensor<6x1x1xf32>
  return %o : tensor<6x6x6xf32>
}
