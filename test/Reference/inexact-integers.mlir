// Products of integers that floats made: their bound is a number of integers, and none where they may wrap.
// RUN: fuser-run %s --entry product --check --input=4x5xf32=normal:1 --input=5x3xi32=random:2,below=5 | FileCheck %s
// RUN: fuser-run %s --entry product --target=sim --check --input=4x5xf32=normal:1 --input=5x3xi32=random:2,below=5 | FileCheck %s
// RUN: fuser-run %s --entry wraps --check --input=4x5xf32=normal:1 --input=5x3xi8=bits:2 | FileCheck %s
// CHECK: right: largest difference

func.func @product(%x: tensor<4x5xf32>, %y: tensor<5x3xi32>) -> tensor<4x3xi32> {
  %e = fusion.exp %x : tensor<4x5xf32>
  %c = fusion.cast %e : tensor<4x5xf32> to i32
  %r = fusion.matmul %c, %y : tensor<4x5xi32>, tensor<5x3xi32>
  return %r : tensor<4x3xi32>
}

func.func @wraps(%x: tensor<4x5xf32>, %y: tensor<5x3xi8>) -> tensor<4x3xi8> {
  %e = fusion.exp %x : tensor<4x5xf32>
  %z = fusion.mul %e, 50.0 : tensor<4x5xf32>
  %c = fusion.cast %z : tensor<4x5xf32> to i8
  %r = fusion.matmul %c, %y : tensor<4x5xi8>, tensor<5x3xi8>
  return %r : tensor<4x3xi8>
}
