func.func @f(%x: tensor<4x8xf32> {fusion.stride_order = array<i64: 1, 0>}) -> tensor<4x8xf32> {
  %r = fusion.neg %x : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
