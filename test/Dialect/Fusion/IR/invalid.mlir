// RUN: fuser-opt %s -split-input-file -verify-diagnostics
//
// One case for each numbered constraint of docs/spec/fusion.md; its tag is the function's name.

func.func @add_c1(%x: tensor<?x8xf32>, %y: tensor<8x8xf32>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs, result} have same type}}
  %0 = "fusion.add"(%x, %y) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @add_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64> elements without an encoding, but got 'tensor<8xi1>'}}
  %0 = fusion.add %x, %x : tensor<8xi1>
  return
}

// -----

func.func @encoding(%x: tensor<8xf32, "dense">) {
  // expected-error@+1 {{without an encoding, but got 'tensor<8xf32, "dense">'}}
  %0 = fusion.add %x, %x : tensor<8xf32, "dense">
  return
}

// -----

func.func @tensor_c1(%x: tensor<9223372036854775807xf32>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements without an encoding, but got 'tensor<9223372036854775807xf32>'}}
  %0 = fusion.exp %x : tensor<9223372036854775807xf32>
  return
}

// -----

func.func @tensor_c1_product(%x: tensor<4294967296x?x0x4294967296xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f8E8M0FNU, complex<f32> or complex<f64> elements without an encoding, but got 'tensor<4294967296x?x0x4294967296xf32>'}}
  %0 = fusion.reduce <sum> %x dims [0] : tensor<4294967296x?x0x4294967296xf32> to tensor<?x0x4294967296xf32>
  return
}

// -----

func.func @tensor_c1_one_more(%x: tensor<1x281474976710656xi1>) {
  // expected-error@+1 {{result #0 must be ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f8E8M0FNU, complex<f32>, complex<f64> or f4E2M1FN elements without an encoding, but got 'tensor<2x281474976710656xi1>'}}
  %0 = fusion.expand %x : tensor<1x281474976710656xi1> to tensor<2x281474976710656xi1>
  return
}

// -----

func.func @sub_c1(%x: tensor<8xf32>, %y: tensor<8xf16>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs, result} have same type}}
  %0 = "fusion.sub"(%x, %y) : (tensor<8xf32>, tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @sub_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64> elements}}
  %0 = fusion.sub %x, %x : tensor<8xi1>
  return
}

// -----

func.func @mul_c1(%x: tensor<8xf32>, %y: tensor<1xf32>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs, result} have same type}}
  %0 = "fusion.mul"(%x, %y) : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @mul_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64> elements}}
  %0 = fusion.mul %x, %x : tensor<8xi1>
  return
}

// -----

func.func @div_c1(%x: tensor<8xf32>, %y: tensor<f32>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs, result} have same type}}
  %0 = "fusion.div"(%x, %y) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @div_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64> elements}}
  %0 = fusion.div %x, %x : tensor<8xi1>
  return
}

// -----

func.func @max_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs, result} have same type}}
  %0 = "fusion.max"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @max_c2(%x: tensor<*xf32>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32 or ui64 elements}}
  %0 = "fusion.max"(%x, %x) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @min_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs, result} have same type}}
  %0 = "fusion.min"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @min_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32 or ui64 elements}}
  %0 = fusion.min %x, %x : tensor<8xi1>
  return
}

// -----

func.func @neg_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.neg"(%x) : (tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @neg_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64> elements}}
  %0 = fusion.neg %x : tensor<8xi1>
  return
}

// -----

func.func @abs_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.abs"(%x) : (tensor<8xf32>) -> tensor<8xf64>
  return
}

// -----

func.func @abs_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32 or ui64 elements}}
  %0 = fusion.abs %x : tensor<8xi1>
  return
}

// -----

func.func @exp_c1(%x: tensor<8xf16>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.exp"(%x) : (tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @exp_c2(%x: tensor<8xi32>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements without an encoding, but got 'tensor<8xi32>'}}
  %0 = fusion.exp %x : tensor<8xi32>
  return
}

// -----

func.func @log_c1(%x: tensor<8xf16>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.log"(%x) : (tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @log_c2(%x: tensor<8xi32>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements}}
  %0 = fusion.log %x : tensor<8xi32>
  return
}

// -----

func.func @sqrt_c1(%x: tensor<8xf16>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.sqrt"(%x) : (tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @sqrt_c2(%x: tensor<8xi64>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements}}
  %0 = fusion.sqrt %x : tensor<8xi64>
  return
}

// -----

