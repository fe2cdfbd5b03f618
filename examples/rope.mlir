// Rotary position embedding of a Llama-3 block: q * cos + rotate_half(q) * sin, with heads moved before the sequence.
// Permute, slice, cat and broadcast are index arithmetic: one kernel, which reads q once.
// cpu:  --input=1x2048x32x128xbf16=random:1 --input=2048x128xbf16=random:2 --input=2048x128xbf16=random:3
// cuda: --input=2x4096x32x128xbf16=random:1 --input=4096x128xbf16=random:2 --input=4096x128xbf16=random:3
!q = tensor<?x?x32x128xbf16>
!p = tensor<?x32x?x128xbf16>
!half = tensor<?x32x?x64xf32>
!f = tensor<?x32x?x128xf32>
!angle = tensor<?x128xbf16>

func.func @rope(%q: !q, %cos: !angle, %sin: !angle) -> !p {
  %p = fusion.permute %q [0, 2, 1, 3] : !q
  %f = fusion.cast %p : !p to f32
  %lo, %hi = fusion.chunk %f {chunks = 2, dim = -1} : !f
  %nhi = fusion.neg %hi : !half
  %rot = fusion.cat %nhi, %lo dim 3 : !half, !half to !f
  %u = fusion.mul %f, %cos : !f, !angle
  %v = fusion.mul %rot, %sin : !f, !angle
  %y = fusion.add %u, %v : !f
  %yb = fusion.cast %y : !f to bf16
  return %yb : !p
}
