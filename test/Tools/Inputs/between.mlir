func.func @f(%a: index, %b: index, %v: f32) -> tensor<f32> {
  %x = fusion.full %v sizes(%a, %b) : tensor<?x?xf32>
  %y = fusion.exp %x : tensor<?x?xf32>
  %z = fusion.segment_set %y : tensor<?x?xf32>
  %r = fusion.reduce <sum> %z dims [0, 1] : tensor<?x?xf32> to tensor<f32>
  return %r : tensor<f32>
}
