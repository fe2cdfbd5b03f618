// Buffers with a stream dimension: each program gives what it gives without.

func.func @set(%x: memref<?x?xf32>) -> memref<?x?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %o = host.output 0 (%n, %m) stream <0> : memref<?x?xf32>
  host.copy %x, %o : memref<?x?xf32>, memref<?x?xf32>
  return %o : memref<?x?xf32>
}

func.func @set_inner(%x: memref<?x?xf32>) -> memref<?x?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %o = host.output 0 (%n, %m) stream <1 chunks 3> : memref<?x?xf32>
  host.copy %x, %o : memref<?x?xf32>, memref<?x?xf32>
  return %o : memref<?x?xf32>
}

// Three neighbours in one loop, the last in place.
func.func @chain(%x: memref<?x?xf32>) -> memref<?x?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %a = host.alloc (%n, %m) stream <0 chunks 4> : memref<?x?xf32>
  host.add %x, %x, %a : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  %o = host.output 0 (%n, %m) stream <0 chunks 4> : memref<?x?xf32>
  host.mul %a, %x, %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  host.sub %o, %a, %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return %o : memref<?x?xf32>
}

// Chunks of rows, then of columns: a loop each.
func.func @two_loops(%x: memref<?x?xf32>) -> memref<?x?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %a = host.alloc (%n, %m) stream <0> : memref<?x?xf32>
  host.add %x, %x, %a : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  %o = host.output 0 (%n, %m) stream <1> : memref<?x?xf32>
  host.mul %a, %x, %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return %o : memref<?x?xf32>
}

// A consumer without the dimension ends the loop.
func.func @reduced(%x: memref<?x?xf32>) -> (memref<?xf32>, memref<?xf32>) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %a = host.alloc (%n, %m) stream <0> : memref<?x?xf32>
  host.add %x, %x, %a : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  %rows = host.output 0 (%n) stream <0> : memref<?xf32>
  host.reduction <sum> %a, %rows dims [1] : memref<?x?xf32>, memref<?xf32>
  %columns = host.output 1 (%m) : memref<?xf32>
  host.reduction <max> %a, %columns dims [0] : memref<?x?xf32>, memref<?xf32>
  return %rows, %columns : memref<?xf32>, memref<?xf32>
}

func.func @matmul_rows(%x: memref<?x?xf32>, %w: memref<?x?xf32>) -> memref<?x?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %w, %c1 : memref<?x?xf32>
  %o = host.output 0 (%n, %m) stream <0 chunks 3> : memref<?x?xf32>
  host.matmul %x, %w, %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return %o : memref<?x?xf32>
}

func.func @matmul_columns(%x: memref<?x?xf32>, %w: memref<?x?xf32>) -> memref<?x?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %w, %c1 : memref<?x?xf32>
  %o = host.output 0 (%n, %m) stream <1 chunks 2> : memref<?x?xf32>
  host.matmul %x, %w, %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return %o : memref<?x?xf32>
}

func.func @batches(%x: memref<3x?x?xf32>, %w: memref<3x?x?xf32>) -> memref<3x?x?xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c1 : memref<3x?x?xf32>
  %m = memref.dim %w, %c2 : memref<3x?x?xf32>
  %o = host.output 0 (%n, %m) stream <0> : memref<3x?x?xf32>
  host.matmul %x, %w, %o : memref<3x?x?xf32>, memref<3x?x?xf32>, memref<3x?x?xf32>
  return %o : memref<3x?x?xf32>
}
