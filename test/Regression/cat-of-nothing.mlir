// Lanes beyond the end of the result belong to the last input, which has no elements here and no memory.
// RUN: fuser-run %s --target cpu --check --input=3x5xi32=random:0 --input=3x33xi32=random:1 --input=3x0xi32=random:2 | FileCheck %s
// RUN: fuser-run %s --target cpu --check --input=3x0xi32=random:0 --input=3x0xi32=random:1 --input=3x0xi32=random:2 | FileCheck %s
// CHECK: right
func.func @f(%x: tensor<?x?xi32>, %y: tensor<?x?xi32>, %z: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = fusion.cat %x, %y, %z dim 1 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32> to tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}
