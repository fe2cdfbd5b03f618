// A size of the program that is only required to be equal to another is still compared: the size of a tensor was replaced by the oldest of the
// sizes that it must be equal to, here the rows of %x, and b's rows were never asked.
// RUN: fuser-run %s --input 4x4xf32=random:1 --input 16x4xf32=random:2 --check
// RUN: not fuser-run %s --input 2x4xf32=random:1 --input 16x4xf32=random:2 2>&1 | FileCheck %s

// CHECK: required-size.mlir:17:8: fusion.add: expected a size of fusion.reshape to be 2, as dimension 0 of input 0 'x', got 4
func.func @f(%x: tensor<?x4xf32> {fusion.name = "x"}, %b: tensor<?x4xf32> {fusion.name = "b"}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %b, %c0 : tensor<?x4xf32>
  %p = arith.divui %n, %c4 : index
  %r = fusion.reshape %b sizes(%p) : tensor<?x4xf32> to tensor<4x?x4xf32>
  %m = tensor.dim %r, %c1 : tensor<4x?x4xf32>
  %s = fusion.slice %r offsets [1, 0, 0] sizes [1, %m, 4] steps [1, 1, 1] : tensor<4x?x4xf32> to tensor<1x?x4xf32>
  %t = fusion.reshape %s sizes(%m) : tensor<1x?x4xf32> to tensor<?x4xf32>
  %y = fusion.add %x, %t : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
