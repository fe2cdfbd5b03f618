// Whole vectors and copies element by element give the same bits.
// DEFINE: %{strides} =
// DEFINE: %{run} = fuser-run %s --target cpu --entry f --check --input 5x150xf32=random:1%{strides} --input 5x150xbf16=random:2%{strides} --input 5x150xf32=random:3%{strides} --input 5x150xi32=random:4%{strides} --input 5x150xf16=random:5%{strides}
// RUN: %{run} --output %t.a0.npy --output %t.a1.npy
// REDEFINE: %{strides} = ,strides=153x1
// RUN: %{run} --output %t.b0.npy --output %t.b1.npy
// REDEFINE: %{strides} = ,strides=301x2
// RUN: %{run} --output %t.c0.npy --output %t.c1.npy
// RUN: cmp %t.a0.npy %t.b0.npy
// RUN: cmp %t.a1.npy %t.b1.npy
// RUN: cmp %t.a0.npy %t.c0.npy
// RUN: cmp %t.a1.npy %t.c1.npy

// So do vectors along another dimension than the last: of rows, of columns, of those of matrices; where a row or a column is less than a vector.
// DEFINE: %{shape} = 150x131
// DEFINE: %{sums} = fuser-run %s --target cpu --guard=end --check --entry sums --input %{shape}xf32=random:1%{strides} --input %{shape}xf16=random:2%{strides}
// REDEFINE: %{strides} =
// RUN: %{sums} --output %t.r.npy --output %t.c.npy --output %t.m.npy
// REDEFINE: %{strides} = ,strides=1x150
// RUN: %{sums} --output %t.r1.npy --output %t.c1.npy --output %t.m1.npy
// RUN: cmp %t.r.npy %t.r1.npy
// RUN: cmp %t.c.npy %t.c1.npy
// RUN: cmp %t.m.npy %t.m1.npy
// REDEFINE: %{shape} = 5x3
// REDEFINE: %{strides} = ,strides=1x7
// RUN: %{sums}
// REDEFINE: %{shape} = 0x3
// RUN: %{sums}
// DEFINE: %{batch} = fuser-run %s --target cpu --guard=end --check --entry batch --num-threads 3 --input 3x70x200xf32=random:1%{strides}
// REDEFINE: %{strides} =
// RUN: %{batch} --output %t.r.npy --output %t.c.npy --output %t.m.npy
// REDEFINE: %{strides} = ,strides=14000x1x70
// RUN: %{batch} --output %t.r1.npy --output %t.c1.npy --output %t.m1.npy
// RUN: cmp %t.r.npy %t.r1.npy
// RUN: cmp %t.c.npy %t.c1.npy
// RUN: cmp %t.m.npy %t.m1.npy

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

func.func @sums(%x: tensor<?x?xf32>, %y: tensor<?x?xf16>) -> (tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>) {
  %w = fusion.cast %y : tensor<?x?xf16> to tensor<?x?xf32>
  %p = fusion.mul %x, %w : tensor<?x?xf32>
  %rows = fusion.reduce <sum> %p dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %scaled = fusion.exp %rows : tensor<?x1xf32>
  %columns = fusion.reduce <sum> %p dims [0] : tensor<?x?xf32> to tensor<?xf32>
  %max = fusion.reduce <max> %x dims [0] : tensor<?x?xf32> to tensor<?xf32>
  return %scaled, %columns, %max : tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @batch(%x: tensor<?x?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %rows = fusion.reduce <sum> %x dims [2] : tensor<?x?x?xf32> to tensor<?x?xf32>
  %columns = fusion.reduce <sum> %x dims [1] : tensor<?x?x?xf32> to tensor<?x?xf32>
  %all = fusion.reduce <sum> %x dims [0, 2] : tensor<?x?x?xf32> to tensor<?xf32>
  return %rows, %columns, %all : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>
}
