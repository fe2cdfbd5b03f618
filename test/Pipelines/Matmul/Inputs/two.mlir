func.func @two(%a: memref<?x?xf32, strided<[?, ?]>>, %b: memref<?x?xf32>) -> memref<?x?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32, strided<[?, ?]>>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  %o = host.output 0 (%m, %n) : memref<?x?xf32>
  host.matmul %a, %b, %o : memref<?x?xf32, strided<[?, ?]>>, memref<?x?xf32>, memref<?x?xf32>
  return %o : memref<?x?xf32>
}
