func.func @f(%s: bf16, %x: tensor<?xbf16>) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xbf16>
  %0 = fusion.segment "pointwise" (%a = %s : bf16, %b = %n : index, %y = %x : tensor<?xbf16>) -> (tensor<?xbf16>) {
    %t = arith.addf %a, %a : bf16
    %u = arith.extf %t : bf16 to f64
    %w = arith.mulf %u, %u : f64
    %v = arith.truncf %w : f64 to bf16
    %1 = fusion.full %v sizes(%b) : tensor<?xbf16>
    %2 = fusion.add %1, %y : tensor<?xbf16>
    fusion.yield %2 : tensor<?xbf16>
  }
  return %0 : tensor<?xbf16>
}
