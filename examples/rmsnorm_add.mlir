// Residual add and RMSNorm at the head of a Llama-3 block: one kernel with two outputs, which reads each row once.
// cpu:  --input=2048x4096xbf16=random:1 --input=2048x4096xbf16=random:2 --input=4096xbf16=random:3
// cuda: --input=4096x4096xbf16=random:1 --input=4096x4096xbf16=random:2 --input=4096xbf16=random:3
func.func @rmsnorm_add(%x: tensor<?x4096xbf16>, %r: tensor<?x4096xbf16>, %w: tensor<4096xbf16>)
    -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %eps = arith.constant 1.000000e-05 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x4096xbf16>

  %s = fusion.add %x, %r : tensor<?x4096xbf16>
  %h = fusion.cast %s : tensor<?x4096xbf16> to tensor<?x4096xf32>
  %sq = fusion.mul %h, %h : tensor<?x4096xf32>
  %ms = fusion.reduce <mean> %sq dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %e = fusion.full %eps sizes(%rows) : tensor<?x1xf32>
  %mse = fusion.add %ms, %e : tensor<?x1xf32>
  %rstd = fusion.rsqrt %mse : tensor<?x1xf32>
  %rstd_row = fusion.expand %rstd : tensor<?x1xf32> to tensor<?x4096xf32>
  %n = fusion.mul %h, %rstd_row : tensor<?x4096xf32>

  %wf = fusion.cast %w : tensor<4096xbf16> to tensor<4096xf32>
  %w1 = fusion.broadcast %wf dims [0] : tensor<4096xf32> to tensor<1x4096xf32>
  %w_row = fusion.expand %w1 sizes(%rows) : tensor<1x4096xf32> to tensor<?x4096xf32>
  %y = fusion.mul %n, %w_row : tensor<?x4096xf32>
  %yb = fusion.cast %y : tensor<?x4096xf32> to tensor<?x4096xbf16>
  return %yb, %s : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}
