// The residual stream is updated in place: the result is written into the buffer of input 0.
// cpu:  --input=2048x4096xbf16=random:1 --input=2048x4096xbf16=random:2
// cuda: --input=4096x4096xbf16=random:1 --input=4096x4096xbf16=random:2
func.func @in_place(%x: tensor<?x4096xbf16>, %r: tensor<?x4096xbf16>)
    -> (tensor<?x4096xbf16> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %s = fusion.add %x, %r : tensor<?x4096xbf16>
  return %s : tensor<?x4096xbf16>
}
