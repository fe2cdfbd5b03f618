// Bias and GELU (tanh form): 0.5 h (1 + tanh(0.79788456 (h + 0.044715 h^3))) with h = x + bias.
// cpu:  --input=2048x12288xbf16=random:1 --input=12288xbf16=random:2
// cuda: --input=4096x12288xbf16=random:1 --input=12288xbf16=random:2
func.func @bias_gelu(%x: tensor<?x12288xbf16>, %bias: tensor<12288xbf16>) -> tensor<?x12288xbf16> {
  %c0 = arith.constant 0 : index
  %half = arith.constant 5.000000e-01 : f32
  %one = arith.constant 1.000000e+00 : f32
  %k0 = arith.constant 0.797884583 : f32
  %k1 = arith.constant 4.471500e-02 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x12288xbf16>

  %b1 = fusion.broadcast %bias dims [0] : tensor<12288xbf16> to tensor<1x12288xbf16>
  %b = fusion.expand %b1 sizes(%rows) : tensor<1x12288xbf16> to tensor<?x12288xbf16>
  %s = fusion.add %x, %b : tensor<?x12288xbf16>
  %h = fusion.cast %s : tensor<?x12288xbf16> to tensor<?x12288xf32>

  %c_half = fusion.full %half sizes(%rows) : tensor<?x12288xf32>
  %c_one = fusion.full %one sizes(%rows) : tensor<?x12288xf32>
  %c_k0 = fusion.full %k0 sizes(%rows) : tensor<?x12288xf32>
  %c_k1 = fusion.full %k1 sizes(%rows) : tensor<?x12288xf32>
  %h2 = fusion.mul %h, %h : tensor<?x12288xf32>
  %h3 = fusion.mul %h2, %h : tensor<?x12288xf32>
  %k1h3 = fusion.mul %h3, %c_k1 : tensor<?x12288xf32>
  %in = fusion.add %h, %k1h3 : tensor<?x12288xf32>
  %arg = fusion.mul %in, %c_k0 : tensor<?x12288xf32>
  %t = fusion.tanh %arg : tensor<?x12288xf32>
  %t1 = fusion.add %t, %c_one : tensor<?x12288xf32>
  %hh = fusion.mul %h, %c_half : tensor<?x12288xf32>
  %y = fusion.mul %hh, %t1 : tensor<?x12288xf32>
  %yb = fusion.cast %y : tensor<?x12288xf32> to tensor<?x12288xbf16>
  return %yb : tensor<?x12288xbf16>
}