func.func @rsqrt_c1(%x: tensor<8xf16>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.rsqrt"(%x) : (tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @rsqrt_c2(%x: tensor<8xi64>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements}}
  %0 = fusion.rsqrt %x : tensor<8xi64>
  return
}

// -----

func.func @tanh_c1(%x: tensor<8xf16>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.tanh"(%x) : (tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @tanh_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements}}
  %0 = fusion.tanh %x : tensor<8xi1>
  return
}

// -----

func.func @sigmoid_c1(%x: tensor<8xf16>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.sigmoid"(%x) : (tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @sigmoid_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements}}
  %0 = fusion.sigmoid %x : tensor<8xi1>
  return
}

// -----

func.func @silu_c1(%x: tensor<8xf16>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.silu"(%x) : (tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @silu_c2(%x: tensor<8xi1>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements}}
  %0 = fusion.silu %x : tensor<8xi1>
  return
}

// -----

func.func @cmp_c1(%x: tensor<8xf32>, %y: tensor<8xi32>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs} have same type}}
  %0 = "fusion.cmp"(%x, %y) <{predicate = #fusion.cmp_predicate<eq>}> : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xi1>
  return
}

// -----

func.func @cmp_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that result has the shape of the operands and i1 elements}}
  %0 = "fusion.cmp"(%x, %x) <{predicate = #fusion.cmp_predicate<eq>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<7xi1>
  return
}

// -----

func.func @where_c1(%c: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xi32>) {
  // expected-error@+1 {{failed to verify that all of {true_value, false_value, result} have same type}}
  %0 = "fusion.where"(%c, %x, %y) : (tensor<8xi1>, tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @where_c2(%c: tensor<1xi1>, %x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that condition has the shape of the result and i1 elements}}
  %0 = "fusion.where"(%c, %x, %x) : (tensor<1xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @cast_c1(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{expected the input's shape in the result, got 'tensor<?x8xf32>' and 'tensor<4x8xf16>'}}
  %0 = fusion.cast %x : tensor<?x8xf32> to tensor<4x8xf16>
  return
}

// -----

func.func @set_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.set"(%x) : (tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @segment_set_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.segment_set"(%x) : (tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @full_c1(%v: f32) {
  // expected-error@+1 {{failed to verify that value has the element type of the result}}
  %0 = "fusion.full"(%v) : (f32) -> tensor<8xbf16>
  return
}

// -----

func.func @full_c2(%v: f32, %n: index) {
  // expected-error@+1 {{expected 2 sizes for the dynamic dimensions of 'tensor<?x?xf32>', got 1}}
  %0 = fusion.full %v sizes(%n) : tensor<?x?xf32>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{dims: expected ascending dimensions from 0 to 2, got [1, 0]}}
  %0 = "fusion.broadcast"(%x) <{dims = array<i64: 1, 0>}> : (tensor<8xf32>) -> tensor<1x1x8xf32>
  return
}

// -----

func.func @broadcast_c1_range(%x: tensor<8xf32>) {
  // expected-error@+1 {{dims: expected ascending dimensions from 0 to 1, got [2]}}
  %0 = "fusion.broadcast"(%x) <{dims = array<i64: 2>}> : (tensor<8xf32>) -> tensor<8x1xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 'tensor<1x8xf32>' as the result, got 'tensor<4x8xf32>'}}
  %0 = fusion.broadcast %x dims [0] : tensor<8xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @expand_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected the input's rank and element type in the result, got 'tensor<8xf32>' and 'tensor<4x8xf32>'}}
  %0 = fusion.expand %x : tensor<8xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @expand_c2(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{expected size 1 or the result's size in dimension 0 of the input, got 'tensor<?x8xf32>' and 'tensor<4x8xf32>'}}
  %0 = fusion.expand %x : tensor<?x8xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @expand_c3(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{expected 1 sizes, one for each dimension that is 1 in the input and dynamic in the result, got 0}}
  %0 = fusion.expand %x : tensor<1x8xf32> to tensor<?x8xf32>
  return
}

// -----

func.func @permute_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected each of the 2 dimensions of 'tensor<4x8xf32>' once in the permutation, got [0, 0]}}
  %0 = fusion.permute %x [0, 0] : tensor<4x8xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @permute_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'tensor<8x4xf32>' as the result, got 'tensor<4x8xf32>'}}
  %0 = fusion.permute %x [1, 0] : tensor<4x8xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected the input's element type in the result, got 'tensor<4x8xf32>' and 'tensor<32xf16>'}}
  %0 = fusion.reshape %x : tensor<4x8xf32> to tensor<32xf16>
  return
}

