func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = fusion.neg %x : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
