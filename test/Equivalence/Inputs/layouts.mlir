// Hints from an input that is not row-major, through maps and reductions, with a requirement among them.
// run: --input=3x5x7xf32=random:1,strides=35x1x5 --input=3x5xbf16=random:2
// run: --input=0x5x7xf32=random:1,strides=35x1x5 --input=0x5xbf16=random:2
// run: --input=1x5x7xf32=value:nan,strides=35x1x5 --input=1x5xbf16=random:2
func.func @permuted_input(%x: tensor<?x5x7xf32> {fusion.stride_order = array<i64: 0, 2, 1>}, %y: tensor<?x5xbf16>)
    -> (tensor<?x5x7xf32>, tensor<?x5x7xf32> {fusion.stride_order = array<i64: 2, 1, 0>}, tensor<7x?x5xbf16>, tensor<?x5xf32>) {
  %e = fusion.exp %x : tensor<?x5x7xf32>
  %s = fusion.reduce <sum> %e dims [2] keep : tensor<?x5x7xf32> to tensor<?x5x1xf32>
  %sb = fusion.expand %s : tensor<?x5x1xf32> to tensor<?x5x7xf32>
  %q = fusion.div %e, %sb : tensor<?x5x7xf32>
  %h = fusion.cast %y : tensor<?x5xbf16> to tensor<?x5xf32>
  %hb = fusion.broadcast %h dims [2] : tensor<?x5xf32> to tensor<?x5x1xf32>
  %he = fusion.expand %hb : tensor<?x5x1xf32> to tensor<?x5x7xf32>
  %a = fusion.add %q, %he : tensor<?x5x7xf32>
  %p = fusion.permute %a [2, 0, 1] : tensor<?x5x7xf32> to tensor<7x?x5xf32>
  %b = fusion.cast %p : tensor<7x?x5xf32> to tensor<7x?x5xbf16>
  %r = fusion.reduce <max> %a dims [2] : tensor<?x5x7xf32> to tensor<?x5xf32>
  return %q, %a, %b, %r : tensor<?x5x7xf32>, tensor<?x5x7xf32>, tensor<7x?x5xbf16>, tensor<?x5xf32>
}

// -----

// Hints that a frontend wrote, on an op between segments and on a result.
// run: --input=9x33xf32=normal:1
// run: --input=1x0xf32=normal:1
func.func @hints(%x: tensor<?x?xf32>)
    -> (tensor<?xf32>, tensor<?x?xf32> {fusion.stride_order_hint = array<i64: 1, 0>}) {
  %e = fusion.sigmoid %x {fusion.stride_order_hint = array<i64: 1, 0>} : tensor<?x?xf32>
  %s = fusion.segment_set %e : tensor<?x?xf32>
  %m = fusion.reduce <mean> %s dims [0] : tensor<?x?xf32> to tensor<?xf32>
  %n = fusion.neg %s : tensor<?x?xf32>
  return %m, %n : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// Any strides: transposed with gaps, one that repeats a row.
// run: --input=33x7xf32=random:1,strides=1x40 --input=33x7xbf16=random:2,strides=0x1,offset=3
// run: --input=0x7xf32=random:1,strides=1x40 --input=0x7xbf16=random:2,strides=0x1,offset=3
func.func @strided(%x: tensor<?x7xf32> {fusion.layout = "any"}, %y: tensor<?x7xbf16> {fusion.layout = "any"})
    -> (tensor<?x7xf32>, tensor<7xf32>, tensor<?xbf16>) {
  %h = fusion.cast %y : tensor<?x7xbf16> to tensor<?x7xf32>
  %a = fusion.add %x, %h : tensor<?x7xf32>
  %s = fusion.reduce <sum> %a dims [0] : tensor<?x7xf32> to tensor<7xf32>
  %t = fusion.reduce <sum> %y dims [1] : tensor<?x7xbf16> to tensor<?xbf16>
  return %a, %s, %t : tensor<?x7xf32>, tensor<7xf32>, tensor<?xbf16>
}

// -----

// A view, an input that is overwritten after others have read it, and one that is returned as it is.
// run: --input=6x4xf32=random:1 --input=6x4xf32=random:2
// run: --input=0x4xf32=random:1 --input=0x4xf32=random:2
func.func @aliases(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>)
    -> (tensor<4x?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<?x4xf32> {fusion.alias = #fusion.alias<reuse, 1>},
        tensor<?xf32>, tensor<?x4xf32>, tensor<2x2xf32>) {
  %v = fusion.permute %x [1, 0] : tensor<?x4xf32> to tensor<4x?xf32>
  %u = fusion.add %y, %x : tensor<?x4xf32>
  %s = fusion.reduce <sum> %y dims [1] keep : tensor<?x4xf32> to tensor<?x1xf32>
  %sb = fusion.expand %s : tensor<?x1xf32> to tensor<?x4xf32>
  %w = fusion.sub %u, %sb : tensor<?x4xf32>
  %t = fusion.reduce <max> %y dims [1] : tensor<?x4xf32> to tensor<?xf32>
  %z = arith.constant 3.0 : f32
  %f = fusion.full %z : tensor<2x2xf32>
  return %v, %w, %t, %x, %f : tensor<4x?xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<2x2xf32>
}
