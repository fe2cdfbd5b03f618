// RUN: fuser-opt %s -split-input-file -verify-diagnostics
//
// Ops that are one record, numbers as operands, factories: one case for each numbered constraint of docs/spec/fusion.md.

func.func @unary_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "fusion.sin"(%x) : (tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @unary_c2(%x: tensor<8xi32>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN or f8E5M2 elements}}
  %0 = fusion.floor %x : tensor<8xi32>
  return
}

// -----

func.func @unary_c2_bits(%x: tensor<8xf32>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 i1, i8, i16, i32, i64, ui8, ui16, ui32 or ui64 elements}}
  %0 = fusion.not %x : tensor<8xf32>
  return
}

// -----

func.func @test_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{failed to verify that result has the shape of the input and i1 elements}}
  %0 = "fusion.isnan"(%x) : (tensor<8xf32>) -> tensor<?xi1>
  return
}

// -----

func.func @test_c2(%x: tensor<8xi32>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, complex<f32> or complex<f64> elements}}
  %0 = fusion.isinf %x : tensor<8xi32>
  return
}

// -----

func.func @binary_c1(%x: tensor<8xf32>, %y: tensor<?xf32>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs, result} have same type}}
  %0 = "fusion.pow"(%x, %y) : (tensor<8xf32>, tensor<?xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @binary_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 i8, i16, i32, i64, ui8, ui16, ui32 or ui64 elements}}
  %0 = fusion.shl %x, %x : tensor<8xf32>
  return
}

// -----

func.func @scalar_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 2 tensors, or one less and a number}}
  %0 = "fusion.add"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scalar_c1_both(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 2 tensors, or one less and a number}}
  %0 = "fusion.add"(%x, %x) <{scalar = 1.0 : f32}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scalar_c1_text(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a tensor: one operand is a number}}
  %0 = fusion.add 1.0, 2.0 : tensor<8xf32>
  return
}

// -----

func.func @scalar_c1_condition(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a condition}}
  %0 = fusion.where true, %x, %x : tensor<8xf32>
  return
}

// -----

func.func @scalar_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a number of type 'f32', got 1.000000e+00 : f64}}
  %0 = "fusion.add"(%x) <{scalar = 1.0 : f64}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scalar_c2_text(%x: tensor<8xi32>) {
  // expected-error@+1 {{expected a number of type 'i32'}}
  %0 = fusion.add %x, 1.5 : tensor<8xi32>
  return
}

// -----

func.func @scalar_c2_range(%x: tensor<8xi32>) {
  // expected-error@+1 {{expected a number of type 'i32'}}
  %0 = fusion.add %x, 2147483648 : tensor<8xi32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error@+1 {{expected a dimension of 'tensor<8xi32>', got 1}}
  %0 = fusion.iota dim 1 : tensor<8xi32>
  return
}

// -----

func.func @iota_c2(%n: index) {
  // expected-error@+1 {{expected 1 sizes for the dynamic dimensions of 'tensor<?x8xi32>', got 2}}
  %0 = fusion.iota dim 0 sizes(%n, %n) : tensor<?x8xi32>
  return
}

// -----

func.func @iota_c3(%a: i64) {
  // expected-error@+1 {{expected a start and a step of type 'i32' at most, got 'i64'}}
  %0 = "fusion.iota"(%a) <{dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0>}> : (i64) -> tensor<8xi32>
  return
}

// -----

func.func @random_bits_c1(%s: i64) {
  // expected-error@+1 {{expected 1 sizes for the dynamic dimensions of 'tensor<?x8xi32>', got 0}}
  %0 = fusion.random_bits seed %s offset %s : tensor<?x8xi32>
  return
}

// -----

func.func @uniform_c1(%s: i64, %n: index) {
  // expected-error@+1 {{expected 0 sizes for the dynamic dimensions of 'tensor<8xf32>', got 1}}
  %0 = fusion.uniform seed %s offset %s sizes(%n) : tensor<8xf32>
  return
}

// -----

