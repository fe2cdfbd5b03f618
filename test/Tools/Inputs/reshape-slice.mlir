func.func @f(%x: tensor<8xf32>, %a: index, %b: index, %row: index) -> tensor<1x8xf32> {
  %y = fusion.reshape %x sizes(%a, %b) : tensor<8xf32> to tensor<?x?xf32>
  %s = fusion.slice %y offsets [%row, 0] sizes [1, 8] steps [1, 1] : tensor<?x?xf32> to tensor<1x8xf32>
  %r = fusion.exp %s : tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}
