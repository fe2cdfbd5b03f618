// The programs of peers.py, which gives the sizes and, for T, the element type: capital letters stand for them. Sizes that are open are `?`, and %dim_b for B in
// a list; where they are not, `sizes(...)` goes. Everything is computed in f32.

func.func @silu_mul(%x: tensor<MxNxbf16>, %y: tensor<MxNxbf16>) -> tensor<MxNxbf16> {
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %s = fusion.silu %h : tensor<MxNxf32>
  %sb = fusion.cast %s : tensor<MxNxf32> to tensor<MxNxbf16>
  %o = fusion.mul %sb, %y : tensor<MxNxbf16>
  return %o : tensor<MxNxbf16>
}

func.func @bias_gelu(%x: tensor<MxNxbf16>, %b: tensor<Nxbf16>) -> tensor<MxNxbf16> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %k0 = arith.constant 0.79788456 : f32
  %k1 = arith.constant 0.044715 : f32
  %halves = fusion.full %half sizes(%m, %n) : tensor<MxNxf32>
  %ones = fusion.full %one sizes(%m, %n) : tensor<MxNxf32>
  %k0s = fusion.full %k0 sizes(%m, %n) : tensor<MxNxf32>
  %k1s = fusion.full %k1 sizes(%m, %n) : tensor<MxNxf32>
  %b1 = fusion.broadcast %b dims [0] : tensor<Nxbf16> to tensor<1xNxbf16>
  %bx = fusion.expand %b1 sizes(%m) : tensor<1xNxbf16> to tensor<MxNxbf16>
  %s = fusion.add %x, %bx : tensor<MxNxbf16>
  %h = fusion.cast %s : tensor<MxNxbf16> to tensor<MxNxf32>
  %h2 = fusion.mul %h, %h : tensor<MxNxf32>
  %h3 = fusion.mul %h2, %h : tensor<MxNxf32>
  %u0 = fusion.mul %h3, %k1s : tensor<MxNxf32>
  %u1 = fusion.add %h, %u0 : tensor<MxNxf32>
  %u = fusion.mul %u1, %k0s : tensor<MxNxf32>
  %t = fusion.tanh %u : tensor<MxNxf32>
  %t1 = fusion.add %t, %ones : tensor<MxNxf32>
  %hh = fusion.mul %h, %halves : tensor<MxNxf32>
  %y = fusion.mul %hh, %t1 : tensor<MxNxf32>
  %o = fusion.cast %y : tensor<MxNxf32> to tensor<MxNxbf16>
  return %o : tensor<MxNxbf16>
}

// The gradient of x in GELU of x and a bias, and that of the bias.
func.func @gelu_bwd_reduction(%x: tensor<MxNxbf16>, %g: tensor<MxNxbf16>, %b: tensor<Nxbf16>) -> (tensor<MxNxbf16>, tensor<Nxbf16>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %k0 = arith.constant 0.79788456 : f32
  %k1 = arith.constant 0.044715 : f32
  %k2 = arith.constant 0.134145 : f32
  %halves = fusion.full %half sizes(%m, %n) : tensor<MxNxf32>
  %ones = fusion.full %one sizes(%m, %n) : tensor<MxNxf32>
  %k0s = fusion.full %k0 sizes(%m, %n) : tensor<MxNxf32>
  %k1s = fusion.full %k1 sizes(%m, %n) : tensor<MxNxf32>
  %k2s = fusion.full %k2 sizes(%m, %n) : tensor<MxNxf32>
  %b1 = fusion.broadcast %b dims [0] : tensor<Nxbf16> to tensor<1xNxbf16>
  %bx = fusion.expand %b1 sizes(%m) : tensor<1xNxbf16> to tensor<MxNxbf16>
  %s = fusion.add %x, %bx : tensor<MxNxbf16>
  %h = fusion.cast %s : tensor<MxNxbf16> to tensor<MxNxf32>
  %gf = fusion.cast %g : tensor<MxNxbf16> to tensor<MxNxf32>
  %h2 = fusion.mul %h, %h : tensor<MxNxf32>
  %h3 = fusion.mul %h2, %h : tensor<MxNxf32>
  %u0 = fusion.mul %h3, %k1s : tensor<MxNxf32>
  %u1 = fusion.add %h, %u0 : tensor<MxNxf32>
  %u = fusion.mul %u1, %k0s : tensor<MxNxf32>
  %t = fusion.tanh %u : tensor<MxNxf32>
  %t1 = fusion.add %t, %ones : tensor<MxNxf32>
  %d0 = fusion.mul %t1, %halves : tensor<MxNxf32>
  %t2 = fusion.mul %t, %t : tensor<MxNxf32>
  %q = fusion.sub %ones, %t2 : tensor<MxNxf32>
  %hh = fusion.mul %h, %halves : tensor<MxNxf32>
  %hq = fusion.mul %hh, %q : tensor<MxNxf32>
  %v0 = fusion.mul %h2, %k2s : tensor<MxNxf32>
  %v1 = fusion.add %v0, %ones : tensor<MxNxf32>
  %v = fusion.mul %v1, %k0s : tensor<MxNxf32>
  %d1 = fusion.mul %hq, %v : tensor<MxNxf32>
  %d = fusion.add %d0, %d1 : tensor<MxNxf32>
  %dx = fusion.mul %gf, %d : tensor<MxNxf32>
  %dxb = fusion.cast %dx : tensor<MxNxf32> to tensor<MxNxbf16>
  %db = fusion.reduce <sum> %dx dims [0] : tensor<MxNxf32> to tensor<Nxf32>
  %dbb = fusion.cast %db : tensor<Nxf32> to tensor<Nxbf16>
  return %dxb, %dbb : tensor<MxNxbf16>, tensor<Nxbf16>
}

