// run: --input=5x8xf32=random:1 --input=5x8xi1=random:2
// run: --input=0x8xf32=random:1 --input=0x8xi1=random:2
// run: --input=3x8xf32=value:nan --input=3x8xi1=random:2
// run: --input=3x8xf32=value:-0.0 --input=3x8xi1=value:1
func.func @same_operands(%x: tensor<?x8xf32>, %c: tensor<?x8xi1>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  // NaN where an element is negative, beside numbers and zeros of both signs.
  %l = fusion.log %x : tensor<?x8xf32>
  %0 = fusion.max %l, %l : tensor<?x8xf32>
  %1 = fusion.min %l, %l : tensor<?x8xf32>
  %2 = fusion.neg %x : tensor<?x8xf32>
  %3 = fusion.neg %2 : tensor<?x8xf32>
  %4 = fusion.where %c, %l, %l : tensor<?x8xf32>
  %5 = fusion.add %2, %3 : tensor<?x8xf32>
  return %0, %1, %3, %4, %5
      : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// An absolute value is at least 0, but for the lowest integer.
// run: --input=33xf32=value:nan --input=33xi32=random:1
// run: --input=33xf32=value:-0.0 --input=33xi32=value:-2147483648
// run: --input=0xf32=value:1 --input=0xi32=value:1
func.func @absolute(%x: tensor<?xf32>, %i: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?xi32>) {
  %0 = fusion.abs %x : tensor<?xf32>
  %1 = fusion.abs %0 : tensor<?xf32>
  %2 = fusion.neg %0 : tensor<?xf32>
  %3 = fusion.abs %2 : tensor<?xf32>
  %4 = fusion.abs %i : tensor<?xi32>
  %5 = fusion.abs %4 : tensor<?xi32>
  %6 = fusion.neg %5 : tensor<?xi32>
  %7 = fusion.neg %6 : tensor<?xi32>
  return %1, %3, %5, %7 : tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?xi32>
}

// -----

// What looks like an identity and is none: of NaN, of infinity, of -0.
// run: --input=33xf32=value:nan --input=33xf32=random:1
// run: --input=33xf32=value:inf --input=33xf32=random:1
// run: --input=33xf32=value:-0.0 --input=33xf32=value:0
// run: --input=0xf32=value:1 --input=0xf32=value:1
func.func @no_identities(%x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi1>, tensor<?xi1>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %z = fusion.full %zero sizes(%n) : tensor<?xf32>
  %o = fusion.full %one sizes(%n) : tensor<?xf32>
  %0 = fusion.add %x, %z : tensor<?xf32>
  %1 = fusion.mul %x, %z : tensor<?xf32>
  %2 = fusion.sub %x, %x : tensor<?xf32>
  %3 = fusion.div %x, %x : tensor<?xf32>
  %4 = fusion.cmp <eq> %x, %x : tensor<?xf32>
  %5 = fusion.cmp <ne> %x, %x : tensor<?xf32>
  %6 = fusion.max %x, %y : tensor<?xf32>
  %7 = fusion.mul %6, %o : tensor<?xf32>
  %8 = fusion.sub %z, %7 : tensor<?xf32>
  return %0, %1, %2, %3, %4, %5, %8
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi1>, tensor<?xi1>, tensor<?xf32>
}

// -----

// run: --input=4xf32=random:1 --input=4xf32=value:nan
func.func @uniform_condition(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  %t = fusion.full %true : tensor<4xi1>
  %f = fusion.full %false : tensor<4xi1>
  %0 = fusion.where %t, %x, %y : tensor<4xf32>
  %1 = fusion.where %f, %x, %y : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Casts there and back, of which only the exact ones go. (f32 by way of f64 is not among those here that are computed:
// the reference keeps its f32 in f64.)
// run: --input=67xf32=normal:1 --input=67xf16=normal:2 --input=67xbf16=normal:3 --input=67xi64=random:4
// run: --input=1xf32=value:3e38 --input=1xf16=value:65504 --input=1xbf16=value:nan --input=1xi64=value:-9223372036854775807
// run: --input=0xf32=value:0 --input=0xf16=value:0 --input=0xbf16=value:0 --input=0xi64=value:0
func.func @casts(%x: tensor<?xf32>, %h: tensor<?xf16>, %b: tensor<?xbf16>, %i: tensor<?xi64>)
    -> (tensor<?xf32>, tensor<?xf16>, tensor<?xf32>, tensor<?xf64>, tensor<?xbf16>, tensor<?xi64>, tensor<?xi64>,
        tensor<?xf32>) {
  %e = fusion.exp %x : tensor<?xf32>
  %0 = fusion.cast %e : tensor<?xf32> to tensor<?xbf16>
  %1 = fusion.cast %0 : tensor<?xbf16> to tensor<?xf32>
  %g = fusion.tanh %h : tensor<?xf16>
  %2 = fusion.cast %g : tensor<?xf16> to tensor<?xf32>
  %3 = fusion.cast %2 : tensor<?xf32> to tensor<?xf16>
  %4 = fusion.cast %g : tensor<?xf16> to tensor<?xbf16>
  %5 = fusion.cast %4 : tensor<?xbf16> to tensor<?xf32>
  %6 = fusion.cast %b : tensor<?xbf16> to tensor<?xf32>
  %7 = fusion.cast %6 : tensor<?xf32> to tensor<?xf64>
  %8 = fusion.cast %7 : tensor<?xf64> to tensor<?xbf16>
  %9 = fusion.cast %i : tensor<?xi64> to tensor<?xf64>
  %10 = fusion.cast %9 : tensor<?xf64> to tensor<?xi64>
  %11 = fusion.cast %i : tensor<?xi64> to tensor<?xi32>
  %12 = fusion.cast %11 : tensor<?xi32> to tensor<?xi64>
  %13 = fusion.cast %x : tensor<?xf32> to tensor<?xf64>
  %14 = fusion.cast %13 : tensor<?xf64> to tensor<?xf32>
  return %1, %3, %5, %7, %8, %10, %12, %14
      : tensor<?xf32>, tensor<?xf16>, tensor<?xf32>, tensor<?xf64>, tensor<?xbf16>, tensor<?xi64>, tensor<?xi64>,
        tensor<?xf32>
}

// -----

// A cast to i1 and back, and comparisons of one tensor in two types.
// run: --input=65xf32=normal:1 --input=65xi32=random:2
// run: --input=65xf32=value:nan --input=65xi32=value:0
func.func @flags(%x: tensor<?xf32>, %i: tensor<?xi32>) -> (tensor<?xi1>, tensor<?xi64>, tensor<?xf32>) {
  %0 = fusion.cast %x : tensor<?xf32> to tensor<?xi1>
  %1 = fusion.cast %0 : tensor<?xi1> to tensor<?xi32>
  %2 = fusion.cast %1 : tensor<?xi32> to tensor<?xi64>
  %3 = fusion.cast %1 : tensor<?xi32> to tensor<?xi1>
  %4 = fusion.cast %i : tensor<?xi32> to tensor<?xf64>
  %5 = fusion.cast %4 : tensor<?xf64> to tensor<?xi1>
  %6 = fusion.where %5, %x, %x : tensor<?xf32>
  return %3, %2, %6 : tensor<?xi1>, tensor<?xi64>, tensor<?xf32>
}

// -----

// The same op twice, and one that differs in an attribute only.
// run: --input=3x5x7xbf16=random:1
// run: --input=3x0x7xbf16=random:1
func.func @twice(%x: tensor<?x?x7xbf16>) -> (tensor<?x7xbf16>, tensor<?x?xbf16>, tensor<?x?x7xi1>) {
  %a = fusion.exp %x : tensor<?x?x7xbf16>
  %b = fusion.exp %x : tensor<?x?x7xbf16>
  %c = fusion.mul %a, %b : tensor<?x?x7xbf16>
  %0 = fusion.reduce <sum> %c dims [1] : tensor<?x?x7xbf16> to tensor<?x7xbf16>
  %1 = fusion.reduce <sum> %c dims [2] : tensor<?x?x7xbf16> to tensor<?x?xbf16>
  %2 = fusion.reduce <max> %c dims [2] : tensor<?x?x7xbf16> to tensor<?x?xbf16>
  %3 = fusion.sub %2, %1 : tensor<?x?xbf16>
  %4 = fusion.cmp <lt> %a, %c : tensor<?x?x7xbf16>
  return %0, %3, %4 : tensor<?x7xbf16>, tensor<?x?xbf16>, tensor<?x?x7xi1>
}

// -----

// run: --input=2x3x4xf32=iota --input=5x12xi32=iota --input=3x4xf64=iota
// run: --input=2x3x4xf32=random:1 --input=0x12xi32=iota --input=3x4xf64=value:nan
func.func @index_maps(%x: tensor<2x3x4xf32>, %y: tensor<?x12xi32>, %z: tensor<3x4xf64>)
    -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<?x4x3xi32>, tensor<?x12xi32>, tensor<3x4xf64>, tensor<3x4xf64>) {
  %0 = fusion.permute %x [1, 2, 0] : tensor<2x3x4xf32> to tensor<3x4x2xf32>
  %1 = fusion.permute %0 [2, 0, 1] : tensor<3x4x2xf32> to tensor<2x3x4xf32>
  %2 = fusion.permute %0 [1, 2, 0] : tensor<3x4x2xf32> to tensor<4x2x3xf32>
  %3 = fusion.reshape %y : tensor<?x12xi32> to tensor<?xi32>
  %4 = fusion.reshape %3 : tensor<?xi32> to tensor<?x4x3xi32>
  %5 = fusion.expand %y : tensor<?x12xi32> to tensor<?x12xi32>
  %6 = fusion.cat %5 dim 0 : tensor<?x12xi32> to tensor<?x12xi32>
  %7 = fusion.slice %z offsets [0, 0] sizes [3, 4] steps [1, 1] : tensor<3x4xf64> to tensor<3x4xf64>
  %8 = fusion.broadcast %7 dims [] : tensor<3x4xf64> to tensor<3x4xf64>
  %9 = fusion.permute %8 [0, 1] : tensor<3x4xf64> to tensor<3x4xf64>
  %10 = fusion.slice %z offsets [2, 3] sizes [1, 1] steps [1, 1] : tensor<3x4xf64> to tensor<1x1xf64>
  %11 = fusion.expand %10 : tensor<1x1xf64> to tensor<3x4xf64>
  return %1, %2, %4, %6, %9, %11
      : tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<?x4x3xi32>, tensor<?x12xi32>, tensor<3x4xf64>, tensor<3x4xf64>
}

// -----

// Index maps of one value are that value, in their sizes.
// run: --scalar=2.5 --scalar=3 --scalar=8
// run: --scalar=nan --scalar=1 --scalar=4
// run: --scalar=-0.0 --scalar=0 --scalar=4
func.func @maps_of_full(%v: f32, %n: index, %m: index)
    -> (tensor<?x?x1xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x2xf32>) {
  %f = fusion.full %v sizes(%n) : tensor<?x1xf32>
  %0 = fusion.expand %f sizes(%m) : tensor<?x1xf32> to tensor<?x?xf32>
  %1 = fusion.broadcast %0 dims [2] : tensor<?x?xf32> to tensor<?x?x1xf32>
  %2 = fusion.permute %0 [1, 0] : tensor<?x?xf32> to tensor<?x?xf32>
  %3 = fusion.reshape %0 : tensor<?x?xf32> to tensor<?xf32>
  %4 = fusion.reshape %0 : tensor<?x?xf32> to tensor<?x4xf32>
  %5 = fusion.slice %0 offsets [0, 1] sizes [%n, 2] steps [1, 1] : tensor<?x?xf32> to tensor<?x2xf32>
  return %1, %2, %3, %4, %5 : tensor<?x?x1xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x2xf32>
}

// -----

// 0-d, with a scalar; a sum of one element and one of none.
// run: --input=f32=random:1 --input=0xbf16=random:2 --scalar=0.1
// run: --input=f32=value:-0.0 --input=1xbf16=value:-0.0 --scalar=nan
func.func @zero_d(%x: tensor<f32>, %e: tensor<?xbf16>, %v: f32)
    -> (tensor<f32>, tensor<1x1xf32>, tensor<bf16>, tensor<bf16>, tensor<bf16>) {
  %f = fusion.full %v : tensor<f32>
  %0 = fusion.mul %x, %f : tensor<f32>
  %1 = fusion.neg %0 : tensor<f32>
  %2 = fusion.neg %1 : tensor<f32>
  %3 = fusion.broadcast %2 dims [0, 1] : tensor<f32> to tensor<1x1xf32>
  %4 = fusion.reduce <sum> %e dims [0] : tensor<?xbf16> to tensor<bf16>
  %5 = fusion.reduce <mean> %e dims [0] : tensor<?xbf16> to tensor<bf16>
  %6 = fusion.reduce <max> %e dims [0] : tensor<?xbf16> to tensor<bf16>
  return %2, %3, %4, %5, %6 : tensor<f32>, tensor<1x1xf32>, tensor<bf16>, tensor<bf16>, tensor<bf16>
}

// -----

// Without elements by its type, beside what is not: sums of nothing, and a concatenation with nothing.
// run: --input=0x8xbf16=random:1 --input=5x8xbf16=random:2
func.func @static_empty(%x: tensor<0x8xbf16>, %y: tensor<5x8xbf16>)
    -> (tensor<0x8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<5x8xbf16>, tensor<0xf32>) {
  %e = fusion.exp %x : tensor<0x8xbf16>
  %a = fusion.add %e, %e : tensor<0x8xbf16>
  %s = fusion.reduce <sum> %a dims [0] : tensor<0x8xbf16> to tensor<8xbf16>
  %m = fusion.reduce <mean> %a dims [0] : tensor<0x8xbf16> to tensor<8xbf16>
  %c = fusion.cat %a, %y dim 0 : tensor<0x8xbf16>, tensor<5x8xbf16> to tensor<5x8xbf16>
  %t = fusion.reduce <max> %a dims [1] : tensor<0x8xbf16> to tensor<0xbf16>
  %f = fusion.cast %t : tensor<0xbf16> to tensor<0xf32>
  return %a, %s, %m, %c, %f : tensor<0x8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<5x8xbf16>, tensor<0xf32>
}

// -----

// Pads of nothing, and takes of what folds.
// run: --input=5x8xf32=random:1 --input=7xi32=iota
// run: --input=3x8xf32=value:-0.0 --input=7xi32=iota
// run: --input=4x8xf32=value:nan --input=0xi32=iota
func.func @gathers(%x: tensor<?x8xf32>, %i: tensor<?xi32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x12xf32>, tensor<?x8xf32>) {
  %0 = fusion.pad <reflect> %x low [0, 0] high [0, 0] : tensor<?x8xf32> to tensor<?x8xf32>
  %1 = fusion.take %0, %i dim 0 : tensor<?x8xf32>, tensor<?xi32> to tensor<?x8xf32>
  %2 = fusion.pad <constant> %0 low [0, 1] high [0, 3] : tensor<?x8xf32> to tensor<?x12xf32>
  %3 = fusion.neg %0 : tensor<?x8xf32>
  %4 = fusion.pad <constant> %3 low [1, 0] high [0, 0] : tensor<?x8xf32> to tensor<?x8xf32>
  %b = fusion.broadcast %i dims [1] : tensor<?xi32> to tensor<?x1xi32>
  %6 = fusion.expand %b : tensor<?x1xi32> to tensor<?x8xi32>
  %5 = fusion.take_along_axis %4, %6 dim 0 : tensor<?x8xf32>, tensor<?x8xi32> to tensor<?x8xf32>
  return %0, %1, %2, %5 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x12xf32>, tensor<?x8xf32>
}