// -----

func.func @reshape_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected as many elements in the result as in the input, got 'tensor<4x8xf32>' and 'tensor<33xf32>'}}
  %0 = fusion.reshape %x : tensor<4x8xf32> to tensor<33xf32>
  return
}

// -----

func.func @reshape_c2_open(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected as many elements in the result as in the input, got 'tensor<4x8xf32>' and 'tensor<?x5xf32>'}}
  %0 = fusion.reshape %x : tensor<4x8xf32> to tensor<?x5xf32>
  return
}

// -----

func.func @reshape_c3(%x: tensor<?x8xf32>, %n: index) {
  // expected-error@+1 {{expected a size for each of the 2 dynamic dimensions of 'tensor<?x?xf32>', got 1}}
  %0 = fusion.reshape %x sizes(%n) : tensor<?x8xf32> to tensor<?x?xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{expected 2 offsets, one a dimension of the input, got 1}}
  %0 = fusion.slice %x offsets [0] sizes [1, 8] steps [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
  return
}

// -----

func.func @slice_c1_values(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 1 values for the offsets that are no integers, got 0}}
  %0 = "fusion.slice"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 4>, static_steps = array<i64: 1>}> : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected an offset and a size of at least 0 and a step of at least 1 in dimension 0, got offset 0, size 8, step 0}}
  %0 = fusion.slice %x offsets [0] sizes [8] steps [0] : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 'tensor<4xf32>' as the result, got 'tensor<5xf32>'}}
  %0 = fusion.slice %x offsets [0] sizes [4] steps [1] : tensor<8xf32> to tensor<5xf32>
  return
}

// -----

// Not the type that would follow from it, which a user of the result had to have.
func.func @slice_c4_text(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected the last element of dimension 0 below the input's size 8, got offset 0 + (size 9 - 1) * step 1}}
  %0 = fusion.slice %x offsets [0] sizes [9] steps [1] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @slice_c4(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected the last element of dimension 0 below the input's size 8, got offset 2 + (size 3 - 1) * step 3}}
  %0 = fusion.slice %x offsets [2] sizes [3] steps [3] : tensor<8xf32> to tensor<3xf32>
  return
}

// -----

func.func @cat_c1() {
  // expected-error@+1 {{expected at least one input}}
  %0 = "fusion.cat"() <{dim = 0 : i64}> : () -> tensor<8xf32>
  return
}

// -----

func.func @cat_c1_dim(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected dim to be a dimension of 'tensor<8xf32>', got 1}}
  %0 = fusion.cat %x dim 1 : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

func.func @cat_c2(%x: tensor<4x8xf32>, %y: tensor<5x8xf32>) {
  // expected-error@+1 {{expected the type 'tensor<4x8xf32>' but for dimension 1 of input 1, got 'tensor<5x8xf32>': size 5 in dimension 0, expected 4}}
  %0 = fusion.cat %x, %y dim 1 : tensor<4x8xf32>, tensor<5x8xf32> to tensor<4x16xf32>
  return
}

// -----

func.func @cat_c3(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'tensor<4x16xf32>' as the result, got 'tensor<4x15xf32>'}}
  %0 = fusion.cat %x, %x dim 1 : tensor<4x8xf32>, tensor<4x8xf32> to tensor<4x15xf32>
  return
}

// -----

func.func @reduce_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{dims: expected ascending dimensions from 0 to 1, got [2]}}
  %0 = fusion.reduce <sum> %x dims [2] : tensor<4x8xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'tensor<4x1xf32>' as the result, got 'tensor<4xf32>'}}
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<4x8xf32> to tensor<4xf32>
  return
}

// -----

func.func @reduce_c3(%x: tensor<4x8xi32>) {
  // expected-error@+1 {{expected float elements for a mean, got 'i32'}}
  %0 = fusion.reduce <mean> %x dims [1] : tensor<4x8xi32> to tensor<4xi32>
  return
}

// -----

func.func @reduce_c3_logical(%x: tensor<4x8xi32>) {
  // expected-error@+1 {{expected i1 elements for any and all, got 'i32'}}
  %0 = fusion.reduce <any> %x dims [1] : tensor<4x8xi32> to tensor<4xi32>
  return
}

// -----

