// A segment boundary: two kernels, and each makes the constant itself instead of passing it through memory.
// cpu:  --input=2048x4096xf32=random:1
// cuda: --input=4096x4096xf32=random:1
func.func @two_segments(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.000000e+00 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x4096xf32>
  %f = fusion.full %one sizes(%rows) : tensor<?x4096xf32>
  %a = fusion.add %x, %f : tensor<?x4096xf32>
  %b = fusion.segment_set %a : tensor<?x4096xf32>
  %y = fusion.add %b, %f : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
