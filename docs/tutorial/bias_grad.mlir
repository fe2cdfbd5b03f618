// The gradient of a bias, of a batch that is spread over the ranks: each sums the rows that it has, and all get the sum of the sums.

func.func private @sum_of_rows(%dy: tensor<?x256xf32>) -> tensor<256xf32> {
  %sum = fusion.reduce <sum> %dy dims [0] : tensor<?x256xf32> to tensor<256xf32>
  return %sum : tensor<256xf32>
}

func.func @bias_grad(%dy: memref<?x256xf32>) -> memref<256xf32> attributes {host.program} {
  %all = host.group
  %db = host.output 0 () : memref<256xf32>
  host.call @sum_of_rows(%dy : memref<?x256xf32>) outs(%db : memref<256xf32>)
  %r = host.all_reduce <sum> %db, %db in %all : memref<256xf32>, memref<256xf32>
  host.wait %r
  return %db : memref<256xf32>
}
