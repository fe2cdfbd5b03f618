// Each row minus its mean, times a weight for each column; and the means.
func.func @center(%x: tensor<?x512xf32> {fusion.name = "x"}, %w: tensor<512xf32> {fusion.name = "w"})
    -> (tensor<?x512xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x512xf32>
  %mean = fusion.reduce <mean> %x dims [1] : tensor<?x512xf32> to tensor<?xf32>
  %column = fusion.broadcast %mean dims [1] : tensor<?xf32> to tensor<?x1xf32>
  %means = fusion.expand %column : tensor<?x1xf32> to tensor<?x512xf32>
  %d = fusion.sub %x, %means : tensor<?x512xf32>
  %row = fusion.broadcast %w dims [0] : tensor<512xf32> to tensor<1x512xf32>
  %weights = fusion.expand %row sizes(%rows) : tensor<1x512xf32> to tensor<?x512xf32>
  %y = fusion.mul %d, %weights : tensor<?x512xf32>
  return %y, %mean : tensor<?x512xf32>, tensor<?xf32>
}
