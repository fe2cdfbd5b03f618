// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --mlir-print-op-generic | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @binary(
func.func @binary(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %i: tensor<i32>, %e: tensor<0xi64>) {
  // CHECK: fusion.add %{{.*}}, %{{.*}} : tensor<?x8xf32>
  %0 = fusion.add %x, %y : tensor<?x8xf32>
  // CHECK: fusion.sub %{{.*}}, %{{.*}} : tensor<?x8xf32>
  %1 = fusion.sub %x, %y : tensor<?x8xf32>
  // CHECK: fusion.mul %{{.*}}, %{{.*}} : tensor<?x8xf32>
  %2 = fusion.mul %x, %y : tensor<?x8xf32>
  // CHECK: fusion.div %{{.*}}, %{{.*}} : tensor<i32>
  %3 = fusion.div %i, %i : tensor<i32>
  // CHECK: fusion.max %{{.*}}, %{{.*}} : tensor<0xi64>
  %4 = fusion.max %e, %e : tensor<0xi64>
  // CHECK: fusion.min %{{.*}}, %{{.*}} : tensor<?x8xf32>
  %5 = fusion.min %x, %y : tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @unary(
func.func @unary(%x: tensor<?x8xf32>, %h: tensor<bf16>, %i: tensor<4xi64>, %d: tensor<4xf64>) {
  // CHECK: fusion.neg %{{.*}} : tensor<4xi64>
  %0 = fusion.neg %i : tensor<4xi64>
  // CHECK: fusion.abs %{{.*}} : tensor<bf16>
  %abs = fusion.abs %h : tensor<bf16>
  // CHECK: fusion.exp %{{.*}} : tensor<bf16>
  %1 = fusion.exp %h : tensor<bf16>
  // CHECK: fusion.log %{{.*}} : tensor<4xf64>
  %2 = fusion.log %d : tensor<4xf64>
  // CHECK: fusion.sqrt %{{.*}} : tensor<?x8xf32>
  %3 = fusion.sqrt %x : tensor<?x8xf32>
  // CHECK: fusion.rsqrt %{{.*}} : tensor<?x8xf32>
  %4 = fusion.rsqrt %x : tensor<?x8xf32>
  // CHECK: fusion.tanh %{{.*}} : tensor<?x8xf32>
  %5 = fusion.tanh %x : tensor<?x8xf32>
  // CHECK: fusion.sigmoid %{{.*}} : tensor<?x8xf32>
  %6 = fusion.sigmoid %x : tensor<?x8xf32>
  // CHECK: fusion.silu %{{.*}} : tensor<?x8xf32>
  %7 = fusion.silu %x : tensor<?x8xf32>
  // CHECK: fusion.set %{{.*}} : tensor<?x8xf32>
  %8 = fusion.set %x : tensor<?x8xf32>
  // CHECK: fusion.segment_set %{{.*}} : tensor<?x8xf32>
  %9 = fusion.segment_set %x : tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @choice(
func.func @choice(%x: tensor<?x8xf16>, %b: tensor<2xi1>) {
  // CHECK: fusion.cmp <eq> %{{.*}}, %{{.*}} : tensor<?x8xf16>
  %0 = fusion.cmp <eq> %x, %x : tensor<?x8xf16>
  // CHECK: fusion.cmp <ne>
  %1 = fusion.cmp <ne> %x, %x : tensor<?x8xf16>
  // CHECK: fusion.cmp <lt>
  %2 = fusion.cmp <lt> %x, %x : tensor<?x8xf16>
  // CHECK: fusion.cmp <le>
  %3 = fusion.cmp <le> %x, %x : tensor<?x8xf16>
  // CHECK: fusion.cmp <gt>
  %4 = fusion.cmp <gt> %x, %x : tensor<?x8xf16>
  // CHECK: fusion.cmp <ge> %{{.*}}, %{{.*}} : tensor<2xi1>
  %5 = fusion.cmp <ge> %b, %b : tensor<2xi1>
  // CHECK: fusion.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8xf16>
  %6 = fusion.where %0, %x, %x : tensor<?x8xf16>
  // CHECK: fusion.cast %{{.*}} : tensor<?x8xf16> to tensor<?x8xi64>
  %7 = fusion.cast %x : tensor<?x8xf16> to tensor<?x8xi64>
  return
}

// CHECK-LABEL: func.func @full(
func.func @full(%v: bf16, %b: i1, %n: index) {
  // CHECK: fusion.full %{{.*}} sizes(%{{.*}}, %{{.*}}) : tensor<?x8x?xbf16>
  %0 = fusion.full %v sizes(%n, %n) : tensor<?x8x?xbf16>
  // CHECK: fusion.full %{{.*}} : tensor<i1>
  %1 = fusion.full %b : tensor<i1>
  return
}

// CHECK-LABEL: func.func @index_maps(
func.func @index_maps(%x: tensor<?x1x8xf32>, %s: tensor<f32>, %n: index) {
  // CHECK: fusion.broadcast %{{.*}} dims [0, 4] : tensor<?x1x8xf32> to tensor<1x?x1x8x1xf32>
  %0 = fusion.broadcast %x dims [0, 4] : tensor<?x1x8xf32> to tensor<1x?x1x8x1xf32>
  // CHECK: fusion.broadcast %{{.*}} dims [0, 1] : tensor<f32> to tensor<1x1xf32>
  %1 = fusion.broadcast %s dims [0, 1] : tensor<f32> to tensor<1x1xf32>
  // CHECK: fusion.expand %{{.*}} sizes(%{{.*}}) : tensor<?x1x8xf32> to tensor<?x?x8xf32>
  %2 = fusion.expand %x sizes(%n) : tensor<?x1x8xf32> to tensor<?x?x8xf32>
  // CHECK: fusion.expand %{{.*}} : tensor<1x1xf32> to tensor<0x4xf32>
  %3 = fusion.expand %1 : tensor<1x1xf32> to tensor<0x4xf32>
  // CHECK: fusion.permute %{{.*}} [2, 0, 1] : tensor<?x1x8xf32> to tensor<8x?x1xf32>
  %4 = fusion.permute %x [2, 0, 1] : tensor<?x1x8xf32> to tensor<8x?x1xf32>
  // CHECK: fusion.reshape %{{.*}} : tensor<?x1x8xf32> to tensor<?x4x2xf32>
  %5 = fusion.reshape %x : tensor<?x1x8xf32> to tensor<?x4x2xf32>
  // CHECK: fusion.reshape %{{.*}} sizes(%{{.*}}, %{{.*}}) : tensor<?x1x8xf32> to tensor<?x?xf32>
  %6 = fusion.reshape %x sizes(%n, %n) : tensor<?x1x8xf32> to tensor<?x?xf32>
  // CHECK: fusion.reshape %{{.*}} : tensor<f32> to tensor<1x1xf32>
  %7 = fusion.reshape %s : tensor<f32> to tensor<1x1xf32>
  // CHECK: fusion.slice %{{.*}} offsets [%{{.*}}, 0, 2] sizes [%{{.*}}, 1, 3] steps [1, 1, %{{.*}}] : tensor<?x1x8xf32> to tensor<?x1x3xf32>
  %8 = fusion.slice %x offsets [%n, 0, 2] sizes [%n, 1, 3] steps [1, 1, %n] : tensor<?x1x8xf32> to tensor<?x1x3xf32>
  // CHECK: fusion.slice %{{.*}} offsets [] sizes [] steps [] : tensor<f32> to tensor<f32>
  %9 = fusion.slice %s offsets [] sizes [] steps [] : tensor<f32> to tensor<f32>
  // CHECK: fusion.cat %{{.*}}, %{{.*}}, %{{.*}} dim 0 : tensor<?x1x8xf32>, tensor<?x1x8xf32>, tensor<?x1x8xf32> to tensor<?x1x8xf32>
  %10 = fusion.cat %x, %x, %x dim 0 : tensor<?x1x8xf32>, tensor<?x1x8xf32>, tensor<?x1x8xf32> to tensor<?x1x8xf32>
  return
}

// CHECK-LABEL: func.func @gathers(
func.func @gathers(%x: tensor<?x4x8xf32>, %i: tensor<2x?xi64>, %j: tensor<?x4x1xi32>, %s: tensor<i32>) {
  // CHECK: fusion.take %{{.*}}, %{{.*}} dim 1 : tensor<?x4x8xf32>, tensor<2x?xi64> to tensor<?x2x?x8xf32>
  %0 = fusion.take %x, %i dim 1 : tensor<?x4x8xf32>, tensor<2x?xi64> to tensor<?x2x?x8xf32>
  // CHECK: fusion.take %{{.*}}, %{{.*}} dim 0 : tensor<?x4x8xf32>, tensor<i32> to tensor<4x8xf32>
  %1 = fusion.take %x, %s dim 0 : tensor<?x4x8xf32>, tensor<i32> to tensor<4x8xf32>
  // CHECK: fusion.take_along_axis %{{.*}}, %{{.*}} dim 2 : tensor<?x4x8xf32>, tensor<?x4x1xi32> to tensor<?x4x1xf32>
  %2 = fusion.take_along_axis %x, %j dim 2 : tensor<?x4x8xf32>, tensor<?x4x1xi32> to tensor<?x4x1xf32>
  return
}

// CHECK-LABEL: func.func @pads(
func.func @pads(%x: tensor<?x4xf32>, %n: index, %v: f32, %s: tensor<i1>) {
  // CHECK: fusion.pad <constant> %{{.*}} low [0, 1] high [2, 0] : tensor<?x4xf32> to tensor<?x5xf32>
  %0 = fusion.pad <constant> %x low [0, 1] high [2, 0] : tensor<?x4xf32> to tensor<?x5xf32>
  // CHECK: fusion.pad <constant> %{{.*}} low [%{{.*}}, 1] high [2, %{{.*}}] value %{{.*}} : tensor<?x4xf32> to tensor<?x?xf32>
  %1 = fusion.pad <constant> %x low [%n, 1] high [2, %n] value %v : tensor<?x4xf32>
  // CHECK: fusion.pad <replicate> %{{.*}} low [0, 9] high [0, 9] : tensor<?x4xf32> to tensor<?x22xf32>
  %2 = fusion.pad <replicate> %x low [0, 9] high [0, 9] : tensor<?x4xf32>
  // CHECK: fusion.pad <reflect> %{{.*}} low [0, 3] high [0, 3] : tensor<?x4xf32> to tensor<?x10xf32>
  %3 = fusion.pad <reflect> %x low [0, 3] high [0, 3] : tensor<?x4xf32>
  // CHECK: fusion.pad <circular> %{{.*}} low [0, 4] high [0, 4] : tensor<?x4xf32> to tensor<?x12xf32>
  %4 = fusion.pad <circular> %x low [0, 4] high [0, 4] : tensor<?x4xf32>
  // CHECK: fusion.pad <constant> %{{.*}} low [] high [] : tensor<i1> to tensor<i1>
  %5 = fusion.pad <constant> %s low [] high [] : tensor<i1>
  return
}

// CHECK-LABEL: func.func @reduce(
func.func @reduce(%x: tensor<?x4x8xf32>, %i: tensor<3xi32>) {
  // CHECK: fusion.reduce <sum> %{{.*}} dims [0, 2] keep : tensor<?x4x8xf32> to tensor<1x4x1xf32>
  %0 = fusion.reduce <sum> %x dims [0, 2] keep : tensor<?x4x8xf32> to tensor<1x4x1xf32>
  // CHECK: fusion.reduce <mean> %{{.*}} dims [1] : tensor<?x4x8xf32> to tensor<?x8xf32>
  %1 = fusion.reduce <mean> %x dims [1] : tensor<?x4x8xf32> to tensor<?x8xf32>
  // CHECK: fusion.reduce <max> %{{.*}} dims [0] : tensor<3xi32> to tensor<i32>
  %2 = fusion.reduce <max> %i dims [0] : tensor<3xi32> to tensor<i32>
  // CHECK: fusion.reduce <min> %{{.*}} dims [] : tensor<3xi32> to tensor<3xi32>
  %3 = fusion.reduce <min> %i dims [] : tensor<3xi32> to tensor<3xi32>
  return
}

// CHECK-LABEL: func.func @hint(
func.func @hint(%x: tensor<?x8xf32>) {
  // CHECK: fusion.exp %{{.*}} {fusion.stride_order_hint = array<i64: 1, 0>} : tensor<?x8xf32>
  %0 = fusion.exp %x {fusion.stride_order_hint = array<i64: 1, 0>} : tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @contractions(
func.func @contractions(%a: tensor<8x?x64xbf16>, %b: tensor<8x64x?xbf16>, %w: tensor<32x64xbf16>, %v: tensor<64xbf16>) {
  // CHECK: fusion.matmul %{{.*}}, %{{.*}} : tensor<8x?x64xbf16>, tensor<8x64x?xbf16> to tensor<8x?x?xbf16>
  %0 = fusion.matmul %a, %b : tensor<8x?x64xbf16>, tensor<8x64x?xbf16> to tensor<8x?x?xbf16>
  // CHECK: fusion.matmul %{{.*}}, %{{.*}} : tensor<8x?x64xbf16>, tensor<8x64x?xbf16> to tensor<?x7x?xf32>
  %1 = fusion.matmul %a, %b : tensor<8x?x64xbf16>, tensor<8x64x?xbf16> to tensor<?x7x?xf32>
  // CHECK: fusion.linear %{{.*}}, %{{.*}} : tensor<8x?x64xbf16>, tensor<32x64xbf16> to tensor<8x?x32xf32>
  %2 = fusion.linear %a, %w : tensor<8x?x64xbf16>, tensor<32x64xbf16> to tensor<8x?x32xf32>
  // CHECK: fusion.linear %{{.*}}, %{{.*}} : tensor<64xbf16>, tensor<32x64xbf16> to tensor<32xbf16>
  %3 = fusion.linear %v, %w : tensor<64xbf16>, tensor<32x64xbf16> to tensor<32xbf16>
  return
}

// CHECK-LABEL: func.func @check(
func.func @check(%ok: i1, %n: index, %m: i64) attributes {fusion.sizes_checked} {
  // CHECK: fusion.check %{{.*}}, "no values"
  fusion.check %ok, "no values"
  // CHECK: fusion.check %{{.*}}, "{1} and {0}" (%{{.*}}, %{{.*}} : index, i64)
  fusion.check %ok, "{1} and {0}" (%n, %m : index, i64)
  return
}

// Numbers of many digits, and flags, are those that they are when they are read again.

// CHECK-LABEL: func.func @numbers(
func.func @numbers(%x: tensor<2xf32>, %y: tensor<2xf64>, %h: tensor<2xf16>, %c: tensor<2xi1>) {
  // CHECK: fusion.add %{{.*}}, 1.048576E+6 : tensor<2xf32>
  %0 = fusion.add %x, 1048576.0 : tensor<2xf32>
  // CHECK: fusion.add %{{.*}}, 1.6777216E+7 : tensor<2xf32>
  %1 = fusion.add %x, 16777216.0 : tensor<2xf32>
  // CHECK: fusion.add %{{.*}}, -1.234567E+6 : tensor<2xf32>
  %2 = fusion.add %x, -1234567.0 : tensor<2xf32>
  // CHECK: fusion.add %{{.*}}, 4.294967296E+9 : tensor<2xf64>
  %3 = fusion.add %y, 4294967296.0 : tensor<2xf64>
  // CHECK: fusion.add %{{.*}}, 0.33333333333333331 : tensor<2xf64>
  %4 = fusion.add %y, 0.33333333333333331 : tensor<2xf64>
  // CHECK: fusion.add %{{.*}}, 6.550400e+04 : tensor<2xf16>
  %5 = fusion.add %h, 65504.0 : tensor<2xf16>
  // CHECK: fusion.add %{{.*}}, 1.000000e+00 : tensor<2xf32>
  %6 = fusion.add %x, true : tensor<2xf32>
  // CHECK: fusion.where %{{.*}}, %{{.*}}, 0.000000e+00 : tensor<2xf32>
  %7 = fusion.where %c, %x, false : tensor<2xf32>
  // CHECK: fusion.composite "threshold"(%{{.*}}, 1.6777216E+7, 3.3554432E+7)
  %8 = fusion.threshold %x, 16777216.0, 33554432.0 : tensor<2xf32>
  return
}
