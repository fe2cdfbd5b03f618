// Rows that the registers of a thread block do not hold; the inputs stand above each entry. us: fuser-run FILE --target cuda --entry NAME
// INPUTS --bench. The floor is the copy, which moves as many bytes as the others must.

// --input 2048x65536xbf16=normal:1
func.func @copy(%x: tensor<2048x65536xbf16>) -> tensor<2048x65536xbf16> {
  %0 = fusion.set %x : tensor<2048x65536xbf16>
  return %0 : tensor<2048x65536xbf16>
}

// --input 2048x65536xbf16=normal:1
func.func @softmax(%x: tensor<2048x65536xbf16>) -> tensor<2048x65536xbf16> {
  %h = fusion.cast %x : tensor<2048x65536xbf16> to tensor<2048x65536xf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<2048x65536xf32> to tensor<2048x1xf32>
  %mb = fusion.expand %m : tensor<2048x1xf32> to tensor<2048x65536xf32>
  %d = fusion.sub %h, %mb : tensor<2048x65536xf32>
  %e = fusion.exp %d : tensor<2048x65536xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<2048x65536xf32> to tensor<2048x1xf32>
  %sb = fusion.expand %s : tensor<2048x1xf32> to tensor<2048x65536xf32>
  %q = fusion.div %e, %sb : tensor<2048x65536xf32>
  %o = fusion.cast %q : tensor<2048x65536xf32> to tensor<2048x65536xbf16>
  return %o : tensor<2048x65536xbf16>
}

// --input 2048x65536xbf16=normal:1 --input 65536xbf16=normal:2
func.func @rmsnorm(%x: tensor<2048x65536xbf16>, %w: tensor<65536xbf16>) -> tensor<2048x65536xbf16> {
  %h = fusion.cast %x : tensor<2048x65536xbf16> to tensor<2048x65536xf32>
  %q = fusion.mul %h, %h : tensor<2048x65536xf32>
  %m = fusion.reduce <mean> %q dims [1] keep : tensor<2048x65536xf32> to tensor<2048x1xf32>
  %r = fusion.rsqrt %m : tensor<2048x1xf32>
  %mb = fusion.expand %r : tensor<2048x1xf32> to tensor<2048x65536xf32>
  %d = fusion.mul %h, %mb : tensor<2048x65536xf32>
  %wh = fusion.cast %w : tensor<65536xbf16> to tensor<65536xf32>
  %w1 = fusion.broadcast %wh dims [0] : tensor<65536xf32> to tensor<1x65536xf32>
  %w2 = fusion.expand %w1 : tensor<1x65536xf32> to tensor<2048x65536xf32>
  %e = fusion.mul %d, %w2 : tensor<2048x65536xf32>
  %o = fusion.cast %e : tensor<2048x65536xf32> to tensor<2048x65536xbf16>
  return %o : tensor<2048x65536xbf16>
}
