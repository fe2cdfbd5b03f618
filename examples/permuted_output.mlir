// A result whose memory must be column major: its fusion.stride_order names the dimensions from slowest to fastest.
// cpu:  --input=2048x4096xf32=random:1
// cuda: --input=4096x4096xf32=random:1
func.func @permuted_output(%x: tensor<?x4096xf32>)
    -> (tensor<?x4096xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %y = fusion.exp %x : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
