func.func @three(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.neg %0 : tensor<?x8xf32>
  %2 = fusion.tanh %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
