// RUN: fuser-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{argument 0: 'fusion.name': expected a string that is not empty, got 1 : i64}}
func.func private @name_c1(tensor<8xf32> {fusion.name = 1})

// -----

// expected-error @+1 {{argument 0: 'fusion.divisors': expected an i64 array with a number for each dimension of a ranked tensor, got array<i64: 8> for 'tensor<?x?xf32>'}}
func.func private @divisors_c1(tensor<?x?xf32> {fusion.divisors = array<i64: 8>})

// -----

// expected-error @+1 {{argument 0: 'fusion.class_divisors': expected an i64 array with a number for each dimension of a ranked tensor, got array<i64: 8> for 'index'}}
func.func private @divisors_c1_scalar(index {fusion.class_divisors = array<i64: 8>})

// -----

// expected-error @+1 {{argument 0: 'fusion.divisors': expected divisors of 1 to 1048576, got 0 for dimension 1}}
func.func private @divisors_c2(tensor<?x?xf32> {fusion.divisors = array<i64: 1, 0>})

// -----

// expected-error @+1 {{argument 0: 'fusion.divisors': expected dimension 1 to be a multiple of 8, got 'tensor<?x12xf32>'}}
func.func private @divisors_c3(tensor<?x12xf32> {fusion.divisors = array<i64: 1, 8>})

// -----

// expected-error @+1 {{argument 0: 'fusion.bounds': expected an i64 array with a number for each dimension of a ranked tensor, got [8] for 'tensor<?xf32>'}}
func.func private @bounds_c1(tensor<?xf32> {fusion.bounds = [8]})

// -----

// expected-error @+1 {{argument 0: 'fusion.bounds': expected bounds of at least 0, or -1 for none, got -2 for dimension 0}}
func.func private @bounds_c2(tensor<?xf32> {fusion.bounds = array<i64: -2>})

// -----

// expected-error @+1 {{argument 0: 'fusion.class_bounds': expected dimension 0 to be at most 4, got 'tensor<8xf32>'}}
func.func private @bounds_c3(tensor<8xf32> {fusion.class_bounds = array<i64: 4>})

// -----

// expected-error @+1 {{argument 0: 'fusion.class_lower_bounds': expected an i64 array with a number for each dimension of a ranked tensor, got [8] for 'tensor<?xf32>'}}
func.func private @lower_bounds_c1(tensor<?xf32> {fusion.class_lower_bounds = [8]})

// -----

// expected-error @+1 {{argument 0: 'fusion.class_lower_bounds': expected lower bounds of at least 0, got -1 for dimension 0}}
func.func private @lower_bounds_c2(tensor<?xf32> {fusion.class_lower_bounds = array<i64: -1>})

// -----

// expected-error @+1 {{argument 0: 'fusion.class_lower_bounds': expected dimension 0 to be at least 16, got 'tensor<8xf32>'}}
func.func private @lower_bounds_c3(tensor<8xf32> {fusion.class_lower_bounds = array<i64: 16>})

// -----

// expected-error @+1 {{result 0: 'fusion.bounds': unknown attribute of a result}}
func.func private @bounds_result() -> (tensor<8xf32> {fusion.bounds = array<i64: 8>})

// -----

// expected-error@+1 {{argument 1: 'fusion.layout': expected "any", got "dense"}}
func.func private @layout_c1(tensor<8xf32>, tensor<8xf32> {fusion.layout = "dense"})

// -----

// expected-error@+1 {{argument 0: 'fusion.specialized': expected a unit attribute, got 1 : i64}}
func.func private @specialized_c1(tensor<8xf32> {fusion.specialized = 1 : i64})

// -----

// expected-error@+1 {{argument 0: 'fusion.alignment': expected an i64, a number of bytes that is a power of two up to 4096, got 12 : i64}}
func.func private @alignment_c1(tensor<8xf32> {fusion.alignment = 12 : i64})

// -----

// expected-error@+1 {{argument 0: 'fusion.alignment': expected an i64, a number of bytes that is a power of two up to 4096, got 8589934592 : i64}}
func.func private @alignment_c1_large(tensor<8xf32> {fusion.alignment = 8589934592 : i64})

// -----

// expected-error@+1 {{result 0: 'fusion.alignment': expected an i64, a number of bytes that is a power of two up to 4096, got -9223372036854775808 : i64}}
func.func private @alignment_c1_negative() -> (tensor<8xf32> {fusion.alignment = -9223372036854775808 : i64})

// -----

// expected-error@+1 {{argument 0: 'fusion.stride_order': expected each of the 2 dimensions of 'tensor<4x8xf32>' once, got array<i64: 0, 0>}}
func.func private @stride_order_c1(tensor<4x8xf32> {fusion.stride_order = array<i64: 0, 0>})

// -----

// expected-error@+1 {{argument 0: 'fusion.stride_order': expected a ranked tensor to give an order of strides to, got 'index'}}
func.func private @stride_order_c1(index {fusion.stride_order = array<i64: 0, 0>})

// -----

