// An input returned, a value returned twice, and one that nothing uses.
// run: --input=101xbf16=random:1
// run: --input=0xbf16=random:1
func.func @returned(%x: tensor<?xbf16>) -> (tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>) {
  %a = fusion.silu %x : tensor<?xbf16>
  %dead = fusion.exp %a : tensor<?xbf16>
  return %a, %x, %a, %x : tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>
}

// -----

// Sums of rows, of columns and of all, each of what the others gave: several segments, in bf16 between them.
// run: --input=37x21xf32=random:1
// run: --input=1x1xf32=random:1
// run: --input=0x5xf32=random:1
// run: --input=5x0xf32=random:1
func.func @row_column_all(%x: tensor<?x?xf32>) -> (tensor<?xbf16>, tensor<?xf32>, tensor<f32>, tensor<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %b = fusion.cast %x : tensor<?x?xf32> to tensor<?x?xbf16>
  %r = fusion.reduce <sum> %b dims [1] : tensor<?x?xbf16> to tensor<?xbf16>
  %k = fusion.broadcast %r dims [1] : tensor<?xbf16> to tensor<?x1xbf16>
  %ke = fusion.expand %k sizes(%m) : tensor<?x1xbf16> to tensor<?x?xbf16>
  %d = fusion.sub %b, %ke : tensor<?x?xbf16>
  %h = fusion.cast %d : tensor<?x?xbf16> to tensor<?x?xf32>
  %c = fusion.reduce <max> %h dims [0] keep : tensor<?x?xf32> to tensor<1x?xf32>
  %ce = fusion.expand %c sizes(%n) : tensor<1x?xf32> to tensor<?x?xf32>
  %q = fusion.div %h, %ce : tensor<?x?xf32>
  %a = fusion.reduce <mean> %q dims [0, 1] : tensor<?x?xf32> to tensor<f32>
  %cr = fusion.reshape %c : tensor<1x?xf32> to tensor<?xf32>
  return %r, %cr, %a, %d : tensor<?xbf16>, tensor<?xf32>, tensor<f32>, tensor<?x?xbf16>
}

// -----

// Boundaries that the program asks for, around an op that would go to both sides.
// run: --input=9x33xf16=normal:1
// run: --input=1x33xf16=value:inf
func.func @boundaries(%x: tensor<?x33xf16>) -> (tensor<?x33xf16>, tensor<33xf16>) {
  %c = fusion.cast %x : tensor<?x33xf16> to tensor<?x33xf32>
  %s = fusion.segment_set %c : tensor<?x33xf32>
  %e = fusion.tanh %s : tensor<?x33xf32>
  %t = fusion.set %e : tensor<?x33xf32>
  %u = fusion.segment_set %t : tensor<?x33xf32>
  %v = fusion.add %u, %c : tensor<?x33xf32>
  %r = fusion.reduce <sum> %v dims [0] : tensor<?x33xf32> to tensor<33xf32>
  %0 = fusion.cast %v : tensor<?x33xf32> to tensor<?x33xf16>
  %1 = fusion.cast %r : tensor<33xf32> to tensor<33xf16>
  return %0, %1 : tensor<?x33xf16>, tensor<33xf16>
}

// -----

// Sizes: computed from those of inputs and of values in between, used as sizes, as offsets and as an element.
// run: --input=7x10xf32=iota --input=7x3xf32=random:1 --scalar=2
// run: --input=3x4xf32=iota --input=3x0xf32=random:1 --scalar=0
func.func @sizes(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: index)
    -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cat = fusion.cat %x, %y dim 1 : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  %rows = tensor.dim %cat, %c0 : tensor<?x?xf32>
  %n = tensor.dim %cat, %c1 : tensor<?x?xf32>
  %half = arith.divui %n, %c2 : index
  %part = fusion.slice %cat offsets [0, %o] sizes [%rows, %half] steps [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %e = fusion.exp %part : tensor<?x?xf32>
  %s = fusion.reduce <sum> %e dims [1] : tensor<?x?xf32> to tensor<?xf32>
  %flat = fusion.reshape %cat : tensor<?x?xf32> to tensor<?xf32>
  %all = arith.muli %rows, %n : index
  %i = arith.index_cast %all : index to i32
  %v = arith.sitofp %i : i32 to f32
  %f = fusion.full %v sizes(%all) : tensor<?xf32>
  %g = fusion.div %flat, %f : tensor<?xf32>
  %t = fusion.reshape %g sizes(%n, %rows) : tensor<?xf32> to tensor<?x?xf32>
  return %e, %s, %t, %g : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>
}

// -----

