func.func @f(%x: tensor<?xf32>, %o: index, %n: index, %s: index) -> tensor<?xf32> {
  %r = fusion.slice %x offsets [%o] sizes [%n] steps [%s] : tensor<?xf32> to tensor<?xf32>
  %e = fusion.exp %r : tensor<?xf32>
  return %e : tensor<?xf32>
}
