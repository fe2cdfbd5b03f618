// Softmax over rows of 8192, computed in f32.
// cpu:  --input=2048x8192xbf16=random:1
// cuda: --input=4096x8192xbf16=random:1
!b = tensor<?x8192xbf16>
!f = tensor<?x8192xf32>

func.func @softmax(%x: !b) -> !b {
  %h = fusion.cast %x : !b to f32
  %m = fusion.reduce <max> %h dims [1] keep : !f
  %mx = fusion.expand %m : tensor<?x1xf32> to !f
  %d = fusion.sub %h, %mx : !f
  %e = fusion.exp %d : !f
  %s = fusion.reduce <sum> %e dims [1] keep : !f
  %sx = fusion.expand %s : tensor<?x1xf32> to !f
  %y = fusion.div %e, %sx : !f
  %yb = fusion.cast %y : !f to bf16
  return %yb : !b
}