func.func @constant_c1() {
  // expected-error@+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "fusion.constant"() <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<9xf32>
  return
}

// -----

func.func @constant_c2() {
  // expected-error@+1 {{expected dense<...> with one element for all, or at most 64, got 'tensor<65xi1>'}}
  %0 = fusion.constant dense<"0x010000000000000001"> : tensor<65xi1>
  return
}

// -----

func.func @broadcast_in_dim_c1(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{dims: expected ascending dimensions from 0 to 2, got [2, 1]}}
  %0 = fusion.broadcast_in_dim %x dims [2, 1] : tensor<8x4xf32> to tensor<2x4x8xf32>
  return
}

// -----

func.func @broadcast_in_dim_c1_count(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{expected a dimension of the result for each of 'tensor<8x4xf32>', got [1]}}
  %0 = fusion.broadcast_in_dim %x dims [1] : tensor<8x4xf32> to tensor<2x8xf32>
  return
}

// -----

func.func @broadcast_in_dim_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected the input's element type in the result, got 'tensor<8xf32>' and 'tensor<2x8xf16>'}}
  %0 = fusion.broadcast_in_dim %x dims [1] : tensor<8xf32> to tensor<2x8xf16>
  return
}

// -----

func.func @broadcast_in_dim_c3(%x: tensor<?xf32>) {
  // expected-error@+1 {{expected size 1 or the result's size in dimension 0 of the input, got 'tensor<?xf32>' and 'tensor<2x8xf32>'}}
  %0 = fusion.broadcast_in_dim %x dims [1] : tensor<?xf32> to tensor<2x8xf32>
  return
}

// -----

func.func @broadcast_in_dim_c4(%x: tensor<1xf32>, %n: index) {
  // expected-error@+1 {{expected 2 sizes, one for each dynamic dimension of the result that the input does not give, got 1}}
  %0 = fusion.broadcast_in_dim %x dims [1] sizes(%n) : tensor<1xf32> to tensor<?x?xf32>
  return
}

// -----

func.func @number_with_exponent(%x: tensor<8xi32>) {
  // expected-error@+1 {{expected a number of type 'i32'}}
  %0 = fusion.add %x, 1e5 : tensor<8xi32>
  return
}

// -----

func.func @exponent_behind_a_space(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected ':'}}
  %0 = fusion.add %x, 1 e5 : tensor<8xf32>
  return
}

// -----

func.func @complex_c1(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{failed to verify that all of {real, imag} have same type}}
  %0 = "fusion.complex"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @complex_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{result has the shape of the parts and complex numbers of them}}
  %0 = "fusion.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return
}

// -----

func.func @complex_c2_elements(%x: tensor<4xf16>) {
  // expected-error@+1 {{ranked tensor of at most 2^48 f64 or f32 elements}}
  %0 = "fusion.complex"(%x, %x) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xcomplex<f16>>
  return
}

// -----

func.func @part_c1(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{result has the shape of the input and elements of the type of its parts}}
  %0 = "fusion.real"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @part_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{complex<f32> or complex<f64> elements without an encoding, but got 'tensor<4xf32>'}}
  %0 = "fusion.imag"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cmp_c3(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{expected eq or ne for complex numbers, which have no order, got lt}}
  %0 = fusion.cmp <lt> %x, %x : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @cast_c2(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{expected complex numbers to become complex numbers or i1, got 'f32': take their real part by fusion.real}}
  %0 = fusion.cast %x : tensor<4xcomplex<f32>> to f32
  return
}

// -----

func.func @bitcast_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected the input's shape in the result, got 'tensor<4xf32>' and 'tensor<2xi32>'}}
  %0 = fusion.bitcast %x : tensor<4xf32> to tensor<2xi32>
  return
}

// -----

func.func @bitcast_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected elements of as many bits, got 'f32' and 'i16'}}
  %0 = fusion.bitcast %x : tensor<4xf32> to i16
  return
}

// -----