func.func @reduce_c3_numbers(%x: tensor<4x8xi1>) {
  // expected-error@+1 {{expected numbers as elements, got 'i1'}}
  %0 = fusion.reduce <prod> %x dims [1] : tensor<4x8xi1> to tensor<4xi1>
  return
}

// -----

func.func @position_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{dims: expected ascending dimensions from 0 to 1, got [1, 0]}}
  %0 = fusion.argmax %x dims [1, 0] : tensor<4x8xf32> to tensor<i64>
  return
}

// -----

func.func @position_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected 'tensor<4x1xi64>' as the result, got 'tensor<4xi64>'}}
  %0 = fusion.argmin %x dims [1] keep : tensor<4x8xf32> to tensor<4xi64>
  return
}

// -----

func.func @position_c2_element(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{result #0 must be ranked tensor of at most 2^48 i64 elements without an encoding, but got 'tensor<4xi32>'}}
  %0 = fusion.argmax %x dims [1] : tensor<4x8xf32> to tensor<4xi32>
  return
}

// -----

func.func @position_c3(%x: tensor<4x0xf32>) {
  // expected-error@+1 {{expected elements along dimension 1, of which one is found, got 'tensor<4x0xf32>'}}
  %0 = fusion.argmax %x dims [1] : tensor<4x0xf32> to tensor<4xi64>
  return
}

// -----

func.func @position_input(%x: tensor<4x8xi1>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32 or ui64 elements without an encoding, but got 'tensor<4x8xi1>'}}
  %0 = fusion.argmax %x dims [1] : tensor<4x8xi1> to tensor<4xi64>
  return
}

// -----

func.func @matmul_c1(%x: tensor<4x8xf32>, %y: tensor<2x8x4xf32>) {
  // expected-error@+1 {{expected operands and result of the same rank, at least 2, got 2, 3 and 2}}
  %0 = fusion.matmul %x, %y : tensor<4x8xf32>, tensor<2x8x4xf32> to tensor<4x4xf32>
  return
}

// -----

func.func @matmul_c1_vectors(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected operands and result of the same rank, at least 2, got 1, 1 and 0}}
  %0 = fusion.matmul %x, %x : tensor<8xf32>, tensor<8xf32> to tensor<f32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<4x8xf32>, %y: tensor<7x4xf32>) {
  // expected-error@+1 {{expected dimension 0 of the right operand to be 8, as dimension 1 of the left operand is, got 7, of 'tensor<4x8xf32>' and 'tensor<7x4xf32>'}}
  %0 = fusion.matmul %x, %y : tensor<4x8xf32>, tensor<7x4xf32> to tensor<4x4xf32>
  return
}

// -----

// Without a type behind it the result is not what is wrong either.

func.func @matmul_c2_inferred(%x: tensor<4x8xf32>, %y: tensor<16x8xf32>) -> tensor<4x16xf32> {
  // expected-error@+1 {{expected dimension 0 of the right operand to be 8, as dimension 1 of the left operand is, got 16, of 'tensor<4x8xf32>' and 'tensor<16x8xf32>': a matrix on the right is [in, out]; 'linear' takes it as [out, in]}}
  %0 = fusion.matmul %x, %y : tensor<4x8xf32>, tensor<16x8xf32>
  return %0 : tensor<4x16xf32>
}

// -----

func.func @linear_c2_inferred(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  // expected-error@+1 {{expected dimension 1 of the right operand to be 8, as dimension 1 of the left operand is, got 16, of 'tensor<?x8xf32>' and 'tensor<8x16xf32>': a weight is [out, in]; 'matmul' takes it as [in, out]}}
  %0 = fusion.linear %x, %w : tensor<?x8xf32>, tensor<8x16xf32>
  return %0 : tensor<?x16xf32>
}

// -----

func.func @matmul_c2_batch(%x: tensor<?x4x8xf32>, %y: tensor<3x8x4xf32>) {
  // expected-error@+1 {{expected dimension 0 of the result to be 3, as dimension 0 of the right operand is, got 2}}
  %0 = fusion.matmul %x, %y : tensor<?x4x8xf32>, tensor<3x8x4xf32> to tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_c3(%x: tensor<4x8xf16>, %y: tensor<8x4xbf16>) {
  // expected-error@+1 {{expected operands of one element type and a result of that type, or of f32 if it is f16 or bf16, or of i32 or i64 if it is a narrower integer, got 'f16' and 'bf16' to 'f32'}}
  %0 = fusion.matmul %x, %y : tensor<4x8xf16>, tensor<8x4xbf16> to tensor<4x4xf32>
  return
}

// -----

func.func @matmul_c3_float(%x: tensor<4x4xf8E4M3FN>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of at most 2^48 f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, complex<f32> or complex<f64> elements without an encoding, but got 'tensor<4x4xf8E4M3FN>'}}
  %0 = fusion.matmul %x, %x : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN> to tensor<4x4xf32>
  return
}

