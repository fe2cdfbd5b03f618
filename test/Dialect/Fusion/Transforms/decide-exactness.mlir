// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-decide-exactness))' | FileCheck %s
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-decide-exactness,fusion-decide-exactness))' | FileCheck %s
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-decide-exactness{exact=true}))' | FileCheck %s --check-prefix=ALL

// Everything exact if that is asked for, but for what is decided already.
// ALL-COUNT-1: <approximate>
// ALL-NOT: <approximate>

// By way of a row's sum, broadcasts and a copy, all becomes bf16 in the end.
// CHECK-LABEL: func.func @narrowed(
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
// CHECK: fusion.div %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
func.func @narrowed(%x: tensor<?x8xf32>) -> tensor<?x8xbf16> {
  %e = fusion.exp %x : tensor<?x8xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %b = fusion.expand %s : tensor<?x1xf32> to tensor<?x8xf32>
  %c = fusion.segment_set %b : tensor<?x8xf32>
  %q = fusion.div %e, %c : tensor<?x8xf32>
  %r = fusion.cast %q : tensor<?x8xf32> to tensor<?x8xbf16>
  return %r : tensor<?x8xbf16>
}

// One result is f32.
// CHECK-LABEL: func.func @returned(
// CHECK: fusion.rsqrt %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
// CHECK: fusion.tanh %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
func.func @returned(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xbf16>) {
  %0 = fusion.rsqrt %x : tensor<8xf32>
  %1 = fusion.tanh %0 : tensor<8xf32>
  %2 = fusion.cast %1 : tensor<8xf32> to tensor<8xbf16>
  return %0, %2 : tensor<8xf32>, tensor<8xbf16>
}

// What is compared or becomes an integer shows every unit.
// CHECK-LABEL: func.func @decisions(
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
// CHECK: fusion.tanh %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
func.func @decisions(%x: tensor<8xf32>) -> (tensor<8xbf16>, tensor<8xi32>) {
  %0 = fusion.exp %x : tensor<8xf32>
  %1 = fusion.cmp <lt> %0, %x : tensor<8xf32>
  %2 = fusion.where %1, %0, %x : tensor<8xf32>
  %3 = fusion.cast %2 : tensor<8xf32> to tensor<8xbf16>
  %4 = fusion.tanh %x : tensor<8xf32>
  %5 = fusion.cast %4 : tensor<8xf32> to tensor<8xi32>
  return %3, %5 : tensor<8xbf16>, tensor<8xi32>
}

// x / x - 1 is 0, and a sum may be as small: a quotient, and what ends in one, is approximated only where errors stay as they are. A
// function has errors anyway.
// CHECK-LABEL: func.func @quotients(
// CHECK: fusion.div %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
// CHECK: fusion.silu %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
// CHECK: fusion.tanh %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
// CHECK: fusion.sigmoid %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
func.func @quotients(%x: tensor<8xf32>) -> (tensor<bf16>, tensor<4x2xbf16>) {
  %0 = fusion.div %x, %x : tensor<8xf32>
  %1 = fusion.silu %x : tensor<8xf32>
  %2 = fusion.tanh %x : tensor<8xf32>
  %3 = fusion.sub %0, %1 : tensor<8xf32>
  %4 = fusion.sub %3, %2 : tensor<8xf32>
  %5 = fusion.reduce <sum> %4 dims [0] : tensor<8xf32> to tensor<f32>
  %6 = fusion.cast %5 : tensor<f32> to tensor<bf16>
  %7 = fusion.sigmoid %x : tensor<8xf32>
  %8 = fusion.mul %7, %x : tensor<8xf32>
  %9 = fusion.reshape %8 : tensor<8xf32> to tensor<4x2xf32>
  %10 = fusion.cast %9 : tensor<4x2xf32> to tensor<4x2xbf16>
  return %6, %10 : tensor<bf16>, tensor<4x2xbf16>
}

