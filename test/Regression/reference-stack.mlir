// The reference read each size inside a loop from a copy on the stack, another for each element, until there was no stack left.
// RUN: fuser-run %s --target=cpu --check --quick --input=16x64x1x1xf32=random:1 --input=16x64x1x16xf32=random:2 --input=16x64x1x16xi32=value:0 | FileCheck %s

// CHECK: right
func.func @f(%x: tensor<?x?x?x1xf32>, %u: tensor<?x?x?x?xf32>, %i: tensor<?x?x?x?xi32>) -> tensor<?x?x?x1xf32> {
  %s = fusion.scatter_along_axis %x, %i, %u dim 3 combine <prod> : tensor<?x?x?x1xf32>, tensor<?x?x?x?xi32>, tensor<?x?x?x?xf32>
  return %s : tensor<?x?x?x1xf32>
}