// -----

func.func @matmul_c3_narrower(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{got 'f32' and 'f32' to 'bf16'}}
  %0 = fusion.matmul %x, %y : tensor<4x8xf32>, tensor<8x4xf32> to tensor<4x4xbf16>
  return
}

// -----

func.func @matmul_c3_sign(%x: tensor<4x4xui32>) {
  // expected-error@+1 {{or of i32 or i64 if it is a narrower integer, got 'ui32' and 'ui32' to 'i32'}}
  %0 = fusion.matmul %x, %x : tensor<4x4xui32>, tensor<4x4xui32> to tensor<4x4xi32>
  return
}

// -----

func.func @linear_c1(%x: tensor<4x8xf32>, %w: tensor<2x4x8xf32>) {
  // expected-error@+1 {{expected an input and a result of the same rank, at least 1, and a weight of rank 2, got 2, 2 and 3}}
  %0 = fusion.linear %x, %w : tensor<4x8xf32>, tensor<2x4x8xf32> to tensor<4x4xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<3x4x8xf32>, %w: tensor<5x8xf32>) {
  // expected-error@+1 {{expected dimension 2 of the result to be 5, as dimension 0 of the right operand is, got 8}}
  %0 = fusion.linear %x, %w : tensor<3x4x8xf32>, tensor<5x8xf32> to tensor<3x4x8xf32>
  return
}

// -----

func.func @linear_c3(%x: tensor<4x8xf64>, %w: tensor<5x8xf64>) {
  // expected-error@+1 {{got 'f64' and 'f64' to 'f32'}}
  %0 = fusion.linear %x, %w : tensor<4x8xf64>, tensor<5x8xf64> to tensor<4x5xf32>
  return
}

// -----

func.func @linear_bias(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>, %b: tensor<5xf32>) {
  // expected-error @below {{expected two operands, got more: 'fusion.composite "linear"(%x, %weight, %bias)' adds a bias}}
  %0 = fusion.linear %x, %w, %b : tensor<4x8xf32>, tensor<5x8xf32>, tensor<5xf32>
  return
}

// -----

func.func @composite_c1_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a position of each number, got 0 of 1 numbers}}
  %0 = "fusion.composite"(%x) {name = "add", positions = array<i64>, numbers = [1.0], options = {}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @composite_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected positions of numbers that ascend below 2, got array<i64: 2>}}
  %0 = "fusion.composite"(%x) {name = "add", positions = array<i64: 2>, numbers = [1.0], options = {}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @composite_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected numbers of f64, i64 or i1, got 1.000000e+00 : f32}}
  %0 = "fusion.composite"(%x) {name = "add", positions = array<i64: 1>, numbers = [1.0 : f32], options = {}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @check_c1(%ok: i1, %n: index) {
  // expected-error @below {{expected a value for {1} of the message, got 1 values}}
  fusion.check %ok, "{ {0} {x} {{7} {1}" (%n : index)
  return
}

// -----

func.func @scalar_c2_hexadecimal(%x: tensor<2xf32>) {
  // expected-error @below {{expected a number of type 'f32'}}
  %0 = fusion.add %x, 0x4B800000 : tensor<2xf32>
  return
}

// -----

func.func @reduce_c1_text(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{dims: expected ascending dimensions from 0 to 1, got [-1]}}
  %0 = fusion.reduce <sum> %x dims [-1] : tensor<4x4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @position_c1_text(%x: tensor<4x4xf32>) -> tensor<4xi64> {
  // expected-error@+1 {{dims: expected ascending dimensions from 0 to 1, got [9223372036854775807]}}
  %0 = fusion.argmax %x dims [9223372036854775807] : tensor<4x4xf32>
  return %0 : tensor<4xi64>
}

// -----

func.func @reduce_c1_of_a_point(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{dims: expected no dimensions of a tensor of rank 0, got [0]}}
  %0 = fusion.reduce <sum> %x dims [0] : tensor<f32>
  return %0 : tensor<f32>
}
