// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --mlir-print-op-generic | fuser-opt | FileCheck %s

// Scans, sorts and scatters, round trip.

// CHECK-LABEL: func.func @scans(
func.func @scans(%x: tensor<?x8xbf16>, %n: tensor<4xi32>) {
  // CHECK: fusion.scan <sum> %{{.*}} dim 1 : tensor<?x8xbf16>
  %0 = fusion.scan <sum> %x dim 1 : tensor<?x8xbf16>
  // CHECK: fusion.scan <prod> %{{.*}} dim 0 : tensor<?x8xbf16>
  %1 = fusion.scan <prod> %x dim 0 : tensor<?x8xbf16>
  // CHECK: fusion.scan <max> %{{.*}} dim 0 : tensor<4xi32>
  %2 = fusion.scan <max> %n dim 0 : tensor<4xi32>
  // CHECK: fusion.scan <min> %{{.*}} dim 0 {x = 1 : i64} : tensor<4xi32>
  %3 = fusion.scan <min> %n dim 0 {x = 1} : tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @orders(
func.func @orders(%x: tensor<?x8xbf16>, %c: tensor<?xi1>) {
  // CHECK: fusion.argsort %{{.*}} dim 1 : tensor<?x8xbf16> to tensor<?x8xi64>
  %0 = fusion.argsort %x dim 1 : tensor<?x8xbf16> to tensor<?x8xi64>
  // CHECK: fusion.argsort %{{.*}} dim 0 descending : tensor<?xi1> to tensor<?xi64>
  %1 = fusion.argsort %c dim 0 descending : tensor<?xi1> to tensor<?xi64>
  // CHECK: fusion.argtopk 3 %{{.*}} dim 0 : tensor<?x8xbf16> to tensor<3x8xi64>
  %2 = fusion.argtopk 3 %x dim 0 : tensor<?x8xbf16> to tensor<3x8xi64>
  // CHECK: fusion.argtopk 0 %{{.*}} dim 1 descending : tensor<?x8xbf16> to tensor<?x0xi64>
  %3 = fusion.argtopk 0 %x dim 1 descending : tensor<?x8xbf16> to tensor<?x0xi64>
  return
}

// CHECK-LABEL: func.func @scatters(
func.func @scatters(%x: tensor<?x8xf32>, %i: tensor<?xi64>, %u: tensor<?x8xf32>, %j: tensor<?x3xi32>, %v: tensor<?x3xf32>, %c: tensor<4xi1>, %k: tensor<2xi64>, %d: tensor<2xi1>) {
  // CHECK: fusion.scatter %{{.*}}, %{{.*}}, %{{.*}} dim 0 : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32>
  %0 = fusion.scatter %x, %i, %u dim 0 : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32>
  // CHECK: fusion.scatter %{{.*}}, %{{.*}}, %{{.*}} dim 0 combine <sum> {x = 1 : i64} : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32>
  %1 = fusion.scatter %x, %i, %u dim 0 combine <sum> {x = 1} : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32>
  // CHECK: fusion.scatter_along_axis %{{.*}}, %{{.*}}, %{{.*}} dim 1 combine <max> : tensor<?x8xf32>, tensor<?x3xi32>, tensor<?x3xf32>
  %2 = fusion.scatter_along_axis %x, %j, %v dim 1 combine <max> : tensor<?x8xf32>, tensor<?x3xi32>, tensor<?x3xf32>
  // CHECK: fusion.scatter_along_axis %{{.*}}, %{{.*}}, %{{.*}} dim 0 : tensor<4xi1>, tensor<2xi64>, tensor<2xi1>
  %3 = fusion.scatter_along_axis %c, %k, %d dim 0 : tensor<4xi1>, tensor<2xi64>, tensor<2xi1>
  return
}
