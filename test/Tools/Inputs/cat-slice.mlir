func.func @f(%x: tensor<8xf32>, %n: index, %offset: index) -> tensor<8xf32> {
  %v = arith.constant 1.0 : f32
  %a = fusion.full %v sizes(%n) : tensor<?xf32>
  %c = fusion.cat %x, %a, %a dim 0 : tensor<8xf32>, tensor<?xf32>, tensor<?xf32> to tensor<?xf32>
  %s = fusion.slice %c offsets [%offset] sizes [8] steps [1] : tensor<?xf32> to tensor<8xf32>
  %r = fusion.exp %s : tensor<8xf32>
  return %r : tensor<8xf32>
}
