// Residual add and RMSNorm at the head of a Llama-3 block: one kernel with two outputs, which reads each row once.
// cpu:  --input=2048x4096xbf16=random:1 --input=2048x4096xbf16=random:2 --input=4096xbf16=random:3
// cuda: --input=4096x4096xbf16=random:1 --input=4096x4096xbf16=random:2 --input=4096xbf16=random:3
!b = tensor<?x4096xbf16>
!f = tensor<?x4096xf32>
!c = tensor<?x1xf32>

func.func @rmsnorm_add(%x: !b, %r: !b, %w: tensor<4096xbf16>) -> (!b, !b) {
  %s = fusion.add %x, %r : !b
  %h = fusion.cast %s : !b to f32
  %sq = fusion.mul %h, %h : !f
  %ms = fusion.reduce <mean> %sq dims [1] keep : !f
  %mse = fusion.add %ms, 1.0e-5 : !c
  %rstd = fusion.rsqrt %mse : !c
  %n = fusion.mul %h, %rstd : !f, !c
  %y = fusion.mul %n, %w : !f, tensor<4096xbf16>
  %yb = fusion.cast %y : !f to bf16
  return %yb, %s : !b, !b
}
