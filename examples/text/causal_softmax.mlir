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
  %true = arith.constant true
  %all = fusion.full %true sizes(%rows, %columns) : !mask
  %mask = fusion.tril %all : !mask
  %masked = fusion.where %mask, %scores, -inf : !scores
  %p = fusion.softmax %masked : !scores
  return %p : !scores
}
