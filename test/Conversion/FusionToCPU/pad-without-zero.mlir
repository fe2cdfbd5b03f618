// Elements beyond the end of a tensor without a zero are its least number, also where they are only computed with.

// RUN: fuser-run %s --check --input 2x3xf8E8M0FNU=random:1 | FileCheck %s
// RUN: fuser-run %s --target sim --check --input 2x3xf8E8M0FNU=random:1 | FileCheck %s
// CHECK: right: largest difference
func.func @f(%x: tensor<2x3xf8E8M0FNU>) -> tensor<4x3xi32> {
  %0 = fusion.pad <constant> %x low [1, 0] high [1, 0] : tensor<2x3xf8E8M0FNU> to tensor<4x3xf8E8M0FNU>
  %1 = fusion.cast %0 : tensor<4x3xf8E8M0FNU> to tensor<4x3xf32>
  %2 = fusion.bitcast %1 : tensor<4x3xf32> to tensor<4x3xi32>
  return %2 : tensor<4x3xi32>
}
