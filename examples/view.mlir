// The heads of a projection: a view of the input. Pointer arithmetic only, no kernel is launched.
// cpu:  --input=2048x4096xbf16=random:1
// cuda: --input=4096x4096xbf16=random:1
func.func @view(%x: tensor<?x4096xbf16>)
    -> (tensor<32x?x128xbf16> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %h = fusion.reshape %x : tensor<?x4096xbf16> to tensor<?x32x128xbf16>
  %p = fusion.permute %h [1, 0, 2] : tensor<?x32x128xbf16> to tensor<32x?x128xbf16>
  return %p : tensor<32x?x128xbf16>
}
