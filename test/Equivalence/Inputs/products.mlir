// Matrix products as other ops.

// run: --input=2x5x7xbf16=random:1 --input=2x7x3xbf16=random:2 --input=4x7xbf16=random:3
func.func @types(%a: tensor<?x5x?xbf16>, %b: tensor<2x?x?xbf16>, %w: tensor<4x7xbf16>)
    -> (tensor<2x5x3xbf16>, tensor<?x5x?xf32>, tensor<?x5x4xbf16>) {
  %0 = fusion.matmul %a, %b : tensor<?x5x?xbf16>, tensor<2x?x?xbf16> to tensor<2x5x3xbf16>
  %1 = fusion.matmul %a, %b : tensor<?x5x?xbf16>, tensor<2x?x?xbf16> to tensor<?x5x?xf32>
  %2 = fusion.linear %a, %w : tensor<?x5x?xbf16>, tensor<4x7xbf16> to tensor<?x5x4xbf16>
  return %0, %1, %2 : tensor<2x5x3xbf16>, tensor<?x5x?xf32>, tensor<?x5x4xbf16>
}
// -----
// run: --input=0x4xf64=random:1 --input=3x4xf64=random:2 --input=4x0xf64=random:3
func.func @empty(%x: tensor<?x4xf64>, %w: tensor<3x4xf64>, %v: tensor<4x?xf64>) -> (tensor<?x3xf64>, tensor<4x4xf64>) {
  %0 = fusion.linear %x, %w : tensor<?x4xf64>, tensor<3x4xf64> to tensor<?x3xf64>
  %1 = fusion.matmul %v, %x : tensor<4x?xf64>, tensor<?x4xf64> to tensor<4x4xf64>
  return %0, %1 : tensor<?x3xf64>, tensor<4x4xf64>
}
