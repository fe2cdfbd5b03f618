// Host programs by hand, one of each kind: loops, branches, names, streams, calls.

func.func private @scale(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %f = fusion.full %s sizes(%n) : tensor<?xf32>
  %y = fusion.mul %x, %f : tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func private @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %mb = fusion.expand %m sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %d = fusion.sub %x, %mb : tensor<?x?xf32>
  %e = fusion.exp %d : tensor<?x?xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %sb = fusion.expand %s sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %y = fusion.div %e, %sb : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Three functions, the third of both others' results.
func.func @three_calls(%x: memref<?xf32>) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = host.call @scale(%x, %two : memref<?xf32>, f32) -> memref<?xf32>
  %b = host.call @scale(%x, %three : memref<?xf32>, f32) -> memref<?xf32>
  %o = host.output 0 (%n) : memref<?xf32>
  host.add %a, %b, %o : memref<?xf32>, memref<?xf32>, memref<?xf32>
  return %o : memref<?xf32>
}

// A buffer that each round of a loop adds to.
func.func @in_place_in_a_loop(%x: memref<?xf32>, %steps: index) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %o = host.output 0 (%n) : memref<?xf32>
  %one = host.alloc (%n) : memref<?xf32>
  %v = arith.constant 1.0 : f32
  host.fill %v, %one : f32, memref<?xf32>
  host.copy %x, %o : memref<?xf32>, memref<?xf32>
  scf.for %i = %c0 to %steps step %c1 {
    host.add %o, %one, %o : memref<?xf32>, memref<?xf32>, memref<?xf32>
  }
  return %o : memref<?xf32>
}

// Two buffers that change places, and an input that is written.
func.func @ping_pong(%x: memref<?xf32>, %steps: index) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = host.alloc (%n) : memref<?xf32>
  %b = host.alloc (%n) : memref<?xf32>
  host.copy %x, %a : memref<?xf32>, memref<?xf32>
  %last:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
    host.call @scale(%from, %two : memref<?xf32>, f32) outs(%to : memref<?xf32>)
    scf.yield %to, %from : memref<?xf32>, memref<?xf32>
  }
  %o = host.output 0 (%n) : memref<?xf32>
  host.copy %last#0, %o : memref<?xf32>, memref<?xf32>
  return %o : memref<?xf32>
}

func.func @branches(%x: memref<?xf32>, %which: i1) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %o = host.output 0 (%n) : memref<?xf32>
  scf.if %which {
    host.call @scale(%x, %two : memref<?xf32>, f32) outs(%o : memref<?xf32>)
  } else {
    host.sub %x, %x, %o : memref<?xf32>, memref<?xf32>, memref<?xf32>
  }
  return %o : memref<?xf32>
}

// Names and chains of names, through computations.
func.func @names(%x: memref<?xf32>) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t3 = host.declare "t3" : memref<?xf32>
  %t2 = host.declare "t2" : memref<?xf32>
  %o = host.output 0 (%n) : memref<?xf32>
  host.alias %t3, %t2 : memref<?xf32>, memref<?xf32>
  host.alias %t2, %o : memref<?xf32>, memref<?xf32>
  host.copy %x, %t2 : memref<?xf32>, memref<?xf32>
  host.add %t3, %t2, %t3 : memref<?xf32>, memref<?xf32>, memref<?xf32>
  return %o : memref<?xf32>
}

// The rows of a buffer on several streams.
func.func @rows_on_streams(%x: memref<?x?xf32>, %streams: index) -> memref<?x?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %o = host.output 0 (%n, %m) : memref<?x?xf32>
  %t = host.alloc (%n, %m) : memref<?x?xf32>
  %main = host.get_stream
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.remui %i, %streams : index
    %number = arith.addi %k, %c1 : index
    %stream = host.stream %number
    host.set_stream %stream
    host.sync %main
    %from = host.slice %x dim 0 from %i size %c1 : memref<?x?xf32>
    %between = host.slice %t dim 0 from %i size %c1 : memref<?x?xf32>
    %to = host.slice %o dim 0 from %i size %c1 : memref<?x?xf32>
    host.call @softmax(%from : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%between : memref<?x?xf32, strided<[?, 1], offset: ?>>)
    host.add %between, %from, %to : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32, strided<[?, 1], offset: ?>>,
        memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  host.set_stream %main
  scf.for %i = %c0 to %streams step %c1 {
    %number = arith.addi %i, %c1 : index
    %stream = host.stream %number
    host.sync %stream
  }
  return %o : memref<?x?xf32>
}

// Another program, which calls one itself.
func.func private @twice(%x: memref<?xf32>) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %o = host.output 0 (%n) : memref<?xf32>
  host.call @scale(%x, %two : memref<?xf32>, f32) outs(%o : memref<?xf32>)
  return %o : memref<?xf32>
}
func.func @programs(%x: memref<?xf32>) -> memref<?xf32> attributes {host.program} {
  %a = host.call @twice(%x : memref<?xf32>) -> memref<?xf32>
  %b = host.call @twice(%a : memref<?xf32>) -> memref<?xf32>
  host.output_view 0, %b : memref<?xf32>
  return %b : memref<?xf32>
}

// What is written overlaps what is read.
func.func @overlap(%x: memref<?xf32>) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = arith.subi %n, %c1 : index
  %a = host.slice %x dim 0 from %c0 size %m : memref<?xf32>
  %b = host.slice %x dim 0 from %c1 size %m : memref<?xf32>
  host.add %a, %a, %b : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>
  return
}
