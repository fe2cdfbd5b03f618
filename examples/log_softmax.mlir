// Log-softmax over rows of 8192, computed in f32.
// cpu:  --input=2048x8192xbf16=random:1
// cuda: --input=4096x8192xbf16=random:1
func.func @log_softmax(%x: tensor<?x8192xbf16>) -> tensor<?x8192xbf16> {
  %h = fusion.cast %x : tensor<?x8192xbf16> to tensor<?x8192xf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<?x8192xf32> to tensor<?x1xf32>
  %mx = fusion.expand %m : tensor<?x1xf32> to tensor<?x8192xf32>
  %d = fusion.sub %h, %mx : tensor<?x8192xf32>
  %e = fusion.exp %d : tensor<?x8192xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x8192xf32> to tensor<?x1xf32>
  %l = fusion.log %s : tensor<?x1xf32>
  %lx = fusion.expand %l : tensor<?x1xf32> to tensor<?x8192xf32>
  %y = fusion.sub %d, %lx : tensor<?x8192xf32>
  %yb = fusion.cast %y : tensor<?x8192xf32> to tensor<?x8192xbf16>
  return %yb : tensor<?x8192xbf16>
}
