func.func @linear(%x: tensor<?x5xf32>, %w: tensor<6x5xf32>) -> tensor<?x6xf32> {
  %r = fusion.linear %x, %w : tensor<?x5xf32>, tensor<6x5xf32> to tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}
