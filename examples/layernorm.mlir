// LayerNorm that also returns what its backward pass needs: each row's mean and reciprocal standard deviation.
// cpu:  --input=2048x4096xbf16=random:1 --input=4096xbf16=random:2 --input=4096xbf16=random:3
// cuda: --input=4096x4096xbf16=random:1 --input=4096xbf16=random:2 --input=4096xbf16=random:3
!b = tensor<?x4096xbf16>
!f = tensor<?x4096xf32>
!w = tensor<4096xbf16>

func.func @layernorm(%x: !b, %w: !w, %bias: !w) -> (!b, tensor<?x1xf32>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : !b

  %h = fusion.cast %x : !b to f32
  %mean = fusion.reduce <mean> %h dims [1] keep : !f
  %mean_row = fusion.expand %mean : tensor<?x1xf32> to !f
  %d = fusion.sub %h, %mean_row : !f
  %sq = fusion.mul %d, %d : !f
  %var = fusion.reduce <mean> %sq dims [1] keep : !f
  %vare = fusion.add %var, 1.0e-5 : tensor<?x1xf32>
  %rstd = fusion.rsqrt %vare : tensor<?x1xf32>
  %rstd_row = fusion.expand %rstd : tensor<?x1xf32> to !f
  %n = fusion.mul %d, %rstd_row : !f

  %wf = fusion.cast %w : !w to f32
  %w_row = fusion.broadcast_in_dim %wf dims [1] sizes(%rows) : tensor<4096xf32> to !f
  %bf = fusion.cast %bias : !w to f32
  %b_row = fusion.broadcast_in_dim %bf dims [1] sizes(%rows) : tensor<4096xf32> to !f
  %nw = fusion.mul %n, %w_row : !f
  %y = fusion.add %nw, %b_row : !f
  %yb = fusion.cast %y : !f to bf16
  return %yb, %mean, %rstd : !b, tensor<?x1xf32>, tensor<?x1xf32>
}
