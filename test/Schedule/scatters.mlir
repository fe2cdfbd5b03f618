// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda | FileCheck %s
// RUN: fuser-run %s --entry rows --target sim --explain --emit %t.fx 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: fuser-run %s --entry columns --target sim --explain --emit %t.fx 2>&1 | FileCheck %s --check-prefix=COLUMNS

// ROWS: note: threads share a scatter, whose indices are sorted: a thread block has 1024 elements at a time, and further kernels merge what is sorted
// COLUMNS: note: threads share a scatter, whose indices are sorted: a thread block has 512 elements at a time, all

// The tile is one of the indices, which are sorted.

// One row of indices, of open length.
// CHECK-LABEL: func.func @rows(
// CHECK: fusion.segment "scatter"
// CHECK-SAME: #fusion.tile<kind = "scatter", axes = {{\[\[}}], [0]], layout = {{\[\[}}], [r2, l5, w3]]>
func.func @rows(%t: tensor<50257x768xf32>, %i: tensor<?xi64>, %g: tensor<?x768xf32>) -> tensor<50257x768xf32> {
  %0 = fusion.scatter %t, %i, %g dim 0 combine <sum> : tensor<50257x768xf32>, tensor<?xi64>, tensor<?x768xf32>
  return %0 : tensor<50257x768xf32>
}

// Of many known updates by digits, as far as it is known how many bits their indices have.
// CHECK-LABEL: func.func @many(
// CHECK: kind = "scatter", axes = {{\[\[}}], [0]], layout = {{\[\[}}], [l5, r2, w3]], min_blocks = 3>
// CHECK: kind = "scatter", axes = {{\[\[}}], [0]], layout = {{\[\[}}], [r2, l5, w5]], min_blocks = 1>
func.func @many(%t: tensor<50257x768xf32>, %i: tensor<32768xi64>, %g: tensor<32768x768xf32>, %s: tensor<?x768xf32>) -> (tensor<50257x768xf32>, tensor<?x768xf32>) {
  %0 = fusion.scatter %t, %i, %g dim 0 combine <sum> : tensor<50257x768xf32>, tensor<32768xi64>, tensor<32768x768xf32>
  %1 = fusion.scatter %s, %i, %g dim 0 combine <sum> : tensor<?x768xf32>, tensor<32768xi64>, tensor<32768x768xf32>
  return %0, %1 : tensor<50257x768xf32>, tensor<?x768xf32>
}

// Of many rows.
// CHECK-LABEL: func.func @columns(
// CHECK: kind = "scatter", axes = {{\[\[}}0, 2], [1]], layout = {{\[\[}}], [r2, l5, w2]]>
func.func @columns(%t: tensor<?x200x5xbf16>, %i: tensor<?x300x5xi32>, %g: tensor<?x300x5xbf16>) -> tensor<?x200x5xbf16> {
  %0 = fusion.scatter_along_axis %t, %i, %g dim 1 combine <max> : tensor<?x200x5xbf16>, tensor<?x300x5xi32>, tensor<?x300x5xbf16>
  return %0 : tensor<?x200x5xbf16>
}

// A few updates of short rows: a thread has a row.
// CHECK-LABEL: func.func @experts(
// CHECK: fusion.segment "generic"
func.func @experts(%t: tensor<?x64xf32>, %i: tensor<?x4xi64>, %g: tensor<?x4xf32>) -> tensor<?x64xf32> {
  %0 = fusion.scatter_along_axis %t, %i, %g dim 1 : tensor<?x64xf32>, tensor<?x4xi64>, tensor<?x4xf32>
  return %0 : tensor<?x64xf32>
}

// Updates are made before, and what is made of the result is another segment.
// CHECK-LABEL: func.func @made(
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.exp
// CHECK: fusion.segment "scatter"
// CHECK-NOT: fusion.exp
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.neg
func.func @made(%t: tensor<?x64xf32>, %i: tensor<?xi64>, %g: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = fusion.exp %g : tensor<?x64xf32>
  %1 = fusion.scatter %t, %i, %0 dim 0 : tensor<?x64xf32>, tensor<?xi64>, tensor<?x64xf32>
  %2 = fusion.neg %1 : tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}
