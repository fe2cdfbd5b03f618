// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=cuda | FileCheck %s
// RUN: fuser-opt %s --fusion-segment="target=sm_90 explain" 2>&1 | grep remark | FileCheck %s --check-prefix=APART
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

// CHECK-LABEL: func.func @many_of_a_class(
// CHECK: kind = "scatter", axes = {{\[\[}}], [0]], layout = {{\[\[}}], [l5, r2, w3]], min_blocks = 3>
func.func @many_of_a_class(%t: tensor<50257x768xf32>, %i: tensor<?xi64> {fusion.class_bounds = array<i64: 32768>, fusion.class_lower_bounds = array<i64: 28673>}, %g: tensor<?x768xf32>) -> tensor<50257x768xf32> {
  %0 = fusion.scatter %t, %i, %g dim 0 combine <sum> : tensor<50257x768xf32>, tensor<?xi64>, tensor<?x768xf32>
  return %0 : tensor<50257x768xf32>
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

// With one row of indices: what the operands are made of, and what is made of the same element.
// CHECK-LABEL: func.func @made(
// CHECK-COUNT-1: fusion.segment "scatter"
// CHECK: fusion.full
// CHECK: fusion.cast
// CHECK: fusion.scatter
// CHECK: fusion.mul
// CHECK: fusion.cast
// CHECK-NOT: fusion.segment
// CHECK: return
func.func @made(%i: tensor<?xi64>, %g: tensor<?x64xbf16>, %s: tensor<500x64xf32>) -> (tensor<500x64xf32>, tensor<500x64xbf16>) {
  %zero = arith.constant 0.0 : f32
  %t = fusion.full %zero : tensor<500x64xf32>
  %u = fusion.cast %g : tensor<?x64xbf16> to tensor<?x64xf32>
  %0 = fusion.scatter %t, %i, %u dim 0 combine <sum> : tensor<500x64xf32>, tensor<?xi64>, tensor<?x64xf32>
  %1 = fusion.mul %0, %s : tensor<500x64xf32>
  %2 = fusion.cast %1 : tensor<500x64xf32> to tensor<500x64xbf16>
  return %0, %2 : tensor<500x64xf32>, tensor<500x64xbf16>
}

// APART: remark: reads a tensor from another segment: what is made of a scatter is used elsewhere
// CHECK-LABEL: func.func @elsewhere(
// CHECK: fusion.segment "scatter"
// CHECK: fusion.exp
// CHECK: fusion.scatter
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.permute
func.func @elsewhere(%t: tensor<?x64xf32>, %i: tensor<?xi64>, %g: tensor<?x64xf32>) -> tensor<64x?xf32> {
  %0 = fusion.exp %g : tensor<?x64xf32>
  %1 = fusion.scatter %t, %i, %0 dim 0 : tensor<?x64xf32>, tensor<?xi64>, tensor<?x64xf32>
  %2 = fusion.permute %1 [1, 0] : tensor<?x64xf32> to tensor<64x?xf32>
  return %2 : tensor<64x?xf32>
}

// APART: remark: reads a tensor from another segment: a scatter is not fused with another one
// CHECK-LABEL: func.func @two(
// CHECK-COUNT-2: fusion.segment "scatter"
func.func @two(%t: tensor<?x64xf32>, %i: tensor<?xi64>, %g: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = fusion.scatter %t, %i, %g dim 0 : tensor<?x64xf32>, tensor<?xi64>, tensor<?x64xf32>
  %1 = fusion.scatter %0, %i, %g dim 0 combine <sum> : tensor<?x64xf32>, tensor<?xi64>, tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// APART: remark: reads a tensor from another segment: the results have several shapes
// CHECK-LABEL: func.func @shapes(
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.exp
// CHECK: fusion.segment "scatter"
func.func @shapes(%t: tensor<?x64xf32>, %i: tensor<?xi64>, %g: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %0 = fusion.exp %g : tensor<?x64xf32>
  %1 = fusion.scatter %t, %i, %0 dim 0 : tensor<?x64xf32>, tensor<?xi64>, tensor<?x64xf32>
  return %0, %1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// APART: remark: reads a tensor from another segment: a scatter whose columns have indices of their own is not fused with other ops
// CHECK-LABEL: func.func @made_columns(
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.exp
// CHECK: fusion.segment "scatter"
// CHECK-NOT: fusion.neg
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.neg
func.func @made_columns(%t: tensor<?x200x5xf32>, %i: tensor<?x300x5xi32>, %g: tensor<?x300x5xf32>) -> tensor<?x200x5xf32> {
  %0 = fusion.exp %g : tensor<?x300x5xf32>
  %1 = fusion.scatter_along_axis %t, %i, %0 dim 1 : tensor<?x200x5xf32>, tensor<?x300x5xi32>, tensor<?x300x5xf32>
  %2 = fusion.neg %1 : tensor<?x200x5xf32>
  return %2 : tensor<?x200x5xf32>
}
