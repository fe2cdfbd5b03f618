func.func @f(%x: tensor<?xi32>, %y: tensor<?xi1>, %n: i32, %b: i1, %s: index) -> tensor<?xi32> {
  %f = fusion.full %n sizes(%s) : tensor<?xi32>
  %m = fusion.full %b sizes(%s) : tensor<?xi1>
  %a = fusion.add %x, %f : tensor<?xi32>
  %c = fusion.where %m, %a, %x : tensor<?xi32>
  %r = fusion.where %y, %c, %x : tensor<?xi32>
  return %r : tensor<?xi32>
}