func.func @softmax(%x: tensor<MxNxbf16>) -> tensor<MxNxbf16> {
  %i1 = arith.constant 1 : index
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %g = fusion.reduce <max> %h dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %gx = fusion.expand %g sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %d = fusion.sub %h, %gx : tensor<MxNxf32>
  %e = fusion.exp %d : tensor<MxNxf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %sx = fusion.expand %s sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %q = fusion.div %e, %sx : tensor<MxNxf32>
  %o = fusion.cast %q : tensor<MxNxf32> to tensor<MxNxbf16>
  return %o : tensor<MxNxbf16>
}

// The mean over rows of -log(softmax(x)[target]).
func.func @cross_entropy(%x: tensor<MxNxbf16>, %t: tensor<Mx1xi64>) -> tensor<f32> {
  %i1 = arith.constant 1 : index
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %g = fusion.reduce <max> %h dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %gx = fusion.expand %g sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %d = fusion.sub %h, %gx : tensor<MxNxf32>
  %e = fusion.exp %d : tensor<MxNxf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %l = fusion.log %s : tensor<Mx1xf32>
  %p = fusion.take_along_axis %h, %t dim 1 : tensor<MxNxf32>, tensor<Mx1xi64> to tensor<Mx1xf32>
  %a = fusion.add %l, %g : tensor<Mx1xf32>
  %o = fusion.sub %a, %p : tensor<Mx1xf32>
  %r = fusion.reduce <mean> %o dims [0, 1] : tensor<Mx1xf32> to tensor<f32>
  return %r : tensor<f32>
}

func.func @rmsnorm(%x: tensor<MxNxbf16>, %w: tensor<Nxbf16>) -> tensor<MxNxbf16> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %eps = arith.constant 1.0e-6 : f32
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %q = fusion.mul %h, %h : tensor<MxNxf32>
  %a = fusion.reduce <mean> %q dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %ex = fusion.full %eps sizes(%m) : tensor<Mx1xf32>
  %ae = fusion.add %a, %ex : tensor<Mx1xf32>
  %r = fusion.rsqrt %ae : tensor<Mx1xf32>
  %rx = fusion.expand %r sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %y = fusion.mul %h, %rx : tensor<MxNxf32>
  %wf = fusion.cast %w : tensor<Nxbf16> to tensor<Nxf32>
  %w1 = fusion.broadcast %wf dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %wx = fusion.expand %w1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %z = fusion.mul %y, %wx : tensor<MxNxf32>
  %o = fusion.cast %z : tensor<MxNxf32> to tensor<MxNxbf16>
  return %o : tensor<MxNxbf16>
}

