func.func @f(%x: tensor<?x?xf32>) -> tensor<2x3xf32> {
  %s = fusion.slice %x offsets [0, 0] sizes [2, 3] steps [1, 1] : tensor<?x?xf32> to tensor<2x3xf32>
  %r = fusion.neg %s : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
