// Bias and GELU (tanh form): 0.5 h (1 + tanh(0.79788456 (h + 0.044715 h^3))) with h = x + bias.
// cpu:  --input=2048x12288xbf16=random:1 --input=12288xbf16=random:2
// cuda: --input=4096x12288xbf16=random:1 --input=12288xbf16=random:2
!b = tensor<?x12288xbf16>
!f = tensor<?x12288xf32>

func.func @bias_gelu(%x: !b, %bias: tensor<12288xbf16>) -> !b {
  %s = fusion.add %x, %bias : !b, tensor<12288xbf16>
  %h = fusion.cast %s : !b to f32

  %h2 = fusion.mul %h, %h : !f
  %h3 = fusion.mul %h2, %h : !f
  %k1h3 = fusion.mul %h3, 0.044715 : !f
  %in = fusion.add %h, %k1h3 : !f
  %arg = fusion.mul %in, 0.797884583 : !f
  %t = fusion.tanh %arg : !f
  %t1 = fusion.add %t, 1.0 : !f
  %hh = fusion.mul %h, 0.5 : !f
  %y = fusion.mul %hh, %t1 : !f
  %yb = fusion.cast %y : !f to bf16
  return %yb : !b
}