func.func @rmsnorm_add(%x: tensor<MxNxbf16>, %y: tensor<MxNxbf16>, %w: tensor<Nxbf16>) -> (tensor<MxNxbf16>, tensor<MxNxbf16>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %eps = arith.constant 1.0e-6 : f32
  %s = fusion.add %x, %y : tensor<MxNxbf16>
  %h = fusion.cast %s : tensor<MxNxbf16> to tensor<MxNxf32>
  %q = fusion.mul %h, %h : tensor<MxNxf32>
  %a = fusion.reduce <mean> %q dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %ex = fusion.full %eps sizes(%m) : tensor<Mx1xf32>
  %ae = fusion.add %a, %ex : tensor<Mx1xf32>
  %r = fusion.rsqrt %ae : tensor<Mx1xf32>
  %rx = fusion.expand %r sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %z = fusion.mul %h, %rx : tensor<MxNxf32>
  %wf = fusion.cast %w : tensor<Nxbf16> to tensor<Nxf32>
  %w1 = fusion.broadcast %wf dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %wx = fusion.expand %w1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %zw = fusion.mul %z, %wx : tensor<MxNxf32>
  %o = fusion.cast %zw : tensor<MxNxf32> to tensor<MxNxbf16>
  return %o, %s : tensor<MxNxbf16>, tensor<MxNxbf16>
}

// The gradients of x and of the weight, from the reciprocal root mean squares that the forward pass kept.
func.func @rmsnorm_bwd(%x: tensor<MxNxbf16>, %g: tensor<MxNxbf16>, %w: tensor<Nxbf16>, %r: tensor<Mx1xf32>) -> (tensor<MxNxbf16>, tensor<Nxbf16>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %gf = fusion.cast %g : tensor<MxNxbf16> to tensor<MxNxf32>
  %wf = fusion.cast %w : tensor<Nxbf16> to tensor<Nxf32>
  %w1 = fusion.broadcast %wf dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %wx = fusion.expand %w1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %rx = fusion.expand %r sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %wg = fusion.mul %gf, %wx : tensor<MxNxf32>
  %p = fusion.mul %wg, %h : tensor<MxNxf32>
  %a = fusion.reduce <mean> %p dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %r2 = fusion.mul %r, %r : tensor<Mx1xf32>
  %r2x = fusion.expand %r2 sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %ax = fusion.expand %a sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %hr = fusion.mul %h, %r2x : tensor<MxNxf32>
  %ha = fusion.mul %hr, %ax : tensor<MxNxf32>
  %d = fusion.sub %wg, %ha : tensor<MxNxf32>
  %dx = fusion.mul %rx, %d : tensor<MxNxf32>
  %dxb = fusion.cast %dx : tensor<MxNxf32> to tensor<MxNxbf16>
  %gh = fusion.mul %gf, %h : tensor<MxNxf32>
  %ghr = fusion.mul %gh, %rx : tensor<MxNxf32>
  %dw = fusion.reduce <sum> %ghr dims [0] : tensor<MxNxf32> to tensor<Nxf32>
  %dwb = fusion.cast %dw : tensor<Nxf32> to tensor<Nxbf16>
  return %dxb, %dwb : tensor<MxNxbf16>, tensor<Nxbf16>
}

func.func @layernorm(%x: tensor<MxNxbf16>, %w: tensor<Nxbf16>, %b: tensor<Nxbf16>) -> tensor<MxNxbf16> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %eps = arith.constant 1.0e-5 : f32
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %a = fusion.reduce <mean> %h dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %ax = fusion.expand %a sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %d = fusion.sub %h, %ax : tensor<MxNxf32>
  %q = fusion.mul %d, %d : tensor<MxNxf32>
  %v = fusion.reduce <mean> %q dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %ex = fusion.full %eps sizes(%m) : tensor<Mx1xf32>
  %ve = fusion.add %v, %ex : tensor<Mx1xf32>
  %r = fusion.rsqrt %ve : tensor<Mx1xf32>
  %rx = fusion.expand %r sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %y = fusion.mul %d, %rx : tensor<MxNxf32>
  %wf = fusion.cast %w : tensor<Nxbf16> to tensor<Nxf32>
  %w1 = fusion.broadcast %wf dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %wx = fusion.expand %w1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %bf = fusion.cast %b : tensor<Nxbf16> to tensor<Nxf32>
  %b1 = fusion.broadcast %bf dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %bx = fusion.expand %b1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %yw = fusion.mul %y, %wx : tensor<MxNxf32>
  %z = fusion.add %yw, %bx : tensor<MxNxf32>
  %o = fusion.cast %z : tensor<MxNxf32> to tensor<MxNxbf16>
  return %o : tensor<MxNxbf16>
}

