func.func @f(%x: tensor<?xf32>, %a: index, %b: index) -> tensor<?x?xf32> {
  %e = fusion.exp %x : tensor<?xf32>
  %r = fusion.reshape %e sizes(%a, %b) : tensor<?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
