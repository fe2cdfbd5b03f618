// However many threads share the work items of a kernel (tiles, rows, strips of columns), the results have the same bits.
// DEFINE: %{run} = fuser-run %s --target cpu --input 1001x130xf32=random:1 --check
// RUN: %{run} --num-threads=1 --output %t.a0.npy --output %t.a1.npy --output %t.a2.npy --output %t.a3.npy
// RUN: %{run} --num-threads=2 --output %t.b0.npy --output %t.b1.npy --output %t.b2.npy --output %t.b3.npy
// RUN: %{run} --num-threads=7 --output %t.c0.npy --output %t.c1.npy --output %t.c2.npy --output %t.c3.npy
// RUN: cmp %t.a0.npy %t.b0.npy
// RUN: cmp %t.a1.npy %t.b1.npy
// RUN: cmp %t.a2.npy %t.b2.npy
// RUN: cmp %t.a3.npy %t.b3.npy
// RUN: cmp %t.a0.npy %t.c0.npy
// RUN: cmp %t.a1.npy %t.c1.npy
// RUN: cmp %t.a2.npy %t.c2.npy
// RUN: cmp %t.a3.npy %t.c3.npy
func.func @cpu_r1(%x: tensor<?x?xf32>) -> (tensor<?x?xbf16>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %x0 = fusion.segment_set %x : tensor<?x?xf32>
  %t = fusion.tanh %x0 : tensor<?x?xf32>
  %b = fusion.cast %t : tensor<?x?xf32> to tensor<?x?xbf16>
  %x1 = fusion.segment_set %x : tensor<?x?xf32>
  %e = fusion.exp %x1 : tensor<?x?xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %se = fusion.expand %s sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %q = fusion.div %e, %se : tensor<?x?xf32>
  %x2 = fusion.segment_set %x : tensor<?x?xf32>
  %c = fusion.reduce <sum> %x2 dims [0] : tensor<?x?xf32> to tensor<?xf32>
  %x3 = fusion.segment_set %x : tensor<?x?xf32>
  %p = fusion.permute %x3 [1, 0] : tensor<?x?xf32> to tensor<?x?xf32>
  %o = fusion.sqrt %p : tensor<?x?xf32>
  return %b, %q, %c, %o : tensor<?x?xbf16>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>
}
