// A dimension of size 1 between one that is repeated and one that is not, in sums for each channel.
// RUN: fuser-run %s --target=cpu --check --input=4x8x1x1x6xf32=random:1 --input=4x8x3x1x6xf32=random:2 | FileCheck %s
// RUN: fuser-run %s --target=sim --sim-check --check --input=4x8x1x1x6xf32=random:1 --input=4x8x3x1x6xf32=random:2 | FileCheck %s
// RUN: fuser-run %s --target=sim --sim-check --check --input=70x8x1x1x7xf32=random:1 --input=70x8x3x1x7xf32=random:2 | FileCheck %s
// RUN: %if cuda %{ fuser-run %s --target=cuda --check --input=70x8x1x1x7xf32=random:1 --input=70x8x3x1x7xf32=random:2 | FileCheck %s %}
// CHECK: right: largest difference
func.func @main(%y: tensor<?x8x1x1x?xf32>, %z: tensor<?x8x3x1x?xf32>) -> (tensor<8xf32>, tensor<?x8x3x1x?xf32>) {
  %e = fusion.add %y, %z : tensor<?x8x1x1x?xf32>, tensor<?x8x3x1x?xf32>
  %k = fusion.reduce <sum> %e dims [0, 2, 3, 4] : tensor<?x8x3x1x?xf32> to tensor<8xf32>
  return %k, %e : tensor<8xf32>, tensor<?x8x3x1x?xf32>
}
