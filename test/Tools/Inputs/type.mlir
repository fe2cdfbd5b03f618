func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<4xf32> {
  %r = fusion.add %x, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}
