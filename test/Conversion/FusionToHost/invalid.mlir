// RUN: fuser-opt %s --split-input-file --verify-diagnostics --fusion-to-host

// What the pass needs, and has not got.

func.func @no_kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a segment with a schedule and a host function: run fusion-schedule and fusion-to-kernel first}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) {
    %1 = fusion.exp %a : tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{result 0: expected a result of a segment, since it has memory of its own; run fusion-segment first}}
func.func @no_segment(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fusion.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{result 0: expected a result of a segment}}
func.func @returned_input(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{expected a body of one block, got 2}}
func.func @blocks(%x: tensor<8xf32>) -> (tensor<8xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  cf.br ^bb1
^bb1:
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{expected results to be ranked tensors, got 'index'}}
func.func @scalar_result(%x: tensor<8xf32>, %n: index) -> index {
  return %n : index
}

// -----

// expected-error @below {{expected arguments to be ranked tensors or scalars without a sign, got 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}

// -----

// Results that live in inputs.

func.func @no_view(%x: tensor<8xf32>) -> (tensor<8xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  // expected-error @below {{result 0: expected a view of input 0 'arg0' (its alias kind is evaluate), got the result of 'fusion.exp'}}
  %0 = fusion.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{result 0: expected a view of input 0 'arg0' (its alias kind is evaluate), got a view of input 1 'arg1'}}
func.func @other_view(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  return %y : tensor<8xf32>
}

// -----

func.func @no_strides(%x: tensor<4x8xf32>) -> (tensor<32xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %0 = fusion.permute %x [1, 0] : tensor<4x8xf32> to tensor<8x4xf32>
  // expected-error @below {{result 0: expected a view of input 0 'arg0' (its alias kind is evaluate), but no strides give the result of this op}}
  %1 = fusion.reshape %0 : tensor<8x4xf32> to tensor<32xf32>
  return %1 : tensor<32xf32>
}

// -----

