// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --mlir-print-op-generic | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @functions(
func.func @functions(%x: tensor<?x8xf32>, %h: tensor<bf16>) -> tensor<?x8xi1> {
  // CHECK: fusion.sin %{{.*}} : tensor<?x8xf32>
  %0 = fusion.sin %x : tensor<?x8xf32>
  // CHECK: fusion.erfc %{{.*}} : tensor<bf16>
  %1 = fusion.erfc %h : tensor<bf16>
  // CHECK: fusion.pow %{{.*}}, %{{.*}} : tensor<?x8xf32>
  %2 = fusion.pow %x, %0 : tensor<?x8xf32>
  // CHECK: fusion.isnan %{{.*}} : tensor<?x8xf32>
  %3 = fusion.isnan %2 : tensor<?x8xf32>
  // CHECK: fusion.not %{{.*}} : tensor<?x8xi1>
  %4 = fusion.not %3 : tensor<?x8xi1>
  return %4 : tensor<?x8xi1>
}

// CHECK-LABEL: func.func @bits(
func.func @bits(%x: tensor<?x8xf32>, %b: tensor<4xbf16>, %n: tensor<4xui64>) -> tensor<4xui64> {
  // CHECK: fusion.bitcast %{{.*}} : tensor<?x8xf32> to tensor<?x8xi32>
  %0 = fusion.bitcast %x : tensor<?x8xf32> to i32
  // CHECK: fusion.bitcast %{{.*}} : tensor<4xbf16> to tensor<4xui16>
  %1 = fusion.bitcast %b : tensor<4xbf16> to tensor<4xui16>
  // CHECK: fusion.nextafter %{{.*}}, 1.000000e+00 : tensor<?x8xf32>
  %2 = fusion.nextafter %x, 1.0 : tensor<?x8xf32>
  // CHECK: fusion.lgamma %{{.*}} : tensor<?x8xf32>
  %3 = fusion.lgamma %2 : tensor<?x8xf32>
  // CHECK: fusion.pow %{{.*}}, 3 : tensor<4xui64>
  %4 = fusion.pow %n, 3 : tensor<4xui64>
  // CHECK: fusion.gcd %{{.*}}, %{{.*}} : tensor<4xui64>
  %5 = fusion.gcd %4, %n : tensor<4xui64>
  return %5 : tensor<4xui64>
}