// A sum or mean of f32 is off by units of the magnitudes that it adds: what is added may be, too, if nothing on the way makes errors larger. Not so a product, a
// maximum, a sum of f64, and what is used otherwise as well.
// CHECK-LABEL: func.func @sums(
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
// CHECK: fusion.tanh %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
// CHECK: fusion.div %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
// CHECK: fusion.sigmoid %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
// CHECK: fusion.silu %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
func.func @sums(%x: tensor<8xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<f32>, tensor<8xf32>) {
  %0 = fusion.exp %x : tensor<8xf32>
  %1 = fusion.mul %0, %x : tensor<8xf32>
  %2 = fusion.reduce <sum> %1 dims [0] : tensor<8xf32> to tensor<f32>
  %3 = fusion.tanh %x : tensor<8xf32>
  %4 = fusion.add %3, %x : tensor<8xf32>
  %5 = fusion.reduce <sum> %4 dims [0] : tensor<8xf32> to tensor<f32>
  %6 = fusion.div %x, %x : tensor<8xf32>
  %7 = fusion.reduce <mean> %6 dims [0] : tensor<8xf32> to tensor<f32>
  %8 = fusion.sigmoid %x : tensor<8xf32>
  %9 = fusion.reduce <prod> %8 dims [0] : tensor<8xf32> to tensor<f32>
  %10 = fusion.exp %x : tensor<8xf32>
  %11 = fusion.cast %10 : tensor<8xf32> to tensor<8xf64>
  %12 = fusion.reduce <sum> %11 dims [0] : tensor<8xf64> to tensor<f64>
  %13 = fusion.silu %x : tensor<8xf32>
  %14 = fusion.reduce <sum> %13 dims [0] : tensor<8xf32> to tensor<f32>
  return %2, %5, %7, %9, %12, %14, %13 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<f32>, tensor<8xf32>
}

// The result is bf16, whatever becomes of it. f64 and integers have one form.
// CHECK-LABEL: func.func @types(
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<approximate>} : tensor<8xbf16>
// CHECK: fusion.exp %{{.*}} : tensor<8xf64>
// CHECK: fusion.div %{{.*}} : tensor<8xi32>
func.func @types(%x: tensor<8xbf16>, %d: tensor<8xf64>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xbf16>, tensor<8xi32>) {
  %0 = fusion.exp %x : tensor<8xbf16>
  %1 = fusion.cast %0 : tensor<8xbf16> to tensor<8xf32>
  %2 = fusion.exp %d : tensor<8xf64>
  %3 = fusion.cast %2 : tensor<8xf64> to tensor<8xbf16>
  %4 = fusion.div %i, %i : tensor<8xi32>
  return %1, %3, %4 : tensor<8xf32>, tensor<8xbf16>, tensor<8xi32>
}

// What is decided stays, either way.
// CHECK-LABEL: func.func @by_hand(
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<exact>} : tensor<8xbf16>
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<approximate>} : tensor<8xf32>
func.func @by_hand(%x: tensor<8xbf16>, %y: tensor<8xf32>) -> (tensor<8xbf16>, tensor<8xf32>) {
  %0 = fusion.exp %x {fusion.exactness = #fusion.exactness<exact>} : tensor<8xbf16>
  %1 = fusion.exp %y {fusion.exactness = #fusion.exactness<approximate>} : tensor<8xf32>
  return %0, %1 : tensor<8xbf16>, tensor<8xf32>
}

// Cut by hand: what becomes of the results of segments, and of their operands.
// CHECK-LABEL: func.func @segments(
// CHECK: fusion.rsqrt %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
// CHECK: fusion.segment
// CHECK: fusion.tanh %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
func.func @segments(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xbf16>) {
  %c0 = arith.constant 0 : index
  %s:2 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = fusion.rsqrt %a : tensor<?xf32>
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %0, %1 : tensor<?xf32>, tensor<?xf32>
  }
  %n = tensor.dim %s#0, %c0 : tensor<?xf32>
  %r:2 = fusion.segment "pointwise" (%a = %s#1 : tensor<?xf32>, %b = %s#0 : tensor<?xf32>) -> (tensor<?xf32>, tensor<?xbf16>) {
    %0 = fusion.tanh %a : tensor<?xf32>
    %1 = fusion.cast %b : tensor<?xf32> to tensor<?xbf16>
    fusion.yield %0, %1 : tensor<?xf32>, tensor<?xbf16>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xbf16>
}

// What is only added, where the greatest summand is 1, has a form of its own; a softmax returns it, too.
// CHECK-LABEL: func.func @logsumexp(
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<summand>}
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
func.func @logsumexp(%x: tensor<?x8xf32>) -> (tensor<?x1xf32>, tensor<?x8xbf16>) {
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %e = fusion.expand %m : tensor<?x1xf32> to tensor<?x8xf32>
  %d = fusion.sub %x, %e : tensor<?x8xf32>
  %0 = fusion.exp %d : tensor<?x8xf32>
  %1 = fusion.reduce <sum> %0 dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %2 = fusion.log %1 : tensor<?x1xf32>
  %3 = fusion.add %2, %m : tensor<?x1xf32>
  %f = fusion.sub %x, %e : tensor<?x8xf32>
  %4 = fusion.exp %f : tensor<?x8xf32>
  %5 = fusion.reduce <sum> %4 dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %6 = fusion.expand %5 : tensor<?x1xf32> to tensor<?x8xf32>
  %7 = fusion.div %4, %6 : tensor<?x8xf32>
  %8 = fusion.cast %7 : tensor<?x8xf32> to tensor<?x8xbf16>
  return %3, %8 : tensor<?x1xf32>, tensor<?x8xbf16>
}

// The same where the maximum has lost the dimension, the program is cut, and more is added than the maximum is of.
// CHECK-LABEL: func.func @summand_cut(
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<summand>}
func.func @summand_cut(%x: tensor<4x8xf32>) -> tensor<f32> {
  %s:2 = fusion.segment "generic" (%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
    %m = fusion.reduce <max> %a dims [1] : tensor<4x8xf32> to tensor<4xf32>
    fusion.yield %a, %m : tensor<4x8xf32>, tensor<4xf32>
  }
  %c = fusion.segment_set %s#1 : tensor<4xf32>
  %b = fusion.broadcast_in_dim %c dims [0] : tensor<4xf32> to tensor<4x8xf32>
  %d = fusion.sub %s#0, %b : tensor<4x8xf32>
  %e = fusion.exp %d : tensor<4x8xf32>
  %t = fusion.segment_set %e : tensor<4x8xf32>
  %r = fusion.reduce <sum> %t dims [0, 1] : tensor<4x8xf32> to tensor<f32>
  return %r : tensor<f32>
}

