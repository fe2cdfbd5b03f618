// Each row divided by its root mean square: the example of README.md.
// cpu:  --input=2048x1024xf32=random:1
// cuda: --input=16384x1024xf32=random:1
func.func @rms(%x: tensor<?x1024xf32> {fusion.alignment = 16 : i64})
    -> (tensor<?x1024xf32> {fusion.alignment = 16 : i64}) {
  %sq = fusion.mul %x, %x : tensor<?x1024xf32>
  %ms = fusion.reduce <mean> %sq dims [1] keep : tensor<?x1024xf32> to tensor<?x1xf32>
  %r = fusion.rsqrt %ms : tensor<?x1xf32>
  %rx = fusion.expand %r : tensor<?x1xf32> to tensor<?x1024xf32>
  %y = fusion.mul %x, %rx : tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}