// Dropout, then layer norm, in one read: the random numbers are those of a seed and an offset.
func.func @dropout_layernorm(%x: tensor<MxNxbf16>, %w: tensor<Nxbf16>, %b: tensor<Nxbf16>) -> tensor<MxNxbf16> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %eps = arith.constant 1.0e-5 : f32
  %seed = arith.constant 1 : i64
  %offset = arith.constant 0 : i64
  %u = fusion.uniform seed %seed offset %offset sizes(%m, %n) : tensor<MxNxf32>
  %kept = fusion.cmp <lt> %u, 0.9 : tensor<MxNxf32>
  %p = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %ps = fusion.mul %p, 1.1111111 : tensor<MxNxf32>
  %zero = arith.constant 0.0 : f32
  %zx = fusion.full %zero sizes(%m, %n) : tensor<MxNxf32>
  %h = fusion.where %kept, %ps, %zx : tensor<MxNxf32>
  %a = fusion.reduce <mean> %h dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %ax = fusion.expand %a sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %d = fusion.sub %h, %ax : tensor<MxNxf32>
  %q = fusion.mul %d, %d : tensor<MxNxf32>
  %v = fusion.reduce <mean> %q dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %ex = fusion.full %eps sizes(%m) : tensor<Mx1xf32>
  %ve = fusion.add %v, %ex : tensor<Mx1xf32>
  %r = fusion.rsqrt %ve : tensor<Mx1xf32>
  %rx = fusion.expand %r sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %y = fusion.mul %d, %rx : tensor<MxNxf32>
  %wf = fusion.cast %w : tensor<Nxbf16> to tensor<Nxf32>
  %w1 = fusion.broadcast %wf dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %wx = fusion.expand %w1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %bf = fusion.cast %b : tensor<Nxbf16> to tensor<Nxf32>
  %b1 = fusion.broadcast %bf dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %bx = fusion.expand %b1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %yw = fusion.mul %y, %wx : tensor<MxNxf32>
  %z = fusion.add %yw, %bx : tensor<MxNxf32>
  %o = fusion.cast %z : tensor<MxNxf32> to tensor<MxNxbf16>
  return %o : tensor<MxNxbf16>
}

// The gradients of x, of the weight and of the bias, from the means and reciprocal deviations that the forward pass kept.
func.func @layernorm_bwd(%x: tensor<MxNxbf16>, %g: tensor<MxNxbf16>, %w: tensor<Nxbf16>, %a: tensor<Mx1xf32>, %r: tensor<Mx1xf32>)
    -> (tensor<MxNxbf16>, tensor<Nxbf16>, tensor<Nxbf16>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %gf = fusion.cast %g : tensor<MxNxbf16> to tensor<MxNxf32>
  %ax = fusion.expand %a sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %rx = fusion.expand %r sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %d = fusion.sub %h, %ax : tensor<MxNxf32>
  %y = fusion.mul %d, %rx : tensor<MxNxf32>
  %wf = fusion.cast %w : tensor<Nxbf16> to tensor<Nxf32>
  %w1 = fusion.broadcast %wf dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %wx = fusion.expand %w1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %wg = fusion.mul %gf, %wx : tensor<MxNxf32>
  %c1 = fusion.reduce <mean> %wg dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %p = fusion.mul %wg, %y : tensor<MxNxf32>
  %c2 = fusion.reduce <mean> %p dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %c1x = fusion.expand %c1 sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %c2x = fusion.expand %c2 sizes(%n) : tensor<Mx1xf32> to tensor<MxNxf32>
  %e = fusion.sub %wg, %c1x : tensor<MxNxf32>
  %yc = fusion.mul %y, %c2x : tensor<MxNxf32>
  %f = fusion.sub %e, %yc : tensor<MxNxf32>
  %dx = fusion.mul %f, %rx : tensor<MxNxf32>
  %dxb = fusion.cast %dx : tensor<MxNxf32> to tensor<MxNxbf16>
  %gy = fusion.mul %gf, %y : tensor<MxNxf32>
  %dw = fusion.reduce <sum> %gy dims [0] : tensor<MxNxf32> to tensor<Nxf32>
  %dwb = fusion.cast %dw : tensor<Nxf32> to tensor<Nxbf16>
  %db = fusion.reduce <sum> %gf dims [0] : tensor<MxNxf32> to tensor<Nxf32>
  %dbb = fusion.cast %db : tensor<Nxf32> to tensor<Nxbf16>
  return %dxb, %dwb, %dbb : tensor<MxNxbf16>, tensor<Nxbf16>, tensor<Nxbf16>
}

