// Softmax of scores that may look back only: row i has weights for the columns up to i.
// cpu:  --input=1024x1024xbf16=normal:1
// cuda: --input=8192x8192xbf16=normal:1
!scores = tensor<?x?xbf16>
!mask = tensor<?x?xi1>

func.func @causal_softmax(%scores: !scores) -> !scores {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %scores, %c0 : !scores
  %columns = tensor.dim %scores, %c1 : !scores
  %all = fusion.composite "full"(true, %rows, %columns) {shape = [unit, unit], type = i1} : (index, index) -> !mask
  %mask = fusion.composite "tril"(%all) : (!mask) -> !mask
  %masked = fusion.composite "where"(%mask, %scores, -inf) : (!mask, !scores) -> !scores
  %p = fusion.composite "softmax"(%masked) : (!scores) -> !scores
  return %p : !scores
}
