// Residual add and RMSNorm at the head of a Llama-3 block: one kernel with two outputs, which reads each row once.
// cpu:  --input=2048x4096xbf16=random:1 --input=2048x4096xbf16=random:2 --input=4096xbf16=random:3
// cuda: --input=4096x4096xbf16=random:1 --input=4096x4096xbf16=random:2 --input=4096xbf16=random:3
!b = tensor<?x4096xbf16>
!f = tensor<?x4096xf32>

func.func @rmsnorm_add(%x: !b, %r: !b, %w: tensor<4096xbf16>) -> (!b, !b) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : !b

  %s = fusion.add %x, %r : !b
  %h = fusion.cast %s : !b to f32
  %sq = fusion.mul %h, %h : !f
  %ms = fusion.reduce <mean> %sq dims [1] keep : !f
  %mse = fusion.add %ms, 1.0e-5 : tensor<?x1xf32>
  %rstd = fusion.rsqrt %mse : tensor<?x1xf32>
  %rstd_row = fusion.expand %rstd : tensor<?x1xf32> to !f
  %n = fusion.mul %h, %rstd_row : !f

  %wf = fusion.cast %w : tensor<4096xbf16> to f32
  %w_row = fusion.broadcast_in_dim %wf dims [1] sizes(%rows) : tensor<4096xf32> to !f
  %y = fusion.mul %n, %w_row : !f
  %yb = fusion.cast %y : !f to bf16
  return %yb, %s : !b, !b
}
