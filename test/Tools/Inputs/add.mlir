func.func @f(%x: tensor<?x8xf32> {fusion.name = "x"}, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = fusion.add %x, %y : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