func.func @sum_inner(%x: tensor<MxNxbf16>) -> tensor<Mxf32> {
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %s = fusion.reduce <sum> %h dims [1] : tensor<MxNxf32> to tensor<Mxf32>
  return %s : tensor<Mxf32>
}

func.func @sum_outer(%x: tensor<MxNxT>) -> tensor<Nxf32> {
  %h = fusion.cast %x : tensor<MxNxT> to tensor<MxNxf32>
  %s = fusion.reduce <sum> %h dims [0] : tensor<MxNxf32> to tensor<Nxf32>
  return %s : tensor<Nxf32>
}

func.func @sum_all(%x: tensor<MxNxT>) -> tensor<f32> {
  %h = fusion.cast %x : tensor<MxNxT> to tensor<MxNxf32>
  %s = fusion.reduce <sum> %h dims [0, 1] : tensor<MxNxf32> to tensor<f32>
  return %s : tensor<f32>
}

// Mean and mean square.
func.func @moments(%x: tensor<MxNxbf16>) -> (tensor<Mx1xf32>, tensor<Mx1xf32>) {
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %q = fusion.mul %h, %h : tensor<MxNxf32>
  %a = fusion.reduce <mean> %h dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %v = fusion.reduce <mean> %q dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  return %a, %v : tensor<Mx1xf32>, tensor<Mx1xf32>
}

func.func @transpose(%x: tensor<MxNxbf16>) -> tensor<NxMxbf16> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %zero = arith.constant 0.0 : bf16
  %zeros = fusion.full %zero sizes(%n, %m) : tensor<NxMxbf16>
  %t = fusion.permute %x [1, 0] : tensor<MxNxbf16> to tensor<NxMxbf16>
  %o = fusion.max %t, %zeros : tensor<NxMxbf16>
  return %o : tensor<NxMxbf16>
}

func.func @transpose_add(%x: tensor<MxNxbf16>, %y: tensor<NxMxbf16>) -> tensor<NxMxbf16> {
  %t = fusion.permute %x [1, 0] : tensor<MxNxbf16> to tensor<NxMxbf16>
  %o = fusion.add %t, %y : tensor<NxMxbf16>
  return %o : tensor<NxMxbf16>
}

// Heads are moved before the sequence, and each pair of a head's elements D/2 = E apart is rotated.
func.func @rope_llama3(%q: tensor<BxSxHxDxbf16>, %c: tensor<SxDxbf16>, %s: tensor<SxDxbf16>) -> tensor<BxHxSxDxbf16> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %dim_b = tensor.dim %q, %i0 : tensor<BxSxHxDxbf16>
  %dim_s = tensor.dim %q, %i1 : tensor<BxSxHxDxbf16>
  %dim_h = tensor.dim %q, %i2 : tensor<BxSxHxDxbf16>
  %dim_d = tensor.dim %q, %i3 : tensor<BxSxHxDxbf16>
  %dim_e = arith.divui %dim_d, %i2 : index
  %p = fusion.permute %q [0, 2, 1, 3] : tensor<BxSxHxDxbf16> to tensor<BxHxSxDxbf16>
  %lo = fusion.slice %p offsets [0, 0, 0, 0] sizes [B, H, S, E] steps [1, 1, 1, 1] : tensor<BxHxSxDxbf16> to tensor<BxHxSxExbf16>
  %hi = fusion.slice %p offsets [0, 0, 0, E] sizes [B, H, S, E] steps [1, 1, 1, 1] : tensor<BxHxSxDxbf16> to tensor<BxHxSxExbf16>
  %nhi = fusion.neg %hi : tensor<BxHxSxExbf16>
  %rot = fusion.cat %nhi, %lo dim 3 : tensor<BxHxSxExbf16>, tensor<BxHxSxExbf16> to tensor<BxHxSxDxbf16>
  %c2 = fusion.broadcast %c dims [0, 1] : tensor<SxDxbf16> to tensor<1x1xSxDxbf16>
  %cx = fusion.expand %c2 sizes(%dim_b, %dim_h) : tensor<1x1xSxDxbf16> to tensor<BxHxSxDxbf16>
  %s2 = fusion.broadcast %s dims [0, 1] : tensor<SxDxbf16> to tensor<1x1xSxDxbf16>
  %sx = fusion.expand %s2 sizes(%dim_b, %dim_h) : tensor<1x1xSxDxbf16> to tensor<BxHxSxDxbf16>
  %pf = fusion.cast %p : tensor<BxHxSxDxbf16> to tensor<BxHxSxDxf32>
  %rf = fusion.cast %rot : tensor<BxHxSxDxbf16> to tensor<BxHxSxDxf32>
  %cf = fusion.cast %cx : tensor<BxHxSxDxbf16> to tensor<BxHxSxDxf32>
  %sf = fusion.cast %sx : tensor<BxHxSxDxbf16> to tensor<BxHxSxDxf32>
  %u = fusion.mul %pf, %cf : tensor<BxHxSxDxf32>
  %v = fusion.mul %rf, %sf : tensor<BxHxSxDxf32>
  %y = fusion.add %u, %v : tensor<BxHxSxDxf32>
  %o = fusion.cast %y : tensor<BxHxSxDxf32> to tensor<BxHxSxDxbf16>
  return %o : tensor<BxHxSxDxbf16>
}

