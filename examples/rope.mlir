// Rotary position embedding of a Llama-3 block: q * cos + rotate_half(q) * sin, with heads moved before the sequence.
// Permute, slice, cat and broadcast are index arithmetic: one kernel, which reads q once.
// cpu:  --input=1x2048x32x128xbf16=random:1 --input=2048x128xbf16=random:2 --input=2048x128xbf16=random:3
// cuda: --input=2x4096x32x128xbf16=random:1 --input=4096x128xbf16=random:2 --input=4096x128xbf16=random:3
!q = tensor<?x?x32x128xbf16>
!p = tensor<?x32x?x128xbf16>
!half = tensor<?x32x?x64xbf16>
!f = tensor<?x32x?x128xf32>
!angle = tensor<?x128xbf16>

func.func @rope(%q: !q, %cos: !angle, %sin: !angle) -> !p {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : !q
  %t = tensor.dim %q, %c1 : !q

  %p = fusion.permute %q [0, 2, 1, 3] : !q
  %lo = fusion.slice %p offsets [0, 0, 0, 0] sizes [%b, 32, %t, 64] steps [1, 1, 1, 1] : !p to !half
  %hi = fusion.slice %p offsets [0, 0, 0, 64] sizes [%b, 32, %t, 64] steps [1, 1, 1, 1] : !p to !half
  %nhi = fusion.neg %hi : !half
  %rot = fusion.cat %nhi, %lo dim 3 : !half, !half to !p

  %pf = fusion.cast %p : !p to f32
  %rf = fusion.cast %rot : !p to f32
  %u = fusion.mul %pf, %cos : !f, !angle
  %v = fusion.mul %rf, %sin : !f, !angle
  %y = fusion.add %u, %v : !f
  %yb = fusion.cast %y : !f to bf16
  return %yb : !p
}