// No summand is known to be 1: the greatest of other elements, of another dimension, beside others, of a part of what is added only, and
// what becomes larger before it is added.
// CHECK-LABEL: func.func @no_summands(
// CHECK-COUNT-5: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<approximate>}
// CHECK-NOT: summand
func.func @no_summands(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<1x8xf32>, tensor<8x1xf32>) {
  %mx = fusion.reduce <max> %x dims [1] keep : tensor<8x8xf32> to tensor<8x1xf32>
  %m0 = fusion.reduce <max> %x dims [0] keep : tensor<8x8xf32> to tensor<1x8xf32>
  %m1 = fusion.reduce <max> %x dims [1] : tensor<8x8xf32> to tensor<8xf32>
  %ex = fusion.expand %mx : tensor<8x1xf32> to tensor<8x8xf32>
  %e0 = fusion.expand %m0 : tensor<1x8xf32> to tensor<8x8xf32>
  %e1 = fusion.broadcast_in_dim %m1 dims [1] : tensor<8xf32> to tensor<8x8xf32>
  %d0 = fusion.sub %y, %ex : tensor<8x8xf32>
  %d1 = fusion.sub %x, %e0 : tensor<8x8xf32>
  %d2 = fusion.sub %x, %e1 : tensor<8x8xf32>
  %d3 = fusion.sub %x, %ex : tensor<8x8xf32>
  %p0 = fusion.exp %d0 : tensor<8x8xf32>
  %p1 = fusion.exp %d1 : tensor<8x8xf32>
  %p2 = fusion.exp %d2 : tensor<8x8xf32>
  %p3 = fusion.exp %d3 : tensor<8x8xf32>
  %s0 = fusion.reduce <sum> %p0 dims [1] keep : tensor<8x8xf32> to tensor<8x1xf32>
  %s1 = fusion.reduce <sum> %p1 dims [1] keep : tensor<8x8xf32> to tensor<8x1xf32>
  %s2 = fusion.reduce <sum> %p2 dims [1] keep : tensor<8x8xf32> to tensor<8x1xf32>
  %s3 = fusion.reduce <sum> %p3 dims [0] keep : tensor<8x8xf32> to tensor<1x8xf32>
  %d4 = fusion.sub %x, %ex : tensor<8x8xf32>
  %p4 = fusion.exp %d4 : tensor<8x8xf32>
  %w = fusion.mul %p4, %y : tensor<8x8xf32>
  %s4 = fusion.reduce <sum> %w dims [1] keep : tensor<8x8xf32> to tensor<8x1xf32>
  return %s0, %s1, %s2, %s3, %s4 : tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<1x8xf32>, tensor<8x1xf32>
}

// Handed on to who knows whom: exact.
// CHECK-LABEL: func.func @unknown(
// CHECK: fusion.exp %{{.*}} {fusion.exactness = #fusion.exactness<exact>}
func.func @unknown(%x: tensor<8xf32>) {
  %0 = fusion.exp %x : tensor<8xf32>
  func.call @user(%0) : (tensor<8xf32>) -> ()
  return
}
func.func private @user(tensor<8xf32>)

// Nothing to decide.
// CHECK-LABEL: func.func @do_nothing(
// CHECK-NOT: exactness
func.func @do_nothing(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fusion.log %x : tensor<8xf32>
  %1 = fusion.sqrt %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
