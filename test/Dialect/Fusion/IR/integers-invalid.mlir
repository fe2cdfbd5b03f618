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
  // expected-error@+1 {{operand #0 must be f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN or f8E5M2, but got 'ui8'}}
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
