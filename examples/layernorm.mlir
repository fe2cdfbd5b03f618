// LayerNorm that also returns what its backward pass needs: each row's mean and reciprocal standard deviation.
// cpu:  --input=2048x4096xbf16=random:1 --input=4096xbf16=random:2 --input=4096xbf16=random:3
// cuda: --input=4096x4096xbf16=random:1 --input=4096xbf16=random:2 --input=4096xbf16=random:3
func.func @layernorm(%x: tensor<?x4096xbf16>, %w: tensor<4096xbf16>, %bias: tensor<4096xbf16>)
    -> (tensor<?x4096xbf16>, tensor<?x1xf32>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %eps = arith.constant 1.000000e-05 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x4096xbf16>

  %h = fusion.cast %x : tensor<?x4096xbf16> to tensor<?x4096xf32>
  %mean = fusion.reduce <mean> %h dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %mean_row = fusion.expand %mean : tensor<?x1xf32> to tensor<?x4096xf32>
  %d = fusion.sub %h, %mean_row : tensor<?x4096xf32>
  %sq = fusion.mul %d, %d : tensor<?x4096xf32>
  %var = fusion.reduce <mean> %sq dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %e = fusion.full %eps sizes(%rows) : tensor<?x1xf32>
  %vare = fusion.add %var, %e : tensor<?x1xf32>
  %rstd = fusion.rsqrt %vare : tensor<?x1xf32>
  %rstd_row = fusion.expand %rstd : tensor<?x1xf32> to tensor<?x4096xf32>
  %n = fusion.mul %d, %rstd_row : tensor<?x4096xf32>

  %wf = fusion.cast %w : tensor<4096xbf16> to tensor<4096xf32>
  %w1 = fusion.broadcast %wf dims [0] : tensor<4096xf32> to tensor<1x4096xf32>
  %w_row = fusion.expand %w1 sizes(%rows) : tensor<1x4096xf32> to tensor<?x4096xf32>
  %bf = fusion.cast %bias : tensor<4096xbf16> to tensor<4096xf32>
  %b1 = fusion.broadcast %bf dims [0] : tensor<4096xf32> to tensor<1x4096xf32>
  %b_row = fusion.expand %b1 sizes(%rows) : tensor<1x4096xf32> to tensor<?x4096xf32>
  %nw = fusion.mul %n, %w_row : tensor<?x4096xf32>
  %y = fusion.add %nw, %b_row : tensor<?x4096xf32>
  %yb = fusion.cast %y : tensor<?x4096xf32> to tensor<?x4096xbf16>
  return %yb, %mean, %rstd : tensor<?x4096xbf16>, tensor<?x1xf32>, tensor<?x1xf32>
}
