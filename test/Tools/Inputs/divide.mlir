func.func @f(%a: index, %b: index) -> tensor<?x?xf32> {
  %v = arith.constant 1.0 : f32
  %n = arith.divsi %a, %b : index
  %m = arith.remui %a, %b : index
  %r = fusion.full %v sizes(%n, %m) : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
