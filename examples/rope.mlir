// Rotary position embedding of a Llama-3 block: q * cos + rotate_half(q) * sin, with heads moved before the sequence.
// Permute, slice, cat and broadcast are index arithmetic: one kernel, which reads q once.
// cpu:  --input=1x2048x32x128xbf16=random:1 --input=2048x128xbf16=random:2 --input=2048x128xbf16=random:3
// cuda: --input=2x4096x32x128xbf16=random:1 --input=4096x128xbf16=random:2 --input=4096x128xbf16=random:3
func.func @rope(%q: tensor<?x?x32x128xbf16>, %cos: tensor<?x128xbf16>, %sin: tensor<?x128xbf16>)
    -> tensor<?x32x?x128xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x32x128xbf16>
  %t = tensor.dim %q, %c1 : tensor<?x?x32x128xbf16>

  %p = fusion.permute %q [0, 2, 1, 3] : tensor<?x?x32x128xbf16> to tensor<?x32x?x128xbf16>
  %lo = fusion.slice %p offsets [0, 0, 0, 0] sizes [%b, 32, %t, 64] steps [1, 1, 1, 1]
      : tensor<?x32x?x128xbf16> to tensor<?x32x?x64xbf16>
  %hi = fusion.slice %p offsets [0, 0, 0, 64] sizes [%b, 32, %t, 64] steps [1, 1, 1, 1]
      : tensor<?x32x?x128xbf16> to tensor<?x32x?x64xbf16>
  %nhi = fusion.neg %hi : tensor<?x32x?x64xbf16>
  %rot = fusion.cat %nhi, %lo dim 3
      : tensor<?x32x?x64xbf16>, tensor<?x32x?x64xbf16> to tensor<?x32x?x128xbf16>

  %cos1 = fusion.broadcast %cos dims [0, 1] : tensor<?x128xbf16> to tensor<1x1x?x128xbf16>
  %cosx = fusion.expand %cos1 sizes(%b) : tensor<1x1x?x128xbf16> to tensor<?x32x?x128xbf16>
  %sin1 = fusion.broadcast %sin dims [0, 1] : tensor<?x128xbf16> to tensor<1x1x?x128xbf16>
  %sinx = fusion.expand %sin1 sizes(%b) : tensor<1x1x?x128xbf16> to tensor<?x32x?x128xbf16>

  %pf = fusion.cast %p : tensor<?x32x?x128xbf16> to tensor<?x32x?x128xf32>
  %rf = fusion.cast %rot : tensor<?x32x?x128xbf16> to tensor<?x32x?x128xf32>
  %cf = fusion.cast %cosx : tensor<?x32x?x128xbf16> to tensor<?x32x?x128xf32>
  %sf = fusion.cast %sinx : tensor<?x32x?x128xbf16> to tensor<?x32x?x128xf32>
  %u = fusion.mul %pf, %cf : tensor<?x32x?x128xf32>
  %v = fusion.mul %rf, %sf : tensor<?x32x?x128xf32>
  %y = fusion.add %u, %v : tensor<?x32x?x128xf32>
  %yb = fusion.cast %y : tensor<?x32x?x128xf32> to tensor<?x32x?x128xbf16>
  return %yb : tensor<?x32x?x128xbf16>
}