// Numbers take the type of the tensor.
// CHECK-LABEL: func.func @numbers(
func.func @numbers(%x: tensor<?x8xf32>, %h: tensor<bf16>, %i: tensor<i32>, %c: tensor<?x8xi1>) {
  // CHECK: fusion.mul %{{.*}}, 2.000000e+00 : tensor<?x8xf32>
  %0 = fusion.mul %x, 2 : tensor<?x8xf32>
  // CHECK: fusion.sub -1.500000e+00, %{{.*}} : tensor<?x8xf32>
  %1 = fusion.sub -1.5, %x : tensor<?x8xf32>
  // CHECK: fusion.add %{{.*}}, 1.000980e-01 {x = 1 : i64} : tensor<bf16>
  %2 = fusion.add %h, 0.1 {x = 1} : tensor<bf16>
  // CHECK: fusion.max %{{.*}}, -inf : tensor<?x8xf32>
  %3 = fusion.max %x, -inf : tensor<?x8xf32>
  // CHECK: fusion.shr %{{.*}}, -3 : tensor<i32>
  %4 = fusion.shr %i, -3 : tensor<i32>
  // CHECK: fusion.cmp <lt> 0.000000e+00, %{{.*}} : tensor<?x8xf32>
  %5 = fusion.cmp <lt> 0, %x : tensor<?x8xf32>
  // CHECK: fusion.where %{{.*}}, %{{.*}}, inf : tensor<?x8xf32>
  %6 = fusion.where %5, %x, inf : tensor<?x8xf32>
  // CHECK: fusion.where %{{.*}}, 1.000000e+00, %{{.*}} : tensor<?x8xf32>
  %7 = fusion.where %c, 1.0, %x : tensor<?x8xf32>
  // CHECK: fusion.xor true, %{{.*}} : tensor<?x8xi1>
  %8 = fusion.xor true, %c : tensor<?x8xi1>
  // CHECK: fusion.add %{{.*}}, nan : tensor<?x8xf32>
  %9 = fusion.add %x, nan : tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @factories(
func.func @factories(%n: index, %a: i32, %s: i64, %x: tensor<8xf32>) {
  // CHECK: fusion.iota dim 1 : tensor<4x8xi64>
  %0 = fusion.iota dim 1 : tensor<4x8xi64>
  // CHECK: fusion.iota dim 0 from(%{{.*}}, %{{.*}}) sizes(%{{.*}}) : tensor<?x8xi32>
  %1 = fusion.iota dim 0 from(%a, %a) sizes(%n) : tensor<?x8xi32>
  // CHECK: fusion.iota dim 0 from(%{{.*}}) : tensor<8xi32>
  %2 = fusion.iota dim 0 from(%a) : tensor<8xi32>
  // CHECK: fusion.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xbf16>
  %3 = fusion.constant dense<[1.0, 2.0]> : tensor<2xbf16>
  // CHECK: fusion.constant dense<7> : tensor<100x100xi32>
  %4 = fusion.constant dense<7> : tensor<100x100xi32>
  // CHECK: fusion.random_bits seed %{{.*}} offset %{{.*}} sizes(%{{.*}}) : tensor<?x8xi64>
  %6 = fusion.random_bits seed %s offset %s sizes(%n) : tensor<?x8xi64>
  // CHECK: fusion.uniform seed %{{.*}} offset %{{.*}} : tensor<8xbf16>
  %7 = fusion.uniform seed %s offset %s : tensor<8xbf16>
  // CHECK: fusion.broadcast_in_dim %{{.*}} dims [1] sizes(%{{.*}}) : tensor<8xf32> to tensor<?x8xf32>
  %5 = fusion.broadcast_in_dim %x dims [1] sizes(%n) : tensor<8xf32> to tensor<?x8xf32>
  return
}

// What is left out is printed.
// CHECK-LABEL: func.func @types(
func.func @types(%x: tensor<?x8xf32>) {
  // CHECK: fusion.cast %{{.*}} : tensor<?x8xf32> to tensor<?x8xbf16>
  %0 = fusion.cast %x : tensor<?x8xf32> to bf16
  // CHECK: fusion.reduce <max> %{{.*}} dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %1 = fusion.reduce <max> %x dims [1] keep : tensor<?x8xf32>
  // CHECK: fusion.reduce <sum> %{{.*}} dims [0] : tensor<?x8xf32> to tensor<8xf32>
  %2 = fusion.reduce <sum> %x dims [0] : tensor<?x8xf32>
  // CHECK: fusion.broadcast %{{.*}} dims [1] : tensor<?x8xf32> to tensor<?x1x8xf32>
  %3 = fusion.broadcast %x dims [1] : tensor<?x8xf32>
  // CHECK: fusion.permute %{{.*}} [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
  %4 = fusion.permute %x [1, 0] : tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @types_of_several(
func.func @types_of_several(%x: tensor<?x8xf32>, %w: tensor<5x8xf32>, %t: tensor<2x3xi64>, %n: index) {
  // CHECK: fusion.cat %{{.*}}, %{{.*}} dim 0 : tensor<?x8xf32>, tensor<5x8xf32> to tensor<?x8xf32>
  %0 = fusion.cat %x, %w dim 0 : tensor<?x8xf32>, tensor<5x8xf32>
  // CHECK: fusion.cat %{{.*}}, %{{.*}} dim 1 : tensor<5x8xf32>, tensor<5x8xf32> to tensor<5x16xf32>
  %1 = fusion.cat %w, %w dim 1 : tensor<5x8xf32>, tensor<5x8xf32>
  // CHECK: fusion.slice %{{.*}} offsets [0, 2] sizes [%{{.*}}, 3] steps [1, 2] : tensor<?x8xf32> to tensor<?x3xf32>
  %2 = fusion.slice %x offsets [0, 2] sizes [%n, 3] steps [1, 2] : tensor<?x8xf32>
  // CHECK: fusion.take %{{.*}}, %{{.*}} dim 0 : tensor<5x8xf32>, tensor<2x3xi64> to tensor<2x3x8xf32>
  %3 = fusion.take %w, %t dim 0 : tensor<5x8xf32>, tensor<2x3xi64>
  // CHECK: %[[ORDER:.*]] = fusion.argsort %{{.*}} dim 1 descending : tensor<?x8xf32> to tensor<?x8xi64>
  %4 = fusion.argsort %x dim 1 descending : tensor<?x8xf32>
  // CHECK: %[[TOP:.*]] = fusion.argtopk 2 %{{.*}} dim 1 : tensor<?x8xf32> to tensor<?x2xi64>
  %5 = fusion.argtopk 2 %x dim 1 : tensor<?x8xf32>
  // CHECK: fusion.take_along_axis %{{.*}}, %[[TOP]] dim 1 : tensor<?x8xf32>, tensor<?x2xi64> to tensor<?x2xf32>
  %6 = fusion.take_along_axis %x, %5 dim 1 : tensor<?x8xf32>, tensor<?x2xi64>
  // CHECK: %[[LINEAR:.*]] = fusion.linear %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<5x8xf32> to tensor<?x5xf32>
  %7 = fusion.linear %x, %w : tensor<?x8xf32>, tensor<5x8xf32>
  // CHECK: fusion.matmul %[[LINEAR]], %{{.*}} : tensor<?x5xf32>, tensor<5x8xf32> to tensor<?x8xf32>
  %8 = fusion.matmul %7, %w : tensor<?x5xf32>, tensor<5x8xf32>
  return
}

// CHECK-LABEL: func.func @reductions(
func.func @reductions(%x: tensor<?x8xbf16>, %c: tensor<?x8xi1>, %s: tensor<i32>) {
  // CHECK: fusion.reduce <prod> %{{.*}} dims [1] : tensor<?x8xbf16> to tensor<?xbf16>
  %0 = fusion.reduce <prod> %x dims [1] : tensor<?x8xbf16>
  // CHECK: fusion.reduce <any> %{{.*}} dims [0, 1] : tensor<?x8xi1> to tensor<i1>
  %1 = fusion.reduce <any> %c dims [0, 1] : tensor<?x8xi1>
  // CHECK: fusion.reduce <all> %{{.*}} dims [0] keep : tensor<?x8xi1> to tensor<1x8xi1>
  %2 = fusion.reduce <all> %c dims [0] keep : tensor<?x8xi1>
  // CHECK: fusion.argmax %{{.*}} dims [1] : tensor<?x8xbf16> to tensor<?xi64>
  %3 = fusion.argmax %x dims [1] : tensor<?x8xbf16>
  // CHECK: fusion.argmin %{{.*}} dims [0, 1] keep : tensor<?x8xbf16> to tensor<1x1xi64>
  %4 = fusion.argmin %x dims [0, 1] keep : tensor<?x8xbf16> to tensor<1x1xi64>
  // CHECK: fusion.argmin %{{.*}} dims [] {x = 1 : i64} : tensor<i32> to tensor<i64>
  %5 = fusion.argmin %s dims [] {x = 1} : tensor<i32>
  return
}

// MLIR's lexer has a point in each float; numbers of ops need none.
// CHECK-LABEL: func @exponents
func.func @exponents(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: fusion.add %{{.*}}, 9.99999974E-6 : tensor<8xf32>
  %0 = fusion.add %x, 1e-5 : tensor<8xf32>
  // CHECK: fusion.mul -2.000000e+03, %{{.*}} : tensor<8xf32>
  %1 = fusion.mul -2e3, %0 : tensor<8xf32>
  // CHECK: fusion.sub %{{.*}}, 1.000000e+02 : tensor<8xf32>
  %2 = fusion.sub %1, 1e+2 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
