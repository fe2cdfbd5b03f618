// Log-softmax over rows of 8192, computed in f32.
// cpu:  --input=2048x8192xbf16=random:1
// cuda: --input=4096x8192xbf16=random:1
func.func @log_softmax(%x: tensor<?x8192xbf16>) -> tensor<?x8192xbf16> {
  %y = fusion.log_softmax %x {dim = 1} : tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}
