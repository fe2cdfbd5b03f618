// Reductions that leave the last dimension; the inputs stand above each entry. us: fuser-run FILE --target cuda --entry NAME INPUTS
// --bench. The floor is a copy that moves as many bytes: `copy` of reductions.mlir moves 512 MiB.

// --input 16384x16384xbf16=value:1
func.func @columns(%x: tensor<16384x16384xbf16> {fusion.alignment = 16 : i64}) -> tensor<16384xf32> {
  %c = fusion.cast %x : tensor<16384x16384xbf16> to tensor<16384x16384xf32>
  %s = fusion.reduce <sum> %c dims [0] : tensor<16384x16384xf32> to tensor<16384xf32>
  return %s : tensor<16384xf32>
}

// --input 1048576x128xf32=value:1
func.func @tall_128(%x: tensor<1048576x128xf32> {fusion.alignment = 16 : i64}) -> tensor<128xf32> {
  %s = fusion.reduce <sum> %x dims [0] : tensor<1048576x128xf32> to tensor<128xf32>
  return %s : tensor<128xf32>
}

// --input 401408x256xbf16=value:1
func.func @tall_256(%x: tensor<401408x256xbf16> {fusion.alignment = 16 : i64}) -> tensor<256xf32> {
  %c = fusion.cast %x : tensor<401408x256xbf16> to tensor<401408x256xf32>
  %s = fusion.reduce <sum> %c dims [0] : tensor<401408x256xf32> to tensor<256xf32>
  return %s : tensor<256xf32>
}

// --input 65536x768xbf16=value:1
func.func @tall_768(%x: tensor<65536x768xbf16> {fusion.alignment = 16 : i64}) -> tensor<768xf32> {
  %c = fusion.cast %x : tensor<65536x768xbf16> to tensor<65536x768xf32>
  %s = fusion.reduce <sum> %c dims [0] : tensor<65536x768xf32> to tensor<768xf32>
  return %s : tensor<768xf32>
}

// --input 1024x1024xf32=value:1
func.func @small(%x: tensor<1024x1024xf32> {fusion.alignment = 16 : i64}) -> tensor<1024xf32> {
  %s = fusion.reduce <sum> %x dims [0] : tensor<1024x1024xf32> to tensor<1024xf32>
  return %s : tensor<1024xf32>
}

