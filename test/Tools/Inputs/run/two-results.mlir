func.func @f(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %r = fusion.neg %x : tensor<?x8xf32>
  %s = fusion.exp %x : tensor<?x8xf32>
  return %r, %s : tensor<?x8xf32>, tensor<?x8xf32>
}
