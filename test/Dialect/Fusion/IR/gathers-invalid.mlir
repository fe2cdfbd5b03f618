// RUN: fuser-opt %s -split-input-file -verify-diagnostics

func.func @take_c1(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<4x8xf32>', got 2}}
  %0 = fusion.take %x, %i dim 2 : tensor<4x8xf32>, tensor<3xi64> to tensor<4x3xf32>
  return
}

// -----

func.func @take_c2(%x: tensor<4x8xf32>, %i: tensor<3x?xi64>) {
  // expected-error@+1 {{expected 'tensor<3x?x8xf32>' as the result, got 'tensor<3x?x4xf32>'}}
  %0 = fusion.take %x, %i dim 0 : tensor<4x8xf32>, tensor<3x?xi64> to tensor<3x?x4xf32>
  return
}

// -----

func.func @take_indices(%x: tensor<4x8xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{operand #1 must be ranked tensor of at most 2^48 i32 or i64 elements without an encoding, but got 'tensor<3xf32>'}}
  %0 = fusion.take %x, %i dim 0 : tensor<4x8xf32>, tensor<3xf32> to tensor<3x8xf32>
  return
}

// -----

func.func @take_along_axis_c1(%x: tensor<4x8xf32>, %i: tensor<4x1xi64>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<4x8xf32>', got -1}}
  %0 = fusion.take_along_axis %x, %i dim -1 : tensor<4x8xf32>, tensor<4x1xi64> to tensor<4x1xf32>
  return
}

// -----

func.func @take_along_axis_c2(%x: tensor<4x8xf32>, %i: tensor<5x1xi64>) {
  // expected-error@+1 {{expected indices with the rank of 'tensor<4x8xf32>' and its sizes but for dimension 1, got 'tensor<5x1xi64>'}}
  %0 = fusion.take_along_axis %x, %i dim 1 : tensor<4x8xf32>, tensor<5x1xi64> to tensor<5x1xf32>
  return
}

// -----

func.func @take_along_axis_c2_rank(%x: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{expected indices with the rank of 'tensor<4x8xf32>' and its sizes but for dimension 1, got 'tensor<4xi64>'}}
  %0 = fusion.take_along_axis %x, %i dim 1 : tensor<4x8xf32>, tensor<4xi64> to tensor<4xf32>
  return
}

// -----

func.func @take_along_axis_c3(%x: tensor<4x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{expected 'tensor<4x1xf32>' as the result, got 'tensor<4x8xf32>'}}
  %0 = fusion.take_along_axis %x, %i dim 1 : tensor<4x8xf32>, tensor<4x1xi32> to tensor<4x8xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 2 numbers in low, one a dimension of the input, got 1}}
  %0 = "fusion.pad"(%x) <{mode = #fusion.pad_mode<constant>, static_low = array<i64: 1>, static_high = array<i64: 0, 0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<4x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @pad_c1_values(%x: tensor<4x8xf32>, %n: index) {
  // expected-error@+1 {{expected 0 values for what high leaves open, got 1}}
  %0 = "fusion.pad"(%x, %n) <{mode = #fusion.pad_mode<constant>, static_low = array<i64: 1, 0>, static_high = array<i64: 0, 0>, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tensor<4x8xf32>, index) -> tensor<5x8xf32>
  return
}

// -----

func.func @pad_c1_text(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 2 numbers in low, one a dimension of the input, got 1}}
  %0 = fusion.pad <constant> %x low [1] high [0, 0] : tensor<4x8xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected to add no less than 0 elements in dimension 1, got -1}}
  %0 = fusion.pad <constant> %x low [0, 0] high [0, -1] : tensor<4x8xf32> to tensor<4x7xf32>
  return
}

// -----

func.func @pad_c2_text(%x: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{expected to add no less than 0 elements in dimension 0, got -1}}
  %0 = fusion.pad <constant> %x low [-1] high [0] : tensor<4xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @pad_c3_too_many(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected less than 2^63 elements in dimension 0, got the sum of 9223372036854775807, 4 and 0}}
  %0 = fusion.pad <constant> %x low [9223372036854775807] high [0] : tensor<4xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @pad_c3(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'tensor<7x8xf32>' as the result, got 'tensor<6x8xf32>'}}
  %0 = fusion.pad <constant> %x low [1, 0] high [2, 0] : tensor<4x8xf32> to tensor<6x8xf32>
  return
}

// -----

func.func @pad_c4(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected at least 5 elements in dimension 0 to add 4 in the mode reflect, got 4}}
  %0 = fusion.pad <reflect> %x low [3, 7] high [4, 0] : tensor<4x8xf32>
  return
}

// -----

func.func @pad_c4_circular(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected at least 9 elements in dimension 1 to add 9 in the mode circular, got 8}}
  %0 = fusion.pad <circular> %x low [4, 9] high [0, 0] : tensor<4x8xf32>
  return
}

// -----

func.func @pad_c4_replicate(%x: tensor<0x8xf32>) {
  // expected-error@+1 {{expected at least 1 elements in dimension 0 to add 2 in the mode replicate, got 0}}
  %0 = fusion.pad <replicate> %x low [0, 0] high [2, 0] : tensor<0x8xf32>
  return
}

// -----

func.func @pad_c5(%x: tensor<4x8xf32>, %v: f32) {
  // expected-error@+1 {{expected no value in the mode reflect}}
  %0 = fusion.pad <reflect> %x low [1, 0] high [0, 0] value %v : tensor<4x8xf32>
  return
}

// -----

func.func @pad_c5_type(%x: tensor<4x8xf32>, %v: f16) {
  // expected-error@+1 {{failed to verify that value has the element type of input}}
  %0 = "fusion.pad"(%x, %v) <{mode = #fusion.pad_mode<constant>, static_low = array<i64: 1, 0>, static_high = array<i64: 0, 0>, operandSegmentSizes = array<i32: 1, 0, 0, 1>}> : (tensor<4x8xf32>, f16) -> tensor<5x8xf32>
  return
}
