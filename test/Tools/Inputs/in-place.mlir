func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %s = fusion.add %x, %y : tensor<?xf32>
  return %s : tensor<?xf32>
}
