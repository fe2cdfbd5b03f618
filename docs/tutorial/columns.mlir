// The sum of each row, after the greatest of each column was taken away.
func.func @columns(%x: tensor<?x512xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x512xf32>
  %max = fusion.reduce <max> %x dims [0] keep : tensor<?x512xf32> to tensor<1x512xf32>
  %m = fusion.expand %max sizes(%rows) : tensor<1x512xf32> to tensor<?x512xf32>
  %d = fusion.sub %x, %m : tensor<?x512xf32>
  %s = fusion.reduce <sum> %d dims [1] : tensor<?x512xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}
