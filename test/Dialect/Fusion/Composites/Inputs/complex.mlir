func.func @f(%z: tensor<?x?xcomplex<f32>>, %w: tensor<?xcomplex<f32>>) -> (tensor<?x?xcomplex<f32>>, tensor<?xf32>) {
  %a = fusion.composite "mul"(%z, %w) : (tensor<?x?xcomplex<f32>>, tensor<?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  %b = fusion.composite "abs"(%a) : (tensor<?x?xcomplex<f32>>) -> tensor<?x?xf32>
  %s = fusion.composite "reduce"(%b) {kind = "sum", dims = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %a, %s : tensor<?x?xcomplex<f32>>, tensor<?xf32>
}
