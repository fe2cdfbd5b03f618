// RUN: fuser-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fusion-segment))'

func.func @composite(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{expected no composite in a function that is cut into segments: run fusion-expand-composites first}}
  %0 = fusion.composite "softmax"(%x) {dim = 1} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @unknown_op(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected only ops of the fusion dialect and size arithmetic in a function that is cut into segments: write it with an op of the fusion dialect}}
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{expected a body of one block, got 2}}
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<8xf32>
}

// -----

func.func @unknown_dim(%x: tensor<?x?xf32>, %i: index) -> index {
  // expected-error @below {{expected a constant dimension of a ranked tensor}}
  %0 = tensor.dim %x, %i : tensor<?x?xf32>
  return %0 : index
}

// -----

func.func private @other(tensor<8xf32>) -> tensor<8xf32>

func.func @call(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{inline what it calls (fuser-opt --inline)}}
  %0 = func.call @other(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @element(%x: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  // expected-error @below {{compute it outside, and pass its result as an argument}}
  %0 = tensor.extract %x[%i] : tensor<8xf32>
  %1 = fusion.full %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @control_flow(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  // expected-error @below {{make functions of its bodies, and choose among them outside}}
  %0 = scf.if %c -> tensor<8xf32> {
    %1 = fusion.exp %x : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @unranked(
  // expected-error @below {{expected argument 0 to be a ranked tensor of f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32, ui64, f8E8M0FNU, complex<f32>, complex<f64> or f4E2M1FN elements without an encoding, got 'tensor<*xf32>'}}
    %x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}

// -----

func.func @element(%n: index,
  // expected-error @below {{expected argument 1 'bytes' to be a ranked tensor of f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32, ui64, f8E8M0FNU, complex<f32>, complex<f64> or f4E2M1FN elements without an encoding, got 'tensor<4xsi8>'}}
    %x: tensor<4xsi8> {fusion.name = "bytes"}) -> tensor<4xsi8> {
  return %x : tensor<4xsi8>
}

// -----

func.func @unsigned(
  // expected-error @below {{expected argument 0 to be a ranked tensor of f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32, ui64, f8E8M0FNU, complex<f32>, complex<f64> or f4E2M1FN elements without an encoding, got 'tensor<4xui4>'}}
    %x: tensor<4xui4>) {
  return
}

// -----

func.func @encoding(
  // expected-error @below {{expected argument 0 to be a ranked tensor of f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, ui8, ui16, ui32, ui64, f8E8M0FNU, complex<f32>, complex<f64> or f4E2M1FN elements without an encoding, got 'tensor<4xf32, 1 : i32>'}}
    %x: tensor<4xf32, 1 : i32>) -> tensor<4xf32, 1 : i32> {
  return %x : tensor<4xf32, 1 : i32>
}

// -----

func.func @division(%a: i128, %b: i128) -> tensor<?xf32> {
  %v = arith.constant 1.0 : f32
  // expected-error @below {{'arith.divsi' op expected size arithmetic that is defined for all values, or a division or remainder of integers of at most 64 bits, got an op that may stop the program}}
  %0 = arith.divsi %a, %b : i128
  %1 = arith.index_cast %0 : i128 to index
  %2 = fusion.full %v sizes(%1) : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

func.func @constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{size arithmetic in a function that is cut into segments: write fusion.constant}}
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %0 = fusion.add %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @size_of_a_type(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{state the sizes in the types of the arguments, or write fusion.reshape}}
  %0 = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
