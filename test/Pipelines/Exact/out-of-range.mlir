// What is read out of range is NaN as a constant of the element type. As one of the type in which elements are computed it is another element of
// the ring of the exact mode.
// RUN: fuser-run %s --exact --check --input 4x8xf8E4M3FN=bits:1 --input 6xi64=random:2,below=9 | FileCheck %s
// RUN: fuser-run %s --target sim --sim-check --exact --check --input 4x8xf8E4M3FN=bits:1 --input 6xi64=random:2,below=9 | FileCheck %s
// CHECK: {{^}}right

func.func @narrow(%x: tensor<4x8xf8E4M3FN>, %i: tensor<6xi64>) -> (tensor<6x8xf8E4M3FN>, tensor<6x8xf32>, tensor<6x8xf8E4M3FN>) {
  %0 = fusion.take %x, %i dim 0 : tensor<4x8xf8E4M3FN>, tensor<6xi64> to tensor<6x8xf8E4M3FN>
  %1 = fusion.cast %0 : tensor<6x8xf8E4M3FN> to tensor<6x8xf32>
  %2 = fusion.add %0, %0 : tensor<6x8xf8E4M3FN>
  return %0, %1, %2 : tensor<6x8xf8E4M3FN>, tensor<6x8xf32>, tensor<6x8xf8E4M3FN>
}
