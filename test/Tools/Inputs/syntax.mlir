func.func @f(%x: tensor<4xf32>) {
  %r = fusion.add %x %x : tensor<4xf32>
}