// --input 16384x16384xbf16=value:1
func.func @open(%x: tensor<?x?xbf16> {fusion.alignment = 16 : i64}) -> tensor<?xf32> {
  %c = fusion.cast %x : tensor<?x?xbf16> to tensor<?x?xf32>
  %s = fusion.reduce <sum> %c dims [0] : tensor<?x?xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// The gradient of x in GELU of x and a bias, by the tanh form, and the gradient of the bias: one kernel, and one that adds parts.
// --input 16384x8192xbf16=normal:1 --input 16384x8192xbf16=normal:2 --input 8192xbf16=normal:3
func.func @gelu_backward(%x: tensor<?x8192xbf16> {fusion.alignment = 16 : i64}, %g: tensor<?x8192xbf16> {fusion.alignment = 16 : i64}, %b: tensor<8192xbf16> {fusion.alignment = 16 : i64}) -> (tensor<?x8192xbf16>, tensor<8192xbf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8192xbf16>
  %b1 = fusion.broadcast %b dims [0] : tensor<8192xbf16> to tensor<1x8192xbf16>
  %be = fusion.expand %b1 sizes(%n) : tensor<1x8192xbf16> to tensor<?x8192xbf16>
  %xb = fusion.add %x, %be : tensor<?x8192xbf16>
  %h = fusion.cast %xb : tensor<?x8192xbf16> to tensor<?x8192xf32>
  %gf = fusion.cast %g : tensor<?x8192xbf16> to tensor<?x8192xf32>
  %k0 = arith.constant 0.79788456 : f32
  %k1 = arith.constant 0.044715 : f32
  %k2 = arith.constant 0.5 : f32
  %k3 = arith.constant 1.0 : f32
  %k4 = arith.constant 0.134145 : f32
  %c_0 = fusion.full %k0 sizes(%n) : tensor<?x8192xf32>
  %c_1 = fusion.full %k1 sizes(%n) : tensor<?x8192xf32>
  %c_2 = fusion.full %k2 sizes(%n) : tensor<?x8192xf32>
  %c_3 = fusion.full %k3 sizes(%n) : tensor<?x8192xf32>
  %c_4 = fusion.full %k4 sizes(%n) : tensor<?x8192xf32>
  %hh = fusion.mul %h, %h : tensor<?x8192xf32>
  %h3 = fusion.mul %hh, %h : tensor<?x8192xf32>
  %u0 = fusion.mul %h3, %c_1 : tensor<?x8192xf32>
  %u1 = fusion.add %h, %u0 : tensor<?x8192xf32>
  %u2 = fusion.mul %u1, %c_0 : tensor<?x8192xf32>
  %t = fusion.tanh %u2 : tensor<?x8192xf32>
  %p = fusion.add %t, %c_3 : tensor<?x8192xf32>
  %p2 = fusion.mul %p, %c_2 : tensor<?x8192xf32>
  %tt = fusion.mul %t, %t : tensor<?x8192xf32>
  %q = fusion.sub %c_3, %tt : tensor<?x8192xf32>
  %hq = fusion.mul %h, %q : tensor<?x8192xf32>
  %hq2 = fusion.mul %hq, %c_2 : tensor<?x8192xf32>
  %w0 = fusion.mul %hh, %c_4 : tensor<?x8192xf32>
  %w1 = fusion.add %w0, %c_3 : tensor<?x8192xf32>
  %w2 = fusion.mul %w1, %c_0 : tensor<?x8192xf32>
  %d1 = fusion.mul %hq2, %w2 : tensor<?x8192xf32>
  %d = fusion.add %p2, %d1 : tensor<?x8192xf32>
  %o = fusion.mul %gf, %d : tensor<?x8192xf32>
  %ob = fusion.cast %o : tensor<?x8192xf32> to tensor<?x8192xbf16>
  %s = fusion.reduce <sum> %o dims [0] : tensor<?x8192xf32> to tensor<8192xf32>
  %sb = fusion.cast %s : tensor<8192xf32> to tensor<8192xbf16>
  return %ob, %sb : tensor<?x8192xbf16>, tensor<8192xbf16>
}

// Batch norm in training, channels last, and relu: the floor reads twice and writes once.
// --input 401408x256xbf16=normal:1 --input 256xf32=normal:2 --input 256xf32=normal:3
func.func @batch_norm(%x: tensor<?x256xbf16> {fusion.alignment = 16 : i64}, %w: tensor<256xf32> {fusion.alignment = 16 : i64}, %b: tensor<256xf32> {fusion.alignment = 16 : i64}) -> tensor<?x256xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x256xbf16>
  %h = fusion.cast %x : tensor<?x256xbf16> to tensor<?x256xf32>
  %m = fusion.reduce <mean> %h dims [0] keep : tensor<?x256xf32> to tensor<1x256xf32>
  %me = fusion.expand %m sizes(%n) : tensor<1x256xf32> to tensor<?x256xf32>
  %d = fusion.sub %h, %me : tensor<?x256xf32>
  %q = fusion.mul %d, %d : tensor<?x256xf32>
  %v = fusion.reduce <mean> %q dims [0] keep : tensor<?x256xf32> to tensor<1x256xf32>
  %eps = arith.constant 1.0e-5 : f32
  %ef = fusion.full %eps : tensor<1x256xf32>
  %ve = fusion.add %v, %ef : tensor<1x256xf32>
  %r = fusion.rsqrt %ve : tensor<1x256xf32>
  %re = fusion.expand %r sizes(%n) : tensor<1x256xf32> to tensor<?x256xf32>
  %y = fusion.mul %d, %re : tensor<?x256xf32>
  %w1 = fusion.broadcast %w dims [0] : tensor<256xf32> to tensor<1x256xf32>
  %we = fusion.expand %w1 sizes(%n) : tensor<1x256xf32> to tensor<?x256xf32>
  %b1 = fusion.broadcast %b dims [0] : tensor<256xf32> to tensor<1x256xf32>
  %bex = fusion.expand %b1 sizes(%n) : tensor<1x256xf32> to tensor<?x256xf32>
  %y1 = fusion.mul %y, %we : tensor<?x256xf32>
  %y2 = fusion.add %y1, %bex : tensor<?x256xf32>
  %z = arith.constant 0.0 : f32
  %zf = fusion.full %z sizes(%n) : tensor<?x256xf32>
  %y3 = fusion.max %y2, %zf : tensor<?x256xf32>
  %o = fusion.cast %y3 : tensor<?x256xf32> to tensor<?x256xbf16>
  return %o : tensor<?x256xbf16>
}
