// Threads beyond the last row read early, in no order, an element in whose place another block stores a result.
// RUN: fuser-run %s --target=sim --check --sim-check --input=3x17x4xi32=random:1 --input=3x17xi32=random:2 | FileCheck %s

// CHECK: right
func.func @f(%x: tensor<?x?x?xi32>, %y: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32> {fusion.alias = #fusion.alias<reuse, 1>}) {
  %0 = fusion.reduce <prod> %x dims [2] : tensor<?x?x?xi32> to tensor<?x?xi32>
  %1 = fusion.shl %0, %y : tensor<?x?xi32>
  return %0, %1 : tensor<?x?xi32>, tensor<?x?xi32>
}
