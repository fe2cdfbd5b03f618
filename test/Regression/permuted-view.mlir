// A view with the sizes of an input, but its strides in another order, is not the input itself.

// RUN: fuser-run %s --entry=permuted --check --input=17x17xf32=random:1,strides=2x37
// RUN: fuser-run %s --entry=permuted --check --input=17x17xf32=random:1
// RUN: fuser-run %s --entry=rotated --check --input=4x4x4xi1=random:1,strides=40x1x8,offset=3

func.func @permuted(%x: tensor<17x17xf32> {fusion.layout = "any"}) -> (tensor<17x17xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %r = fusion.permute %x [1, 0] : tensor<17x17xf32> to tensor<17x17xf32>
  return %r : tensor<17x17xf32>
}

func.func @rotated(%x: tensor<4x4x4xi1> {fusion.layout = "any"}) -> (tensor<4x4x4xi1> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %r = fusion.permute %x [2, 0, 1] : tensor<4x4x4xi1> to tensor<4x4x4xi1>
  return %r : tensor<4x4x4xi1>
}
