// RUN: fuser-opt %s -split-input-file -verify-diagnostics

// Scans, sorts and scatters, one function for each constraint of docs/spec/fusion.md.

func.func @scan_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<4x8xf32>', got 2}}
  %0 = fusion.scan <sum> %x dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @scan_c1_negative(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<4x8xf32>', got -1}}
  %0 = fusion.scan <sum> %x dim -1 : tensor<4x8xf32>
  return
}

// -----

func.func @scan_c1_rank_0(%x: tensor<f32>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<f32>', got 0}}
  %0 = fusion.scan <sum> %x dim 0 : tensor<f32>
  return
}

// -----

func.func @scan_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected sum, prod, max or min as the kind, got mean}}
  %0 = fusion.scan <mean> %x dim 1 : tensor<4x8xf32>
  return
}

// -----

func.func @scan_c3(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'tensor<4x8xf32>' as the result, got 'tensor<4x8xf64>'}}
  %0 = "fusion.scan"(%x) <{dim = 1 : i64, kind = #fusion.reduce_kind<sum>}> : (tensor<4x8xf32>) -> tensor<4x8xf64>
  return
}

// -----

func.func @scan_of_bools(%x: tensor<4xi1>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64> elements without an encoding, but got 'tensor<4xi1>'}}
  %0 = fusion.scan <max> %x dim 0 : tensor<4xi1>
  return
}

// -----

func.func @argsort_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<4x8xf32>', got 2}}
  %0 = fusion.argsort %x dim 2 : tensor<4x8xf32> to tensor<4x8xi64>
  return
}

// -----

func.func @argsort_c2(%x: tensor<4x?xf32>) {
  // expected-error@+1 {{expected 'tensor<4x?xi64>' as the result, got 'tensor<4x8xi64>'}}
  %0 = fusion.argsort %x dim 1 : tensor<4x?xf32> to tensor<4x8xi64>
  return
}

// -----

func.func @argtopk_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<4x8xf32>', got -1}}
  %0 = fusion.argtopk 2 %x dim -1 : tensor<4x8xf32> to tensor<4x2xi64>
  return
}

// -----

func.func @argtopk_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected k to be at most the size 8 of dimension 1, got 9}}
  %0 = fusion.argtopk 9 %x dim 1 : tensor<4x8xf32> to tensor<4x9xi64>
  return
}

// -----

func.func @argtopk_c2_negative(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected k to be at least 0, got -1}}
  %0 = fusion.argtopk -1 %x dim 1 : tensor<4x8xf32> to tensor<4x0xi64>
  return
}

// -----

func.func @argtopk_c3(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{expected 'tensor<?x2xi64>' as the result, got 'tensor<?x8xi64>'}}
  %0 = fusion.argtopk 2 %x dim 1 : tensor<?x8xf32> to tensor<?x8xi64>
  return
}

// -----

func.func @scatter_c1(%x: tensor<4x8xf32>, %i: tensor<3xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<4x8xf32>', got 2}}
  %0 = fusion.scatter %x, %i, %u dim 2 : tensor<4x8xf32>, tensor<3xi64>, tensor<4x3xf32>
  return
}

// -----

func.func @scatter_c2(%x: tensor<4x8xf32>, %i: tensor<3xi64>, %u: tensor<3x8xf32>) {
  // expected-error@+1 {{expected updates like 'tensor<4x3xf32>', got 'tensor<3x8xf32>'}}
  %0 = fusion.scatter %x, %i, %u dim 1 : tensor<4x8xf32>, tensor<3xi64>, tensor<3x8xf32>
  return
}

// -----

func.func @scatter_c2_indices(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expected indices of one dimension, got 'tensor<4x3xi64>'}}
  %0 = fusion.scatter %x, %i, %u dim 1 : tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>
  return
}

// -----

func.func @scatter_c2_element(%x: tensor<4x8xf32>, %i: tensor<3xi64>, %u: tensor<4x3xf16>) {
  // expected-error@+1 {{expected updates like 'tensor<4x3xf32>', got 'tensor<4x3xf16>'}}
  %0 = fusion.scatter %x, %i, %u dim 1 : tensor<4x8xf32>, tensor<3xi64>, tensor<4x3xf16>
  return
}

// -----

func.func @scatter_c3(%x: tensor<4x8xf32>, %i: tensor<3xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expected 'tensor<4x8xf32>' as the result, got 'tensor<4x?xf32>'}}
  %0 = "fusion.scatter"(%x, %i, %u) <{dim = 1 : i64}> : (tensor<4x8xf32>, tensor<3xi64>, tensor<4x3xf32>) -> tensor<4x?xf32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<4x8xf32>, %i: tensor<3xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expected combine to be sum, prod, max or min, got mean}}
  %0 = fusion.scatter %x, %i, %u dim 1 combine <mean> : tensor<4x8xf32>, tensor<3xi64>, tensor<4x3xf32>
  return
}

// -----

func.func @scatter_c4_bools(%x: tensor<8xi1>, %i: tensor<3xi64>, %u: tensor<3xi1>) {
  // expected-error@+1 {{expected numbers to combine, got 'i1'}}
  %0 = fusion.scatter %x, %i, %u dim 0 combine <max> : tensor<8xi1>, tensor<3xi64>, tensor<3xi1>
  return
}

// -----

func.func @scatter_c4_narrow(%x: tensor<8xbf16>, %i: tensor<3xi64>, %u: tensor<3xbf16>) {
  // expected-error@+1 {{expected f64, f32 or integers to add or multiply, got 'bf16': cast to f32 and back}}
  %0 = fusion.scatter %x, %i, %u dim 0 combine <prod> : tensor<8xbf16>, tensor<3xi64>, tensor<3xbf16>
  return
}

// -----

func.func @scatter_along_axis_c1(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<4x8xf32>', got -1}}
  %0 = fusion.scatter_along_axis %x, %i, %u dim -1 : tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>
  return
}

// -----

func.func @scatter_along_axis_c2(%x: tensor<4x8xf32>, %i: tensor<5x3xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expected indices with the rank of 'tensor<4x8xf32>' and its sizes but for dimension 1, got 'tensor<5x3xi64>'}}
  %0 = fusion.scatter_along_axis %x, %i, %u dim 1 : tensor<4x8xf32>, tensor<5x3xi64>, tensor<4x3xf32>
  return
}

// -----

func.func @scatter_along_axis_c2_updates(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>, %u: tensor<4x2xf32>) {
  // expected-error@+1 {{expected updates of 'f32' with the shape of 'tensor<4x3xi64>', got 'tensor<4x2xf32>'}}
  %0 = fusion.scatter_along_axis %x, %i, %u dim 1 : tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x2xf32>
  return
}

// -----

func.func @scatter_along_axis_c3(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expected 'tensor<4x8xf32>' as the result, got 'tensor<4x3xf32>'}}
  %0 = "fusion.scatter_along_axis"(%x, %i, %u) <{dim = 1 : i64}> : (tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_along_axis_c4(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expected combine to be sum, prod, max or min, got any}}
  %0 = fusion.scatter_along_axis %x, %i, %u dim 1 combine <any> : tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>
  return
}
