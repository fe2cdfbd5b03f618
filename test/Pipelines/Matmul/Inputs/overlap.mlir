func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>) -> memref<4x4xf32> attributes {host.program} {
  %o = host.output 0 () : memref<4x4xf32>
  host.matmul %a, %b, %o : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  %v = memref.reinterpret_cast %o to offset: [0], sizes: [4, 4], strides: [1, 4] : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  host.matmul %v, %b, %o : memref<4x4xf32, strided<[1, 4]>>, memref<4x4xf32>, memref<4x4xf32>
  return %o : memref<4x4xf32>
}
