func.func @f(%n: index) -> tensor<?xf32> {
  %v = arith.constant 1.0 : f32
  %r = fusion.full %v sizes(%n) : tensor<?xf32>
  return %r : tensor<?xf32>
}