// expected-error@+1 {{argument 0: 'fusion.stride_orders': unknown attribute of an argument}}
func.func private @attribute_c1_argument(tensor<4x8xf32> {fusion.stride_orders = array<i64: 0, 1>})

// -----

// expected-error@+1 {{result 0: 'fusion.stride_order_hint': expected an i64 array, the dimensions from slowest to fastest, got 1 : i64}}
func.func private @stride_order_c1() -> (tensor<4x8xf32> {fusion.stride_order_hint = 1})

// -----

// expected-error@+1 {{result 0: 'fusion.layout': unknown attribute of a result}}
func.func private @attribute_c1_result() -> (tensor<4x8xf32> {fusion.layout = "any"})

// -----

// expected-error@+1 {{result 0: 'fusion.alias': expected the number of one of the 1 inputs, got 1}}
func.func private @alias_c2(tensor<4xf32>) -> (tensor<4xf32> {fusion.alias = #fusion.alias<reuse, 1>})

// -----

// expected-error@+1 {{result 0: 'fusion.alias': expected input 0 to have the result's type 'tensor<4xf32>', got 'tensor<5xf32>'}}
func.func private @alias_c3(tensor<5xf32>) -> (tensor<4xf32> {fusion.alias = #fusion.alias<reuse, 0>})

// -----

// expected-error@+1 {{result 0: 'fusion.alias': expected input 0 to be a tensor, got 'index'}}
func.func private @alias_c2_tensor(index) -> (tensor<4xf32> {fusion.alias = #fusion.alias<evaluate, 0>})

// -----

// expected-error@+1 {{result 1: 'fusion.alias': expected each input to be reused once, got input 0 for results 0 and 1}}
func.func private @alias_c4(tensor<4xf32>) -> (tensor<4xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<4xf32> {fusion.alias = #fusion.alias<reuse, 0>})

// -----

// expected-error@+1 {{expected the number of an input after reuse, got none}}
func.func private @alias_c1(tensor<4xf32>) -> (tensor<4xf32> {fusion.alias = #fusion.alias<reuse>})

// -----

// expected-error@+1 {{expected no input after new, got 0}}
func.func private @alias_c1_new(tensor<4xf32>) -> (tensor<4xf32> {fusion.alias = #fusion.alias<new, 0>})

// -----

func.func @stride_order_c1_op(%x: tensor<8xf32>) {
  // expected-error@+1 {{'fusion.stride_order_hint': expected each of the 1 dimensions of 'tensor<8xf32>' once, got array<i64: 0, 1>}}
  %0 = fusion.exp %x {fusion.stride_order_hint = array<i64: 0, 1>} : tensor<8xf32>
  return
}

// -----

func.func @attribute_c1_op(%x: tensor<8xf32>) {
  // expected-error@+1 {{'fusion.hint': unknown attribute of an op}}
  %0 = fusion.exp %x {fusion.hint} : tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{result 0: 'fusion.alias': expected a view to have the element type of input 0, got 'tensor<4xf32>' and 'tensor<4xi32>'}}
func.func private @alias_c3_view(tensor<4xi32>) -> (tensor<4xf32> {fusion.alias = #fusion.alias<evaluate, 0>})

// -----

func.func @exactness_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{'fusion.exactness': expected #fusion.exactness<...>, got "exact"}}
  %0 = fusion.exp %x {fusion.exactness = "exact"} : tensor<8xf32>
  return
}

// -----

func.func @exactness_c2_op(%x: tensor<8xf32>) {
  // expected-error@+1 {{'fusion.exactness': expected an op that computes f32 and can be approximated}}
  %0 = fusion.neg %x {fusion.exactness = #fusion.exactness<exact>} : tensor<8xf32>
  return
}

// -----

func.func @exactness_c2_type(%x: tensor<8xf64>) {
  // expected-error@+1 {{'fusion.exactness': expected an op that computes f32 and can be approximated}}
  %0 = fusion.exp %x {fusion.exactness = #fusion.exactness<approximate>} : tensor<8xf64>
  return
}

// -----

func.func @exactness_c3(%x: tensor<8xf32>) {
  // expected-error@+1 {{'fusion.exactness': expected an exp, which has a form as a summand}}
  %0 = fusion.tanh %x {fusion.exactness = #fusion.exactness<summand>} : tensor<8xf32>
  return
}

// -----

func.func @forward_c1(%v: f32) {
  // expected-error@+1 {{'fusion.forward': expected a unit attribute, got 1 : i64}}
  %0 = fusion.full %v {fusion.forward = 1} : tensor<4xf32>
  return
}

// -----

func.func @forward_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{'fusion.segment' op 'fusion.forward': expected an op on tensors that segments can compute again, neither a segment, a communication nor one that computes fibres}}
  %0 = fusion.segment "generic" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) attributes {fusion.forward} {
    %1 = fusion.exp %a : tensor<4xf32>
    fusion.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @forward_c2_fibres(%x: tensor<4xf32>) {
  // expected-error@+1 {{'fusion.argsort' op 'fusion.forward': expected an op on tensors that segments can compute again, neither}}
  %0 = fusion.argsort %x dim 0 {fusion.forward} : tensor<4xf32> to tensor<4xi64>
  return
}

// -----

func.func @forward_c2_scalar(%x: f32) {
  // expected-error@+1 {{'arith.addf' op 'fusion.forward': expected an op on tensors that segments can compute again}}
  %0 = arith.addf %x, %x {fusion.forward} : f32
  return
}

// -----

func.func @forward_c3(%x: tensor<4xf32>) {
  %0 = fusion.segment "generic" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    // expected-error@+1 {{'fusion.exp' op 'fusion.forward': expected an op outside of segments, which says what segments compute again, got one in a segment}}
    %1 = fusion.exp %a {fusion.forward} : tensor<4xf32>
    fusion.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @keep_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'fusion.keep': expected #fusion.keep<...>, got 1 : i64}}
  %0 = fusion.exp %x {fusion.keep = 1} : tensor<4xf32>
  return
}

// -----

func.func @keep_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{'fusion.keep': expected an element-wise op in a segment}}
  %0 = fusion.exp %x {fusion.keep = #fusion.keep<scratch>} : tensor<4xf32>
  return
}

// -----

func.func @keep_c2_not_elementwise(%x: tensor<1xf32>) -> tensor<4xf32> {
  %0 = fusion.segment "generic" (%a = %x : tensor<1xf32>) -> (tensor<4xf32>) {
    // expected-error@+1 {{'fusion.keep': expected an element-wise op in a segment}}
    %1 = fusion.expand %a {fusion.keep = #fusion.keep<result>} : tensor<1xf32> to tensor<4xf32>
    fusion.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{'fusion.ring': expected a unit attribute of a builtin.module, got unit of a func.func}}
func.func @ring_c1(%x: tensor<4xf32>) attributes {fusion.ring} {
  return
}

// -----

// expected-error@+1 {{'fusion.ring': expected a unit attribute of a builtin.module, got true of a builtin.module}}
module @ring_c1_no_unit attributes {fusion.ring = true} {
}

// -----

// expected-error@+1 {{expected reads to be numbers from 0 on, each once, got array<i64: 9223372036854775807, 9223372036854775807>}}
func.func private @schedule_c18_largest() attributes {s = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [9223372036854775807, 9223372036854775807]>}

// -----

// expected-error@+1 {{'fusion.sizes_checked': expected a unit attribute of a function, got true of a func.func}}
func.func @sizes_checked_c1(%x: tensor<4xf32>) attributes {fusion.sizes_checked = true} {
  return
}

// -----

func.func @sizes_checked_c1_not_on_a_function(%v: f32) {
  // expected-error@+1 {{'fusion.sizes_checked': expected a unit attribute of a function, got unit of a fusion.full}}
  %0 = fusion.full %v {fusion.sizes_checked} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{'fusion.target': expected a string that is not empty, got ""}}
func.func @target_c1(%x: tensor<4xf32>) attributes {fusion.target = ""} {
  return
}

// -----

func.func @target_c1_not_on_a_function(%v: f32) {
  // expected-error@+1 {{'fusion.target': expected a function to carry it}}
  %0 = fusion.full %v {fusion.target = "cpu"} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{result 0: 'fusion.alias': expected #fusion.alias<...>, got 0 : i64}}
func.func private @alias_c1_attribute(tensor<4xf32>) -> (tensor<4xf32> {fusion.alias = 0})

// -----

func.func @attribute_c1_results(%x: tensor<8xf32>) {
  // expected-error@+1 {{'fusion.stride_order_hint': expected an op with one result, got 2}}
  %0:2 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {fusion.stride_order_hint = array<i64: 0>} {
    %1 = fusion.exp %a : tensor<8xf32>
    %2 = fusion.neg %a : tensor<8xf32>
    fusion.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// -----

func.func @equal_dims_c1_op(%x: tensor<?xf32>) {
  // expected-error@+1 {{'fusion.equal_dims': expected an i64 array with a number for each dimension of a reshape's result, got array<i64: 0>}}
  %0 = fusion.neg %x {fusion.equal_dims = array<i64: 0>} : tensor<?xf32>
  return
}

// -----

func.func @equal_dims_c1_count(%x: tensor<?x2xf32>, %n: index) {
  // expected-error@+1 {{'fusion.equal_dims': expected an i64 array with a number for each dimension of a reshape's result, got array<i64: 0>}}
  %0 = fusion.reshape %x sizes(%n) {fusion.equal_dims = array<i64: 0>} : tensor<?x2xf32> to tensor<?x1x2xf32>
  return
}

// -----

func.func @equal_dims_c2(%x: tensor<?x2xf32>, %n: index) {
  // expected-error@+1 {{'fusion.equal_dims': expected -1, or an open dimension of the input for one of the result, got 1 for dimension 2}}
  %0 = fusion.reshape %x sizes(%n) {fusion.equal_dims = array<i64: 0, -1, 1>} : tensor<?x2xf32> to tensor<?x1x2xf32>
  return
}
