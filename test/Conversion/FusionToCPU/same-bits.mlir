// Subnormals, infinities and NaN: all processors give the same bits.
// DEFINE: %{run} = fuser-run %s --target cpu --input 64x1000xf32=random:2
// RUN: %{run} --arch x86-64-v3 --output %t.a0.npy --output %t.a1.npy --output %t.a2.npy --output %t.a3.npy
// RUN: %{run} --output %t.b0.npy --output %t.b1.npy --output %t.b2.npy --output %t.b3.npy
// RUN: cmp %t.a0.npy %t.b0.npy
// RUN: cmp %t.a1.npy %t.b1.npy
// RUN: cmp %t.a2.npy %t.b2.npy
// RUN: cmp %t.a3.npy %t.b3.npy
func.func @cpu_r2(%x: tensor<?x1000xf32>)
    -> (tensor<?x1000xbf16>, tensor<?x1000xf32>, tensor<?x1000xbf16>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x1000xf32>
  %tiny = arith.constant 1.000000e-38 : f32
  %wide = arith.constant 1.100000e+02 : f32
  %t = fusion.full %tiny sizes(%rows) : tensor<?x1000xf32>
  %w = fusion.full %wide sizes(%rows) : tensor<?x1000xf32>
  %s = fusion.mul %x, %t : tensor<?x1000xf32>
  %b = fusion.cast %s : tensor<?x1000xf32> to tensor<?x1000xbf16>
  // From subnormals to infinity.
  %xw = fusion.mul %x, %w : tensor<?x1000xf32>
  %e = fusion.exp %xw : tensor<?x1000xf32>
  // NaN where it is infinite.
  %n = fusion.sub %e, %e : tensor<?x1000xf32>
  %nb = fusion.cast %n : tensor<?x1000xf32> to tensor<?x1000xbf16>
  %m = fusion.reduce <sum> %x dims [1] keep : tensor<?x1000xf32> to tensor<?x1xf32>
  return %b, %e, %nb, %m : tensor<?x1000xbf16>, tensor<?x1000xf32>, tensor<?x1000xbf16>, tensor<?x1xf32>
}