// Factories and cheap producers that each segment makes for itself.
// run: --input=19x31xbf16=normal:1 --input=31xbf16=normal:2 --scalar=1e-5
// run: --input=0x31xbf16=normal:1 --input=31xbf16=normal:2 --scalar=0
func.func @forwarded(%x: tensor<?x31xbf16>, %w: tensor<31xbf16>, %eps: f32)
    -> (tensor<?x31xbf16>, tensor<31xf32>, tensor<?x31xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x31xbf16>
  %h = fusion.cast %x : tensor<?x31xbf16> to tensor<?x31xf32>
  %q = fusion.mul %h, %h : tensor<?x31xf32>
  %m = fusion.reduce <mean> %q dims [1] keep : tensor<?x31xf32> to tensor<?x1xf32>
  %f = fusion.full %eps sizes(%n) : tensor<?x1xf32>
  %a = fusion.add %m, %f : tensor<?x1xf32>
  %r = fusion.rsqrt %a : tensor<?x1xf32>
  %re = fusion.expand %r : tensor<?x1xf32> to tensor<?x31xf32>
  %g = fusion.mul %h, %re : tensor<?x31xf32>
  %wh = fusion.cast %w : tensor<31xbf16> to tensor<31xf32>
  %wb = fusion.broadcast %wh dims [0] : tensor<31xf32> to tensor<1x31xf32>
  %we = fusion.expand %wb sizes(%n) : tensor<1x31xf32> to tensor<?x31xf32>
  %y = fusion.mul %g, %we : tensor<?x31xf32>
  %z = fusion.cast %y : tensor<?x31xf32> to tensor<?x31xbf16>
  %col = fusion.reduce <sum> %g dims [0] : tensor<?x31xf32> to tensor<31xf32>
  return %z, %col, %we : tensor<?x31xbf16>, tensor<31xf32>, tensor<?x31xf32>
}

// -----

// A mask from comparisons, -inf in f16, and a softmax whose rows may be all masked: NaN.
// run: --input=9x9xf16=normal:1 --input=9xi32=iota --input=9xi64=iota
// run: --input=3x5xf16=normal:1 --input=3xi32=value:-1 --input=5xi64=iota
// run: --input=3x0xf16=normal:1 --input=3xi32=iota --input=0xi64=iota
func.func @masked_softmax(%x: tensor<?x?xf16>, %i: tensor<?xi32>, %j: tensor<?xi64>) -> (tensor<?x?xf16>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf16>
  %m = tensor.dim %x, %c1 : tensor<?x?xf16>
  %iw = fusion.cast %i : tensor<?xi32> to tensor<?xi64>
  %ib = fusion.broadcast %iw dims [1] : tensor<?xi64> to tensor<?x1xi64>
  %ie = fusion.expand %ib sizes(%m) : tensor<?x1xi64> to tensor<?x?xi64>
  %jb = fusion.broadcast %j dims [0] : tensor<?xi64> to tensor<1x?xi64>
  %je = fusion.expand %jb sizes(%n) : tensor<1x?xi64> to tensor<?x?xi64>
  %k = fusion.cmp <ge> %ie, %je : tensor<?x?xi64>
  %low = arith.constant 0xFC00 : f16
  %l = fusion.full %low sizes(%n, %m) : tensor<?x?xf16>
  %w = fusion.where %k, %x, %l : tensor<?x?xf16>
  %h = fusion.cast %w : tensor<?x?xf16> to tensor<?x?xf32>
  %mx = fusion.reduce <max> %h dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %me = fusion.expand %mx sizes(%m) : tensor<?x1xf32> to tensor<?x?xf32>
  %d = fusion.sub %h, %me : tensor<?x?xf32>
  %e = fusion.exp %d : tensor<?x?xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %se = fusion.expand %s sizes(%m) : tensor<?x1xf32> to tensor<?x?xf32>
  %p = fusion.div %e, %se : tensor<?x?xf32>
  %y = fusion.cast %p : tensor<?x?xf32> to tensor<?x?xf16>
  %ki = fusion.cast %k : tensor<?x?xi1> to tensor<?x?xi64>
  %count = fusion.reduce <sum> %ki dims [0] : tensor<?x?xi64> to tensor<?xi64>
  return %y, %count : tensor<?x?xf16>, tensor<?xi64>
}

// -----

// Two results that would make a cycle of segments if all merged, and five dimensions.
// run: --input=2x3x4x5x17xf32=normal:1
// run: --input=2x3x0x5x17xf32=normal:1
func.func @chain_of_reductions(%x: tensor<?x3x?x5x17xf32>)
    -> (tensor<?x3x?x5xf32>, tensor<?x?x5xf32>, tensor<5xf32>, tensor<?x3x?x5x17xf32>) {
  %a = fusion.reduce <sum> %x dims [4] keep : tensor<?x3x?x5x17xf32> to tensor<?x3x?x5x1xf32>
  %ae = fusion.expand %a : tensor<?x3x?x5x1xf32> to tensor<?x3x?x5x17xf32>
  %n = fusion.sub %x, %ae : tensor<?x3x?x5x17xf32>
  %ar = fusion.reduce <sum> %x dims [4] : tensor<?x3x?x5x17xf32> to tensor<?x3x?x5xf32>
  %b = fusion.reduce <max> %ar dims [1] : tensor<?x3x?x5xf32> to tensor<?x?x5xf32>
  %c = fusion.reduce <mean> %b dims [0] : tensor<?x?x5xf32> to tensor<?x5xf32>
  %d = fusion.reduce <min> %c dims [0] : tensor<?x5xf32> to tensor<5xf32>
  return %ar, %b, %d, %n : tensor<?x3x?x5xf32>, tensor<?x?x5xf32>, tensor<5xf32>, tensor<?x3x?x5x17xf32>
}
