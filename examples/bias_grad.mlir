// The gradient of a bias: a sum over rows, in f32.
// cpu:  --input=2048x4096xbf16=random:1
// cuda: --input=4096x4096xbf16=random:1
func.func @bias_grad(%g: tensor<?x4096xbf16>) -> tensor<4096xf32> {
  %h = fusion.cast %g : tensor<?x4096xbf16> to tensor<?x4096xf32>
  %s = fusion.reduce <sum> %h dims [0] : tensor<?x4096xf32> to tensor<4096xf32>
  return %s : tensor<4096xf32>
}