func.func @bitcast_c2(%x: tensor<4xi8>) {
  // expected-error@+1 {{expected elements of as many bits, got 'i8' and 'i1'}}
  %0 = fusion.bitcast %x : tensor<4xi8> to i1
  return
}

// -----

func.func @cast_c3(%x: tensor<4xf4E2M1FN>) {
  // expected-error@+1 {{expected f4E2M1FN to be cast to f32, f16 or bf16, or from these, got 'f4E2M1FN' and 'f64'}}
  %0 = fusion.cast %x : tensor<4xf4E2M1FN> to f64
  return
}

// -----

func.func @cast_c3(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected f4E2M1FN to be cast to f32, f16 or bf16, or from these, got 'i32' and 'f4E2M1FN'}}
  %0 = fusion.cast %x : tensor<4xi32> to f4E2M1FN
  return
}

// -----

// Packed numbers are moved and cast, and nothing else.
func.func @add(%x: tensor<4x2xf4E2M1FN>) {
  // expected-error-re@+1 {{operand #0 must be ranked tensor of at most 2^48 f64, f32, {{.*}}complex<f32> or complex<f64> elements without an encoding, but got 'tensor<4x2xf4E2M1FN>'}}
  %0 = fusion.neg %x : tensor<4x2xf4E2M1FN>
  return
}

// -----

func.func @scalar(%x: f4E2M1FN) {
  // expected-error-re@+1 {{operand #0 must be f64, f32, {{.*}}, but got 'f4E2M1FN'}}
  %0 = "fusion.full"(%x) : (f4E2M1FN) -> tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{argument 0: 'fusion.packed': expected f4E2M1FN on a tensor of ui8 of at least one dimension, got f4E2M1FN for 'tensor<4xi8>'}}
func.func @packed_mark_c1(%x: tensor<4xi8> {fusion.packed = f4E2M1FN}) {
  return
}

// -----

// expected-error@+1 {{result 0: 'fusion.packed': expected f4E2M1FN on a tensor of ui8 of at least one dimension, got bf16 for 'tensor<4xui8>'}}
func.func private @packed_mark_c1() -> (tensor<4xui8> {fusion.packed = bf16})

// -----

func.func @scalar_c2(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{expected a tensor in place of a number for complex numbers: fusion.complex makes it of two fusion.full}}
  %0 = fusion.mul %x, 2.0 : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @max(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{ui32 or ui64 elements without an encoding, but got 'tensor<4xcomplex<f32>>'}}
  %0 = fusion.max %x, %x : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @reduce_c3(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{expected elements that have an order for max and min, got 'complex<f32>'}}
  %0 = fusion.reduce <max> %x dims [0] : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @scan_c2(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{expected sum or prod of complex numbers, which have no order, got max}}
  %0 = fusion.scan <max> %x dim 0 : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @sort(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{without an encoding, but got 'tensor<4xcomplex<f32>>'}}
  %0 = fusion.argsort %x dim 0 : tensor<4xcomplex<f32>> to tensor<4xi64>
  return
}

// -----

func.func @scatter_c4(%x: tensor<4xcomplex<f32>>, %i: tensor<4xi64>) {
  // expected-error@+1 {{expected combine to be sum for complex numbers, got prod}}
  %0 = fusion.scatter %x, %i, %x dim 0 combine <prod> : tensor<4xcomplex<f32>>, tensor<4xi64>, tensor<4xcomplex<f32>>
  return
}

// -----

// expected-error@+1 {{argument 0: 'fusion.complex': expected a unit attribute of a tensor of f32 or f64 whose last dimension is 2, got unit for 'tensor<4xf32>'}}
func.func @complex_mark_c1(%x: tensor<4xf32> {fusion.complex}) {
  return
}

// -----

func.func @scalar_c2_packed(%c: tensor<4xi1>, %x: tensor<4xf4E2M1FN>) {
  // expected-error@+1 {{expected a tensor in place of a number: there are no scalars of 'f4E2M1FN'}}
  %0 = fusion.where %c, %x, 1.5 : tensor<4xf4E2M1FN>
  return
}
