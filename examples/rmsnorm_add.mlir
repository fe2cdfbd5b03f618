// Residual add and RMSNorm at the head of a Llama-3 block: one kernel with two outputs, which reads each row once.
// cpu:  --input=2048x4096xbf16=random:1 --input=2048x4096xbf16=random:2 --input=4096xbf16=random:3
// cuda: --input=4096x4096xbf16=random:1 --input=4096x4096xbf16=random:2 --input=4096xbf16=random:3
!b = tensor<?x4096xbf16>

func.func @rmsnorm_add(%x: !b, %r: !b, %w: tensor<4096xbf16>) -> (!b, !b) {
  %s = fusion.add %x, %r : !b
  %y, %rstd = fusion.rms_norm %s, 1.0e-5, %w {has_weight = true} : !b, tensor<4096xbf16>
  return %y, %s : !b, !b
}