// expected-error @below {{result 1: expected a view of an input that stays as it is, but input 0 'arg0' is overwritten by result 0}}
func.func @view_of_overwritten(%x: tensor<8xf32>, %y: tensor<8xf32>)
    -> (tensor<8xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<8xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) {
    %1 = fusion.exp %a : tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0, %x : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @read_afterwards(%x: tensor<8xf32>) -> (tensor<8xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<8xf32>) {
  // expected-error @below {{result 0 is written into the buffer of input 0 'arg0': expected nothing to read the input afterwards}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) {
    %2 = fusion.exp %a : tensor<8xf32>
    fusion.yield %2 : tensor<8xf32>
  }
  // expected-note @below {{it is read here}}
  %1 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) {
    %2 = fusion.neg %a : tensor<8xf32>
    fusion.yield %2 : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The sizes are open in the types, and known.

func.func @other_size(%x: tensor<3x?xf32>) -> (tensor<3x?xf32>, tensor<3x?xf32> {fusion.alias = #fusion.alias<reuse, 0>, fusion.name = "y"}) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  %0 = fusion.segment "pointwise" (%a = %x : tensor<3x?xf32>, %n = %c8 : index, %s = %v : f32) -> (tensor<3x?xf32>) {
    %2 = fusion.full %s sizes(%n) : tensor<3x?xf32>
    %3 = fusion.add %a, %2 : tensor<3x?xf32>
    fusion.yield %3 : tensor<3x?xf32>
  }
  // expected-error @below {{result 1 is written into the buffer of input 0 'arg0': expected dimension 1 to be 8, as the input's is, got 4}}
  %1 = fusion.segment "pointwise" (%n = %c4 : index, %s = %v : f32) -> (tensor<3x?xf32>) {
    %2 = fusion.full %s sizes(%n) : tensor<3x?xf32>
    fusion.yield %2 : tensor<3x?xf32>
  }
  return %0, %1 : tensor<3x?xf32>, tensor<3x?xf32>
}

// -----

func.func @read_elsewhere(%x: tensor<8x8xf32>) -> (tensor<8x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  // expected-error @below {{expected its segment to read the input at the same index only, since its elements are written in any order}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>) {
    // expected-note @below {{it is read at another index here}}
    %1 = fusion.permute %a [1, 0] : tensor<8x8xf32> to tensor<8x8xf32>
    fusion.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// Required stride orders of what lives in an input.

// expected-error @below {{result 0: expected the required stride order [1, 0], got input 0 'arg0', which is not known to have it}}
func.func @order_of_input(%x: tensor<4x8xf32>)
    -> (tensor<4x8xf32> {fusion.alias = #fusion.alias<evaluate, 0>, fusion.stride_order = array<i64: 1, 0>}) {
  return %x : tensor<4x8xf32>
}

// -----

// expected-error @below {{result 0: expected the required stride order [0, 1], got a view of input 0 'arg0', which is not known to have it}}
func.func @order_of_view(%x: tensor<4x8xf32>)
    -> (tensor<8x4xf32> {fusion.alias = #fusion.alias<evaluate, 0>, fusion.stride_order = array<i64: 0, 1>}) {
  %0 = fusion.permute %x [1, 0] : tensor<4x8xf32> to tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// expected-error @below {{result 0: expected the required stride order [0, 1], got input 0 'arg0', which is not known to have it}}
func.func @order_of_any(%x: tensor<4x8xf32> {fusion.layout = "any"})
    -> (tensor<4x8xf32> {fusion.alias = #fusion.alias<evaluate, 0>, fusion.stride_order = array<i64: 0, 1>}) {
  return %x : tensor<4x8xf32>
}

// -----

// Sizes of dimensions that are not there, or that nobody knows.

func.func @no_dim(%x: tensor<?xf32>) {
  %c5 = arith.constant 5 : index
  // expected-error @below {{expected the constant number of a dimension of 'tensor<?xf32>', got 5}}
  %0 = tensor.dim %x, %c5 : tensor<?xf32>
  return
}

// -----

func.func @no_dim_in_segment(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) {
    %v = arith.constant 1.0 : f32
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected a constant dimension below the rank of a ranked tensor, 1, in a segment, got 1}}
    %1 = tensor.dim %a, %c1 : tensor<?xf32>
    %2 = fusion.full %v sizes(%1) : tensor<?xf32>
    fusion.yield %2 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @some_dim(%x: tensor<?xf32>, %i: index) {
  // expected-error @below {{expected the constant number of a dimension of 'tensor<?xf32>', got a value}}
  %0 = tensor.dim %x, %i : tensor<?xf32>
  return
}

// -----

// Divisions without a check.

func.func @division_in_segment(%n: index) -> tensor<?xf32> {
  %0 = fusion.segment "pointwise" (%m = %n : index) -> (tensor<?xf32>) {
    %v = arith.constant 1.0 : f32
    // expected-error @below {{expected a division outside of the segment, where its divisor is checked}}
    %1 = arith.remsi %m, %m : index
    %2 = fusion.full %v sizes(%1) : tensor<?xf32>
    fusion.yield %2 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @wide_division(%a: i128, %b: i128) {
  // expected-error @below {{'arith.remsi' op expected size arithmetic that is defined for all values}}
  %0 = arith.remsi %a, %b : i128
  return
}

// -----

// What is said of a size does not hold for the one that the program needs.

// expected-error @below {{expected dimension 1 of input 0 'arg0' to be a multiple of 8, as the function says of what is equal to it, got 6}}
func.func @stated_divisor(%x: tensor<4x?xf32> {fusion.divisors = array<i64: 1, 8>}, %y: tensor<6x4xf32>) -> tensor<4x4xf32> {
  %0 = fusion.matmul %x, %y : tensor<4x?xf32>, tensor<6x4xf32> to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error @below {{expected dimension 1 of input 0 'arg0' to be at most 5, as the function says of what is equal to it, got 6}}
func.func @stated_bound(%x: tensor<4x?xf32> {fusion.bounds = array<i64: -1, 5>}, %y: tensor<6x4xf32>) -> tensor<4x4xf32> {
  %0 = fusion.matmul %x, %y : tensor<4x?xf32>, tensor<6x4xf32> to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error@+1 {{expected arguments to be ranked tensors or scalars without a sign, got 'ui8'}}
func.func @unsigned_scalar(%x: tensor<4xui8>, %s: ui8) -> tensor<4xui8> {
  return %x : tensor<4xui8>
}

// -----

func.func @no_return(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.neg %x : tensor<?xf32>
  // expected-error @below {{expected func.return at the end of a function of tensors}}
  llvm.unreachable
}
