// Whole vectors and copies element by element give the same bits.
// DEFINE: %{strides} =
// DEFINE: %{run} = fuser-run %s --target cpu --check --input 5x150xf32=random:1%{strides} --input 5x150xbf16=random:2%{strides} --input 5x150xf32=random:3%{strides} --input 5x150xi32=random:4%{strides} --input 5x150xf16=random:5%{strides}
// RUN: %{run} --output %t.a0.npy --output %t.a1.npy
// REDEFINE: %{strides} = ,strides=153x1
// RUN: %{run} --output %t.b0.npy --output %t.b1.npy
// REDEFINE: %{strides} = ,strides=301x2
// RUN: %{run} --output %t.c0.npy --output %t.c1.npy
// RUN: cmp %t.a0.npy %t.b0.npy
// RUN: cmp %t.a1.npy %t.b1.npy
// RUN: cmp %t.a0.npy %t.c0.npy
// RUN: cmp %t.a1.npy %t.c1.npy
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>, %d: tensor<?x?xi32>, %e: tensor<?x?xf16>)
    -> (tensor<?x?xf32>, tensor<?x1xf32>) {
  %bw = fusion.cast %b : tensor<?x?xbf16> to tensor<?x?xf32>
  %dw = fusion.cast %d : tensor<?x?xi32> to tensor<?x?xf32>
  %ew = fusion.cast %e : tensor<?x?xf16> to tensor<?x?xf32>
  %0 = fusion.mul %a, %bw : tensor<?x?xf32>
  %1 = fusion.add %0, %c : tensor<?x?xf32>
  %2 = fusion.add %1, %dw : tensor<?x?xf32>
  %3 = fusion.add %2, %ew : tensor<?x?xf32>
  %s = fusion.reduce <sum> %3 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  return %3, %s : tensor<?x?xf32>, tensor<?x1xf32>
}
