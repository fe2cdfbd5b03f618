// A linear layer whose weights are spread over four ranks by rows: each multiplies with what it has, and gets a part of the columns. The input is
// spread by rows; a rank multiplies the rows that it has while the others' are on their way.

func.func private @silu(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %n = fusion.neg %x : tensor<?x64xf32>
  %e = fusion.exp %n : tensor<?x64xf32>
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x64xf32>
  %ones = fusion.full %one sizes(%rows) : tensor<?x64xf32>
  %d = fusion.add %e, %ones : tensor<?x64xf32>
  %y = fusion.div %x, %d : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

func.func @parallel_linear(%x: memref<?x128xf32>, %w: memref<64x128xf32>) -> memref<?x64xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %all = host.group [[0, 1, 2, 3]]
  %part = memref.dim %x, %c0 : memref<?x128xf32>
  %rows = arith.muli %part, %c4 : index
  %xs = host.alloc (%rows) stream <0 chunks 4> : memref<?x128xf32>
  %r = host.all_gather %x, %xs dim 0 in %all : memref<?x128xf32>, memref<?x128xf32>
  %h = host.alloc (%rows) stream <0 chunks 4> : memref<?x64xf32>
  host.linear %xs, %w, %h : memref<?x128xf32>, memref<64x128xf32>, memref<?x64xf32>
  %y = host.output 0 (%rows) : memref<?x64xf32>
  host.call @silu(%h : memref<?x64xf32>) outs(%y : memref<?x64xf32>)
  return %y : memref<?x64xf32>
}