// Batch norm in training of images with channels last, and relu. The mean and the variance are those of the distances from the first row, so that one read gives both.
func.func @batchnorm_train_nhwc(%x: tensor<MxNxbf16>, %w: tensor<Nxf32>, %b: tensor<Nxf32>) -> tensor<MxNxbf16> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %x, %i0 : tensor<MxNxbf16>
  %dim_n = tensor.dim %x, %i1 : tensor<MxNxbf16>
  %eps = arith.constant 1.0e-5 : f32
  %zero = arith.constant 0.0 : f32
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %k0 = fusion.slice %x offsets [0, 0] sizes [1, N] steps [1, 1] : tensor<MxNxbf16> to tensor<1xNxbf16>
  %k = fusion.cast %k0 : tensor<1xNxbf16> to tensor<1xNxf32>
  %kx = fusion.expand %k sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %e = fusion.sub %h, %kx : tensor<MxNxf32>
  %s = fusion.reduce <mean> %e dims [0] keep : tensor<MxNxf32> to tensor<1xNxf32>
  %ee = fusion.mul %e, %e : tensor<MxNxf32>
  %q = fusion.reduce <mean> %ee dims [0] keep : tensor<MxNxf32> to tensor<1xNxf32>
  %ss = fusion.mul %s, %s : tensor<1xNxf32>
  %v = fusion.sub %q, %ss : tensor<1xNxf32>
  %a = fusion.add %k, %s : tensor<1xNxf32>
  %ax = fusion.expand %a sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %d = fusion.sub %h, %ax : tensor<MxNxf32>
  %ex = fusion.full %eps sizes(%dim_n) : tensor<1xNxf32>
  %ve = fusion.add %v, %ex : tensor<1xNxf32>
  %r = fusion.rsqrt %ve : tensor<1xNxf32>
  %rx = fusion.expand %r sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %y = fusion.mul %d, %rx : tensor<MxNxf32>
  %w1 = fusion.broadcast %w dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %wx = fusion.expand %w1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %b1 = fusion.broadcast %b dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %bx = fusion.expand %b1 sizes(%m) : tensor<1xNxf32> to tensor<MxNxf32>
  %yw = fusion.mul %y, %wx : tensor<MxNxf32>
  %yb = fusion.add %yw, %bx : tensor<MxNxf32>
  %zx = fusion.full %zero sizes(%m, %dim_n) : tensor<MxNxf32>
  %z = fusion.max %yb, %zx : tensor<MxNxf32>
  %o = fusion.cast %z : tensor<MxNxf32> to tensor<MxNxbf16>
  return %o : tensor<MxNxbf16>
}

// The floor: a copy by 16-byte accesses.
func.func @copy(%x: tensor<Nxbf16>) -> tensor<Nxbf16> {
  %o = fusion.neg %x : tensor<Nxbf16>
  return %o : tensor<Nxbf16>
}

func.func @cumsum(%x: tensor<MxNxT>) -> tensor<MxNxT> {
  %s = fusion.scan <sum> %x dim 1 : tensor<MxNxT>
  return %s : tensor<MxNxT>
}

