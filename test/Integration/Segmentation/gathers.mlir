// The loss of a row is made of its logits in one kernel, which reads each once more where the target says.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 | FileCheck %s
// RUN: fuser-run %s --entry cross_entropy --target cpu --check --input=5x3200xbf16=normal:1 --input=5x1xi64=iota | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry cross_entropy --target sim --sim-check --check --input=5x3200xbf16=normal:1 --input=5x1xi64=iota | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry in_place --target cpu --check --input=64x40xf32=random:1 --input=64xi32=value:0 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry in_place --target sim --sim-check --check --input=64x40xf32=random:1 --input=64xi32=value:0 | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// Tensors that are taken along each other have the same rows.
// RUN: not fuser-run %s --entry cross_entropy --target cpu --input=5x3200xbf16=normal:1 --input=4x1xi64=iota 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: expected dimension 0 to be 5 because input 0 '%l' dimension 0 is 5, got 4

// CHECK-LABEL: func.func @cross_entropy(
// CHECK: fusion.segment "row_reduction"
// CHECK: fusion.take_along_axis
// CHECK: fusion.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @cross_entropy(%l: tensor<?x3200xbf16>, %target: tensor<?x1xi64>) -> tensor<?x1xf32> {
  %x = fusion.cast %l : tensor<?x3200xbf16> to tensor<?x3200xf32>
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x3200xf32> to tensor<?x1xf32>
  %b = fusion.expand %m : tensor<?x1xf32> to tensor<?x3200xf32>
  %d = fusion.sub %x, %b : tensor<?x3200xf32>
  %e = fusion.exp %d : tensor<?x3200xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x3200xf32> to tensor<?x1xf32>
  %g = fusion.log %s : tensor<?x1xf32>
  %a = fusion.add %g, %m : tensor<?x1xf32>
  %t = fusion.take_along_axis %x, %target dim 1 : tensor<?x3200xf32>, tensor<?x1xi64> to tensor<?x1xf32>
  %r = fusion.sub %a, %t : tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// All of what a take reads is there still when others have been written.
// CHECK-LABEL: func.func @in_place(
func.func @in_place(%x: tensor<64x40xf32>, %i: tensor<64xi32>) -> (tensor<64x40xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %t = fusion.take %x, %i dim 0 : tensor<64x40xf32>, tensor<64xi32> to tensor<64x40xf32>
  %r = fusion.add %x, %t : tensor<64x40xf32>
  return %r : tensor<64x40xf32>
}
