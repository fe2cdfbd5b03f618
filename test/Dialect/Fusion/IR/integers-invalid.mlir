// RUN: fuser-opt %s -split-input-file -verify-diagnostics

func.func @below(%x: tensor<4xui8>) {
  // expected-error@+1 {{expected a number of type 'ui8'}}
  %0 = fusion.add %x, -1 : tensor<4xui8>
  return
}

// -----

func.func @beyond(%x: tensor<4xi8>) {
  // expected-error@+1 {{expected a number of type 'i8'}}
  %0 = fusion.add %x, 128 : tensor<4xi8>
  return
}

// -----

func.func @beyond_unsigned(%x: tensor<4xui64>) {
  // expected-error@+1 {{expected a number of type 'ui64'}}
  %0 = fusion.add %x, 18446744073709551616 : tensor<4xui64>
  return
}

// -----

func.func @full_c1(%c: i32) {
  // expected-note@-1 {{prior use here}}
  // expected-error@+1 {{use of value '%c' expects different type than prior uses: 'i8' vs 'i32'}}
  %0 = fusion.full %c : tensor<4xui8>
  return
}

// -----

func.func @scalar_type(%c: ui8) {
  // expected-error@+1 {{operand #0 must be f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2 or f8E8M0FNU, but got 'ui8'}}
  %0 = "fusion.full"(%c) : (ui8) -> tensor<4xui8>
  return
}

// -----

func.func @types(%x: tensor<4xui8>, %y: tensor<4xi8>) {
  // expected-error@+1 {{all of {lhs, rhs, result} have same type}}
  %0 = "fusion.add"(%x, %y) : (tensor<4xui8>, tensor<4xi8>) -> tensor<4xui8>
  return
}

// -----

func.func @indices(%x: tensor<4xf32>, %i: tensor<3xui32>) {
  // expected-error@+1 {{operand #1 must be ranked tensor of at most 2^48 i32 or i64 elements}}
  %0 = fusion.take %x, %i dim 0 : tensor<4xf32>, tensor<3xui32> to tensor<3xf32>
  return
}

// -----

func.func @narrow_words(%s: i64) {
  // expected-error@+1 {{result #0 must be ranked tensor of at most 2^48 i32, i64, ui32 or ui64 elements}}
  %0 = fusion.random_bits seed %s offset %s : tensor<4xui8>
  return
}

// -----

func.func @mean(%x: tensor<4xui8>) {
  // expected-error@+1 {{expected float elements for a mean, got 'ui8'}}
  %0 = fusion.reduce <mean> %x dims [0] : tensor<4xui8> to tensor<ui8>
  return
}

// -----

// What computes with numbers has no meaning for powers of two alone.
func.func @add_c1_scales(%x: tensor<4xf8E8M0FNU>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64> elements without an encoding, but got 'tensor<4xf8E8M0FNU>'}}
  %0 = fusion.add %x, %x : tensor<4xf8E8M0FNU>
  return
}

// -----

func.func @exp_c1_scales(%x: tensor<4xf8E8M0FNU>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements without an encoding, but got 'tensor<4xf8E8M0FNU>'}}
  %0 = fusion.exp %x : tensor<4xf8E8M0FNU>
  return
}

// -----

func.func @reduce_c3_scales(%x: tensor<4xf8E8M0FNU>) {
  // expected-error@+1 {{expected numbers as elements, got 'f8E8M0FNU'}}
  %0 = fusion.reduce <max> %x dims [0] : tensor<4xf8E8M0FNU> to tensor<f8E8M0FNU>
  return
}

// -----

func.func @reduce_c3_scales_mean(%x: tensor<4xf8E8M0FNU>) {
  // expected-error@+1 {{expected float elements for a mean, got 'f8E8M0FNU'}}
  %0 = fusion.reduce <mean> %x dims [0] : tensor<4xf8E8M0FNU> to tensor<f8E8M0FNU>
  return
}

// -----

func.func @scatter_c4_scales(%x: tensor<4xf8E8M0FNU>, %i: tensor<2xi64>, %u: tensor<2xf8E8M0FNU>) {
  // expected-error@+1 {{expected numbers to combine, got 'f8E8M0FNU'}}
  %0 = fusion.scatter %x, %i, %u dim 0 combine <max> : tensor<4xf8E8M0FNU>, tensor<2xi64>, tensor<2xf8E8M0FNU>
  return
}