func.func @cumsum_outer(%x: tensor<MxNxT>) -> tensor<MxNxT> {
  %s = fusion.scan <sum> %x dim 0 : tensor<MxNxT>
  return %s : tensor<MxNxT>
}

// The elements of each row in order, and where they are.
func.func @sort(%x: tensor<MxNxf32>) -> (tensor<MxNxf32>, tensor<MxNxi64>) {
  %i = fusion.argsort %x dim 1 : tensor<MxNxf32> to tensor<MxNxi64>
  %v = fusion.take_along_axis %x, %i dim 1 : tensor<MxNxf32>, tensor<MxNxi64> to tensor<MxNxf32>
  return %v, %i : tensor<MxNxf32>, tensor<MxNxi64>
}

// The experts that a token goes to.
func.func @topk(%x: tensor<MxNxf32>) -> (tensor<Mx8xf32>, tensor<Mx8xi64>) {
  %i = fusion.argtopk 8 %x dim 1 descending : tensor<MxNxf32> to tensor<Mx8xi64>
  %v = fusion.take_along_axis %x, %i dim 1 : tensor<MxNxf32>, tensor<Mx8xi64> to tensor<Mx8xf32>
  return %v, %i : tensor<Mx8xf32>, tensor<Mx8xi64>
}

// The rows of a table with V rows whose numbers are given.
func.func @embedding(%t: tensor<VxNxT>, %i: tensor<Mxi64>) -> tensor<MxNxT> {
  %r = fusion.take %t, %i dim 0 : tensor<VxNxT>, tensor<Mxi64> to tensor<MxNxT>
  return %r : tensor<MxNxT>
}

// The same by the name that PyTorch has for any dimension.
func.func @index_select(%t: tensor<VxNxT>, %i: tensor<Mxi64>) -> tensor<MxNxT> {
  %r = fusion.composite "index_select"(%t, %i) {dim = 0} : (tensor<VxNxT>, tensor<Mxi64>) -> tensor<MxNxT>
  return %r : tensor<MxNxT>
}

// The gradient of an embedding, added to what the table had: rows of equal numbers in the order of the tokens.
func.func @index_add(%t: tensor<VxNxf32>, %i: tensor<Mxi64>, %g: tensor<MxNxf32>) -> tensor<VxNxf32> {
  %r = fusion.scatter %t, %i, %g dim 0 combine <sum> : tensor<VxNxf32>, tensor<Mxi64>, tensor<MxNxf32>
  return %r : tensor<VxNxf32>
}

// Activations by the names that builders and PyTorch have for them: each is computed in f32 and rounded once.
func.func @gelu(%x: tensor<MxNxT>) -> tensor<MxNxT> {
  %y = fusion.composite "gelu"(%x) : (tensor<MxNxT>) -> tensor<MxNxT>
  return %y : tensor<MxNxT>
}

func.func @gelu_bwd(%g: tensor<MxNxT>, %x: tensor<MxNxT>) -> tensor<MxNxT> {
  %y = fusion.composite "gelu_backward"(%g, %x) : (tensor<MxNxT>, tensor<MxNxT>) -> tensor<MxNxT>
  return %y : tensor<MxNxT>
}

func.func @mish(%x: tensor<MxNxT>) -> tensor<MxNxT> {
  %y = fusion.composite "mish"(%x) : (tensor<MxNxT>) -> tensor<MxNxT>
  return %y : tensor<MxNxT>
}

func.func @logsigmoid(%x: tensor<MxNxT>) -> tensor<MxNxT> {
  %y = fusion.composite "log_sigmoid"(%x) : (tensor<MxNxT>) -> tensor<MxNxT>
  return %y : tensor<MxNxT>
}

func.func @elu(%x: tensor<MxNxT>) -> tensor<MxNxT> {
  %y = fusion.composite "elu"(%x, 1.0) : (tensor<MxNxT>) -> tensor<MxNxT>
  return %y : tensor<MxNxT>
}

// Sine and cosine of what rotary embeddings are made of.
func.func @sincos(%x: tensor<MxNxT>) -> tensor<MxNxT> {
  %s = fusion.sin %x : tensor<MxNxT>
  %c = fusion.cos %x : tensor<MxNxT>
  %y = fusion.mul %s, %c : tensor<MxNxT>
  return %y : tensor<MxNxT>
}
