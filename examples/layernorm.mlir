// LayerNorm that also returns what its backward pass needs: each row's mean and reciprocal standard deviation.
// cpu:  --input=2048x4096xbf16=random:1 --input=4096xbf16=random:2 --input=4096xbf16=random:3
// cuda: --input=4096x4096xbf16=random:1 --input=4096xbf16=random:2 --input=4096xbf16=random:3
!b = tensor<?x4096xbf16>
!f = tensor<?x4096xf32>
!c = tensor<?x1xf32>
!w = tensor<4096xbf16>

func.func @layernorm(%x: !b, %w: !w, %bias: !w) -> (!b, !c, !c) {
  %h = fusion.cast %x : !b to f32
  %mean = fusion.reduce <mean> %h dims [1] keep : !f
  %d = fusion.sub %h, %mean : !f, !c
  %sq = fusion.mul %d, %d : !f
  %var = fusion.reduce <mean> %sq dims [1] keep : !f
  %vare = fusion.add %var, 1.0e-5 : !c
  %rstd = fusion.rsqrt %vare : !c
  %n = fusion.mul %d, %rstd : !f, !c
  %nw = fusion.mul %n, %w : !f, !w
  %y = fusion.add %nw, %bias : !f, !w
  %yb = fusion.cast %y : !f to bf16
  return %yb, %mean, %rstd : !b, !c, !c
}
