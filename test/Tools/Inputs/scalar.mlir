func.func @f(%x: tensor<?xf32>, %n: index, %v: f32) -> tensor<?xf32> {
  %r = fusion.full %v sizes(%n) : tensor<?xf32>
  %s = fusion.add %x, %r : tensor<?xf32>
  return %s : tensor<?xf32>
}
